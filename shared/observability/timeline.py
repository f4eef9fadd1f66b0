"""The timeline: both parties' voiced time, turns and delegated work, as metrics and viewer read it.

A pure function of the evidence, cut to what was observed. It measures nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from shared.intervals import Interval, IntervalSet
from shared.observability.delegation import work_intervals
from shared.observability.evidence import Ending, Evidence
from shared.observability.labels import closing_cues, labelled
from shared.observability.observations import Caption, ConnectionLost, Observation, Speaker
from shared.observability.turns import (
    Turn,
    assistant_turns,
    caller_turns,
    heard_caller_turns,
)

__all__ = ["Timeline", "Turn"]


@dataclass(frozen=True, slots=True)
class Timeline:
    """One attempt in media time. Turns are in order of onset.

    ``is_cut`` says that a lost connection ended the observation, so that silence before its end may
    be the line's and not the assistant's.
    """

    extent: Interval
    caller: IntervalSet
    assistant: IntervalSet
    work: IntervalSet
    caller_turns: tuple[Turn, ...]
    assistant_turns: tuple[Turn, ...]
    is_cut: bool

    @classmethod
    def of(cls, evidence: Evidence, backchannels: Iterable[str] = ()) -> Self:
        """Everything inside ``[0, extent_ms)``.

        ``backchannels`` are the simulated caller's own, by which its turns are labelled where it
        had a session.

        Raises ``ValueError`` when nothing was observed: such an attempt has no timeline, which is
        not the same as a silent one.
        """
        if evidence.extent_ms <= 0:
            raise ValueError(
                f"{evidence.scenario_id}: nothing was observed, so there is no timeline"
            )
        extent = Interval(0, evidence.extent_ms)
        caller = evidence.caller.voiced.clip(extent)
        assistant = evidence.assistant.voiced.clip(extent)
        return cls(
            extent=extent,
            caller=caller,
            assistant=assistant,
            work=work_intervals(evidence.observations, evidence.extent_ms),
            caller_turns=_caller_turns(evidence, caller, assistant, backchannels),
            assistant_turns=assistant_turns(assistant, caller, own_captions(evidence.observations)),
            is_cut=evidence.ending is Ending.FAILED and bool(evidence.of(ConnectionLost)),
        )


def own_captions(observations: Iterable[Observation]) -> tuple[Caption, ...]:
    """What a session said of its own voice, in order of receipt."""
    return tuple(
        seen
        for seen in observations
        if isinstance(seen, Caption) and seen.speaker is Speaker.ASSISTANT
    )


def _caller_turns(
    evidence: Evidence, caller: IntervalSet, assistant: IntervalSet, backchannels: Iterable[str]
) -> tuple[Turn, ...]:
    """By the utterances somebody annotated; of a caller with a session of its own, as heard."""
    if not evidence.caller_observations:
        return caller_turns(evidence.utterances, caller)
    captions = own_captions(evidence.caller_observations)
    turns = heard_caller_turns(caller, assistant, captions, evidence.cues)
    cues = (*evidence.cues, *closing_cues(evidence.decisions))
    return labelled(turns, assistant, cues, backchannels)
