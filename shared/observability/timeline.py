"""The timeline: both parties' voiced time, turns and delegated work, as metrics and viewer read it.

A pure function of the evidence, cut to what was observed. It measures nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from shared.intervals import Interval, IntervalSet
from shared.observability.delegation import work_intervals
from shared.observability.evidence import Ending, Evidence
from shared.observability.observations import Caption, ConnectionLost, Speaker
from shared.observability.turns import Turn, assistant_turns, caller_turns

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
    def of(cls, evidence: Evidence) -> Self:
        """Everything inside ``[0, extent_ms)``.

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
        captions = (c for c in evidence.of(Caption) if c.speaker is Speaker.ASSISTANT)
        return cls(
            extent=extent,
            caller=caller,
            assistant=assistant,
            work=work_intervals(evidence.observations, evidence.extent_ms),
            caller_turns=caller_turns(evidence.utterances, caller),
            assistant_turns=assistant_turns(assistant, caller, captions),
            is_cut=evidence.ending is Ending.FAILED and bool(evidence.of(ConnectionLost)),
        )
