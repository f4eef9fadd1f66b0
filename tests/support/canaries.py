"""Canaries: credentials that are planted, each spelled in its own way, and looked for everywhere.

The search shares no code with what masks. It reads every byte as it is, and as text with escapes
of JSON, percent-encoding and base64 undone, one inside another; and pieces of a transcript joined.
"""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from string import ascii_letters, digits
from urllib.parse import quote, quote_plus, unquote, unquote_plus

MARK = "Cnry"
SPECIALS = ("", "/+=", "é~ü", " and blank", '"q"\\b', "%25&x")


@dataclass(frozen=True, slots=True)
class Canary:
    """``secret`` must stand nowhere; ``spelled`` is the text that is planted."""

    secret: str
    spelled: str
    is_known: bool
    is_sayable: bool

    @property
    def halves(self) -> tuple[str, str]:
        """For one that comes in two pieces; each long enough to be told from anything else."""
        middle = len(self.spelled) // 2
        return self.spelled[:middle], self.spelled[middle:]


def _base64(shift: int, *, is_url_safe: bool) -> Callable[[str], str]:
    def spelled(text: str) -> str:
        content = b" " * shift + text.encode() + b"\n."
        encode = base64.urlsafe_b64encode if is_url_safe else base64.b64encode
        return encode(content).decode()

    return spelled


SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "json": lambda text: json.dumps(text)[1:-1],
    "json twice": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "unicode escapes": lambda text: "".join(f"\\u{ord(c):04x}" for c in text),
    "percent": lambda text: quote(text, safe=""),
    "percent lower": lambda text: re.sub(r"%..", lambda m: m.group().lower(), quote(text, safe="")),
    "percent all": lambda text: "".join(f"%{b:02X}" for b in text.encode()),
    "plus": quote_plus,
    "base64": _base64(0, is_url_safe=False),
    "base64 1": _base64(1, is_url_safe=False),
    "base64 2": _base64(2, is_url_safe=False),
    "base64 url": _base64(0, is_url_safe=True),
    "base64 url 1": _base64(1, is_url_safe=True),
    "base64 url 2": _base64(2, is_url_safe=True),
}

FORMS: Mapping[str, Callable[[str], str]] = {
    "bearer": lambda s: f"Bearer {s}",
    "basic": lambda s: f"Basic {s}",
    "key": lambda s: f"sk-{s}",
    "user info": lambda s: f"wss://maya:{s}@host/x",
    "query": lambda s: f"https://host/x?api_key={s}&b=c",
    "short query": lambda s: f"https://host/x?a=b&key={s}",
    "assignment": lambda s: f"access_token={s}",
}
MACHINE_FORMS: Mapping[str, Callable[[str], str]] = {
    "header": lambda s: f"X-Auth-Token: {s}",
    "authorization": lambda s: f"Authorization: Bearer {s}",
    "cookie": lambda s: f"Set-Cookie: sid={s}; Path=/",
    "json": lambda s: f'{{"password": "{s}", "n": 1',
    "python": lambda s: f"{{'client_secret': '{s}', 'n': 1}}",
}


class Nest:
    """Makes canaries, each another one, always the same by the seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._count = 0
        self.all: list[Canary] = []

    def known(self, spelling: str, special: str = "") -> Canary:
        secret = f"{self._body()}{special}"
        return self._kept(Canary(secret, SPELLINGS[spelling](secret), True, spelling == "plain"))

    def form(self, form: str, spelling: str = "plain") -> Canary:
        secret = self._body()
        text = (FORMS | MACHINE_FORMS)[form](secret)
        return self._kept(Canary(secret, SPELLINGS[spelling](text), False, form in FORMS))

    def field(self) -> Canary:
        """One that nothing tells but the name of the field it will stand in."""
        secret = self._body()
        return self._kept(Canary(secret, secret, False, False))

    def environment(self) -> dict[str, str]:
        """The variables that make the known ones known."""
        known = [one.secret for one in self.all if one.is_known]
        return {f"NEST_{number}_TOKEN": secret for number, secret in enumerate(known)}

    def _body(self) -> str:
        self._count += 1
        letters = "".join(self._random.choices(ascii_letters + digits, k=16))
        return f"{MARK}{self._count:03}{letters}7aZ"

    def _kept(self, canary: Canary) -> Canary:
        self.all.append(canary)
        return canary


def found(contents: Mapping[str, bytes], canaries: Iterable[Canary]) -> dict[str, set[str]]:
    """The canaries that stand in any content, by their secrets, each with where."""
    secrets = [one.secret for one in canaries]
    wanted = re.compile("|".join(map(re.escape, sorted(secrets, key=len, reverse=True))))
    seen: dict[str, set[str]] = {}
    for name, content in contents.items():
        for text in readings(name, content):
            for match in wanted.finditer(text):
                seen.setdefault(match.group(), set()).add(name)
    return seen


def readings(name: str, content: bytes) -> Iterator[str]:
    """A content as text, in every way somebody could read it."""
    text = content.decode("utf-8", "replace")
    latest = [text]
    if name.endswith(".wav"):
        yield text
        return
    if name.startswith("events/"):
        latest += _joined_deltas(text)
    if name.startswith("transcripts/"):
        latest += _joined_captions(text)
    seen = set(latest)
    yield from latest
    for _ in range(3):
        latest = [new for old in latest for new in _decodings(old) if new not in seen]
        seen.update(latest)
        yield from latest
    runs = {run for one in seen for run in re.findall(r"[A-Za-z0-9+/_-]{12,}", one)}
    yield "\n".join(_base64_in(runs))


def _decodings(text: str) -> Iterator[str]:
    yield re.sub(
        r"\\u([0-9a-fA-F]{4})|\\([\"\\/])",
        lambda m: chr(int(m[1], 16)) if m[1] else m[2],
        text,
    )
    yield unquote(text)
    yield unquote_plus(text)


def _base64_in(runs: Iterable[str]) -> Iterator[str]:
    for run in runs:
        for skipped in range(4):
            letters = run[skipped:].translate(str.maketrans("-_", "+/"))
            letters = letters[: len(letters) - len(letters) % 4]
            yield base64.b64decode(letters).decode("utf-8", "replace")


def _joined_deltas(text: str) -> Iterator[str]:
    pieces: dict[str, list[str]] = {}
    for line in text.splitlines():
        row = json.loads(line)
        event = row.get("event")
        if isinstance(event, dict) and isinstance(event.get("delta"), str):
            pieces.setdefault(row["type"], []).append(event["delta"])
    for one in pieces.values():
        yield "".join(one)
        yield " ".join(one)


def _joined_captions(text: str) -> Iterator[str]:
    pieces: dict[str, list[str]] = {}
    evidence = json.loads(text)["evidence"]
    for source in ("observations", "caller_observations"):
        for seen in evidence.get(source, ()):
            if isinstance(seen.get("text"), str):
                name = f"{source} {seen['observation']} {seen.get('speaker')}"
                pieces.setdefault(name, []).append(seen["text"])
    for one in pieces.values():
        yield "".join(one)
        yield " ".join(one)
