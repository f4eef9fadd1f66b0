"""How long ``crawl-eval --help`` takes against the help of an empty typer program.

The two run in turn; the ratio is that of the medians. ``uv run python benchmarks/startup.py``
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

RUNS = 15
EMPTY = """
import typer
app = typer.Typer(add_completion=False)

@app.command()
def command(name: str = typer.Option("", help="A name.")) -> None:
    pass

app()
"""


def main() -> None:
    ours = [sys.executable, "-m", "crawl_harness.evaluate", "--help"]
    empty = [sys.executable, "-c", EMPTY, "--help"]
    times: dict[str, list[float]] = {"ours": [], "empty": []}
    for _ in range(RUNS + 1):
        times["ours"].append(_seconds(ours))
        times["empty"].append(_seconds(empty))
    # The first of each warms the disk cache and is not counted.
    ratio = statistics.median(times["ours"][1:]) / statistics.median(times["empty"][1:])
    print(f"crawl-eval --help: {statistics.median(times['ours'][1:]):.3f} s")
    print(f"empty typer program: {statistics.median(times['empty'][1:]):.3f} s")
    print(f"ratio: {ratio:.2f} (at most 1.5)")
    sys.exit(ratio > 1.5)


def _seconds(command: Sequence[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
