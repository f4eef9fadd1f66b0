"""Foreign text: it stays on its line, steers nothing, and is cut with a note."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.plain_text import one_line, shortened


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("one\ntwo", "one\\x0atwo", id="a-line-end"),
        pytest.param("\r\x0b\x0c\x1c\x85", "\\x0d\\x0b\\x0c\\x1c\\x85", id="other-line-ends"),
        pytest.param("\u2028\u2029", "\\u2028\\u2029", id="separators"),
        pytest.param("\x1b[31m\x9b0m\x7f\x00", "\\x1b[31m\\x9b0m\\x7f\\x00", id="commands"),
        pytest.param("\u202e\u2066\u200f", "\\u202e\\u2066\\u200f", id="turned-writing"),
        pytest.param("\ud800", "\\ud800", id="half-a-character"),
        pytest.param("\ufffe\uffff", "\\ufffe\\uffff", id="no-characters"),
        pytest.param(
            "Grüße \N{GRINNING FACE}\u200d", "Grüße \N{GRINNING FACE}\u200d", id="letters"
        ),
        pytest.param("", "", id="nothing"),
    ],
)
def test_a_text_is_shown_as(text: str, shown: str) -> None:
    assert one_line(text) == shown


@given(st.text(st.characters(exclude_categories=[])))
def test_every_text_is_one_line_and_can_be_written(text: str) -> None:
    line = one_line(text)

    assert len(line.splitlines()) <= 1
    line.encode()


@pytest.mark.parametrize(
    ("length", "cut"),
    [
        pytest.param(9, "x" * 9, id="one-below"),
        pytest.param(10, "x" * 10, id="at-the-limit"),
        pytest.param(11, "x" * 10 + " [1 characters left out]", id="one-above"),
    ],
)
def test_a_long_text_is_cut_with_a_note(length: int, cut: str) -> None:
    assert shortened("x" * length, 10) == cut
