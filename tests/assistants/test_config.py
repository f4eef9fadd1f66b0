"""The assistant's rows and the object sessions are built from."""

from __future__ import annotations

from dataclasses import fields

import pytest

from assistants.config import (
    CLIENT_EFFORT,
    DEFAULT_BASE_URL,
    DEFAULT_ENDPOINT,
    EFFORTS,
    ROWS,
    LiveAgentSettings,
    api_key,
    responses_key,
)
from shared.errors import UsageError
from shared.settings import Settings, resolve

HIDDEN = "sk-a-key-that-nobody-may-see"


def resolved(**environment: str) -> Settings:
    return resolve(ROWS, flags={}, environment=environment, env_file={}, toml={})


def test_its_defaults_are_the_tables() -> None:
    assert LiveAgentSettings.of(resolved()) == LiveAgentSettings()


def test_every_field_is_a_row() -> None:
    assert {field.name for field in fields(LiveAgentSettings)} <= {row.name for row in ROWS}


def test_it_is_taken_from_the_variables() -> None:
    settings = LiveAgentSettings.of(
        resolved(
            OPENAI_API_KEY=HIDDEN,
            OPENAI_LIVE_ENDPOINT="https://live.example/v1/live/sessions",
            OPENAI_LIVE_MODEL="another-live",
            OPENAI_LIVE_VOICE="voice_custom",
            OPENAI_LIVE_BACKEND_MODEL="another-backend",
            OPENAI_LIVE_BACKEND_REASONING_EFFORT="xhigh",
            OPENAI_LIVE_BACKEND_MAX_OUTPUT_TOKENS="16",
            OPENAI_LIVE_BACKEND_VERBOSITY="high",
            OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK="yes",
        )
    )

    assert settings == LiveAgentSettings(
        endpoint="https://live.example/v1/live/sessions",
        model="another-live",
        voice="voice_custom",
        backend_model="another-backend",
        backend_reasoning_effort="xhigh",
        backend_max_output_tokens=16,
        backend_verbosity="high",
        allow_insecure_loopback=True,
        api_key=HIDDEN,
    )


def test_the_key_never_shows() -> None:
    settings = resolved(OPENAI_API_KEY=HIDDEN)

    assert HIDDEN not in repr(LiveAgentSettings.of(settings))
    assert HIDDEN not in repr(settings)
    assert HIDDEN not in str(settings.recorded())
    assert list(settings.secrets()) == [HIDDEN]


@pytest.mark.parametrize(
    "variable",
    [
        "OPENAI_LIVE_ENDPOINT",
        "OPENAI_LIVE_MODEL",
        "OPENAI_LIVE_VOICE",
        "OPENAI_LIVE_BACKEND_MODEL",
        "OPENAI_LIVE_BACKEND_REASONING_EFFORT",
        "OPENAI_LIVE_BACKEND_MAX_OUTPUT_TOKENS",
        "OPENAI_LIVE_BACKEND_VERBOSITY",
    ],
)
def test_blank_is_a_mistake_in(variable: str) -> None:
    with pytest.raises(UsageError, match=f"^{variable}: set but blank"):
        resolved(**{variable: " "})


@pytest.mark.parametrize(
    ("variable", "name", "default"),
    [
        ("OPENAI_API_KEY", "api_key", None),
        ("OPENAI_ASSISTANT_MODE", "assistant_mode", "responses"),
        ("OPENAI_BASE_URL", "base_url", DEFAULT_BASE_URL),
        ("OPENAI_CLIENT_ASSISTANT_ENDPOINT", "assistant_endpoint", ""),
        ("OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK", "allow_insecure_loopback", False),
    ],
)
def test_blank_is_the_default_of(variable: str, name: str, default: object) -> None:
    assert resolved(**{variable: ""})[name] == default


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        pytest.param("OPENAI_LIVE_BACKEND_MAX_OUTPUT_TOKENS", "15", id="too-few-tokens"),
        pytest.param("OPENAI_LIVE_BACKEND_REASONING_EFFORT", "most", id="an-unknown-effort"),
        pytest.param("OPENAI_LIVE_BACKEND_VERBOSITY", "LOW", id="a-verbosity-in-capitals"),
        pytest.param("OPENAI_ASSISTANT_MODE", "managed", id="an-unknown-mode"),
        pytest.param("OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK", "maybe", id="an-undecided-switch"),
    ],
)
def test_refused_is(variable: str, text: str) -> None:
    with pytest.raises(UsageError, match=f"^{variable}: "):
        resolved(**{variable: text})


@pytest.mark.parametrize("effort", [*EFFORTS, CLIENT_EFFORT])
def test_an_effort_the_service_takes(effort: str) -> None:
    assert resolved(OPENAI_LIVE_BACKEND_REASONING_EFFORT=effort).text("backend_reasoning_effort")


def test_the_default_services_are_reached_by_tls() -> None:
    assert DEFAULT_ENDPOINT.startswith("https://")
    assert DEFAULT_BASE_URL.startswith("https://")


@pytest.mark.parametrize("key", [HIDDEN, "any-text", "!~!~!~!~", "sk_0/+=8"])
def test_a_key_can_be_sent_that_is(key: str) -> None:
    assert (
        api_key(resolved(OPENAI_API_KEY=f" {key}\n"), needed_for="a live run", otherwise="x") == key
    )


@pytest.mark.parametrize(
    "key",
    [
        pytest.param("sk-secr\u00e9t", id="a-letter-with-an-accent"),
        pytest.param("sk-secret\u2026", id="an-ellipsis"),
        pytest.param("sk-\nsecret", id="a-line-end"),
        pytest.param("sk-\rsecret", id="a-carriage-return"),
        pytest.param("sk- secret", id="a-blank"),
        pytest.param("sk-\x7fsecret", id="a-control-character"),
        pytest.param("sk-\u00a0secret", id="a-no-break-space"),
    ],
)
def test_a_key_is_refused_that_holds(key: str) -> None:
    with pytest.raises(UsageError, match=r"^OPENAI_API_KEY: holds a blank") as refused:
        api_key(resolved(OPENAI_API_KEY=key), needed_for="a live run", otherwise="x")
    assert "\n" not in str(refused.value)
    assert "secr" not in str(refused.value)


@pytest.mark.parametrize("key", ["k", "7-chars"])
def test_a_key_too_short_to_be_masked_is_refused(key: str) -> None:
    with pytest.raises(
        UsageError, match=r"^OPENAI_API_KEY: has fewer than 8 characters"
    ) as refused:
        api_key(resolved(OPENAI_API_KEY=key), needed_for="a live run", otherwise="x")
    assert key not in str(refused.value).split()


def test_without_a_key_the_refusal_says_for_what_it_is_needed() -> None:
    with pytest.raises(
        UsageError, match=r"^OPENAI_API_KEY: a live run needs a key; set it, or use x$"
    ):
        api_key(resolved(), needed_for="a live run", otherwise="x")


@pytest.mark.parametrize(
    ("own", "used"),
    [
        pytest.param("sk-of-its-own", "sk-of-its-own", id="one-of-its-own"),
        pytest.param("", HIDDEN, id="a-blank-one"),
        pytest.param(None, HIDDEN, id="none"),
    ],
)
def test_the_client_backend_has_the_key(own: str | None, used: str) -> None:
    given = {} if own is None else {"OPENAI_RESPONSES_API_KEY": own}
    settings = resolved(OPENAI_API_KEY=HIDDEN, **given)
    assert responses_key(settings) == used
    assert set(settings.secrets()) == {HIDDEN, used}
    assert own not in str(settings.recorded()) if own else True


def test_a_key_of_the_backend_alone_is_refused_by_its_own_name() -> None:
    with pytest.raises(UsageError, match=r"^OPENAI_RESPONSES_API_KEY: holds a blank") as refused:
        responses_key(resolved(OPENAI_RESPONSES_API_KEY="sk-\nsecret"))
    assert "secret" not in str(refused.value)
