"""``openai`` against an HTTP service over a real socket: sound, every fault once, and the key."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistants.frontend.fixture.http import HttpEnd, http_end
from assistants.frontend.fixture.http_script import parse_http_script
from shared.audio.pcm import SAMPLES_PER_MS
from shared.errors import AttemptError, Stage
from shared.speech.cache import CachedSynthesizer
from shared.speech.openai import (
    INSTRUCTIONS,
    OpenAISpeech,
    Patience,
    SpeechService,
)
from shared.speech.port import LONGEST_MS, LONGEST_MS_PER_CHARACTER
from shared.speech.tone import ToneSynthesizer

KEY = "sk-a-key-that-nobody-may-see"
TEXT = "Good evening."
MOST_BYTES = (LONGEST_MS + LONGEST_MS_PER_CHARACTER * len(TEXT)) * SAMPLES_PER_MS * 2
QUICK = Patience(silent_s=5, within_s=20, between_s=0.01)


@contextmanager
def a_service(*answers: dict[str, Any]) -> Iterator[HttpEnd]:
    rules = [{"to": "speech"} | answer for answer in answers]
    script = parse_http_script(json.dumps({"format": "live-fixture-http/1", "answers": rules}))
    with http_end(script) as end:
        yield end


def a_voice(
    end: HttpEnd,
    *,
    model: str = "a-model",
    voice: str = "cedar",
    patience: Patience = QUICK,
    is_loopback: bool = True,
) -> OpenAISpeech:
    service = SpeechService(end.url, KEY, is_loopback=is_loopback)
    return OpenAISpeech(service, model=model, voice=voice, patience=patience)


def asked(end: HttpEnd) -> list[dict[str, Any]]:
    return [json.loads(request.text) for request in end.requests]


def failure(voice: OpenAISpeech, text: str = TEXT) -> str:
    with pytest.raises(AttemptError) as raised:
        voice.speak(text)
    assert raised.value.stage is Stage.AUDIO_SYNTHESIS
    assert raised.value.__suppress_context__
    message = str(raised.value)
    assert message.startswith("openai made no speech: ")
    assert KEY not in message
    assert "\n" not in message
    return message


def test_a_text_is_spoken() -> None:
    with a_service({"tone": 200}) as end:
        speech = a_voice(end).speak(TEXT)
        (request,) = end.requests
    assert np.array_equal(speech.pcm, ToneSynthesizer(200).speak(TEXT).pcm)
    assert (speech.voiced, speech.synthesizer, speech.version) == (None, "openai", "1")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(request.text) == {
        "model": "a-model",
        "voice": "cedar",
        "input": TEXT,
        "instructions": INSTRUCTIONS,
        "response_format": "pcm",
    }


def test_a_custom_voice_goes_by_its_id() -> None:
    with a_service({"tone": 200}) as end:
        a_voice(end, voice="voice_1234").speak(TEXT)
        assert asked(end)[0]["voice"] == {"id": "voice_1234"}


def test_a_model_that_takes_no_instructions_gets_none() -> None:
    with a_service({"tone": 200}) as end:
        voice = a_voice(end, model="tts-1-hd")
        voice.speak(TEXT)
        assert "instructions" not in asked(end)[0]
    assert voice.parameters["instructions"] is None


def test_a_text_is_paid_for_once(tmp_path: Path) -> None:
    with a_service({"tone": 200}) as end:
        first = CachedSynthesizer(a_voice(end), tmp_path).speak(TEXT)
        again = CachedSynthesizer(a_voice(end), tmp_path).speak(TEXT)
        assert len(end.requests) == 1
    assert np.array_equal(first.pcm, again.pcm)


@pytest.mark.parametrize(
    ("other", "is_another"),
    [
        pytest.param({"model": "another"}, True, id="another-model"),
        pytest.param({"voice": "marin"}, True, id="another-voice"),
        pytest.param({"model": "tts-1"}, True, id="another-manner"),
        pytest.param({"is_loopback": False}, True, id="a-service-that-is-no-fixture"),
        pytest.param({"patience": Patience()}, False, id="the-same-sound-more-patiently"),
    ],
)
def test_in_the_cache_it_is(other: dict[str, Any], is_another: bool, tmp_path: Path) -> None:
    with http_end() as end, http_end() as elsewhere:
        entry = CachedSynthesizer(a_voice(end), tmp_path).entry(TEXT)
        assert (CachedSynthesizer(a_voice(end, **other), tmp_path).entry(TEXT) != entry) is (
            is_another
        )
        assert CachedSynthesizer(a_voice(elsewhere), tmp_path).entry(TEXT) == entry


HTML = {"body": "<html><body>Bad gateway…</body></html>"}
FAULTS = [
    pytest.param({"status": 400}, "it answered 400 (scripted)", 1, id="a-request-it-does-not-take"),
    pytest.param(
        {"status": 401, "error": {"code": "invalid_api_key", "message": f"Wrong key: {KEY}"}},
        "it answered 401 (invalid_api_key)",
        1,
        id="a-key-it-does-not-know",
    ),
    pytest.param(
        {"status": 403, "error": {"code": KEY, "message": KEY}},
        "it answered 403",
        1,
        id="a-key-in-place-of-a-code",
    ),
    pytest.param({"status": 403, "error": None}, "it answered 403", 1, id="no-reason-at-all"),
    pytest.param(
        {"status": 307, "headers": {"location": "/v1/audio/speech"}, "error": None},
        "it answered 307",
        1,
        id="another-address",
    ),
    pytest.param({"status": 429}, "it answered 429 (scripted)", 3, id="too-much-work"),
    pytest.param({"status": 500}, "it answered 500 (scripted)", 3, id="a-fault-of-its-own"),
    pytest.param(
        {"status": 429, "headers": {"retry-after": "21"}},
        "it answered 429 (scripted)",
        1,
        id="a-wait-longer-than-there-is-time",
    ),
    pytest.param(
        {"speech_bytes": 4_801}, "it sent half a sample (4801 bytes)", 1, id="half-a-sample"
    ),
    pytest.param({"speech_bytes": 0}, "it sent no sound", 1, id="nothing"),
    pytest.param(
        {"body": "AAAA" * 200, "encoding": "base64", "content_type": "audio/pcm"},
        "it sent nothing but silence for 13 characters",
        1,
        id="silence",
    ),
    pytest.param(
        HTML | {"content_type": "text/html"}, "it sent text in place of sound", 1, id="a-page"
    ),
    pytest.param(
        HTML | {"content_type": "audio/pcm"},
        "it sent text in place of sound",
        1,
        id="a-page-that-calls-itself-sound",
    ),
    pytest.param(
        {"body": "PGh0bWw+6Q==", "encoding": "base64", "content_type": "text/html"},
        "it sent text in place of sound",
        1,
        id="a-page-in-another-encoding",
    ),
    pytest.param(
        {"body": '{"error": {}}', "content_type": "application/json; charset=utf-8"},
        "it sent text in place of sound",
        1,
        id="an-error-that-calls-itself-well",
    ),
    pytest.param(
        {"body": "UklGRiQAAABXQVZF/w==", "encoding": "base64", "content_type": "audio/wav"},
        "it sent a WAV file in place of bare samples",
        1,
        id="a-file",
    ),
    pytest.param(
        {"speech_bytes": MOST_BYTES + 2},
        "it sent more sound than the text can take (11.5 s for 13 characters)",
        1,
        id="one-sample-more-than-the-text-can-take",
    ),
    pytest.param({"cut": True}, "the connection failed (", 3, id="half-a-body"),
]


@pytest.mark.parametrize(("answer", "what", "tries"), FAULTS)
def test_it_makes_no_speech_of(
    answer: dict[str, Any], what: str, tries: int, tmp_path: Path
) -> None:
    with a_service(answer) as end:
        voice = a_voice(end)
        assert failure(voice).removeprefix("openai made no speech: ").startswith(what)
        assert len(end.requests) == tries
        with pytest.raises(AttemptError):
            CachedSynthesizer(voice, tmp_path).speak(TEXT)
    assert list(tmp_path.iterdir()) == []


def test_a_code_that_holds_the_key_is_not_repeated() -> None:
    with a_service({"status": 403, "error": {"code": "not_this_any_text"}}) as end:
        voice = OpenAISpeech(SpeechService(end.url, "any_text", True), model="m", voice="v")
        assert failure(voice) == "openai made no speech: it answered 403"


def test_the_longest_speech_a_text_can_take_is_taken() -> None:
    with a_service({"speech_bytes": MOST_BYTES}) as end:
        assert a_voice(end).speak(TEXT).pcm.size * 2 == MOST_BYTES


@pytest.mark.parametrize(
    "passing",
    [
        pytest.param({"status": 429, "headers": {"retry-after": "0"}}, id="too-much-work"),
        pytest.param({"status": 503, "headers": {"retry-after": "soon"}}, id="an-odd-wait"),
        pytest.param({"cut": True}, id="half-a-body"),
        pytest.param({"stall_ms": 60_000}, id="no-answer"),
    ],
)
def test_what_passes_is_tried_again(passing: dict[str, Any]) -> None:
    patience = Patience(silent_s=1, within_s=20, between_s=0.01)
    with a_service(passing | {"times": 1}, {"tone": 200}) as end:
        assert a_voice(end, patience=patience).speak(TEXT).pcm.any()
        assert len(end.requests) == 2


def test_a_wait_that_was_asked_for_is_kept() -> None:
    with a_service({"status": 429, "headers": {"retry-after": "0.5"}, "times": 1}) as end:
        began = time.monotonic()
        a_voice(end).speak(TEXT)
    assert time.monotonic() - began >= 0.5


def test_a_service_that_says_nothing_is_left() -> None:
    patience = Patience(tries=2, silent_s=0.3, within_s=20, between_s=0.01)
    with a_service({"stall_ms": 60_000}) as end:
        assert failure(a_voice(end, patience=patience)).endswith("it did not answer in time")
        assert len(end.requests) == 2


def test_a_body_that_drips_ends_with_the_time_for_all_of_it() -> None:
    patience = Patience(silent_s=5, within_s=1)
    with a_service({"tone": 200, "between_ms": 400}) as end:
        began = time.monotonic()
        assert failure(a_voice(end, patience=patience)).endswith("it did not end in time")
    assert time.monotonic() - began < 5


def test_where_nobody_listens_the_connection_fails() -> None:
    with http_end() as end:
        pass
    assert "the connection failed (" in failure(a_voice(end))


@pytest.mark.parametrize("text", ["", " ", "?!", "…"])
def test_nothing_to_say_asks_nobody(text: str) -> None:
    with http_end() as end:
        with pytest.raises(ValueError, match="nothing to say"):
            a_voice(end).speak(text)
        assert end.requests == []


def test_a_service_on_this_machine_sees_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with a_service({"tone": 200}) as end:
        assert a_voice(end).speak(TEXT).pcm.any()


def test_the_key_shows_in_no_repr() -> None:
    service = SpeechService("https://api.example/v1", KEY)
    assert KEY not in repr(service)
    assert KEY not in repr(OpenAISpeech(service, model="m", voice="v"))
    assert KEY not in str(OpenAISpeech(service, model="m", voice="v").parameters)
