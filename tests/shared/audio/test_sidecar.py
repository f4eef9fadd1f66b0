from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.effects.acoustics import Acoustics
from shared.audio.effects.bundled import ambience
from shared.audio.effects.presets import PRESETS
from shared.audio.pcm import silence
from shared.audio.sidecar import (
    LARGEST_BYTES,
    LARGEST_SEED,
    SCHEMA_VERSION,
    Sidecar,
    Source,
    SourceKind,
    SpeechMask,
    Voice,
    read_sidecar,
    sha256_of,
    sidecar_path,
)
from shared.errors import UsageError
from shared.intervals import IntervalSet
from shared.observability.evidence import MeasuredOn
from shared.scenario_types import AcousticCondition

CONTENT = b"the bytes of a WAV file"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def sidecar(condition: AcousticCondition = AcousticCondition.REALISTIC) -> Sidecar:
    recipe = PRESETS[condition]
    chain = Acoustics(recipe, seed=41, scope="one", speech_dbfs=-20.0, ambience=ambience())
    chain.process(silence(6_000))
    return Sidecar(
        schema_version=SCHEMA_VERSION,
        wav_sha256=SHA256,
        source=Source(
            kind=SourceKind.SYNTHESIZED,
            pcm_sha256=sha256_of(silence(10)),
            text="Good evening.",
            synthesizer=Voice(name="tone", version="1", parameters={"pitch_hz": 210}),
            conversion=None,
        ),
        speech_mask=SpeechMask(
            detector=EnergyV1().id,
            measured_on=MeasuredOn.CLEAN_SOURCE,
            voiced_ms=((300, 800), (900, 2_000)),
        ),
        condition=condition,
        seed=41,
        scenario_id="one",
        effects=recipe,
        background_speech_sha256=None,
        applied=chain.applied(),
    )


@pytest.mark.parametrize("condition", AcousticCondition)
def test_what_was_written_is_what_is_read(condition: AcousticCondition) -> None:
    written = sidecar(condition)
    assert Sidecar.decoded(written.encoded()) == written


def test_it_lies_beside_its_recording(tmp_path: Path) -> None:
    recording = tmp_path / "one.wav"
    assert sidecar_path(recording) == tmp_path / "one.wav.json"
    assert read_sidecar(recording, SHA256) is None
    sidecar_path(recording).write_bytes(sidecar().encoded())
    assert read_sidecar(recording, SHA256) == sidecar()


def test_the_mask_is_a_set_of_spans() -> None:
    assert sidecar().speech_mask.voiced == IntervalSet.of([(300, 800), (900, 2_000)])


def test_a_sidecar_of_other_bytes_is_refused_in_one_line(tmp_path: Path) -> None:
    recording = tmp_path / "one.wav"
    sidecar_path(recording).write_bytes(sidecar().encoded())
    with pytest.raises(UsageError) as refusal:
        read_sidecar(recording, hashlib.sha256(CONTENT + b"!").hexdigest())
    assert str(refusal.value) == (
        f"{tmp_path / 'one.wav.json'}: belongs to other samples than one.wav has; make both anew"
        " with walk-generate-audio --force, or delete the sidecar"
    )


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    document = json.loads(sidecar().encoded())
    change(document)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        pytest.param(b"", "not valid JSON", id="an-empty-file"),
        pytest.param(b"[]", "should be an object", id="a-list"),
        pytest.param(b"\xff", "byte 0xff is not UTF-8", id="no-text"),
        pytest.param(
            changed(lambda it: it.update(schema_version="2.0")), "schema_version", id="a-later-one"
        ),
        pytest.param(changed(lambda it: it.pop("seed")), "seed", id="one-without-a-key"),
        pytest.param(changed(lambda it: it.update(more=1)), "more", id="one-with-a-key-more"),
        pytest.param(
            changed(lambda it: it["effects"].update(reverb=1)),
            "effects.reverb",
            id="an-effect-we-do-not-know",
        ),
        pytest.param(
            changed(lambda it: it["effects"]["echo"].update(decay=2)), "decay", id="no-such-echo"
        ),
        pytest.param(
            changed(lambda it: it["speech_mask"].update(voiced_ms=[[5, 9], [1, 3]])),
            "in order and apart",
            id="spans-out-of-order",
        ),
        pytest.param(
            changed(lambda it: it["speech_mask"].update(voiced_ms=[[5, 5]])),
            "empty interval",
            id="an-empty-span",
        ),
        pytest.param(
            changed(lambda it: it["speech_mask"].update(voiced_ms=[[-1, 5]])),
            "in order and apart",
            id="a-span-before-the-recording",
        ),
        pytest.param(
            changed(lambda it: it["effects"]["echo"].update(decay=float("nan"))),
            "effects.echo.decay: is NaN, which JSON does not have",
            id="no-number",
        ),
        pytest.param(
            sidecar().encoded().replace(b'"seed": 41', b'"seed": 1e999'),
            "seed: is a number too large to hold",
            id="an-infinite-number",
        ),
        pytest.param(
            sidecar().encoded().replace(b'"seed": 41', b'"seed": 41, "seed": 42'),
            "seed: the key stands more than once",
            id="a-key-twice",
        ),
        pytest.param(
            changed(lambda it: it.update(seed=LARGEST_SEED + 1)), "seed: ", id="an-absurd-seed"
        ),
        pytest.param(
            b"[" * 100_000, "nested deeper than 64 levels", id="what-is-nested-without-end"
        ),
        pytest.param(changed(lambda it: it.update(wav_sha256="abc")), "wav_sha256", id="no-digest"),
    ],
)
def test_refused_in_one_line_is(tmp_path: Path, content: bytes, fault: str) -> None:
    recording = tmp_path / "one.wav"
    sidecar_path(recording).write_bytes(content)
    with pytest.raises(UsageError, match=r"is no sidecar: .*; make both anew") as refusal:
        read_sidecar(recording, SHA256)
    assert fault in str(refusal.value)
    assert "Value error" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("seed", [LARGEST_SEED, -LARGEST_SEED])
def test_the_largest_seeds_are_read(seed: int) -> None:
    assert Sidecar.decoded(changed(lambda it: it.update(seed=seed))).seed == seed


def test_a_sidecar_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    recording = tmp_path / "one.wav"
    sidecar_path(recording).mkdir()
    with pytest.raises(UsageError, match=r"one\.wav\.json: cannot be read: Is a directory"):
        read_sidecar(recording, SHA256)


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    recording = tmp_path / "one.wav"
    os.mkfifo(sidecar_path(recording))
    with pytest.raises(UsageError, match=r"one\.wav\.json: is no sidecar: it is no regular file"):
        read_sidecar(recording, SHA256)


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        pytest.param(LARGEST_BYTES, "looks like UTF-16", id="the-largest-is-read"),
        pytest.param(LARGEST_BYTES + 1, "it holds 50000001 bytes", id="one-byte-more-is-not"),
    ],
)
def test_a_file_too_large_is_not_read(tmp_path: Path, size: int, reason: str) -> None:
    recording = tmp_path / "one.wav"
    with sidecar_path(recording).open("wb") as file:
        file.truncate(size)
    with pytest.raises(UsageError, match=f"is no sidecar: {reason}"):
        read_sidecar(recording, SHA256)
