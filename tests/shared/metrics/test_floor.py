from __future__ import annotations

import pytest

from shared.intervals import IntervalSet
from shared.metrics.floor import (
    Durations,
    floor_hold_durations,
    floor_hold_silence,
    speaking_duration,
)
from shared.observability.observations import ToolCalled, ToolReturned, ToolStatus
from shared.observability.timeline import Timeline
from shared.observability.turns import assistant_turns
from tests.support.builders import an_evidence, at, spans


@pytest.mark.parametrize(
    ("work", "caller", "assistant", "expected"),
    [
        pytest.param(spans(), spans(), spans(), Durations(0, 0), id="no-work-no-silence"),
        pytest.param(spans((150, 450)), spans(), spans(), Durations(300, 300), id="150-to-450"),
        pytest.param(spans((150, 190)), spans(), spans(), Durations(40, 40), id="150-to-190"),
        pytest.param(
            spans((0, 1_000)),
            spans((200, 300)),
            spans((250, 600)),
            Durations(600, 400),
            id="either-voice-breaks-the-silence",
        ),
        pytest.param(
            spans((100, 200)), spans((0, 300)), spans(), Durations(0, 0), id="under-the-caller"
        ),
        pytest.param(
            spans((100, 200)), spans((0, 100)), spans((200, 300)), Durations(100, 100), id="between"
        ),
        pytest.param(
            spans((0, 100), (400, 600)), spans(), spans(), Durations(300, 200), id="two-episodes"
        ),
    ],
)
def test_floor_hold_silence(
    work: IntervalSet, caller: IntervalSet, assistant: IntervalSet, expected: Durations
) -> None:
    assert floor_hold_durations(floor_hold_silence(work, caller, assistant)) == expected


def test_two_calls_of_one_name_hold_the_floor_until_both_returned() -> None:
    observations = [
        ToolCalled(at(1_000), "c1", "find_table", "{}", {}, None, None),
        ToolCalled(at(1_200), "c2", "find_table", "{}", {}, None, None),
        ToolReturned(at(1_500), "c1", "find_table", ToolStatus.COMPLETED, None, {}),
        ToolReturned(at(2_000), "c2", "find_table", ToolStatus.COMPLETED, None, {}),
    ]
    timeline = Timeline.of(an_evidence(observations=observations))
    assert floor_hold_silence(timeline.work, timeline.caller, timeline.assistant) == spans(
        (1_000, 2_000)
    )


@pytest.mark.parametrize(
    ("voiced", "expected"),
    [
        pytest.param(spans(), Durations(0, 0), id="nothing-said"),
        pytest.param(spans((0, 500)), Durations(500, 500), id="one-span"),
        pytest.param(spans((0, 500), (700, 900)), Durations(700, 700), id="pauses-do-not-count"),
        pytest.param(
            spans((0, 500), (1_500, 1_700), (1_800, 2_300)), Durations(1_200, 700), id="two-turns"
        ),
    ],
)
def test_speaking_duration(voiced: IntervalSet, expected: Durations) -> None:
    assert speaking_duration(voiced, assistant_turns(voiced, spans(), ())) == expected
