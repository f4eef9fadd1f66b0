"""When both parties were voiced, by whatever tells it best, and what that rests on."""

from __future__ import annotations

from dataclasses import dataclass

from shared.intervals import IntervalSet
from shared.values import JsonObject
from shared.viewer.history.files import Files, Source
from shared.viewer.history.gaps import because, reconstruction_gaps
from shared.viewer.history.reconstruction import DETECTOR, MEASURED_ON, Reconstructed
from shared.viewer.history.ticks import Ticks
from shared.viewer.history.untrusted import label, record
from shared.viewer.view import TimingSource


@dataclass(frozen=True, slots=True)
class Measured:
    """By which detector a track was measured, and on which signal, where that is told."""

    detector: str | None = None
    measured_on: str | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """Voiced spans and their origin. ``end_ms`` is how far the source reaches."""

    source: TimingSource
    caller: IntervalSet
    assistant: IntervalSet
    caller_by: Measured
    assistant_by: Measured
    end_ms: int
    missing: tuple[str, ...] = ()


def timing(row: JsonObject, files: Files, told: Ticks | None, condition: str | None) -> Timing:
    """Exact ticks before the recording, and the recording before ticks that only say whether."""
    heard = files.reconstructed
    if told is not None and (told.is_exact or heard is None):
        return _traced(row, told)
    if heard is not None:
        gaps = reconstruction_gaps(files, condition, is_mono=heard.assistant is None)
        return _reconstructed(heard, tuple(gaps))
    return _unknown(files)


def _traced(row: JsonObject, told: Ticks) -> Timing:
    rough = "The ticks say whether somebody spoke, but not when: spans are whole ticks."
    return Timing(
        TimingSource.DEBUG_TRACE,
        told.caller,
        told.assistant,
        _measured(row, "caller", is_exact=told.is_exact),
        _measured(row, "assistant", is_exact=told.is_exact),
        told.end_ms,
        () if told.is_exact else (rough,),
    )


def _measured(row: JsonObject, party: str, *, is_exact: bool) -> Measured:
    """What the report says of the measurement. Of whole ticks it does not speak."""
    if not is_exact:
        return Measured()
    audio = record(record(row.get("metrics")).get("audio"))
    speech = record(record(audio.get("speech")).get(party))
    return Measured(label(speech.get("detector")), label(speech.get("measured_on")))


def _reconstructed(heard: Reconstructed, missing: tuple[str, ...]) -> Timing:
    measured = Measured(DETECTOR, MEASURED_ON)
    return Timing(
        TimingSource.RECONSTRUCTED_AUDIO,
        IntervalSet.of(heard.caller),
        IntervalSet.of(heard.assistant or ()),
        measured,
        Measured() if heard.assistant is None else measured,
        heard.duration_ms,
        missing,
    )


def _unknown(files: Files) -> Timing:
    reasons = because(files, Source.TICKS, Source.RECORDING)
    return Timing(
        TimingSource.NONE,
        IntervalSet(),
        IntervalSet(),
        Measured(),
        Measured(),
        0,
        (f"When each party spoke is not known: {reasons}.",),
    )
