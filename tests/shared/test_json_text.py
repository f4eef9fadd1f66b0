"""The one writer of JSON: strict readers take all of it, readers of lines find their lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.json_text import (
    DEEPEST,
    MOST_BITS,
    TOO_DEEP,
    escaped,
    json_text,
    json_value,
    portable,
)
from shared.strict_json import parse


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param({"a": [1, 2.5, None, True]}, '{"a":[1,2.5,null,true]}', id="compact"),
        pytest.param("Grüße", '"Grüße"', id="letters-stay-letters"),
        pytest.param("\u2028\u2029\x85\x7f", '"\\u2028\\u2029\\u0085\\u007f"', id="line-ends"),
        pytest.param("\u202e\u2066\u200f", '"\\u202e\\u2066\\u200f"', id="turned-writing"),
        pytest.param("\ud800", '"\N{REPLACEMENT CHARACTER}"', id="half-a-character"),
        pytest.param([float("nan"), float("inf")], "[null,null]", id="no-number"),
    ],
)
def test_a_value_is_written_as(value: Any, text: str) -> None:
    assert json_text(value) == text


def test_indented_text_is_for_people() -> None:
    assert json_text({"a": [1]}, indent=2) == '{\n  "a": [\n    1\n  ]\n}'


@pytest.mark.parametrize(
    ("levels", "is_whole"),
    [
        pytest.param(DEEPEST, True, id="the-deepest"),
        pytest.param(DEEPEST + 1, False, id="one-more"),
    ],
)
def test_what_is_too_deep_is_cut_there(levels: int, is_whole: bool) -> None:
    value: Any = "bottom"
    for _ in range(levels):
        value = [value]

    assert (portable(value) == value) is is_whole
    assert (TOO_DEEP in json_text(portable(value))) is not is_whole


@pytest.mark.parametrize(
    ("number", "is_kept"),
    [
        pytest.param(2**MOST_BITS - 1, True, id="the-largest"),
        pytest.param(2**MOST_BITS, False, id="one-larger"),
        pytest.param(10**5_000, False, id="five-thousand-digits"),
    ],
)
def test_a_number_no_reader_takes_is_null(number: int, is_kept: bool) -> None:
    kept = portable({"n": number})

    assert kept == {"n": number if is_kept else None}
    assert parse(json_text(kept)).flaws == ()


def test_text_that_is_json_already_is_escaped_alike() -> None:
    assert escaped('{"a":"x\u2028y"}') == '{"a":"x\\u2028y"}'


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(anything)
def test_any_value_is_one_line_that_reads_back(value: Any) -> None:
    text = json_text(portable(value))

    assert len(text.splitlines()) == 1
    assert parse(text).flaws == ()
    assert json.loads(text) == portable(value)


def as_read(read: Any, text: str) -> object:
    """What comes of reading, comparable: NaN is like NaN, and ``1`` unlike ``1.0``."""
    try:
        return repr(read(text))
    except (ValueError, RecursionError) as error:
        return isinstance(error, ValueError)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"a":NaN,"b":[-Infinity,Infinity]}', id="no-numbers"),
        pytest.param('["\\ud800","\ud800"]', id="half-characters"),
        pytest.param('{"a":1,"a":2}', id="a-key-twice-counts-where-it-stands-last"),
        pytest.param("[-0,-0.0,1e400,1e-400,0.1,123456789012345678901234567890]", id="numbers"),
        pytest.param("9" * 4_300, id="the-longest-number"),
        pytest.param("9" * 4_301, id="one-digit-more"),
        pytest.param("[" * 150 + "]" * 150, id="deep"),
        pytest.param("[" * 500 + "]" * 500, id="deeper-than-one-parser-goes"),
        pytest.param("\ufeff{}", id="a-byte-order-mark"),
        pytest.param('{"a":"\t"}', id="a-control-character"),
        pytest.param("", id="nothing"),
        pytest.param("{} {}", id="two-values"),
    ],
)
def test_text_is_read_as_the_standard_library_reads_it(text: str) -> None:
    assert as_read(json_value, text) == as_read(json.loads, text)


@given(st.floats() | st.integers())
def test_a_number_is_read_to_the_last_bit(number: float) -> None:
    assert repr(json_value(repr(number).replace("inf", "Infinity").replace("nan", "NaN"))) == repr(
        number
    )
