"""``input.speech.json``: what a network heard in a recording, so that it need not listen again.

With the recording beside it the voiced spans follow (``hybrid_v1.voiced_from``). One byte a window,
in base64: about 2.5 kB a minute.
"""

from __future__ import annotations

import base64
import binascii
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from shared.audio.detection.neural import WINDOW_MS, Heard
from shared.audio.detection.port import DetectorId
from shared.values import JsonScalar


class StretchEntry(BaseModel):
    """One stretch that sounds; its first window starts with it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    start_ms: int = Field(ge=0)
    probabilities: str


class DetectorEntry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    version: str
    parameters: dict[str, JsonScalar]


class SpeechFile(BaseModel):
    """The file as it is written."""

    model_config = ConfigDict(extra="forbid", strict=True)

    schema_version: Literal["1.0"] = "1.0"
    detector: DetectorEntry
    window_ms: Literal[32] = WINDOW_MS
    stretches: list[StretchEntry]


def encode_speech(detector: DetectorId, heard: tuple[Heard, ...]) -> bytes:
    """The file's content: UTF-8, two-space indent, final newline."""
    content = SpeechFile(
        detector=DetectorEntry(
            name=detector.name, version=detector.version, parameters=dict(detector.parameters)
        ),
        stretches=[
            StretchEntry(
                start_ms=one.start_ms, probabilities=base64.b64encode(one.probabilities).decode()
            )
            for one in heard
        ],
    )
    return f"{content.model_dump_json(indent=2)}\n".encode()


def decode_speech(content: bytes) -> tuple[DetectorId, tuple[Heard, ...]]:
    """Read a file. Raises ``ValueError`` when it is not one of this version."""
    stored = SpeechFile.model_validate_json(content)
    detector = DetectorId(stored.detector.name, stored.detector.version, stored.detector.parameters)
    return detector, tuple(Heard(one.start_ms, _bytes(one)) for one in stored.stretches)


def _bytes(stretch: StretchEntry) -> bytes:
    try:
        return base64.b64decode(stretch.probabilities, validate=True)
    except binascii.Error as error:
        raise ValueError(f"what was heard from {stretch.start_ms} ms on is no base64") from error
