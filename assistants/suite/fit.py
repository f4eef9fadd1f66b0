"""Whether scenarios fit the application: what they require must be something it can do.

A required tool that does not exist would fail every assistant, and the mistake would be billed to
it. What is prohibited may be anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from assistants.resources import ApplicationResources
from shared.errors import DatasetError
from shared.faults import closest, shown
from shared.matching import MATCH_KEY
from shared.scenarios import ExpectedToolCall, Scenario
from shared.values import JsonObject, JsonValue

ABSENT = "absent"


def refuse_misfits(scenarios: Iterable[Scenario], application: ApplicationResources) -> None:
    """Raise :class:`DatasetError` with one line for each required call that cannot be made."""
    tools = {str(tool["name"]): tool for tool in application.tools}
    faults = [
        f'scenario "{scenario.id}": expected.tools.required[{index}].{problem}'
        for scenario in scenarios
        for index, call in enumerate(scenario.expected.tools.required)
        for problem in _problems(call, tools, application.name)
    ]
    if faults:
        raise DatasetError(faults)


def _problems(
    call: ExpectedToolCall, tools: Mapping[str, JsonObject], application: str
) -> Iterator[str]:
    tool = tools.get(call.name)
    if tool is None:
        what = f"name: the application {application!r} has no tool {shown(call.name)}"
        yield f"{what}; {_fix(call.name, tools)}, or name its folder with --application"
        return
    parameters = tool["parameters"]
    properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
    if not isinstance(properties, Mapping):
        return
    for name, value in call.arguments.items():
        if name not in properties and not _is_absent(value):
            what = f"arguments.{name}: {call.name} takes no such argument"
            yield f"{what}; {_fix(name, properties)}"


def _fix(name: str, known: Iterable[str]) -> str:
    near = closest(name, known)
    return f"did you mean {near!r}" if near else f"there are: {', '.join(sorted(known))}"


def _is_absent(value: JsonValue) -> bool:
    return isinstance(value, Mapping) and value.get(MATCH_KEY) == ABSENT
