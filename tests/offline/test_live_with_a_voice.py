"""A whole live run without a network: the session from one end of ``live-fixture``, the caller's
voice from the other, and the installed command between them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shared.audio import wav
from shared.speech.tone import ToneSynthesizer
from tests.support.live_fixtures import a_live_fixture
from tests.support.runs import FinishedRun, crawl_eval
from tests.support.services import patient

KEY = "sk-a-key-that-nobody-may-see"
EXAMPLE = "restaurant_001"
ANSWERS = {
    "format": "live-fixture-http/1",
    "answers": [
        {"to": "speech", "times": 1, "status": 429, "headers": {"retry-after": "0"}},
        {"to": "speech", "tone": 210},
    ],
}
BROKEN = {
    "format": "live-fixture-http/1",
    "answers": [{"to": "speech", "status": 401, "error": {"code": "invalid_api_key", "key": KEY}}],
}


@contextmanager
def both_ends(
    folder: Path, answers: object, scripts: Sequence[Path] = ()
) -> Iterator[tuple[list[str], dict[str, str]]]:
    """The service's two ends in a process of their own: a command's arguments and environment."""
    http_script = folder / "answers.json"
    http_script.write_text(json.dumps(answers), "utf-8")
    chosen = [text for script in scripts for text in ("--script", str(script))]
    given = ("--http-script", http_script, "--log", folder / "log.jsonl", *chosen)
    with a_live_fixture(folder / "end", *given) as (endpoint, base_url):
        yield (
            [
                *("--endpoint", endpoint, "--no-judge", "--example", EXAMPLE),
                *("--config", str(patient(folder))),
            ],
            {
                "OPENAI_API_KEY": KEY,
                "OPENAI_BASE_URL": base_url,
                "OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK": "true",
            },
        )


def requests(folder: Path) -> list[dict[str, Any]]:
    """What reached the HTTP end."""
    lines = map(json.loads, (folder / "log.jsonl").read_text("utf-8").splitlines())
    return [
        line["message"]
        for line in lines
        if line["session"].startswith("http-") and line["what"] == "received"
    ]


def leaks(run: FinishedRun) -> list[str]:
    """Every file and stream of a run in which the key can be read."""
    kept = [name for name, content in run.files().items() if KEY.encode() in content]
    return [*kept, *(said for said in (run.stdout, run.stderr) if KEY in said)]


@pytest.fixture(scope="module")
def spoken(
    sound_run: FinishedRun, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, FinishedRun, FinishedRun]:
    """Two runs with one cache, each with a session of its own."""
    folder = tmp_path_factory.mktemp("spoken")
    script = sound_run.folder / "scripts" / f"{EXAMPLE}.json"
    cache = ["--audio-cache-dir", str(folder / "cache")]
    with both_ends(folder, ANSWERS, [script] * 2) as (arguments, environment):
        first, second = (
            crawl_eval(folder / name, *arguments, *cache, environment=environment)
            for name in ("first", "second")
        )
    return folder, first, second


def test_the_caller_speaks_with_the_service_s_voice(
    spoken: tuple[Path, FinishedRun, FinishedRun],
) -> None:
    _, run, _ = spoken
    caller = run.report["run"]["configuration"]["caller"]
    assert (caller["synthesizer"], caller["parameters"]["model"]) == ("openai", "gpt-4o-mini-tts")
    said = wav.read_mono(run.folder / "audio" / EXAMPLE / "input.wav")
    assert np.array_equal(said, ToneSynthesizer(210).speak(request_of(run)).pcm)


def request_of(run: FinishedRun) -> str:
    text = json.loads(run.details(EXAMPLE))["scenario"]["input"]["text"]
    assert isinstance(text, str)
    return text


def test_a_second_run_asks_nobody(spoken: tuple[Path, FinishedRun, FinishedRun]) -> None:
    folder, run, again = spoken
    asked = requests(folder)
    # The first was told to come again.
    assert [request["input"] for request in asked] == [request_of(run)] * 2
    assert len(list((folder / "cache").iterdir())) == 1
    name = f"audio/{EXAMPLE}/input.wav"
    assert again.files("audio")[name] == run.files("audio")[name]


def test_the_conversation_is_judged(spoken: tuple[Path, FinishedRun, FinishedRun]) -> None:
    _, run, again = spoken
    assert [row["status"] for one in (run, again) for row in one.rows.values()] == ["passed"] * 2


def test_the_key_is_nowhere(spoken: tuple[Path, FinishedRun, FinishedRun]) -> None:
    folder, *runs = spoken
    assert [leaks(run) for run in runs] == [[], []]
    assert KEY not in (folder / "log.jsonl").read_text("utf-8")


def test_a_caller_without_a_voice_is_nobody_s_failure(tmp_path: Path) -> None:
    with both_ends(tmp_path, BROKEN) as (arguments, environment):
        cache = ["--audio-cache-dir", str(tmp_path / "cache")]
        run = crawl_eval(tmp_path / "run", *arguments, *cache, environment=environment)
    (row,) = run.rows.values()
    assert (row["status"], row["error"]["stage"]) == ("infrastructure_error", "audio_synthesis")
    assert row["error"]["message"] == "openai made no speech: it answered 401 (invalid_api_key)"
    assert not any((tmp_path / "cache").iterdir())
    assert leaks(run) == []
