"""The policy: plain values, so that it can be stored with what it judged."""

from __future__ import annotations

import json

from pydantic import TypeAdapter

from shared.audio.pacing import PacingBound
from shared.grading.policy import GRADING_VERSION, EvaluationPolicy
from shared.metrics.interaction import MetricPolicy
from shared.phrases import ConfirmationRule

POLICY = EvaluationPolicy(
    metrics=MetricPolicy(response_deadline_ms=4_000, yield_window_ms=1, backchannel_window_ms=2),
    pacing=PacingBound(p99_ms=10, stall_ms=20),
    confirmations=(ConfirmationRule(("book", "move"), (r"\bbooked\b", "é")),),
    refusal_patterns=("sorry",),
    grading_version="another",
)


def test_it_comes_back_from_json_as_it_went() -> None:
    adapter = TypeAdapter(EvaluationPolicy)
    stored = json.loads(json.dumps(adapter.dump_python(POLICY, mode="json")))

    assert adapter.validate_python(stored) == POLICY
    assert adapter.validate_json(json.dumps(stored)) == POLICY


def test_without_phrases_no_words_claim_or_refuse() -> None:
    policy = EvaluationPolicy()

    assert (policy.confirmations, policy.refusal_patterns) == ((), ())
    assert policy.grading_version == GRADING_VERSION


def test_the_declared_defaults_are_the_contracts() -> None:
    policy = EvaluationPolicy()

    assert policy.metrics == MetricPolicy(5_000, 2_000, 1_000)
    assert policy.pacing == PacingBound(60, 400)
