"""Which rows of items are times of day, which minutes they name, and where they end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.metrics.transcription.times import (
    HALF_DAY,
    Half,
    Time,
    cardinal_at,
    half_at,
    time_at,
    word_at,
)
from tests.support.spoken_english import cardinal
from tests.support.spoken_items import Placed, placed, wherever

IN_DOUBT = "in doubt"


def read(text: str) -> tuple[str, str] | None:
    """The time at the bar, or at the beginning, and its words; "?" where either half is meant."""
    return wherever(_read, text)


def _read(said: Placed) -> tuple[str, str] | None:
    found = time_at(said.row, said.begin)
    return None if found is None else (_told(found.time), said.words_to(found.end))


def _told(time: Time | None) -> str:
    if time is None:
        return IN_DOUBT
    return f"{time.minute // 60}:{time.minute % 60:02}{'' if time.is_exact else '?'}"


def whole(text: str, told: str) -> tuple[str, str]:
    """All that stands after the bar."""
    return told, text.rpartition("|")[2]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # The middles of the day.
        pytest.param("noon", "12:00", id="noon"),
        pytest.param("midday", "12:00", id="midday"),
        pytest.param("midnight", "0:00", id="midnight"),
        pytest.param("twelve noon", "12:00", id="twelve-noon"),
        pytest.param("12 midnight", "0:00", id="twelve-midnight"),
        pytest.param("midnight tonight", "0:00", id="midnight-of-tonight"),
        # A fraction of an hour.
        pytest.param("half past seven", "7:30?", id="half-past"),
        pytest.param("a half past seven", "7:30?", id="a-half-past"),
        pytest.param("quarter past one", "1:15?", id="quarter-past-one"),
        pytest.param("an quarter after twelve", "12:15?", id="quarter-after-twelve"),
        pytest.param("a quarter to eight", "7:45?", id="quarter-to"),
        pytest.param("a quarter till two", "1:45?", id="quarter-till"),
        pytest.param("a quarter to one", "12:45?", id="quarter-to-one"),
        pytest.param("half past seven o'clock", "7:30?", id="half-past-by-the-clock"),
        pytest.param("half past seven in the evening", "19:30", id="half-past-in-the-evening"),
        pytest.param("quarter to one a.m.", "0:45", id="quarter-to-one-at-night"),
        # Minutes beside an hour.
        pytest.param("one past one", "1:01?", id="one-minute-past"),
        pytest.param("twenty-nine past seven", "7:29?", id="29-minutes-past"),
        pytest.param("ten minutes past seven", "7:10?", id="minutes-by-their-name"),
        pytest.param("one minute after seven", "7:01?", id="one-minute-after"),
        pytest.param("twenty minutes to six", "5:40?", id="minutes-to"),
        pytest.param("one minute to one", "12:59?", id="one-minute-to-one"),
        pytest.param("at |ten to six", "5:50?", id="to-after-at"),
        pytest.param("at |ten till six o'clock", "5:50?", id="till-after-at"),
        # A clock.
        pytest.param("7:30", "7:30?", id="clock"),
        pytest.param("12:30", "12:30?", id="clock-at-twelve"),
        pytest.param("07:30", "7:30", id="clock-with-a-zero"),
        pytest.param("0:15", "0:15", id="clock-at-nought"),
        pytest.param("13:00", "13:00", id="clock-of-the-second-half"),
        pytest.param("23:59", "23:59", id="clock-before-midnight"),
        pytest.param("7:00", "7:00?", id="clock-of-a-full-hour"),
        pytest.param("7:30:00", "7:30", id="clock-with-seconds"),
        pytest.param("7:30 in the evening", "19:30", id="clock-in-the-evening"),
        pytest.param("12:30 a.m.", "0:30", id="clock-after-midnight"),
        pytest.param("12:30 pm", "12:30", id="clock-after-noon"),
        pytest.param("19:30 p.m.", "19:30", id="clock-with-what-it-does-not-need"),
        pytest.param("2:30 in the evening", IN_DOUBT, id="clock-at-no-such-hour"),
        # Without a colon.
        pytest.param("7.30 p.m.", "19:30", id="with-a-point"),
        pytest.param("730 in the evening", "19:30", id="run-together"),
        pytest.param("0730 pm", "19:30", id="run-together-with-a-zero"),
        pytest.param("1930 pm", "19:30", id="run-together-of-the-second-half"),
        pytest.param("2359 pm", "23:59", id="run-together-before-midnight"),
        pytest.param("100 pm", "13:00", id="run-together-at-one"),
        pytest.param("1259 am", "0:59", id="run-together-after-midnight"),
        # In two numbers.
        pytest.param("seven thirty in the evening", "19:30", id="two-numbers-in-the-evening"),
        pytest.param("at |one ten", "1:10?", id="two-numbers-after-at"),
        pytest.param("at |twelve fifty-nine", "12:59?", id="two-numbers-of-the-last-minute"),
        pytest.param("at |thirteen fifteen", "13:15", id="two-numbers-of-the-second-half"),
        pytest.param("at |twenty-three ten", "23:10", id="two-numbers-before-midnight"),
        pytest.param("at |seven oh one", "7:01?", id="with-an-oh"),
        pytest.param("at |seven zero nine", "7:09?", id="with-a-zero"),
        pytest.param("at |7-30", "7:30?", id="written-with-a-hyphen"),
        pytest.param("five, |seven thirty pm", "19:30", id="after-a-number-and-a-comma"),
        pytest.param("gate |seven thirty pm", "19:30", id="after-a-word"),
        # A full hour.
        pytest.param("one o'clock", "1:00?", id="one-o-clock"),
        pytest.param("12 o'clock", "12:00?", id="twelve-o-clock"),
        pytest.param("thirteen o'clock", "13:00", id="thirteen-o-clock"),
        pytest.param("23 o'clock", "23:00", id="twenty-three-o-clock"),
        pytest.param("seven o'clock in the morning", "7:00", id="o-clock-in-the-morning"),
        pytest.param("7 p.m.", "19:00", id="hour-and-half"),
        pytest.param("for |7 a.m.", "7:00", id="hour-and-half-after-any-word"),
        pytest.param("13 pm", "13:00", id="hour-with-a-half-it-does-not-need"),
        pytest.param("at |twelve at night", "0:00", id="hour-at-night"),
        pytest.param("for |six in the evening", IN_DOUBT, id="hour-or-number"),
        pytest.param("six this morning", IN_DOUBT, id="hour-or-number-alone"),
        pytest.param("two, |three pm", "15:00", id="hour-after-a-number-and-a-comma"),
    ],
)
def test_a_time_is_read_to_its_end(text: str, told: str) -> None:
    assert read(text) == whole(text, told)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("eleven noon", id="another-number-before-noon"),
        pytest.param("twelve", id="twelve-without-noon"),
        # A fraction of an hour.
        pytest.param("half seven", id="half-of-two-meanings"),
        pytest.param("half to seven", id="half-to"),
        pytest.param("half after seven", id="half-after"),
        pytest.param("quarter of eight", id="quarter-of"),
        pytest.param("quarter past", id="quarter-past-nothing"),
        pytest.param("quarter past zero", id="quarter-past-nought"),
        pytest.param("quarter past thirteen", id="quarter-past-thirteen"),
        pytest.param("quarter past seventh", id="quarter-past-an-ordinal"),
        pytest.param("the half past seven", id="an-article-of-another-kind"),
        # Minutes beside an hour.
        pytest.param("zero past seven", id="no-minutes"),
        pytest.param("thirty past seven", id="minutes-that-are-a-half"),
        pytest.param("five to eight", id="a-range"),
        pytest.param("for |five till eight", id="a-range-after-for"),
        pytest.param("at |ten after seven", id="an-hour-after-another"),
        pytest.param("ten seconds to seven", id="seconds"),
        pytest.param("ten minutes of seven", id="minutes-of"),
        pytest.param("ten minutes to thirteen", id="minutes-to-thirteen"),
        # A clock.
        pytest.param("24:00", id="no-such-hour"),
        pytest.param("7:60", id="no-such-minute"),
        pytest.param("7:5", id="one-digit-of-minutes"),
        pytest.param("7:300", id="three-digits-of-minutes"),
        pytest.param("7: 30", id="a-colon-and-a-blank"),
        pytest.param("7/30", id="a-slash"),
        pytest.param("1:|7:30", id="a-part-of-a-longer-clock"),
        pytest.param("1/|7:30", id="a-part-of-a-fraction"),
        pytest.param("x.|7:30", id="a-part-of-a-name"),
        pytest.param("7:30:15:20", id="a-longer-clock"),
        pytest.param("7:30:5", id="a-clock-and-a-digit"),
        pytest.param("7:30/8", id="a-clock-and-a-slash"),
        pytest.param("7:30.8", id="a-clock-and-a-point"),
        # Without a colon.
        pytest.param("730", id="run-together-alone"),
        pytest.param("030 am", id="run-together-at-nought"),
        pytest.param("2430 am", id="run-together-at-no-such-hour"),
        pytest.param("760 pm", id="run-together-with-no-such-minute"),
        pytest.param("73 pm", id="run-together-too-short"),
        pytest.param("seven hundred thirty pm", id="a-number-in-words"),
        pytest.param("730th pm", id="an-ordinal-run-together"),
        # In two numbers.
        pytest.param("seven thirty", id="two-numbers-of-two-meanings"),
        pytest.param("for |seven thirty", id="two-numbers-after-for"),
        pytest.param("at |zero thirty", id="two-numbers-from-nought"),
        pytest.param("at |twenty-four thirty", id="two-numbers-of-no-such-hour"),
        pytest.param("at |seven nine", id="minutes-without-their-oh"),
        pytest.param("at |seven sixty", id="two-numbers-of-no-such-minute"),
        pytest.param("at |seven oh ten", id="an-oh-too-many"),
        pytest.param("at |seven zero zero", id="two-zeros"),
        pytest.param("at |seven 0th five", id="a-zero-in-order"),
        pytest.param("at |seven thirtieth", id="minutes-in-order"),
        pytest.param("at |seventh thirty", id="an-hour-in-order"),
        pytest.param("at |seven, thirty", id="two-numbers-parted"),
        pytest.param("at |seven oh, five", id="an-oh-parted"),
        pytest.param("at |seven thirty ten", id="three-numbers"),
        pytest.param("five |seven thirty pm", id="two-numbers-after-a-third"),
        # A full hour.
        pytest.param("at |seven", id="a-mere-hour"),
        pytest.param("zero o'clock", id="nought-o-clock"),
        pytest.param("24 o'clock", id="twenty-four-o-clock"),
        pytest.param("seventh o'clock", id="an-ordinal-o-clock"),
        pytest.param("two |three pm", id="a-number-after-another"),
        pytest.param("at |two in the evening", id="no-hour-of-an-evening"),
        pytest.param("24 pm", id="no-hour-at-all"),
    ],
)
def test_no_time_is(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("at |seven thirty, ten", ("7:30?", "seven thirty"), id="another-number"),
        pytest.param("at |seven thirty people", ("7:30?", "seven thirty"), id="a-word"),
        pytest.param("at |seven oh five six", None, id="a-digit-that-joins"),
        pytest.param("7:30 8", ("7:30?", "7:30"), id="a-number-after-a-clock"),
        pytest.param("7:30, 8", ("7:30?", "7:30"), id="a-number-after-a-comma"),
        pytest.param("7:30.", ("7:30?", "7:30"), id="the-end-of-a-sentence"),
        pytest.param("7:30.Then", ("7:30?", "7:30"), id="a-word-that-touches"),
        pytest.param("half past seven thirty", ("7:30?", "half past seven"), id="no-more-minutes"),
        pytest.param("noon in the east", ("12:00", "noon"), id="no-part-of-a-day"),
    ],
)
def test_a_time_before(text: str, expected: tuple[str, str] | None) -> None:
    assert read(text) == expected


BEFORE_A_TIME = (
    "at", "by", "until", "till", "around", "about", "before", "after", "from", "to", "past",
    "it", "that", "say",
)  # fmt: skip


@pytest.mark.parametrize("word", BEFORE_A_TIME)
def test_two_numbers_and_hours_of_a_part_of_the_day_are_times_after(word: str) -> None:
    assert read(f"{word} |seven thirty") == ("7:30?", "seven thirty")
    assert read(f"{word} |nine tonight") == ("21:00", "nine tonight")


HOURS = range(1, 13)


@pytest.mark.parametrize(
    ("half", "hours"),
    [
        pytest.param("a.m.", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0], id="a-m"),
        pytest.param("PM", [13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 12], id="p-m"),
        pytest.param(
            "in the morning", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, None], id="in-the-morning"
        ),
        pytest.param(
            "this afternoon",
            [13, 14, 15, 16, 17, 18, None, None, None, None, None, 12],
            id="this-afternoon",
        ),
        pytest.param(
            "in the evening",
            [None, None, None, 16, 17, 18, 19, 20, 21, 22, 23, None],
            id="in-the-evening",
        ),
        pytest.param(
            "tonight", [None, None, None, 16, 17, 18, 19, 20, 21, 22, 23, None], id="tonight"
        ),
        pytest.param("at night", [1, 2, 3, 4, None, 18, 19, 20, 21, 22, 23, 0], id="at-night"),
    ],
)
def test_hours_of_the_clock_s_face(half: str, hours: list[int | None]) -> None:
    found = [read(f"{hour} o'clock {half}") for hour in HOURS]
    assert found == [
        (IN_DOUBT if of_day is None else f"{of_day}:00", f"{hour} o'clock {half}")
        for hour, of_day in zip(HOURS, hours, strict=True)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("am", (Half.AM, 1), id="am"),
        pytest.param("p.m.", (Half.PM, 1), id="pm"),
        pytest.param("tonight", (Half.EVENING, 1), id="tonight"),
        pytest.param("at night", (Half.NIGHT, 2), id="at-night"),
        pytest.param("in the morning", (Half.MORNING, 3), id="in-the-morning"),
        pytest.param("in the afternoon", (Half.AFTERNOON, 3), id="in-the-afternoon"),
        pytest.param("in the evening", (Half.EVENING, 3), id="in-the-evening"),
        pytest.param("this morning", (Half.MORNING, 2), id="this-morning"),
        pytest.param("this afternoon", (Half.AFTERNOON, 2), id="this-afternoon"),
        pytest.param("this evening", (Half.EVENING, 2), id="this-evening"),
        pytest.param("in the night", None, id="in-the-night"),
        pytest.param("this night", None, id="this-night"),
        pytest.param("in a morning", None, id="in-a-morning"),
        pytest.param("in this morning", None, id="in-this-morning"),
        pytest.param("on the morning", None, id="on-the-morning"),
        pytest.param("the morning", None, id="the-morning"),
        pytest.param("at the night", None, id="at-the-night"),
        pytest.param("by night", None, id="by-night"),
        pytest.param("at", None, id="at-nothing"),
        pytest.param("in the", None, id="in-the-nothing"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_what_tells_the_halves_apart(text: str, expected: tuple[Half, int] | None) -> None:
    def read_half(said: Placed) -> tuple[Half, int] | None:
        found = half_at(said.row, said.begin)
        return None if found is None else (found[0], found[1] - said.begin)

    assert wherever(read_half, text) == expected


@pytest.mark.parametrize(
    ("position", "word", "number"),
    [
        pytest.param(-1, None, None, id="before-the-row"),
        pytest.param(0, "gate", None, id="a-word"),
        pytest.param(1, None, 7, id="a-number"),
        pytest.param(2, None, None, id="an-ordinal"),
        pytest.param(3, None, 9, id="the-last"),
        pytest.param(4, None, None, id="after-the-row"),
    ],
)
def test_what_stands_in_a_row(position: int, word: str | None, number: int | None) -> None:
    row = placed("gate 7, 8th 9").row
    assert word_at(row, position) == word
    assert cardinal_at(row, position, 7, 9) == number


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        pytest.param(7, 7, 7, id="itself"),
        pytest.param(8, 9, None, id="more"),
        pytest.param(5, 6, None, id="less"),
    ],
)
def test_a_cardinal_lies_between(low: int, high: int, expected: int | None) -> None:
    assert cardinal_at(placed("7").row, 0, low, high) == expected


minutes = st.integers(0, 2 * HALF_DAY - 1)


@given(minutes)
def test_every_minute_of_a_day_is_read_from_a_clock(minute: int) -> None:
    said = f"{minute // 60:02}:{minute % 60:02}:00"
    assert read(said) == (f"{minute // 60}:{minute % 60:02}", said)


@given(st.integers(1, 12), st.integers(10, 59))
def test_every_minute_is_the_same_spoken_and_written(hour: int, minute: int) -> None:
    spoken, written = f"{cardinal(hour)} {cardinal(minute)} pm", f"{hour}:{minute} p.m."
    told = f"{hour % 12 + 12}:{minute}"
    assert read(spoken) == (told, spoken)
    assert read(written) == (told, written)


@given(minutes)
def test_a_time_is_met_by_the_same_place_of_the_hands(minute: int) -> None:
    exact, other = Time(minute, is_exact=True), Time((minute + HALF_DAY) % 1_440, is_exact=True)
    assert exact != other
    assert exact.loose == other.loose == Time(minute % 720, is_exact=False)
    assert (exact.is_loose, exact.loose.is_loose) == (False, True)
