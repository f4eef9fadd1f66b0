"""Which environment file is read, and what is in it. Nothing is written into the process.

``GPT_LIVE_EVALS_ENV_FILE`` names one exact file. Otherwise the working directory's ``.env`` is
read, else, in a source checkout, the checkout's. Parent directories are never searched and
``.env.example`` is never read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from shared.errors import UsageError
from shared.places import checkout, expanded
from shared.utf8 import NotUtf8Error, text_of

if TYPE_CHECKING:
    from dotenv.parser import Original

ENV_FILE_VARIABLE = "GPT_LIVE_EVALS_ENV_FILE"


def read_env_file(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the selected file's variables; nothing when no file is selected."""
    path = _selected(environment)
    if path is None:
        return {}
    try:
        text = text_of(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: the environment file cannot be read ({error})") from None
    except NotUtf8Error as error:
        raise UsageError(f"{path}:{error.line}: {error}") from None
    return _parsed(text, path)


def _parsed(text: str, path: Path) -> dict[str, str]:
    """The assignments of the file; a name without a value assigns nothing."""
    from io import StringIO

    from dotenv.parser import parse_stream

    values = {}
    for binding in parse_stream(StringIO(text)):
        if binding.error:
            problem = "not an assignment; write NAME=value, or # in front of it"
            raise UsageError(f"{path}:{_line(binding.original)}: {problem}")
        if binding.key is not None and binding.value is not None:
            values[binding.key] = binding.value
    return values


def _line(original: Original) -> int:
    """The line of a statement, which the parser begins with the blank lines before it."""
    blanks = len(original.string) - len(original.string.lstrip())
    return original.line + original.string.count("\n", 0, blanks)


def _selected(environment: Mapping[str, str]) -> Path | None:
    if ENV_FILE_VARIABLE in environment:
        named = environment[ENV_FILE_VARIABLE].strip()
        path = expanded(named, ENV_FILE_VARIABLE)
        if not named or not path.is_file():
            raise UsageError(f"{ENV_FILE_VARIABLE}: {named!r} is no file; name one or unset it")
        return path
    candidates = [Path(".env")]
    root = checkout()
    if root is not None:
        candidates.append(root / ".env")
    return next((path for path in candidates if path.is_file()), None)
