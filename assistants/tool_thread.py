"""Where an application's tools run: beside the event loop, and never holding up the end.

A pool waits for its threads, at the end of a loop and once more at the end of the process, so one
tool that never returns would hold both. A thread of its own is left behind instead.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import override


class ToolThread(Executor):
    """Runs each job on a thread that ends with the process, whatever it is doing."""

    @override
    def submit[**Arguments, Result](
        self,
        fn: Callable[Arguments, Result],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Result]:
        job: Future[Result] = Future()

        def work() -> None:
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - the future carries it to whoever waits
                job.set_exception(error)
            else:
                job.set_result(result)

        job.set_running_or_notify_cancel()
        threading.Thread(target=work, name="tool", daemon=True).start()
        return job
