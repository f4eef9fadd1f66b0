"""How an interrupt reaches the attempts under way."""

from __future__ import annotations

import asyncio
import threading


class Cancellation:
    """Lets another thread end the attempts under way, once and for all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[asyncio.Task[object], asyncio.AbstractEventLoop] = {}
        self.is_requested = False

    def watch(self, task: asyncio.Task[object]) -> None:
        with self._lock:
            self._running[task] = task.get_loop()
            if self.is_requested:
                task.cancel()

    def forget(self, task: asyncio.Task[object]) -> None:
        with self._lock:
            self._running.pop(task, None)

    def request(self) -> None:
        """Cancel what runs; each session still closes itself properly."""
        with self._lock:
            self.is_requested = True
            for task, loop in self._running.items():
                loop.call_soon_threadsafe(task.cancel)
