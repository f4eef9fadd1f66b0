"""The seven named conditions. Loss rates are true averages; levels are in sample units."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from shared.audio.effects.recipe import (
    BackgroundSpeech,
    Distractors,
    Echo,
    Noise,
    PacketLoss,
    Recipe,
)
from shared.scenario_types import AcousticCondition

PRESETS: Final[Mapping[AcousticCondition, Recipe]] = MappingProxyType(
    {
        AcousticCondition.CLEAN: Recipe(),
        AcousticCondition.NOISY: Recipe(noise=Noise(rms=1200)),
        AcousticCondition.TELEPHONY: Recipe(telephony=True),
        AcousticCondition.BACKGROUND_SPEECH: Recipe(background_speech=BackgroundSpeech(gain=0.65)),
        AcousticCondition.ECHO: Recipe(echo=Echo(delay_ms=120, decay=0.35)),
        AcousticCondition.PACKET_LOSS: Recipe(packet_loss=PacketLoss(rate=0.08, mean_burst=2)),
        AcousticCondition.REALISTIC: Recipe(
            noise=Noise(rms=500),
            background_speech=BackgroundSpeech(gain=0.4),
            distractors=Distractors(cough_every_ms=3_200, non_directed_every_ms=4_600),
            echo=Echo(delay_ms=120, decay=0.25),
            telephony=True,
            packet_loss=PacketLoss(rate=0.04, mean_burst=1),
        ),
    }
)
"""In the order in which a pack of varied recordings goes through them."""
