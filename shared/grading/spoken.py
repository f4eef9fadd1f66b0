"""What the assistant said, by its captions: each sentence with its place in the evidence.

The place tells what was known when a thing was said; no order of instants could, as a caption runs
ahead of its voice.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from shared.grading.case import Case
from shared.observability.observations import Caption, Speaker
from shared.observability.turns import SENTENCE_GAP_MS

LONGEST_AT_ONCE: Final = 4_000
"""Letters without a pause, minutes of speech; what is longer nobody said in one breath."""
STRETCH: Final = 400
LONGEST_PHRASE: Final = 400


class Utterance:
    """Captions of the assistant that belong together, each with its place in the evidence."""

    def __init__(self, pieces: Sequence[tuple[int, Caption]]) -> None:
        self.pieces = pieces
        self.text = "".join(piece.text for _, piece in pieces)
        self._ends = list(accumulate(len(piece.text) for _, piece in pieces))

    @property
    def begun_at_ms(self) -> int:
        _, first = self.pieces[0]
        return first.stamp.media_ms

    def received_at(self, character: int) -> int:
        """The place in the evidence of the piece that holds a character.

        An empty match may lie past the last one; it belongs to the last piece.
        """
        holder = bisect_right(self._ends, character)
        index, _ = self.pieces[min(holder, len(self.pieces) - 1)]
        return index


def utterances(case: Case) -> list[Utterance]:
    """What the assistant said, sentence by sentence, as captioned."""
    groups: list[list[tuple[int, Caption]]] = []
    until_ms: int | None = None
    for index, seen in enumerate(case.evidence.observations):
        if not isinstance(seen, Caption) or seen.speaker is not Speaker.ASSISTANT:
            continue
        if until_ms is not None and seen.start_ms - until_ms < SENTENCE_GAP_MS:
            groups[-1].append((index, seen))
        else:
            groups.append([(index, seen)])
        until_ms = seen.end_ms
    return [Utterance(pieces) for pieces in groups]


@dataclass(frozen=True, slots=True, order=True)
class Claim:
    """Words that claim success; ``index`` is the place in the evidence of the first of them."""

    index: int
    at_ms: int
    words: str
    tools: tuple[str, ...]


def claims(case: Case) -> list[Claim]:
    """Every place where the assistant claimed a success, in order."""
    found_claims = set()
    for utterance in utterances(case):
        for rule in case.policy.confirmations:
            for pattern in rule.patterns:
                for found in occurrences(pattern, utterance.text):
                    index = utterance.received_at(found.start())
                    at_ms = case.evidence.observations[index].stamp.media_ms
                    found_claims.add(Claim(index, at_ms, found.group().strip(), rule.tools))
    return sorted(found_claims)


def occurrences(pattern: str, text: str) -> Iterator[re.Match[str]]:
    """Where words match a phrase, in order and apart from one another, in any case of letters.

    Most phrases look ahead from each of their beginnings, which takes quadratic time. So a text
    over ``LONGEST_AT_ONCE`` is read stretch by stretch, each with as much of what follows as the
    longest phrase needs; what lies before it is seen all the same.
    """
    compiled = re.compile(pattern, re.IGNORECASE)
    if len(text) <= LONGEST_AT_ONCE:
        yield from compiled.finditer(text)
        return
    begins = 0
    while begins < len(text):
        ends = begins + STRETCH
        following = ends
        for found in compiled.finditer(text, begins, ends + LONGEST_PHRASE):
            if found.start() >= ends:
                break
            following = max(following, found.end())
            yield found
        begins = following
