"""Fitting JSON into a size: what fits is untouched, what does not is cut and says so."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
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


@given(OBJECTS, st.sampled_from([LIMIT, 1_000, 5_000]))
def test_any_object_comes_to_fit(value: JsonObject, limit: int) -> None:
    assert len(compact(fitted(value, limit))) <= limit


@given(OBJECTS)
def test_what_fits_is_left_alone(value: JsonObject) -> None:
    assert fitted(value, max(LIMIT, len(compact(value)))) == value


@given(OBJECTS)
def test_the_same_object_is_always_cut_alike(value: JsonObject) -> None:
    assert compact(fitted(value, LIMIT)) == compact(fitted(json.loads(compact(value)), LIMIT))


def test_the_longest_text_is_cut_and_the_others_are_whole() -> None:
    small = fitted({"long": "x" * 5_000, "short": "y" * 200, "number": 7}, LIMIT)

    assert (small["short"], small["number"]) == ("y" * 200, 7)
    text = small["long"]
    assert isinstance(text, str)
    kept = text.count("x")
    assert text.endswith(f" [{5_000 - kept} characters removed]")
    assert kept > 250


def test_of_a_long_list_the_middle_goes() -> None:
    items = [f"{number:03} {'z' * 40}" for number in range(500)]
    small = fitted({"list": items}, 2_000)["list"]

    assert isinstance(small, list)
    assert (small[0], small[-1]) == (items[0], items[-1])
    assert f"[{500 - (len(small) - 1)} entries removed]" in small


def test_of_a_large_object_the_last_keys_go() -> None:
    small = fitted({f"k{number:03}": "v" * 40 for number in range(500)}, 2_000)

    assert small["k000"] == "v" * 40
    assert small["[removed]"] == f"{500 - (len(small) - 1)} entries"


@pytest.mark.parametrize(
    ("text", "longest", "short"),
    [
        pytest.param("x" * 100, 100, "x" * 100, id="at-the-limit"),
        pytest.param("x" * 101, 100, "x" * 52 + " [49 characters removed]", id="one-more"),
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
            return value if value.startswith("[") else len(value)
        case dict():
            return {key: lengths(inner) for key, inner in value.items()}
        case list():
            return [lengths(inner) for inner in value]
        case _:
            return value


@pytest.mark.parametrize(
    ("value", "limit", "fits"),
    [
        pytest.param({"a": "x" * 5_000}, 640, {"a": 565}, id="one-text-has-all-the-room"),
        pytest.param(
            {"a": "x" * 5_000, "b": "y" * 900}, 700, {"a": 299, "b": 298}, id="two-share-it"
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
            {"a": ["w" * 900] * 4}, 1_000, {"a": [212, 212, 212, 213]}, id="large-entries"
        ),
        pytest.param(
            {"a": [{"k": "w" * 300, "n": 1}] * 5, "z": "end"},
            1_200,
            {"a": [{"k": 144, "n": 1}] * 5, "z": 3},
            id="what-is-small-stays-whole",
        ),
        pytest.param(
            {f"key{n:03}": "v" * 90 for n in range(60)},
            1_500,
            {f"key{n:03}": 42 if n < 11 else 43 for n in range(19)} | {"[removed]": 10},
            id="the-first-keys",
        ),
        pytest.param(
            {"k" * 200 + str(n): "v" * 20 for n in range(6)},
            900,
            {"k" * 200 + str(n): 20 for n in range(3)} | {"[removed]": 9},
            id="long-keys-take-room-too",
        ),
        pytest.param(
            {"a": {"b": {"c": "x" * 3_000, "d": [1] * 400}}},
            800,
            {"a": {"b": {"c": 296, "d": [1, 1, "[396 entries removed]", 1, 1]}}},
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
