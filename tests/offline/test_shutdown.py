"""However a service ends, a call is put away in time: two services, each a process of its own.

They are killed, frozen or never answer a close; an interrupt comes in the middle of a call.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from shared.attempts.bench import judge_again
from shared.attempts.details import decode_details, result_json
from shared.observability.observations import Speaker
from shared.observability.shutdown import Component, SettlementStatus
from tests.support.calls import REQUEST, Call
from tests.support.conversations import Held
from tests.support.runs import PROGRAMS, bare_environment
from tests.support.services import LIVE

CALLER, ASSISTANT = Speaker.CALLER, Speaker.ASSISTANT
BUDGET_S, TOLERANCE_S, WITHIN_S = 1.0, 0.5, 60.0
PATIENT = {"close_timeout_seconds": 15}
CALLING = (
    {"say": REQUEST, "at": "start+300"},
    {"say": "Thank you. Bye.", "at": "heard1.ended+500", "action": "STOP"},
)
UNANSWERED = {"closing": {"is_answered": False}}


@dataclass(frozen=True, slots=True)
class Service:
    """``live-fixture`` for one side of a call, and what it has logged so far."""

    process: subprocess.Popen[str]
    url: str
    log: Path

    def lines(self) -> list[dict[str, Any]]:
        whole = self.log.read_text("utf-8").rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def has(self, what: str, kind: str) -> bool:
        """Whether it has ``sent`` or ``received`` a message of this kind."""
        return any(
            line["what"] == what
            and isinstance(line.get("message"), dict)
            and line["message"].get("type") == kind
            for line in self.lines()
        )

    def until_words(self) -> None:
        """Return once it has begun to speak."""
        until_s = time.monotonic() + WITHIN_S
        while not self.has("sent", "session.output_transcript.delta"):
            assert time.monotonic() < until_s, "no word was said"
            time.sleep(0.05)


@contextmanager
def serving(folder: Path, side: Speaker, script: str) -> Iterator[Service]:
    path, log = folder / "script.json", folder / f"{side.value}.log"
    path.write_text(script, "utf-8")
    command = [sys.executable, "-m", "assistants.live_fixture", "--side", side.value]
    with subprocess.Popen(
        [*command, "--script", path, "--log", log],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield Service(process, process.stdout.readline().strip(), log)
        finally:
            process.kill()


type Services = Mapping[Speaker, Service]


@dataclass(frozen=True, slots=True)
class Incident:
    """A call, and what happens to its services while it is held."""

    call: Call = field(default_factory=lambda: Call(caller=CALLING))
    strikes: Callable[[Services], None] = lambda _: None

    def hold(self, folder: Path) -> Held:
        folder.mkdir()
        with ExitStack() as up:
            services = {
                one: up.enter_context(serving(folder, one, self.call.script)) for one in Speaker
            }
            striker = up.enter_context(ThreadPoolExecutor(1))
            struck = striker.submit(self.strikes, services)
            held = self.call.hold_with(services[CALLER].url, services[ASSISTANT].url, folder)
            struck.result()
        return held


def killing(side: Speaker) -> Callable[[Services], None]:
    def strike(services: Services) -> None:
        services[ASSISTANT].until_words()
        services[side].process.send_signal(signal.SIGKILL)

    return strike


def freezing(side: Speaker) -> Callable[[Services], None]:
    def strike(services: Services) -> None:
        services[ASSISTANT].until_words()
        services[side].process.send_signal(signal.SIGSTOP)

    return strike


def hurried(**simulation: Any) -> dict[str, Any]:
    return {"cleanup_timeout_seconds": BUDGET_S, **simulation}


INCIDENTS = {
    "caller_killed": Incident(strikes=killing(CALLER)),
    "assistant_killed": Incident(strikes=killing(ASSISTANT)),
    "never_closed": Incident(
        Call(
            caller=CALLING,
            caller_mishaps=UNANSWERED,
            assistant_mishaps=UNANSWERED,
            session=PATIENT,
            simulation=hurried(),
        )
    ),
    "assistant_frozen": Incident(
        Call(caller=CALLING, session=PATIENT, simulation=hurried(max_duration_seconds=6)),
        freezing(ASSISTANT),
    ),
    "work_for_ever": Incident(
        Call(
            caller=(CALLING[0],),
            assistant=(
                {"say": "One moment.", "at": "heard1.ended+500"},
                {"delegate": "d1", "at": "heard1.ended+600", "reply": "Done."},
            ),
            assistant_mishaps={"tampering": [{"on": "response.completed", "leaves_ms": []}]},
            simulation=hurried(max_duration_seconds=5, work_grace_seconds=0.7),
        )
    ),
}


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Held]]]:
    folder = tmp_path_factory.mktemp("incidents")
    with ThreadPoolExecutor(3) as pool:
        yield {name: pool.submit(one.hold, folder / name) for name, one in INCIDENTS.items()}


@pytest.mark.parametrize(
    ("name", "stage", "says"),
    [
        pytest.param("caller_killed", "caller_simulation", "the caller's session: ", id="caller"),
        pytest.param(
            "assistant_killed", "response_collection", "the assistant's session: ", id="assistant"
        ),
    ],
)
def test_a_service_that_is_killed_leaves_what_was_heard_until_then(
    name: str, stage: str, says: str, held: dict[str, Future[Held]]
) -> None:
    call = held[name].result()
    error, cleanup = call.row["error"], call.evidence.cleanup
    other = ASSISTANT if name.startswith(CALLER.value) else CALLER

    assert call.row["status"] == "infrastructure_error"
    assert (error["stage"], error["message"][: len(says)]) == (stage, says)
    assert call.evidence.caller.voiced
    assert {"conversation_audio", "events", "caller_events"} < set(call.row["artifacts"])
    assert cleanup is not None
    assert (cleanup.finalized, cleanup.timed_out) == ((other,), ())


def test_services_that_never_close_take_the_budget_and_no_verdict(
    held: dict[str, Future[Held]],
) -> None:
    call = held["never_closed"].result()
    cleanup = call.evidence.cleanup

    assert (call.row["status"], call.row["error"]) == ("passed", None)
    assert cleanup is not None
    assert (cleanup.finalized, cleanup.unfinished) == ((), ())
    assert cleanup.timed_out == (Component.CALLER_CLOSE, Component.ASSISTANT_CLOSE)
    assert BUDGET_S * 0.8 <= cleanup.elapsed_us / 1e6 < BUDGET_S + TOLERANCE_S
    assert call.row["warnings"] == [
        f"the {party}'s session gave no final usage; its consumption is unknown"
        for party in ("caller", "assistant")
    ]


def test_a_service_that_is_frozen_is_named_and_left(held: dict[str, Future[Held]]) -> None:
    call = held["assistant_frozen"].result()
    cleanup = call.evidence.cleanup

    assert call.evidence.ending == "duration_limit"
    assert cleanup is not None
    assert cleanup.finalized == (CALLER,)
    assert cleanup.timed_out == cleanup.unfinished == (Component.ASSISTANT_CLOSE,)
    assert BUDGET_S <= cleanup.elapsed_us / 1e6 < BUDGET_S + TOLERANCE_S


def test_work_that_never_ends_has_its_grace_and_extends_nothing(
    held: dict[str, Future[Held]],
) -> None:
    call = held["work_for_ever"].result()
    settlement = call.evidence.settlement

    assert settlement is not None
    assert (settlement.status, settlement.pending) == (SettlementStatus.TIMED_OUT, (ASSISTANT,))
    assert call.evidence.extent_ms == 5_000
    assert call.row["status"] == "failed"
    assert [one for one in call.row["warnings"] if "the assistant's work was still" in one]


@pytest.mark.parametrize("name", INCIDENTS)
def test_judging_again_gives_the_row_byte_for_byte(
    name: str, held: dict[str, Future[Held]]
) -> None:
    call = held[name].result()
    again = judge_again(decode_details(call.run.details("request")))
    assert result_json(again) == call.row


def test_an_interrupt_closes_both_sessions(tmp_path: Path) -> None:
    call = Call(caller=CALLING)
    with ExitStack() as up:
        services = {one: up.enter_context(serving(tmp_path, one, call.script)) for one in Speaker}
        arguments = call.arguments(services[CALLER].url, services[ASSISTANT].url, tmp_path)
        run = subprocess.Popen(
            [PROGRAMS / "run-eval", "--results-dir", tmp_path / "results", *arguments],
            env=bare_environment(tmp_path / "results") | LIVE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        services[ASSISTANT].until_words()
        run.send_signal(signal.SIGINT)
        status = run.wait(WITHIN_S)

        assert status == 130
        for service in services.values():
            assert service.has("received", "session.close")
            assert service.has("sent", "session.closed")
