"""Which addresses are taken, as which, and which are refused without being repeated."""

from __future__ import annotations

import pytest

from assistants.endpoints import Endpoint, http_endpoint, live_endpoint
from shared.errors import UsageError

SETTING = "OPENAI_LIVE_ENDPOINT"


def taken(text: str, *, plaintext: bool = False) -> Endpoint:
    return live_endpoint(text, allow_plaintext_loopback=plaintext, setting=SETTING)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        pytest.param(
            "https://api.openai.com/v1/live/sessions",
            "wss://api.openai.com/v1/live/sessions",
            id="https-becomes-wss",
        ),
        pytest.param("wss://host/v1/live/sessions", "wss://host/v1/live/sessions", id="wss-stays"),
        pytest.param("HTTPS://host/path", "wss://host/path", id="a-scheme-in-any-case"),
        pytest.param("https://host:8443/path", "wss://host:8443/path", id="a-port"),
        pytest.param("https://host:65535/path", "wss://host:65535/path", id="the-last-port"),
        pytest.param("https://host:1/path", "wss://host:1/path", id="the-first-port"),
        pytest.param("https://[2001:db8::1]/path", "wss://[2001:db8::1]/path", id="a-literal-ipv6"),
        pytest.param("https://host/v1/live/x", "wss://host/v1/live/x", id="a-path-below-v1-live"),
        pytest.param("https://host/v1/lively", "wss://host/v1/lively", id="a-path-like-v1-live"),
        pytest.param("https://host", "wss://host", id="no-path"),
        pytest.param("https://host/a%20b", "wss://host/a%20b", id="an-escaped-blank"),
    ],
)
def test_a_tls_address_is_taken_whatever_the_flag(text: str, url: str) -> None:
    assert taken(text) == taken(text, plaintext=True) == Endpoint(url, is_loopback=False)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        pytest.param("http://localhost:8000/p", "ws://localhost:8000/p", id="localhost"),
        pytest.param("ws://LOCALHOST:8000/p", "ws://LOCALHOST:8000/p", id="localhost-in-any-case"),
        pytest.param("ws://127.0.0.1:8000/p", "ws://127.0.0.1:8000/p", id="ipv4"),
        pytest.param("ws://127.255.255.254/p", "ws://127.255.255.254/p", id="all-of-127"),
        pytest.param("ws://[::1]:8000/p", "ws://[::1]:8000/p", id="ipv6"),
    ],
)
def test_plaintext_to_this_machine_needs_the_flag(text: str, url: str) -> None:
    assert taken(text, plaintext=True) == Endpoint(url, is_loopback=True)
    with pytest.raises(UsageError, match="OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK"):
        taken(text)


def test_tls_to_this_machine_needs_no_flag() -> None:
    assert taken("https://localhost/p") == Endpoint("wss://localhost/p", is_loopback=True)


@pytest.mark.parametrize(
    "host",
    [
        pytest.param("host.example", id="a-name"),
        pytest.param("localhost.example", id="a-name-that-begins-like-localhost"),
        pytest.param("mylocalhost", id="a-name-that-ends-like-localhost"),
        pytest.param("127.0.0.1.example", id="a-name-that-begins-like-an-address"),
        pytest.param("127.1", id="a-short-address"),
        pytest.param("2130706433", id="an-address-as-one-number"),
        pytest.param("0x7f000001", id="an-address-in-hexadecimal"),
        pytest.param("0.0.0.0", id="any-address"),  # noqa: S104 - nothing binds to it
        pytest.param("126.255.255.255", id="the-address-before-the-range"),
        pytest.param("128.0.0.0", id="the-address-after-the-range"),
        pytest.param("[::2]", id="the-ipv6-address-after"),
        pytest.param("[::]", id="any-ipv6-address"),
    ],
)
def test_plaintext_elsewhere_is_refused_even_with_the_flag(host: str) -> None:
    with pytest.raises(UsageError, match="plaintext is refused; use https") as refused:
        taken(f"http://{host}/p", plaintext=True)
    assert "LOOPBACK" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        pytest.param("", "not an http", id="nothing"),
        pytest.param("host/v1/live/sessions", "not an http", id="no-scheme"),
        pytest.param("ftp://host/p", "not an http", id="another-scheme"),
        pytest.param("https:///p", "not an http", id="no-host"),
        pytest.param("https://:443/p", "not an http", id="a-port-alone"),
        pytest.param("https://host:0/p", "not an http", id="port-0"),
        pytest.param("https://host:65536/p", "not a URL", id="a-port-one-too-large"),
        pytest.param("https://host:x/p", "not a URL", id="a-port-of-letters"),
        pytest.param("https://[::1/p", "not a URL", id="an-open-bracket"),
        pytest.param("https://user@host/p", "credentials", id="a-user"),
        pytest.param("https://user:word@host/p", "credentials", id="a-user-with-password"),
        pytest.param("https://@host/p", "credentials", id="an-empty-user"),
        pytest.param("https://:@host/p", "credentials", id="an-empty-user-and-password"),
        pytest.param("https://host/p?model=x", "query", id="a-query"),
        pytest.param("https://host/p?", "query", id="an-empty-query"),
        pytest.param("https://host/p#x", "fragment", id="a-fragment"),
        pytest.param("https://host/p#", "fragment", id="an-empty-fragment"),
        pytest.param("https://host/p?#", "fragment", id="an-empty-query-and-fragment"),
        pytest.param("https://host/v1/live", "retired", id="the-retired-path"),
        pytest.param("https://host/v1/live/", "retired", id="the-retired-path-and-a-slash"),
        pytest.param(" https://host/p", "blanks", id="a-blank-before"),
        pytest.param("https://host/p ", "blanks", id="a-blank-after"),
        pytest.param("https://host/a b", "blanks", id="a-blank-inside"),
        pytest.param("https://host/p\n", "blanks", id="a-line-end"),
        pytest.param("https://ho\tst/p", "blanks", id="a-tab"),
        pytest.param("https://host/\x00", "blanks", id="a-nul"),
        pytest.param("https://host/\x7f", "blanks", id="a-delete"),
        pytest.param("https://host/\u00a0", "blanks", id="a-no-break-space"),
        pytest.param("https://host/\u200b", "blanks", id="a-zero-width-space"),
    ],
)
def test_refused_with_the_flag_and_without(text: str, what: str) -> None:
    for plaintext in (False, True):
        with pytest.raises(UsageError, match=what):
            taken(text, plaintext=plaintext)


@pytest.mark.parametrize(
    "text",
    [
        "https://secret-user:secret-word@host/p",
        "https://host/p?key=secret-word",
        "https://host/p#secret-word",
        "https://host:secret-word/p",
        "http://secret-host/p",
        "secret-scheme://host/p",
        "https://secret host/p",
        "https://secret-host/v1/live",
    ],
)
def test_a_refusal_names_the_setting_and_a_remedy_in_one_line_and_never_the_address(
    text: str,
) -> None:
    with pytest.raises(UsageError) as refused:
        taken(text)
    line = str(refused.value)
    assert line.startswith(f"{SETTING}: ")
    assert "; " in line
    assert "\n" not in line
    assert "secret" not in line
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


def base(text: str, *, plaintext: bool = False) -> Endpoint:
    return http_endpoint(text, allow_plaintext_loopback=plaintext, setting="OPENAI_BASE_URL")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        pytest.param("https://api.openai.com/v1", "https://api.openai.com/v1", id="as-it-is"),
        pytest.param("https://host/v1/", "https://host/v1", id="without-the-slash-at-its-end"),
        pytest.param("https://host:8443", "https://host:8443", id="with-a-port"),
        pytest.param("https://host/v1/live", "https://host/v1/live", id="with-any-path"),
    ],
)
def test_a_base_url_is_taken(text: str, url: str) -> None:
    assert base(text) == base(text, plaintext=True) == Endpoint(url, is_loopback=False)


def test_a_base_url_on_this_machine_needs_the_flag_for_plaintext() -> None:
    text = "http://127.0.0.1:8000/v1/"
    assert base(text, plaintext=True) == Endpoint("http://127.0.0.1:8000/v1", is_loopback=True)
    with pytest.raises(UsageError, match=r"^OPENAI_BASE_URL: .*ALLOW_INSECURE_LOOPBACK=true"):
        base(text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        pytest.param("http://host/v1", "plaintext is refused; use https", id="plaintext"),
        pytest.param("wss://host/v1", "not an http", id="a-socket"),
        pytest.param("https://user:secret@host/v1", "credentials", id="credentials"),
        pytest.param("https://host/v1?key=secret", "query", id="a-query"),
        pytest.param("https://host/v1\n", "blanks", id="a-line-end"),
        pytest.param("secret", "not an http", id="no-url"),
    ],
)
def test_a_base_url_is_refused_with(text: str, what: str) -> None:
    with pytest.raises(UsageError, match=what) as refused:
        base(text, plaintext=True)
    assert str(refused.value).startswith("OPENAI_BASE_URL: ")
    assert "secret" not in str(refused.value)
