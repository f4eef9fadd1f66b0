"""What counts as saying a value, and what does not."""

from __future__ import annotations

import pytest

from shared.metrics.transcription.mentions import is_recognizable, is_said
from shared.values import JsonValue


@pytest.mark.parametrize(
    ("value", "text", "expected"),
    [
        pytest.param("2027-06-18", "on the eighteenth of June", True, id="a-day-without-year"),
        pytest.param("2027-06-18", "June 18, 2027", True, id="a-day-with-its-year"),
        pytest.param("2027-06-18", "June 18, 2026", False, id="a-day-of-another-year"),
        pytest.param("2027-06-18", "June nineteenth", False, id="the-day-after"),
        pytest.param("2027-06-18", "June seventeenth", False, id="the-day-before"),
        pytest.param("2027-06-18", "on the eighteenth", False, id="a-day-without-month"),
        pytest.param("2027-13-40", "2027-13-40", False, id="no-day-of-the-calendar"),
        pytest.param("19:30", "half past seven in the evening", True, id="a-time"),
        pytest.param("19:30", "at half past seven", True, id="a-time-of-either-half"),
        pytest.param("07:30", "at half past seven", True, id="a-time-of-the-first-half"),
        pytest.param("19:30", "at half past seven in the morning", False, id="the-other-half"),
        pytest.param("00:30", "at half past twelve", True, id="a-time-after-midnight"),
        pytest.param("19:30:59", "at 19:30", True, id="a-time-without-its-seconds"),
        pytest.param("19:30", "at half past six", False, id="an-hour-earlier"),
        pytest.param("19:30", "at half past eight", False, id="an-hour-later"),
        pytest.param("19:30", "at 19:31", False, id="a-minute-later"),
        pytest.param(4, "there are four of us", True, id="a-number-in-words"),
        pytest.param(4, "there are five of us", False, id="another-number"),
        pytest.param(4, "a quarter past four o'clock", False, id="a-number-in-a-time"),
        pytest.param(6, "six, not three", True, id="a-number-beside-another"),
        pytest.param("R-482915", "R four eight two, nine one five", True, id="a-reference"),
        pytest.param("R-482915", "R four eight two, nine one six", False, id="another-reference"),
        pytest.param("R-482915", "four eight two, nine one five", False, id="without-its-letter"),
        pytest.param("Anouk", "It's ANOUK, please.", True, id="a-name-in-any-case"),
        pytest.param("Anouk", "It's Anouka.", False, id="a-longer-name"),
        pytest.param("Sören", "for Soren", True, id="a-name-without-its-accent"),
        pytest.param("garden room", "the room in the garden", False, id="words-in-another-order"),
        pytest.param(True, "true", False, id="a-boolean"),
        pytest.param(None, "null", False, id="null"),
        pytest.param("", "anything", False, id="an-empty-text"),
        pytest.param("?", "?", False, id="a-text-without-words"),
    ],
)
def test_a_value_is_said(value: JsonValue, text: str, expected: bool) -> None:
    assert is_said(value, text) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("a name", True, id="words"),
        pytest.param(0, True, id="zero"),
        pytest.param(1.5, True, id="a-fraction"),
        pytest.param(False, False, id="a-boolean"),
        pytest.param(" ", False, id="a-blank"),
        pytest.param(None, False, id="null"),
        pytest.param(["a"], False, id="a-list"),
        pytest.param({"a": 1}, False, id="an-object"),
    ],
)
def test_what_speech_can_be_searched_for(value: JsonValue, expected: bool) -> None:
    assert is_recognizable(value) is expected
