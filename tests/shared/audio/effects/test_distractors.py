from __future__ import annotations

import numpy as np
import pytest

from shared.audio.effects.distractors import (
    ASIDE_GAIN,
    COUGH_SAMPLES,
    QUIET_MS,
    DistractingCaller,
    DistractorEvent,
    DistractorKind,
)
from shared.audio.effects.draws import Draws
from shared.audio.effects.recipe import Distractors
from shared.audio.pcm import SAMPLES_PER_MS, Pcm, silence

COUGH, ASIDE = DistractorKind.COUGH, DistractorKind.NON_DIRECTED
REMARK = np.full(300 * SAMPLES_PER_MS, 1_000, np.int16)
COUGH_MS = COUGH_SAMPLES // SAMPLES_PER_MS


def speech(duration_ms: int) -> Pcm:
    return np.resize(np.array([3_000, -3_000], np.int16), duration_ms * SAMPLES_PER_MS)


def caller(*pieces: Pcm) -> Pcm:
    return np.concatenate(pieces)


def distracting(cough_ms: int | None, aside_ms: int | None, seed: int = 7) -> DistractingCaller:
    draws = Draws(seed, "distractors", "one")
    return DistractingCaller(Distractors(cough_ms, aside_ms), REMARK, draws)


def event(kind: DistractorKind, due_ms: int, start_ms: int, end_ms: int) -> DistractorEvent:
    return DistractorEvent(kind, due_ms, start_ms, end_ms)


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        pytest.param(
            caller(silence(1_500)),
            [event(COUGH, 1_000, 1_000, 1_000 + COUGH_MS)],
            id="in-silence-it-comes-when-due",
        ),
        pytest.param(
            caller(speech(1_300), silence(700)),
            [event(COUGH, 1_000, 1_500, 1_500 + COUGH_MS)],
            id="one-that-falls-into-speech-waits-for-the-next-silence",
        ),
        pytest.param(
            caller(speech(1_300), silence(QUIET_MS - 10), speech(100), silence(390)),
            [event(COUGH, 1_000, 1_790, 1_790 + COUGH_MS)],
            id="a-gap-between-words-is-no-silence",
        ),
        pytest.param(
            caller(speech(800), silence(200), speech(500), silence(500)),
            [event(COUGH, 1_000, 1_000, 1_010)],
            id="it-stops-one-hop-into-speech",
        ),
        pytest.param(
            caller(speech(2_500), silence(600)),
            [event(COUGH, 1_000, 2_700, 2_700 + COUGH_MS), event(COUGH, 3_000, 3_000, 3_100)],
            id="what-came-due-while-it-waited-is-let-go-and-the-end-may-cut-one-short",
        ),
        pytest.param(caller(speech(1_900)), [], id="without-a-silence-there-is-none"),
        pytest.param(caller(silence(1_000)), [], id="the-one-due-at-the-end-is-not-heard"),
    ],
)
def test_a_cough_due_every_second(heard: Pcm, expected: list[DistractorEvent]) -> None:
    one = distracting(1_000, None)
    one.following(heard)
    assert list(one.events) == expected


@pytest.mark.parametrize("block", [1, 60, 100, 240, 250])
def test_a_hop_is_heard_whole_however_it_is_cut(block: int) -> None:
    """Every hop is loud in its first quarter alone, so half of one would be taken for silence."""
    hop = np.zeros(240, np.int16)
    hop[:60] = 230
    heard = np.tile(hop, 80)
    one = distracting(100, None)
    beside = [one.following(heard[at : at + block]) for at in range(0, heard.size, block)]
    assert not np.concatenate(beside).any()
    assert one.events == ()
    assert distracting(100, None).following((heard * 0.8).astype(np.int16)).any()


def test_events_are_exactly_where_it_sounds() -> None:
    one = distracting(700, 1_100)
    beside = one.following(caller(speech(900), silence(2_000)))
    told = np.zeros(beside.size, bool)
    for each in one.events:
        told[each.start_ms * SAMPLES_PER_MS : each.end_ms * SAMPLES_PER_MS] = True
    assert one.events
    assert not beside[~told].any()
    assert np.count_nonzero(beside[told]) > 0.9 * np.count_nonzero(told)


def test_two_are_never_heard_at_once_and_the_longer_due_one_goes_first() -> None:
    one = distracting(500, 400)
    one.following(caller(speech(600), silence(900)))
    first, second, *_ = one.events
    assert (first.kind, first.due_ms, first.start_ms) == (ASIDE, 400, 800)
    assert (second.kind, second.due_ms) == (COUGH, 500)
    assert second.start_ms == first.end_ms


def test_an_aside_is_the_remark_softer() -> None:
    one = distracting(None, 1_000)
    beside = one.following(silence(1_400))
    assert beside[24_000 : 24_000 + REMARK.size].tolist() == (REMARK * ASIDE_GAIN).tolist()


def test_no_two_coughs_are_the_same_nor_those_of_another_seed() -> None:
    beside = distracting(500, None).following(silence(1_400))
    first, second = (beside[at : at + COUGH_SAMPLES] for at in (12_000, 24_000))
    other = distracting(500, None, seed=8).following(silence(1_400))[12_000:][:COUGH_SAMPLES]
    for one, another in [(first, second), (first, other)]:
        assert 0 < np.abs(one).max() < 8_000
        assert abs(np.corrcoef(one, another)[0, 1]) < 0.1


def test_the_callers_own_samples_decide_and_noise_below_speech_is_silence() -> None:
    soft = np.resize(np.array([100, -100], np.int16), 24_000)
    one, other = distracting(500, None), distracting(500, None)
    one.following(soft)
    other.following((soft * 1.1).astype(np.int16))
    assert (len(one.events), len(other.events)) == (1, 0)
