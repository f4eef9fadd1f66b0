"""The command as a whole, over files, spoken by the test signal."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from assistants.frontend.fixture.http import HttpEnd, http_end
from assistants.frontend.fixture.http_script import parse_http_script
from shared.audio import wav
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.effects.acoustics import Acoustics
from shared.audio.effects.bundled import ambience
from shared.audio.effects.recipe import Recipe
from shared.audio.pcm import Pcm, silence
from shared.audio.sidecar import Sidecar, SourceKind, read_sidecar, sha256_of, sidecar_path
from shared.command import run_command
from shared.observability.evidence import MeasuredOn
from shared.speech.port import Speech
from shared.speech.tone import ToneSynthesizer
from tests.support.runs import evaluate_here
from walk_harness.generate_audio import ABOUT, _generate
from walk_harness.generation.settings import ROWS
from walk_harness.suite import WALK

ROOT = Path(__file__).parents[3]
TEXTS = {"a": "Good evening to you.", "b": "How late is it?", "c": "Is anybody there?"}
LOUD = np.resize(np.repeat(np.array([9_000, -9_000], np.int16), 10), 12_000)


class Shell:
    """A folder with scenarios in it, and the command typed there."""

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.out = self.err = ""

    def type(self, *arguments: str, voice: str | None = "tone") -> int:
        spoken_by = ["--synthesizer", voice] if voice else []
        self._monkeypatch.setattr("sys.argv", ["walk-generate-audio", *arguments, *spoken_by])
        status = run_command("walk-generate-audio", ABOUT, ROWS, _generate)
        self.out, self.err = self._capsys.readouterr()
        return status

    def write(self, name: str, *scenarios: dict[str, Any]) -> None:
        (self.folder / name).write_text(json.dumps({"scenarios": scenarios}), "utf-8")

    def scenarios(self, name: str) -> dict[str, Any]:
        document = json.loads((self.folder / name).read_text("utf-8"))
        return {one["id"]: one for one in document["scenarios"]}

    def recording(self, name: str, scenario_id: str) -> dict[str, Any]:
        (recording,) = self.scenarios(name)[scenario_id]["input"]["recordings"]
        return dict(recording)

    def content(self, below: str = "") -> dict[str, bytes]:
        """Every file there is."""
        root = self.folder / below
        return {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    monkeypatch.chdir(tmp_path)
    for variable in ("OPENAI_API_KEY", "OPENAI_TTS_MODEL", "OPENAI_WALK_TTS_VOICE"):
        monkeypatch.delenv(variable, raising=False)
    shell = Shell(tmp_path, monkeypatch, capsys)
    shell.write("s.json", *(scenario(name) for name in TEXTS))
    return shell


def scenario(name: str, *recordings: dict[str, Any]) -> dict[str, Any]:
    request: dict[str, Any] = {"text": TEXTS[name]}
    if recordings:
        request["recordings"] = list(recordings)
    return {
        "id": name,
        "title": "é",
        "interaction": "single_turn",
        "input": request,
        "expected": {"answer": "A"},
    }


def named(place: str = "audio/a.wav", **more: Any) -> dict[str, Any]:
    return {"id": "theirs", "path": place, **more}


def spoken(name: str) -> Pcm:
    return np.concatenate([ToneSynthesizer().speak(TEXTS[name]).pcm, silence(500)])


def sidecar(path: Path) -> Sidecar:
    found = read_sidecar(path, hashlib.sha256(path.read_bytes()).hexdigest())
    assert found is not None
    return found


def test_one_scenario_as_a_noisy_caller(shell: Shell) -> None:
    made = ["--data", "s.json", "--example", "b", "--output-data", "out/o.json"]
    assert shell.type(*made, "--condition", "noisy") == 0
    assert shell.out.splitlines() == [
        f"CREATED b noisy {spoken('b').size / 24_000:.2f} s audio/b_noisy.wav",
        "DATASET out/o.json 1 scenarios",
        "replay: uv run walk-eval --data out/o.json",
        "1 created, 0 existed",
    ]
    assert shell.recording("out/o.json", "b") == {
        "id": "synthetic_recording",
        "path": "audio/b_noisy.wav",
        "condition": "noisy",
        "metadata": {
            "generation": {"source": "synthetic_speech", "seed": 7, "synthesizer": "tone"}
        },
    }
    heard = wav.read_mono(shell.folder / "out/audio/b_noisy.wav")
    known = sidecar(shell.folder / "out/audio/b_noisy.wav")
    chain = Acoustics(
        known.effects,
        seed=7,
        scope="b",
        speech_dbfs=known.applied.speech_dbfs,
        ambience=ambience(),
    )
    assert heard.tolist() == chain.process(spoken("b")).tolist()
    assert known.applied == chain.applied()


def test_one_request_in_several_conditions_is_one_scenario_that_can_be_replayed(
    shell: Shell,
) -> None:
    order = ["--data", "s.json", "--example", "a", "--output-data", "o.json"]
    assert shell.type(*order, "--condition", "noisy") == 0
    for condition in ("echo", "clean", "echo"):
        assert shell.type(*order, "--append", "--condition", condition) == 0
    recordings = shell.scenarios("o.json")["a"]["input"]["recordings"]
    assert [(one["id"], one["condition"]) for one in recordings] == [
        ("synthetic_recording", "noisy"),
        ("synthetic_recording_echo", "echo"),
        ("synthetic_recording_clean", "clean"),
    ]
    run, _ = evaluate_here(shell.folder / "results", WALK, data=str(shell.folder / "o.json"))
    assert list(run.rows) == [f"a@{one['id']}@acknowledge" for one in recordings]


def test_a_sidecar_knows_the_clean_speech(shell: Shell) -> None:
    shell.type("--data", "s.json", "--example", "a", "--condition", "realistic", "--seed", "9")
    known = sidecar(shell.folder / "audio/a_realistic.wav")
    mask = known.speech_mask
    assert mask is not None
    assert mask.voiced == EnergyV1().voiced(spoken("a"))
    assert (mask.detector.name, mask.measured_on) == ("energy-v1", MeasuredOn.CLEAN_SOURCE)
    assert known.source.kind is SourceKind.SYNTHESIZED
    assert known.source.pcm_sha256 == sha256_of(spoken("a"))
    assert known.source.text == TEXTS["a"]
    assert (known.seed, known.scenario_id, known.condition) == (9, "a", "realistic")


def test_without_a_name_the_new_file_lies_beside_its_source(shell: Shell) -> None:
    before = (shell.folder / "s.json").read_bytes()
    assert shell.type("--data", "s.json") == 0
    assert shell.type("--data", "s.json", "--condition", "echo") == 0
    assert shell.type("--data", "s.json", "--vary-conditions") == 0
    assert (shell.folder / "s.json").read_bytes() == before
    for name, one in [("generated", "a"), ("echo", "b"), ("varied", "c_telephony")]:
        place = shell.recording(f"s.{name}.json", one)["path"]
        assert (shell.folder / place).exists()


def test_a_second_run_makes_nothing_and_changes_nothing(shell: Shell) -> None:
    order = ["--data", "s.json", "--output-data", "o.json", "--vary-conditions", "--append"]
    assert shell.type(*order) == 0
    before = shell.content()
    assert shell.type(*order, voice=None) == 0
    assert shell.content() == before
    assert shell.out.splitlines()[0].startswith("EXISTS a_clean clean audio/conditioned/a_clean")
    assert shell.out.splitlines()[-1] == "0 created, 3 existed"


def test_force_makes_the_same_bytes_again_from_the_speech_that_was_kept(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = ["--data", "s.json", "--output-data", "o.json", "--vary-conditions", "--append"]
    assert shell.type(*order) == 0
    before = shell.content()
    for path in shell.folder.rglob("conditioned/*"):
        path.unlink()
    monkeypatch.setattr(ToneSynthesizer, "speak", None)
    assert shell.type(*order, "--force", "--frame-ms", "33") == 0
    assert shell.content() == before


def test_speech_of_other_words_or_another_voice_is_not_reused(shell: Shell) -> None:
    order = ["--data", "s.json", "--output-data", "o.json", "--condition", "echo", "--force"]
    shell.type(*order)
    shell.write("s.json", {**scenario("a"), "input": {"text": "Quite another thing."}})
    assert shell.type(*order) == 0
    assert sidecar(shell.folder / "audio/a_echo.wav").source.text == "Quite another thing."
    assert shell.type(*order, voice="openai") == 2
    assert "OPENAI_API_KEY: --synthesizer openai needs a key" in shell.err


@contextmanager
def a_service(monkeypatch: pytest.MonkeyPatch, *answers: dict[str, Any]) -> Iterator[HttpEnd]:
    """A speech service on this machine, and the environment that leads to it."""
    rules = [{"to": "speech"} | answer for answer in answers]
    script = parse_http_script(json.dumps({"format": "live-fixture-http/1", "answers": rules}))
    with http_end(script) as end:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-any-key-at-all")
        monkeypatch.setenv("OPENAI_BASE_URL", end.url)
        monkeypatch.setenv("OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK", "true")
        yield end


def test_a_service_speaks_over_a_real_socket_once_for_each_voice(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = ["--data", "s.json", "--example", "a", "--force", "--audio-cache-dir", "cache"]
    order += ["--condition", "telephony", "--model", "m"]
    with a_service(monkeypatch, {"tone": 200}, {"tone": 120}) as end:
        for voice in ("coral", "coral", "ash"):
            assert shell.type(*order, "--voice", voice, voice="openai") == 0
        asked = [json.loads(request.text) for request in end.requests]
    assert [(one["model"], one["voice"], one["input"]) for one in asked] == [
        ("m", "coral", TEXTS["a"]),
        ("m", "ash", TEXTS["a"]),
    ]
    known = sidecar(shell.folder / "audio/a_telephony.wav")
    assert known.source.synthesizer is not None
    assert known.source.synthesizer.parameters["voice"] == "ash"
    assert b"sk-any-key-at-all" not in b"".join(shell.content().values())


def test_a_service_that_fails_is_said_in_one_line(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_service(monkeypatch, {"status": 401, "error": None}):
        status = shell.type("--data", "s.json", "--audio-cache-dir", "cache", voice="openai")
    assert status == 2
    assert shell.err == "walk-generate-audio: openai made no speech: it answered 401\n"
    assert not (shell.folder / "audio").exists()


def test_no_key_is_needed_where_nothing_is_spoken(shell: Shell) -> None:
    shell.write("s.json", scenario("a", named()))
    (shell.folder / "audio").mkdir()
    (shell.folder / "audio/a.wav").write_bytes(wav.encode(LOUD))
    assert shell.type("--data", "s.json", "--condition", "echo", voice=None) == 0
    made = shell.recording("s.echo.json", "a")
    assert made["id"] == "theirs_echo"
    assert made["metadata"]["generation"]["source"] == "existing_recording"
    known = sidecar(shell.folder / "audio/a_echo.wav")
    assert known.source.kind is SourceKind.RECORDING
    assert known.speech_mask is not None
    assert known.speech_mask.measured_on is MeasuredOn.RECORDING


def test_a_missing_recording_is_made_where_it_is_named(shell: Shell) -> None:
    shell.write("s.json", scenario("a", named(metadata={"language": "en"})))
    before = (shell.folder / "s.json").read_bytes()
    assert shell.type("--data", "s.json") == 0
    assert wav.read_mono(shell.folder / "audio/a.wav").tolist() == spoken("a").tolist()
    assert sidecar(shell.folder / "audio/a.wav").effects == Recipe()
    assert shell.type("--data", "s.json") == 0
    assert shell.out.splitlines()[0] == "EXISTS a clean audio/a.wav"
    assert (shell.folder / "s.json").read_bytes() == before


def test_a_variant_is_made_of_the_clean_recording_that_is_there(shell: Shell) -> None:
    shell.write("o.json", scenario("b", named("audio/b.wav", metadata={"language": "en"})))
    assert shell.type("--data", "o.json") == 0
    assert (
        shell.type("--data", "s.json", "--output-data", "o.json", "--vary-conditions", "--append")
        == 0
    )
    assert list(shell.scenarios("o.json")) == ["b", "a_clean", "b_noisy", "c_telephony"]
    made = shell.recording("o.json", "b_noisy")
    assert made["id"] == "theirs_noisy"
    assert made["metadata"] == {
        "language": "en",
        "generation": {
            "source": "existing_recording",
            "seed": 8,
            "synthesizer": "tone",
            "source_scenario_id": "b",
        },
    }
    known = sidecar(shell.folder / "audio/conditioned/b_noisy.wav")
    assert known.source == sidecar(shell.folder / "audio/b.wav").source


def test_what_a_broken_run_left_is_taken_up(shell: Shell) -> None:
    order = ["--data", "s.json", "--output-data", "o.json", "--condition", "noisy"]
    shell.type(*order)
    before = shell.content()
    (shell.folder / "o.json").unlink()
    (shell.folder / "audio/c_noisy.wav").unlink()
    assert shell.type(*order) == 0
    assert shell.out.splitlines()[-1] == "1 created, 2 existed"
    assert shell.content() == before


NOISY_A = ["--data", "s.json", "--example", "a", "--output-data", "o.json", "--condition", "noisy"]


def a_call(shell: Shell, name: str, pcm: Pcm = LOUD) -> str:
    (shell.folder / name).write_bytes(wav.encode(pcm))
    return name


@pytest.mark.parametrize(
    ("order", "voice", "what"),
    [
        pytest.param(["--seed", "8"], "tone", "effects of another seed", id="by-another-seed"),
        pytest.param(["--noise-rms", "9"], "tone", "other effects", id="with-other-effects"),
        pytest.param([], "hibari", "another voice", id="in-another-voice"),
        pytest.param(
            ["--from-audio", "mine.wav"], None, "another recording", id="of-a-recording-given"
        ),
        pytest.param(
            ["--background-gain", "0.65"], "tone", "other effects", id="with-one-more-effect"
        ),
    ],
)
def test_a_recording_that_is_asked_for_otherwise_is_in_the_way(
    shell: Shell, order: list[str], voice: str | None, what: str
) -> None:
    a_call(shell, "mine.wav")
    shell.type(*NOISY_A)
    before = shell.content()
    assert shell.type(*NOISY_A, *order, voice=voice) == 2
    assert shell.err == (
        f"walk-generate-audio: audio/a_noisy.wav: holds {what}; --force replaces it, another"
        " --output-data folder keeps it\n"
    )
    assert (shell.content(), shell.out) == (before, "")


def test_other_words_are_in_the_way(shell: Shell) -> None:
    shell.type("--data", "s.json", "--condition", "noisy")
    shell.write("s.json", {**scenario("a"), "input": {"text": "Quite another thing."}})
    (shell.folder / "s.noisy.json").unlink()
    assert shell.type("--data", "s.json", "--condition", "noisy") == 2
    assert "audio/a_noisy.wav: holds other words; --force replaces it" in shell.err


def test_other_voices_behind_the_caller_are_in_the_way(shell: Shell) -> None:
    order = ["--data", "s.json", "--example", "a", "--condition", "background_speech"]
    shell.type(*order)
    a_call(shell, "talk.wav")
    assert shell.type(*order, "--background-speech", "talk.wav") == 2
    assert "audio/a_background_speech.wav: holds other background speech; --force" in shell.err


def test_a_changed_clean_recording_makes_another_of_its_conditions(shell: Shell) -> None:
    (shell.folder / "audio").mkdir()
    a_call(shell, "audio/a.wav")
    shell.write("s.json", scenario("a", named()))
    order = ["--data", "s.json", "--condition", "echo"]
    assert shell.type(*order, voice=None) == 0
    assert shell.type(*order, voice=None) == 0
    a_call(shell, "audio/a.wav", LOUD[:-1])
    assert shell.type(*order, voice=None) == 2
    assert "audio/a_echo.wav: holds another recording; --force replaces it" in shell.err
    assert shell.type(*order, "--force", voice=None) == 0


def test_the_same_recording_given_again_is_the_one_that_exists(shell: Shell) -> None:
    order = [*NOISY_A, "--from-audio", a_call(shell, "mine.wav")]
    assert shell.type(*order, voice=None) == 0
    before = shell.content()
    assert shell.type(*order, voice=None) == 0
    assert shell.content() == before


def test_chance_is_not_asked_of_a_clean_recording(shell: Shell) -> None:
    order = ["--data", "s.json", "--output-data", "o.json", "--condition", "clean"]
    shell.type(*order)
    assert shell.type(*order, "--seed", "8") == 0


def test_the_others_in_the_way_are_counted(shell: Shell) -> None:
    order = ["--data", "s.json", "--output-data", "o.json", "--condition", "noisy"]
    shell.type(*order)
    assert shell.type(*order, "--seed", "8") == 2
    assert "audio/a_noisy.wav: holds effects of another seed (and 2 more); --force" in shell.err


def test_a_recording_given_for_a_place_that_is_taken_is_not_passed_over(shell: Shell) -> None:
    shell.write("s.json", scenario("a", named()))
    shell.type("--data", "s.json")
    order = ["--data", "s.json", "--example", "a", "--from-audio", a_call(shell, "mine.wav")]
    before = shell.content()
    assert shell.type(*order, voice=None) == 2
    assert "audio/a.wav: holds another recording; --force replaces it" in shell.err
    assert shell.content() == before
    assert shell.type(*order, "--force", voice=None) == 0
    assert wav.read_mono(shell.folder / "audio/a.wav").tolist() == LOUD.tolist()


@pytest.mark.parametrize(
    ("place", "order", "voice"),
    [
        pytest.param(
            "audio/a.wav", ["--data", "t.json", "--force"], "tone", id="somebodys-recording-spoken"
        ),
        pytest.param(
            "audio/a.wav",
            ["--data", "t.json", "--example", "a", "--from-audio", "mine.wav", "--force"],
            None,
            id="somebodys-recording-for-another",
        ),
        pytest.param(
            "audio/a.wav",
            ["--data", "t.json", "--example", "a", "--from-audio", "mine.wav"],
            None,
            id="somebodys-recording-without-force",
        ),
        pytest.param("audio/a_noisy.wav.json", NOISY_A, "tone", id="what-would-be-the-sidecar"),
        pytest.param("audio/clean/a.flac", NOISY_A, "tone", id="what-would-be-kept-speech"),
        pytest.param("audio/clean/a.flac", [*NOISY_A, "--force"], "tone", id="even-by-force"),
        pytest.param(
            "audio/clean/a.flac.json", [*NOISY_A, "--force"], "tone", id="what-would-say-who-spoke"
        ),
        pytest.param(
            "mine_24khz.wav.json",
            ["--from-audio", "mine.wav"],
            None,
            id="the-sidecar-of-a-converted-file",
        ),
        pytest.param(
            "mine_24khz.wav",
            ["--from-audio", "mine.wav", "--force"],
            None,
            id="another-file-of-the-converted-name",
        ),
    ],
)
def test_a_file_that_was_not_made_here_is_never_replaced(
    shell: Shell, place: str, order: list[str], voice: str | None
) -> None:
    shell.write("t.json", scenario("a", named()))
    a_call(shell, "mine.wav")
    (shell.folder / place).parent.mkdir(parents=True, exist_ok=True)
    (shell.folder / place).write_bytes(wav.encode(LOUD[:-5]))
    before = shell.content()
    assert shell.type(*order, voice=voice) == 2
    assert f"{place}: " in shell.err
    assert "move it away" in shell.err
    assert shell.err.count("\n") == 1
    assert shell.content() == before


@pytest.mark.parametrize(
    ("text", "voice", "more"),
    [
        pytest.param("Quite another thing.", "tone", [], id="other-words"),
        pytest.param(TEXTS["a"], "espeak-ng", [], id="another-voice"),
        pytest.param(TEXTS["a"], "tone", ["--refresh-audio"], id="the-same-anew"),
    ],
)
def test_kept_speech_is_not_replaced_unasked_by(
    shell: Shell, text: str, voice: str, more: list[str]
) -> None:
    shell.type(*NOISY_A)
    before = shell.content("audio")
    shell.write("s.json", {**scenario("a"), "input": {"text": text}})
    order = ["--data", "s.json", "--condition", "echo"]
    assert shell.type(*order, *more, voice=voice) == 2
    assert f"a.flac: keeps this request in the voice tone: '{TEXTS['a']}'; --force" in shell.err
    assert shell.content("audio") == before


VARIED = ["--data", "s.json", "--output-data", "o/o.json", "--vary-conditions"]


def given_up(shell: Shell) -> Path:
    """A variant that the next order by force makes no more."""
    shell.type(*VARIED)
    shell.write("s.json", scenario("a"))
    return shell.folder / "o/audio/conditioned/b_noisy.wav"


def test_force_says_which_recordings_it_throws_away(shell: Shell) -> None:
    lost = given_up(shell)
    assert shell.type(*VARIED, "--force") == 0
    assert "DISCARDED audio/conditioned/b_noisy.wav" in shell.out.splitlines()
    assert not lost.exists()
    assert not sidecar_path(lost).exists()


def test_force_throws_nothing_away_that_was_not_made_here(shell: Shell) -> None:
    lost = given_up(shell)
    sidecar_path(lost).unlink()
    assert shell.type(*VARIED, "--force") == 0
    assert lost.exists()


def test_force_throws_nothing_away_through_a_link(shell: Shell) -> None:
    lost = given_up(shell)
    lost.parent.rename(shell.folder / "elsewhere")
    lost.parent.symlink_to(shell.folder / "elsewhere")
    before = shell.content("elsewhere")
    assert shell.type(*VARIED, "--force") == 2
    assert "audio/conditioned: is a link" in shell.err
    assert shell.content("elsewhere") == before


@pytest.mark.parametrize("place", ["audio/a_noisy.wav.json", "audio/clean/a.flac.json"])
def test_a_pipe_is_not_waited_for(shell: Shell, place: str) -> None:
    (shell.folder / place).parent.mkdir(parents=True)
    os.mkfifo(shell.folder / place)
    assert shell.type(*NOISY_A) == 2
    assert f"{place}: " in shell.err


@pytest.mark.parametrize(
    ("order", "doubt"),
    [
        pytest.param(["--noise-rms", "0"], "has no noise", id="no-noise"),
        pytest.param(["--background-gain", "0"], "has no background speech", id="nobody-else"),
        pytest.param(["--echo-decay", "0"], "has no echo", id="an-echo-of-nothing"),
        pytest.param(["--echo-delay-ms", "2000"], "has no echo", id="an-echo-after-the-end"),
        pytest.param(["--packet-loss-rate", "0"], "has no lost packet", id="no-loss"),
        pytest.param(["--cough-every-ms", "90000"], "has no cough and no remark", id="no-cough"),
        pytest.param(["--noise-rms", "20000"], "samples are at full scale", id="clipping"),
    ],
)
def test_a_recording_that_is_not_what_its_condition_says_is_told(
    shell: Shell, order: list[str], doubt: str
) -> None:
    assert shell.type("--data", "s.json", "--example", "a", *order) == 0
    assert doubt in shell.err
    assert shell.err.startswith("warning: a_")
    assert shell.err.count("\n") == 1


def test_a_file_name_gives_the_terminal_no_commands(shell: Shell) -> None:
    order = ["--data", "s.json", "--example", "a", "--output-data", "o\x1b[31m.json"]
    assert shell.type(*order) == 0
    assert "\x1b" not in shell.out
    assert "DATASET o\\x1b[31m.json 1 scenarios" in shell.out.splitlines()


def test_in_place_a_recording_of_another_seed_stays_and_that_is_said(shell: Shell) -> None:
    shell.write("s.json", scenario("a", named(condition="noisy")))
    shell.type("--data", "s.json")
    assert shell.type("--data", "s.json", "--seed", "8") == 0
    assert shell.out.splitlines()[0] == (
        "EXISTS a noisy audio/a.wav (effects of another seed; --force replaces it)"
    )


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"ID3 and so on", id="that-is-no-wav-file"),
        pytest.param(
            wav.encode(LOUD).replace(
                (24_000).to_bytes(4, "little"), (22_050).to_bytes(4, "little")
            ),
            id="of-another-rate",
        ),
    ],
)
def test_a_file_that_walk_eval_refuses_does_not_count_as_existing(
    shell: Shell, content: bytes
) -> None:
    shell.write("s.json", scenario("a", named()))
    (shell.folder / "audio").mkdir()
    (shell.folder / "audio/a.wav").write_bytes(content)
    assert shell.type("--data", "s.json") == 2
    assert "audio/a.wav: " in shell.err
    assert shell.err.count("\n") == 1


@pytest.mark.parametrize(
    ("rate_hz", "channels", "kind"),
    [(8_000, 1, "FLAC"), (44_100, 2, "WAV"), (24_000, 1, "WAV")],
)
def test_a_recording_that_people_have_becomes_a_scenarios(
    shell: Shell, rate_hz: int, channels: int, kind: str
) -> None:
    at = np.arange(rate_hz) / rate_hz
    sound = np.repeat((0.3 * np.sin(2_000 * at))[:, None], channels, axis=1)
    soundfile.write(shell.folder / "call", sound, rate_hz, format=kind)
    order = ["--data", "s.json", "--example", "a", "--from-audio", "call", "--condition", "noisy"]
    assert shell.type(*order, voice=None) == 0
    made = shell.recording("s.noisy.json", "a")
    assert made["metadata"]["generation"] == {"source": "converted_recording", "seed": 7}
    known = sidecar(shell.folder / made["path"])
    conversion = known.source.conversion
    assert conversion is not None
    assert (conversion["rate_hz"], conversion["channels"]) == (rate_hz, channels)
    assert abs(wav.read_mono(shell.folder / made["path"]).size - 24_000) <= 1


def test_a_recording_alone_is_converted_beside_itself(shell: Shell) -> None:
    soundfile.write(shell.folder / "my call.flac", LOUD, 8_000)
    assert shell.type("--from-audio", "my call.flac", voice=None) == 0
    made = shell.folder / "my call_24khz.wav"
    assert wav.read_mono(made).size == 36_000
    assert sidecar(made).speech_mask is None
    assert shell.type("--from-audio", "my call.flac", voice=None) == 2
    assert shell.err == "walk-generate-audio: my call_24khz.wav: exists; --force replaces it\n"
    assert shell.type("--from-audio", "my call.flac", "--force", voice=None) == 0
    assert shell.type("--from-audio", "my call.flac", "--condition", "telephony", voice=None) == 0
    known = sidecar(shell.folder / "my call_telephony.wav")
    assert known.speech_mask is not None


NOISY = ROOT / "walk_harness/data/audio/conditioned/restaurant_002_noisy.wav"
GIVEN = ["--data", "s.json", "--example", "a", "--from-audio", str(NOISY), "--condition", "echo"]


def test_a_given_recording_is_measured_by_a_detector_that_hears_through_noise(shell: Shell) -> None:
    assert shell.type(*GIVEN, voice=None) == 0
    mask = sidecar(shell.folder / "audio/a_echo.wav").speech_mask
    assert mask is not None
    assert mask.detector.name == "hybrid-v1"
    assert shell.err == ""


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(GIVEN, id="for-a-scenario"),
        pytest.param(["--from-audio", "a_call.wav", "--condition", "echo"], id="beside-itself"),
    ],
)
def test_without_that_detector_a_given_recording_gets_no_mask_and_a_warning(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, order: list[str]
) -> None:
    monkeypatch.setattr("walk_harness.generation.clean.is_available", lambda: False)
    (shell.folder / "a_call.wav").write_bytes(NOISY.read_bytes())
    assert shell.type(*order, voice=None) == 0
    (made,) = shell.folder.rglob("*_echo.wav")
    assert sidecar(made).speech_mask is None
    assert shell.err.startswith(f"warning: {made.name}: gets no speech mask")
    assert shell.err.count("\n") == 1


def test_the_mask_of_speech_that_was_spoken_needs_no_extra(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("walk_harness.generation.clean.is_available", lambda: False)
    assert shell.type("--data", "s.json", "--example", "a", "--condition", "noisy") == 0
    assert sidecar(shell.folder / "audio/a_noisy.wav").speech_mask is not None
    assert shell.err == ""


def test_other_voices_can_be_given(shell: Shell) -> None:
    soundfile.write(shell.folder / "talk.wav", np.stack([LOUD, LOUD], axis=1), 8_000)
    order = ["--data", "s.json", "--example", "a", "--background-speech", "talk.wav"]
    assert shell.type(*order) == 0
    known = sidecar(shell.folder / "audio/a_background_speech.wav")
    assert known.effects.background_speech is not None
    assert known.effects.background_speech.gain == 0.1
    assert known.background_speech_sha256 is not None
    assert known.applied.background_speech is not None
    assert known.applied.background_speech.rms > 100


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(["--append"], "--append: needs --output-data", id="append-to-nothing"),
        pytest.param(
            ["--vary-conditions", "--condition", "echo"],
            "--vary-conditions: makes every condition; remove --condition",
            id="all-conditions-and-one",
        ),
        pytest.param(
            ["--vary-conditions", "--echo-decay", "0.2"],
            "--vary-conditions: makes the 7 presets; remove --echo-decay",
            id="all-presets-and-an-effect",
        ),
        pytest.param(
            ["--vary-conditions", "--from-audio", "x.wav", "--example", "a"],
            "--from-audio: is one recording; remove --vary-conditions",
            id="all-conditions-of-one-file",
        ),
        pytest.param(
            ["--from-audio", "x.wav"],
            "--from-audio: name its scenario with --example, or remove --data",
            id="a-file-for-every-scenario",
        ),
        pytest.param(
            ["--from-audio", "x.wav", "--example", "a"],
            "x.wav: ",
            id="a-file-that-is-not-there",
        ),
        pytest.param(
            ["--background-speech", "x.wav"], "x.wav: ", id="other-voices-that-are-not-there"
        ),
        pytest.param(["--frame-ms", "0"], "--frame-ms: must be at least 1", id="frames-of-nothing"),
        pytest.param(
            ["--noise-rms", "32768"], "--noise-rms: must be at most 32767", id="too-much-noise"
        ),
        pytest.param(
            ["--packet-loss-rate", "0.9", "--packet-loss-burst", "1"],
            "--packet-loss-rate: a loss rate of 0.9 needs longer bursts",
            id="a-loss-that-cannot-be",
        ),
        pytest.param(["--condition", "loud"], "none of clean, noisy", id="no-such-condition"),
        pytest.param(["--example", "d"], 'unknown scenario "d"', id="no-such-scenario"),
        pytest.param(
            ["--condition", "echo", "--model", "m"],
            "--model: belongs to --synthesizer openai",
            id="a-model-for-a-voice-that-has-none",
        ),
        pytest.param(
            ["--output-data", "s.json", "--condition", "echo", "--example", "a"],
            "--output-data: holds the scenario a without audio/a_echo.wav",
            id="its-own-source-for-an-output",
        ),
    ],
)
def test_a_mistake_is_one_line_and_makes_nothing(
    shell: Shell, arguments: list[str], complaint: str
) -> None:
    before = shell.content()
    assert shell.type("--data", "s.json", *arguments) == 2
    assert complaint in shell.err
    assert shell.err.startswith("walk-generate-audio: ")
    assert shell.err.count("\n") == 1
    assert shell.content() == before


def test_a_file_of_nobody_is_left_alone(shell: Shell) -> None:
    (shell.folder / "audio").mkdir()
    (shell.folder / "audio/a_echo.wav").write_bytes(b"mine")
    assert shell.type("--data", "s.json", "--condition", "echo", "--force") == 2
    assert "audio/a_echo.wav: exists and has no matching owner" in shell.err
    assert (shell.folder / "audio/a_echo.wav").read_bytes() == b"mine"


def test_nothing_is_written_through_a_link(shell: Shell) -> None:
    (shell.folder / "elsewhere").mkdir()
    (shell.folder / "audio").symlink_to(shell.folder / "elsewhere")
    assert shell.type("--data", "s.json", "--condition", "echo") == 2
    assert "audio: is a link" in shell.err
    assert not list((shell.folder / "elsewhere").iterdir())


def test_a_clean_recording_with_effects_in_its_sidecar_is_no_start(shell: Shell) -> None:
    shell.write("s.json", scenario("a", named(condition="noisy")))
    shell.type("--data", "s.json")
    shell.write("s.json", scenario("a", named()))
    assert shell.type("--data", "s.json", "--condition", "echo") == 2
    assert "is called clean, but its sidecar names effects" in shell.err


def test_kept_speech_that_was_changed_is_refused(shell: Shell) -> None:
    order = ["--data", "s.json", "--condition", "echo", "--force"]
    shell.type(*order)
    kept = shell.folder / "audio/clean/a.flac"
    soundfile.write(kept, LOUD, 24_000)
    assert shell.type(*order) == 2
    assert "a.flac: holds other samples than a.flac.json says; delete it" in shell.err


def test_progress_is_said_on_stderr_when_it_takes_longer(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("walk_harness.generation.make.REPORT_EVERY_S", 0.0)
    shell.type("--data", "s.json")
    assert shell.err.splitlines() == ["1 of 3 recordings", "2 of 3 recordings"]


def test_a_noise_below_speech_needs_speech(shell: Shell) -> None:
    shell.write("s.json", scenario("a", named()))
    (shell.folder / "audio").mkdir()
    (shell.folder / "audio/a.wav").write_bytes(wav.encode(silence(500)))
    assert shell.type("--data", "s.json", "--noise-snr-db", "10") == 2
    assert "--noise-snr-db: no speech was found in a; give --noise-rms" in shell.err


def test_an_interrupt_keeps_what_had_finished(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    speak = ToneSynthesizer.speak

    def interrupted(voice: ToneSynthesizer, text: str) -> Speech:
        if text == TEXTS["b"]:
            raise KeyboardInterrupt
        return speak(voice, text)

    with monkeypatch.context() as patch:
        patch.setattr(ToneSynthesizer, "speak", interrupted)
        assert shell.type("--data", "s.json") == 130
    assert sidecar(shell.folder / "audio/a_clean.wav").scenario_id == "a"
    assert not (shell.folder / "s.generated.json").exists()
    assert shell.type("--data", "s.json") == 0
    assert shell.out.splitlines()[-1] == "2 created, 1 existed"


KILLED = """
import os, signal, sys
from shared import places
from walk_harness.generation import clean, make

left, whole = int(sys.argv.pop(1)), places.write_whole

def write(path, content):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    whole(path, content)

clean.write_whole = make.write_whole = write
from walk_harness.generate_audio import main
main()
"""


@pytest.mark.parametrize("writes", [1, 3, 12])
def test_a_run_that_was_killed_is_taken_up_where_it_was(shell: Shell, writes: int) -> None:
    """Killed for real before one of its 13 writes, then run again."""
    order = ["--data", "s.json", "--output-data", "killed/o.json", "--condition", "noisy"]
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(writes), *order, "--synthesizer", "tone"],
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert killed.returncode == -signal.SIGKILL
    assert len([path for path in (shell.folder / "killed").rglob("*") if path.is_file()]) == writes
    assert shell.type(*order) == 0
    assert shell.type("--data", "s.json", "--output-data", "o/o.json", "--condition", "noisy") == 0
    assert shell.content("killed") == shell.content("o")


def test_the_help_waits_for_nothing_heavy() -> None:
    heavy = {"numpy", "pydantic", "scipy", "soundfile", "soxr", "openai"}
    code = f"import sys, walk_harness.generate_audio; sys.exit(bool({heavy} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_a_sidecar_comes_before_its_recording(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a run cut short leaves no recording that nobody knows anything of."""
    written: list[str] = []
    from walk_harness.generation import make

    whole = make.write_whole

    def noted(path: Path, content: bytes) -> None:
        written.append(path.name)
        whole(path, content)

    monkeypatch.setattr(make, "write_whole", noted)
    shell.type("--data", "s.json", "--example", "a")
    assert written == ["a_clean.wav.json", "a_clean.wav", "s.generated.json"]
    assert sidecar_path(Path("a_clean.wav")).name == written[0]
