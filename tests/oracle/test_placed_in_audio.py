"""The twelve placed conversations as sound: one detector hop per edge, and every decision the same.

Both parties are sung where they were placed, on the detector's grid and beside it, and the tracks
are measured as a conversation's are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pcm import SAMPLES_PER_MS, saturated, silence
from shared.metrics.interaction import MetricPolicy, measure
from shared.observability.evidence import Track
from shared.observability.timeline import Timeline
from tests.oracle.conversations import Span
from tests.oracle.placed import CONVERSATIONS, SOUNDS, Placed, moved

HOP_MS = 10
BESIDE_THE_GRID_MS = (3, 7)
# Here a caller begins with the very ms in which the assistant ends, which no hop can tell from
# overlap; on the grid the edges are exact.
ON_ONE_INSTANT = "giving-way-without-overlap-takes-an-explicit-interruption"
CASES = [
    pytest.param(placed, by_ms, id=f"{name}-{by_ms}-ms-later")
    for name, placed in CONVERSATIONS.items()
    for by_ms in (0, *(() if name == ON_ONE_INSTANT else BESIDE_THE_GRID_MS))
]


def sung(spans: Iterable[Span], track: Track, extent_ms: int) -> Track:
    """A track with a vowel of soft edges in every span, as the detector hears it."""
    pcm = silence(extent_ms).copy()
    for start_ms, end_ms in spans:
        steps = np.arange((end_ms - start_ms) * SAMPLES_PER_MS) / 24_000
        edge = np.clip(np.minimum(steps, steps[::-1]) / 0.006, 0, 1)
        tones = np.sin(2 * np.pi * 180 * steps) + np.sin(2 * np.pi * 360 * steps)
        pcm[start_ms * SAMPLES_PER_MS : end_ms * SAMPLES_PER_MS] = saturated(6_000 * edge * tones)
    return replace(track, voiced=EnergyV1().voiced(pcm), samples=pcm.size)


@pytest.mark.parametrize(("placed", "by_ms"), CASES)
def test_in_sound_it_is_the_same_conversation(placed: Placed, by_ms: int) -> None:
    placed = moved(placed, by_ms)
    said = [span for one in placed.caller for span in one.voiced]
    plain = placed.evidence
    heard = replace(
        plain,
        caller=sung(said, plain.caller, placed.extent_ms),
        assistant=sung(placed.assistant, plain.assistant, placed.extent_ms),
    )
    truth, found = (measure(Timeline.of(one, SOUNDS), MetricPolicy()) for one in (plain, heard))

    assert [(t.turn.action, t.turn.source, t.turn.text) for t in found.turns] == [
        (t.turn.action, t.turn.source, t.turn.text) for t in truth.turns
    ]
    for mine, true in zip(found.turns, truth.turns, strict=True):
        assert mine.turn.span.start_ms == pytest.approx(true.turn.span.start_ms, abs=HOP_MS)
        assert mine.turn.span.end_ms == pytest.approx(true.turn.span.end_ms, abs=HOP_MS)
        assert mine.opportunity.reason is true.opportunity.reason
        assert mine.opportunity.latency_ms == within(true.opportunity.latency_ms, edges=2)
        assert len(mine.interruptions) == len(true.interruptions)
        assert mine.backchannel is true.backchannel
        assert (mine.yielding is None) is (true.yielding is None)
        if mine.yielding is not None and true.yielding is not None:
            assert mine.yielding.outcome is true.yielding.outcome
            assert mine.yielding.delay_ms == within(true.yielding.delay_ms, edges=2)
    holds = 2 * len(truth.floor_hold)
    assert found.floor_hold.total_ms == within(truth.floor_hold.total_ms, edges=holds)
    assert found.floor_hold.longest_ms == within(truth.floor_hold.longest_ms, edges=2)


def within(true_ms: int | None, *, edges: int) -> object:
    return None if true_ms is None else pytest.approx(true_ms, abs=edges * HOP_MS)
