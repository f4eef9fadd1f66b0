"""What is on record of how a conversation was put away."""

from __future__ import annotations

import pytest

from shared.observability.observations import Speaker
from shared.observability.shutdown import (
    Cleanup,
    CleanupError,
    CleanupStatus,
    Component,
    SettlementStatus,
    WorkSettlement,
)

CALLER, ASSISTANT = Speaker.CALLER, Speaker.ASSISTANT
BOTH = (CALLER, ASSISTANT)


def test_a_settlement_as_results_have_it() -> None:
    assert WorkSettlement().as_json() == {"status": "not_started", "pending_participants": []}
    late = WorkSettlement(SettlementStatus.TIMED_OUT, (ASSISTANT,))
    assert late.as_json() == {"status": "timed_out", "pending_participants": ["assistant"]}


def test_a_settlement_warns_of_work_that_was_left_and_of_nothing_else() -> None:
    assert list(WorkSettlement(SettlementStatus.COMPLETED).warnings()) == []
    assert list(WorkSettlement(SettlementStatus.TIMED_OUT, BOTH).warnings()) == [
        "the caller's work was still under way when its grace was over",
        "the assistant's work was still under way when its grace was over",
    ]


@pytest.mark.parametrize(
    ("cleanup", "status", "warnings"),
    [
        pytest.param(Cleanup(BOTH), CleanupStatus.COMPLETED, [], id="all-went-well"),
        pytest.param(
            Cleanup((CALLER,)),
            CleanupStatus.ERROR,
            [],
            id="a-provider-that-never-finalizes-is-its-sessions-to-tell",
        ),
        pytest.param(
            Cleanup(BOTH, errors=(CleanupError(Component.CALLER_CLOSE, "gone"),)),
            CleanupStatus.ERROR,
            ["caller_close: gone"],
            id="a-close-that-broke",
        ),
        pytest.param(
            Cleanup((CALLER,), (Component.ASSISTANT_CLOSE,), (Component.ASSISTANT_CLOSE,)),
            CleanupStatus.TIMED_OUT,
            [],
            id="and-so-is-that-its-close-is-stuck-for-that-reason",
        ),
        pytest.param(
            Cleanup(BOTH, (Component.ASSISTANT_CLOSE,), (Component.ASSISTANT_CLOSE,)),
            CleanupStatus.TIMED_OUT,
            ["assistant_close: did not end within the cleanup budget"],
            id="one-that-is-stuck-all-the-same-is-named-once",
        ),
        pytest.param(
            Cleanup(BOTH, unfinished=(Component.OBSERVER,)),
            CleanupStatus.TIMED_OUT,
            ["completion_observer: did not end within the cleanup budget"],
            id="an-observer-that-resists",
        ),
    ],
)
def test_putting_away(cleanup: Cleanup, status: CleanupStatus, warnings: list[str]) -> None:
    assert cleanup.status is status
    assert list(cleanup.warnings()) == warnings


def test_a_cleanup_as_results_have_it() -> None:
    cleanup = Cleanup(
        (CALLER,),
        (Component.ASSISTANT_CLOSE,),
        (),
        (CleanupError(Component.CALLER_CLOSE, "unexpected OSError"),),
        1_234_568,
    )

    assert cleanup.as_json() == {
        "status": "timed_out",
        "timed_out": ["assistant_close"],
        "unfinished_tasks": [],
        "errors": [{"component": "caller_close", "message": "unexpected OSError"}],
        "elapsed_seconds": 1.234568,
        "finalized_participants": ["caller"],
    }
