"""Output devices that make no sound: one as a monitor sees it, and a library with one behind it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

from shared.audio.mixdown import Stereo

type Played = npt.NDArray[np.int16]


class SilentDevice:
    """Takes sound when the test says so, and can break."""

    def __init__(self) -> None:
        self.stopped = 0
        self.pull: Callable[[int], Stereo] = lambda _: np.zeros((0, 2), np.int16)
        self.ended: Callable[[str], None] = lambda _: None

    def start(self, pull: Callable[[int], Stereo], ended: Callable[[str], None]) -> None:
        self.pull, self.ended = pull, ended

    def stop(self) -> None:
        self.stopped += 1
        self.ended("it stopped")


class SilentLibrary:
    """What we use of ``sounddevice``, with one device, which plays in real time if it is told to.

    ``breaks_after`` so many blocks the device stops for no reason it gives.
    """

    class PortAudioError(Exception):
        pass

    class CallbackAbort(Exception):  # noqa: N818 - its name in the library
        pass

    def __init__(
        self,
        *,
        channels: int = 2,
        rates_hz: tuple[int, ...] = (24_000, 48_000),
        is_running: bool = False,
        breaks_after: int | None = None,
    ) -> None:
        self.channels = channels
        self.rates_hz = rates_hz
        self.is_running = is_running
        self.breaks_after = breaks_after
        self.streams: list[SilentStream] = []

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Be what an import of the library finds."""
        patch.setitem(cast("dict[str, object]", sys.modules), "sounddevice", self)

    def query_devices(self, *, kind: str) -> dict[str, Any]:
        assert kind == "output"
        if not self.channels:
            raise self.PortAudioError("Error querying device -1")
        return {"name": "silent", "max_output_channels": self.channels}

    def check_output_settings(self, *, channels: int, dtype: str, samplerate: int) -> None:
        assert (channels, dtype) == (min(2, self.channels), "int16")
        if samplerate not in self.rates_hz:
            raise self.PortAudioError("Invalid sample rate [PaErrorCode -9997]")

    def OutputStream(self, **settings: Any) -> SilentStream:  # noqa: N802 - its name in the library
        self.streams.append(SilentStream(self, **settings))
        return self.streams[-1]


class SilentStream:
    """One open device."""

    def __init__(
        self,
        library: SilentLibrary,
        *,
        samplerate: int,
        blocksize: int,
        channels: int,
        dtype: str,
        callback: Callable[[Played, int, object, object], None],
        finished_callback: Callable[[], None],
    ) -> None:
        assert dtype == "int16"
        self.samplerate = samplerate
        self.blocksize = blocksize
        self.channels = channels
        self.played: list[Played] = []
        self.is_closed = False
        self._library = library
        self._callback = callback
        self._finished = finished_callback
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        if self._library.is_running:
            self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        if not self.is_closed:
            self.is_closed = True
            self._finished()

    def block(self) -> bool:
        """Play one block; whether it went well."""
        out = np.full((self.blocksize, self.channels), 77, np.int16)
        try:
            self._callback(out, self.blocksize, None, None)
        except self._library.CallbackAbort:
            self._finished()
            return False
        self.played.append(out)
        return True

    @property
    def sound(self) -> Played:
        return np.concatenate(self.played)

    def _run(self) -> None:
        while not self._stop.wait(self.blocksize / self.samplerate):
            if len(self.played) == self._library.breaks_after:
                self._finished()
                return
            if not self.block():
                return


class WithoutPortAudio:
    """An importer of a package whose library is not there."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "sounddevice":
            raise OSError("PortAudio library not found")
