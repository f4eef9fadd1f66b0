"""Cases 3, 6, 11, 18 and 20 in conversations: two sessions, and one of them misbehaves.

Where an instant counts the call is held in memory; where the line does, over two sockets.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from assistants.config import LiveAgentSettings
from shared.observability.delegation import work_intervals
from shared.observability.observations import (
    ConnectionLost,
    DelegationBegan,
    ResponseEnded,
    SessionClosed,
    Speaker,
)
from tests.support.calls import REQUEST, SOUND, Call
from tests.support.conversations import BOOKS, Held
from tests.support.services import Services, Stall

CUT = {"closing": {"cuts": True}}
WORK = b'"session.delegation.created"'
PATIENCE_S = 0.6


def unanswered(for_s: float, patience_s: float) -> Call:
    """The assistant's service keeps silent, pings and all, once it has begun to work."""
    return Call(
        assistant=(
            {"delegate": "d1", "at": "heard1.ended+500", "rounds": [], "reply": "Open."},
            {"say": "Yes, we are.", "at": "d1.done+400"},
        ),
        stalls={Speaker.ASSISTANT: Stall(WORK, for_s)},
        session={"ping_interval_seconds": 0.3, "ping_timeout_seconds": patience_s},
    )


BROKEN_WORK = Call(
    caller=(
        {"say": "A table for two on Friday at half past six.", "at": "start+300"},
        {"say": "Yes, please do.", "at": "heard1.ended+500"},
        {"say": "Thank you. Bye.", "at": "heard2.ended+500", "action": "STOP"},
    ),
    assistant=(
        {"delegate": "d1", "at": "heard1.ended+500", "rounds": [], "reply": "", "fails": "failed"},
        {"say": "That did not work. Shall I try again?", "at": "d1.done+400"},
        {
            "delegate": "d2",
            "at": "heard2.ended+500",
            "rounds": [{"calls": [BOOKS]}],
            "reply": "Done.",
        },
        {"say": "Now you have a table.", "at": "d2.done+400"},
    ),
    fields={"input": {"text": "A table for two on Friday at half past six."}},
    expected={
        "delegation": "required",
        "tools": {"required": [BOOKS]},
        "golden_path": {"turns": 7, "delegations": 2},
    },
)
SHORT_WORDS = Call(
    caller=(
        SOUND[0][0],
        {"say": "Mm-hm.", "at": "heard1.began+1200", "action": "BACKCHANNEL"},
        {"say": "yes", "at": "heard1.ended+500"},
        {"say": "Thank you. Bye.", "at": "heard2.ended+500", "action": "STOP"},
    ),
    assistant=(
        {
            "say": "We are open from noon until half past ten at night. May I book you a table?",
            "at": "heard1.ended+500",
        },
        {"say": "Gladly.", "at": "heard3.ended+500"},
    ),
)
PAUSE_MS = 990
INTO_A_PAUSE = Call(
    caller=(
        SOUND[0][0],
        {"say": "Then a table,", "at": "heard1.ended+500", "id": "half"},
        {"say": "if you please, for two people.", "at": f"half.said+{PAUSE_MS}"},
        {"say": "Thank you. Bye.", "at": "half.said+6000", "action": "STOP"},
    ),
    assistant=(
        *SOUND[1],
        {"say": "On which evening?", "at": "heard2.ended+300"},
    ),
    assistant_mishaps={"listening": {"gap_ms": 200}},
    simulation={"quiet_line_ms": 8_000},
)
OVER_SOCKETS = {
    "both_cut": Call(caller_mishaps=CUT, assistant_mishaps=CUT),
    "unanswered_for_good": unanswered(30, PATIENCE_S),
    "unanswered_for_a_while": unanswered(1.5, 20),
}


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Held]]]:
    folder, services = tmp_path_factory.mktemp("calls"), Services()
    with ThreadPoolExecutor(len(OVER_SOCKETS)) as pool:
        yield {
            name: pool.submit(call.hold, services, folder / name)
            for name, call in OVER_SOCKETS.items()
        }
    services.stop()


def test_case_03_a_failed_delegation_ends_its_handoff_and_not_the_conversation(
    tmp_path: Path,
) -> None:
    """A7."""
    held = BROKEN_WORK.hold_in_memory(tmp_path / "call")
    first, second = held.evidence.of(DelegationBegan)
    failed, *_, done = held.evidence.of(ResponseEnded)
    work = work_intervals(held.evidence.observations, held.evidence.extent_ms)

    assert (failed.status, done.status) == ("failed", "completed")
    assert [(one.start_ms, one.end_ms) for one in work] == [
        (first.stamp.media_ms, failed.stamp.media_ms),
        (second.stamp.media_ms, done.stamp.media_ms),
    ]
    assert held.row["status"] == "passed"
    assert held.row["metrics"]["task"]["delegations"] == {"actual": 2, "expected": 2}


def test_case_03_the_caller_who_speaks_again_is_answered(tmp_path: Path) -> None:
    """A7."""
    held = BROKEN_WORK.hold_in_memory(tmp_path / "call")
    audio = held.row["metrics"]["audio"]

    assert len(audio["response_latencies_ms"]) == 2
    assert audio["response_rate"] == 1.0
    assert held.evidence.ending == "response_completed"


def test_case_06_a_connection_cut_after_the_close_is_no_error(
    calls: dict[str, Future[Held]],
) -> None:
    """A12. Of both sessions: neither handshake comes."""
    held = calls["both_cut"].result()

    assert (held.row["status"], held.row["error"]) == ("passed", None)
    assert not [one for one in held.row["warnings"] if "usage" in one]
    for observations in (held.evidence.observations, held.evidence.caller_observations):
        (closed,) = [one for one in observations if isinstance(one, SessionClosed)]
        assert closed.seconds is not None
        assert not any(isinstance(one, ConnectionLost) for one in observations)
    assert held.row["metrics"]["consumption"]["frontend"]["audio_duration_ms"] > 0


def test_case_11_pings_unanswered_for_good_leave_a_clean_error(
    calls: dict[str, Future[Held]],
) -> None:
    """A21. It says whose session it was, and both tracks are kept up to then."""
    held = calls["unanswered_for_good"].result()
    error = held.row["error"]

    assert (held.row["status"], error["stage"]) == ("infrastructure_error", "response_collection")
    said = f"the assistant's session: the provider answered no ping for {PATIENCE_S} s"
    assert error["message"] == said
    assert held.evidence.of(DelegationBegan)
    assert held.evidence.caller.voiced
    assert {"conversation_audio", "events", "caller_events", "details"} <= set(
        held.row["artifacts"]
    )
    assert all((held.run.folder / path).is_file() for path in held.row["artifacts"].values())
    assert "Traceback" not in held.run.stdout + held.run.stderr


def test_case_11_a_long_silence_within_patience_is_none(calls: dict[str, Future[Held]]) -> None:
    """A21. With the usual patience this holds for 45 s."""
    held = calls["unanswered_for_a_while"].result()

    assert (held.row["status"], held.row["error"]) == ("passed", None)
    assert LiveAgentSettings().ping_timeout_seconds > 45


def test_case_18_a_yes_is_a_request_and_a_listening_sound_is_none(tmp_path: Path) -> None:
    """C2, C14."""
    held = SHORT_WORDS.hold_in_memory(tmp_path / "call")
    audio, turns = held.row["metrics"]["audio"], held.caller_turns
    counts = audio["response_opportunities"]
    yes = turns[2]

    assert [one["action"] for one in turns] == ["OPENING", "BACKCHANNEL", "SPEAK", "STOP"]
    assert yes["end_ms"] - yes["start_ms"] <= 220
    assert len(audio["response_latencies_ms"]) == 2
    assert audio["response_exclusion_reasons"] == {"backchannel": 1, "caller_closing": 1}
    assert (counts["response_total"], counts["response_count"]) == (2, 2)
    assert audio["interruption_count"] == 0


def test_case_20_an_answer_into_a_pause_interrupts_one_turn_once(tmp_path: Path) -> None:
    """C16."""
    held = INTO_A_PAUSE.hold_in_memory(tmp_path / "call")
    turns = held.caller_turns
    (_, broken_into, _) = turns
    span_ms = broken_into["end_ms"] - broken_into["start_ms"]

    assert [one["user_transcript"] for one in turns][:2] == [
        REQUEST,
        "Then a table, if you please, for two people.",
    ]
    assert held.row["metrics"]["audio"]["interruption_count"] == 1
    assert broken_into["audio"]["agent_interruption_count"] == 1
    assert broken_into["audio"]["overlap_ms"] > 0
    assert span_ms - broken_into["audio"]["user_speech_ms"] >= PAUSE_MS, "the pause stays silent"
