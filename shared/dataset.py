"""Scenario files: read one, find every fault in it, choose what to run.

A file is read whole or not at all: one bad scenario refuses all of them, whatever was selected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path, PurePath, PureWindowsPath
from typing import Final

from shared.errors import DatasetError, UsageError
from shared.faults import Fault, described, dotted, shown
from shared.scenario_faults import scenario_faults, type_faults
from shared.scenarios import DatasetFile, Recording, Scenario
from shared.strict_json import JsonSyntaxError, item_lines, parse
from shared.utf8 import NotUtf8Error, text_of
from shared.values import JsonObject, JsonValue
from shared.whole_files import content

ALL: Final = "all"

LARGEST_BYTES: Final = 50_000_000

_SCENARIOS = "scenarios"
_MOST_NAMED = 5
_MOST_NEAR = 3


@dataclass(frozen=True, slots=True)
class Dataset:
    """A scenario file as read. ``directory`` is where it really lies, ``sha256`` of its bytes.

    ``warnings`` are lines in the form of faults, about scenarios that may be used all the same.
    """

    schema_version: str
    scenarios: tuple[Scenario, ...]
    sha256: str
    warnings: tuple[str, ...]
    directory: Path

    def recording_path(self, recording: Recording) -> Path:
        """Where a recording lies: relative to the dataset, ``~`` expanded. It may not exist."""
        return self.directory / Path(recording.path).expanduser()


def load_dataset(path: str | PathLike[str]) -> Dataset:
    """Read a scenario file.

    Raise :class:`UsageError` when there is no readable file and :class:`DatasetError` with every
    fault of the file, each on one line: ``<file as given>:<line>: scenario "<id>": <field.path>:
    <what is wrong>; <fix>``. The line is the one where the scenario starts.
    """
    file = fspath(path)
    read = _content(file)
    text = _text(file, read)
    placed = _placed_scenarios(file, text)
    loaded = tuple(Scenario.model_validate(each.raw) for each in placed)
    dataset = Dataset(
        schema_version=DatasetFile().schema_version,
        scenarios=loaded,
        sha256=sha256(read).hexdigest(),
        warnings=tuple(
            f"{each.label}: {warning}"
            for each, scenario in zip(placed, loaded, strict=True)
            for warning in scenario.warnings
        ),
        directory=Path(file).resolve().parent,
    )
    _refuse_homeless_recordings(dataset, placed)
    return dataset


def select(
    scenarios: Sequence[Scenario], wanted_id: str = ALL, max_examples: int = 0
) -> list[Scenario]:
    """The scenario with an id, or all; at most ``max_examples`` of them unless that is 0."""
    if max_examples < 0:
        problem = f"max examples must not be negative, is {max_examples}; use 0 for all"
        raise UsageError(problem)
    chosen = [each for each in scenarios if wanted_id in {ALL, each.id}]
    if not scenarios:
        raise UsageError("nothing to run: the dataset holds no scenario of this kind; add one")
    if not chosen:
        raise UsageError(_unknown_id(wanted_id, [each.id for each in scenarios]))
    return chosen[:max_examples] if max_examples else chosen


def with_shown_paths(scenario: Scenario) -> Scenario:
    """The scenario as it may be shown: of a recording's absolute path its last part alone.

    A path that starts at a root or a home names a machine's folders and perhaps its user.
    """
    recordings = tuple(
        each if _is_relative(each.path) else each.model_copy(update={"path": _last_part(each.path)})
        for each in scenario.input.recordings
    )
    if recordings == scenario.input.recordings:
        return scenario
    shown = scenario.input.model_copy(update={"recordings": recordings})
    return scenario.model_copy(update={"input": shown})


def _is_relative(path: str) -> bool:
    """Whether a path is relative on every system: no root, no drive, no home."""
    return not (
        path.startswith("~") or PurePath(path).is_absolute() or PureWindowsPath(path).anchor
    )


def _last_part(path: str) -> str:
    return PureWindowsPath(path).name if PureWindowsPath(path).drive else PurePath(path).name


@dataclass(frozen=True, slots=True)
class _Placed:
    """A scenario as decoded and where it stands. ``label`` begins every line about it."""

    raw: JsonValue
    line: int
    label: str

    @property
    def id(self) -> str | None:
        name = self.raw.get("id") if isinstance(self.raw, Mapping) else None
        return name if isinstance(name, str) else None

    def sentence(self, fault: Fault) -> str:
        path = dotted(fault.where)
        return (
            f"{self.label}: {path}: {fault.problem}" if path else f"{self.label}: {fault.problem}"
        )


def _content(file: str) -> bytes:
    try:
        return content(Path(file), LARGEST_BYTES)
    except FileNotFoundError:
        problem = "there is no such dataset file; check the path"
    except IsADirectoryError:
        problem = "is a folder, not a dataset file; name the JSON file in it"
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        problem = f"the dataset file cannot be read ({reason}); check path and permissions"
    raise UsageError(f"{file}: {problem}")


def _text(file: str, read: bytes) -> str:
    try:
        return text_of(read)
    except NotUtf8Error as error:
        raise DatasetError([f"{file}:{error.line}: {error}"]) from None


def _placed_scenarios(file: str, text: str) -> tuple[_Placed, ...]:
    if not text.strip():
        raise DatasetError([f'{file}:1: the file is empty; write {{"scenarios": [...]}}'])
    try:
        document = parse(text)
    except JsonSyntaxError as error:
        raise DatasetError([f"{file}:{error.line}: {error.problem}"]) from None
    if not isinstance(document.value, Mapping):
        problem = f'must be an object, is {described(document.value)}; write {{"scenarios": [...]}}'
        raise DatasetError([f"{file}:1: {problem}"])
    placed = _placed(file, text, document.value)
    shared_ids = _shared_ids(placed)
    lines = [*_envelope_lines(file, document.value, document.flaws)]
    for position, each in enumerate(placed):
        flaws = [
            Fault(flaw.where[2:], flaw.problem)
            for flaw in document.flaws
            if flaw.where[:2] == (_SCENARIOS, position)
        ]
        lines += [each.sentence(fault) for fault in scenario_faults(each.raw, flaws)]
        lines += [each.sentence(fault) for fault in shared_ids.get(position, ())]
    if lines:
        raise DatasetError(lines)
    return placed


def _placed(file: str, text: str, document: JsonObject) -> tuple[_Placed, ...]:
    raws = document.get(_SCENARIOS, ())
    if not isinstance(raws, list | tuple):
        return ()
    placed = []
    for position, (raw, line) in enumerate(zip(raws, item_lines(text, _SCENARIOS), strict=True)):
        name = raw.get("id") if isinstance(raw, Mapping) else None
        known_as = shown(name) if isinstance(name, str) else f"number {position + 1}"
        placed.append(_Placed(raw, line, f"{file}:{line}: scenario {known_as}"))
    return tuple(placed)


def _envelope_lines(file: str, document: JsonObject, flaws: Sequence[Fault]) -> Iterator[str]:
    own_flaws = [flaw for flaw in flaws if flaw.where[:1] != (_SCENARIOS,) or len(flaw.where) == 1]
    flawed = {flaw.where for flaw in own_flaws}
    scenarios = document.get(_SCENARIOS, ())
    envelope = {**document, _SCENARIOS: () if isinstance(scenarios, list | tuple) else scenarios}
    faults = [f for f in type_faults(envelope, DatasetFile) if f.where not in flawed]
    for fault in (*own_flaws, *faults):
        yield f"{file}:1: {dotted(fault.where)}: {fault.problem}"


def _shared_ids(placed: Sequence[_Placed]) -> Mapping[int, tuple[Fault, ...]]:
    """Faults of scenarios whose id an earlier one has, by position."""
    faults: dict[int, tuple[Fault, ...]] = {}
    first: dict[str, _Placed] = {}
    for position, each in enumerate(placed):
        if each.id is None:
            continue
        other = first.setdefault(each.id.casefold(), each)
        if other is not each:
            problem = (
                f"also names the scenario {shown(other.id)} at line {other.line}, this one is at "
                f"line {each.line} (letter case does not count); rename one"
            )
            faults[position] = (Fault(("id",), problem),)
    return faults


def _refuse_homeless_recordings(dataset: Dataset, placed: Sequence[_Placed]) -> None:
    lines = []
    for each, scenario in zip(placed, dataset.scenarios, strict=True):
        for i, recording in enumerate(scenario.input.recordings):
            try:
                dataset.recording_path(recording)
            except RuntimeError:
                problem = "there is no such home folder; write the path without ~"
                lines.append(each.sentence(Fault(("input", "recordings", i, "path"), problem)))
    if lines:
        raise DatasetError(lines)


_ALIKE, _BEHIND = 0.65, 0.1
"""How alike names must be to be offered, and how far behind the nearest: scenarios of one subject
begin alike, and that alone makes none the one that was meant."""


def _near(wanted: str, known: Sequence[str]) -> list[str]:
    """The known names that may have been meant, the nearest first."""
    matcher = SequenceMatcher(b=wanted.casefold())
    alike = {}
    for name in known:
        matcher.set_seq1(name.casefold())
        alike[name] = matcher.ratio()
    least = max(_ALIKE, max(alike.values(), default=0.0) - _BEHIND)
    ranked = sorted((name for name in alike if alike[name] >= least), key=lambda one: -alike[one])
    return ranked[:_MOST_NEAR]


def _unknown_id(wanted_id: str, known: Sequence[str]) -> str:
    near = _near(wanted_id, known)
    if near:
        return f"unknown scenario {shown(wanted_id)}; did you mean {', '.join(near)}?"
    surplus = len(known) - _MOST_NAMED
    more = f" and {surplus} more" if surplus > 0 else ""
    return f"unknown scenario {shown(wanted_id)}; there are {', '.join(known[:_MOST_NAMED])}{more}"
