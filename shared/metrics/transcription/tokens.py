"""A text as words and runs of digits, each with its place and with what stands before it.

Case, apostrophes, invisible characters and the script of digits make no difference. Signs that can
belong to a number, a date or a time are kept as glue; whatever else is no letter parts words. Any
text will do, and the time it takes grows with its length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from shared.readings import composed

_APOSTROPHES: Final = frozenset("'’‘ʼ`´")
_GLUE: Final = frozenset(".,:/")
_SPOKEN: Final = {"%": "percent", "&": "and", "@": "at"}
_TOKEN: Final = re.compile(
    r"(?P<half>(?<![^\W\d_])[ap]\.? ?m(?![\w'])\.?)"
    r"|(?P<initials>(?<![\w'])[^\W\d_](?:\.[^\W\d_])+(?![\w'])\.?)"
    r"|\d+"
    r"|[%&@]"
    r"|[^\s\d.,:/%&@-]+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word, folded, or one run of ASCII digits.

    ``[start, end)`` is its place in the plain text; ``glue`` is what parts it there from the token
    before: nothing when they touch, else a blank or signs.
    """

    text: str
    start: int
    end: int
    glue: str

    @property
    def is_digits(self) -> bool:
        return self.text.isdecimal()


def plain(text: str) -> str:
    """The text in compatible forms, on one line and without anything that cannot be read.

    Case stays, and so does what may be glue; other signs have become blanks.
    """
    return " ".join("".join(map(_character, composed(text))).split())


def tokens(plain_text: str) -> tuple[Token, ...]:
    """The tokens of a text that :func:`plain` has made."""
    return tuple(_tokens(plain_text))


def _tokens(text: str) -> Iterator[Token]:
    parted_from = 0
    for found in _TOKEN.finditer(text):
        folded = _folded(found.group(), is_short=found.lastgroup is not None)
        if folded:
            yield Token(folded, found.start(), found.end(), text[parted_from : found.start()])
            parted_from = found.end()


def _folded(word: str, *, is_short: bool) -> str:
    if word in _SPOKEN:
        return _SPOKEN[word]
    letters = word.replace(".", "").replace(" ", "") if is_short else word
    return unicodedata.normalize("NFKC", letters.casefold()).replace("'", "")


def _character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category == "Cf":
        return ""
    if character in _APOSTROPHES:
        return "'"
    if category == "Pd" or character == "−":
        return "-"
    is_kept = category[0] in "LMN" or character in _GLUE or character in _SPOKEN
    return character if is_kept else " "
