"""How soon the page of five hundred conversations answers, in Debian's Chromium.

One offline conversation is held and stands in the page five hundred times, with its waveform, its
text and every check, each under another name. Timed is from the address being asked for to the
list of all five hundred and one attempt beside it; the best of five windows, for the machine has
other work too. ``uv run python benchmarks/viewer_index.py``
"""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import sync_playwright

from assistants.suite.run import evaluate
from run_harness.conversations import conversations
from run_harness.suite import RUN
from shared.viewer.assets import assets
from shared.viewer.attempts import attempts
from shared.viewer.export import Shown, export
from shared.viewer.recording import recording
from shared.viewer.run import run_view
from shared.viewer.saved_run import open_run
from shared.viewer.view import Standing

SCENARIO = "restaurant_booking_complete"
ENTRIES = 500
ALLOWED_S = 2.0
WINDOWS = 5
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ANSWERED = (
    f"() => document.querySelectorAll('#entries > *').length >= {ENTRIES}"
    " && !document.querySelector('#attempt').hidden"
)


def main() -> int:
    browser = shutil.which("chromium")
    if browser is None:
        print("chromium is not on the path; install it: apt-get install chromium")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        page = large_page(Path(folder))
        best_s = min(opening_times_s(browser, page))
        size_mb = page.stat().st_size / 1e6
    ratio = ALLOWED_S / best_s
    print(f"{ENTRIES} conversations, {size_mb:.1f} MB: {best_s:.2f} s, allowed/taken {ratio:.2f}")
    return 0 if ratio >= 1 else 1


def large_page(folder: Path) -> Path:
    with contextlib.redirect_stdout(io.StringIO()):
        flags = {"offline": True, "example": SCENARIO, "results_dir": str(folder)}
        evaluate(RUN, flags, conversations)
    (results,) = folder.glob("*/results.json")
    run = open_run(results)
    (shown,) = attempts(run)
    if shown.recording is None:
        raise SystemExit("the conversation left no recording")
    one = replace(shown.view, waveform=recording(shown.recording).waveform)
    standings = (Standing.PASSED, Standing.FAILED, Standing.PASSED, Standing.INFRASTRUCTURE_ERROR)
    many = [
        Shown(
            replace(
                one,
                entry=replace(
                    one.entry, key=f"{SCENARIO}_{number}", standing=standings[number % 4]
                ),
            ),
            None,
        )
        for number in range(ENTRIES)
    ]
    page = folder / "page.html"
    export(run_view(run.report, "run"), many, page, assets())
    return page


def opening_times_s(browser: str, page: Path) -> Iterator[float]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=list(QUIET))
        for _ in range(WINDOWS):
            window = chromium.new_page(viewport={"width": 1280, "height": 900})
            begun = time.perf_counter()
            window.goto(page.as_uri(), wait_until="commit")
            window.wait_for_function(ANSWERED)
            yield time.perf_counter() - begun
            window.close()
        chromium.close()


if __name__ == "__main__":
    sys.exit(main())
