"""What a row says of a simulated caller beside the verdict, which does not move for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shared.grading.fidelity import NOBODY_LOOKED, NONE_PLANNED, NOTHING_TO_COMPARE
from shared.observability.evidence import CallerAction as Action
from shared.observability.evidence import Cue, Decision, DecisionStatus, Evidence, LabelSource
from shared.observability.observations import (
    DelegationBegan,
    Observation,
    ResponseEnded,
    ResponseStatus,
    SessionClosed,
    TokenUsage,
)
from shared.reporting.schema import (
    AttemptResult,
    CallerFidelityReport,
    CallerUsage,
    ObserverUsage,
    SimulationUsage,
    TokenCounts,
)
from shared.reporting.simulated import (
    NO_FINAL_USAGE,
    NO_RESPONSE,
    NO_USAGE,
    NOT_ASKED,
    PARTIAL_USAGE,
)
from tests.support.builders import a_caption, at, spans
from tests.support.judged import a_conversation, a_row, an_attempt
from tests.support.scenario_documents import an_item

STRAY = "My number is 417323."
BREAKING_IN = [an_item(id=f"item_{n}", action="interrupt", facts=[]) for n in range(2)]

SPEAKING = [an_item(id=f"item_{n}", facts=[]) for n in range(2)]


def a_call(words: str = STRAY, **parts: Any) -> Evidence:
    """The caller speaks from 2000 to 3000 ms, over an assistant that began at 1500 ms."""
    return an_attempt(
        caller=spans((0, 1_000), (2_000, 3_000)),
        assistant=spans((1_500, 2_500)),
        utterances=(),
        **{
            "caller_observations": (
                a_caption(0, 1_000, "Hello."),
                a_caption(2_000, 3_000, words),
            ),
            **parts,
        },
    )


def the_row(evidence: Evidence, **edits: Any) -> AttemptResult:
    scenario = a_conversation(
        simulation_parameters__known_facts={"number": "417322"},
        **{"simulation_parameters__agenda": BREAKING_IN, **edits},
    )
    return a_row(evidence, scenario)


def answered(asked_ms: int, *, in_role: bool) -> Decision:
    return Decision(asked_ms, asked_ms + 1, 1, DecisionStatus.ANSWERED, is_caller_in_role=in_role)


def test_each_finding_has_its_moment() -> None:
    row = the_row(
        a_call(
            cues=(Cue(2_000, 3_000, Action.INTERRUPT, LabelSource.SCRIPT),),
            decisions=(answered(1_200, in_role=True), answered(3_200, in_role=False)),
        )
    )
    assert row.caller_fidelity is not None
    assert row.caller_fidelity.model_dump() == {
        "never_spoke": False,
        "drifted_into_assistant_role": True,
        "drifted_at_ms": [3_200],
        "contradicted_facts": [{"at_ms": 2_000, "said": "417323"}],
        "planned_interruptions": 2,
        "planned_interruptions_missed": 1,
        "interruptions_at_ms": [2_000],
        "unavailable": {},
    }


def test_what_nobody_can_tell_is_null_with_a_reason() -> None:
    found = the_row(a_call("Thanks."), simulation_parameters__agenda=SPEAKING).caller_fidelity
    assert found == CallerFidelityReport(
        never_spoke=False,
        interruptions_at_ms=[2_000],
        unavailable={
            "drifted_into_assistant_role": NOBODY_LOOKED,
            "drifted_at_ms": NOBODY_LOOKED,
            "contradicted_facts": NOTHING_TO_COMPARE,
            "planned_interruptions": NONE_PLANNED,
            "planned_interruptions_missed": NONE_PLANNED,
        },
    )


@pytest.mark.parametrize("agenda", [SPEAKING, BREAKING_IN], ids=["speaking", "breaking-in"])
@pytest.mark.parametrize("words", ["", "Thanks.", STRAY], ids=["silent", "vague", "stray"])
@pytest.mark.parametrize("in_role", [None, True, False], ids=["unwatched", "in-role", "drifted"])
def test_no_null_is_without_reason_and_no_reason_without_null(
    words: str, in_role: bool | None, agenda: list[dict[str, Any]]
) -> None:
    decisions = () if in_role is None else (answered(1_200, in_role=in_role),)
    found = the_row(
        a_call(words, decisions=decisions), simulation_parameters__agenda=agenda
    ).caller_fidelity
    assert found is not None
    told = found.model_dump()
    assert {key for key, value in told.items() if value is None} == set(found.unavailable)
    assert all(found.unavailable.values())


def test_a_caller_that_stayed_in_its_role_did_so_by_the_observer_s_word() -> None:
    found = the_row(a_call(decisions=(answered(1_200, in_role=True),))).caller_fidelity
    assert found is not None
    assert (found.drifted_into_assistant_role, found.drifted_at_ms) == (False, [])


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param(an_attempt(), id="a-caller-without-a-session"),
        pytest.param(a_call(extent_ms=0), id="a-conversation-that-never-began"),
    ],
)
def test_nothing_is_said_of(evidence: Evidence) -> None:
    assert the_row(evidence).caller_fidelity is None


def test_faithfulness_decides_nothing() -> None:
    true, stray = the_row(a_call("My number is 417322.")), the_row(a_call(STRAY))
    assert true.caller_fidelity != stray.caller_fidelity
    assert (true.status, true.assessment, true.metrics) == (
        stray.status,
        stray.assessment,
        stray.metrics,
    )


def test_an_unfit_caller_is_looked_at_all_the_same() -> None:
    handing_on = DelegationBegan(at(2_100), "d9", "client", None)
    row = the_row(a_call(caller_observations=(a_caption(2_000, 3_000, STRAY), handing_on)))
    assert row.validity is not None
    assert (row.status, row.validity["status"]) == ("infrastructure_error", "invalid")
    assert row.caller_fidelity is not None
    assert row.caller_fidelity.contradicted_facts


SPENT = TokenUsage(input_tokens=7, output_tokens=3, total_tokens=10)


def asked(usage: TokenUsage | None) -> Decision:
    return Decision(1, 2, 1, DecisionStatus.ANSWERED, usage=usage)


def of_caller(*seen: Observation) -> Evidence:
    return a_call(caller_observations=(a_caption(0, 1_000, "Hello."), *seen))


def test_what_a_caller_and_its_observer_cost_is_told_apart() -> None:
    done = ResponseEnded(at(900), "r1", "d1", ResponseStatus.COMPLETED, "small", SPENT)
    evidence = of_caller(done, SessionClosed(at(3_000), "close_requested", 3.5))
    row = the_row(replace(evidence, decisions=(asked(SPENT), asked(SPENT))))

    lacking = ("cached_input_tokens", "cache_write_tokens", "reasoning_tokens")
    untold = dict.fromkeys(lacking)
    ten = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10, **untold}
    twenty = {"input_tokens": 14, "output_tokens": 6, "total_tokens": 20, **untold}
    assert row.simulation_usage is not None
    assert row.simulation_usage.model_dump() == {
        "caller": {
            "source": "caller_gpt_live",
            "audio_duration_ms": 3_500,
            "backend": {"calls": 1, "calls_with_usage": 1, "tokens": ten},
        },
        "observer": {
            "source": "completion_observer",
            "calls": 2,
            "calls_with_usage": 2,
            "tokens": twenty,
        },
        "unavailable": {
            f"{path}.tokens.{name}": PARTIAL_USAGE
            for path in ("caller.backend", "observer")
            for name in lacking
        },
    }
    assert row.metrics.consumption.model_dump() == {"frontend": {}, "backend": {}}


def test_a_sum_says_how_many_of_the_questions_are_in_it() -> None:
    decisions = (asked(SPENT), asked(None), asked(SPENT))
    usage = the_row(replace(of_caller(), decisions=decisions)).simulation_usage
    assert usage is not None
    twice = TokenCounts(input_tokens=14, output_tokens=6, total_tokens=20)
    assert usage.observer == ObserverUsage(calls=3, calls_with_usage=2, tokens=twice)


def test_questions_that_told_nothing_have_no_sum() -> None:
    usage = the_row(replace(of_caller(), decisions=(asked(None),))).simulation_usage
    assert usage is not None
    assert usage.observer == ObserverUsage(calls=1, calls_with_usage=0, tokens=TokenCounts())
    assert usage.unavailable["observer.tokens"] == NO_USAGE


def test_a_caller_whose_session_told_nothing_cost_what_nobody_knows() -> None:
    usage = the_row(of_caller()).simulation_usage
    assert usage == SimulationUsage(
        caller=CallerUsage(),
        unavailable={
            "caller.audio_duration_ms": NO_FINAL_USAGE,
            "caller.backend": NO_RESPONSE,
            "observer": NOT_ASKED,
        },
    )


def test_a_caller_without_a_session_cost_no_simulation() -> None:
    assert the_row(an_attempt()).simulation_usage is None
