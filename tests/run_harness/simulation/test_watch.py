"""What is known of a party whose captions run ahead of its voice."""

from __future__ import annotations

import pytest

from run_harness.simulation.watch import LONGEST_LEAD_MS, PENDING_CAPTION_MS, ConversationWatch
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


@pytest.mark.parametrize(
    ("caption", "captioned_ms", "is_pending"),
    [
        pytest.param(
            (LONGEST_LEAD_MS, LONGEST_LEAD_MS), LONGEST_LEAD_MS + HOLD_MS, True, id="but-it-can-be"
        ),
        pytest.param((0, LONGEST_LEAD_MS + 1), HOLD_MS, False, id="ends-too-far-ahead"),
        pytest.param((LONGEST_LEAD_MS + 1, 0), HOLD_MS, False, id="begins-too-far-ahead"),
        pytest.param((10**400, 10**400), HOLD_MS, False, id="beyond-any-clock"),
    ],
)
def test_a_caption_that_cannot_lie_where_it_says_lies_where_it_came(
    caption: tuple[int, int], captioned_ms: int, *, is_pending: bool
) -> None:
    """Else one message of a confused service would keep a conversation from ending for ever."""
    until_ms = HOLD_MS + PENDING_CAPTION_MS
    caller = watched(until_ms=until_ms, caption=caption).party(
        Speaker.CALLER, has_buffered_speech=False
    )
    assert (caller.captioned_ms, caller.has_pending_caption) == (captioned_ms, is_pending)


@pytest.mark.parametrize(
    ("heard", "caption", "since_ms"),
    [
        pytest.param((), (0, 0), None, id="nothing-was-heard"),
        pytest.param(((200, 600),), (0, 300), None, id="words-reach-its-end-but-for-the-slack"),
        pytest.param(((200, 600),), (0, 299), 599, id="words-stop-one-short-of-that"),
        pytest.param(((200, 600), (700, 900)), (0, 300), 700, id="a-later-sound-has-none"),
        pytest.param(((200, 600), (700, 900)), (0, 350), 700, id="though-words-reach-the-pause"),
    ],
)
def test_what_was_heard_is_wordless_from_where_words_stop(
    heard: tuple[tuple[int, int], ...], caption: tuple[int, int], since_ms: int | None
) -> None:
    watch = watched(*heard, until_ms=1_000, caption=caption)
    assert watch.wordless_since_ms(Speaker.CALLER, slack_ms=100) == since_ms


def test_all_is_wordless_where_no_words_came() -> None:
    watch = ConversationWatch({}, quiet_ms=600, hold_ms=dict.fromkeys(Speaker, HOLD_MS))
    watch.frame(SILENCE, SILENCE)
    watch.frame(SOUND, SILENCE)
    assert watch.wordless_since_ms(Speaker.CALLER, slack_ms=100) == FRAME_MS
