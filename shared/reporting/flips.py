"""What came out otherwise by a second detector, in one line for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from shared.reporting.schema import AttemptResult, SensitivityMetrics, SpeechSource


def flips_of(row: AttemptResult) -> Iterator[str]:
    """One line about a row in which anything flips, none about any other."""
    extended = row.metrics.audio.extended
    sensitivity = None if extended is None else extended.sensitivity
    if sensitivity is None:
        return
    flips = [
        *(
            f"request {one.utterance + 1} {one.status} -> {one.second_status}"
            for one in sensitivity.flips.responses
        ),
        *(f"{one.id} {one.status} -> {one.second_status}" for one in sensitivity.flips.checks),
    ]
    if flips:
        yield f"{row.attempt.key}: by {_by(row, sensitivity)}: {'; '.join(flips)}"


def _by(row: AttemptResult, sensitivity: SensitivityMetrics) -> str:
    """Who measured again, and which track."""
    speech = row.metrics.audio.speech
    again = [
        (party, source)
        for party, source in sensitivity.speech.items()
        if _who(source) != _who(speech[party])
    ]
    return " and ".join(f"{source.detector} ({party})" for party, source in again)


def _who(source: SpeechSource) -> tuple[str, str]:
    return source.detector, source.detector_version
