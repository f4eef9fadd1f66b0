"""WALK's settings: what every suite has, and what finds speech in a recording."""

from __future__ import annotations

from assistants.config import ROWS as ASSISTANT_ROWS
from assistants.suite.settings import JUDGE_ROWS, MEASURING, RUN_ROWS, sensitivity_row
from shared.settings import Kind, Setting, grouped

RECORDING_ROWS: tuple[Setting, ...] = (
    Setting(
        "detector",
        Kind.TEXT,
        None,
        "What finds speech in a recording without a speech mask: hybrid-v1 (extra speech) or"
        " energy-v1 (for clean ones). By default hybrid-v1 where it is installed.",
        flag="--detector",
        toml="audio.detector",
        choices=("hybrid-v1", "energy-v1"),
    ),
)

ROWS: tuple[Setting, ...] = (
    *RUN_ROWS,
    sensitivity_row(is_on=True),
    *grouped(MEASURING, RECORDING_ROWS),
    *grouped("The judge", JUDGE_ROWS),
    *grouped("The assistant", ASSISTANT_ROWS),
)
