"""Which rows of items are dates, which days they name, and where they end."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.metrics.transcription.dates import (
    MONTHS,
    NEAR_DAYS,
    WEEKDAYS,
    Date,
    DayName,
    date_at,
)
from tests.support.spoken_english import ordinal
from tests.support.spoken_items import Placed, wherever

NO_SUCH_DAY = "no such day"


def read(text: str) -> tuple[str, str] | None:
    """What begins at the bar, or at the beginning, and in which words."""
    return wherever(_read, text)


def _read(said: Placed) -> tuple[str, str] | None:
    found = date_at(said.row, said.begin)
    return None if found is None else (_told(found.value), said.words_to(found.end))


def _told(value: Date | DayName | None) -> str:
    match value:
        case None:
            return NO_SUCH_DAY
        case DayName(name=name):
            return name
        case Date(month=month, day=day, year=year):
            return f"{month}-{day}" if year is None else f"{year}-{month}-{day}"


@pytest.mark.parametrize("name", [*WEEKDAYS, *sorted(NEAR_DAYS)])
def test_a_day_by_its_name(name: str) -> None:
    assert read(f"{name} then") == (name, name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Mondays", ("monday", "Mondays"), id="days-of-the-week-come-again"),
        pytest.param("todays", None, id="today-does-not"),
        pytest.param("mon", None, id="a-short-name-may-be-another-word"),
        pytest.param("on |Friday", ("friday", "Friday"), id="after-another-word"),
        pytest.param("on Friday|", None, id="beyond-the-end"),
    ],
)
def test_names_of_days(text: str, expected: tuple[str, str] | None) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(("number", "month"), list(enumerate(MONTHS, start=1)))
def test_a_month_by_its_name_and_by_its_beginning(number: int, month: str) -> None:
    for name in (month, month[:3]):
        assert read(f"{name} third") == (f"{number}-3", f"{name} third")
        assert read(f"third of {name}") == (f"{number}-3", f"third of {name}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("June eleventh", ("6-11", "June eleventh"), id="an-ordinal"),
        pytest.param("June 11th", ("6-11", "June 11th"), id="a-written-ordinal"),
        pytest.param("June 11", ("6-11", "June 11"), id="digits"),
        pytest.param("June the 11th", ("6-11", "June the 11th"), id="with-an-article"),
        pytest.param("June the 11", ("6-11", "June the 11"), id="digits-with-an-article"),
        pytest.param("June a 11", None, id="with-another-word"),
        pytest.param("Sept. 5", ("9-5", "Sept. 5"), id="the-other-short-september"),
        pytest.param("Septem 5", None, id="no-month"),
        pytest.param("June", None, id="a-month-alone"),
        pytest.param("June the", None, id="a-month-and-an-article"),
        # A spoken number may count something else.
        pytest.param("June eleven", None, id="a-spoken-number"),
        pytest.param("in |June eleven", None, id="a-spoken-number-after-in"),
        pytest.param("by |June eleven", None, id="a-spoken-number-after-by"),
        pytest.param("on |June eleven", ("6-11", "June eleven"), id="a-spoken-number-after-on"),
        pytest.param("on |May eleven", ("5-11", "May eleven"), id="also-of-may-after-on"),
        pytest.param("in |June 11", ("6-11", "June 11"), id="digits-after-in"),
        pytest.param("June 7 p.m.", None, id="an-hour-by-its-half"),
        pytest.param("on |June 7 in the evening", None, id="an-hour-by-its-part-of-a-day"),
        pytest.param("June 7th p.m.", ("6-7", "June 7th"), id="an-ordinal-is-no-hour"),
        # What parts month and day.
        pytest.param("June, 11", ("6-11", "June, 11"), id="a-comma"),
        pytest.param("June. 11", ("6-11", "June. 11"), id="a-point"),
        pytest.param("June-11", ("6-11", "June-11"), id="a-hyphen"),
        pytest.param("June/11", None, id="a-slash"),
        pytest.param("June: 11", None, id="a-colon"),
        # The day stands alone.
        pytest.param("June 11:30", None, id="a-clock"),
        pytest.param("June 11/12", None, id="a-fraction"),
        pytest.param("June 11-12", None, id="a-range"),
        pytest.param("June 11.12.13", None, id="a-chain"),
        pytest.param("June 11.5", None, id="a-decimal"),
        pytest.param("June 11, 12", ("6-11", "June 11"), id="another-number-after-it"),
        pytest.param("June 11-ish", ("6-11", "June 11"), id="a-word-tied-to-it"),
        # The calendar.
        pytest.param("June 0", None, id="no-day-nought"),
        pytest.param("June 1", ("6-1", "June 1"), id="the-first-day"),
        pytest.param("June 30", ("6-30", "June 30"), id="the-last-day"),
        pytest.param("June 31", None, id="a-day-too-many"),
        pytest.param("July 31", ("7-31", "July 31"), id="the-last-day-of-a-long-month"),
        pytest.param("July 32", None, id="no-day-of-any-month"),
        pytest.param("February 29", ("2-29", "February 29"), id="a-leap-day-of-some-year"),
        pytest.param("February 29, 2028", ("2028-2-29", "February 29, 2028"), id="of-a-leap-year"),
        pytest.param("February 29, 2027", None, id="of-a-year-without"),
        pytest.param("February 30", None, id="of-no-year"),
    ],
)
def test_a_month_before_its_day(text: str, expected: tuple[str, str] | None) -> None:
    assert read(text) == expected


BEFORE_A_DATE = (
    "on", "by", "for", "from", "until", "till", "before", "after", "of", "since", "through",
    "to", "this", "next",
)  # fmt: skip


@pytest.mark.parametrize("month", ["may", "march", "mar"])
def test_a_month_that_is_a_verb_too_wants_a_word_before_a_mere_number(month: str) -> None:
    assert read(f"{month} 3") is None
    assert read(f"we |{month} 3") is None
    assert {read(f"{word} |{month} 3") is not None for word in BEFORE_A_DATE} == {True}
    assert read(f"we |{month} third") is not None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("the eleventh of June", ("6-11", "the eleventh of June"), id="in-words"),
        pytest.param("eleventh of June", ("6-11", "eleventh of June"), id="without-article"),
        pytest.param("eleventh June", ("6-11", "eleventh June"), id="without-of"),
        pytest.param("11 June", ("6-11", "11 June"), id="digits"),
        pytest.param("the 11 of Jun", ("6-11", "the 11 of Jun"), id="digits-of-a-short-month"),
        pytest.param("a 11 of June", None, id="after-another-word"),
        pytest.param("eleven June", None, id="a-spoken-number"),
        pytest.param("the eleven of June", None, id="a-spoken-number-with-an-article"),
        pytest.param("11-June", ("6-11", "11-June"), id="with-a-hyphen"),
        pytest.param("11, June", None, id="with-a-comma"),
        pytest.param("11 of, June", None, id="with-a-comma-after-of"),
        pytest.param("11 in June", None, id="with-another-word"),
        pytest.param("11th", None, id="a-mere-ordinal"),
        pytest.param("11 of", None, id="of-nothing"),
        pytest.param("31 June", None, id="a-day-too-many"),
        pytest.param("the third may be late", None, id="a-verb"),
        pytest.param("the third of may", ("5-3", "the third of may"), id="a-month-by-its-of"),
        pytest.param("3 mar", None, id="a-short-month-that-may-be-a-verb"),
        pytest.param("3 of mar", ("3-3", "3 of mar"), id="the-same-by-its-of"),
        pytest.param("3 June 5th", None, id="a-number-before-another-date"),
        pytest.param("3 June 5", ("6-3", "3 June"), id="a-number-after-the-date"),
    ],
)
def test_a_day_before_its_month(text: str, expected: tuple[str, str] | None) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("year", "expected"),
    [
        pytest.param(" 2027", 2027, id="digits"),
        pytest.param(", 2027", 2027, id="after-a-comma"),
        pytest.param(". 2027", 2027, id="after-a-point"),
        pytest.param(" 1900", 1900, id="the-first"),
        pytest.param(" 1899", None, id="one-before-the-first"),
        pytest.param(" 2199", 2199, id="the-last"),
        pytest.param(" 2200", None, id="one-after-the-last"),
        pytest.param(": 2027", None, id="after-a-colon"),
        pytest.param(" in 2027", None, id="after-another-word"),
        pytest.param(" two thousand twenty-seven", 2027, id="one-number-in-words"),
        pytest.param(" twenty twenty-seven", 2027, id="in-two-numbers"),
        pytest.param(" nineteen eighty-four", 1984, id="of-the-first-century"),
        pytest.param(" eighteen eighty-four", None, id="of-one-before-it"),
        pytest.param(" twenty-one ten", 2110, id="of-the-last-century"),
        pytest.param(" twenty-two ten", None, id="of-one-after-it"),
        pytest.param(" twenty ninety-nine", 2099, id="its-last"),
        pytest.param(" nineteen nine", None, id="a-single-digit"),
        pytest.param(" nineteen, eighty-four", None, id="parted-by-a-comma"),
        pytest.param(" 20 27", None, id="in-two-written-numbers"),
        pytest.param(" twenty 27", None, id="half-of-it-written"),
        pytest.param(" 20 twenty-seven", None, id="the-other-half-written"),
        pytest.param(" twenty", None, id="a-century-alone"),
        pytest.param(" 2027th", None, id="an-ordinal"),
    ],
)
def test_a_year(year: str, expected: int | None) -> None:
    said = "June eleventh"
    if expected is None:
        assert read(said + year) == ("6-11", said)
    else:
        assert read(said + year) == (f"{expected}-6-11", said + year)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2027-08-07", ("2027-8-7", "2027-08-07"), id="a-day"),
        pytest.param("2027-08-07-01", ("2027-8-7", "2027-08-07"), id="and-more-after-it"),
        pytest.param("2027-02-30", (NO_SUCH_DAY, "2027-02-30"), id="no-day-of-its-month"),
        pytest.param("2027-13-01", (NO_SUCH_DAY, "2027-13-01"), id="no-month"),
        pytest.param("0000-01-01", (NO_SUCH_DAY, "0000-01-01"), id="no-year"),
        pytest.param("2027-8-07", None, id="a-short-month"),
        pytest.param("2027-08-7", None, id="a-short-day"),
        pytest.param("27-08-07", None, id="a-short-year"),
        pytest.param("2027-08", None, id="without-day"),
        pytest.param("2027/08-07", None, id="with-a-slash-first"),
        pytest.param("2027-08/07", None, id="with-a-slash-last"),
        pytest.param("2027 08 07", None, id="with-blanks"),
        pytest.param("12.5-08-07", None, id="a-decimal-of-four-characters"),
        pytest.param("2027-08-07th", None, id="with-an-ordinal"),
    ],
)
def test_the_form_of_iso(text: str, expected: tuple[str, str] | None) -> None:
    assert read(text) == expected


@given(st.dates(date(1900, 1, 1), date(2199, 12, 31)))
def test_every_day_of_the_calendar_is_read_in_every_form(day: date) -> None:
    month, told = MONTHS[day.month - 1], f"{day.year}-{day.month}-{day.day}"
    for said in (
        day.isoformat(),
        f"{month} {day.day}, {day.year}",
        f"{month} the {ordinal(day.day)} {day.year}",
        f"the {ordinal(day.day)} of {month} {day.year}",
    ):
        assert read(f"on |{said}") == (told, said)


@given(st.dates(date(1900, 1, 1), date(2199, 12, 30)))
def test_a_day_is_met_by_itself_without_its_year(day: date) -> None:
    whole, next_day = Date(day.month, day.day, day.year), day + timedelta(days=1)
    assert whole.loose == Date(day.month, day.day) != Date(next_day.month, next_day.day)
    assert (whole.is_loose, whole.loose.is_loose) == (False, True)


def test_a_name_of_a_day_is_as_loose_as_it_can_be() -> None:
    monday = DayName("monday")
    assert (monday.loose, monday.is_loose) == (monday, True)
