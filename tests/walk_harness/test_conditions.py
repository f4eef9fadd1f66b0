"""What is done to the caller's audio says nothing about the assistant: under no preset does it look
slower, and nowhere does it interrupt more."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shared.audio import wav
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.detection.port import DetectorId
from shared.audio.effects.acoustics import Acoustics
from shared.audio.effects.bundled import ambience
from shared.audio.effects.presets import PRESETS
from shared.audio.pcm import Pcm, duration_ms, silence
from shared.audio.sidecar import (
    SCHEMA_VERSION,
    Sidecar,
    Source,
    SourceKind,
    SpeechMask,
    Voice,
    sha256_of,
    sidecar_path,
)
from shared.errors import DatasetError
from shared.observability.evidence import MeasuredOn
from shared.scenario_types import AcousticCondition
from tests.support.recordings import TEXT, a_recorded_dataset, recorded, recording, spoken
from tests.support.runs import Row, evaluate_here
from walk_harness.suite import WALK

ANSWERS_AFTER_MS = 800
WITHIN_MS = 30
CLEAN = np.concatenate([silence(300), spoken(), silence(500)])
SPEAKS_INTO_A_PAUSE_AND_ANSWERS = {
    "format": "gpt-live-script/1",
    "steps": [
        {"say": "Yes?", "at": "caller_start+40"},
        {"say": "Of course.", "at": f"caller_end+{ANSWERS_AFTER_MS}"},
    ],
}


def in_condition(condition: AcousticCondition) -> Pcm:
    chain = Acoustics(
        PRESETS[condition], seed=41, scope="a", speech_dbfs=-20.0, ambience=ambience()
    )
    return chain.process(CLEAN)


def a_sidecar(path: Path, condition: AcousticCondition, **changes: Any) -> None:
    """Write what the maker of a recording would have known."""
    chain = Acoustics(
        PRESETS[condition], seed=41, scope="a", speech_dbfs=-20.0, ambience=ambience()
    )
    chain.process(CLEAN)
    known = {
        "schema_version": SCHEMA_VERSION,
        "wav_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "source": Source(
            kind=SourceKind.RECORDING,
            pcm_sha256=sha256_of(CLEAN),
            text=None,
            synthesizer=None,
            conversion=None,
        ),
        "speech_mask": SpeechMask(
            detector=EnergyV1().id,
            measured_on=MeasuredOn.CLEAN_SOURCE,
            voiced_ms=tuple((s.start_ms, s.end_ms) for s in EnergyV1().voiced(CLEAN)),
        ),
        "condition": condition,
        "seed": 41,
        "scenario_id": "a",
        "effects": PRESETS[condition],
        "background_speech_sha256": None,
        "applied": chain.applied(),
        **changes,
    }
    sidecar_path(path).write_bytes(Sidecar(**known).encoded())


@cache
def row_under(condition: AcousticCondition, folder: Path) -> Row:
    where = folder / condition.value
    dataset = a_recorded_dataset(
        where,
        recorded("a", recording(condition=condition.value)),
        audio={"audio/r.wav": in_condition(condition)},
    )
    a_sidecar(where / "audio/r.wav", condition)
    script = where / "scripts/sound/a.json"
    script.write_text(json.dumps(SPEAKS_INTO_A_PAUSE_AND_ANSWERS), "utf-8")
    run, _ = evaluate_here(where / "results", WALK, data=str(dataset))
    return run.rows["a"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("conditions")


@pytest.mark.parametrize("condition", AcousticCondition)
def test_an_answer_800_ms_after_the_true_end_is_measured_as_one_in(
    condition: AcousticCondition, folder: Path
) -> None:
    row = row_under(condition, folder)
    latency_ms = row["metrics"]["audio"]["response_latency_ms"]
    assert abs(latency_ms - ANSWERS_AFTER_MS) <= WITHIN_MS
    assert row["metrics"]["audio"]["speech"]["caller"]["measured_on"] == "clean_source"


@pytest.mark.parametrize("condition", AcousticCondition)
def test_interruptions_are_those_of_the_clean_file_in(
    condition: AcousticCondition, folder: Path
) -> None:
    counted = row_under(condition, folder)["metrics"]["audio"]["interruption_count"]
    clean = row_under(AcousticCondition.CLEAN, folder)["metrics"]["audio"]["interruption_count"]
    assert clean == 1  # so that there is something to be counted twice or not at all
    assert counted == clean


def test_without_the_mask_noise_hides_where_the_caller_ends(tmp_path: Path) -> None:
    """So that the tests above are known to test something: energy alone is lost in this noise."""
    pcm = in_condition(AcousticCondition.NOISY)
    found = EnergyV1().voiced(pcm).extent
    true = EnergyV1().voiced(CLEAN).extent
    assert true is not None
    assert found is None or abs(found.end_ms - true.end_ms) > WITHIN_MS


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        pytest.param({"wav_sha256": "0" * 64}, "belongs to other samples", id="of-other-samples"),
        pytest.param(
            {
                "speech_mask": SpeechMask(
                    detector=EnergyV1().id,
                    measured_on=MeasuredOn.CLEAN_SOURCE,
                    voiced_ms=((300, duration_ms(CLEAN) + 1),),
                )
            },
            "after the recording does",
            id="that-ends-one-millisecond-after-the-recording",
        ),
    ],
)
def test_a_sidecar_is_refused(change: dict[str, Any], complaint: str, tmp_path: Path) -> None:
    dataset = a_recorded_dataset(tmp_path, recorded("a", recording()), audio={"audio/r.wav": CLEAN})
    a_sidecar(tmp_path / "audio/r.wav", AcousticCondition.CLEAN, **change)
    with pytest.raises(DatasetError, match=complaint) as refusal:
        evaluate_here(tmp_path / "results", WALK, data=str(dataset))
    assert "\n" not in str(refusal.value)
    assert not (tmp_path / "results").exists()


def test_a_mask_up_to_the_last_millisecond_is_taken(tmp_path: Path) -> None:
    dataset = a_recorded_dataset(tmp_path, recorded("a", recording()), audio={"audio/r.wav": CLEAN})
    mask = SpeechMask(
        detector=EnergyV1().id,
        measured_on=MeasuredOn.CLEAN_SOURCE,
        voiced_ms=((300, duration_ms(CLEAN)),),
    )
    a_sidecar(tmp_path / "audio/r.wav", AcousticCondition.CLEAN, speech_mask=mask)
    run, _ = evaluate_here(tmp_path / "results", WALK, data=str(dataset))
    evidence = json.loads(run.details("a"))["evidence"]
    assert evidence["caller"]["voiced"] == [[300, duration_ms(CLEAN)]]


HYBRID = DetectorId("hybrid-v1", "1", {})
OURS = ((310, 1_000),)


@pytest.mark.parametrize(
    ("detector", "measured_on", "chosen", "is_taken"),
    [
        pytest.param(EnergyV1().id, MeasuredOn.CLEAN_SOURCE, None, True, id="of-clean-speech"),
        pytest.param(
            EnergyV1().id,
            MeasuredOn.CLEAN_SOURCE,
            "hybrid-v1",
            True,
            id="of-clean-speech-whatever-was-chosen",
        ),
        pytest.param(HYBRID, MeasuredOn.RECORDING, None, True, id="heard-through-noise"),
        pytest.param(
            HYBRID, MeasuredOn.RECORDING, "hybrid-v1", True, id="heard-by-the-one-that-was-chosen"
        ),
        pytest.param(
            HYBRID, MeasuredOn.RECORDING, "energy-v1", False, id="heard-by-another-than-was-chosen"
        ),
        pytest.param(
            EnergyV1().id, MeasuredOn.RECORDING, None, False, id="by-the-energy-of-a-recording"
        ),
        pytest.param(
            EnergyV1().id,
            MeasuredOn.RECORDING,
            "hybrid-v1",
            False,
            id="by-energy-where-better-was-chosen",
        ),
    ],
)
def test_a_mask_is_taken_or_measured_anew(
    detector: DetectorId,
    measured_on: MeasuredOn,
    chosen: str | None,
    is_taken: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    dataset = a_recorded_dataset(tmp_path, recorded("a", recording()), audio={"audio/r.wav": CLEAN})
    mask = SpeechMask(detector=detector, measured_on=measured_on, voiced_ms=OURS)
    a_sidecar(tmp_path / "audio/r.wav", AcousticCondition.CLEAN, speech_mask=mask)
    flags = {} if chosen is None else {"detector": chosen}
    run, _ = evaluate_here(tmp_path / "results", WALK, data=str(dataset), **flags)
    evidence = json.loads(run.details("a"))["evidence"]
    assert (evidence["caller"]["voiced"] == [list(span) for span in OURS]) is is_taken
    told = "--detector: measures no recording of which more is known: 1 of 1 recordings have"
    assert (told in capsys.readouterr().err) is (is_taken and chosen is not None)


def a_source(text: str) -> Source:
    voice = Voice(name="tone", version="1", parameters={})
    return Source(
        kind=SourceKind.SYNTHESIZED,
        pcm_sha256=sha256_of(CLEAN),
        text=text,
        synthesizer=voice,
        conversion=None,
    )


def test_a_sidecar_that_says_other_words_were_spoken_is_refused(tmp_path: Path) -> None:
    """... for the service would be blamed for words it never heard."""
    dataset = a_recorded_dataset(tmp_path, recorded("a", recording()), audio={"audio/r.wav": CLEAN})
    path = tmp_path / "audio/r.wav"
    a_sidecar(path, AcousticCondition.CLEAN, source=a_source(f"{TEXT} Now."))
    with pytest.raises(DatasetError) as refusal:
        evaluate_here(tmp_path / "results", WALK, data=str(dataset))
    assert str(refusal.value) == (
        f'scenario "a": input.recordings[0].path: {sidecar_path(path)}: says that another text than'
        " input.text was spoken; mend input.text, or make both anew with walk-generate-audio"
        " --force"
    )
    assert not (tmp_path / "results").exists()


def test_a_text_that_differs_in_no_word_is_the_same(tmp_path: Path) -> None:
    dataset = a_recorded_dataset(tmp_path, recorded("a", recording()), audio={"audio/r.wav": CLEAN})
    source = a_source(TEXT.replace("two", "2").upper())
    a_sidecar(tmp_path / "audio/r.wav", AcousticCondition.CLEAN, source=source)
    run, _ = evaluate_here(tmp_path / "results", WALK, data=str(dataset))
    assert list(run.rows) == ["a"]


def test_a_sidecar_that_is_none_is_refused(tmp_path: Path) -> None:
    dataset = a_recorded_dataset(tmp_path, recorded("a", recording()))
    sidecar_path(tmp_path / "audio/r.wav").write_text("{}", "utf-8")
    with pytest.raises(DatasetError, match=r"r\.wav\.json: is no sidecar: "):
        evaluate_here(tmp_path / "results", WALK, data=str(dataset))


def test_the_tone_is_written_as_it_is(tmp_path: Path) -> None:
    """The clean condition leaves every sample alone."""
    assert np.array_equal(in_condition(AcousticCondition.CLEAN), CLEAN)
    path = tmp_path / "clean.wav"
    path.write_bytes(wav.encode(CLEAN))
    assert np.array_equal(wav.read_recording(path).pcm, CLEAN)
