"""The one 20 ms loop of every tier. It decides nothing.

Per frame: wait until it is due, take it from the caller, hand it to the assistant, pass on what was
observed, ask whether it is over. Audio flows from the start of the session to its end, silence
included, because the other side's clock runs on what it receives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shared.audio.pacing import Pacer
from shared.audio.pcm import FRAME_MS
from shared.clock import Clock
from shared.observability.observations import Observation
from shared.participant import Participant, Voice


async def relay(
    caller: Voice,
    assistant: Participant,
    clock: Clock,
    pacer: Pacer,
    *,
    take: Callable[[Sequence[Observation]], None],
    is_over: Callable[[int], bool],
) -> int:
    """Run until ``is_over`` says so or the assistant is gone; return the media time reached, ms."""
    index = 0
    while True:
        while (until_us := pacer.wait_until_us(index, clock.now_us())) is not None:
            await clock.sleep_until(until_us)
        pacer.record(index, clock.now_us())
        await assistant.hear(caller.speak())
        index += 1
        take(assistant.observed())
        if assistant.failure is not None or is_over(index * FRAME_MS):
            return index * FRAME_MS
