"""What the service made of recorded requests, from the wire to the table of conditions."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from shared.attempts.bench import judge_again
from shared.attempts.details import decode_details, result_json
from shared.reporting.report_schema import report_schema
from tests.support.recordings import ANSWER, a_recorded_dataset, recorded, recording, spoken
from tests.support.runs import FinishedRun, installed

TEXT = "Two tickets for July third at half past seven in the evening, please."
LOST = {
    "tampering": [
        {"on": "session.input_transcript.delta", "leaves_ms": []},
        {"on": "session.output_transcript.delta", "leaves_ms": []},
    ]
}
HEARD: dict[str, dict[str, Any]] = {
    "heard": {"hears": "Two tickets for July 3rd at 7:30 in the evening please"},
    "misheard": {"hears": "Two tickets for July 13th at 7:30 in the morning"},
    "unheard": {"hears": ""},
    "uncaptioned": LOST,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """One recording heard well, and three under noise: misheard, unheard and without captions."""
    folder = tmp_path_factory.mktemp("conditions")
    scenarios = [
        recorded(
            name,
            recording(path=f"audio/{name}.wav", condition="clean" if name == "heard" else "noisy"),
            text=TEXT,
        )
        for name in HEARD
    ]
    audio = {f"audio/{name}.wav": spoken(TEXT) for name in HEARD}
    dataset = a_recorded_dataset(folder, *scenarios, audio=audio)
    for name, script in HEARD.items():
        path = folder / "scripts" / "sound" / f"{name}.json"
        path.write_text(json.dumps({**ANSWER, **script}), "utf-8")
    # The recordings are tones, in which a neural detector hears no speech.
    by_energy = ("--detector", "energy-v1", "--no-sensitivity")
    return installed("walk-eval", folder / "results", "--offline", "--data", dataset, *by_energy)


def extended(run: FinishedRun, key: str) -> dict[str, Any]:
    block: dict[str, Any] = run.rows[key]["metrics"]["audio"]["extended"]
    return block


def heard(run: FinishedRun, key: str) -> dict[str, bool]:
    return {one["expected"]: one["heard"] for one in extended(run, key)["entities"]}


def test_another_form_is_no_error_but_other_words_are(run: FinishedRun) -> None:
    assert extended(run, "heard")["word_error"]["reference_words"] == 13
    # "Half past seven" was written as 7:30, and only the entity knows that they are the same.
    assert extended(run, "heard")["word_error"]["rate"] > 0
    assert set(heard(run, "heard").values()) == {True}


def test_what_was_misheard_is_told_by_name(run: FinishedRun) -> None:
    assert heard(run, "misheard") == {
        "Two": True,
        "July third": False,
        "half past seven in the evening": False,
    }


def test_a_service_that_transcribed_nothing_lost_all(run: FinishedRun) -> None:
    errors = extended(run, "unheard")["word_error"]
    assert (errors["deletions"], errors["rate"]) == (13, 1.0)


def test_a_service_without_captions_is_unknown(run: FinishedRun) -> None:
    assert extended(run, "uncaptioned")["word_error"] is None
    unavailable = run.rows["uncaptioned"]["metrics"]["unavailable"]
    assert unavailable["audio.extended.word_error"] == "the service gave no captions"


def test_conditions_pool_what_was_counted(run: FinishedRun) -> None:
    clean, noisy = run.report["summary"]["conditions"]
    assert (clean["condition"], noisy["condition"]) == ("clean", "noisy")
    assert (noisy["total"], noisy["measured"], noisy["transcribed"]) == (3, 3, 2)
    assert noisy["word_error"]["reference_words"] == 26
    assert noisy["entities"] == {"heard": 1, "total": 6, "share": 0.1667}
    assert noisy["response_latency_ms"]["count"] == 3
    jsonschema.validate(run.report, report_schema())


def test_the_terminal_says_that_the_words_are_a_script_s(run: FinishedRun) -> None:
    line = next(one for one in run.stdout.splitlines() if one.startswith("condition noisy"))
    assert "\tpassed 3/3\tinvalid 0\tanswered 3/3\t" in line
    assert line.endswith("\tword error scripted\tentities scripted")


def test_judging_again_gives_the_same_rows(run: FinishedRun) -> None:
    assert {
        key: result_json(judge_again(decode_details(run.details(key)))) for key in run.rows
    } == run.rows
