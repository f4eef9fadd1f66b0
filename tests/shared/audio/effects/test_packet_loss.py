from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest

from shared.audio.effects.draws import Draws
from shared.audio.effects.packet_loss import PACKET_SAMPLES, LossyLine
from shared.audio.effects.recipe import GapFill, PacketLoss
from shared.audio.pcm import Pcm

PACKETS = 20_000
COUNTED = np.repeat(np.arange(1, 101, dtype=np.int16), PACKET_SAMPLES)
EMPTY = np.zeros(PACKETS * PACKET_SAMPLES, np.int16)


def line(loss: PacketLoss, seed: int = 7) -> LossyLine:
    return LossyLine(loss, Draws(seed, "packet_loss", "one"))


def bursts(lost: tuple[int, ...]) -> list[int]:
    """The lengths of the runs of lost packets."""
    runs = groupby(enumerate(lost), key=lambda at: at[1] - at[0])
    return [len(list(run)) for _, run in runs]


def packets(pcm: Pcm) -> list[int]:
    """One sample of every packet, each of which must be of one value."""
    rows = pcm.reshape(-1, PACKET_SAMPLES)
    assert (rows == rows[:, :1]).all()
    return rows[:, 0].tolist()


@pytest.mark.parametrize(
    ("rate", "mean_burst"),
    [(0.08, 2), (0.04, 1), (0.01, 1), (0.3, 4), (0.5, 1), (0.2, 10), (0.9, 20)],
)
def test_over_20_000_packets_loss_and_bursts_are_as_named(rate: float, mean_burst: int) -> None:
    one = line(PacketLoss(rate, mean_burst))
    one.heard(EMPTY)
    assert one.packets == PACKETS
    assert len(one.lost) / PACKETS == pytest.approx(rate, abs=0.01 if mean_burst < 10 else 0.03)
    lengths = bursts(one.lost)
    assert np.mean(lengths) == pytest.approx(mean_burst, rel=0.12)
    assert max(lengths) == 1 if mean_burst == 1 else max(lengths) > mean_burst


@pytest.mark.parametrize(
    ("rate", "expected"),
    [pytest.param(0.0, 0, id="nothing"), pytest.param(1.0, 100, id="everything")],
)
def test_at_the_ends_it_loses(rate: float, expected: int) -> None:
    one = line(PacketLoss(rate, 1))
    heard = one.heard(COUNTED)
    assert len(one.lost) == expected
    assert np.count_nonzero(heard) == (100 - expected) * PACKET_SAMPLES


def test_a_gap_is_whole_packets_of_zeros_and_the_rest_is_untouched() -> None:
    one = line(PacketLoss(0.3, 2))
    heard = packets(one.heard(COUNTED))
    assert one.lost
    assert heard == [0 if number in one.lost else number + 1 for number in range(100)]


def test_repetition_fills_a_gap_with_the_last_packet_that_came() -> None:
    one = line(PacketLoss(0.3, 3, GapFill.REPETITION))
    heard, last = packets(one.heard(COUNTED)), 0
    for number in range(100):
        last = last if number in one.lost else number + 1
        assert heard[number] == last


def test_the_fill_does_not_change_what_is_lost() -> None:
    lines = [line(PacketLoss(0.3, 3, fill)) for fill in GapFill]
    for one in lines:
        one.heard(COUNTED)
    assert lines[0].lost == lines[1].lost


def test_another_seed_loses_others() -> None:
    first, second = line(PacketLoss(0.2, 2), 1), line(PacketLoss(0.2, 2), 2)
    first.heard(COUNTED)
    second.heard(COUNTED)
    assert first.lost != second.lost


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        pytest.param(0, 0, id="none"),
        pytest.param(PACKET_SAMPLES, 1, id="exactly-one"),
        pytest.param(PACKET_SAMPLES + 1, 2, id="one-that-has-begun"),
    ],
)
def test_packets_of(samples: int, expected: int) -> None:
    one = line(PacketLoss(0.2, 2))
    one.heard(EMPTY[:samples])
    assert one.packets == expected
