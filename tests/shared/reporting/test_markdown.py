"""Foreign text in Markdown, by GitHub's own parser: all of it is shown, and none of it acts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.plain_text import one_line, shortened
from shared.reporting.markdown import BLANK, LONGEST_TEXT, bullets, inert, table
from tests.support.rendered import rendered

ROOMY = 10_000
MARKUP = {
    "a-bar": "a | b || c",
    "a-bar-after-a-backslash": "a \\| b \\\\| c",
    "backticks": "`a` ``b`` ``` c",
    "many-backticks": "`" * 200,
    "a-backslash-at-the-end": "a\\",
    "an-image": "![x](https://example.org/x.png)",
    "a-link": "[x](javascript:alert(1))",
    "a-bare-link": "https://example.org www.example.org a@example.org",
    "a-reference": "[x]: https://example.org",
    "a-mention": "@octocat @org/team",
    "an-issue": "#123 GH-123 owner/repo#1 0123456789012345678901234567890123456789",
    "html": '<img src=x onerror="alert(1)">',
    "a-script": "<script>alert(1)</script>",
    "an-end-of-details": "</details></summary></td></tr></table>",
    "a-comment": "<!-- x",
    "an-entity": "&lt;b&gt; &#124; &amp;",
    "emphasis": "*a* **b** _c_ ~~d~~",
    "a-heading": "# a",
    "a-list": "- [ ] a",
    "maths": "$a$ $$b$$",
    "lines": "a\n\n| b |\r\nc\u2028d\u2029e\x85f",
    "turned-writing": "\u202eevil\u2066\u2069",
    "controls": "\x00\x07\x1b[31m",
    "a-half": "\ud800",
    "spaces": "  a  ",
    "emoji": ":smile: \N{GRINNING FACE}\N{ZERO WIDTH JOINER}",
}
PLACES = {
    "a-cell": lambda text: table(("head",), [(text,)], room_bytes=ROOMY),
    "a-bullet": lambda text: bullets([text], room_bytes=ROOMY),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", MARKUP)
def test_it_is_shown_to_the_letter_and_does_nothing(name: str, place: str) -> None:
    text = MARKUP[name]
    found = rendered(PLACES[place](inert(text)))

    assert found.tags <= {"table", "thead", "tbody", "tr", "th", "td", "ul", "li", "code"}
    assert found.attributes == []
    assert [code.strip() for code in found.codes] == [one_line(text).replace("`", "\\x60").strip()]
    assert "".join(found.prose).split() == (["head"] if place == "a-cell" else [])


@given(st.text(st.characters(exclude_categories=[])))
def test_whatever_it_is_there_is_one_code_and_nothing_else(text: str) -> None:
    found = rendered(PLACES["a-cell"](inert(text)))

    assert found.tags <= {"table", "thead", "tbody", "tr", "th", "td", "code"}
    assert "".join(found.prose).split() in (["head"], ["head", BLANK])
    assert len(found.codes) == ("".join(found.prose).split() == ["head"])
    assert len(found.rows) == 2


@pytest.mark.parametrize("text", ["", " ", "\u3000"])
def test_nothing_is_said_to_be_nothing(text: str) -> None:
    assert inert(text) == BLANK


@pytest.mark.parametrize(
    ("length", "ending"),
    [
        pytest.param(LONGEST_TEXT, "x", id="at-the-limit"),
        pytest.param(LONGEST_TEXT + 1, "x [1 characters left out]", id="one-above"),
        pytest.param(100_000, "x [99700 characters left out]", id="a-hundred-thousand"),
    ],
)
def test_a_long_text_is_cut_with_a_note(length: int, ending: str) -> None:
    (code,) = rendered(inert("x" * length)).codes
    assert code == shortened("x" * length, LONGEST_TEXT)
    assert code.endswith(ending)


HEAD_BYTES = len("| n |\n| --- |\n")
ROW_BYTES = len("| 1 |\n")


@pytest.mark.parametrize(
    ("room_bytes", "kept"),
    [
        pytest.param(HEAD_BYTES + 3 * ROW_BYTES, 3, id="room-for-all"),
        pytest.param(HEAD_BYTES + 3 * ROW_BYTES - 1, 2, id="one-byte-too-little"),
        pytest.param(HEAD_BYTES, 0, id="room-for-none"),
    ],
)
def test_a_table_has_as_many_rows_as_there_is_room_for(room_bytes: int, kept: int) -> None:
    found = rendered(table(("n",), [("1",), ("2",), ("3",)], room_bytes=room_bytes))

    assert found.rows == [["n"], ["1"], ["2"], ["3"]][: kept + 1]
    assert ("".join(found.prose).strip().endswith(f"{3 - kept} more: see .")) is (kept < 3)


def test_room_is_counted_in_bytes() -> None:
    assert bullets(["é"], room_bytes=5) == "- é"
    assert bullets(["é"], room_bytes=4) == "\n\n1 more: see `results.json`."
