"""Run a batch of attempts: several at once, each alone on its thread, none able to end the others.

An attempt runs on a thread with an event loop and a clock of its own, so concurrency changes no
attempt's result. An interrupt cancels what runs, keeps what has finished and ends the batch.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from types import FrameType

from shared.single_turn.attempt import Cancellation


def run_batch[Job](
    jobs: Sequence[Job],
    perform: Callable[[Job], None],
    *,
    concurrency: int,
    cancellation: Cancellation,
) -> bool:
    """Perform every job; return whether all were, which an interrupt prevents.

    ``perform`` deals with everything that can go wrong in its job; what it raises all the same is a
    bug and is raised here once the others have finished.
    """
    with _interrupts_cancel(cancellation), ThreadPoolExecutor(concurrency) as pool:
        futures: list[Future[None]] = [
            pool.submit(_unless_cancelled, perform, job, cancellation) for job in jobs
        ]
        bugs = [error for done in as_completed(futures) if (error := done.exception()) is not None]
    if bugs:
        raise bugs[0]
    return not cancellation.is_requested


def _unless_cancelled[Job](
    perform: Callable[[Job], None], job: Job, cancellation: Cancellation
) -> None:
    if cancellation.is_requested:
        return
    # A cancelled attempt is no result and no error: it did not take place.
    with contextlib.suppress(asyncio.CancelledError):
        perform(job)


class _interrupts_cancel:  # noqa: N801 - reads as a phrase in its with statement
    """While open, the first interrupt cancels; a second one ends the process as usual."""

    def __init__(self, cancellation: Cancellation) -> None:
        self._cancellation = cancellation
        self._is_main = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        if self._is_main:
            signal.signal(signal.SIGINT, self._interrupted)

    def __exit__(self, *_: object) -> None:
        if self._is_main:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _interrupted(self, _signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # Not from inside the handler: the lock may be held by the code it interrupted.
        threading.Thread(target=self._cancellation.request, daemon=True).start()
