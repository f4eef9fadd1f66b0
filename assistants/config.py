"""The assistant's settings: rows of the one table, and the object sessions are built from."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from shared.errors import UsageError
from shared.settings import Kind, Setting, Settings

DEFAULT_ENDPOINT = "https://api.openai.com/v1/live/sessions"
DEFAULT_BASE_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
BEARER_VARIABLE = "OPENAI_CLIENT_ASSISTANT_TOKEN"
RESPONSES_KEY_VARIABLE = "OPENAI_RESPONSES_API_KEY"
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
CLIENT_EFFORT = "max"
"""What the Responses API takes and no session does: for a backend of the application's own."""
VERBOSITIES = ("low", "medium", "high")
MODES = ("responses", "client")
BOTH = "both"
"""Every scenario under each mode, for a comparison."""

ROWS: tuple[Setting, ...] = (
    Setting(
        "assistant_mode",
        Kind.TEXT,
        "responses",
        "Who runs the delegated work: the provider (responses), your application (client), or each"
        " in a run of its own, to be compared (both).",
        flag="--assistant",
        variable="OPENAI_ASSISTANT_MODE",
        toml="assistant.mode",
        choices=(*MODES, BOTH),
        may_be_blank=True,
    ),
    Setting(
        "assistant_endpoint",
        Kind.TEXT,
        "",
        "WebSocket address of a remote application; belongs to --assistant client.",
        flag="--assistant-endpoint",
        variable="OPENAI_CLIENT_ASSISTANT_ENDPOINT",
        toml="assistant.endpoint",
        may_be_blank=True,
        is_recorded=False,
    ),
    Setting(
        "client_assistant_token",
        Kind.TEXT,
        None,
        "Secret that the remote application knows us by: 32 to 512 characters, no API key.",
        variable=BEARER_VARIABLE,
        may_be_blank=True,
        is_secret=True,
        is_recorded=False,
    ),
    Setting(
        "allow_insecure_client_loopback",
        Kind.SWITCH,
        default=False,
        help="Allow plaintext to a remote application on this machine.",
        variable="OPENAI_CLIENT_ASSISTANT_ALLOW_INSECURE_LOOPBACK",
        may_be_blank=True,
    ),
    Setting(
        "application",
        Kind.PATH,
        None,
        "Folder with the application's prompts, tools, facts and phrases.",
        flag="--application",
        toml="assistant.application",
    ),
    Setting(
        "endpoint",
        Kind.TEXT,
        DEFAULT_ENDPOINT,
        "Address of the GPT Live service.",
        flag="--endpoint",
        variable="OPENAI_LIVE_ENDPOINT",
    ),
    Setting(
        "base_url",
        Kind.TEXT,
        DEFAULT_BASE_URL,
        "Base URL of the HTTP API that speaks for callers and answers for models.",
        variable="OPENAI_BASE_URL",
        may_be_blank=True,
    ),
    Setting(
        "model",
        Kind.TEXT,
        "gpt-live-1",
        "Voice model to evaluate.",
        flag="--model",
        variable="OPENAI_LIVE_MODEL",
    ),
    Setting(
        "voice",
        Kind.TEXT,
        "marin",
        "The assistant's voice; a name that starts with voice_ is a custom one.",
        flag="--voice",
        variable="OPENAI_LIVE_VOICE",
    ),
    Setting(
        "backend_model",
        Kind.TEXT,
        "gpt-5.6-terra",
        "Model that does the delegated work.",
        flag="--backend-model",
        variable="OPENAI_LIVE_BACKEND_MODEL",
    ),
    Setting(
        "backend_reasoning_effort",
        Kind.TEXT,
        "none",
        "Reasoning effort of the backend model; max belongs to --assistant client.",
        variable="OPENAI_LIVE_BACKEND_REASONING_EFFORT",
        choices=(*EFFORTS, CLIENT_EFFORT),
    ),
    Setting(
        "backend_max_output_tokens",
        Kind.INTEGER,
        1000,
        "Most tokens of one backend response.",
        variable="OPENAI_LIVE_BACKEND_MAX_OUTPUT_TOKENS",
        minimum=16,
    ),
    Setting(
        "backend_verbosity",
        Kind.TEXT,
        "low",
        "Verbosity of the backend model.",
        variable="OPENAI_LIVE_BACKEND_VERBOSITY",
        choices=VERBOSITIES,
    ),
    Setting(
        "api_key",
        Kind.TEXT,
        None,
        "API key; needed for every live run.",
        variable=KEY_VARIABLE,
        may_be_blank=True,
        is_secret=True,
        is_recorded=False,
    ),
    Setting(
        "allow_insecure_loopback",
        Kind.SWITCH,
        default=False,
        help="Allow plaintext to a GPT Live service on this machine.",
        variable="OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK",
        may_be_blank=True,
    ),
    Setting(
        "connect_timeout_seconds",
        Kind.NUMBER,
        15.0,
        "How long the connection may take to open.",
        toml="assistant.connect_timeout_seconds",
        above=0,
    ),
    Setting(
        "ping_interval_seconds",
        Kind.NUMBER,
        20.0,
        "How often the connection is tried with a ping.",
        toml="assistant.ping_interval_seconds",
        above=0,
    ),
    Setting(
        "ping_timeout_seconds",
        Kind.NUMBER,
        60.0,
        "How long the answer to a ping may take before the connection counts as lost.",
        toml="assistant.ping_timeout_seconds",
        above=0,
    ),
    Setting(
        "send_queue_seconds",
        Kind.NUMBER,
        20.0,
        "How much caller audio may wait for a provider that does not take it.",
        toml="assistant.send_queue_seconds",
        above=0,
        maximum=3600,
    ),
    Setting(
        "start_timeout_seconds",
        Kind.NUMBER,
        20.0,
        "How long session.started may take.",
        toml="assistant.start_timeout_seconds",
        above=0,
    ),
    Setting(
        "close_timeout_seconds",
        Kind.NUMBER,
        15.0,
        "How long session.closed may take.",
        toml="assistant.close_timeout_seconds",
        above=0,
    ),
    # Delegation managed by the application, with its backend in this process.
    Setting(
        "client_backend",
        Kind.PATH,
        None,
        "Python file with your own backend, a class Backend; belongs to --assistant client.",
        flag="--client-backend",
        toml="assistant.backend",
    ),
    Setting(
        "responses_api_key",
        Kind.TEXT,
        None,
        "API key of the client backend alone; without it that of every live run.",
        variable=RESPONSES_KEY_VARIABLE,
        may_be_blank=True,
        is_secret=True,
        is_recorded=False,
    ),
    Setting(
        "handoff_quiet_ms",
        Kind.INTEGER,
        300,
        "--assistant client: how long the caller's captions must rest before work is handed over.",
        toml="assistant.handoff_quiet_ms",
        minimum=0,
        maximum=60_000,
    ),
    Setting(
        "handoff_wait_ms",
        Kind.INTEGER,
        1_500,
        "--assistant client: how long a handover waits for them at most.",
        toml="assistant.handoff_wait_ms",
        minimum=0,
        maximum=60_000,
    ),
    Setting(
        "delegation_timeout_seconds",
        Kind.NUMBER,
        60.0,
        "--assistant client: how long one delegation may take, from its handover to its result.",
        toml="assistant.delegation_timeout_seconds",
        above=0,
        maximum=3_600,
    ),
)


SHORTEST_KEY = 8


def api_key(settings: Settings, *, needed_for: str, otherwise: str) -> str:
    """The key, if it is one that can be sent; a refusal names its variable and nothing of it."""
    key = settings["api_key"]
    if not isinstance(key, str) or not key:
        raise UsageError(f"{KEY_VARIABLE}: {needed_for} needs a key; set it, or use {otherwise}")
    return _sendable(key, KEY_VARIABLE)


def responses_key(settings: Settings, otherwise: str = "--client-backend for your own") -> str:
    """The client backend's key: one of its own, or else that of every live run."""
    own = settings["responses_api_key"]
    if isinstance(own, str) and own:
        return _sendable(own, RESPONSES_KEY_VARIABLE)
    return api_key(settings, needed_for="the backend", otherwise=otherwise)


def _sendable(key: str, variable: str) -> str:
    # A header takes nothing else, and what goes out otherwise is another key than was meant.
    if not all("!" <= character <= "~" for character in key):
        raise UsageError(
            f"{variable}: holds a blank, a line end or another character that no key has;"
            " copy the key again"
        )
    if len(key) < SHORTEST_KEY:
        # No shorter value can be masked: it would be found in every text.
        raise UsageError(f"{variable}: has fewer than {SHORTEST_KEY} characters; copy it whole")
    return key


TOKEN_LENGTHS = range(32, 513)


def client_token(settings: Settings, keys: Iterable[str]) -> str:
    """The remote application's token, if it is one; a refusal names its variable and nothing of it.

    ``keys`` are the API keys that are known, none of which it may be.
    """
    token = settings["client_assistant_token"]
    if not isinstance(token, str) or not token:
        raise UsageError(
            f"{BEARER_VARIABLE}: a remote application needs a token; set the one its service has"
        )
    if len(token) not in TOKEN_LENGTHS or not all("!" <= one <= "~" for one in token):
        raise UsageError(
            f"{BEARER_VARIABLE}: is no token of 32 to 512 printable characters without blanks;"
            " make a random one"
        )
    if any(hmac.compare_digest(token.encode(), _as_bytes(key)) for key in keys):
        raise UsageError(f"{BEARER_VARIABLE}: is also an API key; make a token of its own")
    return token


def _as_bytes(key: str) -> bytes:
    """A value of the environment, which may be no text."""
    return key.encode("utf-8", "surrogateescape")


def api_keys(*environments: Mapping[str, str]) -> list[str]:
    """The API keys there are, wherever a value is set."""
    return [
        key
        for environment in environments
        for variable in (KEY_VARIABLE, RESPONSES_KEY_VARIABLE)
        if (key := environment.get(variable, "").strip())
    ]


@dataclass(frozen=True, slots=True)
class LiveAgentSettings:
    """How to reach and configure one GPT Live assistant. The key never shows in a repr."""

    endpoint: str = DEFAULT_ENDPOINT
    model: str = "gpt-live-1"
    voice: str = "marin"
    backend_model: str = "gpt-5.6-terra"
    backend_reasoning_effort: str = "none"
    backend_max_output_tokens: int = 1000
    backend_verbosity: str = "low"
    assistant_mode: str = "responses"
    allow_insecure_loopback: bool = False
    connect_timeout_seconds: float = 15.0
    ping_interval_seconds: float = 20.0
    ping_timeout_seconds: float = 60.0
    send_queue_seconds: float = 20.0
    start_timeout_seconds: float = 20.0
    close_timeout_seconds: float = 15.0
    api_key: str = field(default="", repr=False)

    @classmethod
    def of(cls, settings: Settings) -> LiveAgentSettings:
        """Take the assistant's part of a resolved table."""
        key = settings["api_key"]
        return cls(
            endpoint=settings.text("endpoint"),
            model=settings.text("model"),
            voice=settings.text("voice"),
            backend_model=settings.text("backend_model"),
            backend_reasoning_effort=settings.text("backend_reasoning_effort"),
            backend_max_output_tokens=settings.integer("backend_max_output_tokens"),
            backend_verbosity=settings.text("backend_verbosity"),
            assistant_mode=settings.text("assistant_mode"),
            allow_insecure_loopback=settings.switch("allow_insecure_loopback"),
            connect_timeout_seconds=settings.number("connect_timeout_seconds"),
            ping_interval_seconds=settings.number("ping_interval_seconds"),
            ping_timeout_seconds=settings.number("ping_timeout_seconds"),
            send_queue_seconds=settings.number("send_queue_seconds"),
            start_timeout_seconds=settings.number("start_timeout_seconds"),
            close_timeout_seconds=settings.number("close_timeout_seconds"),
            api_key=key if isinstance(key, str) else "",
        )
