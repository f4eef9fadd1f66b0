"""Ticks put back together are exact where they can be, and say where they cannot."""

from __future__ import annotations

from typing import Any

import pytest

from shared.values import JsonObject
from shared.viewer.history.ticks import Ticks, WorkSource, ticks
from tests.support.builders import spans

EXACT = {"speech_intervals_ms": [[20, 60]]}
QUIET = {"speech": False}


def tick(caller: object = EXACT, assistant: object = QUIET, **more: Any) -> JsonObject:
    return {"start_ms": 0, "end_ms": 200, "user": caller, "assistant": assistant, **more}


def found(*told: object) -> Ticks:
    result = ticks(told)
    assert result is not None
    return result


def test_a_span_cut_by_a_bin_is_one_span_again() -> None:
    later = {"start_ms": 200, "end_ms": 400, "user": {"speech_intervals_ms": [[200, 250]]}}
    told = found(tick({"speech_intervals_ms": [[150, 200]]}), {**later, "assistant": QUIET})
    assert told.caller == spans((150, 250))
    assert (told.end_ms, told.is_exact, told.left_out) == (400, True, 0)


@pytest.mark.parametrize(
    ("caller", "heard", "is_exact", "left_out"),
    [
        pytest.param(EXACT, spans((20, 60)), True, 0, id="spans"),
        pytest.param({"speech": True}, spans((0, 200)), False, 0, id="only-that-there-was-any"),
        pytest.param({"speech": False}, spans(), True, 0, id="only-that-there-was-none"),
        pytest.param({**EXACT, "speech": True}, spans((20, 60)), True, 0, id="both"),
        pytest.param({"speech_intervals_ms": []}, spans(), True, 0, id="no-spans"),
        pytest.param({}, spans(), True, 1, id="nothing"),
        pytest.param({"speech": "yes"}, spans(), True, 1, id="a-word-for-a-truth"),
        pytest.param({"speech_intervals_ms": "20-60"}, spans(), True, 1, id="spans-in-words"),
        pytest.param(
            {"speech_intervals_ms": [[20, 60], [60, 20], 7]},
            spans((20, 60)),
            True,
            1,
            id="spans-that-are-none-beside-one-that-is",
        ),
        pytest.param(
            {"speech_intervals_ms": [[0, 200]]}, spans((0, 200)), True, 0, id="up-to-both-edges"
        ),
        pytest.param(
            {"speech_intervals_ms": [[0, 201]]}, spans(), True, 1, id="a-span-past-its-tick"
        ),
    ],
)
def test_a_tick_of_a_caller_with(
    caller: object, heard: object, is_exact: bool, left_out: int
) -> None:
    told = found(tick(caller))
    assert (told.caller, told.is_exact, told.left_out) == (heard, is_exact, left_out)


@pytest.mark.parametrize("bounds", [{}, {"start_ms": 200}, {"end_ms": 0}, {"start_ms": "0"}])
def test_a_tick_without_bounds_is_left_out(bounds: JsonObject) -> None:
    plain = {name: value for name, value in tick().items() if not name.endswith("_ms")}
    told = found(tick(), {**plain, **bounds})
    assert (told.left_out, told.end_ms) == (1, 200)


@pytest.mark.parametrize("told", [[], [None], [{}, "x", 3]])
def test_ticks_of_which_none_can_be_used_are_none(told: list[Any]) -> None:
    assert ticks(told) is None


@pytest.mark.parametrize(
    ("between", "source", "work"),
    [
        pytest.param(
            [{"delegation_intervals_ms": [[5, 9]], "delegation_active": True}],
            WorkSource.EXACT_TICKS,
            spans((5, 9)),
            id="spans-in-every-tick-are-exact",
        ),
        pytest.param(
            [{"delegation_intervals_ms": []}],
            WorkSource.EXACT_TICKS,
            spans(),
            id="no-work-told-exactly-is-exact",
        ),
        pytest.param(
            [{"delegation_active": True}],
            WorkSource.WHOLE_TICKS,
            spans((0, 200)),
            id="a-flag-stands-for-the-whole-tick",
        ),
        pytest.param(
            [{"delegation_active": False}],
            WorkSource.WHOLE_TICKS,
            spans(),
            id="a-flag-that-is-down-is-of-the-same-kind",
        ),
        pytest.param(
            [{"delegation_intervals_ms": [[5, 9]]}, {"delegation_active": True}],
            WorkSource.WHOLE_TICKS,
            spans((0, 200)),
            id="one-flag-among-spans-makes-all-of-it-rough",
        ),
        pytest.param(
            [{"delegation_intervals_ms": [[5, 9]]}, {}],
            WorkSource.WHOLE_TICKS,
            spans((5, 9)),
            id="a-silent-tick-among-spans-too",
        ),
        pytest.param([{}], None, spans(), id="silence-tells-nothing"),
    ],
)
def test_delegated_work(between: list[Any], source: WorkSource | None, work: object) -> None:
    told = found(*(tick(interaction=one) for one in between))
    assert (told.work_source, told.work) == (source, work)


def test_older_names_of_the_parties_are_read() -> None:
    told = found({"start_ms": 0, "end_ms": 200, "caller": EXACT, "agent": {"speech": True}})
    assert (told.caller, told.assistant) == (spans((20, 60)), spans((0, 200)))
