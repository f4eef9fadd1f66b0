"""Which detectors measure a run: ``energy-v1`` where a track is clean, ``hybrid-v1`` in recordings
of which nothing is known, and one of them a second time to tell what rests on the choice.

A scripted fixture says its lines in tones, in which ``hybrid-v1`` hears no speech, so offline the
assistant is measured once.
"""

from __future__ import annotations

from dataclasses import dataclass

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.detection.hybrid_v1 import NAME as HYBRID
from shared.audio.detection.hybrid_v1 import HybridV1, is_available
from shared.audio.detection.port import Detector
from shared.audio.detection.silero import required
from shared.audio.detection.speech_file import encode_speech
from shared.audio.pcm import Pcm
from shared.observability.evidence import MeasuredOn, Track
from shared.settings import Origin, Settings


def hybrid_for_sensitivity(settings: Settings) -> HybridV1 | None:
    """The second detector of a track that ``energy-v1`` measures, where one is asked for.

    Raises :class:`UsageError` when a flag asks for it and the extra is missing.
    """
    if not settings.switch("sensitivity"):
        return None
    if settings.origin("sensitivity") is Origin.FLAG:
        return HybridV1(required(f"--sensitivity: {HYBRID}"))
    return HybridV1() if is_available() else None


def second_for_assistant(settings: Settings) -> Detector | None:
    """What measures the assistant's track again."""
    return None if settings.switch("offline") else hybrid_for_sensitivity(settings)


def for_recordings(settings: Settings) -> tuple[Detector, Detector | None]:
    """What measures recordings of which nothing is known, and what measures them again.

    Raises :class:`UsageError` when ``hybrid-v1`` is chosen and the extra is missing.
    """
    second = hybrid_for_sensitivity(settings)
    chosen = settings["detector"] or (HYBRID if is_available() else None)
    if chosen != HYBRID:
        return EnergyV1(), second
    first = HybridV1(required(f"--detector: {HYBRID}"))
    return first, EnergyV1() if settings.switch("sensitivity") else None


@dataclass(frozen=True, slots=True)
class CallerTrack:
    """A caller's audio as measured; ``speech_file`` keeps what a neural detector heard in it."""

    track: Track
    second: Track | None = None
    speech_file: bytes | None = None


def measured(
    pcm: Pcm, on: MeasuredOn, first: Detector, second: Detector | None = None
) -> CallerTrack:
    """A caller's audio by one detector, and by a second where there is one."""
    track, speech_file = _by(first, pcm, on)
    if second is None:
        return CallerTrack(track, None, speech_file)
    again, heard_again = _by(second, pcm, on)
    return CallerTrack(track, again, speech_file or heard_again)


def _by(detector: Detector, pcm: Pcm, on: MeasuredOn) -> tuple[Track, bytes | None]:
    if isinstance(detector, HybridV1):
        found = detector.measured(pcm)
        kept = encode_speech(detector.id, found.heard)
        return Track(found.voiced, int(pcm.size), detector.id, on), kept
    return Track(detector.voiced(pcm), int(pcm.size), detector.id, on), None
