"""The telephone: 300 to 3,400 Hz, really at 8 kHz, in G.711 mu-law.

Theory of operation: a low-pass, every third sample, a high-pass at 8 kHz, the codec, and the same
low-pass over the kept samples with zeros between them. All three filters are symmetric, so every
frequency is late by the same ``DELAY_SAMPLES``: 4 ms, in which the caller's end shifts as well. All
of it is integer arithmetic (see ``fir``), the codec a table.
"""

from __future__ import annotations

import functools

import numpy as np

from shared.audio.effects.fir import UNITY, Filter, highpass, lowpass
from shared.audio.effects.levels import Floats
from shared.audio.effects.mulaw import through_mulaw
from shared.audio.pcm import SAMPLE_RATE_HZ, Pcm, saturated

NARROW_RATE_HZ = 8_000
FACTOR = SAMPLE_RATE_HZ // NARROW_RATE_HZ
LOWPASS_TAPS = 37
HIGHPASS_TAPS = 41
DELAY_SAMPLES = LOWPASS_TAPS - 1 + FACTOR * (HIGHPASS_TAPS // 2)


@functools.cache
def upper_edge() -> Floats:
    """Keeps 3 kHz whole, takes 40 dB from all above 4.5 kHz; 1.8 dB are lost at 3.4 kHz.

    A line filters twice with it: it takes 1.1 dB at 3.2 kHz and 3.6 dB at 3.4 kHz.
    """
    return lowpass(LOWPASS_TAPS, 3_750, SAMPLE_RATE_HZ, beta=3.4)


@functools.cache
def lower_edge() -> Floats:
    """Keeps 400 Hz whole, takes 3 dB at 300 Hz and 30 dB from mains hum."""
    return highpass(HIGHPASS_TAPS, 250, NARROW_RATE_HZ, beta=1.5)


class TelephoneLine:
    """A line with its filters' memories. What comes out is 24 kHz again and as long as went in."""

    def __init__(self) -> None:
        self._before = Filter(upper_edge())
        self._band = Filter(lower_edge())
        self._after = Filter(upper_edge() * FACTOR)
        self._position = 0

    def heard(self, pcm: Pcm) -> Pcm:
        """The other end of the line."""
        first = -self._position % FACTOR
        self._position += pcm.size
        narrow = self._before.filtered(pcm.astype(np.float64))[first::FACTOR]
        banded = saturated(self._band.filtered(narrow) / (UNITY * UNITY))
        spread = np.zeros(pcm.size)
        spread[first::FACTOR] = through_mulaw(banded)
        return saturated(self._after.filtered(spread) / UNITY)
