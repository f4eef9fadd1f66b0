"""How instants and gaps are said; the other words are told by the terminal's tests."""

from __future__ import annotations

import pytest

from shared.reporting.wording import gap, instant
from tests.support.judged import a_row, an_attempt


@pytest.mark.parametrize(
    ("at_ms", "shown"),
    [
        pytest.param(0, "00:00.000", id="the-start"),
        pytest.param(999, "00:00.999", id="before-a-second"),
        pytest.param(1_000, "00:01.000", id="a-second"),
        pytest.param(59_999, "00:59.999", id="before-a-minute"),
        pytest.param(60_000, "01:00.000", id="a-minute"),
        pytest.param(6_000_001, "100:00.001", id="a-hundred-minutes"),
    ],
)
def test_an_instant_is_shown_as(at_ms: int, shown: str) -> None:
    assert instant(at_ms) == shown


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        pytest.param(
            ["audio.response_latency_ms"], "no request was answered in time", id="its-own"
        ),
        pytest.param(
            ["audio", "audio.response_latency_ms"],
            "no request was answered in time",
            id="the-first-that-has-one",
        ),
        pytest.param(["audio"], "no reason was given", id="none"),
    ],
)
def test_a_gap_has_its_reason(keys: list[str], reason: str) -> None:
    assert gap(a_row(an_attempt()), *keys) == reason
