"""Whether somebody listens in on a run, and on what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from shared.audio.monitor import StereoMonitor
from shared.audio.speakers import Speakers, UnheardError
from shared.errors import UsageError
from shared.settings import Settings


def is_listened_to(settings: Settings, *, is_virtual: bool) -> bool:
    """Whether somebody wants to listen; :class:`UsageError` when there could be nothing to hear."""
    if not settings.switch("listen"):
        return False
    if settings.integer("concurrency") > 1:
        raise UsageError("--listen: one conversation at a time can be heard; use --concurrency 1")
    if is_virtual:
        raise UsageError(
            "--listen: on its virtual clock an offline run makes no sound; add --real-time"
        )
    return True


@contextmanager
def monitor_for(warn: Callable[[str], None], *, is_wanted: bool) -> Iterator[StereoMonitor | None]:
    """Listen while the block lasts, and until its last sound was heard.

    Where nothing can be played that is a warning: a run is not for its listeners.
    """
    try:
        monitor = StereoMonitor(Speakers(), warn) if is_wanted else None
    except UnheardError as error:
        warn(f"{error}; the run goes on unheard")
        monitor = None
    try:
        yield monitor
    finally:
        if monitor is not None:
            monitor.close()
