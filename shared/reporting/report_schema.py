"""The JSON Schema of ``results.json``, made from the types, for readers in other languages.

``python -m shared.reporting.report_schema`` writes it beside this module. It describes what is
written: every key is there, but for figures of ``consumption`` that are unavailable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, override

from pydantic.json_schema import GenerateJsonSchema

from shared.reporting.schema import Report

SCHEMA_FILE: Final = Path(__file__).with_name("results.schema.json")

type Schema = dict[str, Any]


def report_schema() -> Schema:
    """The schema of a whole report, as JSON."""
    schema = Report.model_json_schema(mode="serialization", schema_generator=Untitled)
    parts: Schema = schema.pop("$defs")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Voice-agent evaluation report, schema 2.0",
        **{key: value for key, value in schema.items() if key != "title"},
        "$defs": dict(sorted(parts.items())),
    }


class Untitled(GenerateJsonSchema):
    """Fields speak for themselves; a title for each would only repeat its key."""

    @override
    def field_title_should_be_set(self, schema: object) -> bool:
        return False

    @override
    def field_is_required(self, field: Mapping[str, Any], total: bool) -> bool:
        """What is written has every key, unless the key goes where its value is absent."""
        return "serialization_exclude_if" not in field


def rendered_schema() -> str:
    """The schema as the text of its file."""
    return json.dumps(report_schema(), indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    SCHEMA_FILE.write_text(rendered_schema(), encoding="utf-8")


if __name__ == "__main__":
    main()
