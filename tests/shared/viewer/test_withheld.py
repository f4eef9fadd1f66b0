"""No sentence of a page quotes what passed between programs alone."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.values import JsonValue
from shared.viewer.withheld import COVER, HEAD, SHORTEST, Withheld, private

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
        pytest.param(["Maya Lee"], [], "for MAYA LEE!", f"for {COVER}!", id="other case"),
        pytest.param(["Maya Lee"], [], "for Maya\n  Lee!", f"for {COVER}!", id="over two lines"),
        pytest.param(["Maya Lee"], [], "for Ma\u200bya Lee", f"for {COVER}", id="split unseen"),
        pytest.param(
            ["Zo\u00eb"], ["hello"], "for Zoe\u0308 B", "for Zoe\u0308 B", id="three letters"
        ),
        pytest.param(["Jos\u00e9"], [], "for Jose\u0301", f"for {COVER}", id="marks put apart"),
        pytest.param(["M\u00fcller"], [], r'"M\u00fcller"', f'"{COVER}"', id="as escaped JSON"),
        pytest.param(["\U0001f600 ok!"], [], r"\ud83d\ude00 ok!", COVER, id="escaped by halves"),
        pytest.param(['say "hi"'], [], r"got say \"hi\" now", f"got {COVER} now", id="quoted"),
        pytest.param(["a b\nc d"], [], r"got a b\nc d.", f"got {COVER}.", id="an escaped line end"),
        pytest.param(["\uff32-0042"], [], "got R-0042", f"got {COVER}", id="wide letters"),
        pytest.param([4711], [], "got 4,711", f"got {COVER}", id="a number in groups"),
        pytest.param([4711.0], [], "got 4711", f"got {COVER}", id="a whole number as a fraction"),
        pytest.param(
            ['{"for": "Maya Lee"}'], [], "for Maya Lee", f"for {COVER}", id="a value within JSON"
        ),
        pytest.param(
            ["Booked as R-0042."], [], "It has R-0042.", f"It has {COVER}.", id="a code in a text"
        ),
        pytest.param(
            [{"R-0042": {}}], [], "It has R-0042.", f"It has {COVER}.", id="what one is found by"
        ),
        pytest.param(
            [{"party_size": 4}], [], "the party_size", "the party_size", id="what one is called"
        ),
        pytest.param(["4711"], [], "14711 or 47112", "14711 or 47112", id="digits of another"),
        pytest.param(["R-00", "R-0042"], [], "R-00", COVER, id="shorter than others, at the end"),
    ],
)
def test_a_value_is_covered_wherever_a_sentence_quotes_it(
    values: list[JsonValue], said: list[str], sentence: str, shown: str
) -> None:
    assert Withheld(values, said=said).covered(sentence) == shown


@given(
    value=st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=SHORTEST).filter(
        lambda text: len(_seen(text)) >= SHORTEST
    ),
    before=st.sampled_from(["", "x: ", '"', "("]),
    after=st.sampled_from(["", ".", '"', " y"]),
    written=st.sampled_from([str, json.dumps, lambda text: f" {text}\n"]),
)
def test_no_value_stands_in_a_sentence_that_quoted_it(
    value: str, before: str, after: str, written: Callable[[str], str]
) -> None:
    sentence = f"{before}{written(value)}{after}"
    shown = Withheld([value], said=()).covered(sentence)
    assert COVER in shown
    assert value.strip() not in shown.replace(COVER, "\0")


def _seen(text: str) -> str:
    return "".join(one for one in text if one.isascii() and one.isalnum())


def test_no_value_is_too_many() -> None:
    many: JsonValue = [f"value-{number}" for number in range(20_000)]
    withheld = Withheld([many, "the-last"], said=())
    assert withheld.covered("the-last of value-19999") == f"{COVER} of {COVER}"


@pytest.mark.parametrize(
    ("file", "found"),
    [
        pytest.param({"a": [{"item": {"arguments": "x"}}]}, ["x"], id="a field at any depth"),
        pytest.param({"call_id": "c", "name": "n"}, ["c"], id="an id and no name"),
        pytest.param({"output": {"a": 1}}, [{"a": 1}], id="a whole result"),
        pytest.param(
            {"output": [{"type": "message", "text": "t"}, {"type": "x", "call_id": "c"}]},
            ["c"],
            id="pieces that have private parts of their own",
        ),
        pytest.param(["x", None, 1], [], id="nothing private"),
    ],
)
def test_what_is_private_is_found_by_its_name(file: JsonValue, found: list[JsonValue]) -> None:
    assert list(private(file)) == found


def test_a_value_nested_without_end_ends() -> None:
    value: JsonValue = "leaf"
    for _ in range(5_000):
        value = [value]
    assert Withheld([value], said=()).covered("leaf") == "leaf"
