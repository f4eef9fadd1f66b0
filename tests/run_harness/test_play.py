"""When a scripted caller has said its farewell, and it was heard to its end."""

from __future__ import annotations

import pytest

from assistants.frontend.fixture.conversation import Spoken
from assistants.frontend.fixture.steps import Say
from run_harness.play import farewells
from shared.intervals import Interval


def said(action: str | None) -> Spoken:
    step = Say.model_validate_json(
        '{"say": "Bye.", "at": "start+500"' + (f', "action": "{action}"' if action else "") + "}"
    )
    return Spoken(1, step, Interval(500, 1_000), None)


@pytest.mark.parametrize(
    ("action", "heard_by_ms", "count"),
    [
        pytest.param("STOP", 999, 0, id="one-before-its-end-it-is-not-over"),
        pytest.param("STOP", 1_000, 1, id="exactly-at-its-end-it-is"),
        pytest.param("STOP", 1_001, 1, id="and-one-after-it"),
        pytest.param("SPEAK", 1_001, 0, id="another-sentence-is-no-farewell"),
        pytest.param(None, 1_001, 0, id="nor-is-one-without-a-label"),
    ],
)
def test_a_farewell_counts_once_it_was_heard(
    action: str | None, heard_by_ms: int, count: int
) -> None:
    assert farewells([said(action)], heard_by_ms) == count
