from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistants.frontend.appends import MOST_BYTES, pieces
from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.fixture.voice import assistant_voice
from assistants.frontend.protocol import LiveSession, State
from assistants.frontend.session_config import SessionConfig
from assistants.responses.delegation import ManagedWork
from shared.observability.observations import AppendIntent, ContextAppended


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Booked.", ["Booked."], id="a-short-text-is-one-append"),
        pytest.param("a" * 500, ["a" * 500], id="exactly-the-limit-is-one"),
        pytest.param("a" * 501, ["a" * 500, "a"], id="one-byte-more-is-two"),
        pytest.param("é" * 251, ["é" * 250, "é"], id="no-character-is-cut"),
        pytest.param(
            f"{'a' * 300}. {'b' * 300}.",
            [f"{'a' * 300}.", f"{'b' * 300}."],
            id="the-cut-is-after-a-sentence",
        ),
        pytest.param(
            f"One. Two. {'b' * 495}.",
            ["One. Two.", f"{'b' * 495}."],
            id="short-sentences-share-an-append",
        ),
        pytest.param(
            f"{'a' * 300} {'b' * 300}",
            ["a" * 300, "b" * 300],
            id="a-long-sentence-is-cut-between-words",
        ),
    ],
)
def test_a_text_is_cut(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_nothing_cannot_be_appended(text: str) -> None:
    with pytest.raises(ValueError, match="nothing to append"):
        pieces(text)


@given(st.text().filter(str.strip))
def test_every_piece_fits_and_nothing_but_blanks_is_lost(text: str) -> None:
    cut = pieces(text)
    assert all(piece.strip() and len(piece.encode()) <= MOST_BYTES for piece in cut)
    assert "".join("".join(cut).split()) == "".join(text.split())


def an_active_session(far: FixtureMachine) -> LiveSession:
    near = LiveSession(SessionConfig(model="gpt-live-1"), ManagedWork())
    near.start(0)
    exchange(near, far, 0)
    exchange(near, far, 600_000)
    assert near.state is State.ACTIVE
    return near


def exchange(near: LiveSession, far: FixtureMachine, at_us: int) -> None:
    far.wake(at_us)
    for message in near.messages_to_send():
        far.receive(message, at_us)
    for message in far.messages_to_send():
        near.receive(message, at_us)


@pytest.mark.parametrize("intent", AppendIntent)
def test_an_append_is_acknowledged_under_its_own_id(intent: AppendIntent) -> None:
    far = FixtureMachine(voice=assistant_voice(), session_name="appends", epoch_s=0)
    near = an_active_session(far)
    near.append(intent, f"{'a' * 400}. {'b' * 400}.", 0)
    for frame in range(60):
        near.hear(bytes(960))
        exchange(near, far, 600_000 + frame * 20_000)
    appended = [seen for seen in near.observed() if isinstance(seen, ContextAppended)]
    assert [seen.client_event_id for seen in appended] == ["append_1", "append_2"]
