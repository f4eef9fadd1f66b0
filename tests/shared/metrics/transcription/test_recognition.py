"""What the service recognized of a request, and when nothing can be said about it."""

from __future__ import annotations

import pytest

from shared.metrics.transcription.recognition import (
    LONGEST_TEXT,
    NO_CAPTIONS,
    NO_REFERENCE,
    TOO_LONG,
    Recognition,
    Unrecognized,
    recognition,
)
from shared.metrics.transcription.reference import Reference
from shared.metrics.transcription.word_error import WordErrors
from shared.observability.observations import Caption, Speaker
from tests.support.builders import a_caption, at

REFERENCE = Reference("For two on July third", ())


def heard(text: str, start_ms: int = 0) -> Caption:
    """A fragment of what the service transcribed of the caller."""
    return Caption(at(start_ms), Speaker.CALLER, text, start_ms, start_ms + 200)


ANSWER = a_caption(2_000, 2_200, "For two on July third")


def words(*captions: Caption, reference: Reference = REFERENCE) -> WordErrors:
    recognized = recognition(captions, reference)
    assert isinstance(recognized, Recognition)
    return recognized.words


@pytest.mark.parametrize(
    ("captions", "expected"),
    [
        pytest.param([heard("For two"), heard(" on July 3rd", 200)], (5, 0, 0, 0), id="all-of-it"),
        pytest.param([heard("For two on Ju"), heard("ly 3", 200)], (5, 0, 0, 0), id="in-fragments"),
        pytest.param(
            [heard("For two"), heard("on July 3", 800)], (5, 0, 0, 0), id="in-two-stretches"
        ),
        pytest.param([heard("For two"), ANSWER], (2, 0, 3, 0), id="not-what-the-assistant-said"),
        pytest.param([heard("")], (0, 0, 5, 0), id="empty-fragments-alone"),
        pytest.param([ANSWER], (0, 0, 5, 0), id="no-fragment-beside-those-of-the-assistant"),
        pytest.param(
            [heard("For two on July third"), heard(" thank you", 9_000)],
            (5, 0, 0, 2),
            id="words-nobody-said",
        ),
        pytest.param([heard(" July", 400), heard(" two", 0)], (1, 1, 3, 0), id="order-of-receipt"),
    ],
)
def test_words_are_compared(captions: list[Caption], expected: tuple[int, ...]) -> None:
    found = words(*captions)
    assert (found.hits, found.errors) == (expected[0], sum(expected[1:]))
    assert found.reference_words == 5


def test_entities_are_looked_for_in_the_same_text() -> None:
    recognized = recognition([heard("For two on July 4")], Reference("Two on July third", ()))
    assert isinstance(recognized, Recognition)
    assert [(one.expected, one.is_heard) for one in recognized.entities] == [
        ("Two", True),
        ("July third", False),
    ]


@pytest.mark.parametrize(
    ("captions", "reference", "reason"),
    [
        pytest.param([], REFERENCE, NO_CAPTIONS, id="the-service-gave-no-caption-at-all"),
        pytest.param([heard("two")], None, NO_REFERENCE, id="nobody-knows-what-was-said"),
        pytest.param(
            [heard("a" * LONGEST_TEXT), heard("a")], REFERENCE, TOO_LONG, id="too-much-was-heard"
        ),
        pytest.param(
            [heard("two")], Reference("a" * (LONGEST_TEXT + 1)), TOO_LONG, id="too-much-was-said"
        ),
    ],
)
def test_nothing_can_be_said(
    captions: list[Caption], reference: Reference | None, reason: str
) -> None:
    assert recognition(captions, reference) == Unrecognized(reason)


def test_the_longest_text_is_compared() -> None:
    assert words(heard("a" * LONGEST_TEXT)).errors == 5


def test_how_long_a_text_may_be_is_said() -> None:
    assert TOO_LONG == "a transcript of more than 100,000 characters is not compared"
