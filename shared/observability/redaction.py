"""Credentials never reach a file: known values, well-known forms, and fields that hold them.

Each distinct secret gets one numbered placeholder per attempt, so that what was equal stays equal
and what was different stays different. Speech and prose are masked only for known values and
unmistakable forms; assignments are looked for in machine text alone. Best effort, not anonymity:
names and numbers of customers stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from shared.values import JsonObject, JsonValue

SHORTEST_KNOWN_SECRET = 8

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
    }
)
SECRET_VARIABLE_ENDINGS = ("apikey", "token", "password", "secret")

_FORMS = (
    re.compile(r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{16,})"),
    re.compile(r"\b(sk-[A-Za-z0-9_-]{16,})"),
    re.compile(r"://([^/\s:@]+:[^/\s@]+)@"),
)
_ASSIGNMENT = re.compile(
    r"(?i)\b(?:authorization|api[_ -]?key|(?:access|refresh)[_ -]?token|token|password|passwd"
    r"|client[_ -]?secret|secret)\b[\"']?\s*[:=]\s*[\"']?([^\s\"',;&]{8,})"
)


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


class Masker:
    """Masks one attempt's texts. ``fields`` are further names whose values are masked in logs."""

    def __init__(self, known: Iterable[str] = (), fields: Iterable[str] = ()) -> None:
        # Longest first, so that a secret inside another one does not leave the rest standing.
        self._known = tuple(
            sorted({k for k in known if len(k) >= SHORTEST_KNOWN_SECRET}, key=_by_length)
        )
        self._fields = CREDENTIAL_FIELDS | {normalised(field) for field in fields}
        self._numbers: dict[str, int] = {}

    def prose(self, text: str) -> str:
        """Mask spoken or written language."""
        for secret in self._known:
            if secret in text:
                text = text.replace(secret, self._placeholder(secret))
        if "sk-" in text or "://" in text or "earer" in text or "asic" in text:
            for form in _FORMS:
                text = form.sub(self._masked_group, text)
        return text

    def machine_text(self, text: str) -> str:
        """Mask text that programs write: errors, arguments, headers."""
        return _ASSIGNMENT.sub(self._masked_group, self.prose(text))

    def value(self, value: JsonValue, field: str = "") -> JsonValue:
        """Mask a JSON value; a credential field's whole text is masked."""
        if isinstance(value, str):
            if field and _is_credential(field, self._fields):
                return self._placeholder(value)
            return self.prose(value)
        if isinstance(value, Mapping):
            return {self.prose(key): self.value(inner, key) for key, inner in value.items()}
        if isinstance(value, Sequence):
            return [self.value(inner, field) for inner in value]
        return value

    def object(self, value: JsonObject) -> JsonObject:
        masked = self.value(value)
        if not isinstance(masked, dict):
            raise TypeError("an object stays an object")
        return masked

    def _masked_group(self, match: re.Match[str]) -> str:
        start, end = match.start(1) - match.start(0), match.end(1) - match.start(0)
        whole = match.group(0)
        if match.group(1).startswith("[redacted:"):
            return whole
        return whole[:start] + self._placeholder(match.group(1)) + whole[end:]

    def _placeholder(self, secret: str) -> str:
        if re.fullmatch(r"\[redacted:\d+\]", secret):
            return secret
        return f"[redacted:{self._numbers.setdefault(secret, len(self._numbers) + 1)}]"


@cache
def _is_credential(field: str, fields: frozenset[str]) -> bool:
    return normalised(field) in fields


def _by_length(text: str) -> tuple[int, str]:
    return -len(text), text
