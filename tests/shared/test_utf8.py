"""The text of a file, whatever wrote it."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.utf8 import NotUtf8Error, text_of

WIDER = "looks like UTF-16 or UTF-32; save the file as UTF-8"


@given(st.text(st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"])))
def test_utf_8_is_its_text_with_a_mark_or_without(text: str) -> None:
    assert text_of(text.encode()) == text_of(codecs.BOM_UTF8 + text.encode()) == text


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        pytest.param("a\nb".encode("utf-16"), 1, WIDER, id="utf-16"),
        pytest.param("a\nb".encode("utf-16-le"), 1, WIDER, id="utf-16-without-a-mark"),
        pytest.param(codecs.BOM_UTF16_BE, 1, WIDER, id="a-mark-and-nothing-else"),
        pytest.param("a".encode("utf-32"), 1, WIDER, id="utf-32"),
        pytest.param(
            b"a\nb\xe9\n", 2, "byte 0xe9 is not UTF-8; save the file as UTF-8", id="latin-1"
        ),
        pytest.param(
            b"\xc3", 1, "byte 0xc3 is not UTF-8; save the file as UTF-8", id="half-a-letter"
        ),
    ],
)
def test_anything_else_is_refused_by_its_line(content: bytes, line: int, problem: str) -> None:
    with pytest.raises(NotUtf8Error) as refused:
        text_of(content)
    assert (refused.value.line, str(refused.value)) == (line, problem)
