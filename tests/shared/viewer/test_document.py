"""No text breaks out of where it stands in a page, and a page says which one it is."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from shared.viewer.document import (
    Assets,
    Index,
    Sound,
    SoundPlace,
    document,
    is_first_page,
    opening,
)
from tests.support import viewer_samples

ASSETS = Assets("<main></main>", "main{}", '"use strict";')
HOSTILE = [
    pytest.param("</script><script>alert(1)</script>", id="the-end-of-a-script"),
    pytest.param("</SCRIPT\t><img src=x onerror=alert(1)>", id="the-end-in-capitals"),
    pytest.param("<!-- <script>", id="a-comment-and-a-script"),
    pytest.param("<!--", id="a-comment"),
    pytest.param("-->]]>", id="ends-of-what-never-began"),
    pytest.param("\u2028\u2029\x85", id="ends-of-lines"),
    pytest.param("\ud800 \udfff", id="halves-of-characters"),
    pytest.param("a\0b\x1b[31m\x7f", id="control-characters"),
    pytest.param("\u202e\u2066\u200b\ufeff", id="signs-of-direction"),
    pytest.param('\\u003c/script>"\\', id="escapes"),
    pytest.param("日本語 العربية 😀", id="every-script"),
    pytest.param("x" * 100_000, id="a-line-of-100-kB"),
]


class Elements(HTMLParser):
    """What a browser finds in a page: its elements with their text, and no comment."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.comments: list[str] = []
        self.feed(page.decode("ascii"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.found:
            tag, attributes, text = self.found[-1]
            self.found[-1] = (tag, attributes, text + data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    @property
    def outline(self) -> list[tuple[str, str | None, str | None]]:
        return [(tag, given.get("type"), given.get("id")) for tag, given, _ in self.found]

    def block(self, name: str) -> dict[str, object]:
        (text,) = (text for _, given, text in self.found if given.get("id") == name)
        found: dict[str, object] = json.loads(text)
        return found


def a_page(text: str) -> bytes:
    """A page with the text wherever a text can be."""
    told = viewer_samples.entry(text, title=text, reason=text, condition=text, script=text)
    happened = viewer_samples.course(
        [viewer_samples.turn(viewer_samples.CALLER, 0, 9, text)], 10, ending=text, missing=(text,)
    )
    attempt = viewer_samples.attempt(
        replace(told, scenario_id=text), happened, waveform=None, warnings=(text,), missing=(text,)
    )
    run = viewer_samples.run_view(id=text, module=text, notes=(text,))
    sound = Sound("audio/ogg", 3, [b"T2dn"])
    place = SoundPlace("audio/ogg", 3, text)
    pages = (text, text)
    index = Index(run, [attempt.entry], [place], pages, 2)
    return b"".join(document(ASSETS, index, [(attempt, sound)]))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_a_text(text: str) -> None:
    hostile, harmless = Elements(a_page(text)), Elements(a_page("harmless"))

    assert hostile.outline == harmless.outline
    assert hostile.comments == []
    for name in ("index", "attempt-0"):
        expected = json.dumps(harmless.block(name)).replace('"harmless"', json.dumps(text))
        assert hostile.block(name) == json.loads(expected)


@pytest.mark.parametrize("text", HOSTILE)
def test_in_data_there_is_no_character_that_a_browser_could_take_for_another(text: str) -> None:
    page = a_page(text)

    assert set(page) <= {0x0A, *range(0x20, 0x7F)}
    for name in (b"index", b"attempt-0"):
        _, _, rest = page.partition(b'id="%s">' % name)
        block, _, _ = rest.partition(b"</script>\n")
        assert b"<" not in block


def test_a_number_that_is_none_enters_no_page() -> None:
    told = viewer_samples.entry("a", latency_ms=float("nan"))
    index = Index(viewer_samples.run_view(), [told], [None])

    with pytest.raises(ValueError, match="not JSON compliant"):
        b"".join(document(ASSETS, index, []))


@pytest.mark.parametrize(
    ("number", "first_page", "expected"),
    [
        pytest.param(1, None, True, id="the-only-one"),
        pytest.param(1, "viewer.html", True, id="the-first-of-some"),
        pytest.param(1, '"> 2 of ', True, id="the-first-of-a-hostile-name"),
        pytest.param(2, "viewer.html", False, id="the-second"),
        pytest.param(10, "viewer.html", False, id="the-tenth"),
        pytest.param(12, "1 of ", False, id="the-twelfth-of-a-hostile-name"),
    ],
)
def test_a_first_page_is_known_by_its_beginning(
    number: int, first_page: str | None, expected: bool
) -> None:
    pages = () if first_page is None else (first_page, "b")
    index = Index(viewer_samples.run_view(), [], [], pages, number)
    page = b"".join(document(ASSETS, index, []))

    assert is_first_page(page) is expected
    assert page.startswith(opening(number, first_page))
    assert not page.startswith(opening(number + 1, first_page))
    assert not page.startswith(opening(number, "another"))
