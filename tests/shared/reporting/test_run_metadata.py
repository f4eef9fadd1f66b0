"""Circumstances of a conversation: what its evidence tells, and null for what it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shared.attempts.assess import assess
from shared.grading.policy import EvaluationPolicy
from shared.metrics.interaction import MetricPolicy
from shared.observability.evidence import (
    Condition,
    Decision,
    DecisionStatus,
    Evidence,
    Leg,
    PlayoutRecord,
    Termination,
    Transport,
)
from shared.observability.observations import (
    AudioReceived,
    DelegationBegan,
    Observation,
    ResponseEnded,
    ResponseStatus,
    SessionOpened,
    Speaker,
)
from shared.observability.shutdown import Cleanup, Component, SettlementStatus, WorkSettlement
from shared.reporting.run_metadata import run_metadata
from tests.support.builders import a_caption, an_evidence, at
from tests.support.judged import a_conversation, an_attempt

PLAYED = PlayoutRecord(
    hold_ms=200,
    chunks=7,
    held_samples=4_800,
    underflow_samples=480,
    underflow_in_speech_samples=0,
    dropped_samples=24,
    high_water_samples=7_200,
    unplayed_sound_samples=1,
)
LINE = Transport(
    caller=Leg(3, (1_500, 250), (0, 20_001, 7), PLAYED),
    assistant=Leg(0, (), (), PLAYED),
)


def metadata(evidence: Evidence, tick_ms: int | None = None, **policy: int) -> dict[str, Any]:
    scenario, by = a_conversation(), EvaluationPolicy(MetricPolicy(**policy))
    told = run_metadata(
        evidence,
        scenario,
        by,
        assess(evidence, scenario, by),
        audio_source="dual_gpt_live",
        tick_ms=tick_ms,
    )
    return dict(told)


@pytest.mark.parametrize(
    ("parts", "condition"),
    [
        pytest.param({}, None, id="without-a-line-nobody-knows"),
        pytest.param({"transport": LINE}, "clean", id="a-line-that-changed-nothing"),
        pytest.param(
            {"transport": LINE, "condition": Condition("noisy", {})}, "noisy", id="a-line-that-did"
        ),
    ],
)
def test_the_condition_is_that_of_the_line(parts: Any, condition: str | None) -> None:
    told = metadata(an_attempt(**parts))
    assert told["audio_condition"] == condition
    processed = told["audio_realism_processing_frame_ms"]
    assert processed == (20 if "condition" in parts else None)


def test_a_line_is_told_of_per_side() -> None:
    heard = tuple(AudioReceived(at(0), 0, 480, 0, False, held) for held in (3.5, None, 200.25))
    line = metadata(an_attempt(transport=LINE, caller_observations=heard))["relay_transport"]
    assert line["caller"] == {
        "frames_sent": 3,
        "max_send_ms": 1.5,
        "max_send_lateness_ms": 20.001,
        "playout_hold_ms": 200,
        "max_audio_queue_delay_ms": 200.25,
        "played_chunks": 7,
        "held_samples": 4_800,
        "underflow_samples": 480,
        "underflow_in_speech_samples": 0,
        "dropped_silence_samples": 24,
        "unplayed_sound_samples": 1,
        "max_buffered_audio_bytes": 14_400,
    }
    waits = ("max_send_ms", "max_send_lateness_ms", "max_audio_queue_delay_ms")
    assert [line["assistant"][name] for name in waits] == [None] * 3, "what was not sent took none"


def opened(model: str) -> Observation:
    return SessionOpened(at(0), "live_1", model)


def ended(model: str | None) -> Observation:
    return ResponseEnded(at(9), f"r_{model}", None, ResponseStatus.COMPLETED, model, None)


@pytest.mark.parametrize(
    ("seen", "voice", "backends"),
    [
        pytest.param([], None, [], id="none-said-so"),
        pytest.param([opened("")], None, [], id="a-blank-is-no-name"),
        pytest.param([opened("v"), ended("b")], "v", ["b"], id="one-each"),
        pytest.param(
            [opened("v"), ended("b"), ended(None), ended("a"), ended("b")],
            "v",
            ["a", "b"],
            id="several-backends-each-once",
        ),
    ],
)
def test_models_are_those_that_said_so(
    seen: list[Observation], voice: str | None, backends: list[str]
) -> None:
    told = metadata(an_attempt(observations=seen))
    assert (told["agent_model"], told["delegation_backend_models"]) == (voice, backends)
    told = metadata(an_attempt(caller_observations=tuple(seen)))
    assert (told["caller_frontend_model"], told["simulator_backend_models"]) == (voice, backends)


def test_of_the_caller_s_own_session_nothing_stands_there_but_counts_and_names() -> None:
    """What it said to itself, and whom it asked, are no work of the assistant."""
    private = (
        DelegationBegan(at(100), "d_private", "responses", "r_private"),
        ResponseEnded(
            at(200), "r_private", "d_private", ResponseStatus.COMPLETED, "m", None, "SECRET"
        ),
        a_caption(0, 900, "WORDS"),
    )
    told = metadata(an_attempt(caller_observations=private))
    assert told["delegation_lifecycle_events"] == []
    assert told["simulator_validity"]["status"] == "valid"
    assert [one for one in ("d_private", "r_private", "SECRET", "WORDS") if one in str(told)] == []


def test_without_a_caller_s_session_nobody_judged_it() -> None:
    assert metadata(an_attempt())["simulator_validity"] is None


def test_questions_to_the_observer_are_counted_by_what_became_of_them() -> None:
    decisions = tuple(
        Decision(1, None, 1, status)
        for status in (DecisionStatus.ANSWERED, DecisionStatus.STALE, DecisionStatus.ANSWERED)
    )
    assert metadata(an_attempt(decisions=decisions))["semantic_completion"] == {
        "enabled": True,
        "assessments": {"answered": 2, "stale": 1},
    }
    assert metadata(an_attempt())["semantic_completion"]["enabled"] is False


def test_policy_and_ticks_are_those_given() -> None:
    told = metadata(an_attempt(first_speaker=Speaker.ASSISTANT), 33, response_deadline_ms=1_234)
    assert (told["response_deadline_ms"], told["analysis_tick_ms"]) == (1_234, 33)
    assert told["first_speaker"] == "assistant"
    assert metadata(an_attempt())["analysis_tick_ms"] is None


def test_a_failure_is_told_with_its_stage_and_of_a_measurement_there_is_none() -> None:
    told = metadata(an_evidence(failure="refused", extent_ms=0))
    assert told["failure"] == {"stage": "response_collection", "message": "refused"}
    assert metadata(an_attempt())["failure"] is None


def test_who_labelled_the_turns_is_counted() -> None:
    assert metadata(an_attempt())["caller_action_sources"] == {"script": 1}
    silent = replace(an_attempt(), utterances=())
    assert metadata(silent)["caller_action_sources"] == {}


def test_how_it_was_put_away_is_told_where_it_is_known() -> None:
    older = metadata(an_evidence())
    assert (older["work_settlement"], older["cleanup"]) == (None, None)

    told = metadata(
        replace(
            an_evidence(),
            settlement=WorkSettlement(SettlementStatus.TIMED_OUT, (Speaker.ASSISTANT,)),
            cleanup=Cleanup((Speaker.CALLER,), (Component.ASSISTANT_CLOSE,), elapsed_us=9_900_000),
        )
    )
    assert told["work_settlement"] == {
        "status": "timed_out",
        "pending_participants": ["assistant"],
    }
    assert told["cleanup"] == {
        "status": "timed_out",
        "timed_out": ["assistant_close"],
        "unfinished_tasks": [],
        "errors": [],
        "elapsed_seconds": 9.9,
        "finalized_participants": ["caller"],
    }


def test_it_says_by_what_it_was_over_where_that_is_on_record() -> None:
    names = ("caller_completion_policy", "completion_signal")
    told = metadata(an_attempt(termination=Termination("an_observer", "it_said_so")))
    assert [told[name] for name in names] == ["an_observer", "it_said_so"]
    assert {metadata(an_attempt())[name] for name in names} == {None}
