"""Faults as people read them: paths, values on one line, near words."""

from __future__ import annotations

from typing import Any

import pytest

from shared.faults import Fault, Where, closest, described, dotted, shown


@pytest.mark.parametrize(
    ("where", "path"),
    [
        pytest.param((), "", id="the-document-itself"),
        pytest.param(("a",), "a", id="a-key"),
        pytest.param(("a", 0, "b"), "a[0].b", id="indexes-from-0"),
        pytest.param((2, "a"), "[2].a", id="an-index-first"),
        pytest.param(("a", "$match"), 'a["$match"]', id="keys-that-are-no-names-are-quoted"),
        pytest.param(("a\nb",), r'["a\nb"]', id="line-ends-never-escape"),
    ],
)
def test_paths(where: Where, path: str) -> None:
    assert dotted(where) == path


@pytest.mark.parametrize(
    ("value", "line"),
    [
        pytest.param("é", '"é"', id="letters-as-they-are"),
        pytest.param("a\u2028b", r'"a\u2028b"', id="every-kind-of-line-end-escaped"),
        pytest.param("\ud800", r'"\ud800"', id="surrogates-escaped"),
        pytest.param("a" * 58, '"' + "a" * 58 + '"', id="whole-up-to-60-characters"),
        pytest.param("a" * 100, '"' + "a" * 56 + "...", id="shortened"),
        pytest.param({"a": [1, None]}, '{"a": [1, null]}', id="json"),
    ],
)
def test_values_fit_one_line(value: Any, line: str) -> None:
    assert shown(value) == line


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param(None, "null", id="null"),
        pytest.param(True, "true", id="a-bool-is-no-number"),
        pytest.param(2, "the number 2", id="a-number"),
        pytest.param("2", 'the text "2"', id="text"),
        pytest.param([1], "a list", id="a-list"),
        pytest.param({}, "an object", id="an-object"),
        pytest.param(object(), "a object", id="anything-else"),
    ],
)
def test_kinds(value: Any, words: str) -> None:
    assert described(value) == words


@pytest.mark.parametrize(
    ("word", "near"),
    [
        pytest.param("stat", "state", id="a-letter-short"),
        pytest.param("STATE", "state", id="any-case"),
        pytest.param("colour", None, id="nothing-near"),
    ],
)
def test_the_closest_word(word: str, near: str | None) -> None:
    assert closest(word, ["state", "tools"]) == near


def test_a_fault_moves_with_its_document() -> None:
    assert Fault(("b",), "is odd").under(("a", 0)) == Fault(("a", 0, "b"), "is odd")
