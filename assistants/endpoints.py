"""Which addresses we talk to, and which we refuse before anything is sent.

TLS, no credentials, query or fragment in the URL; plaintext only to this machine and only when it
was allowed. See ``assistants/README.md``.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from shared.errors import UsageError

SOCKET_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
LIVE_PATH = "/v1/live/sessions"
RETIRED_PATH = "/v1/live"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A WebSocket address that passed the rules."""

    url: str
    is_loopback: bool


def live_endpoint(text: str, *, allow_plaintext_loopback: bool, setting: str) -> Endpoint:
    """Check the address of a GPT Live service. Refusals never repeat the address."""

    def refuse(what: str, fix: str) -> UsageError:
        return UsageError(f"{setting}: {what}; {fix}")

    if any(char.isspace() or not char.isprintable() for char in text):
        raise refuse("the URL holds blanks or control characters", "remove them")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise refuse("this is not a URL", f"write https://HOST{LIVE_PATH}") from None
    scheme = SOCKET_SCHEMES.get(parts.scheme)
    if scheme is None or not parts.hostname or port == 0:
        raise refuse("this is not an http(s) or ws(s) URL", f"write https://HOST{LIVE_PATH}")
    if parts.username is not None or parts.password is not None:
        raise refuse("the URL carries credentials", "put the key into OPENAI_API_KEY")
    if parts.query or parts.fragment or text.endswith(("?", "#")):
        raise refuse("the URL carries a query or fragment", "the model is a setting of its own")
    if parts.path.rstrip("/") == RETIRED_PATH:
        raise refuse("the path is the retired one", f"use {LIVE_PATH}")
    is_loopback = _is_loopback(parts.hostname)
    if scheme == "ws" and not (is_loopback and allow_plaintext_loopback):
        raise refuse(
            "plaintext is refused",
            "use https, or for a service on this machine set "
            "OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK=true"
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
