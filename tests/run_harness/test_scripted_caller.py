"""A caller that follows a script in a live run: who it is, what it says where, what is refused."""

from __future__ import annotations

import hashlib
import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from assistants.frontend.fixture.conversation_script import parse_conversation_script
from run_harness.evaluate import main
from run_harness.scripted_caller import played_text, prepared, scripted_identity
from shared.errors import AttemptError, Stage
from shared.speech.prepared import PreparedSynthesizer
from shared.speech.tone import ToneSynthesizer
from tests.support.calls import Call
from tests.support.runs import bare_environment

ASKED = "Are you open?"
ANSWERS = (
    "We are, and before you ask, there is a long story to it, too.",
    "Eight at most, and on the terrace in summer there is room for twelve.",
)


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
    ready = PreparedSynthesizer(voice, ["One.", "Two.", "One."])

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


PLACED = Call(
    caller=(
        {"say": ASKED, "at": "start+300"},
        {"say": "Mm-hm.", "at": "heard1.began+1200", "action": "BACKCHANNEL"},
        {"say": "And how many,", "at": "heard1.ended+700", "id": "half"},
        {"say": "do you take?", "at": "half.said+1000"},
        {"say": "Sorry, I meant tomorrow.", "at": "heard2.began+700", "action": "INTERRUPT"},
        {"say": "Bye.", "at": "heard2.ended+2000", "action": "STOP"},
    ),
    assistant=(
        {"say": ANSWERS[0], "at": "heard1.ended+600"},
        # The murmur was the second stretch, the halves around the pause are two more.
        {"say": ANSWERS[1], "at": "heard4.ended+600"},
    ),
)


def test_what_hangs_on_the_assistant_lies_exactly_there(tmp_path: Path) -> None:
    """A murmur 1.2 s into its first answer, a pause of 1 s, and breaking in 0.7 s into its second.

    The assistant is heard after the hold of its playout, and so is the caller.
    """
    held = PLACED.hold_in_memory(tmp_path / "call")
    caller = held.evidence.caller.voiced.spans
    starts = [turn["start_ms"] for turn in held.caller_turns]
    answers = held.evidence.assistant.voiced.spans
    second = next(span.start_ms for span in answers if span.start_ms > starts[3])

    assert held.row["status"] == "passed"
    assert [turn["action"] for turn in held.caller_turns] == [
        "OPENING",
        "BACKCHANNEL",
        "SPEAK",
        "SPEAK",
        "INTERRUPT",
        "STOP",
    ]
    hold_ms, grain_ms = 200, 30
    assert starts[1] - answers[0].start_ms == pytest.approx(1_200 + hold_ms, abs=grain_ms)
    assert starts[4] - second == pytest.approx(700 + hold_ms, abs=grain_ms)
    pauses = [after.start_ms - before.end_ms for before, after in pairwise(caller)]
    assert pytest.approx(1_000, abs=grain_ms) in pauses


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, value in bare_environment(tmp_path / "any").items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "any-key-at-all")
    monkeypatch.setattr("run_harness.evaluate.leave", sys.exit)
    return tmp_path


ALONE = ("--caller-script", "sound", "--synthesizer", "tone")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param((*ALONE, "--offline"), "--offline-script", id="offline-has-its-own-flag"),
        pytest.param(("--caller-script", "defects"), "name sound or one", id="a-kind-is-no-script"),
        pytest.param(("--caller-script", "nowhere"), "no selected scenario", id="an-unknown-name"),
        pytest.param(
            ("--synthesizer", "tone"), "add --caller-script", id="a-simulated-caller-has-a-voice"
        ),
        pytest.param(
            (*ALONE, "--caller-voice", "ash"), "belongs to --synthesizer openai", id="no-such-voice"
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


def test_a_dataset_without_scripts_is_refused_by_its_scenarios(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = Path(__file__).parents[2] / "run_harness" / "data" / "scenarios.json"
    (folder / "mine.json").write_bytes(data.read_bytes())
    monkeypatch.setattr(sys, "argv", ["run-eval", "--data", "mine.json", *ALONE])
    with pytest.raises(SystemExit) as caught:
        main()
    lines = capsys.readouterr().err.splitlines()

    assert caught.value.code == 2
    assert len(lines) == 17
    assert all("no script for its caller" in line for line in lines)
    assert not (folder / "run_harness").exists()
