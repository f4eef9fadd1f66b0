"""A caller that follows a script in a live run: who it is, what it says where, what is refused."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from assistants.frontend.fixture.conversation_script import parse_conversation_script
from run_harness.evaluate import main
from run_harness.scripted_caller import (
    CallerScripts,
    ScriptedCaller,
    played_text,
    prepared,
    scripted_identity,
)
from shared.audio.detection.energy_v1 import EnergyV1
from shared.dataset import load_dataset
from shared.errors import AttemptError, Stage
from shared.speech.prepared import PreparedSynthesizer
from shared.speech.tone import ToneSynthesizer
from tests.support.runs import bare_environment

ASKED = "Are you open?"
DATA = Path(__file__).parents[2] / "run_harness" / "data"
SCENARIOS = {
    one.id: one
    for one in load_dataset(DATA / "scenarios.json").scenarios
    if one.simulation_parameters is not None
}


def a_script(**caller: Any) -> str:
    says = {"say": ASKED, "at": "start+300"}
    return json.dumps(
        {
            "format": "gpt-live-conversation/1",
            "caller": {"steps": [says], **caller},
            "assistant": {"steps": []},
        }
    )


def identified(text: str, pitch_hz: int = 210) -> dict[str, Any]:
    return scripted_identity(parse_conversation_script(text), ToneSynthesizer(pitch_hz))


def test_a_caller_is_its_script_and_its_voice() -> None:
    ours = identified(a_script())

    assert ours["kind"] == "scripted"
    assert (
        ours["script_sha256"]
        == hashlib.sha256(played_text(parse_conversation_script(a_script())).encode()).hexdigest()
    )
    assert identified(a_script()) == ours
    assert identified(a_script(), pitch_hz=211) != ours
    assert identified(a_script(closing={"is_answered": False})) != ours


def test_what_the_assistant_would_say_makes_no_other_caller() -> None:
    other = json.loads(a_script())
    other["assistant"]["steps"] = [{"say": "Yes.", "at": "heard1.ended+600"}]

    assert identified(json.dumps(other)) == identified(a_script())


class Counting(ToneSynthesizer):
    """A voice that tells what it was asked to say."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def speak(self, text: str) -> Any:
        self.asked.append(text)
        return super().speak(text)


def test_every_sentence_is_spoken_once_and_before() -> None:
    voice = Counting()
    ready = PreparedSynthesizer(voice, ["One.", "Two.", "One."], EnergyV1())

    assert voice.asked == ["One.", "Two."]
    assert (ready.speak("Two.").pcm == ToneSynthesizer().speak("Two.").pcm).all()
    assert voice.asked == ["One.", "Two."]
    with pytest.raises(KeyError):
        ready.speak("Three.")


class Mute(ToneSynthesizer):
    def speak(self, text: str) -> Any:
        raise ValueError(f"nothing to say in {text!r}")


def test_a_voice_that_cannot_say_it_is_no_failure_of_the_assistant() -> None:
    with pytest.raises(AttemptError) as raised:
        prepared(Mute(), parse_conversation_script(a_script()))

    assert raised.value.stage is Stage.AUDIO_SYNTHESIS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, value in bare_environment(tmp_path / "any").items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "any-key-at-all")
    monkeypatch.setattr("run_harness.evaluate.leave", sys.exit)
    other = {**json.loads(a_script()), "assistant": {"steps": []}}
    scripts: dict[str, Any] = {
        "of_another": other,
        "two words": other,
        "no_caller": {"format": FORMAT, "assistant": {"steps": []}},
        "silent": {"format": FORMAT, "caller": {"steps": []}},
        "of_one_side": {"format": "gpt-live-script/1", "steps": []},
        "cut": calling(door={"status": 429}),
        "at_once": calling(),
        "some/restaurant_backchannel": calling(),
    }
    for name, content in scripts.items():
        path = tmp_path / "scripts" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), "utf-8")
    (tmp_path / "scripts" / "broken.json").write_text("{", "utf-8")
    (tmp_path / "first.txt").write_text("Greet the caller.", "utf-8")
    return tmp_path


FORMAT = "gpt-live-conversation/1"
OPENING = "Could you tell me a little about the house, the hours and the way to you?"


def calling(**more: Any) -> dict[str, Any]:
    """A script of a caller alone, for the scenario that is chosen below."""
    says = {"say": OPENING, "at": "start+300"}
    return {"format": FORMAT, "caller": {"steps": [says], **more}}


def script(name: str) -> tuple[str, ...]:
    return ("--caller-script", f"scripts/{name}.json", *ONE)


ONE = ("--scenario", "restaurant_backchannel", "--synthesizer", "tone")
SOUND = ("--caller-script", "sound", "--synthesizer", "tone")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param((*SOUND, "--offline"), "--offline-script", id="offline-has-its-own-flag"),
        pytest.param(("--caller-script", "x.json"), "x.json does not exist", id="no-file"),
        pytest.param(script("of_another"), "name the script of this", id="of-another-scenario"),
        pytest.param(script("no_caller"), "it has no caller side", id="no-caller-side"),
        pytest.param(script("of_one_side"), "format: Input should be", id="no-conversation"),
        pytest.param(script("silent"), "the caller says nothing", id="a-caller-without-words"),
        pytest.param(script("broken"), "scripts/broken.json: Invalid JSON", id="no-json"),
        pytest.param(script("two words"), "use letters, digits", id="a-name-for-no-files"),
        pytest.param(script("cut"), "--simulator-endpoint", id="below-the-messages"),
        pytest.param(
            ("--caller-script", "scripts/at_once.json"),
            "the caller of one scenario, and 17 are to run",
            id="one-file-for-many-scenarios",
        ),
        pytest.param(
            ("--caller-script", "scripts/some", "--max-examples", "1"),
            'scenario "restaurant_booking_complete" has no script',
            id="a-folder-without-it",
        ),
        pytest.param(
            (*script("at_once"), "--assistant-opening-prompt", "first.txt"),
            "the caller speaks at start+300",
            id="before-an-assistant-that-speaks-first",
        ),
        pytest.param(("--synthesizer", "tone"), "belongs to --caller-script", id="a-voice-alone"),
        pytest.param(
            (*SOUND, "--simulator-voice", "ash"), "belongs to a simulated", id="a-model's-voice"
        ),
        pytest.param(
            (*SOUND, "--caller-voice", "ash"), "belongs to --synthesizer openai", id="no-such-voice"
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    arguments: tuple[str, ...],
    complaint: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = sorted(path.name for path in folder.rglob("*"))
    monkeypatch.setattr(sys, "argv", ["run-eval", "--results-dir", "results", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()

    assert (caught.value.code, said.out) == (2, "")
    assert len(said.err.splitlines()) == 1
    assert complaint in said.err
    assert sorted(path.name for path in folder.rglob("*")) == before


def test_a_folder_and_a_pause_within_the_opening_are_fine(tmp_path: Path) -> None:
    scenario = SCENARIOS["restaurant_backchannel"]
    half = {"say": "could you tell me", "at": "start+300", "id": "half"}
    rest = {"say": "a little about the house?", "at": "half.said+1000"}
    path = tmp_path / "slow" / f"{scenario.id}.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"format": FORMAT, "caller": {"steps": [half, rest]}}), "utf-8")

    by_folder = CallerScripts.at(path.parent).of(scenario, is_called_first=False)
    by_file = CallerScripts.at(path).of(scenario, is_called_first=False)

    assert (by_folder.name, by_file.name) == ("slow", scenario.id)
    assert by_folder.script == by_file.script


def test_the_sound_callers_are_those_beside_the_dataset() -> None:
    caller = ScriptedCaller(CallerScripts.beside(DATA), ToneSynthesizer())
    renditions = caller.renditions(list(SCENARIOS.values()))

    assert [one.script.name for one in renditions if one.script] == ["sound"] * len(SCENARIOS)
