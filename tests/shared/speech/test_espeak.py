from __future__ import annotations

import io
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.resampling import resampled
from shared.errors import AttemptError, Stage, UsageError
from shared.speech import espeak
from shared.speech.cache import CachedSynthesizer
from shared.speech.espeak import EspeakSynthesizer
from tests.support.programs import needs_program
from tests.support.wav_files import STREAMED_BY_SPEECH_PROGRAMS, data, form, riff

SENTENCE = "Good evening, I would like to come on Friday at eight thirty."
SOUND = riff(form(), data(b"\x01\x02" * 240, size=STREAMED_BY_SPEECH_PROGRAMS))


def instead(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Another program of its name, alone on the path; it knows its version and then does this."""
    program = folder / "espeak-ng"
    program.write_text(
        f"#!{sys.executable} -IS\n"
        "import os, sys, time\n"
        "if '--version' in sys.argv:\n"
        "    sys.exit(print('eSpeak NG text-to-speech: 9.8  Data at: /somewhere'))\n"
        f"sound = {SOUND!r}\n"
        f"{code}\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder))


def test_without_the_program_one_line_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"apt-get install espeak-ng .*hibari, openai") as refusal:
        EspeakSynthesizer()
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        pytest.param("exit 3", "ended with status 3; install it anew", id="it-fails"),
        pytest.param("echo hello", "says no version", id="it-says-none"),
        pytest.param("exec cat /dev/zero", "wrote more than", id="it-never-stops"),
    ],
)
def test_a_program_that_knows_no_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, complaint: str
) -> None:
    program = tmp_path / "espeak-ng"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(UsageError, match=complaint):
        EspeakSynthesizer()


def test_a_program_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "espeak-ng").write_bytes(b"\x7fELF but not really")
    (tmp_path / "espeak-ng").chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="it cannot be started: Exec format error"):
        EspeakSynthesizer()


def test_the_same_text_is_the_same_speech_at_a_speaking_level() -> None:
    needs_program("espeak-ng")
    voice = EspeakSynthesizer()
    speech, again = (voice.speak(SENTENCE) for _ in range(2))
    assert np.array_equal(speech.pcm, again.pcm)
    assert speech.voiced is None
    assert (speech.synthesizer, speech.version) == ("espeak-ng", voice.version)
    assert voice.parameters["voice"] == "en-us"
    heard = EnergyV1().voiced(speech.pcm)
    assert 2_000 < heard.total_ms < speech.pcm.size / 24 < 6_000
    assert 3_000 < np.abs(speech.pcm.astype(int)).max() < 32_768


def test_its_output_of_no_known_size_is_heard_to_the_last_sample(tmp_path: Path) -> None:
    """With ``-w`` it writes a file, whose header it can go back to and set right."""
    program = needs_program("espeak-ng")
    path = tmp_path / "whole.wav"
    command = [program, "--stdin", "-b", "1", "-v", "en-us", "-s", "165", "-w", str(path)]
    subprocess.run(command, input=SENTENCE.encode(), check=True)
    samples, rate_hz = soundfile.read(path)
    assert rate_hz == 22_050
    expected = np.concatenate(list(resampled([samples], rate_hz, 24_000)))
    assert np.array_equal(EspeakSynthesizer().speak(SENTENCE).pcm, np.rint(expected * 32_768))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        pytest.param("$(touch /tmp/never) `ls` ; 'quoted'", None, id="nothing-is-a-command"),
        pytest.param("--version is what I said", None, id="nothing-is-an-option"),
        pytest.param("[[h@l'oU]] there", "[ [h@l'oU]] there", id="nothing-is-a-notation"),
        pytest.param("café at seven\0thirty", "café at seven thirty", id="nothing-ends-it-early"),
    ],
)
def test_a_text_is_words_only(text: str, same: str | None) -> None:
    needs_program("espeak-ng")
    voice = EspeakSynthesizer()
    assert np.array_equal(voice.speak(text).pcm, voice.speak(same or text).pcm)
    assert voice.speak(text).pcm.size > 24_000


@pytest.mark.parametrize("text", ["", " ", "..."])
def test_a_text_without_words_is_no_speech(text: str) -> None:
    needs_program("espeak-ng")
    with pytest.raises(ValueError, match="nothing to say"):
        EspeakSynthesizer().speak(text)


def test_what_it_said_is_kept(tmp_path: Path) -> None:
    needs_program("espeak-ng")
    voice = CachedSynthesizer(EspeakSynthesizer(), tmp_path)
    first = voice.speak(SENTENCE)
    assert voice.entry(SENTENCE).exists()
    assert np.array_equal(voice.speak(SENTENCE).pcm, first.pcm)


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        pytest.param("sys.exit(5)", "ended with status 5", id="it-fails"),
        pytest.param("os.write(1, sound); sys.exit(5)", "ended with status 5", id="after-a-sound"),
        pytest.param("pass", "it wrote what is no sound", id="it-writes-nothing"),
        pytest.param("print('hello')", "it wrote what is no sound", id="it-writes-words"),
        pytest.param(
            "os.write(1, sound[:44] + bytes(960))", "nothing but silence", id="it-is-silent"
        ),
        pytest.param(
            "os.write(1, sound[:22] + b'\\2' + sound[23:32] + b'\\4' + sound[33:])",
            "several channels",
            id="it-is-stereo",
        ),
        pytest.param(
            "while True: os.write(1, bytes(65_536))", "more than the text can", id="it-never-stops"
        ),
        pytest.param("os.write(1, sound); time.sleep(60)", "did not end within", id="it-hangs"),
        pytest.param(
            "os.fork() or time.sleep(60)", "did not end within", id="what-it-started-hangs"
        ),
    ],
)
def test_what_goes_wrong_is_the_instruments_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, complaint: str
) -> None:
    instead(tmp_path, monkeypatch, code)
    voice = EspeakSynthesizer()
    monkeypatch.setattr(espeak, "WITHIN_S", 0.5 if "within" in complaint else 30)
    began = time.monotonic()
    with pytest.raises(AttemptError, match=f"espeak-ng made no speech: .*{complaint}") as failure:
        voice.speak("hello")
    assert failure.value.stage is Stage.AUDIO_SYNTHESIS
    assert time.monotonic() - began < 20


def test_it_gets_the_text_and_none_of_our_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen.txt"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key")
    monkeypatch.setenv("HOME", str(tmp_path))
    instead(
        tmp_path,
        monkeypatch,
        f"open({str(seen)!r}, 'w').write(sys.stdin.read() + str(sys.argv[1:]) + str(os.environ))\n"
        "os.write(1, sound)",
    )
    speech = EspeakSynthesizer().speak("Zwölf, please.")
    assert np.array_equal(speech.pcm, np.full(240, 0x0201))
    assert speech.version == "9.8"
    told = seen.read_text("utf-8")
    assert told.startswith("Zwölf, please.['--stdin', '--stdout', '-b', '1', '-v', 'en-us'")
    assert "sk-a-key" not in told
    assert "HOME" not in told


def test_naming_the_voice_loads_nothing() -> None:
    needs_program("espeak-ng")
    code = (
        "import sys; from shared.speech.espeak import EspeakSynthesizer;"
        "EspeakSynthesizer().version; sys.exit(bool({'soxr', 'soundfile'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_another_reader_takes_the_size_it_writes_for_no_size() -> None:
    """What the synthesizer relies on: such a header is read to the end of the file."""
    samples, _ = soundfile.read(io.BytesIO(SOUND), dtype="int16")
    assert samples.size == 240
