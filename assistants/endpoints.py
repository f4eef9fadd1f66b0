"""Which addresses we talk to, and which we refuse before anything is sent.

TLS, no credentials, query or fragment in the URL; plaintext only to this machine and only when it
was allowed. See ``assistants/README.md``.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from shared.errors import UsageError

SOCKET_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
HTTP_SCHEMES = {"http": "http", "https": "https"}
PLAINTEXT = frozenset({"http", "ws"})
LIVE_PATH = "/v1/live/sessions"
RETIRED_PATH = "/v1/live"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address that passed the rules."""

    url: str
    is_loopback: bool


def live_endpoint(text: str, *, allow_plaintext_loopback: bool, setting: str) -> Endpoint:
    """Check the address of a GPT Live service. Refusals never repeat the address."""
    rules = _Rules(setting, SOCKET_SCHEMES, "http(s) or ws(s)", f"https://HOST{LIVE_PATH}")
    parts = _split(text, rules)
    if parts.path.rstrip("/") == RETIRED_PATH:
        raise rules.refusal("the path is the retired one", f"use {LIVE_PATH}")
    return _allowed(parts, rules, allow_plaintext_loopback=allow_plaintext_loopback)


def application_endpoint(text: str, *, allow_plaintext_loopback: bool, setting: str) -> Endpoint:
    """Check the address of a remote application in the same way."""
    rules = _Rules(
        setting,
        SOCKET_SCHEMES,
        "http(s) or ws(s)",
        "wss://HOST/ws/assistant",
        key_goes_to="OPENAI_CLIENT_ASSISTANT_TOKEN",
        no_query="remove it",
        loopback="OPENAI_CLIENT_ASSISTANT_ALLOW_INSECURE_LOOPBACK",
    )
    return _allowed(_split(text, rules), rules, allow_plaintext_loopback=allow_plaintext_loopback)


def http_endpoint(text: str, *, allow_plaintext_loopback: bool, setting: str) -> Endpoint:
    """Check the base URL of an HTTP API in the same way. A slash at its end is dropped."""
    rules = _Rules(setting, HTTP_SCHEMES, "http(s)", "https://HOST/v1")
    parts = _split(text, rules)
    parts = parts._replace(path=parts.path.rstrip("/"))
    return _allowed(parts, rules, allow_plaintext_loopback=allow_plaintext_loopback)


@dataclass(frozen=True, slots=True)
class _Rules:
    """What one setting may hold: schemes with what becomes of them, and how a good one looks."""

    setting: str
    schemes: Mapping[str, str]
    kind: str
    example: str
    key_goes_to: str = "OPENAI_API_KEY"
    no_query: str = "the model is a setting of its own"
    loopback: str = "OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK"

    def refusal(self, what: str, fix: str) -> UsageError:
        return UsageError(f"{self.setting}: {what}; {fix}")


def _split(text: str, rules: _Rules) -> SplitResult:
    """The parts of an address; nothing that does not belong into one gets through."""
    if any(char.isspace() or not char.isprintable() for char in text):
        raise rules.refusal("the URL holds blanks or control characters", "remove them")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise rules.refusal("this is not a URL", f"write {rules.example}") from None
    if parts.scheme not in rules.schemes or not parts.hostname or port == 0:
        raise rules.refusal(f"this is not an {rules.kind} URL", f"write {rules.example}")
    if parts.username is not None or parts.password is not None:
        raise rules.refusal("the URL carries credentials", f"put the key into {rules.key_goes_to}")
    if parts.query or parts.fragment or text.endswith(("?", "#")):
        raise rules.refusal("the URL carries a query or fragment", rules.no_query)
    return parts


def _allowed(parts: SplitResult, rules: _Rules, *, allow_plaintext_loopback: bool) -> Endpoint:
    is_loopback = _is_loopback(parts.hostname or "")
    scheme = rules.schemes[parts.scheme]
    if scheme in PLAINTEXT and not (is_loopback and allow_plaintext_loopback):
        raise rules.refusal(
            "plaintext is refused",
            f"use https, or for a service on this machine set {rules.loopback}=true"
            if is_loopback
            else "use https",
        )
    return Endpoint(f"{scheme}://{parts.netloc}{parts.path}", is_loopback)


def _is_loopback(host: str) -> bool:
    """Whether the host is this machine by its literal name; nothing is looked up."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
