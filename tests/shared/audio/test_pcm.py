from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audio.pcm import (
    FRAME_BYTES,
    FRAME_SAMPLES,
    SAMPLE_RATE_HZ,
    SAMPLES_PER_MS,
    duration_ms,
    frames,
    from_bytes,
    saturated,
    silence,
    to_bytes,
)


def counting(samples: int) -> np.ndarray:
    return np.arange(1, samples + 1).astype(np.int16)


def test_a_frame_is_480_samples_and_960_bytes() -> None:
    assert (FRAME_SAMPLES, FRAME_BYTES, SAMPLE_RATE_HZ // 1_000) == (480, 960, SAMPLES_PER_MS)


def test_the_wire_is_little_endian() -> None:
    assert to_bytes(np.array([1, -2, -32_768, 32_767], np.int16)) == bytes.fromhex(
        "0100 feff 0080 ff7f"
    )


@given(st.binary(max_size=64).filter(lambda data: len(data) % 2 == 0))
def test_whole_samples_survive_both_ways(data: bytes) -> None:
    assert to_bytes(from_bytes(data)) == data


@pytest.mark.parametrize("odd", [1, 3, 959])
def test_half_a_sample_is_refused(odd: int) -> None:
    with pytest.raises(ValueError, match="odd number of bytes"):
        from_bytes(bytes(odd))


def test_samples_read_from_bytes_are_ours_to_change() -> None:
    pcm = from_bytes(b"\x01\x00")
    pcm[0] = 7
    assert pcm.tolist() == [7]


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        pytest.param(0, 0, id="no-audio-no-frame"),
        pytest.param(1, 1, id="one-sample-fills-a-frame-with-zeros"),
        pytest.param(479, 1, id="one-sample-short-of-a-frame"),
        pytest.param(480, 1, id="exactly-a-frame"),
        pytest.param(481, 2, id="one-sample-more-than-a-frame"),
        pytest.param(960, 2, id="exactly-two-frames"),
    ],
)
def test_frames_of(samples: int, expected: int) -> None:
    cut = frames(counting(samples))
    assert [len(frame) for frame in cut] == [FRAME_BYTES] * expected
    whole = from_bytes(b"".join(cut))
    assert np.array_equal(whole[:samples], counting(samples))
    assert not whole[samples:].any()


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        pytest.param(0, 0, id="nothing-lasts-nothing"),
        pytest.param(1, 1, id="a-begun-millisecond-counts"),
        pytest.param(24, 1, id="a-whole-millisecond"),
        pytest.param(25, 2, id="one-sample-more"),
    ],
)
def test_duration_of(samples: int, expected: int) -> None:
    assert duration_ms(counting(samples)) == expected


def test_silence_is_exact_zeros_of_that_length() -> None:
    assert silence(3).tolist() == [0] * 72


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize(
    ("computed", "sample"),
    [
        pytest.param(32_767, 32_767, id="full-scale"),
        pytest.param(32_768, 32_767, id="one-above"),
        pytest.param(65_536, 32_767, id="where-a-cast-gives-silence"),
        pytest.param(-32_768, -32_768, id="full-scale-below"),
        pytest.param(-32_769, -32_768, id="one-below"),
        pytest.param(0, 0, id="silence"),
    ],
)
def test_what_is_louder_than_a_sample_can_be_stays_at_full_scale(
    computed: int, sample: int, kind: type[np.generic]
) -> None:
    made = saturated(np.array([computed], kind))
    assert (made.tolist(), made.dtype) == ([sample], np.int16)


def test_what_lies_between_samples_goes_to_the_nearest() -> None:
    assert saturated(np.array([0.4, 0.6, -0.6, 32_767.4])).tolist() == [0, 1, -1, 32_767]


def test_without_end_is_full_scale_and_no_number_is_refused() -> None:
    assert saturated(np.array([np.inf, -np.inf])).tolist() == [32_767, -32_768]
    with pytest.raises(ValueError, match="no number"):
        saturated(np.array([0.0, np.nan]))


@pytest.mark.parametrize("kind", [np.float32, np.int32, np.uint16])
def test_only_samples_go_on_the_wire(kind: type[np.generic]) -> None:
    with pytest.raises(TypeError):
        to_bytes(np.zeros(1, kind))
