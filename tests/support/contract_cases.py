"""The rules of scenario contract 1.0 as tables: what is just lawful, and its refused neighbour.

A case is a base document and the edits that make it; a refused one also names every path at fault.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.scenario_documents import (
    CONVERSATION,
    REMOVED,
    REQUEST,
    a_step,
    an_item,
)

CONDITIONS = [
    "clean",
    "noisy",
    "telephony",
    "background_speech",
    "echo",
    "packet_loss",
    "realistic",
]
CONFIRMATIONS = "expected.confirmation_patterns"
PROCEDURE = "expected.procedure"
STEPS = "expected.procedure.steps"
AGENDA = "simulation_parameters.agenda"
GOLDEN = "expected.golden_path"
TOOLS = "expected.tools.required"


def history(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "text": text} for text in texts]


def procedure(*steps: dict[str, Any]) -> dict[str, Any]:
    return {"id": "procedure", "steps": list(steps)}


def confirmation(**fields: Any) -> dict[str, Any]:
    return {"tools": ["tool"], "patterns": [r"\bbooked\b"], **fields}


def a_call(**arguments: Any) -> list[dict[str, Any]]:
    return [{"name": "tool", "arguments": arguments}]


def accepted(claim: str, base: dict[str, Any], edits: dict[str, Any]) -> Any:
    return pytest.param(base, edits, id=claim)


def refused(
    claim: str, base: dict[str, Any], edits: dict[str, Any], *paths: str, in_schema: bool = True
) -> Any:
    return pytest.param(base, edits, set(paths), in_schema, id=claim)


ACCEPTED = [
    accepted("the-least-request", REQUEST, {}),
    accepted("the-least-conversation", CONVERSATION, {}),
    # 1.2 and 1.3
    accepted("an-id-of-one-digit", REQUEST, {"id": "7"}),
    accepted("an-id-of-100-characters", REQUEST, {"id": "a" * 100}),
    accepted("an-id-ending-in-a-hyphen", REQUEST, {"id": "a.b_c-"}),
    accepted("an-id-that-only-begins-like-a-device", REQUEST, {"id": "console"}),
    accepted("an-id-with-a-device-after-the-first-dot", REQUEST, {"id": "a.con"}),
    accepted("com0-is-no-device", REQUEST, {"id": "com0"}),
    accepted("a-title-of-one-character", REQUEST, {"title": "x"}),
    accepted("a-type-outside-any-list", REQUEST, {"type": "anything"}),
    accepted("no-type-written-as-null", REQUEST, {"type": None}),
    accepted("blank-tags", REQUEST, {"tags": ["", " "]}),
    accepted("no-simulation-written-as-null", REQUEST, {"simulation_parameters": None}),
    # 1.4
    accepted("a-request-of-one-digit", REQUEST, {"input.text": "4?"}),
    accepted("a-request-of-another-script", REQUEST, {"input.text": "はい"}),
    accepted("a-recording", REQUEST, {"input.recordings": [{"id": "r", "path": "a.wav"}]}),
    *(
        accepted(
            f"the-condition-{condition}",
            REQUEST,
            {"input.recordings": [{"id": "r", "path": "a.wav", "condition": condition}]},
        )
        for condition in CONDITIONS
    ),
    accepted(
        "any-metadata",
        REQUEST,
        {"input.recordings": [{"id": "r", "path": "~/a.wav", "metadata": {"a": [None, {"b": 1}]}}]},
    ),
    accepted("a-summary-alone", REQUEST, {"input.context": {"summary": "Earlier."}}),
    accepted("a-history-without-summary", REQUEST, {"input.context": {"history": history("Hi")}}),
    accepted(
        "a-blank-summary-beside-a-history",
        REQUEST,
        {"input.context": {"summary": " ", "history": history("Hi")}},
    ),
    accepted("128-messages", REQUEST, {"input.context.history": history(*["Hi"] * 128)}),
    accepted("8192-words", REQUEST, {"input.context.history": history("a " * 8_191, "a")}),
    accepted("context-in-a-conversation", CONVERSATION, {"input.context": {"summary": "Earlier."}}),
    # 1.6
    accepted("required-delegation-without-a-tool", REQUEST, {"expected.delegation": "required"}),
    accepted(
        "forbidden-delegation-with-a-prohibited-tool",
        REQUEST,
        {"expected.delegation": "forbidden", "expected.tools": {"prohibited": [{"name": "tool"}]}},
    ),
    accepted("several-ordered-tools", REQUEST, {TOOLS: [{"name": "one"}, {"name": "two"}]}),
    accepted("a-call-however-it-ends", REQUEST, {TOOLS: [{"name": "tool", "status": "any"}]}),
    accepted("unchanged-alone", REQUEST, {"expected.state": {"unchanged": True}}),
    accepted(
        "unchanged-deeper-down-is-a-key", REQUEST, {"expected.state": {"a": {"unchanged": 1}}}
    ),
    accepted("golden-turns-0", REQUEST, {GOLDEN: {"turns": 0}}),
    accepted("golden-turns-2", REQUEST, {GOLDEN: {"turns": 2}}),
    accepted("two-golden-steps-are-two-turns", REQUEST, {GOLDEN: {"steps": ["ask", "answer"]}}),
    accepted("one-golden-step-of-two-turns", REQUEST, {GOLDEN: {"turns": 2, "steps": ["ask"]}}),
    accepted("delegations-0-in-a-request", REQUEST, {GOLDEN: {"delegations": 0}}),
    *(
        accepted(f"the-comparator-{name}", REQUEST, {TOOLS: a_call(field=comparator)})
        for name, comparator in {
            "text": {"$match": "text", "value": "window seat"},
            "number": {"$match": "number", "value": -2.5},
            "date": {"$match": "date", "value": "2028-02-29"},
            "time": {"$match": "time", "value": "7:30 p.m."},
            "one_of": {"$match": "one_of", "values": [1, {"$match": "absent"}]},
            "absent": {"$match": "absent"},
            "any": {"$match": "any"},
            "unordered": {"$match": "unordered", "items": [{"a": {"$match": "any"}}]},
            "unordered-and-empty": {"$match": "unordered", "items": []},
        }.items()
    ),
    accepted(
        "limits-at-their-ends",
        CONVERSATION,
        {
            "expected.interaction": {
                "response_rate_min": 1,
                "response_latency_max_ms": 600_000,
                "interruptions_max": 0,
                "yield_latency_max_ms": 0,
                "false_yields_max": 0,
                "floor_hold_max_ms": 0,
            }
        },
    ),
    accepted(
        "limits-of-null-on-what-one-request-cannot-show",
        REQUEST,
        {"expected.interaction": {"yield_latency_max_ms": None, "false_yields_max": None}},
    ),
    accepted("a-limit-of-null-is-none", REQUEST, {"expected.interaction.interruptions_max": None}),
    accepted("patterns", REQUEST, {CONFIRMATIONS: [confirmation()]}),
    accepted("no-words-confirm", REQUEST, {CONFIRMATIONS: []}),
    accepted("no-pattern-counts", REQUEST, {"expected.refusal_patterns": []}),
    accepted("the-application's-patterns", REQUEST, {"expected.refusal_patterns": None}),
    # 1.6, procedures
    accepted("a-procedure", CONVERSATION, {PROCEDURE: procedure(a_step())}),
    accepted(
        "a-step-after-an-earlier-one",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(id="a"), a_step(id="b", after=["a"]))},
    ),
    accepted(
        "a-tool-step-with-its-tool",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(kind="tool", tool="tool"))},
    ),
    accepted(
        "a-critical-step",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(critical=True, required=True))},
    ),
    accepted(
        "a-step-with-patterns-and-an-objective",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(patterns=[r"\bname\b"], objective="say_name"))},
    ),
    # 1.7
    accepted(
        "facts-of-every-scalar-kind",
        CONVERSATION,
        {"simulation_parameters.known_facts": {"name": "", "time": 1, "a": 1.5, "b": False}},
    ),
    accepted(
        "tendencies-at-their-ends",
        CONVERSATION,
        {"simulation_parameters.persona": {"interrupt_tendency": 0, "backchannel_tendency": 1}},
    ),
    accepted(
        "finish-and-wait-beside-two-objectives",
        CONVERSATION,
        {
            AGENDA: [
                an_item(id="a"),
                an_item(id="b", action="interrupt"),
                an_item(id="c", action="finish", completion_basis="live_context"),
                an_item(id="d", action="wait", wording_policy="source_exact_preferred"),
            ]
        },
    ),
    # 1.8
    accepted("seven-golden-steps", CONVERSATION, {GOLDEN: {"steps": ["a"] * 7, "delegations": 0}}),
    accepted("required-delegation-counted-once", CONVERSATION, {"expected.delegation": "required"}),
    accepted(
        "forbidden-delegation-counted-zero",
        CONVERSATION,
        {"expected.delegation": "forbidden", f"{GOLDEN}.delegations": 0},
    ),
]

REFUSED = [
    *(
        refused(
            f"a-request-of-{claim}", REQUEST, {"input.text": text}, "input.text", in_schema=False
        )
        for claim, text in {"punctuation": "?!…", "a-picture": "👋", "lines": "— _"}.items()
    ),
    refused(
        "a-conversation-without-words",
        CONVERSATION,
        {"input.text": "…"},
        "input.text",
        in_schema=False,
    ),
    # 1.2 and 1.3
    *(
        refused(f"the-id-{claim}", REQUEST, {"id": text}, "id", in_schema=text != "a\n")
        for claim, text in {
            "that-is-empty": "",
            "of-101-characters": "a" * 101,
            "beginning-with-a-dot": ".a",
            "beginning-with-an-underscore": "_a",
            "ending-in-a-dot": "a.",
            "with-a-slash": "a/b",
            "with-a-space": "a b",
            "with-a-line-end": "a\n",
            "beyond-ascii": "é",
            "of-a-device": "con",
            "of-a-device-in-any-case": "Lpt9",
            "of-a-device-before-the-first-dot": "NUL.tar.gz",
        }.items()
    ),
    *(
        refused(f"no-{key}", REQUEST, {key: REMOVED}, key)
        for key in ("id", "title", "interaction", "input", "expected")
    ),
    refused("a-blank-title", REQUEST, {"title": " "}, "title"),
    refused("an-empty-type", REQUEST, {"type": ""}, "type"),
    refused("an-unknown-interaction", REQUEST, {"interaction": "multi-turn"}, "interaction"),
    # 1.4
    refused("an-empty-text", REQUEST, {"input.text": ""}, "input.text"),
    refused(
        "recording-ids-that-differ-in-case",
        REQUEST,
        {"input.recordings": [{"id": "r", "path": "a.wav"}, {"id": "R", "path": "b.wav"}]},
        "input.recordings[1].id",
        in_schema=False,
    ),
    refused(
        "a-recording-id-twice",
        REQUEST,
        {"input.recordings": [{"id": "r", "path": "a.wav"}, {"id": "r", "path": "b.wav"}]},
        "input.recordings[1].id",
        in_schema=False,
    ),
    refused(
        "an-unknown-condition",
        REQUEST,
        {"input.recordings": [{"id": "r", "path": "a.wav", "condition": "loud"}]},
        "input.recordings[0].condition",
    ),
    refused(
        "a-path-with-a-nul",
        REQUEST,
        {"input.recordings": [{"id": "r", "path": "a\0.wav"}]},
        "input.recordings[0].path",
        in_schema=False,
    ),
    refused("an-empty-context", REQUEST, {"input.context": {}}, "input.context"),
    refused(
        "a-blank-summary-alone",
        REQUEST,
        {"input.context": {"summary": " ", "history": []}},
        "input.context",
    ),
    refused(
        "a-system-message",
        REQUEST,
        {"input.context.history": [{"role": "system", "text": "Hi"}]},
        "input.context.history[0].role",
    ),
    refused(
        "an-empty-message",
        REQUEST,
        {"input.context.history": history("")},
        "input.context.history[0].text",
    ),
    refused(
        "129-messages",
        REQUEST,
        {"input.context.history": history(*["Hi"] * 129)},
        "input.context.history",
    ),
    refused(
        "8193-words",
        REQUEST,
        {"input.context.history": history("a " * 8_192, "a")},
        "input.context.history",
        in_schema=False,
    ),
    # 1.6
    refused("an-empty-answer", REQUEST, {"expected.answer": ""}, "expected.answer"),
    refused("a-call-without-name", REQUEST, {TOOLS: [{"name": ""}]}, f"{TOOLS}[0].name"),
    refused(
        "an-unknown-status",
        REQUEST,
        {TOOLS: [{"name": "tool", "status": "failed"}]},
        f"{TOOLS}[0].status",
    ),
    refused(
        "forbidden-delegation-with-a-required-tool",
        REQUEST,
        {"expected.delegation": "forbidden", TOOLS: [{"name": "tool"}]},
        "expected.delegation",
    ),
    refused(
        "unchanged-beside-another-key",
        REQUEST,
        {"expected.state": {"unchanged": True, "other": 1}},
        "expected.state.unchanged",
    ),
    refused(
        "unchanged-that-is-not-true",
        REQUEST,
        {"expected.state": {"unchanged": 1}},
        "expected.state.unchanged",
    ),
    refused("negative-turns", REQUEST, {GOLDEN: {"turns": -1}}, f"{GOLDEN}.turns"),
    refused(
        "negative-delegations", REQUEST, {GOLDEN: {"delegations": -1}}, f"{GOLDEN}.delegations"
    ),
    refused(
        "an-unknown-comparator",
        REQUEST,
        {TOOLS: a_call(field={"$match": "regex", "value": "a"})},
        f'{TOOLS}[0].arguments.field["$match"]',
    ),
    refused(
        "a-comparator-without-its-value",
        REQUEST,
        {TOOLS: a_call(field={"$match": "text"})},
        f"{TOOLS}[0].arguments.field.value",
    ),
    refused(
        "a-comparator-with-a-surplus-key",
        REQUEST,
        {TOOLS: a_call(field={"$match": "any", "value": 1})},
        f"{TOOLS}[0].arguments.field.value",
    ),
    refused(
        "a-comparator-for-all-arguments",
        REQUEST,
        {TOOLS: a_call(**{"$match": "any"})},
        f'{TOOLS}[0].arguments["$match"]',
    ),
    refused(
        "a-date-no-calendar-has",
        REQUEST,
        {"expected.state": {"date": {"$match": "date", "value": "2027-02-29"}}},
        "expected.state.date.value",
        in_schema=False,
    ),
    refused(
        "a-time-no-clock-shows",
        REQUEST,
        {"expected.state": {"time": {"$match": "time", "value": "24:00"}}},
        "expected.state.time.value",
        in_schema=False,
    ),
    refused(
        "a-number-in-quotes-as-a-number",
        REQUEST,
        {"expected.state": {"size": {"$match": "number", "value": "2"}}},
        "expected.state.size.value",
    ),
    refused(
        "a-bool-as-a-number",
        REQUEST,
        {"expected.state": {"size": {"$match": "number", "value": True}}},
        "expected.state.size.value",
    ),
    refused(
        "nothing-to-choose-from",
        REQUEST,
        {"expected.state": {"size": {"$match": "one_of", "values": []}}},
        "expected.state.size.values",
    ),
    refused(
        "an-absent-list-item",
        REQUEST,
        {"expected.state": {"all": [{"$match": "absent"}]}},
        "expected.state.all[0]",
        in_schema=False,
    ),
    refused(
        "comparators-in-comparators-are-checked",
        REQUEST,
        {
            "expected.tools.prohibited": a_call(
                field={
                    "$match": "unordered",
                    "items": [{"$match": "one_of", "values": [{"$match": "date", "value": 7}]}],
                }
            )
        },
        "expected.tools.prohibited[0].arguments.field.items[0].values[0].value",
    ),
    *(
        refused(
            f"the-limit-{name}-of-{value}",
            CONVERSATION,
            {f"expected.interaction.{name}": value},
            f"expected.interaction.{name}",
        )
        for name, value in [
            ("response_rate_min", 1.01),
            ("response_rate_min", -0.01),
            ("response_latency_max_ms", -1),
            ("response_latency_max_ms", 600_001),
            ("response_latency_max_ms", 1.5),
            ("interruptions_max", -1),
            ("yield_latency_max_ms", -1),
            ("false_yields_max", -1),
            ("floor_hold_max_ms", -1),
        ]
    ),
    refused(
        "a-pattern-that-is-no-regular-expression",
        REQUEST,
        {"expected.refusal_patterns": ["sorry", "(can't"]},
        "expected.refusal_patterns[1]",
        in_schema=False,
    ),
    refused(
        "a-pattern-that-matches-silence",
        REQUEST,
        {CONFIRMATIONS: [confirmation(patterns=["(booked)?"])]},
        f"{CONFIRMATIONS}[0].patterns[0]",
        in_schema=False,
    ),
    refused(
        "a-confirmation-no-tool-makes-true",
        REQUEST,
        {CONFIRMATIONS: [confirmation(tools=[])]},
        f"{CONFIRMATIONS}[0].tools",
    ),
    refused(
        "a-confirmation-without-words",
        REQUEST,
        {CONFIRMATIONS: [confirmation(patterns=[])]},
        f"{CONFIRMATIONS}[0].patterns",
    ),
    *(
        refused(
            f"the-limit-{name}-on-one-request",
            REQUEST,
            {f"expected.interaction.{name}": 0},
            f"expected.interaction.{name}",
        )
        for name in ("yield_latency_max_ms", "false_yields_max")
    ),
    # 1.6, procedures
    refused("a-procedure-without-steps", CONVERSATION, {PROCEDURE: procedure()}, STEPS),
    refused(
        "an-unknown-kind-of-step",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(kind="call"))},
        f"{STEPS}[0].kind",
    ),
    refused(
        "a-step-id-twice",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(), a_step())},
        f"{STEPS}[1].id",
        in_schema=False,
    ),
    refused(
        "a-step-after-a-later-one",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(id="a", after=["b"]), a_step(id="b"))},
        f"{STEPS}[0].after[0]",
        in_schema=False,
    ),
    refused(
        "a-step-after-itself",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(id="a", after=["a"]))},
        f"{STEPS}[0].after[0]",
        in_schema=False,
    ),
    refused(
        "a-tool-step-without-tool",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(kind="tool"))},
        f"{STEPS}[0].tool",
    ),
    refused(
        "a-step-with-an-unknown-objective",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(objective="say_nothing"))},
        f"{STEPS}[0].objective",
        in_schema=False,
    ),
    refused(
        "a-step-with-a-broken-pattern",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(patterns=["("]))},
        f"{STEPS}[0].patterns[0]",
        in_schema=False,
    ),
    refused(
        "a-critical-step-that-is-optional",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(critical=True, required=False))},
        f"{STEPS}[0].critical",
    ),
    refused(
        "a-bad-comparator-in-a-step",
        CONVERSATION,
        {PROCEDURE: procedure(a_step(arguments={"field": {"$match": "text", "value": 1}}))},
        f"{STEPS}[0].arguments.field.value",
    ),
    # 1.7
    refused(
        "a-fact-of-null",
        CONVERSATION,
        {"simulation_parameters.known_facts.other": None},
        "simulation_parameters.known_facts.other",
    ),
    refused(
        "a-fact-that-is-a-list",
        CONVERSATION,
        {"simulation_parameters.known_facts.other": ["a"]},
        "simulation_parameters.known_facts.other",
    ),
    *(
        refused(f"an-objective-without-{key}", CONVERSATION, {f"{AGENDA}.0.{key}": ""}, path)
        for key in ("commitment", "trigger_condition", "completion_condition", "id")
        for path in [f"{AGENDA}[0].{key}"]
    ),
    refused(
        "an-unknown-action", CONVERSATION, {f"{AGENDA}.0.action": "speak"}, f"{AGENDA}[0].action"
    ),
    refused(
        "an-agenda-id-twice",
        CONVERSATION,
        {AGENDA: [an_item(), an_item()]},
        f"{AGENDA}[1].id",
        in_schema=False,
    ),
    refused(
        "an-objective-after-a-later-one",
        CONVERSATION,
        {f"{AGENDA}.0.after": ["say_time"]},
        f"{AGENDA}[0].after[0]",
        in_schema=False,
    ),
    refused(
        "a-fact-the-caller-does-not-know",
        CONVERSATION,
        {f"{AGENDA}.1.facts": ["time", "place"]},
        f"{AGENDA}[1].facts[1]",
        in_schema=False,
    ),
    refused(
        "a-tendency-above-1",
        CONVERSATION,
        {"simulation_parameters.persona": {"interrupt_tendency": 1.1}},
        "simulation_parameters.persona.interrupt_tendency",
    ),
    # 1.8
    refused(
        "simulation-in-a-single-turn-even-if-empty",
        REQUEST,
        {"simulation_parameters": {}},
        "simulation_parameters",
    ),
    refused("golden-turns-1", REQUEST, {GOLDEN: {"turns": 1}}, f"{GOLDEN}.turns"),
    refused("golden-turns-3", REQUEST, {GOLDEN: {"turns": 3}}, f"{GOLDEN}.turns"),
    refused(
        "a-lone-golden-step-is-one-turn", REQUEST, {GOLDEN: {"steps": ["ask"]}}, f"{GOLDEN}.turns"
    ),
    refused(
        "three-golden-steps",
        REQUEST,
        {GOLDEN: {"turns": 2, "steps": ["a", "b", "c"]}},
        f"{GOLDEN}.steps",
    ),
    refused("a-procedure-in-a-single-turn", REQUEST, {PROCEDURE: procedure(a_step())}, PROCEDURE),
    refused(
        "a-conversation-without-caller",
        CONVERSATION,
        {"simulation_parameters": REMOVED},
        "simulation_parameters",
    ),
    refused(
        "recordings-in-a-conversation",
        CONVERSATION,
        {"input.recordings": [{"id": "r", "path": "a.wav"}]},
        "input.recordings",
    ),
    refused(
        "one-objective", CONVERSATION, {AGENDA: [an_item(), an_item(id="x", action="wait")]}, AGENDA
    ),
    refused("no-agenda", CONVERSATION, {AGENDA: REMOVED}, AGENDA),
    refused(
        "no-facts",
        CONVERSATION,
        {AGENDA: [an_item(id="a"), an_item(id="b")], "simulation_parameters.known_facts": {}},
        "simulation_parameters.known_facts",
    ),
    refused("six-golden-turns", CONVERSATION, {f"{GOLDEN}.turns": 6}, f"{GOLDEN}.turns"),
    refused(
        "no-golden-path",
        CONVERSATION,
        {GOLDEN: REMOVED},
        f"{GOLDEN}.turns",
        f"{GOLDEN}.delegations",
    ),
    refused(
        "golden-delegations-of-null",
        CONVERSATION,
        {f"{GOLDEN}.delegations": None},
        f"{GOLDEN}.delegations",
    ),
    refused(
        "required-delegation-counted-zero",
        CONVERSATION,
        {"expected.delegation": "required", f"{GOLDEN}.delegations": 0},
        f"{GOLDEN}.delegations",
    ),
    refused(
        "forbidden-delegation-counted-once",
        CONVERSATION,
        {"expected.delegation": "forbidden"},
        f"{GOLDEN}.delegations",
    ),
]

NO_COERCION = [
    pytest.param(REQUEST, path, value, id=f"{value!r}-at-{path}")
    for path, values in {
        "title": (1, True, None, ["x"]),
        "tags": ("booking", {"0": "booking"}, [1], None),
        "input": ("text", [], None),
        "input.text": (5, None),
        "application": (None, []),
        "application.initial_state": (None, [], "x"),
        "expected.golden_path.turns": ("2", 2.0, True, None, "two"),
        "expected.golden_path.delegations": ("1", 1.0, False),
        "expected.interaction.interruptions_max": ("0", 0.0, False),
        "expected.interaction.response_rate_min": ("0.5", True),
        "expected.tools.required": ({}, "tool", [None]),
        "expected.delegation": (True, None, "Required"),
        "expected.state": ([], None),
        "expected.criteria": ("one", [None]),
    }.items()
    for value in values
] + [
    pytest.param(CONVERSATION, path, value, id=f"{value!r}-at-{path}")
    for path, values in {
        f"{AGENDA}.0.required": ("yes", "true", 1, 0, None),
        f"{AGENDA}.0.facts": ("name", [1]),
        "simulation_parameters.persona": ("Maya", None),
        "simulation_parameters.persona.interrupt_tendency": ("0.5", True, None),
        "simulation_parameters.known_facts": ([], None),
    }.items()
    for value in values
]
