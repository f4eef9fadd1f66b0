"""What a speech detector is: a named, versioned rule from samples to voiced spans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from shared.audio.pcm import Pcm
from shared.intervals import IntervalSet
from shared.values import JsonScalar


@dataclass(frozen=True, slots=True)
class DetectorId:
    """Which detector measured a track, so that two are never compared unawares."""

    name: str
    version: str
    parameters: Mapping[str, JsonScalar]


class Detector(Protocol):
    """Finds speech in a whole track. The same samples give the same spans on every call."""

    @property
    def id(self) -> DetectorId: ...

    def voiced(self, pcm: Pcm) -> IntervalSet:
        """Where the track is voiced, in milliseconds from its first sample."""
