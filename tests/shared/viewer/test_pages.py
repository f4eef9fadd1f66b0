"""Which page has which sound, by sizes alone."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from shared.viewer.pages import Load, page_name, page_number, shares

EMPTY = 100
TEXT = 10


def failed(sound_bytes: int) -> Load:
    return Load(TEXT, sound_bytes, is_passed=False)


def passed(sound_bytes: int) -> Load:
    return Load(TEXT, sound_bytes, is_passed=True)


# Of three attempts the texts take 30 of a page; an empty page is 100.
@pytest.mark.parametrize(
    ("loads", "limit", "expected"),
    [
        pytest.param([], 0, (), id="nothing"),
        pytest.param([passed(0), failed(0)], 0, (1, 1), id="no-sound-at-all"),
        pytest.param([passed(50), failed(20), passed(50)], 220, (2, 1, 2), id="what-passed-goes"),
        pytest.param(
            [passed(50), failed(20), passed(51)], 220, (2, 1, 3), id="one-byte-more-is-a-page-more"
        ),
        pytest.param(
            [failed(40), failed(50), failed(0)], 220, (1, 1, 1), id="what-did-not-pass-just-fits"
        ),
        pytest.param(
            [failed(40), failed(51), failed(0)], 220, (1, 2, 1), id="one-byte-more-goes-on"
        ),
        pytest.param(
            [failed(40), failed(51), failed(1)], 220, (1, 2, 2), id="in-order-once-it-goes-on"
        ),
        pytest.param(
            [passed(30), failed(91), failed(1)], 220, (3, 2, 2), id="first-what-did-not-pass"
        ),
        pytest.param([passed(500), failed(500)], 220, (3, 2), id="each-larger-than-a-page"),
        pytest.param([failed(1), passed(1)], 90, (2, 3), id="texts-larger-than-a-page"),
    ],
)
def test_sounds_are_shared_out(loads: Sequence[Load], limit: int, expected: tuple[int]) -> None:
    assert shares(loads, EMPTY, limit) == expected


@pytest.mark.parametrize("seed", range(100))
def test_no_page_but_one_of_what_cannot_be_divided_is_too_large(seed: int) -> None:
    chance = random.Random(seed)
    loads = [
        Load(chance.randrange(20), chance.choice((0, chance.randrange(300))), chance.random() < 0.5)
        for _ in range(chance.randrange(1, 30))
    ]
    limit = chance.randrange(200, 900)
    found = shares(loads, EMPTY, limit)

    for page in range(1, max(found) + 1):
        told = [load for load, share in zip(loads, found, strict=True) if page in {1, share}]
        here = [load for load, share in zip(loads, found, strict=True) if page == share]
        text = EMPTY + sum(load.text_bytes for load in told)
        size = text + sum(load.sound_bytes for load in here)
        assert size <= limit or (size == text if page == 1 else len(here) == 1)
    assert set(range(2, max(found) + 1)) <= set(found), "no page is empty"
    heard_first = [load for load, share in zip(loads, found, strict=True) if share == 1]
    assert not any(load.is_passed and load.sound_bytes for load in heard_first)


@pytest.mark.parametrize(
    ("first_page", "second"),
    [
        ("viewer.html", "viewer-2.html"),
        ("viewer", "viewer-2"),
        ("run.of.today.html", "run.of.today-2.html"),
        ("a-2.html", "a-2-2.html"),
        (".html", ".html-2"),
    ],
)
def test_a_further_page_is_called_after_the_first(first_page: str, second: str) -> None:
    assert page_name(first_page, 1) == first_page
    assert page_name(first_page, 2) == second
    assert page_number(first_page, second) == 2


@pytest.mark.parametrize(
    "name",
    [
        "viewer.html",
        "viewer-1.html",
        "viewer-0.html",
        "viewer-02.html",
        "viewer--2.html",
        "viewer-2.htm",
        "viewer-2",
        "viewer-.html",
        "viewer-²2.html",
        "viewer-٢.html",
        "viewer-2.html.part",
        "2.html",
        "2",
        "my-viewer-2.html",
    ],
)
def test_no_further_page_is_called(name: str) -> None:
    assert page_number("viewer.html", name) is None
