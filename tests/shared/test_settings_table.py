"""The documentation's table of settings, and its place in a document."""

from __future__ import annotations

import pytest

from shared.settings import Kind, Setting
from shared.settings_table import END, START, settings_table, with_table

EVERY_WAY = Setting(
    "voice", Kind.TEXT, "alto", "Who speaks.", flag="--voice", negative_flag="--no-voice",
    other_flag="--speaker", variable="VOICE", toml="sound.voice", choices=("alto", "bass"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("row", "line"),
    [
        pytest.param(
            EVERY_WAY,
            "| Who speaks. (`alto`, `bass`) | `--voice` `--no-voice` `--speaker` | `VOICE`"
            " | `sound.voice` | `alto` |",
            id="every-way-to-give-it",
        ),
        pytest.param(
            Setting("wait", Kind.NUMBER, 30.0, "Time.", toml="a.b", above=0, maximum=60),
            "| Time. (above 0; at most 60) |  |  | `a.b` | `30.0` |",
            id="its-bounds",
        ),
        pytest.param(
            Setting("key", Kind.TEXT, "a default", "Key.", variable="KEY", is_secret=True),
            "| Key. |  | `KEY` |  |  |",
            id="no-default-of-a-credential",
        ),
        pytest.param(
            Setting("loud", Kind.SWITCH, default=False, help="Loudly.", flag="--loud"),
            "| Loudly. | `--loud` |  |  | `off` |",
            id="a-switch-that-is-off",
        ),
        pytest.param(
            Setting("data", Kind.PATH, None, "This | that.", flag="--data"),
            "| This &#124; that. | `--data` |  |  |  |",
            id="a-bar-that-is-no-column",
        ),
    ],
)
def test_a_row_says(row: Setting, line: str) -> None:
    assert settings_table([row]).splitlines()[2:] == [line]


def test_the_table_takes_the_place_between_the_markers() -> None:
    document = f"before\n{START}\nan old table\n{END}\nafter\n"
    renewed = with_table(document, [EVERY_WAY])

    assert renewed == f"before\n{START}\n{settings_table([EVERY_WAY])}{END}\nafter\n"
    assert with_table(renewed, [EVERY_WAY]) == renewed


@pytest.mark.parametrize(
    "document",
    [
        pytest.param("nothing", id="without-markers"),
        pytest.param(f"{START}\n", id="without-the-end"),
        pytest.param(f"{END}\n{START}\n", id="with-the-end-first"),
    ],
)
def test_a_document_is_refused(document: str) -> None:
    with pytest.raises(ValueError, match="settings:start"):
        with_table(document, [EVERY_WAY])
