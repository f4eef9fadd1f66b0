"""What whoever reads a result is told of a session."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from shared.attempts.session_warnings import session_warnings
from shared.observability.observations import Observation, SessionClosed, SessionOpened
from tests.support.builders import at

OPENED = SessionOpened(at(0), "s1", "a-model")


@pytest.mark.parametrize(
    ("observations", "is_warned"),
    [
        pytest.param([], False, id="a-session-that-never-opened-consumed-nothing"),
        pytest.param([OPENED, SessionClosed(at(9), "close_requested", 1.5)], False, id="told"),
        pytest.param([OPENED, SessionClosed(at(9), "close_requested", 0.0)], False, id="nought"),
        pytest.param([OPENED, SessionClosed(at(9), "close_requested", None)], True, id="not-told"),
        pytest.param([OPENED], True, id="a-session-that-never-closed"),
    ],
)
@pytest.mark.parametrize("party", ["assistant", "caller"])
def test_a_final_usage_that_was_not_told_is_one_line(
    party: str, observations: Sequence[Observation], *, is_warned: bool
) -> None:
    line = f"the {party}'s session gave no final usage; its consumption is unknown"
    assert session_warnings(observations, party) == ((line,) if is_warned else ())
