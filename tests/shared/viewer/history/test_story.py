"""Whose a step is: identities decide, and what could be two delegations' is nobody's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from shared.viewer.history.steps import Step, StepKind
from shared.viewer.history.story import story

K = StepKind


def delegated(owner: str | None, response: str | None = None, target: str = "responses") -> Step:
    return Step(K.DELEGATED, 1, owner, response, name=target)


def began(response: str, owner: str | None = None, previous: str | None = None) -> Step:
    return Step(K.RESPONSE_BEGAN, 1, owner, response, previous)


def ended(response: str) -> Step:
    return Step(K.RESPONSE_ENDED, 1, None, response, status="completed")


def said(text: str, **named: Any) -> Step:
    return Step(K.ITEM, 1, text=text, is_item=True, **named)


def returned(call: str) -> Step:
    return Step(K.RETURNED, 1, call_id=call, status="completed")


def called(call: str, response: str | None = None, *, is_item: bool = False) -> Step:
    return Step(K.CALLED, 1, None, response, call_id=call, name="book", is_item=is_item)


@pytest.mark.parametrize(
    ("told", "texts", "unplaced"),
    [
        pytest.param([delegated("a", "r"), said("1", response_id="r")], {"a": ["1"]}, 0,
                     id="the-delegation-names-the-response"),
        pytest.param([began("r", "a"), said("1", response_id="r")], {"a": ["1"]}, 0,
                     id="the-response-names-the-delegation"),
        pytest.param([said("1", response_id="r"), began("r", "a")], {"a": ["1"]}, 0,
                     id="even-if-it-is-named-only-afterwards"),
        pytest.param([delegated("a", "r"), began("s", None, "r"), began("t", None, "s"),
                      said("1", response_id="t")], {"a": ["1"]}, 0,
                     id="a-response-continues-one-that-continues-one"),
        pytest.param([delegated("a", "r"), delegated("b"), began("s", "b", "r"),
                      said("1", response_id="s")], {"b": ["1"]}, 0,
                     id="its-own-word-goes-before-whom-it-continues"),
        pytest.param([began("r", "a"), began("r", "b"), said("1", response_id="r")], {}, 1,
                     id="a-response-of-two-is-nobodys"),
        pytest.param([delegated("a", "r"), said("1", item_id="i", response_id="r"),
                      said("2", item_id="i")], {"a": ["1", "2"]}, 0, id="an-item-is-known-again"),
        pytest.param([delegated("a", "r"), said("1")], {"a": ["1"]}, 0,
                     id="the-only-open-response-says-it"),
        pytest.param([delegated("a", "r"), delegated("b", "s"), said("1")], {}, 1,
                     id="one-of-two-open-responses-is-not-guessed"),
        pytest.param([delegated("a", "r"), delegated("b", "s"), ended("s"), said("1")],
                     {"a": ["1"]}, 0, id="one-that-has-ended-says-nothing-more"),
        pytest.param([delegated("a", "r"), ended("r"), said("1")], {}, 1,
                     id="nobody-is-left-to-say-it"),
        pytest.param([delegated("a"), began("r"), said("1")], {"a": ["1"]}, 0,
                     id="the-only-delegation-that-awaits-a-response-gets-it"),
        pytest.param([delegated("a"), delegated("b"), began("r"), said("1")], {}, 1,
                     id="of-two-that-await-one-neither-does"),
        pytest.param([delegated("a"), delegated("b", None, "client"), began("r"), said("1")],
                     {"a": ["1"]}, 0, id="the-applications-own-work-awaits-none"),
        pytest.param([delegated("a", "r"), delegated("b"), began("s"), said("1", response_id="s")],
                     {}, 1, id="nor-does-one-while-another-response-is-open"),
        pytest.param([delegated("a", "r"), called("c", "r"), ended("r"), returned("c"),
                      began("s"), said("1")], {"a": ["1"]}, 0,
                     id="a-returned-call-makes-its-delegation-wait-again"),
        pytest.param([delegated("a", "r"), said("1", delegation_id="b")], {"b": ["1"]}, 0,
                     id="an-answer-that-names-its-delegation-is-its"),
    ],
)  # fmt: skip
def test_an_answer_where(told: list[Step], texts: Mapping[str, list[str]], unplaced: int) -> None:
    found = story(told)
    answers = {
        owner: [step.text for step in owned if step.text is not None]
        for owner, owned in found.owned.items()
    }
    assert {owner: its for owner, its in answers.items() if its} == texts
    assert found.unplaced == unplaced


def test_a_call_is_its_responses_and_so_its_delegations() -> None:
    found = story([delegated("a", "r"), called("c", is_item=True), ended("r"), returned("c")])
    assert [(one.response_id, one.delegation_id) for one in found.calls] == [("r", "a")]
    assert found.owners == {"r": "a"}


def test_responses_that_continue_each_other_in_a_ring_have_no_owner() -> None:
    found = story([began("r", None, "s"), began("s", None, "r"), said("1", response_id="r")])
    assert (found.owners, found.unplaced) == ({}, 1)


def test_a_delegation_without_an_identity_is_a_mark() -> None:
    found = story([delegated(None), delegated("a")])
    assert ([one.name for one in found.marks], list(found.owned)) == (["responses"], ["a"])
