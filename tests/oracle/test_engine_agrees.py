"""5,000 random conversations: the engine and the oracle agree on every field of every one."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

from tests.oracle import engine, interaction_oracle
from tests.oracle.conversations import Case, case
from tests.oracle.edges import edges

CHUNKS = 20
CASES_PER_CHUNK = 250


@cache
def asked(chunk: int) -> tuple[tuple[Case, dict[str, Any]], ...]:
    """The cases of one chunk, each with what the oracle says of it."""
    first = chunk * CASES_PER_CHUNK
    cases = [case(number) for number in range(first, first + CASES_PER_CHUNK)]
    return tuple((one, interaction_oracle.measure(one.conversation, one.policy)) for one in cases)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_field_agrees(chunk: int) -> None:
    for one, told in asked(chunk):
        assert engine.measure(one) == told, one


@cache
def seen() -> Counter[str]:
    """In how many conversations each edge occurs."""
    every = [one for chunk in range(CHUNKS) for one in asked(chunk)]
    return Counter(name for one, told in every for name in set(edges(one, told)))


LEAST: dict[str, int] = {
    # outcomes
    "outcome answered": 500,
    "outcome missed": 250,
    "outcome censored": 250,
    "outcome excluded": 500,
    "reason response_received": 500,
    "reason next_eligible_request": 50,
    "reason deadline_expired": 200,
    "reason observation_ended_before_deadline": 200,
    "reason connection_lost": 30,
    "reason backchannel": 300,
    "reason caller_closing": 300,
    "reason assistant_active_at_request_end": 500,
    # the answer and its deadline
    "audio starts, request ends: at": 150,
    "audio starts, request ends: one after": 50,
    "audio starts, deadline: one before": 30,
    "audio starts, deadline: at": 80,
    "audio starts, deadline: one after": 30,
    "late audio": 80,
    "late audio, then a lost socket": 15,
    "assistant ends, request ends: one before": 150,
    "assistant ends, request ends: at": 300,
    "assistant ends, request ends: one after": 150,
    # what closes an opportunity
    "next request starts, request ends: at": 15,
    "next request starts, request ends: one after": 10,
    "next request starts, deadline: one before": 12,
    "next request starts, deadline: at": 25,
    "next request starts, deadline: one after": 12,
    "audio starts, next request starts: one before": 12,
    "audio starts, next request starts: at": 20,
    "audio starts, next request starts: one after": 10,
    "observation ends, deadline: one before": 50,
    "observation ends, deadline: at": 80,
    "observation ends, deadline: one after": 50,
    "ending settled": 500,
    "ending lost": 400,
    "ending lost_afterwards": 400,
    "ending failed_otherwise": 400,
    # interruptions
    "interruption": 120,
    "several interruptions of one request": 10,
    "assistant starts, request starts: one before": 200,
    "assistant starts, request starts: at": 400,
    "assistant starts, request starts: one after": 200,
    "assistant starts, request ends: one before": 200,
    "assistant starts, request ends: at": 200,
    "assistant starts, request ends: one after": 100,
    "assistant starts in a pause that ends": 50,
    "assistant starts in a pause that outlasts it": 12,
    # yields and backchannels
    "yield yielded": 250,
    "yield no_yield": 250,
    "yield without overlap": 25,
    "yield, window: one before": 30,
    "yield, window: at": 60,
    "yield, window: one after": 30,
    "assistant ends exactly at an onset that is no interruption": 100,
    "backchannel continued": 100,
    "backchannel false_yield": 30,
    "backchannel, window: one before": 6,
    "backchannel, window: at": 15,
    "backchannel, window: one after": 12,
    "backchannel: assistant ends, turn ends: one before": 10,
    "backchannel: assistant ends, turn ends: at": 25,
    "backchannel: assistant ends, turn ends: one after": 12,
    # tracks
    "caller spans touch: one before": 25,
    "caller spans touch: at": 300,
    "caller spans touch: one after": 300,
    "assistant spans touch: one before": 200,
    "assistant spans touch: at": 200,
    "assistant spans touch: one after": 100,
    "caller sounds before the observation": 50,
    "caller sounds after the observation": 120,
    "assistant sounds before the observation": 250,
    "assistant sounds after the observation": 500,
    "utterances that overlap": 300,
    "two utterances with the same sound": 80,
    "an utterance without sound": 300,
    "no caller turn": 300,
    "assistant pauses, a second: one before": 30,
    "assistant pauses, a second: at": 30,
    "assistant pauses, a second: one after": 30,
    "caller sounds in an assistant's pause": 500,
    # delegated work
    "0 silent stretches of work": 500,
    "1 silent stretches of work": 500,
    "2 silent stretches of work": 500,
    "work: delegation_began": 1_000,
    "work: response_began": 1_000,
    "work: tool_called": 1_000,
    "work: tool_returned": 1_000,
    "work: work_continued": 800,
    "work: response_ended": 1_000,
    "work: response completed": 800,
    "work: response failed": 400,
    "work: response incomplete": 400,
    "work: repeated delegation_began": 120,
    "work: repeated response_began": 120,
    "work: repeated tool_called": 100,
    "work: repeated tool_returned": 100,
    "work: repeated work_continued": 80,
    "work: repeated response_ended": 100,
    "work: previous response known": 300,
    "work: previous response unknown": 150,
    "work: ending of a response unknown": 150,
    "work: return of a call unknown": 200,
    "work: delegation to the application": 25,
    "work: before the observation": 60,
    "work, observation ends: one before": 60,
    "work, observation ends: at": 50,
    "work, observation ends: one after": 40,
}


@pytest.mark.parametrize(("edge", "least"), LEAST.items())
def test_the_conversations_lie_on_every_edge(edge: str, least: int) -> None:
    assert seen()[edge] >= least


def test_every_edge_that_can_be_named_is_asked_for() -> None:
    assert set(seen()) == set(LEAST)
