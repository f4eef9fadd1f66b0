"""What a conversation leaves beside its audio, as the command writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from run_harness.suite import RUN
from shared.attempts.assess import assess
from shared.attempts.bench import judge_again
from shared.attempts.conversation_files import Recordings, result_file, tick_file, turn_file
from shared.attempts.details import decode_details, result_json
from shared.audio import wav
from shared.errors import UsageError
from shared.observability.delegation import work_intervals
from shared.observability.timeline import Timeline
from tests.support.lifecycle import observation_of
from tests.support.runs import FinishedRun, differing, evaluate_here, installed

INTERRUPTED = "restaurant_interrupted_explanation"
WIDTHS = (20, 33, 200, 1_000)
RESULT = "conversation.result.json"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, FinishedRun]:
    """The same conversation with ticks of several widths."""
    return {
        width: evaluate_here(
            tmp_path_factory.mktemp("run") / "results",
            RUN,
            example=INTERRUPTED,
            debug_artifacts=True,
            tick_ms=width,
        )[0]
        for width in WIDTHS
    }


@pytest.fixture(scope="module")
def run(runs: dict[int, FinishedRun]) -> FinishedRun:
    return runs[200]


def folder_of(run: FinishedRun, key: str = INTERRUPTED) -> Path:
    return run.folder / "audio" / key


def result_of(run: FinishedRun, key: str = INTERRUPTED) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((folder_of(run, key) / RESULT).read_bytes())
    return result


def ticks_of(run: FinishedRun) -> list[dict[str, Any]]:
    text = (folder_of(run) / "conversation.ticks.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_row_and_no_file_but_the_ticks_depends_on_the_width_of_a_tick(
    width: int, runs: dict[int, FinishedRun]
) -> None:
    run, other = runs[200], runs[width]
    files = ("audio", "events", "transcripts", "scripts")
    changed = differing(run.files(*files), other.files(*files))
    name = f"audio/{INTERRUPTED}/conversation"

    assert other.rows == run.rows
    assert changed == ([] if width == 200 else [f"{name}.result.json", f"{name}.ticks.jsonl"])
    results = [result_of(one) for one in (run, other)]
    assert [one["run_metadata"].pop("analysis_tick_ms") for one in results] == [200, width]
    assert results[0] == results[1]


@pytest.mark.parametrize("width", WIDTHS)
def test_ticks_cover_the_conversation_and_add_up_to_its_figures(
    width: int, runs: dict[int, FinishedRun]
) -> None:
    ticks, result = ticks_of(runs[width]), result_of(runs[width])
    extent_ms = result["caller_audio_ms"]
    starts = list(range(0, extent_ms, width))

    assert [one["start_ms"] for one in ticks] == starts
    assert [one["end_ms"] for one in ticks] == [*starts[1:], extent_ms]
    speaking = sum(
        end - start for one in ticks for start, end in one["assistant"]["speech_intervals_ms"]
    )
    figures = result["interaction_metrics"]
    assert speaking == figures["speaking_duration_ms"]["cumulative"]
    assert sum(one["interaction"]["overlap_ms"] for one in ticks) == result["overlap_ms"] > 0
    kinds = [event["type"] for one in ticks for event in one["events"]]
    assert kinds.count("caller.action.observed") == result["user_turns"]


def test_speech_sounds_and_silence_is_silent_in_every_tick(runs: dict[int, FinishedRun]) -> None:
    for one in ticks_of(runs[20]):
        if one["assistant"]["speech"]:
            assert one["assistant"]["rms"] > 0


def test_the_files_are_made_again_from_what_is_stored_to_the_byte(run: FinishedRun) -> None:
    stored = decode_details(run.details(INTERRUPTED))
    assessment, folder = assess(stored.evidence, stored.scenario, stored.policy), folder_of(run)
    heard = Recordings(wav.read_mono(folder / "input.wav"), wav.read_mono(folder / "output.wav"))

    assert result_json(judge_again(stored)) == run.rows[INTERRUPTED]
    assert result_file(stored, assessment, 200) == (folder / RESULT).read_bytes()
    ticks = (folder / "conversation.ticks.jsonl").read_bytes()
    assert tick_file(stored, assessment, 200, heard) == ticks
    turns = (folder / "conversation.turns.jsonl").read_bytes()
    assert turn_file(stored, assessment) == turns


def test_a_turn_has_one_row_wherever_it_stands(run: FinishedRun) -> None:
    lines = (folder_of(run) / "conversation.turns.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == result_of(run)["turn_metrics"]


def test_the_published_events_give_the_work_again(run: FinishedRun) -> None:
    evidence = decode_details(run.details(INTERRUPTED)).evidence
    events = result_of(run)["run_metadata"]["delegation_lifecycle_events"]
    again = work_intervals(map(observation_of, events), evidence.extent_ms)
    assert again == Timeline.of(evidence).work


def test_its_figures_are_the_row_s(run: FinishedRun) -> None:
    row, result = run.rows[INTERRUPTED], result_of(run)
    figures, audio = result["interaction_metrics"], row["metrics"]["audio"]
    shared = figures.keys() & audio.keys()

    assert {"response_rate", "interruption_rate", "floor_hold_silence_ms"} <= shared
    assert {name: figures[name] for name in shared} == {name: audio[name] for name in shared}
    counts = audio["response_opportunities"]
    assert {name: figures["counts"][name] for name in counts} == counts
    assert result["artifacts"] == row["artifacts"]
    assert row["artifacts"]["details"] == f"audio/{INTERRUPTED}/{RESULT}"
    assert row["artifacts"]["evidence"] == f"transcripts/{INTERRUPTED}.json"
    assert result["total_turns"] == row["metrics"]["task"]["turns"]["actual"]


def test_without_being_asked_for_no_diagnosis_is_written(tmp_path: Path) -> None:
    run, _ = evaluate_here(tmp_path / "results", RUN, example=INTERRUPTED, tick_ms=20)
    names = {one.name for one in folder_of(run).iterdir()}

    assert RESULT in names
    assert names & {"conversation.ticks.jsonl", "conversation.turns.jsonl"} == set()
    assert result_of(run)["run_metadata"]["analysis_tick_ms"] is None
    assert run.report["run"]["configuration"]["tick_ms"] == 20


def test_a_caller_that_is_no_measurement_leaves_its_details_too(tmp_path: Path) -> None:
    run, _ = evaluate_here(
        tmp_path / "results",
        RUN,
        example="restaurant_booking_complete",
        offline_script="caller_start_refused",
        debug_artifacts=True,
    )
    (key,) = run.rows
    result = result_of(run, key)

    assert result["task_status"] == "error"
    assert result["run_metadata"]["failure"]["stage"] == run.rows[key]["error"]["stage"]
    assert result["turn_metrics"] is None
    assert {"ticks", "turns"} & run.rows[key]["artifacts"].keys() == set()
    assert result_json(judge_again(decode_details(run.details(key)))) == run.rows[key]


@pytest.mark.parametrize("width", [19, 1_001])
def test_a_width_out_of_bounds_is_refused_before_anything_is_there(
    width: int, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="tick-ms"):
        evaluate_here(tmp_path / "results", RUN, example=INTERRUPTED, tick_ms=width)
    assert not (tmp_path / "results").exists()


def test_the_installed_command_takes_both(tmp_path: Path) -> None:
    run = installed(
        "run-eval",
        tmp_path / "results",
        "--offline",
        "--scenario",
        INTERRUPTED,
        "--tick-ms",
        "100",
        "--debug-artifacts",
    )
    ticks = ticks_of(run)
    assert run.status == 0, run.stderr
    assert (ticks[0]["end_ms"], ticks[1]["end_ms"]) == (100, 200)
