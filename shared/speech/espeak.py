"""``espeak-ng``: speech by rules, made on this machine by the program of that name.

It is quick, small and the same every time, and it sounds like a machine: a caller for trying things
out, not for judging how well callers are understood.

The program gets the text on its standard input, a minimal environment without our keys, and so much
time and output as the text can need. No shell is between us.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import IO, cast

import numpy as np

from shared.audio.pcm import SAMPLE_BYTES, SAMPLE_RATE_HZ, Pcm, saturated
from shared.audio.resampling import resampled, resampler
from shared.errors import AttemptError, Stage, UsageError
from shared.readings import has_words
from shared.speech.port import Speech, longest_ms
from shared.values import JsonScalar

PROGRAM = "espeak-ng"
VOICE = "en-us"
WORDS_PER_MINUTE = 165
WITHIN_S = 30.0
FULL_SCALE = 32_768
MOST_RATE_HZ = 48_000
MOST_HEADER_BYTES = 1_024
"""Bounds of what it writes; it speaks at 22,050 Hz behind a header of 44 bytes."""

_UTF8 = "1"
_VERSION = re.compile(rb"\b\d+(?:\.\d+)+\b")
_ENVIRONMENT = ("PATH", "ESPEAK_DATA_PATH", "SYSTEMROOT")


class EspeakSynthesizer:
    """One American English voice at the speed of a calm caller."""

    def __init__(self) -> None:
        program = shutil.which(PROGRAM)
        if program is None:
            raise UsageError(
                f"--synthesizer: {PROGRAM} is not installed: apt-get install espeak-ng (Debian,"
                " Ubuntu) or brew install espeak-ng (macOS); or choose hibari, openai or tone"
            )
        self._program = program
        try:
            said = _said([program, "--version"], "", MOST_HEADER_BYTES)
        except _SilentError as failure:
            raise UsageError(f"--synthesizer: {program}: {failure}; install it anew") from None
        version = _VERSION.search(said)
        if version is None:
            raise UsageError(f"--synthesizer: {program} says no version of it; install it anew")
        self._version = version.group().decode()

    @property
    def name(self) -> str:
        return PROGRAM

    @property
    def version(self) -> str:
        return self._version

    @property
    def parameters(self) -> Mapping[str, JsonScalar]:
        return {
            "voice": VOICE,
            "words_per_minute": WORDS_PER_MINUTE,
            "resampler": resampler(),
        }

    def speak(self, text: str) -> Speech:
        """Say the text. Its voiced spans are for a detector to find."""
        if not has_words(text):
            raise ValueError("nothing to say")
        command = [
            *(self._program, "--stdin", "--stdout"),
            *("-b", _UTF8, "-v", VOICE, "-s", str(WORDS_PER_MINUTE)),
        ]
        most = MOST_HEADER_BYTES + longest_ms(text) * MOST_RATE_HZ // 1_000 * SAMPLE_BYTES
        try:
            pcm = _pcm(_said(command, _as_words(text), most))
        except _SilentError as failure:
            what = f"{PROGRAM} made no speech: {failure}"
            raise AttemptError(Stage.AUDIO_SYNTHESIS, what) from None
        return Speech(pcm, None, self.name, self.version)


class _SilentError(Exception):
    """What the program did in place of speaking."""


def _as_words(text: str) -> str:
    """A text none of which the program takes for its own notation of sounds."""
    return text.replace("[[", "[ [").replace("\0", " ")


def _said(command: Sequence[str], text: str, most_bytes: int) -> bytes:
    """What the program writes for a text, all of it and no more than that."""
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    # A file and no pipe: the program may write before it has read everything.
    with tempfile.TemporaryFile() as asked:
        asked.write(text.encode("utf-8", "replace"))
        asked.seek(0)
        try:
            program = subprocess.Popen(  # noqa: S603 - no shell, and the text is no argument
                command,
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise _SilentError(f"it cannot be started: {error.strerror}") from None
    return _read(program, most_bytes)


def _read(program: subprocess.Popen[bytes], most_bytes: int) -> bytes:
    """All its output, unless that is too much, comes too late or ends in an error."""
    is_late = threading.Event()

    def stop() -> None:
        is_late.set()
        _end(program)

    alarm = threading.Timer(WITHIN_S, stop)
    alarm.start()
    with program:
        try:
            said = cast("IO[bytes]", program.stdout).read(most_bytes + 1)
            if len(said) > most_bytes:
                raise _SilentError("it wrote more than the text can take")
            status = program.wait()
        finally:
            alarm.cancel()
            _end(program)
    if is_late.is_set():
        raise _SilentError(f"it did not end within {WITHIN_S:g} s")
    if status != 0:
        raise _SilentError(f"it ended with status {status}")
    return said


def _end(program: subprocess.Popen[bytes]) -> None:
    """End it and what it may have started, unless its end has been seen."""
    if program.returncode is not None:
        return
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
    else:
        program.kill()


def _pcm(said: bytes) -> Pcm:
    """The speech in its output, which gives no size: it does not know yet when it begins."""
    import soundfile

    try:
        samples, rate_hz = soundfile.read(io.BytesIO(said), dtype="float64")
    except soundfile.SoundFileError:
        raise _SilentError("it wrote what is no sound") from None
    if samples.ndim != 1:
        raise _SilentError("it wrote several channels")
    if not samples.any():
        raise _SilentError("it wrote nothing but silence")
    return saturated(
        np.concatenate(list(resampled([samples], rate_hz, SAMPLE_RATE_HZ))) * FULL_SCALE
    )
