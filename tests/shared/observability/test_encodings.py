"""Texts in disguise: each view shows what is written, and knows where that is."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.observability.encodings import View, views

INNER = "a secret/of+ours é\N{GRINNING FACE}"


def showing(text: str, wanted: str) -> list[View]:
    return [view for view in views(text) if wanted in view.text]


@pytest.mark.parametrize(
    "encoded",
    [
        pytest.param(json.dumps(INNER)[1:-1], id="escapes-of-json"),
        pytest.param("".join(f"\\u{ord(c):04X}" for c in INNER[:-1]) + "\\ud83d\\ude00", id="all"),
        pytest.param(quote(INNER, safe=""), id="percent"),
        pytest.param(quote(INNER, safe="").lower(), id="percent-in-lower-case"),
        pytest.param("".join(f"%{b:02x}" for b in INNER.encode()), id="every-byte"),
    ],
)
def test_a_text_is_seen_and_its_place_is_known(encoded: str) -> None:
    text = f"before {encoded} after"
    (view,) = showing(text, INNER)
    start = view.text.index(INNER)
    written = view.written(start, start + len(INNER))

    assert text[slice(*written)] == encoded


def test_plus_signs_are_blanks_in_a_form() -> None:
    assert showing(f"x={quote_plus('my secret')}&", "my secret")


@pytest.mark.parametrize("before", range(3))
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("around", ["{}", "/a/{}", "a{}", "ab{}", "abc{}", "{}abc"])
def test_base64_is_seen_at_any_alignment(before: int, encode: object, around: str) -> None:
    inner = encode(b"?" * before + b"a-secret-of-ours" + b"??").decode().rstrip("=")  # type: ignore[operator]
    text = f"x {around.format(inner)} y"
    seen = showing(text, "a-secret-of-ours")

    assert seen
    start, end = seen[0].written(3, 5)
    assert text[start:end] == around.format(inner)
    assert seen[0].is_block


@pytest.mark.parametrize("length", [10, 11])
def test_a_run_shorter_than_a_secret_is_not_decoded(length: int) -> None:
    assert len(list(views("A" * length))) == (0 if length < 11 else 4)


def test_a_plain_text_has_no_view() -> None:
    assert list(views("Nothing to see here.")) == []


@given(st.text(st.characters(), max_size=60))
def test_any_text_can_be_viewed_and_every_span_lies_within(text: str) -> None:
    for view in views(text):
        for start in range(len(view.text) + 1):
            a, b = view.written(start, len(view.text))
            assert 0 <= a <= b <= len(text)
