"""Which effects a caller's audio goes through, and how strong each is. Absent means off.

A recipe holds settings alone: the seed that makes one noise out of all possible ones is not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LOUDEST_RMS = 32_767
LONGEST_DELAY_MS = 60_000
LONGEST_INTERVAL_MS = 3_600_000
LONGEST_BURST = 1_000
MOST_SNR_DB = 100.0


def _need(holds: bool, rule: str) -> None:  # noqa: FBT001 - a rule reads as a sentence
    if not holds:
        raise ValueError(rule)


@dataclass(frozen=True, slots=True)
class Noise:
    """White noise, either of an RMS in sample units or so many dB below the caller's speech."""

    rms: float | None = None
    snr_db: float | None = None

    def __post_init__(self) -> None:
        _need((self.rms is None) != (self.snr_db is None), "noise has an RMS or an SNR, not both")
        _need(self.rms is None or 0 <= self.rms <= LOUDEST_RMS, "noise RMS lies in [0, 32767]")
        _need(self.snr_db is None or abs(self.snr_db) <= MOST_SNR_DB, "SNR lies in [-100, 100] dB")


@dataclass(frozen=True, slots=True)
class BackgroundSpeech:
    """Others talking nearby, over and over. ``gain`` multiplies the bundled level."""

    gain: float

    def __post_init__(self) -> None:
        _need(0 <= self.gain <= 1, "background gain lies in [0, 1]")


@dataclass(frozen=True, slots=True)
class Distractors:
    """Sounds of the caller's that are no request, each due every so many milliseconds."""

    cough_every_ms: int | None = None
    non_directed_every_ms: int | None = None

    def __post_init__(self) -> None:
        for every_ms in (self.cough_every_ms, self.non_directed_every_ms):
            _need(
                every_ms is None or 1 <= every_ms <= LONGEST_INTERVAL_MS,
                "distractors come every 1 to 3600000 ms",
            )


@dataclass(frozen=True, slots=True)
class Echo:
    """One reflection of everything near the caller: ``delay_ms`` later, ``decay`` as strong."""

    delay_ms: int
    decay: float

    def __post_init__(self) -> None:
        _need(0 <= self.delay_ms <= LONGEST_DELAY_MS, "echo delay lies in [0, 60000] ms")
        _need(0 <= self.decay <= 1, "echo decay lies in [0, 1]")


@dataclass(frozen=True, slots=True)
class Leak:
    """The assistant as the caller's microphone hears it: ``delay_ms`` later, times ``gain``."""

    delay_ms: int
    gain: float

    def __post_init__(self) -> None:
        _need(0 <= self.delay_ms <= LONGEST_DELAY_MS, "leak delay lies in [0, 60000] ms")
        _need(0 <= self.gain <= 1, "leak gain lies in [0, 1]")


class GapFill(StrEnum):
    """What is heard where a packet is missing: nothing, or the last packet again."""

    ZEROS = "zeros"
    REPETITION = "repetition"


@dataclass(frozen=True, slots=True)
class PacketLoss:
    """The share of 20 ms packets lost in the long run, and how many in a row on average."""

    rate: float
    mean_burst: int
    fill: GapFill = GapFill.ZEROS

    def __post_init__(self) -> None:
        _need(0 <= self.rate <= 1, "packet loss rate lies in [0, 1]")
        _need(1 <= self.mean_burst <= LONGEST_BURST, "mean burst lies in [1, 1000] packets")
        # Between two bursts at least one packet arrives.
        most = self.mean_burst / (self.mean_burst + 1)
        _need(
            self.rate in {0, 1} or self.rate <= most,
            f"a loss rate of {self.rate:g} needs longer bursts than {self.mean_burst} on average",
        )


@dataclass(frozen=True, slots=True)
class Recipe:
    """All effects in the order in which they act."""

    noise: Noise | None = None
    background_speech: BackgroundSpeech | None = None
    distractors: Distractors | None = None
    echo: Echo | None = None
    leak: Leak | None = None
    telephony: bool = False
    packet_loss: PacketLoss | None = None
