"""A real browser for the tests of the page, and pages opened in it from the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from shared.viewer.view import AttemptView
from tests.support import viewer_samples
from tests.support.programs import needs_program

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--autoplay-policy=no-user-gesture-required",
)
WIDE = (1280, 900)
WITHIN_MS = 15_000


@dataclass
class Watched:
    """A page with all that it said to the console or asked of anyone since it was opened."""

    page: Page
    path: Path
    said: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, link: str = "") -> Page:
        self.page.goto(f"{self.path.as_uri()}{link}")
        self.page.wait_for_selector("#attempt:not([hidden])", state="attached")
        return self.page

    def playhead_ms(self) -> int:
        return int(self.page.get_attribute("#playhead", "aria-valuenow") or -1)

    def heard_ms(self) -> float:
        """Where the sound stands, once it is decoded and has arrived there."""
        self.page.wait_for_function(
            "() => { const audio = document.querySelector('audio');"
            " return audio.readyState >= 2 && !audio.seeking; }"
        )
        return float(self.page.evaluate("document.querySelector('audio').currentTime * 1000"))


type Opener = Callable[..., Watched]
type Shown = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Driven as long as a module lasts: meanwhile a loop runs, and no other can in this process."""
    program = needs_program("chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A page of samples by its name, written once."""
    folder = tmp_path_factory.mktemp("pages")
    makers: dict[str, Callable[[], Sequence[AttemptView]]] = {
        "usual": viewer_samples.usual,
        "hostile": lambda: [viewer_samples.hostile(), viewer_samples.passed()],
        "many": lambda: viewer_samples.many(500),
    }

    def page(name: str) -> Path:
        path = folder / f"{name}.html"
        return path if path.exists() else viewer_samples.page(path, makers[name]())

    return page


@pytest.fixture
def watched(browser: Browser, saved: Callable[[str], Path]) -> Iterator[Opener]:
    """Opens a sample page, or the page at a path, in a window of its own."""
    contexts = []

    def opened(page: str | Path = "usual", size: tuple[int, int] = WIDE, **more: Any) -> Watched:
        width, height = size
        context = browser.new_context(viewport={"width": width, "height": height}, **more)
        context.set_default_timeout(WITHIN_MS)
        contexts.append(context)
        return Watched(context.new_page(), saved(page) if isinstance(page, str) else page)

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def shown(browser: Browser, saved: Callable[[str], Path]) -> Iterator[Shown]:
    """A sample page that tests of a module only look at, opened once at each link."""
    context = browser.new_context(viewport={"width": WIDE[0], "height": WIDE[1]})
    context.set_default_timeout(WITHIN_MS)
    pages: dict[tuple[str, str], Page] = {}

    def page(name: str, link: str = "") -> Page:
        if (name, link) not in pages:
            pages[name, link] = Watched(context.new_page(), saved(name)).open(link)
        return pages[name, link]

    yield page
    context.close()
