"""What both parties said, collected frame by frame while it is said."""

from __future__ import annotations

from shared.audio.pcm import FRAME_MS, Pcm, from_bytes


class RecordedTracks:
    """Three tracks of one length, from media time 0: the caller twice, and the assistant.

    Adding a frame costs the same however long the conversation is.
    """

    def __init__(self) -> None:
        self._caller: list[bytes] = []
        self._sent: list[bytes] = []
        self._assistant: list[bytes] = []

    def add(self, caller: bytes, sent: bytes, assistant: bytes) -> None:
        """Take the next frame of each."""
        self._caller.append(caller)
        self._sent.append(sent)
        self._assistant.append(assistant)

    @property
    def extent_ms(self) -> int:
        return len(self._caller) * FRAME_MS

    @property
    def caller(self) -> Pcm:
        """The caller as it spoke, before any acoustic condition."""
        return from_bytes(b"".join(self._caller))

    @property
    def sent(self) -> Pcm:
        """The caller as it was sent to the assistant."""
        return from_bytes(b"".join(self._sent))

    @property
    def assistant(self) -> Pcm:
        """The assistant as it was played to the caller."""
        return from_bytes(b"".join(self._assistant))
