"""One attempt's view: its row told in sentences, beside its course.

Every sentence that may quote what passed between programs is covered first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from shared.plain_text import shortened
from shared.values import JsonValue
from shared.viewer.figures import figure_groups
from shared.viewer.saved_row import (
    SavedAssessment,
    SavedAudio,
    SavedCheck,
    SavedDimension,
    SavedFidelity,
    SavedMoment,
    SavedRow,
    SavedStep,
    SavedTask,
)
from shared.viewer.view import (
    AttemptView,
    AudioOrigin,
    CheckView,
    Course,
    DimensionView,
    Entry,
    FigureGroup,
    MomentView,
    Problem,
    Standing,
    StepView,
    ValidityView,
    VerdictView,
)
from shared.viewer.withheld import Withheld

LONGEST_REASON = 300
"""Characters of a reason in the index; the whole of it stands with the attempt."""

FITNESS: Final[Mapping[str, bool]] = {"valid": True, "invalid": False}
"""Any other word, of another version, does not say that a caller was unfit."""

type Cover = Callable[[str], str]


def attempt_view(
    row: SavedRow,
    course: Course,
    *,
    key: str,
    audio_origin: AudioOrigin,
    withheld: Iterable[JsonValue] = (),
    condition: str | None = None,
    rubric_version: str | None = None,
    missing: Sequence[str] = (),
) -> AttemptView:
    """The view of one attempt, yet without the waveform of its recording.

    ``key`` is unique within the run. ``withheld`` are arguments, results and ids besides those that
    the row has itself; ``condition`` is the run's, where the row names none. ``rubric_version`` is
    that of scores whose row does not say how they came about.
    """
    answers = (text for one in course.delegations for text in one.texts)
    said = (*(turn.text for turn in course.turns), *answers)
    cover = Withheld((*withheld, *_own(row)), said=said).covered
    decisions = tuple(replace(one, reason=cover(one.reason)) for one in course.decisions)
    course = replace(course, decisions=decisions, missing=tuple(map(cover, course.missing)))
    return AttemptView(
        entry=_entry(row, course, key, condition, cover),
        audio_origin=audio_origin,
        course=course,
        waveform=None,
        verdict=_verdict(row, rubric_version, cover),
        figures=tuple(_covered(one, cover) for one in figure_groups(row.metrics, course)),
        validity=_validity(row, cover),
        problem=_problem(row, course, cover),
        warnings=tuple(map(cover, row.warnings)),
        missing=tuple(map(cover, missing)),
    )


def _own(row: SavedRow) -> Iterator[JsonValue]:
    for call in row.observability.tools.executed:
        yield from (call.arguments, call.result, call.output, call.call_id)


def _covered(group: FigureGroup, cover: Cover) -> FigureGroup:
    """The figures, those without a value saying why in covered words."""
    told = (one if one.gap is None else replace(one, gap=cover(one.gap)) for one in group.figures)
    return replace(group, figures=tuple(told))


def _entry(row: SavedRow, course: Course, key: str, condition: str | None, cover: Cover) -> Entry:
    audio = SavedAudio.model_validate(row.metrics.audio)
    counts = audio.response_opportunities
    return Entry(
        key=key,
        scenario_id=row.scenario_id,
        title=row.title or row.scenario_id,
        standing=_standing(row.status),
        reason=shortened(cover(_why(row)), LONGEST_REASON),
        is_valid=_is_valid(row),
        repeat=row.attempt.repeat,
        condition=row.recording.condition or condition,
        script=row.attempt.script,
        duration_ms=course.extent_ms or None,
        answered=counts.response_count,
        asked=counts.response_total,
        latency_ms=audio.response_latency_ms,
        interruptions=audio.interruption_count,
    )


def _standing(status: str) -> Standing:
    return Standing(status) if status in Standing else Standing.UNKNOWN


def _why(row: SavedRow) -> str:
    """What decided against it; of what passed there is nothing to explain."""
    if row.error is not None:
        return f"{row.error.stage}: {row.error.message}"
    if row.assessment is None or row.status == Standing.PASSED:
        return ""
    failed = [
        f"{check.id}: {check.reason}"
        for check in row.assessment.checks
        if check.required and check.status == "failed"
    ]
    return "; ".join(failed) or row.assessment.rationale or row.observability.completion.rationale


def _verdict(row: SavedRow, rubric_version: str | None, cover: Cover) -> VerdictView | None:
    told = row.assessment or SavedAssessment()
    judged = tuple(_dimension(name, one, cover) for name, one in told.semantic.items())
    dimensions = judged or tuple(_scores(row.metrics.task, rubric_version))
    if row.assessment is None and not dimensions:
        return None
    steps = () if told.procedure is None else told.procedure.steps
    return VerdictView(
        passed=told.passed,
        source=told.source and cover(told.source),
        rationale=cover(told.rationale),
        checks=tuple(_check(check, cover) for check in told.checks),
        steps=tuple(_step(step, cover) for step in steps),
        dimensions=dimensions,
    )


def _scores(task: Mapping[str, Any], version: str | None) -> Iterator[DimensionView]:
    """Scores as older reports have them: of any value, and not converted."""
    quality = SavedTask.model_validate(task).semantic_quality
    for name, score in quality.dimensions.items():
        if score is not None:
            yield DimensionView(name, "scored", score, "", version, None)


def _check(check: SavedCheck, cover: Cover) -> CheckView:
    return CheckView(
        id=cover(check.id),
        status=check.status,
        is_required=check.required,
        reason=cover(check.reason),
        moments=_moments(check.evidence, cover),
    )


def _step(step: SavedStep, cover: Cover) -> StepView:
    return StepView(
        id=cover(step.id),
        kind=step.kind,
        status=step.status,
        is_required=step.required,
        is_critical=step.critical,
        reason=cover(step.reason),
        moments=_moments(step.evidence, cover),
    )


def _moments(found: Iterable[SavedMoment], cover: Cover) -> tuple[MomentView, ...]:
    return tuple(
        MomentView(one.at_ms, _without_id(cover(one.what)))
        for one in found
        if one.at_ms is not None
    )


def _without_id(what: str) -> str:
    """A call is told by its name: what stands behind it in brackets is its id."""
    name, bracket, rest = what.partition(" (")
    return name if bracket and rest.endswith(")") and " " not in name else what


def _dimension(name: str, told: SavedDimension, cover: Cover) -> DimensionView:
    return DimensionView(
        name=cover(name),
        status=told.status,
        score=told.score,
        reason=cover(told.rationale or told.reason or ""),
        version=told.evidence.rubric_version,
        judge_model=told.evidence.judge_model,
    )


def _is_valid(row: SavedRow) -> bool | None:
    if row.validity is None or row.validity.status is None:
        return None
    return FITNESS.get(row.validity.status)


def _validity(row: SavedRow, cover: Cover) -> ValidityView | None:
    notes = () if row.caller_fidelity is None else tuple(_notes(row.caller_fidelity, cover))
    if row.validity is None and not notes:
        return None
    reason = None if row.validity is None else row.validity.reason
    return ValidityView(_is_valid(row), cover(reason or ""), notes)


def _notes(fidelity: SavedFidelity, cover: Cover) -> Iterator[MomentView]:
    """What the caller did that was not its part; it decides nothing."""
    if fidelity.never_spoke:
        yield MomentView(0, "the caller was never heard")
    for at_ms in fidelity.drifted_at_ms:
        yield MomentView(at_ms, "the caller had taken the assistant's part")
    for fact in fidelity.contradicted_facts:
        if fact.at_ms is not None:
            yield MomentView(
                fact.at_ms, f"the caller named {cover(fact.said)}, which nobody had told it"
            )


def _problem(row: SavedRow, course: Course, cover: Cover) -> Problem | None:
    """Where an attempt broke off, its end is the moment."""
    if row.error is None:
        return None
    at_ms = course.extent_ms if course.extent_ms and course.ending == "failed" else None
    return Problem(cover(row.error.stage), cover(row.error.message), at_ms)
