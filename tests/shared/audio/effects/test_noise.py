from __future__ import annotations

import numpy as np
import pytest

from shared.audio.effects.draws import Draws
from shared.audio.effects.levels import Floats
from shared.audio.effects.noise import WhiteNoise

SECONDS_5 = 5 * 24_000


def noise(seed: int = 7, scope: str = "one", *, rms: float = 1_200) -> Floats:
    return WhiteNoise(rms, Draws(seed, "noise", scope)).following(SECONDS_5)


def correlations(one: Floats, other: Floats) -> Floats:
    """With the other shifted by every number of samples from 0 on, in a circle."""
    spectrum = np.fft.rfft(one) * np.conj(np.fft.rfft(other))
    return np.fft.irfft(spectrum) / (np.linalg.norm(one) * np.linalg.norm(other))


@pytest.mark.parametrize("rms", [1, 60, 500, 1_200, 9_000])
def test_noise_is_as_loud_as_asked(rms: float) -> None:
    made = noise(rms=rms)
    assert np.sqrt(np.mean(made**2)) == pytest.approx(rms, rel=0.01)
    assert abs(made.mean()) < 0.01 * rms


def test_it_knows_how_loud_it_was() -> None:
    source = WhiteNoise(500, Draws(7, "noise", "one"))
    assert source.rms is None
    made = source.following(1_000)
    assert source.rms == pytest.approx(float(np.sqrt(np.mean(made**2))))


@pytest.mark.parametrize(
    ("seed", "scope"),
    [
        pytest.param(8, "one", id="another-seed"),
        pytest.param(7, "two", id="another-scenario"),
    ],
)
def test_no_noise_is_shared_with(seed: int, scope: str) -> None:
    """At no shift either: seeds that count upwards must not give one noise from place to place."""
    assert np.abs(correlations(noise(), noise(seed, scope))).max() < 0.02


def test_no_sample_tells_of_the_next() -> None:
    assert np.abs(correlations(noise(), noise())[1:50]).max() < 0.015


def test_noise_is_as_loud_in_every_octave_of_equal_width() -> None:
    power = np.abs(np.fft.rfft(noise())) ** 2
    bands = power[1:].reshape(10, -1).mean(axis=1)
    assert 10 * np.log10(bands.max() / bands.min()) < 0.5


def test_large_values_are_rare_and_end_at_three_and_a_half_deviations() -> None:
    made = noise(rms=1_000)
    assert np.abs(made).max() < 3_500
    assert 0.03 < np.mean(np.abs(made) > 2_000) < 0.06
