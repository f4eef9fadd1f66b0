from __future__ import annotations

import numpy as np
import pytest

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.effects.telephone import DELAY_SAMPLES, TelephoneLine
from shared.audio.pcm import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Pcm, saturated, silence
from shared.speech.tone import ToneSynthesizer

AMPLITUDE = 8_000


def tone(hz: float, seconds: int = 1) -> Pcm:
    at = np.arange(seconds * SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    return saturated(AMPLITUDE * np.sin(2 * np.pi * hz * at))


def power(pcm: Pcm) -> float:
    """Past the filters' beginnings."""
    return float(np.mean(pcm[4_800:].astype(np.float64) ** 2))


def gain_db(hz: float) -> float:
    """How loud a tone is at the other end, all that the line makes of it together."""
    return 10 * np.log10(max(power(TelephoneLine().heard(tone(hz))), 1e-9) / power(tone(hz)))


@pytest.mark.parametrize("hz", [400, 450, 500, 700, 1_010, 1_400, 2_010, 2_500, 2_800, 3_000])
def test_the_pass_band_is_flat_within_1_db_at(hz: int) -> None:
    assert abs(gain_db(hz)) < 1


@pytest.mark.parametrize(("hz", "lost_db"), [(3_200, 1.1), (3_400, 3.6)])
def test_the_upper_edge_is_filtered_twice(hz: int, lost_db: float) -> None:
    assert -gain_db(hz) == pytest.approx(lost_db, abs=0.15)


@pytest.mark.parametrize(
    "hz", [4_500, 4_700, 5_000, 5_500, 6_000, 7_000, 7_990, 8_400, 9_000, 10_000, 11_900]
)
def test_a_tone_above_the_band_is_30_db_down_wherever_it_went(hz: int) -> None:
    """Whatever it left: itself, its alias in the band, and the images of that."""
    assert gain_db(hz) < -30


@pytest.mark.parametrize("hz", [400, 1_010, 2_010, 3_000, 3_300])
def test_a_tone_in_the_band_leaves_nothing_above_it(hz: int) -> None:
    spectrum = np.abs(np.fft.rfft(TelephoneLine().heard(tone(hz)))) ** 2
    above = spectrum[4_500:].sum() / spectrum.sum()
    assert 10 * np.log10(above) < -30


@pytest.mark.parametrize(
    ("hz", "most_db"), [pytest.param(50, -25, id="mains-hum"), pytest.param(150, -10, id="rumble")]
)
def test_low_sound_is_taken_away(hz: int, most_db: float) -> None:
    assert gain_db(hz) < most_db


def test_everything_is_4_ms_late() -> None:
    assert DELAY_SAMPLES == 4 * SAMPLES_PER_MS
    click = np.zeros(2_400, np.int16)
    click[900] = 30_000
    heard = TelephoneLine().heard(click).astype(np.float64)
    assert abs(int(np.argmax(np.abs(heard))) - 900 - DELAY_SAMPLES) <= 1


def test_the_callers_end_moves_by_no_more_than_a_hop() -> None:
    clean = np.concatenate(
        [silence(300), ToneSynthesizer().speak("good evening").pcm, silence(300)]
    )
    detector = EnergyV1()
    before = detector.voiced(clean).spans[-1].end_ms
    after = detector.voiced(TelephoneLine().heard(clean)).spans[-1].end_ms
    assert abs(after - before) <= 10


def test_the_codec_is_heard_as_distortion_of_the_right_size() -> None:
    """Mu-law keeps a loud tone at about 37 dB above its own errors."""
    heard = TelephoneLine().heard(tone(1_010, seconds=2))[SAMPLE_RATE_HZ:]
    spectrum = np.abs(np.fft.rfft(heard.astype(np.float64) * np.hanning(heard.size))) ** 2
    carrier = spectrum[1_005:1_016].sum()
    assert 33 < 10 * np.log10(carrier / (spectrum.sum() - carrier)) < 42


def test_it_is_really_at_8_khz() -> None:
    """A tone close to half of that comes with its image on the other side of the half."""
    spectrum = np.abs(np.fft.rfft(TelephoneLine().heard(tone(3_900)))) ** 2
    assert sorted(np.argsort(spectrum)[-2:].tolist()) == [3_900, 4_100]


def test_silence_stays_silent() -> None:
    assert not TelephoneLine().heard(silence(500)).any()


def test_full_scale_does_not_wrap() -> None:
    square = np.where(np.arange(SAMPLE_RATE_HZ) // 24 % 2, 32_767, -32_768).astype(np.int16)
    heard = TelephoneLine().heard(square)
    assert np.corrcoef(heard[DELAY_SAMPLES:], square[:-DELAY_SAMPLES])[0, 1] > 0.9
