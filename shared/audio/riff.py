"""The sections of a WAV file: each a name, a size, and so many bytes, padded to an even number.

A header is believed in nothing that the bytes contradict. The size of the whole, in the first
header, is not looked at: many programs get it wrong, and nothing hangs on it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

FORMAT, DATA = b"fmt ", b"data"
STREAMED_SIZES = frozenset({0xFFFFFFFF, 0x7FFFF000})
"""What a program writes for the size of data whose end it does not know yet."""

_FILE_HEADER = struct.Struct("<4sI4s")
_SECTION_HEADER = struct.Struct("<4sI")
_NAME = re.compile(rb"[ -~]{4}")


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its name, its size if it says one, the bytes that are really there, and where
    in the file they begin."""

    name: bytes
    size: int | None
    content: memoryview
    at_byte: int

    @property
    def is_cut(self) -> bool:
        return self.size is not None and len(self.content) < self.size


def is_wav(file: bytes) -> bool:
    return len(file) >= _FILE_HEADER.size and _FILE_HEADER.unpack_from(file)[::2] == (
        b"RIFF",
        b"WAVE",
    )


def sections(file: bytes, wanted: AbstractSet[bytes]) -> tuple[list[Section], int]:
    """The wanted sections in their order, and how many bytes follow the data without being one.

    Data may be cut, or have no size; then it reaches to the end of the file. What is cut or damaged
    before the data is a ``ValueError``.
    """
    view, at = memoryview(file), _FILE_HEADER.size
    found: list[Section] = []
    is_past_data = False
    while at + _SECTION_HEADER.size <= len(file):
        name, size = _SECTION_HEADER.unpack_from(file, at)
        begin = at + _SECTION_HEADER.size
        rest = view[begin:]
        if name == DATA and _is_streamed(rest, size):
            return [*found, Section(name, None, rest, begin)], 0
        section = Section(name, size, rest[:size], begin)
        if name != DATA and (section.is_cut or not _NAME.fullmatch(name)):
            if is_past_data:
                break
            raise ValueError(
                f"is cut or damaged at byte {at}: {len(section.content)} of {size} bytes of a"
                f" section {shown(name)}; fetch it again"
            )
        if name in wanted:
            found.append(section)
        is_past_data |= name == DATA
        at = begin + size + size % 2
    return found, max(0, len(file) - at)


def shown(name: bytes) -> str:
    """The name of a section in quotes, whatever bytes it has."""
    return repr(name.decode("latin-1"))


def _is_streamed(rest: memoryview, size: int) -> bool:
    """Whether data has no size of its own. An empty section may be followed by others instead."""
    return size in STREAMED_SIZES or (size == 0 and not _is_sections(rest))


def _is_sections(rest: memoryview) -> bool:
    """Whether bytes are sections to the last one, or none at all."""
    at = end = 0
    while at + _SECTION_HEADER.size <= len(rest):
        name, size = _SECTION_HEADER.unpack_from(rest, at)
        if not _NAME.fullmatch(name):
            return False
        end = at + _SECTION_HEADER.size + size
        at = end + size % 2
    return end <= len(rest) <= at
