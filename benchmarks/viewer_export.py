"""How fast recordings become a page, and how large the page of a conversation of 90 s is.

Two sizes: of a clean conversation, and of one whose caller has ``realistic`` noise; both parties
are spoken by ``tone``, in turn, without a pause. Then an hour of the noisy one: how many seconds of
sound a second of processor time takes in, and the most memory that the process ever had.
``uv run python benchmarks/viewer_export.py``
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shared.audio import wav
from shared.audio.effects.acoustics import Acoustics
from shared.audio.effects.bundled import ambience
from shared.audio.effects.presets import PRESETS
from shared.audio.mixdown import Stereo, stereo
from shared.audio.pcm import SAMPLE_RATE_HZ, Pcm
from shared.scenario_types import AcousticCondition
from shared.speech.tone import ToneSynthesizer
from shared.viewer.assets import assets
from shared.viewer.export import Shown, export
from shared.viewer.view import (
    AttemptView,
    AudioOrigin,
    Course,
    Entry,
    RunView,
    Standing,
    TimingSource,
    TrackView,
)

CONVERSATION_S = 90
HOUR_CONVERSATIONS = 40
AT_LEAST = 20
LARGEST_PAGE_BYTES = 1_500_000
MOST_MEMORY_BYTES = 1_000_000_000
TEXT = "I would like to know, please, whether the last train on Sunday still runs. Thank you!"


def speakers() -> tuple[Pcm, Pcm]:
    """Two who speak in turn for as long as a conversation may take."""
    turns = [ToneSynthesizer(pitch_hz).speak(TEXT).pcm for pitch_hz in (210, 120)]
    first, second = turns
    caller = np.concatenate([first, np.zeros_like(second)])
    assistant = np.concatenate([np.zeros_like(first), second])
    samples = CONVERSATION_S * SAMPLE_RATE_HZ
    return np.resize(caller, samples), np.resize(assistant, samples)


def noisy(caller: Pcm) -> Pcm:
    preset = PRESETS[AcousticCondition.REALISTIC]
    return Acoustics(preset, seed=1, scope="benchmark", ambience=ambience()).process(caller)


def shown(recording: Path) -> Shown:
    """An attempt of which nothing is known but its recording."""
    silent = TrackView(())
    course = Course(0, TimingSource.NONE, None, silent, silent)
    entry = Entry("a", "a", "A conversation", Standing.PASSED, "")
    origin = AudioOrigin.SYNTHETIC_FIXTURE
    return Shown(AttemptView(entry, origin, course, None, None, (), None, None, (), ()), recording)


def run() -> RunView:
    origin = AudioOrigin.SYNTHETIC_FIXTURE
    return RunView("r", "run", "offline_fixture", origin, None, None, None, 1, 1, 0, 0, ())


def exported_bytes(folder: Path, recordings: Sequence[Path]) -> int:
    pages = export(run(), [shown(one) for one in recordings], folder / "viewer.html", assets())
    return sum(page.stat().st_size for page in pages)


def saved(folder: Path, name: str, sound: Stereo) -> Path:
    path = folder / f"{name}.wav"
    path.write_bytes(wav.encode(sound))
    return path


def is_too_large(folder: Path, recording: Path) -> bool:
    size = exported_bytes(folder, [recording])
    print(
        f"{recording.stem}: a page of {size / 1e6:.2f} MB for {CONVERSATION_S} s;"
        f" ratio: {LARGEST_PAGE_BYTES / size:.2f} of the allowed"
        f" {LARGEST_PAGE_BYTES / 1e6:.1f} MB to it (at least 1)"
    )
    return size > LARGEST_PAGE_BYTES


def is_slow(folder: Path, recording: Path) -> bool:
    began = time.process_time()
    exported_bytes(folder, [recording])
    took = time.process_time() - began
    seconds = HOUR_CONVERSATIONS * CONVERSATION_S
    print(
        f"export: {seconds} s of sound in {took:.1f} s of processor time;"
        f" ratio: {seconds / took:.0f} x real time (at least {AT_LEAST})"
    )
    return seconds / took < AT_LEAST


def is_hungry() -> bool:
    unit = 1 if sys.platform == "darwin" else 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    print(
        f"memory: {most / 1e6:.0f} MB at most, the making of the recordings included;"
        f" ratio: {MOST_MEMORY_BYTES / most:.1f} of the allowed"
        f" {MOST_MEMORY_BYTES / 1e6:,.0f} MB to it (at least 1)"
    )
    return most > MOST_MEMORY_BYTES


def repeated(recording: Path, times: int) -> Path:
    """A recording so many times over, put together without all of it in memory."""
    path = recording.with_name("hour.wav")
    content = recording.read_bytes()
    head, samples = content[:44], content[44:]
    size = (len(samples) * times).to_bytes(4, "little")
    with path.open("wb") as file:
        file.write(head[:40] + size)
        for _ in range(times):
            file.write(samples)
    return path


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        caller, assistant = speakers()
        clean = saved(folder, "clean", stereo(caller, assistant))
        realistic = saved(folder, "realistic", stereo(noisy(caller), assistant))
        missed = [
            is_too_large(folder, clean),
            is_too_large(folder, realistic),
            is_slow(folder, repeated(realistic, HOUR_CONVERSATIONS)),
            is_hungry(),
        ]
    sys.exit(any(missed))


if __name__ == "__main__":
    main()
