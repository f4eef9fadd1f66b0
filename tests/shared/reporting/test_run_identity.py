"""Which run it was: a fixture is no model, and what a report does not hold is unknown."""

from __future__ import annotations

from typing import Any

import pytest

from shared.reporting.run_identity import run_identity
from tests.support.judged import a_run

LIVE = {"execution_mode": "live"}
MODEL = {
    "model": "gpt-live-1",
    "voice": "marin",
    "assistant_mode": "responses",
    "backend_model": "gpt-5.6-terra",
    "backend_reasoning_effort": "none",
}
SIMULATED = {"audio_source": "dual_gpt_live", "simulator_model": "gpt-live-1"}


@pytest.mark.parametrize(
    ("line", "told", "run", "held"),
    [
        pytest.param("suite", "WALK, live", LIVE | {"module": "walk"}, {}, id="a-live-run"),
        pytest.param("suite", "CRAWL, offline fixture", {}, {}, id="an-offline-run"),
        pytest.param(
            "assistant",
            "gpt-live-1, voice marin, delegation by responses, backend gpt-5.6-terra at effort"
            " none",
            LIVE,
            MODEL,
            id="an-assistant",
        ),
        pytest.param(
            "assistant",
            "a scripted fixture, no model, delegation by client",
            {},
            MODEL | {"assistant_mode": "client"},
            id="a-fixture-is-no-model",
        ),
        pytest.param(
            "time",
            "2027-07-02T17:26:49.123+00:00 to unknown",
            {"ended_at": None},
            {},
            id="a-run-without-an-end",
        ),
        pytest.param("caller", "dual_gpt_live, gpt-live-1", LIVE, SIMULATED, id="a-model-calls"),
        pytest.param(
            "caller",
            "dual_gpt_live",
            LIVE,
            SIMULATED | {"caller_script": "sound"},
            id="a-script-calls",
        ),
        pytest.param("caller", "dual_gpt_live, scripted", {}, SIMULATED, id="a-fixture-calls"),
        pytest.param("caller", "unknown", {}, {}, id="nobody-knows-who-calls"),
        pytest.param("condition", "noisy", {}, {"condition": "noisy"}, id="a-condition"),
        pytest.param("judge", "nobody", {}, {"semantic_judge": None}, id="no-judge"),
        pytest.param(
            "judge",
            "gpt-5.6-terra at effort medium",
            {},
            {"semantic_judge": {"model": "gpt-5.6-terra", "reasoning_effort": "medium"}},
            id="a-judge",
        ),
        pytest.param(
            "dataset",
            "scenarios.json, SHA-256 0123456789ab",
            {},
            {"dataset_sha256": "0123456789abcdef"},
            id="a-short-hash",
        ),
        pytest.param("dataset", "scenarios.json, SHA-256 unknown", {}, {}, id="no-hash"),
        pytest.param(
            "versions",
            "gpt-live-evals 0.1.0, metrics 2.0, extended unknown, grading unknown, detector"
            " energy-v1",
            {},
            {
                "package_versions": {"gpt-live-evals": "0.1.0"},
                "metrics_version": "2.0",
                "extended_version": 4,
                "detector": {"name": "energy-v1"},
            },
            id="versions-that-are-texts",
        ),
    ],
)
def test_a_run_is_told_by(line: str, told: str, run: dict[str, Any], held: dict[str, Any]) -> None:
    assert dict(run_identity(a_run(**run, configuration=held)))[line] == told


def test_without_a_condition_none_is_told() -> None:
    assert "condition" not in dict(run_identity(a_run(configuration={})))
