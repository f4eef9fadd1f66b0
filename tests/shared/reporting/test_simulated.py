"""What a row says of a simulated caller beside the verdict, which does not move for it."""

from __future__ import annotations

from typing import Any

import pytest

from shared.observability.evidence import CallerAction as Action
from shared.observability.evidence import Cue, Decision, DecisionStatus, Evidence, LabelSource
from shared.observability.observations import DelegationBegan
from shared.reporting.schema import AttemptResult, CallerFidelityReport
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
    }


def test_what_nobody_can_tell_is_null() -> None:
    found = the_row(a_call("Thanks."), simulation_parameters__agenda=SPEAKING).caller_fidelity
    assert found == CallerFidelityReport(never_spoke=False, interruptions_at_ms=[2_000])


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
