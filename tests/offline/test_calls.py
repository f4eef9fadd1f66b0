"""Whole calls over sockets: two services of sessions, and one of models that observe and judge.

Nothing is scripted on our side of the line. All are made side by side, as long as they take.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from shared.attempts.bench import judge_again
from shared.attempts.details import decode_details, result_json
from shared.grading.judge import prompt_hashes
from shared.observability.evidence import DecisionStatus
from tests.support.calls import ANSWER, REQUEST, RESOLVED, Call
from tests.support.canaries import Canary, Nest, found
from tests.support.conversations import Held
from tests.support.judges import GOOD
from tests.support.planted import a_noise, in_data, in_prose
from tests.support.services import Services

OBSERVING = {"when": "You watch a telephone conversation"}
JUDGING = {"when": "Judge [a-z_]+ of this record"}
CALLER = (
    {"say": REQUEST, "at": "start+300"},
    {"say": "Thank you. Bye.", "at": "heard1.ended+500"},
)
"""A caller who tells nobody but in words that it is through."""
CONTENT = ({**OBSERVING, "json": RESOLVED}, {**JUDGING, "json": GOOD})
BUSY = {"status": 429, "headers": {"retry-after": "0"}}
UNANSWERED = {"closing": {"is_answered": False}}
NEST = Nest(4)


def planted(nest: Nest) -> Call:
    """A call in which whoever may say something says a credential."""
    prose, data = in_prose(nest), in_data(nest)

    def said() -> str:
        return next(prose)().spelled

    def written() -> str:
        return next(data)().spelled

    def refusal(status: int) -> dict[str, Any]:
        error = {"message": f"{said()} {written()} ", "type": "t", "param": None, "code": said()}
        return {"status": status, "error": error}

    judged = {**GOOD, "rationale": f"It {said()}.", "evidence": [said(), f"x {written()} "]}
    return Call(
        caller=({**CALLER[0]}, a_noise(said, written), CALLER[1]),
        assistant=(a_noise(said, written), {"say": ANSWER, "at": "heard1.ended+600"}),
        models=[
            {**OBSERVING, "times": 1, **refusal(500)},
            {**OBSERVING, "json": {**RESOLVED, "reason": f"{said()}, {written()} "}},
            {"when": "Judge task_understanding", "json": judged},
            {**JUDGING, **refusal(401)},
        ],
        options=["--verbose"],
        environment=nest.environment(),
    )


CALLS: Mapping[str, Call] = {
    "sound": Call(caller=CALLER, models=CONTENT),
    "observer_late_once": Call(
        caller=CALLER,
        models=[{**OBSERVING, "times": 1, "stall_ms": 8_000, "json": RESOLVED}, *CONTENT],
        simulation={"completion_timeout_seconds": 1},
    ),
    "observer_dead": Call(
        caller=CALLER,
        models=[{**OBSERVING, "status": 500}, *CONTENT],
        simulation={"completion_retries": 1},
    ),
    "judge_dead": Call(caller=CALLER, models=[CONTENT[0], {**JUDGING, **BUSY}]),
    "never_finalized": Call(
        caller=CALLER,
        models=CONTENT,
        caller_mishaps=UNANSWERED,
        assistant_mishaps=UNANSWERED,
    ),
    "unfit_caller": Call(
        caller=(
            CALLER[0],
            {"delegate": "d1", "at": "heard1.ended+500", "reply": "Say bye."},
            {"say": "Thank you. Bye.", "at": "heard1.ended+9000"},
        ),
        caller_mishaps={
            "tampering": [
                {
                    "on": "session.delegation.created",
                    "change": {"delegation": {"target": "client"}},
                    "leaves_ms": [0, 0],
                }
            ]
        },
        models=CONTENT,
    ),
    "planted": planted(NEST),
}


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Held]]]:
    folder, services = tmp_path_factory.mktemp("calls"), Services()
    with ThreadPoolExecutor(len(CALLS)) as pool:
        yield {
            name: pool.submit(call.hold, services, folder / name) for name, call in CALLS.items()
        }
    services.stop()


@pytest.fixture
def sound(calls: dict[str, Future[Held]]) -> Held:
    return calls["sound"].result()


def statuses(held: Held) -> list[str]:
    return [one.status.value for one in held.evidence.decisions]


def deterministic(held: Held) -> dict[str, str]:
    found: dict[str, str] = held.row["observability"]["grading"]["deterministic"]
    return found


def test_a_call_ends_by_what_an_observer_saw(sound: Held) -> None:
    turns = sound.caller_turns

    assert (sound.row["status"], sound.row["error"]) == ("passed", None)
    assert sound.evidence.ending == "response_completed"
    assert statuses(sound)[-1] == "answered"
    assert [(one["action"], one["action_source"]) for one in turns] == [
        ("OPENING", "first_turn"),
        ("STOP", "observer"),
    ]
    assert sound.row["metrics"]["audio"]["response_rate"] == 1.0


def test_the_head_names_the_questions_a_judge_of_conversations_is_asked(sound: Held) -> None:
    judge = sound.run.report["run"]["configuration"]["semantic_judge"]

    assert judge["prompt_sha256"] == prompt_hashes(is_conversation=True)
    for name, one in sound.row["assessment"]["semantic"].items():
        assert one["evidence"]["prompt_sha256"] == judge["prompt_sha256"][name]


def test_an_observer_that_was_late_once_is_asked_again(calls: dict[str, Future[Held]]) -> None:
    held = calls["observer_late_once"].result()
    late, *_, last = held.evidence.decisions

    assert (late.status, last.status) == (DecisionStatus.FAILED, DecisionStatus.ANSWERED)
    assert "within 1 s" in late.reason
    assert (held.row["status"], held.evidence.ending) == ("passed", "response_completed")


def test_an_observer_that_dies_leaves_the_quiet_line(calls: dict[str, Future[Held]]) -> None:
    held = calls["observer_dead"].result()

    assert statuses(held) == ["failed"] * 2
    assert (held.row["status"], held.evidence.ending) == ("passed", "response_completed")
    assert [one for one in held.row["warnings"] if "observer was given up" in one]


def test_a_judge_that_dies_takes_nothing_along(calls: dict[str, Future[Held]], sound: Held) -> None:
    held = calls["judge_dead"].result()
    row = held.row

    assert (row["status"], row["error"]["stage"]) == ("infrastructure_error", "semantic_judge")
    assert row["metrics"]["task"]["semantic_quality"]["score"] is None
    assert {one["status"] for one in row["assessment"]["semantic"].values()} == {"unscored"}
    assert deterministic(held) == deterministic(sound)
    assert set(row["artifacts"]) == set(sound.row["artifacts"])
    assert all((held.run.folder / path).is_file() for path in row["artifacts"].values())


def test_services_that_never_finalize_leave_a_judged_call_of_unknown_consumption(
    calls: dict[str, Future[Held]],
) -> None:
    row = calls["never_finalized"].result().row

    assert row["status"] == "passed"
    assert row["metrics"]["task"]["semantic_quality"]["score"] == 0.75
    assert "audio_duration_ms" not in row["metrics"]["consumption"]["frontend"]
    assert [one for one in row["warnings"] if "no final usage" in one] == [
        f"the {party}'s session gave no final usage; its consumption is unknown"
        for party in ("caller", "assistant")
    ]


def test_an_unfit_caller_ends_the_call_early_and_nobody_judges_it(
    calls: dict[str, Future[Held]],
) -> None:
    held = calls["unfit_caller"].result()
    row = held.row

    assert (row["status"], row["error"]["stage"]) == ("infrastructure_error", "caller_simulation")
    assert held.evidence.ending == "caller_unfit"
    assert held.evidence.extent_ms < 9_000
    assert row["validity"]["unexpected_delegation_count"] == 1
    assert held.details["judgments"] is None
    assert all((held.run.folder / path).is_file() for path in row["artifacts"].values())
    assert {"input_audio", "output_audio", "events", "caller_events"} < set(row["artifacts"])


@pytest.mark.parametrize("name", CALLS)
def test_judging_again_gives_the_row_byte_for_byte(
    name: str, calls: dict[str, Future[Held]]
) -> None:
    held = calls[name].result()
    again = judge_again(decode_details(held.run.details("request")))

    assert result_json(again) == held.row


def test_no_credential_comes_out_of_a_call(calls: dict[str, Future[Held]]) -> None:
    """In the errors and the noise of both sessions, and in what observer and judge answer."""
    held = calls["planted"].result()
    said = {"stdout": held.run.stdout.encode(), "stderr": held.run.stderr.encode()}
    canaries: list[Canary] = NEST.all

    assert len(canaries) > 20
    assert found({**held.run.files(), **said}, canaries) == {}
    assert statuses(held)[0] == "failed"
    assert held.row["assessment"]["semantic"]["task_understanding"]["status"] == "passed"
    assert held.run.details("request").count(b"[redacted:") > len(canaries) / 2
