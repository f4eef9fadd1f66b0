"""``openai``: natural speech from a text-to-speech service, over the official SDK.

The service answers with bare samples, so whatever else it sends could be taken for sound: a body is
held against what it must be before it becomes speech. Whatever goes wrong is the instrument's
failure (stage ``audio_synthesis``), never the assistant's. Messages hold nothing that the service
said but a code it is known by, because a service may repeat the key.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shared.audio.pcm import SAMPLE_BYTES, SAMPLES_PER_MS, Pcm, from_bytes
from shared.errors import AttemptError, Stage
from shared.readings import has_words
from shared.speech.port import Speech, longest_ms
from shared.values import JsonScalar

if TYPE_CHECKING:
    from openai import APIStatusError

INSTRUCTIONS = "Speak as a caller on the telephone: natural and clear, at an ordinary pace."

_CUSTOM = "voice_"
_WITHOUT_INSTRUCTIONS = "tts-1"
_BUSY = frozenset({408, 409, 429})
_SERVER_ERRORS = 500
_CODE = re.compile(r"[a-z][a-z_]{2,63}")
_TEXT_TYPES = ("text/", "application/json")
_NO_SOUND = "it sent text in place of sound"
_FILES = {b"RIFF": "a WAV file", b"ID3": "an MP3 file", b"OggS": "an Ogg file", b"fLaC": "FLAC"}


@dataclass(frozen=True, slots=True)
class SpeechService:
    """Where speech is asked for, and with which key. A service on this machine sees no proxy."""

    base_url: str
    api_key: str = field(repr=False)
    is_loopback: bool = False


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a text is asked for, how long a service may say nothing, and how long all may take.

    A service that asks for a longer wait than is left gets none.
    """

    tries: int = 3
    silent_s: float = 30
    within_s: float = 90
    between_s: float = 0.5


class OpenAISpeech:
    """One voice of one model, in one manner of speaking."""

    def __init__(
        self,
        service: SpeechService,
        *,
        model: str,
        voice: str,
        patience: Patience | None = None,
    ) -> None:
        self._service = service
        self._model = model
        self._voice = voice
        self._patience = patience or Patience()

    @property
    def name(self) -> str:
        return "openai"

    @property
    def version(self) -> str:
        return "1"

    @property
    def parameters(self) -> Mapping[str, JsonScalar]:
        """Where the service is does not count, but one on this machine is likely to be a fixture,
        whose sound must never be taken for the real one's."""
        return {
            "model": self._model,
            "voice": self._voice,
            "instructions": self._instructions,
            "format": "pcm",
            "is_loopback": self._service.is_loopback,
        }

    def speak(self, text: str) -> Speech:
        """Say the text. Its voiced spans are for a detector to find."""
        if not has_words(text):
            raise ValueError("nothing to say")
        until = time.monotonic() + self._patience.within_s
        for left in reversed(range(self._patience.tries)):
            try:
                pcm = _checked(self._asked(text, until), text)
            except _UnspokenError as failure:
                wait_s = failure.wait_s if failure.wait_s is not None else self._patience.between_s
                is_worth_it = failure.may_pass and left and time.monotonic() + wait_s < until
                if not is_worth_it:
                    what = f"openai made no speech: {failure}"
                    raise AttemptError(Stage.AUDIO_SYNTHESIS, what) from None
                time.sleep(wait_s)
            else:
                return Speech(pcm, None, self.name, self.version)
        raise AssertionError("the last try answers or raises")

    @property
    def _instructions(self) -> str | None:
        return None if self._model.startswith(_WITHOUT_INSTRUCTIONS) else INSTRUCTIONS

    def _asked(self, text: str, until: float) -> bytes:
        """The body of one answer. Importing the SDK takes a second, so it waits for the first."""
        from openai import APIStatusError, APITimeoutError, DefaultHttpxClient, OpenAI, omit

        silent_s = min(self._patience.silent_s, max(0.001, until - time.monotonic()))
        service, instructions = self._service, self._instructions
        try:
            with (
                # The credential goes to this address and nowhere else.
                DefaultHttpxClient(
                    follow_redirects=False, trust_env=not service.is_loopback, timeout=silent_s
                ) as http,
                OpenAI(
                    api_key=service.api_key,
                    base_url=service.base_url,
                    http_client=http,
                    max_retries=0,
                ) as client,
                client.audio.speech.with_streaming_response.create(
                    model=self._model,
                    voice={"id": self._voice} if self._voice.startswith(_CUSTOM) else self._voice,
                    input=text,
                    instructions=omit if instructions is None else instructions,
                    response_format="pcm",
                ) as answer,
            ):
                _refuse_text(answer.headers.get("content-type", ""))
                return _body(answer.iter_bytes(), text, until)
        except _UnspokenError:
            raise
        except APIStatusError as error:
            raise self._refused(error) from None
        except APITimeoutError:
            raise _UnspokenError("it did not answer in time", may_pass=True) from None
        except Exception as error:  # noqa: BLE001 - the SDK lets errors of its transport through
            what = f"the connection failed ({type(error).__name__})"
            raise _UnspokenError(what, may_pass=True) from None

    def _refused(self, error: APIStatusError) -> _UnspokenError:
        code = error.code or ""
        is_safe = _CODE.fullmatch(code) and self._service.api_key not in code
        return _UnspokenError(
            f"it answered {error.status_code}{f' ({code})' if is_safe else ''}",
            may_pass=error.status_code in _BUSY or error.status_code >= _SERVER_ERRORS,
            wait_s=_retry_after_s(error.response.headers.get("retry-after")),
        )


class _UnspokenError(Exception):
    """Why a try gave no speech, whether another might, and how long the service asks to wait."""

    def __init__(self, what: str, *, may_pass: bool = False, wait_s: float | None = None) -> None:
        super().__init__(what)
        self.may_pass = may_pass
        self.wait_s = wait_s


def _retry_after_s(header: str | None) -> float | None:
    """Seconds to wait; a date, or what is no number, is not followed."""
    return float(header) if header and re.fullmatch(r"\d{1,6}(\.\d{1,6})?", header) else None


def _refuse_text(content_type: str) -> None:
    if content_type.startswith(_TEXT_TYPES):
        raise _UnspokenError(_NO_SOUND)


def _body(pieces: Iterable[bytes], text: str, until: float) -> bytes:
    """All of a body, unless it is longer than any speech of the text or takes too long to come."""
    most = longest_ms(text) * SAMPLES_PER_MS * SAMPLE_BYTES
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > most:
            limit = f"{longest_ms(text) / 1000:g} s for {len(text)} characters"
            raise _UnspokenError(f"it sent more sound than the text can take ({limit})")
        if time.monotonic() > until:
            raise _UnspokenError("it did not end in time")
    return bytes(body)


def _is_text(body: bytes) -> bool:
    """Whether a body is words: samples are soon no UTF-8, or control characters."""
    try:
        words = body.decode().split()
    except UnicodeDecodeError:
        return False
    return "".join(words).isprintable()


def _checked(body: bytes, text: str) -> Pcm:
    """The samples of a body that can be speech."""
    if not body:
        raise _UnspokenError("it sent no sound")
    if _is_text(body):
        raise _UnspokenError(_NO_SOUND)
    for start, kind in _FILES.items():
        if body.startswith(start):
            raise _UnspokenError(f"it sent {kind} in place of bare samples")
    if len(body) % SAMPLE_BYTES:
        raise _UnspokenError(f"it sent half a sample ({len(body)} bytes)")
    pcm = from_bytes(body)
    if not pcm.any():
        raise _UnspokenError(f"it sent nothing but silence for {len(text)} characters")
    return pcm
