"""How much one session may be sent: whatever a service does, an attempt's memory stays bounded."""

from __future__ import annotations

from dataclasses import dataclass

BYTES_PER_MS = 48


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """All inclusive. A session of two hours stays far below them."""

    audio_lead_ms: int = 60_000
    """How far the assistant's audio may run ahead of the caller's."""
    messages: int = 500_000
    message_bytes: int = 64 * 1024 * 1024
    """All messages that are not audio, together."""


class Intake:
    """Counts what came in. Each method says what was too much, or nothing."""

    def __init__(self, limits: IntakeLimits) -> None:
        self._limits = limits
        self._messages = 0
        self._message_bytes = 0
        self._audio_bytes = 0

    def message(self, size_bytes: int, *, is_audio: bool) -> str | None:
        """Count a message by its size on the wire."""
        limits = self._limits
        self._messages += 1
        self._message_bytes += 0 if is_audio else size_bytes
        if self._messages > limits.messages:
            return f"more than {limits.messages} messages"
        if self._message_bytes > limits.message_bytes:
            return f"more than {limits.message_bytes} bytes beside its audio"
        return None

    def audio(self, size_bytes: int, media_ms: int) -> str | None:
        """Count samples, ``media_ms`` into the caller's track."""
        self._audio_bytes += size_bytes
        if self._audio_bytes // BYTES_PER_MS - media_ms > self._limits.audio_lead_ms:
            return f"{self._limits.audio_lead_ms / 1000:g} s more audio than time has passed"
        return None
