"""The one matcher: what counts as expected, and how calls are paired."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import strict_json
from shared.faults import dotted
from shared.matching import (
    MAX_DEPTH,
    CallStatus,
    ObservedCall,
    comparator_faults,
    identical,
    match_calls,
    matches,
    same_call,
    same_request,
    single_values,
    state_matches,
)
from shared.values import JsonValue

NAN, INFINITY = float("nan"), float("inf")


def nested(depth: int, inner: Any) -> Any:
    for _ in range(depth):
        inner = {"a": inner}
    return inner


HOSTILE = nested(100_000, 1)


def listed(depth: int, inner: Any) -> Any:
    for _ in range(depth):
        inner = [inner]
    return inner


def one_of(depth: int, inner: Any) -> Any:
    for _ in range(depth):
        inner = comparing("one_of", values=[inner])
    return inner


def unordered(depth: int, inner: Any) -> Any:
    for _ in range(depth):
        inner = comparing("unordered", items=[inner])
    return inner


def comparing(name: str, **fields: Any) -> dict[str, Any]:
    return {"$match": name, **fields}


@pytest.mark.parametrize(
    ("expected", "observed", "is_match"),
    [
        pytest.param({}, {"a": 1}, True, id="nothing-expected"),
        pytest.param({}, [], False, id="an-object-is-no-list"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, True, id="surplus-keys-are-ignored"),
        pytest.param({"a": 1}, {"b": 1}, False, id="a-missing-key"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, True, id="subsets-all-the-way"),
        pytest.param({"a": {"b": 1}}, {"a": 1}, False, id="a-value-is-no-object"),
        pytest.param([1, 2], [1, 2], True, id="lists-in-order"),
        pytest.param([1, 2], [2, 1], False, id="lists-out-of-order"),
        pytest.param([1], [1, 2], False, id="a-longer-list"),
        pytest.param([1, 2], [1], False, id="a-shorter-list"),
        pytest.param([{"a": 1}], [{"a": 1, "b": 2}], True, id="subsets-in-lists"),
        pytest.param([], "", False, id="text-is-no-list"),
        pytest.param(["a"], "a", False, id="text-is-no-list-of-letters"),
        pytest.param(True, True, True, id="true"),
        pytest.param(True, 1, False, id="true-is-not-1"),
        pytest.param(0, False, False, id="0-is-not-false"),
        pytest.param(True, "true", False, id="a-bool-is-no-text"),
        pytest.param("true", True, False, id="text-is-no-bool"),
        pytest.param(None, None, True, id="null"),
        pytest.param(None, "none", False, id="null-is-no-text"),
        pytest.param("null", None, False, id="text-is-not-null"),
        pytest.param(None, 0, False, id="null-is-not-0"),
        pytest.param({"a": None}, {}, False, id="null-is-not-missing"),
        pytest.param(2, 2.0, True, id="numbers-by-value"),
        pytest.param(2, 3, False, id="another-number"),
        pytest.param(2, "2", True, id="numeric-text-for-a-number"),
        pytest.param("2", 2, True, id="a-number-for-numeric-text"),
        pytest.param(2.5, "2.50", True, id="numeric-text-by-value"),
        pytest.param(2, "two", False, id="number-words-are-words"),
        pytest.param("2.5", "2.50", False, id="two-texts-are-compared-as-texts"),
        pytest.param(-5, "5", False, id="signs-count"),
        pytest.param("Window seat", "window-seat!", True, id="text-by-its-words"),
        pytest.param("a", {"a": 1}, False, id="an-object-is-no-text"),
        pytest.param(NAN, NAN, False, id="nan-is-nothing"),
        pytest.param(INFINITY, INFINITY, False, id="infinity-is-nothing"),
        pytest.param(1, object(), False, id="no-json-value"),
        pytest.param(10**400, 1.0, False, id="an-integer-beyond-floats"),
        pytest.param(nested(63, 1), nested(63, 1), True, id="the-deepest-match"),
        pytest.param(nested(64, 1), nested(64, 1), False, id="too-deep"),
        pytest.param(listed(63, 1), listed(63, 1), True, id="the-deepest-list"),
        pytest.param(listed(64, 1), listed(64, 1), False, id="too-deep-a-list"),
        pytest.param(one_of(63, 1), 1, True, id="the-deepest-comparators"),
        pytest.param(one_of(64, 1), 1, False, id="too-deep-comparators"),
        pytest.param(unordered(63, 1), listed(63, 1), True, id="the-deepest-unordered"),
        pytest.param(unordered(64, 1), listed(64, 1), False, id="too-deep-unordered"),
        pytest.param(HOSTILE, HOSTILE, False, id="hostile-depth"),
        pytest.param({"a": 1}, HOSTILE, False, id="hostile-evidence"),
    ],
)
def test_values(expected: Any, observed: Any, is_match: bool) -> None:
    assert matches(expected, observed) is is_match


@pytest.mark.parametrize(
    ("expected", "observed", "is_match"),
    [
        pytest.param(comparing("text", value="Two"), "two.", True, id="text"),
        pytest.param(comparing("text", value="2"), "2", True, id="text-of-digits"),
        pytest.param(comparing("text", value="2"), 2, False, id="a-number-is-no-text"),
        pytest.param(comparing("number", value=2), 2.0, True, id="number"),
        pytest.param(comparing("number", value=2), "2.0", True, id="number-in-text"),
        pytest.param(comparing("number", value=2), "two", False, id="number-in-words"),
        pytest.param(comparing("number", value=1), True, False, id="a-bool-is-no-number"),
        pytest.param(comparing("date", value="2026-08-07"), "20260807", True, id="date"),
        pytest.param(comparing("date", value="2026-08-07"), "2026-08-08", False, id="other-date"),
        pytest.param(comparing("date", value="2026-08-07"), 20260807, False, id="no-text-no-date"),
        pytest.param(comparing("date", value="2026-08-07"), "2026-02-30", False, id="no-real-date"),
        pytest.param(comparing("time", value="19:00"), "7 p.m.", True, id="time"),
        pytest.param(comparing("time", value="19:00"), "19:00:01", False, id="a-second-later"),
        pytest.param(comparing("time", value="19:00"), 19, False, id="no-text-no-time"),
        pytest.param(comparing("one_of", values=["a", 2]), "2", True, id="one-of"),
        pytest.param(comparing("one_of", values=["a", 2]), "b", False, id="none-of"),
        pytest.param(
            comparing("one_of", values=[comparing("date", value="2026-08-07")]),
            "2026-W32-5",
            True,
            id="one-of-comparators",
        ),
        pytest.param(comparing("any"), 0, True, id="any"),
        pytest.param(comparing("any"), False, True, id="any-even-false"),
        pytest.param(comparing("any"), {}, True, id="any-even-empty"),
        pytest.param(comparing("any"), None, False, id="any-but-null"),
        pytest.param(comparing("any"), NAN, False, id="any-but-nan"),
        pytest.param(comparing("absent"), None, True, id="null-is-absent"),
        pytest.param(comparing("absent"), "", False, id="empty-text-is-there"),
        pytest.param({"a": comparing("absent")}, {}, True, id="a-missing-key-is-absent"),
        pytest.param({"a": comparing("absent")}, {"a": None}, True, id="a-null-key-is-absent"),
        pytest.param({"a": comparing("absent")}, {"a": 0}, False, id="0-is-there"),
        pytest.param({"a": comparing("any")}, {}, False, id="any-wants-the-key"),
        pytest.param(
            {"a": comparing("one_of", values=[1, comparing("absent")])}, {}, True, id="1-or-absent"
        ),
        pytest.param(
            {"a": comparing("one_of", values=[1, comparing("absent")])},
            {"a": 2},
            False,
            id="neither-1-nor-absent",
        ),
        pytest.param(comparing("unordered", items=[1, 2]), [2, 1], True, id="unordered"),
        pytest.param(comparing("unordered", items=[1]), [1, 2], False, id="unordered-and-longer"),
        pytest.param(comparing("unordered", items=[1, 1]), [1, 2], False, id="one-item-once"),
        pytest.param(comparing("unordered", items=[]), [], True, id="unordered-and-empty"),
        pytest.param(comparing("unordered", items=[]), {}, False, id="an-object-is-no-list"),
        pytest.param(
            comparing("unordered", items=[comparing("any"), "a"]),
            ["a", "b"],
            True,
            id="items-make-room-for-each-other",
        ),
        pytest.param(comparing("like", value="a"), "a", False, id="an-unknown-comparator"),
        pytest.param(comparing("text"), None, False, id="a-comparator-without-value"),
        pytest.param({"$match": ["text"]}, "text", False, id="a-comparator-without-name"),
    ],
)
def test_comparators(expected: Any, observed: Any, is_match: bool) -> None:
    assert matches(expected, observed) is is_match


KEYS = st.text().filter(lambda key: key != "$match")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(value=JSON)
def test_every_value_matches_itself(value: Any) -> None:
    assert matches(value, value)
    assert identical(value, value)


@given(one=JSON, other=JSON)
def test_what_is_identical_matches(one: Any, other: Any) -> None:
    assert not identical(one, other) or matches(one, other)


@given(items=st.lists(JSON, max_size=5), data=st.data())
def test_unordered_takes_every_order(items: list[Any], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(items))

    assert matches(comparing("unordered", items=items), shuffled)


def test_whatever_a_dataset_can_hold_can_be_matched() -> None:
    assert strict_json.MAX_DEPTH <= MAX_DEPTH


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        pytest.param({"a": 1, "b": [2]}, {"b": [2], "a": 1}, True, id="order-of-keys"),
        pytest.param({"a": 1}, {"a": 1, "b": None}, False, id="a-surplus-key"),
        pytest.param("A", "a", False, id="case"),
        pytest.param(2, "2", False, id="text-is-no-number"),
        pytest.param(1, True, False, id="a-bool-is-no-number"),
        pytest.param(2, 2.0, True, id="numbers-by-value"),
        pytest.param({"a": 1, "b": None}, {"a": 1}, False, id="a-missing-key"),
        pytest.param(1, 2, False, id="a-larger-number"),
        pytest.param(2, 1, False, id="a-smaller-number"),
        pytest.param([1, 2], [2, 1], False, id="order-of-items"),
        pytest.param([1], [1, 2], False, id="a-longer-list"),
        pytest.param([1, 2], [1], False, id="a-shorter-list"),
        pytest.param([], {}, False, id="a-list-is-no-object"),
        pytest.param(None, {}, False, id="null-is-nothing-else"),
        pytest.param(nested(63, 1), nested(63, 1), True, id="the-deepest-object"),
        pytest.param(nested(64, 1), nested(64, 1), False, id="too-deep-an-object"),
        pytest.param(listed(63, 1), listed(63, 1), True, id="the-deepest-list"),
        pytest.param(listed(64, 1), listed(64, 1), False, id="too-deep-a-list"),
        pytest.param(NAN, NAN, False, id="nan"),
        pytest.param(INFINITY, INFINITY, False, id="infinity"),
        pytest.param(HOSTILE, HOSTILE, False, id="hostile-depth"),
    ],
)
def test_identical(one: Any, other: Any, is_same: bool) -> None:
    assert identical(one, other) is is_same


@pytest.mark.parametrize(
    ("expected", "before", "after", "is_match"),
    [
        pytest.param({}, {"a": 1}, {"b": 2}, True, id="no-expectation-always-holds"),
        pytest.param({"unchanged": True}, {"a": 1}, {"a": 1}, True, id="unchanged"),
        pytest.param({"unchanged": True}, {"a": 1}, {"a": 1, "b": 2}, False, id="a-key-more"),
        pytest.param({"unchanged": True}, {"a": "x"}, {"a": "X"}, False, id="changed-in-case"),
        pytest.param({"unchanged": True}, {"a": 1}, {"a": True}, False, id="changed-in-kind"),
        pytest.param({"a": 1}, {"a": 1}, {"a": 2}, False, id="judged-by-the-end"),
        pytest.param({"a": 1}, {}, {"a": "1", "b": 2}, True, id="a-subset"),
    ],
)
def test_states(expected: Any, before: Any, after: Any, is_match: bool) -> None:
    assert state_matches(expected, before=before, after=after) is is_match


@dataclass(frozen=True)
class Wanted:
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    status: CallStatus = CallStatus.COMPLETED


def seen(name: str, /, *, is_completed: bool = True, **arguments: Any) -> ObservedCall:
    return ObservedCall(name, arguments, is_completed)


BROKEN = ObservedCall("book", None, is_completed=True)


@pytest.mark.parametrize(
    ("wanted", "call", "is_request", "is_call"),
    [
        pytest.param(Wanted("book"), seen("book", a=1), True, True, id="any-arguments"),
        pytest.param(Wanted("book", {"a": 1}), seen("book", a=1, b=2), True, True, id="a-subset"),
        pytest.param(
            Wanted("book", {"a": 1}), seen("book", a=2), False, False, id="other-arguments"
        ),
        pytest.param(Wanted("book"), seen("Book"), False, False, id="names-are-exact"),
        pytest.param(Wanted("book"), seen("book", is_completed=False), True, False, id="failed"),
        pytest.param(
            Wanted("book", status=CallStatus.ANY),
            seen("book", is_completed=False),
            True,
            True,
            id="failed-but-any-will-do",
        ),
        pytest.param(
            Wanted("book", status=CallStatus.ANY), BROKEN, False, False, id="broken-arguments"
        ),
        pytest.param(
            Wanted("book", {"a": {"$match": "absent"}}), seen("book"), True, True, id="no-argument"
        ),
    ],
)
def test_calls(wanted: Wanted, call: ObservedCall, is_request: bool, is_call: bool) -> None:
    assert same_request(wanted, call) is is_request
    assert same_call(wanted, call) is is_call


@pytest.mark.parametrize(
    ("wanted", "calls", "pairs", "in_order"),
    [
        pytest.param([], [], (), True, id="nothing-wanted-nothing-done"),
        pytest.param([], [seen("a")], (), False, id="a-call-too-many"),
        pytest.param([Wanted("a")], [], (), False, id="a-call-too-few"),
        pytest.param(
            [Wanted("a"), Wanted("b")], [seen("a"), seen("b")], ((0, 0), (1, 1)), True, id="exact"
        ),
        pytest.param(
            [Wanted("a"), Wanted("b")],
            [seen("b"), seen("a")],
            ((0, 1), (1, 0)),
            False,
            id="out-of-order",
        ),
        pytest.param(
            [Wanted("a"), Wanted("b")], [seen("b")], ((1, 0),), False, id="half-of-two-is-one"
        ),
        pytest.param(
            [Wanted("a"), Wanted("b")],
            [seen("a"), seen("c"), seen("b")],
            ((0, 0), (1, 2)),
            False,
            id="in-order-but-one-too-many",
        ),
        pytest.param(
            [Wanted("a"), Wanted("a", {"x": 1})],
            [seen("a", x=1), seen("a", x=2)],
            ((0, 1), (1, 0)),
            False,
            id="the-vague-makes-room-for-the-exact",
        ),
        pytest.param(
            [Wanted("a", {"x": 1}), Wanted("a")],
            [seen("a", x=1), seen("a", x=1)],
            ((0, 0), (1, 1)),
            True,
            id="either-would-do",
        ),
        pytest.param(
            [Wanted("a")],
            [seen("a", is_completed=False), seen("a")],
            ((0, 1),),
            False,
            id="a-failed-call-stands-for-nothing",
        ),
        pytest.param([Wanted("book")], [BROKEN], (), False, id="broken-arguments"),
    ],
)
def test_pairs_of_calls(
    wanted: list[Wanted],
    calls: list[ObservedCall],
    pairs: tuple[tuple[int, int], ...],
    in_order: bool,
) -> None:
    matching = match_calls(wanted, calls)

    assert matching.pairs == pairs
    assert matching.in_order is in_order
    assert (matching.matched, matching.expected, matching.actual) == (
        len(pairs),
        len(wanted),
        len(calls),
    )


def test_what_is_left_over_is_named() -> None:
    matching = match_calls([Wanted("a"), Wanted("b")], [seen("c"), seen("b"), seen("b")])

    assert (matching.missing, matching.unexpected) == ((0,), (0, 2))


NAMES = st.lists(st.sampled_from("abc"), max_size=6)


@given(wanted=NAMES, done=NAMES)
def test_as_many_pairs_as_names_in_common(wanted: list[str], done: list[str]) -> None:
    matching = match_calls([Wanted(name) for name in wanted], [seen(name) for name in done])

    assert matching.matched == sum(min(wanted.count(n), done.count(n)) for n in "abc")
    assert matching.in_order is (wanted == done)


@pytest.mark.parametrize(
    ("expected", "path"),
    [
        pytest.param({"a": comparing("like")}, 'a["$match"]', id="unknown"),
        pytest.param({"a": {"$match": 5}}, 'a["$match"]', id="nameless"),
        pytest.param({"a": comparing("date")}, "a.value", id="without-value"),
        pytest.param({"a": [comparing("one_of")]}, "a[0].values", id="without-values"),
        pytest.param({"a": comparing("unordered", items={})}, "a.items", id="items-no-list"),
        pytest.param({"a": comparing("absent", value=1)}, "a.value", id="surplus"),
        pytest.param({"a": comparing("text", value=1)}, "a.value", id="a-number-for-text"),
        pytest.param({"a": comparing("number", value="2")}, "a.value", id="text-for-a-number"),
        pytest.param({"a": comparing("number", value=True)}, "a.value", id="a-bool-for-a-number"),
        pytest.param({"a": comparing("date", value="2026-02-30")}, "a.value", id="no-real-date"),
        pytest.param({"a": comparing("date", value=20260807)}, "a.value", id="a-number-for-a-date"),
        pytest.param({"a": comparing("time", value="25:00")}, "a.value", id="no-time-of-day"),
        pytest.param({"a": comparing("one_of", values=[])}, "a.values", id="one-of-nothing"),
        pytest.param({"a": comparing("one_of", values="ab")}, "a.values", id="one-of-a-text"),
        pytest.param({"a": comparing("unordered", items="ab")}, "a.items", id="items-in-a-text"),
        pytest.param({"a": [comparing("absent")]}, "a[0]", id="an-absent-item"),
        pytest.param(
            {"a": [comparing("one_of", values=[comparing("absent")])]},
            "a[0].values[0]",
            id="an-absent-item-among-others",
        ),
        pytest.param(
            comparing("unordered", items=[comparing("absent")]), "items[0]", id="absent-unordered"
        ),
        pytest.param(nested(64, 1), ".".join("a" * 64), id="too-deep"),
        pytest.param(listed(64, 1), "[0]" * 64, id="too-deep-a-list"),
        pytest.param(one_of(64, 1), "values[0]" + ".values[0]" * 63, id="too-deep-comparators"),
    ],
)
def test_bad_comparators_have_paths(expected: Any, path: str) -> None:
    assert [dotted(fault.where) for fault in comparator_faults(expected)] == [path]


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param({"match": "like"}, id="another-key"),
        pytest.param({"a": comparing("one_of", values=[comparing("absent"), 1])}, id="optional"),
        pytest.param(comparing("time", value="7 pm"), id="a-time-as-spoken"),
        pytest.param(comparing("text", value=""), id="an-empty-text"),
        pytest.param(comparing("number", value=2), id="a-whole-number"),
        pytest.param(comparing("number", value=2.5), id="a-fraction"),
        pytest.param(comparing("date", value="2026-08-07"), id="a-date"),
        pytest.param(comparing("unordered", items=[]), id="no-items"),
        pytest.param([{"a": comparing("absent")}], id="an-absent-key-of-an-item"),
        pytest.param(nested(63, 1), id="the-deepest"),
        pytest.param(listed(63, 1), id="the-deepest-list"),
        pytest.param(one_of(63, 1), id="the-deepest-comparators"),
    ],
)
def test_sound_comparators(expected: Any) -> None:
    assert list(comparator_faults(expected)) == []


@pytest.mark.parametrize(
    ("comparator", "remedy"),
    [
        pytest.param(comparing("txet"), 'did you mean "text"? there are text,', id="a-near-miss"),
        pytest.param(comparing("%&"), "use one of text, number,", id="nothing-like-any"),
        pytest.param(comparing("text", value=2), "write it in quotes", id="text"),
        pytest.param(comparing("number", value="2"), "write it without quotes", id="number"),
        pytest.param(comparing("date", value="soon"), "write it as YYYY-MM-DD", id="date"),
        pytest.param(comparing("time", value="soon"), "write it as HH:MM", id="time"),
        pytest.param(comparing("one_of", values=[]), "list what is accepted", id="one-of"),
        pytest.param(comparing("unordered", items={}), "list the items", id="unordered"),
        pytest.param(comparing("text"), 'the comparator "text" needs it', id="without-its-value"),
        pytest.param([comparing("absent")], "leave the item out", id="an-absent-item"),
        pytest.param(comparing("any", value=1), "remove it", id="a-value-too-many"),
    ],
)
def test_a_fault_says_how_it_is_mended(comparator: Any, remedy: str) -> None:
    (fault,) = comparator_faults(comparator)

    assert remedy in fault.problem


@pytest.mark.parametrize(
    ("expected", "values"),
    [
        pytest.param("a", ["a"], id="a-text"),
        pytest.param(None, [None], id="nothing-is-a-value"),
        pytest.param(["a", 1, ["b"]], ["a", 1, "b"], id="a-list-by-its-entries"),
        pytest.param({"x": "a", "y": {"z": 2}}, ["a", 2], id="an-object-by-its-fields"),
        pytest.param({"$match": "one_of", "values": ["a", "b"]}, ["a", "b"], id="one-of-several"),
        pytest.param({"$match": "unordered", "items": ["a", ["b"]]}, ["a", "b"], id="any-order"),
        pytest.param({"$match": "any"}, [], id="any-names-none"),
        pytest.param({"$match": "absent"}, [], id="absent-names-none"),
        pytest.param(
            {"$match": "date", "value": "x"}, [{"$match": "date", "value": "x"}], id="a-comparator"
        ),
    ],
)
def test_an_expectation_comes_down_to(expected: JsonValue, values: list[JsonValue]) -> None:
    assert list(single_values(expected)) == values
