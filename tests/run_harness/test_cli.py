"""``run-eval`` refuses what it cannot do: status 2, lines that say what, and nothing made."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from assistants.suite.plan import plan_run
from run_harness.evaluate import main
from run_harness.settings import ROWS
from run_harness.suite import RUN
from shared.settings import Kind, Setting, resolve
from tests.support.runs import bare_environment

OFFLINE = ("--offline", "--example", "restaurant_backchannel")
ENDPOINT = "wss://api.example.org/v1/live/sessions"
REFUSED: dict[str, tuple[str, ...]] = {
    # Every option whose value is checked, and values that are none of it.
    "config": ("no.toml",),
    "data": ("no.json",),
    "example": ("nobody", ""),
    "max_examples": ("-1", "some", "1.5"),
    "repeats": ("0", "1001", "some"),
    "concurrency": ("0", "9", "two"),
    "offline_script": ("no_such_script", ""),
    "run_name": ("a/b", "../up"),
    "fail_on": ("always", ""),
    "junit": ("no/x.xml", "a_file", ".", "/dev/null", ""),
    "max_duration_seconds": ("0", "-1", "600.1", "nan", "inf", "long"),
    "response_deadline_ms": ("0", "-5", "60001", "1.5", "soon"),
    "assistant_opening_prompt": ("no.txt", "."),
    "cleanup_timeout_seconds": ("0", "-1", "600.1", "nan", "inf", "true"),
    "work_grace_seconds": ("-1", "600.1", "nan", "inf", "true"),
    "simulator_model": ("", " "),
    "simulator_endpoint": ("http://example.org", "wss://u:p@example.org/x", "nowhere"),
    "caller_script": ("no_such_script", "a_file", ""),
    "synthesizer": ("nobody", ""),
    "caller_voice": ("", " "),
    "completion_model": ("", " "),
    "completion_timeout_seconds": ("0", "61", "nan", "true"),
    "drain_ms": ("-1", "60001", "1.5"),
    "tick_ms": ("19", "1001", "20.5", "often"),
    "condition": ("loud", ""),
    "noise_rms": ("-1", "32768", "nan"),
    "noise_snr_db": ("-1000", "1000", "nan"),
    "background_speech": ("no.wav",),
    "background_gain": ("-0.1", "1.1", "nan"),
    "echo_delay_ms": ("-1", "60001"),
    "echo_decay": ("-0.1", "1.1", "nan"),
    "packet_loss_rate": ("-0.1", "1.1", "nan"),
    "packet_loss_burst": ("0", "1001"),
    "packet_loss_fill": ("noise",),
    "cough_every_ms": ("0", "3600001"),
    "non_directed_every_ms": ("0", "3600001"),
    "seed": ("some", "1.5"),
    "judge_model": ("", " "),
    "judge_reasoning_effort": ("max", ""),
    "judge_repetitions": ("0", "26", "1.5", "some"),
    "judge_cache_dir": ("a_file",),
    "model": ("", " "),
    "backend_model": ("", " "),
    "voice": ("", " "),
    "endpoint": ("http://example.org", "wss://u:p@example.org/x", f"{ENDPOINT}?key=1"),
    "assistant_mode": ("neither", ""),
    "assistant_endpoint": ("ws://127.0.0.1:1/x",),
    "client_backend": ("no_such_file.py", "a_file"),
    "application": ("no_such_folder",),
}
LIVE_ONLY = {
    "caller_script",
    "endpoint",
    "simulator_endpoint",
    "judge_cache_dir",
    "assistant_opening_prompt",
}
"""Offline nothing is looked up by these, so they are checked in a live run."""
ANYTHING = {"results_dir", "simulator_voice", "audio_cache_dir"}
"""Whatever is given here is a place to make, or a voice somebody may have; tones are not kept."""
FREE = {row.name for row in ROWS if row.kind is Kind.SWITCH} | ANYTHING


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_ASSISTANT_MODE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in bare_environment(tmp_path / "any").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OPENAI_API_KEY", "any-key-at-all")
    monkeypatch.setattr("run_harness.evaluate.leave", sys.exit)
    (tmp_path / "a_file").write_text("x")
    return tmp_path


def refused(
    folder: Path,
    patch: pytest.MonkeyPatch,
    capture: pytest.CaptureFixture[str],
    *arguments: str,
) -> list[str]:
    """What the command said; it must have made nothing."""
    before = sorted(path.name for path in folder.rglob("*"))
    patch.setattr(sys, "argv", ["run-eval", "--results-dir", "results", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capture.readouterr()

    assert (caught.value.code, said.out) == (2, ""), said.err
    assert sorted(path.name for path in folder.rglob("*")) == before
    assert "Traceback" not in said.err
    return said.err.splitlines()


def unscripted(folder: Path, *scripted: str) -> Path:
    """Our dataset where only these scenarios have a script."""
    data = RUN.bundled_data
    sound = folder / "mine" / "scripts" / "sound"
    sound.mkdir(parents=True)
    for name in scripted:
        shutil.copy(data.parent / "scripts" / "sound" / f"{name}.json", sound)
    return Path(shutil.copy(data, folder / "mine"))


def test_a_conversation_nobody_wrote_is_not_held(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(unscripted(folder))
    (line,) = refused(folder, monkeypatch, capsys, "--offline", "--data", data)
    assert line.endswith("; write scripts/sound/<scenario id>.json beside the dataset")


def test_of_a_dataset_what_has_a_script_is_held_and_the_rest_is_named(folder: Path) -> None:
    data = unscripted(folder, "restaurant_backchannel")
    flags = {"offline": True, "data": str(data)}
    settings = resolve(ROWS, flags=flags, environment={}, env_file={}, toml={})
    plan = plan_run(RUN, settings)
    assert [one.attempt.key for one in plan.attempts] == ["restaurant_backchannel"]
    (warning,) = plan.warnings
    assert warning == (
        "no script beside this dataset for 16 of its scenarios (such as"
        " scripts/sound/restaurant_agreement_first.json): nobody would call, so they are left out"
    )


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        pytest.param("defect", "did you mean 'defects'?", id="a-kind"),
        pytest.param("talks_onn", "did you mean 'talks_on'?", id="a-name"),
        pytest.param("zzz", "there are: sound, defects, faults, callers, ass", id="nothing-near"),
    ],
)
def test_a_mistyped_script_is_answered_with_the_nearest(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: str,
    advice: str,
) -> None:
    (line,) = refused(folder, monkeypatch, capsys, "--offline", "--offline-script", typed)
    assert f"no selected scenario has a script '{typed}'; {advice}" in line


def rows_with_flags() -> dict[str, Setting]:
    return {row.name: row for row in ROWS if row.flag is not None}


def test_no_option_is_left_out() -> None:
    checked = set(REFUSED)

    assert checked | FREE >= set(rows_with_flags())
    assert checked <= set(rows_with_flags())


CASES: list[Any] = [
    pytest.param(name, value, id=f"{name}={value!r}")
    for name, values in REFUSED.items()
    for value in values
]


@pytest.mark.parametrize(("name", "value"), CASES)
def test_a_value_that_is_none_is_refused_in_one_line(
    name: str,
    value: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    flag = str(rows_with_flags()[name].flag)
    live = ("--max-examples", "1")
    given = live if name in LIVE_ONLY else OFFLINE[:1] if name == "example" else OFFLINE
    (line,) = refused(folder, monkeypatch, capsys, *given, flag, value)

    assert line.startswith("run-eval: ")
    assert flag in line or value in line


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        pytest.param("[judge]\nrepetitions = 0\n", "judge.repetitions", id="no-opinion"),
        pytest.param("[judge]\nrepetitions = true\n", "judge.repetitions", id="a-truth"),
        pytest.param("[judge]\nrepetitions = '3'\n", "judge.repetitions", id="a-text"),
        pytest.param("[simulation]\nlength = 3\n", "simulation.length", id="an-unknown-key"),
        pytest.param("[simulation\n", "given.toml", id="no-toml"),
    ],
)
def test_a_file_is_refused_by_its_name(
    document: str,
    complaint: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "given.toml").write_text(document)
    (line,) = refused(folder, monkeypatch, capsys, *OFFLINE, "--config", "given.toml")

    assert "given.toml" in line
    assert complaint in line


def test_the_opening_of_an_assistant_is_not_blank(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "blank.txt").write_text(" \n")
    given = [*OFFLINE, "--assistant-opening-prompt", "blank.txt"]
    (line,) = refused(folder, monkeypatch, capsys, *given)

    assert "is blank" in line


@pytest.mark.parametrize("flag", ["--simulator-voice", "--voice"])
def test_a_caller_with_the_assistants_voice_is_refused_by_name(
    flag: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of every scenario that is concerned, whatever the case."""
    caller = json.loads(DATA.read_bytes())["scenarios"][0]["simulation_parameters"]["persona"]
    value = "Marin" if flag == "--simulator-voice" else caller["voice"].upper()
    lines = refused(folder, monkeypatch, capsys, flag, value)

    assert lines
    assert all("the caller has the assistant's voice" in line for line in lines)


DATA = Path(__file__).parents[2] / "run_harness" / "data" / "scenarios.json"
