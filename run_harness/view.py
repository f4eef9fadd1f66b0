"""``run-view``: the page of a saved run, of any suite and of any age."""

from __future__ import annotations

from collections.abc import Mapping

from shared.command import leave, run_command
from shared.settings import Kind, Setting, Value

ABOUT = """Make the page of a saved run: one file with everything to see and to hear of it, to be \
opened in a browser.

Runs of crawl-eval and walk-eval are shown too, and those of older versions for what they have. \
The page holds recordings and words of conversations: treat it like them.

Exit status: 0 when the page is there; 2 for a mistake in what was given or a report that cannot \
be shown; 3 when the system fails; 130 when interrupted."""

ROWS: tuple[Setting, ...] = (
    Setting(
        "results",
        Kind.PATH,
        None,
        "The results.json of a run, or its folder.",
        flag="--results",
    ),
    Setting(
        "output",
        Kind.PATH,
        None,
        "Where the page goes; by default viewer.html beside the report.",
        flag="--output",
    ),
)


def main() -> None:
    """The console command."""
    leave(run_command("run-view", ABOUT, ROWS, _view))


def _view(flags: Mapping[str, Value]) -> int:
    # Only now: the help must not wait for numpy, pydantic and the rest.
    from run_harness.viewing import view

    return view(flags)


if __name__ == "__main__":
    main()
