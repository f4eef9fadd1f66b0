"""What is not known of an attempt, in a sentence each, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shared.viewer.history.files import Files, Source
from shared.viewer.history.reconstruction import LOUD_RMS

_CALLED: Final = {
    Source.DETAILS: "file of details",
    Source.TICKS: "file of ticks",
    Source.TURNS: "file of turn rows",
    Source.TRACE: "event log",
    Source.TRANSCRIPT: "transcript",
    Source.RECORDING: "recording",
}
CLEAN: Final = "clean"


def because(files: Files, *sources: Source) -> str:
    """Why so many sources do not tell: one reason after the other, each once."""
    reasons = dict.fromkeys(why(files, one) for one in sources)
    return "; ".join(reasons)


def why(files: Files, source: Source) -> str:
    content = {
        Source.DETAILS: files.details,
        Source.TICKS: files.ticks,
        Source.TURNS: files.turns,
        Source.TRACE: files.trace,
        Source.TRANSCRIPT: files.transcript,
        Source.RECORDING: files.reconstructed,
    }[source]
    if content is not None:
        return f"the {_CALLED[source]} does not say"
    reason = files.reasons.get(source)
    return f"there is no {_CALLED[source]}" if reason is None else f"the {_CALLED[source]} {reason}"


def reconstruction_gaps(files: Files, condition: str | None, *, is_mono: bool) -> Iterator[str]:
    yield (
        "When each party spoke was reconstructed from the recording, as frames of 20 ms with an"
        f" RMS of at least {LOUD_RMS}: {why(files, Source.TICKS)}."
    )
    if condition is None:
        yield (
            "The caller's channel is what was sent to the assistant: noise that was added to it,"
            " if any, is taken for speech."
        )
    elif condition != CLEAN:
        yield (
            "The caller's channel is what was sent to the assistant, noise included, under the"
            f" condition {condition}: what was added is taken for speech."
        )
    if is_mono:
        yield "When the assistant spoke is not known: the recording has one channel."


def left_out(*counted: tuple[int, str, str]) -> Iterator[str]:
    """How much could not be used. Each count has the words for one and for many."""
    for count, one, many in counted:
        if count:
            yield f"{count} {one if count == 1 else many}."
