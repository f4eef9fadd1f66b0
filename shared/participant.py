"""The ports of a conversation: a voice on the line, and the machine of a dialect behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from shared.audio.pcm import Pcm
from shared.errors import AttemptError
from shared.observability.observations import Observation


@dataclass(frozen=True, slots=True)
class AudioArrived(Observation):
    """Audio as it came in, not yet placed on the caller's track. Never part of the evidence."""

    samples: bytes


class Voice(Protocol):
    """One party as the other one hears it."""

    def speak(self) -> bytes:
        """Return the next 20 ms, silence included; there is always a next frame."""


class Hearer(Protocol):
    """One party as it hears the other one."""

    async def hear(self, frame: bytes) -> None:
        """Take the next 20 ms of the other party; on return they are on their way to it."""

    def observed(self) -> Sequence[Observation]:
        """Drain what was observed since, in order of receipt."""

    @property
    def failure(self) -> AttemptError | None:
        """Why this party is gone, once it is."""


class Party(Voice, Hearer, Protocol):
    """One side of a conversation, as the relay drives it: it speaks and hears at once.

    Frames alternate: what it says in a frame is asked for before what it hears in that frame.
    """


class Participant(Hearer, Protocol):
    """One end of a session of some dialect. What it says comes as :class:`AudioArrived`."""

    async def connect(self) -> None:
        """Be ready to hear, or raise :class:`AttemptError`."""

    async def close(self) -> None:
        """End the session in the dialect's own way; never raises."""


class Monitor(Protocol):
    """Somebody listening in. It is told what is said, takes no time over it and never raises."""

    def begin(self) -> None:
        """A conversation begins: media time starts over."""

    def caller(self, start_sample: int, pcm: Pcm) -> None:
        """The caller said so much, from this sample of media time on."""

    def assistant(self, start_sample: int, pcm: Pcm) -> None:
        """The assistant said so much, placed on the same axis."""


@dataclass(frozen=True, slots=True)
class CloseRequest:
    """A machine is done with its connection: close it with a code, or drop it without one."""

    code: int | None


class Machine(Protocol):
    """One end of a session: no I/O, no clock, no sleeping. Instants are wall microseconds."""

    def receive(self, message: str | bytes, at_us: int) -> None:
        """Take one message of the other side."""

    def receive_eof(self, code: int | None, at_us: int) -> None:
        """The connection ended; ``code`` is the other side's close code, if it gave one."""

    def wake(self, at_us: int) -> None:
        """The instant of :meth:`wakes_at` has come."""

    def wakes_at(self) -> int | None:
        """The next instant at which something is due by itself."""

    def messages_to_send(self) -> Sequence[str | bytes]:
        """Drain what the other side should receive, in order."""

    def closing(self) -> CloseRequest | None:
        """Whether the connection should end once the messages are out."""
