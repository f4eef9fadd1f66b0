"""One call is told once, however many files and events tell of it."""

from __future__ import annotations

from typing import Any

import pytest

from shared.viewer.history.calls import (
    Call,
    all_recorded_steps,
    calls_of,
    recorded_steps,
    together,
)
from shared.viewer.history.steps import Step, StepKind


def called(at_ms: int | None = 1, name: str | None = "book", call: str | None = None) -> Step:
    return Step(StepKind.CALLED, at_ms, call_id=call, name=name)


def returned(
    status: str | None = "completed",
    at_ms: int | None = 5,
    name: str | None = "book",
    call: str | None = None,
) -> Step:
    return Step(StepKind.RETURNED, at_ms, call_id=call, name=name, status=status)


def told(calls: tuple[Call, ...]) -> list[tuple[str | None, str, int | None, int | None]]:
    return [(one.name, one.status, one.at_ms, one.returned_at_ms) for one in calls]


@pytest.mark.parametrize(
    ("steps", "calls"),
    [
        pytest.param([called(1, call="c"), called(2, call="c"), returned(call="c")],
                     [("book", "completed", 1, 5)], id="told-three-times-by-one-identity"),
        pytest.param([returned(name=None, call="c"), called(call="c")],
                     [("book", "completed", 1, 5)], id="its-outcome-first"),
        pytest.param([called(call="c"), returned(None, call="c")],
                     [("book", "unknown", 1, 5)], id="it-returned-nobody-says-how"),
        pytest.param([called(call="c"), called(call="d")],
                     [("book", "called", 1, None)] * 2, id="two-of-a-name-by-their-identities"),
        pytest.param([called()], [("book", "called", 1, None)], id="it-never-returned"),
        pytest.param([called(), returned("failed")], [("book", "failed", 1, 5)],
                     id="the-only-one-under-way-returned"),
        pytest.param([called(), returned(), called(7), returned("failed", 9)],
                     [("book", "completed", 1, 5), ("book", "failed", 7, 9)],
                     id="one-after-the-other"),
        pytest.param([called(1), called(2), returned(), returned("failed", 9)],
                     [("book", "unknown", 1, None), ("book", "unknown", 2, None)],
                     id="of-two-under-way-nobody-knows-which-failed"),
        pytest.param([called(1), called(2), returned(), returned()],
                     [("book", "completed", 1, None), ("book", "completed", 2, None)],
                     id="unless-both-ended-alike"),
        pytest.param([called(1), called(2), returned()],
                     [("book", "unknown", 1, None), ("book", "unknown", 2, None)],
                     id="or-which-has-returned-at-all"),
        pytest.param([called(name="find"), returned()],
                     [("find", "called", 1, None), ("book", "completed", None, 5)],
                     id="an-outcome-of-another-name"),
        pytest.param([called(name=None)], [], id="a-call-of-nobody-knows-what"),
    ],
)  # fmt: skip
def test_calls_where(steps: list[Step], calls: object) -> None:
    assert told(calls_of(steps)) == calls


def one(call: str | None = None, **changes: Any) -> Call:
    plain = {"name": "book", "status": "completed", "at_ms": None, "returned_at_ms": None}
    return Call(call_id=call, delegation_id=None, response_id=None, **{**plain, **changes})


@pytest.mark.parametrize(
    ("sources", "calls"),
    [
        pytest.param([[one("c", name=None)], [one("c", at_ms=3)]], [("book", "completed", 3, None)],
                     id="joined-by-identity"),
        pytest.param([[one("c", status="called", at_ms=3)], [one("c", status="failed")]],
                     [("book", "failed", 3, None)], id="an-outcome-goes-before-none"),
        pytest.param([[one("c", at_ms=4)], [one("c", at_ms=3)]], [("book", "completed", 3, None)],
                     id="the-earliest-time-counts"),
        pytest.param([[one("c")], [one()]], [("book", "completed", None, None)],
                     id="one-without-identity-is-the-known-one"),
        pytest.param([[one()], [one("c")]], [("book", "completed", None, None)],
                     id="whichever-file-came-first"),
        pytest.param([[one("c")], [one(), one(at_ms=9)]],
                     [("book", "completed", 9, None), ("book", "completed", None, None)],
                     id="and-what-there-is-more-of-is-new"),
        pytest.param([[one("c")], [one(name="find")]],
                     [("book", "completed", None, None), ("find", "completed", None, None)],
                     id="another-name-is-another-call"),
        pytest.param([[one("c", at_ms=9)], [one("d", returned_at_ms=3)]],
                     [("book", "completed", None, 3), ("book", "completed", 9, None)],
                     id="in-order-of-time"),
    ],
)  # fmt: skip
def test_files_tell_together(sources: list[list[Call]], calls: object) -> None:
    assert told(together(sources)) == calls


@pytest.mark.parametrize(
    ("entries", "calls"),
    [
        pytest.param([{"name": "book", "status": "completed", "called_ms": 1, "returned_ms": 5}],
                     [("book", "completed", 1, 5)], id="with-both-times"),
        pytest.param([{"name": "book", "status": "completed"}], [("book", "completed", None, None)],
                     id="with-none"),
        pytest.param([{"name": "book", "status": "called", "timestamp_ms": 1},
                      {"name": "book", "status": "success", "timestamp_ms": 5}],
                     [("book", "completed", 1, 5)], id="in-two-entries"),
        pytest.param([{"name": "book", "status": "completed"}] * 3,
                     [("book", "completed", None, None)], id="again-in-every-later-row"),
        pytest.param([{"name": "book", "status": "odd"}], [("book", "unknown", None, None)],
                     id="with-an-outcome-that-is-none"),
        pytest.param([{"status": "completed"}, {"name": 3}], [], id="without-a-name"),
    ],
)  # fmt: skip
def test_rows_list_calls(entries: list[Any], calls: object) -> None:
    assert told(calls_of(recorded_steps(entries))) == calls


def test_a_report_lists_each_call_for_itself() -> None:
    entries = [{"name": "book", "status": "completed"}] * 2
    assert told(calls_of(all_recorded_steps(entries))) == [("book", "completed", None, None)] * 2
