"""Write ``docs/faults.md`` from the fault scripts.

Run ``uv run python -m crawl_harness.fault_table`` in a source checkout after a change to one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from assistants.frontend.fixture.library import FAULTS
from assistants.frontend.fixture.script import Expected, Script, parse_script
from shared.places import checkout

_HEAD = """\
# What goes wrong, and what comes of it

Each line is a script in `crawl_harness/data/scripts/faults`, and a test holds the attempt that
plays it to exactly this outcome. `uv run crawl-eval --offline --offline-script faults` plays
those that need no socket; one name in place of `faults` plays one of them. The rest happen below
the messages, so only a socket has them. Play one of those with its file in one terminal, and a
client in another, with the settings of its line in a TOML file (`--config`); SCENARIO is the name
of the folder:

```bash
uv run live-fixture --port 28710 \\
  --script crawl_harness/data/scripts/faults/SCENARIO/unauthorized.json
OPENAI_API_KEY=any-key-at-all OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK=true uv run crawl-eval \\
  --no-judge --synthesizer tone --endpoint ws://127.0.0.1:28710/v1/live/sessions --example SCENARIO
```

The assistant is voice and backend together. A backend that fails or runs out of tokens is the
assistant's failure, a backend that is rate limited is nobody's. Audio that stalls and comes late is
placed where it came, so figures count it as late, and the row warns of it.

*On record* names what the attempt's evidence says of the fault, *kept* what of the session is
there all the same. An infrastructure error is no judgement of the assistant: it is in no rate.
This page is written by `uv run python -m crawl_harness.fault_table`.

"""
_COLUMNS = (
    "Fault",
    "What happens",
    "Where",
    "Status",
    "Stage, or failing checks",
    "On record",
    "Kept",
    "Warning",
    "Settings",
)


def fault_page(scripts: Path) -> str:
    """The page for a folder of scripts; a script without its outcome is a ``ValueError``."""
    rows = [_row(path.stem, _script(path)) for path in sorted(scripts.glob(f"{FAULTS}/*/*.json"))]
    return "".join([_HEAD, _line(_COLUMNS), _line(["---"] * len(_COLUMNS)), *rows])


def _script(path: Path) -> Script:
    return parse_script(path.read_text("utf-8"))


def _row(name: str, script: Script) -> str:
    expects = script.expects
    if expects is None:
        raise ValueError(f"{name} says nothing of its outcome")
    cells = (
        f"`{name}`",
        script.title,
        "socket" if script.needs_a_socket else "memory, socket",
        expects.status,
        _found(expects),
        _codes(expects.recorded),
        ", ".join(expects.kept) or "-",
        expects.warns or "-",
        _codes(f"{name} = {value:g}" for name, value in script.settings.items()),
    )
    return _line(cells)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _found(expects: Expected) -> str:
    return f"`{expects.stage}`" if expects.stage else _codes(expects.checks)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "-"


def main() -> None:
    root = checkout()
    if root is None:
        sys.exit("run this in a source checkout: an installed package has no such file")
    page = fault_page(root / "crawl_harness" / "data" / "scripts")
    (root / "docs" / "faults.md").write_text(page, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
