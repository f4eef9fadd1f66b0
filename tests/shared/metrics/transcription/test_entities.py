"""Names, dates, times and numbers: what counts as one, and which forms of it are the same."""

from __future__ import annotations

import time
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.metrics.transcription.dates import MONTHS
from shared.metrics.transcription.entities import MOST_DIGITS, EntityKind, entities
from tests.support.spoken_english import cardinal, ordinal

NAMES = ("Maya", "José", "Mary Ann", "R-341", "2027-06-11", "3", "!?")


def told(reference: str) -> list[tuple[str, str]]:
    return [(one.kind.value, one.expected) for one in entities(reference, "", NAMES)]


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        # Dates.
        pytest.param("on August 7", [("date", "August 7")], id="month-and-day"),
        pytest.param("on August seventh", [("date", "August seventh")], id="spoken-day"),
        pytest.param("Aug. 7th, 2027", [("date", "Aug. 7th, 2027")], id="short-month-and-year"),
        pytest.param("the seventh of August", [("date", "the seventh of August")], id="day-of"),
        pytest.param("7 August", [("date", "7 August")], id="day-first"),
        pytest.param("August the 7th", [("date", "August the 7th")], id="month-the-day"),
        pytest.param("2027-08-07", [("date", "2027-08-07")], id="iso"),
        pytest.param(
            "July third twenty twenty-seven",
            [("date", "July third twenty twenty-seven")],
            id="a-spoken-year",
        ),
        pytest.param(
            "Sunday, June sixth",
            [("date", "Sunday"), ("date", "June sixth")],
            id="a-weekday-is-one-of-its-own",
        ),
        pytest.param("tomorrow", [("date", "tomorrow")], id="a-day-near-today"),
        pytest.param("on June seven", [("date", "June seven")], id="on-a-spoken-day"),
        pytest.param("in June seven of us", [("number", "seven")], id="people-in-a-month"),
        pytest.param("we may 3", [("number", "3")], id="may-is-a-verb-too"),
        pytest.param("on May 3", [("date", "May 3")], id="may-after-a-preposition"),
        pytest.param("May third", [("date", "May third")], id="may-with-an-ordinal"),
        pytest.param("the third may be late", [], id="may-after-an-ordinal"),
        pytest.param("February thirtieth", [], id="no-such-day"),
        pytest.param("2027-02-30", [], id="no-such-day-in-iso"),
        pytest.param("February 29", [("date", "February 29")], id="a-leap-day"),
        pytest.param("8/7/2027", [], id="a-date-of-two-meanings"),
        pytest.param("12.5-08-07", [], id="a-decimal-in-the-form-of-a-date"),
        pytest.param(
            "for 3 June 5th", [("number", "3"), ("date", "June 5th")], id="a-number-before-a-month"
        ),
        pytest.param("the first time", [], id="a-mere-ordinal"),
        pytest.param("June 7 p.m.", [("time", "7 p.m.")], id="an-hour-after-a-month"),
        pytest.param(
            "July 3, 19:30", [("date", "July 3"), ("time", "19:30")], id="no-year-but-a-time"
        ),
        # Times.
        pytest.param("at 7 p.m.", [("time", "7 p.m.")], id="hour-and-half"),
        pytest.param("seven PM", [("time", "seven PM")], id="spoken-hour-and-half"),
        pytest.param("19:00", [("time", "19:00")], id="clock-of-a-day"),
        pytest.param("7:30", [("time", "7:30")], id="clock"),
        pytest.param("at seven thirty", [("time", "seven thirty")], id="hour-and-minutes"),
        pytest.param("at seven oh five", [("time", "seven oh five")], id="hour-oh-minutes"),
        pytest.param("seven thirty", [], id="two-numbers-of-two-meanings"),
        pytest.param(
            "seven thirty in the evening",
            [("time", "seven thirty in the evening")],
            id="two-numbers-in-the-evening",
        ),
        pytest.param("half past seven", [("time", "half past seven")], id="half-past"),
        pytest.param("a quarter to eight", [("time", "a quarter to eight")], id="quarter-to"),
        pytest.param("ten past six", [("time", "ten past six")], id="minutes-past"),
        pytest.param("twenty minutes to six", [("time", "twenty minutes to six")], id="minutes-to"),
        pytest.param("at ten to six", [("time", "ten to six")], id="minutes-to-after-at"),
        pytest.param(
            "five to eight people", [("number", "five"), ("number", "eight")], id="a-range"
        ),
        pytest.param("half seven", [("number", "seven")], id="half-an-hour-of-two-meanings"),
        pytest.param("seven o'clock", [("time", "seven o'clock")], id="o-clock"),
        pytest.param("noon", [("time", "noon")], id="noon"),
        pytest.param("12 noon", [("time", "12 noon")], id="twelve-noon"),
        pytest.param("midnight", [("time", "midnight")], id="midnight"),
        pytest.param("at eight in the evening", [("time", "eight in the evening")], id="evening"),
        pytest.param("for six in the evening", [], id="six-hours-or-six-people"),
        pytest.param("for two in the evening", [("number", "two")], id="no-hour-of-an-evening"),
        pytest.param("2:30 in the evening", [], id="no-time-of-an-evening"),
        pytest.param("make it nine tonight", [("time", "nine tonight")], id="a-corrected-hour"),
        pytest.param("7.30 p.m.", [("time", "7.30 p.m.")], id="a-point-and-a-half-of-the-day"),
        pytest.param("7.30", [("number", "7.30")], id="a-point-alone"),
        pytest.param("730 pm", [("time", "730 pm")], id="run-together"),
        pytest.param("at seven", [("number", "seven")], id="a-mere-hour-is-a-number"),
        pytest.param("25:00", [], id="no-such-hour"),
        pytest.param("7:61", [], id="no-such-minute"),
        pytest.param("13 pm", [("time", "13 pm")], id="a-superfluous-half"),
        # Numbers.
        pytest.param("for three", [("number", "three")], id="a-number"),
        pytest.param("thirty-six", [("number", "thirty-six")], id="two-words"),
        pytest.param("that one", [], id="one-is-a-pronoun-too"),
        pytest.param("gate 1", [("number", "1")], id="a-written-one"),
        pytest.param("two three", [], id="two-digits-of-two-meanings"),
        pytest.param("three four one", [("number", "three four one")], id="a-row-of-digits"),
        pytest.param("555-0101", [("number", "555-0101")], id="a-telephone"),
        pytest.param("10-12", [], id="a-written-range"),
        pytest.param("R three four one", [("number", "R three four one")], id="an-identifier"),
        pytest.param("R-341", [("number", "R-341")], id="a-written-identifier"),
        pytest.param("a 341", [("number", "341")], id="an-article"),
        pytest.param("plan B 5", [("number", "5")], id="one-digit-is-no-identifier"),
        pytest.param("1,000 or 3.5", [("number", "1,000"), ("number", "3.5")], id="written-ones"),
        pytest.param("192.168.0.1", [], id="a-chain"),
        pytest.param("double five oh one", [], id="digits-told-double"),
        pytest.param("five double oh seven", [], id="digits-double-in-the-middle"),
        pytest.param("three triple 7", [], id="digits-told-triple"),
        pytest.param("for two, a double room", [("number", "two")], id="a-double-of-no-digit"),
        pytest.param("two, double rooms", [("number", "two")], id="a-word-after-double"),
        pytest.param("two and a half hours", [], id="a-number-and-a-fraction"),
        pytest.param("two and a dog", [("number", "two")], id="a-number-and-no-fraction"),
        pytest.param("9" * MOST_DIGITS, [("number", "9" * MOST_DIGITS)], id="a-long-number"),
        pytest.param("9" * (MOST_DIGITS + 1), [], id="a-number-nobody-says"),
        # Names.
        pytest.param("for Maya.", [("name", "Maya")], id="a-name"),
        pytest.param("MAYA and maya", [("name", "MAYA"), ("name", "maya")], id="each-mention"),
        pytest.param("for Jose", [("name", "Jose")], id="a-name-without-its-accent"),
        pytest.param("Mary Ann", [("name", "Mary Ann")], id="a-name-of-two-words"),
        pytest.param("Mary, Ann", [("name", "Mary, Ann")], id="signs-part-no-name"),
        pytest.param("Mary", [], id="half-a-name"),
        pytest.param("Mayan", [], id="a-name-inside-a-word"),
        # Several, in order.
        pytest.param(
            "A table for three on August 7 at 7 p.m. for Maya",
            [("number", "three"), ("date", "August 7"), ("time", "7 p.m."), ("name", "Maya")],
            id="in-order",
        ),
        pytest.param("", [], id="nothing"),
        pytest.param("Пожалуйста, на двоих", [], id="another-language"),
    ],
)
def test_a_request_tells(reference: str, expected: list[tuple[str, str]]) -> None:
    assert told(reference) == expected


@pytest.mark.parametrize(
    ("reference", "heard"),
    [
        pytest.param("seven p.m.", "7 PM", id="an-hour-in-words"),
        pytest.param("seven p.m.", "19:00", id="the-clock-of-a-day"),
        pytest.param("at seven thirty", "at 7:30", id="hour-and-minutes"),
        pytest.param("half past seven in the evening", "7:30 pm", id="half-past"),
        pytest.param("half past seven in the evening", "730 tonight", id="run-together"),
        pytest.param("a quarter to eight", "7:45", id="quarter-to"),
        pytest.param("a quarter to one", "12:45", id="quarter-to-one"),
        pytest.param("half past seven", "7:30 p.m.", id="more-than-was-said"),
        pytest.param("noon", "12 p.m.", id="noon"),
        pytest.param("midnight", "12 a.m.", id="midnight"),
        pytest.param("at one in the afternoon", "13:00", id="afternoon"),
        pytest.param("at twelve in the afternoon", "noon", id="twelve-in-the-afternoon"),
        pytest.param("at eleven at night", "11 p.m.", id="night"),
        pytest.param("at two at night", "02:00", id="small-hours"),
        pytest.param("at nine this morning", "9 am", id="morning"),
        pytest.param("August seventh", "Aug 7", id="a-day-in-words"),
        pytest.param("the sixteenth of June", "June 16th", id="day-first"),
        pytest.param("June 16", "on 16 June 2027", id="a-year-more"),
        pytest.param("July third, 2027", "2027-07-03", id="iso"),
        pytest.param("Sunday", "on SUNDAYS", id="a-weekday"),
        pytest.param("table for three", "table for 3", id="a-number"),
        pytest.param("one hundred and five", "105", id="a-longer-number"),
        pytest.param("at seven", "at 7:00", id="a-number-that-became-a-time"),
        pytest.param("seven", "July 7", id="a-number-that-became-a-day"),
        pytest.param("R three four one", "R341", id="an-identifier"),
        pytest.param("R three four one", "r 3, 4, 1", id="an-identifier-in-pieces"),
        pytest.param("R five zero eight", "R 508", id="an-identifier-with-a-zero"),
        pytest.param("five five five oh one oh one", "555-0101", id="a-telephone"),
        pytest.param("for Maya", "maya's for MAYA", id="a-name"),
        pytest.param("for José", "for Jose", id="a-name-without-its-accent"),
        pytest.param("Mary Ann", "mary-ann", id="a-name-with-a-hyphen"),
        pytest.param("under Maya", "Maya’s table", id="a-name-that-owns"),
        pytest.param("Maya's table", "under Maya", id="a-name-that-owned"),
        pytest.param("Mary Ann", "MARY ANN'S", id="a-name-of-two-words-that-owns"),
        pytest.param("at seven o'clock", "at 7", id="an-hour-after-at"),
        pytest.param("one o'clock", "at one", id="one-after-at"),
        pytest.param("noon", "12:00", id="noon-on-a-clock"),
        pytest.param("noon", "at 12", id="noon-after-at"),
        pytest.param("at twelve o'clock", "at 12", id="twelve-after-at"),
        pytest.param("at seven", "at 7", id="a-mere-hour-after-at"),
    ],
)
def test_it_is_heard_in_the_form(reference: str, heard: str) -> None:
    found = entities(reference, heard, NAMES)
    assert [one.is_heard for one in found] == [True]


@pytest.mark.parametrize(
    ("reference", "heard"),
    [
        pytest.param("seven p.m.", "7 a.m.", id="the-other-half-of-the-day"),
        pytest.param("seven p.m.", "7:00", id="no-half-of-the-day"),
        pytest.param("half past seven", "7:15", id="other-minutes"),
        pytest.param("at seven fifteen", "at 7:50", id="minutes-alike-in-sound"),
        pytest.param("noon", "12", id="a-mere-twelve"),
        pytest.param("August seventh", "August 17th", id="another-day"),
        pytest.param("August seventh", "August", id="a-month-without-its-day"),
        pytest.param("July third, 2027", "July 3", id="a-year-lost"),
        pytest.param("July third, 2027", "July 3, 2028", id="another-year"),
        pytest.param("Sunday", "Monday", id="another-weekday"),
        pytest.param("three", "thirteen", id="another-number"),
        pytest.param("three", "3rd", id="an-ordinal"),
        pytest.param("three", "33", id="a-digit-of-a-number"),
        pytest.param("thirty-six", "3 6", id="two-short-numbers"),
        pytest.param("0101", "101", id="a-zero-in-front-lost"),
        pytest.param("R three four one", "341", id="a-letter-lost"),
        pytest.param("R three four one", "R 3 4 2", id="a-digit-wrong"),
        pytest.param("R three four one", "R 3 or 41", id="a-word-among-the-digits"),
        pytest.param("for Maya", "for Mia", id="another-name"),
        pytest.param("for Maya", "for Mayas", id="a-name-in-the-plural"),
        pytest.param("seven o'clock", "for 7", id="a-number-after-no-at"),
        pytest.param("seven o'clock", "at 8", id="another-hour-after-at"),
        pytest.param("at 7 p.m.", "at 7", id="an-hour-without-its-half"),
        pytest.param("at 7:30", "at 7", id="an-hour-without-its-minutes"),
        pytest.param("midnight", "12:00", id="midnight-is-not-noon"),
        pytest.param("Mary Ann", "Ann Mary", id="a-name-in-another-order"),
        pytest.param("August seventh", "", id="nothing"),
    ],
)
def test_it_is_not_heard_in(reference: str, heard: str) -> None:
    found = entities(reference, heard, NAMES)
    assert [one.is_heard for one in found] == [False]


@pytest.mark.parametrize(
    ("reference", "heard", "expected"),
    [
        pytest.param("June eleventh", "6/11", [], id="the-month-first"),
        pytest.param("June eleventh, 2027", "11/6/2027", [], id="the-day-first"),
        pytest.param("June eleventh", "6/12", [("June eleventh", False)], id="another-day"),
        pytest.param("June eleventh", "6 11", [("June eleventh", False)], id="two-numbers"),
        pytest.param(
            "June eleventh", "6/11, June 11", [("June eleventh", True)], id="both-and-one-is-plain"
        ),
        pytest.param(
            "June eleventh or November 6th", "6/11", [("November 6th", False)], id="one-for-each"
        ),
        pytest.param(
            "for six on June eleventh", "on 6/11", [("six", False)], id="whose-digits-are-its-own"
        ),
    ],
)
def test_a_date_heard_in_two_meanings_counts_nowhere(
    reference: str, heard: str, expected: list[tuple[str, bool]]
) -> None:
    found = entities(reference, heard, NAMES)
    assert [(one.expected, one.is_heard) for one in found] == expected


@pytest.mark.parametrize(
    ("reference", "heard", "expected"),
    [
        pytest.param("three or three", "3", [True, False], id="the-same-twice-and-heard-once"),
        pytest.param(
            "for three on June third", "on June 3rd", [False, True], id="a-day-is-no-party"
        ),
        pytest.param("for seven at 7 p.m.", "at 7 p.m.", [False, True], id="an-hour-is-no-party"),
        pytest.param(
            "three, then R three four one", "R 3 4 1 and 3", [True, True], id="a-long-number-first"
        ),
        pytest.param(
            "at 7:30 or 7:30 p.m.", "7:30 p.m. or 7:30", [True, True], id="as-many-as-possible"
        ),
        pytest.param(
            "7:30 p.m., 7:30 a.m. or 7:30",
            "7:30 p.m. and 7:30 p.m.",
            [True, False, True],
            id="the-exact-one-and-a-loose-one",
        ),
        pytest.param(
            "7:30, 7:30 p.m. or 7:30 p.m.",
            "7:30 p.m. and 19:30",
            [True, True, False],
            id="the-first-ones",
        ),
        pytest.param(
            "July 3 or July 3, 2027", "July 3 and July 3, 2027", [True, True], id="a-year-or-none"
        ),
        pytest.param(
            "on July third, no, July second", "July 2nd", [False, True], id="a-correction-alone"
        ),
    ],
)
def test_what_was_heard_stands_for_one_entity(
    reference: str, heard: str, expected: list[bool]
) -> None:
    assert [one.is_heard for one in entities(reference, heard, NAMES)] == expected


DAYS = st.dates(date(1900, 1, 1), date(2199, 12, 31))


def date_forms(day: date) -> dict[str, str]:
    month, of_month = MONTHS[day.month - 1].capitalize(), ordinal(day.day)
    return {
        "spoken": f"{month} {of_month}, {day.year}",
        "spoken day first": f"the {of_month} of {month} {day.year}",
        "written": f"{month} {day.day}, {day.year}" if month not in {"May", "March"} else "",
        "written short": f"on {month[:3]} {day.day} {day.year}",
        "written day first": f"{day.day}th of {month} {day.year}",
        "iso": day.isoformat(),
    }


@given(DAYS)
def test_every_form_of_a_date_is_the_same(day: date) -> None:
    forms = [form for form in date_forms(day).values() if form]
    for one in forms:
        for other in forms:
            (found,) = entities(one, other, ())
            assert (found.kind, found.is_heard) == (EntityKind.DATE, True), (one, other)


@given(DAYS, st.integers(1, 400))
def test_another_date_is_another(day: date, days: int) -> None:
    other = day + timedelta(days=days)
    (found,) = entities(date_forms(day)["spoken"], date_forms(other)["iso"], ())
    assert not found.is_heard


def time_forms(minute: int) -> list[str]:
    hour, past = divmod(minute, 60)
    face, half = (hour - 1) % 12 + 1, "p.m." if hour >= 12 else "a.m."
    spoken = {0: ""}.get(past, f" oh {cardinal(past)}" if past < 10 else f" {cardinal(past)}")
    forms = [
        f"{hour:02}:{past:02}:00",
        f"{face}:{past:02} {half}",
        f"{cardinal(face)}{spoken} {half}",
    ]
    if past in range(1, 30):
        forms.append(f"{cardinal(past)} past {cardinal(face)} {half}")
    return forms


@given(st.integers(0, 24 * 60 - 1))
def test_every_form_of_a_time_is_the_same(minute: int) -> None:
    forms = time_forms(minute)
    for one in forms:
        for other in forms:
            (found,) = entities(one, other, ())
            assert (found.kind, found.is_heard) == (EntityKind.TIME, True), (one, other)


@given(st.integers(0, 24 * 60 - 1), st.integers(1, 24 * 60 - 1))
def test_another_time_is_another(minute: int, later: int) -> None:
    one, other = time_forms(minute)[-1], time_forms((minute + later) % (24 * 60))[0]
    (found,) = entities(one, other, ())
    assert not found.is_heard


@given(st.integers(2, 999_999))
def test_every_form_of_a_number_is_the_same(number: int) -> None:
    for form in (str(number), f"{number:,}"):
        for one, other in ((cardinal(number), form), (form, cardinal(number))):
            (found,) = entities(one, other, ())
            assert (found.kind, found.is_heard) == (EntityKind.NUMBER, True)


@given(st.text())
def test_whatever_was_said_is_heard_in_itself(text: str) -> None:
    assert all(one.is_heard for one in entities(text, text, ("Maya",)))


SAID = "at on for the of a quarter half past to seven three one oh 7 30 7:30 12 p.m. in the evening"
PIECES = st.lists(
    st.sampled_from([*SAID.split(), "June", "May", "third", "2027", "Sunday", "noon", "R", "Maya"]),
    max_size=12,
)


@given(PIECES)
def test_every_row_of_such_words_is_heard_in_itself(pieces: list[str]) -> None:
    text = " ".join(pieces)
    found = entities(text, text, ("Maya",))
    assert all(one.is_heard for one in found)
    assert all(one.expected in text for one in found)


@pytest.mark.parametrize(
    "heard",
    [
        pytest.param("noon June 3rd 7:30 p.m. " * 4_000, id="dates-and-times"),
        pytest.param("3 " * 50_000, id="digits"),
        pytest.param("one hundred " * 8_000, id="number-words"),
        pytest.param("9" * 100_000, id="an-endless-number"),
        pytest.param("half past a quarter to at " * 4_000, id="beginnings-of-times"),
    ],
)
def test_a_hostile_transcript_takes_a_bounded_time(heard: str) -> None:
    reference = "For three on June third at 7:30 p.m., R three four one, for Maya, at noon. " * 4
    began = time.perf_counter()
    entities(reference, heard, NAMES)
    assert time.perf_counter() - began < 10


# Each took minutes, or never ended, while a mention was compared with all that was heard.
@pytest.mark.parametrize(
    ("text", "heard", "expected"),
    [
        pytest.param("7:30 " * 5_000, "7:30 " * 5_000, 5_000, id="one-time"),
        pytest.param("Maya " * 20_000, "Maya " * 20_000, 20_000, id="one-name"),
        pytest.param(
            " and ".join(map(str, range(100, 10_100))),
            " or ".join(map(str, range(10_099, 99, -1))),
            10_000,
            id="as-many-numbers",
        ),
        pytest.param(
            " and ".join("3" * length for length in range(3, MOST_DIGITS, 2)),
            "33 " * 30_000,
            0,
            id="beginnings-of-numbers",
        ),
    ],
)
def test_two_long_texts_are_compared_in_bounded_time(text: str, heard: str, expected: int) -> None:
    began = time.process_time()
    assert sum(one.is_heard for one in entities(text, heard, NAMES)) == expected
    assert time.process_time() - began < 30
