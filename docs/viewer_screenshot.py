"""Draw ``docs/assets/viewer.png``: the page of the README's first command, in Debian's Chromium.

Run ``uv run python -m docs.viewer_screenshot`` in a source checkout after a change to the page; it
wants ``chromium`` on the path (``apt-get install chromium``).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from run_harness.conversations import conversations
from run_harness.suite import RUN
from shared.viewer.publish import publish

IMAGE = Path(__file__).parent / "assets" / "viewer.png"
SCENARIO = "restaurant_booking_complete"
SIZE = {"width": 1280, "height": 1000}
MOMENT = "t=24.0"
SETTLED_MS = 500
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def main() -> None:
    browser = shutil.which("chromium")
    if browser is None:
        sys.exit("chromium is not on the path; install it: apt-get install chromium")
    # Only now: the suite brings everything along.
    from assistants.suite.run import evaluate

    with tempfile.TemporaryDirectory() as folder:
        flags = {"offline": True, "example": SCENARIO, "results_dir": folder}
        evaluate(RUN, flags, conversations)
        (results,) = Path(folder).glob("*/results.json")
        page = publish(results)[0]
        _draw(browser, f"{page.as_uri()}#scenario={SCENARIO}&{MOMENT}")


def _draw(browser: str, address: str) -> None:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=list(QUIET))
        view = chromium.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        view.goto(address)
        view.wait_for_function("() => document.querySelector('audio').readyState >= 2")
        view.wait_for_timeout(SETTLED_MS)
        view.screenshot(path=IMAGE)
        chromium.close()


if __name__ == "__main__":
    main()
