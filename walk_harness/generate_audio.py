"""``walk-generate-audio``: make recordings for WALK, in named acoustic conditions."""

from __future__ import annotations

from collections.abc import Mapping

from shared.command import leave, run_command
from shared.settings import Value
from walk_harness.generation.settings import ROWS

ABOUT = """Make recordings of spoken requests, clean or in an acoustic condition, for walk-eval.

Missing recordings are made from speech: spoken by a synthesizer, kept from before, or converted \
with --from-audio. Recordings that exist stay unless --force is given. Beside each lies a sidecar \
that says how it was made and where its clean speech is.

Exit status: 0 when all is made; 2 for a mistake in what was given; 3 when the system fails; 130 \
when interrupted, with what had finished kept."""


def main() -> None:
    """The console command."""
    leave(run_command("walk-generate-audio", ABOUT, ROWS, _generate))


def _generate(flags: Mapping[str, Value]) -> int:
    # Only now: the help must not wait for numpy, pydantic and the rest.
    from walk_harness.generation.make import generate

    return generate(flags)


if __name__ == "__main__":
    main()
