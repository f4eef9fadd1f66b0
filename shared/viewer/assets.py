"""The page's own files, as the package holds them: markup, style, and one program of many parts."""

from __future__ import annotations

from importlib import resources

from shared.viewer.document import Assets

PROGRAM = (
    "dom.js",
    "text.js",
    "times.js",
    "blocks.js",
    "links.js",
    "palette.js",
    "sound.js",
    "player.js",
    "events.js",
    "waves.js",
    "lanes.js",
    "timeline.js",
    "transcript.js",
    "evidence.js",
    "head.js",
    "entries.js",
    "keys.js",
    "main.js",
)
"""Parts of the program in the order they run in, all within one scope."""


def assets() -> Assets:
    """The page that every document of this version has."""
    program = "\n".join(_text(name) for name in PROGRAM)
    return Assets(
        markup=_text("body.html"),
        style=_text("style.css"),
        program=f'(() => {{\n"use strict";\n{program}}})();\n',
    )


def _text(name: str) -> str:
    return (resources.files("shared.viewer") / "page" / name).read_text("utf-8")
