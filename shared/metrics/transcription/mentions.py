"""Whether a text says a value: a name, a number, a day or a time of day.

A day is said without its year, and a time without the half of the day, as people do: a text that
says either says nothing else. Contract: ``docs/metrics-contract.md``, "Procedures".
"""

from __future__ import annotations

import re
from typing import Final

from shared.metrics.transcription.dates import Date
from shared.metrics.transcription.entities import Number, entities, told
from shared.metrics.transcription.times import HALF_DAY, Time
from shared.readings import date_of, has_words, second_of_day
from shared.values import JsonValue

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_CLOCK: Final = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_SECONDS: Final = 60


def is_recognizable(value: JsonValue) -> bool:
    """Whether speech can be searched for a value at all: a text with words, or a number."""
    return not isinstance(value, bool) and (
        isinstance(value, int | float) or (isinstance(value, str) and has_words(value))
    )


def is_said(value: JsonValue, text: str) -> bool:
    """Whether the text says the value. What is not recognizable is never said."""
    if not is_recognizable(value):
        return False
    if isinstance(value, int | float):
        return any(isinstance(one, Number) and one == Number(str(value)) for one in told(text))
    written = str(value).strip()
    day = date_of(written) if _DAY.fullmatch(written) else None
    if day is not None:
        return any(
            isinstance(one, Date)
            and (one.month, one.day) == (day.month, day.day)
            and one.year in {None, day.year}
            for one in told(text)
        )
    second = second_of_day(written) if _CLOCK.fullmatch(written) else None
    if second is not None:
        return any(isinstance(one, Time) and _is_at(one, second) for one in told(text))
    found = entities(written, text, [written])
    return bool(found) and all(one.is_heard for one in found)


def _is_at(time: Time, second: int) -> bool:
    minute = second // _SECONDS
    return time.minute == minute or (
        not time.is_exact and time.minute % HALF_DAY == minute % HALF_DAY
    )
