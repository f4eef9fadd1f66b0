"""When a line is dead, to the millisecond."""

from __future__ import annotations

import pytest

from run_harness.simulation.lines import DEAD_AFTER_MS, SILENT_AFTER_MS, Lines
from shared.clock import Stamp
from shared.observability.observations import AudioReceived, Speaker
from tests.support.builders import a_caption

CALLER, ASSISTANT = Speaker.CALLER, Speaker.ASSISTANT
LAST_MS = 5_000


def audio(arrived_ms: int, heard_until_ms: int | None = None) -> AudioReceived:
    until_ms = arrived_ms if heard_until_ms is None else heard_until_ms
    return AudioReceived(Stamp(arrived_ms, 0), (until_ms - 100) * 24, 2_400, 0.0, is_stall=False)


def lines(caller_ms: int, assistant_ms: int) -> Lines:
    """Both sides' audio came last at those instants."""
    both = Lines()
    both.observe(CALLER, [audio(caller_ms)])
    both.observe(ASSISTANT, [audio(assistant_ms)])
    return both


@pytest.mark.parametrize("is_time_up", [True, False])
@pytest.mark.parametrize("speaker", Speaker)
def test_a_line_is_dead_exactly_at_its_bound(speaker: Speaker, is_time_up: bool) -> None:
    bound_ms = SILENT_AFTER_MS if is_time_up else DEAD_AFTER_MS
    now_ms = LAST_MS + bound_ms
    both = lines(*(LAST_MS if one is speaker else now_ms for one in (CALLER, ASSISTANT)))

    assert both.dead_for_ms(now_ms - 1, is_time_up=is_time_up) is None
    assert both.dead_for_ms(now_ms, is_time_up=is_time_up) == (speaker, bound_ms)
    assert both.dead_for_ms(now_ms + 1, is_time_up=is_time_up) == (speaker, bound_ms + 1)


def test_of_two_dead_lines_the_callers_is_told() -> None:
    assert lines(LAST_MS, 0).dead_for_ms(40_000, is_time_up=False) == (CALLER, 35_000)


def test_a_line_on_which_nothing_ever_came_is_dead_from_the_beginning() -> None:
    assert Lines().dead_for_ms(DEAD_AFTER_MS - 1, is_time_up=False) is None
    assert Lines().dead_for_ms(DEAD_AFTER_MS, is_time_up=False) == (CALLER, DEAD_AFTER_MS)


def test_audio_that_is_still_being_heard_keeps_its_line_alive() -> None:
    both = lines(60_000, 60_000)
    both.observe(ASSISTANT, [audio(5_000, heard_until_ms=59_000)])

    assert both.dead_for_ms(69_999, is_time_up=True) is None


def test_words_without_audio_keep_no_line_alive() -> None:
    both = lines(LAST_MS, LAST_MS)
    both.observe(CALLER, [a_caption(20_000, 20_400, "Hello?")])

    assert both.dead_for_ms(LAST_MS + DEAD_AFTER_MS, is_time_up=False) == (CALLER, DEAD_AFTER_MS)
