"""Every way in which a session is not to be had, or lost, on either side, and its stage.

What goes wrong at a door or with a cable goes over sockets; a line that goes dead is followed in
virtual time. DECISIONS 6 has the table, and an instrument's loss is never the assistant's.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from shared.attempts.bench import judge_again
from shared.attempts.details import decode_details, result_json
from shared.observability.observations import Speaker
from tests.support.calls import SOUND, Call
from tests.support.conversations import Held
from tests.support.services import Services

CALLER, ASSISTANT = Speaker.CALLER, Speaker.ASSISTANT
NEVER_BEGAN = dict.fromkeys(Speaker, "session_start")
LATER = {CALLER: "caller_simulation", ASSISTANT: "response_collection"}
MID = "start+2500"
ENDLESS = [
    {"say": f"And {number} more.", "at": f"start+{number * 1500}"} for number in range(1, 38)
]


@dataclass(frozen=True, slots=True)
class Loss:
    """What befalls one side, and what is told of it."""

    stages: Mapping[Speaker, str]
    says: str
    mishaps: Mapping[str, Any] = field(default_factory=dict)
    step: Mapping[str, Any] | None = None
    is_there: bool = True
    limit_s: int | None = None
    """In virtual time, up to this limit; else over sockets."""

    def hold(self, side: Speaker, services: Services, folder: Path) -> Held:
        call = self._call(side)
        if not self.is_there:
            with services.playing(*()) as up, _nobody() as down:
                urls = {one: down if one is side else up for one in Speaker}
                return call.hold_with(urls[CALLER], urls[ASSISTANT], folder)
        if self.limit_s is not None:
            return call.hold_in_memory(folder)
        return call.hold(services, folder)

    def _call(self, side: Speaker) -> Call:
        steps = dict(zip((CALLER, ASSISTANT), SOUND, strict=True))
        simulation: dict[str, Any] = {}
        if self.limit_s is not None:
            steps = {CALLER: (*SOUND[0][:1], *ENDLESS), ASSISTANT: SOUND[1]}
            simulation = {"max_duration_seconds": self.limit_s, "quiet_line_ms": 80_000}
        if self.step is not None:
            steps[side] = (*steps[side], self.step)
        mishaps = {one: self.mishaps if one is side else {} for one in Speaker}
        return Call(
            caller=steps[CALLER],
            assistant=steps[ASSISTANT],
            caller_mishaps=mishaps[CALLER],
            assistant_mishaps=mishaps[ASSISTANT],
            session={"start_timeout_seconds": 1},
            simulation=simulation,
        )


class _nobody:  # noqa: N801 - reads as what is at the address
    """An address where nobody listens, kept free so that nobody else comes to listen there."""

    def __enter__(self) -> str:
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        return f"ws://127.0.0.1:{self._socket.getsockname()[1]}/v1/live/sessions"

    def __exit__(self, *_: object) -> None:
        self._socket.close()


LOSSES = {
    "nobody-there": Loss(NEVER_BEGAN, "connect", is_there=False),
    "401": Loss(NEVER_BEGAN, "HTTP 401", {"door": {"status": 401}}),
    "429": Loss(NEVER_BEGAN, "HTTP 429", {"door": {"status": 429}}),
    "redirected": Loss(
        NEVER_BEGAN, "HTTP 302", {"door": {"status": 302, "headers": {"location": "/other"}}}
    ),
    "start-refused": Loss(
        NEVER_BEGAN,
        "no_such_voice: No such voice.",
        {"opening": {"refused": {"code": "no_such_voice", "message": "No such voice."}}},
    ),
    "start-unanswered": Loss(
        NEVER_BEGAN, "no session.started within 1 s", {"opening": {"is_answered": False}}
    ),
    "cut": Loss(LATER, "connection lost", step={"hang_up": None, "at": MID}),
    "gone-with-a-code": Loss(LATER, "connection lost", step={"hang_up": 1011, "at": MID}),
    "closed-too-early": Loss(LATER, "closed by the provider", step={"end": "expired", "at": MID}),
    "dead-for-30-s": Loss(
        LATER, "no audio came for 30", step={"hold": None, "at": MID}, limit_s=60
    ),
    "dead-when-time-is-up": Loss(
        LATER, "no audio came for 1", step={"hold": None, "at": MID}, limit_s=16
    ),
}
CASES = [pytest.param(name, side, id=f"{side}-{name}") for name in LOSSES for side in Speaker]


@pytest.fixture(scope="module")
def calls(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[tuple[str, Speaker], Future[Held]]]:
    folder, services = tmp_path_factory.mktemp("calls"), Services()
    with ThreadPoolExecutor(6) as pool:
        yield {
            (name, side): pool.submit(loss.hold, side, services, folder / f"{side}-{name}")
            for name, loss in LOSSES.items()
            for side in Speaker
        }
    services.stop()


type Calls = Mapping[tuple[str, Speaker], Future[Held]]


@pytest.mark.parametrize(("name", "side"), CASES)
def test_a_lost_session_is_told_by_its_stage_and_its_side(
    name: str, side: Speaker, calls: Calls
) -> None:
    loss, row = LOSSES[name], calls[name, side].result().row

    assert row["status"] == "infrastructure_error"
    assert row["error"]["stage"] == loss.stages[side]
    assert row["error"]["message"].startswith(f"the {side.value}'s session: ")
    assert loss.says in row["error"]["message"]


@pytest.mark.parametrize(
    ("name", "side"), [case for case in CASES if LOSSES[str(case.values[0])].stages is LATER]
)
def test_a_lost_session_of_the_caller_s_is_a_caller_unfit_to_call(
    name: str, side: Speaker, calls: Calls
) -> None:
    validity = calls[name, side].result().row["validity"]
    is_callers = side is CALLER

    assert validity["reason"] == ("caller_session_lost" if is_callers else None)
    assert validity["target_metrics_eligible"] is not is_callers


@pytest.mark.parametrize(("name", "side"), CASES)
def test_what_was_heard_until_then_is_kept(name: str, side: Speaker, calls: Calls) -> None:
    held = calls[name, side].result()
    evidence, has_begun = held.evidence, LOSSES[name].stages is LATER

    assert bool(evidence.extent_ms) is has_begun
    assert bool(evidence.caller.voiced) is has_begun
    assert ("conversation_audio" in held.row["artifacts"]) is has_begun
    assert all((held.run.folder / path).is_file() for path in held.row["artifacts"].values())


@pytest.mark.parametrize(("name", "side"), CASES)
def test_the_other_side_is_closed_in_good_order(name: str, side: Speaker, calls: Calls) -> None:
    cleanup = calls[name, side].result().evidence.cleanup
    other = ASSISTANT if side is CALLER else CALLER

    assert cleanup is not None
    assert (cleanup.timed_out, cleanup.errors) == ((), ())
    assert other in cleanup.finalized


@pytest.mark.parametrize(("name", "side"), CASES)
def test_judging_again_gives_the_row_byte_for_byte(name: str, side: Speaker, calls: Calls) -> None:
    held = calls[name, side].result()

    assert result_json(judge_again(decode_details(held.run.details("request")))) == held.row
