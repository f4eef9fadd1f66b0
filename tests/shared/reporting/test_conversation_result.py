"""``conversation.result.json``: the same names whatever happened, and nothing that is elsewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.attempts.assess import assess
from shared.grading.judge import Judgments
from shared.grading.policy import EvaluationPolicy
from shared.json_text import json_text
from shared.observability.evidence import Ending, Evidence
from shared.observability.observations import (
    BackendText,
    Observation,
    ResponseEnded,
    ResponseStatus,
    ToolStatus,
)
from shared.reporting.conversation_result import UNOBSERVED, agent_events, conversation_result
from shared.reporting.schema import AttemptReport
from tests.support.builders import a_caption, an_evidence, at, spans
from tests.support.judged import (
    Exchange,
    a_call,
    a_conversation,
    a_delegation,
    a_return,
    an_attempt,
)
from tests.support.judges import judgments

ALL_KEYS = {
    "schema_version",
    "scenario_id",
    "attempt",
    "interaction_mode",
    "caller_mode",
    "caller_model",
    "audio_source",
    "audio_condition",
    "task_status",
    "termination_reason",
    "rubric_metrics",
    "usage",
    "artifacts",
    "run_metadata",
    *UNOBSERVED,
}
TALK = Exchange.of("C: a table", "A: for when", "C: noon", a_call(), "A: booked").evidence
NEVER_BEGAN = an_evidence(failure="refused", extent_ms=0)


def result_of(
    evidence: Evidence = TALK,
    judged: Judgments | None = None,
    script: str | None = "sound",
    audio_source: str = "dual_gpt_live",
    tick_ms: int | None = None,
    **edits: Any,
) -> dict[str, Any]:
    scenario, policy = a_conversation(**edits), EvaluationPolicy()
    content = conversation_result(
        evidence,
        scenario,
        policy,
        assess(evidence, scenario, policy, judged),
        attempt=AttemptReport(key="a_conversation", repeat=1, script=script),
        audio_source=audio_source,
        artifacts={"evidence": "transcripts/a_conversation.json"},
        tick_ms=tick_ms,
    )
    read: dict[str, Any] = json.loads(json_text(content))
    return read


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param(TALK, id="a-conversation"),
        pytest.param(NEVER_BEGAN, id="one-that-never-began"),
        pytest.param(an_attempt(caller=spans(), utterances=()), id="two-that-are-silent"),
    ],
)
def test_its_names_are_always_the_same(evidence: Evidence) -> None:
    assert set(result_of(evidence)) == ALL_KEYS


def test_of_what_was_never_observed_nothing_is_known_and_nothing_is_zero() -> None:
    told = result_of(NEVER_BEGAN)
    assert {told[name] for name in UNOBSERVED} == {None}
    assert (told["task_status"], told["termination_reason"]) == ("error", "response_collection")


def test_of_silence_everything_is_known() -> None:
    told = result_of(an_attempt(caller=spans(), utterances=()))
    assert (told["user_turns"], told["overlap_ms"], told["turn_metrics"]) == (0, 0, [])


@pytest.mark.parametrize(
    ("evidence", "edits", "status", "ended"),
    [
        pytest.param(TALK, {}, "passed", "response_completed", id="passed"),
        pytest.param(
            TALK,
            {"expected__state": {"booked": True}},
            "incomplete",
            "response_completed",
            id="over-without-what-was-to-be-done",
        ),
        pytest.param(
            an_attempt(assistant=spans((2_000, 3_000)), ending=Ending.DURATION_LIMIT),
            {},
            "incomplete",
            "duration_limit",
            id="cut-by-the-clock",
        ),
    ],
)
def test_it_says_how_the_task_and_the_conversation_ended(
    evidence: Evidence, edits: Any, status: str, ended: str
) -> None:
    told = result_of(evidence, **edits)
    assert (told["task_status"], told["termination_reason"]) == (status, ended)
    assert told["task_metrics"]["task_completed"] is (status == "passed")
    assert told["task_metrics"]["conversation_completed"] is (ended == "response_completed")


def test_who_said_what_stands_in_order_with_the_caller_first_of_two_at_once() -> None:
    evidence = an_attempt(
        caller=spans((0, 1_000)),
        assistant=spans((0, 300), (1_500, 2_000)),
        observations=[a_caption(0, 300, "Hello."), a_caption(1_500, 2_000, "Booked.")],
    )
    assert result_of(evidence)["transcript"] == [
        {
            "role": "user",
            "start_ms": 0,
            "end_ms": 1_000,
            "text": "request",
            "overlap_ms": 300,
            "action": "OPENING",
            "action_source": "script",
        },
        {"role": "assistant", "start_ms": 0, "end_ms": 300, "text": "Hello.", "overlap_ms": 300},
        {
            "role": "assistant",
            "start_ms": 1_500,
            "end_ms": 2_000,
            "text": "Booked.",
            "overlap_ms": 0,
        },
    ]


@pytest.mark.parametrize(
    ("seen", "event"),
    [
        pytest.param(
            a_delegation(100),
            {
                "event_type": "session.delegation.created",
                "kind": "delegation",
                "name": "responses",
                "delegation_id": "d1",
            },
            id="work-handed-over",
        ),
        pytest.param(
            a_call(at_ms=100, arguments={"a": "SECRET"}),
            {
                "event_type": "tool.called",
                "kind": "tool",
                "name": "book",
                "call_id": "c1",
                "delegation_id": "d1",
            },
            id="a-call-without-its-arguments",
        ),
        pytest.param(
            a_return(at_ms=100, is_completed=False),
            {
                "event_type": f"tool.{ToolStatus.FAILED}",
                "kind": "tool",
                "name": "book",
                "call_id": "c1",
            },
            id="its-outcome-without-the-result",
        ),
        pytest.param(
            BackendText(at(100), "r1", None, "i1", "SECRET"),
            {
                "event_type": "response.output_item.done",
                "kind": "backend_result",
                "response_id": "r1",
            },
            id="a-backend's-text-without-the-text",
        ),
        pytest.param(
            ResponseEnded(at(100), "r1", None, ResponseStatus.FAILED, "m", None, "SECRET", "busy"),
            {
                "event_type": "response.failed",
                "kind": "backend_result",
                "response_id": "r1",
                "error": "busy",
            },
            id="a-failure-by-its-code",
        ),
    ],
)
def test_what_was_done_is_told_by_ids(seen: Observation, event: dict[str, str]) -> None:
    assert agent_events([seen]) == [{"timestamp_ms": 100, **event}]


def test_nothing_that_is_stored_elsewhere_is_stored_again() -> None:
    words = {"expected__answer": "THE ANSWER", "simulation_parameters__goal": "THE GOAL"}
    evidence = an_attempt(
        observations=[a_call(arguments={"said": "ARGUMENT"})],
        state_before={"before": "STATE"},
        state_after={"after": "STATE"},
        caller_observations=(a_caption(0, 900, "Hello."), a_caption(950, 960, "x", 30_000)),
    )
    text = json_text(result_of(evidence, **words))
    assert [one for one in ("THE ANSWER", "THE GOAL", "ARGUMENT", "STATE") if one in text] == []


def test_a_width_of_ticks_is_all_that_depends_on_it() -> None:
    narrow, wide = result_of(tick_ms=20), result_of(tick_ms=1_000)
    assert narrow["run_metadata"].pop("analysis_tick_ms") == 20
    assert wide["run_metadata"].pop("analysis_tick_ms") == 1_000
    assert narrow == wide


def test_only_a_far_end_that_is_scripted_is_a_fixture() -> None:
    assert result_of()["caller_mode"] == "offline_fixture"
    assert result_of(script=None)["caller_mode"] == "gpt-live"
    assert result_of(audio_source="scripted_caller")["caller_mode"] == "scripted_caller"


def test_scores_are_there_where_a_judge_was_asked() -> None:
    assert result_of()["rubric_metrics"] is None
    rubric = result_of(judged=judgments(task_understanding=0.75, context_fidelity=1))
    assert rubric["rubric_metrics"]["score"] == 0.875
    assert rubric["rubric_metrics"]["dimensions"] == {
        "task_understanding": 0.75,
        "context_fidelity": 1.0,
    }
