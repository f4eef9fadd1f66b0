"""What tells one suite from another: its scenarios, and where its caller's audio is from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from assistants.frontend.fixture.library import Library, Named, ScriptLibrary
from shared.attempts.attempt import Attempt
from shared.dataset import Dataset
from shared.reporting.schema import RecordingReport
from shared.scenarios import Scenario
from shared.settings import Setting, Settings
from shared.single_turn.session import SpokenRequest
from shared.values import JsonObject


@dataclass(frozen=True, slots=True)
class Rendition:
    """A scenario with one recording of its request; without one its text is spoken.

    ``source_scenario_id`` names the scenario it was made from, if it was made from another.
    ``script`` is what its caller follows in a live run, where it follows one.
    """

    scenario: Scenario
    recording: RecordingReport | None = None
    source_scenario_id: str | None = None
    script: Named[Any] | None = None


class Caller(Protocol):
    """The caller's side of a run, checked before anything is created."""

    @property
    def source(self) -> str:
        """Where the audio comes from, in the words results use."""

    def renditions(self, scenarios: Sequence[Scenario]) -> Sequence[Rendition]:
        """What is to be attempted, in order. Raises ``DatasetError`` for what could not be."""

    def identity(self, rendition: Rendition, script: Any | None) -> JsonObject:
        """Everything that makes the caller of an attempt another one, with its ``kind``.

        ``script`` is what fixtures play, where any does.
        """

    def recorded(self) -> JsonObject:
        """Everything about the caller that could change a number, for ``run.configuration``."""

    @property
    def warnings(self) -> Sequence[str]:
        """What whoever runs it should know at once, in one line each."""


class RequestCaller(Caller, Protocol):
    """A caller with one request."""

    def request_for(self, attempt: Attempt) -> SpokenRequest:
        """The request of one attempt. Raises ``HarnessError`` or, for a text, ``ValueError``."""


@dataclass(frozen=True, slots=True)
class Suite:
    """One suite as the run needs it. ``kind`` is what it takes, in words, and ``if_none`` what to
    do where a dataset has none.

    ``folder`` is its package, with ``config.toml`` and ``data/scenarios.json``. ``recorded`` is
    what else of the suite could change a number, for ``run.configuration``.
    """

    name: Literal["crawl", "walk", "run"]
    folder: Path
    rows: Sequence[Setting]
    takes: Callable[[Scenario], bool]
    kind: str
    caller: Callable[[Settings, Dataset], Caller]
    library: Callable[[Path], Library[Any]] = ScriptLibrary
    if_none: str = "add one"
    recorded: Callable[[Settings], JsonObject] = lambda _: {}

    @property
    def interaction(self) -> Literal["single_turn", "multi_turn"]:
        return "multi_turn" if self.name == "run" else "single_turn"

    @property
    def bundled_toml(self) -> Path:
        return self.folder / "config.toml"

    @property
    def bundled_data(self) -> Path:
        return self.folder / "data" / "scenarios.json"
