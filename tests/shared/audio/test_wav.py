from __future__ import annotations

import io
import os
import shlex
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.audio import wav
from shared.audio.mixdown import stereo
from shared.audio.pcm import Pcm
from shared.errors import UsageError
from tests.support.wav_files import (
    A_LAW,
    EXTENSIBLE,
    FLOAT,
    MU_LAW,
    RAMP,
    SAMPLES,
    STREAMED,
    STREAMED_BY_SPEECH_PROGRAMS,
    data,
    extension,
    form,
    riff,
    section,
)

GOOD = wav.encode(RAMP)
LIST = section(b"LIST", b"INFOISFT\x05\0\0\0Sound\0")
ODD = section(b"note", b"odd")
BROADCAST = section(b"bext", bytes(602))
FACT = section(b"fact", struct.pack("<I", RAMP.size))
STREAMED_DATA = "does not say where its audio ends"


def pcm(samples: bytes) -> Pcm:
    return np.frombuffer(samples, "<i2").astype(np.int16)


ACCEPTED = [
    pytest.param(GOOD, RAMP, None, id="44-bytes-and-the-samples"),
    pytest.param(riff(form(), data()), RAMP, None, id="the-same-put-together-by-hand"),
    pytest.param(riff(form(more=b"\0\0"), data()), RAMP, None, id="a-format-of-18-bytes"),
    pytest.param(
        riff(form(EXTENSIBLE, more=extension()), data()), RAMP, None, id="an-extensible-format"
    ),
    pytest.param(
        riff(form(EXTENSIBLE, more=extension() + b"more"), data()),
        RAMP,
        None,
        id="an-extensible-format-that-says-more",
    ),
    pytest.param(
        riff(form(EXTENSIBLE, more=extension()), FACT, data()),
        RAMP,
        None,
        id="extensible-with-fact",
    ),
    pytest.param(riff(LIST, form(), data()), RAMP, None, id="a-section-before-the-format"),
    pytest.param(riff(form(), LIST, data()), RAMP, None, id="a-section-before-the-data"),
    pytest.param(riff(form(), data(), LIST), RAMP, None, id="a-section-after-the-data"),
    pytest.param(riff(BROADCAST, form(), FACT, data(), LIST), RAMP, None, id="sections-all-around"),
    pytest.param(riff(ODD, form(), data()), RAMP, None, id="an-odd-section-and-its-padding"),
    pytest.param(riff(form(), ODD, ODD, data(), ODD), RAMP, None, id="three-odd-sections"),
    pytest.param(
        riff(form(), section(b"note", b"odd", pad=b"d"), data()),
        RAMP,
        None,
        id="a-padding-of-sound",
    ),
    pytest.param(riff(form(), data(), ODD)[:-1], RAMP, None, id="no-padding-at-the-very-end"),
    pytest.param(riff(form(), section(b"LIST", b""), data()), RAMP, None, id="an-empty-section"),
    pytest.param(
        riff(form(), section(b"junk", b"data\x02\0\0\0\x01\x02"), data()),
        RAMP,
        None,
        id="the-word-data-within-another-section",
    ),
    pytest.param(
        riff(form(), data(b"data" + SAMPLES)),
        pcm(b"data" + SAMPLES),
        None,
        id="the-word-data-within-the-samples",
    ),
    pytest.param(
        riff(form(), data(b"\xfe\xff\x01\0")),
        pcm(b"\xfe\xff\x01\0"),
        None,
        id="samples-like-a-format-code",
    ),
    pytest.param(riff(form(), data(b"\x01\x02")), pcm(b"\x01\x02"), None, id="a-single-sample"),
    pytest.param(riff(form(), data(bytes(960))), pcm(bytes(960)), None, id="digital-silence"),
    pytest.param(riff(form(), data(), size=0), RAMP, None, id="a-whole-of-size-0"),
    pytest.param(riff(form(), data(), size=STREAMED), RAMP, None, id="a-whole-of-no-known-size"),
    pytest.param(riff(form(), data(), size=7), RAMP, None, id="a-whole-of-a-wrong-size"),
    pytest.param(
        riff(section(b"fmt ", struct.pack("<HHIIHH", 1, 1, 24_000, 1, 2, 16)), data()),
        RAMP,
        None,
        id="a-wrong-byte-rate",
    ),
    pytest.param(
        riff(form(), data(size=STREAMED), size=STREAMED),
        RAMP,
        STREAMED_DATA,
        id="streamed-ffffffff",
    ),
    pytest.param(
        riff(form(), data(size=STREAMED_BY_SPEECH_PROGRAMS), size=0x7FFFF024),
        RAMP,
        STREAMED_DATA,
        id="streamed-7ffff000",
    ),
    pytest.param(riff(form(), data(size=0), size=0), RAMP, STREAMED_DATA, id="streamed-0"),
    pytest.param(
        riff(form(), data(bytes(8), size=0)),
        pcm(bytes(8)),
        STREAMED_DATA,
        id="streamed-0-of-silence",
    ),
    pytest.param(
        riff(form(EXTENSIBLE, more=extension()), LIST, data(size=STREAMED)),
        RAMP,
        STREAMED_DATA,
        id="streamed-and-extensible",
    ),
    pytest.param(
        riff(form(), data()) + b"\x93\x01\x02", RAMP, "3 bytes at its end", id="a-few-bytes-more"
    ),
    pytest.param(
        riff(form(), data()) + b"\x93\xff\0\x01" + bytes(20),
        RAMP,
        "24 bytes at its end",
        id="more-than-its-size-says",
    ),
    pytest.param(
        riff(form(), data(), LIST)[:-3], RAMP, "23 bytes at its end", id="cut-after-the-samples"
    ),
]


@pytest.mark.parametrize(("file", "samples", "warning"), ACCEPTED)
def test_accepted_to_the_sample(
    tmp_path: Path, file: bytes, samples: Pcm, warning: str | None
) -> None:
    path = tmp_path / "caller.wav"
    path.write_bytes(file)
    recorded = wav.read_recording(path)
    assert recorded.pcm.dtype == np.int16
    assert np.array_equal(recorded.pcm, samples)
    assert [line.startswith(warning or "none") for line in recorded.warnings] == (
        [] if warning is None else [True]
    )
    assert np.array_equal(wav.read_mono(path), samples)


@pytest.mark.parametrize(
    ("file", "samples", "warning"), [row for row in ACCEPTED if row.values[2] is None]
)
def test_another_reader_finds_the_same(file: bytes, samples: Pcm, warning: None) -> None:
    found, rate_hz = soundfile.read(io.BytesIO(file), dtype="int16")
    assert rate_hz == 24_000
    assert np.array_equal(found, samples)


CONVERT = "convert it: walk-generate-audio --from-audio "
NEEDED = "needed is 24000 Hz, 1 channel, 16 bit PCM; " + CONVERT


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        pytest.param(
            riff(form(rate_hz=8_000), data()),
            f"is 8000 Hz, 1 channel, 16 bit PCM; {NEEDED}",
            id="telephone-rate",
        ),
        pytest.param(
            riff(form(rate_hz=23_999), data()), "is 23999 Hz, 1 channel", id="one-hertz-too-few"
        ),
        pytest.param(
            riff(form(rate_hz=48_000), data()), "is 48000 Hz, 1 channel", id="twice-the-rate"
        ),
        pytest.param(
            wav.encode(stereo(RAMP, RAMP)),
            f"is 24000 Hz, 2 channels, 16 bit PCM; {NEEDED}",
            id="stereo",
        ),
        pytest.param(
            riff(form(FLOAT, bits=32), data(bytes(8))),
            "1 channel, 32 bit float; needed",
            id="float",
        ),
        pytest.param(
            riff(form(EXTENSIBLE, bits=32, more=extension(FLOAT, bits=32)), data(bytes(8))),
            "32 bit float; needed",
            id="extensible-float",
        ),
        pytest.param(
            riff(form(MU_LAW, rate_hz=8_000, bits=8, more=b"\0\0"), FACT, data()),
            f"is 8000 Hz, 1 channel, 8 bit mu-law; {NEEDED}",
            id="mu-law",
        ),
        pytest.param(riff(form(A_LAW, bits=8), data()), "8 bit A-law; needed", id="a-law"),
        pytest.param(
            riff(form(EXTENSIBLE, bits=8, more=extension(MU_LAW, bits=8)), data()),
            "8 bit mu-law; needed",
            id="extensible-mu-law",
        ),
        pytest.param(riff(form(bits=8), data()), "8 bit PCM; needed", id="8-bit"),
        pytest.param(riff(form(bits=24), data(bytes(6))), "24 bit PCM; needed", id="24-bit"),
        pytest.param(riff(form(bits=32), data(bytes(8))), "32 bit PCM; needed", id="32-bit"),
        pytest.param(
            riff(form(EXTENSIBLE, more=extension(bits=12)), data()),
            "12 of 16 bit PCM; needed",
            id="bits-that-do-not-count",
        ),
        pytest.param(riff(form(2, bits=4), data()), "4 bit ADPCM; needed", id="adpcm"),
        pytest.param(riff(form(85, bits=0), data()), "0 bit MP3; needed", id="mp3-inside-a-wav"),
        pytest.param(riff(form(4_660), data()), "16 bit format 4660; needed", id="a-rare-format"),
        pytest.param(
            riff(form(EXTENSIBLE, more=extension(identity=bytes(14))), data()),
            "16 bit samples in a format of its own; needed",
            id="a-format-without-a-number",
        ),
        pytest.param(
            riff(form(rate_hz=0), data()), "has 1 channel.s. at 0 Hz, which is no", id="rate-0"
        ),
        pytest.param(
            riff(form(channels=0), data()), "has 0 channel.s. at 24000 Hz", id="channels-0"
        ),
        pytest.param(
            riff(form(block=4), data()), "samples of 4 bytes and of 16 bit", id="a-format-at-odds"
        ),
        pytest.param(
            riff(section(b"fmt ", bytes(14)), data()), "format of 14 bytes", id="a-short-format"
        ),
        pytest.param(
            riff(form(EXTENSIBLE), data()), "extensible format of 16 bytes", id="no-extension"
        ),
        pytest.param(
            riff(form(EXTENSIBLE, more=extension()[:-1]), data()),
            "extensible format of 39 bytes",
            id="an-extension-without-its-last-byte",
        ),
        pytest.param(
            riff(form(EXTENSIBLE, more=extension(identity=b"\xff" * 14)), data()),
            "16 bit samples in a format of its own; needed",
            id="another-format-without-a-number",
        ),
        pytest.param(
            riff(form(EXTENSIBLE, more=extension(bits=20)), data()),
            "20 of 16 bit PCM; needed",
            id="more-bits-than-there-are",
        ),
        pytest.param(riff(form(0xFFFF), data()), "16 bit format 65535; needed", id="no-format"),
        pytest.param(
            riff(form(block=1), data()), "samples of 1 bytes and of 16 bit", id="too-small-a-block"
        ),
        pytest.param(b"", "is empty; record it anew", id="an-empty-file"),
        pytest.param(riff(form(), data(b"")), "holds no audio", id="no-samples"),
        pytest.param(
            riff(form(), data(b"", size=STREAMED)), "holds no audio", id="streamed-without-samples"
        ),
        pytest.param(
            riff(form(), data(b""), LIST), "holds no audio", id="no-samples-and-a-section-after"
        ),
        pytest.param(
            GOOD[:-1], f"27 of 28 bytes of samples; fetch it again.*{CONVERT}", id="a-byte-missing"
        ),
        pytest.param(GOOD[:-2], "26 of 28 bytes of samples", id="a-sample-missing"),
        pytest.param(GOOD[:44], "holds no audio", id="all-samples-missing"),
        pytest.param(
            riff(form(), data(size=0x7FFFEFFF)),
            "28 of 2147479551 bytes",
            id="a-size-that-only-looks-streamed",
        ),
        pytest.param(
            riff(form(), data(SAMPLES[:-1])),
            f"cut inside a sample: 27.*{CONVERT}",
            id="an-odd-size",
        ),
        pytest.param(
            riff(form(), b"data" + struct.pack("<I", STREAMED) + SAMPLES[:-1]),
            "cut inside a sample: 27 bytes",
            id="streamed-and-cut-inside-a-sample",
        ),
        pytest.param(riff(form(), data(), data()), "2 sections 'data'", id="two-data-sections"),
        pytest.param(
            riff(form(), data(), data())[:-4], "2 sections 'data'", id="two-data-the-second-cut"
        ),
        pytest.param(riff(form(), form(), data()), "2 sections 'fmt '", id="two-formats"),
        pytest.param(riff(data(), form()), "data before its format", id="data-before-its-format"),
        pytest.param(riff(data()), "without a section 'fmt '", id="no-format"),
        pytest.param(riff(form(), LIST), "without a section 'data'", id="no-data"),
        pytest.param(riff(), "without a section 'fmt '", id="nothing-but-the-first-header"),
        pytest.param(GOOD[:35], "damaged at byte 12: 15 of 16 bytes of a section 'fmt '", id="cut"),
        pytest.param(
            riff(form(), section(b"note", b"odd", pad=b""), data()),
            "damaged at byte 48: 0 of 0",
            id="an-odd-section-without-padding",
        ),
        pytest.param(GOOD[:11], "no WAV file, nor any other", id="less-than-the-first-header"),
        pytest.param(bytes(100), "no WAV file, nor any other", id="nothing-known"),
        pytest.param(riff(form(), data(), magic=b"RF64"), f"an RF64 file.*{CONVERT}", id="rf64"),
        pytest.param(
            riff(form(), data(), magic=b"RIFX"), f"a RIFX file .*{CONVERT}", id="big-endian"
        ),
        pytest.param(b"fLaC" + bytes(60), f"is a FLAC file, not .*{CONVERT}", id="flac"),
        pytest.param(b"OggS" + bytes(60), f"is an Ogg file, not .*{CONVERT}", id="ogg"),
        pytest.param(b"ID3\x04" + bytes(60), f"is an MP3 file, not .*{CONVERT}", id="mp3"),
        pytest.param(
            b"\0\0\0\x20ftypM4A " + bytes(60), "is an MP4 or M4A file.*such as ffmpeg", id="m4a"
        ),
        pytest.param(b"<!DOCTYPE html>", "is text.*fetch it again", id="an-error-page"),
    ],
)
def test_refused_in_one_line(tmp_path: Path, file: bytes, complaint: str) -> None:
    path = tmp_path / "bad.wav"
    path.write_bytes(file)
    with pytest.raises(UsageError, match=complaint) as refusal:
        wav.read_recording(path)
    message = str(refusal.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    if CONVERT in message:
        assert message.endswith(f"; {CONVERT}{path}")


def test_the_command_can_be_pasted_whatever_the_name(tmp_path: Path) -> None:
    path = tmp_path / "Maya's call; $(1).wav"
    path.write_bytes(wav.encode(stereo(RAMP, RAMP)))
    with pytest.raises(UsageError) as refusal:
        wav.read_recording(path)
    command = str(refusal.value).partition("convert it: ")[2]
    assert shlex.split(command) == ["walk-generate-audio", "--from-audio", str(path)]


def test_what_is_missing_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.wav: cannot be read: No such file"):
        wav.read_recording(tmp_path / "gone.wav")


def test_a_folder_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        wav.read_recording(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such files")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe.wav"
    os.mkfifo(path)
    with pytest.raises(UsageError, match="no regular file"):
        wav.read_recording(path)


def test_what_may_not_be_read_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    path = tmp_path / "private.wav"
    path.write_bytes(GOOD)
    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(UsageError, match="cannot be read: Permission denied"):
        wav.read_recording(path)


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        pytest.param(0, "cut or damaged|no WAV file", id="at-the-bound-it-is-read"),
        pytest.param(1, "holds 346.6 MB; at most 346.6 MB are read", id="one-byte-more-is-refused"),
    ],
)
def test_a_file_beyond_any_session_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int, complaint: str
) -> None:
    path = tmp_path / "endless.wav"
    with path.open("wb") as file:
        file.truncate(wav.LARGEST_BYTES + more)  # a hole: it takes no room on the disk
    with pytest.raises(UsageError, match=complaint):
        wav.read_recording(path)


def test_two_hours_are_no_more_than_the_bound() -> None:
    assert wav.LARGEST_BYTES > 44 + 2 * 60 * 60 * 24_000 * 2


def test_reading_loads_no_library_of_sounds() -> None:
    assert "soundfile" not in vars(wav)


def test_a_mono_file_is_a_44_byte_header_and_the_samples() -> None:
    assert len(GOOD) == 44 + len(SAMPLES)
    assert GOOD[44:] == SAMPLES


def test_another_reader_finds_both_tracks_in_a_stereo_file() -> None:
    samples, rate = soundfile.read(io.BytesIO(wav.encode(stereo(RAMP, RAMP[::-1]))), dtype="int16")
    assert rate == 24_000
    assert np.array_equal(samples, np.column_stack([RAMP, RAMP[::-1]]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(st.integers(0, 67), st.integers(0, 255), max_size=4),
    st.integers(0, 90),
    st.sampled_from([GOOD, riff(form(EXTENSIBLE, more=extension()), ODD, data(size=0))]),
)
def test_no_damage_to_a_file_raises_anything_else(
    tmp_path: Path, damage: dict[int, int], length: int, file: bytes
) -> None:
    damaged = bytearray(file.ljust(90, b"\0"))
    for offset, value in damage.items():
        damaged[offset] = value
    path = tmp_path / "damaged.wav"
    path.write_bytes(bytes(damaged[:length]))
    try:
        assert wav.read_recording(path).pcm.size > 0
    except UsageError as refusal:
        assert str(refusal).startswith(f"{path}: ")  # noqa: PT017


def test_a_recording_is_held_twice_at_most(tmp_path: Path) -> None:
    """... as its file and as its samples: two hours of it are 350 MB."""
    path, size = tmp_path / "long.wav", 10_000_000
    path.write_bytes(wav.encode(np.zeros(size // 2, np.int16)))
    tracemalloc.start()
    wav.read_recording(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2.2 * size
