from __future__ import annotations

import pytest

from shared.audio.riff import DATA, FORMAT, is_wav, sections
from tests.support.wav_files import SAMPLES, STREAMED, data, form, riff, section


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        pytest.param(b"RIFF\0\0\0\0WAVE", True, id="twelve-bytes"),
        pytest.param(b"RIFF\0\0\0\0WAV", False, id="one-byte-less"),
        pytest.param(b"RIFF\0\0\0\0AVI ", False, id="another-kind-of-riff"),
        pytest.param(b"RIFX\0\0\0\0WAVE", False, id="of-the-other-order-of-bytes"),
    ],
)
def test_a_wav_file_is(file: bytes, expected: bool) -> None:
    assert is_wav(file) is expected


@pytest.mark.parametrize(
    ("file", "sizes", "leftover"),
    [
        pytest.param(riff(form(), data()), [16, 28], 0, id="whole"),
        pytest.param(
            riff(form(), section(b"LIST", b"abc"), data()), [16, 28], 0, id="others-unseen"
        ),
        pytest.param(riff(form(), data(b"abc")), [16, 3], 0, id="odd-and-padded"),
        pytest.param(riff(form(), data(b"abc"))[:-1], [16, 3], 0, id="odd-at-the-very-end"),
        pytest.param(riff(form(), data(size=STREAMED)), [16, None], 0, id="of-no-known-size"),
        pytest.param(riff(form(), data(size=0)), [16, None], 0, id="of-size-0-with-data"),
        pytest.param(riff(form(), data(b"")), [16, 0], 0, id="empty"),
        pytest.param(
            riff(form(), data(b""), section(b"LIST", b"abcd")),
            [16, 0],
            0,
            id="empty-before-another",
        ),
        pytest.param(
            riff(form(), data(b""), section(b"LIST", b"abc"))[:-1],
            [16, 0],
            0,
            id="empty-before-an-odd-one-at-the-very-end",
        ),
        pytest.param(
            riff(form(), data(b""), section(b"LIST", b"abcd"))[:-1],
            [16, None],
            0,
            id="size-0-before-what-only-begins-like-a-section",
        ),
        pytest.param(riff(form(), data()) + b"1234567", [16, 28], 7, id="too-little-for-a-section"),
        pytest.param(
            riff(form(), data()) + b"\x1fabc\0\0\0\0", [16, 28], 8, id="a-name-that-is-none"
        ),
        pytest.param(
            riff(form(), data()) + b"\x20abc\0\0\0\0", [16, 28], 0, id="a-name-that-just-is-one"
        ),
        pytest.param(
            riff(form(), data(), section(b"LIST", b"abcd"))[:-1], [16, 28], 11, id="cut-behind-data"
        ),
    ],
)
def test_sections_of_a_file(file: bytes, sizes: list[int | None], leftover: int) -> None:
    found, left = sections(file, {FORMAT, DATA})
    assert [one.size for one in found] == sizes
    assert [one.is_cut for one in found] == [False, False]
    assert left == leftover


def test_data_that_is_cut_says_so() -> None:
    found, left = sections(riff(form(), data())[:-1], {DATA})
    assert (found[0].size, bytes(found[0].content), found[0].is_cut) == (28, SAMPLES[:-1], True)
    assert left == 0
