"""The page in a real browser, from the disk, as someone opens it who was sent the file."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from shared.viewer.assets import PROGRAM, assets
from shared.viewer.view import Standing
from tests.support import viewer_samples
from tests.support.programs import needs_file
from tests.viewer.conftest import Opener, Shown, Watched

FAILED = "address_change_with_a_correction"
LANDS_WITHIN_MS = 20
NARROW = (390, 844)
WITHIN_S = 40
AXE = Path(__file__).parent.parent / "peers" / "node_modules" / "axe-core" / "axe.min.js"


def at(seconds: float, key: str = FAILED) -> str:
    return f"#scenario={key}&t={seconds}"


def entries(page: Page) -> list[str]:
    return page.locator("#entries .entry-title").all_text_contents()


def stands_at(window: Watched, at_ms: float) -> None:
    """Playhead and sound are both there."""
    assert window.heard_ms() == pytest.approx(at_ms, abs=LANDS_WITHIN_MS)
    assert window.playhead_ms() == pytest.approx(at_ms, abs=LANDS_WITHIN_MS)


# What is loaded


@pytest.mark.parametrize("name", ["usual", "many", "hostile"])
def test_a_page_opens_without_a_word_and_asks_nothing_of_anyone(watched: Opener, name: str) -> None:
    window = watched(name)
    window.open()
    assert window.said == []
    assert window.requests == [window.path.as_uri()]


def test_every_part_of_the_program_is_listed_once() -> None:
    folder = Path(__file__).parent.parent.parent / "shared" / "viewer" / "page"
    assert sorted(PROGRAM) == sorted(one.name for one in folder.glob("*.js"))


def test_the_program_can_stand_in_a_page() -> None:
    page = assets()
    assert re.search(r"<(?:/script|!--|script)", page.program, re.IGNORECASE) is None
    assert re.search(r"</style", page.style, re.IGNORECASE) is None
    assert re.search(r"\bstyle=|\son\w+=|https?://", page.markup) is None


@pytest.mark.parametrize(
    "word", ["innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "fetch("]
)
def test_the_program_makes_elements_and_no_markup(word: str) -> None:
    assert word not in assets().program


# The index


def test_it_opens_at_the_first_attempt_that_needs_to_be_looked_at(watched: Opener) -> None:
    page = watched().open()
    expect(page.locator("#attempt-title")).to_have_text("Address change with a correction")
    expect(page.locator("#entries a[aria-current]")).to_contain_text("Address change")


@pytest.mark.parametrize(
    ("wanted", "number"),
    [
        pytest.param({"search": "number 41"}, 15, id="words-of-the-title"),
        pytest.param({"search": "SCENARIO_123"}, 1, id="an-id-in-any-case"),
        pytest.param({"search": "reason 499"}, 1, id="a-reason-by-two-words"),
        pytest.param({"search": "nowhere"}, 0, id="nothing"),
        pytest.param({"kinds": ["failed"]}, 100, id="what-failed"),
        pytest.param({"kinds": ["failed", "infrastructure_error"]}, 200, id="either-of-two"),
        pytest.param({"kinds": ["invalid"]}, 10, id="unfit-callers"),
        pytest.param({"condition": "=cafe"}, 167, id="a-condition"),
        pytest.param({"kinds": ["failed"], "condition": "=cafe", "search": "8"}, 17, id="all"),
    ],
)  # fmt: skip
def test_an_index_of_five_hundred_narrows_to(
    shown: Shown, wanted: dict[str, Any], number: int
) -> None:
    page = shown("many")
    page.reload()
    assert len(entries(page)) == 500
    for kind in wanted.get("kinds", []):
        page.click(f".chip[data-kind={kind}]")
    if "condition" in wanted:
        page.select_option("#condition", wanted["condition"])
    if "search" in wanted:
        page.fill("#search", wanted["search"])
    assert len(entries(page)) == number
    expect(page.locator("#matches")).to_have_text(f"{number} of 500 attempts")


def test_trouble_comes_first_where_it_is_asked_for(watched: Opener) -> None:
    page = watched().open()
    page.select_option("#order", "trouble")
    assert entries(page) == [
        "Address change with a correction",
        "Caller forgets its brief",
        "Session refused",
        "Delivery moved",
    ]


def test_an_entry_opens_its_attempt(watched: Opener) -> None:
    page = watched().open()
    page.click("text=Delivery moved")
    expect(page.locator("#attempt-title")).to_have_text("Delivery moved")
    assert page.url.endswith("#scenario=delivery_moved")
    page.go_back()
    expect(page.locator("#attempt-title")).to_have_text("Address change with a correction")


def test_a_narrow_window_shows_the_index_first_and_then_the_attempt(watched: Opener) -> None:
    window = watched(size=NARROW)
    page = window.page
    page.goto(window.path.as_uri())
    expect(page.locator("#entries")).to_be_visible()
    expect(page.locator("#main")).to_be_hidden()
    page.click("text=Delivery moved")
    expect(page.locator("#entries")).to_be_hidden()
    expect(page.locator("#attempt-title")).to_have_text("Delivery moved")


# Links


def test_a_link_opens_an_attempt_at_its_moment(watched: Opener) -> None:
    window = watched()
    page = window.open(at(12.345))
    expect(page.locator("#attempt-title")).to_have_text("Address change with a correction")
    stands_at(window, 12_345)


def test_a_moment_becomes_a_link(watched: Opener) -> None:
    page = watched().open(at(0, "delivery_moved"))
    page.click("#transcript .row:has-text('order four seven one') .time")
    page.wait_for_url("**#scenario=delivery_moved&t=7.1")


def test_a_link_followed_within_the_page_moves_the_playhead(watched: Opener) -> None:
    window = watched()
    page = window.open(at(3))
    page.evaluate("location.hash = 'scenario=delivery_moved&t=4.2'")
    expect(page.locator("#attempt-title")).to_have_text("Delivery moved")
    stands_at(window, 4_200)


@pytest.mark.parametrize(
    "link", ["#scenario=nobody", "#t=4", "#", "#scenario=%E0%A4%A", "#scenario", "#scenario=&t=NaN"]
)
def test_a_link_to_nothing_opens_the_page_as_it_is(watched: Opener, link: str) -> None:
    window = watched()
    page = window.open(link)
    expect(page.locator("#attempt-title")).to_have_text("Address change with a correction")
    assert window.said == []


@pytest.mark.parametrize("seconds", ["-5", "1e9", "NaN", "abc", ""])
def test_a_moment_outside_the_attempt_stays_within_it(watched: Opener, seconds: str) -> None:
    window = watched()
    window.open(f"#scenario=delivery_moved&t={seconds}")
    assert 0 <= window.playhead_ms() <= 21_000


# The playhead


def test_seeking_by_transcript_marker_key_and_figure_lands_where_it_says(watched: Opener) -> None:
    window = watched()
    page = window.open(at(1))
    page.click("#transcript .row:has-text('I was not finished') .time")
    stands_at(window, 17_000)
    page.click(".lane.floor .mark.floor >> nth=0")
    stands_at(window, 13_000)
    page.click(".lane.caller .bar >> nth=4")
    stands_at(window, 38_000)
    page.click("[data-figure=response_rate] .moment >> nth=1")
    stands_at(window, 24_400)
    page.click("#verdict .check:has-text('application state') .moment >> nth=0")
    stands_at(window, 43_100)


@pytest.mark.parametrize(
    ("keys", "at_ms"),
    [
        pytest.param(["ArrowRight"], 21_000, id="a-second-on"),
        pytest.param(["ArrowLeft", "ArrowLeft"], 18_000, id="two-back"),
        pytest.param(["Shift+ArrowRight"], 25_000, id="five-on"),
        pytest.param(["Shift+ArrowLeft"] * 5, 0, id="not-before-the-start"),
        pytest.param(["Shift+ArrowRight"] * 10, 62_000, id="not-beyond-the-end"),
        pytest.param(["n"], 20_400, id="the-next-event"),
        pytest.param(["n", "n"], 29_000, id="the-one-after"),
        pytest.param(["p"], 16_500, id="the-one-before"),
    ],
)
def test_keys_move_the_playhead(watched: Opener, keys: list[str], at_ms: int) -> None:
    window = watched()
    page = window.open(at(20))
    window.heard_ms()
    for key in keys:
        page.keyboard.press(key)
    stands_at(window, at_ms)


def test_keys_mean_themselves_where_something_is_written(watched: Opener) -> None:
    window = watched()
    page = window.open(at(20))
    page.keyboard.press("/")
    page.keyboard.type("n 0p?[")
    assert page.input_value("#search") == "n 0p?["
    assert window.playhead_ms() == 20_000
    page.keyboard.press("Escape")
    assert page.input_value("#search") == ""


def test_brackets_walk_the_list_as_it_is_shown(watched: Opener) -> None:
    page = watched("many").open()
    page.click(".chip[data-kind=failed]")
    page.locator("body").press("]")
    expect(page.locator("#attempt-title")).to_have_text("Scenario number 3 of a long run")
    page.locator("body").press("]")
    expect(page.locator("#attempt-title")).to_have_text("Scenario number 8 of a long run")
    page.locator("body").press("[")
    expect(page.locator("#attempt-title")).to_have_text("Scenario number 3 of a long run")


def test_the_playhead_is_a_slider(watched: Opener) -> None:
    window = watched()
    page = window.open(at(20))
    playhead = page.get_by_role("slider", name="Playhead")
    playhead.focus()
    expect(playhead).to_have_attribute("aria-valuemin", "0")
    expect(playhead).to_have_attribute("aria-valuemax", "62000")
    expect(playhead).to_have_attribute("aria-valuenow", "20000")
    expect(playhead).to_have_attribute("aria-valuetext", "0:20.0 of 1:02.0")
    for key, now in [("ArrowUp", "21000"), ("ArrowDown", "20000"), ("End", "62000"), ("Home", "0")]:
        playhead.press(key)
        expect(playhead).to_have_attribute("aria-valuenow", now)


def test_a_click_on_the_axis_seeks_there(watched: Opener) -> None:
    window = watched()
    page = window.open(at(1))
    box = page.locator(".lane.ruler").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 5)
    assert window.playhead_ms() == pytest.approx(31_000, abs=100)


def test_the_transcript_follows(watched: Opener) -> None:
    page = watched().open(at(53))
    expect(page.locator("#transcript .row[aria-current]")).to_contain_text("Your address has")
    assert page.evaluate(
        """() => {
          const list = document.querySelector("#transcript");
          const row = list.querySelector("[aria-current]").getBoundingClientRect();
          const frame = list.getBoundingClientRect();
          return list.scrollTop > 0 && row.top >= frame.top && row.bottom <= frame.bottom;
        }"""
    )


# Sound


def test_it_plays_and_the_playhead_moves_with_it(watched: Opener) -> None:
    window = watched()
    page = window.open(at(0, "delivery_moved"))
    assert window.requests == [window.path.as_uri()], "nothing is decoded before it is wanted"
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelector('audio').currentTime > 0.5")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Pause")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")
    stands_at(window, window.heard_ms())
    assert window.playhead_ms() > 500
    assert window.said == []


@pytest.mark.parametrize("standing", [Standing.FAILED, Standing.INFRASTRUCTURE_ERROR])
def test_checks_are_held_against_an_assistant_only_where_it_was_measured(
    standing: Standing, watched: Opener, tmp_path: Path
) -> None:
    one = viewer_samples.failed()
    one = replace(one, entry=replace(one.entry, standing=standing))
    page = watched(viewer_samples.page(tmp_path / "one.html", [one])).open()
    is_measured = standing is Standing.FAILED
    expect(page.locator("#head .failure")).to_have_count(2 if is_measured else 0)
    expect(page.locator("#verdict .check.failed")).not_to_have_count(0)
    said = page.locator("#verdict .verdict-line")
    expect(said).to_contain_text("failed" if is_measured else "for and against nobody")


def test_what_failed_is_heard_with_one_click(watched: Opener) -> None:
    window = watched()
    page = window.open()
    page.click(".failure >> nth=0 >> .hear")
    page.wait_for_function("() => document.querySelector('audio').currentTime > 42")
    assert page.evaluate("document.querySelector('audio').paused") is False


def test_speed_keeps_the_pitch(watched: Opener) -> None:
    page = watched().open(at(1))
    page.select_option("#speed", "1.5")
    page.keyboard.press("Escape")
    page.locator("#play").click()
    page.wait_for_function("() => !document.querySelector('audio').paused")
    assert page.evaluate("document.querySelector('audio').playbackRate") == 1.5
    assert page.evaluate("document.querySelector('audio').preservesPitch") is True


LISTEN = """
const join = AudioContext.prototype.createChannelMerger;
AudioContext.prototype.createChannelMerger = function (...given) {
  const merger = join.apply(this, given);
  const splitter = this.createChannelSplitter(2);
  merger.connect(splitter);
  window.ears = [0, 1].map((side) => {
    const ear = this.createAnalyser();
    splitter.connect(ear, side);
    return ear;
  });
  return merger;
};
window.loudest = () => window.ears.map((ear) => {
  const heard = new Float32Array(ear.fftSize);
  ear.getFloatTimeDomainData(heard);
  return Math.max(...heard.map(Math.abs));
});
"""


def test_either_side_can_be_silenced(watched: Opener) -> None:
    """From 13.0 s to 15.2 s of the sample both sides sound."""
    window = watched()
    window.page.add_init_script(LISTEN)
    page = window.open(at(13.1))
    window.heard_ms()
    page.click("#mute-caller")
    page.click("#play")
    page.wait_for_function("() => loudest()[0] < 1e-4 && loudest()[1] > 0.02")
    page.click("#mute-caller")
    page.click("#mute-assistant")
    page.click("#transcript .row:has-text('I have updated it') .time")
    page.wait_for_function("() => loudest()[0] > 0.02 && loudest()[1] < 1e-4")
    expect(page.locator("#mute-assistant")).to_have_attribute("aria-pressed", "true")


def test_a_damaged_recording_is_said_and_the_rest_works(watched: Opener, tmp_path: Path) -> None:
    path = viewer_samples.page(tmp_path / "damaged.html", [viewer_samples.passed()])
    text = path.read_text()
    path.write_text(re.sub(r'(id="sound-0">).{40}', r"\1%%%%", text))
    window = watched(path)
    page = window.open()
    page.click("#play")
    expect(page.locator("#recording")).to_contain_text("cannot be read")
    page.keyboard.press("ArrowRight")
    assert window.playhead_ms() == 1_000


def test_without_a_recording_the_playhead_moves_silently(watched: Opener, tmp_path: Path) -> None:
    silent = replace(viewer_samples.passed(), waveform=None)
    window = watched(viewer_samples.page(tmp_path / "silent.html", [silent]))
    page = window.open()
    expect(page.locator("#play")).to_be_disabled()
    expect(page.locator("#recording")).to_contain_text("No recording")
    page.keyboard.press("n")
    assert window.playhead_ms() == 3_900


def test_sound_of_another_page_is_a_link_to_the_same_moment(
    watched: Opener, tmp_path: Path
) -> None:
    path = viewer_samples.page(
        tmp_path / "viewer.html",
        viewer_samples.usual(),
        elsewhere="viewer-2.html",
        pages=("viewer.html", "viewer-2.html"),
    )
    page = watched(path).open(at(4))
    page.keyboard.press("ArrowRight")
    link = page.locator("#recording a")
    expect(link).to_have_attribute("href", f"viewer-2.html{at(5)}")
    expect(page.locator("#pages a[aria-current=page]")).to_have_text("1")


# Looks


def test_zooming_in_and_out_keeps_the_playhead_in_sight(watched: Opener) -> None:
    page = watched().open(at(50))
    whole = page.locator(".strip").bounding_box()
    assert whole is not None
    for _ in range(6):
        page.keyboard.press("+")
    wide = page.locator(".strip").bounding_box()
    assert wide is not None
    assert wide["width"] > 10 * whole["width"]
    expect(page.locator("#playhead")).to_be_in_viewport()
    page.keyboard.press("0")
    assert page.locator(".strip").bounding_box() == whole
    expect(page.locator("#zoom-out")).to_be_disabled()


def test_a_wheel_zooms_about_the_pointer_and_pans(watched: Opener) -> None:
    page = watched().open(at(1))
    lane = page.locator(".lane.caller").bounding_box()
    assert lane is not None
    page.mouse.move(lane["x"] + lane["width"] / 2, lane["y"] + 20)
    page.keyboard.down("Control")
    for _ in range(5):
        page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    page.wait_for_function("() => document.querySelector('.scroller').scrollLeft > 100")
    left = page.evaluate("document.querySelector('.scroller').scrollLeft")
    page.keyboard.down("Shift")
    page.mouse.wheel(0, 200)
    page.keyboard.up("Shift")
    page.wait_for_function(f"() => document.querySelector('.scroller').scrollLeft > {left + 50}")


def test_the_scheme_follows_the_system_and_the_button(watched: Opener) -> None:
    def background(page: Page) -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = background(watched().open())
    page = watched(color_scheme="dark").open()
    dark = background(page)
    assert light != dark
    page.click("#theme")
    assert background(page) == light
    page.click("#theme")
    assert background(page) == dark


def test_help_opens_and_closes_by_key(watched: Opener) -> None:
    page = watched().open()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()


# What is told


@pytest.mark.parametrize(
    ("key", "told"),
    [
        (FAILED, "Offline fixture: a script spoke, no live model"),
        (FAILED, "postcode: expected E14 3QS, found E14 3QT"),
        (FAILED, "The street was changed, the postcode was not."),
        (FAILED, "called, never returned"),
        (FAILED, "only the moment is known"),
        (FAILED, "not known: no caller took the floor"),
        (FAILED, "1 of 3 requests"),
        (FAILED, "rubric version unknown"),
        (FAILED, "Extended version unknown"),
        (FAILED, "Answered too late, at 0:27.3"),
        (FAILED, "Cut off before the deadline"),
        (FAILED, "Yield: yielded after 700 ms, at the first pause"),
        (FAILED, "4 frames left more than 60 ms late."),
        (FAILED, "duration cap"),
        (FAILED, "Observer: unresolved, goes on"),
        ("delivery_moved", "close (by observer)"),
        ("caller_forgets_its_brief", "Unfit caller"),
        ("caller_forgets_its_brief", "The caller was unfit: nothing here is said of the assistant"),
        ("session_refused", "The service refused the session (401)."),
        ("session_refused", "No evidence was saved."),
        ("session_refused", "No verdict was recorded."),
    ],
)
def test_an_attempt_tells(shown: Shown, key: str, told: str) -> None:
    page = shown("usual", f"#scenario={key}")
    expect(page.locator("#attempt")).to_contain_text(told)


def test_a_marker_of_a_delegation_shows_its_details(watched: Opener) -> None:
    page = watched().open()
    page.click(".lane.backend .mark >> nth=0")
    expect(page.locator("#delegation-0")).to_be_focused()
    expect(page.locator("#delegation-0")).to_be_in_viewport()


def test_a_page_cut_short_says_so(watched: Opener, tmp_path: Path) -> None:
    path = viewer_samples.page(tmp_path / "cut.html", viewer_samples.usual())
    content = path.read_bytes()
    path.write_bytes(content[: content.index(b'id="attempt-1"') + 2_000])
    window = watched(path)
    window.page.goto(path.as_uri())
    expect(window.page.locator("#waiting")).to_contain_text("damaged or cut short")
    window.page.click("text=Session refused")
    expect(window.page.locator("#waiting")).to_contain_text("does not hold the attempt")
    window.page.click("text=Delivery moved")
    expect(window.page.locator("#attempt-title")).to_have_text("Delivery moved")


def test_an_index_answers_while_attempts_still_arrive(watched: Opener, tmp_path: Path) -> None:
    content = viewer_samples.page(tmp_path / "slow.html", viewer_samples.usual()).read_bytes()
    cut = content.index(b'id="attempt-1"') + 500
    with arriving(content[:cut], content[cut:]) as (address, let_go):
        page = watched().page
        page.goto(address, wait_until="commit")
        expect(page.locator("#waiting")).to_have_text("Reading Address change with a correction…")
        page.click("text=Delivery moved")
        expect(page.locator("#attempt-title")).to_have_text("Delivery moved")
        page.click("text=Session refused")
        expect(page.locator("#waiting")).to_have_text("Reading Session refused…")
        let_go()
        expect(page.locator("#attempt-title")).to_have_text("Session refused")


@contextmanager
def arriving(first: bytes, rest: bytes) -> Iterator[tuple[str, Callable[[], None]]]:
    """A page whose ``rest`` is sent only when it is let go."""
    gate = threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            if self.path == "/":
                self.wfile.write(first)
                gate.wait(WITHIN_S)
                self.wfile.write(rest)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/", gate.set
        finally:
            gate.set()
            server.shutdown()


# Anyone's words


@pytest.mark.parametrize("size", [(1280, 900), NARROW], ids=["wide", "narrow"])
def test_hostile_words_run_nothing_and_widen_nothing(
    watched: Opener, size: tuple[int, int]
) -> None:
    window = watched("hostile", size)
    page = window.open()
    page.evaluate("document.body.classList.remove('index-open')")
    assert page.title() != "executed"
    assert page.locator("#attempt script, #attempt img, #entries script, #entries img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    for rest in page.locator("button.link:visible:has-text('Show all')").all()[:12]:
        rest.click(timeout=2_000)
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    assert window.said == []


def test_what_cannot_be_seen_is_named(shown: Shown) -> None:
    page = shown("hostile")
    turns = page.locator("#transcript .turn")
    expect(turns.nth(2)).to_contain_text("left U+202Eright to leftU+202C and U+2066isolatedU+2069")
    expect(turns.nth(5)).to_contain_text("nullU+0000bytesU+0000×3andU+001Bescapes")
    expect(turns.nth(8)).to_contain_text("+396 marks")
    joined = viewer_samples.HOSTILE[9]
    expect(turns.nth(9)).to_contain_text(joined)


def test_a_very_long_line_is_shown_whole_when_asked(shown: Shown) -> None:
    page = shown("hostile")
    row = page.locator("#transcript .turn").nth(6)
    assert len(row.inner_text()) < 3_000
    row.get_by_role("button", name="Show all 100,000 characters").click()
    assert len(row.inner_text()) > 100_000


# For everyone


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 900), NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("key", [FAILED, "caller_forgets_its_brief", "session_refused"])
def test_a_scan_finds_no_serious_barrier(
    watched: Opener, key: str, size: tuple[int, int], scheme: str
) -> None:
    scanner = needs_file(AXE, "npm install --prefix tests/peers --no-package-lock")
    window = watched("usual", size, color_scheme=scheme, bypass_csp=True)
    page = window.open(f"#scenario={key}")
    for fold in page.locator("summary").all():
        fold.click()
    page.add_script_tag(content=scanner.read_text("utf-8"))
    found = page.evaluate("axe.run()")
    serious = [
        (one["id"], [node["target"] for node in one["nodes"]], one["nodes"][0]["failureSummary"])
        for one in found["violations"]
        if one["impact"] in {"serious", "critical"}
    ]
    assert serious == []


def test_a_page_whose_name_is_no_text_opens(
    watched: Opener, saved: Callable[[str], Path], tmp_path: Path
) -> None:
    page = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.html"))
    page.write_bytes(saved("usual").read_bytes())
    opened = watched(page)
    opened.open()
    assert opened.said == []
