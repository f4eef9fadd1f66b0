from __future__ import annotations

import pytest

from shared.metrics.backchannels import BackchannelOutcome, backchannels
from shared.observability.evidence import CallerAction
from tests.support.builders import a_request, spans

CONTINUED, FALSE_YIELD = BackchannelOutcome.CONTINUED, BackchannelOutcome.FALSE_YIELD


def taken(cue, assistant) -> BackchannelOutcome | None:
    (outcome,) = backchannels([cue], assistant, window_ms=1_000)
    return outcome


@pytest.mark.parametrize(
    ("assistant", "expected"),
    [
        pytest.param(spans((0, 3_251)), CONTINUED, id="one-ms-past-its-end"),
        pytest.param(spans((0, 3_250)), FALSE_YIELD, id="exactly-to-its-end"),
        pytest.param(spans((0, 3_100)), FALSE_YIELD, id="stopping-under-it"),
        pytest.param(spans((0, 3_000)), None, id="already-over"),
        pytest.param(spans((3_000, 6_000)), None, id="begun-with-it"),
        pytest.param(spans(), None, id="silent"),
    ],
)
def test_a_short_backchannel_over_speech(assistant, expected) -> None:
    assert taken(a_request((3_000, 3_250), action=CallerAction.BACKCHANNEL), assistant) is expected


@pytest.mark.parametrize(
    ("end_ms", "expected"),
    [
        pytest.param(3_999, FALSE_YIELD, id="one-ms-short-of-the-window"),
        pytest.param(4_000, CONTINUED, id="exactly-the-window"),
        pytest.param(4_001, CONTINUED, id="one-ms-past-the-window"),
        pytest.param(6_000, CONTINUED, id="three-windows-and-exactly-to-its-end"),
    ],
)
def test_a_long_backchannel_need_not_be_outlasted(end_ms: int, expected) -> None:
    long_one = a_request((3_000, 6_000), action=CallerAction.BACKCHANNEL)
    assert taken(long_one, spans((0, end_ms))) is expected


@pytest.mark.parametrize(
    "action", [one for one in CallerAction if one is not CallerAction.BACKCHANNEL]
)
def test_nothing_else_is_a_backchannel(action: CallerAction) -> None:
    assert taken(a_request((3_000, 3_250), action=action), spans((0, 6_000))) is None
