"""Application folders: what is read from one, and how each mistake in one is named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from assistants.resources import (
    BUNDLED_APPLICATION,
    ApplicationResources,
    authorized_context,
    load_application,
    load_voice_prompt,
)
from shared.errors import UsageError
from shared.phrases import ConfirmationRule

FILES: Mapping[str, str] = {
    "prompts/scope.txt": "\n  Talk about lamps.\n",
    "prompts/backend.txt": "Use the tools.\n",
    "tools.json": json.dumps(
        [
            {
                "type": "function",
                "name": "switch",
                "parameters": {"type": "object", "properties": {"on": {"type": "boolean"}}},
            }
        ]
    ),
    "tools.py": (
        "class Application:\n"
        "    def __init__(self, state, facts):\n"
        "        self.state, self.facts = state, facts\n"
        "    def call(self, name, arguments, call_id):\n"
        "        return {'ok': True}\n"
        "    def snapshot(self):\n"
        "        return self.state\n"
    ),
    "facts.json": '{"lamps": 3, "hidden": {"safe": "marker-of-a-secret"}}',
    "phrases.json": (
        '{"confirmation_patterns": [{"tools": ["switch"], "patterns": ["\\\\bis on\\\\b"]}],'
        ' "refusal_patterns": ["cannot"]}'
    ),
}


def a_folder(tmp_path: Path, **edits: str | None) -> Path:
    """An application folder; ``tools_json="..."`` replaces a file, ``None`` leaves it out."""
    folder = tmp_path / "lamp_shop"
    (folder / "prompts").mkdir(parents=True)
    for name, text in FILES.items():
        edit = edits.get(name.replace("/", "_").replace(".", "_"), text)
        if edit is not None:
            (folder / name).write_text(edit)
    return folder


def refusal_of(folder: Path) -> str:
    with pytest.raises(UsageError) as refused:
        load_application(folder)
    line = str(refused.value)
    assert "\n" not in line
    return line


def a_tool(**edits: Any) -> str:
    (tool,) = json.loads(FILES["tools.json"])
    return json.dumps([{**tool, **edits}])


def test_a_folder_is_read_whole(tmp_path: Path) -> None:
    loaded = load_application(a_folder(tmp_path))
    assert loaded.name == "lamp_shop"
    assert loaded.scope_prompt == "Talk about lamps."
    assert loaded.backend_prompt == "Use the tools."
    assert [tool["name"] for tool in loaded.tools] == ["switch"]
    assert loaded.facts["lamps"] == 3
    assert loaded.phrases.confirmations == (ConfirmationRule(("switch",), (r"\bis on\b",)),)
    assert loaded.phrases.refusal_patterns == ("cannot",)
    session = loaded.open_session({"a": 1}, loaded.facts)
    assert session.call("switch", {}, "c1") == {"ok": True}
    assert session.snapshot() == {"a": 1}


def test_a_digest_is_the_sha_256_of_its_file(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    assert load_application(folder).digests == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in FILES
    }


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path) -> None:
    loaded = load_application(
        a_folder(tmp_path, prompts_scope_txt="\ufeffScope.", facts_json='\ufeff{"a": 1}')
    )
    assert loaded.scope_prompt == "Scope."
    assert loaded.facts == {"a": 1}


def test_the_name_of_a_folder_is_its_own_however_it_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(a_folder(tmp_path))
    assert load_application(Path()).name == "lamp_shop"


def test_two_applications_never_share_a_module(tmp_path: Path) -> None:
    one = load_application(a_folder(tmp_path / "one"))
    two = load_application(
        a_folder(tmp_path / "two", tools_py=FILES["tools.py"].replace("True", "False"))
    )
    assert one.open_session({}, {}).call("switch", {}, "c1") == {"ok": True}
    assert two.open_session({}, {}).call("switch", {}, "c1") == {"ok": False}


def test_a_tool_module_may_hold_dataclasses(tmp_path: Path) -> None:
    module = "from dataclasses import dataclass\n@dataclass\nclass Part:\n    size: 'int'\n"
    assert load_application(a_folder(tmp_path, tools_py=module + FILES["tools.py"])).name


@pytest.mark.parametrize("name", list(FILES))
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = a_folder(tmp_path)
    (folder / name).unlink()
    assert refusal_of(folder) == f"{folder / name}: the file is missing; add it"


@pytest.mark.parametrize("name", list(FILES))
def test_a_blank_file_is_named(tmp_path: Path, name: str) -> None:
    folder = a_folder(tmp_path)
    (folder / name).write_text(" \n")
    assert refusal_of(folder) == f"{folder / name}: the file is empty; fill it"


@pytest.mark.parametrize("name", list(FILES))
def test_a_file_that_is_no_utf_8_is_named(tmp_path: Path, name: str) -> None:
    folder = a_folder(tmp_path)
    (folder / name).write_bytes(b"\xff\xfe\x00")
    assert refusal_of(folder).startswith(f"{folder / name}: cannot be read as UTF-8 text")


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, facts_json=None)
    (folder / "facts.json").mkdir()
    assert refusal_of(folder).startswith(f"{folder / 'facts.json'}: cannot be read")


@pytest.mark.parametrize("make", [Path.touch, None], ids=["a-file", "nothing"])
def test_what_is_no_folder_is_refused_by_its_flag(
    tmp_path: Path, make: Callable[[Path], None] | None
) -> None:
    path = tmp_path / "no_folder"
    if make is not None:
        make(path)
    assert refusal_of(path).startswith("--application: ")


NO_LIST = "tools must be a list of function tools"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("[", "not valid JSON", id="no-json"),
        pytest.param('{"a": 1}', NO_LIST, id="an-object"),
        pytest.param("[]", NO_LIST, id="no-tools"),
        pytest.param("[1]", "tool 0 needs type 'function' and a name", id="a-number"),
        pytest.param(a_tool(type="mcp"), "tool 0 needs type 'function'", id="another-type"),
        pytest.param(a_tool(name=""), "tool 0 needs type 'function'", id="an-empty-name"),
        pytest.param(a_tool(name=5), "tool 0 needs type 'function'", id="a-name-that-is-a-number"),
        pytest.param(a_tool(parameters=None), "'switch' needs parameters", id="null-parameters"),
        pytest.param(a_tool(parameters={}), "'switch' needs parameters", id="no-properties"),
        pytest.param(
            a_tool(parameters={"properties": []}), "'switch' needs parameters", id="a-list"
        ),
        pytest.param(a_tool(description=5), "'switch' needs a description", id="no-description"),
        pytest.param(a_tool(strickt=True), "unknown key 'strickt'", id="a-key-misspelt"),
        pytest.param(
            a_tool(parameters={"properties": {"on": {"type": "bool"}}}),
            "'switch' has no sound schema at parameters.properties.on.type",
            id="a-type-json-schema-does-not-have",
        ),
        pytest.param(
            a_tool(parameters={"properties": {"on": 5}}),
            "'switch' has no sound schema at parameters.properties.on",
            id="a-property-that-is-a-number",
        ),
        pytest.param(
            a_tool(parameters={"properties": {"on": {"$ref": "#/$defs/on"}}}),
            "'switch' refers to another schema ($ref)",
            id="a-reference",
        ),
        pytest.param(
            a_tool(parameters={"properties": {}, "required": "on"}),
            "'switch' has no sound schema at parameters.required",
            id="required-that-is-text",
        ),
        pytest.param(
            a_tool(parameters={"properties": {"on": {"pattern": "("}}}),
            "'switch' has no sound schema at parameters.properties.on.pattern",
            id="a-pattern-that-is-none",
        ),
        pytest.param(
            json.dumps(json.loads(FILES["tools.json"]) * 2),
            "two tools are named 'switch'",
            id="a-name-twice",
        ),
        pytest.param(
            '[{"type": "function", "type": "function"}]',
            "[0].type the key stands more than once",
            id="a-key-twice",
        ),
    ],
)
def test_tools_are_refused_for(tmp_path: Path, text: str, problem: str) -> None:
    folder = a_folder(tmp_path, tools_json=text)
    line = refusal_of(folder)
    assert line.startswith(str(folder / "tools.json"))
    assert problem in line


def a_rule(**edits: Any) -> str:
    rule = {"tools": ["switch"], "patterns": ["a"], **edits}
    return json.dumps({"confirmation_patterns": [rule]})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("[]", "phrases must be one JSON object", id="a-list"),
        pytest.param('{"confirmation_patterns": {}}', "must be a list of rules", id="no-list"),
        pytest.param('{"confirmation_patterns": ["a"]}', "needs tools and patterns", id="no-rule"),
        pytest.param(a_rule(tools=[]), "needs tools and patterns", id="no-tools"),
        pytest.param(a_rule(tools="t"), "needs tools and patterns", id="tools-that-are-text"),
        pytest.param(a_rule(tools=[5]), "names its tools by text", id="a-tool-that-is-a-number"),
        pytest.param(a_rule(tools=["t"]), "names 't'; tools.json has switch", id="another's-tool"),
        pytest.param('{"refusals": []}', "unknown key 'refusals'", id="an-unknown-key"),
        pytest.param(a_rule(patterns="a"), "patterns must be a list", id="patterns-that-are-text"),
        pytest.param('{"refusal_patterns": [""]}', "matches an empty text", id="an-empty-pattern"),
        pytest.param(a_rule(patterns=["a*"]), "'a*' matches an empty text", id="one-that-fits-all"),
        pytest.param(a_rule(patterns=["a{9999999999999}"]), "no regular expression", id="a-flood"),
        pytest.param(a_rule(patterns=["("]), "'(' is no regular expression", id="no-pattern"),
        pytest.param(a_rule(patterns=[None]), "None is no text", id="a-pattern-that-is-null"),
        pytest.param('{"refusal_patterns": {}}', "patterns must be a list", id="an-object"),
        pytest.param('{"refusal_patterns": ["["]}', "'[' is no regular expression", id="a-bracket"),
        pytest.param('{"refusal_patterns": [NaN]}', "is NaN, which JSON does not", id="nan"),
    ],
)
def test_phrases_are_refused_for(tmp_path: Path, text: str, problem: str) -> None:
    folder = a_folder(tmp_path, phrases_json=text)
    line = refusal_of(folder)
    assert line.startswith(str(folder / "phrases.json"))
    assert problem in line


def test_an_application_may_have_no_phrases(tmp_path: Path) -> None:
    phrases = load_application(a_folder(tmp_path, phrases_json="{}")).phrases
    assert (phrases.confirmations, phrases.refusal_patterns) == ((), ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("[]", "facts must be one JSON object", id="a-list"),
        pytest.param('{"a": 1,\n"b": }', "facts.json:2: not valid JSON", id="broken-on-line-2"),
        pytest.param("NaN", "facts.json: it is NaN", id="nan-alone"),
        pytest.param(
            '{"a": {"b": 1, "b": 2}}', "facts.json: a.b the key stands more", id="a-key-twice"
        ),
    ],
)
def test_facts_are_refused_for(tmp_path: Path, text: str, problem: str) -> None:
    assert problem in refusal_of(a_folder(tmp_path, facts_json=text))


@pytest.mark.parametrize(
    ("module", "problem"),
    [
        pytest.param("def", "cannot be loaded: SyntaxError", id="no-python"),
        pytest.param("import nowhere_to_be_found", "ModuleNotFoundError", id="a-missing-import"),
        pytest.param("raise ValueError('a\\nb')", "ValueError: a b", id="an-error-of-two-lines"),
        pytest.param("import sys; sys.exit(3)", "SystemExit: 3", id="an-exit"),
        pytest.param("x = 1", "defines no class Application", id="no-application"),
        pytest.param("Application = 5", "defines no class Application", id="a-number"),
    ],
)
def test_a_tool_module_is_refused_for(tmp_path: Path, module: str, problem: str) -> None:
    assert problem in refusal_of(a_folder(tmp_path, tools_py=module))


# What a prompt may show


def the_context(loaded: ApplicationResources, summary: str = "") -> dict[str, Any]:
    block = authorized_context(loaded, {"tables": ["R-1"]}, summary)
    blank, empty, heading, line = block.split("\n")
    assert (blank, empty) == ("", "")
    assert heading.startswith("## ")
    context: dict[str, Any] = json.loads(line)
    return context


def test_the_context_holds_facts_and_state_and_nothing_hidden(tmp_path: Path) -> None:
    loaded = load_application(a_folder(tmp_path))
    assert the_context(loaded) == {
        "business_facts": {"lamps": 3},
        "authorized_application_state": {"tables": ["R-1"]},
    }
    assert "marker-of-a-secret" not in authorized_context(loaded, {}, "")


def test_a_summary_is_added_when_there_is_one(tmp_path: Path) -> None:
    loaded = load_application(a_folder(tmp_path))
    assert the_context(loaded, "Called before.")["previous_conversation_summary"] == (
        "Called before."
    )


def test_a_context_is_one_line_whatever_a_text_holds(tmp_path: Path) -> None:
    loaded = load_application(a_folder(tmp_path))
    assert the_context(loaded, "one\ntwo")["previous_conversation_summary"] == "one\ntwo"
    assert "café" in authorized_context(loaded, {}, "café")


def test_a_context_does_not_depend_on_the_order_of_keys(tmp_path: Path) -> None:
    loaded = load_application(a_folder(tmp_path))
    one, other = ({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1})
    assert authorized_context(loaded, one, "") == authorized_context(loaded, other, "")


def test_the_tools_see_what_no_prompt_shows(tmp_path: Path) -> None:
    loaded = load_application(a_folder(tmp_path))
    assert "hidden" in loaded.facts
    assert "hidden" not in loaded.public_facts


def test_the_bundled_application_is_sound_and_hides_its_hidden_facts() -> None:
    loaded = load_application(BUNDLED_APPLICATION)
    context = authorized_context(loaded, {}, "")
    hidden = loaded.facts["hidden"]
    assert isinstance(hidden, Mapping)
    assert hidden
    assert all(f'"{key}"' not in context for key in ("hidden", *hidden))
    assert load_voice_prompt()
