"""The evaluator's policy: everything beside evidence and scenario that a verdict depends on.

It is stored with the evidence, so that judging again tomorrow uses today's rules, and it holds
resolved values only: no setting and no file is looked up while judging.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from shared.audio.pacing import PacingBound
from shared.metrics.interaction import MetricPolicy
from shared.phrases import ConfirmationRule

GRADING_VERSION = "2"


@dataclass(frozen=True, slots=True)
class EvaluationPolicy:
    """``confirmations`` say which words claim which success, ``refusal_patterns`` which refuse."""

    metrics: MetricPolicy = field(default_factory=MetricPolicy)
    pacing: PacingBound = field(default_factory=PacingBound)
    confirmations: tuple[ConfirmationRule, ...] = ()
    refusal_patterns: tuple[str, ...] = ()
    grading_version: str = GRADING_VERSION
