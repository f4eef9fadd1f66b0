"""Two tracks side by side: the caller on the left, the assistant on the right."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shared.audio.pcm import Pcm

type Stereo = npt.NDArray[np.int16]
"""Rows of (left, right)."""


def stereo(caller: Pcm, assistant: Pcm) -> Stereo:
    """Both tracks from sample 0, the shorter one filled up with zeros. No sample is changed."""
    both = np.zeros((max(caller.size, assistant.size), 2), np.int16)
    both[: caller.size, 0] = caller
    both[: assistant.size, 1] = assistant
    return both
