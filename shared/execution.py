"""Run a batch of attempts: several at once, each alone on its thread, none able to end the others.

An attempt runs on a thread with an event loop and a clock of its own, so concurrency changes no
attempt's result. An interrupt cancels what runs, keeps what has finished and ends the batch.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from types import FrameType
from typing import Self

from shared.attempts.cancellation import Cancellation

INTERRUPTED_STATUS = 130
_SHOW_CURSOR = b"\x1b[?25h"


def run_batch[Job](
    jobs: Sequence[Job],
    perform: Callable[[Job], None],
    *,
    concurrency: int,
    cancellation: Cancellation,
) -> None:
    """Perform every job, or those that had been begun when the cancellation was requested.

    ``perform`` deals with everything that can go wrong in its job. What it raises all the same
    concerns all of them, such as a full disk: nothing more is begun, what runs is cancelled, and
    the first such error is raised here.
    """
    with _undisturbed(), ThreadPoolExecutor(concurrency) as pool:
        futures: list[Future[None]] = [
            pool.submit(_unless_cancelled, perform, job, cancellation) for job in jobs
        ]
        errors = [e for done in as_completed(futures) if (e := done.exception()) is not None]
    if errors:
        raise errors[0]


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Spare the collector what was there before.

    It stops every thread while it goes over all objects that have lived for a while. Most are the
    program itself, and an attempt in real time would send its frames late for them.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _unless_cancelled[Job](
    perform: Callable[[Job], None], job: Job, cancellation: Cancellation
) -> None:
    if cancellation.is_requested:
        return
    try:
        perform(job)
    except asyncio.CancelledError:
        pass  # a cancelled attempt is no result and no error: it did not take place
    except BaseException:
        # Here and not where it is raised, so that this thread begins nothing more either.
        cancellation.request()
        raise


class Interrupts:
    """While open, an interrupt is a request: the first one cancels, a second one ends at once.

    Either way no file is left half written. Outside the main thread nothing is changed.
    """

    def __init__(self, cancellation: Cancellation) -> None:
        self._cancellation = cancellation
        self._before: signal.Handlers | Callable[[int, FrameType | None], object] | int | None
        self._is_main = threading.current_thread() is threading.main_thread()
        self.came = False

    def __enter__(self) -> Self:
        if self._is_main:
            self._before = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_main:
            signal.signal(signal.SIGINT, self._before)

    def _interrupted(self, _signal: int, _frame: FrameType | None) -> None:
        if self.came:
            with contextlib.suppress(OSError, ValueError):
                if sys.stderr.isatty():
                    os.write(2, _SHOW_CURSOR)
            # Nothing is undone: whatever has its name on the disk is whole.
            os._exit(INTERRUPTED_STATUS)
        self.came = True
        # Not from inside the handler: the lock may be held by the code it interrupted.
        threading.Thread(target=self._cancellation.request, daemon=True).start()
