"""What the service recognized of one request, against the reference.

Unknown is not zero: a service that gave no caption in the whole attempt, of either party, does not
transcribe as far as can be told. One that captions and has no word of the caller lost all of them.
Contract: ``docs/metrics-contract.md``, "Word error".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.metrics.transcription.entities import Entity, entities
from shared.metrics.transcription.reference import Reference
from shared.metrics.transcription.word_error import WordErrors
from shared.observability.observations import Caption, Speaker
from shared.observability.turns import joined

LONGEST_TEXT: Final = 100_000
"""Characters; hours of speech. Comparing two such texts takes seconds."""
NO_REFERENCE: Final = "only the words of a single request are known beforehand"
NO_CAPTIONS: Final = "the service gave no captions"
TOO_LONG: Final = f"a transcript of more than {LONGEST_TEXT:,} characters is not compared"


@dataclass(frozen=True, slots=True)
class Recognition:
    """Words and entities of the reference as the service understood them."""

    words: WordErrors
    entities: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class Unrecognized:
    """Why nothing can be said."""

    reason: str


def recognition(
    captions: Sequence[Caption], reference: Reference | None
) -> Recognition | Unrecognized:
    """Compare all that was transcribed of the caller, in order of receipt, with the reference.

    ``captions`` are those of both parties.
    """
    if reference is None:
        return Unrecognized(NO_REFERENCE)
    if not captions:
        return Unrecognized(NO_CAPTIONS)
    heard = joined(one for one in captions if one.speaker is Speaker.CALLER)
    if max(len(heard), len(reference.text)) > LONGEST_TEXT:
        return Unrecognized(TOO_LONG)
    return Recognition(
        WordErrors.between(reference.text, heard),
        entities(reference.text, heard, reference.names),
    )
