"""What counts as claiming success: a rule that an application or a scenario declares."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConfirmationRule:
    """Words that match a pattern are true once one of the tools has completed, and not before.

    Patterns are regular expressions, case ignored.
    """

    tools: tuple[str, ...]
    patterns: tuple[str, ...]
