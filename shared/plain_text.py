"""Foreign text among our own: on one line, without commands to a terminal, and not without end."""

from __future__ import annotations

import re
from typing import Final

# C0 and C1 controls, line and paragraph separators, what turns the direction of writing, halves of
# characters and the two that are none: each could forge a line, hide one, or be no text in a file.
_UNPRINTABLE: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_LONGEST_BYTE: Final = 0xFF


def one_line(text: str) -> str:
    """The text with everything escaped that could break its line or steer a terminal."""
    return _UNPRINTABLE.sub(_escaped, text)


def shortened(text: str, longest: int) -> str:
    """At most ``longest`` characters of the text, and how many more there were."""
    surplus = len(text) - longest
    return text if surplus <= 0 else f"{text[:longest]} [{surplus} characters left out]"


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code <= _LONGEST_BYTE else f"\\u{code:04x}"
