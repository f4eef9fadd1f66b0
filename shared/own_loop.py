"""An event loop for one piece of work, left behind when that is done.

Like the runner of the standard library, but for what resists its cancellation: that is not waited
for, because it would hold up whoever has already been told that it was left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final

LEAVE_WITHIN_S: Final = 0.5
"""How long tasks have to end after they were cancelled."""


def run_alone[T](
    work: Coroutine[Any, Any, T], loop_factory: Callable[[], asyncio.AbstractEventLoop]
) -> T:
    """Do the work on a loop of its own, and give what it gives or raises."""
    loop = loop_factory()
    try:
        return loop.run_until_complete(work)
    finally:
        try:
            _leave(loop)
        finally:
            loop.close()


def _leave(loop: asyncio.AbstractEventLoop) -> None:
    # A task that is left is destroyed with the loop, which is no news.
    loop.set_exception_handler(lambda _loop, _context: None)
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=LEAVE_WITHIN_S))
    loop.run_until_complete(loop.shutdown_asyncgens())
