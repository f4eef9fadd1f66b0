"""How a conversation is performed: two sessions, each with its far end, and what they left.

Whatever goes wrong in one attempt is in its evidence.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace

from assistants.catalog import AssistantKit, Factory, FarEnd, open_caller
from assistants.frontend.fixture.conversation import Spoken
from assistants.frontend.fixture.machine import FixtureMachine
from run_harness.simulation.caller import CallerSettings, caller_session
from run_harness.simulation.completion import CompletionPolicy
from run_harness.simulation.observer import Observer
from run_harness.simulation.prompts import caller_prompts, opening_command
from run_harness.simulation.session import Cast, Dialogue, Rules, converse
from shared.attempts.assistant import OpenAssistant
from shared.attempts.attempt import Attempt, Performance, Traces
from shared.attempts.cancellation import Cancellation
from shared.attempts.session_warnings import session_warnings
from shared.audio.detection.port import Detector
from shared.audio.effects.acoustics import Acoustics
from shared.audio.effects.ambience import Ambience
from shared.audio.effects.recipe import Recipe
from shared.audio.pcm import FRAME_MS, Pcm
from shared.audio.playout import Playout
from shared.audio.tracks import RecordedTracks
from shared.clock import Clock
from shared.errors import AttemptError, Stage, said_of
from shared.intervals import IntervalSet
from shared.observability.evidence import (
    CallerAction,
    Condition,
    Cue,
    Evidence,
    Failure,
    LabelSource,
    Leg,
    MeasuredOn,
    Pacing,
    PlayoutRecord,
    SecondOpinion,
    Track,
    Transport,
)
from shared.observability.observations import (
    Speaker,
)
from shared.own_loop import run_alone
from shared.participant import Monitor
from shared.party import LiveParty
from shared.relay import Sends
from shared.scenario_types import AcousticCondition
from shared.values import JsonObject
from shared.virtual_time import VirtualClock, VirtualLoop
from shared.wall_time import WallClock, wall_loop

CALLER = "caller"
"""Names the caller's own event log."""
PLAYED_WITHIN_MS = 60
"""A scripted caller's sentence is heard to its end so long after its hold, at the latest."""

type FarEndOf = Callable[[Attempt, Speaker], FarEnd]
"""The other end of a party's session: a service, or a scripted machine in memory."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """What all conversations of a run have in common beside their assistant.

    ``background_sha256`` is of the samples of others than the bundled voices.
    """

    caller: CallerSettings
    completion: CompletionPolicy
    condition: AcousticCondition
    recipe: Recipe
    ambience: Ambience | None
    seed: int
    hold_ms: Mapping[Speaker, int]
    grace_us: int
    cleanup_us: int
    is_virtual: bool
    assistant_opening: str | None = None
    background_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Conversations:
    """Performs conversations. ``played`` is what scripted far ends play, by attempt key."""

    simulation: Simulation
    kit: AssistantKit
    open_assistant: Factory
    far_end: FarEndOf
    played: Mapping[str, str]
    observer_for: Callable[[Attempt], Observer | None]
    mask: Callable[[JsonObject], JsonObject]
    detector: Detector
    cancellation: Cancellation
    second_detector: Detector | None = None
    monitor: Monitor | None = None

    def __call__(self, attempt: Attempt, traces: Traces) -> Performance:
        try:
            return self._performed(attempt, traces)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - one attempt must not lose the others
            stage = error.stage if isinstance(error, AttemptError) else Stage.ATTEMPT_EXECUTION
            dialogue = Dialogue(failure=Failure(stage, said_of(error)))
            state = attempt.scenario.application.initial_state
            return self._kept(attempt, dialogue, None, None, (state, state))

    def _performed(self, attempt: Attempt, traces: Traces) -> Performance:
        # Now, because a script's voice may take its time, and nothing may hold up the loop.
        far_ends = {speaker: self.far_end(attempt, speaker) for speaker in Speaker}

        async def conversation() -> Performance:
            loop = asyncio.get_running_loop()
            clock: Clock = VirtualClock(loop) if isinstance(loop, VirtualLoop) else WallClock(loop)
            assistant = self.open_assistant(
                self.kit,
                attempt.scenario.for_assistant(),
                far_ends[Speaker.ASSISTANT],
                clock,
                traces.assistant,
            )
            before = assistant.snapshot()
            cast = self._cast(attempt, traces, clock, assistant, far_ends[Speaker.CALLER])
            air = self._air(attempt)
            task = asyncio.current_task()
            if task is not None:
                self.cancellation.watch(task)
            try:
                observer = self.observer_for(attempt)
                dialogue = await converse(
                    cast,
                    self._rules(attempt, is_observed=observer is not None),
                    clock,
                    observer=observer,
                    air=air,
                    state_before=lambda: assistant.state_before(before),
                    monitor=self.monitor,
                )
            finally:
                if task is not None:
                    self.cancellation.forget(task)
            before = assistant.state_before(before)
            states = before, _state_after(assistant, before, dialogue)
            return self._kept(attempt, dialogue, cast, air, states)

        return run_alone(conversation(), VirtualLoop if self.simulation.is_virtual else wall_loop)

    def _cast(
        self,
        attempt: Attempt,
        traces: Traces,
        clock: Clock,
        assistant: OpenAssistant,
        far_end: FarEnd,
    ) -> Cast:
        scenario, simulation = attempt.scenario, self.simulation
        caller = scenario.simulation_parameters
        if caller is None:
            raise AttemptError(Stage.ATTEMPT_EXECUTION, "the scenario has no simulated caller")
        prompts = caller_prompts(scenario, is_called_first=self._is_assistant_first)
        config = caller_session(simulation.caller, caller.persona, prompts)
        opened = open_caller(self.kit.settings, config, far_end, clock, traces.of(CALLER))
        machine = far_end if isinstance(far_end, FixtureMachine) else None
        hold_ms = simulation.hold_ms
        own_hold_ms = hold_ms[Speaker.CALLER]

        def begin() -> None:
            if simulation.assistant_opening is not None:
                assistant.say(simulation.assistant_opening)
            elif machine is None:
                opened.say(opening_command(scenario.input.text))

        return Cast(
            caller=LiveParty(opened.participant, Playout(own_hold_ms)),
            assistant=LiveParty(assistant.participant, Playout(hold_ms[Speaker.ASSISTANT])),
            begin=begin,
            cues=lambda: () if machine is None else tuple(_cues(machine, own_hold_ms)),
            finishes=lambda now_ms: (
                0
                if machine is None
                else farewells(machine.spoken(), now_ms - own_hold_ms - PLAYED_WITHIN_MS)
            ),
        )

    @property
    def _is_assistant_first(self) -> bool:
        return self.simulation.assistant_opening is not None

    def _rules(self, attempt: Attempt, *, is_observed: bool) -> Rules:
        return Rules(
            scenario=attempt.scenario,
            first_speaker=Speaker.ASSISTANT if self._is_assistant_first else Speaker.CALLER,
            completion=replace(self.simulation.completion, is_observed=is_observed),
            hold_ms=self.simulation.hold_ms,
            grace_us=self.simulation.grace_us,
            cleanup_us=self.simulation.cleanup_us,
            mask=self.mask,
        )

    def _air(self, attempt: Attempt) -> Acoustics | None:
        simulation = self.simulation
        if simulation.recipe == Recipe():
            return None
        return Acoustics(
            simulation.recipe,
            seed=simulation.seed,
            scope=attempt.scenario.id,
            ambience=simulation.ambience,
        )

    def _kept(
        self,
        attempt: Attempt,
        dialogue: Dialogue,
        cast: Cast | None,
        air: Acoustics | None,
        states: tuple[JsonObject, JsonObject],
    ) -> Performance:
        tracks = dialogue.tracks
        evidence = Evidence(
            scenario_id=attempt.scenario.id,
            extent_ms=dialogue.extent_ms,
            caller=_track(tracks.caller, MeasuredOn.CLEAN_SOURCE, self.detector),
            assistant=_track(tracks.assistant, MeasuredOn.RECEIVED, self.detector),
            utterances=(),
            observations=tuple(dialogue.observations),
            state_before=states[0],
            state_after=states[1],
            pacing=Pacing(FRAME_MS, dialogue.lateness_us),
            ending=dialogue.ending,
            failure=dialogue.failure,
            warnings=tuple(_warnings(dialogue)),
            second_opinion=self._second_opinion(tracks),
            caller_observations=tuple(dialogue.caller_observations),
            cues=dialogue.cues,
            decisions=tuple(dialogue.decisions),
            first_speaker=Speaker.ASSISTANT if self._is_assistant_first else Speaker.CALLER,
            transport=None if cast is None else _transport(dialogue, cast),
            condition=None if air is None else self._condition(air),
            settlement=dialogue.settlement,
            cleanup=dialogue.cleanup,
            termination=dialogue.termination,
        )
        script = self.played.get(attempt.key)
        return Performance(evidence, tracks.sent, tracks.assistant, script)

    def _second_opinion(self, tracks: RecordedTracks) -> SecondOpinion | None:
        second = self.second_detector
        if second is None:
            return None
        return SecondOpinion(
            caller=_track(tracks.caller, MeasuredOn.CLEAN_SOURCE, second),
            assistant=_track(tracks.assistant, MeasuredOn.RECEIVED, second),
        )

    def _condition(self, air: Acoustics) -> Condition:
        applied = asdict(air.applied())
        if self.simulation.background_sha256 is not None:
            applied["background_speech_sha256"] = self.simulation.background_sha256
        return Condition(self.simulation.condition.value, _plain(applied))


def _state_after(assistant: OpenAssistant, before: JsonObject, dialogue: Dialogue) -> JsonObject:
    """The application's state; one that cannot be had any more costs no evidence beside it."""
    try:
        return assistant.snapshot()
    except AttemptError as error:
        dialogue.failure = dialogue.failure or Failure(error.stage, str(error))
        return before


def farewells(spoken: Iterable[Spoken], heard_by_ms: int) -> int:
    """How many of a scripted caller's farewells ended by then, that instant included."""
    stop = CallerAction.STOP.value
    return sum(one.step.action == stop and one.span.end_ms <= heard_by_ms for one in spoken)


def _track(pcm: Pcm, measured_on: MeasuredOn, detector: Detector) -> Track:
    voiced = detector.voiced(pcm) if pcm.size else IntervalSet()
    return Track(voiced, int(pcm.size), detector.id, measured_on)


def _plain(applied: object) -> JsonObject:
    """What effects came to, as JSON has it."""
    content: JsonObject = json.loads(json.dumps(applied, default=str))
    return content


def _cues(machine: FixtureMachine, hold_ms: int) -> Iterator[Cue]:
    """A scripted caller's own labels, where its sentences were heard."""
    for one in machine.spoken():
        action = one.step.action
        if action is not None:
            span = one.span.shifted(hold_ms)
            yield Cue(span.start_ms, span.end_ms, CallerAction(str(action)), LabelSource.SCRIPT)


def _transport(dialogue: Dialogue, cast: Cast) -> Transport | None:
    relay = dialogue.relay
    if relay is None:
        return None
    return Transport(
        caller=_leg(relay.to_caller, cast.caller),
        assistant=_leg(relay.to_assistant, cast.assistant),
    )


def _leg(sends: Sends, party: LiveParty) -> Leg:
    report = party.playout.report()
    record = PlayoutRecord(**{one.name: getattr(report, one.name) for one in fields(PlayoutRecord)})
    return Leg(len(sends.at_us), tuple(sends.latency_us), tuple(sends.lateness_us), record)


def _warnings(dialogue: Dialogue) -> Iterator[str]:
    yield from session_warnings(dialogue.caller_observations, CALLER)
    yield from session_warnings(dialogue.observations)
    ended = dialogue.termination
    if ended is not None and ended.gave_up is not None:
        yield f"the completion observer was given up, and the line told the end: {ended.gave_up}"
    yield from dialogue.settlement.warnings()
    if dialogue.cleanup is not None:
        yield from dialogue.cleanup.warnings()
