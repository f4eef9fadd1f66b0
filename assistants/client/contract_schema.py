"""The JSON Schema of the contract with a remote application, for services in other languages.

``python -m assistants.client.contract_schema`` writes it beside this module. A message of the
harness is a ``MessageToApplication``, one of the application a ``MessageToHarness``. Beyond JSON
Schema are the order of messages, their size in bytes, and keys that repeat in one object.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from assistants.client.contract import TO_APPLICATION, TO_HARNESS, VERSION
from shared.reporting.report_schema import Untitled

SCHEMA_FILE: Final = Path(__file__).with_name("remote-application.schema.json")

DIRECTIONS: Final = ("MessageToApplication", "MessageToHarness")

type Schema = dict[str, Any]


def contract_schema() -> Schema:
    """The schema of both directions, as JSON."""
    _, schema = TypeAdapter.json_schemas(
        [("to", "validation", TO_APPLICATION), ("from", "validation", TO_HARNESS)],
        schema_generator=Untitled,
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Messages between the harness and a remote application, version {VERSION}",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in DIRECTIONS],
        "$defs": dict(sorted(schema["$defs"].items())),
    }


def rendered_schema() -> str:
    """The schema as the text of its file."""
    return json.dumps(contract_schema(), indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    SCHEMA_FILE.write_text(rendered_schema(), encoding="utf-8")


if __name__ == "__main__":
    main()
