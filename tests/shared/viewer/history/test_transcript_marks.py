"""What a transcript notes of delegated work: moments, names, outcomes."""

from __future__ import annotations

import pytest

from shared.viewer.history.steps import Step, StepKind
from shared.viewer.history.transcript_marks import steps_in_text


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("320 DELEGATION to responses", Step(StepKind.DELEGATED, 320, name="responses")),
        ("DELEGATION 320ms: target=client", Step(StepKind.DELEGATED, 320, name="client")),
        (
            '340 TOOL book called with {"secret":1}',
            Step(StepKind.CALLED, 340, name="book", status="called"),
        ),
        (
            "380 TOOL book failed: secret",
            Step(StepKind.RETURNED, 380, name="book", status="failed"),
        ),
        (
            "TOOL 380ms: name=book status=completed result=secret",
            Step(StepKind.RETURNED, 380, name="book", status="completed"),
        ),
        (
            "TOOL 340ms: name=book status=called",
            Step(StepKind.CALLED, 340, name="book", status="called"),
        ),
    ],
)
def test_a_line_notes(line: str, step: Step) -> None:
    assert list(steps_in_text(f"before\n{line}\r\nafter")) == [step]


@pytest.mark.parametrize(
    "line",
    [
        "USER 1..2ms: TOOL 3ms: name=book status=called",
        "1..2 CALLER: 320 DELEGATION to responses",
        "BACKEND 390ms: target=responses status=completed result=secret",
        "TOOL ms: name=book status=called",
        "TOOL 99999999999ms: name=book status=called",
        "DELEGATION 320ms: target=",
    ],
)
def test_no_mark_is(line: str) -> None:
    assert list(steps_in_text(line)) == []
