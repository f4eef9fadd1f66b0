"""What is a credential, by who wrote the text, in plain and in disguise."""

from __future__ import annotations

from base64 import b64encode
from random import Random

import pytest

from shared.observability.credentials import (
    CREDENTIAL_FIELDS,
    PLACEHOLDER,
    Known,
    Reading,
    credentials_in,
)

KNOWN = "a-secret-of-ours"
PROSE, DATA, MACHINE = Reading.PROSE, Reading.DATA, Reading.MACHINE
KEY = "abcdefgh1234"


def secrets(text: str, reading: Reading = PROSE) -> list[str]:
    return [
        text[find.start : find.end]
        for find in credentials_in(text, Known.of([KNOWN]), CREDENTIAL_FIELDS, reading)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(f"A-SECRET-of-Ours {KNOWN}", ["A-SECRET-of-Ours", KNOWN], id="in-any-case"),
        pytest.param(f"x_sk-{KEY}5678", [f"sk-{KEY}5678"], id="a-key-behind-an-underscore"),
        pytest.param(
            "a-eyJabcdefgh.abcdefgh.abcdefg-.eyJ",
            ["eyJabcdefgh.abcdefgh.abcdefg-"],
            id="a-web-token-behind-a-hyphen",
        ),
        pytest.param("eyJabcdefgh.abcdefgh.abcdefg", [], id="a-web-token-with-half-a-signature"),
        pytest.param("a.eyJabcdefg.abcdefgh.abcdefgh", [], id="a-web-token-with-half-a-header"),
        pytest.param(f"https://u:p@ss:{KEY}@h", [f"u:p@ss:{KEY}"], id="an-at-in-a-password"),
        pytest.param(f"https://h/?key={KEY}&b=c", [KEY], id="a-key-in-a-query"),
        pytest.param(f"https://h/?a=b&api_key={KEY}", [KEY], id="an-api-key-in-a-query"),
        pytest.param(f'so "token": "{KEY}" is', [KEY], id="json-in-a-sentence"),
        pytest.param('"token": "abc"', ["abc"], id="json-in-a-sentence-however-short"),
        pytest.param(f'\\"token\\": \\"{KEY}\\"', [KEY], id="json-in-json"),
        pytest.param(f"{{'secret': '{KEY}'}}", [KEY], id="python"),
        pytest.param('"tokens": "abcdefgh1"', [], id="another-name"),
        pytest.param(f"access_token={KEY}", [KEY], id="an-assignment-with-a-made-up-value"),
        pytest.param("token=abcdefgh", [], id="an-assignment-of-a-word"),
        pytest.param(f"the token: {KEY}", [], id="but-no-colon-in-speech"),
        pytest.param("token=abc1234", [], id="seven-characters"),
    ],
)
def test_in_speech_stands(text: str, found: list[str]) -> None:
    assert secrets(text) == found


@pytest.mark.parametrize(
    ("text", "reading", "found"),
    [
        pytest.param(f"the token: {KEY}", DATA, [KEY], id="a-made-up-value-in-data"),
        pytest.param("the token: abcdefgh", DATA, [], id="a-word-in-data"),
        pytest.param("the token: abcdefgh", MACHINE, ["abcdefgh"], id="a-word-of-a-program"),
        pytest.param(f"session_token: {KEY}", MACHINE, [KEY], id="with-a-prefix"),
        pytest.param(f"X-Auth-Token: {KEY}", MACHINE, [KEY], id="a-header"),
        pytest.param(f"Authorization: Negotiate {KEY}", MACHINE, [KEY], id="behind-its-scheme"),
        pytest.param("Cookie: a=b; sid=abc", MACHINE, ["a=b; sid=abc"], id="all-cookies"),
        pytest.param("Cookie: chocolate", DATA, [], id="a-biscuit"),
        pytest.param("privateKey=abcdefgh", MACHINE, ["abcdefgh"], id="without-underscore"),
    ],
)
def test_in_a_text_stands(text: str, reading: Reading, found: list[str]) -> None:
    assert secrets(text, reading) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("x a%2Dsecret%2Dof%2Dours y", "a%2Dsecret%2Dof%2Dours", id="percent"),
        pytest.param("x a%252dsecret-of-ours y", "a%252dsecret-of-ours", id="percent-twice"),
        pytest.param("\\\\u0061-secret-of-ours", "\\\\u0061-secret-of-ours", id="json-in-json"),
        pytest.param(
            "YS1zZWNyZXQtb2Ytb3Vycw", "YS1zZWNyZXQtb2Ytb3Vycw", id="base64-without-padding"
        ),
        pytest.param(
            "YS1zZWNyZXQtb2Ytb3Vycw%3D%3D", "YS1zZWNyZXQtb2Ytb3Vycw", id="base64-with-percent"
        ),
        pytest.param(f"Bearer%20{KEY}5678", f"{KEY}5678", id="a-form-behind-percent"),
    ],
)
def test_in_disguise_stands(text: str, found: str) -> None:
    assert secrets(text) == [found]


def test_finds_that_overlap_are_one() -> None:
    assert secrets(f"token={KNOWN}-and-1-more") == [f"{KNOWN}-and-1-more"]


def test_a_placeholder_is_no_credential() -> None:
    assert secrets('token=[redacted:1] "token": "[redacted:2]"', MACHINE) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a_" * 100_000, id="underscores"),
        pytest.param("bearer " * 30_000, id="bearers"),
        pytest.param('"token":"' * 20_000, id="names-without-values"),
        pytest.param("://" * 70_000, id="addresses"),
        pytest.param("%41" * 70_000, id="percents"),
        pytest.param("\\u0041" * 30_000, id="escapes"),
        pytest.param("QUFB" * 50_000, id="base64"),
        pytest.param("token " * 30_000, id="names"),
        pytest.param("\\" * 200_000, id="backslashes"),
        pytest.param("a" * 200_000, id="one-letter"),
        pytest.param("x:" + "\\" * 200_000, id="backslashes-after-a-colon"),
        pytest.param('"a":\\"' * 30_000, id="openings-that-nothing-closes"),
        pytest.param("://a" * 60_000, id="addresses-without-a-user"),
        pytest.param("-eyJ" * 500_000, id="beginnings-of-web-tokens"),
        pytest.param(f"{'-eyJ' * 50_000}.a.{'-eyJ' * 50_000}", id="web-tokens-without-a-body"),
        pytest.param(f"{'-' * 200_000}{'.-------' * 20_000}", id="parts-that-begin-no-web-token"),
        pytest.param(b64encode(Random(1).randbytes(200_000)).decode(), id="a-large-file-in-base64"),
    ],
)
def test_a_long_text_is_read_to_its_end(text: str) -> None:
    """How long that takes is ``benchmarks/masking.py``; in quadratic time this would not end."""
    assert all(PLACEHOLDER.search(one) is None for one in secrets(text, MACHINE))
