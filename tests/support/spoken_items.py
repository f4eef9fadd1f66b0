"""What was said as a row of items, with a bar where somebody begins to read."""

from __future__ import annotations

from dataclasses import dataclass

from shared.metrics.transcription.numerals import Item, items
from shared.metrics.transcription.tokens import plain


@dataclass(frozen=True, slots=True)
class Placed:
    """A row, and the item to begin at."""

    text: str
    row: tuple[Item, ...]
    begin: int

    def words_to(self, end: int) -> str:
        """The text of the items from the beginning up to ``end``."""
        return self.text[self.row[self.begin].start : self.row[end - 1].end]


def placed(text: str) -> Placed:
    """A text as items; reading begins at the bar, or at the first item where there is none."""
    before, _, said = text.rpartition("|")
    whole = plain(before + said)
    return Placed(whole, items(whole), len(items(plain(before))))
