"""The playout buffer: when a chunk is heard, which silence gives way, and that no word does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audio.pcm import FRAME_MS, FRAME_SAMPLES, SAMPLES_PER_MS, Pcm, silence
from shared.audio.playout import PAUSE_SAMPLES, PlayedChunk, Playout, PlayoutOverflowError

HOLD_MS = 200


def ms(count: float) -> int:
    return round(count * SAMPLES_PER_MS)


def sound(duration_ms: float, level: int = 1_000) -> Pcm:
    return np.full(ms(duration_ms), level, np.int16)


def said(*parts: Pcm) -> Pcm:
    return np.concatenate([np.zeros(0, np.int16), *parts])


type Arrival = tuple[int, Pcm]
"""The frame before which it is there, in media milliseconds, and the chunk."""


@dataclass
class Heard:
    playout: Playout
    track: Pcm

    def sounds_ms(self) -> list[tuple[float, float]]:
        """Where it sounds, from edge to edge; silence of any length parts."""
        at = np.flatnonzero(self.track)
        groups = np.split(at, np.flatnonzero(np.diff(at) > 1) + 1) if at.size else []
        return [(one[0] / SAMPLES_PER_MS, (one[-1] + 1) / SAMPLES_PER_MS) for one in groups]


def play(arrivals: Sequence[Arrival], *, until_ms: int = 3_000, hold_ms: int = HOLD_MS) -> Heard:
    """Listen from 0; a chunk is put right before the first frame that begins at its arrival."""
    playout, waiting, frames = Playout(hold_ms), list(arrivals), []
    for now_ms in range(0, until_ms, FRAME_MS):
        while waiting and waiting[0][0] <= now_ms:
            arrived_ms, chunk = waiting.pop(0)
            playout.put(chunk, arrived_ms)
        frames.append(playout.take(now_ms))
    return Heard(playout, np.concatenate(frames))


def stream(track: Pcm, *, from_ms: int = 0, chunk_ms: int = 100) -> list[Arrival]:
    """Chunks in real time, each there when its span begins."""
    starts = range(0, track.size, ms(chunk_ms))
    return [(from_ms + at // SAMPLES_PER_MS, track[at : at + ms(chunk_ms)]) for at in starts]


# When a chunk is heard


@pytest.mark.parametrize(
    ("hold_ms", "heard_ms"),
    [
        pytest.param(0, 400, id="at-once-when-nothing-is-held"),
        pytest.param(20, 420, id="a-frame-later"),
        pytest.param(200, 600, id="exactly-the-hold-after-its-arrival"),
        pytest.param(201, 601, id="to-the-millisecond-inside-a-frame"),
    ],
)
def test_the_first_sound_is_heard(hold_ms: int, heard_ms: int) -> None:
    heard = play([(400, sound(100))], hold_ms=hold_ms)
    assert heard.sounds_ms() == [(heard_ms, heard_ms + 100)]
    (chunk,) = heard.playout.chunks
    assert chunk == PlayedChunk(400, ms(heard_ms), ms(100), hold_ms, 0, 0.0, is_stall=False)
    assert heard.playout.report().held_samples == ms(hold_ms)


def test_a_held_chunk_is_not_heard_a_frame_before() -> None:
    playout = Playout(HOLD_MS)
    playout.put(sound(100), 0)
    frames = [playout.take(now_ms) for now_ms in range(0, 220, FRAME_MS)]
    assert [bool(frame.any()) for frame in frames] == [False] * 10 + [True]


def test_a_steady_stream_is_heard_exactly_the_hold_later_whatever_it_says() -> None:
    track = said(silence(430), sound(215), silence(700), sound(90), silence(60), sound(333))
    heard = play(stream(track, from_ms=800))
    start = ms(800 + HOLD_MS)
    assert heard.track[start : start + track.size].tolist() == track.tolist()
    assert not heard.track[:start].any()
    assert {chunk.held_ms for chunk in heard.playout.chunks} == {HOLD_MS}
    report = heard.playout.report()
    assert (report.dropped_samples, report.underflow_in_speech_samples) == (0, 0)


@pytest.mark.parametrize(
    ("zeros_ms", "heard_ms"),
    [
        pytest.param(99, 1_000, id="99-ms-of-zeros-are-inside-speech-and-it-goes-on-at-once"),
        pytest.param(100, 1_200, id="100-ms-are-a-pause-and-it-is-held"),
        pytest.param(101, 1_200, id="as-after-101-ms"),
    ],
)
def test_after_a_dry_buffer(zeros_ms: int, heard_ms: int) -> None:
    heard = play([(0, said(sound(100), silence(zeros_ms))), (1_000, sound(100))])
    assert heard.sounds_ms() == [(200, 300), (heard_ms, heard_ms + 100)]


def test_zeros_of_two_chunks_make_one_pause() -> None:
    arrivals = [(0, said(sound(50), silence(50))), (100, silence(50)), (1_000, sound(100))]
    assert play(arrivals).sounds_ms() == [(200, 250), (1_200, 1_300)]


def test_silence_played_for_want_of_audio_is_no_pause_of_the_stream() -> None:
    heard = play([(0, sound(100)), (1_000, sound(100))])
    assert heard.sounds_ms() == [(200, 300), (1_000, 1_100)]
    report = heard.playout.report()
    assert report.underflow_in_speech_samples == ms(700)
    assert report.underflow_samples == ms(700) + ms(3_000 - 1_100)


def test_a_word_that_was_broken_off_is_not_held_again() -> None:
    """A chunk 400 ms late: half of that is covered by the hold, and the rest is a gap."""
    track = sound(600)
    arrivals = stream(track)
    late = [*arrivals[:2], *((max(at, 600), chunk) for at, chunk in arrivals[2:])]
    heard = play(late)
    assert heard.sounds_ms() == [(200, 400), (600, 1_000)]
    assert heard.playout.report().underflow_in_speech_samples == ms(200)
    assert [chunk.held_ms for chunk in heard.playout.chunks] == [200, 200, 0, 100, 200, 300]


def test_every_gap_in_a_word_is_counted_once() -> None:
    heard = play([(0, sound(100)), (500, sound(100)), (900, sound(100))])
    assert heard.sounds_ms() == [(200, 300), (500, 600), (900, 1_000)]
    assert heard.playout.report().underflow_in_speech_samples == ms(200 + 300)


@pytest.mark.parametrize(
    ("late_ms", "gap_ms"),
    [
        pytest.param(180, 0, id="a-frame-less-than-the-hold"),
        pytest.param(200, 0, id="as-late-as-the-hold"),
        pytest.param(220, 20, id="a-frame-more-leaves-a-gap-of-a-frame"),
    ],
)
def test_a_word_whose_second_chunk_is_late(late_ms: int, gap_ms: int) -> None:
    heard = play([(0, sound(100)), (100 + late_ms, sound(100))])
    expected = [(200, 400)] if not gap_ms else [(200, 300), (300 + gap_ms, 400 + gap_ms)]
    assert heard.sounds_ms() == expected
    assert heard.playout.report().underflow_in_speech_samples == ms(gap_ms)


# Which silence gives way


@pytest.mark.parametrize(
    ("zeros_ms", "played_ms"),
    [
        pytest.param(99, 99, id="99-ms-of-silence-stay"),
        pytest.param(100, 100, id="100-ms-stay"),
        pytest.param(101, 100, id="of-101-ms-one-is-left-out"),
        pytest.param(140, 100, id="no-more-than-is-beyond-100-ms"),
        pytest.param(400, 300, id="no-more-than-is-too-deep"),
    ],
)
def test_between_two_words_in_a_burst(zeros_ms: int, played_ms: int) -> None:
    # What should have come 100 ms after the one before came with it, so it waits 100 ms too long.
    arrivals = [(0, sound(100)), (300, sound(300)), (300, said(silence(zeros_ms), sound(100)))]
    heard = play(arrivals)
    assert heard.sounds_ms() == [(200, 600), (600 + played_ms, 700 + played_ms)]
    assert heard.playout.report().dropped_samples == ms(zeros_ms - played_ms)


@pytest.mark.parametrize(
    ("word_ms", "zeros_ms", "dropped_ms"),
    [
        pytest.param(100, 100, 0, id="of-100-ms-stay"),
        pytest.param(100, 101, 1, id="of-101-ms-lose-one"),
        pytest.param(100, 300, 100, id="of-300-ms-lose-what-is-too-deep"),
        pytest.param(105, 110, 10, id="give-way-from-the-100th-ms-on-wherever-frames-end"),
    ],
)
def test_zeros_inside_a_chunk(word_ms: int, zeros_ms: int, dropped_ms: int) -> None:
    both_words = said(sound(word_ms), silence(zeros_ms), sound(50))
    heard = play([(0, sound(100)), (300, sound(300)), (300, both_words)])
    first_end_ms = 600 + word_ms
    second_ms = first_end_ms + zeros_ms - dropped_ms
    assert heard.sounds_ms() == [(200, first_end_ms), (second_ms, second_ms + 50)]
    assert heard.playout.report().dropped_samples == ms(dropped_ms)


@pytest.mark.parametrize(
    ("deeper_ms", "dropped_ms"),
    [
        pytest.param(-20, 0, id="a-frame-less-than-the-hold-is-not-made-up"),
        pytest.param(0, 0, id="as-deep-as-the-hold-stays"),
        pytest.param(20, 20, id="a-frame-deeper-loses-a-frame"),
        pytest.param(40, 40, id="two-frames-deeper-lose-two"),
    ],
)
def test_a_pause_that_waits(deeper_ms: int, dropped_ms: int) -> None:
    # Played from 200 on, a word of 400 ms ends at 600: the pause behind it came so long before.
    arrived_ms = 600 - HOLD_MS - deeper_ms
    heard = play([(0, sound(400)), (arrived_ms, said(silence(300), sound(100)))])
    start_ms = 600 + 300 - dropped_ms
    assert heard.sounds_ms() == [(200, 600), (start_ms, start_ms + 100)]
    word, pause = heard.playout.chunks
    assert (word.dropped_samples, pause.dropped_samples) == (0, ms(dropped_ms))
    assert (pause.start_sample, pause.samples) == (ms(600), ms(400 - dropped_ms))


def test_a_late_start_is_made_up_for_in_the_next_pause() -> None:
    """The first chunk was 150 ms late, so everything is, until there is silence to leave out."""
    track = said(sound(200), silence(400), sound(200), silence(200))
    arrivals = [(max(150, at), chunk) for at, chunk in stream(track)]
    heard = play(arrivals)
    # 160 ms is the first frame at or after the arrival, and the hold counts from the arrival.
    assert heard.sounds_ms() == [(350, 550), (800, 1_000)]
    assert [chunk.held_ms for chunk in heard.playout.chunks][-4:] == [HOLD_MS] * 4


def test_a_line_that_became_slower_for_good_is_not_hurried() -> None:
    """What once came sooner is gone, and proves nothing about what waits now."""
    track = said(sound(200), silence(1_000), sound(200), silence(200))
    arrivals = [(at if at < 400 else at + 400, chunk) for at, chunk in stream(track)]
    heard = play(arrivals)
    assert heard.sounds_ms() == [(200, 400), (1_800, 2_000)]
    assert heard.playout.report().dropped_samples == 0
    assert {chunk.held_ms for chunk in heard.playout.chunks} == {HOLD_MS}


def test_all_silence_before_the_first_sound_is_elastic() -> None:
    heard = play([(0, silence(300)), (0, said(silence(50), sound(100)))])
    # What comes 300 ms of the stream after the first came with it.
    assert heard.playout.report().dropped_samples == ms(300)
    assert heard.sounds_ms() == [(250, 350)]
    first, second = heard.playout.chunks
    assert (first.samples, first.dropped_samples) == (0, ms(300))
    assert (first.start_sample, first.held_ms) == (ms(200), None)
    assert (second.start_sample, second.held_ms) == (ms(200), HOLD_MS)


def test_zeros_inside_a_word_are_part_of_it() -> None:
    word = sound(100)
    word[5:300] = 0
    heard = play([(0, sound(400)), (0, said(word, silence(300), word))])
    at = np.flatnonzero(heard.track)
    assert heard.track[at[0] :][: ms(500)].tolist() == said(sound(400), word).tolist()


def test_the_end_of_a_word_may_fall_inside_a_frame() -> None:
    first, second = sound(7.5, 3), sound(3, 4)
    track = said(first, silence(111), second)
    heard = play(stream(track, chunk_ms=10))
    assert heard.track[ms(HOLD_MS) :][: track.size].tolist() == track.tolist()


# What is told


@pytest.mark.parametrize(
    ("arrived_ms", "late_ms", "is_stall"),
    [
        pytest.param(100, -200, False, id="in-step-it-came-the-hold-before-its-place"),
        pytest.param(300, 0, False, id="in-the-last-instant"),
        pytest.param(900, 600, False, id="600-ms-late-is-no-stall"),
        pytest.param(920, 620, True, id="a-frame-more-is"),
    ],
)
def test_a_second_chunk_that_comes(arrived_ms: int, late_ms: float, is_stall: bool) -> None:
    chunk = play([(0, sound(100)), (arrived_ms, sound(100))]).playout.chunks[1]
    assert (chunk.late_ms, chunk.is_stall) == (late_ms, is_stall)


def test_a_chunk_is_placed_once_it_is_heard_to_its_end() -> None:
    playout = Playout(0)
    playout.put(sound(40), 0)
    playout.take(0)
    assert list(playout.chunks) == []
    playout.take(20)
    assert [chunk.samples for chunk in playout.chunks] == [ms(40)]


def test_what_is_half_heard_at_the_end_is_placed_as_far_as_it_was() -> None:
    playout = Playout(0)
    for part in (sound(40), sound(40)):
        playout.put(part, 0)
    for now_ms in (0, 20, 40):
        playout.take(now_ms)
    playout.stop()
    assert [chunk.samples for chunk in playout.chunks] == [ms(40), ms(20)]
    assert playout.report().unplayed_sound_samples == ms(20)


def test_what_was_not_heard_at_all_is_nowhere() -> None:
    playout = Playout(HOLD_MS)
    playout.put(sound(40), 0)
    playout.take(0)
    playout.stop()
    assert list(playout.chunks) == []


@pytest.mark.parametrize(
    ("waiting", "holds_speech"),
    [
        pytest.param(silence(100), False, id="silence"),
        pytest.param(said(silence(50), sound(1), silence(49)), True, id="one-sound"),
    ],
)
def test_a_buffer_with(waiting: Pcm, holds_speech: bool) -> None:
    playout = Playout(0)
    playout.put(waiting, 0)
    assert playout.holds_speech is holds_speech
    for now_ms in range(0, 100, FRAME_MS):
        playout.take(now_ms)
    assert not playout.holds_speech
    assert playout.waiting_samples == 0


def test_the_high_water_is_the_most_that_ever_waited() -> None:
    playout = Playout(0)
    playout.put(sound(30), 0)
    playout.take(0)
    playout.put(np.ones(25, np.int16), 20)
    report = playout.report()
    assert (report.high_water_samples, report.high_water_ms) == (ms(30), 30)
    playout.put(sound(20), 20)
    report = playout.report()
    assert (report.high_water_samples, report.high_water_ms) == (ms(30) + 25, 32)


def test_before_the_first_chunk_nothing_has_run_short() -> None:
    assert play([]).playout.report().underflow_samples == 0


# What is refused


@pytest.mark.parametrize(
    ("samples", "refused"),
    [
        pytest.param(ms(70), False, id="as-much-as-may-wait"),
        pytest.param(ms(70) + 1, True, id="a-sample-more"),
    ],
)
def test_a_buffer_takes(samples: int, refused: bool) -> None:
    playout = Playout(0, limit_ms=100)
    playout.put(sound(30), 0)
    before = playout.report()
    if refused:
        with pytest.raises(PlayoutOverflowError, match="at most 100 ms may wait"):
            playout.put(np.ones(samples, np.int16), 0)
        assert playout.report() == before
    else:
        playout.put(np.ones(samples, np.int16), 0)
        assert playout.report() == replace(
            before, high_water_samples=ms(100), unplayed_sound_samples=ms(100)
        )


def test_too_much_is_refused_before_it_is_looked_at() -> None:
    """An array of a terabyte that takes no memory: one zero, seen over and over."""
    endless = np.broadcast_to(np.int16(0), 1 << 39)
    with pytest.raises(PlayoutOverflowError):
        Playout().put(endless, 0)


@pytest.mark.parametrize(
    ("now_ms", "message"),
    [
        pytest.param(40, "20 ms was next", id="a-frame-after-a-hole"),
        pytest.param(0, "20 ms was next", id="a-frame-twice"),
    ],
)
def test_there_is_no(now_ms: int, message: str) -> None:
    playout = Playout()
    playout.take(0)
    with pytest.raises(ValueError, match=message):
        playout.take(now_ms)


def test_a_chunk_does_not_arrive_in_the_past() -> None:
    playout = Playout()
    playout.take(40)
    with pytest.raises(ValueError, match="20 ms lies before 40 ms"):
        playout.put(sound(20), 20)


def test_nothing_can_be_held_for_less_than_no_time() -> None:
    with pytest.raises(ValueError, match="-1 ms"):
        Playout(-1)


# What always holds

PARTS = st.lists(
    st.tuples(st.booleans(), st.integers(1, 400 * SAMPLES_PER_MS)), min_size=1, max_size=6
)
ARRIVING = st.lists(
    st.tuples(st.integers(1, 250 * SAMPLES_PER_MS), st.integers(0, 30)), min_size=1, max_size=25
)


@dataclass
class Told:
    """A stream that came in pieces, and what was heard of it, all of it."""

    stream: Pcm
    heard: Pcm
    pieces: list[Pcm]
    playout: Playout


def tell(
    parts: Sequence[tuple[bool, int]], arriving: Sequence[tuple[int, int]], hold_ms: int
) -> Told:
    """Pieces of any size, any number of frames apart; the rest of the stream comes at the end."""
    levels = enumerate(parts, start=1)
    whole = said(*(np.full(size, loud * number, np.int16) for number, (loud, size) in levels))
    playout, frames, pieces, at, now_ms = Playout(hold_ms), [], [], 0, 0
    for size, frames_later in [*arriving, (whole.size, 0)]:
        for _ in range(frames_later):
            frames.append(playout.take(now_ms))
            now_ms += FRAME_MS
        pieces.append(whole[at : at + size])
        playout.put(pieces[-1], now_ms)
        at += size
    while playout.waiting_samples:
        frames.append(playout.take(now_ms))
        now_ms += FRAME_MS
    return Told(whole, said(*frames), [piece for piece in pieces if piece.size], playout)


HOLDS = st.sampled_from([0, 20, 150, 200, 213])


@given(PARTS, ARRIVING, HOLDS)
def test_every_sound_is_heard_once_and_in_order(
    parts: list[tuple[bool, int]], arriving: list[tuple[int, int]], hold_ms: int
) -> None:
    told = tell(parts, arriving, hold_ms)
    assert told.heard[told.heard != 0].tolist() == told.stream[told.stream != 0].tolist()


@given(PARTS, ARRIVING, HOLDS)
def test_no_pause_loses_its_first_100_ms_and_no_shorter_silence_anything(
    parts: list[tuple[bool, int]], arriving: list[tuple[int, int]], hold_ms: int
) -> None:
    told = tell(parts, arriving, hold_ms)
    # What sounds may have been parted by a gap, so silences are found by the sounds beside them.
    heard, spoken = (np.flatnonzero(track) for track in (told.heard, told.stream))
    between_heard, between_spoken = (np.diff(at) - 1 for at in (heard, spoken))
    assert (between_heard >= np.minimum(between_spoken, PAUSE_SAMPLES)).all()


@given(PARTS, ARRIVING, HOLDS)
def test_each_sample_is_accounted_for(
    parts: list[tuple[bool, int]], arriving: list[tuple[int, int]], hold_ms: int
) -> None:
    told = tell(parts, arriving, hold_ms)
    report = told.playout.report()
    assert told.heard.size % FRAME_SAMPLES == 0
    played = sum(chunk.samples for chunk in told.playout.chunks)
    assert played == told.stream.size - report.dropped_samples
    lead = told.heard.size - played - report.held_samples - report.underflow_samples
    # What is left over was listened to before there was anything.
    assert lead >= 0
    assert not told.heard[:lead].any()


@given(PARTS, ARRIVING, HOLDS)
def test_each_chunk_lies_where_it_says(
    parts: list[tuple[bool, int]], arriving: list[tuple[int, int]], hold_ms: int
) -> None:
    told = tell(parts, arriving, hold_ms)
    assert len(told.playout.chunks) == len(told.pieces)
    end = 0
    for chunk, piece in zip(told.playout.chunks, told.pieces, strict=True):
        assert chunk.samples + chunk.dropped_samples == piece.size
        there = told.heard[chunk.start_sample :][: chunk.samples]
        assert there[there != 0].tolist() == piece[piece != 0].tolist()
        if not chunk.dropped_samples:
            assert there.tolist() == piece.tolist()
        if chunk.samples:
            assert chunk.start_sample >= max(end, ms(chunk.arrived_ms))
            end = chunk.start_sample + chunk.samples


@given(PARTS)
def test_without_a_hold_and_with_audio_in_time_nothing_is_changed(
    parts: list[tuple[bool, int]],
) -> None:
    """Chunks of 20 ms, each there when its turn comes."""
    whole = said(*(np.full(size, loud * 5, np.int16) for loud, size in parts))
    heard = play(stream(whole, chunk_ms=20), until_ms=2_600, hold_ms=0)
    assert heard.track[: whole.size].tolist() == whole.tolist()
