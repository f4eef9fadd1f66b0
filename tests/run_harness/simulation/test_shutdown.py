"""How a conversation is put away: one budget, and what goes wrong in it."""

from __future__ import annotations

import pytest

from run_harness.simulation.shutdown import (
    Budget,
    Cleanup,
    CleanupError,
    CleanupStatus,
    Component,
    Grace,
    SettlementStatus,
    WorkSettlement,
    primary_failure,
)
from shared.errors import Stage
from shared.observability.evidence import Failure
from shared.observability.observations import Speaker

CALLER, ASSISTANT = Speaker.CALLER, Speaker.ASSISTANT
BOTH = (CALLER, ASSISTANT)
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
    ("closed_us", "until_us"),
    [
        pytest.param(2 * S, 3 * S, id="for-a-second"),
        pytest.param(8_900_000, 9_900_000, id="for-a-second-within-the-budget"),
        pytest.param(9_500_000, 9_900_000, id="and-never-past-it"),
    ],
)
def test_after_the_closes_we_listen(closed_us: int, until_us: int) -> None:
    assert Budget(0, 10 * S).listens_until_us(closed_us) == until_us


def test_what_is_left_of_a_budget() -> None:
    budget = Budget(2 * S, 10 * S)

    assert [budget.left_us(now) for now in (2 * S, 11 * S, 12 * S, 13 * S)] == [10 * S, S, 0, 0]
    assert budget.elapsed_s(3_250_000) == 1.25


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


def test_a_settlement_as_results_have_it() -> None:
    assert WorkSettlement().as_json() == {"status": "not_started", "pending_participants": []}
    late = WorkSettlement(SettlementStatus.TIMED_OUT, (ASSISTANT,))
    assert late.as_json() == {"status": "timed_out", "pending_participants": ["assistant"]}


@pytest.mark.parametrize(
    ("cleanup", "status", "warnings"),
    [
        pytest.param(Cleanup(BOTH), CleanupStatus.COMPLETED, (), id="all-went-well"),
        pytest.param(
            Cleanup((CALLER,)),
            CleanupStatus.ERROR,
            ("the assistant's session told no final usage: unknown",),
            id="a-provider-that-never-finalizes",
        ),
        pytest.param(
            Cleanup(BOTH, errors=(CleanupError(Component.MONITOR, "gone"),)),
            CleanupStatus.ERROR,
            ("monitor: gone",),
            id="a-monitor-that-broke",
        ),
        pytest.param(
            Cleanup((CALLER,), (Component.ASSISTANT_CLOSE,), (Component.ASSISTANT_CLOSE,)),
            CleanupStatus.TIMED_OUT,
            (
                "assistant_close: did not end within the cleanup budget",
                "the assistant's session told no final usage: unknown",
            ),
            id="a-close-that-is-stuck-is-named-once",
        ),
        pytest.param(
            Cleanup(BOTH, unfinished=(Component.OBSERVER,)),
            CleanupStatus.TIMED_OUT,
            ("completion_observer: did not end within the cleanup budget",),
            id="an-observer-that-resists",
        ),
    ],
)
def test_putting_away(cleanup: Cleanup, status: CleanupStatus, warnings: tuple[str, ...]) -> None:
    assert cleanup.status is status
    assert cleanup.warnings() == warnings


def test_a_cleanup_as_results_have_it() -> None:
    cleanup = Cleanup(
        (CALLER,),
        (Component.ASSISTANT_CLOSE,),
        (),
        (CleanupError(Component.TRACE, "disk full"),),
        1.23456789,
    )

    assert cleanup.as_json() == {
        "status": "timed_out",
        "timed_out": ["assistant_close"],
        "unfinished_tasks": [],
        "errors": [{"component": "event_log", "message": "disk full"}],
        "elapsed_seconds": 1.234568,
        "finalized_participants": ["caller"],
    }


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
