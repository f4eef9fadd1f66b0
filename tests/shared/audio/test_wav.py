from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.audio import wav
from shared.audio.mixdown import stereo
from shared.errors import UsageError

RAMP = np.arange(-5, 5).astype(np.int16)
GOOD = wav.encode(RAMP)


def with_field(offset: int, code: str, value: int) -> bytes:
    field = struct.pack(code, value)
    return GOOD[:offset] + field + GOOD[offset + len(field) :]


def test_a_mono_file_is_a_44_byte_header_and_the_samples() -> None:
    assert len(GOOD) == 44 + 20
    assert GOOD[44:] == RAMP.astype("<i2").tobytes()


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "caller.wav"
    path.write_bytes(GOOD)
    assert np.array_equal(wav.read_mono(path), RAMP)


def test_sections_before_the_data_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "labelled.wav"
    path.write_bytes(GOOD[:36] + b"LIST\x03\x00\x00\x00abc\x00" + GOOD[36:] + b"tail")
    assert np.array_equal(wav.read_mono(path), RAMP)


def test_another_reader_finds_both_tracks_in_a_stereo_file(tmp_path: Path) -> None:
    path = tmp_path / "conversation.wav"
    path.write_bytes(wav.encode(stereo(RAMP, -RAMP)))
    samples, rate = soundfile.read(path, dtype="int16")
    assert rate == 24_000
    assert np.array_equal(samples, np.column_stack([RAMP, -RAMP]))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        pytest.param(b"", "not a WAV file", id="an-empty-file"),
        pytest.param(b"ID3" + bytes(60), "not a WAV file", id="another-kind-of-file"),
        pytest.param(GOOD[:11], "not a WAV file", id="less-than-a-riff-header"),
        pytest.param(GOOD[:12], "without a format", id="no-sections"),
        pytest.param(GOOD[:36], "without data", id="no-data-section"),
        pytest.param(GOOD[:35], "cut short: 15 of 16 bytes of b'fmt '", id="half-a-format"),
        pytest.param(GOOD[:12] + GOOD[36:], "without a format", id="no-format-section"),
        pytest.param(with_field(20, "<H", 3), "found format 3", id="float-samples"),
        pytest.param(with_field(20, "<H", 7), "found format 7", id="mu-law"),
        pytest.param(with_field(24, "<I", 44_100), "44100 Hz", id="another-rate"),
        pytest.param(wav.encode(stereo(RAMP, RAMP)), "2 channel", id="stereo"),
        pytest.param(with_field(34, "<H", 8), "8 bit", id="another-width"),
        pytest.param(wav.encode(RAMP[:0]), "holds no audio", id="no-samples"),
        pytest.param(GOOD[:-1], "19 of 20 bytes", id="a-byte-missing"),
        pytest.param(with_field(40, "<I", 19), "odd number of bytes", id="half-a-sample"),
    ],
)
def test_refused_in_one_line(tmp_path: Path, data: bytes, complaint: str) -> None:
    path = tmp_path / "bad.wav"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=complaint) as refusal:
        wav.read_mono(path)
    assert str(refusal.value).startswith(f"{path}: ")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ["missing.wav", "."])
def test_what_cannot_be_opened_is_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        wav.read_mono(tmp_path / name)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(st.integers(0, 43), st.integers(0, 255), max_size=4), st.integers(0, len(GOOD))
)
def test_no_damage_to_a_file_raises_anything_else(
    tmp_path: Path, damage: dict[int, int], length: int
) -> None:
    data = bytearray(GOOD)
    for offset, value in damage.items():
        data[offset] = value
    path = tmp_path / "damaged.wav"
    path.write_bytes(bytes(data[:length]))
    try:
        assert wav.read_mono(path).size > 0
    except UsageError as refusal:
        assert str(refusal).startswith(f"{path}: ")  # noqa: PT017
