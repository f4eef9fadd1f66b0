"""Write the tables of ``docs/live-fixture.md`` that list the rules a client is held to.

Run ``uv run python -m docs.live_fixture_page`` in a source checkout after a change to one.
"""

from __future__ import annotations

from pathlib import Path

from assistants.frontend.fixture.rules import Rule, Weight

PAGE = Path(__file__).parent / "live-fixture.md"


def with_rules(page: str) -> str:
    """The page with a table between the markers of each weight; ``ValueError`` without them."""
    for weight in Weight:
        page = _with_table(page, weight)
    return page


def _with_table(page: str, weight: Weight) -> str:
    start, end = f"<!-- {weight}s:start -->", f"<!-- {weight}s:end -->"
    before, found, rest = page.partition(start)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"there is no {start} followed by {end}")
    lines = ["| Name | Part | Rule | Known from |", "|---|---|---|---|"]
    lines += [
        f"| `{rule.key}` | {rule.part} | {rule.says} | {rule.ground} |"
        for rule in Rule
        if rule.weight is weight
    ]
    table = "\n".join(lines)
    return f"{before}{start}\n{table}\n{end}{after}"


def main() -> None:
    PAGE.write_text(with_rules(PAGE.read_text("utf-8")), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
