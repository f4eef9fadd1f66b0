"""Settings as one table: every flag, variable, TOML key, default and rule in one row.

The rows are the source of the command line, of ``.env.example``, of the TOML check, of
``run.configuration`` and of the table in the documentation. Resolution is pure: texts and values
come in from the doors, a frozen object that knows each value's origin goes out. Nothing heavy is
imported here, because ``--help`` reads the rows.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isfinite

from shared.errors import UsageError

type Value = str | int | float | bool | None

MASK = "[set]"


class Kind(StrEnum):
    """What a value is, and so how its text is read."""

    TEXT = "text"
    PATH = "path"
    INTEGER = "integer"
    NUMBER = "number"
    SWITCH = "switch"


class Origin(StrEnum):
    """Where a value came from, strongest first."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    ENV_FILE = "env_file"
    TOML = "toml"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """One row. A setting without a flag, variable or TOML key cannot be given that way.

    ``minimum`` and ``maximum`` are inclusive; ``above`` is an exclusive lower bound. A path given
    on the command line is relative to the working directory, one in TOML to its file. ``group`` is
    the heading that the help tells it under.
    """

    name: str
    kind: Kind
    default: Value
    help: str
    flag: str | None = None
    negative_flag: str | None = None
    other_flag: str | None = None
    variable: str | None = None
    toml: str | None = None
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    may_be_blank: bool = False
    is_secret: bool = False
    is_recorded: bool = True
    group: str = ""


def grouped(group: str, rows: Sequence[Setting]) -> tuple[Setting, ...]:
    """The same rows under one heading of the help."""
    return tuple(replace(row, group=group) for row in rows)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A value and where it came from; ``written`` is a path as the person wrote it."""

    value: Value
    origin: Origin
    written: str | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Every row resolved, once. The values never show in a repr: secrets are among them."""

    rows: tuple[Setting, ...]
    values: Mapping[str, Resolved] = field(repr=False)

    def __getitem__(self, name: str) -> Value:
        return self.values[name].value

    def origin(self, name: str) -> Origin:
        return self.values[name].origin

    def text(self, name: str) -> str:
        value = self[name]
        if not isinstance(value, str):
            raise TypeError(f"{name} is no text")
        return value

    def path(self, name: str) -> str | None:
        value = self[name]
        return value if isinstance(value, str) else None

    def integer(self, name: str) -> int:
        value = self[name]
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{name} is no integer")
        return value

    def number(self, name: str) -> float:
        value = self[name]
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise TypeError(f"{name} is no number")
        return float(value)

    def switch(self, name: str) -> bool:
        return self[name] is True

    def changed(self, name: str, value: Value) -> Settings:
        """The same with another value of one row, of the same origin."""
        resolved = replace(self.values[name], value=value)
        return replace(self, values={**self.values, name: resolved})

    def secrets(self) -> Iterator[str]:
        """The credentials among the values, to be masked wherever they turn up."""
        for row in self.rows:
            value = self.values[row.name].value
            if row.is_secret and isinstance(value, str) and value:
                yield value

    def recorded(self) -> dict[str, dict[str, Value]]:
        """Every value that could change a number, with its origin. Never a secret."""
        return {
            row.name: {"value": self._shown(row), "origin": self.values[row.name].origin.value}
            for row in self.rows
            if row.is_recorded
        }

    def _shown(self, row: Setting) -> Value:
        resolved = self.values[row.name]
        if row.is_secret:
            return MASK if resolved.value else None
        return resolved.written if row.kind is Kind.PATH and resolved.written else resolved.value


def resolve(
    rows: Sequence[Setting],
    *,
    flags: Mapping[str, Value],
    environment: Mapping[str, str],
    env_file: Mapping[str, str],
    toml: Mapping[str, Resolved],
) -> Settings:
    """Pick each value: flag, then environment, then env file, then TOML, then default.

    ``flags`` holds what was given on the command line by row name; ``toml`` what
    :func:`from_toml` read. A variable that is set but blank is an error, unless its row may be
    blank: then it was not given.
    """
    values = {}
    for row in rows:
        given = flags.get(row.name)
        if given is not None:
            _check(row, given, row.flag or row.name)
            written = str(given) if row.kind is Kind.PATH else None
            values[row.name] = Resolved(given, Origin.FLAG, written)
            continue
        values[row.name] = (
            _variable(row, environment, Origin.ENVIRONMENT)
            or _variable(row, env_file, Origin.ENV_FILE)
            or toml.get(row.name)
            or Resolved(row.default, Origin.DEFAULT)
        )
    return Settings(tuple(rows), values)


def _variable(row: Setting, texts: Mapping[str, str], origin: Origin) -> Resolved | None:
    """The row's variable as one source has it; a row that may be blank is absent when it is."""
    text = texts.get(row.variable) if row.variable is not None else None
    if text is None or (row.may_be_blank and not text.strip()):
        return None
    return Resolved(_read(row, text), origin)


def from_toml(
    rows: Sequence[Setting], document: Mapping[str, object], *, file: str
) -> dict[str, Resolved]:
    """Take the rows' values out of a TOML document; what no row knows is an error.

    Paths stay as written. All faults of the file are named at once.
    """
    by_key = {row.toml: row for row in rows if row.toml is not None}
    found: dict[str, Resolved] = {}
    faults: list[str] = []
    for section, content in document.items():
        if not isinstance(content, Mapping):
            faults.append(f"{file}: {section!r} stands outside any section; put it into one")
            continue
        for key, value in content.items():
            name = f"{section}.{key}"
            row = by_key.get(name)
            if row is None:
                faults.append(f"{file}: unknown key {name!r}; {_suggestion(name, by_key)}")
                continue
            try:
                typed = _typed(row, value, f"{file}: {name}")
                _check(row, typed, f"{file}: {name}")
            except UsageError as fault:
                faults.append(str(fault))
            else:
                written = str(typed) if row.kind is Kind.PATH else None
                found[row.name] = Resolved(typed, Origin.TOML, written)
    if faults:
        raise UsageError("\n".join(faults))
    return found


def _suggestion(name: str, known: Mapping[str, Setting]) -> str:
    key = name.rpartition(".")[2]
    elsewhere = [one for one in known if one.rpartition(".")[2] == key]
    close = elsewhere or difflib.get_close_matches(name, known, n=1)
    return f"did you mean '{close[0]}'?" if close else f"known keys: {', '.join(sorted(known))}"


def _typed(row: Setting, value: object, where: str) -> Value:
    match row.kind, value:
        case Kind.SWITCH, bool():
            return value
        case Kind.INTEGER, int() if not isinstance(value, bool):
            return value
        case Kind.NUMBER, int() | float() if not isinstance(value, bool):
            return value
        case ((Kind.TEXT | Kind.PATH), str()):
            return value
        case _:
            raise UsageError(f"{where}: expected {_article(row.kind)}, found {value!r}")


def _article(kind: Kind) -> str:
    return {
        Kind.TEXT: "a text",
        Kind.PATH: "a path in quotes",
        Kind.INTEGER: "a whole number",
        Kind.NUMBER: "a number",
        Kind.SWITCH: "true or false",
    }[kind]


def _read(row: Setting, text: str) -> Value:
    """Read a variable's text."""
    where = str(row.variable)
    stripped = text.strip()
    if not stripped:
        raise UsageError(f"{where}: set but blank; give it a value or unset it")
    value: Value = stripped
    match row.kind:
        case Kind.INTEGER:
            try:
                value = int(stripped)
            except ValueError:
                raise UsageError(f"{where}: expected a whole number") from None
        case Kind.NUMBER:
            try:
                value = float(stripped)
            except ValueError:
                raise UsageError(f"{where}: expected a number") from None
        case Kind.SWITCH:
            if stripped.casefold() not in {"1", "true", "yes", "0", "false", "no"}:
                raise UsageError(f"{where}: expected true or false")
            value = stripped.casefold() in {"1", "true", "yes"}
        case _:
            pass
    _check(row, value, where)
    return value


def _check(row: Setting, value: Value, where: str) -> None:
    """Hold a value against the row's rules. A secret's value is never shown."""
    if isinstance(value, str) and not value.strip() and not row.may_be_blank:
        raise UsageError(f"{where}: must not be blank")
    if row.kind is Kind.TEXT and isinstance(value, str) and not _is_text(value):
        raise UsageError(f"{where}: holds bytes that are no UTF-8 text")
    if row.choices and value not in row.choices:
        raise UsageError(f"{where}: {value!r} is none of {', '.join(row.choices)}")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    if not _is_finite(value):
        raise UsageError(f"{where}: must be a finite number of ordinary size")
    if row.above is not None and value <= row.above:
        raise UsageError(f"{where}: must be above {row.above:g}, not {value}")
    if row.minimum is not None and value < row.minimum:
        raise UsageError(f"{where}: must be at least {row.minimum:g}, not {value}")
    if row.maximum is not None and value > row.maximum:
        raise UsageError(f"{where}: must be at most {row.maximum:g}, not {value}")


def _is_text(value: str) -> bool:
    """Whether these are whole characters; bytes that were none come in as half ones."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_finite(number: float) -> bool:
    """Whether a number can be computed with; an integer may be larger than any float."""
    try:
        return isfinite(number)
    except OverflowError:
        return False
