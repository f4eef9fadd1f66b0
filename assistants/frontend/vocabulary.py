"""What a trace must know of GPT Live's messages."""

from __future__ import annotations

from assistants.frontend.events import (
    ErrorEvent,
    InputAudioAppend,
    InputTranscriptDelta,
    OutputAudioDelta,
    OutputTranscriptDelta,
    ResponseEvent,
)
from shared.observability.trace import Vocabulary

REPORTED = "assistant.event"
"""What an application elsewhere tells of its tools, over a connection of its own."""

VOCABULARY = Vocabulary(
    audio_fields={
        InputAudioAppend.model_fields["type"].default: "audio",
        OutputAudioDelta.model_fields["type"].default: "delta",
    },
    envelope=ResponseEvent.model_fields["type"].default,
    by_programs=frozenset({ErrorEvent.model_fields["type"].default, REPORTED}),
    speech_fields={
        InputTranscriptDelta.model_fields["type"].default: "delta",
        OutputTranscriptDelta.model_fields["type"].default: "delta",
    },
)
