"""Credentials never reach a file: known values, well-known forms, and fields that hold them.

Each distinct secret gets one numbered placeholder per attempt, so that what was equal stays equal
and what was different stays different. Speech and prose are masked only for known values and
unmistakable forms; assignments are looked for in machine text alone. Best effort, not anonymity:
names and numbers of customers stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from shared.strict_json import JsonSyntaxError, parse
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
    # What follows must look made up: "basic responsibilities" is ordinary speech.
    re.compile(
        r"\b(?i:bearer|basic)\s+(?=[A-Za-z._~+/=-]*(?:\d|[a-z][A-Z]))([A-Za-z0-9._~+/=-]{16,})"
    ),
    re.compile(r"\b(sk-[A-Za-z0-9_-]{16,})"),
    re.compile(r"://([^/\s@\"'?#]+)@"),
)
_SIGNS = ("sk-", "://", "bearer", "basic")  # without one of them no form can match
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
    """Masks one attempt's texts. ``fields`` are further names whose values are masked."""

    def __init__(
        self,
        known: Iterable[str] = (),
        fields: Iterable[str] = (),
        *,
        numbers: dict[str, int] | None = None,
    ) -> None:
        # Longest first, so that a secret inside another one does not leave the rest standing.
        self._known = tuple(
            sorted({k for k in known if len(k) >= SHORTEST_KNOWN_SECRET}, key=_by_length)
        )
        self._fields = CREDENTIAL_FIELDS | {normalised(field) for field in fields}
        self._numbers: dict[str, int] = {} if numbers is None else numbers

    def with_fields(self, fields: Iterable[str]) -> Masker:
        """A masker that knows these fields too; what is equal for one of both is for the other."""
        return Masker(self._known, {*self._fields, *fields}, numbers=self._numbers)

    def prose(self, text: str) -> str:
        """Mask spoken or written language."""
        for secret in self._known:
            if secret in text:
                text = text.replace(secret, self._placeholder(secret))
        folded = text.casefold()
        if any(sign in folded for sign in _SIGNS):
            for form in _FORMS:
                text = form.sub(self._masked_group, text)
        return text

    def machine_text(self, text: str) -> str:
        """Mask text that programs write: errors, arguments, headers; JSON by its fields."""
        by_fields = self._embedded(text)
        if by_fields is not None:
            return by_fields
        return _ASSIGNMENT.sub(self._masked_group, self.prose(text))

    def value(self, value: JsonValue) -> JsonValue:
        """Mask a JSON value; in a credential field every text is masked whole."""
        return self._walked(value, "", self._text)

    def machine_value(self, value: JsonValue) -> JsonValue:
        """Mask a JSON value whose texts programs wrote, such as an error."""
        return self._walked(value, "", self.machine_text)

    def object(self, value: JsonObject) -> JsonObject:
        masked = self.value(value)
        if not isinstance(masked, dict):
            raise TypeError("an object stays an object")
        return masked

    def _walked(self, value: JsonValue, field: str, read: Callable[[str], str]) -> JsonValue:
        match value:
            case str():
                is_credential = _is_credential(field, self._fields)
                return self._placeholder(value) if is_credential else read(value)
            case Mapping():
                return {
                    self.prose(key): self._walked(inner, self._field_of(key, field), read)
                    for key, inner in value.items()
                }
            case Sequence():
                return [self._walked(inner, field, read) for inner in value]
            case _:
                return value

    def _text(self, text: str) -> str:
        by_fields = self._embedded(text)
        return self.prose(text) if by_fields is None else by_fields

    def _field_of(self, key: str, outer: str) -> str:
        """What lies within a credential field belongs to it, but for a comparator's own name."""
        return outer if _is_credential(outer, self._fields) and not key.startswith("$") else key

    def _embedded(self, text: str) -> str | None:
        """A text that is itself a JSON object or list, masked by its fields where it must be."""
        if not text.lstrip().startswith(("{", "[")):
            return None
        try:
            document = parse(text)
        except JsonSyntaxError:
            return None
        masked = self.value(document.value)
        if masked == document.value:
            return text
        return json.dumps(masked, ensure_ascii=False, separators=(",", ":"))

    def _masked_group(self, match: re.Match[str]) -> str:
        start, end = match.start(1) - match.start(0), match.end(1) - match.start(0)
        whole = match.group(0)
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
