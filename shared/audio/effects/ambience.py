"""Sounds that effects need and cannot compute: voices of others, and the caller's to others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shared.audio.pcm import Pcm, saturated

PEAK = 6_000


@dataclass(frozen=True, slots=True)
class Ambience:
    """``conversation`` is others talking, repeated for ever; ``aside`` one remark to someone else.

    Whatever their level was, both peak at ``PEAK``; an empty or silent one is a ``ValueError``.
    """

    conversation: Pcm
    aside: Pcm

    def __post_init__(self) -> None:
        for name, sound in (("conversation", self.conversation), ("aside", self.aside)):
            if not sound.any():
                raise ValueError(f"the {name} holds no sound")
            object.__setattr__(self, name, levelled(sound))


def levelled(sound: Pcm) -> Pcm:
    """The sound with its largest sample at ``PEAK``, in integer arithmetic."""
    wide = sound.astype(np.int64) * PEAK
    return saturated(wide // int(np.abs(sound.astype(np.int64)).max()))
