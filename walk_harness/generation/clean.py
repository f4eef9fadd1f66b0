"""The clean speech that recordings are made from: spoken, kept, recorded or converted.

Spoken speech is kept losslessly in ``audio/clean/`` beside the scenarios, with who said what, so
that every other condition is made from the same samples, on any machine. It is kept speech that
counts: another machine's voice may round otherwise.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shared.audio import wav
from shared.audio.conversion import converted
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.detection.hybrid_v1 import HybridV1, is_available
from shared.audio.detection.port import Detector
from shared.audio.effects.recipe import Recipe
from shared.audio.pcm import SAMPLE_RATE_HZ, Pcm, duration_ms, silence
from shared.audio.sidecar import (
    LARGEST_BYTES,
    Source,
    SourceKind,
    SpeechMask,
    Voice,
    read_sidecar,
    sha256_of,
)
from shared.errors import UsageError
from shared.intervals import Interval
from shared.observability.evidence import MeasuredOn
from shared.places import make_private, write_whole
from shared.whole_files import content

if TYPE_CHECKING:
    from shared.speech.port import Synthesizer

FOLDER = "audio/clean"
TAIL_MS = 500
"""Silence after spoken speech, for an echo and for what a caller utters beside the request."""


@dataclass(frozen=True, slots=True)
class CleanSpeech:
    """Speech before any effect, where it comes from, and where it is voiced."""

    pcm: Pcm
    source: Source
    mask: SpeechMask


def spoken(text: str, voice: Synthesizer) -> CleanSpeech:
    """The text in a voice, with a tail."""
    pcm = np.concatenate([voice.speak(text).pcm, silence(TAIL_MS)])
    said_by = Voice(name=voice.name, version=voice.version, parameters=dict(voice.parameters))
    source = Source(
        kind=SourceKind.SYNTHESIZED,
        pcm_sha256=sha256_of(pcm),
        text=text,
        synthesizer=said_by,
        conversion=None,
    )
    return CleanSpeech(pcm, source, _mask(pcm, EnergyV1(), MeasuredOn.CLEAN_SOURCE))


def recorded(path: Path) -> CleanSpeech:
    """A recording in our format. Its sidecar tells its source, if it was made here."""
    pcm = wav.read_recording(path).pcm
    sidecar = read_sidecar(path, hashlib.sha256(path.read_bytes()).hexdigest())
    if sidecar is None:
        return _measured(pcm)
    if sidecar.effects != Recipe():
        raise UsageError(
            f"{path}: is called clean, but its sidecar names effects; mend its scenario"
        )
    known = sidecar.speech_mask
    if known is None or not known.is_reliable:
        known = _mask(pcm, _for_recordings(), MeasuredOn.RECORDING)
    return CleanSpeech(pcm, sidecar.source, known)


def given(path: Path) -> tuple[CleanSpeech, tuple[str, ...]]:
    """A recording of any format, converted, and what to know about it in a line each."""
    made = converted(path)
    speech = _measured(made.pcm)
    conversion = dataclasses.asdict(made.provenance)
    source = speech.source.model_copy(update={"conversion": conversion})
    return dataclasses.replace(speech, source=source), made.warnings


def origin_sha256(path: Path) -> str:
    """The digest of the clean speech in a recording of our format, as :func:`recorded` has it."""
    pcm = wav.read_recording(path).pcm
    sidecar = read_sidecar(path, hashlib.sha256(path.read_bytes()).hexdigest())
    return sha256_of(pcm) if sidecar is None else sidecar.source.pcm_sha256


def is_said_by(source: Source, asked: Voice) -> bool:
    """Whether speech is of the voice asked for.

    Of a voice only the parameters in ``asked`` count, and its version not at all.
    """
    said_by = source.synthesizer
    return (
        said_by is not None
        and said_by.name == asked.name
        and all(said_by.parameters.get(key) == value for key, value in asked.parameters.items())
    )


def kept(folder: Path, scenario_id: str, *, text: str, asked: Voice) -> CleanSpeech | None:
    """Kept speech of a scenario, if it says this text in the voice asked for."""
    place = folder / FOLDER / f"{scenario_id}.flac"
    source = _source_of(place)
    if source is None or not place.exists():
        return None
    if source.text != text or not is_said_by(source, asked):
        return None
    pcm = _from_flac(place)
    if sha256_of(pcm) != source.pcm_sha256:
        raise UsageError(
            f"{place}: holds other samples than {_source_path(place).name} says; delete it"
        )
    return CleanSpeech(pcm, source, _mask(pcm, EnergyV1(), MeasuredOn.CLEAN_SOURCE))


def refuse_replacing(folder: Path, scenario_id: str, *, is_forced: bool) -> None:
    """Kept speech stays: the recordings made from it come out of it alone.

    Raises :class:`UsageError` for speech that is there, unless forced, and for a foreign file in
    any case.
    """
    place = folder / FOLDER / f"{scenario_id}.flac"
    source = _source_of(place)
    if not place.exists():
        return
    if source is None:
        raise UsageError(f"{place}: was not kept by us, and is not replaced; move it away")
    if not is_forced:
        voice = source.synthesizer.name if source.synthesizer is not None else "somebody"
        raise UsageError(
            f"{place}: keeps this request in the voice {voice}: {source.text!r}; --force replaces"
            " it, another --output-data folder keeps it"
        )


def keep(folder: Path, scenario_id: str, speech: CleanSpeech) -> None:
    """Keep speech whole or not at all."""
    place = folder / FOLDER / f"{scenario_id}.flac"
    make_private(place.parent)
    write_whole(_source_path(place), f"{speech.source.model_dump_json(indent=2)}\n".encode())
    write_whole(place, _flac(speech.pcm))


def _measured(pcm: Pcm) -> CleanSpeech:
    """A recording of which nothing is known but its samples."""
    source = Source(
        kind=SourceKind.RECORDING,
        pcm_sha256=sha256_of(pcm),
        text=None,
        synthesizer=None,
        conversion=None,
    )
    return CleanSpeech(pcm, source, _mask(pcm, _for_recordings(), MeasuredOn.RECORDING))


def _for_recordings() -> Detector:
    """The best detector there is for what may be noisy already."""
    return HybridV1() if is_available() else EnergyV1()


def _mask(pcm: Pcm, detector: Detector, measured_on: MeasuredOn) -> SpeechMask:
    # A detector's last hop may reach beyond the track, where there is nothing to be voiced.
    voiced = detector.voiced(pcm).clip(Interval(0, duration_ms(pcm)))
    spans = tuple((span.start_ms, span.end_ms) for span in voiced)
    return SpeechMask(detector=detector.id, measured_on=measured_on, voiced_ms=spans)


def _source_of(place: Path) -> Source | None:
    """What is said of kept speech, if anything is."""
    said = _source_path(place)
    try:
        return Source.model_validate_json(content(said, LARGEST_BYTES))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{said}: does not say who spoke ({type(error).__name__}), and is not replaced; move it"
            " away"
        ) from error


def _source_path(place: Path) -> Path:
    return place.with_name(f"{place.name}.json")


def _flac(pcm: Pcm) -> bytes:
    import soundfile

    file = io.BytesIO()
    soundfile.write(file, pcm, SAMPLE_RATE_HZ, format="FLAC", subtype="PCM_16")
    return file.getvalue()


def _from_flac(place: Path) -> Pcm:
    import soundfile

    if not place.is_file():
        raise UsageError(f"{place}: is no file; move it away")
    try:
        samples: Pcm
        samples, _ = soundfile.read(io.BytesIO(place.read_bytes()), dtype="int16")
    except soundfile.LibsndfileError as error:
        raise UsageError(f"{place}: cannot be read ({error.error_string}); delete it") from error
    return samples
