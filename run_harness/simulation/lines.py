"""Whether a line is dead: a service streams its audio without a break, silence included.

Nobody can tell a party that says no more from a line that carries no more. So a line that has
carried nothing for ``DEAD_AFTER_MS`` is lost like one that was cut, and where a conversation's time
is up, one that has carried nothing for ``SILENT_AFTER_MS``: else whoever was not heard would be
blamed for what the time was too short to tell.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from shared.audio.pcm import SAMPLES_PER_MS
from shared.observability.observations import AudioReceived, Observation, Speaker

DEAD_AFTER_MS: Final = 30_000
SILENT_AFTER_MS: Final = 10_000


class Lines:
    """When audio of either side came last, in media milliseconds."""

    def __init__(self) -> None:
        self._last_ms = dict.fromkeys(Speaker, 0)

    def observe(self, speaker: Speaker, observed: Iterable[Observation]) -> None:
        for seen in observed:
            if isinstance(seen, AudioReceived):
                # What came long ago and was only now heard to its end kept the line alive.
                heard_ms = (seen.start_sample + seen.samples) // SAMPLES_PER_MS
                last_ms = max(self._last_ms[speaker], seen.stamp.media_ms, heard_ms)
                self._last_ms[speaker] = last_ms

    def dead_for_ms(self, now_ms: int, *, is_time_up: bool) -> tuple[Speaker, int] | None:
        """Whose line is dead, the caller's first, and for how long by now."""
        bound_ms = SILENT_AFTER_MS if is_time_up else DEAD_AFTER_MS
        for speaker in (Speaker.CALLER, Speaker.ASSISTANT):
            since_ms = now_ms - self._last_ms[speaker]
            if since_ms >= bound_ms:
                return speaker, since_ms
        return None
