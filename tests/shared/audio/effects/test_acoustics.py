from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.audio.effects.acoustics import Acoustics, Applied
from shared.audio.effects.bundled import ambience
from shared.audio.effects.levels import speech_dbfs
from shared.audio.effects.presets import PRESETS
from shared.audio.effects.recipe import (
    BackgroundSpeech,
    Distractors,
    Echo,
    GapFill,
    Leak,
    Noise,
    PacketLoss,
    Recipe,
)
from shared.audio.pcm import FRAME_SAMPLES, Pcm, silence, to_bytes
from shared.scenario_types import AcousticCondition
from shared.speech.tone import ToneSynthesizer

SPOKEN = ToneSynthesizer().speak("good evening, can you hear me out there?")
CALLER = np.concatenate([silence(250), SPOKEN.pcm, silence(750)])
LEVEL = speech_dbfs(SPOKEN.pcm, SPOKEN.voiced)
FAR_END = np.roll(CALLER, 9_000)
EVERYTHING = Recipe(
    noise=Noise(rms=300),
    background_speech=BackgroundSpeech(0.3),
    distractors=Distractors(cough_every_ms=600, non_directed_every_ms=900),
    echo=Echo(delay_ms=37, decay=0.5),
    leak=Leak(delay_ms=11, gain=0.2),
    telephony=True,
    packet_loss=PacketLoss(rate=0.2, mean_burst=3, fill=GapFill.REPETITION),
)
# The same on every machine; a change to any of these changes every committed recording.
DIGESTS = {
    AcousticCondition.CLEAN: "cce0b231d92082bb",
    AcousticCondition.NOISY: "3ce39a97a1197d5e",
    AcousticCondition.TELEPHONY: "6f0f2bab91e5882d",
    AcousticCondition.BACKGROUND_SPEECH: "ad9deb5c93475950",
    AcousticCondition.ECHO: "e4d82bc1ec8a77c3",
    AcousticCondition.PACKET_LOSS: "2cad412e0abb71de",
    AcousticCondition.REALISTIC: "6b77bda9d112a049",
}


def chain(
    recipe: Recipe, seed: int = 7, scope: str = "one", level: float | None = LEVEL
) -> Acoustics:
    return Acoustics(recipe, seed=seed, scope=scope, speech_dbfs=level, ambience=ambience())


def through(
    recipe: Recipe, seed: int = 7, scope: str = "one", cuts: Sequence[int] = ()
) -> tuple[Pcm, Applied]:
    """The caller's track through a chain in blocks, cut at these samples."""
    one = chain(recipe, seed, scope)
    blocks = zip(np.split(CALLER, cuts), np.split(FAR_END, cuts), strict=True)
    heard = np.concatenate([one.process(caller, far_end) for caller, far_end in blocks])
    return heard, one.applied()


@pytest.mark.parametrize("condition", AcousticCondition)
def test_the_bytes_of_every_machine_in(condition: AcousticCondition) -> None:
    heard, _ = through(PRESETS[condition])
    assert hashlib.sha256(to_bytes(heard)).hexdigest()[:16] == DIGESTS[condition]


def test_clean_is_the_same_samples_in_an_array_of_its_own() -> None:
    heard, applied = through(PRESETS[AcousticCondition.CLEAN])
    assert heard.tolist() == CALLER.tolist()
    assert not np.shares_memory(heard, CALLER)
    assert applied == Applied(LEVEL, None, None, None, (), 0, None)


@pytest.mark.parametrize("recipe", [*PRESETS.values(), EVERYTHING])
def test_what_comes_out_is_as_long_as_what_went_in(recipe: Recipe) -> None:
    one = chain(recipe)
    assert [one.process(CALLER[:size]).size for size in (0, 1, 479, 480, 24_000)] == [
        0,
        1,
        479,
        480,
        24_000,
    ]


@pytest.mark.parametrize("recipe", [*PRESETS.values(), EVERYTHING])
@given(cuts=st.lists(st.integers(0, CALLER.size), max_size=30).map(sorted))
@settings(max_examples=15)
def test_blocks_of_any_size_change_nothing(recipe: Recipe, cuts: list[int]) -> None:
    whole, applied = through(recipe)
    heard, in_blocks = through(recipe, cuts=cuts)
    assert to_bytes(heard) == to_bytes(whole)
    assert in_blocks == applied


@pytest.mark.parametrize("block", [1, 7, 240, FRAME_SAMPLES, 4_800])
def test_even_blocks_change_nothing(block: int) -> None:
    first = min(CALLER.size, 1_000 * block)
    whole = chain(EVERYTHING).process(CALLER[:first])
    one = chain(EVERYTHING)
    blocks = [one.process(CALLER[at : min(at + block, first)]) for at in range(0, first, block)]
    assert to_bytes(np.concatenate(blocks)) == to_bytes(whole)


@pytest.mark.parametrize("recipe", [*PRESETS.values(), EVERYTHING])
def test_the_same_seed_gives_the_same_bytes(recipe: Recipe) -> None:
    assert to_bytes(through(recipe)[0]) == to_bytes(through(recipe)[0])


@pytest.mark.parametrize(
    "condition",
    [
        AcousticCondition.NOISY,
        AcousticCondition.BACKGROUND_SPEECH,
        AcousticCondition.PACKET_LOSS,
        AcousticCondition.REALISTIC,
    ],
)
@pytest.mark.parametrize(
    ("seed", "scope"),
    [
        pytest.param(8, "one", id="another-seed"),
        pytest.param(7, "two", id="another-scenario"),
    ],
)
def test_chance_is_not_shared_with(condition: AcousticCondition, seed: int, scope: str) -> None:
    assert to_bytes(through(PRESETS[condition])[0]) != to_bytes(
        through(PRESETS[condition], seed, scope)[0]
    )


def test_switching_another_effect_on_changes_no_noise() -> None:
    noisy = Recipe(noise=Noise(rms=400))
    lossy = replace(noisy, packet_loss=PacketLoss(0.2, 2))
    alone, (both, applied) = through(noisy)[0], through(lossy)
    assert applied.packets is not None
    kept = [packet for packet in range(20) if packet not in applied.packets.lost]
    for packet in kept:
        span = slice(packet * FRAME_SAMPLES, (packet + 1) * FRAME_SAMPLES)
        assert both[span].tolist() == alone[span].tolist()


@pytest.mark.parametrize("snr_db", [30.0, 20.0, 10.0, 3.5, 0.0, -6.0])
def test_the_snr_asked_for_is_reached_within_0_3_db(snr_db: float) -> None:
    heard, applied = through(Recipe(noise=Noise(snr_db=snr_db)))
    added = heard.astype(np.int64) - CALLER
    assert LEVEL is not None
    reached = LEVEL - 20 * np.log10(np.sqrt(np.mean(added.astype(np.float64) ** 2)) / 32_768)
    assert reached == pytest.approx(snr_db, abs=0.3)
    assert applied.noise is not None
    assert applied.noise.snr_db == pytest.approx(snr_db, abs=0.3)


def test_noise_of_an_rms_says_which_snr_that_was() -> None:
    _, applied = through(Recipe(noise=Noise(rms=1_200)))
    assert applied.noise is not None
    assert applied.noise.rms == pytest.approx(1_200, rel=0.01)
    assert LEVEL is not None
    assert applied.noise.snr_db == pytest.approx(LEVEL + 28.73, abs=0.1)


def test_without_the_level_of_the_speech_no_snr_is_known() -> None:
    one = chain(Recipe(noise=Noise(rms=100)), level=None)
    one.process(CALLER)
    noise = one.applied().noise
    assert noise is not None
    assert noise.snr_db is None


def test_the_order_is_that_of_nature_noise_goes_through_the_telephone() -> None:
    heard, _ = through(Recipe(noise=Noise(rms=2_000), telephony=True))
    spectrum = np.abs(np.fft.rfft(heard[:6_000].astype(np.float64))) ** 2
    above = spectrum[int(4_700 / 4) :].sum() / spectrum.sum()
    assert 10 * np.log10(above) < -25


def test_a_lost_packet_loses_the_noise_with_the_speech() -> None:
    heard, applied = through(PRESETS[AcousticCondition.REALISTIC])
    assert applied.packets is not None
    assert applied.packets.lost
    for packet in applied.packets.lost:
        assert not heard[packet * FRAME_SAMPLES : (packet + 1) * FRAME_SAMPLES].any()


def test_distractors_of_the_realistic_preset_really_occur() -> None:
    one = chain(PRESETS[AcousticCondition.REALISTIC])
    turn = np.concatenate([SPOKEN.pcm, silence(600)])
    one.process(np.resize(turn, 24_000 * 20))
    kinds = [each.kind.value for each in one.applied().distractors]
    assert kinds.count("cough") >= 4
    assert kinds.count("non_directed") >= 3


def test_the_assistant_leaks_into_the_microphone_and_nowhere_without_being_heard() -> None:
    leaking = Recipe(leak=Leak(delay_ms=10, gain=0.5))
    quiet = silence(100)
    assistant = np.full(2_400, 2_000, np.int16)
    heard = chain(leaking).process(quiet, assistant)
    assert heard[:240].tolist() == [0] * 240
    assert heard[240:].tolist() == [1_000] * 2_160
    assert not chain(leaking).process(quiet).any()
    assert not chain(Recipe()).process(quiet, assistant).any()


def test_a_leak_goes_on_after_the_assistant_is_no_longer_given() -> None:
    one = chain(Recipe(leak=Leak(delay_ms=10, gain=0.5)))
    one.process(silence(20), np.full(480, 2_000, np.int16))
    heard = one.process(silence(20))
    assert np.count_nonzero(heard) == 240


def test_a_far_end_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="480 samples of the caller, 240 of the far end"):
        chain(Recipe()).process(silence(20), silence(10))


def test_what_is_too_loud_is_clipped_and_counted() -> None:
    loud = np.full(1_000, 30_000, np.int16)
    one = chain(Recipe(echo=Echo(delay_ms=0, decay=0.5)))
    assert one.process(loud).tolist() == [32_767] * 1_000
    assert one.applied().clipped_samples == 1_000


@pytest.mark.parametrize(
    "sample", [pytest.param(32_767, id="highest"), pytest.param(-32_768, id="lowest")]
)
def test_a_full_scale_sample_is_not_counted_as_clipped(sample: int) -> None:
    one = chain(Recipe())
    one.process(np.full(10, sample, np.int16))
    assert one.applied().clipped_samples == 0


@pytest.mark.parametrize(
    ("recipe", "lack"),
    [
        pytest.param(Recipe(noise=Noise(snr_db=10)), "level of the speech", id="no-speech-level"),
        pytest.param(Recipe(background_speech=BackgroundSpeech(0.1)), "ambience", id="no-voices"),
        pytest.param(Recipe(distractors=Distractors(100)), "ambience", id="no-aside"),
    ],
)
def test_what_lacks_is_named(recipe: Recipe, lack: str) -> None:
    with pytest.raises(ValueError, match=lack):
        Acoustics(recipe, seed=1, scope="one")


def test_the_given_samples_are_left_alone() -> None:
    before, far = CALLER.copy(), FAR_END.copy()
    chain(EVERYTHING).process(CALLER, FAR_END)
    assert CALLER.tolist() == before.tolist()
    assert FAR_END.tolist() == far.tolist()
