"""What is known of a party whose captions run ahead of its voice."""

from __future__ import annotations

import pytest

from run_harness.simulation.watch import PENDING_CAPTION_MS, ConversationWatch
from shared.audio.pcm import FRAME_BYTES
from shared.clock import Stamp
from shared.observability.observations import Caption, Speaker

FRAME_MS = 20
HOLD_MS = 200
SILENCE = bytes(FRAME_BYTES)
SOUND = b"\x00\x20\x00\xe0" * (FRAME_BYTES // 4)


def watched(*heard: tuple[int, int], until_ms: int, caption: tuple[int, int]) -> ConversationWatch:
    """The caller is heard in these spans and has one caption; the assistant is silent."""
    watch = ConversationWatch({}, quiet_ms=600, hold_ms=dict.fromkeys(Speaker, HOLD_MS))
    words = Caption(Stamp(0, 0), Speaker.ASSISTANT, "Goodbye.", *caption)
    watch.observe(Speaker.CALLER, [words])
    for at_ms in range(0, until_ms, FRAME_MS):
        is_heard = any(start_ms <= at_ms < end_ms for start_ms, end_ms in heard)
        watch.frame(SOUND if is_heard else SILENCE, SILENCE)
    return watch


def test_words_are_known_up_to_where_their_voice_is_heard() -> None:
    watch = watched((200, 600), until_ms=1_000, caption=(0, 400))
    caller = watch.party(Speaker.CALLER, has_buffered_speech=False)
    assert (caller.last_speech_ms, caller.captioned_ms) == (600, 400 + HOLD_MS)


@pytest.mark.parametrize(
    ("heard", "until_ms", "is_pending"),
    [
        pytest.param((), 1_000, True, id="while-nothing-has-been-heard"),
        pytest.param(((200, 600),), 700, True, id="while-only-what-came-before-has-been-heard"),
        pytest.param(((200, 620),), 700, False, id="no-more-once-its-first-sound-was-heard"),
        pytest.param((), 600 + PENDING_CAPTION_MS - FRAME_MS, True, id="for-as-long-as-it-may"),
        pytest.param((), 600 + PENDING_CAPTION_MS, False, id="no-more-when-no-voice-can-come"),
    ],
)
def test_a_caption_waits_for_its_voice(
    heard: tuple[tuple[int, int], ...], until_ms: int, *, is_pending: bool
) -> None:
    watch = watched(*heard, until_ms=until_ms, caption=(400, 600))
    caller = watch.party(Speaker.CALLER, has_buffered_speech=False)
    assert caller.has_pending_caption is is_pending
