"""Read the places settings come from, and resolve them: the door in front of ``settings``."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from shared.environment import read_env_file
from shared.errors import UsageError
from shared.places import expanded
from shared.settings import Kind, Resolved, Setting, Settings, Value, from_toml, resolve
from shared.utf8 import NotUtf8Error, text_of


def load_settings(
    rows: Sequence[Setting], flags: Mapping[str, Value], *, bundled_toml: Path
) -> Settings:
    """Resolve every row once. ``flags['config']`` names a TOML file in place of the bundled one.

    Relative paths in TOML are taken from its folder, on the command line from the working one.
    """
    named = flags.get("config")
    path = expanded(str(named), "--config") if named is not None else bundled_toml
    found = from_toml(rows, _read_toml(path), file=path.name if named is None else str(named))
    return resolve(
        rows,
        flags=flags,
        environment=os.environ,
        env_file=read_env_file(os.environ),
        toml={name: _anchored(rows, name, value, path.parent) for name, value in found.items()},
    )


def _read_toml(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(text_of(path.read_bytes()))
    except FileNotFoundError:
        raise UsageError(f"--config: {path} does not exist; name a TOML file") from None
    except OSError as error:
        raise UsageError(f"--config: {path} cannot be read: {error}") from None
    except NotUtf8Error as error:
        raise UsageError(f"--config: {path}:{error.line}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--config: {path} is not valid TOML: {error}") from None


def _anchored(rows: Sequence[Setting], name: str, resolved: Resolved, folder: Path) -> Resolved:
    row = next(row for row in rows if row.name == name)
    if row.kind is not Kind.PATH or not isinstance(resolved.value, str):
        return resolved
    return replace(resolved, value=str(folder / expanded(resolved.value, str(row.toml))))
