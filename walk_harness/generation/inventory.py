"""What there is already: scenarios, their recordings, and whose each file is."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from shared.audio import wav
from shared.audio.sidecar import LARGEST_BYTES, Sidecar, read_sidecar, sidecar_path
from shared.dataset import Dataset, load_dataset, select
from shared.errors import UsageError
from shared.scenario_types import AcousticCondition
from shared.scenarios import Scenario, is_single_turn
from shared.values import JsonObject
from shared.whole_files import content
from walk_harness.generation.plan import RECORDINGS, Files, Held, Source


def sources_of(data: Path, dataset: Dataset, wanted: str) -> list[Source]:
    """The single-turn scenarios to record, as they stand in the file."""
    raw = _raw_scenarios(data)
    single = [one for one in dataset.scenarios if is_single_turn(one)]
    chosen = {one.id for one in select(single, wanted)}
    return [
        _source(position, one, raw[one.id], dataset)
        for position, one in enumerate(single)
        if one.id in chosen
    ]


def held_by(output: Path) -> tuple[Held, ...]:
    """What the file to write holds already."""
    if not output.exists():
        return ()
    dataset, raw = load_dataset(output), _raw_scenarios(output)
    return tuple(
        Held(one.id, raw[one.id], one.input.recordings, _clean_place(one, dataset))
        for one in dataset.scenarios
    )


def files_in(folder: Path, named_by: Sequence[Scenario | Held]) -> Files:
    """The recordings in a folder. One belongs to those who name it, else to whom its sidecar does.

    ``named_by`` are the scenarios whose places are relative to this folder.
    """
    owners: dict[str, set[str]] = {}
    for each in named_by:
        for recording in each.recordings if isinstance(each, Held) else each.input.recordings:
            owners.setdefault(recording.path.casefold(), set()).add(each.id)
    taken = set()
    for path in (folder / RECORDINGS).rglob("*.wav"):
        place = path.relative_to(folder).as_posix().casefold()
        taken.add(place)
        sidecar = None if place in owners else sidecar_of(path)
        if sidecar is not None:
            owners[place] = {sidecar.scenario_id}
    return Files(frozenset(taken), {place: frozenset(ids) for place, ids in owners.items()})


def sidecar_of(recording: Path) -> Sidecar | None:
    """What is said of a recording, right or wrong; nothing where that cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        return Sidecar.decoded(content(sidecar_path(recording), LARGEST_BYTES))
    return None


def refuse_foreign(recording: Path) -> None:
    """Only what was made here is replaced: what lies in the way must say so in its sidecar."""
    sidecar = sidecar_path(recording)
    if recording.exists() and not _is_ours(sidecar):
        raise UsageError(
            f"{recording}: has no sidecar that says it was made here, and is not replaced; move it"
            " away"
        )
    if sidecar.exists() and not _is_ours(sidecar):
        raise UsageError(f"{sidecar}: is in the way, and no sidecar of ours; move it away")


def _is_ours(sidecar: Path) -> bool:
    """Whether a file is a sidecar, of whatever version."""
    with contextlib.suppress(OSError, ValueError):
        said = json.loads(content(sidecar, LARGEST_BYTES))
        return isinstance(said, Mapping) and {"wav_sha256", "source", "effects"} <= said.keys()
    return False


def checked_recording(path: Path) -> Sidecar | None:
    """The sidecar of a recording that walk-eval takes; what it refuses is a ``UsageError``."""
    wav.read_recording(path)
    return read_sidecar(path, hashlib.sha256(path.read_bytes()).hexdigest())


def _raw_scenarios(data: Path) -> Mapping[str, JsonObject]:
    document = json.loads(data.read_text("utf-8-sig"))
    return {raw["id"]: raw for raw in document["scenarios"]}


def _source(position: int, scenario: Scenario, raw: JsonObject, dataset: Dataset) -> Source:
    places = {one.id: dataset.recording_path(one) for one in scenario.input.recordings}
    return Source(
        position,
        scenario.id,
        scenario.input.text,
        raw,
        scenario.input.recordings,
        {name: str(place) for name, place in places.items() if place.is_file()},
    )


def _clean_place(scenario: Scenario, dataset: Dataset) -> str | None:
    for recording in scenario.input.recordings:
        is_clean = recording.condition is AcousticCondition.CLEAN
        if is_clean and dataset.recording_path(recording).is_file():
            return recording.path
    return None
