"""WALK replays recordings as they are, and says which; what is wrong with one is said in a line."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assistants.suite.run
from shared.attempts.bench import Bench
from shared.audio import wav
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pcm import Pcm, from_bytes, silence
from shared.dataset import load_dataset
from shared.errors import DatasetError, UsageError
from tests.support.recordings import TEXT, a_recorded_dataset, recorded, recording, spoken
from tests.support.runs import FinishedRun, Lines, Spoken, evaluate_here
from walk_harness.caller import RecordedCaller
from walk_harness.suite import WALK

# The recordings here are tones, in which a neural detector hears no speech.
BY_ENERGY: Mapping[str, Any] = {"detector": "energy-v1", "sensitivity": False}


def replayed(folder: Path, dataset: Path, **flags: Any) -> tuple[FinishedRun, Lines]:
    return evaluate_here(folder / "results", WALK, data=str(dataset), **BY_ENERGY, **flags)


def heard(line: list[Spoken]) -> Pcm:
    """Every sample the assistant was sent, in order."""
    sent = [
        base64.b64decode(one.event["audio"])
        for one in line
        if one.direction == "sent" and one.event["type"] == "session.input_audio.append"
    ]
    return from_bytes(b"".join(sent))


def test_the_decoded_samples_are_streamed_and_nothing_else_of_the_file(tmp_path: Path) -> None:
    pcm = spoken()[:-7]  # not a whole number of frames
    dataset = a_recorded_dataset(tmp_path, recorded("a", recording()), audio={"audio/r.wav": pcm})
    run, lines = replayed(tmp_path, dataset)

    (line,) = lines.values()
    received = heard(line)
    assert np.array_equal(received[: pcm.size], pcm)
    assert not received[pcm.size :].any()
    assert (run.folder / "audio/a/input.wav").read_bytes() == (
        tmp_path / "audio/r.wav"
    ).read_bytes()


def test_the_reference_transcript_stays_with_the_graders(tmp_path: Path) -> None:
    text = "A table under the name of Zebulon, please."
    _, lines = replayed(
        tmp_path, a_recorded_dataset(tmp_path, recorded("a", recording(), text=text))
    )

    (line,) = lines.values()
    assert not [one for one in line if one.direction == "sent" and "Zebulon" in one.text]


def test_the_row_names_the_recording_its_condition_and_its_metadata(tmp_path: Path) -> None:
    metadata = {"language": "en", "accent": "Scottish", "microphone": {"kind": "headset"}}
    one = recording(condition="telephony", metadata=metadata)
    run, _ = replayed(tmp_path, a_recorded_dataset(tmp_path, recorded("a", one)))

    sha256 = hashlib.sha256((tmp_path / "audio/r.wav").read_bytes()).hexdigest()
    named = {"id": "r", "path": "audio/r.wav", "condition": "telephony", "metadata": metadata}
    assert run.rows["a"]["recording"] == {**named, "sha256": sha256}
    assert json.loads(run.details("a"))["recording"] == {**named, "sha256": sha256}
    assert run.rows["a"]["observability"]["interaction"]["audio_source"] == "walk.recorded"


def test_another_recording_is_another_caller(tmp_path: Path) -> None:
    alike = [recording(id="a"), recording(id="b"), recording(id="c", path="audio/other.wav")]
    audio = {"audio/r.wav": spoken(), "audio/other.wav": spoken()[:-24]}
    dataset = load_dataset(a_recorded_dataset(tmp_path, recorded("a", *alike), audio=audio))
    caller = RecordedCaller(dataset, EnergyV1())
    a, b, c = (caller.identity(one, None) for one in caller.renditions(dataset.scenarios))
    assert (a["kind"], a == b, a == c) == ("recorded", True, False)


def test_each_recording_is_an_attempt_of_its_own(tmp_path: Path) -> None:
    two = recorded("a", recording("near"), recording("far", "audio/far.wav"))
    audio = {"audio/r.wav": spoken(), "audio/far.wav": spoken()}
    run, _ = replayed(
        tmp_path,
        a_recorded_dataset(tmp_path, two, recorded("b", recording()), audio=audio),
        repeats=2,
    )

    assert list(run.rows) == ["a@near@1", "a@near@2", "a@far@1", "a@far@2", "b@1", "b@2"]
    assert run.rows["a@far@2"]["scenario_id"] == "a"
    assert run.rows["a@far@2"]["attempt"]["recording"] == "far"


def test_no_folder_of_this_machine_is_named(tmp_path: Path) -> None:
    absolute = recorded("a", recording(path=str(tmp_path / "audio/r.wav")))
    run, _ = replayed(tmp_path, a_recorded_dataset(tmp_path, absolute))

    assert run.rows["a"]["recording"]["path"] == "r.wav"
    leaks = [name for name, content in run.files().items() if str(tmp_path).encode() in content]
    assert leaks == []


def test_a_recording_longer_than_the_response_timeout_is_replayed_whole(tmp_path: Path) -> None:
    pcm = np.concatenate([silence(4_000), spoken(), silence(40)])
    dataset = a_recorded_dataset(tmp_path, recorded("a", recording()), audio={"audio/r.wav": pcm})
    run, lines = replayed(tmp_path, dataset, response_timeout_seconds=4.0)

    (line,) = lines.values()
    assert run.rows["a"]["status"] == "passed"
    assert np.array_equal(heard(line)[: pcm.size], pcm)


@pytest.mark.parametrize(
    ("scenarios", "flags", "complaint"),
    [
        pytest.param(
            [recorded("a", recording(path="audio/none.wav"))],
            {},
            r'scenario "a": input\.recordings\[0\]\.path: .*none\.wav: ',
            id="a-recording-that-is-not-there",
        ),
        pytest.param(
            [recorded("a", recording(path="scenarios.json"))],
            {},
            r'scenario "a": input\.recordings\[0\]\.path: .*scenarios\.json: ',
            id="a-recording-that-is-none",
        ),
        pytest.param(
            [recorded("a"), recorded("b", recording())],
            {"example": "a"},
            "--example: a is not a single-turn scenario with recordings; choose another",
            id="a-scenario-that-was-not-recorded",
        ),
        pytest.param(
            [recorded("a")],
            {},
            "nothing to run: .* single-turn scenario with recordings; walk-generate-audio makes",
            id="a-dataset-without-recordings",
        ),
        pytest.param(
            [recorded("a", recording("1/2"), recording("2/2"))],
            {},
            "recording '1/2': where a scenario has several recordings their ids name files",
            id="ids-of-several-recordings-that-cannot-name-files",
        ),
    ],
)
def test_before_anything_is_made_it_refuses(
    scenarios: list[dict[str, Any]], flags: dict[str, Any], complaint: str, tmp_path: Path
) -> None:
    dataset = a_recorded_dataset(tmp_path, *scenarios)
    with pytest.raises((UsageError, DatasetError), match=complaint) as refusal:
        replayed(tmp_path, dataset, **flags)
    assert "\n" not in str(refusal.value)
    assert not (tmp_path / "results").exists()


def test_every_recording_that_is_missing_is_named_at_once(tmp_path: Path) -> None:
    missing = [recorded(name, recording(path=f"audio/{name}.wav")) for name in ("a", "b")]
    with pytest.raises(DatasetError) as refusal:
        replayed(tmp_path, a_recorded_dataset(tmp_path, *missing))
    assert [line.partition(":")[0] for line in refusal.value.faults] == [
        'scenario "a"',
        'scenario "b"',
    ]


def test_one_recording_may_have_any_id(tmp_path: Path) -> None:
    run, _ = replayed(tmp_path, a_recorded_dataset(tmp_path, recorded("a", recording("1/2"))))
    assert list(run.rows) == ["a"]


@pytest.mark.parametrize(
    ("happens", "message"),
    [
        pytest.param(
            lambda path: path.unlink(),
            "the recording cannot be read any more: audio/r.wav",
            id="vanishes",
        ),
        pytest.param(
            lambda path: path.write_bytes(wav.encode(spoken("Something else."))),
            "the recording changed since the run began: audio/r.wav",
            id="changes",
        ),
    ],
)
def test_a_recording_that(
    happens: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """... between load and use costs its own attempt and no other."""
    two = [recorded("a", recording()), recorded("b", recording("r", "audio/b.wav"))]
    audio = {"audio/r.wav": spoken(), "audio/b.wav": spoken()}
    dataset = a_recorded_dataset(tmp_path, *two, audio=audio)

    def bench(*given: Any) -> Bench:
        happens(tmp_path / "audio/r.wav")
        return make(*given)

    make = assistants.suite.run._bench
    monkeypatch.setattr(assistants.suite.run, "_bench", bench)
    run, _ = replayed(tmp_path, dataset)

    assert (run.rows["a"]["status"], run.rows["b"]["status"]) == ("infrastructure_error", "passed")
    assert run.rows["a"]["error"] == {"stage": "audio_input", "message": message}


@pytest.mark.parametrize(
    ("needs_tools", "has_script", "is_warned"),
    [
        pytest.param(True, False, True, id="tools-and-no-script"),
        pytest.param(True, True, False, id="tools-and-a-script"),
        pytest.param(False, False, False, id="no-tools-and-no-script"),
    ],
)
def test_scenarios_that_fail_for_want_of_a_script_are_warned_of(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    *,
    needs_tools: bool,
    has_script: bool,
    is_warned: bool,
) -> None:
    one = recorded("a", recording())
    if needs_tools:
        one["expected"]["tools"] = {"required": [{"name": "check_availability"}]}
    dataset = a_recorded_dataset(tmp_path, one)
    if not has_script:
        (tmp_path / "scripts/sound/a.json").unlink()
    replayed(tmp_path, dataset)
    warned = "no script beside this dataset for 1 of its scenarios that need tools"
    assert (warned in capsys.readouterr().err) is is_warned


def test_a_recording_is_known_by_the_bytes_that_were_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """... not by those of another read, for which the file may have been changed and put back."""
    dataset = a_recorded_dataset(tmp_path, recorded("a", recording()))
    file = tmp_path / "audio/r.wav"
    true = file.read_bytes()
    read = wav.read_recording

    def changed_in_between(path: Path) -> wav.Recorded:
        found = read(path)
        path.write_bytes(wav.encode(spoken("Something else.")))
        return found

    monkeypatch.setattr(wav, "read_recording", changed_in_between)
    caller = RecordedCaller(load_dataset(dataset), EnergyV1())
    (rendition,) = caller.renditions(load_dataset(dataset).scenarios)
    assert rendition.recording is not None
    assert rendition.recording.sha256 == hashlib.sha256(true).hexdigest()


def test_what_was_replayed_is_part_of_the_configuration(tmp_path: Path) -> None:
    dataset = a_recorded_dataset(tmp_path, recorded("a", recording()))
    run, _ = replayed(tmp_path, dataset)
    first = run.report["run"]["configuration"]["caller"]
    assert first["recordings"] == 1

    (tmp_path / "audio/r.wav").write_bytes(wav.encode(spoken(f"{TEXT} Now.")))
    again, _ = evaluate_here(tmp_path / "more", WALK, data=str(dataset), **BY_ENERGY)
    second = again.report["run"]["configuration"]["caller"]
    assert second["recordings_sha256"] != first["recordings_sha256"]


@pytest.mark.parametrize(
    ("detector", "origin", "measures"),
    [
        pytest.param("energy-v1", "flag", ("energy-v1", "hybrid-v1"), id="as-asked-for"),
        pytest.param(None, "default", ("hybrid-v1", "energy-v1"), id="by-itself"),
    ],
)
def test_the_configuration_tells_the_detector_asked_for_from_those_that_measured(
    detector: str | None, origin: str, measures: tuple[str, str], tmp_path: Path
) -> None:
    flags: dict[str, Any] = {} if detector is None else {"detector": detector}
    dataset = a_recorded_dataset(tmp_path, recorded("a", recording()))
    run, _ = evaluate_here(tmp_path / "results", WALK, data=str(dataset), **flags)
    told = run.report["run"]["configuration"]
    assert (told["requested_detector"], told["origins"]["requested_detector"]) == (detector, origin)
    assert told["detector"] == {"name": "energy-v1", "version": "1"}
    caller = told["caller"]
    assert (caller["detector"]["name"], caller["second_detector"]["name"]) == measures
