"""From clean speech to a recording with its sidecar."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shared.audio import wav
from shared.audio.effects.acoustics import Acoustics, Applied, Sounding
from shared.audio.effects.ambience import Ambience
from shared.audio.effects.levels import speech_dbfs
from shared.audio.effects.recipe import Recipe
from shared.audio.pcm import SAMPLES_PER_MS
from shared.audio.sidecar import SCHEMA_VERSION, Sidecar, SourceKind
from shared.errors import UsageError
from shared.scenario_types import AcousticCondition
from walk_harness.generation.clean import CleanSpeech


@dataclass(frozen=True, slots=True)
class Made:
    """A WAV file's bytes and what is known of them."""

    wav: bytes
    sidecar: Sidecar
    duration_s: float
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Setup:
    """What a recording is made by. The scenario's id and the seed settle its chance."""

    scenario_id: str
    condition: AcousticCondition
    recipe: Recipe
    seed: int


def conditioned(
    speech: CleanSpeech,
    setup: Setup,
    ambience: Ambience,
    *,
    frame_ms: int,
    background_sha256: str | None,
) -> Made:
    """Send the speech through the recipe, so many milliseconds at once.

    ``background_sha256`` names the voices of an ambience that is not the bundled one.
    """
    level = speech_dbfs(speech.pcm, speech.mask.voiced)
    noise = setup.recipe.noise
    if level is None and noise is not None and noise.snr_db is not None:
        raise UsageError(
            f"--noise-snr-db: no speech was found in {setup.scenario_id}; give --noise-rms"
        )
    chain = Acoustics(
        setup.recipe,
        seed=setup.seed,
        scope=setup.scenario_id,
        speech_dbfs=level,
        ambience=ambience,
    )
    size = frame_ms * SAMPLES_PER_MS
    blocks = [speech.pcm[at : at + size] for at in range(0, speech.pcm.size, size)]
    content = wav.encode(np.concatenate([chain.process(block) for block in blocks]))
    is_untouched = speech.source.kind is SourceKind.RECORDING and setup.recipe == Recipe()
    is_better_measured_later = is_untouched or not speech.mask.is_reliable
    sidecar = Sidecar(
        schema_version=SCHEMA_VERSION,
        wav_sha256=hashlib.sha256(content).hexdigest(),
        source=speech.source,
        speech_mask=None if is_better_measured_later else speech.mask,
        condition=setup.condition,
        seed=setup.seed,
        scenario_id=setup.scenario_id,
        effects=setup.recipe,
        background_speech_sha256=background_sha256 if setup.recipe.background_speech else None,
        applied=chain.applied(),
    )
    duration_s = speech.pcm.size / SAMPLES_PER_MS / 1_000
    return Made(
        content, sidecar, duration_s, tuple(_doubts(setup.recipe, sidecar.applied, duration_s))
    )


def _doubts(recipe: Recipe, applied: Applied, duration_s: float) -> Iterator[str]:
    """In what a recording is not what its condition promises."""
    if applied.clipped_samples:
        yield (
            f"{applied.clipped_samples} samples are at full scale; levels and SNR in the sidecar"
            " are from before that"
        )
    echo = recipe.echo
    absent = {
        "noise": recipe.noise is not None and not _is_heard(applied.noise),
        "background speech": recipe.background_speech is not None
        and not _is_heard(applied.background_speech),
        "cough and no remark": recipe.distractors is not None and not applied.distractors,
        "echo": echo is not None and (echo.decay == 0 or echo.delay_ms >= duration_s * 1_000),
        "lost packet": recipe.packet_loss is not None
        and (applied.packets is None or not applied.packets.lost),
    }
    for what, is_so in absent.items():
        if is_so:
            yield f"has no {what}, though it was asked for"


def _is_heard(sound: Sounding | None) -> bool:
    return sound is not None and sound.rms > 0
