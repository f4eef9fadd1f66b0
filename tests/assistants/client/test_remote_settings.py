"""How a remote application is named and known: what is taken, and what is refused before a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from assistants.config import ROWS, api_keys, client_token
from assistants.endpoints import Endpoint, application_endpoint
from assistants.suite.plan import Plan, plan_run
from crawl_harness.suite import CRAWL
from shared.config import load_settings
from shared.errors import UsageError
from shared.settings import Settings, resolve
from tests.support.conversations import SCENARIO, a_dataset

VARIABLE = "OPENAI_CLIENT_ASSISTANT_TOKEN"
TOKEN = "t0ken-" * 6
SETTING = "--assistant-endpoint"


def resolved(**environment: str) -> Settings:
    return resolve(ROWS, flags={}, environment=environment, env_file={}, toml={})


# The token


@pytest.mark.parametrize(
    "token",
    [
        pytest.param("x" * 32, id="the-shortest"),
        pytest.param("x" * 512, id="the-longest"),
        pytest.param("!" * 16 + "~" * 16, id="the-first-and-the-last-character"),
    ],
)
def test_a_token_is_taken_that_is(token: str) -> None:
    assert client_token(resolved(**{VARIABLE: token}), []) == token


@pytest.mark.parametrize(
    "token",
    [
        pytest.param("x" * 31, id="one-too-short"),
        pytest.param("x" * 513, id="one-too-long"),
        pytest.param("x" * 31 + " y", id="with-a-blank"),
        pytest.param("x" * 31 + "\ny", id="of-two-lines"),
        pytest.param("x" * 31 + "\x7f", id="with-a-control-character"),
        pytest.param("x" * 31 + "é", id="with-an-accent"),
    ],
)
def test_a_token_is_refused_that_is(token: str) -> None:
    with pytest.raises(UsageError, match=f"^{VARIABLE}: is no token") as refused:
        client_token(resolved(**{VARIABLE: token}), [])
    assert "x" * 9 not in str(refused.value)


@pytest.mark.parametrize("key", [TOKEN, "other", "\udcff"])
def test_a_token_is_no_api_key(key: str) -> None:
    settings = resolved(**{VARIABLE: TOKEN})
    if key == TOKEN:
        with pytest.raises(UsageError, match=f"^{VARIABLE}: is also an API key") as refused:
            client_token(settings, ["other", key])
        assert TOKEN not in str(refused.value)
    else:
        assert client_token(settings, [key]) == TOKEN


def test_keys_are_found_wherever_they_are_set() -> None:
    shell = {"OPENAI_API_KEY": " one ", "OTHER": "x"}
    file = {"OPENAI_API_KEY": "two", "OPENAI_RESPONSES_API_KEY": "three"}
    assert api_keys(shell, file) == ["one", "two", "three"]


@pytest.mark.parametrize("text", ["", " "])
def test_no_token_is_said(text: str) -> None:
    with pytest.raises(UsageError, match=f"^{VARIABLE}: a remote application needs a token"):
        client_token(resolved(**{VARIABLE: text}), [])


def test_the_token_never_shows() -> None:
    settings = resolved(**{VARIABLE: TOKEN})
    assert TOKEN not in repr(settings)
    assert TOKEN not in str(settings.recorded())
    assert list(settings.secrets()) == [TOKEN]


# The address


def test_plaintext_to_this_machine_has_a_flag_of_its_own() -> None:
    text = "ws://127.0.0.1:8795/ws/assistant"
    assert application_endpoint(text, allow_plaintext_loopback=True, setting=SETTING) == Endpoint(
        text, is_loopback=True
    )
    with pytest.raises(UsageError, match="OPENAI_CLIENT_ASSISTANT_ALLOW_INSECURE_LOOPBACK=true"):
        application_endpoint(text, allow_plaintext_loopback=False, setting=SETTING)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        pytest.param(
            "wss://u:p@host/ws", "put the key into OPENAI_CLIENT_ASSISTANT_TOKEN", id="credentials"
        ),
        pytest.param("wss://host/ws?token=secret", "remove it", id="a-query"),
        pytest.param("wss://host/ws#secret", "remove it", id="a-fragment"),
        pytest.param("ftp://secret/ws", "write wss://HOST/ws/assistant", id="another-scheme"),
        pytest.param("ws://secret/ws", "use https", id="plaintext-to-elsewhere"),
        pytest.param("wss://host:0/secret", "write wss://HOST/ws/assistant", id="no-port"),
        pytest.param("wss://host/se cret", "remove them", id="a-blank"),
    ],
)
def test_an_address_is_refused_with(text: str, fix: str) -> None:
    for allow in (False, True):
        with pytest.raises(UsageError) as refused:
            application_endpoint(text, allow_plaintext_loopback=allow, setting=SETTING)
        told = str(refused.value)
        assert told.startswith(f"{SETTING}: ")
        assert fix in told
        assert "secret" not in told


# A run

LIVE = {"OPENAI_API_KEY": "any-key-at-all", VARIABLE: TOKEN}
REMOTE = {"assistant_mode": "client", "assistant_endpoint": "wss://agent.example/ws/assistant"}

type Planned = Callable[..., Plan]


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planned:
    """Plan a run by flags and variables; the scenario wants a tool that no folder here has."""
    wanted = {**SCENARIO["expected"], "tools": {"required": [{"name": "of_the_service"}]}}
    data = a_dataset(tmp_path / "data.json", {**SCENARIO, "expected": wanted})
    (tmp_path / "empty.env").touch()

    def plan(flags: Mapping[str, Any], variables: Mapping[str, str] = LIVE) -> Plan:
        for name in [name for name in os.environ if name.startswith("OPENAI_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("GPT_LIVE_EVALS_ENV_FILE", str(tmp_path / "empty.env"))
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        given = {"data": str(data), "synthesizer": "tone", "judge": False, **flags}
        return plan_run(CRAWL, load_settings(CRAWL.rows, given, bundled_toml=CRAWL.bundled_toml))

    return plan


def test_a_live_run_reaches_it_with_its_token_and_asks_for_its_tools(planned: Planned) -> None:
    plan = planned(REMOTE)
    assert plan.kit.client is not None
    address = plan.kit.client.remote
    assert address is not None
    assert (address.url, address.bearer) == ("wss://agent.example/ws/assistant", TOKEN)
    assert TOKEN in plan.secrets
    assert TOKEN not in repr(plan)


@pytest.mark.parametrize(
    ("flags", "variables", "told"),
    [
        pytest.param(REMOTE, {**LIVE, VARIABLE: ""}, f"{VARIABLE}: a remote", id="no-token"),
        pytest.param(
            REMOTE, {**LIVE, "OPENAI_API_KEY": TOKEN}, f"{VARIABLE}: is also", id="the-key"
        ),
        pytest.param(
            REMOTE,
            {**LIVE, "OPENAI_RESPONSES_API_KEY": TOKEN},
            f"{VARIABLE}: is also",
            id="the-backends-key",
        ),
        pytest.param(
            {**REMOTE, "assistant_endpoint": "ws://127.0.0.1:1/x"},
            LIVE,
            "--assistant-endpoint: plaintext is refused",
            id="plaintext",
        ),
        pytest.param(
            {**REMOTE, "assistant_endpoint": ""},
            LIVE,
            "--assistant-endpoint: is blank; give it an address or leave it out",
            id="an-endpoint-that-somebody-forgot-to-fill-in",
        ),
        pytest.param(
            {**REMOTE, "assistant_mode": "responses"},
            LIVE,
            "--assistant-endpoint: belongs to --assistant client",
            id="another-mode",
        ),
    ],
)
def test_a_run_is_refused_with(
    flags: Mapping[str, Any], variables: Mapping[str, str], told: str, planned: Planned
) -> None:
    with pytest.raises(UsageError) as refused:
        planned(flags, variables)
    assert str(refused.value).startswith(told)
    assert TOKEN not in str(refused.value)


@pytest.mark.parametrize("by_flag", [True, False], ids=["by-flag", "by-variable"])
def test_offline_nothing_is_connected_to_and_a_flag_is_told_so(
    by_flag: bool, planned: Planned, tmp_path: Path
) -> None:
    data = a_dataset(tmp_path / "plain.json", SCENARIO)
    flags = {"assistant_mode": "client", "offline": True, "data": str(data)}
    named = REMOTE["assistant_endpoint"]
    plan = planned(
        {**flags, "assistant_endpoint": named} if by_flag else flags,
        {} if by_flag else {"OPENAI_CLIENT_ASSISTANT_ENDPOINT": named},
    )
    assert plan.kit.client is not None
    assert plan.kit.client.remote is None
    told = [line for line in plan.warnings if line.startswith("--assistant-endpoint: offline")]
    assert bool(told) is by_flag
