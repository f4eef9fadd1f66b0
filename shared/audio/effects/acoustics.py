"""The chain: what the caller says in, what the assistant hears out, sample for sample.

Theory of operation, in the order of nature: noise, other voices and the caller's own distractors
fill the air; the room returns an echo of it; the loudspeaker leaks the assistant into it; the
microphone makes 16 bit samples of the sum, and what is beyond full scale stays there; the telephone
narrows them; the network loses some. Every stage carries its state, so the size of the blocks
changes no sample, and each effect's chance is its own.

The same bytes on every machine: chance is 64 bit integers, filters are exact (see ``fir``), and all
else is single multiplications and additions of 64 bit floats, one numpy call each, which IEEE 754
settles to the last bit and no compiler may fuse. The one power, of a noise given as SNR, ends in a
level rounded to a thousandth of a sample step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shared.audio.effects.ambience import Ambience
from shared.audio.effects.background import BackgroundVoices
from shared.audio.effects.distractors import DistractingCaller, DistractorEvent
from shared.audio.effects.draws import Draws
from shared.audio.effects.echo import EchoingRoom
from shared.audio.effects.leak import LeakingLoudspeaker
from shared.audio.effects.levels import Floats, dbfs, rms_at
from shared.audio.effects.noise import WhiteNoise
from shared.audio.effects.packet_loss import LossyLine
from shared.audio.effects.recipe import Noise, Recipe
from shared.audio.effects.telephone import TelephoneLine
from shared.audio.pcm import Pcm, saturated

FULL_SCALE = 32_768


@dataclass(frozen=True, slots=True)
class Sounding:
    """A sound that was added: its RMS in sample units, and how far below the speech it lies."""

    rms: float
    snr_db: float | None


@dataclass(frozen=True, slots=True)
class Packets:
    """Packets of 20 ms: how many were sent, and the numbers of the lost ones from 0."""

    total: int
    lost: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """What a chain did to the samples it has seen so far. An effect that is off did nothing."""

    speech_dbfs: float | None
    noise: Sounding | None
    background_speech: Sounding | None
    background_starts_at_ms: int | None
    distractors: tuple[DistractorEvent, ...]
    clipped_samples: int
    packets: Packets | None


class Acoustics:
    """One caller's way to the assistant. Blocks go through it in order; it is used once.

    ``scope`` is the scenario's id. ``speech_dbfs`` is how loud the caller speaks
    (:func:`shared.audio.effects.levels.speech_dbfs`): a noise given as SNR needs it, and without it
    no SNR is known afterwards. What lacks for the recipe is a ``ValueError``.
    """

    def __init__(
        self,
        recipe: Recipe,
        *,
        seed: int,
        scope: str,
        speech_dbfs: float | None = None,
        ambience: Ambience | None = None,
    ) -> None:
        self._speech_dbfs = speech_dbfs
        self._noise = self._background = self._distracting = None
        self._room = self._leak = self._telephone = self._network = None
        if recipe.noise:
            rms = _noise_rms(recipe.noise, speech_dbfs)
            self._noise = WhiteNoise(rms, Draws(seed, "noise", scope))
        if recipe.background_speech:
            self._background = BackgroundVoices(
                recipe.background_speech.gain,
                _needed(ambience).conversation,
                Draws(seed, "background_speech", scope),
            )
        if recipe.distractors:
            draws = Draws(seed, "distractors", scope)
            self._distracting = DistractingCaller(
                recipe.distractors, _needed(ambience).aside, draws
            )
        if recipe.echo:
            self._room = EchoingRoom(recipe.echo)
        if recipe.leak:
            self._leak = LeakingLoudspeaker(recipe.leak)
        if recipe.telephony:
            self._telephone = TelephoneLine()
        if recipe.packet_loss:
            self._network = LossyLine(recipe.packet_loss, Draws(seed, "packet_loss", scope))
        self._clipped = 0

    def process(self, caller: Pcm, far_end: Pcm | None = None) -> Pcm:
        """The next block, as long as it was. ``far_end`` is the assistant as played meanwhile."""
        if far_end is not None and far_end.size != caller.size:
            raise ValueError(f"{caller.size} samples of the caller, {far_end.size} of the far end")
        heard = self._microphone(self._air(caller, far_end))
        if self._telephone:
            heard = self._telephone.heard(heard)
        if self._network:
            heard = self._network.heard(heard)
        return heard

    def applied(self) -> Applied:
        """What has been done up to here."""
        background, network = self._background, self._network
        return Applied(
            speech_dbfs=self._speech_dbfs,
            noise=self._sounding(self._noise),
            background_speech=self._sounding(background),
            background_starts_at_ms=background.starts_at_ms if background else None,
            distractors=self._distracting.events if self._distracting else (),
            clipped_samples=self._clipped,
            packets=Packets(network.packets, network.lost) if network else None,
        )

    def _air(self, caller: Pcm, far_end: Pcm | None) -> Floats:
        """Everything that reaches the microphone."""
        air = caller.astype(np.float64)
        if self._noise:
            air += self._noise.following(caller.size)
        if self._background:
            air += self._background.following(caller.size)
        if self._distracting:
            air += self._distracting.following(caller)
        if self._room:
            air = self._room.heard(air)
        if self._leak:
            air += self._leak.leaked(np.zeros_like(caller) if far_end is None else far_end)
        return air

    def _microphone(self, air: Floats) -> Pcm:
        self._clipped += int(np.count_nonzero(np.abs(air) > FULL_SCALE))
        return saturated(air)

    def _sounding(self, source: WhiteNoise | BackgroundVoices | None) -> Sounding | None:
        if source is None or source.rms is None:
            return None
        level, speech = dbfs(source.rms), self._speech_dbfs
        snr_db = None if level is None or speech is None else round(speech - level, 3)
        return Sounding(round(source.rms, 3), snr_db)


def _noise_rms(noise: Noise, speech_dbfs: float | None) -> float:
    if noise.rms is not None:
        return noise.rms
    if noise.snr_db is None or speech_dbfs is None:
        raise ValueError("a noise given as SNR needs the level of the speech")
    return rms_at(speech_dbfs - noise.snr_db)


def _needed(ambience: Ambience | None) -> Ambience:
    if ambience is None:
        raise ValueError("background speech and distractors need an ambience")
    return ambience
