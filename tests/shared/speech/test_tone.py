from __future__ import annotations

import hashlib
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pcm import SAMPLES_PER_MS, Pcm, to_bytes
from shared.intervals import Interval
from shared.speech.port import Speech
from shared.speech.tone import (
    EBB_SAMPLES,
    EDGE_SAMPLES,
    LOUDNESS,
    ToneSynthesizer,
    period,
    rise,
    syllable_count,
)

TEXT = "Good evening! I would like to book a table for 4, tomorrow at 7:30."

texts = st.lists(
    st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=14).filter(
        lambda word: any(letter.isalnum() for letter in word)
    ),
    min_size=1,
    max_size=12,
).map(" ".join)


def spoken(text: str, pitch_hz: int = 210) -> Speech:
    return ToneSynthesizer(pitch_hz).speak(text)


def words_of(speech: Speech) -> tuple[Interval, ...]:
    assert speech.voiced is not None
    return speech.voiced.spans


def sound_of(speech: Speech, span: Interval) -> Pcm:
    return speech.pcm[span.start_ms * SAMPLES_PER_MS : span.end_ms * SAMPLES_PER_MS]


def dbfs(pcm: Pcm) -> float:
    return float(20 * np.log10(np.sqrt(np.mean(pcm.astype(float) ** 2)) / 32_768))


def test_the_same_text_is_the_same_bytes_on_any_machine() -> None:
    digest = hashlib.sha256(to_bytes(spoken(TEXT).pcm)).hexdigest()
    assert digest == "a6217419af43edb2ca39a63ed33e0916e7298cd2f3fbd487ba7180e9493f2db0"


def exact_rise(samples: int) -> np.ndarray:
    return 16_384 * (1 - np.cos(np.pi * (np.arange(samples) + 0.5) / samples))


def exact_period() -> np.ndarray:
    steps = np.arange(4_096) / 4_096
    waves = [
        weight * np.sin(2 * np.pi * (number * steps - number * (number - 1) / 20))
        for number, weight in enumerate((10, 9, 7, 5, 4, 3, 3, 2, 2, 1), start=1)
    ]
    return LOUDNESS * np.sum(waves, axis=0)


@pytest.mark.parametrize(
    ("table", "exact"),
    [
        pytest.param(period(), exact_period(), id="the-period"),
        pytest.param(rise(EDGE_SAMPLES), exact_rise(EDGE_SAMPLES), id="the-edge-of-a-word"),
        pytest.param(rise(EBB_SAMPLES), exact_rise(EBB_SAMPLES), id="the-ebb-between-syllables"),
    ],
)
def test_no_table_entry_lies_so_near_a_tie_that_another_cosine_rounds_it_elsewhere(
    table: np.ndarray, exact: np.ndarray
) -> None:
    assert np.abs(exact - table).max() < 0.5 - 1e-6


@settings(max_examples=40)
@given(texts, st.sampled_from([90, 120, 210, 300]))
def test_energy_v1_finds_exactly_the_truth(text: str, pitch_hz: int) -> None:
    speech = spoken(text, pitch_hz)
    assert EnergyV1().voiced(speech.pcm) == speech.voiced


@settings(max_examples=40)
@given(texts)
def test_the_truth_is_sample_support_to_the_millisecond(text: str) -> None:
    speech = spoken(text)
    outside = speech.pcm.copy()
    for span in words_of(speech):
        sound = sound_of(speech, span)
        assert sound[:SAMPLES_PER_MS].any()
        assert sound[-SAMPLES_PER_MS:].any()
        outside[span.start_ms * SAMPLES_PER_MS : span.end_ms * SAMPLES_PER_MS] = 0
    assert not outside.any()


@settings(max_examples=40)
@given(texts)
def test_words_and_gaps_have_the_lengths_of_speech(text: str) -> None:
    words = words_of(spoken(text))
    assert len(words) == len(text.split())
    assert words[0].start_ms == 0
    for word, span in zip(text.split(), words, strict=True):
        assert 150 <= span.duration_ms / syllable_count(word) <= 200
    for word, (before, after) in zip(text.split(), pairwise(words), strict=False):
        shortest, longest = (40, 90) if word[-1].isalnum() else (110, 150)
        assert shortest <= after.start_ms - before.end_ms <= longest


@settings(max_examples=20)
@given(texts, st.sampled_from([90, 120, 210, 300]))
def test_a_word_stays_loud_from_its_first_hop_to_its_last(text: str, pitch_hz: int) -> None:
    speech = spoken(text, pitch_hz)
    for span in words_of(speech):
        sound = sound_of(speech, span)
        assert dbfs(sound) == pytest.approx(-20, abs=1.5)
        assert min(dbfs(hop) for hop in sound.reshape(-1, 240)) > -30
        assert np.abs(sound.astype(int)).max() < 16_000


def test_edges_are_soft() -> None:
    for span in words_of(spoken(TEXT)):
        sound = sound_of(spoken(TEXT), span).astype(int)
        assert np.abs(sound[:12]).max() < 300
        assert np.abs(sound[-12:]).max() < 300


def test_another_pitch_is_another_speaker_of_the_same_words_at_the_same_times() -> None:
    low, high = spoken(TEXT, 120), spoken(TEXT, 210)
    assert low.voiced == high.voiced
    assert not np.array_equal(low.pcm, high.pcm)


def test_a_word_sounds_different_in_another_place() -> None:
    first, second = words_of(spoken("table table"))
    sound = spoken("table table")
    assert not np.array_equal(sound_of(sound, first), sound_of(sound, second))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param("a", 1, id="one-vowel"),
        pytest.param("table", 2, id="two-groups-of-vowels"),
        pytest.param("YES", 1, id="whatever-the-case"),
        pytest.param("reservation", 4, id="four"),
        pytest.param("internationalisation", 4, id="never-more-than-four"),
        pytest.param("7", 1, id="a-digit"),
        pytest.param("7:30", 2, id="a-third-of-the-length-without-vowels"),
        pytest.param("+441632960961", 4, id="a-long-number"),
    ],
)
def test_syllables_of(word: str, expected: int) -> None:
    assert syllable_count(word) == expected


@pytest.mark.parametrize("text", ["", "  ", "… —"])
def test_nothing_to_say_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="nothing to say"):
        spoken(text)


def test_a_dash_between_words_is_not_a_word() -> None:
    assert len(words_of(spoken("yes — please"))) == 2


def test_speech_names_its_voice() -> None:
    speech = spoken("yes")
    assert (speech.synthesizer, speech.version) == ("tone", "1")
    assert ToneSynthesizer(120).parameters == {"pitch_hz": 120}
