"""WALK's caller: recordings, replayed sample for sample.

Where a recording was made here from clean speech, the mask in its sidecar says where that is
voiced; noise cannot move it. A mask that a neural detector heard in a recording, before effects
were added, counts too, unless another detector is chosen. Of any other recording a
detector has to find it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, override

from assistants.suite.detectors import CallerTrack, for_recordings, measured
from assistants.suite.suite import Rendition, RequestCaller
from shared.attempts.attempt import Attempt
from shared.audio import wav
from shared.audio.detection.hybrid_v1 import is_available
from shared.audio.detection.port import Detector
from shared.audio.pcm import Pcm, duration_ms
from shared.audio.sidecar import Source, SpeechMask, read_sidecar, sidecar_path
from shared.audio.wav import Recorded
from shared.dataset import Dataset, with_shown_paths
from shared.errors import AttemptError, DatasetError, Stage, UsageError
from shared.metrics.transcription.words import words
from shared.observability.evidence import MeasuredOn, Track
from shared.reporting.schema import RecordingReport
from shared.scenarios import Recording, Scenario
from shared.settings import Settings
from shared.single_turn.session import SpokenRequest
from shared.values import JsonObject

SOURCE = "walk.recorded"
WITHOUT_THE_EXTRA = (
    "recordings without a speech mask are measured by energy-v1, which noise misleads; hybrid-v1"
    " comes with the extra speech: uv sync --extra speech, or pip install 'gpt-live-evals[speech]'"
)


class RecordedCaller(RequestCaller):
    """Recordings of a dataset, each checked before the run and read again when it is replayed.

    ``if_bare`` is what to warn of when nothing is known beforehand of any of them. ``chosen`` names
    the detector, where whoever runs this insists on one: it then replaces others' masks, but for
    those of clean speech, which are no detector's choice.
    """

    def __init__(
        self,
        dataset: Dataset,
        detector: Detector,
        second_detector: Detector | None = None,
        if_bare: Sequence[str] = (),
        chosen: str | None = None,
    ) -> None:
        self._dataset = dataset
        self._detector = detector
        self._second_detector = second_detector
        self._if_bare = if_bare
        self._chosen = chosen
        self._files: dict[tuple[str, str], _Checked] = {}

    @property
    @override
    def source(self) -> str:
        return SOURCE

    @property
    @override
    def warnings(self) -> Sequence[str]:
        bare = self._if_bare if self._is_any_bare else ()
        masked = sum(checked.known is not None for checked in self._files.values())
        if self._chosen is None or not masked:
            return bare
        what = (
            f"{masked} of {len(self._files)} recordings have a speech mask, which is used as it is"
        )
        return (*bare, f"--detector: measures no recording of which more is known: {what}")

    @override
    def renditions(self, scenarios: Sequence[Scenario]) -> Sequence[Rendition]:
        faults: list[str] = []
        renditions = []
        for scenario in scenarios:
            shown = with_shown_paths(scenario)
            for index, recording in enumerate(scenario.input.recordings):
                path = self._dataset.recording_path(recording)
                try:
                    checked = _checked(path, scenario.input.text, self._chosen)
                except UsageError as error:
                    where = f'scenario "{scenario.id}": input.recordings[{index}].path'
                    faults.append(f"{where}: {error}")
                    continue
                self._files[scenario.id, recording.id] = checked
                report = _report(shown.input.recordings[index], checked.sha256)
                renditions.append(Rendition(scenario, report, _source_of(recording)))
        if faults:
            raise DatasetError(faults)
        return renditions

    @override
    def request_for(self, attempt: Attempt) -> SpokenRequest:
        recording = attempt.recording
        if recording is None:
            raise AttemptError(Stage.AUDIO_INPUT, "no recording was chosen")
        checked = self._files[attempt.scenario.id, recording.id]
        recorded = self._again(checked, recording.path)
        found = CallerTrack(checked.known) if checked.known else self._measured(recorded.pcm)
        track = found.track
        unheard = () if track.voiced else ("no speech was found in the recording",)
        return SpokenRequest(
            recorded.pcm,
            track,
            attempt.scenario.input.text,
            SOURCE,
            (*recorded.warnings, *unheard),
            second_track=found.second,
            speech_file=found.speech_file,
        )

    @property
    def _is_any_bare(self) -> bool:
        return any(checked.known is None for checked in self._files.values())

    def _measured(self, pcm: Pcm) -> CallerTrack:
        return measured(pcm, MeasuredOn.RECORDING, self._detector, self._second_detector)

    @override
    def identity(self, rendition: Rendition, script: Any | None) -> JsonObject:
        """A recording is heard as it is: another file is another caller."""
        recording = rendition.recording
        return {"kind": "recorded", "sha256": None if recording is None else recording.sha256}

    @override
    def recorded(self) -> JsonObject:
        digest = hashlib.sha256()
        for name, checked in sorted(self._files.items()):
            digest.update(repr((*name, checked.sha256)).encode())
        return {
            "recordings": len(self._files),
            "recordings_sha256": digest.hexdigest(),
            **(self._detectors() if self._is_any_bare else {}),
        }

    def _detectors(self) -> JsonObject:
        """What measures the recordings of which nothing is known."""
        second = self._second_detector
        return {
            "detector": _named(self._detector),
            "second_detector": None if second is None else _named(second),
        }

    def _again(self, checked: _Checked, shown: str) -> Recorded:
        """A recording that was fine when the run began, if it still is the same."""
        try:
            recorded = wav.read_recording(checked.path)
        except UsageError as error:
            what = "the recording cannot be read any more"
            raise AttemptError(Stage.AUDIO_INPUT, f"{what}: {shown}") from error
        if recorded.sha256 != checked.sha256:
            what = "the recording changed since the run began"
            raise AttemptError(Stage.AUDIO_INPUT, f"{what}: {shown}")
        return recorded


@dataclass(frozen=True, slots=True)
class _Checked:
    """A recording that could be replayed when the run began, and its track if that is known."""

    path: Path
    sha256: str
    known: Track | None


def _checked(path: Path, text: str, chosen: str | None) -> _Checked:
    recorded = wav.read_recording(path)
    sidecar = read_sidecar(path, recorded.sha256)
    if sidecar is not None:
        _refuse_other_words(sidecar.source, text, path)
    mask = None if sidecar is None else sidecar.speech_mask
    known = None if mask is None else _known(mask, recorded.pcm, path)
    if mask is not None and not _stands(mask, chosen):
        known = None
    return _Checked(path, recorded.sha256, known)


def _stands(mask: SpeechMask, chosen: str | None) -> bool:
    """Whether nothing that could be measured now is better than the mask, or asked for instead."""
    if mask.measured_on is MeasuredOn.CLEAN_SOURCE:
        return True
    return mask.is_reliable and chosen in {None, mask.detector.name}


def _refuse_other_words(source: Source, text: str, path: Path) -> None:
    """Words that nobody said would count as lost by the service."""
    if source.text is not None and words(source.text) != words(text):
        raise UsageError(
            f"{sidecar_path(path)}: says that another text than input.text was spoken; mend"
            " input.text, or make both anew with walk-generate-audio --force"
        )


def _known(mask: SpeechMask, pcm: Pcm, path: Path) -> Track:
    """The caller's track as the maker of the recording knew it."""
    extent = mask.voiced.extent
    if extent is not None and extent.end_ms > duration_ms(pcm):
        what = f"says that speech ends at {extent.end_ms} ms, after the recording does"
        raise UsageError(f"{sidecar_path(path)}: {what}; delete it or make both anew")
    return Track(mask.voiced, int(pcm.size), mask.detector, mask.measured_on)


def _named(detector: Detector) -> JsonObject:
    named = detector.id
    return {"name": named.name, "version": named.version, "parameters": dict(named.parameters)}


def _source_of(recording: Recording) -> str | None:
    """The scenario whose request a generated variant carries, as its metadata say."""
    generation = recording.metadata.get("generation")
    source = generation.get("source_scenario_id") if isinstance(generation, Mapping) else None
    return source if isinstance(source, str) else None


def _report(recording: Recording, sha256: str) -> RecordingReport:
    return RecordingReport(
        id=recording.id,
        path=recording.path,
        condition=recording.condition.value,
        metadata=dict(recording.metadata),
        sha256=sha256,
    )


def caller_of(settings: Settings, dataset: Dataset) -> RequestCaller:
    """The caller of a dataset, measured as the settings say."""
    chosen = settings["detector"]
    warnings = () if chosen is not None or is_available() else (WITHOUT_THE_EXTRA,)
    return RecordedCaller(
        dataset,
        *for_recordings(settings),
        warnings,
        None if chosen is None else str(chosen),
    )
