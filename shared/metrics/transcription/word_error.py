"""Word error: how the words of a transcript differ from those of its reference.

The alignment is one of the shortest; how its errors divide into kinds may depend on which, their
sum does not. Contract: ``docs/metrics-contract.md``, "Word error".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from shared.metrics.transcription.words import words


def load_library() -> None:
    """Import what counts errors, which takes a tenth of a second: best before anybody speaks."""
    import jiwer  # noqa: F401


@dataclass(frozen=True, slots=True)
class WordErrors:
    """Counts of words. There is no rate without a word in the reference."""

    hits: int
    substitutions: int
    deletions: int
    insertions: int

    @classmethod
    def between(cls, reference: str, heard: str) -> Self:
        """Compare two texts by their ``words-v1``."""
        from jiwer import process_words  # only now: nobody who asks for help waits for it

        found = process_words(" ".join(words(reference)), " ".join(words(heard)))
        return cls(found.hits, found.substitutions, found.deletions, found.insertions)

    @classmethod
    def pooled(cls, several: Iterable[Self]) -> Self:
        """All of them as if they were one text: counts are added, rates never averaged."""
        counted = list(several)
        return cls(
            sum(one.hits for one in counted),
            sum(one.substitutions for one in counted),
            sum(one.deletions for one in counted),
            sum(one.insertions for one in counted),
        )

    @property
    def reference_words(self) -> int:
        return self.hits + self.substitutions + self.deletions

    @property
    def errors(self) -> int:
        return self.substitutions + self.deletions + self.insertions

    @property
    def rate(self) -> float | None:
        """Errors per word of the reference; above 1 when more was inserted than was said."""
        return self.errors / self.reference_words if self.reference_words else None
