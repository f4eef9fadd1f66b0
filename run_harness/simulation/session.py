"""One conversation: both parties on the relay until completion says that it is over, then closed.

A caller that has proved unfit ends it at once, because nothing more can make a measurement of it.
It decides nothing by itself: what opens, ends or spoils a conversation is said by ``opening`` and
``completion``, and how long putting it away may take by ``shutdown``. It never raises for what a
session did, and whatever else goes wrong leaves what was observed until then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from run_harness.simulation.closing import put_away, settled, whatever_happens
from run_harness.simulation.completion import Completion, CompletionPolicy, Snapshot
from run_harness.simulation.lines import SILENT_AFTER_MS, Lines
from run_harness.simulation.observer import (
    Observer,
    Question,
    Revisions,
    Situation,
    Unread,
    decision_of,
    expressed_in,
    is_verified,
    question_about,
    read,
)
from run_harness.simulation.opening import Opening
from run_harness.simulation.shutdown import Budget, Grace, primary_failure
from run_harness.simulation.watch import ConversationWatch
from shared.audio.pacing import Pacer
from shared.audio.pcm import SAMPLES_PER_MS, from_bytes
from shared.audio.tracks import RecordedTracks
from shared.clock import Clock
from shared.errors import AttemptError, Stage, said_of
from shared.grading.judge import Reply
from shared.grading.validity import spoils
from shared.observability.evidence import (
    Cue,
    Decision,
    DecisionStatus,
    Ending,
    Failure,
    Termination,
)
from shared.observability.observations import Observation, SessionClosed, Speaker
from shared.observability.shutdown import CLOSES, Cleanup, WorkSettlement
from shared.participant import Monitor
from shared.party import LiveParty
from shared.relay import Air, Relay
from shared.scenarios import Scenario
from shared.values import JsonObject

US_PER_MS = 1_000


@dataclass(frozen=True, slots=True)
class Cast:
    """Both parties, and what is known of them beside what they say.

    ``begin`` gives the command to open once both are connected. ``cues`` and ``finishes`` are a
    scripted caller's own account: what its sentences are there for, and how often it has said that
    it is through, by a media instant.
    """

    caller: LiveParty
    assistant: LiveParty
    begin: Callable[[], None]
    cues: Callable[[], Sequence[Cue]]
    finishes: Callable[[int], int]

    @property
    def parties(self) -> dict[Speaker, LiveParty]:
        """Both by their sides, the caller first."""
        return {Speaker.CALLER: self.caller, Speaker.ASSISTANT: self.assistant}


@dataclass(frozen=True, slots=True)
class Rules:
    """By what a conversation is run. ``mask`` goes over all that an observer is told."""

    scenario: Scenario
    first_speaker: Speaker
    completion: CompletionPolicy
    hold_ms: Mapping[Speaker, int]
    grace_us: int
    cleanup_us: int
    mask: Callable[[JsonObject], JsonObject]


@dataclass(slots=True)
class Dialogue:
    """What a conversation left behind, before it is evidence.

    ``termination`` is absent where the conversation did not begin; ``question`` is the call to the
    observer that was under way at the end.
    """

    extent_ms: int = 0
    tracks: RecordedTracks = field(default_factory=RecordedTracks)
    caller_observations: list[Observation] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    cues: tuple[Cue, ...] = ()
    lateness_us: tuple[int, ...] = ()
    relay: Relay | None = None
    ending: Ending = Ending.FAILED
    failure: Failure | None = None
    termination: Termination | None = None
    question: asyncio.Task[Reply] | None = None
    settlement: WorkSettlement = field(default_factory=WorkSettlement)
    cleanup: Cleanup | None = None

    def of(self, speaker: Speaker) -> list[Observation]:
        return self.caller_observations if speaker is Speaker.CALLER else self.observations


async def converse(
    cast: Cast,
    rules: Rules,
    clock: Clock,
    *,
    observer: Observer | None = None,
    air: Air | None = None,
    state_before: Callable[[], JsonObject],
    monitor: Monitor | None = None,
) -> Dialogue:
    """Connect both, hold the conversation, let work settle, close both.

    ``state_before`` is asked once both are connected.
    """
    dialogue = Dialogue()
    try:
        await _connected(cast)
        _begin(cast)
        floor = _Floor(cast, rules, clock, observer, dialogue, state_before(), monitor)
        await floor.hold(air)
        await floor.settle()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - what was observed until then is kept
        stage = error.stage if isinstance(error, AttemptError) else Stage.ATTEMPT_EXECUTION
        dialogue.failure = dialogue.failure or Failure(stage, said_of(error))
    finally:
        dialogue.cues = tuple(cast.cues())
        await whatever_happens(_close(cast, rules, clock, dialogue))
    if dialogue.failure is not None:
        dialogue.ending = Ending.FAILED
    return dialogue


async def _connected(cast: Cast) -> None:
    """Both at once; of two that fail the caller's failure is told."""
    results = await asyncio.gather(
        cast.caller.connect(), cast.assistant.connect(), return_exceptions=True
    )
    for speaker, result in zip((Speaker.CALLER, Speaker.ASSISTANT), results, strict=True):
        if isinstance(result, AttemptError):
            raise AttemptError(result.stage, _of_session(speaker, result)) from result
        if isinstance(result, BaseException):
            raise result


def _begin(cast: Cast) -> None:
    """Give the command, unless a session was gone as soon as it had started."""
    for speaker, party in cast.parties.items():
        if party.failure is not None:
            lost = _lost(speaker, party.failure)
            raise AttemptError(lost.stage, lost.message)
    cast.begin()


def _lost(speaker: Speaker, error: AttemptError) -> Failure:
    """Why a session is gone. A caller is our instrument: what it loses is not the assistant's."""
    stage = error.stage
    if speaker is Speaker.CALLER and stage is Stage.RESPONSE_COLLECTION:
        stage = Stage.CALLER_SIMULATION
    return Failure(stage, _of_session(speaker, error))


def _of_session(speaker: Speaker, error: AttemptError) -> str:
    """Two sessions fail alike; whose it was is for the reader to know."""
    return f"the {speaker.value}'s session: {error}"


async def _close(cast: Cast, rules: Rules, clock: Clock, dialogue: Dialogue) -> None:
    parties = cast.parties
    closes = {CLOSES[speaker]: party.close for speaker, party in parties.items()}
    budget = Budget(clock.now_us(), rules.cleanup_us)
    cleanup = await put_away(closes, dialogue.question, budget, clock)
    for speaker, party in parties.items():
        dialogue.of(speaker).extend(party.observed())
    finalized = tuple(one for one in parties if _is_finalized(dialogue.of(one)))
    dialogue.cleanup = replace(cleanup, finalized=finalized)


def _is_finalized(observed: Sequence[Observation]) -> bool:
    """Whether the provider told what the session came to in the end."""
    return any(isinstance(seen, SessionClosed) and seen.seconds is not None for seen in observed)


class _Floor:
    """The conversation itself, frame by frame."""

    def __init__(
        self,
        cast: Cast,
        rules: Rules,
        clock: Clock,
        observer: Observer | None,
        dialogue: Dialogue,
        state_before: JsonObject,
        monitor: Monitor | None,
    ) -> None:
        self._monitor = monitor
        self._cast = cast
        self._rules = rules
        self._clock = clock
        self._observer = observer
        self._dialogue = dialogue
        self._completion = Completion(rules.completion)
        self._opening = Opening(rules.first_speaker, commanded_ms=self._wall_ms)
        self._watch = ConversationWatch(
            state_before, quiet_ms=rules.completion.quiet_ms, hold_ms=rules.hold_ms
        )
        self._lines = Lines()
        self._revisions = Revisions()
        self._question: Question | None = None
        self._asked_ms = 0
        self._verified_for: Situation | None = None
        self._verified = False
        self._is_spoilt = False
        self._call: asyncio.Task[Reply] | None = None

    async def hold(self, air: Air | None) -> None:
        cast, dialogue = self._cast, self._dialogue
        pacer = Pacer(self._clock.now_us())
        relay = Relay(cast.caller, cast.assistant, self._clock, pacer, air=air, record=self._record)
        dialogue.relay = relay
        if self._monitor is not None:
            self._monitor.begin()
        try:
            dialogue.extent_ms = await relay.run(take=self._take, is_over=self._is_over)
        finally:
            dialogue.extent_ms = dialogue.tracks.extent_ms
            dialogue.lateness_us = pacer.lateness_us
            dialogue.termination = self._completion.termination
            self._drop_call()
        lost = [self._lost(speaker, party) for speaker, party in cast.parties.items()]
        dialogue.failure = primary_failure(dialogue.failure, lost)
        if dialogue.failure is None and not self._is_spoilt:
            dialogue.failure = self._opening.ended()

    async def settle(self) -> None:
        """Let work under way come to its end. What is said meanwhile is heard by nobody."""
        dialogue, cast = self._dialogue, self._cast
        if dialogue.failure is not None or self._is_spoilt:
            return
        for party in cast.parties.values():
            party.fall_silent()
        dialogue.settlement = await settled(
            Grace(self._clock.now_us(), self._rules.grace_us),
            self._clock,
            pending=self._at_work,
            is_broken=lambda: any(one.failure is not None for one in cast.parties.values()),
        )

    def _at_work(self) -> Collection[Speaker]:
        """Who has work under way, by all that has come from both until now."""
        for speaker, party in self._cast.parties.items():
            self._take(speaker, party.observed())
        return [speaker for speaker in Speaker if self._watch.is_working(speaker)]

    def _lost(self, speaker: Speaker, party: LiveParty) -> Failure | None:
        if party.failure is None:
            return None
        failure = _lost(speaker, party.failure)
        return self._opening.lost(failure) if speaker is Speaker.ASSISTANT else failure

    @property
    def _wall_ms(self) -> int:
        return self._clock.now_us() // US_PER_MS

    def _record(self, caller: bytes, sent: bytes, assistant: bytes) -> None:
        if self._monitor is not None:
            start = self._dialogue.tracks.extent_ms * SAMPLES_PER_MS
            self._monitor.caller(start, from_bytes(sent))
            self._monitor.assistant(start, from_bytes(assistant))
        self._dialogue.tracks.add(caller, sent, assistant)
        self._watch.frame(caller, assistant)

    def _take(self, speaker: Speaker, observed: Sequence[Observation]) -> None:
        if not observed:
            return
        self._dialogue.of(speaker).extend(observed)
        self._watch.observe(speaker, observed)
        self._lines.observe(speaker, observed)
        if speaker is Speaker.CALLER:
            self._is_spoilt = self._is_spoilt or any(spoils(seen) for seen in observed)

    def _is_over(self, now_ms: int) -> bool:
        if self._is_spoilt:
            # No measurement any more, and every further minute costs as much as one.
            self._dialogue.ending = Ending.CALLER_UNFIT
            return True
        if not self._opening.is_over:
            failure = self._opening.advance(self._wall_ms, self._watch.heard)
            if failure is not None:
                self._dialogue.failure = failure
                return True
        seen = self._snapshot(now_ms)
        self._settle(seen)
        step = self._completion.advance(seen)
        is_time_up = step.ending is Ending.DURATION_LIMIT
        dead = self._dead_line(now_ms, is_time_up=is_time_up)
        if dead is None and is_time_up:
            dead = self._wordless_caller(now_ms)
        if dead is not None:
            self._dialogue.failure = dead
            return True
        if step.asks:
            self._ask(now_ms, seen.revision)
        if step.ending is not None:
            self._dialogue.ending = step.ending
        return step.ending is not None

    def _dead_line(self, now_ms: int, *, is_time_up: bool) -> Failure | None:
        dead = self._lines.dead_for_ms(now_ms, is_time_up=is_time_up)
        if dead is None:
            return None
        speaker, since_ms = dead
        what = f"no audio came for {since_ms / US_PER_MS:g} s"
        return _lost(speaker, AttemptError(Stage.RESPONSE_COLLECTION, what))

    def _wordless_caller(self, now_ms: int) -> Failure | None:
        """No end can be seen while the caller's words are not told; no assistant is to blame."""
        slack_ms = self._rules.completion.caption_slack_ms
        since_ms = self._watch.wordless_since_ms(Speaker.CALLER, slack_ms)
        if since_ms is None or now_ms - since_ms < SILENT_AFTER_MS:
            return None
        what = f"no words came of what it said since {since_ms / US_PER_MS:g} s"
        return _lost(Speaker.CALLER, AttemptError(Stage.RESPONSE_COLLECTION, what))

    def _snapshot(self, now_ms: int) -> Snapshot:
        cast, watch = self._cast, self._watch
        situation = watch.situation()
        return Snapshot(
            now_ms=now_ms,
            wall_ms=self._wall_ms,
            started_ms=self._opening.started_ms,
            revision=self._revisions.of(situation),
            caller=watch.party(
                Speaker.CALLER, has_buffered_speech=cast.caller.playout.holds_speech
            ),
            assistant=watch.party(
                Speaker.ASSISTANT, has_buffered_speech=cast.assistant.playout.holds_speech
            ),
            is_verified=self._is_verified(situation),
            finishes=cast.finishes(now_ms),
        )

    def _is_verified(self, situation: Situation) -> bool:
        """Whether the state is the expected one; looked up anew when something has changed."""
        if situation is not self._verified_for:
            self._verified_for = situation
            self._verified = is_verified(self._rules.scenario, situation)
        return self._verified

    def _ask(self, now_ms: int, revision: int) -> None:
        if self._observer is None:
            raise RuntimeError("completion asks, and there is nobody to ask")
        rules, decisions = self._rules, self._dialogue.decisions
        self._question = question_about(
            rules.scenario, self._watch.situation(), revision, rules.mask, expressed_in(decisions)
        )
        self._asked_ms = now_ms
        self._call = asyncio.ensure_future(self._observer.ask(self._question))

    def _settle(self, seen: Snapshot) -> None:
        call, question = self._call, self._question
        if call is None or question is None or not call.done():
            return
        self._call = self._question = None
        reply = _reply_of(call)
        answer = read(question, reply)
        settled = self._completion.settle(answer, seen)
        if settled.because is not None and not isinstance(answer, Unread):
            answer = Unread(settled.because) if settled.status is DecisionStatus.FAILED else answer
        self._dialogue.decisions.append(
            decision_of(
                question,
                asked_ms=self._asked_ms,
                settled_ms=seen.now_ms,
                status=settled.status,
                reply=reply,
                answer=answer,
            )
        )

    def _drop_call(self) -> None:
        """A call under way is given up; that it was made stays known."""
        if self._call is None or self._question is None:
            return
        self._call.cancel()
        self._dialogue.question = self._call
        self._dialogue.decisions.append(decision_of(self._question, asked_ms=self._asked_ms))


def _reply_of(call: asyncio.Task[Reply]) -> Reply:
    """What came of a call; an observer that raises is an observer that failed."""
    try:
        return call.result()
    except Exception as error:  # noqa: BLE001 - an observer's failure is never the conversation's
        return Reply(problem=f"unexpected {type(error).__name__}")
