"""When is one answer over? A table, asked after every frame.

Theory of operation. Nothing counts before the caller has finished. Then the attempt is in one of
four situations, and each allows a different end:

======================================  ==========================================
work is under way                       only the timeout
nothing was heard since the request     only the timeout
or, after work, since its result
speech began after the last result      quiet for ``SETTLE_MS``
(or there was no work)
speech ran on over the result           quiet for ``RUN_ON_MS``: it may have been a
                                        filler, and the answer may still come
======================================  ==========================================

The timeout counts from the caller's last voiced instant and nothing extends it. What was heard is a
coarse, chunk-wise impression for this decision alone; no number rests on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from shared.observability.delegation import WorkState
from shared.observability.evidence import Ending
from shared.observability.observations import Observation
from shared.observability.turns import NEW_SPEECH_AFTER_MS

SETTLE_MS = 1_500
RUN_ON_MS = 4_000


@dataclass(slots=True)
class _Heard:
    """What was heard of the assistant so far."""

    onset_ms: int
    end_ms: int


class AnswerWatch:
    """Watches one request being answered. All instants are media milliseconds."""

    def __init__(self, *, request_end_ms: int, caller_audio_ms: int, timeout_ms: int) -> None:
        self._request_end_ms = request_end_ms
        self._caller_audio_ms = caller_audio_ms
        self._timeout_at_ms = request_end_ms + timeout_ms
        self._work = WorkState()
        self._result_at_ms: int | None = None
        self._heard: _Heard | None = None

    def observe(self, seen: Observation) -> None:
        was_active = self._work.is_active
        self._work.observe(seen)
        if was_active and not self._work.is_active:
            self._result_at_ms = seen.stamp.media_ms

    def heard(self, start_ms: int, end_ms: int) -> None:
        """Note a voiced piece of assistant audio; pieces come in order."""
        if self._heard is None or start_ms - self._heard.end_ms >= NEW_SPEECH_AFTER_MS:
            self._heard = _Heard(start_ms, end_ms)
        else:
            self._heard.end_ms = max(self._heard.end_ms, end_ms)

    def ending(self, now_ms: int) -> Ending | None:
        """How it ended, or nothing while it goes on."""
        if now_ms < self._caller_audio_ms:
            return None
        quiet_ms = self._quiet_needed_ms()
        if quiet_ms is not None and self._heard is not None:
            since_ms = max(self._heard.end_ms, self._request_end_ms)
            if now_ms >= since_ms + quiet_ms:
                return Ending.ANSWER_SETTLED
        return Ending.RESPONSE_TIMEOUT if now_ms >= self._timeout_at_ms else None

    def _quiet_needed_ms(self) -> int | None:
        heard = self._heard
        if self._work.is_active or heard is None or heard.end_ms <= self._request_end_ms:
            return None
        if self._result_at_ms is None or heard.onset_ms >= self._result_at_ms:
            return SETTLE_MS
        return RUN_ON_MS if heard.end_ms > self._result_at_ms else None
