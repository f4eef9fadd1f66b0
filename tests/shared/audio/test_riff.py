from __future__ import annotations

import pytest

from shared.audio.riff import DATA, FORMAT, is_wav, sections
from tests.support.wav_files import SAMPLES, STREAMED, data, form, riff, section


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        pytest.param(b"RIFF\0\0\0\0WAVE", True, id="twelve-bytes"),
        pytest.param(b"RIFF\0\0\0\0WAVE\0", True, id="and-more"),
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
        pytest.param(riff(form(), data(size=0x7FFFF000)), [16, None], 0, id="of-another-such-size"),
        pytest.param(riff(form(), data(size=0)), [16, None], 0, id="of-size-0-with-data"),
        pytest.param(riff(form(), data(b"")), [16, 0], 0, id="empty"),
        pytest.param(
            riff(form(), data(b""), section(b"LIST", b"abcd")),
            [16, 0],
            0,
            id="empty-before-another",
        ),
        pytest.param(
            riff(form(), data(b""), *[section(b"LIST", b"abc"), section(b"LIST", b"abcd")]),
            [16, 0],
            0,
            id="empty-before-an-odd-one-and-another",
        ),
        pytest.param(
            riff(form(), data(b""), *[section(b"LIST", b"a"), section(b"LIST", b"abcd")]),
            [16, 0],
            0,
            id="empty-before-one-of-a-byte-and-another",
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
        pytest.param(
            riff(form(), section(b"LIST", b""), data()) + b"\0", [16, 28], 1, id="another-of-size-0"
        ),
        pytest.param(
            riff(form(), section(b"zero", b""), data()) + b"\0", [16, 28], 1, id="one-more-such"
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


@pytest.mark.parametrize("size", [29, 0x7FFFEFFF, 0x7FFFF001, 0xFFFFFFFE])
def test_data_that_is_cut_says_so(size: int) -> None:
    found, left = sections(riff(form(), data(size=size)), {DATA})
    assert (found[0].size, bytes(found[0].content), found[0].is_cut) == (size, SAMPLES, True)
    assert left == 0


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        pytest.param(
            riff(form())[:-1], "damaged at byte 12: 15 of 16 bytes of a section 'fmt '", id="cut"
        ),
        pytest.param(
            riff(form(), section(b"LIST", b"abcd"))[:-1],
            "damaged at byte 36: 3 of 4 bytes of a section 'LIST'",
            id="cut-after-the-format",
        ),
        pytest.param(
            riff(section(b"\x7fabc", b"ab"), form(), data()),
            r"damaged at byte 12: 2 of 2 bytes of a section '\\x7fabc'",
            id="a-name-that-is-none",
        ),
    ],
)
def test_damage_before_the_data_is_refused_by_its_place(file: bytes, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        sections(file, {FORMAT, DATA})


def test_sections_nobody_wants_are_not_kept() -> None:
    found, left = sections(riff(form(), section(b"LIST", b"abc"), data(), form())[:-1], {b"LIST"})
    assert [bytes(one.content) for one in found] == [b"abc"]
    assert left == 23
