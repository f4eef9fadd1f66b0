"""The tool loop of managed delegation: when it answers the backend, and what it shows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from assistants.frontend.backend_events import (
    BackendError,
    BackendEvent,
    BackendMessage,
    OtherBackendEvent,
    OtherPart,
    OutputItemDone,
    OutputText,
    Refusal,
    ResponseCompleted,
    ResponseSnapshot,
)
from assistants.frontend.events import FunctionCallOutput, ResponseCreate, ResponseItemCreate
from assistants.responses.delegation import Command, ManagedWork
from shared.observability.observations import (
    BackendText,
    ContinuationRefused,
    Faulted,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    TokenUsage,
    ToolCalled,
    WorkContinued,
)
from shared.observability.reported_usage import ReportedUsage
from tests.support.builders import at
from tests.support.service_messages import (
    argument_stream,
    began,
    call,
    call_added,
    completed,
    failed,
    incomplete,
    message,
    reasoning,
)


@dataclass(frozen=True, slots=True)
class In:
    """An event under another delegation than ``d1``."""

    delegation_id: str | None
    event: BackendEvent


@dataclass(frozen=True, slots=True)
class Output:
    """The application has answered a call."""

    call_id: str
    text: str = "done"


type Step = BackendEvent | In | Output


class Desk:
    """Hands steps to the loop, one every millisecond, and notes after which what was sent."""

    def __init__(self) -> None:
        self.work = ManagedWork()
        self.seen: list[Observation] = []
        self.sent: list[tuple[int, list[str]]] = []
        self.commands: list[Command] = []
        self._steps = 0

    def take(self, *steps: Step) -> Desk:
        for step in steps:
            self._steps += 1
            self._take(step)
            for commands, continued in self.work.continuations(at(self._steps)):
                self.commands += commands
                self.sent.append((self._steps, [_brief(command) for command in commands]))
                self.seen.append(continued)
        return self

    def of[O: Observation](self, kind: type[O]) -> list[O]:
        return [seen for seen in self.seen if isinstance(seen, kind)]

    def _take(self, step: Step) -> None:
        match step:
            case Output(call_id=call_id, text=text):
                self.work.returned(call_id, text)
            case In(delegation_id=delegation_id, event=event):
                self.seen += self.work.receive(event, delegation_id, at(self._steps))
            case event:
                self.seen += self.work.receive(event, "d1", at(self._steps))


def _brief(command: Command) -> str:
    if isinstance(command, ResponseCreate):
        return "create"
    assert isinstance(command.item, FunctionCallOutput)
    return f"{command.item.call_id}={command.item.output}"


def played(*steps: Step) -> Desk:
    return Desk().take(*steps)


ANSWER = ["c1=done", "create"]
BOTH = ["c1=done", "c2=done", "create"]


@pytest.mark.parametrize(
    ("story", "sent"),
    [
        pytest.param(
            [began(), call(), completed(), Output("c1")],
            [(4, ANSWER)],
            id="an-output-after-the-completion-goes-at-once",
        ),
        pytest.param(
            [began(), call(), Output("c1"), completed()],
            [(4, ANSWER)],
            id="an-output-before-the-completion-waits-for-it",
        ),
        pytest.param(
            [began(), call("c1"), call("c2"), completed(), Output("c1"), Output("c2")],
            [(6, BOTH)],
            id="parallel-calls-are-answered-together-once",
        ),
        pytest.param(
            [began(), call("c1"), call("c2"), completed(), Output("c2"), Output("c1")],
            [(6, BOTH)],
            id="outputs-go-in-the-order-of-the-calls",
        ),
        pytest.param(
            [began(), call("c1"), Output("c1"), call("c2"), Output("c2"), completed()],
            [(6, BOTH)],
            id="a-call-answered-before-the-next-is-made-waits-too",
        ),
        pytest.param(
            [began(), call("c1"), call("c2"), completed(), Output("c1")],
            [],
            id="one-missing-output-holds-everything",
        ),
        pytest.param([began(), call(), Output("c1")], [], id="no-completion-no-answer"),
        pytest.param([began(), completed()], [], id="a-response-without-calls-needs-no-answer"),
        pytest.param([began(), message("hi"), completed()], [], id="a-message-needs-no-answer"),
        pytest.param(
            [began(), call(), completed(), completed(), Output("c1"), completed()],
            [(5, ANSWER)],
            id="a-repeated-completion-asks-nothing-twice",
        ),
        pytest.param(
            [began(), began(), call(), completed(), Output("c1")],
            [(5, ANSWER)],
            id="a-repeated-beginning-forgets-no-call",
        ),
        pytest.param(
            [began(), call(), completed(), Output("c1"), began()],
            [(4, ANSWER)],
            id="a-beginning-repeated-after-the-end-opens-nothing",
        ),
        pytest.param(
            [began(), call(), Output("c1", "first"), Output("c1", "second"), completed()],
            [(5, ["c1=first", "create"])],
            id="the-first-output-of-a-call-counts",
        ),
        pytest.param(
            [began(), call(), completed(), Output("c1"), Output("c1")],
            [(4, ANSWER)],
            id="a-late-second-output-is-not-sent",
        ),
        pytest.param(
            [began(), call(), completed(), Output("c1", "")],
            [(4, ["c1=", "create"])],
            id="an-empty-output-is-an-output",
        ),
        pytest.param(
            [began(), call(), call(), call(), completed(), Output("c1")],
            [(6, ANSWER)],
            id="a-call-delivered-three-times-is-one",
        ),
        pytest.param(
            [began(), call(status="incomplete"), completed(), Output("c1")],
            [],
            id="an-incomplete-call-is-none",
        ),
        pytest.param(
            [began(), call("c0", status="incomplete"), call("c1"), completed(), Output("c1")],
            [(5, ANSWER)],
            id="an-incomplete-call-beside-a-whole-one-is-none",
        ),
        pytest.param(
            [began(), call(status="in_progress"), call(), completed(), Output("c1")],
            [(5, ANSWER)],
            id="a-call-counts-from-when-it-is-complete",
        ),
        pytest.param(
            [began(), call(status=None), completed(), Output("c1")],
            [(4, ANSWER)],
            id="a-done-call-without-status-is-complete",
        ),
        pytest.param(
            [began(), call_added(), *argument_stream(), completed(), Output("c1")],
            [],
            id="added-items-and-argument-streams-are-no-calls",
        ),
        pytest.param(
            [began(), reasoning(), call_added(), *argument_stream(), call(), completed()],
            [],
            id="a-round-as-the-wire-shows-it-waits-for-the-tool",
        ),
        pytest.param(
            [began(), reasoning(), call(), completed(), Output("c1")],
            [(5, ANSWER)],
            id="a-reasoning-item-first-changes-nothing",
        ),
        pytest.param(
            [OtherBackendEvent(type="response.queued"), began(), call(), completed(), Output("c1")],
            [(5, ANSWER)],
            id="an-unknown-backend-event-changes-nothing",
        ),
        pytest.param(
            [began(), call(), failed(), Output("c1")], [], id="a-failed-response-is-not-answered"
        ),
        pytest.param(
            [began(), call(), Output("c1"), failed()], [], id="not-even-when-its-output-was-there"
        ),
        pytest.param(
            [began(), call(), incomplete(), Output("c1")],
            [],
            id="an-incomplete-response-is-not-answered",
        ),
        pytest.param(
            [began(), call(), failed(), completed(), Output("c1")],
            [],
            id="a-completion-after-the-failure-revives-nothing",
        ),
        pytest.param(
            [
                began(),
                call(),
                failed(),
                began("r2"),
                call("c2"),
                completed("r2"),
                Output("c1"),
                Output("c2"),
            ],
            [(8, ["c2=done", "create"])],
            id="a-late-output-of-a-failed-response-does-not-go-with-the-next",
        ),
        pytest.param(
            [
                began(),
                call(),
                completed(),
                Output("c1"),
                began("r2", after="r1"),
                call("c2"),
                completed("r2"),
                Output("c2"),
                began("r3", after="r2"),
                message("all done"),
                completed("r3"),
            ],
            [(4, ANSWER), (8, ["c2=done", "create"])],
            id="rounds-follow-one-another",
        ),
        pytest.param(
            [began(), call(), completed(), Output("c1"), began("r2"), call(), completed("r2")],
            [(4, ANSWER)],
            id="a-call-repeated-in-the-next-round-is-not-run-again",
        ),
        pytest.param([Output("c9")], [], id="an-output-nobody-asked-for"),
        pytest.param([call(), Output("c1")], [], id="a-call-outside-any-response"),
        pytest.param(
            [completed(), call(), Output("c1")], [], id="a-completion-of-something-unknown"
        ),
        pytest.param(
            [began(), completed(), call(), Output("c1")],
            [],
            id="a-call-after-the-completion-belongs-to-nothing",
        ),
    ],
)
def test_the_backend_is_answered(story: list[Step], sent: list[tuple[int, list[str]]]) -> None:
    assert played(*story).sent == sent


@pytest.mark.parametrize(
    ("story", "sent"),
    [
        pytest.param(
            [
                began("r1"),
                In("d2", began("r2")),
                call("c1"),
                In("d2", call("c2")),
                In("d2", completed("r2")),
                Output("c1"),
                Output("c2"),
                completed("r1"),
            ],
            [(7, ["c2=done", "create"]), (8, ANSWER)],
            id="two-delegations-at-once-are-answered-apart",
        ),
        pytest.param(
            [
                In("d2", began("r2")),
                began("r1"),
                In("d2", call("c2")),
                call("c1"),
                completed("r1"),
                In("d2", completed("r2")),
                Output("c2"),
                Output("c1"),
            ],
            [(7, ["c2=done", "create"]), (8, ANSWER)],
            id="a-call-belongs-to-the-response-of-its-delegation-not-to-the-newest",
        ),
        pytest.param(
            [In(None, began()), In(None, call()), In(None, completed()), Output("c1")],
            [(4, ANSWER)],
            id="without-delegation-ids-the-open-response-is-meant",
        ),
        pytest.param(
            [began("r1"), began("r2"), In(None, call("c2")), completed("r2"), Output("c2")],
            [(5, ["c2=done", "create"])],
            id="without-delegation-ids-the-newest-open-response-is-meant",
        ),
        pytest.param(
            [
                began("r1"),
                began("r2"),
                completed("r2"),
                In(None, call("c1")),
                completed("r1"),
                Output("c1"),
            ],
            [(6, ANSWER)],
            id="the-newest-that-is-still-open",
        ),
        pytest.param(
            [began("r1"), In("d2", call("c1")), completed("r1"), Output("c1")],
            [],
            id="a-call-of-a-delegation-without-response-is-not-anothers",
        ),
    ],
)
def test_delegations_side_by_side(story: list[Step], sent: list[tuple[int, list[str]]]) -> None:
    assert played(*story).sent == sent


def test_an_answer_is_whole_and_its_ids_are_unique_in_the_session() -> None:
    desk = played(
        began(),
        call("c1"),
        call("c2"),
        completed(),
        Output("c1", '{"ok":true}'),
        Output("c2"),
        began("r2"),
        call("c3"),
        completed("r2"),
        Output("c3"),
    )
    first = desk.commands[0]
    assert isinstance(first, ResponseItemCreate)
    assert first.item == FunctionCallOutput(call_id="c1", output='{"ok":true}')
    ids = [command.event_id for command in desk.commands]
    assert None not in ids
    assert len(set(ids)) == len(ids) == 5
    assert desk.of(WorkContinued) == [
        WorkContinued(at(6), "r1", "d1"),
        WorkContinued(at(10), "r2", "d1"),
    ]


@given(st.integers(1, 6), st.randoms(use_true_random=False))
def test_in_any_order_of_outputs_there_is_one_answer_and_it_is_in_the_order_of_the_calls(
    count: int, rng: random.Random
) -> None:
    calls = [f"c{number}" for number in range(count)]
    story = _interleaved(calls, rng)
    desk = played(began(), *story)
    expected = [*(f"{one}=done" for one in calls), "create"]
    assert desk.sent == [(len(story) + 1, expected)]


def _interleaved(calls: Sequence[str], rng: random.Random) -> list[Step]:
    """Calls in order, then the completion; each output anywhere after its call."""
    story: list[Step] = [*(call(one) for one in calls), completed()]
    for one in rng.sample(calls, len(calls)):
        made = story.index(call(one))
        story.insert(rng.randint(made + 1, len(story)), Output(one))
    return story


# What is seen


def test_a_call_is_seen_as_the_model_made_it_with_whose_it_is() -> None:
    desk = played(began(), call("c7", "book", '{"size": 2}'))
    assert desk.of(ToolCalled) == [
        ToolCalled(
            at(2),
            call_id="c7",
            name="book",
            raw_arguments='{"size": 2}',
            arguments={"size": 2},
            response_id="r1",
            delegation_id="d1",
        )
    ]


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        pytest.param("{}", {}, id="an-empty-object"),
        pytest.param(' {"a": null} ', {"a": None}, id="blanks-around"),
        pytest.param('{"a": {"b": [1.5]}}', {"a": {"b": [1.5]}}, id="depth"),
        pytest.param("", None, id="nothing"),
        pytest.param('{"a": 2} thanks', None, id="words-after"),
        pytest.param('query="x"', None, id="an-assignment"),
        pytest.param('{"a":1}{"b":2}', None, id="two-objects"),
        pytest.param('{"a": 2', None, id="cut-off"),
        pytest.param("{'a': 2}", None, id="single-quotes"),
        pytest.param('"Maya"', None, id="text"),
        pytest.param("null", None, id="null"),
        pytest.param("[]", None, id="a-list"),
        pytest.param("7", None, id="a-number"),
        pytest.param('{"a": NaN}', None, id="nan"),
        pytest.param('{"a": 1e999}', None, id="a-number-beyond-all"),
        pytest.param('{"a": 1, "a": 2}', None, id="a-key-twice"),
        pytest.param('{"a": "\\ud800"}', None, id="half-a-surrogate-pair"),
        pytest.param("[" * 10_000, None, id="ten-thousand-brackets"),
    ],
)
def test_arguments_are_one_sound_object_or_none(
    raw: str, arguments: dict[str, object] | None
) -> None:
    (seen,) = played(began(), call(arguments=raw)).of(ToolCalled)
    assert (seen.arguments, seen.raw_arguments) == (arguments, raw)


def test_a_broken_call_is_answered_like_any_other() -> None:
    desk = played(began(), call(arguments="oops"), completed(), Output("c1"))
    assert desk.sent == [(4, ANSWER)]


def test_a_call_delivered_again_is_seen_once_wherever_it_comes() -> None:
    desk = played(
        began(),
        call(),
        call(),
        completed(),
        call(),
        Output("c1"),
        call(),
        began("r2"),
        call(),
        call("c2"),
    )
    assert [seen.call_id for seen in desk.of(ToolCalled)] == ["c1", "c2"]
    assert desk.of(Faulted) == []


def test_a_call_that_belongs_to_no_response_is_a_fault_and_not_run() -> None:
    desk = played(call("c1", "book"), began(), completed(), call("c2", "book"))
    assert desk.of(ToolCalled) == []
    assert [(seen.kind, seen.stamp.media_ms) for seen in desk.of(Faulted)] == [
        ("call_without_response", 1),
        ("call_without_response", 4),
    ]


def test_a_response_is_seen_to_begin_once_and_to_end_once() -> None:
    desk = played(
        began(),
        began(),
        completed(),
        completed(),
        failed(),
        began(),
        began("r2", after="r1"),
        incomplete("r2", reason="max_output_tokens"),
    )
    assert desk.of(ResponseBegan) == [
        ResponseBegan(at(1), "r1", "d1", None),
        ResponseBegan(at(7), "r2", "d1", "r1"),
    ]
    assert [(seen.response_id, seen.status) for seen in desk.of(ResponseEnded)] == [
        ("r1", ResponseStatus.COMPLETED),
        ("r2", ResponseStatus.INCOMPLETE),
    ]


def test_an_end_without_a_beginning_is_seen() -> None:
    (end,) = played(In("d9", completed("r9"))).of(ResponseEnded)
    assert (end.response_id, end.delegation_id) == ("r9", "d9")


@pytest.mark.parametrize(
    ("event", "detail"),
    [
        pytest.param(completed(), None, id="nothing-when-it-completed"),
        pytest.param(failed(), None, id="nothing-when-nothing-is-said"),
        pytest.param(
            failed(fault=BackendError(code="server_error", message="it broke")),
            "server_error: it broke",
            id="code-and-message",
        ),
        pytest.param(failed(fault=BackendError(message="it broke")), "it broke", id="no-code"),
        pytest.param(failed(fault=BackendError(code="oops")), "oops", id="no-message"),
        pytest.param(failed(fault=BackendError()), None, id="neither"),
        pytest.param(
            incomplete(reason="max_output_tokens"), "max_output_tokens", id="why-incomplete"
        ),
        pytest.param(incomplete(), None, id="incomplete-without-reason"),
    ],
)
def test_the_detail_of_an_end_is(event: BackendEvent, detail: str | None) -> None:
    (end,) = played(began(), event).of(ResponseEnded)
    assert end.detail == detail


@pytest.mark.parametrize(
    ("event", "code"),
    [
        pytest.param(completed(), None, id="nothing-when-it-completed"),
        pytest.param(failed(fault=BackendError(code="oops", message="!")), "oops", id="its-own"),
        pytest.param(failed(fault=BackendError(message="!")), None, id="none-when-none-is-given"),
        pytest.param(incomplete(reason="why"), None, id="no-reason-is-a-code"),
    ],
)
def test_the_code_of_an_end_is(event: BackendEvent, code: str | None) -> None:
    (end,) = played(began(), event).of(ResponseEnded)
    assert end.code == code


@pytest.mark.parametrize(
    ("given", "usage"),
    [
        pytest.param(None, None, id="none-is-none"),
        pytest.param(
            ReportedUsage(total_tokens=430), TokenUsage(total_tokens=430), id="what-it-reports"
        ),
    ],
)
def test_the_tokens_of_a_response_are(
    given: ReportedUsage | None, usage: TokenUsage | None
) -> None:
    (end,) = played(began(), completed(tokens=given)).of(ResponseEnded)
    assert (end.usage, end.model) == (usage, "a-backend")


def test_a_completion_is_not_asked_what_was_in_it() -> None:
    item: dict[str, JsonValue] = {"type": "function_call", "call_id": "c1", "name": "book"}
    snapshot = ResponseSnapshot(id="r1", status="completed", output=(item,))
    desk = played(began(), ResponseCompleted(response=snapshot, sequence_number=6), Output("c1"))
    assert (desk.of(ToolCalled), desk.sent) == ([], [])


def test_a_message_is_joined_letter_for_letter_and_seen_once() -> None:
    parts = (OutputText(text="Booked "), OtherPart(type="image"), Refusal(refusal=" for two."))
    item = BackendMessage(id="msg_1", content=parts)
    spoken = OutputItemDone(output_index=0, item=item, sequence_number=7)
    assert played(began(), spoken, spoken).of(BackendText) == [
        BackendText(
            at(2), response_id="r1", delegation_id="d1", item_id="msg_1", text="Booked  for two."
        )
    ]


def test_a_message_outside_any_response_is_seen_without_one() -> None:
    (seen,) = played(In(None, message("hello"))).of(BackendText)
    assert (seen.response_id, seen.delegation_id, seen.text) == (None, None, "hello")


# What is refused, and ids that come again


@pytest.mark.parametrize(
    ("story", "named", "is_handoff", "refused"),
    [
        pytest.param([began()], None, True, ["r1"], id="the-one-that-runs"),
        pytest.param(
            [began(), call(), completed(), Output("c1")], None, True, ["r1"], id="the-one-continued"
        ),
        pytest.param(
            [began(), call(), completed(), Output("c1"), began("r2", "r1")],
            None,
            True,
            ["r2"],
            id="its-successor-once-that-runs",
        ),
        pytest.param(
            [began(), call(), completed(), Output("c1"), began("r2")],
            None,
            True,
            ["r2"],
            id="a-successor-of-the-same-delegation-that-names-none",
        ),
        pytest.param([began(), completed()], None, True, [], id="nothing-waits"),
        pytest.param(
            [began(), In("d2", began("r2"))], None, True, [], id="anybodys-of-two-is-nobodys"
        ),
        pytest.param(
            [began(), call(), completed(), Output("c1"), In("d2", began("r2"))],
            None,
            True,
            [],
            id="another-delegation-is-no-successor",
        ),
        pytest.param(
            [
                In("d2", began()),
                In("d2", call()),
                In("d2", completed()),
                Output("c1"),
                began("r2"),
            ],
            None,
            True,
            [],
            id="not-even-one-whose-id-comes-before",
        ),
        pytest.param([began()], None, False, [], id="an-error-that-names-nothing"),
        pytest.param([began()], "append_1", False, [], id="an-error-about-another-command"),
        pytest.param(
            [began(), call(), completed(), Output("c1")],
            "continue_r1",
            False,
            ["r1"],
            id="the-request-to-go-on",
        ),
        pytest.param(
            [began(), call(), completed(), Output("c1")], "output_c1", False, ["r1"], id="an-output"
        ),
    ],
)
def test_an_error_ends(
    story: list[Step], named: str | None, is_handoff: bool, refused: list[str]
) -> None:
    desk = played(*story)
    first = list(desk.work.refused(named, at(99), is_handoff=is_handoff))
    again = list(desk.work.refused(named, at(99), is_handoff=is_handoff))
    ended = [one.response_id for one in first if isinstance(one, ContinuationRefused)]
    assert (ended, again) == (refused, [])


def test_a_refused_round_is_not_answered_any_more() -> None:
    desk = played(began(), call(), completed())
    assert [*desk.work.refused(None, at(9), is_handoff=True)]  # nothing else was waited for
    desk.take(Output("c1"))
    assert desk.sent == []


@pytest.mark.parametrize("item_id", ["aa_1", "zz_1"])
def test_a_second_item_under_a_call_id_is_a_fault_and_runs_nothing(item_id: str) -> None:
    desk = played(began(), call("c1"), call("c1", arguments='{"n": 2}', item_id=item_id))
    assert [one.call_id for one in desk.seen if isinstance(one, ToolCalled)] == ["c1"]
    (fault,) = [one for one in desk.seen if isinstance(one, Faulted)]
    assert (fault.kind, fault.detail) == ("call_id_reused", "call c1 of look_up")


@pytest.mark.parametrize(
    "outputs",
    [
        pytest.param([Output("c1")], id="that-had-its-answer"),
        pytest.param([], id="that-is-still-at-work"),
    ],
)
def test_a_later_response_that_reuses_an_id_gets_the_one_output(outputs: list[Step]) -> None:
    desk = played(began(), call("c1"), call("c2"), completed(), *outputs, Output("c2"))
    desk.take(In("d2", began("r2")), In("d2", call("c1", item_id="fc_9")))
    desk.take(In("d2", completed("r2")))
    if not outputs:
        desk.take(Output("c1"))
    answered = [one for _, sent in desk.sent for one in sent]
    assert answered == ["c1=done", "c2=done", "create", "c1=done", "create"]
    assert [one.call_id for one in desk.seen if isinstance(one, ToolCalled)] == ["c1", "c2"]
