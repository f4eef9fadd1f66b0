"""Turns: voiced audio gathered into each party's contributions, with the words that go with them.

Every call works from the whole evidence, so no turn depends on what was known earlier. Sound makes
a turn; words never do. Contract: ``docs/metrics-contract.md``, "Turns".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.intervals import Interval, IntervalSet
from shared.observability.evidence import CallerAction, Utterance
from shared.observability.lookup import start_of, started_before
from shared.observability.observations import Caption, Speaker

PAUSE_MS = 1_000
CAPTION_LEAD_MS = 2_000
SENTENCE_GAP_MS = 600
"""Fragments carry their own blanks, but for a new stretch of speech: only time tells it apart."""
NEW_SPEECH_AFTER_MS = 300
"""Speech after a shorter pause goes on; after this one it begins anew."""

ANSWERS_ACROSS_MS = 1_000
"""Speech across a request's last instant answers it if it lasts this long past it; else it is a
sound of listening, as short as a backchannel."""

NO_REPLY_EXPECTED = frozenset({CallerAction.BACKCHANNEL, CallerAction.STOP})


@dataclass(frozen=True, slots=True)
class Turn:
    """One contribution, from its first voiced instant to its last, pauses included in ``span``."""

    speaker: Speaker
    span: Interval
    voiced: IntervalSet
    text: str
    action: CallerAction | None

    @property
    def expects_reply(self) -> bool:
        """Whether what the caller did here asks for an answer."""
        return self.action not in NO_REPLY_EXPECTED


def is_answer(heard: Interval, request_end_ms: int) -> bool:
    """Whether assistant speech can be an answer to a request that ended then."""
    begins_after = heard.start_ms >= request_end_ms
    return begins_after or heard.end_ms - request_end_ms >= ANSWERS_ACROSS_MS


def caller_turns(utterances: Iterable[Utterance], voiced: IntervalSet) -> tuple[Turn, ...]:
    """One turn per utterance, in order of onset; an utterance nobody heard is none."""
    return tuple(turn for _, turn in numbered_turns(utterances, voiced))


def numbered_turns(
    utterances: Iterable[Utterance], voiced: IntervalSet
) -> tuple[tuple[int, Turn], ...]:
    """The caller's turns, each with the number of its utterance, counted from 0."""
    turns = [
        (number, Turn(Speaker.CALLER, span, heard, utterance.text, utterance.action))
        for number, utterance in enumerate(utterances)
        if (span := (heard := voiced.clip(utterance.span)).extent) is not None
    ]
    return tuple(sorted(turns, key=lambda numbered: numbered[1].span))


def assistant_turns(
    voiced: IntervalSet, caller: IntervalSet, captions: Iterable[Caption]
) -> tuple[Turn, ...]:
    """Voiced spans up to the next long pause or the caller's next word, with their captions.

    ``captions`` come in order of receipt and are joined in it, letter for letter.
    """
    groups = _grouped(voiced, caller)
    spans = [Interval(group[0].start_ms, group[-1].end_ms) for group in groups]
    words: list[list[Caption]] = [[] for _ in groups]
    for caption in captions:
        index = _turn_of(caption, spans)
        if index is not None:
            words[index].append(caption)
    return tuple(
        Turn(Speaker.ASSISTANT, span, IntervalSet(tuple(group)), joined(text), None)
        for span, group, text in zip(spans, groups, words, strict=True)
    )


def joined(captions: Iterable[Caption]) -> str:
    """The fragments verbatim, with a blank where one sentence ended and another began."""
    text = ""
    until_ms: int | None = None
    for caption in captions:
        is_new = until_ms is not None and caption.start_ms - until_ms >= SENTENCE_GAP_MS
        has_blank = text.endswith(tuple(" \n")) or caption.text.startswith(tuple(" \n"))
        text += f" {caption.text}" if is_new and not has_blank else caption.text
        until_ms = caption.end_ms
    return text


def _grouped(voiced: IntervalSet, caller: IntervalSet) -> list[list[Interval]]:
    groups: list[list[Interval]] = []
    for span in voiced:
        if groups and _continues(groups[-1][-1], span, caller):
            groups[-1].append(span)
        else:
            groups.append([span])
    return groups


def _continues(earlier: Interval, later: Interval, caller: IntervalSet) -> bool:
    """Whether the silence between two assistant spans is a pause within one turn."""
    if later.start_ms - earlier.end_ms >= PAUSE_MS:
        return False
    other = started_before(caller, later.start_ms)
    return other is None or other.end_ms <= earlier.end_ms


def _turn_of(caption: Caption, spans: Sequence[Interval]) -> int | None:
    """Index of the turn a caption belongs to, by the provider's clock.

    A caption runs ahead of its voice: of two turns it touches, or lies between, the later is meant.
    """
    end_ms = max(caption.end_ms, caption.start_ms)
    later = bisect_left(spans, end_ms, key=start_of)
    earlier = later - 1 if later else None
    if earlier is not None and spans[earlier].end_ms > caption.start_ms:
        return earlier
    if later < len(spans) and spans[later].start_ms - end_ms <= CAPTION_LEAD_MS:
        return later
    return earlier
