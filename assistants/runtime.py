"""Runs an application's tools: one at a time, in call order, each call once, never on the loop.

A call that cannot be run (broken argument JSON, a schema violated, a refusal by the application)
is answered to the model as an error, so that it can explain; that answer is its recorded outcome.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from assistants.resources import ApplicationSession
from assistants.tool_result import ToolResult
from assistants.tool_schema import given
from assistants.tool_thread import ToolThread
from shared.errors import AttemptError, Stage
from shared.json_text import DEEPEST
from shared.observability.observations import ToolCalled, ToolStatus
from shared.values import JsonObject, JsonValue

if TYPE_CHECKING:
    from jsonschema.protocols import Validator


DEEPEST_STATE: Final = DEEPEST - 3
"""What is deeper could not be kept whole where evidence holds it."""


class BrokenApplicationError(AttemptError):
    """The application could not give what no attempt can do without."""

    def __init__(self, what: str, error: BaseException) -> None:
        # The class alone: an exception's text may hold what nobody meant to show.
        super().__init__(Stage.ATTEMPT_EXECUTION, f"{what}: {type(error).__name__}")


def of_application[T](what: str, call: Callable[[], T]) -> T:
    """Run code of an application: whatever it raises, even an exit, concerns this attempt alone."""
    try:
        return call()
    except BaseException as error:  # noqa: BLE001 - it is the user's: anything may come
        raise BrokenApplicationError(what, error) from None


class ToolRuntime:
    """The tools of one attempt over its own copy of the application's state."""

    def __init__(self, application: ApplicationSession, tools: Sequence[JsonObject]) -> None:
        from jsonschema import Draft202012Validator

        self._application = application
        self._thread = ToolThread()
        self._is_at_work = False
        self._state: JsonObject = {}
        self._parameters: dict[str, JsonObject] = {}
        self._validators: dict[str, Validator] = {}
        for tool in tools:
            name, parameters = str(tool["name"]), tool["parameters"]
            if isinstance(parameters, Mapping):
                self._parameters[name] = parameters
                self._validators[name] = Draft202012Validator(parameters)

    def snapshot(self) -> JsonObject:
        """The application's state; :class:`BrokenApplicationError` when that is no JSON object.

        While a tool is at work it is the state before that tool: nobody looks into a state that
        another thread is changing.
        """
        if not self._is_at_work:
            self._state = self._look()
        return self._state

    async def run(self, call: ToolCalled) -> ToolResult:
        """Run one call and say what came of it; a failing tool is a result, not an error."""
        self.snapshot()
        self._is_at_work = True
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._perform, call)

    def _look(self) -> JsonObject:
        return of_application(
            "the application's state is unusable", lambda: _plain(self._application.snapshot())
        )

    def _perform(self, call: ToolCalled) -> ToolResult:
        try:
            return self._result(call)
        finally:
            self._is_at_work = False

    def _result(self, call: ToolCalled) -> ToolResult:
        # All of it is caught here, because some exceptions never come back out of an executor.
        try:
            objection = self._objection(call)
            if objection is not None:
                return self._failed(objection)
            output = self._application.call(call.name, self._arguments(call), call.call_id)
            return ToolResult(ToolStatus.COMPLETED, _plain(output), self._look())
        except ValueError as refusal:
            return self._failed(_words_of(refusal))
        except BrokenApplicationError:
            raise
        except BaseException as error:  # noqa: BLE001 - an application's exit or interrupt too
            # The class alone: an exception's text may hold what nobody meant to show a model.
            return self._failed(f"the tool broke: {type(error).__name__}")

    def _objection(self, call: ToolCalled) -> str | None:
        if call.name not in self._validators:
            return f"there is no tool named {call.name!r}"
        if call.arguments is None:
            return "the arguments are not one valid JSON object"
        fault = next(self._validators[call.name].iter_errors(self._arguments(call)), None)
        if fault is None:
            return None
        where = ".".join(str(step) for step in fault.absolute_path)
        return f"{call.name}: {where + ': ' if where else ''}{fault.message}"

    def _arguments(self, call: ToolCalled) -> dict[str, JsonValue]:
        """The arguments the model gave; a copy, so that no tool ever changes the evidence."""
        arguments = given(call.arguments or {}, self._parameters[call.name])
        return dict(arguments) if isinstance(arguments, Mapping) else {}

    def _failed(self, why: str) -> ToolResult:
        return ToolResult(ToolStatus.FAILED, {"ok": False, "error": why}, self._look())


def _words_of(refusal: ValueError) -> str:
    try:
        # Half a character is text to Python and to nobody else.
        return str(refusal).encode("utf-8", "replace").decode()
    except BaseException as error:  # noqa: BLE001 - its text is the application's code too
        return f"the tool broke: {type(error).__name__}"


def _plain(value: JsonObject) -> JsonObject:
    """A copy as plain JSON; a ``ValueError`` when it is none, or too deep to be kept."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    # Through bytes, because half a surrogate pair is text to Python and to nobody else.
    plain: JsonObject = json.loads(text.encode())
    if not isinstance(plain, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - a value that cannot be used
    if _is_deeper(plain, DEEPEST_STATE):
        raise ValueError(f"nested deeper than {DEEPEST_STATE} levels")
    return plain


def _is_deeper(value: JsonValue, levels: int) -> bool:
    """Whether objects and lists lie more than so many levels inside one another."""
    match value:
        case str():
            return False
        case Mapping() | Sequence() if levels == 0:
            return True
        case Mapping():
            return any(_is_deeper(inner, levels - 1) for inner in value.values())
        case Sequence():
            return any(_is_deeper(inner, levels - 1) for inner in value)
        case _:
            return False
