"""Packets that never arrive, in bursts: a Gilbert model on 20 ms packets.

Theory of operation: the line is in one of two states, and every packet finds it so. From *lost* it
recovers with probability ``1 / mean burst``, so bursts last that long on average; into *lost* it
falls with the probability that makes the average loss the rate asked for; and it begins as it would
be found at any instant. With a mean burst of 1 no two packets in a row are lost.
"""

from __future__ import annotations

import numpy as np

from shared.audio.effects.draws import Draws
from shared.audio.effects.recipe import GapFill, PacketLoss
from shared.audio.pcm import FRAME_SAMPLES, Pcm

PACKET_SAMPLES = FRAME_SAMPLES


class LossyLine:
    """A line that loses packets, counted from its first sample on."""

    def __init__(self, loss: PacketLoss, draws: Draws) -> None:
        self._loss = loss
        self._draws = draws
        # All lost or none: no state to recover from or to fall into.
        share = loss.rate / (1 - loss.rate) if loss.rate < 1 else 0.0
        self._falls = share / loss.mean_burst
        self._stays = 1 - 1 / loss.mean_burst if loss.rate < 1 else 1.0
        self._position = 0
        self._is_lost = False
        self._lost: list[int] = []
        self._heard = np.zeros(PACKET_SAMPLES, np.int16)

    def heard(self, pcm: Pcm) -> Pcm:
        """What arrives, and what fills the gaps."""
        stream = np.concatenate([self._heard, pcm])
        end = self._position + pcm.size
        at = self._position
        while at < end:
            if at % PACKET_SAMPLES == 0:
                self._send(at // PACKET_SAMPLES)
            upto = min(end, (at // PACKET_SAMPLES + 1) * PACKET_SAMPLES)
            if self._is_lost:
                self._fill(stream, at - self._position, upto - at)
            at = upto
        self._position = end
        self._heard = stream[pcm.size :]
        return stream[PACKET_SAMPLES:]

    @property
    def packets(self) -> int:
        """How many have been sent so far; one that has begun counts."""
        return -(-self._position // PACKET_SAMPLES)

    @property
    def lost(self) -> tuple[int, ...]:
        """The numbers of the lost ones, from 0."""
        return tuple(self._lost)

    def _send(self, packet: int) -> None:
        probability = self._stays if self._is_lost else self._falls
        if packet == 0:
            probability = self._loss.rate
        self._is_lost = self._draws.happens(packet, probability)
        if self._is_lost:
            self._lost.append(packet)

    def _fill(self, stream: Pcm, start: int, count: int) -> None:
        """``stream`` begins one packet early, with what was heard in place of the last one."""
        gap = slice(start + PACKET_SAMPLES, start + PACKET_SAMPLES + count)
        is_repeated = self._loss.fill is GapFill.REPETITION
        stream[gap] = stream[start : start + count] if is_repeated else 0
