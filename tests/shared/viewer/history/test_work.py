"""When a delegation was at work, from lists that leave out much of it."""

from __future__ import annotations

import pytest

from shared.intervals import IntervalSet
from shared.viewer.history.steps import Step, StepKind
from shared.viewer.history.work import MOST_STEPS, spans, status
from tests.support import builders

K = StepKind
EXTENT_MS = 900


def delegated(at_ms: int | None, response: str | None = "r", target: str = "responses") -> Step:
    return Step(K.DELEGATED, at_ms, "a", response, name=target)


def began(at_ms: int, response: str = "r", previous: str | None = None) -> Step:
    return Step(K.RESPONSE_BEGAN, at_ms, "a", response, previous)


def ended(at_ms: int, response: str = "r", how: str = "completed") -> Step:
    return Step(K.RESPONSE_ENDED, at_ms, "a", response, status=how)


def called(at_ms: int, call: str = "c", response: str | None = "r") -> Step:
    return Step(K.CALLED, at_ms, "a", response, call_id=call, name="book")


def returned(at_ms: int, call: str = "c") -> Step:
    return Step(K.RETURNED, at_ms, "a", call_id=call, status="completed")


def application_ended(at_ms: int, how: str = "completed") -> Step:
    return Step(K.APPLICATION_ENDED, at_ms, "a", status=how)


ITEM = Step(K.ITEM, None, "a", "r", text="Done.", is_item=True)
CALL = [called(120), ended(130), returned(150)]


@pytest.mark.parametrize(
    ("owned", "work", "how"),
    [
        pytest.param([delegated(100)], [(100, 900)], "recorded", id="handed-on-and-no-more"),
        pytest.param([delegated(100), began(100), ended(300)], [(100, 300)], "completed",
                     id="one-response"),
        pytest.param([delegated(100), began(100)], [(100, 900)], "in_progress",
                     id="a-response-that-never-ends"),
        pytest.param([delegated(100), began(100), ended(300, how="failed")], [(100, 300)],
                     "failed", id="a-response-that-fails"),
        pytest.param([delegated(100), began(100), *CALL, began(200, "s"), ended(300, "s")],
                     [(100, 300)], "completed",
                     id="outputs-were-sent-back-before-the-next-response"),
        pytest.param([delegated(100), began(100), *CALL, began(200, "s", "r"), ended(300, "s")],
                     [(100, 300)], "completed", id="which-may-say-so-itself"),
        pytest.param([delegated(100), began(100), *CALL], [(100, 900)], "in_progress",
                     id="a-returned-call-waits-for-the-next-response"),
        pytest.param([delegated(100), began(100), *CALL, Step(K.REFUSED, 180, "a", "r")],
                     [(100, 180)], "completed", id="unless-the-provider-refuses-it"),
        pytest.param([delegated(100), began(100), returned(110), called(120), ended(130),
                      began(200, "s"), ended(300, "s")], [(100, 300)], "completed",
                     id="a-call-that-is-told-after-it-returned"),
        pytest.param([delegated(100), began(100), ended(300), ITEM], [(100, 300)], "completed",
                     id="a-piece-of-output-needs-no-time"),
        pytest.param([delegated(None), began(100), ended(300)], None, "completed",
                     id="a-step-without-a-time-tells-no-span"),
        pytest.param([delegated(100, None), *CALL, ended(300, "s")], None, "completed",
                     id="calls-without-the-beginnings-of-responses-tell-none-either"),
        pytest.param([delegated(100, None), called(120), returned(150)], None, "in_progress",
                     id="nor-do-they-tell-an-end"),
        pytest.param([delegated(100, None, "client"), application_ended(300)], [(100, 300)],
                     "completed", id="the-application-ends-its-own-work"),
        pytest.param([delegated(100, None, "client"), began(110), ended(120),
                      application_ended(300, "failed")], [(100, 300)], "failed",
                     id="whatever-responses-say"),
        pytest.param([delegated(100, None, "client"), began(110), ended(120)], [(100, 900)],
                     "in_progress", id="and-nobody-else-does"),
        pytest.param([ITEM], None, "in_progress", id="only-an-answer"),
        pytest.param([delegated(950), began(950), ended(990)], [], "completed",
                     id="after-the-conversation"),
        pytest.param([delegated(100), *([began(100)] * MOST_STEPS)], None, "in_progress",
                     id="too-many-steps-to-follow"),
    ],
)  # fmt: skip
def test_a_delegation(owned: list[Step], work: list[tuple[int, int]] | None, how: str) -> None:
    told: IntervalSet | None = spans(owned, EXTENT_MS)
    assert told == (None if work is None else builders.spans(*work))
    assert status(owned) == how
