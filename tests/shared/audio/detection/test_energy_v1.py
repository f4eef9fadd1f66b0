from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.audio.detection.energy_v1 import EnergyV1, Gates, gates_for, is_voiced_chunk
from shared.audio.detection.hops import FFT_SAMPLES, FULL_SCALE, HOP_SAMPLES, Hops, hops_of
from shared.audio.pcm import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Pcm, silence
from shared.intervals import IntervalSet
from shared.speech.tone import ToneSynthesizer


def spans(*pairs: tuple[int, int]) -> IntervalSet:
    return IntervalSet.of(pairs)


def voiced(*parts: Pcm) -> IntervalSet:
    return EnergyV1().voiced(np.concatenate(parts))


def rms(dbfs: float) -> float:
    return float(FULL_SCALE * 10 ** (dbfs / 20))


def sine(duration_ms: int, hz: float, dbfs: float) -> Pcm:
    """A sine whose RMS is so many dB below full scale."""
    steps = np.arange(duration_ms * SAMPLES_PER_MS) / SAMPLE_RATE_HZ
    return np.rint(rms(dbfs) * np.sqrt(2) * np.sin(2 * np.pi * hz * steps)).astype(np.int16)


def buzz(duration_ms: int, dbfs: float = -20.0) -> Pcm:
    """1 kHz: ten whole periods a hop, so every hop has the level of the whole."""
    return sine(duration_ms, 1_000, dbfs)


def noise(duration_ms: int, dbfs: float, seed: int = 1) -> Pcm:
    drawn = np.random.default_rng(seed).normal(0, rms(dbfs), duration_ms * SAMPLES_PER_MS)
    return np.rint(drawn).astype(np.int16)


def mixed(under: Pcm, over: Pcm, at_ms: int) -> Pcm:
    both = under.copy()
    start = at_ms * SAMPLES_PER_MS
    both[start : start + over.size] += over
    return both


def click(amplitude: int = 32_767, samples: int = 1) -> Pcm:
    return np.full(samples, amplitude, np.int16)


SPEECH = ToneSynthesizer(pitch_hz=160).speak("Good evening, a table for four people, please.")
assert SPEECH.voiced is not None


@pytest.mark.parametrize(
    ("pcm", "expected"),
    [
        pytest.param(silence(0), spans(), id="no-audio"),
        pytest.param(silence(5_000), spans(), id="digital-silence"),
        pytest.param(buzz(180), spans((0, 180)), id="a-word-of-180-ms"),
        pytest.param(buzz(30), spans((0, 30)), id="30-ms-is-speech"),
        pytest.param(buzz(20), spans(), id="20-ms-is-a-click"),
        pytest.param(click(), spans(), id="a-single-sample-at-full-scale"),
        pytest.param(np.full(24_000, 1_638, np.int16), spans(), id="constant-offset"),
        pytest.param(np.full(24_000, -32_768, np.int16), spans(), id="offset-at-full-scale"),
        pytest.param(sine(3_000, 50, -30), spans(), id="50-hz-hum"),
        pytest.param(sine(3_000, 60, -30), spans(), id="60-hz-hum"),
        pytest.param(sine(3_000, 50, -30) + np.int16(1_638), spans(), id="hum-on-an-offset"),
        pytest.param(noise(3_000, -60), spans(), id="faint-noise"),
        pytest.param(noise(3_000, -40), spans(), id="noise-above-the-absolute-gate"),
    ],
)
def test_a_track_of(pcm: Pcm, expected: IntervalSet) -> None:
    assert voiced(pcm) == expected


@pytest.mark.parametrize(
    ("dbfs", "expected"),
    [
        pytest.param(-44.9, spans((0, 100), (200, 400)), id="just-above-the-on-gate"),
        pytest.param(-45.1, spans((0, 100)), id="just-below-it"),
    ],
)
def test_in_a_clean_track_a_second_word(dbfs: float, expected: IntervalSet) -> None:
    assert voiced(buzz(100), silence(100), buzz(200, dbfs)) == expected


@pytest.mark.parametrize(
    ("tail_dbfs", "expected"),
    [
        pytest.param(-49.8, spans((0, 200)), id="above-the-off-gate-belongs-to-the-word"),
        pytest.param(-50.4, spans((0, 100)), id="below-it-does-not"),
    ],
)
def test_a_quiet_tail(tail_dbfs: float, expected: IntervalSet) -> None:
    assert voiced(buzz(100), buzz(100, tail_dbfs), silence(100), buzz(100)) == expected | spans(
        (300, 400)
    )


def test_a_quiet_lead_is_not_speech_until_it_turns_on() -> None:
    assert voiced(silence(50), buzz(100, -48), buzz(100)) == spans((150, 250))


@pytest.mark.parametrize("gap_ms", [10, 20, 40, 150])
def test_no_pause_is_bridged(gap_ms: int) -> None:
    assert voiced(buzz(100), silence(gap_ms), buzz(100)) == spans(
        (0, 100), (100 + gap_ms, 200 + gap_ms)
    )


def test_clicks_on_both_sides_of_a_hop_border_are_one_click() -> None:
    assert voiced(silence(99), click(samples=48), silence(99)) == spans()


@pytest.mark.parametrize("offset", [0, 200, -3_000])
@pytest.mark.parametrize("hum_hz", [None, 50, 60])
def test_offset_and_hum_move_no_edge_of_a_word(offset: int, hum_hz: float | None) -> None:
    under = np.full(60_000, offset, np.int16)
    if hum_hz is not None:
        under += sine(2_500, hum_hz, -30)
    found = voiced(mixed(under, buzz(600), 1_000))
    assert len(found) == 1
    assert found.extent is not None
    assert abs(found.extent.start_ms - 1_000) <= 10
    assert abs(found.extent.end_ms - 1_600) <= 10


@pytest.mark.parametrize("snr_db", [20, 30])
def test_words_are_found_over_noise(snr_db: int) -> None:
    found = voiced(mixed(noise(4_000, -20 - snr_db), buzz(600), 1_500))
    assert len(found) == 1
    assert found.extent is not None
    assert abs(found.extent.start_ms - 1_500) <= 10
    assert abs(found.extent.end_ms - 2_100) <= 10


def test_speech_without_a_pause_does_not_hide_itself() -> None:
    assert voiced(buzz(3_000, -20)) == spans((0, 3_000))
    assert voiced(buzz(3_000, -34.9)) == spans((0, 3_000))


def floored(dbfs: float, *, silent_hops: int = 0) -> Gates:
    """The gates of a thousand hops of the same level, some of them exact zeros."""
    level = buzz(10_000, dbfs)
    level[5 * HOP_SAMPLES : (5 + silent_hops) * HOP_SAMPLES] = 0
    return gates_for(hops_of(level))


@pytest.mark.parametrize(
    ("gates", "on_dbfs", "off_dbfs"),
    [
        pytest.param(floored(-70), -45, -50, id="a-low-floor-leaves-the-absolute-gates"),
        pytest.param(floored(-53), -44, -47, id="a-floor-raises-both"),
        pytest.param(floored(-55), -45, -49, id="or-only-the-lower"),
        pytest.param(floored(-30), -35, -38, id="on-has-a-ceiling-and-off-stays-below-it"),
        pytest.param(floored(-53, silent_hops=10), -44, -47, id="one-percent-of-silent-hops"),
        pytest.param(floored(-53, silent_hops=11), -45, -50, id="more-than-that-is-a-clean-track"),
    ],
)
def test_gates(gates: Gates, on_dbfs: float, off_dbfs: float) -> None:
    assert dataclasses.astuple(gates) == pytest.approx((on_dbfs, off_dbfs), abs=0.2)


def of_levels(quiet_hops: int, quiet_dbfs: float) -> Hops:
    """A hundred hops at -40 dBFS, so many of them at another level."""
    power = np.full(100, rms(-40) ** 2, np.float32)
    power[:quiet_hops] = rms(quiet_dbfs) ** 2
    return Hops(own=power, filtered=power, silent=np.zeros(100, np.bool_))


@pytest.mark.parametrize(
    ("quiet_hops", "on_dbfs"),
    [
        pytest.param(4, -35, id="four-in-a-hundred-are-no-floor"),
        pytest.param(5, -43, id="five-in-a-hundred-are"),
    ],
)
def test_the_floor_is_the_fifth_percentile(quiet_hops: int, on_dbfs: float) -> None:
    assert gates_for(of_levels(quiet_hops, -52)).on_dbfs == pytest.approx(on_dbfs, abs=1e-3)


def test_a_floor_of_nothing_leaves_the_absolute_gates() -> None:
    assert gates_for(of_levels(100, -np.inf)) == Gates(-45, -50)


@pytest.mark.parametrize("dbfs", [-10, -40])
@pytest.mark.parametrize("lead", [0, 7, 100, 239, 240])
def test_ringing_of_the_filter_voices_no_digital_silence(dbfs: float, lead: int) -> None:
    word = np.concatenate([np.zeros(lead, np.int16), sine(400, 170, dbfs)])
    other, found = voiced(buzz(100), silence(100), word, silence(100))
    assert other.end_ms == 100
    assert found.start_ms >= 200
    assert found.end_ms <= 200 + -(-word.size // HOP_SAMPLES) * 10


def test_every_word_of_the_tone_voice_is_found_exactly() -> None:
    assert EnergyV1().voiced(SPEECH.pcm) == SPEECH.voiced


@pytest.mark.parametrize("samples", [1, 239, 240, 241, FFT_SAMPLES - 481, FFT_SAMPLES + 7])
def test_a_track_may_end_anywhere_in_a_hop(samples: int) -> None:
    track = buzz(1_000)[:samples]
    hops = -(-samples // HOP_SAMPLES)
    expected = spans((0, hops * 10)) if hops >= 3 else spans()
    assert voiced(track) == expected == voiced(track, silence(500))


def test_levels_do_not_depend_on_where_blocks_meet() -> None:
    hops = hops_of(buzz(4_000, -30))
    assert 20 * np.log10(np.sqrt(hops.filtered[1:-1]) / FULL_SCALE) == pytest.approx(-30, abs=0.01)
    assert 20 * np.log10(np.sqrt(hops.own) / FULL_SCALE) == pytest.approx(-30, abs=0.01)


@st.composite
def tracks(draw: st.DrawFn) -> Pcm:
    """Words, noises and pauses of any length, over noise or over nothing."""
    kinds = st.sampled_from(["word", "noise", "pause", "hum"])
    parts = []
    for kind in draw(st.lists(kinds, min_size=1, max_size=5)):
        samples = draw(st.integers(1, 20_000))
        dbfs = draw(st.integers(-60, -20))
        whole = {
            "word": buzz(1_000, dbfs),
            "noise": noise(1_000, dbfs),
            "hum": sine(1_000, 50, -30),
            "pause": silence(1_000),
        }[kind]
        parts.append(whole[:samples])
    track = np.concatenate(parts)
    floor = draw(st.sampled_from([None, -70, -50]))
    return track if floor is None else track + np.resize(noise(1_000, floor, 2), track.size)


@settings(max_examples=60)
@given(tracks(), st.integers(0, 400))
def test_a_shift_by_whole_hops_shifts_the_spans(track: Pcm, hops: int) -> None:
    assert voiced(silence(hops * 10), track) == voiced(track).shifted(hops * 10)


@settings(max_examples=60)
@given(tracks(), st.integers(0, 50_000))
def test_appended_silence_changes_nothing(track: Pcm, samples: int) -> None:
    assert voiced(track, np.zeros(samples, np.int16)) == voiced(track)


@settings(max_examples=60)
@given(tracks())
def test_spans_lie_on_the_grid_and_last_30_ms(track: Pcm) -> None:
    for span in voiced(track):
        assert span.start_ms % 10 == span.end_ms % 10 == 0
        assert span.duration_ms >= 30
        assert 0 <= span.start_ms < span.end_ms <= -(-track.size // HOP_SAMPLES) * 10


@settings(max_examples=60)
@given(tracks())
def test_digital_silence_is_never_voiced(track: Pcm) -> None:
    padded = np.zeros(-(-track.size // HOP_SAMPLES) * HOP_SAMPLES, np.int16)
    padded[: track.size] = track
    silent = ~padded.reshape(-1, HOP_SAMPLES).any(axis=1)
    found = voiced(track)
    assert not any(found.contains(int(hop) * 10) for hop in np.flatnonzero(silent))


def test_the_identity_names_every_parameter_and_fits_into_a_report() -> None:
    identity = EnergyV1().id
    assert (identity.name, identity.version) == ("energy-v1", "1")
    assert json.loads(json.dumps(dict(identity.parameters))) == {
        "hop_ms": 10,
        "highpass_hz": 150,
        "highpass_taps": 481,
        "on_dbfs": -45.0,
        "off_dbfs": -50.0,
        "on_above_floor_db": 9.0,
        "off_above_floor_db": 6.0,
        "highest_on_dbfs": -35.0,
        "least_hysteresis_db": 3.0,
        "floor_percentile": 5,
        "silent_share_of_a_clean_track": 0.01,
        "least_voiced_ms": 30,
    }


@pytest.mark.parametrize(
    ("pcm", "expected"),
    [
        pytest.param(silence(0), False, id="nothing"),
        pytest.param(silence(100), False, id="digital-silence"),
        pytest.param(np.array([20, -45] * 1_200, np.int16), False, id="the-opening-tick"),
        pytest.param(np.full(2_400, 3_000, np.int16), False, id="a-constant-offset"),
        pytest.param(
            np.concatenate([silence(90), buzz(10, -49.8)]), True, id="one-hop-that-sounds"
        ),
        pytest.param(buzz(100, -50.4), False, id="below-the-gate"),
        pytest.param(buzz(7), True, id="less-than-a-hop"),
    ],
)
def test_a_chunk_sounds_when_it_holds(pcm: Pcm, *, expected: bool) -> None:
    assert is_voiced_chunk(pcm) is expected
