"""``words-v1``: what two transcripts must share to have the same words.

Compatible forms, case, punctuation, apostrophes and invisible characters make no difference.
English numbers count as their digits, one word each: ``seven thirty``, ``7:30`` and ``7 30`` are
the same three words, ``R three four one`` is ``R-341`` and ``July third`` is ``July 3``. A full
hour is its hour (``7:00`` is ``seven``). A change of any of this is a new version.
Contract: ``docs/metrics-contract.md``, "Word error".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shared.metrics.transcription.numerals import Item, items
from shared.metrics.transcription.tokens import plain


@dataclass(frozen=True, slots=True)
class NormaliserId:
    name: str
    version: str


NORMALISER: Final = NormaliserId("words-v1", "1")


def words(text: str) -> tuple[str, ...]:
    """The words of a text in any language; only numbers are read, and those as English."""
    return tuple(_words(items(plain(text))))


def _words(row: Sequence[Item]) -> Iterator[str]:
    for position, item in enumerate(row):
        if item.digits is None:
            yield item.text
        elif not _is_full_hour(row, position):
            yield from ("point" if digit == "." else digit for digit in item.digits)


def _is_full_hour(row: Sequence[Item], position: int) -> bool:
    """Whether these are the minutes of a full hour, which nobody says."""
    item = row[position]
    is_last = position + 1 == len(row) or row[position + 1].glue != ":"
    return (
        item.digits == "00"
        and item.glue == ":"
        and bool(position)
        and row[position - 1].digits is not None
        and row[position - 1].glue != ":"
        and is_last
    )
