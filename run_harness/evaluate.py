"""``run-eval``: a simulated caller holds a whole conversation, and what came of it is judged."""

from __future__ import annotations

from collections.abc import Mapping

from run_harness.settings import ROWS
from shared.command import leave, run_command
from shared.settings import Value

ABOUT = """Hold whole conversations with a GPT Live assistant: a simulated caller listens and \
speaks at once, with a goal of its own, and what was done is judged.

Every scenario gets two sessions of its own. Offline both far ends are scripted and in memory: no \
key, no network.

Exit status: 0 when the run finished; with --fail-on 1 for failed attempts and 3 for \
infrastructure errors; 2 for a mistake in what was given; 130 when interrupted, with what had \
finished kept."""


def main() -> None:
    """The console command."""
    leave(run_command("run-eval", ABOUT, ROWS, _evaluate))


def _evaluate(flags: Mapping[str, Value]) -> int:
    # Only now: the help must not wait for numpy, pydantic and the rest.
    from assistants.suite.run import evaluate
    from run_harness.conversations import conversations
    from run_harness.suite import RUN

    return evaluate(RUN, flags, conversations)


if __name__ == "__main__":
    main()
