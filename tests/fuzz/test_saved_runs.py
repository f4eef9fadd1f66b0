"""Files of saved runs hold anything: no content raises, and what is withheld stays withheld."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import asdict
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.viewer.history.course import course_of_history
from shared.viewer.history.files import Files, Lines
from shared.viewer.history.reconstruction import Reconstructed
from shared.viewer.history.untrusted import LONGEST_MS
from shared.viewer.view import Course
from tests.support.old_runs import TRANSCRIPT, details, event_log, row, ticks, turn_rows

type Json = Any

MANY = settings(max_examples=int(os.environ.get("FUZZ_RUNS", "60")))

ODD_NUMBERS = st.sampled_from(
    [0, -1, 1.5, -0.0, math.nan, math.inf, -math.inf, 10**400, -(10**30), 1e308, 7_200_001, True]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), ODD_NUMBERS
)
ANYTHING: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=20,
)

EVENT_TYPES = (
    "session.delegation.created",
    "delegation.created",
    "client_delegation.completed",
    "client_delegation.failed",
    "error",
    "response.event",
    "response.created",
    "response.completed",
    "response.failed",
    "response.output_item.added",
    "response.output_item.done",
    "tool.called",
    "tool.completed",
    "tool.failed",
    "tool.outputs_sent",
    "tool.outputs_refused",
    "delegation.function_call_output.created",
    "simulator.completion.assessed",
    "simulator.completion.stale",
)
IDS = st.sampled_from(["a", "b", "c", "", None, 3])
NAMES = st.sampled_from(["book", "find", "client", "responses", None, ["x"]])
TIMES = st.one_of(st.integers(0, 2_000), ODD_NUMBERS, st.none(), st.just("300"))
ITEMS = st.fixed_dictionaries(
    {},
    optional={
        "id": IDS,
        "type": st.sampled_from(["message", "function_call", "reasoning", None, {}]),
        "target": NAMES,
        "name": NAMES,
        "call_id": IDS,
        "response_id": IDS,
        "role": st.sampled_from(["assistant", "user", None]),
        "status": st.sampled_from(["completed", "in_progress", None]),
        "phase": st.sampled_from(["final_answer", "commentary", None]),
        "content": st.lists(
            st.fixed_dictionaries(
                {"type": st.sampled_from(["output_text", "input_text", "refusal"])},
                optional={"text": st.sampled_from(["One.", "Two.", None, 4])},
            ),
            max_size=2,
        ),
    },
)
FLAT_EVENTS = st.fixed_dictionaries(
    {"type": st.sampled_from(EVENT_TYPES)},
    optional={
        "delegation_id": IDS,
        "delegation_item_id": IDS,
        "response_id": IDS,
        "previous_response_id": IDS,
        "call_id": IDS,
        "name": NAMES,
        "target": NAMES,
        "item": ITEMS,
        "delegation": ITEMS,
        "response": st.fixed_dictionaries(
            {}, optional={"id": IDS, "previous_response_id": IDS, "output": st.lists(ITEMS)}
        ),
        "error": st.sampled_from([{"code": "client_delegation_failed"}, {"code": []}, None]),
        "text": st.sampled_from(["Done.", None, 4]),
        "offset_ms": TIMES,
        "timestamp_ms": TIMES,
        "timeline_ms": TIMES,
        "_relay_receipt": st.fixed_dictionaries({"media_ms": TIMES}),
    },
)
EVENTS = st.one_of(
    FLAT_EVENTS,
    st.builds(
        lambda event, owner: {"type": "response.event", "delegation_id": owner, "event": event},
        FLAT_EVENTS,
        IDS,
    ),
)
SOURCES = st.sampled_from(
    ["assistant_gpt_live", "live_frontend", "caller_gpt_live", "semantic_completion_observer", []]
)
LOGS = st.lists(
    st.builds(lambda event, source: {"event": event, "source": source}, EVENTS, SOURCES),
    max_size=30,
)


@MANY
@given(st.data())
def test_no_content_raises(data: st.DataObject) -> None:
    lines = st.one_of(st.none(), st.builds(Lines, st.lists(ANYTHING, max_size=5), st.just(0)))
    course = course_of_history(
        data.draw(st.dictionaries(st.text(max_size=8), ANYTHING, max_size=3)),
        Files(
            details=data.draw(st.none() | st.dictionaries(st.text(max_size=8), ANYTHING)),
            ticks=data.draw(lines),
            turns=data.draw(lines),
            trace=data.draw(lines),
            transcript=data.draw(st.none() | st.text()),
        ),
    )
    assert_sound(course)


@MANY
@given(data=st.data())
def test_no_damage_to_a_real_file_raises(data: st.DataObject) -> None:
    """Any values of a run's real files replaced by anything: closer to what damage looks like."""

    def damaged(value: Json) -> Json:
        # What a strategy samples from is one object in every example: it may not be written into.
        value = deepcopy(value)
        places = list(_places(value))
        for _ in range(data.draw(st.integers(0, 4))):
            put = data.draw(st.sampled_from(places))
            put(data.draw(st.one_of(SCALARS, ANYTHING)))
        return value

    log = damaged([*event_log(), *data.draw(LOGS)])
    kept = damaged(details())
    kept["run_metadata"] = {
        "delegation_lifecycle_events": [one["event"] for one in data.draw(LOGS)]
    }
    files = Files(
        details=kept,
        ticks=Lines(damaged(ticks()), 1),
        turns=Lines(damaged(turn_rows()), 0),
        trace=Lines(log, 0),
        transcript=data.draw(st.sampled_from([TRANSCRIPT, TRANSCRIPT[:80], ""])),
        reconstructed=Reconstructed(((0, 20),), None, 20),
    )
    assert_sound(course_of_history(damaged(row()), files))


@MANY
@given(LOGS, LOGS, st.booleans())
def test_no_story_of_delegated_work_raises(log: list[Json], kept: list[Json], is_old: bool) -> None:
    events = [one["event"] for one in kept]
    named = {"agent_events": events} if is_old else {}
    metadata = {} if is_old else {"delegation_lifecycle_events": events}
    files = Files(details={**named, "run_metadata": metadata}, trace=Lines(log))
    course = course_of_history({}, files)
    assert_sound(course)
    texts = [text for one in course.delegations for text in one.texts]
    assert {piece for text in texts for piece in text.split()} <= {
        "One.",
        "Two.",
        "Done.",
        "One.One.",
        "One.Two.",
        "Two.One.",
        "Two.Two.",
    }


CANARY = "Cnry-withheld"
CONTENTS = (
    "arguments",
    "result",
    "output",
    "instructions",
    "input",
    "request",
    "reasoning",
    "encrypted_content",
    "expected",
    "goal",
    "usage",
    "summary",
)
IDENTITIES = (
    "call_id",
    "response_id",
    "delegation_id",
    "delegation_item_id",
    "previous_response_id",
    "id",
)


@MANY
@given(st.data())
def test_a_canary_in_a_withheld_field_is_nowhere(data: st.DataObject) -> None:
    """Planted into every object of every file, under names that no page may show.

    Files are there or not, and the log tells little: what one file says well would hide what
    another one lets through.
    """
    identities = data.draw(st.lists(st.sampled_from(IDENTITIES), max_size=2, unique=True))

    def planted(value: Json) -> Json:
        if isinstance(value, list):
            return [planted(one) for one in value]
        if isinstance(value, dict):
            kept = {name: planted(inner) for name, inner in value.items()}
            put = {name: f"{CANARY} {name}" for name in (*CONTENTS, *identities)}
            # A response's output is a list of items, some of which are told.
            return {
                **kept,
                **{name: one for name, one in put.items() if name not in {"output"} & {*kept}},
            }
        return value

    def perhaps(content: Json) -> Json:
        return content if data.draw(st.booleans()) else None

    def lines(content: Json) -> Lines | None:
        return None if content is None else Lines(content)

    log = [*data.draw(st.sampled_from([[], event_log()])), *data.draw(LOGS)]
    files = Files(
        details=planted(perhaps(details())),
        ticks=lines(planted(perhaps(ticks()))),
        turns=lines(planted(perhaps(turn_rows()))),
        trace=lines(planted(log)),
        transcript=perhaps(TRANSCRIPT.replace("WITHHELD", CANARY)),
    )
    told = repr(course_of_history(planted(row()) if data.draw(st.booleans()) else {}, files))
    assert CANARY not in told
    assert "WITHHELD" not in told


def assert_sound(course: Course) -> None:
    """Whole numbers within a session, in order where order is promised, and fit to be written."""
    json.dumps(asdict(course), allow_nan=False)
    assert 0 <= course.extent_ms <= LONGEST_MS
    for spans in (course.caller.voiced, course.assistant.voiced, course.overlaps):
        assert all(a < b <= course.extent_ms for a, b in spans)
        assert all(b < c for (_, b), (c, _) in pairwise(spans))
    starts = [turn.start_ms for turn in course.turns]
    assert starts == sorted(starts)
    assert all(turn.start_ms <= turn.end_ms <= course.extent_ms for turn in course.turns)
    asked = [one.start_ms for one in course.opportunities]
    assert asked == sorted(asked)
    floor = [one.at_ms for one in course.floor_events]
    assert floor == sorted(floor)
    places = range(len(course.delegations))
    assert all(one.delegation is None or one.delegation in places for one in course.tools)
    assert all(sentence.endswith(".") for sentence in course.missing)


def _places(value: Json) -> Iterator[Callable[[Json], None]]:
    """Everywhere in a document where something else may be put."""
    within = enumerate(value) if isinstance(value, list) else value.items()
    for key, inner in list(within):
        yield lambda other, key=key: value.__setitem__(key, other)
        if isinstance(inner, list | dict) and inner:
            yield from _places(inner)
