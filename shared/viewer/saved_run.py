"""A saved run on disk: its report, and the files of its attempts that lie inside its folder.

The report says where the files are, and a report may come from anywhere: no path leads out of the
folder, over a link or to what is no file, and none is read that is larger than such a file gets.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from shared.errors import UsageError
from shared.json_text import json_value, portable
from shared.viewer.saved_row import SavedReport
from shared.whole_files import content

REPORT: Final = "results.json"
MODULES: Final = frozenset({"crawl", "walk", "run"})
LARGEST_REPORT_BYTES: Final = 500_000_000
LARGEST_FILE_BYTES: Final = 500_000_000
KNOWN_BACKENDS: Final = (None, "gpt-live", "offline_fixture")


class NotHereError(ValueError):
    """A file of a run cannot be had; the message says why, in words that follow its name."""


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A run's folder and its report."""

    folder: Path
    report: SavedReport

    def located(self, artifact: str) -> Path:
        """A file of the run; :class:`NotHereError` when it is none, or lies elsewhere.

        ``artifact`` is relative to the folder, or absolute and inside it.
        """
        if not artifact or "\0" in artifact:
            raise NotHereError("has no name")
        root = self.folder.resolve()
        path = Path(artifact) if Path(artifact).is_absolute() else root / artifact
        try:
            inside = path.is_relative_to(self.folder.absolute()) or path.is_relative_to(root)
            if not inside or ".." in path.parts or not path.resolve().is_relative_to(root):
                raise NotHereError("lies outside the run's folder and is not read")
            if path.is_symlink() or path.resolve() != self._plain(path):
                raise NotHereError("is a link and is not followed")
            if not path.exists():
                raise NotHereError("is not there")
        except (OSError, RuntimeError) as error:
            raise NotHereError(f"cannot be read: {_reason(error)}") from None
        return path

    def read(self, artifact: str) -> bytes:
        """All of a file of the run; :class:`NotHereError` when it cannot be had."""
        path = self.located(artifact)
        try:
            return content(path, LARGEST_FILE_BYTES)
        except OSError as error:
            raise NotHereError(f"cannot be read: {_reason(error)}") from None
        except ValueError as refusal:
            raise NotHereError(str(refusal)) from None

    def json(self, artifact: str) -> dict[str, Any]:
        """A JSON object from a file of the run; :class:`NotHereError` when it holds none."""
        try:
            return _object(self.read(artifact))
        except NotHereError:
            raise
        except (ValueError, RecursionError) as error:
            raise NotHereError(f"is damaged: {error}") from None

    def _plain(self, path: Path) -> Path:
        """Where a path leads when none of its parts inside the folder is a link."""
        root = self.folder.resolve()
        start = root if path.is_relative_to(root) else self.folder.absolute()
        return root / path.relative_to(start)


def open_run(path: Path, setting: str = "--results") -> SavedRun:
    """The run whose ``results.json``, or whose folder, is named; else a ``UsageError``."""
    report = path
    try:
        report = path / REPORT if path.is_dir() else path
        found = _object(content(report, LARGEST_REPORT_BYTES))
    except FileNotFoundError:
        raise UsageError(f"{setting}: {report}: there is no such report; name a run's") from None
    except OSError as error:
        raise UsageError(f"{setting}: {report}: cannot be read: {_reason(error)}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{setting}: {report}: is no whole report: {error}") from None
    if not isinstance(found.get("results"), list):
        raise UsageError(f"{setting}: {report}: has no list of results, so it is no report")
    saved = SavedReport.model_validate(found)
    _refuse_unsupported(saved, f"{setting}: {report}")
    return SavedRun(report.absolute().parent, saved)


def _refuse_unsupported(report: SavedReport, where: str) -> None:
    module = report.run.module
    if module.lower() not in MODULES:
        raise UsageError(f"{where}: is of a module {module!r}, and there are crawl, walk and run")
    backend = report.run.configuration.get("user_backend")
    if backend not in KNOWN_BACKENDS:
        raise UsageError(
            f"{where}: its caller was {backend!r}, which no page can show; only conversations with"
            " a GPT Live caller are supported"
        )


def _object(file: bytes) -> dict[str, Any]:
    found = portable(json_value(file.decode("utf-8")))
    if not isinstance(found, dict):
        raise ValueError("it holds no JSON object")  # noqa: TRY004 - of the file, not of a call
    return found


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__
