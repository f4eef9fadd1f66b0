"""What was said as a row of items, with a bar where somebody begins to read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.metrics.transcription.numerals import Item, items
from shared.metrics.transcription.tokens import plain

MEANINGLESS = "well "


@dataclass(frozen=True, slots=True)
class Placed:
    """A row, and the item to begin at."""

    text: str
    row: tuple[Item, ...]
    begin: int

    def words_to(self, end: int) -> str:
        """The text of the items from the beginning up to ``end``."""
        return self.text[self.row[self.begin].start : self.row[end - 1].end]


def placed(text: str, words_before: int = 0) -> Placed:
    """A text as items; reading begins at the bar, or at the first item where there is none.

    So many words of no meaning stand in front of all of it.
    """
    head, _, said = text.rpartition("|")
    before = MEANINGLESS * words_before + head
    whole = plain(before + said)
    return Placed(whole, items(whole), len(items(plain(before))))


def wherever[T](read: Callable[[Placed], T], text: str) -> T:
    """What is read of a text, which must be the same wherever in a row it stands."""
    first, *others = (read(placed(text, words_before)) for words_before in range(6))
    assert others == [first] * len(others)
    return first
