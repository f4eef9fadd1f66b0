"""How much conversation an offline RUN holds per second of the whole process.

All bundled conversations, once on a clean line and once under ``realistic``, one after the other in
one process (``--concurrency 1``), from starting the command to its end: start-up, metrics and files
included. Conversation counts as long as it lasts, to the end of its media time. The ratio that must
be reached is of processor time, of user and system, so that a busy machine's other work counts as
little as it can; that of wall time stands beside it.
``uv run python benchmarks/offline_run.py``
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shared.scenario_types import AcousticCondition

AT_LEAST = {AcousticCondition.CLEAN: 100, AcousticCondition.REALISTIC: 50}


def ratio(condition: AcousticCondition, at_least: int) -> float:
    """Seconds of conversation per second of processor time, printed."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["run-eval", "--offline", "--json", "--results-dir", folder]
        command += ["--condition", condition.value, "--concurrency", "1"]
        began, used = time.perf_counter(), _used_s()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        wall_s, processor_s = time.perf_counter() - began, _used_s() - used
        run = Path(json.loads(done.stdout)["results"]).parent
        held = [json.loads(path.read_text("utf-8")) for path in run.glob("transcripts/*.json")]
    conversation_s = sum(one["evidence"]["extent_ms"] for one in held) / 1000
    print(
        f"{condition.value}: {len(held)} conversations of {conversation_s:.1f} s in all in"
        f" {processor_s:.2f} s of processor time and {wall_s:.2f} s of wall time;"
        f" ratio: {conversation_s / processor_s:.1f} x real time (at least {at_least}),"
        f" by the wall {conversation_s / wall_s:.1f}"
    )
    return conversation_s / processor_s


def _used_s() -> float:
    """Processor time of all processes that were waited for."""
    times = os.times()
    return times.children_user + times.children_system


def main() -> None:
    is_slow = [ratio(condition, least) < least for condition, least in AT_LEAST.items()]
    sys.exit(any(is_slow))


if __name__ == "__main__":
    main()
