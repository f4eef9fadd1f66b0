"""One sealed attempt judged: validity first, every check once, and nothing but a pure function."""

from __future__ import annotations

import pytest

from shared.attempts.assess import SINGLE_TURN_CHECKS, assess
from shared.audio.pacing import PacingBound
from shared.errors import Stage
from shared.grading.policy import EvaluationPolicy
from shared.grading.verdict import Status
from shared.intervals import Interval
from shared.observability.evidence import (
    CallerAction,
    Decision,
    DecisionStatus,
    Evidence,
    Failure,
    Objective,
    Pacing,
)
from shared.observability.observations import CommandRejected, ResponseEnded, ResponseStatus
from tests.support.builders import a_caption, an_evidence, at, spans
from tests.support.judged import Exchange, a_conversation, a_policy, a_scenario, an_attempt

ANSWER = spans((1_400, 2_000))
POLICY = EvaluationPolicy(pacing=PacingBound(p99_ms=60, stall_ms=400))
JUDGED = "task_understanding"
CHECK_IDS = [check.__name__ for check in SINGLE_TURN_CHECKS]


def failure_of(evidence: Evidence) -> Failure | None:
    return assess(evidence, a_scenario(), POLICY).verdict.failure


def late(*lateness_ms: float) -> Evidence:
    return an_attempt(
        assistant=ANSWER, pacing=Pacing(20, tuple(round(ms * 1_000) for ms in lateness_ms))
    )


def test_every_check_is_made_once_and_in_order() -> None:
    verdict = assess(an_attempt(assistant=ANSWER), a_scenario(), POLICY).verdict

    assert [check.id for check in verdict.checks] == [*CHECK_IDS, JUDGED]
    assert len(set(CHECK_IDS)) == len(CHECK_IDS)


def test_declared_limits_are_checks_behind_them() -> None:
    scenario = a_scenario(expected__interaction={"response_latency_max_ms": 399})
    verdict = assess(an_attempt(assistant=ANSWER), scenario, POLICY).verdict

    ids = [check.id for check in verdict.checks]
    assert ids == [*CHECK_IDS, "response_latency_max_ms", JUDGED]
    assert verdict.failed_checks == ("response_latency_max_ms",)
    assert verdict.status is Status.FAILED


@pytest.mark.parametrize(
    ("sounds", "action"),
    [
        pytest.param(["aha"], CallerAction.BACKCHANNEL, id="one-of-the-callers-own"),
        pytest.param(["mm-hm"], CallerAction.INTERRUPT, id="anybody-elses"),
    ],
)
def test_a_callers_sound_is_known_by_its_scenario(sounds: list[str], action: CallerAction) -> None:
    evidence = an_attempt(
        caller=spans((0, 1_000), (3_000, 3_300)),
        assistant=spans((1_400, 8_000)),
        utterances=[],
        caller_observations=(a_caption(0, 900, "A room."), a_caption(3_000, 3_200, "Aha.")),
    )
    scenario = a_conversation(simulation_parameters__persona={"backchannels": sounds})
    observed = assess(evidence, scenario, POLICY).observed

    assert observed is not None
    assert [turn.action for turn in observed.timeline.caller_turns][1:] == [action]


def test_an_answer_passes() -> None:
    assert assess(an_attempt(assistant=ANSWER), a_scenario(), POLICY).verdict.status is (
        Status.PASSED
    )


def test_silence_fails() -> None:
    assert assess(an_attempt(), a_scenario(), POLICY).verdict.status is Status.FAILED


def refused(code: str | None) -> Evidence:
    """An answered attempt of which one backend response failed."""
    status = ResponseStatus.FAILED
    ended = ResponseEnded(at(1_500), "r1", "d1", status, None, None, f"{code}: Later.", code)
    return an_attempt(assistant=ANSWER, observations=[ended])


def rejected(code: str) -> Evidence:
    """An answered attempt of which one command was rejected."""
    observations = [CommandRejected(at(1_500), code, "Later.", None, None)]
    return an_attempt(assistant=ANSWER, observations=observations)


@pytest.mark.parametrize(
    ("evidence", "stage"),
    [
        pytest.param(an_attempt(assistant=ANSWER), None, id="that-was-observed-is-one"),
        pytest.param(
            an_evidence(failure="gone"), Stage.RESPONSE_COLLECTION, id="that-broke-is-none"
        ),
        pytest.param(
            an_evidence(failure="gone", extent_ms=0),
            Stage.RESPONSE_COLLECTION,
            id="that-broke-before-anything-was-observed-is-none",
        ),
        pytest.param(
            an_evidence(extent_ms=0),
            Stage.ATTEMPT_EXECUTION,
            id="of-which-nothing-was-observed-is-none",
        ),
        pytest.param(
            refused("rate_limit_exceeded"),
            Stage.RESPONSE_COLLECTION,
            id="over-a-rate-limit-is-none",
        ),
        pytest.param(
            refused("insufficient_quota"), Stage.RESPONSE_COLLECTION, id="over-a-quota-is-none"
        ),
        pytest.param(refused("server_error"), None, id="whose-backend-broke-is-one"),
        pytest.param(refused(None), None, id="whose-backend-broke-without-a-code-is-one"),
        pytest.param(
            rejected("rate_limit_exceeded"), Stage.RESPONSE_COLLECTION, id="rejected-for-it-is-none"
        ),
        pytest.param(rejected("invalid_value"), None, id="of-which-a-command-was-rejected-is-one"),
        pytest.param(late(), None, id="with-no-frame-sent-broke-no-bound"),
        pytest.param(late(*[60] * 100), None, id="late-exactly-at-the-bound-is-one"),
        pytest.param(late(*[60.001] * 100), Stage.AUDIO_PACING, id="late-beyond-the-bound-is-none"),
        pytest.param(late(*[0] * 99, 400), None, id="with-one-stall-at-the-bound-is-one"),
        pytest.param(late(*[0] * 99, 400.001), Stage.AUDIO_PACING, id="with-one-longer-is-none"),
        pytest.param(late(*[0] * 99, 61), None, id="with-one-late-frame-in-a-hundred-is-one"),
        pytest.param(late(*[0] * 98, 61, 61), Stage.AUDIO_PACING, id="with-two-is-none"),
    ],
)
def test_as_a_measurement_an_attempt(evidence: Evidence, stage: Stage | None) -> None:
    failure = failure_of(evidence)

    assert (failure and failure.stage) == stage


def test_a_broken_attempt_is_not_blamed_on_our_sender() -> None:
    broken = an_attempt(
        pacing=Pacing(20, (900_000,)), failure=Failure(Stage.RESPONSE_COLLECTION, "gone")
    )

    assert failure_of(broken) == Failure(Stage.RESPONSE_COLLECTION, "gone")


def test_a_limit_is_said_in_the_words_of_the_provider() -> None:
    failure = failure_of(refused("rate_limit_exceeded"))

    assert failure is not None
    assert failure.message == "the provider limited our rate: rate_limit_exceeded: Later."


def test_how_late_it_was_is_said_in_milliseconds() -> None:
    failure = failure_of(late(*[0] * 98, 61.5, 900))

    assert failure is not None
    assert failure.message.startswith(
        "caller audio left late: p99 61.5 ms (at most 60), worst 900 ms (at most 400);"
    )


def test_validity_comes_first_but_checks_are_made_all_the_same() -> None:
    verdict = assess(late(900), a_scenario(), POLICY).verdict

    assert verdict.status is Status.INFRASTRUCTURE_ERROR
    assert [check.id for check in verdict.checks] == [*CHECK_IDS, JUDGED]


def test_of_nothing_nothing_is_measured() -> None:
    assessment = assess(an_evidence(extent_ms=0), a_scenario(), POLICY)

    assert assessment.observed is None
    assert assessment.verdict.checks == ()


def test_the_same_attempt_is_judged_the_same() -> None:
    evidence = an_attempt(assistant=ANSWER)

    assert assess(evidence, a_scenario(), POLICY) == assess(evidence, a_scenario(), POLICY)


def test_a_conversation_has_procedure_agenda_and_diagnostics_beside_its_checks() -> None:
    step = {"id": "agrees", "kind": "authorization", "patterns": ["yes"], "objective": "say_name"}
    scenario = a_conversation(
        expected__procedure={"id": "p", "steps": [step]},
        expected__tools__required=[{"name": "other"}],
    )
    seen = Objective("say_name", is_expressed=True, span=Interval(1_000, 1_600))
    decision = Decision(2_000, 2_100, 1, DecisionStatus.ANSWERED, objectives=(seen,))
    exchange = Exchange.of("C: sure", "A: done", decisions=(decision,))
    assessment = assess(exchange.evidence, scenario, a_policy())
    observed = assessment.observed

    assert observed is not None
    assert observed.procedure is not None
    assert observed.procedure.passed
    assert observed.agenda is not None
    assert observed.agenda.completed == ("say_name",)
    assert [check.id for check in assessment.diagnostics] == ["tool_contract"]
    assert "tool_contract" not in {check.id for check in assessment.verdict.checks}
