"""Messages that are almost right: a valid one with one thing wrong, chosen by a number."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

ODD_VALUES: tuple[str, ...] = (
    "null",
    "true",
    "0",
    "-1",
    "1.5",
    "1e400",
    "NaN",
    "-Infinity",
    '""',
    '"x"',
    '"\\ud800"',
    '"\\u202e\\u2028\\u0000"',
    "[]",
    "{}",
    "9" * 5_000,
    '"' + "y" * 20_000 + '"',
    "[" * 300 + "]" * 300,
    '{"a":' * 60 + "1" + "}" * 60,
)
"""Fragments of JSON, so that they may be what no JSON library would write."""

_PLACE = "\x01"


def mangled(text: str, seed: int) -> str | bytes:
    """The message with one thing wrong. The same seed does the same."""
    rng = random.Random(seed)
    return rng.choice(_WAYS)(text, rng)


def _cut(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


def _appended(text: str, rng: random.Random) -> str:
    return text + rng.choice((" ", "}", "null", text, "\x00"))


def _as_bytes(text: str, rng: random.Random) -> bytes:
    return text.encode() if rng.random() < 0.5 else rng.randbytes(rng.randrange(40))


def _flipped(text: str, rng: random.Random) -> str:
    if not text:
        return text
    at = rng.randrange(len(text))
    return text[:at] + chr(rng.randrange(1, 0x3000)) + text[at + 1 :]


def _in_a_list(text: str, _: random.Random) -> str:
    return f"[{text}]"


def _odd(text: str, rng: random.Random) -> str:
    """One value anywhere replaced."""
    content = json.loads(text)
    paths = list(_paths(content))
    if not paths:
        return rng.choice(ODD_VALUES)
    holder, key = rng.choice(paths)
    holder[key] = _PLACE
    return json.dumps(content).replace(json.dumps(_PLACE), rng.choice(ODD_VALUES))


def _without(text: str, rng: random.Random) -> str:
    """One field anywhere left out."""
    content = json.loads(text)
    paths = [(holder, key) for holder, key in _paths(content) if isinstance(holder, dict)]
    if paths:
        holder, key = rng.choice(paths)
        del holder[key]
    return json.dumps(content)


def _with_more(text: str, rng: random.Random) -> str:
    content = json.loads(text)
    holders = [content, *(h[k] for h, k in _paths(content) if isinstance(h[k], dict))]
    rng.choice(holders)[rng.choice(("extra", "type", "id", "status"))] = "something"
    return json.dumps(content)


_WAYS: tuple[Callable[[str, random.Random], str | bytes], ...] = (
    _cut,
    _appended,
    _as_bytes,
    _flipped,
    _in_a_list,
    _odd,
    _odd,
    _odd,
    _without,
    _with_more,
)


def _paths(content: Any) -> list[tuple[Any, Any]]:
    """Every place of a value: what holds it, and under which key or index."""
    found: list[tuple[Any, Any]] = []
    waiting = [content]
    while waiting:
        holder = waiting.pop()
        keys: Any = holder.keys() if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])
    return found
