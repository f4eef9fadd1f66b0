"""Where in the evidence words lie that came in pieces."""

from __future__ import annotations

import pytest

from shared.grading.spoken import Utterance
from tests.support.builders import a_caption


def uttered(*texts: str) -> Utterance:
    """Pieces at the places 10, 20, 30 and so on."""
    pieces = [(10 * number, a_caption(0, 100, text)) for number, text in enumerate(texts, 1)]
    return Utterance(pieces)


@pytest.mark.parametrize(
    ("texts", "character", "place"),
    [
        pytest.param(["ab", "cd"], 0, 10, id="the-first-letter"),
        pytest.param(["ab", "cd"], 1, 10, id="the-last-letter-of-a-piece"),
        pytest.param(["ab", "cd"], 2, 20, id="the-first-letter-of-the-next"),
        pytest.param(["ab", "", "cd"], 2, 30, id="never-in-a-piece-without-letters"),
        pytest.param(["ab", "cd"], 4, 20, id="an-empty-match-behind-the-last-letter"),
        pytest.param(["ab", ""], 2, 20, id="which-belongs-to-the-last-piece-even-an-empty-one"),
    ],
)
def test_a_letter_lies_in_the_piece_that_holds_it(
    texts: list[str], character: int, place: int
) -> None:
    assert uttered(*texts).received_at(character) == place


def test_every_letter_of_a_flood_of_pieces_is_found() -> None:
    """In quadratic time this would not end."""
    flood = 300_000
    utterance = uttered(*["x"] * flood)
    assert utterance.received_at(flood - 1) == 10 * flood
    assert sum(utterance.received_at(one) for one in range(flood)) == 5 * flood * (flood + 1)
