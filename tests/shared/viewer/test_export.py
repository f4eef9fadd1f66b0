"""Pages on the disk: whole, private, no larger than they may be, and nobody else's files lost."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest

import shared.viewer.export as module
from shared.audio import wav
from shared.errors import UsageError
from shared.viewer.document import Assets
from shared.viewer.export import Shown, export
from shared.viewer.view import AttemptView, Standing
from tests.support import viewer_samples
from tests.support.wav_files import data, form, riff

ASSETS = Assets("<main></main>", "main{}", '"use strict";')
ROOT = Path(__file__).parents[3]


def view(key: str, standing: Standing = Standing.PASSED, **more: object) -> AttemptView:
    told = viewer_samples.entry(key, standing, **more)
    return viewer_samples.attempt(told, viewer_samples.course((), 0), waveform=None)


def a_recording(folder: Path, seconds: float) -> Path:
    """Noise, so that its compressed size hardly depends on anything but its length."""
    path = folder / f"{seconds}.wav"
    frames = int(seconds * 24_000)
    samples = np.random.default_rng(1).integers(-9_000, 9_000, (frames, 2)).astype(np.int16)
    path.write_bytes(wav.encode(samples))
    return path


@dataclass(frozen=True)
class Page:
    """A page as a browser would find it."""

    text: str

    @property
    def index(self) -> Any:
        return self.block("index")

    def block(self, name: str) -> Any:
        return json.loads(self._content("application/json", name))

    def sounds(self) -> set[int]:
        return set(map(int, re.findall(r'id="sound-(\d+)"', self.text)))

    def sound(self, number: int) -> bytes:
        return base64.b64decode(self._content("text/plain", f"sound-{number}"), validate=True)

    def keys_heard(self) -> list[str]:
        return [self.block(f"attempt-{n}")["entry"]["key"] for n in sorted(self.sounds())]

    def _content(self, kind: str, name: str) -> str:
        found = re.findall(rf'<script type="{kind}" id="{name}">([^<]*)</script>', self.text)
        assert len(found) == 1
        return found[0]


def page(path: Path) -> Page:
    return Page(path.read_text("ascii"))


def made(path: Path, attempts: Sequence[Shown], **options: Any) -> list[Page]:
    return [
        page(one) for one in export(viewer_samples.run_view(), attempts, path, ASSETS, **options)
    ]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "viewer.html"


def names(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir())


def test_an_attempt_is_there_with_its_waveform_and_its_sound(tmp_path: Path, out: Path) -> None:
    recording = a_recording(tmp_path, 1.5)
    (found,) = made(out, [Shown(view("silent"), None), Shown(view("heard"), recording)])

    assert found.index["pages"] == []
    assert found.index["sounds"] == [
        None,
        {
            "mime": "audio/ogg; codecs=opus",
            "size_bytes": len(found.sound(1)),
            "page": None,
        },
    ]
    assert found.block("attempt-0")["waveform"] is None
    assert len(base64.b64decode(found.block("attempt-1")["waveform"]["caller"])) == 150
    assert found.sounds() == {1}
    assert found.sound(1).startswith(b"OggS")


def test_where_nothing_else_says_how_long_it_was_its_recording_does(
    tmp_path: Path, out: Path
) -> None:
    known = replace(view("known", duration_ms=9), course=viewer_samples.course((), 7))
    recording = a_recording(tmp_path, 0.5)
    (found,) = made(out, [Shown(view("unknown"), recording), Shown(known, recording)])

    lengths = [
        (found.block(name)["entry"]["duration_ms"], found.block(name)["course"]["extent_ms"])
        for name in ("attempt-0", "attempt-1")
    ]
    assert lengths == [(500, 500), (9, 7)]
    assert [entry["duration_ms"] for entry in found.index["entries"]] == [500, 9]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        pytest.param(b"no", "The recording cannot be shown: r.wav: is ", id="no-recording"),
        pytest.param(None, "The recording cannot be shown: r.wav: cannot be read", id="no-file"),
        pytest.param(
            riff(form(channels=2), data(bytes(400)))[:-4], "The recording is cut: 396", id="a-part"
        ),
    ],
)
def test_what_is_missing_of_a_recording_is_named_last(
    content: bytes | None, sentence: str, tmp_path: Path, out: Path
) -> None:
    if content is not None:
        (tmp_path / "r.wav").write_bytes(content)
    bare = replace(view("a"), missing=("The events are missing.",))
    (found,) = made(out, [Shown(bare, tmp_path / "r.wav")])

    missing = found.block("attempt-0")["missing"]
    assert missing[0] == "The events are missing."
    assert missing[1].startswith(sentence)
    assert len(missing) == 2
    assert (found.index["sounds"] == [None]) is sentence.startswith("The recording cannot")


def test_attempts_keep_their_order_however_long_their_recordings_take(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    lengths = [3, 0.1, 1, 0.1, 0.5, 0.1, 2, 0.1, 0.3, 0.1, 0.2]
    attempts = [Shown(view(f"a{n}"), a_recording(tmp_path, s)) for n, s in enumerate(lengths)]
    (found,) = made(out, attempts)

    told = [found.block(f"attempt-{n}")["course"]["extent_ms"] for n in range(len(lengths))]
    assert told == [round(1000 * seconds) for seconds in lengths]


def test_progress_is_told_from_none_to_all(tmp_path: Path, out: Path) -> None:
    told: list[tuple[int, int]] = []
    attempts = [Shown(view("a"), None), Shown(view("b"), a_recording(tmp_path, 0.1))]
    made(out, attempts, on_progress=lambda done, total: told.append((done, total)))

    assert told == [(0, 2), (1, 2), (2, 2)]


def test_a_run_without_attempts_is_a_page(out: Path) -> None:
    (found,) = made(out, [])
    assert found.index["entries"] == []


# Sizes


@pytest.fixture
def four(tmp_path: Path) -> list[Shown]:
    recording = a_recording(tmp_path, 1)
    return [
        Shown(view("passed_1"), recording),
        Shown(view("failed", Standing.FAILED), recording),
        Shown(view("passed_2"), recording),
        Shown(view("broken", Standing.INFRASTRUCTURE_ERROR), recording),
    ]


def test_what_just_fits_one_page_is_one(four: list[Shown], out: Path) -> None:
    made(out, four)
    size = out.stat().st_size

    for limit, pages in [(size + 1, 1), (size, 1), (size - 1, 2)]:
        assert len(made(out, four, page_limit_bytes=limit)) == pages


def test_beyond_the_limit_what_passed_is_heard_on_further_pages(
    four: list[Shown], out: Path
) -> None:
    made(out, four)
    first, second = made(out, four, page_limit_bytes=out.stat().st_size - 1)

    assert names(out) == ["viewer-2.html", "viewer.html"]
    assert first.keys_heard() == ["failed", "broken"]
    assert second.keys_heard() == ["passed_1", "passed_2"]
    pages = [place["page"] for place in first.index["sounds"]]
    assert pages == ["viewer-2.html", None, "viewer-2.html", None]
    assert [entry["key"] for entry in second.index["entries"]] == ["passed_1", "passed_2"]
    assert [place["page"] for place in second.index["sounds"]] == [None, None]
    both = ["viewer.html", "viewer-2.html"]
    assert (first.index["pages"], second.index["pages"]) == (both, both)
    for number in range(4):
        assert first.block(f"attempt-{number}")["waveform"] is not None


@pytest.mark.parametrize(
    "standing",
    [
        pytest.param({"standing": Standing.FAILED}, id="failed"),
        pytest.param({"standing": Standing.INFRASTRUCTURE_ERROR}, id="broke"),
        pytest.param({"standing": Standing.UNKNOWN}, id="ended-nobody-knows-how"),
        pytest.param({"is_valid": False}, id="had-an-unfit-caller"),
    ],
)
def test_heard_on_the_first_page_is_an_attempt_that(
    standing: dict[str, Any], tmp_path: Path, out: Path
) -> None:
    recording = a_recording(tmp_path, 1)
    attempts = [Shown(view("good"), recording), Shown(view("other", **standing), recording)]
    made(out, attempts)
    pages = made(out, attempts, page_limit_bytes=out.stat().st_size - 1)

    assert [one.keys_heard() for one in pages] == [["other"], ["good"]]


@pytest.mark.parametrize("share", [0.2, 0.35, 0.5, 0.7, 0.9, 0.999])
def test_no_page_is_larger_than_the_limit(share: float, four: list[Shown], out: Path) -> None:
    made(out, four)
    limit = int(out.stat().st_size * share)
    pages = made(out, four, page_limit_bytes=limit)

    sizes = [path.stat().st_size for path in out.parent.iterdir()]
    assert max(sizes) <= limit or share == 0.2
    heard = sorted(key for one in pages for key in one.keys_heard())
    assert heard == ["broken", "failed", "passed_1", "passed_2"]


@pytest.mark.parametrize("spare", range(0, 1_000, 50))
def test_not_by_a_byte_is_a_page_of_many_too_large(spare: int, tmp_path: Path, out: Path) -> None:
    recording = a_recording(tmp_path, 0.02)
    attempts = [Shown(view(f"attempt_{n}"), recording) for n in range(25)]
    made(out, [Shown(one.view, None) for one in attempts])
    limit = out.stat().st_size + spare
    made(out, attempts, page_limit_bytes=limit)

    further = [path.stat().st_size for path in out.parent.iterdir() if path != out]
    assert further
    assert max(further) <= limit


def test_a_page_with_the_least_room_has_one_attempt_each(four: list[Shown], out: Path) -> None:
    pages = made(out, four, page_limit_bytes=0)

    heard = [one.keys_heard() for one in pages]
    assert heard == [[], ["failed"], ["broken"], ["passed_1"], ["passed_2"]]
    assert names(out)[-1] == "viewer.html"


# Places


def test_pages_are_their_owners_alone(four: list[Shown], out: Path) -> None:
    made(out, four, page_limit_bytes=0)

    assert {stat.S_IMODE(path.stat().st_mode) for path in out.parent.iterdir()} == {0o600}


def test_pages_of_an_earlier_larger_export_go(four: list[Shown], out: Path) -> None:
    made(out, four, page_limit_bytes=0)
    made(out, four)

    assert names(out) == ["viewer.html"]


def another_file(place: Path, _: Path) -> None:
    place.write_text("mine")


def another_export(place: Path, _: Path) -> None:
    made(place, [])


def a_page_of_another_series(place: Path, further: Path) -> None:
    place.write_bytes(further.read_bytes())


def a_link(place: Path, further: Path) -> None:
    place.symlink_to(further)


def a_dangling_link(place: Path, _: Path) -> None:
    place.symlink_to(place.with_name("nowhere"))


def a_folder(place: Path, _: Path) -> None:
    place.mkdir()


STRANGERS = [
    another_file,
    another_export,
    a_page_of_another_series,
    a_link,
    a_dangling_link,
    a_folder,
]


def snapshot(folder: Path) -> dict[str, object]:
    return {
        path.name: path.readlink() if path.is_symlink() else path.is_dir() or path.read_bytes()
        for path in folder.iterdir()
    }


@pytest.mark.parametrize("stranger", STRANGERS)
def test_beside_a_page_nothing_is_lost_that_is(
    stranger: Callable[[Path, Path], None], four: list[Shown], out: Path, tmp_path: Path
) -> None:
    made(tmp_path / "others.html", four, page_limit_bytes=0)
    stranger(out.with_name("viewer-2.html"), tmp_path / "others-3.html")
    before = snapshot(out.parent)

    with pytest.raises(UsageError, match=r"^--output: .*viewer-2.html: what stands there is no"):
        made(out, four, page_limit_bytes=0)
    assert snapshot(out.parent) == before

    made(out, four)
    assert snapshot(out.parent).items() > before.items()


@pytest.mark.parametrize("stranger", [another_file, a_link, a_dangling_link, a_folder])
def test_in_its_place_nothing_is_lost_that_is(
    stranger: Callable[[Path, Path], None], out: Path, tmp_path: Path
) -> None:
    made(tmp_path / "others.html", [])
    stranger(out, tmp_path / "others.html")
    before = snapshot(out.parent)

    with pytest.raises(UsageError, match=r"^--visualize: .*viewer\.html: what stands there"):
        made(out, [], setting="--visualize")
    assert snapshot(out.parent) == before


def test_a_place_that_is_taken_is_refused_before_anything_is_compressed(out: Path) -> None:
    out.write_text("mine")
    told: list[int] = []

    with pytest.raises(UsageError):
        made(out, [], on_progress=lambda done, _: told.append(done))
    assert told == []


def test_a_further_page_is_not_taken_for_a_first_one(four: list[Shown], out: Path) -> None:
    made(out, four, page_limit_bytes=0)

    with pytest.raises(UsageError, match="viewer-3"):
        made(out.with_name("viewer-3.html"), [])


def test_a_first_page_is_written_anew_whatever_it_was_called(four: list[Shown], out: Path) -> None:
    made(out, four, page_limit_bytes=0)
    moved = out.rename(out.with_name("moved.html"))
    made(moved, [])

    assert page(moved).index["entries"] == []
    assert "viewer-2.html" in names(out), "of another series now"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param('"><script>alert(1)<\u2044script>.html', id="with-markup"),
        pytest.param("\u202elmth.reweiv", id="turned-around"),
        pytest.param("a b%20&amp;'.html", id="with-escapes"),
        pytest.param("\udcff.html", id="of-bytes-that-are-no-text"),
        pytest.param("new\nline.html", id="of-two-lines"),
    ],
)
def test_a_hostile_name_stays_a_name(name: str, four: list[Shown], out: Path) -> None:
    place = out.with_name(name)
    first, *_ = made(place, four, page_limit_bytes=0)
    made(place, four, page_limit_bytes=0)

    assert first.text.count("<script") == 2 + 4
    assert first.index["pages"][0] == name
    made(place, four)
    assert names(out) == [name]


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        pytest.param("nowhere/viewer.html", "No such file", id="in-no-folder"),
        pytest.param("file/viewer.html", "Not a directory", id="below-a-file"),
        pytest.param("x" * 300, "File name too long", id="of-too-long-a-name"),
    ],
)
def test_refused_in_one_line_is_a_place(place: str, reason: str, out: Path) -> None:
    out.with_name("file").write_text("mine")

    with pytest.raises(UsageError, match=rf"^--output: .*: cannot be written: {reason}") as caught:
        made(out.parent / place, [])
    assert len(str(caught.value).splitlines()) == 1
    assert names(out) == ["file"]


@pytest.mark.skipif(sys.platform != "linux", reason="a device that is always full")
@pytest.mark.parametrize("full_at", [1, 2, 5])
def test_a_full_disk_leaves_every_page_as_it_was(
    full_at: int, four: list[Shown], out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(out, four, page_limit_bytes=0)
    before = snapshot(out.parent)
    draft, drafts = module.draft, count(1)

    @contextmanager
    def full(place: Path) -> Iterator[IO[bytes]]:
        with draft(place) as file, Path("/dev/full").open("wb", 0) as full_file:
            yield full_file if next(drafts) == full_at else file

    monkeypatch.setattr(module, "draft", full)
    with pytest.raises(UsageError, match="cannot be written: No space left on device"):
        made(out, four, page_limit_bytes=0)
    assert snapshot(out.parent) == before


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
@pytest.mark.parametrize(
    "share",
    [
        pytest.param(0.1, id="for-the-compressed-sound"),
        pytest.param(0.9, id="for-the-end-of-the-page"),
    ],
)
def test_where_there_is_no_more_room(share: float, tmp_path: Path, out: Path) -> None:
    """A real refusal of the system: no file of this process may grow larger."""
    import resource

    attempts = [Shown(view("a"), a_recording(tmp_path, 5))]
    made(out, attempts)
    before = snapshot(out.parent)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(out.stat().st_size * share), limits[1]))
    try:
        with pytest.raises(UsageError, match="cannot be written: File too large"):
            made(out, attempts)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert snapshot(out.parent) == before


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_no_room_for_the_last_bytes_of_the_first_page_keeps_all_others_too(
    tmp_path: Path, out: Path
) -> None:
    import resource

    recording = a_recording(tmp_path, 0.5)
    attempts = [
        Shown(replace(view(f"a{n}"), warnings=("long " * 5_000,)), recording) for n in range(3)
    ]
    made(out, attempts, page_limit_bytes=0)
    before = snapshot(out.parent)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (out.stat().st_size - 1, limits[1]))
    try:
        with pytest.raises(UsageError, match="cannot be written: File too large"):
            made(out, attempts, page_limit_bytes=0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert snapshot(out.parent) == before


def test_an_interrupt_gives_up_what_is_being_compressed(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    recording = module.recording

    def watched(path: Path, is_wanted: Callable[[], bool]) -> object:
        try:
            return recording(path, is_wanted)
        finally:
            asked.append(is_wanted())

    def interrupt(done: int, _: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "recording", watched)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    attempts = [Shown(view("a"), a_recording(tmp_path, 0.1))] + [
        Shown(view(f"b{n}"), a_recording(tmp_path, 60)) for n in range(3)
    ]
    with pytest.raises(KeyboardInterrupt):
        made(out, attempts, on_progress=interrupt)
    assert names(out) == []
    assert asked in ([True], [True, False])


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.shared.viewer.test_export import made, view
from shared.viewer import export
def dying(*given):
    for number, piece in enumerate(document(*given)):
        yield piece
        if number == 2 and given[1].entries:
            os.kill(os.getpid(), signal.SIGKILL)
document = export.document
export._size = lambda pieces: 0
export.document = dying
made(Path(sys.argv[1]), [export.Shown(view("new"), None)])
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_kill_in_the_middle_of_writing_leaves_the_old_page_whole(out: Path) -> None:
    made(out, [Shown(view("old"), None)])
    before = out.read_bytes()
    done = subprocess.run([sys.executable, "-c", KILLED, str(out)], check=False, cwd=ROOT)

    assert done.returncode == -signal.SIGKILL
    assert out.read_bytes() == before
    left = [path for path in out.parent.iterdir() if path != out]
    assert [path.suffix for path in left] == [".part"]
    assert stat.S_IMODE(left[0].stat().st_mode) == 0o600


LONG_S = int(os.environ.get("LONG_RECORDING_S", "900"))
"""``LONG_RECORDING_S=3600`` takes an hour; what holds for a quarter of it holds with any length."""
SLOWEST_HZ = 8_000
HOUR = """
import sys
from pathlib import Path
from tests.shared.viewer.test_export import made, view
from shared.viewer.export import Shown
short, long, out = map(Path, sys.argv[1:])
# What the system counts for a process begins with the memory of the one it was made from.
def most_bytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
for recording in (short, long):
    made(out, [Shown(view("a"), recording)])
    print(most_bytes(), out.stat().st_size)
"""


def silent(path: Path, seconds: int) -> Path:
    """A recording of zeros, which take no room on the disk, at a rate that is soon read."""
    size = seconds * SLOWEST_HZ * 4
    head = riff(form(channels=2, rate_hz=SLOWEST_HZ), data(b"", size=size))
    with path.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + size)
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="as Linux tells of memory")
def test_a_long_recording_takes_hardly_more_memory_than_a_second(tmp_path: Path, out: Path) -> None:
    files = [silent(tmp_path / "short.wav", 1), silent(tmp_path / "long.wav", LONG_S)]
    command = [sys.executable, "-c", HOUR, *map(str, (*files, out))]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    before, small, after, large = map(int, done.stdout.split())

    assert large - small > LONG_S * 200, "all of it is there"
    assert after < 1_000_000_000
    assert after - before < LONG_S * SLOWEST_HZ * 4 / 2, "less than half of the recording"
