"""When is one answer over? A table, asked after every frame.

Theory of operation. Nothing counts before the caller has finished. Then the attempt is in one of
four situations, and each allows a different end:

======================================  ==========================================
work is under way                       only the timeout
nothing was heard since the request     only the timeout
(a short sound across its end is
nothing) or, after work, since its
result
speech began after the last result      quiet for ``SETTLE_MS``
(or there was no work)
speech ran on over the result           quiet for ``RUN_ON_MS``: it may have been a
                                        filler, and the answer may still come
======================================  ==========================================

Quiet is silence that was received: where no audio comes in, nobody knows what is being said.

The timeout counts from the caller's last voiced instant and nothing extends it. What was heard is a
coarse, chunk-wise impression for this decision alone; no number rests on it. Work has its result
when the last it had to say or do is known, which may be well before the backend says that it is
through.
"""

from __future__ import annotations

from shared.audio.placement import STALL_MS
from shared.intervals import Interval
from shared.observability.delegation import WorkState
from shared.observability.evidence import Ending
from shared.observability.observations import BackendText, Observation, ResponseEnded
from shared.observability.turns import NEW_SPEECH_AFTER_MS, is_answer

SETTLE_MS = 1_500
RUN_ON_MS = 4_000


class AnswerWatch:
    """Watches one request being answered. All instants are media milliseconds."""

    def __init__(self, *, request_end_ms: int, caller_audio_ms: int, timeout_ms: int) -> None:
        self._request_end_ms = request_end_ms
        self._caller_audio_ms = caller_audio_ms
        self._timeout_at_ms = request_end_ms + timeout_ms
        self._work = WorkState()
        self._result_at_ms: int | None = None
        self._text: BackendText | None = None
        self._received_until_ms = 0
        self._heard: Interval | None = None

    def observe(self, seen: Observation) -> None:
        was_active = self._work.is_active
        self._work.observe(seen)
        if isinstance(seen, BackendText):
            self._text = seen
        if was_active and not self._work.is_active:
            self._result_at_ms = self._known_since_ms(seen)

    def _known_since_ms(self, last: Observation) -> int:
        """From when on there was all to say: a response that ends has had its text before."""
        text = self._text
        if isinstance(last, ResponseEnded) and text and text.response_id == last.response_id:
            return text.stamp.media_ms
        return last.stamp.media_ms

    def heard(self, start_ms: int, end_ms: int) -> None:
        """Note a voiced piece of assistant audio; pieces come in order."""
        if self._heard is None or start_ms - self._heard.end_ms >= NEW_SPEECH_AFTER_MS:
            self._heard = Interval(start_ms, end_ms)
        else:
            self._heard = Interval(self._heard.start_ms, max(self._heard.end_ms, end_ms))

    def received(self, until_ms: int) -> None:
        """Note up to where the assistant's audio has come in, silence included."""
        self._received_until_ms = until_ms

    def ending(self, now_ms: int) -> Ending | None:
        """How it ended, or nothing while it goes on."""
        if now_ms < self._caller_audio_ms:
            return None
        quiet_ms = self._quiet_needed_ms()
        if quiet_ms is not None and self._heard is not None:
            settled_at_ms = max(self._heard.end_ms, self._request_end_ms) + quiet_ms
            if now_ms >= settled_at_ms and self._received_until_ms >= settled_at_ms - STALL_MS:
                return Ending.ANSWER_SETTLED
        return Ending.RESPONSE_TIMEOUT if now_ms >= self._timeout_at_ms else None

    def _quiet_needed_ms(self) -> int | None:
        heard = self._heard
        if self._work.is_active or heard is None or not is_answer(heard, self._request_end_ms):
            return None
        if self._result_at_ms is None or heard.start_ms >= self._result_at_ms:
            return SETTLE_MS
        return RUN_ON_MS if heard.end_ms > self._result_at_ms else None
