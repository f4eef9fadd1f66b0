"""Every fault of one scenario at once, in plain words with a fix.

Theory of operation: the types report all that is wrong with keys and values. Rules need whole
scenarios, so a copy is mended first: what is wrong in it gives way to a default or a stand-in, and
rules that read such a place are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from enum import StrEnum
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from shared.faults import Fault, Where, closest, described, shown
from shared.scenario_rules import rule_faults
from shared.scenario_types import RULE_ERROR, ScenarioShape
from shared.values import JsonObject, JsonValue

_MOST_MENDINGS: Final = 8
"""More than any scenario has required objects inside one another."""


def scenario_faults(raw: JsonValue, flaws: Sequence[Fault] = ()) -> tuple[Fault, ...]:
    """All faults of one scenario as decoded; ``flaws`` were found in its text already."""
    flawed = {flaw.where for flaw in flaws}
    if not isinstance(raw, Mapping):
        no_object = Fault((), f"must be an object, is {described(raw)}; write {{...}}")
        return tuple(flaws) or (no_object,)
    errors = _errors(raw)
    shape = _mended(raw)
    damaged = {*flawed, *(error["loc"] for error in errors), *_meant(errors, ScenarioShape)}
    broken = rule_faults(shape, damaged) if shape else ()
    # Where the text was at fault a stand-in is what the types saw; only its key is the author's.
    own = [e for e in errors if e["type"] == "extra_forbidden" or e["loc"] not in flawed]
    return (
        *flaws,
        *_explained(own, ScenarioShape),
        *(fault for fault in broken if fault.where not in flawed),
    )


def type_faults(raw: JsonObject, model: type[BaseModel]) -> tuple[Fault, ...]:
    """What is wrong with keys and values alone, as a model sees them."""
    try:
        model.model_validate(raw)
    except ValidationError as error:
        return tuple(_explained(error.errors(include_url=False), model))
    return ()


def _errors(raw: JsonObject) -> list[ErrorDetails]:
    try:
        ScenarioShape.model_validate(raw)
    except ValidationError as error:
        return error.errors(include_url=False)
    return []


def _explained(errors: Sequence[ErrorDetails], model: type[BaseModel]) -> Iterator[Fault]:
    misspelt = _meant(errors, model)
    for error in errors:
        if not (error["type"] == "missing" and error["loc"] in misspelt):
            yield Fault(error["loc"], _problem(error, model))


def _meant(errors: Sequence[ErrorDetails], model: type[BaseModel]) -> frozenset[Where]:
    """The fields that unknown keys were probably meant to be."""
    unknown = [error["loc"] for error in errors if error["type"] == "extra_forbidden"]
    near = ((loc, closest(str(loc[-1]), _keys(loc[:-1], model))) for loc in unknown)
    return frozenset((*loc[:-1], key) for loc, key in near if key)


def _problem(error: ErrorDetails, model: type[BaseModel]) -> str:
    found = described(error["input"])
    limits = error.get("ctx", {})
    match error["type"]:
        case kind if kind == RULE_ERROR:
            return str(limits["problem"])
        case "missing":
            return "is missing; add it"
        case "extra_forbidden":
            return _unknown_key(error["loc"], model)
        case "string_type":
            return f"must be text, is {found}; write it in quotes"
        case "int_type":
            return f"must be a whole number, is {found}; write digits without quotes"
        case "float_type":
            return f"must be a number, is {found}; write digits without quotes"
        case "bool_type":
            return f"must be true or false, is {found}; write it without quotes"
        case "tuple_type":
            return f"must be a list, is {found}; write [...]"
        case "model_type" | "dict_type":
            return f"must be an object, is {found}; write {{...}}"
        case "string_too_short" | "string_pattern_mismatch":
            return "is blank; write at least one character"
        case "greater_than_equal":
            return f"is {shown(error['input'])}; write at least {limits['ge']:g}"
        case "less_than_equal":
            return f"is {shown(error['input'])}; write at most {limits['le']:g}"
        case "enum" | "literal_error":
            return f"is {found}; write {str(limits['expected']).replace(chr(39), chr(34))}"
        case _:
            return f"{error['msg'][:1].lower()}{error['msg'][1:]}, is {found}; mend it"


def _unknown_key(where: Where, model: type[BaseModel]) -> str:
    keys = _keys(where[:-1], model)
    near = closest(str(where[-1]), keys)
    guess = f'did you mean "{near}"? ' if near else "remove it; "
    return f"unknown key; {guess}allowed: {', '.join(keys)}"


def _keys(where: Where, model: type[BaseModel]) -> tuple[str, ...]:
    part = _annotation_at(where, model)
    return tuple(part.model_fields) if _is_part(part) else ()


def _is_part(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _annotation_at(where: Where, model: type[BaseModel]) -> Any:
    """The type that belongs at a place of the document; nothing where no type is declared."""
    found: Any = model
    for step in where:
        if _is_part(found):
            field = found.model_fields.get(step)
            found = field.annotation if field else None
        else:
            inner = get_args(found)
            found = (inner[0] if isinstance(step, int) else inner[-1]) if inner else None
        found = _bare(found)
    return found


def _bare(annotation: Any) -> Any:
    while get_origin(annotation) in {Annotated, Union, UnionType}:
        annotation = get_args(annotation)[0]
    return annotation


def _mended(raw: JsonObject) -> ScenarioShape | None:
    """The scenario with every fault of its keys and values replaced by something harmless."""
    copy: Any = deepcopy(raw)
    for _ in range(_MOST_MENDINGS):
        errors = _errors(copy)
        if not errors:
            return ScenarioShape.model_validate(copy)
        for error in errors:
            _mend(copy, error["loc"])
    return None


def _mend(document: Any, where: Where) -> None:
    holder, key = document, where[-1]
    for step in where[:-1]:
        holder = holder[step]
    part = _annotation_at(where[:-1], ScenarioShape)
    field = part.model_fields.get(key) if _is_part(part) else None
    if _is_part(part) and not (field and field.is_required()):
        del holder[key]
    else:
        holder[key] = _stand_in(_annotation_at(where, ScenarioShape))


def _stand_in(annotation: Any) -> JsonValue:
    """A value that some field of this type accepts, for rules to pass over."""
    if _is_part(annotation) or get_origin(annotation) is dict:
        return {}
    if get_origin(annotation) is tuple:
        return [_stand_in(_bare(get_args(annotation)[0]))]
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return next(iter(annotation)).value
    return "x"
