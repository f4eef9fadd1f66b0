"""Chance that any machine repeats: numbers that depend on a seed and on their position alone.

Theory of operation: SplitMix64. Word ``i`` is the mixed value of ``key + (i + 1) * STEP``, computed
in 64 bit integers that wrap, so a word can be had without the ones before it, in any portion, and
no library's generator, floating point or byte order has a say. The key is SHA-256 of seed, effect
and scope, so that no two effects and no two scenarios share any chance.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np
import numpy.typing as npt

STEP = 0x9E37_79B9_7F4A_7C15
FIRST_FACTOR = 0xBF58_476D_1CE4_E5B9
SECOND_FACTOR = 0x94D0_49BB_1331_11EB
FIRST_SHIFT, SECOND_SHIFT, THIRD_SHIFT = 30, 27, 31
WORD_BITS = 64
WORDS = 1 << WORD_BITS

type Words = npt.NDArray[np.uint64]


class Draws:
    """One effect's chance in one scenario. It has no state: position in, the same word out."""

    def __init__(self, seed: int, effect: str, scope: str) -> None:
        named = json.dumps([seed, effect, scope], separators=(",", ":"))
        self._key = int.from_bytes(hashlib.sha256(named.encode()).digest()[:8], "big")

    def word(self, position: int) -> int:
        """One of 2^64 equally likely numbers."""
        mixed = (self._key + (position + 1) * STEP) % WORDS
        mixed = (mixed ^ (mixed >> FIRST_SHIFT)) * FIRST_FACTOR % WORDS
        mixed = (mixed ^ (mixed >> SECOND_SHIFT)) * SECOND_FACTOR % WORDS
        return mixed ^ (mixed >> THIRD_SHIFT)

    def words(self, start: int, count: int) -> Words:
        """The words of the positions ``[start, start + count)``."""
        mixed = np.arange(start + 1, start + count + 1, dtype=np.uint64)
        mixed *= np.uint64(STEP)
        mixed += np.uint64(self._key)
        mixed ^= mixed >> np.uint64(FIRST_SHIFT)
        mixed *= np.uint64(FIRST_FACTOR)
        mixed ^= mixed >> np.uint64(SECOND_SHIFT)
        mixed *= np.uint64(SECOND_FACTOR)
        mixed ^= mixed >> np.uint64(THIRD_SHIFT)
        return mixed

    def below(self, position: int, bound: int) -> int:
        """A number in ``[0, bound)``."""
        return self.word(position) * bound >> WORD_BITS

    def happens(self, position: int, probability: float) -> bool:
        """Whether something of this probability happens; 0 never does, 1 always."""
        return self.word(position) < int(probability * WORDS)
