"""Datasets of recorded requests, spoken by a tone, each in a folder of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shared.audio import wav
from shared.audio.pcm import Pcm
from shared.speech.tone import ToneSynthesizer

TEXT = "A table for two, please."

ANSWER = {
    "format": "gpt-live-script/1",
    "steps": [{"say": "Of course.", "at": "caller_end+400"}],
}


def spoken(text: str = TEXT) -> Pcm:
    return ToneSynthesizer().speak(text).pcm


def recorded(id_: str, *recordings: dict[str, Any], text: str = TEXT) -> dict[str, Any]:
    """A scenario whose request was recorded; without recordings, one that was not."""
    return {
        "id": id_,
        "title": "One recorded request",
        "interaction": "single_turn",
        "input": {"text": text, "recordings": list(recordings)},
        "expected": {"answer": "Done."},
    }


def recording(id_: str = "r", path: str = "audio/r.wav", **more: Any) -> dict[str, Any]:
    return {"id": id_, "path": path, **more}


def a_recorded_dataset(
    folder: Path, *scenarios: dict[str, Any], audio: dict[str, Pcm] | None = None
) -> Path:
    """Write scenarios, their audio (by path below the folder) and an answer to each; return the
    dataset's path."""
    for path, pcm in (audio if audio is not None else {"audio/r.wav": spoken()}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(wav.encode(pcm))
    sound = folder / "scripts" / "sound"
    sound.mkdir(parents=True, exist_ok=True)
    for scenario in scenarios:
        (sound / f"{scenario['id']}.json").write_text(json.dumps(ANSWER), "utf-8")
    dataset = folder / "scenarios.json"
    dataset.write_text(json.dumps({"schema_version": "1.0", "scenarios": list(scenarios)}), "utf-8")
    return dataset
