"""Who may listen in, and what a run is when somebody does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from assistants.suite.listening import is_listened_to, monitor_for
from crawl_harness.settings import ROWS
from shared.audio import wav
from shared.errors import UsageError
from shared.settings import Settings, Value, resolve
from tests.support.runs import a_copy_of_the_data, evaluate_here, rewrite
from tests.support.sound_devices import SilentLibrary, WithoutPortAudio

EXAMPLE = "restaurant_018"
LISTENED: dict[str, Value] = {"example": EXAMPLE, "listen": True, "real_time": True}


@pytest.fixture
def brief(tmp_path: Path) -> str:
    """A dataset whose request takes a second: these runs are paced."""

    def shortened(dataset: dict[str, Any]) -> dict[str, Any]:
        chosen = [one for one in dataset["scenarios"] if one["id"] == EXAMPLE]
        chosen[0]["input"]["text"] = "Thank you."
        return dataset | {"scenarios": chosen}

    data = a_copy_of_the_data(tmp_path / "data") / "scenarios.json"
    rewrite(data, shortened)
    return str(data)


def given(**flags: Value) -> Settings:
    return resolve(ROWS, flags=flags, environment={}, env_file={}, toml={})


def test_nobody_listens_unless_asked_to_and_no_library_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    SilentLibrary(channels=0).install(monkeypatch)
    assert not is_listened_to(given(concurrency=8), is_virtual=True)
    with monitor_for(pytest.fail, is_wanted=False) as monitor:
        assert monitor is None


def test_one_conversation_in_real_time_can_be_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    SilentLibrary().install(monkeypatch)
    assert is_listened_to(given(listen=True), is_virtual=False)
    with monitor_for(pytest.fail, is_wanted=True) as monitor:
        assert monitor is not None


@pytest.mark.parametrize(
    ("flags", "is_virtual", "complaint"),
    [
        pytest.param({"concurrency": 2}, False, "use --concurrency 1", id="two-at-once"),
        pytest.param({}, True, "add --real-time", id="on-a-virtual-clock"),
    ],
)
def test_what_cannot_be_heard_is_refused(
    monkeypatch: pytest.MonkeyPatch, flags: dict[str, Value], is_virtual: bool, complaint: str
) -> None:
    SilentLibrary().install(monkeypatch)
    with pytest.raises(UsageError, match=complaint):
        is_listened_to(given(listen=True, **flags), is_virtual=is_virtual)


def test_a_refusal_creates_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = SilentLibrary()
    library.install(monkeypatch)
    with pytest.raises(UsageError, match="add --real-time"):
        evaluate_here(tmp_path / "run", example=EXAMPLE, listen=True)
    assert not (tmp_path / "run").exists()
    assert library.streams == []


def has_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    SilentLibrary(channels=0).install(monkeypatch)


def has_a_busy_device(monkeypatch: pytest.MonkeyPatch) -> None:
    library = SilentLibrary()

    def busy(**_: object) -> None:
        raise library.PortAudioError("Device unavailable\nfor now")

    monkeypatch.setattr(library, "OutputStream", busy)
    library.install(monkeypatch)


def has_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[str, object]", sys.modules), "sounddevice", None)


def has_no_portaudio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [WithoutPortAudio(), *sys.meta_path])


@pytest.mark.parametrize(
    ("computer", "named"),
    [
        pytest.param(has_no_device, "no output device can be used", id="no-device"),
        pytest.param(has_a_busy_device, "Device unavailable", id="a-busy-device"),
        pytest.param(has_no_extra, "uv sync --extra playback", id="no-extra"),
        pytest.param(has_no_portaudio, "needs PortAudio", id="no-portaudio"),
    ],
)
def test_a_computer_that_plays_nothing_costs_a_warning_and_no_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    brief: str,
    computer: Callable[[pytest.MonkeyPatch], None],
    named: str,
) -> None:
    computer(monkeypatch)
    run, _ = evaluate_here(tmp_path / "run", data=brief, **LISTENED)
    assert run.status == 0
    assert list(run.rows) == [EXAMPLE]
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("warning: --listen: ")
    assert named in line
    assert line.endswith("; the run goes on unheard")


def test_both_sides_are_heard_as_they_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, brief: str
) -> None:
    library = SilentLibrary(is_running=True)
    library.install(monkeypatch)
    run, _ = evaluate_here(tmp_path / "run", data=brief, **LISTENED)
    (stream,) = library.streams
    assert stream.is_closed
    for ear, name in enumerate(("input", "output")):
        sound = wav.read_mono(run.folder / f"audio/{EXAMPLE}/{name}.wav")
        heard = stream.sound[:, ear]
        # A busy machine may stretch or shorten a pause; what sounds is all there, in order.
        assert np.array_equal(heard[heard != 0], sound[sound != 0])


def test_a_device_that_breaks_is_a_warning_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], brief: str
) -> None:
    library = SilentLibrary(is_running=True, breaks_after=10)
    library.install(monkeypatch)
    run, _ = evaluate_here(tmp_path / "run", data=brief, **LISTENED)
    assert run.status == 0
    assert list(run.rows) == [EXAMPLE]
    assert capfd.readouterr().err.splitlines() == [
        "warning: --listen: the output device stopped; the run goes on, heard or not"
    ]
    assert len(library.streams[0].played) == 10
