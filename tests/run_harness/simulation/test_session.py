"""A conversation between two sessions that do what a test says, in virtual time.

What goes wrong on either side, or in putting both away, is told by its stage, and what was observed
until then is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from run_harness.simulation.completion import CompletionPolicy
from run_harness.simulation.session import Cast, Dialogue, Rules, converse
from shared.audio.pcm import FRAME_BYTES, FRAME_MS, Pcm
from shared.audio.playout import Playout
from shared.clock import Stamp
from shared.errors import AttemptError, Stage
from shared.observability.evidence import Ending, Failure
from shared.observability.observations import (
    DelegationBegan,
    Observation,
    ResponseEnded,
    ResponseStatus,
    SessionClosed,
    Speaker,
)
from shared.observability.shutdown import (
    CleanupStatus,
    Component,
    SettlementStatus,
    WorkSettlement,
)
from shared.own_loop import run_alone
from shared.participant import AudioArrived
from shared.party import LiveParty
from shared.virtual_time import VirtualClock, VirtualLoop
from tests.support.builders import a_caption, at
from tests.support.judged import a_conversation

CAP_MS = 2_000
SILENCE = bytes(FRAME_BYTES)
SOUND = b"\x00\x20\x00\xe0" * (FRAME_BYTES // 4)
CALLER, ASSISTANT = Speaker.CALLER, Speaker.ASSISTANT
REFUSED = AttemptError(Stage.SESSION_START, "HTTP 401: refused at the handshake")
CUT = AttemptError(Stage.RESPONSE_COLLECTION, "connection lost in mid-session without a close")
CLOSED = AttemptError(Stage.RESPONSE_COLLECTION, "closed by the provider (remote_hangup)")
OURS = AttemptError(Stage.ATTEMPT_EXECUTION, "unexpected KeyError")


@dataclass
class Session:
    """Observes, fails and ends as a test says.

    ``says`` is by media ms, ``later`` by seconds after the capture's end.
    """

    says: Mapping[int, Sequence[Observation]] = field(default_factory=dict)
    later: Mapping[float, Sequence[Observation]] = field(default_factory=dict)
    refusal: AttemptError | None = None
    lost: tuple[int, AttemptError] | None = None
    seconds: float | None = 1.0
    closes_within_s: float = 0.1
    closed_at_s: float | None = None
    heard_ms: int = 0
    _shown: list[Observation] = field(default_factory=list)
    _failure: AttemptError | None = None

    @property
    def failure(self) -> AttemptError | None:
        return self._failure

    async def connect(self) -> None:
        if self.refusal is not None:
            raise self.refusal
        self._happen(0)

    async def hear(self, frame: bytes) -> None:
        self.heard_ms += len(frame) // FRAME_BYTES * FRAME_MS
        self._happen(self.heard_ms)
        if self.heard_ms == CAP_MS:
            for delay_s, shown in self.later.items():
                asyncio.get_running_loop().call_later(delay_s, self._show, shown)

    def _show(self, shown: Sequence[Observation]) -> None:
        self._shown += shown

    def _happen(self, now_ms: int) -> None:
        self._shown += self.says.get(now_ms, ())
        if self.lost is not None and now_ms == self.lost[0]:
            self._failure = self.lost[1]

    def observed(self) -> Sequence[Observation]:
        shown, self._shown = self._shown, []
        return shown

    async def close(self) -> None:
        await asyncio.sleep(self.closes_within_s)
        self._shown.append(SessionClosed(at(self.heard_ms), "close_requested", self.seconds))
        self.closed_at_s = asyncio.get_running_loop().time()


def delegated(now_ms: int, target: str = "responses", name: str = "d1") -> DelegationBegan:
    return DelegationBegan(at(now_ms), name, target, "r1")


def ended(now_ms: int, status: ResponseStatus = ResponseStatus.COMPLETED) -> ResponseEnded:
    return ResponseEnded(at(now_ms), "r1", "d1", status, None, None)


def speaking() -> dict[int, Sequence[Observation]]:
    """The first word, without which there is no conversation."""
    return {100: [AudioArrived(Stamp(100, 0), SOUND)]}


def a_caller(**fields: object) -> Session:
    says = {**speaking(), **fields.pop("says", {})}  # type: ignore[dict-item]
    return Session(says=says, **fields)  # type: ignore[arg-type]


@dataclass
class Broken:
    """Air that fails in the middle of a conversation."""

    frames: int = 0

    def process(self, caller: Pcm, far_end: Pcm | None = None) -> Pcm:
        self.frames += 1
        if self.frames > 50:
            raise ZeroDivisionError
        return caller


def conversed(
    caller: Session,
    assistant: Session,
    *,
    first: Speaker = CALLER,
    air: Broken | None = None,
    interrupted: Callable[[asyncio.Task[Dialogue]], None] = lambda _: None,
    duration_ms: int = CAP_MS,
) -> Dialogue:
    rules = Rules(
        scenario=a_conversation(),
        first_speaker=first,
        completion=CompletionPolicy(is_observed=False, duration_ms=duration_ms),
        hold_ms=dict.fromkeys(Speaker, 0),
        grace_us=5_000_000,
        cleanup_us=10_000_000,
        mask=lambda content: content,
    )
    cast = Cast(
        caller=LiveParty(caller, Playout(0)),
        assistant=LiveParty(assistant, Playout(0)),
        begin=lambda: None,
        cues=lambda: (),
        finishes=lambda _: 0,
    )

    async def work() -> Dialogue:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        held = converse(cast, rules, VirtualClock(loop), air=air, state_before=dict)
        task = asyncio.create_task(held)
        interrupted(task)
        return await task

    return run_alone(work(), VirtualLoop)


# whose failure it is


@pytest.mark.parametrize(
    ("faults", "stage", "says"),
    [
        pytest.param(
            {"refusal": REFUSED},
            dict.fromkeys(Speaker, Stage.SESSION_START),
            str(REFUSED),
            id="401",
        ),
        pytest.param(
            {"lost": (0, CLOSED)},
            {CALLER: Stage.CALLER_SIMULATION, ASSISTANT: Stage.RESPONSE_COLLECTION},
            str(CLOSED),
            id="closed-as-soon-as-it-had-started",
        ),
        pytest.param(
            {"lost": (500, CUT)},
            {CALLER: Stage.CALLER_SIMULATION, ASSISTANT: Stage.RESPONSE_COLLECTION},
            str(CUT),
            id="cut-in-mid-conversation",
        ),
        pytest.param(
            {"lost": (500, CLOSED)},
            {CALLER: Stage.CALLER_SIMULATION, ASSISTANT: Stage.RESPONSE_COLLECTION},
            str(CLOSED),
            id="closed-too-early",
        ),
        pytest.param(
            {"lost": (500, OURS)},
            dict.fromkeys(Speaker, Stage.ATTEMPT_EXECUTION),
            str(OURS),
            id="a-bug-of-ours-is-nobodys",
        ),
    ],
)
@pytest.mark.parametrize("side", Speaker)
def test_a_session_that_fails(
    side: Speaker, faults: Mapping[str, object], stage: Mapping[Speaker, Stage], says: str
) -> None:
    caller = a_caller(**faults) if side is CALLER else a_caller()
    assistant = Session(**faults) if side is ASSISTANT else Session()  # type: ignore[arg-type]
    dialogue = conversed(caller, assistant)

    assert dialogue.failure == Failure(stage[side], f"the {side.value}'s session: {says}")
    assert dialogue.ending is Ending.FAILED
    assert dialogue.extent_ms == (500 if faults.get("lost", (0,))[0] == 500 else 0)  # type: ignore[index]
    assert (caller.closed_at_s, assistant.closed_at_s).count(None) == 0


@pytest.mark.parametrize(
    ("side", "stage"),
    [
        pytest.param(ASSISTANT, Stage.ASSISTANT_OPENING, id="of-the-assistant-is-its-openings"),
        pytest.param(CALLER, Stage.CALLER_SIMULATION, id="of-the-caller-is-the-callers"),
    ],
)
def test_a_loss_before_the_greeting(side: Speaker, stage: Stage) -> None:
    sessions = {one: Session(lost=(500, CUT) if one is side else None) for one in Speaker}
    dialogue = conversed(sessions[CALLER], sessions[ASSISTANT], first=ASSISTANT)

    assert dialogue.failure == Failure(stage, f"the {side.value}'s session: {CUT}")


def test_of_two_that_fail_the_callers_is_told() -> None:
    dialogue = conversed(a_caller(lost=(500, CUT)), Session(lost=(500, CLOSED)))
    assert dialogue.failure == Failure(Stage.CALLER_SIMULATION, f"the caller's session: {CUT}")


def test_what_breaks_on_our_side_keeps_what_was_observed() -> None:
    caller, assistant = a_caller(), Session()
    dialogue = conversed(caller, assistant, air=Broken())

    failure = Failure(Stage.ATTEMPT_EXECUTION, "unexpected ZeroDivisionError")
    assert (dialogue.failure, dialogue.extent_ms) == (failure, 1_000)
    assert dialogue.cleanup is not None
    assert dialogue.cleanup.status is CleanupStatus.COMPLETED


@pytest.mark.parametrize(
    "spoiling",
    [
        pytest.param([delegated(700, target="client")], id="that-hands-its-work-on"),
        pytest.param(
            [delegated(700, target="client"), delegated(700, target="client")],
            id="that-is-told-to-have-done-so-twice",
        ),
        pytest.param([delegated(600), ended(700, ResponseStatus.FAILED)], id="whose-backend-fails"),
        pytest.param(
            [delegated(600), ended(700, ResponseStatus.INCOMPLETE)], id="whose-backend-stops-short"
        ),
    ],
)
def test_a_caller_that_proves_unfit_ends_the_conversation(spoiling: list[Observation]) -> None:
    assistant = Session(says={600: [delegated(600)]})
    dialogue = conversed(a_caller(says={700: spoiling}), assistant)

    # That it was unfit is for whoever judges to say; the sessions did nothing wrong.
    assert (dialogue.ending, dialogue.failure) == (Ending.CALLER_UNFIT, None)
    assert dialogue.extent_ms == 700
    assert all(one in dialogue.caller_observations for one in spoiling)
    assert dialogue.settlement == WorkSettlement(SettlementStatus.NOT_STARTED)
    assert dialogue.cleanup is not None
    assert dialogue.cleanup.status is CleanupStatus.COMPLETED


@pytest.mark.parametrize("first", Speaker)
def test_a_caller_that_proves_unfit_before_anybody_spoke_is_no_failed_opening(
    first: Speaker,
) -> None:
    caller = Session(says={60: [delegated(60, target="client")]})
    dialogue = conversed(caller, Session(), first=first)

    assert (dialogue.ending, dialogue.failure) == (Ending.CALLER_UNFIT, None)
    assert dialogue.extent_ms == 60


def test_a_caller_that_thinks_ends_nothing() -> None:
    caller = a_caller(says={600: [delegated(600)], 700: [ended(700)]})
    assert conversed(caller, Session()).ending is Ending.DURATION_LIMIT


def test_an_assistant_whose_backend_fails_ends_nothing() -> None:
    failing = [delegated(600), ended(700, ResponseStatus.FAILED)]
    dialogue = conversed(a_caller(), Session(says={700: failing}))
    assert (dialogue.ending, dialogue.failure) == (Ending.DURATION_LIMIT, None)


# putting away


def test_nothing_pending_costs_no_time() -> None:
    caller, assistant = a_caller(), Session()
    dialogue = conversed(caller, assistant)

    assert (dialogue.ending, dialogue.extent_ms) == (Ending.DURATION_LIMIT, CAP_MS)
    assert dialogue.settlement == WorkSettlement(SettlementStatus.COMPLETED)
    assert assistant.closed_at_s == pytest.approx(2.08, abs=0.05)


def test_work_that_ends_within_its_grace_is_settled_and_extends_nothing() -> None:
    assistant = Session(
        says={1_000: [delegated(1_000)]},
        later={3.0: [AudioArrived(Stamp(CAP_MS, 0), SOUND), ended(CAP_MS)]},
    )
    dialogue = conversed(a_caller(), assistant)

    assert dialogue.failure is None
    assert dialogue.settlement == WorkSettlement(SettlementStatus.COMPLETED)
    assert (dialogue.extent_ms, dialogue.tracks.extent_ms) == (CAP_MS, CAP_MS)
    assert ended(CAP_MS) in dialogue.observations
    assert not dialogue.tracks.assistant.any()
    assert assistant.closed_at_s == pytest.approx(5.1, abs=0.05)


@pytest.mark.parametrize("side", Speaker)
def test_work_that_does_not_end_is_left_after_its_grace(side: Speaker) -> None:
    says = {1_000: [delegated(1_000)]}
    caller, assistant = (
        a_caller(says=says if side is CALLER else {}),
        Session(says=says if side is ASSISTANT else {}),
    )
    dialogue = conversed(caller, assistant)

    assert dialogue.failure is None
    assert dialogue.settlement == WorkSettlement(SettlementStatus.TIMED_OUT, (side,))
    assert assistant.closed_at_s == pytest.approx(7.1, abs=0.05)


def test_a_session_lost_during_the_grace_loses_no_conversation() -> None:
    assistant = Session(says={1_000: [delegated(1_000)]})

    def lose(_: asyncio.Task[Dialogue]) -> None:
        asyncio.get_running_loop().call_later(4.0, setattr, assistant, "_failure", CUT)

    dialogue = conversed(a_caller(), assistant, interrupted=lose)

    assert (dialogue.failure, dialogue.ending) == (None, Ending.DURATION_LIMIT)
    assert dialogue.settlement == WorkSettlement(SettlementStatus.ERROR, (ASSISTANT,))


def test_a_lost_session_has_nothing_to_wait_for() -> None:
    assistant = Session(says={400: [delegated(400)]}, lost=(500, CUT))
    dialogue = conversed(a_caller(), assistant)

    assert dialogue.settlement == WorkSettlement(SettlementStatus.NOT_STARTED)
    assert assistant.closed_at_s == pytest.approx(0.6, abs=0.05)


@pytest.mark.parametrize("side", Speaker)
def test_a_side_that_never_finalizes_is_named_and_the_other_is_closed(side: Speaker) -> None:
    stuck, sound = Session(closes_within_s=60), Session()
    caller, assistant = (
        (a_caller(closes_within_s=60), sound) if side is CALLER else (a_caller(), stuck)
    )
    dialogue = conversed(caller, assistant)
    component = Component.CALLER_CLOSE if side is CALLER else Component.ASSISTANT_CLOSE

    assert dialogue.cleanup is not None
    assert dialogue.failure is None
    assert dialogue.cleanup.finalized == tuple(one for one in Speaker if one is not side)
    assert (dialogue.cleanup.timed_out, dialogue.cleanup.unfinished) == ((component,), ())
    assert dialogue.cleanup.elapsed_us == 9_900_000


def test_a_close_without_figures_is_not_final() -> None:
    dialogue = conversed(a_caller(seconds=None), Session())

    assert dialogue.cleanup is not None
    assert dialogue.cleanup.finalized == (ASSISTANT,)
    assert dialogue.cleanup.status is CleanupStatus.ERROR


def test_what_goes_wrong_in_putting_away_never_replaces_the_failure() -> None:
    dialogue = conversed(a_caller(lost=(500, CUT)), Session(closes_within_s=60))

    assert dialogue.failure == Failure(Stage.CALLER_SIMULATION, f"the caller's session: {CUT}")
    assert dialogue.cleanup is not None
    assert dialogue.cleanup.status is CleanupStatus.TIMED_OUT


@pytest.mark.parametrize("times_s", [(1.0,), (1.0, 1.02, 1.05)], ids=["once", "again-and-again"])
def test_an_interrupt_still_closes_both(times_s: Sequence[float]) -> None:
    caller, assistant = a_caller(), Session()

    def cancel(task: asyncio.Task[Dialogue]) -> None:
        for at_s in times_s:
            asyncio.get_running_loop().call_later(at_s, task.cancel)

    with pytest.raises(asyncio.CancelledError):
        conversed(caller, assistant, interrupted=cancel)
    assert caller.closed_at_s == assistant.closed_at_s == pytest.approx(1.1, abs=0.01)


# words that never come


def streaming(until_ms: int, *, spoken_ms: int, words_ms: int | None) -> Session:
    """Sounds for one frame, and then carries silence; its words come at an instant, if ever."""
    says: dict[int, list[Observation]] = {
        now_ms: [AudioArrived(Stamp(now_ms, 0), SOUND if now_ms == spoken_ms else SILENCE)]
        for now_ms in range(FRAME_MS, until_ms + FRAME_MS, FRAME_MS)
    }
    if words_ms is not None:
        says[words_ms].append(a_caption(spoken_ms, spoken_ms + FRAME_MS, "Hello.", words_ms))
    return Session(says=says)


LOST_WORDS = Failure(
    Stage.CALLER_SIMULATION, "the caller's session: no words came of what it said since 0.1 s"
)


@pytest.mark.parametrize(
    ("duration_ms", "words_ms", "failure"),
    [
        pytest.param(10_080, None, None, id="for-less-than-ten-seconds-nobody-can-tell"),
        pytest.param(10_100, None, LOST_WORDS, id="for-ten-seconds-they-are-lost"),
        pytest.param(10_100, 10_100, None, id="and-are-not-where-they-came-at-last"),
    ],
)
def test_a_caller_whose_words_are_lost_is_no_failure_of_the_assistant(
    duration_ms: int, words_ms: int | None, failure: Failure | None
) -> None:
    """Without them nobody sees that a conversation is over, and its time runs out."""
    caller = streaming(duration_ms, spoken_ms=100, words_ms=words_ms)
    assistant = streaming(duration_ms, spoken_ms=500, words_ms=500)
    dialogue = conversed(caller, assistant, duration_ms=duration_ms)
    assert dialogue.failure == failure
    assert dialogue.ending is (Ending.DURATION_LIMIT if failure is None else Ending.FAILED)
