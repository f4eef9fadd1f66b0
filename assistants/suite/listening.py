"""Whether somebody listens in on a run, and on what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from shared.audio.monitor import Device, StereoMonitor
from shared.audio.speakers import Speakers
from shared.errors import UsageError
from shared.settings import Settings


def device_for(settings: Settings, *, is_virtual: bool) -> Device | None:
    """The device to listen on, or nothing when nobody listens."""
    if not settings.switch("listen"):
        return None
    if settings.integer("concurrency") > 1:
        raise UsageError("--listen: one conversation at a time can be heard; use --concurrency 1")
    if is_virtual:
        raise UsageError(
            "--listen: on its virtual clock an offline run makes no sound; add --real-time"
        )
    return Speakers()


@contextmanager
def monitor_on(
    device: Device | None, warn: Callable[[str], None]
) -> Iterator[StereoMonitor | None]:
    """Listen on the device while the block lasts, and until its last sound was heard."""
    if device is None:
        yield None
        return
    monitor = StereoMonitor(device, warn)
    try:
        yield monitor
    finally:
        monitor.close()
