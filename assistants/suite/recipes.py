"""From flags to a recipe: a preset with single values replaced, and what to call the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from shared.audio.effects.presets import PRESETS
from shared.audio.effects.recipe import (
    BackgroundSpeech,
    Distractors,
    Echo,
    GapFill,
    Noise,
    PacketLoss,
    Recipe,
)
from shared.errors import UsageError
from shared.scenario_types import AcousticCondition
from shared.settings import Value

type Overrides = Mapping[str, Value]
"""The effects given by flag, by the names of their rows."""

DEFAULT_ECHO = Echo(delay_ms=120, decay=0.35)
DEFAULT_LOSS = PacketLoss(rate=0.08, mean_burst=2)
SOFT_BACKGROUND = BackgroundSpeech(gain=0.1)

BELONGS_TO: Final[Mapping[str, AcousticCondition]] = {
    "noise_rms": AcousticCondition.NOISY,
    "noise_snr_db": AcousticCondition.NOISY,
    "background_speech": AcousticCondition.BACKGROUND_SPEECH,
    "background_gain": AcousticCondition.BACKGROUND_SPEECH,
    "echo_delay_ms": AcousticCondition.ECHO,
    "echo_decay": AcousticCondition.ECHO,
    "packet_loss_rate": AcousticCondition.PACKET_LOSS,
    "packet_loss_burst": AcousticCondition.PACKET_LOSS,
    "packet_loss_fill": AcousticCondition.PACKET_LOSS,
    "cough_every_ms": AcousticCondition.REALISTIC,
    "non_directed_every_ms": AcousticCondition.REALISTIC,
}
"""The condition that an effect given alone makes of a clean recording."""


def condition_of(named: str | None, overrides: Overrides) -> AcousticCondition:
    """What results call the recording; a name that would be untrue is refused."""
    conditions = {BELONGS_TO[name] for name in overrides}
    if named is None:
        if len(conditions) > 1:
            raise UsageError("--condition: name one; the effects given belong to several")
        return conditions.pop() if conditions else AcousticCondition.CLEAN
    condition = AcousticCondition(named)
    if condition is AcousticCondition.CLEAN and overrides:
        flag = flag_of(next(iter(overrides)))
        raise UsageError(f"{flag}: leaves no recording clean; name another --condition")
    return condition


def recipe_of(named: str | None, overrides: Overrides) -> Recipe:
    """The named preset, or none, with the given values in place of its own."""
    base = PRESETS[AcousticCondition(named)] if named else Recipe()
    try:
        return replace(
            base,
            noise=_noise(base.noise, overrides),
            background_speech=_background(base.background_speech, overrides),
            distractors=_distractors(base.distractors, overrides),
            echo=_echo(base.echo, overrides),
            packet_loss=_packet_loss(base.packet_loss, overrides),
        )
    except ValueError as error:
        raise UsageError(f"{flag_of(next(iter(overrides)))}: {error}") from error


def flag_of(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _number(value: Value) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return float(value)


def _whole(value: Value) -> int:
    return int(_number(value))


def _noise(preset: Noise | None, given: Overrides) -> Noise | None:
    if "noise_rms" in given and "noise_snr_db" in given:
        raise UsageError("--noise-snr-db: not together with --noise-rms; give one of them")
    if "noise_rms" in given:
        return Noise(rms=_number(given["noise_rms"]))
    if "noise_snr_db" in given:
        return Noise(snr_db=_number(given["noise_snr_db"]))
    return preset


def _background(preset: BackgroundSpeech | None, given: Overrides) -> BackgroundSpeech | None:
    if "background_gain" in given:
        return BackgroundSpeech(_number(given["background_gain"]))
    return preset or (SOFT_BACKGROUND if "background_speech" in given else None)


def _distractors(preset: Distractors | None, given: Overrides) -> Distractors | None:
    named = {
        name: _whole(given[name])
        for name in ("cough_every_ms", "non_directed_every_ms")
        if name in given
    }
    return replace(preset or Distractors(), **named) if named else preset


def _echo(preset: Echo | None, given: Overrides) -> Echo | None:
    echo = preset
    if "echo_delay_ms" in given:
        echo = replace(echo or DEFAULT_ECHO, delay_ms=_whole(given["echo_delay_ms"]))
    if "echo_decay" in given:
        echo = replace(echo or DEFAULT_ECHO, decay=_number(given["echo_decay"]))
    return echo


def _packet_loss(preset: PacketLoss | None, given: Overrides) -> PacketLoss | None:
    asked = {"packet_loss_rate", "packet_loss_burst", "packet_loss_fill"} & set(given)
    if not asked:
        return preset
    base = preset or DEFAULT_LOSS
    return PacketLoss(
        rate=_number(given.get("packet_loss_rate", base.rate)),
        mean_burst=_whole(given.get("packet_loss_burst", base.mean_burst)),
        fill=GapFill(str(given.get("packet_loss_fill", base.fill.value))),
    )
