"""From flags to the condition of a conversation."""

from __future__ import annotations

import pytest

from run_harness.condition import acoustics_of
from run_harness.settings import ROWS
from shared.audio.effects.presets import PRESETS
from shared.audio.effects.recipe import Noise, Recipe
from shared.errors import UsageError
from shared.scenario_types import AcousticCondition
from shared.settings import Settings, Value, from_toml, resolve

IN_A_FILE = from_toml(ROWS, {"simulation": {"condition": "clean"}}, file="a.toml")


def given(**flags: Value) -> Settings:
    return resolve(ROWS, flags=flags, environment={}, env_file={}, toml=IN_A_FILE)


def test_nothing_asked_for_is_clean() -> None:
    assert acoustics_of(given()) == (AcousticCondition.CLEAN, Recipe())


@pytest.mark.parametrize("condition", AcousticCondition)
def test_a_condition_is_its_preset(condition: AcousticCondition) -> None:
    assert acoustics_of(given(condition=condition.value)) == (condition, PRESETS[condition])


def test_an_effect_alone_names_the_condition() -> None:
    condition, recipe = acoustics_of(given(noise_rms=500))

    assert (condition, recipe) == (AcousticCondition.NOISY, Recipe(noise=Noise(rms=500)))


def test_an_effect_changes_the_condition_it_is_given_with() -> None:
    condition, recipe = acoustics_of(given(condition="realistic", noise_rms=0))

    assert condition is AcousticCondition.REALISTIC
    assert recipe.noise == Noise(rms=0)
    assert recipe.echo == PRESETS[condition].echo


def test_what_is_called_clean_on_the_command_line_is_clean() -> None:
    with pytest.raises(UsageError, match="--noise-rms: leaves no recording clean"):
        acoustics_of(given(condition="clean", noise_rms=500))
