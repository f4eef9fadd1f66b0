"""On which page the sound of an attempt stands, where one page cannot hold them all.

The first page has the text and waveform of every attempt, and the sounds of those that did not
pass, in their order, as far as they fit. What is left follows on further pages, first the rest of
what did not pass. Such a page has what its attempts need to be read there too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FIRST = 1


@dataclass(frozen=True, slots=True)
class Load:
    """What one attempt brings to a page, in bytes: its text anywhere, its sound where it stands.

    ``sound_bytes`` is 0 where there is none.
    """

    text_bytes: int
    sound_bytes: int
    is_passed: bool


def shares(loads: Sequence[Load], empty_page_bytes: int, limit_bytes: int) -> tuple[int, ...]:
    """The number of the page that has each attempt's sound; without a sound it is the first.

    No page grows beyond the limit, unless by what cannot be divided: the text of all attempts on
    the first, one attempt on another.
    """
    room = limit_bytes - empty_page_bytes - sum(load.text_bytes for load in loads)
    page, found = FIRST, [FIRST] * len(loads)
    heard = [place for place, load in enumerate(loads) if load.sound_bytes]
    for place in sorted(heard, key=lambda place: loads[place].is_passed):
        load = loads[place]
        if page == FIRST and not load.is_passed and load.sound_bytes <= room:
            room -= load.sound_bytes
            continue
        need = load.text_bytes + load.sound_bytes
        if page == FIRST or need > room:
            page += 1
            room = limit_bytes - empty_page_bytes
        room -= need
        found[place] = page
    return tuple(found)


def page_name(first_page: str, number: int) -> str:
    """What a page is called beside the first one."""
    if number == FIRST:
        return first_page
    stem, suffix = _halves(first_page)
    return f"{stem}-{number}{suffix}"


def page_number(first_page: str, name: str) -> int | None:
    """Which further page a file of this name would be; nothing if it would be none."""
    stem, suffix = _halves(first_page)
    number = name.removeprefix(f"{stem}-").removesuffix(suffix)
    if not (number.isascii() and number.isdecimal()) or int(number) <= FIRST:
        return None
    return int(number) if page_name(first_page, int(number)) == name else None


def _halves(name: str) -> tuple[str, str]:
    """A name before its last dot, and from there on; one that begins with its only dot is whole."""
    stem, dot, rest = name.rpartition(".")
    return (stem, dot + rest) if stem else (name, "")
