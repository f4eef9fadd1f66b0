from __future__ import annotations

import numpy as np

from shared.audio.effects.echo import EchoingRoom
from shared.audio.effects.leak import LeakingLoudspeaker
from shared.audio.effects.recipe import Echo, Leak

CLAP = np.zeros(24 * 10)
CLAP[0] = 1_000.0


def test_an_echo_is_the_same_sound_later_and_weaker_and_only_once() -> None:
    heard = EchoingRoom(Echo(delay_ms=3, decay=0.35)).heard(CLAP)
    assert {int(at): heard[at] for at in np.flatnonzero(heard)} == {0: 1_000.0, 72: 350.0}


def test_an_echo_without_delay_is_louder_sound() -> None:
    assert EchoingRoom(Echo(delay_ms=0, decay=0.5)).heard(CLAP).tolist() == (CLAP * 1.5).tolist()


def test_an_echo_without_strength_is_none() -> None:
    assert EchoingRoom(Echo(delay_ms=3, decay=0)).heard(CLAP).tolist() == CLAP.tolist()


def test_a_leak_holds_the_far_end_alone() -> None:
    leaked = LeakingLoudspeaker(Leak(delay_ms=2, gain=0.25)).leaked(CLAP.astype(np.int16))
    assert {int(at): leaked[at] for at in np.flatnonzero(leaked)} == {48: 250.0}
