from __future__ import annotations

import pytest

from assistants.suite.recipes import BELONGS_TO, condition_of, flag_of, recipe_of
from assistants.suite.settings import CONDITIONS, EFFECT_ROWS
from shared.audio.effects.presets import PRESETS
from shared.audio.effects.recipe import (
    BackgroundSpeech,
    Distractors,
    Echo,
    GapFill,
    Noise,
    PacketLoss,
    Recipe,
)
from shared.errors import UsageError
from shared.scenario_types import AcousticCondition
from shared.settings import Value

REALISTIC = PRESETS[AcousticCondition.REALISTIC]


@pytest.mark.parametrize("condition", AcousticCondition)
def test_a_condition_alone_is_its_preset(condition: AcousticCondition) -> None:
    assert recipe_of(condition.value, {}) == PRESETS[condition]
    assert condition_of(condition.value, {}) is condition


def test_nothing_asked_for_is_clean() -> None:
    assert recipe_of(None, {}) == Recipe()
    assert condition_of(None, {}) is AcousticCondition.CLEAN


@pytest.mark.parametrize(
    ("given", "condition", "recipe"),
    [
        pytest.param({"noise_rms": 75.0}, "noisy", Recipe(noise=Noise(rms=75)), id="noise"),
        pytest.param({"noise_snr_db": 10.0}, "noisy", Recipe(noise=Noise(snr_db=10)), id="an-snr"),
        pytest.param(
            {"background_gain": 0.3},
            "background_speech",
            Recipe(background_speech=BackgroundSpeech(0.3)),
            id="others-talking",
        ),
        pytest.param(
            {"background_speech": "talk.wav"},
            "background_speech",
            Recipe(background_speech=BackgroundSpeech(0.1)),
            id="a-file-of-others-talking-is-soft",
        ),
        pytest.param(
            {"echo_delay_ms": 80}, "echo", Recipe(echo=Echo(80, 0.35)), id="a-delay-has-a-strength"
        ),
        pytest.param(
            {"echo_decay": 0.5}, "echo", Recipe(echo=Echo(120, 0.5)), id="a-strength-has-a-delay"
        ),
        pytest.param(
            {"packet_loss_rate": 0.02},
            "packet_loss",
            Recipe(packet_loss=PacketLoss(0.02, 2)),
            id="a-loss-has-its-bursts",
        ),
        pytest.param(
            {"packet_loss_burst": 5, "packet_loss_fill": "repetition"},
            "packet_loss",
            Recipe(packet_loss=PacketLoss(0.08, 5, GapFill.REPETITION)),
            id="bursts-have-their-loss",
        ),
        pytest.param(
            {"cough_every_ms": 900},
            "realistic",
            Recipe(distractors=Distractors(cough_every_ms=900)),
            id="coughs-alone",
        ),
    ],
)
def test_an_effect_alone_names_its_condition(
    given: dict[str, Value], condition: str, recipe: Recipe
) -> None:
    assert condition_of(None, given).value == condition
    assert recipe_of(None, given) == recipe


def test_overrides_replace_single_values_of_a_preset() -> None:
    changed = recipe_of(
        "realistic", {"noise_rms": 75.0, "packet_loss_rate": 0.05, "cough_every_ms": 900}
    )
    assert changed == Recipe(
        noise=Noise(rms=75),
        background_speech=REALISTIC.background_speech,
        distractors=Distractors(900, 4_600),
        echo=REALISTIC.echo,
        telephony=True,
        packet_loss=PacketLoss(0.05, 1),
    )


def test_an_snr_takes_the_place_of_a_presets_rms() -> None:
    assert recipe_of("noisy", {"noise_snr_db": 5.0}).noise == Noise(snr_db=5)


@pytest.mark.parametrize(
    ("named", "given", "complaint"),
    [
        pytest.param(
            "clean",
            {"noise_rms": 5.0},
            "--noise-rms: leaves no recording clean",
            id="clean-with-noise",
        ),
        pytest.param(
            None,
            {"noise_rms": 5.0, "echo_decay": 0.2},
            "--condition: name one",
            id="effects-of-two-conditions-without-a-name",
        ),
    ],
)
def test_a_name_that_says_nothing_true_is_refused(
    named: str | None, given: dict[str, Value], complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        condition_of(named, given)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        pytest.param(
            {"noise_rms": 5.0, "noise_snr_db": 5.0},
            "--noise-snr-db: not together with --noise-rms",
            id="two-levels-of-noise",
        ),
        pytest.param(
            {"packet_loss_rate": 0.9},
            "--packet-loss-rate: a loss rate of 0.9 needs longer bursts than 2",
            id="a-loss-that-its-bursts-cannot-reach",
        ),
    ],
)
def test_effects_that_cannot_be_are_refused(given: dict[str, Value], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        recipe_of(None, given)


def test_every_effect_has_a_flag_and_a_condition() -> None:
    assert set(BELONGS_TO) == {row.name for row in EFFECT_ROWS}
    assert [flag_of(row.name) for row in EFFECT_ROWS] == [row.flag for row in EFFECT_ROWS]


def test_the_flag_offers_the_conditions_there_are() -> None:
    assert tuple(condition.value for condition in AcousticCondition) == CONDITIONS
