from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audio.pcm import SAMPLES_PER_MS, Pcm, silence
from shared.audio.placement import PAUSE_SAMPLES, Placed, Placement

PIECE_MS = 100
START_MS = 5_000


def ms(count: float) -> int:
    return round(count * SAMPLES_PER_MS)


def sound(duration_ms: float, level: int = 1_000) -> Pcm:
    return np.full(ms(duration_ms), level, np.int16)


def said(*parts: Pcm) -> Pcm:
    return np.concatenate(parts)


def pieces(stream: Pcm, samples: int = ms(PIECE_MS)) -> list[Pcm]:
    return [stream[start : start + samples] for start in range(0, stream.size, samples)]


def arriving(chunks: Sequence[Pcm], delays_ms: Iterable[float]) -> list[tuple[Pcm, int]]:
    """Each chunk with its arrival: sent in real time from 5 s on, late by so much, never reordered.

    Delays run out into punctuality.
    """
    sent = [0, *accumulate(chunk.size for chunk in chunks)]
    delays = [*delays_ms, *([0] * len(chunks))]
    late = (ms(START_MS) + start + ms(delay) for start, delay in zip(sent, delays, strict=False))
    return list(zip(chunks, accumulate(late, max), strict=False))


def played(arrivals: Iterable[tuple[Pcm, int]]) -> tuple[Placement, list[Placed]]:
    placement = Placement()
    return placement, [placement.place(chunk, arrival) for chunk, arrival in arrivals]


def starts_ms(placed: Iterable[Placed]) -> list[float]:
    return [each.start_sample / SAMPLES_PER_MS - START_MS for each in placed]


def words(track: Pcm) -> list[list[int]]:
    """What sounds between pauses of 20 ms or more."""
    at = np.flatnonzero(track)
    ends = np.flatnonzero(np.diff(at) > PAUSE_SAMPLES)
    groups = np.split(at, ends + 1) if at.size else []
    return [track[group[0] : group[-1] + 1].tolist() for group in groups]


def numbered_words(durations_ms: Iterable[tuple[int, int]]) -> Pcm:
    """Words and the pauses after them, each word at a level of its own."""
    return said(
        *(
            part
            for number, (word_ms, pause_ms) in enumerate(durations_ms, start=1)
            for part in (sound(word_ms, number), silence(pause_ms))
        )
    )


def test_the_first_arrival_is_where_the_stream_begins() -> None:
    placement = Placement()
    assert placement.place(sound(10), 77) == Placed(77, 240, 0.0, is_stall=False)
    assert placement.track().tolist() == [0] * 77 + [1_000] * 240


def test_no_chunks_make_an_empty_track() -> None:
    assert Placement().track().size == 0


@pytest.mark.parametrize(
    ("delays_ms", "expected"),
    [
        pytest.param([0, 0, 0], [0, 100, 200], id="punctual-chunks-follow-one-another"),
        pytest.param([0, 30, 10, 80], [0, 100, 200, 300], id="jitter-moves-nothing"),
        pytest.param([0, 250, 150, 50], [0, 100, 200, 300], id="a-250-ms-gap-and-a-burst-of-three"),
        pytest.param([0, 570, 470, 370], [0, 100, 200, 300], id="a-570-ms-gap-and-a-burst"),
        pytest.param([0, 600], [0, 100], id="600-ms-late-is-no-stall"),
        pytest.param([0, 601], [0, 701], id="601-ms-late-is-a-stall"),
        pytest.param([0, 0, 2_000], [0, 100, 2_200], id="a-long-stall"),
    ],
)
@pytest.mark.parametrize(
    "stream", [pytest.param(silence(400), id="silence"), pytest.param(sound(400), id="speech")]
)
def test_chunks_arriving(stream: Pcm, delays_ms: list[float], expected: list[float]) -> None:
    _, placed = played(arriving(pieces(stream), delays_ms)[: len(expected)])
    assert starts_ms(placed) == expected


@pytest.mark.parametrize(
    ("beyond", "is_stall"),
    [
        pytest.param(0, False, id="exactly-600-ms"),
        pytest.param(1, True, id="one-sample-more"),
    ],
)
def test_a_stall_begins_after(beyond: int, *, is_stall: bool) -> None:
    placement = Placement()
    placement.place(sound(10), 0)
    placed = placement.place(sound(10), 240 + ms(600) + beyond)
    assert placed.is_stall is is_stall
    assert placed.late_ms == pytest.approx(600 + beyond / 24)
    assert placed.start_sample == (240 + ms(600) + 1 if is_stall else 240)


def test_time_without_chunks_is_silence() -> None:
    placement, _ = played(arriving(pieces(sound(300)), [0, 900, 900]))
    heard = placement.track()[ms(START_MS) :]
    assert not heard[ms(100) : ms(1_000)].any()
    assert heard[ms(1_000) :].all()
    assert heard.size == ms(1_200)


def test_lateness_is_told_from_the_place_before_any_move() -> None:
    _, placed = played(arriving(pieces(silence(500)), [50, 0, 20, 700, 650]))
    assert [each.late_ms for each in placed] == [0.0, -50.0, 20.0, 700.0, -50.0]


def test_in_silence_an_early_chunk_moves_the_anchor_at_once() -> None:
    _, placed = played(arriving(pieces(silence(400)), [200, 120, 120, 20]))
    assert starts_ms(placed) == [200, 220, 320, 320]


def test_in_speech_an_early_chunk_waits_for_a_pause() -> None:
    stream = said(sound(250), silence(200), sound(100))
    placement, placed = played(arriving(pieces(stream), [80]))
    # Its word ends at 330 and 20 ms of the pause stay; the chunk after that is punctual again.
    assert starts_ms(placed) == [80, 180, 280, 350, 400, 500]
    heard = placement.track()[ms(START_MS) :]
    assert [len(word) for word in words(heard)] == [ms(250), ms(100)]


def test_a_late_first_word_is_put_right_in_the_pause_after_it() -> None:
    stream = said(sound(100), silence(300), sound(100))
    placement, _ = played(arriving(pieces(stream), [150]))
    sounding = np.flatnonzero(placement.track()[ms(START_MS) :])
    assert sounding[0] == ms(150)
    assert sounding[ms(100)] == ms(400)


def test_two_words_never_become_one() -> None:
    stream = said(sound(140), silence(60), sound(100), silence(100))
    placement, placed = played(arriving(pieces(stream), [300]))
    assert starts_ms(placed)[2] == 300 + 140 + 20
    assert [len(word) for word in words(placement.track())] == [ms(140), ms(100)]


@pytest.mark.parametrize(
    ("pause_samples", "expected"),
    [
        pytest.param(PAUSE_SAMPLES, [150, 250], id="20-ms-of-zeros-all-stay"),
        pytest.param(PAUSE_SAMPLES + 24, [150, 249], id="one-ms-more-gives-one-ms"),
        pytest.param(1, [150, 250], id="a-zero-crossing-is-no-silence"),
    ],
)
def test_an_early_chunk_after(pause_samples: int, expected: list[float]) -> None:
    first = sound(PIECE_MS)
    first[-pause_samples:] = 0
    _, placed = played(arriving([first, sound(PIECE_MS)], [150]))
    assert starts_ms(placed) == expected


@pytest.mark.parametrize(
    ("delays_ms", "moved_ms"),
    [
        pytest.param([0] + [30] * 9, 0, id="nine-late-chunks-are-not-a-second"),
        pytest.param([0] + [30] * 11, 30, id="a-whole-second-late"),
        pytest.param([0] + [30] * 10 + [90] * 5, 30, id="by-the-least-lateness-only"),
        pytest.param([0] + [30] * 7 + [0] + [30] * 7, 0, id="one-punctual-chunk-in-the-second"),
        pytest.param([0] + [30] * 7 + [4] + [30] * 7, 4, id="one-chunk-hardly-late"),
        pytest.param([0] + [30] * 11 + [0], 0, id="a-punctual-chunk-takes-it-back"),
    ],
)
def test_in_silence_late_chunks_move_the_anchor(delays_ms: list[float], moved_ms: float) -> None:
    stream = silence(PIECE_MS * len(delays_ms))
    _, placed = played(arriving(pieces(stream), delays_ms))
    assert starts_ms(placed)[-1] == PIECE_MS * (len(delays_ms) - 1) + moved_ms


def test_in_speech_late_chunks_wait_for_a_pause() -> None:
    stream = said(sound(1_950), silence(200), sound(150))
    placement, placed = played(arriving(pieces(stream), [0] + [30] * 30))
    assert starts_ms(placed)[19:21] == [1_900, 2_030]
    assert [len(word) for word in words(placement.track())] == [ms(1_950), ms(150)]


@pytest.mark.parametrize(
    ("before", "after", "moved_ms"),
    [
        pytest.param(PAUSE_SAMPLES, 0, 30, id="20-ms-before-it"),
        pytest.param(0, PAUSE_SAMPLES, 30, id="20-ms-after-it"),
        pytest.param(PAUSE_SAMPLES - 100, 100, 30, id="20-ms-around-it"),
        pytest.param(PAUSE_SAMPLES - 100, 99, 0, id="one-sample-less-is-no-pause"),
        pytest.param(1, 1, 0, id="a-zero-crossing-is-no-pause"),
    ],
)
def test_late_chunks_move_at_a_boundary_with_zeros(before: int, after: int, moved_ms: int) -> None:
    stream = sound(1_400)
    stream[ms(1_300) - before : ms(1_300) + after] = 0
    _, placed = played(arriving(pieces(stream), [0] + [30] * 13))
    assert starts_ms(placed)[-2:] == [1_200, 1_300 + moved_ms]


def test_one_late_chunk_of_more_than_a_second_is_not_every_chunk_of_one() -> None:
    _, placed = played(arriving(pieces(silence(4_800), ms(1_200)), [0, 50, 50]))
    assert starts_ms(placed) == [0, 1_200, 2_450, 3_600]


def test_before_any_sound_the_anchor_is_free_from_the_first_sample_on() -> None:
    placement = Placement()
    placement.place(silence(1), 200)
    assert placement.place(silence(1), 200).start_sample == 200


def test_after_a_stall_a_burst_of_silence_catches_up() -> None:
    _, placed = played(arriving(pieces(silence(1_000)), [0, 700, 600, 500, 400, 300, 200, 100, 0]))
    assert starts_ms(placed) == [0, *[800] * 8, 900]
    assert [each.is_stall for each in placed] == [False, True] + [False] * 8


def test_after_a_stall_a_burst_of_speech_keeps_its_order_and_length() -> None:
    stream = said(sound(800), silence(900), sound(100))
    placement, placed = played(arriving(pieces(stream), [0, 700, 600, 500, 400, 300, 200, 100, 0]))
    assert starts_ms(placed)[:9] == [0, *range(800, 1_500, 100), 1_500]
    assert [len(word) for word in words(placement.track())] == [ms(100), ms(700), ms(100)]
    assert starts_ms(placed)[-1] == 1_700


@pytest.mark.parametrize("drift_permille", [-2, 2])
def test_a_drifting_clock_is_followed_from_pause_to_pause(drift_permille: int) -> None:
    stream = numbered_words([(1_310, 470)] * 40)
    chunks = pieces(stream)
    delays = [200 + PIECE_MS * number * drift_permille / 1_000 for number in range(len(chunks))]
    placement, placed = played(arriving(chunks, delays))
    assert max(abs(each.late_ms) for each in placed) < 10
    assert abs(starts_ms(placed)[-1] - (PIECE_MS * (len(chunks) - 1) + delays[-1])) < 10
    assert words(placement.track()) == words(stream)


def test_an_arrival_before_the_last_one_is_refused() -> None:
    placement = Placement()
    placement.place(silence(10), 100)
    with pytest.raises(ValueError, match="arrival 99 lies before 100"):
        placement.place(silence(10), 99)


word_lists = st.lists(st.tuples(st.integers(1, 700), st.integers(40, 900)), min_size=1, max_size=12)
delay_lists = st.lists(st.integers(0, 590), max_size=60)


@given(word_lists, st.lists(st.integers(0, 4_000), max_size=30), st.integers(0, 1_000))
def test_any_cutting_of_a_punctual_stream_gives_the_same_track(
    spoken: list[tuple[int, int]], cuts: list[int], begin: int
) -> None:
    stream = numbered_words(spoken)
    bounds = sorted({0, stream.size, *(cut * 7 % (stream.size + 1) for cut in cuts)})
    placement = Placement()
    for start, end in pairwise(bounds):
        placement.place(stream[start:end], begin + start)
    assert np.array_equal(placement.track(), np.concatenate([np.zeros(begin, np.int16), stream]))


@given(word_lists, st.integers(1, 6_000), delay_lists)
def test_jitter_below_a_stall_never_cuts_gaps_or_joins_a_word(
    spoken: list[tuple[int, int]], samples: int, delays_ms: list[int]
) -> None:
    stream = numbered_words(spoken)
    placement, placed = played(arriving(pieces(stream, max(samples, stream.size // 60)), delays_ms))
    assert not any(each.is_stall for each in placed)
    assert words(placement.track()) == words(stream)


@given(word_lists, st.integers(1, 6_000), st.lists(st.integers(0, 3_000), max_size=60))
def test_stalls_lose_no_sound(
    spoken: list[tuple[int, int]], samples: int, delays_ms: list[int]
) -> None:
    stream = numbered_words(spoken)
    placement, _ = played(arriving(pieces(stream, max(samples, stream.size // 60)), delays_ms))
    track = placement.track()
    assert np.array_equal(track[track != 0], stream[stream != 0])


@given(st.lists(st.integers(0, 590), min_size=40, max_size=80))
def test_in_silence_no_chunk_lies_after_its_arrival_or_before_the_earliest_of_a_second(
    delays_ms: list[int],
) -> None:
    chunks = pieces(silence(PIECE_MS * len(delays_ms)))
    arrivals = arriving(chunks, delays_ms)
    _, placed = played(arrivals)
    origins = [arrival - ms(PIECE_MS) * number for number, (_, arrival) in enumerate(arrivals)]
    for number, each in enumerate(placed):
        assert each.start_sample - ms(PIECE_MS) * number <= origins[number]
        assert each.start_sample - ms(PIECE_MS) * number >= min(origins[: number + 1])
