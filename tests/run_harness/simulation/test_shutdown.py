"""How long putting a conversation away may take, and which failure is its own."""

from __future__ import annotations

import pytest

from run_harness.simulation.shutdown import Budget, Grace, primary_failure
from shared.errors import Stage
from shared.observability.evidence import Failure
from shared.observability.observations import Speaker
from shared.observability.shutdown import SettlementStatus, WorkSettlement

CALLER, ASSISTANT = Speaker.CALLER, Speaker.ASSISTANT
S = 1_000_000


@pytest.mark.parametrize(
    ("total_us", "cancels_us"),
    [
        pytest.param(10 * S, 9_900_000, id="a-tenth-of-a-second-is-kept"),
        pytest.param(500_000, 400_000, id="as-long-as-that-is-no-more-than-a-fifth"),
        pytest.param(499_999, 400_000, id="else-a-fifth"),
        pytest.param(5, 4, id="of-the-smallest-budget-too"),
    ],
)
def test_of_a_budget(total_us: int, cancels_us: int) -> None:
    budget = Budget(7 * S, total_us)

    assert budget.ends_us == 7 * S + total_us
    assert budget.cancels_us == 7 * S + cancels_us


@pytest.mark.parametrize("total_us", [0, -1])
def test_a_budget_lasts(total_us: int) -> None:
    with pytest.raises(ValueError, match="must last"):
        Budget(0, total_us)


@pytest.mark.parametrize(
    ("now_us", "pending", "is_broken", "settlement"),
    [
        pytest.param(
            0, [], False, WorkSettlement(SettlementStatus.COMPLETED), id="nothing-to-wait-for"
        ),
        pytest.param(4_999_999, [ASSISTANT], False, None, id="it-is-worth-waiting"),
        pytest.param(
            5 * S,
            [ASSISTANT, CALLER],
            False,
            WorkSettlement(SettlementStatus.TIMED_OUT, (ASSISTANT, CALLER)),
            id="not-any-longer",
        ),
        pytest.param(
            5 * S,
            [],
            False,
            WorkSettlement(SettlementStatus.COMPLETED),
            id="done-at-the-last-instant",
        ),
        pytest.param(
            0,
            [CALLER],
            True,
            WorkSettlement(SettlementStatus.ERROR, (CALLER,)),
            id="somebody-broke",
        ),
    ],
)
def test_pending_work(
    now_us: int, pending: list[Speaker], is_broken: bool, settlement: WorkSettlement | None
) -> None:
    grace = Grace(ended_us=0, grace_us=5 * S)

    assert grace.settlement(now_us, pending, is_broken=is_broken) == settlement
    assert grace.left_us(now_us) == 5 * S - now_us


def test_a_grace_that_is_over_has_nothing_left() -> None:
    assert Grace(0, 1).left_us(2) == 0


RAISED = Failure(Stage.CALLER_OPENING, "never heard")
CALLERS = Failure(Stage.RESPONSE_COLLECTION, "the caller's line broke")
ASSISTANTS = Failure(Stage.RESPONSE_COLLECTION, "the assistant's line broke")


@pytest.mark.parametrize(
    ("raised", "parties", "primary"),
    [
        pytest.param(RAISED, (CALLERS, ASSISTANTS), RAISED, id="what-was-raised-comes-first"),
        pytest.param(None, (CALLERS, ASSISTANTS), CALLERS, id="then-the-callers-own"),
        pytest.param(None, (None, ASSISTANTS), ASSISTANTS, id="then-the-assistants-own"),
        pytest.param(None, (None, None), None, id="or-none"),
    ],
)
def test_the_failure_of_a_conversation(
    raised: Failure | None, parties: tuple[Failure | None, ...], primary: Failure | None
) -> None:
    assert primary_failure(raised, parties) is primary
