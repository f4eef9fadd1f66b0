"""Text for a session's context, cut to what the service takes.

An append holds at most 500 tokens, and a token is at least one byte, so 500 bytes of UTF-8 always
fit. Long text is cut after sentences, else after words, and only a longer word inside; every piece
has something in it, and what is between the pieces is blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_BYTES = 500

_SENTENCES = re.compile(r"\S.*?(?:[.!?…][\"'”’)]*(?=\s|$)|(?=\n)|$)", re.DOTALL)


def pieces(text: str) -> list[str]:
    """Cut a text into appends, in order. A blank text is a ``ValueError``."""
    if not text.strip():
        raise ValueError("there is nothing to append")
    packed: list[str] = []
    for part in _parts(text):
        joined = f"{packed[-1]} {part}" if packed else part
        if packed and _fits(joined):
            packed[-1] = joined
        else:
            packed.append(part)
    return packed


def _parts(text: str) -> Iterator[str]:
    """Sentences that fit, the words of those that do not, the characters of words that do not."""
    for sentence in (found.group() for found in _SENTENCES.finditer(text)):
        for word in [sentence] if _fits(sentence) else sentence.split():
            yield from [word] if _fits(word) else _slices(word)


def _slices(word: str) -> Iterator[str]:
    """Cut inside a word, never inside a character."""
    part = ""
    for character in word:
        if not _fits(part + character):
            yield part
            part = ""
        part += character
    yield part


def _fits(text: str) -> bool:
    return len(text.encode()) <= MOST_BYTES
