from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from shared.audio import conversion, wav
from shared.audio.conversion import converted
from shared.audio.pcm import Pcm
from shared.errors import UsageError
from tests.support.wav_files import (
    EXTENSIBLE,
    RAMP,
    STREAMED_BY_SPEECH_PROGRAMS,
    data,
    extension,
    form,
    riff,
    tone,
)

NOISE: Pcm = np.random.default_rng(7).integers(-32_768, 32_768, 2_400).astype(np.int16)
EDGE = 200
"""So many samples at either end of a resampled sound know nothing of what lies beyond."""


def written(tmp_path: Path, samples: object, rate_hz: int, kind: str, encoding: str) -> Path:
    path = tmp_path / f"recording.{kind.lower()}"
    soundfile.write(path, samples, rate_hz, format=kind, subtype=encoding)
    return path


@pytest.mark.parametrize(
    ("kind", "encoding"),
    [
        ("WAV", "PCM_16"),
        ("WAV", "PCM_24"),
        ("WAV", "PCM_32"),
        ("WAV", "FLOAT"),
        ("WAV", "DOUBLE"),
        ("WAVEX", "PCM_16"),
        ("RF64", "PCM_16"),
        ("W64", "PCM_16"),
        ("FLAC", "PCM_16"),
        ("FLAC", "PCM_24"),
        ("AIFF", "PCM_16"),
        ("AU", "PCM_16"),
        ("CAF", "PCM_16"),
    ],
)
def test_at_our_rate_every_sample_is_kept(tmp_path: Path, kind: str, encoding: str) -> None:
    samples = NOISE / 32_768 if encoding in {"FLOAT", "DOUBLE"} else NOISE
    path = written(tmp_path, samples, 24_000, kind, encoding)
    found = converted(path)
    assert np.array_equal(found.pcm, NOISE)
    assert found.pcm.dtype == np.int16
    assert found.provenance.resampler is None
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("kind", "encoding", "error"),
    [
        pytest.param("WAV", "ULAW", 600, id="mu-law"),
        pytest.param("WAV", "ALAW", 600, id="a-law"),
        pytest.param("WAV", "PCM_U8", 256, id="8-bit"),
        pytest.param("OGG", "VORBIS", 1_500, id="vorbis"),
        pytest.param("OGG", "OPUS", 3_000, id="opus"),
        pytest.param("MP3", "MPEG_LAYER_III", 1_500, id="mp3"),
    ],
)
def test_what_lost_something_before_keeps_its_place_and_level(
    tmp_path: Path, kind: str, encoding: str, error: int
) -> None:
    path = written(tmp_path, tone(24_000), 24_000, kind, encoding)
    found = converted(path)
    expected = tone(24_000) * 32_768
    middle = slice(4_800, 19_200)
    assert np.abs(found.pcm[middle] - expected[middle]).max() < error


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 22_050, 44_100, 48_000])
def test_another_rate_keeps_the_time_of_every_sound(tmp_path: Path, rate_hz: int) -> None:
    path = written(tmp_path, tone(rate_hz, rate_hz=rate_hz), rate_hz, "WAV", "DOUBLE")
    found = converted(path)
    assert found.pcm.size == 24_000
    difference = found.pcm - np.rint(tone(24_000) * 32_768)
    assert np.abs(difference[EDGE:-EDGE]).max() <= 20
    assert str(found.provenance.resampler).startswith("soxr ")


def test_a_long_recording_is_converted_as_if_in_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, NOISE, 44_100, "WAV", "PCM_16")
    whole = converted(path).pcm
    monkeypatch.setattr(conversion, "BLOCK_FRAMES", 7)
    assert np.array_equal(converted(path).pcm, whole)


@pytest.mark.parametrize(
    ("channels", "expected"),
    [
        pytest.param([[100, 100]], 100, id="two-alike"),
        pytest.param([[100, 200]], 150, id="two-that-differ"),
        pytest.param([[1, 2]], 2, id="a-half-goes-to-the-even-one"),
        pytest.param([[2, 3]], 2, id="so-does-the-next-half"),
        pytest.param([[32_767, 32_767]], 32_767, id="the-top-does-not-wrap"),
        pytest.param([[-32_768, -32_768]], -32_768, id="nor-the-bottom"),
        pytest.param([[300, 0, 300]], 200, id="three"),
        pytest.param([[10, 20, 30, 40, 50, 60]], 35, id="six"),
    ],
)
def test_channels_become_their_mean(
    tmp_path: Path, channels: list[list[int]], expected: int
) -> None:
    path = written(tmp_path, np.array(channels, np.int16), 24_000, "WAV", "PCM_16")
    found = converted(path)
    assert found.pcm.tolist() == [expected]
    assert found.provenance.mixdown == f"mean of {len(channels[0])} channels"


DIFFER = "its channels differ and are mixed; if each holds a party, give the caller's alone"
LEFT, RIGHT = tone(2_400), tone(2_400, tone_hz=1_000)


@pytest.mark.parametrize(
    ("both", "warnings"),
    [
        pytest.param([LEFT, LEFT], (), id="one-sound-twice"),
        pytest.param([LEFT, LEFT / 2], (), id="one-sound-nearer-to-the-left"),
        pytest.param([LEFT, 0.18 * LEFT], (), id="a-little-below-the-bound"),
        pytest.param([LEFT, 0.17 * LEFT], (DIFFER,), id="a-little-above-it"),
        pytest.param([LEFT, RIGHT], (DIFFER,), id="two-sounds"),
        pytest.param([LEFT, 0 * LEFT], (DIFFER,), id="one-sound-on-one-side"),
        pytest.param([LEFT, -LEFT], ("is silent", DIFFER), id="one-sound-that-takes-itself-away"),
    ],
)
def test_channels_that_hold_two_things_are_told_of(
    tmp_path: Path, both: list[Pcm], warnings: tuple[str, ...]
) -> None:
    path = written(tmp_path, np.column_stack(both), 24_000, "WAV", "DOUBLE")
    assert converted(path).warnings == warnings


@pytest.mark.parametrize(
    ("value", "sample", "clipped"),
    [
        pytest.param(32_767.4 / 32_768, 32_767, 0, id="just-full-scale"),
        pytest.param(1.0, 32_767, 1, id="one-step-above"),
        pytest.param(-1.0, -32_768, 0, id="just-full-scale-below"),
        pytest.param(-1.00003, -32_768, 1, id="one-step-further-below"),
        pytest.param(40.0, 32_767, 1, id="far-above"),
    ],
)
def test_beyond_full_scale_stays_there_and_is_counted(
    tmp_path: Path, value: float, sample: int, clipped: int
) -> None:
    found = converted(written(tmp_path, np.array([0.1, value]), 24_000, "WAV", "DOUBLE"))
    assert found.pcm[1] == sample
    assert found.provenance.clipped == clipped
    assert [line.startswith(f"{clipped} samples lay") for line in found.warnings] == [
        True
    ] * clipped


def test_provenance_says_what_it_was_and_nothing_of_where_it_lay(tmp_path: Path) -> None:
    path = written(tmp_path, np.zeros((80, 2), np.int16), 8_000, "WAV", "ULAW")
    found = converted(path)
    assert found.warnings == ("is silent",)
    provenance = found.provenance
    assert provenance.file_name == "recording.wav"
    assert provenance.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (provenance.container, provenance.encoding) == ("WAV", "ULAW")
    assert (provenance.rate_hz, provenance.channels) == (8_000, 2)
    assert provenance.reader == f"libsndfile {soundfile.__libsndfile_version__}"
    assert str(tmp_path) not in repr(provenance)


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(riff(form(channels=2), data()), id="stereo"),
        pytest.param(riff(form(rate_hz=8_000), data()), id="another-rate"),
        pytest.param(riff(form(3, bits=32), data(bytes(8))), id="float"),
        pytest.param(riff(form(7, rate_hz=8_000, bits=8, more=b"\0\0"), data()), id="mu-law"),
        pytest.param(riff(form(6, bits=8, more=b"\0\0"), data()), id="a-law"),
        pytest.param(riff(form(bits=8), data()), id="8-bit"),
        pytest.param(riff(form(bits=24), data(bytes(6))), id="24-bit"),
        pytest.param(riff(form(bits=32), data(bytes(8))), id="32-bit"),
        pytest.param(
            riff(form(EXTENSIBLE, bits=32, more=extension(3, bits=32)), data(bytes(8))),
            id="extensible-float",
        ),
        pytest.param(
            riff(form(rate_hz=22_050), data(size=STREAMED_BY_SPEECH_PROGRAMS)), id="streamed"
        ),
        pytest.param(riff(form(), data())[:-1], id="cut-inside-a-sample"),
        pytest.param(riff(form(), data())[:-2], id="cut-short"),
    ],
)
def test_what_the_strict_door_sends_here_can_be_converted(tmp_path: Path, file: bytes) -> None:
    path = tmp_path / "refused.wav"
    path.write_bytes(file)
    with pytest.raises(UsageError, match="--from-audio"):
        wav.read_recording(path)
    found = converted(path)
    assert found.pcm.size > 0
    path.write_bytes(wav.encode(found.pcm))
    assert np.array_equal(wav.read_mono(path), found.pcm)


def test_a_cut_recording_says_how_much_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "cut.wav"
    path.write_bytes(riff(form(), data())[:-2])
    found = converted(path)
    assert np.array_equal(found.pcm, RAMP[:-1])
    assert found.warnings == ("is cut short: 26 of 28 bytes of samples are there",)


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        pytest.param(b"", "is empty", id="an-empty-file"),
        pytest.param(riff(form(), data(b"")), "holds no audio", id="no-samples"),
        pytest.param(
            bytes(200), "nothing that libsndfile reads .Format not rec", id="no-recording"
        ),
        pytest.param(
            b"\0\0\0\x20ftypM4A " + bytes(60),
            "is an MP4 or M4A file, which libsndfile does not read; make a WAV file of it",
            id="what-only-others-read",
        ),
        pytest.param(b"<html>", "is text, which .*fetch it again", id="an-error-page"),
        pytest.param(
            b"fLaC" + bytes(60), "looks like a FLAC file, but is nothing", id="a-damaged-one"
        ),
        pytest.param(riff(form(channels=0), data()), "looks like a WAV file, but", id="channels-0"),
        pytest.param(riff(form(rate_hz=0), data()), "looks like a WAV file, but", id="rate-0"),
        pytest.param(
            riff(form(rate_hz=3_999), data()), "is 3999 Hz; what has 4000 to 384000", id="too-slow"
        ),
        pytest.param(riff(form(rate_hz=384_001), data()), "is 384001 Hz", id="too-fast"),
        pytest.param(
            riff(form(3, bits=32), data(np.array([0, np.nan], "<f4").tobytes())),
            "no finite numbers",
            id="no-numbers",
        ),
        pytest.param(
            riff(form(3, bits=32), data(np.array([np.inf, 0], "<f4").tobytes())),
            "no finite numbers",
            id="infinite-ones",
        ),
        pytest.param(
            riff(form(3, bits=64), data(np.array([0, 1e300], "<f8").tobytes())),
            "beyond any scale",
            id="numbers-too-large-to-square",
        ),
        pytest.param(
            riff(form(3, bits=64), data(np.array([0, -1.1e12], "<f8").tobytes())),
            "beyond any scale",
            id="just-beyond-any-scale",
        ),
    ],
)
def test_refused_in_one_line(tmp_path: Path, file: bytes, complaint: str) -> None:
    path = tmp_path / "bad.bin"
    path.write_bytes(file)
    with pytest.raises(UsageError, match=complaint) as refusal:
        converted(path)
    assert str(refusal.value).startswith(f"{path}: ")
    assert "\n" not in str(refusal.value)


def test_a_decoder_says_nothing_of_its_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = written(tmp_path, tone(48_000), 24_000, "MP3", "MPEG_LAYER_III").read_bytes()
    path = tmp_path / "cut.mp3"
    path.write_bytes(whole[: len(whole) // 2] + b"junk" * 3_000)
    with pytest.raises(UsageError):
        converted(path)
    os.write(2, b"heard again")
    assert capfd.readouterr().err == "heard again"


@pytest.mark.parametrize("rate_hz", [4_000, 384_000])
def test_rates_at_the_bounds_are_converted(tmp_path: Path, rate_hz: int) -> None:
    assert converted(written(tmp_path, NOISE, rate_hz, "WAV", "PCM_16")).pcm.size > 0


@pytest.mark.parametrize("frames", [pytest.param(8_000, id="at"), pytest.param(8_001, id="beyond")])
def test_no_recording_is_longer_than_a_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frames: int
) -> None:
    monkeypatch.setattr(wav, "LONGEST_S", 1)
    path = written(tmp_path, np.ones(frames, np.int16), 8_000, "WAV", "PCM_16")
    if frames == 8_000:
        assert converted(path).pcm.size == 24_000
    else:
        with pytest.raises(UsageError, match="lasts longer than a session"):
            converted(path)


@pytest.mark.parametrize("is_known", [True, False])
def test_of_a_recording_that_is_too_long_no_more_is_decoded_than_has_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_known: bool
) -> None:
    monkeypatch.setattr(wav, "LONGEST_S", 10)
    monkeypatch.setattr(conversion, "BLOCK_FRAMES", 8_000)
    if not is_known:
        monkeypatch.setattr(conversion, "UNKNOWN_FRAMES", 0)
    decoded = []
    read = soundfile.SoundFile.read

    def counted(*given: Any, **more: Any) -> Any:
        decoded.append(given)
        return read(*given, **more)

    monkeypatch.setattr(soundfile.SoundFile, "read", counted)
    path = written(tmp_path, np.ones(20 * 8_000, np.int16), 8_000, "FLAC", "PCM_16")
    with pytest.raises(UsageError, match="lasts longer than a session"):
        converted(path)
    assert len(decoded) == (0 if is_known else 11)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        pytest.param("gone.flac", "cannot be read: No such file", id="missing"),
        pytest.param(".", "is a folder", id="a-folder"),
    ],
)
def test_what_is_no_file_is_refused_by_name(tmp_path: Path, name: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        converted(tmp_path / name)


def test_the_libraries_wait_for_the_first_recording() -> None:
    code = (
        "import sys, shared.audio.conversion;"
        "sys.exit(bool({'soxr', 'soundfile', 'scipy'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
