"""Make the sounds that come with the effects: ``uv run python -m shared.speech.ambience_files``.

Two people talk and do not always wait for each other; a third remark is the aside. hibari speaks
all of it, the second person at a lower pitch. The files are committed: what counts is what is in
them, and another machine's hibari may round a sample otherwise.
"""

from __future__ import annotations

import io

import numpy as np

from shared.audio.effects.ambience import levelled
from shared.audio.effects.bundled import ASIDE, CONVERSATION, FOLDER
from shared.audio.pcm import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Pcm, saturated
from shared.places import write_whole
from shared.speech.hibari import HibariSynthesizer

# Who speaks, what, and how long after the end of the remark before; below 0 they overlap.
TALK = (
    (1.0, "Did you ever get that old bicycle working again?", 0),
    (1.3, "Almost. The chain is new, but the brakes still squeak.", 200),
    (1.0, "My brother had the same trouble with his.", -350),
    (1.3, "Really? What did he do about it?", 150),
    (1.0, "He rode it like that all winter.", -200),
)
REMARK = "No, not now."
QUIET = 40


def main() -> None:
    """Write both files."""
    FOLDER.mkdir(exist_ok=True)
    write_whole(FOLDER / CONVERSATION, _flac(levelled(conversation())))
    write_whole(FOLDER / ASIDE, _flac(levelled(_trimmed(HibariSynthesizer().speak(REMARK).pcm))))


def conversation() -> Pcm:
    """The talk on one track."""
    remarks = [(_spoken(text, lowered_by), pause_ms) for lowered_by, text, pause_ms in TALK]
    track = np.zeros(sum(remark.size + SAMPLE_RATE_HZ for remark, _ in remarks), np.float64)
    end = 0
    for remark, pause_ms in remarks:
        start = end + pause_ms * SAMPLES_PER_MS
        end = start + remark.size
        track[start:end] += remark
    return saturated(track[:end])


def _spoken(text: str, lowered_by: float) -> Pcm:
    """The remark, as slow as it is low: more samples at the same rate."""
    import soxr

    remark = _trimmed(HibariSynthesizer().speak(text).pcm)
    if lowered_by == 1:
        return remark
    slowed: Pcm = soxr.resample(remark, SAMPLE_RATE_HZ, SAMPLE_RATE_HZ * lowered_by)
    return slowed


def _trimmed(pcm: Pcm) -> Pcm:
    """Without the silence around it."""
    sounding = np.flatnonzero(np.abs(pcm.astype(np.int32)) > QUIET)
    return pcm[sounding[0] : sounding[-1] + 1]


def _flac(pcm: Pcm) -> bytes:
    import soundfile

    file = io.BytesIO()
    soundfile.write(file, pcm, SAMPLE_RATE_HZ, format="FLAC", subtype="PCM_16")
    return file.getvalue()


if __name__ == "__main__":
    main()
