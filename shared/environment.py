"""Which environment file is read, and what is in it. Nothing is written into the process.

``GPT_LIVE_EVALS_ENV_FILE`` names one exact file. Otherwise the working directory's ``.env`` is
read, else, in a source checkout, the checkout's. Parent directories are never searched and
``.env.example`` is never read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from shared.errors import UsageError

ENV_FILE_VARIABLE = "GPT_LIVE_EVALS_ENV_FILE"


def read_env_file(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the selected file's variables; nothing when no file is selected."""
    path = _selected(environment)
    if path is None:
        return {}
    from dotenv import dotenv_values

    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the environment file cannot be read ({error})") from None
    from io import StringIO

    values = dotenv_values(stream=StringIO(text), interpolate=False)
    return {name: value for name, value in values.items() if value is not None}


def _selected(environment: Mapping[str, str]) -> Path | None:
    if ENV_FILE_VARIABLE in environment:
        named = environment[ENV_FILE_VARIABLE].strip()
        path = Path(named).expanduser()
        if not named or not path.is_file():
            raise UsageError(f"{ENV_FILE_VARIABLE}: {named!r} is no file; name one or unset it")
        return path
    from shared.places import checkout

    candidates = [Path(".env")]
    root = checkout()
    if root is not None:
        candidates.append(root / ".env")
    return next((path for path in candidates if path.is_file()), None)
