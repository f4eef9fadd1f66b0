"""No sentence of a page quotes what passed between programs alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.values import JsonValue
from shared.viewer.withheld import COVER, HEAD, SHORTEST, Withheld

LONG = "a-very-long-canary-0123456789"


@pytest.mark.parametrize(
    ("values", "said", "sentence", "shown"),
    [
        pytest.param(["R-0042"], [], "failed for R-0042.", f"failed for {COVER}.", id="a text"),
        pytest.param([4711], [], "got 4711", f"got {COVER}", id="a number"),
        pytest.param([19.25], [], "got 19.25", f"got {COVER}", id="a fraction"),
        pytest.param(
            [{"a": [{"b": "deep"}]}], [], "got deep", f"got {COVER}", id="a value inside others"
        ),
        pytest.param(
            ["Maya", "Maya Lee"], [], "for Maya Lee!", f"for {COVER}!", id="the longer of two"
        ),
        pytest.param(
            ["Ines"], ["It's for ines."], "for Ines", "for Ines", id="what was said aloud"
        ),
        pytest.param(["seat"], [], "two seats, one seat", f"two seats, one {COVER}", id="a word"),
        pytest.param(["abc"], [], "abc", "abc", id="one character too few to be a secret"),
        pytest.param(["abcd"], [], "abcd", COVER, id="just enough characters to be a secret"),
        pytest.param([True, None], [], "True None true null", "True None true null", id="no value"),
        pytest.param([LONG], [], f"got {LONG[:20]}...", f"got {COVER}...", id="a value cut short"),
        pytest.param([LONG], [], f"got {LONG}9", f"got {COVER}9", id="a value and one more sign"),
        pytest.param([LONG], [], f"id{LONG}", f"id{COVER}", id="a long value inside a word"),
        pytest.param([LONG], [], f"got {LONG[: HEAD - 1]}", f"got {LONG[: HEAD - 1]}", id="a stub"),
        pytest.param(["({[.*"], [], "a ({[.* b", f"a {COVER} b", id="signs of a pattern"),
        pytest.param([], [], "nothing", "nothing", id="no values at all"),
    ],
)
def test_a_value_is_covered_wherever_a_sentence_quotes_it(
    values: list[JsonValue], said: list[str], sentence: str, shown: str
) -> None:
    assert Withheld(values, said=said).covered(sentence) == shown


@given(
    value=st.text(min_size=SHORTEST).filter(lambda text: text not in COVER),
    before=st.sampled_from(["", "x: ", '"', "("]),
    after=st.sampled_from(["", ".", '"', " y"]),
)
def test_no_value_stands_in_a_sentence_that_quoted_it(value: str, before: str, after: str) -> None:
    sentence = f"{before}{value}{after}"
    assert Withheld([value], said=()).covered(sentence) == f"{before}{COVER}{after}"


def test_a_value_nested_without_end_ends() -> None:
    value: JsonValue = "leaf"
    for _ in range(5_000):
        value = [value]
    assert Withheld([value], said=()).covered("leaf") == "leaf"
