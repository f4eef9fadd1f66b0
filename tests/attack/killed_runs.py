"""Starts the command again and again and kills each run at a given share of a whole run's time.

Run as a program of its own: what the command needs is imported once, and every run is a fork, so
that fifty of them take seconds. Arguments: a folder, a dataset, an application, shares of the time.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import crawl_harness.run  # noqa: F401 - so that no run has to import it
from crawl_harness.evaluate import main


def started(results: Path, data: str, application: str) -> int:
    """A run in a process of its own; its number."""
    child = os.fork()
    if child:
        return child
    options = ["--offline", "--concurrency", "2", "--data", data, "--application", application]
    sys.argv = ["crawl-eval", *options, "--results-dir", str(results)]
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        main()
    except SystemExit as ended:
        os._exit(int(str(ended.code)))
    os._exit(70)


def kill_all(folder: Path, data: str, application: str, shares: list[float]) -> None:
    started_s = time.monotonic()
    _, status = os.waitpid(started(folder / "whole", data, application), 0)
    assert os.waitstatus_to_exitcode(status) == 0, "the whole run must end well"
    whole_s = time.monotonic() - started_s
    for number, share in enumerate(shares):
        child = started(folder / f"killed_{number:02}", data, application)
        time.sleep(share * whole_s)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


if __name__ == "__main__":
    kill_all(Path(sys.argv[1]), sys.argv[2], sys.argv[3], [float(one) for one in sys.argv[4:]])
