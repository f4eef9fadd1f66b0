"""Whether every file of a run can be read by somebody strict."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import soundfile

from shared.attempts.details import decode_details
from shared.plain_text import one_line
from shared.strict_json import JsonSyntaxError, parse


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder but drafts, which a killed run may leave."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def unreadable(files: Mapping[str, bytes]) -> list[str]:
    """What is wrong with any file, each with its name."""
    return [
        f"{name}: {problem}" for name, content in files.items() for problem in _in(name, content)
    ]


def journal_keys(files: Mapping[str, bytes]) -> list[str]:
    return [
        json.loads(line)["attempt"]["key"]
        for line in files.get("journal.jsonl", b"").decode().splitlines()
    ]


def result_keys(files: Mapping[str, bytes]) -> list[str]:
    content = files.get("results.json")
    rows = [] if content is None else json.loads(content)["results"]
    return [row["attempt"]["key"] for row in rows]


def _in(name: str, content: bytes) -> Iterator[str]:
    if name.endswith(".wav"):
        try:
            soundfile.read(io.BytesIO(content))
        except RuntimeError as error:
            yield str(error)
        return
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        yield str(error)
        return
    if text and not text.endswith("\n"):
        yield "its last line has no end"
    lines = text.removesuffix("\n").split("\n")
    if any(one_line(line) != line for line in lines):
        yield "a control character or a separator stands in a line"
    if name.endswith(".json"):
        yield from _in_json(text)
    if name.endswith(".jsonl"):
        for line in lines if text else []:
            yield from _in_json(line)
    if name.startswith("transcripts/"):
        decode_details(content)


def _in_json(text: str) -> Iterator[str]:
    try:
        yield from (str(flaw) for flaw in parse(text).flaws)
    except JsonSyntaxError as error:
        yield f"line {error.line}: {error.problem}"
