"""The output device of this computer, through PortAudio: the package of the extra ``playback``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shared.audio.mixdown import Stereo
from shared.audio.pcm import SAMPLE_RATE_HZ, saturated
from shared.errors import HarnessError
from shared.plain_text import one_line

if TYPE_CHECKING:
    from sounddevice import OutputStream

BLOCKS_PER_S = 25
REPEATS = (1, 2)
"""Not every device plays 24 kHz. At twice that each sample is played twice; ears will do."""


class UnheardError(HarnessError):
    """Why this computer plays nothing, in one line. No mistake: another one may."""


class Speakers:
    """The default output device, in stereo, or in mono where it has but one channel.

    Raises :class:`UnheardError` where there is none, nor what it takes to reach it.
    """

    def __init__(self) -> None:
        try:
            import sounddevice
        except ImportError:
            raise UnheardError(
                "--listen: needs sounddevice: uv sync --extra playback, or with pip install"
                " 'gpt-live-evals[playback]'"
            ) from None
        except OSError:
            raise UnheardError(
                "--listen: needs PortAudio: apt-get install libportaudio2 (Debian, Ubuntu)"
            ) from None
        self._library = sounddevice
        try:
            found: Mapping[str, Any] = sounddevice.query_devices(kind="output")
            self._channels = min(2, found["max_output_channels"])
            self._repeats = self._playable()
        except (sounddevice.PortAudioError, ValueError) as error:
            raise _unheard(error) from None
        self._stream: OutputStream | None = None

    def start(self, pull: Callable[[int], Stereo], ended: Callable[[str], None]) -> None:
        """Open the device and play what ``pull`` gives; :class:`UnheardError` when it refuses."""

        def play(out: npt.NDArray[np.int16], frames: int, _time: object, _status: object) -> None:
            try:
                out[:] = self._shaped(pull(frames // self._repeats))
            except Exception as error:
                ended(f"playing failed ({type(error).__name__})")
                raise self._library.CallbackAbort from error

        rate_hz = SAMPLE_RATE_HZ * self._repeats
        try:
            self._stream = self._library.OutputStream(
                samplerate=rate_hz,
                blocksize=rate_hz // BLOCKS_PER_S,
                channels=self._channels,
                dtype="int16",
                callback=play,
                finished_callback=lambda: ended("the output device stopped"),
            )
            self._stream.start()
        except self._library.PortAudioError as error:
            raise _unheard(error) from None

    def stop(self) -> None:
        """Close the device at once."""
        if self._stream is not None:
            self._stream.close()

    def _playable(self) -> int:
        """How often each sample has to be played for the device to take the rate."""
        for repeats in REPEATS:
            try:
                self._library.check_output_settings(
                    channels=self._channels, dtype="int16", samplerate=SAMPLE_RATE_HZ * repeats
                )
            except self._library.PortAudioError:
                if repeats == REPEATS[-1]:
                    raise
            else:
                return repeats
        raise AssertionError("the last rate returns or raises")

    def _shaped(self, both: Stereo) -> npt.NDArray[np.int16]:
        if self._channels == 1:
            both = saturated(both.astype(np.int32).sum(axis=1, keepdims=True))
        return both.repeat(self._repeats, axis=0)


def _unheard(error: Exception) -> UnheardError:
    return UnheardError(f"--listen: no output device can be used: {one_line(str(error))}")
