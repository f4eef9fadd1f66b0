"""What passed between programs alone, and is covered wherever a sentence quotes it.

Reasons, rationales and errors are sentences, and may quote an argument, a result or an id of a
call: as it stood or in other case, as JSON, over several lines, or cut short. A value that somebody
also said aloud is no secret of the page; every other is covered. Values of fewer than ``SHORTEST``
characters are no secret either: they are in any sentence.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from shared.values import JsonValue

COVER: Final = "[withheld]"
SHORTEST: Final = 4
HEAD: Final = 16
"""A longer value may be quoted cut short, and is known by so many first characters of it."""
DEEPEST: Final = 64
IDS: Final = frozenset(
    {
        "call_id",
        "client_event_id",
        "delegation_id",
        "delegation_item_id",
        "item_id",
        "previous_response_id",
        "response_id",
        "session_id",
    }
)
PRIVATE: Final = IDS | {
    "arguments",
    "input",
    "instructions",
    "output",
    "raw_arguments",
    "reasoning",
    "request",
    "result",
    "state",
    "state_after",
    "state_before",
}
"""Names, in files of any age, of what no page tells."""

_ESCAPES: Final = r"(?:\\+u[0-9a-fA-F]{4})+"
_ODD: Final = re.compile(rf"{_ESCAPES}|(?:\s|\\+[nrt])+|\\+|[^\x00-\x7f]")
_FIELD: Final = re.compile(r"[A-Za-z_]+\d{0,2}[A-Za-z_]*")
_CODE: Final = re.compile(r"[^\s\"'(),;<>\[\]{}]*[\d@][^\s\"'(),;<>\[\]{}]*")


class Withheld:
    """The values of one attempt that no sentence about it may quote."""

    def __init__(self, values: Iterable[JsonValue], *, said: Iterable[str]) -> None:
        spoken = _folded(" ".join(said))
        told = {_folded(leaf).strip() for value in values for leaf in leaves(value)}
        secret = {one for one in told if len(one) >= SHORTEST and one not in spoken}
        self._short = {one for one in secret if len(one) < HEAD}
        self._sizes = sorted({len(one) for one in self._short}, reverse=True)
        self._long = sorted(secret - self._short)
        self._heads = {one[:HEAD] for one in self._long}

    def covered(self, sentence: str) -> str:
        """The sentence without any of them, whole or cut short."""
        text, starts, ends = _placed(sentence)
        parts: list[str] = []
        at = told_to = 0
        while at < len(text):
            size = self._quoted(text, at)
            if size:
                parts += [sentence[told_to : starts[at]], COVER]
                # What folds to nothing belongs to what it stands behind.
                told_to = max(
                    ends[at + size - 1], *starts[at + size : at + size + 1] or [len(sentence)]
                )
            at += size or 1
        return "".join((*parts, sentence[told_to:]))

    def _quoted(self, text: str, at: int) -> int:
        """How much of a value stands at a place of a folded sentence."""
        if text[at : at + HEAD] in self._heads:
            rest = text[at:]
            place = bisect(self._long, rest)
            # Whichever value has most of it in common stands next to it in their order.
            return max(_alike(rest, one) for one in self._long[max(0, place - 1) : place + 1])
        for size in self._sizes:
            end = min(at + size, len(text))
            if text[at:end] in self._short and _is_whole(text, at, end):
                return end - at
        return 0


def private(value: JsonValue) -> Iterator[JsonValue]:
    """What stands anywhere in a file under one of the names of what no page tells."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case Mapping() as record:
                for name, one in record.items():
                    if name in PRIVATE and not _is_events(one):
                        yield one
                    else:
                        waiting.append(one)
            case list() as found:
                waiting.extend(found)
            case _:
                pass


def leaves(value: JsonValue, depth: int = 0) -> Iterator[str]:
    """Every text and number in a value, as sentences would write it; also those within a text."""
    if depth > DEEPEST:
        return
    match value:
        case dict():
            # What things are called is no secret; what they are found by may be one.
            yield from (name for name in value if not _FIELD.fullmatch(name))
            for one in value.values():
                yield from leaves(one, depth + 1)
        case list():
            for one in value:
                yield from leaves(one, depth + 1)
        case bool() | None:
            return
        case str():
            yield value
            yield from _within(value, depth)
        case int() | float():
            yield from {str(value), f"{value:,}", f"{value:.15g}"}


def _within(text: str, depth: int) -> Iterator[str]:
    """What a text holds: values, if it is JSON; else words that are codes, numbers, addresses."""
    if text.lstrip()[:1] in {"{", "["}:
        try:
            yield from leaves(json.loads(text), depth + 1)
        except (ValueError, RecursionError):
            pass
        else:
            return
    yield from (found.group().strip(".:!?") for found in _CODE.finditer(text))


def _is_events(value: JsonValue) -> bool:
    """Whether it is a list of pieces that say what they are: each has private parts of its own."""
    return isinstance(value, list) and all(
        isinstance(one, Mapping) and isinstance(one.get("type"), str) for one in value
    )


def _folded(text: str) -> str:
    """A text as it is compared: lower case, letters without their marks, blanks as one space,
    escapes as what they stand for."""
    return "".join(folded for folded, _, _ in _pieces(text))


def _placed(text: str) -> tuple[str, list[int], list[int]]:
    """The folded text, and where in the original each of its characters starts and ends."""
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for folded, start, end in _pieces(text):
        is_plain = len(folded) == end - start
        parts.append(folded)
        starts.extend(range(start, end) if is_plain else [start] * len(folded))
        ends.extend(range(start + 1, end + 1) if is_plain else [end] * len(folded))
    return "".join(parts), starts, ends


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """Stretches of a text, folded, and from where to where they stand in it."""
    at = 0
    for odd in _ODD.finditer(text):
        start, end = odd.span()
        yield text[at:start].lower(), at, start
        yield _letters(odd.group()), start, end
        at = end
    yield text[at:].lower(), at, len(text)


def _letters(odd: str) -> str:
    if odd.isspace() or odd.strip("\\")[:1] in {"n", "r", "t"}:
        return " "
    if odd.startswith("\\"):
        units = re.findall(r"u([0-9a-fA-F]{4})", odd)
        odd = bytes.fromhex("".join(units)).decode("utf-16-be", "replace")
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", odd).casefold())
    return "".join(one for one in plain if unicodedata.category(one) not in {"Mn", "Cf"})


def _is_whole(text: str, start: int, end: int) -> bool:
    """A short value is one only as whole words: its letters stand in other words too."""
    if not (text[start].isalnum() and text[end - 1].isalnum()):
        return True
    return not (_is_of_word(text[start - 1 : start]) or _is_of_word(text[end : end + 1]))


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _alike(one: str, other: str) -> int:
    """How many first characters they share."""
    if one.startswith(other):
        return len(other)
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
