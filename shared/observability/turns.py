"""Turns: voiced audio gathered into each party's contributions, with the words that go with them.

Every call works from the whole evidence, so no turn depends on what was known earlier. Sound makes
a turn; words never do. Contract: ``docs/metrics-contract.md``, "Turns".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from shared.intervals import Interval, IntervalSet
from shared.observability.evidence import CallerAction, Cue, LabelSource, Utterance
from shared.observability.lookup import start_of, started_before, starting_from
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
    """One contribution, from its first voiced instant to its last, pauses included in ``span``.

    ``action`` is what a caller did, and ``source`` who or what named it.
    """

    speaker: Speaker
    span: Interval
    voiced: IntervalSet
    text: str
    action: CallerAction | None
    source: str | None = None

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
        (number, _said(utterance, span, heard))
        for number, utterance in enumerate(utterances)
        if (span := (heard := voiced.clip(utterance.span)).extent) is not None
    ]
    return tuple(sorted(turns, key=lambda numbered: numbered[1].span))


def _said(utterance: Utterance, span: Interval, heard: IntervalSet) -> Turn:
    action, source = utterance.action, utterance.source
    return Turn(Speaker.CALLER, span, heard, utterance.text, action, source)


def heard_caller_turns(
    voiced: IntervalSet,
    assistant: IntervalSet,
    captions: Iterable[Caption],
    cues: Iterable[Cue] = (),
) -> tuple[Turn, ...]:
    """The turns of a caller with a session of its own, which annotates none; not yet labelled.

    ``captions`` are that session's of its own voice. They are joined by the provider's clock, those
    of one instant in the order given, so that nothing rests on the order in which they came. A cue
    over a span keeps what is voiced in it together and apart from all else; an observer's does
    not, for an observer names turns and makes none.
    """
    annotations = _annotations(cues)
    replies = assistant.merged(gaps_below_ms=NEW_SPEECH_AFTER_MS)

    def goes_on(earlier: Interval, later: Interval) -> bool:
        mine, theirs = _annotation_of(earlier, annotations), _annotation_of(later, annotations)
        if mine is not None and theirs is not None:
            return mine is theirs
        return _resumes(earlier, later, replies)

    ordered = sorted(captions, key=lambda caption: caption.start_ms)
    return _turns_of(Speaker.CALLER, _grouped(voiced, goes_on), ordered)


def _annotations(cues: Iterable[Cue]) -> list[Interval]:
    said = [cue.span for cue in cues if cue.source is not LabelSource.OBSERVER]
    return sorted(span for span in said if span is not None)


def _annotation_of(span: Interval, annotations: Iterable[Interval]) -> Interval | None:
    """The annotation that shares most of a voiced span, the earlier of two that share as much."""
    sharing = [one for one in annotations if one.overlaps(span)]
    return max(sharing, key=lambda one: shared_ms(one, span), default=None)


def shared_ms(one: Interval, other: Interval) -> int:
    """How long two spans that overlap run together."""
    return min(one.end_ms, other.end_ms) - max(one.start_ms, other.start_ms)


def _resumes(earlier: Interval, later: Interval, replies: IntervalSet) -> bool:
    """Whether a caller who paused went on, rather than taking a new turn after a reply.

    A reply stands whole in the silence. An assistant that talks through it, ends in it or begins
    in it and goes on has left the caller's turn what it was: that is talking over, yielding and
    interrupting, and must not cut the caller's words apart.
    """
    if later.start_ms - earlier.end_ms >= PAUSE_MS:
        return False
    reply = starting_from(replies, earlier.end_ms)
    return reply is None or reply.end_ms > later.start_ms


def assistant_turns(
    voiced: IntervalSet, caller: IntervalSet, captions: Iterable[Caption]
) -> tuple[Turn, ...]:
    """Voiced spans up to the next long pause or the caller's next word, with their captions.

    ``captions`` come in order of receipt and are joined in it, letter for letter.
    """
    groups = _grouped(voiced, lambda earlier, later: _continues(earlier, later, caller))
    return _turns_of(Speaker.ASSISTANT, groups, captions)


def _turns_of(
    speaker: Speaker, groups: Sequence[Sequence[Interval]], captions: Iterable[Caption]
) -> tuple[Turn, ...]:
    """A turn for each group of voiced spans, with the captions that belong to it."""
    spans = [Interval(group[0].start_ms, group[-1].end_ms) for group in groups]
    words: list[list[Caption]] = [[] for _ in groups]
    for caption in captions:
        index = _turn_of(caption, spans)
        if index is not None:
            words[index].append(caption)
    return tuple(
        Turn(speaker, span, IntervalSet(tuple(group)), joined(text), None)
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


def _grouped(
    voiced: IntervalSet, goes_on: Callable[[Interval, Interval], bool]
) -> list[list[Interval]]:
    groups: list[list[Interval]] = []
    for span in voiced:
        if groups and goes_on(groups[-1][-1], span):
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
