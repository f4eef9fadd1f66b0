"""Carry a plan out: read what there is, speak what is missing, write recordings, then the dataset.

Nothing is written before everything is planned, what stays is known to be what was asked for, and
the voice is there. A sidecar is written before
its recording and the scenario file last, each whole, so what a broken run leaves behind is either
complete or made anew by the same command.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assistants.suite.ambience import ambience_of
from assistants.suite.voices import synthesizer
from shared.audio.effects.recipe import Recipe
from shared.audio.sidecar import Sidecar, SourceKind, Voice, sidecar_path
from shared.dataset import ALL, load_dataset
from shared.environment import read_env_file
from shared.errors import UsageError
from shared.places import checkout, expanded, make_private, refuse_inside_package, write_whole
from shared.plain_text import one_line
from shared.settings import Origin, Settings, Value, resolve
from shared.speech.port import Synthesizer
from shared.values import JsonObject, JsonValue
from walk_harness.generation.clean import (
    FOLDER,
    CleanSpeech,
    given,
    keep,
    kept,
    origin_sha256,
    recorded,
    refuse_replacing,
    spoken,
)
from walk_harness.generation.comparison import Asked
from walk_harness.generation.conditioning import Made, Setup, conditioned
from walk_harness.generation.inventory import (
    checked_recording,
    files_in,
    held_by,
    refuse_foreign,
    sidecar_of,
    sources_of,
)
from walk_harness.generation.orders import infix_of, needs_new_file, order_of
from walk_harness.generation.plan import (
    GENERATION,
    SOURCE_KEY,
    Held,
    Order,
    Plan,
    Take,
    planned,
    scenario_of,
)
from walk_harness.generation.settings import ROWS

BUNDLED_DATA = Path(__file__).parent.parent / "data" / "scenarios.json"
REPORT_EVERY_S = 2.0
NO_MASK = (
    "gets no speech mask: its source is a recording, in which energy-v1 takes noise for speech."
    " For one install the extra speech (uv sync --extra speech, or pip install"
    " 'gpt-live-evals[speech]') and make it anew with --force"
)


def generate(flags: Mapping[str, Value]) -> int:
    """Do what the flags say; what is wrong with them is a ``HarnessError``."""
    settings = resolve(
        ROWS,
        flags=flags,
        environment=os.environ,
        env_file=read_env_file(os.environ),
        toml={},
    )
    order = order_of(settings)
    if order.has_given_file and settings.text("example") == ALL:
        return _convert(order, settings)
    data = expanded(settings.path("data") or BUNDLED_DATA, "--data")
    dataset = load_dataset(data)
    sources = sources_of(data, dataset, settings.text("example"))
    is_new = (
        needs_new_file(order, settings)
        or any(not source.own for source in sources)
        or _is_installed(data)
    )
    order = replace(order, is_in_place=not is_new)
    output = _output(order, settings, data) if is_new else data
    refuse_inside_package(output, "--output-data")
    held, folder = held_by(output) if is_new else (), output.resolve().parent
    beside = dataset.scenarios if dataset.directory == folder else ()
    plan = planned(order, sources, held, files_in(folder, (*held, *beside)))
    return _Making(settings, order, output, held).carry_out(plan)


class _Making:
    """One run of the command, writing into one folder."""

    def __init__(
        self, settings: Settings, order: Order, output: Path, held: Sequence[Held]
    ) -> None:
        self._settings = settings
        self._held = held
        self._order = order
        self._output = output
        self._folder = output.resolve().parent
        self._kept: dict[str, CleanSpeech] = {}
        self._given: CleanSpeech | None = None
        self._voice: Synthesizer | None = None

    def carry_out(self, plan: Plan) -> int:
        """Make what is missing, then write the scenario file."""
        wanted = [take for take in plan.takes if not take.is_kept]
        for take in wanted:
            for place in (take.recording.path, f"{FOLDER}/{take.source.id}.flac"):
                _refuse_links(self._folder, place)
            refuse_foreign(self._folder / take.recording.path)
        for place in plan.discarded:
            _refuse_links(self._folder, place)
        ambience, background = ambience_of(self._settings)
        self._refuse_others([take for take in plan.takes if take.is_kept], background)
        self._prepare(wanted)
        progress = _Progress(len(wanted))
        metadata: dict[str, JsonObject] = {}
        for take in plan.takes:
            if take.is_kept:
                metadata[take.scenario_id] = self._existing_metadata(take)
                continue
            speech = self._speech(take)
            setup = Setup(take.scenario_id, take.recording.condition, take.recipe, take.seed)
            made = conditioned(
                speech,
                setup,
                ambience,
                frame_ms=self._settings.integer("frame_ms"),
                background_sha256=background,
            )
            self._write(take, speech, made)
            metadata[take.scenario_id] = _metadata(take, made.sidecar)
            progress.made()
        if not self._order.is_in_place:
            self._write_dataset(plan, metadata)
        _say(f"replay: {_replay(self._output)}")
        _say(f"{len(wanted)} created, {len(plan.takes) - len(wanted)} existed")
        return 0

    def _refuse_others(self, stay: Sequence[Take], background_sha256: str | None) -> None:
        """A recording in the way must be one that walk-eval takes and that was asked for.

        In place only what is missing was asked for, unless a file was given.
        """
        others = []
        for take in stay:
            sidecar = checked_recording(self._place(take))
            is_free = self._order.is_in_place and not self._order.has_given_file
            asked = Asked(take, self._origin_sha256(take), self._voice_asked(), background_sha256)
            what = None if is_free else asked.difference(sidecar)
            if what is not None:
                refuse_foreign(self._place(take))
                others.append(f"{take.recording.path}: holds {what}")
        if others:
            more = f" (and {len(others) - 1} more)" if len(others) > 1 else ""
            keeps = "" if self._order.is_in_place else ", another --output-data folder keeps it"
            raise UsageError(f"{others[0]}{more}; --force replaces it{keeps}")

    def _place(self, take: Take) -> Path:
        """Where a recording lies that stays."""
        found = take.source.found.get(take.recording.id)
        return (
            Path(found) if self._order.is_in_place and found else self._folder / take.recording.path
        )

    def _origin_sha256(self, take: Take) -> str | None:
        """The speech that is to be recorded, where that is no matter of a voice."""
        if self._order.has_given_file:
            return self._given_speech().source.pcm_sha256
        return origin_sha256(self._folder / take.existing) if take.existing is not None else None

    def _voice_asked(self) -> Voice | None:
        """The voice that was asked for by name; a default asks for nothing."""
        named = ("synthesizer", "caller_voice", "tts_model")
        is_named = any(self._settings.origin(name) is Origin.FLAG for name in named)
        return _asked(self._settings) if is_named else None

    def _given_speech(self) -> CleanSpeech:
        if self._given is None:
            self._given = _given(expanded(str(self._settings.path("from_audio")), "--from-audio"))
        return self._given

    def _prepare(self, wanted: Sequence[Take]) -> None:
        """Find kept speech, and have a voice for what is missing, before anything is written."""
        missing = []
        for take in wanted:
            if take.existing is not None or self._order.has_given_file:
                continue
            speech = None
            if not self._settings.switch("refresh_audio"):
                speech = kept(
                    self._folder,
                    take.source.id,
                    text=take.source.text,
                    asked=_asked(self._settings),
                )
            if speech is None:
                missing.append(take)
            else:
                self._kept[take.source.id] = speech
        if not self._order.is_in_place:
            for take in missing:
                refuse_replacing(self._folder, take.source.id, is_forced=self._order.is_forced)
        if missing:
            self._voice = synthesizer(self._settings)

    def _speech(self, take: Take) -> CleanSpeech:
        if take.existing is not None:
            return recorded(self._folder / take.existing)
        if self._order.has_given_file:
            return self._given_speech()
        if take.source.id not in self._kept:
            if self._voice is None:
                raise AssertionError(f"no voice was prepared for {take.source.id}")
            self._kept[take.source.id] = spoken(take.source.text, self._voice)
        return self._kept[take.source.id]

    def _write(self, take: Take, speech: CleanSpeech, made: Made) -> None:
        is_spoken = take.existing is None and not self._order.has_given_file
        if is_spoken and not self._order.is_in_place:
            keep(self._folder, take.source.id, speech)
        place = take.recording.path
        write_recording(self._folder / place, made)
        _say(
            f"CREATED {take.scenario_id} {take.recording.condition} {made.duration_s:.2f} s {place}"
        )

    def _existing_metadata(self, take: Take) -> JsonObject:
        """What was said of a recording that stays."""
        place = take.recording.path
        sidecar = sidecar_of(self._folder / place)
        other = None if sidecar is None else Asked(take).difference(sidecar)
        note = f" ({other}; --force replaces it)" if other is not None else ""
        _say(f"EXISTS {take.scenario_id} {take.recording.condition} {place}{note}")
        for each in self._held:
            for recording in each.recordings:
                if each.id == take.scenario_id and recording.path == place:
                    return recording.metadata
        return _metadata(take, sidecar) if sidecar else take.recording.metadata

    def _write_dataset(self, plan: Plan, metadata: Mapping[str, JsonObject]) -> None:
        scenarios = [
            each.raw if isinstance(each, Held) else scenario_of(each, metadata[each.scenario_id])
            for each in plan.document
        ]
        document = {"schema_version": "1.0", "scenarios": scenarios}
        content = f"{json.dumps(document, indent=2)}\n".encode()
        make_private(self._folder)
        if not self._output.exists() or self._output.read_bytes() != content:
            write_whole(self._output.resolve(), content)
        for place in plan.discarded:
            self._discard(place)
        _say(f"DATASET {self._output} {len(scenarios)} scenarios")

    def _discard(self, place: str) -> None:
        """Delete a recording of a scenario that is given up, if it was made here."""
        path = self._folder / place
        if sidecar_of(path) is None:
            return
        for file in (path, sidecar_path(path)):
            file.unlink(missing_ok=True)
        _say(f"DISCARDED {place}")


class _Progress:
    """How many of how many, on stderr, once it takes longer than a moment."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._said_at = time.monotonic()

    def made(self) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._said_at >= REPORT_EVERY_S and self._done < self._total:
            self._said_at = now
            sys.stderr.write(f"{self._done} of {self._total} recordings\n")
            sys.stderr.flush()


def write_recording(path: Path, made: Made) -> None:
    """The sidecar, then the recording: without its recording, a sidecar misleads nobody."""
    make_private(path.parent)
    write_whole(sidecar_path(path), made.sidecar.encoded())
    write_whole(path, made.wav)
    is_unmasked = made.sidecar.speech_mask is None and made.sidecar.effects != Recipe()
    for doubt in (*([NO_MASK] if is_unmasked else []), *made.doubts):
        _warn(f"{path.name}: {doubt}")


def _convert(order: Order, settings: Settings) -> int:
    """One recording alone, beside the file that it comes from."""
    file = expanded(str(settings.path("from_audio")), "--from-audio")
    speech = _given(file)
    name = "24khz" if not needs_new_file(order, settings) else str(order.condition)
    path = file.with_name(f"{file.stem}_{name}.wav")
    if path.exists() and not order.is_forced:
        raise UsageError(f"{path}: exists; --force replaces it")
    refuse_foreign(path)
    ambience, background = ambience_of(settings)
    setup = Setup(file.stem, order.condition, order.recipe, order.seed)
    made = conditioned(
        speech, setup, ambience, frame_ms=settings.integer("frame_ms"), background_sha256=background
    )
    write_recording(path, made)
    _say(f"CREATED {order.condition} {made.duration_s:.2f} s {path}")
    return 0


def _given(file: Path) -> CleanSpeech:
    speech, warnings = given(file)
    for warning in warnings:
        _warn(f"{file}: {warning}")
    return speech


def _output(order: Order, settings: Settings, data: Path) -> Path:
    named = settings.path("output_data")
    if named is not None:
        return expanded(named, "--output-data")
    name = f"{data.stem}.{infix_of(order, settings)}{data.suffix}"
    return Path("data") / "walk" / name if _is_installed(data) else data.with_name(name)


def _is_installed(data: Path) -> bool:
    """Whether the scenarios lie in a package, where nothing is written."""
    root = BUNDLED_DATA.resolve().parents[2]
    return checkout() is None and data.resolve().is_relative_to(root)


def _refuse_links(folder: Path, place: str) -> None:
    """A link could lead out of the folder that is ours to write."""
    for part in _within(folder, place):
        if part.is_symlink():
            raise UsageError(f"{part}: is a link; nothing is written through one")


def _within(folder: Path, place: str) -> Iterator[Path]:
    path = folder
    for part in place.split("/"):
        path /= part
        yield path


def _asked(settings: Settings) -> Voice:
    """What kept speech must have been said by."""
    name = settings.text("synthesizer")
    parameters = (
        {"model": settings.text("tts_model"), "voice": settings.text("caller_voice")}
        if name == "openai"
        else {}
    )
    return Voice(name=name, version="", parameters=parameters)


def _metadata(take: Take, sidecar: Sidecar) -> JsonObject:
    """What the scenario says of its recording; the sidecar says the rest."""
    source = {
        SourceKind.SYNTHESIZED: "synthetic_speech",
        SourceKind.RECORDING: "converted_recording",
    }[sidecar.source.kind]
    generation: dict[str, JsonValue] = {
        "source": "existing_recording" if take.existing is not None else source,
        "seed": sidecar.seed,
    }
    if sidecar.source.synthesizer is not None:
        generation["synthesizer"] = sidecar.source.synthesizer.name
    if take.is_variant:
        generation[SOURCE_KEY] = take.source.id
    return {**take.recording.metadata, GENERATION: generation}


def _warn(line: str) -> None:
    sys.stderr.write(f"warning: {one_line(line)}\n")
    sys.stderr.flush()


def _replay(dataset: Path) -> str:
    """The command that replays a dataset."""
    runner = "uv run " if checkout() is not None else ""
    return f"{runner}walk-eval --data {shlex.quote(str(dataset))}"


def _say(line: str) -> None:
    sys.stdout.write(f"{one_line(line)}\n")
    sys.stdout.flush()
