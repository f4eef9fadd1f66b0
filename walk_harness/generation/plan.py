"""What is to be made, decided completely before anything is spoken, read or written.

Theory of operation: an order and what is known of the files give takes. A take is one recording of
one scenario to be: where it goes, by which recipe and seed, and from which speech. Places are paths
relative to the folder of the scenario file that will name them, with forward slashes. What must not
be is a ``UsageError`` here, so that nothing is left half done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from shared.audio.effects.presets import PRESETS
from shared.audio.effects.recipe import Recipe
from shared.errors import DatasetError, UsageError
from shared.faults import dotted
from shared.scenario_faults import scenario_faults
from shared.scenario_types import AcousticCondition, Recording
from shared.values import JsonObject, JsonValue

RECORDINGS = "audio/"
VARIANTS = "audio/conditioned/"
NEW_RECORDING = "synthetic_recording"
GIVEN_RECORDING = "recording"
GENERATION = "generation"
SOURCE_KEY = "source_scenario_id"


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for. In place, scenarios keep the recordings that they name."""

    condition: AcousticCondition
    recipe: Recipe
    seed: int
    is_in_place: bool = False
    is_varied: bool = False
    is_appended: bool = False
    is_forced: bool = False
    has_given_file: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A scenario to be recorded. ``position`` is its place among all that could be.

    ``own`` are its recordings as the data names them, ``found`` where those lie that exist.
    """

    position: int
    id: str
    text: str
    raw: JsonObject
    own: tuple[Recording, ...] = ()
    found: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Files:
    """What lies in the folder to write to: the places taken, and whose scenario each belongs to.

    Both by place in lower case, because some systems do not tell cases apart.
    """

    taken: frozenset[str] = frozenset()
    owners: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Held:
    """A scenario that the file to write has already. ``clean`` is where a clean recording lies."""

    id: str
    raw: JsonObject
    recordings: tuple[Recording, ...]
    clean: str | None = None

    @property
    def source_id(self) -> str | None:
        """The scenario it is a variant of."""
        for recording in self.recordings:
            made = recording.metadata.get(GENERATION)
            if isinstance(made, Mapping) and isinstance(made.get(SOURCE_KEY), str):
                return str(made[SOURCE_KEY])
        return None


@dataclass(frozen=True, slots=True)
class Take:
    """One recording to be. ``existing`` is where a clean recording lies to make it from.

    ``is_kept``: there is such a recording already, and it stays. ``joins`` is the scenario held
    that it is one more recording of, or a new version of one.
    """

    source: Source
    scenario_id: str
    recording: Recording
    recipe: Recipe
    seed: int
    existing: str | None
    is_kept: bool
    is_variant: bool
    joins: Held | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The takes in order, what the file to write holds in order, and recordings to throw away."""

    takes: tuple[Take, ...]
    document: tuple[Held | Take, ...]
    discarded: tuple[str, ...] = ()


def planned(order: Order, sources: Sequence[Source], held: Sequence[Held], files: Files) -> Plan:
    """The takes of an order. All scenarios to be are held against the contract first."""
    takes = tuple(take for source in sources for take in _takes(order, source, held, files))
    _refuse_collisions(takes)
    if order.is_in_place:
        return Plan(takes, ())
    document, stale = _merged(takes, held, order)
    _refuse_faults(document)
    joined = {one.scenario_id: one for one in document if isinstance(one, Take)}
    takes = tuple(joined[take.scenario_id] for take in takes)
    return Plan(takes, document, tuple(_discarded(stale, document)))


def scenario_of(take: Take, metadata: JsonObject) -> dict[str, JsonValue]:
    """The scenario to be: its source's, or the one it joins, but for the id and the recording."""
    recording = {
        "id": take.recording.id,
        "path": take.recording.path,
        "condition": take.recording.condition.value,
        "metadata": dict(metadata),
    }
    raw = take.source.raw if take.joins is None else take.joins.raw
    recordings: list[JsonValue] = [] if take.joins is None else list(_recordings_in(raw))
    places = [one["path"] for one in recordings if isinstance(one, Mapping)]
    if take.recording.path in places:
        recordings[places.index(take.recording.path)] = recording
    else:
        recordings.append(recording)
    changed: dict[str, JsonValue] = {
        "id": take.scenario_id,
        "input": {**_input_of(raw), "recordings": recordings},
    }
    return {key: changed.get(key, value) for key, value in raw.items()}


def _input_of(raw: JsonObject) -> JsonObject:
    request = raw["input"]
    if not isinstance(request, Mapping):
        raise TypeError(f"{raw['id']} has no input")
    return request


def _recordings_in(raw: JsonObject) -> Sequence[JsonValue]:
    recordings = _input_of(raw).get("recordings") or []
    if not isinstance(recordings, Sequence) or isinstance(recordings, str):
        raise TypeError(f"{raw['id']} has no list of recordings")
    return recordings


def _without_recordings(raw: JsonObject) -> JsonObject:
    """What two scenarios have in common that differ in their recordings alone."""
    request = {key: value for key, value in _input_of(raw).items() if key != "recordings"}
    return {**raw, "input": request}


def _takes(order: Order, source: Source, held: Sequence[Held], files: Files) -> Iterator[Take]:
    if order.is_in_place:
        if order.has_given_file and len(source.own) > 1:
            raise UsageError(
                f"--from-audio: is one recording, and {source.id} names {len(source.own)}; put the"
                " file where one of them is to be, after converting it without --example"
            )
        for recording in source.own:
            yield _in_place(order, source, recording, files)
        return
    condition = _condition(order, source)
    recipe = PRESETS[condition] if order.is_varied else order.recipe
    scenario_id = f"{source.id}_{condition}" if order.is_varied else source.id
    place = f"{VARIANTS}{scenario_id}.wav" if order.is_varied else _place(source.id, condition)
    own, existing = _start(source, held)
    recording = Recording(
        id=f"{own.id}_{condition}" if own else _new_id(order),
        path=place,
        condition=condition,
        metadata={key: value for key, value in own.metadata.items() if key != GENERATION}
        if own
        else {},
    )
    is_itself = existing in {None, place} or order.has_given_file
    take = _take(order, source, scenario_id, recording, recipe, files)
    yield take if is_itself else replace(take, existing=existing)


def _new_id(order: Order) -> str:
    return GIVEN_RECORDING if order.has_given_file else NEW_RECORDING


def _in_place(order: Order, source: Source, recording: Recording, files: Files) -> Take:
    """A recording where the scenario names it. What is found elsewhere is another's, and stays."""
    is_found = recording.id in source.found
    if order.has_given_file and is_found and not _is_ours(recording.path):
        raise UsageError(
            f"--from-audio: {source.id} has a recording, {recording.path}, and only .wav files in"
            f" {RECORDINGS} beside the scenarios are replaced; change its path"
        )
    if _is_ours(recording.path):
        return _take(order, source, source.id, recording, PRESETS[recording.condition], files)
    if not is_found:
        raise UsageError(
            f'scenario "{source.id}": {recording.path}: does not exist, and only .wav files in'
            f" {RECORDINGS} beside the scenarios are made; put it there, or change its path"
        )
    return Take(
        source, source.id, recording, Recipe(), order.seed, None, is_kept=True, is_variant=False
    )


def _is_ours(place: str) -> bool:
    """Whether a place lies in the folder that is ours to write, whatever links may be there."""
    return (
        place.startswith(RECORDINGS)
        and place.endswith(".wav")
        and "\\" not in place
        and not {"", ".", ".."} & set(place.split("/"))
    )


def _condition(order: Order, source: Source) -> AcousticCondition:
    if not order.is_varied:
        return order.condition
    conditions = tuple(PRESETS)
    return conditions[source.position % len(conditions)]


def _place(source_id: str, condition: AcousticCondition) -> str:
    return f"{RECORDINGS}{source_id}_{condition}.wav"


def _start(source: Source, held: Sequence[Held]) -> tuple[Recording | None, str | None]:
    """The clean recording that a new one is another condition of, and where it lies if it does.

    It is the source's own; a source without any may borrow what is held under its id.
    """
    for recording in source.own:
        if recording.condition is AcousticCondition.CLEAN:
            return recording, source.found.get(recording.id)
    for each in held:
        if each.id == source.id and each.clean is not None and not source.own:
            return next(one for one in each.recordings if one.path == each.clean), each.clean
    return None, None


def _take(
    order: Order,
    source: Source,
    scenario_id: str,
    recording: Recording,
    recipe: Recipe,
    files: Files,
) -> Take:
    place = recording.path.casefold()
    is_taken = place in files.taken
    owners = files.owners.get(place, frozenset())
    if is_taken and scenario_id not in owners:
        whose = f"belongs to {', '.join(sorted(owners))}" if owners else "has no matching owner"
        raise UsageError(
            f"{recording.path}: exists and {whose}; move it away, or choose another --output-data"
        )
    return Take(
        source=source,
        scenario_id=scenario_id,
        recording=recording,
        recipe=recipe,
        seed=order.seed + source.position if order.is_varied else order.seed,
        existing=None,
        is_kept=is_taken and not order.is_forced,
        is_variant=order.is_varied,
    )


def _merged(
    takes: Sequence[Take], held: Sequence[Held], order: Order
) -> tuple[tuple[Held | Take, ...], tuple[Held, ...]]:
    """What the file will hold, each new version in the place of the old, and what it loses."""
    new = {take.scenario_id.casefold(): take for take in takes}
    varied = {take.source.id for take in takes if take.is_variant}
    document: list[Held | Take] = []
    stale: list[Held] = []
    for each in held:
        take = new.pop(each.id.casefold(), None)
        if take is not None:
            document.append(_joining(take, each, order))
        elif each.source_id in varied or not order.is_appended:
            stale.append(each)
        else:
            document.append(each)
    if stale and not order.is_forced:
        more = "" if order.is_appended else "--append (with --output-data) keeps it, "
        raise UsageError(
            f"--output-data: would lose the scenario {stale[0].id}; {more}--force gives it up"
        )
    return (*document, *new.values()), tuple(stale)


def _joining(take: Take, held: Held, order: Order) -> Take:
    """A take as the scenario held under its id will have it.

    Appended to, a scenario keeps its recordings and gets one more. Otherwise the take is all it
    will have; that a recording is lost by it takes force, as does a change of anything else.
    """
    place = take.recording.path
    is_known = place in {one.path for one in held.recordings}
    is_same = _without_recordings(held.raw) == _without_recordings(take.source.raw)
    if order.is_appended and not take.is_variant and is_same:
        return replace(take, recording=_named_apart(take, held), joins=held)
    others = [one.path for one in held.recordings if one.path != place]
    if order.is_forced or (is_known and not others):
        return take
    if take.is_variant:
        what = f"holds the scenario {held.id} without {place}; choose another file"
    elif not is_same:
        what = f"holds another scenario {held.id} than --data; choose another file"
    elif is_known:
        what = f"would lose {others[0]}, a recording of {held.id}; --append keeps it"
    else:
        what = f"holds the scenario {held.id} without {place}; --append adds the recording to it"
    raise UsageError(f"--output-data: {what}, --force replaces it")


def _named_apart(take: Take, held: Held) -> Recording:
    """The recording under the id that it has in a scenario held, or under one of its own."""
    for one in held.recordings:
        if one.path == take.recording.path:
            return take.recording.model_copy(update={"id": one.id})
    ids = {one.id for one in held.recordings}
    own = take.recording.id
    apart = own if own not in ids else f"{own}_{take.recording.condition}"
    return take.recording.model_copy(update={"id": apart})


def _discarded(stale: Sequence[Held], document: Sequence[Held | Take]) -> Iterator[str]:
    """Recordings of lost variants that were made for them alone."""
    named = {
        recording.path
        for each in document
        for recording in (each.recordings if isinstance(each, Held) else (each.recording,))
    }
    for lost in stale:
        own = f"{VARIANTS}{lost.id}.wav"
        if own not in named and own in {recording.path for recording in lost.recordings}:
            yield own


def _refuse_collisions(takes: Sequence[Take]) -> None:
    first: dict[str, Take] = {}
    for take in takes:
        other = first.setdefault(take.recording.path.casefold(), take)
        if other is not take:
            raise UsageError(
                f"{take.recording.path}: collision of the scenarios {other.scenario_id} and"
                f" {take.scenario_id}; rename one"
            )


def _refuse_faults(document: Sequence[Held | Take]) -> None:
    """Hold what will be written against the contract, as whoever reads it will."""
    raws = [
        each.raw if isinstance(each, Held) else scenario_of(each, each.recording.metadata)
        for each in document
    ]
    ids = Counter(str(raw["id"]).casefold() for raw in raws)
    twice = [
        f"{raw['id']}: names two scenarios" for raw in raws if ids[str(raw["id"]).casefold()] > 1
    ]
    faults = [
        f"{raw['id']}: {dotted(fault.where)}: {fault.problem}"
        for raw in raws
        for fault in scenario_faults(raw)
    ]
    if twice or faults:
        raise DatasetError([*twice[:1], *faults])
