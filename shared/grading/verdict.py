"""Checks and the one verdict over them.

Validity comes first: an attempt that is no measurement is an infrastructure error whatever its
checks say. Among valid ones a failed check outweighs an unscored one and that outweighs passing.
Nothing overrides this; no metric and no score decides by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from shared.errors import Stage
from shared.observability.evidence import Failure


class CheckStatus(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_APPLICABLE = "not_applicable"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class Ref:
    """What a check rests on: a moment of media time, and what lies there."""

    at_ms: int
    what: str


@dataclass(frozen=True, slots=True)
class Check:
    """One deterministic test. ``because`` is one sentence; ``refs`` lead to the moments."""

    id: str
    status: CheckStatus
    because: str
    refs: tuple[Ref, ...] = ()


class Status(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    INFRASTRUCTURE_ERROR = "infrastructure_error"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision about one attempt. ``failure`` says why it is no measurement."""

    status: Status
    checks: tuple[Check, ...]
    failure: Failure | None

    @property
    def failed_checks(self) -> tuple[str, ...]:
        return tuple(one.id for one in self.checks if one.status is CheckStatus.FAILED)


def decide(failure: Failure | None, checks: Sequence[Check]) -> Verdict:
    """Turn validity and checks into the one verdict."""
    if failure is not None:
        return Verdict(Status.INFRASTRUCTURE_ERROR, tuple(checks), failure)
    if any(one.status is CheckStatus.FAILED for one in checks):
        return Verdict(Status.FAILED, tuple(checks), None)
    for one in checks:
        if one.status is CheckStatus.UNSCORED:
            lost = Failure(Stage.SEMANTIC_JUDGE, f"{one.id} could not be scored: {one.because}")
            return Verdict(Status.INFRASTRUCTURE_ERROR, tuple(checks), lost)
    return Verdict(Status.PASSED, tuple(checks), None)
