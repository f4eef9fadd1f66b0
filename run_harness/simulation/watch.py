"""What is known of a conversation while it goes on: who was heard, whose words are known, what
work is pending, and the situation the observer would be told.

Theory of operation. It is given every frame as both sides hear it, and every observation in order
of receipt. Speech is noted by whole frames, loud enough or not, for deciding when to stop alone: no
number rests on it. Turns are derived anew, by the rules of the evidence, once both sides have been
quiet for a while; a situation that has not changed is the very same object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from run_harness.simulation.completion import Party
from run_harness.simulation.observer import Situation, is_work
from run_harness.simulation.opening import Heard
from shared.audio.detection.energy_v1 import is_voiced_chunk
from shared.audio.pcm import FRAME_MS, from_bytes
from shared.intervals import Interval, IntervalSet
from shared.observability.delegation import WorkState
from shared.observability.observations import Caption, Observation, Speaker, ToolReturned
from shared.observability.turns import Turn, assistant_turns, heard_caller_turns
from shared.values import JsonObject

PENDING_CAPTION_MS: Final = 2_000
"""A caption of whose voice nothing has been heard so long after its beginning is of no voice."""
LONGEST_LEAD_MS: Final = 60_000
"""No words run further ahead of their sound: such a caption is taken to lie where it came."""


class _Side:
    """One party as it was heard, and its session's own account of it."""

    def __init__(self, hold_ms: int) -> None:
        self._hold_ms = hold_ms
        self._due_ms: int | None = None
        self.voiced: list[Interval] = []
        self.captions: list[Caption] = []
        self.work = WorkState()
        self.captioned_ms: int | None = None
        self.first_heard_ms: int | None = None

    @property
    def last_speech_ms(self) -> int | None:
        return self.voiced[-1].end_ms if self.voiced else None

    def frame(self, start_ms: int, frame: bytes) -> bool:
        """Take in the next 20 ms; whether they sound."""
        if frame == bytes(len(frame)) or not is_voiced_chunk(from_bytes(frame)):
            return False
        end_ms = start_ms + FRAME_MS
        if self.first_heard_ms is None:
            self.first_heard_ms = start_ms
        if self.voiced and self.voiced[-1].end_ms == start_ms:
            self.voiced[-1] = Interval(self.voiced[-1].start_ms, end_ms)
        else:
            self.voiced.append(Interval(start_ms, end_ms))
        return True

    def observe(self, seen: Observation) -> None:
        self.work.observe(seen)
        if isinstance(seen, Caption) and seen.speaker is Speaker.ASSISTANT:
            self.captions.append(seen)
            start_ms, end_ms = _place_of(seen)
            # On the media track its voice lies later than on its session's own, by the hold.
            self.captioned_ms = max(end_ms + self._hold_ms, self.captioned_ms or 0)
            self._due_ms = max(start_ms + self._hold_ms, self._due_ms or 0)

    def wordless_since_ms(self, slack_ms: int) -> int | None:
        """Where what was heard and has no words by now began."""
        known_ms = 0 if self.captioned_ms is None else self.captioned_ms + slack_ms
        wordless = (max(one.start_ms, known_ms) for one in self.voiced if one.end_ms > known_ms)
        return next(wordless, None)

    def has_pending_caption(self, now_ms: int) -> bool:
        """Whether words are known of which nothing has been heard so far."""
        due_ms, heard_ms = self._due_ms, self.last_speech_ms or 0
        return due_ms is not None and heard_ms <= due_ms and now_ms < due_ms + PENDING_CAPTION_MS


class ConversationWatch:
    """One conversation as it unfolds. Instants are media milliseconds."""

    def __init__(
        self, state_before: JsonObject, *, quiet_ms: int, hold_ms: Mapping[Speaker, int]
    ) -> None:
        self._sides = {speaker: _Side(hold_ms[speaker]) for speaker in Speaker}
        self._quiet_ms = quiet_ms
        self._now_ms = 0
        self._is_stale = True
        self._returned: list[ToolReturned] = []
        self._work_events = 0
        self._state_before = state_before
        self._state_now = state_before
        self._situation = Situation((), (), state_before, state_before)

    def frame(self, caller: bytes, assistant: bytes) -> None:
        """Take in 20 ms of both as they are heard."""
        for speaker, frame in ((Speaker.CALLER, caller), (Speaker.ASSISTANT, assistant)):
            self._is_stale |= self._sides[speaker].frame(self._now_ms, frame)
        self._now_ms += FRAME_MS

    def observe(self, speaker: Speaker, observed: Iterable[Observation]) -> None:
        """Take in what a party's own session told, in order of receipt."""
        for seen in observed:
            self._sides[speaker].observe(seen)
            if isinstance(seen, Caption) or is_work(seen):
                self._is_stale = True
                self._work_events += is_work(seen)
            if isinstance(seen, ToolReturned) and speaker is Speaker.ASSISTANT:
                self._returned.append(seen)
                self._state_now = seen.state

    @property
    def heard(self) -> Heard:
        """Where each side was first heard."""
        return Heard(
            self._sides[Speaker.CALLER].first_heard_ms,
            self._sides[Speaker.ASSISTANT].first_heard_ms,
        )

    def situation(self) -> Situation:
        """How things stand, as of the last moment in which nobody spoke."""
        if self._is_stale and self._is_quiet():
            self._is_stale = False
            caller, assistant = (self._sides[one] for one in (Speaker.CALLER, Speaker.ASSISTANT))
            heard = IntervalSet(tuple(caller.voiced)), IntervalSet(tuple(assistant.voiced))
            self._situation = Situation(
                caller_turns=heard_caller_turns(*heard, caller.captions),
                assistant_turns=assistant_turns(heard[1], heard[0], assistant.captions),
                state_before=self._state_before,
                state_now=self._state_now,
                returned=tuple(self._returned),
                is_assistant_working=assistant.work.is_active,
                is_caller_working=caller.work.is_active,
                work_events=self._work_events,
            )
        return self._situation

    def is_working(self, speaker: Speaker) -> bool:
        """Whether delegated work of a side is under way."""
        return self._sides[speaker].work.is_active

    def wordless_since_ms(self, speaker: Speaker, slack_ms: int) -> int | None:
        """Where what was heard of a side, and of which its session told no words, began.

        Words may stop ``slack_ms`` short of their sound.
        """
        return self._sides[speaker].wordless_since_ms(slack_ms)

    def party(self, speaker: Speaker, *, has_buffered_speech: bool) -> Party:
        """One side for the completion machine."""
        side = self._sides[speaker]
        turns = self._turns(speaker)
        return Party(
            turns=len(turns),
            last_speech_ms=side.last_speech_ms,
            captioned_ms=side.captioned_ms,
            has_pending_caption=side.has_pending_caption(self._now_ms),
            has_buffered_speech=has_buffered_speech,
            is_working=self.is_working(speaker),
        )

    def _turns(self, speaker: Speaker) -> Sequence[Turn]:
        is_caller = speaker is Speaker.CALLER
        return self._situation.caller_turns if is_caller else self._situation.assistant_turns

    def _is_quiet(self) -> bool:
        last = [side.last_speech_ms for side in self._sides.values()]
        return self._now_ms - max((one for one in last if one is not None), default=0) >= (
            self._quiet_ms
        )


def _place_of(caption: Caption) -> tuple[int, int]:
    """Where a caption lies by its provider's clock, as far as that can be."""
    received_ms = caption.stamp.media_ms
    if max(caption.start_ms, caption.end_ms) - received_ms > LONGEST_LEAD_MS:
        return received_ms, received_ms
    return caption.start_ms, caption.end_ms
