"""Somebody listens in while a conversation goes on: the caller left, the assistant right.

The conversation hands over its audio and goes on at once. A device takes it whenever it wants, on a
thread of its own. Whatever happens there costs one warning and nothing else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from shared.audio.listening import ASSISTANT, CALLER, Listening
from shared.audio.mixdown import Stereo
from shared.audio.pcm import SAMPLE_RATE_HZ, Pcm

GRACE_S = 0.5
"""How much longer than its sound lasts a device may take to play it."""


class Device(Protocol):
    """Something that plays 24 kHz stereo."""

    def start(self, pull: Callable[[int], Stereo], ended: Callable[[str], None]) -> None:
        """Ask ``pull`` for so many samples whenever some are needed, from any thread.

        ``ended`` is told why, once, when it stops without being asked to.
        """

    def stop(self) -> None:
        """Play nothing more."""


class StereoMonitor:
    """One listener of one run. From any thread; no call waits and none raises but the first."""

    def __init__(self, device: Device, warn: Callable[[str], None]) -> None:
        """Start the device; what it raises is for the caller."""
        self._device = device
        self._warn = warn
        self._lock = threading.Lock()
        self._listening = Listening()
        self._is_over = False
        self._has_warned = False
        self._is_quiet = threading.Event()
        device.start(self._pull, self._lost)

    def begin(self) -> None:
        """Another conversation begins, whose media time starts over."""
        with self._lock:
            self._listening.begin()

    def caller(self, start_sample: int, pcm: Pcm) -> None:
        """Play the caller's next audio at its place on the media axis."""
        self._add(CALLER, start_sample, pcm)

    def assistant(self, start_sample: int, pcm: Pcm) -> None:
        """Play the assistant's next audio at its place on the media axis."""
        self._add(ASSISTANT, start_sample, pcm)

    def close(self) -> None:
        """Let what waits be played, as long as that takes and no longer, and stop the device."""
        with self._lock:
            is_heard = not self._is_over
            waiting_s = self._listening.waiting / SAMPLE_RATE_HZ
            self._is_quiet.clear()
        if is_heard and waiting_s:
            self._is_quiet.wait(waiting_s + GRACE_S)
        with self._lock:
            self._is_over = True
        try:
            self._device.stop()
        except Exception:  # noqa: BLE001 - nobody listens any more
            return

    def _add(self, ear: int, start_sample: int, pcm: Pcm) -> None:
        with self._lock:
            if self._is_over:
                return
            let_go = self._listening.add(ear, start_sample, pcm)
        if let_go:
            self._warn_once("the output device lags, and some sound is left out")

    def _pull(self, samples: int) -> Stereo:
        with self._lock:
            both = self._listening.take(samples)
            if not self._listening.waiting:
                self._is_quiet.set()
        return both

    def _lost(self, reason: str) -> None:
        with self._lock:
            if self._is_over:
                return
            self._is_over = True
            self._is_quiet.set()
        self._warn_once(reason)

    def _warn_once(self, reason: str) -> None:
        with self._lock:
            has_warned, self._has_warned = self._has_warned, True
        if not has_warned:
            self._warn(f"--listen: {reason}; the run goes on, heard or not")
