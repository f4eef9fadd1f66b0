"""The rubric ``voice-semantic-v2``: what a judge is asked, when, and which scores there are.

One rubric for every suite. Contract: ``docs/metrics-contract.md``, "Semantic judge scoring". A
score is exactly one of five values; nothing else is rounded or converted into one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from shared.grading.checks import REFUSAL_TYPE
from shared.scenarios import ContextMode, Interaction, Scenario, StepKind

RUBRIC_VERSION: Final = "voice-semantic-v2"
TASK_UNDERSTANDING: Final = "task_understanding"

CORRECTION: Final = "correction"
CLARIFICATION_TYPE: Final = "clarification"

ANCHORS: Final[Mapping[float, str]] = MappingProxyType(
    {
        1.0: "What the rubric asks for is there. Taste in style costs nothing.",
        0.75: "It is there in the main; one small, contained slip or gap that hardly matters.",
        0.5: "It is there in part: useful, yet something important is wrong or missing.",
        0.25: "Little of it is there; what is useful is small beside the errors and gaps.",
        0.0: "None of it is there, or what was said or done is wrong, made up or unsafe.",
    }
)
"""What each of the five scores stands for."""


def quarter_score(value: object) -> float:
    """One of the five scores, given as an integer or a float.

    ``ValueError`` for anything else: other numbers, NaN, booleans, numbers in quotes.
    """
    if type(value) in {int, float} and value in ANCHORS:
        return next(score for score in ANCHORS if score == value)
    raise ValueError(f"{value!r} is none of 0, 0.25, 0.5, 0.75 and 1")


@dataclass(frozen=True, slots=True)
class Dimension:
    """One axis of the rubric. ``applies`` decides from the scenario alone."""

    name: str
    question: str
    rubric: str
    applies: Callable[[Scenario], bool]


def _always(_scenario: Scenario) -> bool:
    return True


def _is_conversation(scenario: Scenario) -> bool:
    return scenario.interaction is Interaction.MULTI_TURN


def _has_context_or_correction(scenario: Scenario) -> bool:
    """Whether there is something to keep: what was known before, or what was changed on the way."""
    return (
        scenario.context_mode is not ContextMode.NONE
        or CORRECTION in {scenario.scenario_type, *scenario.tags}
        or _is_conversation(scenario)
    )


def _asks_for_clarification(scenario: Scenario) -> bool:
    is_so = scenario.scenario_type == CLARIFICATION_TYPE
    return is_so or StepKind.CLARIFICATION in _procedure_kinds(scenario)


def _has_facts_to_report(scenario: Scenario) -> bool:
    """Whether a tool's result, or that nothing may be done, is to be told truthfully."""
    return (
        bool(scenario.expected.tools.required)
        or scenario.scenario_type == REFUSAL_TYPE
        or StepKind.REFUSAL in _procedure_kinds(scenario)
    )


def _procedure_kinds(scenario: Scenario) -> Iterable[StepKind]:
    procedure = scenario.expected.procedure
    return {step.kind for step in procedure.steps} if procedure is not None else set()


DIMENSIONS: Final = (
    Dimension(
        TASK_UNDERSTANDING,
        "Did the assistant grasp what the caller really wanted and see it through?",
        "The assistant acted on the caller's actual request and on its final form. Every one of the"
        " scenario's success criteria is met, and what was done and said amounts to the expected"
        " outcome, as far as tool executions and application state confirm it. Where the right"
        " outcome is a question, a piece of information or a refusal, giving that is seeing it"
        " through. Other words for the same thing are as good.",
        _always,
    ),
    Dimension(
        "context_fidelity",
        "Did the assistant hold on to what it was allowed to know and to the caller's last word?",
        "Facts of the authorized context and of earlier turns were used where they matter, without"
        " being asked for again or mixed up. When the caller corrected something, the correction"
        " replaced what it corrected, and everything else stayed. Nothing was drawn from a context"
        " that does not exist.",
        _has_context_or_correction,
    ),
    Dimension(
        "clarification_quality",
        "Did the assistant ask for what was missing, and only for that, before it acted?",
        "Information that the task cannot do without, and that the caller had not given, was asked"
        " for in a question that can be answered. Nothing missing was guessed, no action was taken"
        " on a guess, and nothing already given was asked for again.",
        _asks_for_clarification,
    ),
    Dimension(
        "grounded_communication",
        "Is what the assistant told the caller true to what was found and done?",
        "Every statement about facts, tool results and outcomes agrees with the tool executions,"
        " the application state and the public facts. Nothing was invented, no success was claimed"
        " that did not occur, no failure was hidden, and a refusal says truthfully what is not"
        " done and does not pretend otherwise.",
        _has_facts_to_report,
    ),
    Dimension(
        "conversational_coherence",
        "Does the conversation hang together from turn to turn?",
        "Each turn of the assistant follows from what was said before, is clear by itself, and"
        " moves the conversation on. It does not contradict itself, repeat itself without need, or"
        " lose the thread.",
        _is_conversation,
    ),
)


def applicable(scenario: Scenario) -> tuple[Dimension, ...]:
    """The dimensions on which a scenario is judged, in the rubric's order."""
    return tuple(dimension for dimension in DIMENSIONS if dimension.applies(scenario))
