"""Masking: known values, unmistakable forms, credential fields, and nothing people would say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.observability.credentials import CREDENTIAL_FIELDS, secrets_in
from shared.observability.redaction import Masker

KNOWN = "a-secret-of-ours"
OTHER = "another-secret-of-ours"


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("I would like the desk-side table.", id="a-desk-side-table"),
        pytest.param("The secret: plenty of butter.", id="a-secret-that-is-a-recipe"),
        pytest.param("Their password: mushrooms, I think.", id="a-password-in-a-joke"),
        pytest.param("The bearer of bad news telephoned.", id="the-bearer-of-bad-news"),
        pytest.param("Basic responsibilities include this.", id="basic-and-a-long-word"),
        pytest.param("BASIC RESPONSIBILITIES INCLUDE THIS.", id="basic-and-a-long-word-aloud"),
        pytest.param("Bearer misunderstandings abound.", id="bearer-and-a-long-word"),
        pytest.param("task-force-one-two-three-four-five", id="sk-in-the-middle-of-a-word"),
        pytest.param("sk-short", id="too-short-for-a-key"),
        pytest.param("Write to maya@example.com, or 12:30@work.", id="an-address-for-mail"),
        pytest.param("See https://example.com/a@b?c=d@e.", id="an-at-behind-the-host"),
        pytest.param("token: abc", id="a-token-of-affection"),
        pytest.param("It costs 12345678 in all: token=yes", id="numbers"),
        pytest.param("", id="silence"),
    ],
)
def test_ordinary_speech_is_left_alone(sentence: str) -> None:
    assert Masker([KNOWN]).prose(sentence) == sentence


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        pytest.param(f"It is {KNOWN}.", "It is [redacted:1].", id="a-known-value"),
        pytest.param(f"{KNOWN}{KNOWN}", "[redacted:1][redacted:1]", id="a-known-value-twice"),
        pytest.param(
            "Bearer abcdefgh12345678", "Bearer [redacted:1]", id="a-bearer-token-with-digits"
        ),
        pytest.param(
            "bearer  abcdefghIjklmnop", "bearer  [redacted:1]", id="a-bearer-token-in-mixed-case"
        ),
        pytest.param("BEARER ABCDEFGH12345678", "BEARER [redacted:1]", id="a-bearer-in-capitals"),
        pytest.param("Basic dXNlcjpwYXNzd29yZA==", "Basic [redacted:1]", id="basic-credentials"),
        pytest.param("key sk-abcdefgh12345678.", "key [redacted:1].", id="a-provider's-key"),
        pytest.param(
            "sk-proj-abc_DEF-12345678", "[redacted:1]", id="a-provider's-key-with-a-project"
        ),
        pytest.param(
            "wss://maya:letmein@host/path", "wss://[redacted:1]@host/path", id="user-and-password"
        ),
        pytest.param("https://a-token@host", "https://[redacted:1]@host", id="a-lone-user"),
        pytest.param(
            '{"a":"x://y","b":"c@d"}', '{"a":"x://y","b":"c@d"}', id="no-address-across-quotes"
        ),
    ],
)
def test_a_credential_is_masked_in_speech_too(text: str, masked: str) -> None:
    assert Masker([KNOWN]).prose(text) == masked


@pytest.mark.parametrize(
    ("length", "is_masked"),
    [
        pytest.param(7, False, id="one-below-the-shortest"),
        pytest.param(8, True, id="the-shortest"),
    ],
)
def test_a_known_value_counts_from_eight_characters(length: int, is_masked: bool) -> None:
    value = "x" * length

    assert (Masker([value]).prose(value) != value) is is_masked


@pytest.mark.parametrize(
    ("length", "is_masked"),
    [pytest.param(15, False, id="one-below"), pytest.param(16, True, id="exactly-sixteen")],
)
@pytest.mark.parametrize("form", ["Bearer {}", "sk-{}"])
def test_a_form_counts_from_sixteen_characters(form: str, length: int, is_masked: bool) -> None:
    text = form.format("a1" * 7 + "b" * (length - 14))

    assert (Masker().prose(text) != text) is is_masked


def test_a_secret_inside_another_leaves_nothing_standing() -> None:
    masked = Masker(["inner-secret", "outer-inner-secret-outer"]).prose("outer-inner-secret-outer")

    assert masked == "[redacted:1]"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        pytest.param("token=abcdefgh", "token=[redacted:1]", id="an-assignment"),
        pytest.param("password: 'abcdefgh'", "password: '[redacted:1]'", id="a-quoted-value"),
        pytest.param("api key : abcdefgh, x", "api key : [redacted:1], x", id="words-apart"),
        pytest.param("?access_token=abcdefgh&b=c", "?access_token=[redacted:1]&b=c", id="a-query"),
        pytest.param("client-secret=abcdefgh;", "client-secret=[redacted:1];", id="a-hyphen"),
        pytest.param("token=abcdefg", "token=abcdefg", id="a-value-of-seven"),
        pytest.param("tokens=abcdefgh", "tokens=abcdefgh", id="another-word"),
        pytest.param(
            "Authorization: Bearer abcdefgh12345678",
            "Authorization: Bearer [redacted:1]",
            id="a-header",
        ),
        pytest.param('{"token":"abc"}', '{"token":"[redacted:1]"}', id="json-by-its-fields"),
        pytest.param('{"token":12345678}', '{"token":12345678}', id="json-that-stays-json"),
        pytest.param('[{"secret":"x y"}]', '[{"secret":"[redacted:1]"}]', id="a-list-of-json"),
        pytest.param('{"token":"abcdefgh', '{"token":"[redacted:1]', id="json-cut-short"),
        pytest.param('{"a": 1}', '{"a": 1}', id="json-without-credentials-to-the-letter"),
    ],
)
def test_machine_text_is_looked_through_for_assignments(text: str, masked: str) -> None:
    assert Masker().machine_text(text) == masked


@pytest.mark.parametrize(
    "field",
    [
        "authorization",
        "Proxy-Authorization",
        "API_KEY",
        "apiKey",
        "x-api-key",
        "OPENAI_API_KEY",
        "token",
        "access token",
        "refreshToken",
        "id_token",
        "password",
        "PASSWD",
        "client_secret",
        "Private Key",
        "Set-Cookie",
        "credentials",
    ],
)
def test_a_fields_name_is_read_without_case_hyphens_underscores_and_blanks(field: str) -> None:
    assert Masker().value({field: "short"}) == {field: "[redacted:1]"}


@pytest.mark.parametrize(
    "field", ["tokens", "input_tokens", "secretary", "keynote", "guest_name", "token_count", ""]
)
def test_a_name_that_only_sounds_alike_is_no_credential(field: str) -> None:
    assert Masker().value({field: "short"}) == {field: "short"}


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        pytest.param(
            {"token": ["a", "b", "a"]},
            {"token": ["[redacted:1]", "[redacted:2]", "[redacted:1]"]},
            id="each-text-of-a-list",
        ),
        pytest.param(
            {"credentials": {"user": "maya", "pin": ["1", 2]}},
            {"credentials": {"user": "[redacted:1]", "pin": ["[redacted:2]", 2]}},
            id="every-text-within-it",
        ),
        pytest.param(
            {"password": {"$match": "text", "value": "x"}},
            {"password": {"$match": "text", "value": "[redacted:1]"}},
            id="what-a-comparator-compares-with",
        ),
        pytest.param({"token": 12}, {"token": 12}, id="but-no-number"),
        pytest.param({"token": None}, {"token": None}, id="but-not-nothing"),
        pytest.param({"a": {"token": "x"}}, {"a": {"token": "[redacted:1]"}}, id="at-any-depth"),
        pytest.param(
            {"arguments": '{"password":"x","n":1}'},
            {"arguments": '{"password":"[redacted:1]","n":1}'},
            id="in-json-within-a-text",
        ),
        pytest.param(
            {KNOWN: 1, "b": KNOWN}, {"[redacted:1]": 1, "b": "[redacted:1]"}, id="known-as-a-key"
        ),
    ],
)
def test_a_credential_field_is_masked(value: Any, masked: Any) -> None:
    assert Masker([KNOWN]).value(value) == masked


def test_an_errors_texts_are_machine_text() -> None:
    masked = Masker().machine_value({"error": {"message": "bad token=abcdefgh", "n": 1}})

    assert masked == {"error": {"message": "bad token=[redacted:1]", "n": 1}}


def test_numbers_keep_what_was_equal_equal_and_what_differed_different() -> None:
    masker = Masker([KNOWN, OTHER])

    assert masker.prose(f"{OTHER} {KNOWN} {OTHER}") == "[redacted:1] [redacted:2] [redacted:1]"
    assert masker.machine_text(f"x={KNOWN}") == "x=[redacted:2]"
    assert masker.value({"token": KNOWN, "secret": "new"}) == {
        "token": "[redacted:2]",
        "secret": "[redacted:3]",
    }


def test_each_masker_counts_for_itself() -> None:
    Masker([KNOWN]).prose(KNOWN)

    assert Masker([OTHER]).prose(OTHER) == "[redacted:1]"


def test_further_fields_are_masked_by_the_wider_masker_alone_and_counted_in_common() -> None:
    masker = Masker([KNOWN])
    wider = masker.with_fields(["Guest-Name", "phone"])
    value = {"guest_name": "Maya", "note": KNOWN, "token": "x"}

    assert wider.value(value) == {
        "guest_name": "[redacted:1]",
        "note": "[redacted:2]",
        "token": "[redacted:3]",
    }
    assert masker.value(value) == {
        "guest_name": "Maya",
        "note": "[redacted:2]",
        "token": "[redacted:3]",
    }


def test_a_placeholder_is_no_secret() -> None:
    masker = Masker()
    once = masker.value({"token": "abc", "note": "Bearer abcdefgh12345678"})

    assert masker.value(once) == once
    assert masker.machine_text("token=[redacted:7]") == "token=[redacted:7]"
    assert masker.prose("https://[redacted:7]@host") == "https://[redacted:7]@host"


def test_an_object_stays_one_and_the_original_is_left_alone() -> None:
    original = {"token": "abc", "list": [{"password": "x"}]}
    kept = json.dumps(original)

    assert Masker().object(original) != original
    assert json.dumps(original) == kept


texts = st.text(max_size=30) | st.sampled_from([KNOWN, f"x {OTHER} y", "sk-abcdefgh12345678"])
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
keys = st.text(max_size=8) | st.sampled_from(sorted(CREDENTIAL_FIELDS))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)
)


@given(values)
def test_masking_again_changes_nothing_and_leaves_no_known_value(value: Any) -> None:
    masker = Masker([KNOWN, OTHER])
    masked = masker.value(value)

    assert masker.value(masked) == masked
    assert KNOWN not in json.dumps(masked)
    assert OTHER not in json.dumps(masked)


LETTERS = st.characters(categories=["Ll", "Lo", "Zs"])


@given(st.text(alphabet=LETTERS, max_size=200), st.sampled_from(["bearer ", "basic ", "secret: "]))
def test_words_in_lower_case_are_never_taken_for_credentials(words: str, before: str) -> None:
    assert Masker().prose(before + words) == before + words


@pytest.mark.parametrize(
    ("name", "value", "is_secret"),
    [
        pytest.param("OPENAI_API_KEY", "x" * 8, True, id="an-api-key"),
        pytest.param("github-token", "x" * 8, True, id="a-token"),
        pytest.param("DB_PASSWORD", "x" * 8, True, id="a-password"),
        pytest.param("Client Secret", "x" * 8, True, id="a-secret"),
        pytest.param("OPENAI_API_KEY", "x" * 7, False, id="a-value-too-short-to-tell"),
        pytest.param("TOKEN_COUNT", "x" * 8, False, id="a-name-that-goes-on"),
        pytest.param("PATH", "x" * 8, False, id="another-name"),
    ],
)
def test_the_environment_says_by_name_what_is_secret(
    name: str, value: str, is_secret: bool
) -> None:
    assert secrets_in({name: value}) == ([value] if is_secret else [])
