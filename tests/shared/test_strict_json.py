"""Strict JSON: one meaning or a fault, and every fault that can be collected is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.faults import dotted
from shared.strict_json import MAX_DEPTH, JsonSyntaxError, item_lines, line_at, parse

REPEATED = "the key stands more than once in its object"
TOO_LARGE = "is a number too large to hold"
CHARACTERS = st.text(st.characters(exclude_categories=["Cs"]))


def flaws(text: str) -> list[tuple[str, str]]:
    return [(dotted(flaw.where), flaw.problem.split(";")[0]) for flaw in parse(text).flaws]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param('{"a": 1, "a": 2}', [("a", REPEATED)], id="repeated-key"),
        pytest.param(
            '{"a": 1, "\\u0061": 2}', [("a", REPEATED)], id="repeated-under-another-spelling"
        ),
        pytest.param(
            '[{"a": {"b": NaN}}]', [("[0].a.b", "is NaN, which JSON does not have")], id="nan"
        ),
        pytest.param(
            "[-Infinity]", [("[0]", "is -Infinity, which JSON does not have")], id="infinity"
        ),
        pytest.param("[1e999]", [("[0]", TOO_LARGE)], id="a-float-too-large"),
        pytest.param(f"[{'9' * 5_000}]", [("[0]", TOO_LARGE)], id="an-integer-too-large"),
        pytest.param(
            '["\\ud83d"]', [("[0]", r"holds the lone surrogate \ud83d")], id="a-lone-surrogate"
        ),
        pytest.param(
            '{"\\udc00": 1}',
            [("�", r"holds the lone surrogate \udc00")],
            id="a-lone-surrogate-in-a-key",
        ),
        pytest.param('["\\ud83d\\ude00"]', [], id="a-pair-is-a-character"),
        pytest.param("[1e308, -0, 0.1]", [], id="ordinary-numbers"),
    ],
)
def test_flaws_have_paths(text: str, found: list[tuple[str, str]]) -> None:
    shown = [(path.strip('["]') if "�" in path else path, problem) for path, problem in flaws(text)]

    assert shown == found


def test_all_flaws_are_collected() -> None:
    assert len(flaws('{"a": NaN, "b": [1e999, "\\ud800"], "b": {"c": 1, "c": Infinity}}')) == 4


def test_a_flaw_leaves_a_harmless_value() -> None:
    assert parse('{"a": NaN, "b": "x\\ud800"}').value == {"a": 0, "b": "x�"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("{\n'a': 1}", 2, id="single-quotes"),
        pytest.param('{"a": 1,\n"b": 2,}', 2, id="a-comma-too-many"),
        pytest.param('{"a": 1}\n{}', 2, id="a-second-value"),
        pytest.param('{"a":\n"b\tc"}', 2, id="a-raw-tab-in-a-string"),
        pytest.param('{"a": 01}', 1, id="a-leading-zero"),
        pytest.param("", 1, id="nothing"),
        pytest.param("[" * 100_000, 1, id="nesting-without-end"),
    ],
)
def test_syntax_errors_have_lines(text: str, line: int) -> None:
    with pytest.raises(JsonSyntaxError) as error:
        parse(text)

    assert error.value.line == line
    assert error.value.problem.isprintable()


def test_the_deepest_nesting_is_read() -> None:
    assert parse("[" * MAX_DEPTH + "]" * MAX_DEPTH).flaws == ()


def test_one_level_deeper_is_refused_at_its_line() -> None:
    with pytest.raises(JsonSyntaxError, match="64 levels") as error:
        parse("[\n" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))

    assert error.value.line == MAX_DEPTH + 1


def test_neighbours_are_no_nesting() -> None:
    deepest = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)

    assert parse(f"[{', '.join([deepest] * 3)}]").flaws == ()


def test_text_on_the_way_down_counts_nothing() -> None:
    with pytest.raises(JsonSyntaxError, match="64 levels"):
        parse('["a", ' * (MAX_DEPTH + 1) + "1" + "]" * (MAX_DEPTH + 1))


def test_brackets_in_text_are_no_nesting() -> None:
    assert parse(json.dumps(["[" * 1_000 + '\\"' + "{" * 1_000])).flaws == ()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param('{"s": []}', (), id="no-items"),
        pytest.param('{"t": [1]}', (), id="no-such-key"),
        pytest.param('{"s": {"s": [1]}}', (), id="no-list"),
        pytest.param('[{"s": [1]}]', (), id="no-object"),
        pytest.param("{}", (), id="an-empty-object"),
        pytest.param('{"s": [1, 2]}', (1, 1), id="on-one-line"),
        pytest.param('{"t":1,"s":[2,3,"x"]}', (1, 1, 1), id="without-blanks"),
        pytest.param(
            '\n{ "a" : [ "]" ],\n"s"\n:\n[\n{\n}\n,\n"x\\"]"\n] , "b": 1 }\n',
            (6, 9),
            id="anywhere-between",
        ),
        pytest.param('{"s": [1],\n"s":\n[2,\n3]}', (3, 4), id="the-last-of-repeated-keys"),
        pytest.param('{"s": [NaN,\n1e999,\n{"a": 1}]}', (1, 2, 3), id="past-flaws"),
    ],
)
def test_items_are_found_on_their_lines(text: str, lines: tuple[int, ...]) -> None:
    assert item_lines(text, "s") == lines


def test_lines_count_from_1() -> None:
    assert [line_at("a\nb", offset) for offset in (0, 1, 2)] == [1, 1, 2]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | CHARACTERS,
    lambda inner: st.lists(inner) | st.dictionaries(CHARACTERS, inner),
    max_leaves=10,
)


@given(
    items=st.lists(JSON),
    rest=st.dictionaries(st.sampled_from("abc"), JSON),
    indent=st.sampled_from([None, 0, 2]),
)
def test_honest_json_is_read_unchanged(
    items: list[object], rest: dict[str, object], indent: int | None
) -> None:
    value = {**rest, "s": items}
    text = json.dumps(value, indent=indent)

    assert parse(text).value == value
    assert parse(text).flaws == ()
    assert len(item_lines(text, "s")) == len(items)


def test_a_text_that_never_ends_is_refused_without_a_search_from_every_quote_in_it() -> None:
    # With the search, this takes hours: the time is the claim.
    with pytest.raises(JsonSyntaxError):
        parse('{"a":"' + '\\"' * 400_000)
