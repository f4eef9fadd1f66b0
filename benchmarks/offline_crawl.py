"""How much conversation an offline CRAWL run simulates per second of the whole process.

Prints one ratio: seconds of conversation, to the last voiced sample of each attempt, over wall
seconds from starting the command to its end. ``uv run python benchmarks/offline_crawl.py``
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = ["crawl-eval", "--offline", "--json", "--results-dir", folder]
        began = time.perf_counter()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        wall_s = time.perf_counter() - began
        run = Path(json.loads(done.stdout)["results"]).parent
        details = [json.loads(path.read_text("utf-8")) for path in run.glob("transcripts/*.json")]
    spoken_ms = sum(_last_voiced_ms(one["evidence"]) for one in details)
    print(f"attempts: {len(details)}")
    print(f"conversation: {spoken_ms / 1000:.1f} s")
    print(f"wall: {wall_s:.2f} s")
    print(f"ratio: {spoken_ms / 1000 / wall_s:.1f} x real time (at least 40)")
    sys.exit(spoken_ms / 1000 / wall_s < 40)


def _last_voiced_ms(evidence: dict[str, dict[str, list[list[int]]]]) -> int:
    return max(
        (span[1] for party in ("caller", "assistant") for span in evidence[party]["voiced"]),
        default=0,
    )


if __name__ == "__main__":
    main()
