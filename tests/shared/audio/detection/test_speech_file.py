from __future__ import annotations

import json

import pytest

from shared.audio.detection.neural import Heard
from shared.audio.detection.port import DetectorId
from shared.audio.detection.speech_file import decode_speech, encode_speech

DETECTOR = DetectorId("hybrid-v1", "1", {"package": "scripted", "window_ms": 32, "least": 0.5})
HEARD = (Heard(0, bytes(range(256))), Heard(9_480, b"\xff\x00"))


@pytest.mark.parametrize("heard", [(), HEARD])
def test_what_is_read_is_what_was_written(heard: tuple[Heard, ...]) -> None:
    written = encode_speech(DETECTOR, heard)
    assert decode_speech(written) == (DETECTOR, heard)
    assert written.endswith(b"}\n")
    assert encode_speech(*decode_speech(written)) == written


def test_a_minute_is_a_small_file() -> None:
    assert len(encode_speech(DETECTOR, (Heard(0, bytes(1_875)),))) < 3_000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("schema_version", "2.0", id="another-version"),
        pytest.param("window_ms", 30, id="other-windows"),
        pytest.param("stretches", [{"start_ms": 0, "probabilities": "?"}], id="no-base64"),
        pytest.param("stretches", [{"start_ms": -10, "probabilities": ""}], id="before-the-start"),
        pytest.param("stretches", [{"start_ms": 0}], id="nothing-heard"),
        pytest.param("surplus", 1, id="an-unknown-key"),
    ],
)
def test_a_file_is_refused_that_has(name: str, value: object) -> None:
    content = json.loads(encode_speech(DETECTOR, HEARD)) | {name: value}
    with pytest.raises(ValueError, match=r"."):
        decode_speech(json.dumps(content).encode())
