from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.audio.effects.presets import PRESETS
from shared.audio.effects.recipe import (
    BackgroundSpeech,
    Distractors,
    Echo,
    Leak,
    Noise,
    PacketLoss,
    Recipe,
)
from shared.scenario_types import AcousticCondition


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        pytest.param(Noise, "not both", id="a-noise-of-no-level"),
        pytest.param(lambda: Noise(rms=1, snr_db=1), "not both", id="a-noise-of-two-levels"),
        pytest.param(lambda: Noise(rms=32_768), "noise RMS", id="a-noise-beyond-full-scale"),
        pytest.param(lambda: Noise(rms=-1), "noise RMS", id="a-noise-below-nothing"),
        pytest.param(lambda: Noise(snr_db=101), "SNR", id="an-snr-that-is-a-mistake"),
        pytest.param(lambda: BackgroundSpeech(1.01), "gain", id="others-amplified"),
        pytest.param(lambda: Distractors(0), "every 1 to", id="coughing-all-the-time"),
        pytest.param(lambda: Distractors(1, 3_600_001), "every 1 to", id="once-in-over-an-hour"),
        pytest.param(lambda: Echo(-1, 0.5), "delay", id="an-echo-ahead"),
        pytest.param(lambda: Echo(60_001, 0.5), "delay", id="an-echo-after-over-a-minute"),
        pytest.param(lambda: Echo(1, 1.1), "decay", id="an-echo-that-grows"),
        pytest.param(lambda: Leak(-1, 0.5), "delay", id="a-leak-ahead"),
        pytest.param(lambda: Leak(1, 1.1), "gain", id="a-leak-that-grows"),
        pytest.param(lambda: PacketLoss(1.1, 1), "rate", id="more-lost-than-sent"),
        pytest.param(lambda: PacketLoss(0.1, 0), "burst", id="bursts-of-nothing"),
        pytest.param(lambda: PacketLoss(0.1, 1_001), "burst", id="bursts-of-over-20-seconds"),
        pytest.param(lambda: PacketLoss(0.51, 1), "longer bursts", id="more-than-every-second"),
        pytest.param(lambda: PacketLoss(0.67, 2), "longer bursts", id="more-than-two-in-three"),
    ],
)
def test_refused_is(make: Callable[[], object], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        make()


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: Noise(rms=0), id="a-noise-of-nothing"),
        pytest.param(lambda: Noise(rms=32_767), id="the-loudest-noise"),
        pytest.param(lambda: Noise(snr_db=-100), id="a-noise-that-drowns-all"),
        pytest.param(lambda: BackgroundSpeech(1), id="others-as-recorded"),
        pytest.param(lambda: Distractors(1, 3_600_000), id="both-ends-of-the-intervals"),
        pytest.param(lambda: Echo(60_000, 1), id="the-longest-and-strongest-echo"),
        pytest.param(lambda: PacketLoss(0.5, 1), id="every-second-packet"),
        pytest.param(lambda: PacketLoss(1, 1), id="a-dead-line"),
        pytest.param(lambda: PacketLoss(0, 1_000), id="a-good-line"),
    ],
)
def test_allowed_is(make: Callable[[], object]) -> None:
    make()


def test_every_condition_has_its_recipe_in_the_order_of_the_pack() -> None:
    assert list(PRESETS) == list(AcousticCondition)


@pytest.mark.parametrize(
    ("condition", "recipe"),
    [
        ("clean", Recipe()),
        ("noisy", Recipe(noise=Noise(rms=1200))),
        ("telephony", Recipe(telephony=True)),
        ("background_speech", Recipe(background_speech=BackgroundSpeech(0.65))),
        ("echo", Recipe(echo=Echo(120, 0.35))),
        ("packet_loss", Recipe(packet_loss=PacketLoss(0.08, 2))),
        (
            "realistic",
            Recipe(
                Noise(rms=500),
                BackgroundSpeech(0.4),
                Distractors(3_200, 4_600),
                Echo(120, 0.25),
                telephony=True,
                packet_loss=PacketLoss(0.04, 1),
            ),
        ),
    ],
)
def test_the_preset(condition: str, recipe: Recipe) -> None:
    assert PRESETS[AcousticCondition(condition)] == recipe
