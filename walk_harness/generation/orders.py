"""From settings to an order: what the flags ask for together, and what they must not."""

from __future__ import annotations

from assistants.suite.recipes import Overrides, condition_of, flag_of, recipe_of
from assistants.suite.settings import EFFECT_ROWS
from shared.audio.effects.presets import PRESETS
from shared.audio.effects.recipe import Recipe
from shared.dataset import ALL
from shared.errors import UsageError
from shared.scenario_types import AcousticCondition
from shared.settings import Settings
from walk_harness.generation.plan import Order


def order_of(settings: Settings) -> Order:
    """The order, as if it were in place; only the files tell whether it can be."""
    overrides = given_effects(settings)
    is_varied = settings.switch("vary_conditions")
    named = settings["condition"]
    condition = str(named) if named is not None else None
    _refuse_together(settings, overrides, condition=condition, is_varied=is_varied)
    return Order(
        condition=AcousticCondition.CLEAN if is_varied else condition_of(condition, overrides),
        recipe=Recipe() if is_varied else recipe_of(condition, overrides),
        seed=settings.integer("seed"),
        is_varied=is_varied,
        is_appended=settings.switch("append"),
        is_forced=settings.switch("force"),
        has_given_file=settings["from_audio"] is not None,
    )


def given_effects(settings: Settings) -> Overrides:
    """The effects that were given by flag."""
    return {row.name: settings[row.name] for row in EFFECT_ROWS if settings[row.name] is not None}


def needs_new_file(order: Order, settings: Settings) -> bool:
    """Whether the order cannot fill in recordings where the scenarios name them."""
    asks_for_effects = settings["condition"] is not None or order.recipe != Recipe()
    return settings["output_data"] is not None or order.is_varied or asks_for_effects


def infix_of(order: Order, settings: Settings) -> str:
    """What tells the new file of a source from the source."""
    if order.is_varied:
        return "varied"
    return str(order.condition) if needs_new_file(order, settings) else "generated"


def _refuse_together(
    settings: Settings, overrides: Overrides, *, condition: str | None, is_varied: bool
) -> None:
    if settings.switch("append") and settings["output_data"] is None:
        raise UsageError("--append: needs --output-data, the file to add to")
    if is_varied and condition is not None:
        raise UsageError("--vary-conditions: makes every condition; remove --condition")
    if is_varied and overrides:
        flag = flag_of(next(iter(overrides)))
        raise UsageError(f"--vary-conditions: makes the {len(PRESETS)} presets; remove {flag}")
    if is_varied and settings["from_audio"] is not None:
        raise UsageError("--from-audio: is one recording; remove --vary-conditions")
    if settings["from_audio"] is not None and settings.text("example") == ALL:
        for name in ("output_data", "data"):
            if settings[name] is not None:
                raise UsageError(
                    f"--from-audio: name its scenario with --example, or remove {flag_of(name)}"
                )
