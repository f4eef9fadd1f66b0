"""Write what is made from the settings table: ``.env.example`` and the table in this package's
README. Run ``uv run python -m crawl_harness.settings_files`` in a source checkout after a change.
"""

from __future__ import annotations

import sys
from pathlib import Path

from crawl_harness.settings import ROWS
from shared.env_example import env_example
from shared.places import checkout
from shared.settings_table import with_table


def settings_files(root: Path) -> dict[Path, str]:
    """Each file of a checkout with the text it must have."""
    readme = root / "crawl_harness" / "README.md"
    return {
        root / ".env.example": env_example(ROWS),
        readme: with_table(readme.read_text("utf-8"), ROWS),
    }


def main() -> None:
    root = checkout()
    if root is None:
        sys.exit("run this in a source checkout: an installed package has no such files")
    for path, text in settings_files(root).items():
        path.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
