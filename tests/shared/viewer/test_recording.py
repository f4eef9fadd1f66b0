"""What a page is given of a recording: all of its sound, in place, and how loud it was."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from shared.audio import wav
from shared.audio.mixdown import Stereo
from shared.viewer.recording import (
    LARGEST_BYTES,
    TEXT_PIECE_BYTES,
    Recording,
    RecordingError,
    Spool,
    recording,
)
from tests.support.wav_files import (
    EXTENSIBLE,
    FLOAT,
    STREAMED,
    data,
    extension,
    form,
    riff,
    section,
)

RATE_HZ = 24_000
BIN = 240


def noise(frames: int, *, channels: int = 2) -> Stereo:
    chance = np.random.default_rng(frames)
    return chance.integers(-20_000, 20_000, (frames, channels)).astype(np.int16)


def saved(folder: Path, content: bytes) -> Path:
    path = folder / "conversation.wav"
    path.write_bytes(content)
    return path


def taken(folder: Path, samples: Stereo) -> Recording:
    return recording(saved(folder, wav.encode(samples)))


def peaks(side: Stereo) -> bytes:
    """The waveform of one side as it is defined, bin by bin."""
    found = [
        round(float(np.sqrt(np.abs(side[at : at + BIN].astype(float)).max() / 32_768) * 255))
        for at in range(0, len(side), BIN)
    ]
    return bytes(found)


def heard(found: Recording) -> Stereo:
    samples, rate_hz = soundfile.read(io.BytesIO(found.content), dtype="int16")
    assert rate_hz == RATE_HZ
    return samples


@pytest.mark.parametrize(
    "frames",
    [
        pytest.param(1, id="one-frame"),
        pytest.param(BIN - 1, id="one-frame-less-than-a-bin"),
        pytest.param(BIN, id="a-bin"),
        pytest.param(BIN + 1, id="one-frame-more-than-a-bin"),
        pytest.param(RATE_HZ - 1, id="one-frame-less-than-a-block"),
        pytest.param(RATE_HZ, id="a-block"),
        pytest.param(RATE_HZ + 1, id="one-frame-more-than-a-block"),
        pytest.param(3 * RATE_HZ + 5, id="some-blocks"),
    ],
)
def test_in_blocks_a_recording_comes_out_as_in_one_piece(frames: int, tmp_path: Path) -> None:
    samples = noise(frames)
    found = taken(tmp_path, samples)

    assert found.waveform.caller == peaks(samples[:, 0])
    assert found.waveform.assistant == peaks(samples[:, 1])
    assert found.duration_ms == -(-frames // 24)
    assert len(heard(found)) == frames
    assert found.remarks == ()


@pytest.mark.parametrize(
    ("sample", "byte"),
    [
        pytest.param(0, 0, id="silence"),
        pytest.param(1, 1, id="the-softest-sound-there-is"),
        pytest.param(-1, 1, id="the-same-below-zero"),
        pytest.param(8_192, 128, id="a-quarter-of-full-scale"),
        pytest.param(32_767, 255, id="the-highest-sample"),
        pytest.param(-32_768, 255, id="the-lowest-sample"),
    ],
)
def test_a_peak_stands_for(sample: int, byte: int, tmp_path: Path) -> None:
    samples = np.zeros((BIN, 2), np.int16)
    samples[BIN - 1, 1] = sample

    assert taken(tmp_path, samples).waveform.assistant == bytes([byte])


def test_what_is_heard_at_an_instant_was_recorded_at_it(tmp_path: Path) -> None:
    """Speech-like bursts, so that only one shift fits."""
    swell = np.repeat(np.random.default_rng(3).integers(0, 2, (100, 2)), 1_200, axis=0)
    samples = (noise(len(swell)) * swell).astype(np.int16)
    back = heard(taken(tmp_path, samples))

    for side in (0, 1):
        fit = np.fft.irfft(np.fft.rfft(back[:, side]) * np.conj(np.fft.rfft(samples[:, side])))
        assert int(np.argmax(fit)) == 0


def test_a_recording_of_one_channel_is_the_callers(tmp_path: Path) -> None:
    caller = noise(1_000, channels=1)[:, 0]
    found = taken(tmp_path, caller)

    assert found.waveform.caller == peaks(caller)
    assert found.waveform.assistant == bytes(len(found.waveform.caller))
    assert not heard(found)[:, 1].any()


@pytest.mark.parametrize("rate_hz", [8_000, 12_000, 16_000, 48_000])
def test_a_recording_of_another_rate_keeps_its_length(rate_hz: int, tmp_path: Path) -> None:
    samples = noise(rate_hz // 2).tobytes()
    found = recording(saved(tmp_path, riff(form(channels=2, rate_hz=rate_hz), data(samples))))

    assert found.duration_ms == 500
    assert len(found.waveform.caller) == 50


SAMPLES = noise(100)
FRAMES = SAMPLES.tobytes()


@pytest.mark.parametrize(
    ("content", "shown_frames", "remark"),
    [
        pytest.param(riff(form(channels=2), data(FRAMES)), 100, None, id="whole"),
        pytest.param(
            riff(form(EXTENSIBLE, channels=2, more=extension()), data(FRAMES)),
            100,
            None,
            id="of-an-extensible-format",
        ),
        pytest.param(
            riff(section(b"LIST", bytes(1_000)), form(channels=2), data(FRAMES)),
            100,
            None,
            id="with-a-section-before-its-format",
        ),
        pytest.param(
            riff(form(channels=2), data(FRAMES), section(b"LIST", bytes(1_000))),
            100,
            None,
            id="with-a-section-after-its-samples",
        ),
        pytest.param(
            riff(form(channels=2), data(FRAMES))[:-40],
            90,
            "The recording is cut: 360 of 400 bytes of its samples are there.",
            id="cut-between-frames",
        ),
        pytest.param(
            riff(form(channels=2), data(FRAMES))[:-1],
            99,
            "The recording is cut: 396 of 400 bytes of its samples are there.",
            id="cut-inside-a-frame",
        ),
        pytest.param(
            riff(form(channels=2), data(FRAMES, size=0xFFFF0000)),
            100,
            "The recording is cut: 400 of 4294901760 bytes of its samples are there.",
            id="that-claims-four-gigabytes",
        ),
        pytest.param(
            riff(form(channels=2), data(FRAMES, size=STREAMED)),
            100,
            "The recording does not say where it ends; it is shown to the end of its file.",
            id="of-no-known-size",
        ),
    ],
)
def test_a_file_is_shown_as_far_as_it_goes(
    content: bytes, shown_frames: int, remark: str | None, tmp_path: Path
) -> None:
    found = recording(saved(tmp_path, content))

    assert len(heard(found)) == shown_frames
    assert found.waveform.caller == peaks(SAMPLES[:shown_frames, 0])
    assert found.remarks == (() if remark is None else (remark,))


def flac() -> bytes:
    file = io.BytesIO()
    soundfile.write(file, noise(100), RATE_HZ, format="FLAC")
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param(b"", "is empty", id="an-empty-file"),
        pytest.param(b"RIFF", "is nothing known here, not a WAV file", id="four-bytes"),
        pytest.param(flac(), "is a FLAC file, not a WAV file", id="another-kind-of-recording"),
        pytest.param(b"<html>no</html>", "is text, not a WAV file", id="a-web-page"),
        pytest.param(riff(form(channels=2), data(b"")), "holds no sound", id="no-samples"),
        pytest.param(riff(form(channels=2), data(b"abc")), "holds no sound", id="part-of-a-frame"),
        pytest.param(riff(form(channels=2)), "without a format and data", id="a-format-alone"),
        pytest.param(riff(data(FRAMES)), "without a format and data", id="samples-of-no-format"),
        pytest.param(
            riff(data(FRAMES), form()), "without a format and data", id="a-format-after-its-samples"
        ),
        pytest.param(riff(form()[:14], data(FRAMES)), "is cut or damaged", id="a-damaged-format"),
        pytest.param(
            riff(form(channels=3), data(FRAMES)), "is 24000 Hz, 3 channels, 16", id="three-channels"
        ),
        pytest.param(riff(form(channels=0), data(FRAMES)), "has 0 channel", id="no-channel"),
        pytest.param(riff(form(rate_hz=0), data(FRAMES)), "which is no sound", id="no-rate"),
        pytest.param(riff(form(bits=24), data(FRAMES)), "24 bit PCM", id="24-bit"),
        pytest.param(riff(form(bits=8), data(FRAMES)), "8 bit PCM", id="8-bit"),
        pytest.param(riff(form(FLOAT, bits=32), data(FRAMES)), "32 bit float", id="floats"),
        pytest.param(riff(form(rate_hz=44_100), data(FRAMES)), "is 44100 Hz", id="another-rate"),
        pytest.param(riff(form(block=7), data(FRAMES)), "shown are", id="frames-of-seven-bytes"),
        pytest.param(
            riff(form(), data(FRAMES), magic=b"RF64"), "is an RF64 file", id="a-large-wav-file"
        ),
    ],
)
def test_refused_in_one_line_is(content: bytes, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=complaint) as caught:
        recording(saved(tmp_path, content))
    assert str(caught.value).startswith("conversation.wav: ")
    assert len(str(caught.value).splitlines()) == 1
    assert str(tmp_path) not in str(caught.value)


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_folder(path: Path) -> None:
    path.mkdir()


def a_file_of_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def nothing(path: Path) -> None:
    assert not path.exists()


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices of POSIX")
@pytest.mark.parametrize("there", [a_pipe, a_folder, a_file_of_a_device, nothing])
def test_what_has_no_end_or_is_not_there_is_not_waited_for(
    there: Callable[[Path], None], tmp_path: Path
) -> None:
    there(tmp_path / "conversation.wav")

    with pytest.raises(RecordingError, match=r"^conversation\.wav: (is no file|cannot be read)"):
        recording(tmp_path / "conversation.wav")


def sparse(path: Path, size: int, head: bytes = b"") -> Path:
    """A file of zeros that takes no room."""
    with path.open("wb") as file:
        file.write(head)
        file.truncate(size)
    return path


@pytest.mark.parametrize(("more", "complaint"), [(0, "not a WAV file"), (1, "at most 692.2 are")])
def test_a_file_longer_than_any_session_is_not_read(
    more: int, complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(RecordingError, match=complaint):
        recording(sparse(tmp_path / "conversation.wav", LARGEST_BYTES + more))


def test_a_recording_that_nobody_wants_any_more_is_given_up(tmp_path: Path) -> None:
    path = saved(tmp_path, wav.encode(noise(3 * RATE_HZ)))
    answers = iter([True, False])

    with pytest.raises(RecordingError, match="not wanted"):
        recording(path, is_wanted=lambda: next(answers))
    assert list(answers) == []


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, TEXT_PIECE_BYTES - 1, TEXT_PIECE_BYTES + 1])
def test_text_in_pieces_is_text_of_the_whole(size: int) -> None:
    first, second = os.urandom(size), os.urandom(7)
    with Spool() as spool:
        sounds = [spool.keep(first), spool.keep(second)]
        for _ in range(2):
            assert b"".join(sounds[0].base64) == base64.b64encode(first)
            assert b"".join(sounds[1].base64) == base64.b64encode(second)
    assert [sound.size_bytes for sound in sounds] == [size, 7]


def test_a_sound_put_away_after_another_was_read_writes_over_none() -> None:
    with Spool() as spool:
        first = spool.keep(bytes(TEXT_PIECE_BYTES) + b"end")
        next(iter(first.base64))
        second = spool.keep(b"second")

        assert b"".join(first.base64) == base64.b64encode(bytes(TEXT_PIECE_BYTES) + b"end")
        assert b"".join(second.base64) == base64.b64encode(b"second")


def test_a_spool_has_no_name_that_a_killed_export_could_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Spool() as spool:
        spool.keep(b"private")
        assert list(tmp_path.iterdir()) == []


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    (tmp_path / "link.wav").symlink_to("a.wav")
    with pytest.raises(RecordingError, match="cannot be read: Too many levels of symbolic links"):
        recording(tmp_path / "link.wav")
