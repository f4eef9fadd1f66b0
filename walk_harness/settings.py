"""WALK's settings: what every suite has. The recordings are in the dataset."""

from __future__ import annotations

from assistants.config import ROWS as ASSISTANT_ROWS
from assistants.suite.settings import JUDGE_ROWS, RUN_ROWS
from shared.settings import Setting

ROWS: tuple[Setting, ...] = (*RUN_ROWS, *JUDGE_ROWS, *ASSISTANT_ROWS)
