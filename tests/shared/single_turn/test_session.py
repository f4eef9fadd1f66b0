"""One request played to an assistant scripted in memory: what is sent, kept and concluded."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from shared.audio.pcm import FRAME_BYTES, Pcm, silence, to_bytes
from shared.clock import Clock
from shared.errors import AttemptError, Stage
from shared.observability.evidence import DetectorId, Ending, Failure, MeasuredOn, Track
from shared.observability.observations import (
    AudioReceived,
    DelegationBegan,
    Observation,
    ResponseEnded,
    ResponseStatus,
    SessionClosed,
    SessionOpened,
    UsageReported,
)
from shared.participant import AudioArrived
from shared.single_turn.session import Capture, RecordedVoice, SpokenRequest, converse
from tests.support.builders import at, spans
from tests.support.rooms import in_virtual_time

TIMEOUT_MS = 5_000
LOST = AttemptError(Stage.RESPONSE_COLLECTION, "lost")
OPENED = SessionOpened(at(0), "live_1", "gpt-live-1")


def loud(duration_ms: int) -> Pcm:
    """Sound that any detector hears: full swings at half the sample rate."""
    samples = np.full(duration_ms * 24, 8_000, np.int16)
    samples[::2] = -8_000
    return samples


def a_request(voiced_ms: int = 1_000, trailing_ms: int = 200) -> SpokenRequest:
    pcm = np.concatenate([loud(voiced_ms), silence(trailing_ms)])
    detector = DetectorId("energy", "1", {})
    track = Track(spans((0, voiced_ms)), pcm.size, detector, MeasuredOn.CLEAN_SOURCE)
    return SpokenRequest(pcm, track, "A table, please.", "synthesized")


def piece(pcm: Pcm) -> Callable[[int], Observation]:
    return lambda now_ms: AudioArrived(at(now_ms), to_bytes(pcm))


QUIET, SPEECH = piece(silence(100)), piece(loud(100))

type Script = dict[int, list[Callable[[int], Observation]]]
"""What is shown once so many milliseconds were heard."""


def talk(start_ms: int, *speech: tuple[int, int], until_ms: int = 20_000) -> Script:
    """A piece of audio every 100 ms, sounding within the spans given."""
    return {
        now_ms: [SPEECH if any(a <= now_ms < b for a, b in speech) else QUIET]
        for now_ms in range(start_ms, until_ms, 100)
    }


@dataclass
class Assistant:
    """Hears frames and shows what its script says."""

    script: Script = field(default_factory=dict)
    refuses: bool = False
    lost_at_ms: int | None = None
    breaks_at_ms: int | None = None
    last_words: Sequence[Observation] = ()
    heard: list[bytes] = field(default_factory=list)
    closed: int = 0
    failure: AttemptError | None = None
    shown: list[Observation] = field(default_factory=list)

    async def connect(self) -> None:
        if self.refuses:
            self.shown = [UsageReported(at(0), 0)]
            raise AttemptError(Stage.SESSION_START, "forbidden: not you")
        self.shown = [OPENED]

    async def hear(self, frame: bytes) -> None:
        self.heard.append(frame)
        now_ms = len(self.heard) * 20
        self.shown += [show(now_ms) for show in self.script.get(now_ms, [])]
        if now_ms == self.breaks_at_ms:
            raise RuntimeError("a fault of ours")
        if now_ms == self.lost_at_ms:
            self.failure = LOST

    def observed(self) -> Sequence[Observation]:
        shown, self.shown = self.shown, []
        return shown

    async def close(self) -> None:
        self.closed += 1
        self.shown += self.last_words


def play(
    assistant: Assistant, request: SpokenRequest | None = None, *, timeout_ms: int = TIMEOUT_MS
) -> Capture:
    async def story(clock: Clock) -> Capture:
        return await converse(request or a_request(), assistant, clock, timeout_ms=timeout_ms)

    return in_virtual_time(story)


# What the assistant hears


def test_the_request_is_heard_sample_for_sample_and_then_silence() -> None:
    request = a_request(voiced_ms=1_010)
    assistant = Assistant(talk(800, (1_500, 2_000)))
    play(assistant, request)
    whole = b"".join(assistant.heard)
    spoken = to_bytes(request.pcm)
    assert whole.startswith(spoken)
    assert set(whole[len(spoken) :]) == {0}
    assert {len(frame) for frame in assistant.heard} == {FRAME_BYTES}


def test_a_recording_never_runs_out_of_frames() -> None:
    voice = RecordedVoice(np.arange(1, 482, dtype=np.int16))
    assert voice.speak() == to_bytes(np.arange(1, 481, dtype=np.int16))
    assert voice.speak() == to_bytes(np.array([481] + [0] * 479, np.int16))
    assert [voice.speak() for _ in range(3)] == [bytes(FRAME_BYTES)] * 3


@pytest.mark.parametrize(
    ("request_", "end_ms"),
    [
        pytest.param(a_request(1_000, 200), 1_000, id="with-its-last-voiced-instant"),
        pytest.param(
            replace(a_request(1_000, 200), track=replace(a_request().track, voiced=spans())),
            1_200,
            id="with-its-audio-when-nothing-in-it-is-voiced",
        ),
    ],
)
def test_a_request_ends(request_: SpokenRequest, end_ms: int) -> None:
    assert request_.end_ms == end_ms


# How it ends

STOPPED = "the assistant's audio stopped before the answer was whole"


def test_an_answer_is_heard_out() -> None:
    assistant = Assistant(talk(800, (1_500, 2_000)))
    capture = play(assistant)
    # The last sounding piece arrived at 1900 ms and was laid where its stream says.
    assert (capture.ending, capture.failure) == (Ending.ANSWER_SETTLED, None)
    assert capture.extent_ms == 3_500
    assert len(assistant.heard) * 20 == capture.extent_ms
    assert assistant.closed == 1


def test_audio_that_flows_without_a_word_times_out() -> None:
    capture = play(Assistant(talk(800)))
    assert (capture.ending, capture.failure) == (Ending.RESPONSE_TIMEOUT, None)
    assert capture.extent_ms == 1_000 + TIMEOUT_MS


@pytest.mark.parametrize(
    ("last_ms", "failure"),
    [
        pytest.param(None, "no audio came for 5 s", id="never-came"),
        pytest.param(1_000, "no audio came for 5 s", id="ended-with-the-request"),
        pytest.param(1_020, STOPPED, id="outlasted-it-by-one-frame"),
        pytest.param(4_320, STOPPED, id="stopped-before-the-last-third-of-the-timeout"),
        pytest.param(4_340, None, id="flowed-into-the-last-third"),
    ],
)
def test_audio_that(last_ms: int | None, failure: str | None) -> None:
    capture = play(Assistant({} if last_ms is None else {last_ms: [QUIET]}))
    assert capture.ending is (Ending.FAILED if failure else Ending.RESPONSE_TIMEOUT)
    assert capture.extent_ms == 1_000 + TIMEOUT_MS
    assert capture.failure == (Failure(Stage.RESPONSE_COLLECTION, failure) if failure else None)


@pytest.mark.parametrize(
    ("last_ms", "failure"),
    [
        pytest.param(5_000, STOPPED, id="exactly-a-third-without-audio-is-a-dead-line"),
        pytest.param(5_020, None, id="a-frame-less-is-not"),
    ],
)
def test_a_timeout_of_6_s_ends_where(last_ms: int, failure: str | None) -> None:
    capture = play(Assistant({last_ms: [QUIET]}), timeout_ms=6_000)
    assert (str(capture.failure.message) if capture.failure else None) == failure


def test_a_long_request_is_no_stalled_answer() -> None:
    capture = play(Assistant(talk(9_000, (9_500, 10_000))), a_request(voiced_ms=8_000))
    assert capture.ending is Ending.ANSWER_SETTLED


def test_nothing_ends_while_the_caller_still_has_audio() -> None:
    capture = play(Assistant(talk(800, (1_500, 2_000))), a_request(1_000, trailing_ms=4_000))
    assert (capture.ending, capture.extent_ms) == (Ending.ANSWER_SETTLED, 5_000)


def test_work_under_way_holds_the_answer_open_until_its_result_was_told() -> None:
    script = talk(800, (1_500, 1_800), (4_000, 4_500))
    script[1_700].append(lambda now_ms: DelegationBegan(at(now_ms), "d1", "responses", "r1"))
    script[3_500].append(
        lambda now_ms: ResponseEnded(at(now_ms), "r1", "d1", ResponseStatus.COMPLETED, None, None)
    )
    capture = play(Assistant(script))
    assert (capture.ending, capture.extent_ms) == (Ending.ANSWER_SETTLED, 6_000)


def test_a_refused_start_is_a_failure_and_what_was_seen_is_kept() -> None:
    assistant = Assistant(refuses=True)
    capture = play(assistant)
    assert capture.failure == Failure(Stage.SESSION_START, "forbidden: not you")
    assert (capture.ending, capture.extent_ms, capture.lateness_us) == (Ending.FAILED, 0, ())
    assert capture.observations == [UsageReported(at(0), 0)]
    assert (assistant.heard, assistant.closed) == ([], 1)


@pytest.mark.parametrize("lost_at_ms", [20, 1_500])
def test_a_lost_session_is_a_failure_and_all_that_was_handed_over_was_observed(
    lost_at_ms: int,
) -> None:
    script: Script = {lost_at_ms: [SPEECH, lambda now_ms: UsageReported(at(now_ms), 1)]}
    assistant = Assistant(script, lost_at_ms=lost_at_ms)
    capture = play(assistant)
    assert (capture.ending, capture.failure) == (
        Ending.FAILED,
        Failure(Stage.RESPONSE_COLLECTION, "lost"),
    )
    assert capture.extent_ms == lost_at_ms
    assert [type(seen) for seen in capture.observations] == [
        *(SessionOpened, AudioReceived, UsageReported)
    ]
    assert len(capture.lateness_us) == lost_at_ms // 20
    assert assistant.closed == 1


@pytest.mark.parametrize(
    ("script", "last_ms"),
    [
        pytest.param(talk(800, (1_500, 2_000)), 3_500, id="an-answer"),
        pytest.param(talk(800), 6_000, id="a-timeout"),
        pytest.param({}, 6_000, id="a-stall"),
    ],
)
def test_no_observation_lies_beyond_what_was_observed(script: Script, last_ms: int) -> None:
    script = {**script, last_ms: [lambda now_ms: UsageReported(at(now_ms), 1)]}
    capture = play(Assistant(script))
    assert max(seen.stamp.media_ms for seen in capture.observations) == capture.extent_ms


def test_a_fault_of_our_own_is_not_hidden_and_the_session_is_closed() -> None:
    assistant = Assistant(breaks_at_ms=100)
    with pytest.raises(RuntimeError, match="a fault of ours"):
        play(assistant)
    assert assistant.closed == 1


def test_a_cancelled_conversation_is_closed() -> None:
    assistant = Assistant(talk(800))

    async def story(clock: Clock) -> None:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().call_later(0.51, task.cancel)
        await converse(a_request(), assistant, clock, timeout_ms=TIMEOUT_MS)

    with pytest.raises(asyncio.CancelledError):
        in_virtual_time(story)
    assert (len(assistant.heard), assistant.closed) == (26, 1)


# What is kept


def test_observations_are_kept_in_order_with_each_piece_of_audio_in_its_place() -> None:
    script = talk(800, (1_500, 2_000))
    script[800].insert(0, lambda now_ms: UsageReported(at(now_ms), 1))
    capture = play(Assistant(script))
    assert [type(seen) for seen in capture.observations[:3]] == [
        *(SessionOpened, UsageReported, AudioReceived)
    ]
    pieces = [seen for seen in capture.observations if isinstance(seen, AudioReceived)]
    assert pieces[0] == AudioReceived(at(800), 800 * 24, 2_400, late_ms=0.0, is_stall=False)
    assert [seen.start_sample for seen in pieces] == [
        (800 + 100 * number) * 24 for number in range(len(pieces))
    ]


def test_the_assistants_track_is_what_it_said_where_it_said_it() -> None:
    track = play(Assistant(talk(800, (1_500, 2_000)))).placement.track()
    sounding = np.flatnonzero(track)
    assert (sounding[0], sounding[-1]) == (1_500 * 24, 2_000 * 24 - 1)


def test_the_last_words_are_kept_but_not_audio_after_the_close() -> None:
    closed = SessionClosed(at(3_500), "close_requested", 14)
    assistant = Assistant(
        talk(800, (1_500, 2_000)), last_words=[AudioArrived(at(3_500), b"\1\0"), closed]
    )
    capture = play(assistant)
    assert capture.observations[-1] == closed
    assert not any(isinstance(seen, AudioArrived) for seen in capture.observations)


def test_in_virtual_time_no_frame_is_late() -> None:
    capture = play(Assistant(talk(800, (1_500, 2_000))))
    assert set(capture.lateness_us) == {0}
    assert len(capture.lateness_us) == capture.extent_ms // 20


@dataclass
class Ear:
    """Somebody listening in, who writes down what was said and where."""

    heard: list[tuple[str, int, int]] = field(default_factory=list)

    def begin(self) -> None:
        self.heard.append(("begin", 0, 0))

    def caller(self, start_sample: int, pcm: Pcm) -> None:
        self.heard.append(("caller" if pcm.any() else "", start_sample, pcm.size))

    def assistant(self, start_sample: int, pcm: Pcm) -> None:
        self.heard.append(("assistant", start_sample, pcm.size))


def test_whoever_listens_in_hears_what_is_sent_and_what_is_placed() -> None:
    ear, assistant = Ear(), Assistant(talk(100, (1_500, 2_000)))

    async def story(clock: Clock) -> Capture:
        return await converse(a_request(), assistant, clock, timeout_ms=TIMEOUT_MS, monitor=ear)

    capture = in_virtual_time(story)
    assert ear.heard[0] == ("begin", 0, 0)
    assert [at for who, at, _ in ear.heard if who == "caller"] == list(range(0, 24_000, 480))
    sent = [(at, size) for who, at, size in ear.heard if who in {"caller", ""}]
    assert sent == [(index * 480, 480) for index in range(len(assistant.heard))]
    placed = [
        (one.start_sample, one.samples)
        for one in capture.observations
        if isinstance(one, AudioReceived)
    ]
    assert [(at, size) for who, at, size in ear.heard if who == "assistant"] == placed
    assert placed


def test_listening_in_changes_nothing() -> None:
    async def story(clock: Clock) -> Capture:
        assistant = Assistant(talk(100, (1_500, 2_000)))
        return await converse(a_request(), assistant, clock, timeout_ms=TIMEOUT_MS, monitor=Ear())

    alone, heard = play(Assistant(talk(100, (1_500, 2_000)))), in_virtual_time(story)
    assert heard.observations == alone.observations
    assert (heard.ending, heard.extent_ms) == (alone.ending, alone.extent_ms)
