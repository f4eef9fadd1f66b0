"""What each caller turn did, and who or what says so. Pure, and whole at every call.

A turn is labelled from all turns, the assistant's speech and the cues at once, never from the label
it had before, so no label can depend on what became known first. Contract:
``docs/metrics-contract.md``, "Labels".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from shared.intervals import Interval, IntervalSet
from shared.observability.evidence import (
    EXPLICIT,
    CallerAction,
    Closing,
    Cue,
    Decision,
    DecisionStatus,
    LabelSource,
)
from shared.observability.lookup import started_before
from shared.observability.turns import (
    NEW_SPEECH_AFTER_MS,
    NO_REPLY_EXPECTED,
    Turn,
    shared_ms,
)

CUE_LEAD_MS = 1_000
"""A cue is set when words are begun; they sound once they have been played out."""


def labelled(
    turns: Sequence[Turn],
    assistant: IntervalSet,
    cues: Iterable[Cue] = (),
    backchannels: Iterable[str] = (),
) -> tuple[Turn, ...]:
    """The caller's turns, given in order of onset, each with its action and the source of it.

    ``backchannels`` are the caller's own acknowledgements; only their letters and digits count.
    """
    named = _named(turns, cues)
    running = assistant.merged(gaps_below_ms=NEW_SPEECH_AFTER_MS)
    words = {letters for one in backchannels if (letters := _letters(one))}

    def label(index: int, turn: Turn) -> tuple[CallerAction, LabelSource]:
        if index in named:
            return named[index]
        if not index:
            return CallerAction.OPENING, LabelSource.FIRST_TURN
        if not turn.voiced & assistant.clip(turn.span):
            return CallerAction.SPEAK, LabelSource.OVERLAP
        if _consists_of(_letters(turn.text), words):
            return CallerAction.BACKCHANNEL, LabelSource.ACKNOWLEDGEMENT
        return _over_speech(turn, running), LabelSource.OVERLAP

    return tuple(_as(turn, *label(index, turn)) for index, turn in enumerate(turns))


def _as(turn: Turn, action: CallerAction, source: LabelSource) -> Turn:
    return replace(turn, action=action, source=source)


def closing_cues(decisions: Sequence[Decision]) -> tuple[Cue, ...]:
    """The farewells among the turns an observer named: those that it says carry no request.

    Of two answers about one turn the later holds. A stale answer names nothing.
    """
    last: list[Closing] = []
    for decision in reversed(decisions):
        closing = decision.closing
        if (
            decision.status is DecisionStatus.ANSWERED
            and closing is not None
            and not any(closing.span.overlaps(later.span) for later in last)
        ):
            last.append(closing)
    return tuple(
        Cue(one.span.start_ms, one.span.end_ms, CallerAction.STOP, LabelSource.OBSERVER)
        for one in reversed(last)
        if not one.carries_request
    )


def _named(
    turns: Sequence[Turn], cues: Iterable[Cue]
) -> dict[int, tuple[CallerAction, LabelSource]]:
    """What cues say outright, by the number of the turn."""
    said: dict[int, list[Cue]] = {}
    for cue in cues:
        index = _turn_of(cue, turns)
        if index is not None and not _has_grown(turns[index], cue):
            said.setdefault(index, []).append(cue)
    best = {index: min(mine, key=_preference) for index, mine in said.items()}
    return {index: (cue.action, cue.source) for index, cue in best.items()}


def _preference(cue: Cue) -> tuple[int, bool, int, int, str]:
    """Whoever speaks knows best; and a turn that asks for anything asks for a reply."""
    asks_nothing = cue.action in NO_REPLY_EXPECTED
    return EXPLICIT.index(cue.source), asks_nothing, cue.start_ms, cue.end_ms, cue.action


def _turn_of(cue: Cue, turns: Sequence[Turn]) -> int | None:
    """The turn a cue shares most with, the earlier of equals; else the next one, if it is near."""
    reach = Interval(cue.start_ms, max(cue.end_ms, cue.start_ms + 1))
    sharing = [index for index, turn in enumerate(turns) if turn.span.overlaps(reach)]
    if sharing:
        return max(sharing, key=lambda index: shared_ms(turns[index].span, reach))
    latest_ms = cue.end_ms + CUE_LEAD_MS
    for index, turn in enumerate(turns):
        if cue.end_ms <= turn.span.start_ms <= latest_ms:
            return index
    return None


def _has_grown(turn: Turn, cue: Cue) -> bool:
    """Whether the caller said more after an observer had named the turn: that was another turn."""
    if cue.source is not LabelSource.OBSERVER:
        return False
    return turn.voiced.spans[-1].start_ms - cue.end_ms >= NEW_SPEECH_AFTER_MS


def _over_speech(turn: Turn, running: IntervalSet) -> CallerAction:
    """Whom the assistant began to talk over was interrupted, and did not interrupt."""
    stretch = started_before(running, turn.span.start_ms)
    has_come_in = stretch is not None and stretch.end_ms > turn.span.start_ms
    return CallerAction.INTERRUPT if has_come_in else CallerAction.SPEAK


def _letters(text: str) -> str:
    """The text without case, punctuation and blanks: ``Mm-hm.`` and ``mm hm`` are one sound."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(one for one in folded if unicodedata.category(one)[0] in "LMN")


def _consists_of(text: str, words: set[str]) -> bool:
    """Whether the text is one of the words, or several of them in a row."""
    reached = {0}
    for position in range(len(text)):
        if position in reached:
            reached.update(position + len(w) for w in words if text.startswith(w, position))
    return bool(text) and len(text) in reached
