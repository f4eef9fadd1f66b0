from __future__ import annotations

import subprocess
import sys
from typing import cast

import numpy as np
import pytest

from shared.audio.mixdown import Stereo
from shared.audio.speakers import Speakers, UnheardError
from tests.support.programs import needs_package
from tests.support.sound_devices import SilentLibrary, WithoutPortAudio

PAIR = [100, -40]


def steady(samples: int) -> Stereo:
    return np.tile(np.array([PAIR], np.int16), (samples, 1))


@pytest.mark.parametrize(
    ("library", "rate_hz", "heard"),
    [
        pytest.param(SilentLibrary(), 24_000, PAIR, id="at-our-rate-in-stereo"),
        pytest.param(SilentLibrary(channels=8), 24_000, PAIR, id="on-the-first-two-of-eight"),
        pytest.param(SilentLibrary(channels=1), 24_000, [60], id="as-the-sum-in-mono"),
        pytest.param(SilentLibrary(rates_hz=(48_000,)), 48_000, PAIR, id="at-twice-the-rate"),
    ],
)
def test_it_plays_what_it_pulls(
    monkeypatch: pytest.MonkeyPatch, library: SilentLibrary, rate_hz: int, heard: list[int]
) -> None:
    library.install(monkeypatch)
    pulled: list[int] = []

    def pull(samples: int) -> Stereo:
        pulled.append(samples)
        return steady(samples)

    speakers = Speakers()
    speakers.start(pull, pytest.fail)
    (stream,) = library.streams
    assert stream.samplerate == rate_hz
    assert stream.block()
    assert pulled == [960]  # 40 ms
    assert stream.sound.tolist() == [heard] * (rate_hz // 25)


def test_at_twice_the_rate_each_sample_is_played_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    library = SilentLibrary(rates_hz=(48_000,))
    library.install(monkeypatch)
    ramp = np.column_stack([np.arange(960), -np.arange(960)]).astype(np.int16)
    Speakers().start(lambda _: ramp, pytest.fail)
    library.streams[0].block()
    assert np.array_equal(library.streams[0].sound[::2], ramp)
    assert np.array_equal(library.streams[0].sound[1::2], ramp)


def test_the_sum_of_two_loud_sides_saturates(monkeypatch: pytest.MonkeyPatch) -> None:
    library = SilentLibrary(channels=1)
    library.install(monkeypatch)
    loud = np.tile(np.array([[30_000, 30_000], [-30_000, -30_000]], np.int16), (480, 1))
    Speakers().start(lambda _: loud, pytest.fail)
    library.streams[0].block()
    assert library.streams[0].sound[:2].tolist() == [[32_767], [-32_768]]


def test_an_error_while_playing_ends_it_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    library = SilentLibrary()
    library.install(monkeypatch)
    reasons: list[str] = []

    def pull(samples: int) -> Stereo:
        raise MemoryError

    Speakers().start(pull, reasons.append)
    assert not library.streams[0].block()
    assert reasons == ["playing failed (MemoryError)", "the output device stopped"]


def test_closing_stops_the_device_and_may_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    library = SilentLibrary()
    library.install(monkeypatch)
    speakers = Speakers()
    speakers.stop()
    speakers.start(steady, lambda _: None)
    speakers.stop()
    assert library.streams[0].is_closed


@pytest.mark.parametrize(
    ("library", "complaint"),
    [
        pytest.param(SilentLibrary(channels=0), "Error querying device -1", id="no-device"),
        pytest.param(SilentLibrary(rates_hz=(44_100,)), "Invalid sample rate", id="no-such-rate"),
    ],
)
def test_a_computer_that_cannot_be_heard_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, library: SilentLibrary, complaint: str
) -> None:
    library.install(monkeypatch)
    with pytest.raises(UnheardError, match=rf"--listen: no output device .*{complaint}") as refusal:
        Speakers()
    assert "\n" not in str(refusal.value)


def test_a_device_that_will_not_open_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = SilentLibrary()
    library.install(monkeypatch)
    speakers = Speakers()

    def busy(**_: object) -> None:
        raise library.PortAudioError("Device unavailable")

    monkeypatch.setattr(library, "OutputStream", busy)
    with pytest.raises(UnheardError, match="Device unavailable"):
        speakers.start(steady, pytest.fail)


def test_without_the_extra_one_line_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[str, object]", sys.modules), "sounddevice", None)
    with pytest.raises(UnheardError, match="uv sync --extra playback"):
        Speakers()


def test_without_portaudio_one_line_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [WithoutPortAudio(), *sys.meta_path])
    with pytest.raises(UnheardError, match="needs PortAudio: apt-get install libportaudio2"):
        Speakers()


def test_the_real_library_is_used_as_it_is_made() -> None:
    """Whatever this computer has, the answer is a device or one line."""
    needs_package("sounddevice")
    try:
        Speakers()
    except UnheardError as refusal:
        assert str(refusal).startswith("--listen: ")  # noqa: PT017


def test_naming_the_speakers_loads_no_library() -> None:
    code = "import sys, shared.audio.speakers; sys.exit('sounddevice' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
