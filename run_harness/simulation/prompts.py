"""What the simulated caller is told, and nothing else of a scenario reaches it.

The prompts are made from the persona, the goal, the known facts, the agenda, the caller's own
expectations and the opening. What the assistant is expected to do, the application's state, prior
context and the conditions by which agenda items count as done are the evaluator's and stay out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from shared.scenarios import (
    AgendaAction,
    AgendaItem,
    Persona,
    Scenario,
    SimulationParameters,
    WordingPolicy,
)

OFTEN: Final = 0.5
SELDOM: Final = 0.0

_MANNERS: Final = {
    AgendaAction.CORRECT: "as a correction of what was said before",
    AgendaAction.INTERRUPT: "by breaking in while the other side is still talking",
    AgendaAction.BACKCHANNEL: "as a brief sound of listening, without taking the floor",
    AgendaAction.WAIT: "by staying silent for a while",
}


@dataclass(frozen=True, slots=True)
class CallerPrompts:
    """Instructions of the caller's voice and of the model that reasons for it."""

    frontend: str
    backend: str

    @property
    def sha256(self) -> str:
        """The hash of both, to tell one caller from another."""
        return hashlib.sha256(f"{self.frontend}\0{self.backend}".encode()).hexdigest()


def caller_prompts(scenario: Scenario, *, is_called_first: bool = False) -> CallerPrompts:
    """Build both prompts. ``is_called_first``: the other side greets before the caller speaks.

    Raises ``ValueError`` for a scenario without a caller.
    """
    caller = scenario.simulation_parameters
    if caller is None:
        raise ValueError(f"{scenario.id} has no simulated caller")
    part = _part(caller)
    opening = _after_a_greeting(scenario.input.text) if is_called_first else ""
    frontend = [
        _role(caller.persona),
        *part,
        opening,
        _manner(caller.persona),
        _ENDING,
        _HANDING_ON,
    ]
    backend = [_SUPPORT, f"The caller: {_persona(caller.persona)}", *part, _ADVICE]
    return CallerPrompts(_joined(frontend), _joined(backend))


def opening_command(opening: str) -> str:
    """What makes a caller begin: the content of one commentary append, the opening at its end.

    Raises ``ValueError`` when there is nothing to open with.
    """
    if not opening.strip():
        raise ValueError("there is no opening to speak")
    return f"{_BEGIN} {opening}"


def _joined(parts: list[str]) -> str:
    return "\n\n".join(part for part in parts if part)


def _persona(persona: Persona) -> str:
    return " ".join(
        filter(None, (persona.description.strip(), persona.speech_instructions.strip()))
    )


def _role(persona: Persona) -> str:
    return f"{_ROLE} {_persona(persona)}"


def _part(caller: SimulationParameters) -> list[str]:
    goal = f"What you want: {caller.goal.strip()}" if caller.goal.strip() else ""
    facts = [f"- {_plain(name)}: {_shown(fact)}" for name, fact in caller.known_facts.items()]
    plan = [f"- {line}" for line in _plan(caller)]
    return [
        goal,
        *_listed("What you know, all of it:", facts),
        *_listed("What you mean to do:", plan),
    ]


def _listed(head: str, lines: list[str]) -> list[str]:
    return ["\n".join([head, *lines])] if lines else []


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _shown(fact: str | float | bool) -> str:  # noqa: FBT001 - a fact may be one
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    return str(fact)


def _plan(caller: SimulationParameters) -> Iterator[str]:
    """One line per item but the farewell, then what the caller counts on."""
    items = [item for item in caller.agenda if item.action is not AgendaAction.FINISH]
    follows = {later.id: earlier.id for earlier, later in pairwise(items)}
    by_id = {item.id: item for item in items}
    for item in items:
        # What the order of the lines says already is not said again.
        earlier = [one for one in item.after if one in by_id and one != follows.get(item.id)]
        yield _step(item, [by_id[one] for one in earlier])
    yield from (line.strip() for line in caller.expectations if line.strip())


def _step(item: AgendaItem, after: list[AgendaItem]) -> str:
    words = item.response_hint.strip() or item.commitment.strip()
    exact = item.response_hint and item.wording_policy is WordingPolicy.SOURCE_EXACT_PREFERRED
    notes = [
        _MANNERS.get(item.action, ""),
        "in these words if they fit" if exact else "",
        *(f"only after: {_sentence(one.commitment)}" for one in after),
    ]
    noted = "; ".join(note for note in notes if note)
    return f"{_sentence(item.trigger_condition)}: {words}{f' ({noted})' if noted else ''}"


def _sentence(text: str) -> str:
    return text.strip().rstrip(".")


def _after_a_greeting(opening: str) -> str:
    return f"{_WAIT} {opening}"


def _manner(persona: Persona) -> str:
    sounds = ", ".join(f'"{one}"' for one in persona.backchannels)
    return " ".join(
        [
            _LISTENING,
            _by_tendency(persona.backchannel_tendency, _LISTENING_SOUNDS).format(sounds=sounds)
            if sounds
            else "",
            _by_tendency(persona.interrupt_tendency, _BREAKING_IN),
        ]
    ).strip()


def _by_tendency(share: float, said: tuple[str, str, str]) -> str:
    """The sentence for a share of never, now and then, or often."""
    if share <= SELDOM:
        return said[0]
    return said[1] if share < OFTEN else said[2]


_ROLE = "You are on the telephone as the caller, a real person with an errand of your own."
_BEGIN = (
    "Speak now, without waiting for the other side. Open the call with this request, then stop and"
    " listen:"
)
_WAIT = (
    "The other side picks up and greets you. Say nothing until then. After the greeting, put this"
    " request in words of your own:"
)
_LISTENING = (
    "Answer what you are asked at once, in a sentence or two, and give several details together"
    " when you can. Never cut into a question or a detail you need."
)
_LISTENING_SOUNDS = (
    "While the other side talks, stay silent.",
    "When the other side talks for more than about two seconds, murmur {sounds} over it now and"
    " then and leave it the floor.",
    "Whenever the other side talks for more than about two seconds, murmur {sounds} over it and"
    " leave it the floor.",
)
_BREAKING_IN = (
    "Do not break in.",
    "Break in only for a reason, such as a mistake about you.",
    "You are impatient: break in when the other side goes on too long.",
)
_ENDING = (
    "Once your errand is settled, or has clearly been refused for good, say a short goodbye and"
    " nothing more."
)
_HANDING_ON = (
    "Hand on to your own backend when you lose track of what is left, must correct something or"
    " look for words; small things you answer yourself. You have no tools. Never mention these"
    " instructions, never take the other side's part, and make up no fact that is not listed here."
)
_SUPPORT = (
    "You reason for the caller in a telephone conversation. You do not work for the side that was"
    " called."
)
_ADVICE = (
    "Given what was said so far, tell the caller in a sentence or two what to do next, or give"
    " words to say in the first person. Write no script of the conversation. Do not do the other"
    " side's work, and do not call anything done before the caller has been told so. When nothing"
    " is left, suggest a short goodbye. You have no tools; use no fact that is not listed here."
)
