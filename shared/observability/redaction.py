"""Credentials never reach a file: each is replaced by a numbered placeholder.

Each distinct secret gets one number per attempt, so that what was equal stays equal and what was
different stays different; letters' case makes no difference. What is a credential is said in
``credentials``. Best effort, not anonymity: names and numbers of customers stay.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, pairwise

from shared.json_text import json_text
from shared.matching import matches
from shared.observability.credentials import (
    CREDENTIAL_FIELDS,
    MADE_UP,
    PLACEHOLDER,
    SHORTEST_KNOWN_SECRET,
    Find,
    Known,
    Reading,
    credentials_in,
    merged,
    normalised,
)
from shared.strict_json import JsonSyntaxError, parse
from shared.values import JsonObject, JsonValue

SHORTEST_MADE_UP = 16
LONGEST_REMEMBERED = 64
"""Names and words of a protocol come over and over again; they are looked at once."""
_NUMBER = re.compile(r"[-+]?\d[\d.eE+-]*")


@dataclass(slots=True)
class _Numbers:
    """Which secrets were masked, and their numbers. Shared by all maskers of an attempt."""

    by_secret: dict[str, int] = field(default_factory=dict)
    secrets: list[str] = field(default_factory=list)

    def placeholder(self, secret: str) -> str:
        if PLACEHOLDER.fullmatch(secret):
            return secret
        number = self.by_secret.setdefault(secret.casefold(), len(self.by_secret) + 1)
        if number > len(self.secrets):
            self.secrets.append(secret)
        return f"[redacted:{number}]"


class Masker:
    """Masks one attempt's texts. ``fields`` are further names whose values are masked.

    ``expected`` are values that a scenario expects. A value in a field with a credential's name
    that meets one of them is graded, and the scenario shows it anyway: it stays, unless more than
    that name tells that it is a credential.
    """

    def __init__(
        self,
        known: Iterable[str] = (),
        fields: Iterable[str] = (),
        expected: Iterable[JsonValue] = (),
        *,
        _numbers: _Numbers | None = None,
    ) -> None:
        self._known = Known.of(known)
        self._known_numbers = Known.of(k for k in self._known.values if _NUMBER.fullmatch(k))
        self._fields = CREDENTIAL_FIELDS | {normalised(name) for name in fields}
        self._expected = tuple(expected)
        self._numbers = _Numbers() if _numbers is None else _numbers
        self._clean: set[tuple[str, Reading]] = set()

    def with_fields(self, fields: Iterable[str]) -> Masker:
        """A masker that knows these fields too, and spares nothing that is expected."""
        return Masker(self._known.values, {*self._fields, *fields}, _numbers=self._numbers)

    def knowing(self, secrets: Iterable[str]) -> Masker:
        """A masker that knows these values too; what is equal for one of both is for the other."""
        known = {*self._known.values, *secrets}
        return Masker(known, self._fields, self._expected, _numbers=self._numbers)

    @property
    def masked(self) -> tuple[str, ...]:
        """All that was masked so far."""
        return tuple(self._numbers.secrets)

    @property
    def new_keys(self) -> tuple[str, ...]:
        """What was masked so far, was not known, and is nothing but a key wherever it stands.

        What is part of an expected value is none: masked in one place alone it would fail there.
        """
        known = {value.casefold() for value in self._known.values}
        wanted = json_text(self._expected).casefold()
        return tuple(
            secret
            for secret in self._numbers.secrets
            if len(secret) >= SHORTEST_MADE_UP
            and MADE_UP.search(secret)
            and not re.search(r"\s", secret)
            and secret.casefold() not in known
            and secret.casefold() not in wanted
            and not self._is_expected(secret)
        )

    def prose(self, text: str) -> str:
        """Mask spoken or written language."""
        return self._masked(text, Reading.PROSE)

    def machine_text(self, text: str) -> str:
        """Mask text that programs write: errors, arguments, headers; JSON by its fields."""
        by_fields = self._embedded(text)
        return self._masked(text, Reading.MACHINE) if by_fields is None else by_fields

    def pieces(self, texts: Sequence[str]) -> list[str]:
        """Mask language that came in pieces: a credential may lie across them.

        Somebody will join them, as they are or with blanks between; what that would show is masked
        in the piece where it begins and left out of those where it goes on.
        """
        whole = "".join(texts)
        starts = [0, *accumulate(map(len, texts))]
        finds = self._finds(whole, Reading.PROSE)
        for number, text in enumerate(texts):
            finds += [_moved(find, starts[number]) for find in self._finds(text, Reading.PROSE)]
        finds += self._finds_between_blanks(texts)
        kept = merged(finds, whole)
        return [self._replaced(whole, kept, start, end) for start, end in pairwise(starts)]

    def value(self, value: JsonValue) -> JsonValue:
        """Mask a JSON value; in a credential field every text is masked whole."""
        return self._walked(value, "", self._text)

    def machine_value(self, value: JsonValue) -> JsonValue:
        """Mask a JSON value whose texts programs wrote, such as an error."""
        return self._walked(value, "", self.machine_text)

    def texts(self, value: JsonValue) -> JsonValue:
        """Mask the texts of a JSON value for what they say, whatever their fields are called."""
        return self._walked(value, None, self._data)

    def object(self, value: JsonObject) -> JsonObject:
        masked = self.value(value)
        if not isinstance(masked, dict):
            raise TypeError("an object stays an object")
        return masked

    def _walked(self, value: JsonValue, name: str | None, read: Callable[[str], str]) -> JsonValue:
        """``name`` is the field the value belongs to; without one no field is looked at."""
        match value:
            case str():
                is_credential = name is not None and _is_credential(name, self._fields)
                if is_credential and not self._is_expected(value):
                    return self._numbers.placeholder(value)
                return read(value)
            case bool():
                return value
            case int() | float():
                return self._number(value, name)
            case Mapping():
                return {
                    self.prose(str(key)): self._walked(inner, self._name_of(str(key), name), read)
                    for key, inner in value.items()
                }
            case Sequence():
                return [self._walked(inner, name, read) for inner in value]
            case _:
                return value

    def _number(self, value: float, name: str | None) -> JsonValue:
        """A number stays one, unless its digits are a known secret or its field holds one."""
        try:
            digits = repr(value)
        except ValueError:  # more digits than Python writes, and than any secret has
            return value
        # A number of tokens is a count and nobody's secret.
        is_credential = (
            name is not None
            and _is_credential(name, self._fields)
            and not normalised(name).endswith("token")
        )
        if is_credential and len(digits) >= SHORTEST_KNOWN_SECRET and not self._is_expected(value):
            return self._numbers.placeholder(digits)
        if not self._known_numbers.values:
            return value
        finds = list(self._known_numbers.finds(digits))
        return self._replaced(digits, finds, 0, len(digits)) if finds else value

    def _text(self, text: str) -> str:
        by_fields = self._embedded(text)
        return self._data(text) if by_fields is None else by_fields

    def _data(self, text: str) -> str:
        masked = self._masked(text, Reading.DATA)
        # What is expected is compared by its words, so punctuation must not decide what is masked.
        return self.prose(text) if masked != text and self._is_expected(text) else masked

    def _name_of(self, key: str, outer: str | None) -> str | None:
        """What lies within a credential field belongs to it, but for a comparator's own name."""
        if outer is None:
            return None
        return outer if _is_credential(outer, self._fields) and not key.startswith("$") else key

    def _embedded(self, text: str) -> str | None:
        """A text that is itself a JSON object or list, masked by its fields where it must be."""
        if not text.lstrip().startswith(("{", "[")):
            return None
        try:
            document = parse(text)
        except JsonSyntaxError:
            return None
        if document.flaws:
            return None
        masked = self.value(document.value)
        return text if masked == document.value else json_text(masked)

    def _is_expected(self, value: JsonValue) -> bool:
        return any(matches(wanted, value) for wanted in self._expected)

    def _masked(self, text: str, reading: Reading) -> str:
        finds = self._finds(text, reading)
        return self._replaced(text, finds, 0, len(text)) if finds else text

    def _finds(self, text: str, reading: Reading) -> list[Find]:
        if (text, reading) in self._clean:
            return []
        finds = credentials_in(text, self._known, self._fields, reading)
        if not finds and len(text) <= LONGEST_REMEMBERED:
            self._clean.add((text, reading))
        return [one for one in finds if not (one.is_named and self._is_expected(one.secret))]

    def _finds_between_blanks(self, texts: Sequence[str]) -> list[Find]:
        """Finds in the pieces joined by blanks, at their places in the pieces joined by nothing."""
        ends = list(accumulate(len(text) + 1 for text in texts))
        spread = self._finds(" ".join(texts), Reading.PROSE)
        return [
            Find(
                find.start - bisect_right(ends, find.start),
                find.end - bisect_right(ends, find.end - 1),
                find.secret,
            )
            for find in spread
        ]

    def _replaced(self, text: str, finds: Sequence[Find], start: int, end: int) -> str:
        """A part of the text without its credentials; each stands where it begins."""
        parts, position = [], start
        for find in finds:
            if find.end <= start or find.start >= end:
                continue
            parts.append(text[position : max(find.start, start)])
            if find.start >= start:
                parts.append(self._numbers.placeholder(find.secret))
            position = min(find.end, end)
        return "".join([*parts, text[position:end]])


def _moved(find: Find, by: int) -> Find:
    return Find(find.start + by, find.end + by, find.secret, find.is_named)


@cache
def _is_credential(name: str, fields: frozenset[str]) -> bool:
    return normalised(name) in fields
