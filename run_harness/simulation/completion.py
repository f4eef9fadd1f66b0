"""When is a conversation over? A table, asked at every frame of the relay.

Theory of operation. A conversation is OPEN, then DRAINING, then CLOSED. While it is DRAINING it is
over unless something speaks against that within the drain:

==========  ===========================================================  =========================
from        when                                                         to
==========  ===========================================================  =========================
OPEN        the caller has finished by its own account, and the          DRAINING
            evidence is current
OPEN        the observer's answer is accepted                            DRAINING
OPEN        no observer is left, the state is right and the line has     DRAINING
            been quiet for ``quiet_line_ms``
DRAINING    new audio of either side, a turn pending, the caller's       OPEN
            backend at work, or any other revision of the evidence
DRAINING    ``drain_ms`` have passed, both sides were quiet for          CLOSED, completed
            ``quiet_ms`` and no work of the assistant's is pending
any         ``duration_ms`` have passed since the conversation began     CLOSED, duration limit
==========  ===========================================================  =========================

Evidence is current when both sides have been quiet for ``quiet_ms``, nothing audible waits to be
played, captions have caught up with what was heard, and the caller's backend is idle. A caption
that never comes leaves evidence behind for ever, and then only the duration limit ends it.

An answer is accepted when the evidence is still what was asked about, the assistant's work is done
and a business called resolved is so by the application's state. An observer that fails is asked
again after a wait that doubles; once it has failed ``failures_max`` times in a row it is given up.
No rule looks at words, so none depends on a language.

Instants ``*_ms`` are media time but for ``wall_ms``: how often a service is asked, and how long we
wait after a failure, is a matter of real time.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from run_harness.simulation.observer import Answer, Reading, Unread
from shared.observability.evidence import DecisionStatus, Ending, Resolution, Termination


class Phase(Enum):
    OPEN = auto()
    DRAINING = auto()
    CLOSED = auto()


class Signal(StrEnum):
    """What said that a conversation is over."""

    CALLER_FINISHED = "caller_finished"
    RESOLVED = "semantic_conversation_resolved"
    REFUSED = "semantic_conversation_refused"
    QUIET_LINE = "verified_state_and_quiet_line"


@dataclass(frozen=True, slots=True)
class CompletionPolicy:
    """Who may say that it is over, and how long each wait is."""

    is_observed: bool
    duration_ms: int = 90_000
    drain_ms: int = 1_500
    quiet_ms: int = 600
    caption_slack_ms: int = 800
    ask_every_ms: int = 500
    recheck_after_ms: int = 5_000
    quiet_line_ms: int = 8_000
    failures_max: int = 3
    first_wait_ms: int = 500
    caller_turns_min: int = 2
    assistant_turns_min: int = 1


@dataclass(frozen=True, slots=True)
class Party:
    """One side of the line at an instant, as the other side hears it.

    ``last_speech_ms`` is the end of what was heard of it last, ``captioned_ms`` up to where its
    words are known; a caption may lie on the beginning of its word and stop ``caption_slack_ms``
    short of the sound. Pending is a caption whose audio has not been played.
    """

    turns: int = 0
    last_speech_ms: int | None = None
    captioned_ms: int | None = None
    has_pending_caption: bool = False
    has_buffered_speech: bool = False
    is_working: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that completion looks at, at the end of one frame.

    ``started_ms`` is when the conversation began, if it has. ``finishes`` counts how often the
    caller has said by its own account, not in words, that it is through.
    """

    now_ms: int
    wall_ms: int
    started_ms: int | None
    revision: int
    caller: Party
    assistant: Party
    is_verified: bool = False
    finishes: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """What a frame came to. ``asks`` says to put the present evidence to the observer now."""

    phase: Phase
    asks: bool = False
    began: Signal | None = None
    revoked: Signal | None = None
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of an answer. ``because`` says why one that would drain does not."""

    status: DecisionStatus
    accepted: Signal | None = None
    because: str | None = None


@dataclass(frozen=True, slots=True)
class _Mark:
    """The evidence at one instant, to tell later whether it is still the same."""

    revision: int
    caller_spoke_ms: int | None
    assistant_spoke_ms: int | None

    @classmethod
    def of(cls, seen: Snapshot) -> _Mark:
        return cls(seen.revision, seen.caller.last_speech_ms, seen.assistant.last_speech_ms)


@dataclass(frozen=True, slots=True)
class _Drain:
    signal: Signal
    since_ms: int
    mark: _Mark
    finishes: int


class Completion:
    """Watches one conversation. Give it every frame, and every answer before the frame it came in.

    It starts no call by itself: ``advance`` says when one is due, and until ``settle`` is told what
    came of it no other is.
    """

    def __init__(self, policy: CompletionPolicy) -> None:
        self._policy = policy
        self._drain: _Drain | None = None
        self._ending: Ending | None = None
        self._taken_back = 0
        self._announced: Signal | None = None

        # The observer: the question under way, the last one, and how it has been failing.
        self._asking: _Mark | None = None
        self._asked: _Mark | None = None
        self._asked_at_wall_ms: int | None = None
        self._not_before_wall_ms = 0
        self._is_owed = False
        self._failures = 0
        self._given_up: str | None = None

    @property
    def phase(self) -> Phase:
        if self._ending is not None:
            return Phase.CLOSED
        return Phase.OPEN if self._drain is None else Phase.DRAINING

    @property
    def signal(self) -> Signal | None:
        """What said that it is over, while that stands."""
        return None if self._drain is None else self._drain.signal

    @property
    def policy(self) -> str:
        """How it is decided that a conversation is over, as results name it."""
        if not self._policy.is_observed:
            return "caller_finish_or_verified_state"
        if self._given_up is not None:
            return Signal.QUIET_LINE.value
        return "semantic_conversation_observer"

    @property
    def termination(self) -> Termination:
        """How it was decided up to now. Only what a completed conversation ended by is a signal."""
        is_completed = self._ending is Ending.CONVERSATION_COMPLETED
        signal = self.signal if is_completed else None
        return Termination(self.policy, None if signal is None else signal.value, self._given_up)

    def settle(self, answer: Answer, seen: Snapshot) -> Settled:
        """Take in what came of the question under way, as things stand now."""
        asked, self._asking = self._asking, None
        if asked is None:
            raise RuntimeError("no question is under way")
        if isinstance(answer, Unread):
            self._fail(answer.reason, seen.wall_ms)
            return Settled(DecisionStatus.FAILED, because=answer.reason)
        self._failures = 0
        if asked != _Mark.of(seen):
            self._is_owed = True
            return Settled(DecisionStatus.STALE)
        because = self._objection(answer, seen)
        if not answer.should_drain or because is not None or self.phase is not Phase.OPEN:
            return Settled(DecisionStatus.ANSWERED, because=because)
        signal = Signal.REFUSED if answer.outcome is Resolution.REFUSED else Signal.RESOLVED
        self._begin(signal, seen)
        return Settled(DecisionStatus.ANSWERED, signal)

    def advance(self, seen: Snapshot) -> Step:
        """Say what this frame comes to. Nothing more comes of frames once it is closed."""
        if self._ending is not None:
            return Step(Phase.CLOSED, ending=self._ending)
        revoked = self._revoke(seen)
        if self._drain is None and (signal := self._signal(seen)) is not None:
            self._begin(signal, seen)
        self._close(seen)
        began, self._announced = self._announced, None
        return Step(self.phase, self._asks(seen), began, revoked, self._ending)

    def is_current(self, seen: Snapshot) -> bool:
        """Whether all that was heard is known and nothing is about to change it."""
        if seen.caller.is_working or not self._has_come_to_rest(seen.caller, seen):
            return False
        return self._has_come_to_rest(seen.assistant, seen)

    def _has_come_to_rest(self, side: Party, seen: Snapshot) -> bool:
        if side.has_buffered_speech or side.has_pending_caption:
            return False
        spoke_ms = side.last_speech_ms
        if spoke_ms is None:
            return True
        known_ms = side.captioned_ms
        is_captioned = known_ms is not None and known_ms + self._policy.caption_slack_ms >= spoke_ms
        return is_captioned and seen.now_ms - spoke_ms >= self._policy.quiet_ms

    def _is_eligible(self, seen: Snapshot) -> bool:
        """Whether there is a conversation at all that could be over."""
        return (
            seen.started_ms is not None
            and seen.caller.turns >= self._policy.caller_turns_min
            and seen.assistant.turns >= self._policy.assistant_turns_min
        )

    def _objection(self, answer: Reading, seen: Snapshot) -> str | None:
        """What in the evidence speaks against an answer that would end the conversation."""
        if not answer.should_drain:
            return None
        if seen.assistant.is_working:
            return "the assistant's work is not done"
        if not self.is_current(seen):
            return "not all that was said is known yet"
        if answer.outcome is Resolution.RESOLVED and not seen.is_verified:
            return "the application is not in the expected state"
        return None

    def _fail(self, reason: str, wall_ms: int) -> None:
        self._failures += 1
        self._is_owed = True
        self._not_before_wall_ms = wall_ms + self._policy.first_wait_ms * 2 ** (self._failures - 1)
        if self._failures >= self._policy.failures_max:
            self._given_up = reason

    def _begin(self, signal: Signal, seen: Snapshot) -> None:
        self._drain = _Drain(signal, seen.now_ms, _Mark.of(seen), seen.finishes)
        self._announced = signal

    def _revoke(self, seen: Snapshot) -> Signal | None:
        drain = self._drain
        if drain is None or (drain.mark == _Mark.of(seen) and self.is_current(seen)):
            return None
        self._drain = self._announced = None
        if _caller_goes_on(drain, seen):
            self._taken_back = drain.finishes
        return drain.signal

    def _signal(self, seen: Snapshot) -> Signal | None:
        if seen.started_ms is None or not self.is_current(seen):
            return None
        if seen.finishes > self._taken_back:
            return Signal.CALLER_FINISHED
        return Signal.QUIET_LINE if self._is_line_quiet(seen) else None

    def _is_line_quiet(self, seen: Snapshot) -> bool:
        if self._policy.is_observed and self._given_up is None:
            return False
        if not (self._is_eligible(seen) and seen.is_verified) or seen.assistant.is_working:
            return False
        return seen.now_ms - _last_speech_ms(seen) >= self._policy.quiet_line_ms

    def _close(self, seen: Snapshot) -> None:
        """A drain that is over at the very limit is a completed conversation."""
        drain, policy = self._drain, self._policy
        # Evidence that is not current has revoked it: while a drain stands, both sides are quiet.
        is_drained = drain is not None and seen.now_ms - drain.since_ms >= policy.drain_ms
        if is_drained and not seen.assistant.is_working:
            self._ending = Ending.CONVERSATION_COMPLETED
        elif seen.started_ms is not None and seen.now_ms - seen.started_ms >= policy.duration_ms:
            self._ending = Ending.DURATION_LIMIT

    def _asks(self, seen: Snapshot) -> bool:
        if not self._may_ask(seen):
            return False
        mark = _Mark.of(seen)
        self._asking = self._asked = mark
        self._asked_at_wall_ms = seen.wall_ms
        self._is_owed = False
        return True

    def _may_ask(self, seen: Snapshot) -> bool:
        policy = self._policy
        if not policy.is_observed or self._given_up is not None or self._asking is not None:
            return False
        if self.phase is not Phase.OPEN or not self._is_eligible(seen) or not self.is_current(seen):
            return False
        if self._asked_at_wall_ms is None:
            return True
        since_ms = seen.wall_ms - self._asked_at_wall_ms
        if since_ms < policy.ask_every_ms or seen.wall_ms < self._not_before_wall_ms:
            return False
        is_news = self._asked is None or seen.revision != self._asked.revision
        return self._is_owed or is_news or since_ms >= policy.recheck_after_ms


def _caller_goes_on(drain: _Drain, seen: Snapshot) -> bool:
    """Whether it is the caller who speaks against the end: the assistant may say goodbye."""
    caller = seen.caller
    return (
        caller.last_speech_ms != drain.mark.caller_spoke_ms
        or caller.has_buffered_speech
        or caller.has_pending_caption
        or caller.is_working
    )


def _last_speech_ms(seen: Snapshot) -> int:
    spoken = (seen.caller.last_speech_ms, seen.assistant.last_speech_ms)
    return max((one for one in spoken if one is not None), default=seen.started_ms or 0)
