"""Fitting JSON into a size: what fits is untouched, what does not is cut and says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.grading.fitting import compact, cut, fitted
from shared.values import JsonObject

LIMIT = 640
# Long texts are made by repeating a piece: to draw every character would take minutes.
LONG = st.builds(lambda piece, times: piece * times, st.text(max_size=4), st.integers(50, 900))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | LONG
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.builds(lambda one, times: [one] * times, inner, st.integers(0, 15))
        | st.dictionaries(st.text(max_size=9), inner, max_size=5)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=9), VALUES, max_size=5)


@settings(max_examples=40)
@given(OBJECTS, st.sampled_from([LIMIT, 1_000, 5_000]))
def test_any_object_comes_to_fit(value: JsonObject, limit: int) -> None:
    assert len(compact(fitted(value, limit))) <= limit


@given(OBJECTS)
def test_what_fits_is_left_alone(value: JsonObject) -> None:
    assert fitted(value, max(LIMIT, len(compact(value)))) == value


@given(OBJECTS)
def test_the_same_object_is_always_cut_alike(value: JsonObject) -> None:
    assert compact(fitted(value, LIMIT)) == compact(fitted(json.loads(compact(value)), LIMIT))


@pytest.mark.parametrize(
    ("text", "longest", "short"),
    [
        pytest.param("x" * 99, 100, "x" * 99, id="below-the-limit"),
        pytest.param("x" * 100, 100, "x" * 100, id="at-the-limit"),
        pytest.param("x" * 101, 100, "x" * 52 + " [49 characters removed]", id="one-more"),
        pytest.param("x" * 99, 49, "x [98 characters removed]", id="a-character-beside-the-note"),
        pytest.param("x" * 99, 48, " [99 characters removed]", id="nothing-beside-the-note"),
        pytest.param("x" * 99, 9, " [99 characters removed]", id="never-less-than-the-note"),
        pytest.param("", 0, "", id="nothing"),
    ],
)
def test_a_text_is_cut(text: str, longest: int, short: str) -> None:
    assert cut(text, longest) == short


def test_compact_json_is_one_line_whatever_a_text_holds() -> None:
    value = {"b": "one\ntwo\r\x0b\x0c\x1c\x85\u2028\u2029", "a": "ä"}

    assert len(compact(value).splitlines()) == 1
    assert json.loads(compact(value)) == value
    assert compact(value).startswith('{"a":"ä"')


def test_a_limit_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(ValueError, match="too few"):
        fitted({}, LIMIT - 1)


def lengths(value: object) -> object:
    """The value with the length of each text in place of it, but for what says what is missing."""
    match value:
        case str():
            return value if value.startswith("[") or value.endswith(" entries") else len(value)
        case dict():
            return {key: lengths(inner) for key, inner in value.items()}
        case list():
            return [lengths(inner) for inner in value]
        case _:
            return value


@pytest.mark.parametrize(
    ("value", "limit", "fits"),
    [
        pytest.param({"a": "x" * 632}, 640, {"a": 632}, id="what-fits-exactly-is-whole"),
        pytest.param(
            {"a": "x" * 633}, 640, {"a": 585}, id="what-is-one-longer-makes-room-to-say-so"
        ),
        pytest.param({"a": "x" * 5_000}, 640, {"a": 585}, id="one-text-has-all-the-room"),
        pytest.param({"a": "x" * 5_000}, 641, {"a": 586}, id="to-the-last-character"),
        pytest.param(
            {"a": "x" * 5_000, "b": "y" * 900}, 700, {"a": 319, "b": 319}, id="two-share-it"
        ),
        pytest.param(
            {"a": '"\n' * 2_000, "b": "z" * 90}, 640, {"a": 257, "b": 90}, id="escapes-take-more"
        ),
        pytest.param(
            {"a": ["w" * 50] * 40},
            1_000,
            {"a": [*[50] * 7, "[27 entries removed]", *[50] * 6]},
            id="entries-from-both-ends",
        ),
        pytest.param(
            {"a": ["w" * 900] * 4}, 1_000, {"a": [221, 222, 222, 222]}, id="large-entries"
        ),
        pytest.param(
            {"a": [{"k": "w" * 300, "n": 1}] * 5, "z": "end"},
            1_200,
            {"a": [{"k": 155, "n": 1}, *[{"k": 156, "n": 1}] * 4], "z": 3},
            id="what-is-small-stays-whole",
        ),
        pytest.param(
            {"a": {"b": {"c": [1, None]}, "d": True}, "z": "x" * 900},
            640,
            {"a": {"b": {"c": [1, None]}, "d": True}, "z": 551},
            id="small-structures-too",
        ),
        pytest.param(
            {"a": {"b": "x" * 283}, "z": "x" * 900},
            640,
            {"a": {"b": 283}, "z": 289},
            id="and-what-takes-exactly-its-share",
        ),
        pytest.param(
            {f"key{n:03}": "v" * 90 for n in range(60)},
            1_500,
            {f"key{n:03}": 64 if n < 11 else 65 for n in range(19)} | {"[removed]": "41 entries"},
            id="the-first-keys",
        ),
        pytest.param(
            {f"k{n:03}": "v" * 200 for n in range(12)},
            48 + 10 * (6 + 2 + 64),
            {f"k{n:03}": 62 for n in range(10)} | {"[removed]": "2 entries"},
            id="as-many-as-have-64-characters-each",
        ),
        pytest.param(
            {f"k{n:03}": "v" * 200 for n in range(12)},
            48 + 10 * (6 + 2 + 64) - 1,
            {f"k{n:03}": 69 if n < 1 else 70 for n in range(9)} | {"[removed]": "3 entries"},
            id="one-fewer-where-one-would-have-63",
        ),
        pytest.param(
            {"a": ["w" * 200] * 12},
            53 + 48 + 10 * (1 + 64),
            {"a": [*[62] * 5, "[2 entries removed]", *[62] * 5]},
            id="as-many-entries-as-have-64-characters-each",
        ),
        pytest.param(
            {"a": ["w" * 200] * 12},
            53 + 48 + 10 * (1 + 64) - 1,
            {"a": [*[69] * 5, "[3 entries removed]", *[69] * 3, 70]},
            id="one-entry-fewer-where-one-would-have-63",
        ),
        pytest.param(
            {"k" * 200 + str(n): "v" * 20 for n in range(6)},
            900,
            {"k" * 200 + str(n): 20 for n in range(3)} | {"[removed]": "3 entries"},
            id="long-keys-take-room-too",
        ),
        pytest.param(
            {"a": {"b": {"c": "x" * 3_000, "d": [1] * 400}}},
            800,
            {"a": {"b": {"c": 316, "d": [1, 1, "[396 entries removed]", 1, 1]}}},
            id="far-inside",
        ),
        pytest.param(
            {"a": 10**900, "b": "x" * 50},
            640,
            {"a": "[901 characters removed]", "b": 50},
            id="a-number-goes-whole",
        ),
    ],
)
def test_a_value_is_cut_to(value: JsonObject, limit: int, fits: object) -> None:
    """Pinned: a judgment is kept by the dossier's text, so a cut may not change unnoticed."""
    assert lengths(fitted(value, limit)) == fits


def test_a_cut_says_what_it_took_and_where() -> None:
    value: Any = {
        "keys": {f"k{n:02}": n for n in range(30)} | {"zz": "z" * 900},
        "list": [f"{n:03}" + "z" * 61 for n in range(40)],
        "text": "0123456789" * 90,
    }
    small: Any = fitted(value, 1_200)

    assert small["keys"] == {"k00": 0, "k01": 1, "k02": 2, "k03": 3} | {"[removed]": "27 entries"}
    assert [one[:3] for one in small["list"]] == ["000", "001", "002", "[35", "038", "039"]
    assert small["list"][0] == value["list"][0][:38] + " [26 characters removed]"
    assert small["list"][3] == "[35 entries removed]"
    assert small["text"] == value["text"][:349] + " [551 characters removed]"
