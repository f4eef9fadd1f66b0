"""The sidecar of a recording: ``<recording>.wav.json``, what is known of it beside its samples.

Whoever makes a recording knows more than can be measured of it later: where its clean source is
voiced, what was done to that, and by which chance. Contract: ``docs/metrics-contract.md``, "What is
measured": the caller's speech is measured on the clean source wherever that is known.

A sidecar belongs to one file's bytes. It is read strictly: what this version would not have written
is refused, never half used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from shared.audio.detection.energy_v1 import NAME as ENERGY
from shared.audio.detection.port import DetectorId
from shared.audio.effects.acoustics import Applied
from shared.audio.effects.recipe import Recipe
from shared.audio.pcm import Pcm, to_bytes
from shared.errors import UsageError
from shared.faults import Where, dotted
from shared.intervals import IntervalSet
from shared.observability.evidence import MeasuredOn
from shared.plain_text import one_line
from shared.scenario_types import AcousticCondition
from shared.strict_json import parse
from shared.utf8 import text_of
from shared.values import JsonScalar
from shared.whole_files import content

SCHEMA_VERSION: Final = "1.0"
SUFFIX: Final = ".json"
LARGEST_SEED: Final = (1 << 63) - 1
LARGEST_BYTES: Final = 50_000_000
"""More than two hours take with speech in every other hop and every other packet lost."""

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SourceKind(StrEnum):
    """Where the clean speech came from."""

    SYNTHESIZED = "synthesized"
    RECORDING = "recording"


class Voice(_Part):
    """Who spoke: with the text, this settles the speech."""

    name: str
    version: str
    parameters: Mapping[str, JsonScalar]


class Source(_Part):
    """The speech before any effect. ``pcm_sha256`` is of its samples as little-endian bytes.

    ``synthesizer`` and ``text`` say how it was made; ``conversion`` what was done to a file that
    people already had.
    """

    kind: SourceKind
    pcm_sha256: Sha256
    text: str | None
    synthesizer: Voice | None
    conversion: Mapping[str, JsonScalar] | None


class SpeechMask(_Part):
    """Where the caller speaks, in ``[start, end)`` milliseconds of the recording."""

    detector: DetectorId
    measured_on: MeasuredOn
    voiced_ms: tuple[tuple[int, int], ...]

    @field_validator("voiced_ms")
    @classmethod
    def _are_spans(cls, bounds: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        in_order = tuple((span.start_ms, span.end_ms) for span in IntervalSet.of(bounds))
        if in_order != bounds or any(start < 0 for start, _ in bounds):
            raise ValueError("spans must be in order and apart")
        return bounds

    @property
    def voiced(self) -> IntervalSet:
        return IntervalSet.of(self.voiced_ms)

    @property
    def is_reliable(self) -> bool:
        """Whether it can be taken as it is: ``energy-v1`` takes a recording's noise for speech."""
        return self.measured_on is MeasuredOn.CLEAN_SOURCE or self.detector.name != ENERGY


class Sidecar(_Part):
    """All of it. ``seed`` and ``scenario_id`` are what the effects drew their chance from.

    There is no mask where nothing is known that could not be measured of the recording itself, and
    none that is not reliable.
    ``background_speech_sha256`` is of the samples of others than the bundled voices.
    """

    schema_version: Literal["1.0"]
    wav_sha256: Sha256
    source: Source
    speech_mask: SpeechMask | None
    condition: AcousticCondition
    seed: int
    scenario_id: str
    effects: Recipe
    background_speech_sha256: Sha256 | None = None
    applied: Applied

    def encoded(self) -> bytes:
        """The file's content."""
        return f"{json.dumps(self.model_dump(mode='json'), indent=2)}\n".encode()

    @classmethod
    def decoded(cls, content: bytes) -> Self:
        """The sidecar in a file's content; what is none is a ``ValueError`` of one line."""
        text = text_of(content)
        flaws = parse(text).flaws
        if flaws:
            raise ValueError(_line(flaws[0].where, flaws[0].problem))
        try:
            read = cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise ValueError(_line(first["loc"], first["msg"])) from None
        if abs(read.seed) > LARGEST_SEED:
            raise ValueError(f"seed: lies beyond {LARGEST_SEED}")
        return read


def sidecar_path(recording: Path) -> Path:
    """Where the sidecar of a recording lies, whether or not there is one."""
    return recording.with_name(recording.name + SUFFIX)


def read_sidecar(recording: Path, wav_sha256: str) -> Sidecar | None:
    """The sidecar of a recording with these bytes, or nothing where there is none.

    One that cannot be read, or that belongs to other bytes, is a :class:`UsageError`.
    """
    path = sidecar_path(recording)
    try:
        sidecar = Sidecar.decoded(content(path, LARGEST_BYTES))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as fault:
        raise UsageError(f"{path}: is no sidecar: {fault}; {_REMEDY}") from fault
    if sidecar.wav_sha256 != wav_sha256:
        raise UsageError(f"{path}: belongs to other samples than {recording.name} has; {_REMEDY}")
    return sidecar


def sha256_of(pcm: Pcm) -> str:
    """The digest by which a sidecar knows its source."""
    return hashlib.sha256(to_bytes(pcm)).hexdigest()


def _line(where: Where, problem: str) -> str:
    place = dotted(where)
    said = problem.removeprefix("Value error, ")
    return one_line(f"{place}: {said}" if place else said)


_REMEDY = "make both anew with walk-generate-audio --force, or delete the sidecar"
