"""A row's metrics as figures: each told with its unit, its population, or why it is unknown.

Figures are told as the report has them, also those of a version that this code does not know: a
number, a pair or a distribution has one way to be told, and its unit stands in its name. Texts are
told of the few names in ``TEXTS`` alone. The instants behind a figure are the course's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from shared.viewer.saved_row import SavedMetrics
from shared.viewer.view import Course, FigureGroup, FigureView, MomentView, Role

UNKNOWN_VERSION: Final = "unknown"
HIDDEN: Final = frozenset({"metrics_version", "version", "extended", "speech", "sensitivity"})
"""Versions are their group's, detectors stand with the tracks; the second detector's are compared
in the report itself."""
TEXTS: Final = frozenset({"normaliser", "normaliser_version"})
SHARES: Final = ("_rate", "_share", "_accuracy", "selectivity_backchannel")
MOST_LISTED: Final = 12
DEEPEST: Final = 4

_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,59}", re.IGNORECASE)
_GROUP = re.compile(r"^(?:task|audio\.extended|audio|consumption)\.")
PERCENTILES: Final = ("p50", "p90", "p99", "maximum")


def figure_groups(metrics: SavedMetrics, course: Course) -> tuple[FigureGroup, ...]:
    """All groups that have a figure, what one looks at first in front."""
    audio, extended = metrics.audio, metrics.audio.get("extended")
    first = {key: value for key, value in audio.items() if not _is_count(key, value)}
    counts = {key: value for key, value in audio.items() if _is_count(key, value)}
    groups = (
        ("Task", None, "task", metrics.task, False),
        ("Interaction", _version(audio, "metrics_version"), "audio", first, False),
        ("Interaction, counted", _version(audio, "metrics_version"), "audio", counts, True),
        (
            "Interaction, extended",
            _version(extended, "version"),
            "audio.extended",
            extended if isinstance(extended, Mapping) else {},
            True,
        ),
        ("Consumption", None, "consumption", metrics.consumption, True),
    )
    return tuple(
        FigureGroup(title, version, figures, is_detail)
        for title, version, path, part, is_detail in groups
        if (figures := tuple(_figures(path, part, metrics, course, DEEPEST)))
    )


def _is_count(key: str, value: object) -> bool:
    """Whether it is what a figure was counted from, rather than the figure."""
    return _is_nested(value) or isinstance(value, list) or key.endswith("_count")


def _version(part: object, key: str) -> str:
    version = part.get(key) if isinstance(part, Mapping) else None
    return version if isinstance(version, str) else UNKNOWN_VERSION


def _figures(
    path: str, part: Mapping[str, Any], metrics: SavedMetrics, course: Course, depth: int
) -> Iterator[FigureView]:
    for key, value in part.items():
        if key in HIDDEN or not _NAME.fullmatch(key):
            continue
        name = f"{path}.{key}"
        if _is_nested(value) and depth:
            yield from _figures(name, value, metrics, course, depth - 1)
            continue
        told = _told(key, value)
        if told is None and value is not None and not _is_figure(value):
            continue
        yield FigureView(
            name=name,
            label=_label(name),
            value=told,
            population=_population(name, metrics) if told is not None else None,
            gap=None if told is not None else _gap(name, metrics),
            moments=_moments(key, course),
        )


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping) and not _is_figure(value)


def _is_figure(value: object) -> bool:
    """Whether it is a pair or a distribution: one figure, also where its numbers are unknown."""
    return isinstance(value, Mapping) and (
        {"actual", "expected"} <= value.keys()
        or {"cumulative", "maximum"} <= value.keys()
        or {"count", "p50"} <= value.keys()
    )


def _label(name: str) -> str:
    """The name without its group and unit, as words."""
    words = re.sub(r"_ms(?=\.|$)", "", _GROUP.sub("", name))
    return words.replace("_", " ").replace(".", ", ").capitalize()


def _told(key: str, value: Any) -> str | None:  # whatever a report has there
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return _number(key, value)
        case str() if key in TEXTS:
            return value
        case list() if key == "entities":
            return _entities(value)
        case list():
            return _listed(key, value)
        case Mapping() if {"actual", "expected"} <= value.keys():
            actual, expected = _plain(value["actual"]), _plain(value["expected"])
            return None if actual is None else f"{actual}, expected {expected or 'unknown'}"
        case Mapping() if {"cumulative", "maximum"} <= value.keys():
            in_all, most = (_number(key, value[one]) for one in ("cumulative", "maximum"))
            return None if in_all is None else f"{in_all}, longest {most or 'unknown'}"
        case Mapping() if {"count", "p50"} <= value.keys():
            return _distribution(key, value)
        case _:
            return None


def _distribution(key: str, value: Mapping[str, Any]) -> str | None:
    told = [
        f"{name} {number}"
        for name in PERCENTILES
        if (number := _number(key, value.get(name))) is not None
    ]
    return (
        f"{', '.join(told)} (of {_plain(value['count']) or 'an unknown number'})" if told else None
    )


def _entities(found: list[Any]) -> str | None:
    heard = [one for one in found if isinstance(one, Mapping)]
    missed = [str(one.get("expected")) for one in heard if one.get("heard") is False]
    told = f"{len(heard) - len(missed)} of {len(heard)} heard"
    return f"{told}; not heard: {', '.join(missed)}" if missed else told


def _listed(key: str, values: list[Any]) -> str | None:
    plain = ("unknown" if one is None else _plain(one) for one in values[:MOST_LISTED])
    told = [one for one in plain if one is not None]
    if not set(told) - {"unknown"}:
        return None
    more = len(values) - len(told)
    unit = " ms" if key.endswith("_ms") else ""
    return f"{', '.join(told)}{unit}{f' and {more} more' if more else ''}"


def _number(key: str, value: object) -> str | None:
    plain = _plain(value)
    if plain is None or not isinstance(value, int | float):
        return None
    if key.endswith("_ms"):
        return f"{plain} ms"
    if key.endswith(SHARES) and 0 <= value <= 1:
        return f"{_rounded(100 * value)} %"
    return plain


def _plain(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return f"{value:,}" if isinstance(value, int) else _rounded(value)


def _rounded(value: float) -> str:
    """To four places, and what those would make a zero to four digits."""
    told = f"{value:,.4f}".rstrip("0").rstrip(".")
    return f"{value:.4g}" if value and float(told.replace(",", "")) == 0 else told


def _gap(name: str, metrics: SavedMetrics) -> str:
    """Why there is no value: what the report says of it, or of what it is a part of."""
    path = name
    while path:
        if path in metrics.unavailable:
            return metrics.unavailable[path]
        path = path.rpartition(".")[0]
    return "the report does not say"


def _population(name: str, metrics: SavedMetrics) -> str | None:
    """Over what a share or a mean is, from the counts beside it."""
    counts = metrics.audio.get("response_opportunities")
    counts = counts if isinstance(counts, Mapping) else {}
    answered, asked = _plain(counts.get("response_count")), _plain(counts.get("response_total"))
    eligible = _plain(counts.get("response_eligible_count"))
    broke_in = _plain(metrics.audio.get("interruption_count"))
    match name:
        case "audio.response_rate" if answered and asked:
            return f"{answered} of {asked} requests"
        case "audio.response_latency_ms" if answered:
            return f"mean over {answered} timely answers"
        case "audio.interruption_rate" if broke_in and eligible:
            return f"{broke_in} in {eligible} eligible requests"
        case _:
            return None


def _moments(key: str, course: Course) -> tuple[MomentView, ...]:
    found = MOMENTS.get(key)
    return () if found is None else tuple(sorted(found(course), key=lambda one: one.at_ms))


def _requests(*outcomes: str) -> Callable[[Course], Iterator[MomentView]]:
    def found(course: Course) -> Iterator[MomentView]:
        for asked in course.opportunities:
            if asked.outcome in outcomes:
                because = f": {asked.reason}" if asked.reason else ""
                told = f"request {asked.outcome}{because}".replace("_", " ")
                yield MomentView(asked.request_end_ms, told)

    return found


def _answers(course: Course) -> Iterator[MomentView]:
    for asked in course.opportunities:
        if asked.answer_at_ms is not None and asked.outcome == "answered":
            yield MomentView(asked.answer_at_ms, f"answer after {asked.latency_ms} ms")


def _late_answers(course: Course) -> Iterator[MomentView]:
    for asked in course.opportunities:
        if asked.answer_at_ms is not None and asked.outcome == "missed":
            yield MomentView(asked.answer_at_ms, f"late answer after {asked.latency_ms} ms")


def _floor(kind: str) -> Callable[[Course], Iterator[MomentView]]:
    def found(course: Course) -> Iterator[MomentView]:
        for event in course.floor_events:
            if event.kind == kind:
                yield MomentView(event.at_ms, event.outcome.replace("_", " "))

    return found


def _spoken(course: Course) -> Iterator[MomentView]:
    for turn in course.turns:
        if turn.role is Role.ASSISTANT:
            yield MomentView(turn.start_ms, "assistant speaks")


def _turns(course: Course) -> Iterator[MomentView]:
    for turn in course.turns:
        yield MomentView(turn.start_ms, f"{turn.role.value} turn")


def _silences(course: Course) -> Iterator[MomentView]:
    for start_ms, end_ms in course.floor_hold:
        yield MomentView(start_ms, f"{end_ms - start_ms} ms of silence while work was delegated")


def _overlaps(course: Course) -> Iterator[MomentView]:
    for start_ms, end_ms in course.overlaps:
        yield MomentView(start_ms, f"both speak for {end_ms - start_ms} ms")


def _calls(course: Course) -> Iterator[MomentView]:
    for tool in course.tools:
        if tool.at_ms is not None:
            yield MomentView(tool.at_ms, f"{tool.name} {tool.status}")


def _delegated(course: Course) -> Iterator[MomentView]:
    for work in course.delegations:
        if work.at_ms is not None:
            yield MomentView(work.at_ms, f"delegation to {work.target}")


MOMENTS: Final[Mapping[str, Callable[[Course], Iterator[MomentView]]]] = {
    "response_rate": _requests("answered", "missed"),
    "response_total": _requests("answered", "missed"),
    "response_eligible_count": _requests("answered", "missed", "censored"),
    "response_censored_count": _requests("censored"),
    "no_response_count": _requests("missed"),
    "response_latency_ms": _answers,
    "response_latencies_ms": _answers,
    "response_count": _answers,
    "response_late_count": _late_answers,
    "late_response_latencies_ms": _late_answers,
    "response_excluded_count": _requests("excluded"),
    "interruption_rate": _floor("interruption"),
    "agent_interruption_rate": _floor("interruption"),
    "interruption_count": _floor("interruption"),
    "interruption_episodes": _floor("interruption"),
    "yield_rate": _floor("yield"),
    "yielded": _floor("yield"),
    "not_yielded": _floor("yield"),
    "selectivity_backchannel": _floor("backchannel"),
    "speaking_duration_ms": _spoken,
    "floor_hold_silence_ms": _silences,
    "talk_over_ms": _overlaps,
    "talk_over_share": _overlaps,
    "tool_accuracy": _calls,
    "tool_calls": _calls,
    "delegations": _delegated,
    "delegation_accuracy": _delegated,
    "turns": _turns,
    "caller_turn_count": _turns,
}
"""The instants behind a figure, by the last part of its name."""
