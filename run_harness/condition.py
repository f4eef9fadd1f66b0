"""Which acoustic condition a conversation is held in, from flags to a recipe."""

from __future__ import annotations

from assistants.suite.recipes import Overrides, condition_of, recipe_of
from assistants.suite.settings import EFFECT_ROWS
from shared.audio.effects.recipe import Recipe
from shared.scenario_types import AcousticCondition
from shared.settings import Origin, Settings


def acoustics_of(settings: Settings) -> tuple[AcousticCondition, Recipe]:
    """The condition as results name it, and its effects.

    An effect given alone names the condition itself; one that belies ``--condition`` is a
    :class:`UsageError`.
    """
    given: Overrides = {
        row.name: value for row in EFFECT_ROWS if (value := settings[row.name]) is not None
    }
    named = _named(settings, given)
    return condition_of(named, given), recipe_of(named, given)


def _named(settings: Settings, given: Overrides) -> str | None:
    """Clean is what a file says by default: only on the command line it contradicts an effect."""
    named = settings.text("condition")
    is_default = settings.origin("condition") is not Origin.FLAG
    if given and is_default and named == AcousticCondition.CLEAN.value:
        return None
    return named
