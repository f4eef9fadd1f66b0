"""What an assistant is made of: prompts, and one application folder shared by every mode.

An application folder holds ``prompts/scope.txt`` (what the voice may deal with),
``prompts/backend.txt``, ``tools.json`` (function tools), ``tools.py`` (a class ``Application``),
``facts.json`` (whose key ``hidden`` no prompt ever shows) and ``phrases.json`` (what counts as a
claim of success or as a refusal). ``--application PATH`` names another such folder.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from assistants.tool_schema import strict_tool
from shared.errors import UsageError
from shared.faults import dotted
from shared.phrases import ConfirmationRule
from shared.places import same_working_directory
from shared.strict_json import JsonSyntaxError, parse
from shared.values import JsonObject, JsonValue

HIDDEN_FACTS = "hidden"
PHRASE_KEYS = frozenset({"confirmation_patterns", "refusal_patterns"})
TOOL_KEYS = frozenset({"type", "name", "description", "parameters", "strict"})
BUNDLED_APPLICATION = Path(__file__).parent / "application"
VOICE_PROMPT = Path(__file__).parent / "frontend" / "prompts" / "voice.txt"
CLIENT_PROMPTS = Path(__file__).parent / "client" / "prompts"
CLIENT_PROMPT_NAMES = ("task", "failed", "broken_off")


class ApplicationSession(Protocol):
    """One attempt's copy of the application: its tools and its state."""

    def call(self, name: str, arguments: JsonObject, call_id: str) -> JsonObject:
        """Run a tool. A ``ValueError`` refuses the call and has changed nothing."""

    def snapshot(self) -> JsonObject:
        """A copy of the state."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """Regular expressions, case ignored: claims of success, and refusals."""

    confirmations: tuple[ConfirmationRule, ...]
    refusal_patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ApplicationResources:
    """An application folder, read once. ``digests`` are SHA-256 by file name."""

    name: str
    scope_prompt: str
    backend_prompt: str
    tools: tuple[JsonObject, ...]
    facts: JsonObject
    phrases: Phrases
    digests: Mapping[str, str]
    open_session: Callable[[JsonObject, JsonObject], ApplicationSession]

    @property
    def strict_tools(self) -> tuple[JsonObject, ...]:
        """The tools as every backend gets them."""
        return tuple(strict_tool(tool) for tool in self.tools)

    @property
    def public_facts(self) -> JsonObject:
        return {key: value for key, value in self.facts.items() if key != HIDDEN_FACTS}


def load_application(folder: Path) -> ApplicationResources:
    """Read an application folder; what is missing or wrong in it is a :class:`UsageError`."""
    if not folder.is_dir():
        raise UsageError(
            f"--application: {folder} is no folder; name one like assistants/application"
        )
    texts = {
        name: _read(folder / name)
        for name in (
            "prompts/scope.txt",
            "prompts/backend.txt",
            "tools.json",
            "tools.py",
            "facts.json",
            "phrases.json",
        )
    }
    facts = _json(folder / "facts.json", texts["facts.json"])
    if not isinstance(facts, dict):
        raise UsageError(f"{folder / 'facts.json'}: facts must be one JSON object")
    tools = _tools(folder / "tools.json", texts["tools.json"])
    names = [str(tool["name"]) for tool in tools]
    return ApplicationResources(
        name=folder.resolve().name,
        scope_prompt=texts["prompts/scope.txt"].strip(),
        backend_prompt=texts["prompts/backend.txt"].strip(),
        tools=tools,
        facts=facts,
        phrases=_phrases(folder / "phrases.json", texts["phrases.json"], names),
        digests={name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()},
        open_session=class_in(folder / "tools.py", "Application"),
    )


def load_voice_prompt() -> str:
    return _read(VOICE_PROMPT).strip()


def load_client_prompt(name: str) -> str:
    """What client delegation says to models: ``failed`` to the voice, the others to a backend."""
    return _read(CLIENT_PROMPTS / f"{name}.txt").strip()


def client_prompt_digests() -> dict[str, str]:
    """The SHA-256 of each by its name."""
    return {name: _digest(load_client_prompt(name)) for name in CLIENT_PROMPT_NAMES}


@dataclass(frozen=True, slots=True)
class OwnBackend:
    """A user's own backend: what makes one, and the file it is from (SHA-256)."""

    make: Callable[..., Any]
    file_name: str
    sha256: str


def load_own_backend(path: Path) -> OwnBackend:
    """Read and run a Python file with a class ``Backend``; a :class:`UsageError` when it has none.

    The text is read first, so that a file which is none is told in the words for files.
    """
    text = _read(path)
    backend = class_in(path, "Backend")
    for name in ("run", "close"):
        # An agent that never ran for a missing word would be told as one that failed.
        if not inspect.iscoroutinefunction(getattr(backend, name, None)):
            raise UsageError(
                f"{path}: its Backend has no async def {name}; write one as"
                " docs/examples/own_backend.py does"
            )
    return OwnBackend(backend, path.name, _digest(text))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: Path) -> str:
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{path}: the file is missing; add it") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as UTF-8 text ({error})") from None
    if not text.strip():
        raise UsageError(f"{path}: the file is empty; fill it")
    return text


def _json(path: Path, text: str) -> JsonValue:
    try:
        document = parse(text)
    except JsonSyntaxError as error:
        raise UsageError(f"{path}:{error.line}: {error.problem}") from None
    for flaw in document.flaws:
        raise UsageError(f"{path}: {dotted(flaw.where) or 'it'} {flaw.problem}")
    return document.value


def _tools(path: Path, text: str) -> tuple[JsonObject, ...]:
    tools = _json(path, text)
    if not isinstance(tools, list) or not tools:
        raise UsageError(f"{path}: tools must be a list of function tools")
    names: set[str] = set()
    for position, tool in enumerate(tools):
        is_function = isinstance(tool, dict) and tool.get("type") == "function"
        name = tool.get("name") if is_function else None
        if not isinstance(name, str) or not name:
            raise UsageError(f"{path}: tool {position} needs type 'function' and a name")
        if name in names:
            raise UsageError(f"{path}: two tools are named {name!r}; keep one")
        names.add(name)
        problem = _tool_problem(tool)
        if problem is not None:
            raise UsageError(f"{path}: tool {name!r} {problem}")
    return tuple(tools)


def _tool_problem(tool: JsonObject) -> str | None:
    from jsonschema import Draft202012Validator, SchemaError

    unknown = sorted(set(tool) - TOOL_KEYS)
    if unknown:
        return f"has the unknown key {unknown[0]!r}; it has {', '.join(sorted(TOOL_KEYS))}"
    if not isinstance(tool.get("description", ""), str):
        return "needs a description that is text"
    parameters = tool.get("parameters")
    if not isinstance(parameters, dict) or not isinstance(parameters.get("properties"), dict):
        return "needs parameters with properties"
    try:
        Draft202012Validator.check_schema(
            parameters, format_checker=Draft202012Validator.FORMAT_CHECKER
        )
    except SchemaError as error:
        where = ".".join(str(step) for step in ("parameters", *error.absolute_path))
        return f"has no sound schema at {where}: {' '.join(error.message.split())}"
    # A key: inside a text its quotes would be escaped.
    if '"$ref": ' in json.dumps(parameters):
        return "refers to another schema ($ref); write that schema out in its place"
    return None


def _phrases(path: Path, text: str, tools: Collection[str]) -> Phrases:
    value = _json(path, text)
    if not isinstance(value, dict):
        raise UsageError(f"{path}: phrases must be one JSON object")
    unknown = sorted(set(value) - PHRASE_KEYS)
    if unknown:
        known = ", ".join(sorted(PHRASE_KEYS))
        raise UsageError(f"{path}: unknown key {unknown[0]!r}; there are: {known}")
    rules = value.get("confirmation_patterns", [])
    if not isinstance(rules, list):
        raise UsageError(f"{path}: confirmation_patterns must be a list of rules")
    return Phrases(
        confirmations=tuple(_rule(path, rule, tools) for rule in rules),
        refusal_patterns=_patterns(path, value.get("refusal_patterns", [])),
    )


def _rule(path: Path, value: JsonValue, known: Collection[str]) -> ConfirmationRule:
    tools = value.get("tools") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(tools, list) or not tools:
        raise UsageError(f"{path}: a confirmation rule needs tools and patterns")
    names = tuple(tool for tool in tools if isinstance(tool, str))
    if len(names) != len(tools):
        raise UsageError(f"{path}: a confirmation rule names its tools by text")
    strangers = [name for name in names if name not in known]
    if strangers:
        raise UsageError(
            f"{path}: a confirmation rule names {strangers[0]!r}; tools.json has {', '.join(known)}"
        )
    return ConfirmationRule(tools=names, patterns=_patterns(path, value.get("patterns")))


def _patterns(path: Path, value: JsonValue) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise UsageError(f"{path}: patterns must be a list of regular expressions")
    patterns: list[str] = []
    for pattern in value:
        if not isinstance(pattern, str):
            raise UsageError(f"{path}: {pattern!r} is no text; write a regular expression")
        try:
            matches_nothing = re.search(pattern, "")
        except (re.error, OverflowError, RecursionError) as error:
            raise UsageError(f"{path}: {pattern!r} is no regular expression: {error}") from None
        if matches_nothing:
            raise UsageError(f"{path}: {pattern!r} matches an empty text; ask for words")
        patterns.append(pattern)
    return tuple(patterns)


def class_in(path: Path, name: str) -> Callable[..., Any]:
    """A class of the user's own file, which runs here; :class:`UsageError` when it has none.

    What it makes is of any shape, and is looked at when it is used.
    """
    # A name of its own, so that two files never share a module.
    digest = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
    module_name = f"{name.lower()}_{digest}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: not a Python module")
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[module_name] = module  # dataclasses look their module up by name
    kept_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # it is not our folder
    try:
        # Paths of the command line are yet to be read, from where they were written.
        with same_working_directory():
            spec.loader.exec_module(module)
            found = getattr(module, name, None)
    except KeyboardInterrupt:
        raise  # whoever waits for it has given up
    except BaseException as error:  # noqa: BLE001 - it is the user's: anything may come
        raise UsageError(f"{path}: cannot be loaded: {_told(error)}") from None
    finally:
        sys.dont_write_bytecode = kept_bytecode
    if not callable(found):
        raise UsageError(f"{path}: defines no class {name}")
    return found  # type: ignore[no-any-return]  # whatever it is, it can be called


def _told(error: BaseException) -> str:
    """What a file of the user's own raised; its text is that file's code too."""
    try:
        return " ".join(f"{type(error).__name__}: {error}".split())
    except BaseException:  # noqa: BLE001 - as above
        return type(error).__name__


def authorized_context(resources: ApplicationResources, state: JsonObject, summary: str) -> str:
    """What both the voice and the backend are allowed to know, as one labelled line of JSON."""
    context: dict[str, JsonValue] = {
        "business_facts": resources.public_facts,
        "authorized_application_state": state,
    }
    if summary:
        context["previous_conversation_summary"] = summary
    line = json.dumps(context, ensure_ascii=False, sort_keys=True)
    return f"\n\n## Facts you are authorized to use\n{line}"
