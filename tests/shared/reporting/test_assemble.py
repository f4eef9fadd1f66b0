"""From an assessment to a row: rounding once, absence with its reason, and nothing invented."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from shared.attempts.assess import assess
from shared.audio.pacing import PacingBound
from shared.grading.policy import EvaluationPolicy
from shared.grading.verdict import Check, CheckStatus
from shared.intervals import IntervalSet
from shared.observability.evidence import (
    CallerAction,
    Ending,
    Evidence,
    Leg,
    Pacing,
    PlayoutRecord,
    Transport,
)
from shared.observability.observations import (
    AudioReceived,
    Caption,
    ResponseEnded,
    ResponseStatus,
    SessionClosed,
    Speaker,
    TokenUsage,
)
from shared.reporting.assemble import (
    LONGEST_REASON,
    NOT_OBSERVED,
    STATE_FROM_BEFORE,
    attempt_result,
    summarize,
)
from shared.reporting.carried import NO_RELAY, NOT_HELD
from shared.reporting.schema import AttemptResult
from tests.support.builders import a_second_opinion, an_utterance, at, spans
from tests.support.judged import (
    a_delegation,
    a_policy,
    a_row,
    a_scenario,
    a_stored_attempt,
    a_tool_use,
    an_attempt,
)

ANSWER = spans((1_400, 2_000))
SPEAK = CallerAction.SPEAK


def three_requests(assistant: IntervalSet) -> Evidence:
    times = [(0, 1_000), (6_000, 7_000), (12_000, 13_000)]
    return an_attempt(
        caller=spans(*times),
        utterances=[an_utterance(start, end, SPEAK) for start, end in times],
        assistant=assistant,
    )


def test_rates_are_rounded_to_four_decimals_and_means_to_three() -> None:
    row = a_row(three_requests(spans((1_400, 1_500), (7_401, 7_500))))
    audio = row.metrics.audio

    assert audio.response_rate == 0.6667
    assert audio.response_latency_ms == 400.5

    third = a_row(three_requests(spans((1_400, 1_500), (7_400, 7_500), (13_401, 13_500))))
    assert third.metrics.audio.response_latency_ms == 400.333


def test_counts_stand_beside_their_rate() -> None:
    opportunities = a_row(
        three_requests(spans((1_400, 1_500)))
    ).metrics.audio.response_opportunities

    assert opportunities is not None
    assert opportunities.model_dump() == {
        "caller_turn_count": 3,
        "response_eligible_count": 3,
        "response_censored_count": 0,
        "response_excluded_count": 0,
        "response_late_count": 0,
        "response_total": 3,
        "response_count": 1,
        "no_response_count": 2,
    }


def nulls(value: Any, path: str = "") -> Iterator[str]:
    if value is None:
        yield path
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from nulls(inner, f"{path}.{key}" if path else key)


UNOBSERVED = an_attempt(extent_ms=0, failure=None)


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param(UNOBSERVED, id="that-never-began"),
        pytest.param(an_attempt(assistant=ANSWER), id="that-was-answered"),
        pytest.param(an_attempt(), id="that-was-not-answered"),
        pytest.param(an_attempt(caller=IntervalSet(), assistant=ANSWER), id="nobody-asked-in"),
        pytest.param(
            an_attempt(
                utterances=[an_utterance(0, 1_000, CallerAction.BACKCHANNEL)], assistant=ANSWER
            ),
            id="without-an-eligible-request",
        ),
    ],
)
def test_every_null_of_an_attempt_has_its_reason(evidence: Evidence) -> None:
    metrics = json.loads(a_row(evidence).metrics.model_dump_json())
    # Spreads keep their count beside them, and that is reason enough.
    metrics["audio"].pop("extended")
    unavailable = metrics.pop("unavailable")

    unexplained = [
        path
        for path in nulls(metrics)
        if not any(path == known or path.startswith(f"{known}.") for known in unavailable)
    ]
    assert unexplained == []
    assert all(unavailable.values())


def test_an_attempt_that_never_began_has_no_figures_at_all() -> None:
    row = a_row(UNOBSERVED)
    task, audio = row.metrics.task, row.metrics.audio

    assert (task.tool_calls, task.delegations, task.turns, task.tool_accuracy) == (None,) * 4
    assert (audio.response_rate, audio.speaking_duration_ms, audio.interruption_count) == (
        None,
    ) * 3
    assert row.metrics.unavailable["audio"] == NOT_OBSERVED
    assert (row.assessment, row.observability) == (None, None)
    assert row.status == "infrastructure_error"


def test_a_broken_attempt_keeps_its_checks_and_says_where_it_broke() -> None:
    row = a_row(an_attempt(assistant=ANSWER, failure=an_evidence_failure("the line broke")))

    assert row.status == "infrastructure_error"
    assert row.error is not None
    assert (row.error.stage, row.error.message) == ("response_collection", "the line broke")
    assert row.assessment is not None
    assert row.assessment.checks
    assert not row.assessment.passed
    assert row.assessment.rationale == "not a measurement: the line broke"
    assert row.observability is not None
    assert row.observability["completion"]["termination_reason"] == "infrastructure_error"  # type: ignore[index]


BOOKED = {"reservation_created": True}
UNCHANGED = {"unchanged": True}


@pytest.mark.parametrize(
    ("expected", "given", "begun", "is_doubted"),
    [
        pytest.param(BOOKED, {}, BOOKED, True, id="an-earlier-call-left-what-this-one-should-do"),
        pytest.param(BOOKED, {}, {**BOOKED, "more": 1}, True, id="and-more"),
        pytest.param(BOOKED, {}, {}, False, id="nothing-was-there"),
        pytest.param(BOOKED, {}, {"reservation_created": False}, False, id="something-else-was"),
        pytest.param(BOOKED, BOOKED, BOOKED, False, id="the-scenario-begins-with-it"),
        pytest.param(UNCHANGED, {}, BOOKED, False, id="it-is-to-stay-as-it-was"),
        pytest.param(UNCHANGED, {}, UNCHANGED, False, id="whatever-it-was"),
        pytest.param({}, {}, BOOKED, False, id="nothing-is-expected"),
    ],
)
def test_a_state_that_was_there_before_proves_nothing(
    expected: dict[str, Any], given: dict[str, Any], begun: dict[str, Any], *, is_doubted: bool
) -> None:
    scenario = a_scenario(expected__state=expected, application__initial_state=given)
    row = a_row(an_attempt(state_before=begun, state_after=begun), scenario)
    assert (STATE_FROM_BEFORE in row.warnings) is is_doubted


@pytest.mark.parametrize(
    ("length", "is_whole"),
    [
        pytest.param(LONGEST_REASON, True, id="the-longest"),
        pytest.param(LONGEST_REASON + 1, False, id="one-longer"),
        pytest.param(2_000_000, False, id="two-million"),
    ],
)
def test_a_message_is_cut_in_the_row_and_whole_in_the_evidence(length: int, is_whole: bool) -> None:
    row = a_row(an_attempt(assistant=ANSWER, failure=an_evidence_failure("x" * length)))
    assert row.error is not None
    assert row.assessment is not None

    assert (row.error.message == "x" * length) is is_whole
    assert len(row.error.message) < LONGEST_REASON + 50
    assert len(row.assessment.rationale) < LONGEST_REASON + 100


def test_a_reason_is_cut_too() -> None:
    row = a_row(
        an_attempt(observations=a_tool_use("x" * 9_000)),
        a_scenario(expected__tools__required=[{"name": "book"}]),
    )
    assert row.assessment is not None
    (reason,) = [one.reason for one in row.assessment.checks if one.id == "tool_contract"]

    assert reason.endswith("characters left out]")
    assert len(reason) < LONGEST_REASON + 50


def an_evidence_failure(message: str) -> Any:
    from tests.support.builders import an_evidence

    return an_evidence(failure=message).failure


@pytest.mark.parametrize(
    ("ending", "assistant", "reason"),
    [
        pytest.param(Ending.ANSWER_SETTLED, ANSWER, "response_completed", id="settled"),
        pytest.param(Ending.RESPONSE_TIMEOUT, ANSWER, "response_timeout", id="cut-short"),
        pytest.param(Ending.RESPONSE_TIMEOUT, IntervalSet(), "response_timeout", id="silent"),
    ],
)
def test_an_attempt_terminated_because_it(
    ending: Ending, assistant: IntervalSet, reason: str
) -> None:
    observability = a_row(an_attempt(ending=ending, assistant=assistant)).observability

    assert observability is not None
    assert observability["completion"]["termination_reason"] == reason  # type: ignore[index]


def test_a_failed_attempt_says_what_failed() -> None:
    row = a_row(an_attempt())

    assert row.status == "failed"
    assert row.error is None
    assert row.assessment is not None
    assert row.assessment.rationale == "the assistant was not heard after the request"
    assert not row.metrics.task.task_completed


def test_a_check_that_does_not_apply_is_not_required() -> None:
    assessment = a_row(an_attempt(assistant=ANSWER)).assessment
    assert assessment is not None

    assert {check.required for check in assessment.checks if check.status == "passed"} == {True}
    assert {check.required for check in assessment.checks if check.status == "not_applicable"} == {
        False
    }


TOOLS = {"expected__tools__required": [{"name": "one"}, {"name": "two"}]}


@pytest.mark.parametrize(
    ("observations", "accuracy", "actual"),
    [
        pytest.param([*a_tool_use("one"), *a_tool_use("two", call_id="c2")], 1.0, 2, id="all"),
        pytest.param([*a_tool_use("one")], 0.5, 1, id="one-of-two"),
        pytest.param([], 0.0, 0, id="none"),
        pytest.param(
            [
                *a_tool_use("one"),
                *a_tool_use("two", call_id="c2"),
                *a_tool_use("one", call_id="c3"),
            ],
            0.6667,
            3,
            id="one-too-many",
        ),
        pytest.param([*a_tool_use("one", is_completed=False)], 0.0, 1, id="one-that-failed"),
    ],
)
def test_tool_accuracy(observations: list[Any], accuracy: float, actual: int) -> None:
    task = a_row(an_attempt(observations=observations), a_scenario(**TOOLS)).metrics.task

    assert task.tool_accuracy == accuracy
    assert task.tool_calls is not None
    assert (task.tool_calls.actual, task.tool_calls.expected) == (actual, 2)


def test_a_prohibited_call_makes_tool_accuracy_nought() -> None:
    scenario = a_scenario(
        expected__tools={"required": [{"name": "one"}], "prohibited": [{"name": "two"}]}
    )
    observations = [*a_tool_use("one"), *a_tool_use("two", call_id="c2", is_completed=False)]

    assert a_row(an_attempt(observations=observations), scenario).metrics.task.tool_accuracy == 0.0


@pytest.mark.parametrize(
    ("policy", "count", "accuracy", "expected"),
    [
        ("required", 1, 1.0, 1),
        ("required", 0, 0.0, 1),
        ("forbidden", 0, 1.0, 0),
        ("forbidden", 1, 0.0, 0),
        ("optional", 1, 1.0, 0),
    ],
)
def test_delegations(policy: str, count: int, accuracy: float, expected: int) -> None:
    evidence = an_attempt(observations=[a_delegation()] * count)
    task = a_row(evidence, a_scenario(expected__delegation=policy)).metrics.task

    assert task.delegation_accuracy == accuracy
    assert task.delegations is not None
    assert (task.delegations.actual, task.delegations.expected) == (count, expected)


def test_turns_are_counted_against_the_golden_path() -> None:
    turns = a_row(
        an_attempt(assistant=ANSWER), a_scenario(expected__golden_path={"turns": 2})
    ).metrics.task.turns

    assert turns is not None
    assert (turns.actual, turns.expected) == (2, 2)


def ended(response_id: str, model: str, **usage: int) -> ResponseEnded:
    return ResponseEnded(
        at(1_500), response_id, "d1", ResponseStatus.COMPLETED, model, TokenUsage(**usage)
    )


def test_consumption_holds_what_was_given_and_models_only_when_there_were_several() -> None:
    one = ended("r1", "a", input_tokens=48, output_tokens=24, total_tokens=72)
    two = ended("r2", "b", total_tokens=8)
    closed = SessionClosed(at(5_000), "requested", 16.8)

    def consumed(*observations: Any) -> Any:
        row = a_row(an_attempt(observations=observations))
        return json.loads(row.metrics.consumption.model_dump_json())

    assert consumed(one, closed) == {
        "frontend": {"audio_duration_ms": 16_800},
        "backend": {
            "total_tokens": 72,
            "input": {"total_tokens": 48},
            "output": {"total_tokens": 24},
        },
    }
    assert set(consumed(one, two)["backend"]["models"]) == {"a", "b"}
    assert consumed() == {"frontend": {}, "backend": {}}


def test_unknown_consumption_has_its_reason() -> None:
    assert "consumption.frontend" in a_row(an_attempt()).metrics.unavailable


def test_lateness_is_told_in_milliseconds() -> None:
    received = [
        AudioReceived(at(1_400), 0, 480, late_ms, is_stall=late_ms > 500)
        for late_ms in (1.5, 700.0)
    ]
    evidence = an_attempt(observations=received, pacing=Pacing(20, (1_500, 2_500)))
    extended = a_row(evidence).metrics.audio.extended

    assert extended is not None
    assert (extended.sender_lateness_ms.p50, extended.sender_lateness_ms.maximum) == (1.5, 2.5)
    assert (extended.receive_lateness_ms.maximum, extended.stall_count) == (700.0, 1)


def test_what_carried_a_conversation_is_told_in_milliseconds() -> None:
    leg = Leg(2, (40, 2_500), (0, 1_500), PlayoutRecord(200, 1, 0, 2_400, 12, 480, 4_801, 0))
    piece = AudioReceived(at(1_400), 1_400 * 24, 480, 0.0, is_stall=False, held_ms=199.5)
    evidence = an_attempt(assistant=ANSWER, observations=[piece], transport=Transport(leg, leg))
    extended = a_row(evidence).metrics.audio.extended

    assert extended is not None
    assert extended.playout_hold_ms is not None
    assert (extended.playout_hold_ms.count, extended.playout_hold_ms.p50) == (1, 199.5)
    assert extended.playout_holds_ms == [199.5]
    assert extended.observed_ms == 20_000
    assert extended.transport is not None
    assert extended.transport.frame_ms == 20
    sent = {"p50": 0.04, "p90": 2.5, "p99": 2.5, "maximum": 2.5}
    late = {"p50": 0.0, "p90": 1.5, "p99": 1.5, "maximum": 1.5}
    assert extended.transport.assistant_to_caller.model_dump() == {
        "frames": 2,
        "send_lateness_ms": {"count": 2, **late},
        "send_latency_ms": {"count": 2, **sent},
        "queue_delay_ms": {"count": 1, **dict.fromkeys(sent, 199.5)},
        "high_water_ms": 200.042,
        "underflow_ms": 100.0,
        "underflow_in_speech_ms": 0.5,
        "dropped_silence_ms": 20.0,
    }


def test_a_single_turn_has_no_transport_of_its_own_and_says_so() -> None:
    metrics = a_row(an_attempt(assistant=ANSWER)).metrics
    extended = metrics.audio.extended
    assert extended is not None
    assert (extended.playout_hold_ms, extended.playout_holds_ms) == (None, None)
    assert extended.transport is None
    assert metrics.unavailable["audio.extended.playout_hold_ms"] == NOT_HELD
    assert metrics.unavailable["audio.extended.playout_holds_ms"] == NOT_HELD
    assert metrics.unavailable["audio.extended.transport"] == NO_RELAY


def test_episodes_and_yields_stand_in_the_extended_block() -> None:
    evidence = three_requests(spans((5_500, 6_400), (12_100, 12_200), (12_600, 12_700)))
    extended = a_row(evidence).metrics.audio.extended

    assert extended is not None
    assert extended.version == "4"
    assert extended.interruption_episodes == 2
    assert (extended.talk_over_ms, extended.response_expecting_speech_ms) == (600, 3_000)
    assert extended.talk_over_share == 0.2
    assert extended.yields.model_dump() == {
        "yielded": 1,
        "not_yielded": 0,
        "censored": 0,
        "latency_ms": {"count": 1, "p50": 400, "p90": 400, "p99": 400, "maximum": 400},
    }
    assert extended.responses_with_closings.model_dump() == {
        "response_count": 1,
        "response_total": 3,
        "response_rate": 0.3333,
    }


def test_a_late_sender_is_no_measurement_of_the_assistant() -> None:
    evidence = an_attempt(pacing=Pacing(20, (61_000,)))
    row = a_row(evidence, policy=EvaluationPolicy(pacing=PacingBound(p99_ms=60, stall_ms=400)))

    assert (row.status, row.error and row.error.stage) == ("infrastructure_error", "audio_pacing")


def test_the_source_of_speech_is_named() -> None:
    speech = a_row(an_attempt(assistant=ANSWER)).metrics.audio.speech

    assert speech["caller"].detector == "energy"
    assert speech["caller"].measured_on == "clean_source"


def test_observability_sums_up_what_happened() -> None:
    observations = [a_delegation(), *a_tool_use("one", {"n": 1}), *a_tool_use("x", call_id="c2")]
    scenario = a_scenario(type="booking", expected__tools__required=[{"name": "one"}])
    observability: Any = a_row(an_attempt(observations=observations), scenario).observability

    assert observability["tools"]["executed"][0] == {
        "name": "one",
        "status": "completed",
        "arguments": {"n": 1},
        "call_id": "c1",
        "at_ms": 1_500,
    }
    assert observability["tools"]["expected_count"] == 1
    assert observability["tools"]["matched_count"] == 1
    assert observability["tools"]["unexpected_count"] == 1
    assert observability["interaction"]["mode"] == "single_turn"
    assert observability["scenario"] == {"id": "a_request", "type": "booking"}
    assert observability["grading"]["semantic_scores"] == {}
    assert "assistant_responded" in observability["completion"]["failed_checks"]


def test_warnings_are_passed_on() -> None:
    assert a_row(an_attempt(warnings=("no usage",))).warnings == ["no usage"]


def row_of(status: str) -> AttemptResult:
    return a_row().model_copy(update={"status": status})


def test_the_summary_counts_attempts() -> None:
    summary = summarize([row_of(s) for s in ("passed", "failed", "passed", "infrastructure_error")])

    assert summary.model_dump() == {
        "total": 4,
        "passed": 2,
        "failed": 1,
        "infrastructure_errors": 1,
    }


def test_a_policy_without_phrases_leaves_their_checks_out_of_the_verdict() -> None:
    assessment = a_row(an_attempt(assistant=ANSWER), policy=a_policy()).assessment
    assert assessment is not None
    status = {check.id: check.status for check in assessment.checks}

    assert status["grounded_confirmation"] == status["refusal_stated"] == "not_applicable"
    assert assessment.passed


def transcribed(heard: str | None, reference: str = "For two on July third") -> AttemptResult:
    captions = [] if heard is None else [Caption(at(1_000), Speaker.CALLER, heard, 0, 1_000)]
    attempt = an_attempt(assistant=ANSWER, observations=captions)
    return a_row(attempt, a_scenario(input__text=reference))


def test_what_a_second_detector_found_stands_under_the_same_keys() -> None:
    second = a_second_opinion(spans((0, 900)), spans((8_000, 9_000)))
    audio = a_row(an_attempt(assistant=spans((1_400, 2_000)), second_opinion=second)).metrics.audio
    assert audio.extended is not None
    found = audio.extended.sensitivity
    assert found is not None
    assert set(type(found).model_fields) - {"flips"} == set(type(audio).model_fields) - {"extended"}
    assert (audio.response_rate, found.response_rate) == (1.0, 0.0)
    assert (audio.response_latencies_ms, found.response_latencies_ms) == ([400], [])
    assert found.late_response_latencies_ms == [7_100]
    assert found.speech["caller"].model_dump() == {
        "detector": "hybrid",
        "detector_version": "2",
        "measured_on": "received",
    }
    assert found.flips.model_dump() == {
        "responses": [
            {
                "utterance": 0,
                "request_end_ms": 1_000,
                "status": "answered",
                "second_status": "missed",
            }
        ],
        "checks": [],
    }


def test_measured_once_there_is_no_second_figure() -> None:
    extended = a_row(an_attempt(assistant=spans((1_400, 2_000)))).metrics.audio.extended
    assert extended is not None
    assert extended.sensitivity is None


def test_what_was_recognized_stands_in_the_extended_block() -> None:
    extended = transcribed("For two on Julie third").metrics.audio.extended
    assert extended is not None
    assert extended.word_error is not None
    assert extended.word_error.model_dump() == {
        "hits": 4,
        "substitutions": 1,
        "deletions": 0,
        "insertions": 0,
        "reference_words": 5,
        "rate": 0.2,
        "normaliser": "words-v1",
        "normaliser_version": "1",
    }
    assert extended.entities is not None
    assert [one.model_dump() for one in extended.entities] == [
        {"kind": "number", "expected": "two", "heard": True},
        {"kind": "date", "expected": "July third", "heard": False},
    ]


def test_a_word_error_rate_has_four_decimals() -> None:
    extended = transcribed("b x d", "b c d").metrics.audio.extended
    assert extended is not None
    assert extended.word_error is not None
    assert extended.word_error.rate == 0.3333


def test_without_captions_word_error_and_entities_are_unknown() -> None:
    metrics = transcribed(None).metrics
    assert metrics.audio.extended is not None
    assert metrics.audio.extended.word_error is None
    assert metrics.audio.extended.entities is None
    reason = "the service gave no captions"
    assert metrics.unavailable["audio.extended.word_error"] == reason
    assert metrics.unavailable["audio.extended.entities"] == reason


def test_a_long_entity_is_cut() -> None:
    number = " ".join(["one"] * 30)
    extended = transcribed("two", number).metrics.audio.extended
    assert extended is not None
    assert extended.entities is not None
    assert extended.entities[0].expected == f"{number[:100]} [19 characters left out]"


def test_every_timely_latency_is_told() -> None:
    row = a_row(three_requests(spans((1_400, 1_500), (7_401, 7_500), (19_000, 19_100))))
    assert row.metrics.audio.response_latencies_ms == [400, 401]


def test_what_is_only_diagnostic_stands_among_the_checks_and_is_not_required() -> None:
    stored = a_stored_attempt()
    assessment = assess(stored.evidence, stored.scenario, stored.policy)
    diagnostic = Check("told_only", CheckStatus.FAILED, "another order")
    row = attempt_result(
        stored.evidence,
        stored.scenario,
        stored.policy,
        replace(assessment, diagnostics=(diagnostic,)),
        attempt=stored.attempt,
        artifacts={},
        audio_source="any",
    )
    assert row.assessment is not None
    last = row.assessment.checks[-1]
    assert (last.id, last.status, last.required) == ("told_only", "failed", False)
    assert "another order" not in row.assessment.rationale
    assert row.status == a_row().status
