"""What a model is shown again: everything that was answered, and nothing that would be refused."""

from __future__ import annotations

from typing import Any

import pytest

from assistants.client.backend import WorkFailedError
from assistants.client.replay import NO_NEWS, Replay
from assistants.client.response_stream import Answer
from assistants.frontend.backend_events import FunctionCall
from assistants.frontend.events import FunctionCallOutput
from tests.support.streamed_responses import SEALED, a_call, a_message

BROKEN = "It broke off. Calls made:"


def said(text: str) -> dict[str, Any]:
    part = {"type": "input_text", "text": text}
    return {"type": "message", "role": "user", "content": [part]}


def output(call_id: str, text: str = '{"ok":true}') -> FunctionCallOutput:
    return FunctionCallOutput(call_id=call_id, output=text)


def sent(call_id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": '{"ok":true}'}


def asked(*call_ids: str) -> Answer:
    items = (SEALED, *(a_call(call_id) for call_id in call_ids))
    return Answer("resp", items, call_ids, "")


def told(text: str) -> Answer:
    return Answer("resp", (a_message(text),), (), text)


def begun(task: str = "The whole call.", news: str = "What is new.") -> Replay:
    replay = Replay(BROKEN)
    replay.begin(task, news)
    return replay


def test_a_task_begins_with_its_own_words() -> None:
    assert begun().items == [said("The whole call.")]


def test_a_round_is_its_items_and_then_its_outputs() -> None:
    replay = begun()
    replay.answered(asked("c1", "c2"), [output("c1"), output("c2")])
    assert replay.items[1:] == [SEALED, a_call("c1"), a_call("c2"), sent("c1"), sent("c2")]


def test_what_was_said_meanwhile_comes_after_the_outputs() -> None:
    replay = begun()
    replay.answered(asked("c1"), [output("c1")])
    replay.amend("")
    replay.amend("At eight, I meant.")
    assert replay.items[-2:] == [sent("c1"), said("At eight, I meant.")]


def test_of_a_finished_task_its_news_and_its_rounds_stay() -> None:
    replay = begun()
    replay.answered(asked("c1"), [output("c1")])
    replay.answered(told("It is done."), [])
    replay.end()
    replay.begin("The longer call.", "More.")
    assert replay.items == [
        said("What is new."),
        SEALED,
        a_call("c1"),
        sent("c1"),
        a_message("It is done."),
        said("The longer call."),
    ]


def test_a_task_without_news_says_so_in_its_place() -> None:
    replay = begun(news="")
    replay.answered(told("As before."), [])
    replay.end()
    replay.begin("Again.", "")
    assert replay.items[0] == said(NO_NEWS)


def test_a_task_that_nobody_answered_leaves_nothing() -> None:
    replay = begun()
    replay.end()
    replay.begin("Again.", "")
    assert replay.items == [said("Again.")]


def test_of_a_round_that_broke_off_the_calls_are_told_in_words() -> None:
    replay = begun()
    replay.answered(asked("c1"), [output("c1")])
    replay.called(FunctionCall(call_id="c2", name="book", arguments='{"at": 8}'))
    replay.called(FunctionCall(call_id="c3", name="half", arguments="{", status="incomplete"))
    replay.end()
    replay.begin("Again.", "")
    assert replay.items[1:] == [
        SEALED,
        a_call("c1"),
        sent("c1"),
        said(f'{BROKEN}\nbook {{"at": 8}}'),
        said("Again."),
    ]


def test_a_call_that_was_answered_is_not_told_again() -> None:
    replay = begun()
    replay.called(FunctionCall(call_id="c1", name="book", arguments="{}"))
    replay.answered(asked("c1"), [output("c1")])
    replay.end()
    replay.begin("Again.", "")
    assert replay.items[-2:] == [sent("c1"), said("Again.")]


@pytest.mark.parametrize(
    ("answer", "outputs", "why"),
    [
        pytest.param(asked("c1"), [], "came to no output", id="no-output"),
        pytest.param(asked("c1", "c2"), [output("c1")], "came to no output", id="an-output-short"),
        pytest.param(asked(), [output("c1")], "came to no output", id="an-output-to-no-call"),
        pytest.param(
            asked("c0"), [output("c0")], "was used before", id="an-id-of-an-earlier-round"
        ),
    ],
)
def test_a_round_that_could_not_be_sent_back_is_none(
    answer: Answer, outputs: list[FunctionCallOutput], why: str
) -> None:
    replay = begun()
    replay.answered(asked("c0"), [output("c0")])
    before = replay.items
    with pytest.raises(WorkFailedError, match=why):
        replay.answered(answer, outputs)
    assert replay.items == before


def test_an_id_of_an_earlier_task_is_used_too() -> None:
    replay = begun()
    replay.answered(asked("c1"), [output("c1")])
    replay.end()
    replay.begin("Again.", "")
    with pytest.raises(WorkFailedError, match="was used before"):
        replay.answered(asked("c1"), [output("c1")])


def test_the_history_grows_by_what_is_new_and_not_by_the_whole() -> None:
    replay = Replay(BROKEN)
    for number in range(50):
        replay.begin("x" * 100 * number, "x" * 100)
        replay.answered(told("Yes."), [])
        replay.end()
    replay.begin("", "")
    assert len(str(replay.items)) < 50 * 600
