from __future__ import annotations

import io

import numpy as np
import pytest
import soundfile

from shared.audio.containers import HEAD_BYTES, container
from tests.support.wav_files import tone

ENOUGH = bytes(HEAD_BYTES)


@pytest.mark.parametrize(
    ("head", "name"),
    [
        pytest.param(b"RIFF\x01\x02\x03\x04WAVE", "a WAV file", id="wav"),
        pytest.param(b"RIFF\n\n\n\nWAVE", "a WAV file", id="a-size-of-line-ends"),
        pytest.param(b"BW64\xff\xff\xff\xffWAVE", "an RF64 file", id="bw64"),
        pytest.param(b"riff\x2e\x91\xcf\x11", "a Wave64 file", id="wave64"),
        pytest.param(b"RIFF\x01\x02\x03\x04AVI ", "an AVI file", id="avi"),
        pytest.param(b"FORM\0\0\0\0AIFC", "an AIFF file", id="aiff-compressed"),
        pytest.param(b"\xff\xfb\x90\x64", "an MP3 file", id="mp3-without-a-tag"),
        pytest.param(b"\xff\xf1\x50\x80", "an AAC file", id="aac"),
        pytest.param(b"\0\0\0\x18ftypmp42", "an MP4 or M4A file", id="mp4"),
        pytest.param(b"\x1a\x45\xdf\xa3", "a WebM or Matroska file", id="webm"),
        pytest.param(b"#!AMR-WB\n", "an AMR file", id="amr"),
        pytest.param(b"PK\x03\x04", "a ZIP archive", id="zip"),
        pytest.param(
            b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer", id="lfs"
        ),
        pytest.param(b'{"error": "not found"}', "text", id="json"),
        pytest.param(b"\n<html>", "text", id="html"),
    ],
)
def test_known_by_how_it_begins(head: bytes, name: str) -> None:
    found = container(head + ENOUGH)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("WAV", "a WAV file"),
        ("WAVEX", "a WAV file"),
        ("RF64", "an RF64 file"),
        ("W64", "a Wave64 file"),
        ("FLAC", "a FLAC file"),
        ("OGG", "an Ogg file"),
        ("AIFF", "an AIFF file"),
        ("AU", "an AU file"),
        ("CAF", "a CAF file"),
        ("NIST", "a NIST SPHERE file"),
        ("MP3", "an MP3 file"),
    ],
)
def test_what_the_library_writes_is_known_and_can_be_converted(kind: str, name: str) -> None:
    file = io.BytesIO()
    soundfile.write(file, tone(4_800), 24_000, format=kind)
    found = container(file.getvalue())
    assert found is not None
    assert (found.name, found.remedy) == (name, None)


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"RIFF", id="half-a-header"),
        pytest.param(np.full(32, -1, "<i2").tobytes(), id="bare-samples-of-minus-one"),
        pytest.param(bytes(64), id="bare-silence"),
        pytest.param(b"[x", id="a-bracket-is-no-text-yet"),
    ],
)
def test_what_nobody_can_tell_is_unknown(head: bytes) -> None:
    assert container(head) is None
