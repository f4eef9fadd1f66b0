"""What is published of the contract: every message in the guide is one, and every kind has one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from assistants.client.contract import (
    MESSAGE_BYTES_MAX,
    TEXT_MAX,
    message_to_application,
    message_to_harness,
)
from assistants.client.contract_schema import SCHEMA_FILE
from assistants.client.remote import RemoteIntake, RemoteTiming
from assistants.client.service_session import TEXTS, ServiceLimits

GUIDE = (Path(__file__).parents[3] / "docs" / "remote-application.md").read_text("utf-8")
READ = {"to-application": message_to_application, "to-harness": message_to_harness}
DEFINITION = {"to-application": "MessageToApplication", "to-harness": "MessageToHarness"}
EXAMPLES = re.findall(r"```json (to-\w+)\n(.*?)```", GUIDE, re.DOTALL)
SCHEMA = json.loads(SCHEMA_FILE.read_text("utf-8"))


@pytest.mark.parametrize(("direction", "text"), EXAMPLES)
def test_a_message_of_the_guide_is_of_the_contract(direction: str, text: str) -> None:
    READ[direction](text)
    rules = {**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{DEFINITION[direction]}"}]}
    jsonschema.Draft202012Validator(rules).validate(json.loads(text))


def kinds(definition: str) -> Iterator[str]:
    """The types of a direction's messages, and of the events in them."""
    for option in SCHEMA["$defs"][definition]["oneOf"]:
        message: dict[str, Any] = SCHEMA["$defs"][option["$ref"].split("/")[-1]]
        yield message["properties"]["type"]["const"]
        for inner in message["properties"].get("event", {}).get("oneOf", ()):
            event = SCHEMA["$defs"][inner["$ref"].split("/")[-1]]
            yield event["properties"]["type"]["const"]


@pytest.mark.parametrize("direction", READ)
def test_every_kind_of_message_is_in_the_guide(direction: str) -> None:
    shown = [json.loads(text) for way, text in EXAMPLES if way == direction]
    types = {one["type"] for one in shown} | {
        one["event"]["type"] for one in shown if "event" in one
    }
    told_of = {"response.failed", "response.incomplete"}
    assert set(kinds(DEFINITION[direction])) - types <= told_of
    assert all(f"`{kind}`" in GUIDE for kind in told_of)


def test_the_numbers_of_the_guide_are_those_of_the_code() -> None:
    limits, intake, timing = ServiceLimits(), RemoteIntake(), RemoteTiming()
    assert f"{MESSAGE_BYTES_MAX // 1024} KiB" in GUIDE
    assert f"{TEXT_MAX:,} characters" in GUIDE
    assert f"| {intake.messages:,} | {limits.events:,} |" in GUIDE
    ours_mib, theirs_mib = intake.message_bytes // 2**20, limits.session_bytes // 2**20
    assert f"| {ours_mib} MiB | {theirs_mib} MiB |" in GUIDE
    assert f"| connections | | {limits.connections} |" in GUIDE
    assert f"| {limits.delegations}, {limits.pending} |" in GUIDE
    durations = limits.configure_s, limits.session_s, limits.delegation_s
    assert "| {} s; {} s; {} s |".format(*durations) in GUIDE
    assert f"once, within {timing.ready_us // 10**6} s" in GUIDE
    assert f"within {timing.delegation_us // 10**6} s of being forwarded" in GUIDE
    assert f"`session.closed` within {timing.close_us // 10**6} s of that" in GUIDE


def test_every_error_of_the_service_is_in_the_guide() -> None:
    assert all(f"`{code}`" in GUIDE for code in TEXTS)
