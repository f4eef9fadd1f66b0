"""What counts as the expected value: one matcher for tool arguments, application state and calls.

Mappings match as recursive subsets, lists item by item, text by its words. A mapping with the key
``$match`` is a comparator and says otherwise for its place:

====================================  ==========================================================
``text``, ``value``                   text with the same words; a number is no text
``number``, ``value``                 the same number, or text that is exactly that number
``date``, ``value``                   text naming the same calendar date in an ISO 8601 form
``time``, ``value``                   text naming the same time of day: 19:30, 19:30:00, 7:30 p.m.
``one_of``, ``values``                any of the expected values
``absent``                            no such key, or null
``any``                               any value but null
``unordered``, ``items``              a list of exactly these items in any order
====================================  ==========================================================

Evidence may be hostile: what is nested deeper than ``MAX_DEPTH``, is no JSON value, or is NaN or
infinite matches nothing and raises nothing. Whether a mismatch matters is decided by the checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum, StrEnum
from typing import Final, Protocol

from shared.faults import Fault, Where, closest, described, shown
from shared.pairing import largest_pairing
from shared.readings import date_of, is_exactly, is_finite, same_words, second_of_day
from shared.values import JsonObject, JsonValue

MATCH_KEY: Final = "$match"
UNCHANGED_KEY: Final = "unchanged"
MAX_DEPTH: Final = 64


class CallStatus(StrEnum):
    """How an expected call must have ended."""

    COMPLETED = "completed"
    ANY = "any"


class ExpectedCall(Protocol):
    """A call the evaluator expects; ``arguments`` is the subset that matters."""

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> JsonObject: ...
    @property
    def status(self) -> CallStatus: ...


@dataclass(frozen=True, slots=True)
class ObservedCall:
    """A call as it happened; no ``arguments`` when the model wrote broken JSON."""

    name: str
    arguments: JsonObject | None
    is_completed: bool


@dataclass(frozen=True, slots=True)
class CallMatching:
    """Which observed call stands for which expected one.

    ``pairs`` holds (expected index, observed index), by expected index, as many as possible.
    ``in_order`` says that there are as many observed as expected calls and that each one satisfies
    the expectation at its own position.
    """

    pairs: tuple[tuple[int, int], ...]
    expected: int
    actual: int
    in_order: bool

    @property
    def matched(self) -> int:
        return len(self.pairs)

    @property
    def missing(self) -> tuple[int, ...]:
        """Positions of expected calls that nothing stands for."""
        found = {expected for expected, _ in self.pairs}
        return tuple(i for i in range(self.expected) if i not in found)

    @property
    def unexpected(self) -> tuple[int, ...]:
        """Positions of observed calls that stand for nothing."""
        used = {observed for _, observed in self.pairs}
        return tuple(i for i in range(self.actual) if i not in used)


class _Missing(Enum):
    """What stands where an observed mapping has no such key."""

    KEY = "missing"


type _Observed = JsonValue | _Missing


def matches(expected: JsonValue, observed: JsonValue) -> bool:
    """Whether the observed value satisfies the expected one."""
    return _matches(expected, observed, MAX_DEPTH)


def state_matches(expected: JsonObject, *, before: JsonObject, after: JsonObject) -> bool:
    """Whether a final application state is the expected one.

    ``{"unchanged": true}`` asks for the state the attempt began with, exactly; anything else is a
    subset to be found, so an empty expectation always holds.
    """
    if expected.get(UNCHANGED_KEY) is True:
        return identical(before, after)
    return matches(expected, after)


def identical(one: JsonValue, other: JsonValue) -> bool:
    """Whether two JSON values are the same, with nothing normalised."""
    return _identical(one, other, MAX_DEPTH)


def same_request(expected: ExpectedCall, observed: ObservedCall) -> bool:
    """Whether the tool and its arguments are the expected ones, however the call ended.

    Broken arguments are nobody's request: they satisfy not even an expectation without arguments.
    """
    return (
        expected.name == observed.name
        and observed.arguments is not None
        and matches(expected.arguments, observed.arguments)
    )


def same_call(expected: ExpectedCall, observed: ObservedCall) -> bool:
    """Whether it is the expected request and ended as expected."""
    has_status = observed.is_completed or expected.status is CallStatus.ANY
    return has_status and same_request(expected, observed)


def match_calls(expected: Sequence[ExpectedCall], observed: Sequence[ObservedCall]) -> CallMatching:
    """Pair expected with observed calls one to one, as many as possible, always alike."""
    fits = [[j for j, call in enumerate(observed) if same_call(want, call)] for want in expected]
    in_order = len(expected) == len(observed) and all(i in fit for i, fit in enumerate(fits))
    pairs = [(i, i) for i in range(len(expected))] if in_order else largest_pairing(fits)
    return CallMatching(tuple(pairs), len(expected), len(observed), in_order)


def single_values(expected: JsonValue) -> Iterator[JsonValue]:
    """What an expectation comes down to: scalars and comparators of one value.

    An expected structure is met where these are met at its places; ``any`` and ``absent`` name no
    value and are left out.
    """
    match expected:
        case Mapping() if MATCH_KEY in expected:
            if expected[MATCH_KEY] in {"one_of", "unordered"}:
                yield from single_values(expected.get("values") or expected.get("items") or ())
            elif expected[MATCH_KEY] not in {"any", "absent"}:
                yield expected
        case Mapping():
            for value in expected.values():
                yield from single_values(value)
        case str():
            yield expected
        case Sequence():
            for item in expected:
                yield from single_values(item)
        case _:
            yield expected


def comparator_faults(expected: JsonValue) -> Iterator[Fault]:
    """What is wrong with the comparators in the expected value of one field, each with its path."""
    return _comparator_faults(expected, (), MAX_DEPTH)


def _matches(expected: JsonValue, observed: _Observed, depth: int) -> bool:
    if not depth:
        return False
    if isinstance(expected, Mapping):
        if MATCH_KEY in expected:
            return _compares(expected, observed, depth)
        return isinstance(observed, Mapping) and all(
            _matches(value, observed.get(key, _Missing.KEY), depth - 1)
            for key, value in expected.items()
        )
    if isinstance(observed, _Missing):
        return False
    if isinstance(expected, list | tuple):
        return (
            isinstance(observed, list | tuple)
            and len(expected) == len(observed)
            and all(
                _matches(want, item, depth - 1)
                for want, item in zip(expected, observed, strict=True)
            )
        )
    return _same_scalar(expected, observed)


def _same_scalar(expected: JsonValue, observed: JsonValue) -> bool:
    if isinstance(expected, bool) or isinstance(observed, bool):
        return expected is observed
    match expected, observed:
        case (None, None):
            return True
        case (str(), str()):
            return same_words(expected, observed)
        case (int() | float(), int() | float()):
            return is_finite(expected) and expected == observed
        case (int() | float(), str()):
            return is_exactly(expected, observed)
        case (str(), int() | float()):
            return is_exactly(observed, expected)
        case _:
            return False


def _identical(one: JsonValue, other: JsonValue, depth: int) -> bool:
    if not depth:
        return False
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    match one, other:
        case (Mapping(), Mapping()):
            return one.keys() == other.keys() and all(
                _identical(value, other[key], depth - 1) for key, value in one.items()
            )
        case (list() | tuple(), list() | tuple()):
            return len(one) == len(other) and all(
                _identical(a, b, depth - 1) for a, b in zip(one, other, strict=True)
            )
        case (int() | float(), int() | float()):
            return is_finite(one) and one == other
        case (str(), str()) | (None, None):
            return one == other
        case _:
            return False


def _date(value: _Observed) -> date | None:
    return date_of(value) if isinstance(value, str) else None


def _second_of_day(value: _Observed) -> int | None:
    return second_of_day(value) if isinstance(value, str) else None


def _is_text(declared: JsonValue, observed: _Observed, _depth: int) -> bool:
    return (
        isinstance(declared, str) and isinstance(observed, str) and same_words(declared, observed)
    )


def _is_number(declared: JsonValue, observed: _Observed, _depth: int) -> bool:
    return (
        isinstance(declared, int | float)
        and not isinstance(declared, bool)
        and not isinstance(observed, _Missing)
        and _same_scalar(declared, observed)
    )


def _is_date(declared: JsonValue, observed: _Observed, _depth: int) -> bool:
    day = _date(declared)
    return day is not None and day == _date(observed)


def _is_time(declared: JsonValue, observed: _Observed, _depth: int) -> bool:
    second = _second_of_day(declared)
    return second is not None and second == _second_of_day(observed)


def _is_one_of(declared: JsonValue, observed: _Observed, depth: int) -> bool:
    return isinstance(declared, list | tuple) and any(
        _matches(value, observed, depth - 1) for value in declared
    )


def _is_absent(_declared: JsonValue, observed: _Observed, _depth: int) -> bool:
    return observed is None or isinstance(observed, _Missing)


def _is_any(_declared: JsonValue, observed: _Observed, _depth: int) -> bool:
    if observed is None or isinstance(observed, _Missing):
        return False
    return not isinstance(observed, float) or is_finite(observed)


def _is_unordered(declared: JsonValue, observed: _Observed, depth: int) -> bool:
    if not (isinstance(declared, list | tuple) and isinstance(observed, list | tuple)):
        return False
    if len(declared) != len(observed):
        return False
    fits = [
        [j for j, item in enumerate(observed) if _matches(want, item, depth - 1)]
        for want in declared
    ]
    return len(largest_pairing(fits)) == len(declared)


def _text_problem(declared: JsonValue) -> str | None:
    if isinstance(declared, str):
        return None
    return f"must be text, is {described(declared)}; write it in quotes"


def _number_problem(declared: JsonValue) -> str | None:
    if isinstance(declared, int | float) and not isinstance(declared, bool):
        return None
    return f"must be a number, is {described(declared)}; write it without quotes"


def _date_problem(declared: JsonValue) -> str | None:
    if _date(declared) is not None:
        return None
    return f"must be a real date, is {described(declared)}; write it as YYYY-MM-DD"


def _time_problem(declared: JsonValue) -> str | None:
    if _second_of_day(declared) is not None:
        return None
    return f"must be a time of day, is {described(declared)}; write it as HH:MM"


def _values_problem(declared: JsonValue) -> str | None:
    if isinstance(declared, list | tuple) and declared:
        return None
    return "must be a list of at least one value; list what is accepted"


def _items_problem(declared: JsonValue) -> str | None:
    if isinstance(declared, list | tuple):
        return None
    return f"must be a list, is {described(declared)}; list the items"


@dataclass(frozen=True, slots=True)
class _Comparator:
    """``key`` holds what a comparator compares with; those without one need no problem."""

    accepts: Callable[[JsonValue, _Observed, int], bool]
    key: str | None = None
    problem: Callable[[JsonValue], str | None] = lambda _: None


_COMPARATORS: Mapping[str, _Comparator] = {
    "text": _Comparator(_is_text, "value", _text_problem),
    "number": _Comparator(_is_number, "value", _number_problem),
    "date": _Comparator(_is_date, "value", _date_problem),
    "time": _Comparator(_is_time, "value", _time_problem),
    "one_of": _Comparator(_is_one_of, "values", _values_problem),
    "absent": _Comparator(_is_absent),
    "any": _Comparator(_is_any),
    "unordered": _Comparator(_is_unordered, "items", _items_problem),
}


def _comparator(name: JsonValue) -> _Comparator | None:
    return _COMPARATORS.get(name) if isinstance(name, str) else None


def _compares(expected: JsonObject, observed: _Observed, depth: int) -> bool:
    comparator = _comparator(expected[MATCH_KEY])
    if comparator is None:
        return False
    declared = None if comparator.key is None else expected.get(comparator.key)
    return comparator.accepts(declared, observed, depth)


def _comparator_faults(
    expected: JsonValue, where: Where, depth: int, *, in_list: bool = False
) -> Iterator[Fault]:
    if not depth:
        yield Fault(where, f"is nested deeper than {MAX_DEPTH} levels; flatten it")
    elif isinstance(expected, Mapping) and MATCH_KEY in expected:
        yield from _faults_of_comparator(expected, where, depth, in_list=in_list)
    elif isinstance(expected, Mapping):
        for key, value in expected.items():
            yield from _comparator_faults(value, (*where, key), depth - 1)
    elif isinstance(expected, list | tuple):
        for i, item in enumerate(expected):
            yield from _comparator_faults(item, (*where, i), depth - 1, in_list=True)


def _faults_of_comparator(
    expected: JsonObject, where: Where, depth: int, *, in_list: bool
) -> Iterator[Fault]:
    name = expected[MATCH_KEY]
    comparator = _comparator(name)
    if comparator is None:
        near = closest(name, _COMPARATORS) if isinstance(name, str) else None
        fix = f'did you mean "{near}"? there are' if near else "use one of"
        problem = f"unknown comparator {shown(name)}; {fix} {', '.join(_COMPARATORS)}"
        yield Fault((*where, MATCH_KEY), problem)
        return
    if in_list and name == "absent":
        yield Fault(where, "a list item cannot be absent; leave the item out")
    key = comparator.key
    for surplus in sorted(expected.keys() - {MATCH_KEY, key}):
        problem = f'unknown key beside "{MATCH_KEY}": "{name}"; remove it'
        yield Fault((*where, surplus), problem)
    if key is None:
        return
    if key not in expected:
        yield Fault((*where, key), f'is missing, the comparator "{name}" needs it; add it')
        return
    declared = expected[key]
    if problem_found := comparator.problem(declared):
        yield Fault((*where, key), problem_found)
    elif isinstance(declared, list | tuple):
        items_in_list = in_list or name == "unordered"
        for i, item in enumerate(declared):
            yield from _comparator_faults(item, (*where, key, i), depth - 1, in_list=items_in_list)
