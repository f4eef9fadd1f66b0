"""``run-eval`` from end to end: what crosses which line, what is kept, and that it repeats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from run_harness.suite import RUN
from shared.attempts.bench import judge_again
from shared.attempts.details import decode_details, result_json
from shared.audio import wav
from shared.audio.pcm import silence
from shared.audio.sidecar import sha256_of
from shared.errors import UsageError
from shared.grading.fidelity import NOBODY_LOOKED
from shared.speech.tone import ToneSynthesizer
from tests.support.runs import FinishedRun, evaluate_here

BOOKING = "restaurant_booking_complete"


@pytest.fixture(scope="module")
def booking(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    run, _ = evaluate_here(tmp_path_factory.mktemp("run") / "results", RUN, example=BOOKING)
    return run


def details_of(run: FinishedRun) -> dict[str, Any]:
    details: dict[str, Any] = json.loads(run.details(BOOKING))
    return details


def test_a_sound_conversation_passes_by_the_application_s_state(booking: FinishedRun) -> None:
    row = booking.rows[BOOKING]
    checks = {one["id"]: one["status"] for one in row["assessment"]["checks"]}
    assert row["status"] == "passed"
    assert (checks["conversation_completed"], checks["application_state"]) == ("passed", "passed")


def test_a_farewell_is_excluded_and_a_request_is_not(booking: FinishedRun) -> None:
    audio = booking.rows[BOOKING]["metrics"]["audio"]
    assert audio["response_exclusion_reasons"] == {"caller_closing": 1}
    assert audio["response_rate"] == 1.0
    counts = audio["response_opportunities"]
    assert counts["caller_turn_count"] == counts["response_eligible_count"] + 1


def test_a_row_says_who_ended_the_conversation(booking: FinishedRun) -> None:
    told = booking.rows[BOOKING]["observability"]
    completion, actions = told["completion"], told["interaction"]["caller_actions"]
    assert completion["termination_reason"] == "response_completed"
    assert (completion["policy"], completion["signal"]) == (
        "caller_finish_or_verified_state",
        "caller_finished",
    )
    assert actions["STOP"] == 1
    assert sum(actions.values()) == told["interaction"]["caller_turns"]


def test_both_sessions_are_on_record(booking: FinishedRun) -> None:
    evidence = details_of(booking)["evidence"]
    captions = [
        one["text"]
        for one in evidence["caller_observations"]
        if one["observation"] == "Caption" and one["speaker"] == "assistant"
    ]
    assert "".join(captions).startswith("Hello")
    assert evidence["first_speaker"] == "caller"
    assert {"events", "caller_events", "conversation_audio"} <= set(
        booking.rows[BOOKING]["artifacts"]
    )


def test_a_row_says_whether_its_caller_was_fit_to_call(booking: FinishedRun) -> None:
    validity = booking.rows[BOOKING]["validity"]
    assert (validity["status"], validity["reason"]) == ("valid", None)


def test_a_row_says_whether_its_caller_kept_to_its_part(booking: FinishedRun) -> None:
    fidelity = booking.rows[BOOKING]["caller_fidelity"]
    assert (fidelity["never_spoke"], fidelity["contradicted_facts"]) == (False, [])
    assert fidelity["drifted_into_assistant_role"] is None
    assert fidelity["unavailable"]["drifted_into_assistant_role"] == NOBODY_LOOKED


def test_a_row_says_how_both_voices_were_carried(booking: FinishedRun) -> None:
    extended = booking.rows[BOOKING]["metrics"]["audio"]["extended"]
    hold, carried = extended["playout_hold_ms"], extended["transport"]
    assert hold["count"] == extended["response_latency_ms"]["count"] > 0
    assert hold["p50"] == booking.report["run"]["configuration"]["playout_hold_ms"]
    frames = details_of(booking)["evidence"]["extent_ms"] // carried["frame_ms"]
    for direction in ("caller_to_assistant", "assistant_to_caller"):
        assert carried[direction]["frames"] == frames
        assert carried[direction]["send_lateness_ms"]["maximum"] == 0


def test_the_same_conversation_repeats_to_the_byte(booking: FinishedRun, tmp_path: Path) -> None:
    again, _ = evaluate_here(tmp_path / "results", RUN, example=BOOKING)
    folders = ("audio", "events", "transcripts", "scripts")
    assert again.files(*folders) == booking.files(*folders)


def test_a_stored_conversation_gives_its_row_again(booking: FinishedRun) -> None:
    stored = decode_details(booking.details(BOOKING))
    assert result_json(judge_again(stored)) == booking.rows[BOOKING]


def test_nothing_private_of_the_caller_reaches_the_assistant(tmp_path: Path) -> None:
    """Searched message by message; what the caller says aloud goes as sound."""
    _, lines = evaluate_here(tmp_path / "results", RUN, example=BOOKING)
    scenario = next(
        one
        for one in json.loads(RUN.bundled_data.read_text("utf-8"))["scenarios"]
        if one["id"] == BOOKING
    )
    caller = scenario["simulation_parameters"]
    private = [
        caller["goal"],
        caller["persona"]["description"],
        *(item["commitment"] for item in caller["agenda"]),
        scenario["expected"]["answer"],
        *scenario["expected"]["criteria"],
    ]
    (line,) = lines.values()
    sent = [one.text for one in line if one.direction == "sent"]
    assert sent
    assert [text for text in private for one in sent if text in one] == []


@pytest.mark.parametrize("condition", ["noisy", "telephony", "realistic"])
def test_what_is_done_to_the_caller_s_sound_moves_no_figure_of_the_assistant(
    condition: str, booking: FinishedRun, tmp_path: Path
) -> None:
    run, _ = evaluate_here(tmp_path / "results", RUN, example=BOOKING, condition=condition)
    row, clean = run.rows[BOOKING], booking.rows[BOOKING]
    assert row["status"] == "passed"
    latency = "response_latency_ms"
    assert abs(row["metrics"]["audio"][latency] - clean["metrics"]["audio"][latency]) <= 20
    assert details_of(run)["evidence"]["condition"]["name"] == condition


def test_others_may_talk_in_a_recording_of_ones_own(tmp_path: Path) -> None:
    voices = tmp_path / "elsewhere" / "voices.wav"
    voices.parent.mkdir()
    pcm = ToneSynthesizer(300).speak("Somebody else is talking here, and never stops.").pcm
    voices.write_bytes(wav.encode(pcm))
    given = {"example": "restaurant_backchannel", "background_gain": 0.1}
    ours, _ = evaluate_here(tmp_path / "ours", RUN, background_speech=str(voices), **given)
    theirs, _ = evaluate_here(tmp_path / "theirs", RUN, **given)
    heard = "audio/restaurant_backchannel/input.wav"
    applied = json.loads(ours.details("restaurant_backchannel"))["evidence"]["condition"]["applied"]

    assert ours.files("audio")[heard] != theirs.files("audio")[heard]
    assert applied["background_speech_sha256"] == sha256_of(pcm)
    assert ours.rows["restaurant_backchannel"]["status"] == "passed"
    assert ours.report["run"]["configuration"]["background_speech"] == "voices.wav"
    assert b"elsewhere" not in b"".join(ours.files().values())


def test_others_who_say_nothing_are_refused(tmp_path: Path) -> None:
    silent = tmp_path / "silent.wav"
    silent.write_bytes(wav.encode(silence(500)))
    with pytest.raises(UsageError, match=r"--background-speech: .*silent\.wav: is silent"):
        evaluate_here(tmp_path / "results", RUN, background_speech=str(silent), example=BOOKING)
    assert not (tmp_path / "results").exists()


def test_time_that_is_up_fails_a_conversation_whose_state_is_right(tmp_path: Path) -> None:
    run, _ = evaluate_here(tmp_path / "results", RUN, example=BOOKING, max_duration_seconds=31.0)
    checks = {one["id"]: one["status"] for one in run.rows[BOOKING]["assessment"]["checks"]}
    assert run.rows[BOOKING]["status"] == "failed"
    assert (checks["conversation_completed"], checks["application_state"]) == ("failed", "passed")
    completion = run.rows[BOOKING]["observability"]["completion"]
    assert (completion["termination_reason"], completion["signal"]) == ("duration_limit", None)


def test_a_single_turn_is_no_conversation(tmp_path: Path) -> None:
    data = RUN.folder.parent / "crawl_harness" / "data" / "scenarios.json"
    with pytest.raises(UsageError, match="--example: restaurant_003 is not a multi-turn scenario"):
        evaluate_here(tmp_path / "results", RUN, data=str(data), example="restaurant_003")
    assert not (tmp_path / "results").exists()
