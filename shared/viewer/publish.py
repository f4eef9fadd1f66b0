"""From a saved run to its page: the one way that commands take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from shared.viewer.assets import assets
from shared.viewer.attempts import attempts
from shared.viewer.export import export
from shared.viewer.run import run_view
from shared.viewer.saved_run import open_run

PAGE: Final = "viewer.html"


def publish(
    results: Path,
    output: Path | None = None,
    *,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> tuple[Path, ...]:
    """Write the page of a run, by default beside its report; return it and its further pages.

    ``results`` is a ``results.json`` or its folder. A report that cannot be shown and a place that
    cannot be written are a ``UsageError`` of one line.
    """
    run = open_run(results)
    return export(
        run_view(run.report, run.folder.name),
        tuple(attempts(run)),
        output or run.folder / PAGE,
        assets(),
        on_progress=on_progress,
    )
