"""What is a credential: a value we know, an unmistakable form, or what a telling name introduces.

How much a text must show depends on who wrote it: in speech only what nobody would say counts, in
JSON values also what looks made up behind a telling name, in the text of programs any assignment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from shared.observability.encodings import views

SHORTEST_KNOWN_SECRET = 8
PLACEHOLDER = re.compile(r"\[redacted:\d+\]")

CREDENTIAL_FIELDS = frozenset(
    {
        "authorization",
        "proxyauthorization",
        "apikey",
        "xapikey",
        "openaiapikey",
        "openairesponsesapikey",
        "token",
        "accesstoken",
        "refreshtoken",
        "idtoken",
        "sessiontoken",
        "authtoken",
        "bearertoken",
        "servicetoken",
        "openaiclientassistanttoken",
        "password",
        "passwd",
        "secret",
        "clientsecret",
        "secretkey",
        "privatekey",
        "cookie",
        "setcookie",
        "credential",
        "credentials",
        "pgpassword",
        "passphrase",
        "usertoken",
        "sessionid",
        "accesskey",
        "secretaccesskey",
        "awssecretaccesskey",
    }
)
SECRET_VARIABLE_ENDINGS = (
    "apikey",
    "token",
    "tokens",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "secretkey",
    "accesskey",
    "privatekey",
    "credentials",
    "cookie",
)
MADE_UP = re.compile(r"\d|[a-z][A-Z]")
"""What ordinary words lack and keys have."""

_DEPTH = 3
_LETTER = "[A-Za-z0-9_-]"
_FORMS = (
    # What follows must look made up: "basic responsibilities" is ordinary speech.
    re.compile(
        r"\b(?i:bearer|basic)\s+(?=[A-Za-z._~+/=-]*(?:\d|[a-z][A-Z]))([A-Za-z0-9._~+/=-]{16,})"
    ),
    re.compile(r"(?<![A-Za-z0-9])(sk[-_][A-Za-z0-9_-]{16,})"),
    # A signed web token: a header, a body and a signature in base64. That there are three parts is
    # asked once for a run of letters, so that many beginnings in one take no quadratic time.
    re.compile(
        rf"(?<!{_LETTER})(?={_LETTER}++\.{_LETTER}{{8,}}\.{_LETTER}{{8}})"
        rf"{_LETTER}*?(?<![A-Za-z0-9])(eyJ{_LETTER}{{8,}}\.{_LETTER}{{8,}}\.{_LETTER}{{8,}})"
    ),
    re.compile(r"://([^/\s\"'?#<>]+)@"),
)
_SIGNS = ("sk-", "sk_", "eyj", "://", "bearer", "basic")  # without one of them no form can match
_NAME = (
    r"(?<![A-Za-z0-9])(?:(?:proxy[-_ ]?)?authorization|api[-_ ]?key|passw(?:or)?d|private[-_ ]?key"
    r"|(?:(?:access|refresh|id|session|auth|bearer|service)[-_ ]?)?token|credentials?"
    r"|(?:client[-_ ]?|aws[-_ ]?)?secret(?:[-_ ]?(?:access[-_ ]?)?key)?|(?:set[-_ ]?)?cookie"
    r"|pgpassword|passphrase)"
)
_ASSIGNMENT = re.compile(
    rf"(?i){_NAME}(?:\\{{0,8}}[\"'])?\s{{0,8}}([:=])\s{{0,8}}(?:\\{{0,8}}[\"'])?"
    r"(?:(?:bearer|basic|digest|negotiate|token|apikey)\s{1,8})?([^\s\"'\\,;&]{8,})"
)
_COOKIES = re.compile(r"(?i)(?<![A-Za-z0-9])(?:set-)?cookie\s*:\s*([^\r\n\"']{8,})")
_IN_A_QUERY = re.compile(r"[?&]([A-Za-z0-9_.-]{1,40})=([^&\s\"'#<>]{8,})")
_QUERY_NAMES = frozenset({"key", "sig", "signature"})
# Every repetition is bounded: a text of nothing but backslashes must not take quadratic time.
_QUOTED = re.compile(
    r"(\\{0,8}[\"'])([A-Za-z][\w -]{0,40})\1\s{0,8}:\s{0,8}(\\{0,8}[\"'])(.{1,4096}?)(?<!\\)\3"
)


class Reading(IntEnum):
    """Who wrote a text, by how much may be taken for a credential."""

    PROSE = 0
    DATA = 1
    MACHINE = 2


@dataclass(frozen=True, slots=True)
class Find:
    """A credential and where it stands; ``is_named`` says that only a name tells it."""

    start: int
    end: int
    secret: str
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """Values that are credentials wherever they stand, in any case of letters."""

    values: tuple[str, ...]
    lowered: tuple[str, ...]
    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, values: Iterable[str]) -> Known:
        kept = {value.casefold(): value for value in values if len(value) >= SHORTEST_KNOWN_SECRET}
        # Longest first, so that a secret inside another one does not leave the rest standing.
        ordered = tuple(sorted(kept.values(), key=lambda value: (-len(value), value)))
        lowered = tuple(value.lower() for value in ordered)
        alternatives = "|".join(map(re.escape, ordered))
        return cls(ordered, lowered, re.compile(alternatives, re.IGNORECASE) if ordered else None)

    def finds(self, text: str) -> Iterator[Find]:
        if self.pattern is None:
            return
        lowered = text.lower()
        if any(value in lowered for value in self.lowered):
            for match in self.pattern.finditer(text):
                yield Find(match.start(), match.end(), match.group())


def normalised(field: str) -> str:
    """A field name without case, hyphens, underscores and blanks."""
    return re.sub(r"[-_\s]", "", field).casefold()


def secrets_in(environment: Mapping[str, str]) -> list[str]:
    """Values of variables whose names say that they are credentials."""
    return [
        value
        for name, value in environment.items()
        if len(value) >= SHORTEST_KNOWN_SECRET
        and normalised(name).endswith(SECRET_VARIABLE_ENDINGS)
    ]


def credentials_in(text: str, known: Known, fields: frozenset[str], reading: Reading) -> list[Find]:
    """Every credential of a text, plain or encoded, without overlaps, in order."""
    if len(text) < SHORTEST_KNOWN_SECRET:
        return []
    return merged(_finds(text, known, fields, reading, _DEPTH), text)


def merged(finds: Iterable[Find], text: str) -> list[Find]:
    """Finds that overlap as one; a placeholder is no credential."""
    kept: list[Find] = []
    for find in sorted(finds, key=lambda one: (one.start, -one.end)):
        if PLACEHOLDER.fullmatch(text[find.start : find.end]):
            continue
        if not kept or find.start >= kept[-1].end:
            kept.append(find)
        elif find.end > kept[-1].end:
            start = kept[-1].start
            kept[-1] = Find(start, find.end, text[start : find.end])
        elif not find.is_named:
            kept[-1] = Find(kept[-1].start, kept[-1].end, kept[-1].secret)
    return kept


def _finds(
    text: str, known: Known, fields: frozenset[str], reading: Reading, depth: int
) -> Iterator[Find]:
    yield from known.finds(text)
    yield from _forms(text)
    yield from _named(text, fields, reading)
    if depth == 0:
        return
    for view in views(text):
        for find in _finds(view.text, known, fields, reading, depth - 1):
            start, end = view.written(find.start, find.end)
            secret = text[start:end] if view.is_block else find.secret
            yield Find(start, end, secret, find.is_named)


def _forms(text: str) -> Iterator[Find]:
    folded = text.casefold()
    if any(sign in folded for sign in _SIGNS):
        for form in _FORMS:
            for match in form.finditer(text):
                yield Find(match.start(1), match.end(1), match.group(1))


def _named(text: str, fields: frozenset[str], reading: Reading) -> Iterator[Find]:
    if "=" not in text and ":" not in text:
        return
    for match in _QUOTED.finditer(text):
        if normalised(match.group(2)) in fields:
            yield Find(match.start(4), match.end(4), match.group(4), is_named=True)
    for match in _IN_A_QUERY.finditer(text):
        if normalised(match.group(1)) in fields | _QUERY_NAMES:
            yield Find(match.start(2), match.end(2), match.group(2))
    for match in _ASSIGNMENT.finditer(text):
        is_telling = reading is Reading.DATA or match.group(1) == "="
        looks_made_up = is_telling and MADE_UP.search(match.group(2)) is not None
        if reading is Reading.MACHINE or looks_made_up:
            yield Find(match.start(2), match.end(2), match.group(2))
    if reading is not Reading.PROSE:
        for match in _COOKIES.finditer(text):
            if reading is Reading.MACHINE or MADE_UP.search(match.group(1)):
                yield Find(match.start(1), match.end(1), match.group(1))
