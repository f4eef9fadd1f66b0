"""CRAWL's settings: a voice for the caller beside what every suite has."""

from __future__ import annotations

from assistants.config import ROWS as ASSISTANT_ROWS
from assistants.suite.settings import JUDGE_ROWS, RUN_ROWS, VOICE_ROWS, sensitivity_row
from shared.settings import Setting, grouped

ROWS: tuple[Setting, ...] = (
    *RUN_ROWS,
    sensitivity_row(is_on=False),
    *grouped("The caller", VOICE_ROWS),
    *grouped("The judge", JUDGE_ROWS),
    *grouped("The assistant", ASSISTANT_ROWS),
)
