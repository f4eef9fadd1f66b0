"""One self-contained HTML document: a policy that lets nothing else run, the page, and its data.

Data stands in script elements of types that no browser runs, written in plain ASCII JSON without a
``<``, so that no text of a conversation can end an element or begin one. The index comes first and
the program right after it: a page of many attempts answers before all of it has been read.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any
from urllib.parse import quote

from shared.values import JsonValue
from shared.viewer.view import PEAK_MS, AttemptView, Entry, RunView

_OPENING = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="generator" content="gpt-live-evals viewer, page '
)


@dataclass(frozen=True, slots=True)
class Assets:
    """The page itself: markup of the body, style and program, the same for every run."""

    markup: str
    style: str
    program: str


@dataclass(frozen=True, slots=True)
class Sound:
    """A recording as the page plays it, caller left and assistant right. ``base64`` gives its text
    in pieces, so that no recording is ever whole in memory."""

    mime: str
    size_bytes: int
    base64: Iterable[bytes]


@dataclass(frozen=True, slots=True)
class SoundPlace:
    """Where an attempt's recording is: here (no ``page``), or in a sibling page by its name."""

    mime: str
    size_bytes: int
    page: str | None = None


@dataclass(frozen=True, slots=True)
class Index:
    """``sounds`` has one per entry: nothing where there is no recording. ``pages`` are all pages of
    the run in order, where there is more than one; this is the one of that ``number``, from 1."""

    run: RunView
    entries: Sequence[Entry]
    sounds: Sequence[SoundPlace | None]
    pages: Sequence[str] = ()
    number: int = 1


def document(
    assets: Assets, index: Index, attempts: Iterable[tuple[AttemptView, Sound | None]]
) -> Iterator[bytes]:
    """The document in pieces. ``attempts`` are in the order of the index's entries."""
    yield opening(index.number, index.pages[0] if index.pages else None)
    yield _head(assets).encode()
    content = {
        "run": _plain(index.run),
        "entries": [_plain(entry) for entry in index.entries],
        "sounds": [None if one is None else _plain(one) for one in index.sounds],
        "pages": list(index.pages),
        "number": index.number,
        "peak_ms": PEAK_MS,
    }
    yield _data("index", content)
    yield f"<script>{assets.program}</script>\n".encode()
    for number, (attempt, sound) in enumerate(attempts):
        yield _data(f"attempt-{number}", _plain(attempt))
        if sound is not None:
            yield f'<script type="text/plain" id="sound-{number}">'.encode()
            yield from sound.base64
            yield b"</script>\n"
    yield b"</body>\n</html>\n"


def opening(number: int, first_page: str | None) -> bytes:
    """How a page begins, and no file of anybody else: which one it is, and of what first page."""
    of = "" if first_page is None else f" of {quote(first_page, '', errors='surrogatepass')}"
    return f'{_OPENING}{number}{of}">\n'.encode()


def is_first_page(head: bytes) -> bool:
    """Whether a file that begins so is a first page, of any run and under any name."""
    return head.startswith((f'{_OPENING}1"'.encode(), f"{_OPENING}1 of ".encode()))


def _head(assets: Assets) -> str:
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(assets.program)}'",
            f"style-src '{_hash(assets.style)}'",
            "media-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        "<title>Conversations</title>\n"
        f"<style>{assets.style}</style>\n</head>\n<body>\n{assets.markup}\n"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _data(name: str, content: object) -> bytes:
    # ASCII alone: what a browser may treat as a line end or a sign of direction stays an escape.
    text = json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>\n'.encode()


def _plain(value: Any) -> JsonValue:  # whatever a view holds
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case list() | tuple():
            return [_plain(one) for one in value]
        case _ if is_dataclass(value):
            return {name: _plain(getattr(value, name)) for name in _names(value.__class__)}
        case _:
            plain: JsonValue = value
            return plain


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))
