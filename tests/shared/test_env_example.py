"""The template of an environment file: whole, harmless as it is, and right when uncommented."""

from __future__ import annotations

import re
from io import StringIO

from dotenv import dotenv_values

from shared.env_example import env_example
from shared.settings import Kind, Setting, resolve

ROWS = (
    Setting("voice", Kind.TEXT, "alto", "Who speaks.", variable="VOICE", choices=("alto", "bass")),
    Setting("count", Kind.INTEGER, 1000, "How many.", flag="--count", variable="COUNT"),
    Setting("loud", Kind.SWITCH, default=False, help="Loudly.", variable="LOUD"),
    Setting("data", Kind.PATH, "d.json", "A file.", flag="--data", toml="a.data"),
    Setting("key", Kind.TEXT, "a default", "A key.", variable="KEY", is_secret=True),
    Setting("more", Kind.TEXT, None, "More.", variable="MORE", may_be_blank=True),
)
TEXT = env_example(ROWS)


def test_it_is_this() -> None:
    _, _, body = TEXT.partition("\n\n")

    assert body == (
        "# A key.\n# KEY=\n"
        "\n# Who speaks. (alto | bass)\n# VOICE=alto\n"
        "\n# How many.\n# COUNT=1000\n"
        "\n# Loudly.\n# LOUD=false\n"
        "\n# More.\n# MORE=\n"
    )


def test_copied_as_it_is_it_changes_nothing() -> None:
    assert dotenv_values(stream=StringIO(TEXT)) == {}


def test_uncommented_it_says_what_is_so_anyway() -> None:
    uncommented = re.sub(r"(?m)^# ([A-Z]+=.)", r"\1", TEXT)
    values = {k: v for k, v in dotenv_values(stream=StringIO(uncommented)).items() if v}
    settings = resolve(ROWS, flags={}, environment={}, env_file=values, toml={})

    assert set(values) == {"VOICE", "COUNT", "LOUD"}
    assert all(settings[row.name] == row.default for row in ROWS)


def test_no_credential_has_a_default_to_show() -> None:
    assert "a default" not in TEXT
