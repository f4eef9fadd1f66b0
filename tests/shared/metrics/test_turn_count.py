from __future__ import annotations

import pytest

from shared.metrics.turn_count import substantive_turns
from shared.observability.evidence import CallerAction
from shared.observability.turns import assistant_turns
from tests.support.builders import a_request, spans

FIRST, SECOND = a_request((1_000, 2_000)), a_request((10_000, 11_000))
MM_HM = a_request((5_000, 5_200), action=CallerAction.BACKCHANNEL)
BYE = a_request((20_000, 21_000), action=CallerAction.STOP)


@pytest.mark.parametrize(
    ("caller", "spoken", "expected"),
    [
        pytest.param([], [], 0, id="nobody"),
        pytest.param([], [(0, 500)], 0, id="a-greeting-replies-to-nothing"),
        pytest.param([FIRST], [(3_000, 4_000)], 2, id="request-and-reply"),
        pytest.param([FIRST], [], 1, id="request-without-reply"),
        pytest.param([FIRST], [(0, 500)], 1, id="what-came-before-is-no-reply"),
        pytest.param([FIRST], [(1_000, 4_000)], 2, id="a-reply-from-the-very-onset"),
        pytest.param([FIRST], [(999, 4_000)], 1, id="begun-one-ms-before-the-onset"),
        pytest.param([FIRST], [(3_000, 4_000), (6_000, 7_000)], 2, id="one-reply-each"),
        pytest.param([FIRST, SECOND], [(9_999, 9_999 + 500)], 3, id="one-ms-before-the-next"),
        pytest.param([FIRST, SECOND], [(10_000, 12_000)], 3, id="at-the-next-it-is-the-nexts"),
        pytest.param([FIRST, MM_HM], [(3_000, 7_000)], 2, id="backchannels-do-not-count"),
        pytest.param([FIRST, SECOND, BYE], [(3_000, 4_000)], 4, id="all-three-kinds-are-added"),
        pytest.param([FIRST, BYE], [(3_000, 4_000), (22_000, 23_000)], 3, id="a-closing-is-one"),
    ],
)  # fmt: skip
def test_substantive_turns(caller, spoken, expected: int) -> None:
    assert substantive_turns(caller, assistant_turns(spans(*spoken), spans(), ())) == expected
