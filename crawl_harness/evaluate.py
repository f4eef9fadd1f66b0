"""``crawl-eval``: speak one synthesized request per scenario, and judge the answer."""

from __future__ import annotations

from collections.abc import Mapping

from crawl_harness.settings import ROWS
from shared.command import leave, run_command
from shared.settings import Value

ABOUT = """Speak one synthesized request to a GPT Live assistant and judge what came of it.

Every scenario gets a session of its own. Offline, a scripted fixture answers in memory: no key, \
no network.

Exit status: 0 when the run finished; with --fail-on 1 for failed attempts and 3 for \
infrastructure errors; 2 for a mistake in what was given; 130 when interrupted, with what had \
finished kept."""


def main() -> None:
    """The console command."""
    leave(run_command("crawl-eval", ABOUT, ROWS, _evaluate))


def _evaluate(flags: Mapping[str, Value]) -> int:
    # Only now: the help must not wait for numpy, pydantic and the rest.
    from assistants.suite.run import evaluate
    from crawl_harness.suite import CRAWL

    return evaluate(CRAWL, flags)


if __name__ == "__main__":
    main()
