"""What came of one tool call: what the runtime hands to whichever dialect asked for it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from shared.observability.observations import ToolStatus
from shared.values import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A call's outcome, and the application's state right after it."""

    status: ToolStatus
    output: JsonValue
    state: JsonObject

    @property
    def output_text(self) -> str:
        """The output as a model is given it: compact JSON, no letter escaped."""
        return json.dumps(self.output, ensure_ascii=False, separators=(",", ":"))
