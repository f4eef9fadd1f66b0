"""What one part of a scenario demands of another: the rules of scenario contract 1.0.

Each rule names the fields it reads, so that it is passed over where one of them is itself at fault
and never blames a person for the consequence of another mistake. Every rule runs; none stops at the
first fault.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shared.faults import Fault, Where, shown
from shared.matching import MATCH_KEY, UNCHANGED_KEY, comparator_faults
from shared.readings import has_words
from shared.scenario_types import (
    DelegationPolicy,
    Expected,
    Interaction,
    JsonMap,
    ProcedureStep,
    ScenarioShape,
    SimulationParameters,
    StepKind,
)

MAX_HISTORY_MESSAGES: Final = 128
MAX_HISTORY_WORDS: Final = 8_192
"""Words between blanks, never more than there are tokens."""
LONG_HISTORY_BYTES: Final = 8_192
"""UTF-8 bytes, never fewer than there are tokens: up to here the service must accept it."""
MIN_OBJECTIVES: Final = 2
MIN_CONVERSATION_TURNS: Final = 7
SINGLE_TURN_TURNS: Final = (0, 2)
MAX_SINGLE_TURN_STEPS: Final = 2

type Check = Callable[[ScenarioShape], Iterator[Fault]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A check and the fields it reads; ``*`` stands for any position of a list."""

    check: Check
    reads: tuple[tuple[str, ...], ...]

    def is_sound(self, damaged: Collection[Where]) -> bool:
        """Whether nothing the rule reads is damaged, itself or as part of something damaged."""
        return not any(_covers(where, path) for where in damaged for path in self.reads)


def rule_faults(scenario: ScenarioShape, damaged: Collection[Where] = ()) -> tuple[Fault, ...]:
    """Every broken rule, except those that read what is damaged."""
    return tuple(
        fault for rule in RULES if rule.is_sound(damaged) for fault in rule.check(scenario)
    )


def long_history_warning(scenario: ScenarioShape) -> str | None:
    """A warning about a history that may be more than the service accepts."""
    context = scenario.input.context
    size = sum(len(message.text.encode()) for message in context.history) if context else 0
    if size <= LONG_HISTORY_BYTES:
        return None
    return (
        f"input.context.history: holds {size} bytes, above {LONG_HISTORY_BYTES} the service may "
        "refuse it; shorten it or move it into the summary"
    )


def _covers(where: Where, path: Sequence[str]) -> bool:
    return len(where) <= len(path) and all(
        wanted in ("*", step) for step, wanted in zip(where, path, strict=False)
    )


def _request_can_be_spoken(scenario: ScenarioShape) -> Iterator[Fault]:
    if not has_words(scenario.input.text):
        problem = f"holds nothing to say ({shown(scenario.input.text)}); write words"
        yield Fault(("input", "text"), problem)


def _simulation_belongs_to_conversations(scenario: ScenarioShape) -> Iterator[Fault]:
    where = ("simulation_parameters",)
    has_caller = scenario.simulation_parameters is not None
    if scenario.interaction is Interaction.SINGLE_TURN and has_caller:
        yield Fault(where, 'not allowed in a single_turn scenario; remove it or use "multi_turn"')
    if scenario.interaction is Interaction.MULTI_TURN and not has_caller:
        problem = "is missing; give a multi_turn scenario its goal, known_facts and agenda"
        yield Fault(where, problem)


def _recordings_belong_to_single_turns(scenario: ScenarioShape) -> Iterator[Fault]:
    if scenario.interaction is Interaction.MULTI_TURN and scenario.input.recordings:
        problem = 'not allowed in a multi_turn scenario; remove them or use "single_turn"'
        yield Fault(("input", "recordings"), problem)


def _limits_can_be_measured(scenario: ScenarioShape) -> Iterator[Fault]:
    """A caller with one request never interrupts and never murmurs: such a limit tests nothing."""
    if scenario.interaction is not Interaction.SINGLE_TURN:
        return
    for name in ("yield_latency_max_ms", "false_yields_max"):
        if getattr(scenario.expected.interaction, name) is not None:
            problem = 'cannot be measured in a single_turn scenario; remove it or use "multi_turn"'
            yield Fault(("expected", "interaction", name), problem)


def _recording_ids_are_unique(scenario: ScenarioShape) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for i, recording in enumerate(scenario.input.recordings):
        # They name folders, and not every system tells those apart by case.
        other = first.setdefault(recording.id.casefold(), i)
        if other != i:
            problem = (
                f"{shown(recording.id)} is also the id at position {other} (letter case does not"
                " count); rename one"
            )
            yield Fault(("input", "recordings", i, "id"), problem)


def _context_says_something(scenario: ScenarioShape) -> Iterator[Fault]:
    context = scenario.input.context
    if context and not (context.has_summary or context.history):
        problem = "conversation context requires a summary or a history; write one or remove it"
        yield Fault(("input", "context"), problem)


def _history_fits_a_session(scenario: ScenarioShape) -> Iterator[Fault]:
    history = scenario.input.context.history if scenario.input.context else ()
    where = ("input", "context", "history")
    if len(history) > MAX_HISTORY_MESSAGES:
        problem = f"holds {len(history)} messages; keep at most {MAX_HISTORY_MESSAGES}"
        yield Fault(where, problem)
    words = sum(len(message.text.split()) for message in history)
    if words > MAX_HISTORY_WORDS:
        yield Fault(where, f"holds {words} words; keep at most {MAX_HISTORY_WORDS}")


def _tools_need_delegation(scenario: ScenarioShape) -> Iterator[Fault]:
    expected = scenario.expected
    if expected.delegation is DelegationPolicy.FORBIDDEN and expected.tools.required:
        problem = (
            "cannot forbid delegation and require a tool; remove tools.required or write "
            '"required" or "optional"'
        )
        yield Fault(("expected", "delegation"), problem)


def _unchanged_stands_alone(scenario: ScenarioShape) -> Iterator[Fault]:
    state = scenario.expected.state
    if UNCHANGED_KEY not in state:
        return
    where = ("expected", "state", UNCHANGED_KEY)
    if state[UNCHANGED_KEY] is not True:
        problem = f"can only be true, is {shown(state[UNCHANGED_KEY])}; write true or remove it"
        yield Fault(where, problem)
    elif len(state) > 1:
        others = ", ".join(shown(key) for key in sorted(state.keys() - {UNCHANGED_KEY}))
        problem = f"true asks for the whole initial state, so {others} would go unread; keep one"
        yield Fault(where, problem)


def _comparators_are_known(scenario: ScenarioShape) -> Iterator[Fault]:
    expected = scenario.expected
    tools: Where = ("expected", "tools")
    for i, call in enumerate(expected.tools.required):
        yield from _object_faults(call.arguments, (*tools, "required", i, "arguments"))
    for i, call in enumerate(expected.tools.prohibited):
        yield from _object_faults(call.arguments, (*tools, "prohibited", i, "arguments"))
    yield from _object_faults(expected.state, ("expected", "state"))
    for i, step in enumerate(_procedure_steps(expected)):
        yield from _object_faults(step.arguments, (*_STEPS, i, "arguments"))


def _object_faults(values: JsonMap, where: Where) -> Iterator[Fault]:
    if MATCH_KEY in values:
        problem = "a comparator stands for the value of one field, not for all of them; name fields"
        yield Fault((*where, MATCH_KEY), problem)
        return
    for fault in comparator_faults(values):
        yield fault.under(where)


def _confirmations_are_complete(scenario: ScenarioShape) -> Iterator[Fault]:
    for i, phrases in enumerate(scenario.expected.confirmation_patterns or ()):
        where = ("expected", "confirmation_patterns", i)
        if not phrases.tools:
            yield Fault((*where, "tools"), "is empty; name a tool that makes the words true")
        if not phrases.patterns:
            yield Fault((*where, "patterns"), "is empty; write a pattern or remove the entry")


def _procedure_belongs_to_conversations(scenario: ScenarioShape) -> Iterator[Fault]:
    if scenario.interaction is Interaction.SINGLE_TURN and scenario.expected.procedure:
        problem = 'not allowed in a single_turn scenario; remove it or use "multi_turn"'
        yield Fault(("expected", "procedure"), problem)


def _procedures_have_steps(scenario: ScenarioShape) -> Iterator[Fault]:
    procedure = scenario.expected.procedure
    if procedure and not procedure.steps:
        yield Fault(_STEPS, "is empty; write a step or remove the procedure")


def _step_ids_are_unique(scenario: ScenarioShape) -> Iterator[Fault]:
    yield from _repeated([step.id for step in _procedure_steps(scenario.expected)], _STEPS)


def _steps_depend_on_earlier_ones(scenario: ScenarioShape) -> Iterator[Fault]:
    steps = _procedure_steps(scenario.expected)
    yield from _not_earlier([(step.id, step.after) for step in steps], _STEPS)


def _tool_steps_name_their_tool(scenario: ScenarioShape) -> Iterator[Fault]:
    for i, step in enumerate(_procedure_steps(scenario.expected)):
        if step.kind is StepKind.TOOL and step.tool is None:
            yield Fault((*_STEPS, i, "tool"), 'is missing in a step of kind "tool"; name the tool')


def _steps_name_known_objectives(scenario: ScenarioShape) -> Iterator[Fault]:
    caller = scenario.simulation_parameters
    known = {item.id for item in caller.agenda} if caller else set()
    for i, step in enumerate(_procedure_steps(scenario.expected)):
        if step.objective is not None and step.objective not in known:
            problem = f"{shown(step.objective)} is no objective of the agenda; name one that is"
            yield Fault((*_STEPS, i, "objective"), problem)


def _critical_steps_are_required(scenario: ScenarioShape) -> Iterator[Fault]:
    for i, step in enumerate(_procedure_steps(scenario.expected)):
        if step.critical and not step.required:
            problem = "a critical step cannot be optional; make it required or not critical"
            yield Fault((*_STEPS, i, "critical"), problem)


def _single_turn_is_one_exchange(scenario: ScenarioShape) -> Iterator[Fault]:
    golden = scenario.expected.golden_path
    if scenario.interaction is not Interaction.SINGLE_TURN:
        return
    if golden.turns not in SINGLE_TURN_TURNS:
        problem = f"{_turns(scenario)} in a single_turn scenario; write 2, or 0 for no reference"
        yield Fault((*_GOLDEN_PATH, "turns"), problem)
    if len(golden.steps) > MAX_SINGLE_TURN_STEPS:
        problem = (
            f"holds {len(golden.steps)} steps in a single_turn scenario; "
            f"keep at most {MAX_SINGLE_TURN_STEPS}"
        )
        yield Fault((*_GOLDEN_PATH, "steps"), problem)


def _conversation_has_enough_turns(scenario: ScenarioShape) -> Iterator[Fault]:
    turns = scenario.expected.golden_path.turns
    if scenario.interaction is Interaction.MULTI_TURN and turns < MIN_CONVERSATION_TURNS:
        problem = (
            f"{_turns(scenario)} in a multi_turn scenario; "
            f"plan at least {MIN_CONVERSATION_TURNS} turns"
        )
        yield Fault((*_GOLDEN_PATH, "turns"), problem)


def _conversation_counts_its_delegations(scenario: ScenarioShape) -> Iterator[Fault]:
    if scenario.interaction is not Interaction.MULTI_TURN:
        return
    count, policy = scenario.expected.golden_path.delegations, scenario.expected.delegation
    where = (*_GOLDEN_PATH, "delegations")
    if count is None:
        problem = "is missing in a multi_turn scenario; say how many delegations are expected"
        yield Fault(where, problem)
    elif policy is DelegationPolicy.REQUIRED and count == 0:
        yield Fault(where, "is 0 although delegation is required; write 1 or more")
    elif policy is DelegationPolicy.FORBIDDEN and count > 0:
        yield Fault(where, f"is {count} although delegation is forbidden; write 0")


def _caller_has_objectives(scenario: ScenarioShape) -> Iterator[Fault]:
    caller = _conversation_caller(scenario)
    substantive = sum(item.is_substantive for item in caller.agenda) if caller else MIN_OBJECTIVES
    if substantive < MIN_OBJECTIVES:
        problem = (
            f"substantive objectives: {substantive} (finish and wait do not count); "
            f"give the caller at least {MIN_OBJECTIVES}"
        )
        yield Fault(_AGENDA, problem)


def _caller_knows_facts(scenario: ScenarioShape) -> Iterator[Fault]:
    caller = _conversation_caller(scenario)
    if caller and not caller.known_facts:
        problem = "is empty; give the caller at least one fact of their own"
        yield Fault(("simulation_parameters", "known_facts"), problem)


def _agenda_ids_are_unique(scenario: ScenarioShape) -> Iterator[Fault]:
    caller = scenario.simulation_parameters
    yield from _repeated([item.id for item in caller.agenda] if caller else [], _AGENDA)


def _agenda_follows_earlier_items(scenario: ScenarioShape) -> Iterator[Fault]:
    caller = scenario.simulation_parameters
    items = caller.agenda if caller else ()
    yield from _not_earlier([(item.id, item.after) for item in items], _AGENDA)


def _agenda_uses_known_facts(scenario: ScenarioShape) -> Iterator[Fault]:
    caller = scenario.simulation_parameters
    for i, item in enumerate(caller.agenda if caller else ()):
        for j, fact in enumerate(item.facts):
            if caller and fact not in caller.known_facts:
                problem = f"{shown(fact)} is not in known_facts; add it there or name one that is"
                yield Fault((*_AGENDA, i, "facts", j), problem)


_AGENDA: Where = ("simulation_parameters", "agenda")
_GOLDEN_PATH: Where = ("expected", "golden_path")
_STEPS: Where = ("expected", "procedure", "steps")


def _conversation_caller(scenario: ScenarioShape) -> SimulationParameters | None:
    is_conversation = scenario.interaction is Interaction.MULTI_TURN
    return scenario.simulation_parameters if is_conversation else None


def _procedure_steps(expected: Expected) -> tuple[ProcedureStep, ...]:
    return expected.procedure.steps if expected.procedure else ()


def _turns(scenario: ScenarioShape) -> str:
    golden = scenario.expected.golden_path
    is_counted = golden.turns > 0 and golden.turns == len(golden.steps)
    return f"is {golden.turns}{', the number of steps,' if is_counted else ''}"


def _repeated(ids: Sequence[str], where: Where) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for i, name in enumerate(ids):
        if name in first:
            problem = f"{shown(name)} is also the id at position {first[name]}; rename one"
            yield Fault((*where, i, "id"), problem)
        first.setdefault(name, i)


def _not_earlier(items: Sequence[tuple[str, Sequence[str]]], where: Where) -> Iterator[Fault]:
    earlier: set[str] = set()
    for i, (name, after) in enumerate(items):
        for j, wanted in enumerate(after):
            if wanted not in earlier:
                problem = f"{shown(wanted)} names nothing earlier in the list; name an earlier id"
                yield Fault((*where, i, "after", j), problem)
        earlier.add(name)


def _rule(check: Check, *reads: str) -> Rule:
    return Rule(check, tuple(tuple(path.split(".")) for path in reads))


_CALLER = "simulation_parameters"
_TURNS = ("expected.golden_path.turns", "expected.golden_path.steps")

RULES: Final = (
    _rule(_request_can_be_spoken, "input.text"),
    _rule(_simulation_belongs_to_conversations, "interaction", _CALLER),
    _rule(_recordings_belong_to_single_turns, "interaction", "input.recordings"),
    _rule(_limits_can_be_measured, "interaction", "expected.interaction"),
    _rule(_recording_ids_are_unique, "input.recordings.*.id"),
    _rule(_context_says_something, "input.context.summary", "input.context.history"),
    _rule(_history_fits_a_session, "input.context.history"),
    _rule(_tools_need_delegation, "expected.delegation", "expected.tools.required"),
    _rule(_unchanged_stands_alone, "expected.state"),
    _rule(_comparators_are_known),
    _rule(
        _confirmations_are_complete,
        "expected.confirmation_patterns.*.tools",
        "expected.confirmation_patterns.*.patterns",
    ),
    _rule(_procedure_belongs_to_conversations, "interaction", "expected.procedure"),
    _rule(_procedures_have_steps, "expected.procedure.steps"),
    _rule(_step_ids_are_unique, "expected.procedure.steps.*.id"),
    _rule(
        _steps_depend_on_earlier_ones,
        "expected.procedure.steps.*.id",
        "expected.procedure.steps.*.after",
    ),
    _rule(
        _tool_steps_name_their_tool,
        "expected.procedure.steps.*.kind",
        "expected.procedure.steps.*.tool",
    ),
    _rule(
        _steps_name_known_objectives,
        "expected.procedure.steps.*.objective",
        f"{_CALLER}.agenda.*.id",
    ),
    _rule(
        _critical_steps_are_required,
        "expected.procedure.steps.*.critical",
        "expected.procedure.steps.*.required",
    ),
    _rule(_single_turn_is_one_exchange, "interaction", *_TURNS),
    _rule(_conversation_has_enough_turns, "interaction", *_TURNS),
    _rule(
        _conversation_counts_its_delegations,
        "interaction",
        "expected.delegation",
        "expected.golden_path.delegations",
    ),
    _rule(_caller_has_objectives, "interaction", f"{_CALLER}.agenda.*.action"),
    _rule(_caller_knows_facts, "interaction", f"{_CALLER}.known_facts"),
    _rule(_agenda_ids_are_unique, f"{_CALLER}.agenda.*.id"),
    _rule(_agenda_follows_earlier_items, f"{_CALLER}.agenda.*.id", f"{_CALLER}.agenda.*.after"),
    _rule(_agenda_uses_known_facts, f"{_CALLER}.known_facts", f"{_CALLER}.agenda.*.facts"),
)
