"""Names of runs: a label anybody's file system takes, and the instant in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from shared.errors import UsageError
from shared.reporting.names import run_name

INSTANT = datetime(2027, 7, 2, 17, 26, 49, 123_999, tzinfo=UTC)


def test_the_instant_is_cut_to_the_millisecond() -> None:
    assert run_name("crawl_live", INSTANT) == "crawl_live_20270702_172649_123Z"


def test_the_instant_is_told_in_utc_wherever_it_was_taken() -> None:
    elsewhere = INSTANT.astimezone(timezone(timedelta(hours=-9, minutes=-30)))

    assert run_name("x", elsewhere) == run_name("x", INSTANT)


@pytest.mark.parametrize(
    ("microsecond", "shown"),
    [
        pytest.param(0, "000", id="nought"),
        pytest.param(999, "000", id="just-below-one"),
        pytest.param(1_000, "001", id="exactly-one"),
        pytest.param(999_999, "999", id="never-rounded-up"),
    ],
)
def test_milliseconds_are_three_digits(microsecond: int, shown: str) -> None:
    assert run_name("x", INSTANT.replace(microsecond=microsecond)).endswith(f"_{shown}Z")


@pytest.mark.parametrize(
    "label", ["a", "7", "Nightly.2_x-y", "a" * 100, pytest.param("A.", id="a-dot-at-the-end")]
)
def test_a_portable_label_is_taken(label: str) -> None:
    assert run_name(label, INSTANT).startswith(f"{label}_2027")


@pytest.mark.parametrize(
    "label",
    [
        pytest.param("", id="nothing"),
        pytest.param("a" * 101, id="one-character-too-many"),
        pytest.param(".a", id="a-dot-at-the-start"),
        pytest.param("_a", id="an-underscore-at-the-start"),
        pytest.param("-a", id="what-looks-like-an-option"),
        pytest.param("a b", id="a-blank"),
        pytest.param("a/b", id="a-path"),
        pytest.param("a\\b", id="a-path-of-windows"),
        pytest.param("..", id="the-folder-above"),
        pytest.param("a\n", id="a-line-end"),
        pytest.param("é", id="beyond-ascii"),
        pytest.param("a:b", id="a-drive"),
        pytest.param("a\0", id="a-nul"),
    ],
)
def test_a_label_is_refused_that_holds(label: str) -> None:
    with pytest.raises(UsageError, match=r"^--run-name: ") as caught:
        run_name(label, INSTANT)
    assert len(str(caught.value).splitlines()) == 1
