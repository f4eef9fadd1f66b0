"""The dossier: what a judge sees of an attempt, and that it sees nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from shared.grading.dossier import LONGEST_DOSSIER, Dossier, dossier_of
from shared.grading.procedure import graded_procedure
from shared.observability.evidence import CallerAction, Evidence
from shared.observability.observations import BackendText, Caption, Speaker, ToolCalled
from shared.observability.timeline import Timeline
from shared.scenarios import Scenario
from tests.support.builders import a_caption, an_utterance, at, spans
from tests.support.judged import (
    BOOK,
    Exchange,
    a_call,
    a_case,
    a_conversation,
    a_delegation,
    a_return,
    a_scenario,
    an_attempt,
)

ANSWER = spans((2_600, 3_400))


def the_dossier(
    evidence: Evidence, scenario: Scenario | None = None, facts: dict[str, Any] | None = None
) -> Dossier:
    return dossier_of(evidence, Timeline.of(evidence), scenario or a_scenario(), facts or {})


def content(evidence: Evidence, scenario: Scenario | None = None, **facts: Any) -> Any:
    return json.loads(the_dossier(evidence, scenario, facts).text)


def recognized(start_ms: int, end_ms: int, text: str) -> Caption:
    return Caption(at(end_ms), Speaker.CALLER, text, start_ms, end_ms)


def test_it_holds_the_whole_attempt() -> None:
    scenario = a_scenario(
        type="errand",
        input__context={"summary": "They spoke.", "history": [{"role": "user", "text": "Hi"}]},
        expected__answer="It is done.",
        expected__criteria=["Does it."],
        expected__delegation="required",
        expected__tools__required=[{"name": BOOK, "arguments": {"size": 2}}],
        expected__tools__prohibited=[{"name": "drop"}],
        expected__state={"done": True},
    )
    evidence = an_attempt(
        assistant=ANSWER,
        observations=[
            recognized(0, 500, "please "),
            recognized(500, 1_000, "do it"),
            a_delegation(1_100),
            a_call(arguments={"size": 2}, at_ms=1_500),
            a_return(at_ms=2_000),
            BackendText(at(2_200), "r1", "d1", "m1", "Tell them it is done."),
            a_caption(2_600, 3_400, "Done."),
        ],
        state_before={"done": False},
        state_after={"done": True},
    )

    assert content(evidence, scenario, opens="09:00") == {
        "scenario": {
            "type": "errand",
            "interaction": "single_turn",
            "request": scenario.input.text,
            "context_summary": "They spoke.",
            "context_history": [{"role": "user", "text": "Hi"}],
        },
        "expected": {
            "answer": "It is done.",
            "criteria": ["Does it."],
            "delegation": "required",
            "required_tool_calls": [{"name": BOOK, "arguments": {"size": 2}}],
            "prohibited_tool_calls": [{"name": "drop", "arguments": {}}],
            "state": {"done": True},
        },
        "public_facts": {"opens": "09:00"},
        "observed": {
            "dialogue": [
                {
                    "speaker": "caller",
                    "start_ms": 0,
                    "end_ms": 1_000,
                    "said": "request",
                    "recognized": "please do it",
                },
                {"speaker": "assistant", "start_ms": 2_600, "end_ms": 3_400, "said": "Done."},
            ],
            "delegations": [{"at_ms": 1_100, "to": "responses"}],
            "backend_messages": [{"at_ms": 2_200, "text": "Tell them it is done."}],
            "tool_executions": [
                {
                    "at_ms": 1_500,
                    "name": BOOK,
                    "arguments": {"size": 2},
                    "raw_arguments": None,
                    "status": "completed",
                    "output": {},
                    "returned_at_ms": 2_000,
                }
            ],
            "state_before": {"done": False},
            "state_after": {"done": True},
        },
    }


def test_turns_of_a_conversation_come_in_order_with_what_was_recognized_of_each() -> None:
    evidence = an_attempt(
        caller=spans((0, 1_000), (5_000, 6_000)),
        utterances=[
            an_utterance(0, 1_000, CallerAction.OPENING, "first"),
            an_utterance(5_000, 6_000, CallerAction.SPEAK, "second"),
        ],
        assistant=spans((2_000, 3_000)),
        observations=[
            recognized(0, 900, "fist"),
            a_caption(2_000, 3_000, "Yes?"),
            recognized(5_000, 5_400, "second"),
        ],
    )
    dialogue = content(evidence, a_conversation())["observed"]["dialogue"]

    assert [(turn["said"], turn.get("recognized")) for turn in dialogue] == [
        ("first", "fist"),
        ("Yes?", None),
        ("second", "second"),
    ]


@pytest.mark.parametrize(
    ("captions", "words"),
    [
        pytest.param([(5_000, 5_400)], ["", "x", ""], id="the-turn-it-was-spoken-in"),
        pytest.param([(6_500, 7_900)], ["", "x", ""], id="the-last-turn-when-it-comes-late"),
        pytest.param(
            [(4_000, 5_000)], ["x", "", ""], id="the-one-before-when-it-ends-as-one-begins"
        ),
        pytest.param([(4_000, 5_001)], ["", "x", ""], id="the-next-from-a-millisecond-later-on"),
        pytest.param([(9_000, 9_500)], ["", "", "x"], id="the-third-turn"),
        pytest.param([(0, 900)], ["x", "", ""], id="the-first-even-if-it-comes-before"),
        pytest.param([(1_000, 1_500), (1_500, 3_000)], ["xx", "", ""], id="all-of-it-together"),
    ],
)
def test_what_was_recognized_belongs_to(captions: list[tuple[int, int]], words: list[str]) -> None:
    turns = [(1_000, 2_000), (5_000, 6_000), (8_000, 9_000)]
    evidence = an_attempt(
        caller=spans(*turns),
        utterances=[an_utterance(*turn, CallerAction.SPEAK, "said") for turn in turns],
        observations=[recognized(start, end, "x") for start, end in captions],
    )
    dialogue = content(evidence, a_conversation())["observed"]["dialogue"]

    assert [turn["recognized"] for turn in dialogue] == words


def test_words_that_nobody_voiced_were_not_said() -> None:
    evidence = an_attempt(observations=[a_caption(2_000, 3_000, "It is done.")])

    assert [turn["speaker"] for turn in content(evidence)["observed"]["dialogue"]] == ["caller"]


@pytest.mark.parametrize(
    ("observations", "execution"),
    [
        pytest.param(
            [a_call(is_broken=True), a_return(is_completed=False)],
            {"arguments": None, "raw_arguments": "{", "status": "failed"},
            id="broken-arguments-as-they-were-written",
        ),
        pytest.param(
            [a_call(arguments={"size": 2})],
            {"arguments": {"size": 2}, "raw_arguments": None, "status": "unanswered"},
            id="a-call-that-never-returned",
        ),
    ],
)
def test_a_call_is_shown_as_it_went(
    observations: list[ToolCalled], execution: dict[str, object]
) -> None:
    (shown,) = content(an_attempt(observations=observations))["observed"]["tool_executions"]

    assert execution.items() <= shown.items()


PRIVATE = {
    "expected__golden_path": {"turns": 2, "steps": ["PRIVATE", "PRIVATE"]},
    "expected__diagnostic_terms": ["PRIVATE"],
    "expected__interaction": {"response_latency_max_ms": 4_711},
    "expected__confirmation_patterns": [{"tools": ["x"], "patterns": ["PRIVATE"]}],
    "expected__refusal_patterns": ["PRIVATE"],
    "input__recordings": [{"id": "PRIVATE", "path": "PRIVATE.wav"}],
}


def test_what_is_not_listed_does_not_leave() -> None:
    text = the_dossier(an_attempt(assistant=ANSWER), a_scenario(id="PRIVATE", **PRIVATE)).text

    assert "PRIVATE" not in text
    assert "4711" not in text


def test_of_the_simulated_caller_nothing_leaves() -> None:
    persona = {"description": "PRIVATE", "speech_instructions": "PRIVATE"}
    scenario = a_conversation(simulation_parameters__persona=persona)

    assert "PRIVATE" not in the_dossier(an_attempt(), scenario).text


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)


def test_a_dossier_is_bounded_and_says_what_it_left_out() -> None:
    evidence = an_attempt(state_after={"log": "x" * 1_000_000, "note": "kept"})
    dossier = the_dossier(evidence, a_scenario(expected__criteria=["Keep this."]))
    shown = json.loads(dossier.text)

    assert LONGEST_DOSSIER * 0.9 < len(dossier.text) <= LONGEST_DOSSIER
    assert shown["expected"]["criteria"] == ["Keep this."]
    assert shown["observed"]["state_after"]["note"] == "kept"
    assert any(text.endswith("characters removed]") for text in texts(shown))


def test_a_dossier_of_120_000_characters_is_whole_and_of_one_more_is_cut() -> None:
    empty = len(the_dossier(an_attempt(state_after={"log": ""})).text)
    whole, cut = (
        the_dossier(an_attempt(state_after={"log": "x" * (size - empty)})).text
        for size in (120_000, 120_001)
    )

    assert LONGEST_DOSSIER == 120_000
    assert len(whole) == 120_000
    assert "characters removed]" not in whole
    assert "characters removed]" in cut


def test_the_same_attempt_has_the_same_dossier_in_any_order_of_keys() -> None:
    one = the_dossier(an_attempt(state_after={"a": 1, "b": 2}))
    other = the_dossier(an_attempt(state_after={"b": 2, "a": 1}))

    assert (one.text, one.sha256, one.mark) == (other.text, other.sha256, other.mark)
    assert one.sha256 != the_dossier(an_attempt(state_after={"a": 1, "b": 3})).sha256


def test_a_stored_dossier_is_the_same_one() -> None:
    dossier = the_dossier(an_attempt(assistant=ANSWER), facts={"share": 0.1, "word": "ä\u2028"})

    assert Dossier(json.loads(json.dumps(dossier.content))).text == dossier.text


def test_the_mark_stands_nowhere_in_the_text() -> None:
    plain = Dossier({"said": "x"})
    telling = Dossier({"said": f"DATA {plain.mark}"})

    assert plain.mark not in plain.text
    assert telling.mark not in telling.text
    assert telling.mark != plain.mark


STEP = {"id": "book_it", "kind": "tool", "tool": BOOK, "critical": True}


def a_conversation_dossier(**edits: Any) -> Dossier:
    scenario = a_conversation(
        **{
            "expected__procedure": {"id": "p", "steps": [STEP]},
            "expected__tools__required": [{"name": BOOK}],
            **edits,
        }
    )
    exchange = Exchange.of("C: please", a_call(), "A: It is done.")
    case = a_case(exchange.evidence, scenario)
    return dossier_of(exchange.evidence, case.timeline, scenario, {}, graded_procedure(case))


def test_of_a_conversation_it_holds_the_goal_the_actions_and_the_procedure() -> None:
    shown: Any = a_conversation_dossier(simulation_parameters__goal="Have it done.").content

    assert shown["scenario"]["goal"] == "Have it done."
    assert shown["expected"]["preferred_tool_calls"] == [{"name": BOOK, "arguments": {}}]
    assert "required_tool_calls" not in shown["expected"]
    assert [turn.get("action") for turn in shown["observed"]["dialogue"]] == ["SPEAK", None]
    assert shown["procedure"]["steps"] == [
        {
            "id": "book_it",
            "kind": "tool",
            "is_critical": True,
            "status": "passed",
            "reason": f"{BOOK} completed",
            "at_ms": 2_000,
        }
    ]


def test_a_goal_nobody_wrote_is_the_expected_answer() -> None:
    shown: Any = a_conversation_dossier().content

    assert shown["scenario"]["goal"] == "Booked."


def test_whether_the_task_was_understood_is_judged_without_the_procedure() -> None:
    dossier = a_conversation_dossier()

    assert "book_it" not in dossier.shown_for("task_understanding").text
    assert dossier.shown_for("context_fidelity") is dossier


def test_a_request_is_shown_the_same_for_every_dimension() -> None:
    dossier = the_dossier(an_attempt(assistant=ANSWER))

    assert not dossier.is_conversation
    assert dossier.shown_for("task_understanding") is dossier
