"""The one 20 ms loop of every tier. It decides nothing.

Per frame, always in this order: wait until it is due, take it from the caller and then from the
assistant, put the caller's through the air, tell the recorder, hand each party what the other one
said and wait until both have it, pass on what the caller and then the assistant observed, ask
whether it is over. Frame ``k`` is ``[20 k, 20 k + 20)`` of media time on both tracks. Audio flows
from the start of the session to its end, silence included, because the other side's clock runs on
what it receives.

Frames are handed over in pairs, so neither side's media time runs ahead of the other's: a party
that takes its frames slowly holds up both, and whoever judges sees which one it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from shared.audio.pacing import Pacer
from shared.audio.pcm import FRAME_MS, Pcm, from_bytes, to_bytes
from shared.clock import Clock
from shared.observability.observations import Observation, Speaker
from shared.participant import Party


class Air(Protocol):
    """What lies between the caller and the assistant. Nothing lies the other way."""

    def process(self, caller: Pcm, far_end: Pcm | None = None) -> Pcm:
        """The next block as it arrives; ``far_end`` is what the assistant says meanwhile."""


type Recorder = Callable[[bytes, bytes, bytes], None]
"""Is told of each frame: what the caller said, what was sent of it, what the assistant said."""

type Take = Callable[[Speaker, Sequence[Observation]], None]
"""Is told whose session observed what, in order of receipt."""


@dataclass(slots=True)
class Sends:
    """How one party was handed its frames, in order, in wall microseconds.

    Each frame left at an instant, so much after it was due, and was taken so much later. A frame
    that was never taken, the last one at most, has no latency.
    """

    at_us: list[int] = field(default_factory=list)
    lateness_us: list[int] = field(default_factory=list)
    latency_us: list[int] = field(default_factory=list)


class Relay:
    """One conversation's loop, run once. What it measured is there however it ended."""

    def __init__(
        self,
        caller: Party,
        assistant: Party,
        clock: Clock,
        pacer: Pacer,
        *,
        air: Air | None = None,
        record: Recorder | None = None,
    ) -> None:
        self._caller = caller
        self._assistant = assistant
        self._clock = clock
        self._pacer = pacer
        self._air = air
        self._record = record
        self.to_caller = Sends()
        self.to_assistant = Sends()

    async def run(self, *, take: Take, is_over: Callable[[int], bool]) -> int:
        """Go on until ``is_over`` says so or a party is gone; return the media time reached, ms."""
        index = 0
        while True:
            await self._wait_for(index)
            await self._exchange(self._pacer.due_us(index))
            index += 1
            take(Speaker.CALLER, self._caller.observed())
            take(Speaker.ASSISTANT, self._assistant.observed())
            if self._is_cut() or is_over(index * FRAME_MS):
                return index * FRAME_MS

    async def _wait_for(self, index: int) -> None:
        clock, pacer = self._clock, self._pacer
        while (until_us := pacer.wait_until_us(index, clock.now_us())) is not None:
            if not clock.jump(until_us):
                await clock.sleep_until(until_us)
        pacer.record(index, clock.now_us())

    async def _exchange(self, due_us: int) -> None:
        said = self._caller.speak()
        answered = self._assistant.speak()
        sent = self._through_the_air(said, answered)
        if self._record is not None:
            self._record(said, sent, answered)
        await _both(
            self._hand(self._assistant, sent, self.to_assistant, due_us),
            self._hand(self._caller, answered, self.to_caller, due_us),
        )

    def _through_the_air(self, said: bytes, answered: bytes) -> bytes:
        if self._air is None:
            return said
        return to_bytes(self._air.process(from_bytes(said), from_bytes(answered)))

    async def _hand(self, party: Party, frame: bytes, sends: Sends, due_us: int) -> None:
        at_us = self._clock.now_us()
        sends.at_us.append(at_us)
        sends.lateness_us.append(at_us - due_us)
        await party.hear(frame)
        sends.latency_us.append(self._clock.now_us() - at_us)

    def _is_cut(self) -> bool:
        return self._caller.failure is not None or self._assistant.failure is not None


async def _both(*halves: Coroutine[Any, Any, None]) -> None:
    """Run side by side until all are done; the first that fails ends the others.

    Each begins at once and in its turn. Where nothing waits, as in memory, no turn of the event
    loop passes, so a pair is as exact as one call after the other.
    """
    loop = asyncio.get_running_loop()
    tasks = [asyncio.Task(half, loop=loop, eager_start=True) for half in halves]
    if not all(task.done() for task in tasks):
        tasks = await _done(tasks)
    failures = [task.exception() for task in tasks]
    for failure in failures:
        if failure is not None:
            raise failure


async def _done(tasks: list[asyncio.Task[None]]) -> list[asyncio.Task[None]]:
    """Those that are done once all are or one has failed; the others are ended."""
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        return [task for task in tasks if task.done()]
    finally:
        unfinished = [task for task in tasks if not task.done()]
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)
