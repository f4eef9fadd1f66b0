"""One session from the client's side: its states as stories, and what each message makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistants.frontend.events import (
    CommentaryAppend,
    FunctionCallOutput,
    InputAudioAppend,
    ResponseCreate,
    ResponseItemCreate,
    SessionClose,
    SessionStart,
    ThinkingAppend,
    decode_audio,
    parse_client_event,
)
from assistants.frontend.intake import IntakeLimits
from assistants.frontend.protocol import Deadlines, LiveSession, State
from assistants.responses.delegation import ManagedWork
from assistants.tool_result import ToolResult
from shared.clock import Stamp
from shared.errors import Stage
from shared.observability.delegation import WorkState
from shared.observability.observations import (
    AppendIntent,
    Caption,
    CommandRejected,
    ConnectionLost,
    ContextSent,
    ContinuationRefused,
    DelegationBegan,
    Faulted,
    Observation,
    SessionOpened,
    Speaker,
    ToolCalled,
    ToolReturned,
    ToolStatus,
    UsageReported,
    WorkContinued,
)
from shared.observability.observations import SessionClosed as SessionEnded
from shared.participant import AudioArrived, CloseRequest
from shared.values import JsonValue
from tests.support.far_end import responses_work
from tests.support.sdk_types import check_client
from tests.support.service_messages import (
    audio,
    backend,
    began,
    call,
    closed,
    completed,
    delegated,
    error,
    heard,
    said,
    started,
    usage,
)

FRAME = bytes(960)
START_US, CLOSE_US = 7_000_000, 3_000_000
NORMAL = CloseRequest(1000)


class Line:
    """A session, a service that says what it is told to, and a wall clock that is set by hand."""

    def __init__(self, limits: IntakeLimits | None = None) -> None:
        self.session = LiveSession(
            responses_work("look_up"), ManagedWork(), Deadlines(START_US, CLOSE_US), limits
        )
        self.now_us = 0
        self.sent: list[str] = []
        self.seen: list[Observation] = []

    def play(self, *steps: Step) -> Line:
        for step in steps:
            if isinstance(step, str | bytes):
                self.session.receive(step, self.now_us)
            else:
                step(self)
            self.sent += self.session.messages_to_send()
            self.seen += self.session.observed()
        return self

    def of[O: Observation](self, kind: type[O]) -> list[O]:
        return [seen for seen in self.seen if isinstance(seen, kind)]

    def sent_of[E](self, kind: type[E]) -> list[E]:
        events = [parse_client_event(text) for text in self.sent]
        return [event for event in events if isinstance(event, kind)]


type Step = str | bytes | Callable[[Line], None]


def _start(line: Line) -> None:
    line.session.start(line.now_us)


def _close(line: Line) -> None:
    line.session.close(line.now_us)


def _cut(line: Line) -> None:
    line.session.receive_eof(1006, line.now_us)


def hears(frame: bytes = FRAME, times: int = 1) -> Step:
    def step(line: Line) -> None:
        for _ in range(times):
            line.session.hear(frame)

    return step


def waits(duration_us: int) -> Step:
    """Let wall time pass and wake the session then, whether or not it asked."""

    def step(line: Line) -> None:
        line.now_us += duration_us
        line.session.wake(line.now_us)

    return step


def returns(call_id: str = "c1", output: JsonValue = None) -> Step:
    """The tool of a call that was seen has ended."""

    def step(line: Line) -> None:
        (made,) = [seen for seen in line.of(ToolCalled) if seen.call_id == call_id]
        result = ToolResult(ToolStatus.COMPLETED, output or {"ok": True}, {"rows": 1})
        line.session.returned(made, result, line.now_us)

    return step


START, CLOSE, CUT = _start, _close, _cut
UNANSWERED_START = waits(START_US)
UNANSWERED_CLOSE = waits(CLOSE_US)
STARTED, ERROR, CLOSED = started(), error(), closed()
ACTIVE = (START, STARTED)


@pytest.mark.parametrize(
    ("story", "state", "stage", "request_"),
    [
        pytest.param([], State.IDLE, None, None, id="nothing-has-happened"),
        pytest.param([START], State.STARTING, None, None, id="it-was-asked-to-start"),
        pytest.param([START, STARTED], State.ACTIVE, None, None, id="it-started"),
        pytest.param(
            [START, ERROR], State.CLOSED, Stage.SESSION_START, NORMAL, id="the-start-was-refused"
        ),
        pytest.param(
            [START, CLOSED],
            State.CLOSED,
            Stage.SESSION_START,
            NORMAL,
            id="the-service-closed-it-before-it-started",
        ),
        pytest.param(
            [START, CUT],
            State.CLOSED,
            Stage.SESSION_START,
            None,
            id="the-connection-was-lost-before-it-started",
        ),
        pytest.param(
            [START, waits(START_US - 1)], State.STARTING, None, None, id="a-start-still-has-time"
        ),
        pytest.param(
            [START, UNANSWERED_START],
            State.CLOSED,
            Stage.SESSION_START,
            NORMAL,
            id="a-start-unanswered-at-its-deadline",
        ),
        pytest.param(
            [START, waits(START_US + 1)],
            State.CLOSED,
            Stage.SESSION_START,
            NORMAL,
            id="a-start-unanswered-when-its-deadline-was-missed",
        ),
        pytest.param(
            [START, waits(START_US - 1), STARTED, UNANSWERED_START],
            State.ACTIVE,
            None,
            None,
            id="a-start-answered-at-the-last-moment",
        ),
        pytest.param([*ACTIVE, UNANSWERED_START], State.ACTIVE, None, None, id="silence-ends-none"),
        pytest.param([*ACTIVE, ERROR], State.ACTIVE, None, None, id="a-command-was-refused"),
        pytest.param([*ACTIVE, STARTED], State.ACTIVE, None, None, id="it-is-said-to-start-again"),
        pytest.param(
            [*ACTIVE, CUT],
            State.CLOSED,
            Stage.RESPONSE_COLLECTION,
            None,
            id="the-connection-was-lost-while-it-ran",
        ),
        pytest.param(
            [*ACTIVE, CLOSED],
            State.CLOSED,
            Stage.RESPONSE_COLLECTION,
            NORMAL,
            id="the-service-closed-it-while-it-ran",
        ),
        pytest.param([*ACTIVE, CLOSE], State.CLOSING, None, None, id="it-was-asked-to-close"),
        pytest.param([*ACTIVE, CLOSE, CLOSE], State.CLOSING, None, None, id="it-was-asked-twice"),
        pytest.param([*ACTIVE, CLOSE, CLOSED], State.CLOSED, None, NORMAL, id="it-closed"),
        pytest.param(
            [*ACTIVE, CLOSE, CUT], State.CLOSED, None, None, id="the-connection-ended-instead"
        ),
        pytest.param(
            [*ACTIVE, CLOSE, waits(CLOSE_US - 1)], State.CLOSING, None, None, id="a-close-has-time"
        ),
        pytest.param(
            [*ACTIVE, CLOSE, UNANSWERED_CLOSE],
            State.CLOSED,
            None,
            NORMAL,
            id="a-close-unanswered-at-its-deadline",
        ),
        pytest.param([*ACTIVE, CLOSE, ERROR], State.CLOSING, None, None, id="an-error-at-the-end"),
        pytest.param([*ACTIVE, CLOSE, STARTED], State.CLOSING, None, None, id="a-late-start"),
        pytest.param([CLOSE], State.CLOSED, None, NORMAL, id="it-was-closed-before-anything"),
        pytest.param([START, CLOSE], State.CLOSED, None, NORMAL, id="a-start-was-called-off"),
        pytest.param([CUT], State.CLOSED, None, None, id="there-never-was-a-connection"),
        pytest.param(
            [*ACTIVE, CLOSE, CLOSED, CUT],
            State.CLOSED,
            None,
            NORMAL,
            id="the-socket-ends-after-the-close-as-it-may",
        ),
        pytest.param(
            [*ACTIVE, CLOSE, CLOSED, CLOSE, ERROR, STARTED, UNANSWERED_CLOSE],
            State.CLOSED,
            None,
            NORMAL,
            id="nothing-reopens-what-is-closed",
        ),
        pytest.param(
            [START, ERROR, STARTED, CUT, CLOSE],
            State.CLOSED,
            Stage.SESSION_START,
            NORMAL,
            id="nothing-mends-a-refused-start",
        ),
        pytest.param(
            [*ACTIVE, CUT, CLOSE, CLOSED],
            State.CLOSED,
            Stage.RESPONSE_COLLECTION,
            None,
            id="nothing-mends-a-lost-connection",
        ),
    ],
)
def test_a_session_where(
    story: Sequence[Step], state: State, stage: Stage | None, request_: CloseRequest | None
) -> None:
    session = Line().play(*story).session
    assert session.state is state
    assert (session.failure.stage if session.failure else None) is stage
    assert session.closing() == request_
    assert (session.wakes_at() is not None) is (state in {State.STARTING, State.CLOSING})


@pytest.mark.parametrize(
    "story", [[START], [*ACTIVE], [CLOSE]], ids=["starting", "active", "closed"]
)
def test_a_session_starts_only_once(story: Sequence[Step]) -> None:
    line = Line().play(*story)
    with pytest.raises(RuntimeError, match="cannot start"):
        line.play(START)


@pytest.mark.parametrize(
    ("story", "message"),
    [
        pytest.param(
            [START, error("credit_balance_exhausted", "no credit")],
            "credit_balance_exhausted: no credit",
            id="a-refusal-with-its-code",
        ),
        pytest.param(
            [START, error(None, "no such model")],
            "invalid_request_error: no such model",
            id="a-refusal-without-a-code",
        ),
        pytest.param([START, UNANSWERED_START], "no session.started within 7 s", id="no-answer"),
        pytest.param(
            [START, CUT],
            "connection lost before the session started (close code 1006)",
            id="lost-early",
        ),
        pytest.param(
            [*ACTIVE, CUT], "connection lost in mid-session (close code 1006)", id="lost-later"
        ),
        pytest.param([*ACTIVE, closed("expired")], "closed by the provider (expired)", id="expiry"),
    ],
)
def test_a_failure_says_why(story: Sequence[Step], message: str) -> None:
    assert str(Line().play(*story).session.failure) == message


# What it sends


def test_the_start_is_the_first_message_and_the_only_one_until_it_is_answered() -> None:
    line = Line().play(START, hears(), waits(1_000_000), hears())
    (start,) = line.sent_of(SessionStart)
    assert start.event_id == "start"
    assert start.session == responses_work("look_up")
    assert len(line.sent) == 1


@pytest.mark.parametrize(
    ("story", "frames"),
    [
        pytest.param([hears()], 0, id="before-the-start"),
        pytest.param([START, hears()], 0, id="while-it-starts"),
        pytest.param([*ACTIVE, hears(), hears()], 2, id="while-it-runs"),
        pytest.param([*ACTIVE, hears(), ERROR, hears()], 2, id="after-a-refused-command"),
        pytest.param([*ACTIVE, hears(), CLOSE, hears()], 1, id="after-it-was-asked-to-close"),
        pytest.param([*ACTIVE, hears(), CUT, hears()], 1, id="after-the-connection-was-lost"),
    ],
)
def test_audio_is_sent_only_while_the_session_runs(story: Sequence[Step], frames: int) -> None:
    assert len(Line().play(*story).sent_of(InputAudioAppend)) == frames


def test_audio_is_sent_as_it_is() -> None:
    frame = bytes(range(256)) * 3 + bytes(192)
    (append,) = Line().play(*ACTIVE, hears(frame)).sent_of(InputAudioAppend)
    assert decode_audio(append.audio) == frame


@pytest.mark.parametrize("size", [1, 959, 961])
def test_a_frame_that_splits_a_sample_is_refused_and_nothing_is_sent(size: int) -> None:
    line = Line().play(*ACTIVE)
    with pytest.raises(ValueError, match="splits a sample"):
        line.session.hear(bytes(size))
    assert line.session.messages_to_send() == []


def test_the_close_is_asked_for_once() -> None:
    (close,) = Line().play(*ACTIVE, CLOSE, CLOSE, UNANSWERED_CLOSE, CLOSE).sent_of(SessionClose)
    assert close.event_id == "close"


@pytest.mark.parametrize(
    "story", [[CLOSE], [START, CLOSE], [*ACTIVE, CUT, CLOSE]], ids=["idle", "starting", "lost"]
)
def test_a_session_that_does_not_run_is_not_asked_to_close(story: Sequence[Step]) -> None:
    assert Line().play(*story).sent_of(SessionClose) == []


def test_the_deadlines_count_from_their_commands() -> None:
    line = Line().play(waits(START_US), START)
    assert line.session.wakes_at() == 2 * START_US
    line.play(STARTED)
    assert line.session.wakes_at() is None
    line.play(waits(100), CLOSE)
    assert line.session.wakes_at() == START_US + 100 + CLOSE_US


@pytest.mark.parametrize(
    "story",
    [
        pytest.param([], id="before-the-start"),
        pytest.param([START], id="while-it-starts"),
        pytest.param([*ACTIVE, CLOSE], id="while-it-closes"),
        pytest.param([*ACTIVE, CUT], id="after-the-end"),
    ],
)
def test_nothing_can_be_appended(story: Sequence[Step]) -> None:
    line = Line().play(*story)
    with pytest.raises(RuntimeError, match="cannot append"):
        line.session.append(AppendIntent.THINKING, "a hint", 0)
    assert line.session.messages_to_send() == []


def test_a_start_without_answer_says_how_long_it_was_waited_for() -> None:
    session = LiveSession(responses_work(), ManagedWork(), Deadlines(1_500_000, CLOSE_US))
    session.start(0)
    session.wake(1_500_000)
    assert str(session.failure) == "no session.started within 1.5 s"


def test_appends_are_numbered_through_the_session() -> None:
    def append(line: Line) -> None:
        line.session.append(AppendIntent.COMMENTARY, f"{'a' * 400}. {'b' * 400}.", 7, "d1")

    appends = Line().play(*ACTIVE, append, append).sent_of(CommentaryAppend)
    assert [one.event_id for one in appends] == [f"append_{number}" for number in (1, 2, 3, 4)]
    assert {one.delegation_id for one in appends} == {"d1"}


def test_every_append_is_on_record_as_it_was_sent() -> None:
    def append(line: Line) -> None:
        line.session.append(AppendIntent.THINKING, f"{'a' * 400}. {'b' * 400}.", 7, "d1")

    line = Line().play(*ACTIVE, append)
    recorded = line.of(ContextSent)
    sent = line.sent_of(ThinkingAppend)
    assert [(one.client_event_id, one.text, one.delegation_id) for one in recorded] == [
        (one.event_id, one.content, one.delegation_id) for one in sent
    ]
    assert {(one.intent, one.stamp.wall_us) for one in recorded} == {(AppendIntent.THINKING, 7)}


def test_unless_told_otherwise_a_start_has_20_s_and_a_close_15() -> None:
    session = LiveSession(responses_work(), ManagedWork())
    session.start(0)
    assert session.wakes_at() == 20_000_000
    session.receive(STARTED, 0)
    session.close(0)
    assert session.wakes_at() == 15_000_000


# Where things lie


@pytest.mark.parametrize(
    ("frames", "media_ms"),
    [
        pytest.param(0, 0, id="before-any-frame"),
        pytest.param(1, 20, id="the-first"),
        pytest.param(7, 140, id="the-seventh"),
    ],
)
def test_what_answers_a_frame_lies_at_that_frames_end(frames: int, media_ms: int) -> None:
    line = Line().play(*ACTIVE, waits(5), hears(times=frames), audio(b"\1\0"))
    assert line.of(AudioArrived) == [AudioArrived(Stamp(media_ms, 5), b"\1\0")]


def test_media_positions_are_whole() -> None:
    line = Line().play(*ACTIVE, hears(), said("Hello"))
    assert [type(seen.stamp.media_ms) for seen in line.of(Caption)] == [int]


def test_media_time_stands_still_once_nobody_is_sent_audio() -> None:
    line = Line().play(*ACTIVE, hears(times=3), CLOSE, hears(times=3), said("bye"))
    assert line.of(Caption)[0].stamp.media_ms == 60


def test_a_millisecond_counts_once_it_is_whole() -> None:
    line = Line().play(*ACTIVE, hears(bytes(23 * 2)), ERROR, hears(bytes(2)), error("another"))
    assert [seen.stamp.media_ms for seen in line.of(CommandRejected)] == [0, 1]


def test_a_delegation_lies_where_it_was_received_and_keeps_the_services_offset() -> None:
    line = Line().play(*ACTIVE, hears(times=100), delegated("d1", offset_ms=400, response_id="r1"))
    assert line.of(DelegationBegan) == [
        DelegationBegan(Stamp(2_000, 0, 400), "d1", "responses", "r1")
    ]


def test_a_caption_keeps_its_words_and_its_span_letter_for_letter() -> None:
    line = Line().play(*ACTIVE, hears(), said("Book", 200, 400), said(" a", 400, 600), heard(""))
    assert line.of(Caption) == [
        Caption(Stamp(20, 0, 200), Speaker.ASSISTANT, "Book", 200, 400),
        Caption(Stamp(20, 0, 400), Speaker.ASSISTANT, " a", 400, 600),
        Caption(Stamp(20, 0, 0), Speaker.CALLER, "", 0, 200),
    ]


# What it makes of messages


def test_a_start_is_seen_with_its_session() -> None:
    assert Line().play(*ACTIVE).seen == [SessionOpened(Stamp(0, 0), "live_1", "gpt-live-1")]


def test_a_second_start_is_a_fault() -> None:
    assert Line().play(*ACTIVE, started("another")).of(Faulted) == [
        Faulted(Stamp(0, 0), "started_again", "live_1")
    ]


@pytest.mark.parametrize(
    ("story", "kinds"),
    [
        pytest.param([said("No"), said("No")], [Caption], id="a-copy-of-a-caption-is-no-news"),
        pytest.param(
            [said("No"), said("No", 200, 400)], [Caption, Caption], id="a-word-said-twice-is-two"
        ),
        pytest.param([usage(3), usage(3)], [UsageReported], id="a-copy-of-a-usage"),
        pytest.param([usage(3), usage(4), usage(3)], [UsageReported] * 2, id="a-late-copy"),
        pytest.param([audio(b"\1\0")] * 2, [AudioArrived] * 2, id="equal-audio-is-two-pieces"),
        pytest.param(["{", "{"], [Faulted, Faulted], id="what-is-no-event-has-no-copy"),
    ],
)
def test_the_very_same_event_counts_once(story: Sequence[Step], kinds: list[type]) -> None:
    line = Line().play(*ACTIVE)
    line.seen.clear()
    assert [type(seen) for seen in line.play(*story).seen] == kinds


@pytest.mark.parametrize(
    ("story", "seen", "is_over"),
    [
        pytest.param([audio(bytes(48))], [AudioArrived], False, id="as-far-ahead-as-may-be"),
        pytest.param([audio(bytes(50))], [AudioArrived], False, id="part-of-a-millisecond-more"),
        pytest.param([audio(bytes(96))], [AudioArrived], True, id="1-ms-too-far-ahead"),
        pytest.param(
            [hears(bytes(48)), audio(bytes(96))],
            [AudioArrived],
            False,
            id="time-allows-it",
        ),
        pytest.param([usage(1), usage(2)], [UsageReported] * 2, False, id="as-many-as-may-come"),
        pytest.param(
            [usage(1), usage(2), usage(3)], [UsageReported] * 2, True, id="one-message-too-many"
        ),
        pytest.param(["x" * 1_000], [Faulted], True, id="too-much-text"),
    ],
)
def test_what_comes_in_is_bounded(
    story: Sequence[Step], seen: list[type], *, is_over: bool
) -> None:
    line = Line(IntakeLimits(audio_lead_ms=1, messages=3, message_bytes=len(STARTED) + 400))
    line.play(*ACTIVE)
    line.seen.clear()
    line.play(*story)
    assert [type(one) for one in line.seen] == seen
    assert (line.session.state is State.CLOSED) is is_over
    assert line.session.closing() == (NORMAL if is_over else None)
    failure = line.session.failure
    assert (failure.stage if failure else None) is (Stage.RESPONSE_COLLECTION if is_over else None)


def test_nothing_is_taken_in_after_the_end() -> None:
    line = Line().play(*ACTIVE, CLOSE, CLOSED)
    line.seen.clear()
    assert line.play(audio(b"\1\0"), said("Hello"), usage(3), "{", b"", started("x")).seen == []


def test_a_refused_continuation_ends_the_work_that_waited_for_it() -> None:
    line = Line().play(
        *ACTIVE, delegated(), backend(began()), backend(call()), backend(completed())
    )
    line.play(returns())
    line.play(error("response_input_buffer_full", "full", client_event_id="continue_r1"))
    assert line.of(ContinuationRefused) == [ContinuationRefused(Stamp(0, 0), "r1", "d1")]
    assert not work_of(line).is_active


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        pytest.param("Responses handoff incomplete.", ["r1"], id="the-one-that-waits"),
        pytest.param("Responses handoff complete.", [], id="nothing-if-its-words-are-others"),
        pytest.param("Something went wrong.", [], id="nothing-though-its-words-come-later"),
    ],
)
def test_an_error_that_names_no_command_ends(text: str, refused: list[str]) -> None:
    line = Line().play(*ACTIVE, delegated(), backend(began()), error(None, text))
    assert [seen.response_id for seen in line.of(ContinuationRefused)] == refused


def work_of(line: Line) -> WorkState:
    work = WorkState()
    for seen in line.seen:
        work.observe(seen)
    return work


def test_an_error_in_mid_session_is_a_refused_command_and_the_rest_is_still_heard() -> None:
    story = [audio(b"\1\0"), error("moderation_x", "cut", param="content"), audio(b"\2\0")]
    line = Line().play(*ACTIVE, *story, CLOSE, closed())
    assert line.of(CommandRejected) == [
        CommandRejected(Stamp(0, 0), "moderation_x", "cut", "content", None)
    ]
    assert [seen.samples for seen in line.of(AudioArrived)] == [b"\1\0", b"\2\0"]
    assert line.session.failure is None


@pytest.mark.parametrize("inside", [True, False], ids=["in-the-detail", "beside-it"])
def test_a_refusal_names_its_command(inside: bool) -> None:
    message: dict[str, Any] = json.loads(error())
    (message["error"] if inside else message)["client_event_id"] = "output_c1"
    (seen,) = Line().play(*ACTIVE, json.dumps(message)).of(CommandRejected)
    assert seen.client_event_id == "output_c1"


def test_usage_is_seen_as_the_service_counts_it() -> None:
    line = Line().play(*ACTIVE, usage(15), usage(30.5), CLOSE, closed(seconds=31))
    assert [seen.seconds for seen in line.of(UsageReported)] == [15, 30.5]
    assert [(seen.reason, seen.seconds) for seen in line.of(SessionEnded)] == [
        ("close_requested", 31)
    ]


def test_a_close_without_usage_is_a_close_of_unknown_length() -> None:
    line = Line().play(*ACTIVE, CLOSE, closed(seconds=None))
    assert [seen.seconds for seen in line.of(SessionEnded)] == [None]
    assert line.session.state is State.CLOSED


@pytest.mark.parametrize(
    ("seconds", "known"),
    [
        pytest.param(0, 0, id="none-at-all"),
        pytest.param(-1, None, id="less-than-none"),
        pytest.param(1_000_000, 1_000_000, id="the-longest-session"),
        pytest.param(1_000_001, None, id="longer-than-any-session"),
        pytest.param(1e308, None, id="more-than-milliseconds-can-hold"),
    ],
)
def test_final_usage_is_known_where_a_session_can_have_lasted(
    seconds: float, known: float | None
) -> None:
    line = Line().play(*ACTIVE, CLOSE, closed(seconds=seconds))
    assert [seen.seconds for seen in line.of(SessionEnded)] == [known]


def test_usage_beyond_any_number_is_a_fault_and_no_obstacle_to_the_close() -> None:
    absurd = usage(15).replace("15", "1" + "0" * 400)
    ending = closed(seconds=15).replace("15", "1" + "0" * 400)
    line = Line().play(*ACTIVE, absurd, CLOSE, ending)
    assert [seen.kind for seen in line.of(Faulted)] == ["wrong_value"]
    assert line.of(UsageReported) == []
    assert [seen.seconds for seen in line.of(SessionEnded)] == [None]
    assert line.session.state is State.CLOSED


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        pytest.param(b"\0\1", "binary_message", id="a-binary-message"),
        pytest.param("", "not_json", id="an-empty-message"),
        pytest.param("{", "not_json", id="broken-json"),
        pytest.param('{"type": "x", "a": "\\ud800"}', "not_json", id="half-a-surrogate-pair"),
        pytest.param("[" * 100_000, "not_json", id="bottomless-json"),
        pytest.param("[]", "not_an_object", id="a-list"),
        pytest.param('"text"', "not_an_object", id="text"),
        pytest.param("{}", "missing_field", id="no-type"),
        pytest.param('{"type": "session.future_event"}', "unknown_event", id="an-unknown-event"),
        pytest.param('{"type": "session.output_audio.delta"}', "missing_field", id="no-delta"),
        pytest.param(
            '{"type": "session.output_audio.delta", "delta": 5}', "wrong_value", id="no-text"
        ),
        pytest.param(
            '{"type": "session.output_audio.delta", "delta": "é"}', "bad_audio", id="bad-base64"
        ),
        pytest.param(
            '{"type": "session.output_audio.delta", "delta": "AAA"}', "bad_audio", id="cut-base64"
        ),
        pytest.param(audio(b"\1\0\2"), "odd_audio", id="odd-audio"),
        pytest.param(audio(b"\1"), "odd_audio", id="half-a-sample"),
        pytest.param(backend(call()), "call_without_response", id="a-call-of-nothing"),
    ],
)
def test_a_message_that_means_nothing_is_a_fault_and_the_session_goes_on(
    message: str | bytes, kind: str
) -> None:
    line = Line().play(*ACTIVE, hears(), message, audio(b"\7\0"))
    assert [(seen.kind, seen.stamp.media_ms) for seen in line.of(Faulted)] == [(kind, 20)]
    assert line.of(AudioArrived)[-1].samples == b"\7\0"
    assert (line.session.state, line.session.failure) == (State.ACTIVE, None)


def test_of_odd_audio_the_whole_samples_are_kept() -> None:
    line = Line().play(*ACTIVE, audio(b"\1\0\2\0\3"), audio(b"\4"))
    assert [seen.samples for seen in line.of(AudioArrived)] == [b"\1\0\2\0"]
    assert [seen.detail for seen in line.of(Faulted)] == ["5 bytes", "1 bytes"]


def test_an_empty_piece_of_audio_is_nothing() -> None:
    assert Line().play(*ACTIVE, audio(b"")).seen[1:] == []


@pytest.mark.parametrize(
    "story",
    [
        pytest.param([START, audio(b"\1\0"), STARTED], id="before-the-start"),
        pytest.param([*ACTIVE, CLOSE, audio(b"\1\0")], id="after-the-close"),
        pytest.param([*ACTIVE, CLOSE, CLOSED, audio(b"\1\0")], id="after-the-end"),
    ],
)
def test_audio_out_of_session_is_not_heard(story: Sequence[Step]) -> None:
    assert Line().play(*story).of(AudioArrived) == []


def test_what_comes_before_the_start_is_noted_and_does_not_start_it() -> None:
    line = Line().play(START, said("Hello"), "{", usage(1))
    assert [seen.kind for seen in line.of(Faulted)] == ["before_start", "not_json", "before_start"]
    assert len(line.seen) == 3
    assert line.session.state is State.STARTING


@pytest.mark.parametrize(
    ("story", "losses"),
    [
        pytest.param([CUT], ["in state idle"], id="before-anything"),
        pytest.param([START, CUT], ["in state starting"], id="while-it-starts"),
        pytest.param([*ACTIVE, CUT], ["in state active"], id="while-it-runs"),
        pytest.param([*ACTIVE, CLOSE, CUT], ["in state closing"], id="while-it-closes"),
        pytest.param([*ACTIVE, CLOSE, CLOSED, CUT], [], id="never-after-the-end"),
        pytest.param([*ACTIVE, CUT, CUT], ["in state active"], id="only-once"),
    ],
)
def test_a_lost_connection_is_seen(story: Sequence[Step], losses: list[str]) -> None:
    lost = Line().play(*story).of(ConnectionLost)
    assert [seen.detail for seen in lost] == losses
    assert {seen.code for seen in lost} <= {1006}


def test_observations_come_in_the_order_of_receipt() -> None:
    line = Line().play(*ACTIVE, said("a"), "{", audio(b"\1\0"), ERROR, usage(1), CLOSE, CLOSED)
    kinds = [Caption, Faulted, AudioArrived, CommandRejected, UsageReported, SessionEnded]
    assert [type(seen) for seen in line.seen] == [SessionOpened, *kinds]


# Tools


ROUND = (backend(began()), backend(call("c1")), backend(call("c2", "book", "oops")))


def test_calls_are_handed_out_in_order_once() -> None:
    session = Line().play(*ACTIVE, *ROUND, backend(call("c1"))).session
    assert [made.call_id for made in session.calls_to_run()] == ["c1", "c2"]
    assert session.calls_to_run() == []


def test_a_round_is_answered_on_the_wire_once_all_of_it_is_there() -> None:
    line = Line().play(*ACTIVE, *ROUND, returns("c2", {"b": 1}), returns("c1", {"a": "é"}))
    assert len(line.sent) == 1
    line.play(hears(), backend(completed()))
    *_, first, second, create = [parse_client_event(text) for text in line.sent]
    assert isinstance(first, ResponseItemCreate)
    assert isinstance(second, ResponseItemCreate)
    assert first.item == FunctionCallOutput(call_id="c1", output='{"a":"é"}')
    assert second.item == FunctionCallOutput(call_id="c2", output='{"b":1}')
    assert isinstance(create, ResponseCreate)
    assert line.of(WorkContinued) == [WorkContinued(Stamp(20, 0), "r1", "d1")]


def test_the_sdk_could_have_sent_all_that_is_sent() -> None:
    line = Line().play(*ACTIVE, hears(), *ROUND, returns("c1"), returns("c2"))
    line.play(backend(completed()), CLOSE)
    kinds = [json.loads(text)["type"] for text in line.sent]
    assert kinds == [
        *("session.start", "session.input_audio.append", "response.item.create"),
        *("response.item.create", "response.create", "session.close"),
    ]
    for text in line.sent:
        check_client(json.loads(text))


def test_a_return_is_seen_where_it_came_with_the_state_right_after() -> None:
    line = Line().play(*ACTIVE, *ROUND, hears(), waits(3), returns("c1"))
    assert line.of(ToolReturned) == [
        ToolReturned(Stamp(20, 3), "c1", "look_up", ToolStatus.COMPLETED, {"ok": True}, {"rows": 1})
    ]


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param([CLOSE], id="after-the-close"),
        pytest.param([CLOSE, CLOSED], id="after-the-end"),
        pytest.param([CUT], id="after-the-connection"),
    ],
)
def test_a_return_that_comes_too_late_is_seen_but_not_sent(ending: Sequence[Step]) -> None:
    line = Line().play(
        *ACTIVE, backend(began()), backend(call()), backend(completed()), *ending, returns()
    )
    assert [seen.call_id for seen in line.of(ToolReturned)] == ["c1"]
    assert line.sent_of(ResponseItemCreate) == []
    assert line.sent_of(ResponseCreate) == []
    assert line.of(WorkContinued) == []


def test_a_call_after_the_close_is_a_fault_that_nobody_runs() -> None:
    line = Line().play(*ACTIVE, backend(began()), CLOSE, backend(call("c1")))
    assert line.session.calls_to_run() == []
    assert line.of(ToolCalled) == []
    assert [(seen.kind, seen.detail) for seen in line.of(Faulted)] == [
        ("late_call", "look_up after the close")
    ]


# Whatever comes, no message is an exception

NAMES = st.sampled_from(
    [
        *("type", "event_id", "delta", "start_ms", "end_ms", "session", "usage", "seconds"),
        *("error", "code", "message", "delegation", "id", "target", "offset_ms", "event"),
        *("response", "status", "item", "call_id", "arguments", "name", "sequence_number"),
    ]
)
TYPES = st.sampled_from(
    [json.loads(text)["type"] for text in (STARTED, ERROR, CLOSED, audio(b""), said(""), usage(1))]
    + ["session.delegation.created", "response.event", "response.created"]
    + ["response.output_item.done", "function_call", "message"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | TYPES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=6), max_size=4))
def test_no_json_is_an_exception(messages: list[dict[str, Any]]) -> None:
    Line().play(*ACTIVE, *(json.dumps(message) for message in messages))


@given(st.data())
def test_no_broken_field_of_a_real_message_is_an_exception(data: st.DataObject) -> None:
    whole = data.draw(
        st.sampled_from(
            [STARTED, ERROR, CLOSED, said("a"), usage(1), delegated(), *ROUND, backend(completed())]
        )
    )
    message: dict[str, Any] = json.loads(whole)
    part: Any = message
    while True:
        key = data.draw(st.sampled_from(sorted(part)))
        if not (isinstance(part[key], dict) and part[key] and data.draw(st.booleans())):
            break
        part = part[key]
    part[key] = data.draw(VALUES)
    Line().play(*ACTIVE, json.dumps(message))
