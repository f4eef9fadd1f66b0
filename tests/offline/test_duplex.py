"""Two sessions joined by the relay, each with a scripted far end in memory: who hears what, where.

What a far end heard is read from the messages that went to it, so everything lies in between: both
session machines, JSON and base64, the playout of each side and the pairs of frames.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from assistants.frontend.events import decode_audio
from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.protocol import LiveSession
from assistants.frontend.transport import LiveParticipant
from assistants.responses.delegation import ManagedWork
from assistants.responses.worker import ToolWorker
from assistants.runtime import ToolRuntime
from assistants.wire import Connection
from shared.audio.effects.acoustics import Acoustics
from shared.audio.effects.bundled import ambience
from shared.audio.effects.presets import PRESETS
from shared.audio.pacing import Pacer
from shared.audio.pcm import SAMPLES_PER_MS, Pcm, duration_ms, from_bytes
from shared.audio.playout import Playout
from shared.audio.tracks import RecordedTracks
from shared.clock import Clock
from shared.observability.observations import AudioReceived, Caption, Observation, Speaker
from shared.party import LiveParty
from shared.relay import Air, Relay
from shared.scenario_types import AcousticCondition
from shared.speech.tone import ToneSynthesizer
from shared.testing.loopback import Loopback
from shared.values import JsonObject
from tests.support.far_end import EPOCH_S, a_script, responses_work
from tests.support.rooms import in_virtual_time

EXTENT_MS = 9_000
OUTPUT_FROM_MS = 800
"""Where a far end's track begins."""

type Lines = Mapping[int, str]
"""What is said, by its instant in milliseconds."""

CALLER_SAYS: Lines = {1_000: "Good evening, is there a quiet room?", 5_017: "Yes, please."}
ASSISTANT_SAYS: Lines = {1_500: "Hello.", 3_201: "There is one on the first floor.", 7_000: "Done."}
VOICES = {Speaker.CALLER: ToneSynthesizer(210), Speaker.ASSISTANT: ToneSynthesizer(120)}


class NoDesk:
    """An application nobody calls."""

    def call(self, name: str, arguments: JsonObject, call_id: str) -> JsonObject:
        raise NotImplementedError

    def snapshot(self) -> JsonObject:
        return {}


class Side:
    """One party: its session, its far end, and all that went over the line."""

    def __init__(self, speaker: Speaker, says: Lines, clock: Clock, hold_ms: int) -> None:
        self.wire: list[tuple[str, str | bytes, int]] = []
        steps = [{"say": text, "at": f"start+{at_ms}"} for at_ms, text in says.items()]
        far_end = FixtureMachine(
            voice=VOICES[speaker],
            session_name=str(speaker),
            epoch_s=EPOCH_S,
            script=a_script(*steps),
        )

        def connect_to(near: LiveSession, on_activity: Callable[[], None]) -> Connection:
            return Loopback(near, far_end, clock, on_activity=on_activity, tap=self._tap)

        session = LiveSession(responses_work(), ManagedWork())
        participant = LiveParticipant(
            session, connect_to, ToolWorker(session, ToolRuntime(NoDesk(), []), clock), clock
        )
        self.party = LiveParty(participant, Playout(hold_ms))

    def _tap(self, direction: str, message: str | bytes, at_us: int) -> None:
        self.wire.append((direction, message, at_us))

    def heard(self) -> Pcm:
        """The other party's track, as this far end was sent it."""
        sent = [json.loads(message) for direction, message, _ in self.wire if direction == "sent"]
        frames = [one["audio"] for one in sent if one["type"] == "session.input_audio.append"]
        return from_bytes(b"".join(decode_audio(frame) for frame in frames))


@dataclass
class Met:
    """A conversation and what is left of it."""

    caller: Side
    assistant: Side
    relay: Relay
    tracks: RecordedTracks
    seen: dict[Speaker, list[Observation]] = field(default_factory=dict)


def meet(
    caller_says: Lines = CALLER_SAYS,
    assistant_says: Lines = ASSISTANT_SAYS,
    *,
    hold_ms: int = 200,
    air: Air | None = None,
) -> Met:
    async def story(clock: Clock) -> Met:
        caller = Side(Speaker.CALLER, caller_says, clock, hold_ms)
        assistant = Side(Speaker.ASSISTANT, assistant_says, clock, hold_ms)
        await asyncio.gather(caller.party.connect(), assistant.party.connect())
        tracks = RecordedTracks()
        pacer = Pacer(clock.now_us())
        relay = Relay(caller.party, assistant.party, clock, pacer, air=air, record=tracks.add)
        met = Met(caller, assistant, relay, tracks, {side: [] for side in Speaker})

        def take(side: Speaker, observed: Sequence[Observation]) -> None:
            met.seen[side] += observed

        await relay.run(take=take, is_over=lambda now_ms: now_ms == EXTENT_MS)
        await asyncio.gather(caller.party.close(), assistant.party.close())
        return met

    return in_virtual_time(story)


def laid_out(speaker: Speaker, says: Lines, later_ms: int) -> Pcm:
    """A script's sentences at their instants, all of them so much later."""
    track = np.zeros(EXTENT_MS * SAMPLES_PER_MS, np.int16)
    for at_ms, text in says.items():
        pcm = VOICES[speaker].speak(text).pcm
        start = (at_ms + later_ms) * SAMPLES_PER_MS
        track[start : start + pcm.size] = pcm
    return track


@pytest.mark.parametrize("hold_ms", [0, 60, 200])
def test_each_hears_the_others_words_where_they_were_scripted_and_the_hold_later(
    hold_ms: int,
) -> None:
    met = meet(hold_ms=hold_ms)
    said = laid_out(Speaker.CALLER, CALLER_SAYS, hold_ms)
    answered = laid_out(Speaker.ASSISTANT, ASSISTANT_SAYS, hold_ms)
    assert np.array_equal(met.assistant.heard(), said)
    assert np.array_equal(met.caller.heard(), answered)
    # They speak at once, and nobody is the quieter for it.
    assert ((said != 0) & (answered != 0)).any()


def test_what_was_recorded_is_what_was_heard() -> None:
    met = meet()
    assert met.tracks.extent_ms == EXTENT_MS
    assert np.array_equal(met.tracks.caller, met.assistant.heard())
    assert np.array_equal(met.tracks.sent, met.assistant.heard())
    assert np.array_equal(met.tracks.assistant, met.caller.heard())


def test_the_air_changes_what_the_assistant_hears_and_nothing_else() -> None:
    recipe = PRESETS[AcousticCondition.REALISTIC]
    met = meet(air=Acoustics(recipe, seed=1, scope="duplex", ambience=ambience()))
    clean = meet()
    assert np.array_equal(met.tracks.caller, clean.tracks.caller)
    assert np.array_equal(met.tracks.assistant, clean.tracks.assistant)
    assert np.array_equal(met.caller.heard(), clean.caller.heard())
    assert np.array_equal(met.assistant.heard(), met.tracks.sent)
    assert not np.array_equal(met.tracks.sent, met.tracks.caller)
    # The same chain over the whole track at once: where a frame ends changes no sample.
    whole = Acoustics(recipe, seed=1, scope="duplex", ambience=ambience())
    assert np.array_equal(met.tracks.sent, whole.process(clean.tracks.caller))


@pytest.mark.parametrize("side", list(Speaker))
def test_each_piece_is_told_with_when_it_came_and_where_it_was_played(side: Speaker) -> None:
    met = meet()
    received = [seen for seen in met.seen[side] if isinstance(seen, AudioReceived)]
    came_ms = [seen.stamp.media_ms for seen in received]
    # The last ones were not heard out.
    assert came_ms == list(range(OUTPUT_FROM_MS, EXTENT_MS - 200, 100))
    assert [seen.start_sample for seen in received] == [
        (media_ms + 200) * SAMPLES_PER_MS for media_ms in came_ms
    ]
    assert {seen.held_ms for seen in received} == {200}


def test_each_sessions_own_captions_are_told_on_its_own_side() -> None:
    met = meet()
    for side, says in ((Speaker.CALLER, CALLER_SAYS), (Speaker.ASSISTANT, ASSISTANT_SAYS)):
        captions = [seen for seen in met.seen[side] if isinstance(seen, Caption)]
        said = "".join(one.text for one in captions if one.speaker is Speaker.ASSISTANT)
        assert said == "".join(says.values())


def test_the_same_conversation_is_the_same_to_the_byte() -> None:
    one, other = meet(), meet()
    assert one.caller.wire == other.caller.wire
    assert one.assistant.wire == other.assistant.wire
    assert one.seen == other.seen


def test_both_sides_are_sent_each_frame_when_it_is_due() -> None:
    met = meet()
    for sends in (met.relay.to_caller, met.relay.to_assistant):
        assert len(sends.at_us) == EXTENT_MS // 20
        assert set(np.diff(sends.at_us).tolist()) == {20_000}
        assert set(sends.lateness_us) == set(sends.latency_us) == {0}


def test_one_says_as_much_as_there_is_time_for() -> None:
    """A sentence that the end cuts off was said up to there."""
    pcm = VOICES[Speaker.CALLER].speak(CALLER_SAYS[1_000]).pcm
    begins_ms = EXTENT_MS - 200 - duration_ms(pcm) // 2
    met = meet({begins_ms: CALLER_SAYS[1_000]}, {})
    start = (begins_ms + 200) * SAMPLES_PER_MS
    heard = met.assistant.heard()
    assert np.array_equal(heard[start:], pcm[: heard.size - start])
    assert met.caller.party.playout.holds_speech
