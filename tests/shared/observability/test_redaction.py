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


def test_letters_case_makes_no_other_secret() -> None:
    masker = Masker([KNOWN])

    assert masker.prose(f"{KNOWN} {KNOWN.upper()}") == "[redacted:1] [redacted:1]"


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        pytest.param(12345678, "[redacted:1]", id="the-number"),
        pytest.param([1234567, 123456789.5], [1234567, "[redacted:1]9.5"], id="or-part-of-it"),
        pytest.param("12345678", "[redacted:1]", id="its-digits"),
        pytest.param(True, True, id="no-other-value"),
    ],
)
def test_a_known_value_of_digits_is_no_number_either(value: Any, masked: Any) -> None:
    assert Masker(["12345678"]).value({"a": value}) == {"a": masked}


def test_json_whose_key_repeats_hides_nothing_behind_the_last_one() -> None:
    assert Masker().machine_text('{"token":"one","token":"two"}') == (
        '{"token":"[redacted:1]","token":"[redacted:2]"}'
    )


# Values that a scenario expects.


@pytest.mark.parametrize(
    ("expected", "value", "is_kept"),
    [
        pytest.param("AB 12", "ab-12", True, id="the-same-words"),
        pytest.param("AB 12", "AB 13", False, id="other-words"),
        pytest.param(42, "42", True, id="the-same-number"),
        pytest.param({"$match": "number", "value": 5}, "5.0", True, id="a-number-compared"),
        pytest.param({"$match": "date", "value": "2027-07-02"}, "20270702", True, id="a-date"),
        pytest.param({"$match": "time", "value": "19:30"}, "7:30 pm", True, id="a-time"),
        pytest.param(f"{KNOWN}", KNOWN, False, id="but-no-value-that-is-known"),
        pytest.param("Bearer abcdefgh12345678", "Bearer abcdefgh12345678", False, id="and-no-form"),
    ],
)
def test_in_a_credential_field_an_expected_value_is_graded_and_stays(
    expected: Any, value: str, is_kept: bool
) -> None:
    masker = Masker([KNOWN], expected=[expected])

    assert (masker.value({"token": value}) == {"token": value}) is is_kept
    text = json.dumps({"token": value}, separators=(",", ":"))
    assert (masker.machine_text(text) == text) is is_kept


def test_event_logs_keep_no_expected_value() -> None:
    masker = Masker(expected=["AB 12"])

    assert masker.with_fields([]).value({"token": "AB 12"}) == {"token": "[redacted:1]"}


# Texts that come in pieces.


@pytest.mark.parametrize(
    ("pieces", "masked"),
    [
        pytest.param(["a-secret", "-of-ours"], ["[redacted:1]", ""], id="in-two"),
        pytest.param(
            ["It is a-se", "cret", "-of", "-ours."],
            ["It is [redacted:1]", "", "", "."],
            id="in-four",
        ),
        pytest.param(["x", " y", ""], ["x", " y", ""], id="no-secret"),
        pytest.param([KNOWN, KNOWN], ["[redacted:1]", "[redacted:1]"], id="whole-ones"),
        pytest.param(["as", "k-abcdefgh12345678"], ["as", "k-abcdefgh12345678"], id="no-key"),
        pytest.param(["a", "sk-abcdefgh12345678"], ["a", "[redacted:1]"], id="a-key-by-itself"),
        pytest.param(["Bearer", "abcdefgh12345678"], ["Bearer", "[redacted:1]"], id="as-by-blanks"),
        pytest.param(
            ["a", "nother-secret", "-of-ours, ", KNOWN],
            ["[redacted:1]", "", ", ", "[redacted:2]"],
            id="one-inside-the-other",
        ),
        pytest.param([], [], id="no-pieces"),
    ],
)
def test_pieces_are_masked_as_they_would_be_joined(pieces: list[str], masked: list[str]) -> None:
    assert Masker([KNOWN, OTHER]).pieces(pieces) == masked


@given(st.lists(st.text(max_size=6), max_size=6), st.integers(0, 5), st.data())
def test_however_a_text_is_cut_its_secret_is_not_in_the_pieces_joined(
    around: list[str], place: int, data: st.DataObject
) -> None:
    text = "".join([*around[:place], KNOWN, *around[place:]])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    masked = Masker([KNOWN]).pieces(pieces)

    assert len(masked) == len(pieces)
    assert KNOWN not in "".join(masked)
    assert "".join(masked) == Masker([KNOWN]).prose(text)


# What is learned.


def test_what_was_masked_can_be_known() -> None:
    masker = Masker([KNOWN])
    masker.value({"token": "plain words", "note": KNOWN})
    knowing = masker.knowing(masker.masked)

    assert knowing.prose(f"some plain words and {KNOWN}") == "some [redacted:1] and [redacted:2]"


@pytest.mark.parametrize(
    ("secret", "is_key"),
    [
        pytest.param("abcdefgh12345678", True, id="made-up"),
        pytest.param("abcdefgh1234567", False, id="one-letter-too-short"),
        pytest.param("abcdefghijklmnopq", False, id="a-word"),
        pytest.param("abcdefgh 12345678", False, id="two-words"),
        pytest.param("expected12345678", False, id="part-of-what-is-expected"),
    ],
)
def test_a_key_is_a_key_wherever_it_stands(secret: str, is_key: bool) -> None:
    masker = Masker([KNOWN], expected=["with expected12345678 in it"])
    masker.value({"token": secret, "note": KNOWN})

    assert masker.new_keys == ((secret,) if is_key else ())


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        pytest.param({"password": 4821337755}, "[redacted:1]", id="a-password-of-digits"),
        pytest.param({"password": 1234567}, 1234567, id="too-short-to-tell"),
        pytest.param({"token": 4821337755}, 4821337755, id="a-count-of-tokens"),
        pytest.param({"aws_secret_access_key": "x y"}, "[redacted:1]", id="a-key-of-a-cloud"),
        pytest.param({"PGPASSWORD": "x y"}, "[redacted:1]", id="a-password-of-a-database"),
    ],
)
def test_in_a_field_stays(value: dict[str, Any], kept: object) -> None:
    (masked,) = Masker().object(value).values()
    assert masked == kept


@pytest.mark.parametrize(
    "secret",
    [
        pytest.param("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVm", id="a-web-token"),
        pytest.param("sk_live_abcdefghijklmnop", id="a-key-with-underscores"),
    ],
)
def test_a_form_nobody_would_say_is_masked_anywhere(secret: str) -> None:
    assert secret not in Masker().prose(f"It is {secret}, right?")
