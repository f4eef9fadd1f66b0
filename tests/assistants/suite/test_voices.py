"""Whose voice a caller gets, and from where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistants.suite.voices import synthesizer
from crawl_harness.settings import ROWS
from shared.errors import UsageError
from shared.settings import Settings, Value, resolve
from tests.support.programs import needs_package, needs_program

KEY = {"OPENAI_API_KEY": "sk-a-key"}


def given(*, environment: dict[str, str] | None = None, **flags: Value) -> Settings:
    return resolve(ROWS, flags=flags, environment=environment or {}, env_file={}, toml={})


@pytest.mark.parametrize(
    ("flags", "environment", "name"),
    [
        pytest.param({"offline": True}, {}, "tone", id="offline-a-tone"),
        pytest.param({}, KEY, "openai", id="live-a-natural-voice-of-a-service"),
        pytest.param({"synthesizer": "tone"}, {}, "tone", id="live-a-tone-when-told"),
        pytest.param(
            {"offline": True, "synthesizer": "openai"}, KEY, "openai", id="offline-a-service's-too"
        ),
        pytest.param({"caller_voice": "marin"}, KEY, "openai", id="live-another-voice"),
    ],
)
def test_by_default_or_by_choice_it_is(
    flags: dict[str, Any], environment: dict[str, str], name: str, tmp_path: Path
) -> None:
    assert (
        synthesizer(given(audio_cache_dir=str(tmp_path), environment=environment, **flags)).name
        == name
    )
    assert list(tmp_path.iterdir()) == []


def test_a_local_voice_needs_no_key(tmp_path: Path) -> None:
    needs_package("hibari")
    assert synthesizer(given(audio_cache_dir=str(tmp_path), synthesizer="hibari")).name == "hibari"


def test_a_program_that_speaks_needs_no_key_either(tmp_path: Path) -> None:
    needs_program("espeak-ng")
    voice = synthesizer(given(audio_cache_dir=str(tmp_path), synthesizer="espeak-ng"))
    assert voice.name == "espeak-ng"


def test_without_the_program_nothing_is_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="espeak-ng is not installed"):
        synthesizer(given(audio_cache_dir=str(tmp_path / "cache"), synthesizer="espeak-ng"))
    assert list(tmp_path.iterdir()) == []


def test_what_changes_the_sound_is_recorded(tmp_path: Path) -> None:
    environment = KEY | {
        "OPENAI_TTS_MODEL": "another-model",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK": "true",
    }
    voice = synthesizer(
        given(audio_cache_dir=str(tmp_path), environment=environment, caller_voice="ash")
    )
    assert (voice.parameters["model"], voice.parameters["voice"]) == ("another-model", "ash")
    assert voice.parameters["is_loopback"] is True


def test_the_assistant_s_voice_is_not_the_caller_s(tmp_path: Path) -> None:
    voice = synthesizer(given(audio_cache_dir=str(tmp_path), environment=KEY, voice="ash"))
    assert voice.parameters["voice"] == "cedar"


@pytest.mark.parametrize("name", ["caller_voice", "tts_model"])
def test_a_tone_has_no(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="belongs to --synthesizer openai; remove it"):
        synthesizer(given(audio_cache_dir=str(tmp_path), offline=True, **{name: "x"}))
