"""The page of a saved run, made at a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import typer

from shared.errors import UsageError
from shared.places import expanded, refuse_inside_package
from shared.plain_text import one_line
from shared.reporting.progress import bar
from shared.settings import Value
from shared.viewer.publish import publish

RESULTS, OUTPUT = "--results", "--output"


def view(flags: Mapping[str, Value]) -> int:
    """Make the page that the flags ask for, and say where it is."""
    results, output = flags["results"], flags["output"]
    if not isinstance(results, str) or not results:
        raise UsageError(f"{RESULTS}: name the results.json of a run, or its folder")
    place = _place(output) if isinstance(output, str) else None
    with _progress() as on_progress:
        pages = publish(expanded(results, RESULTS), place, on_progress=on_progress)
    typer.echo(f"Viewer: {one_line(str(pages[0]))}")
    for page in pages[1:]:
        typer.echo(f"Further page: {one_line(str(page))}")
    return 0


def _place(output: str) -> Path:
    path = expanded(output, OUTPUT)
    refuse_inside_package(path, OUTPUT)
    return path


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    progress = bar()
    if progress is None:
        yield lambda _done, _total: None
        return
    with progress:
        task = progress.add_task("attempts", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
