"""Write what is made from the tables of settings: ``.env.example``, and the table in each suite's
README. Run ``uv run python -m docs.settings_files`` in a source checkout after a change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import crawl_harness.settings
import run_harness.settings
import walk_harness.generation.settings
import walk_harness.settings
from shared.env_example import env_example
from shared.settings import Setting
from shared.settings_table import with_table

SUITES: Mapping[str, Sequence[Setting]] = {
    "crawl_harness": crawl_harness.settings.ROWS,
    "walk_harness": walk_harness.settings.ROWS,
    "walk_harness/generation": walk_harness.generation.settings.ROWS,
    "run_harness": run_harness.settings.ROWS,
}


def settings_files(root: Path) -> dict[Path, str]:
    """Each file of a checkout with the text it must have."""
    # By variable, because tables may use one name for settings of their own.
    rows = {row.variable: row for table in SUITES.values() for row in table if row.variable}
    readmes = {root / suite / "README.md": table for suite, table in SUITES.items()}
    return {
        root / ".env.example": env_example(tuple(rows.values())),
        **{path: with_table(path.read_text("utf-8"), table) for path, table in readmes.items()},
    }


def main() -> None:
    for path, text in settings_files(Path(__file__).parent.parent).items():
        path.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
