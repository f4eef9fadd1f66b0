"""Which detectors measure a run, and which of them twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import crawl_harness.settings
import walk_harness.settings
from assistants.suite.detectors import (
    for_recordings,
    hybrid_for_sensitivity,
    measured,
    second_for_assistant,
)
from shared.audio.detection import silero
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.detection.hybrid_v1 import HybridV1
from shared.audio.detection.port import Detector
from shared.audio.detection.speech_file import decode_speech
from shared.audio.pcm import silence
from shared.errors import UsageError
from shared.observability.evidence import MeasuredOn
from shared.settings import Setting, Settings, Value, resolve
from tests.support.heard import ScriptedNetwork, buzz, hiss, over, sure_between

CRAWL, WALK = crawl_harness.settings.ROWS, walk_harness.settings.ROWS
OFFLINE, LIVE = True, False


def given(rows: Sequence[Setting], **flags: Value) -> Settings:
    return resolve(rows, flags=flags, environment={}, env_file={}, toml={})


@pytest.fixture
def with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any installed package will do to be named."""
    monkeypatch.setattr(silero, "PACKAGES", {"numpy": list})


@pytest.fixture
def without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silero, "PACKAGES", {"no-such-package": list})


def name(detector: Detector | None) -> str | None:
    return None if detector is None else detector.id.name


@pytest.mark.usefixtures("with_the_extra")
@pytest.mark.parametrize(
    ("rows", "flags", "expected"),
    [
        pytest.param(WALK, {}, "hybrid-v1", id="walk-measures-it-twice"),
        pytest.param(WALK, {"sensitivity": False}, None, id="unless-told-not-to"),
        pytest.param(WALK, {"offline": True}, None, id="offline-it-speaks-in-tones"),
        pytest.param(CRAWL, {}, None, id="crawl-measures-it-once"),
        pytest.param(CRAWL, {"sensitivity": True}, "hybrid-v1", id="unless-told-to"),
    ],
)
def test_of_the_assistant(rows: Sequence[Setting], flags: Any, expected: str | None) -> None:
    assert name(second_for_assistant(given(rows, **flags))) == expected


@pytest.mark.usefixtures("with_the_extra")
@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        pytest.param({}, ("hybrid-v1", "energy-v1"), id="by-the-hybrid-and-then-by-energy"),
        pytest.param({"offline": True}, ("hybrid-v1", "energy-v1"), id="offline-too"),
        pytest.param({"sensitivity": False}, ("hybrid-v1", None), id="or-once"),
        pytest.param({"detector": "hybrid-v1"}, ("hybrid-v1", "energy-v1"), id="or-as-chosen"),
        pytest.param(
            {"detector": "energy-v1"}, ("energy-v1", "hybrid-v1"), id="or-the-other-way-round"
        ),
    ],
)
def test_of_a_recording_of_which_nothing_is_known(flags: Any, expected: object) -> None:
    assert tuple(map(name, for_recordings(given(WALK, **flags)))) == expected


@pytest.mark.usefixtures("without_the_extra")
@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        pytest.param({}, ("energy-v1", None), id="by-default"),
        pytest.param({"detector": "energy-v1"}, ("energy-v1", None), id="as-chosen"),
        pytest.param({"sensitivity": False}, ("energy-v1", None), id="once"),
    ],
)
def test_without_the_extra_energy_measures(flags: Any, expected: object) -> None:
    assert tuple(map(name, for_recordings(given(WALK, **flags)))) == expected
    assert second_for_assistant(given(WALK, **flags)) is None


@pytest.mark.usefixtures("without_the_extra")
@pytest.mark.parametrize(
    ("flags", "message"),
    [
        pytest.param({"sensitivity": True}, "--sensitivity: hybrid-v1 needs no-such", id="twice"),
        pytest.param({"detector": "hybrid-v1"}, "--detector: hybrid-v1 needs no-such", id="by-it"),
    ],
)
def test_without_the_extra_whoever_asks_is_told_how_to_get_it(flags: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message) as refusal:
        for_recordings(given(WALK, **flags))
    assert "uv sync --extra speech" in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.usefixtures("without_the_extra")
def test_crawl_says_so_too() -> None:
    with pytest.raises(UsageError, match="--sensitivity"):
        hybrid_for_sensitivity(given(CRAWL, sensitivity=True))


HYBRID = HybridV1(ScriptedNetwork(sure_between(1_024, 1_696)))
TRACK = over(hiss(3_000, -70), buzz(600), 1_000)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(HYBRID, EnergyV1(), id="first"),
        pytest.param(EnergyV1(), HYBRID, id="second"),
        pytest.param(HYBRID, None, id="alone"),
    ],
)
def test_what_a_network_heard_is_kept_whether_it_measured(
    first: Detector, second: Detector | None
) -> None:
    found = measured(TRACK, MeasuredOn.RECORDING, first, second)
    assert found.track.voiced == first.voiced(TRACK)
    assert found.track.samples == TRACK.size
    assert (found.second is None) == (second is None)
    assert found.speech_file is not None
    assert decode_speech(found.speech_file) == (HYBRID.id, HYBRID.measured(TRACK).heard)


def test_energy_alone_leaves_nothing_to_keep() -> None:
    found = measured(silence(100), MeasuredOn.CLEAN_SOURCE, EnergyV1())
    assert (found.second, found.speech_file) == (None, None)
