from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import override

import numpy as np
import pytest

from shared.audio import wav
from shared.errors import UsageError
from shared.intervals import IntervalSet
from shared.speech.cache import CachedSynthesizer
from shared.speech.port import Speech
from shared.speech.tone import ToneSynthesizer
from shared.values import JsonScalar


class Voice:
    """Counts what it is asked; every answer is a little louder than the one before."""

    def __init__(
        self, name: str = "voice", version: str = "1", seed: int = 0, *, knows_truth: bool = False
    ) -> None:
        self.name = name
        self.version = version
        self.parameters: Mapping[str, JsonScalar] = {"seed": seed}
        self.asked: list[str] = []
        self._voiced = IntervalSet.of([(0, 10)]) if knows_truth else None

    def speak(self, text: str) -> Speech:
        self.asked.append(text)
        return Speech(
            np.full(240, len(self.asked), np.int16), self._voiced, self.name, self.version
        )


class MuteVoice(Voice):
    @override
    def speak(self, text: str) -> Speech:
        raise RuntimeError(text)


class SlowVoice(Voice):
    @override
    def speak(self, text: str) -> Speech:
        time.sleep(0.05)
        return super().speak(text)


class VoiceOfTwo(Voice):
    """Says a word only while another is being said."""

    def __init__(self) -> None:
        super().__init__()
        self._both = threading.Barrier(2)

    @override
    def speak(self, text: str) -> Speech:
        self._both.wait(timeout=20)
        return super().speak(text)


def levels(cached: CachedSynthesizer, *texts: str) -> list[int]:
    return [int(cached.speak(text).pcm[0]) for text in texts]


def test_a_text_is_asked_for_once(tmp_path: Path) -> None:
    voice = Voice()
    assert levels(CachedSynthesizer(voice, tmp_path), "hello", "hello", "bye") == [1, 1, 2]
    assert levels(CachedSynthesizer(voice, tmp_path), "hello", "bye") == [1, 2]
    assert voice.asked == ["hello", "bye"]


def test_speech_from_disk_is_the_speech_that_was_made(tmp_path: Path) -> None:
    cached = CachedSynthesizer(Voice(), tmp_path)
    made, kept = cached.speak("hello"), cached.speak("hello")
    assert np.array_equal(made.pcm, kept.pcm)
    assert (kept.voiced, kept.synthesizer, kept.version) == (None, "voice", "1")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(Voice(name="another"), id="another-synthesizer"),
        pytest.param(Voice(version="2"), id="another-version"),
        pytest.param(Voice(seed=1), id="another-parameter"),
    ],
)
def test_another_voice_has_entries_of_its_own(tmp_path: Path, other: Voice) -> None:
    first, second = CachedSynthesizer(Voice(), tmp_path), CachedSynthesizer(other, tmp_path)
    assert first.entry("hello") != second.entry("hello")


def test_refresh_asks_once_more_and_then_reuses(tmp_path: Path) -> None:
    voice = Voice()
    CachedSynthesizer(voice, tmp_path).speak("hello")
    assert levels(CachedSynthesizer(voice, tmp_path, refresh=True), "hello", "hello") == [2, 2]
    assert levels(CachedSynthesizer(voice, tmp_path), "hello") == [2]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(b"", id="emptied"),
        pytest.param(wav.encode(np.ones(240, np.int16))[:-7], id="cut-short"),
        pytest.param(wav.encode(np.ones((240, 2), np.int16)), id="of-another-form"),
    ],
)
def test_an_entry_is_made_again_when(tmp_path: Path, damage: bytes) -> None:
    cached = CachedSynthesizer(Voice(), tmp_path)
    cached.speak("hello")
    cached.entry("hello").write_bytes(damage)
    assert levels(cached, "hello", "hello") == [2, 2]


def test_entries_are_private_whole_files_and_nothing_lies_beside_them(tmp_path: Path) -> None:
    directory = tmp_path / "deep" / "speech"
    cached = CachedSynthesizer(Voice(), directory)
    cached.speak("hello")
    assert list(directory.iterdir()) == [cached.entry("hello")]
    assert directory.stat().st_mode & 0o777 == 0o700
    assert cached.entry("hello").stat().st_mode & 0o777 == 0o600
    assert cached.entry("hello").read_bytes() == wav.encode(np.ones(240, np.int16))


def test_speech_that_knows_its_truth_passes_through(tmp_path: Path) -> None:
    voice = Voice(knows_truth=True)
    cached = CachedSynthesizer(voice, tmp_path)
    assert levels(cached, "hello", "hello") == [1, 2]
    assert cached.speak("hello").voiced == IntervalSet.of([(0, 10)])
    assert list(tmp_path.iterdir()) == []


def test_a_cached_tone_is_the_tone(tmp_path: Path) -> None:
    tone = ToneSynthesizer()
    assert CachedSynthesizer(tone, tmp_path).speak("hello").voiced == tone.speak("hello").voiced


def test_one_who_comes_while_a_text_is_made_gets_what_was_made(tmp_path: Path) -> None:
    voice = SlowVoice()
    cached = CachedSynthesizer(voice, tmp_path)
    with ThreadPoolExecutor(4) as pool:
        heard = list(pool.map(lambda text: levels(cached, text), ["hello"] * 4 + ["bye"]))
    assert heard[:4] == [heard[0]] * 4
    assert sorted(voice.asked) == ["bye", "hello"]


def test_texts_do_not_wait_for_each_other(tmp_path: Path) -> None:
    voice = VoiceOfTwo()
    cached = CachedSynthesizer(voice, tmp_path)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(cached.speak, ["hello", "bye"]))
    assert sorted(voice.asked) == ["bye", "hello"]


def test_one_who_waited_for_a_failure_tries_for_itself(tmp_path: Path) -> None:
    cached = CachedSynthesizer(MuteVoice(), tmp_path)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            cached.speak("hello")


def test_a_place_where_nothing_can_be_kept_is_refused_before_a_word_is_made(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("in the way")
    voice = Voice()
    with pytest.raises(UsageError, match="no speech can be kept"):
        CachedSynthesizer(voice, tmp_path / "file").speak("hello")
    assert voice.asked == []


def test_an_entry_that_cannot_be_replaced_leaves_nothing_behind(tmp_path: Path) -> None:
    cached = CachedSynthesizer(Voice(), tmp_path)
    cached.entry("hello").mkdir()
    with pytest.raises(UsageError, match="cannot be kept"):
        cached.speak("hello")
    assert list(tmp_path.iterdir()) == [cached.entry("hello")]


def test_a_voice_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="hello"):
        CachedSynthesizer(MuteVoice(), tmp_path).speak("hello")
    assert list(tmp_path.iterdir()) == []


def test_a_text_names_no_file(tmp_path: Path) -> None:
    entry = CachedSynthesizer(Voice(), tmp_path).entry("../../etc/passwd")
    assert entry.parent == tmp_path
    assert len(entry.stem) == 64
