"""``--client-backend FILE`` offline: the documented example, and what a report says of it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from tests.support.beside import evidence
from tests.support.runs import FinishedRun, evaluate_here

EXAMPLE = Path(__file__).parent.parent.parent / "docs" / "examples" / "own_backend.py"
CANCELS = "restaurant_009"
BOOKS = "restaurant_001"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FinishedRun]:
    """The example on a scenario it can do and on one it cannot."""
    folder = tmp_path_factory.mktemp("own")
    return {
        name: evaluate_here(
            folder / name, assistant_mode="client", client_backend=str(EXAMPLE), example=name
        )[0]
        for name in (CANCELS, BOOKS)
    }


def seen(run: FinishedRun, key: str, kind: str) -> list[dict[str, Any]]:
    return [one for one in evidence(run, key)["observations"] if one["observation"] == kind]


def test_the_example_is_short_enough_to_be_read() -> None:
    assert len(EXAMPLE.read_text("utf-8").splitlines()) < 40


def test_the_example_does_the_work_with_the_tools_of_the_application(
    own: dict[str, FinishedRun],
) -> None:
    run = own[CANCELS]
    assert run.rows[CANCELS]["status"] == "passed"
    (call,) = seen(run, CANCELS, "ToolCalled")
    assert (call["name"], call["arguments"]) == ("cancel_reservation", {"reservation_id": "R-341"})
    assert [(one["intent"], one["text"]) for one in seen(run, CANCELS, "ContextSent")] == [
        ("thinking", "Cancelling R-341."),
        ("commentary", "R-341 is cancelled."),
    ]


def test_what_it_cannot_do_it_asks_about(own: dict[str, FinishedRun]) -> None:
    run = own[BOOKS]
    assert (run.rows[BOOKS]["status"], run.rows[BOOKS]["error"]) == ("failed", None)
    assert seen(run, BOOKS, "ToolCalled") == []
    (told,) = seen(run, BOOKS, "ContextSent")
    assert told["text"] == "Ask for the number of the reservation."


def test_the_report_names_the_backend_and_what_the_mode_adds(own: dict[str, FinishedRun]) -> None:
    configuration = own[CANCELS].report["run"]["configuration"]
    added = configuration["client_delegation"]
    assert added.pop("prompt_sha256").keys() == {"task", "failed", "broken_off"}
    digest = hashlib.sha256(EXAMPLE.read_bytes()).hexdigest()
    assert added == {"backend": "own", "file": "own_backend.py", "sha256": digest}
    assert configuration["client_backend"] == "own_backend.py"
    assert [
        configuration[name]
        for name in ("handoff_quiet_ms", "handoff_wait_ms", "delegation_timeout_seconds")
    ] == [300, 1_500, 60.0]


def test_the_modes_differ_in_nothing_else_that_is_recorded(tmp_path: Path) -> None:
    of = {
        mode: evaluate_here(tmp_path / mode, assistant_mode=mode, example=CANCELS)[0].report["run"][
            "configuration"
        ]
        for mode in ("responses", "client")
    }
    differing = {name for name in of["client"] if of["client"][name] != of["responses"].get(name)}
    assert differing == {"assistant_mode", "client_delegation"}
    assert of["responses"]["client_delegation"] is None
    assert of["client"]["client_delegation"]["backend"] == "scripted"


def test_the_highest_effort_can_be_played_offline(tmp_path: Path) -> None:
    run, _ = evaluate_here(
        tmp_path / "max", assistant_mode="client", example=CANCELS, backend_reasoning_effort="max"
    )
    assert run.rows[CANCELS]["status"] == "passed"
    assert run.report["run"]["configuration"]["backend_reasoning_effort"] == "max"
