"""What the service made of the caller's words, as a report has it."""

from __future__ import annotations

from collections.abc import Sequence

from shared.metrics.transcription.entities import Entity
from shared.metrics.transcription.recognition import Recognition, Unrecognized
from shared.metrics.transcription.word_error import WordErrors
from shared.metrics.transcription.words import NORMALISER
from shared.plain_text import shortened
from shared.reporting.rounding import rounded_rate
from shared.reporting.schema import EntityReport, WordErrorCounts

LONGEST_ENTITY = 100
"""Characters of an entity in a row."""


def word_error(recognized: Recognition | Unrecognized) -> WordErrorCounts | None:
    return None if isinstance(recognized, Unrecognized) else counted(recognized.words)


def counted(words: WordErrors) -> WordErrorCounts:
    """Counts with their rate, of one attempt or of several pooled."""
    return WordErrorCounts(
        hits=words.hits,
        substitutions=words.substitutions,
        deletions=words.deletions,
        insertions=words.insertions,
        reference_words=words.reference_words,
        rate=rounded_rate(words.rate),
        normaliser=NORMALISER.name,
        normaliser_version=NORMALISER.version,
    )


def entity_reports(recognized: Recognition | Unrecognized) -> list[EntityReport] | None:
    return None if isinstance(recognized, Unrecognized) else _reports(recognized.entities)


def _reports(entities: Sequence[Entity]) -> list[EntityReport]:
    return [
        EntityReport(
            kind=one.kind.value,
            expected=shortened(one.expected, LONGEST_ENTITY),
            heard=one.is_heard,
        )
        for one in entities
    ]


def unrecognized(recognized: Recognition | Unrecognized) -> dict[str, str]:
    """Why figures are null, by their keys."""
    if isinstance(recognized, Recognition):
        return {}
    keys = ("audio.extended.word_error", "audio.extended.entities")
    return dict.fromkeys(keys, recognized.reason)
