from __future__ import annotations

import numpy as np

from shared.audio.pcm import FRAME_SAMPLES, to_bytes
from shared.audio.tracks import RecordedTracks


def frame(level: int) -> bytes:
    return to_bytes(np.full(FRAME_SAMPLES, level, np.int16))


def test_the_tracks_are_their_frames_in_order() -> None:
    tracks = RecordedTracks()
    tracks.add(frame(1), frame(2), frame(3))
    tracks.add(frame(-4), frame(5), frame(6))
    for track, levels in (
        (tracks.caller, [1, -4]),
        (tracks.sent, [2, 5]),
        (tracks.assistant, [3, 6]),
    ):
        assert track.dtype == np.int16
        assert track.tolist() == np.repeat(levels, FRAME_SAMPLES).tolist()
    assert tracks.extent_ms == 40


def test_before_the_first_frame_there_is_nothing() -> None:
    tracks = RecordedTracks()
    assert tracks.extent_ms == 0
    assert [track.size for track in (tracks.caller, tracks.sent, tracks.assistant)] == [0, 0, 0]
