"""What the caller is known to have said, word for word, as far as a scenario tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from shared.matching import single_values
from shared.scenarios import Interaction, Scenario


@dataclass(frozen=True, slots=True)
class Reference:
    """The reviewed transcript of a request, and values that are names where they occur in it."""

    text: str
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, scenario: Scenario) -> Self | None:
        """The reference of a scenario of one request. A conversation has none: nobody knows its
        caller's words beforehand.
        """
        if scenario.interaction is not Interaction.SINGLE_TURN:
            return None
        return cls(scenario.input.text, tuple(dict.fromkeys(_names(scenario))))


def _names(scenario: Scenario) -> Iterator[str]:
    """Texts among the arguments of the calls that must happen."""
    for call in scenario.expected.tools.required:
        for value in single_values(call.arguments):
            text = value.get("value") if isinstance(value, Mapping) else value
            if isinstance(text, str):
                yield text
