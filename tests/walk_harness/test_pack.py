"""The bundled recordings: what they are, and that they come out of the committed speech again."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from shared.audio import wav
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.effects.presets import PRESETS
from shared.audio.pcm import to_bytes
from shared.audio.sidecar import Sidecar, read_sidecar
from shared.command import run_command
from shared.dataset import load_dataset
from shared.observability.evidence import MeasuredOn
from shared.scenario_types import AcousticCondition
from shared.speech.hibari import HibariSynthesizer
from walk_harness.generate_audio import ABOUT, _generate
from walk_harness.generation.settings import ROWS

ROOT = Path(__file__).parents[2]
PACK = ROOT / "walk_harness/data"
CRAWL_DATA = ROOT / "crawl_harness/data/scenarios.json"
BASELINES = [f"restaurant_{number}" for number in ("001", "003", "012", "018", "020")]
LARGEST_BYTES = 12_000_000


def scenarios(path: Path) -> list[dict[str, Any]]:
    return list(json.loads(path.read_text("utf-8"))["scenarios"])


WALK, CRAWL = scenarios(PACK / "scenarios.json"), scenarios(CRAWL_DATA)
BY_ID = {one["id"]: one for one in CRAWL}
VARIANTS = [
    (position, f"{one['id']}_{condition}", one["id"], condition)
    for position, one in enumerate(CRAWL)
    for condition in [list(AcousticCondition)[position % 7]]
]


def recording_of(scenario: dict[str, Any]) -> dict[str, Any]:
    (recording,) = scenario["input"]["recordings"]
    return dict(recording)


def sidecar_of(scenario: dict[str, Any]) -> Sidecar:
    path = PACK / recording_of(scenario)["path"]
    found = read_sidecar(path, hashlib.sha256(path.read_bytes()).hexdigest())
    assert found is not None
    return found


def source_id(scenario: dict[str, Any]) -> str:
    made = recording_of(scenario)["metadata"].get("generation", {})
    return str(made.get("source_scenario_id", scenario["id"]))


def test_there_are_5_clean_baselines_and_a_variant_of_every_crawl_scenario() -> None:
    assert [one["id"] for one in WALK] == [*BASELINES, *(name for _, name, _, _ in VARIANTS)]
    assert len(WALK) == 26


@pytest.mark.parametrize("scenario", WALK, ids=lambda one: one["id"])
def test_all_but_id_and_recordings_is_as_in_crawl(scenario: dict[str, Any]) -> None:
    original = BY_ID[source_id(scenario)]
    request = {key: value for key, value in scenario["input"].items() if key != "recordings"}
    assert {**scenario, "id": original["id"], "input": request} == original


@pytest.mark.parametrize("scenario", WALK[:5], ids=lambda one: one["id"])
def test_a_baseline_is_a_clean_recording(scenario: dict[str, Any]) -> None:
    assert recording_of(scenario) == {
        "id": "caller_recording",
        "path": f"audio/{scenario['id']}.wav",
        "condition": "clean",
        "metadata": {"language": "en"},
    }


@pytest.mark.parametrize(
    ("position", "name", "source", "condition"), VARIANTS, ids=[each[1] for each in VARIANTS]
)
def test_a_variant_is_where_and_what_its_name_says(
    position: int, name: str, source: str, condition: AcousticCondition
) -> None:
    scenario = WALK[5 + position]
    recording, known = recording_of(scenario), sidecar_of(scenario)
    assert recording["path"] == f"audio/conditioned/{name}.wav"
    assert recording["condition"] == condition
    is_borrowed = source in BASELINES
    assert recording["id"] == (
        f"caller_recording_{condition}" if is_borrowed else "synthetic_recording"
    )
    assert recording["metadata"]["generation"]["source_scenario_id"] == source
    assert recording["metadata"].get("language") == ("en" if is_borrowed else None)
    assert (known.condition, known.seed, known.scenario_id) == (condition, 41 + position, name)
    assert known.effects == PRESETS[condition]


@pytest.mark.parametrize("scenario", WALK, ids=lambda one: one["id"])
def test_a_recording_is_ours_and_its_sidecar_knows_where_the_clean_speech_is(
    scenario: dict[str, Any],
) -> None:
    recorded = wav.read_recording(PACK / recording_of(scenario)["path"])
    known = sidecar_of(scenario)
    assert recorded.warnings == ()
    assert 3 * 24_000 < recorded.pcm.size < 8 * 24_000
    assert known.source.text == scenario["input"]["text"]
    assert known.source.synthesizer is not None
    assert known.source.synthesizer.name == "hibari"
    mask = known.speech_mask
    assert mask is not None
    assert (mask.detector, mask.measured_on) == (EnergyV1().id, MeasuredOn.CLEAN_SOURCE)
    if known.condition is AcousticCondition.CLEAN:
        assert mask.voiced == EnergyV1().voiced(recorded.pcm)
        assert known.source.pcm_sha256 == hashlib.sha256(to_bytes(recorded.pcm)).hexdigest()


def test_the_pack_is_small_and_holds_nothing_that_is_not_named() -> None:
    files = [path for path in (PACK / "audio").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= LARGEST_BYTES
    recordings = {recording_of(one)["path"] for one in WALK}
    spoken = {f"audio/clean/{one['id']}.flac" for one in CRAWL if one["id"] not in BASELINES}
    named = {name for place in recordings | spoken for name in (place, f"{place}.json")}
    assert {path.relative_to(PACK).as_posix() for path in files} == named


def test_the_dataset_reads_without_a_warning() -> None:
    assert load_dataset(PACK / "scenarios.json").warnings == ()


def test_distractors_and_losses_really_occur() -> None:
    known = {one["id"]: sidecar_of(one) for one in WALK}
    realistic = [each for each in known.values() if each.condition is AcousticCondition.REALISTIC]
    assert len(realistic) == 3
    assert all(each.applied.distractors for each in realistic)
    lossy = [each.applied.packets for each in known.values() if each.effects.packet_loss]
    assert len(lossy) == 6
    assert all(packets and packets.lost for packets in lossy)


def test_every_conditioned_file_comes_out_of_the_committed_speech_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the documented command, with nobody there to speak."""
    copy = tmp_path / "data"
    shutil.copytree(PACK, copy, ignore=shutil.ignore_patterns("scripts", "conditioned"))
    document = json.loads((copy / "scenarios.json").read_text("utf-8"))
    document["scenarios"] = document["scenarios"][:5]
    (copy / "scenarios.json").write_text(json.dumps(document), "utf-8")
    monkeypatch.setattr(HibariSynthesizer, "speak", None)
    order = ["--data", str(CRAWL_DATA), "--output-data", str(copy / "scenarios.json")]
    flags = ["--vary-conditions", "--append", "--seed", "41", "--synthesizer", "hibari"]
    monkeypatch.setattr("sys.argv", ["walk-generate-audio", *order, *flags])
    assert run_command("walk-generate-audio", ABOUT, ROWS, _generate) == 0
    for path in sorted(PACK.rglob("*")):
        relative = path.relative_to(PACK)
        if path.is_file() and relative.parts[0] in {"audio", "scenarios.json"}:
            assert (copy / relative).read_bytes() == path.read_bytes(), relative
