"""A text as other programs would read it, so that a credential in disguise is recognised.

Each view is the text decoded once, with the way back to where it is written: escapes of JSON,
percent-encoding, plus signs for blanks, and base64 at any alignment, plain or
URL-safe. Views have views of their own.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_JSON_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u([0-9a-fA-F]{4})|([\"'\\/bfnrt]))"
)
_SHORT_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_WIDTH_OF_PERCENT = 3
# Eight bytes, the shortest value that counts as a credential, make eleven characters.
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{11,}")
# What no text is: noise holds no such stretch, so it is not searched any further.
_WRITTEN = re.compile(rb"[\x20-\x7e]{8,}")
_URL_SAFE = str.maketrans("-_", "+/")
_GROUP = 4


@dataclass(frozen=True, slots=True)
class View:
    """A decoded text; ``written`` maps a span of it, end excluded, to the span as written.

    A block cannot be taken apart: any span of it is written as the whole.
    """

    text: str
    written: Callable[[int, int], tuple[int, int]]
    is_block: bool = False


def views(text: str) -> Iterator[View]:
    """Every way to decode the text once that shows something else than the text itself."""
    if "\\" in text:
        yield from _decoded(text, _JSON_ESCAPE, _unescaped)
    if "%" in text:
        yield from _decoded(text, _PERCENT, _unquoted)
    if "+" in text:
        yield View(text.replace("+", " "), lambda start, end: (start, end))
    for run in _BASE64.finditer(text):
        yield from _base64(run)


def _decoded(
    text: str, code: re.Pattern[str], decode: Callable[[re.Match[str]], list[tuple[str, int]]]
) -> Iterator[View]:
    """The text with every code replaced by its characters, each with its width as written."""
    pieces: list[str] = []
    origin: list[int] = []
    position = 0
    for match in code.finditer(text):
        pieces.append(text[position : match.start()])
        origin.extend(range(position, match.start()))
        position = match.start()
        for character, width in decode(match):
            pieces.append(character)
            origin.append(position)
            position += width
        position = match.end()
    if not origin and not pieces:
        return
    pieces.append(text[position:])
    origin.extend(range(position, len(text) + 1))
    yield View("".join(pieces), lambda start, end: (origin[start], origin[end]))


def _unescaped(match: re.Match[str]) -> list[tuple[str, int]]:
    high, low, unit, short = match.groups()
    if high:
        pair = bytes.fromhex(high + low)
        return [(pair.decode("utf-16-be"), len(match.group()))]
    character = chr(int(unit, 16)) if unit else _SHORT_ESCAPES.get(short, short)
    return [(character, len(match.group()))]


def _unquoted(match: re.Match[str]) -> list[tuple[str, int]]:
    content = bytes.fromhex(match.group().replace("%", ""))
    try:
        decoded = content.decode()
    except UnicodeDecodeError:
        decoded = content.decode("latin-1")
        return [(character, _WIDTH_OF_PERCENT) for character in decoded]
    return [(character, _WIDTH_OF_PERCENT * len(character.encode())) for character in decoded]


def _base64(run: re.Match[str]) -> Iterator[View]:
    """What the run holds if it, or what follows its first characters, is base64."""
    span = run.span()
    letters = run.group().translate(_URL_SAFE)
    for skipped in range(_GROUP):
        content = letters[skipped:]
        surplus = len(content) % _GROUP
        content = content[:-1] if surplus == 1 else content + "=" * (-surplus % _GROUP)
        try:
            decoded = b64decode(content)
        except binascii.Error:  # pragma: no cover - the run holds nothing but the alphabet
            continue
        written = _written(decoded)
        if written:
            # One letter of base64 is part of two bytes, so the run is one piece.
            yield View(written, lambda _start, _end: span, is_block=True)


def _written(content: bytes) -> str:
    """The text that bytes hold: all of it, or the stretches of it that stand among other bytes."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return b"\n".join(_WRITTEN.findall(content)).decode()
