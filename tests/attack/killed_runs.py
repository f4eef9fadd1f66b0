"""Starts the command again and again and kills each run at a given share of its work.

A share of 0.4 of six attempts is the instant at which two have finished and so much of an attempt's
time has passed again as makes 0.4 of six. A busy machine moves the instant and not the share.

Run as a program of its own: what the command needs is imported once, and every run is a fork, so
that fifty of them take seconds. Arguments: a folder, a dataset, an application, shares of the time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import assistants.suite.run  # noqa: F401 - so that no run has to import it
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


def wait_for(finished: int, results: Path, child: int) -> None:
    """Return once so many attempts stand in the journal, or the run is over."""
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        journals = list(results.glob("*/journal.jsonl"))
        if finished == 0 or (journals and journals[0].read_bytes().count(b"\n") >= finished):
            return
        time.sleep(0.001)


def kill_all(folder: Path, data: str, application: str, shares: list[float]) -> None:
    attempts = len(json.loads(Path(data).read_bytes())["scenarios"])
    started_s = time.monotonic()
    _, status = os.waitpid(started(folder / "whole", data, application), 0)
    assert os.waitstatus_to_exitcode(status) == 0, "the whole run must end well"
    whole_s = time.monotonic() - started_s
    for number, share in enumerate(shares):
        results = folder / f"killed_{number:02}"
        child = started(results, data, application)
        finished, more = divmod(share * attempts, 1)
        wait_for(int(finished), results, child)
        time.sleep(more * whole_s / attempts)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


if __name__ == "__main__":
    kill_all(Path(sys.argv[1]), sys.argv[2], sys.argv[3], [float(one) for one in sys.argv[4:]])
