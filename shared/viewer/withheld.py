"""What passed between programs alone, and is covered wherever a sentence quotes it.

Reasons, rationales and errors are sentences, and may quote an argument, a result or an id of a
call. A value that somebody also said aloud is no secret of the page; every other is covered.
Values of fewer than ``SHORTEST`` characters are no secret either: they are in any sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, takewhile
from typing import Final

from shared.values import JsonValue

COVER: Final = "[withheld]"
SHORTEST: Final = 4
HEAD: Final = 16
"""A longer value may be quoted cut short, and is known by so many first characters of it."""
MOST_VALUES: Final = 10_000
"""So many values are told apart; a result with more is a table, and no sentence quotes it all."""
DEEPEST: Final = 64


class Withheld:
    """The values of one attempt that no sentence about it may quote."""

    def __init__(self, values: Iterable[JsonValue], *, said: Iterable[str]) -> None:
        spoken = " ".join(said).casefold()
        told = (leaf for value in values for leaf in leaves(value))
        secret = (leaf for leaf in told if len(leaf) >= SHORTEST and leaf.casefold() not in spoken)
        self._by_head: dict[str, list[str]] = {}
        for leaf in islice(secret, MOST_VALUES):
            self._by_head.setdefault(leaf[:HEAD], []).append(leaf)
        # Longest first: a value may be a part of another.
        heads = sorted(self._by_head, key=lambda one: (-len(one), one))
        self._heads = re.compile("|".join(map(_pattern, heads))) if heads else None

    def covered(self, sentence: str) -> str:
        """The sentence without any of them, whole or cut short."""
        parts: list[str] = []
        at = 0
        while self._heads is not None and (found := self._heads.search(sentence, at)) is not None:
            longest = max(_quoted(sentence, found.start(), one) for one in self._values(found))
            parts += [sentence[at : found.start()], COVER]
            at = found.start() + longest
        return "".join((*parts, sentence[at:]))

    def _values(self, found: re.Match[str]) -> list[str]:
        return self._by_head[found.group()]


def _pattern(head: str) -> str:
    """A short value is one only as whole words: its letters stand in other words too."""
    if len(head) == HEAD:
        return re.escape(head)
    return (
        rf"\b{re.escape(head)}\b" if head[0].isalnum() and head[-1].isalnum() else re.escape(head)
    )


def _quoted(sentence: str, start: int, value: str) -> int:
    """How much of a value stands at a place of a sentence."""
    pairs = zip(sentence[start : start + len(value)], value, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def leaves(value: JsonValue, depth: int = 0) -> Iterator[str]:
    """Every text and number in a value, as a sentence would write it."""
    if depth > DEEPEST:
        return
    match value:
        case dict():
            for one in value.values():
                yield from leaves(one, depth + 1)
        case list():
            for one in value:
                yield from leaves(one, depth + 1)
        case bool() | None:
            return
        case str():
            yield value
        case int() | float():
            yield str(value)
