"""Markdown as GitHub's own parser renders it, raw HTML and bare links let through."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import override

import cmarkgfm
from cmarkgfm.cmark import Options


@dataclass(slots=True)
class Rendered:
    """What stands in code elements, one text each, what stands outside, and every tag with its
    attributes. ``rows`` has the cells of tables as texts."""

    codes: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    attributes: list[tuple[str, str | None]] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found = Rendered()
        self._open: list[str] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.tags.add(tag)
        self.found.attributes += attrs
        if tag != "br":
            self._open.append(tag)
        if tag == "code":
            self.found.codes.append("")
        if tag == "tr":
            self.found.rows.append([])
        if tag in {"td", "th"}:
            self.found.rows[-1].append("")
        if tag in {"h1", "h2"}:
            self.found.headings.append("")

    @override
    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    @override
    def handle_data(self, data: str) -> None:
        if "code" in self._open:
            self.found.codes[-1] += data
        else:
            self.found.prose.append(data)
        if {"td", "th"} & set(self._open):
            self.found.rows[-1][-1] += data
        if {"h1", "h2"} & set(self._open):
            self.found.headings[-1] += data


def rendered(markdown: str) -> Rendered:
    html = cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.found
