from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from shared.audio.detection import silero
from shared.audio.detection.neural import heard
from shared.audio.detection.silero import PACKAGES, Silero, installed
from shared.audio.pcm import Pcm
from shared.speech.hibari import HibariSynthesizer
from tests.support.programs import needs_package


@pytest.fixture(scope="module")
def spoken() -> Pcm:
    needs_package("hibari")
    return HibariSynthesizer().speak("Thank you, that would be lovely.").pcm


def by(package: str) -> Silero:
    needs_package(package.replace("-", "_"))
    return Silero(package, "any", PACKAGES[package])


@pytest.mark.parametrize("package", PACKAGES)
def test_a_network_hears_speech_and_begins_from_rest_each_time(package: str, spoken: Pcm) -> None:
    network = by(package)
    once = heard(spoken, 0, network)
    assert heard(spoken, 0, network) == once
    assert max(once.probabilities) > 250
    assert min(once.probabilities) < 5


def test_both_packages_carry_the_same_network(spoken: Pcm) -> None:
    one, other = (
        np.frombuffer(heard(spoken, 0, by(package)).probabilities, np.uint8).astype(int)
        for package in PACKAGES
    )
    assert np.median(np.abs(one - other)) <= 1
    assert np.mean((one >= 128) != (other >= 128)) < 0.02


def test_the_first_package_that_is_there_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silero, "PACKAGES", {"no-such-package": list, "numpy": list})
    network = installed()
    assert network is not None
    assert (network.package, network.version) == ("numpy", np.__version__)


def test_one_stretch_is_heard_at_a_time() -> None:
    inside = threading.Semaphore(1)

    def hear(windows: object) -> list[float]:
        assert inside.acquire(blocking=False)
        threading.Event().wait(0.002)
        inside.release()
        return []

    network = Silero("any", "0", hear)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(network.probabilities, [np.zeros((0, 0), np.float32)] * 16))
