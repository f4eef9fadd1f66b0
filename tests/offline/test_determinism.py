"""What an offline run comes to depends on nothing but what it was given, to the byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.runs import (
    FinishedRun,
    Lines,
    Row,
    a_copy_of_the_data,
    crawl_eval,
    differing,
    evaluate_here,
    rewrite,
)

PER_ATTEMPT = ("audio", "events", "transcripts", "scripts")
OF_THE_RUN = ("id", "started_at", "ended_at")


def normalised(results: bytes) -> str:
    """``results.json`` without what must differ between two runs; all else in its order."""
    report = json.loads(results)
    for key in OF_THE_RUN:
        del report["run"][key]
    return json.dumps(report)


def without(summary: bytes, run: dict[str, Any]) -> bytes:
    """``summary.md`` without what must differ between two runs."""
    for key in OF_THE_RUN:
        summary = summary.replace(str(run[key]).encode(), b"")
    return summary


def leaves(value: Any, path: str = "") -> dict[str, Any]:
    """Every value of a nested object by its dotted path."""
    if not isinstance(value, dict):
        return {path: value}
    return {
        name: leaf
        for key, inner in value.items()
        for name, leaf in leaves(inner, f"{path}.{key}" if path else key).items()
    }


def as_text(rows: dict[str, Row]) -> dict[str, str]:
    """The rows byte for byte, so that 1 and 1.0 differ, and so does another order of keys."""
    return {key: json.dumps(row) for key, row in rows.items()}


def changed(one: FinishedRun, other: FinishedRun) -> set[str]:
    """Where the configurations of two runs differ."""
    ours, theirs = (leaves(run.report["run"]["configuration"]) for run in (one, other))
    return set(differing(ours, theirs))


@pytest.fixture(scope="module")
def variants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[FinishedRun]]]:
    """The sound run again, and again with one thing changed that must not matter."""
    folder = tmp_path_factory.mktemp("variants")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    with ThreadPoolExecutor(2) as pool:
        yield {
            "again": pool.submit(crawl_eval, folder / "again", "--offline"),
            "eight-at-once": pool.submit(
                crawl_eval, folder / "eight", "--offline", "--concurrency", "8"
            ),
            "elsewhere": pool.submit(
                crawl_eval,
                folder / "elsewhere",
                "--offline",
                cwd=elsewhere,
                environment={"PYTHONHASHSEED": "4711"},  # every other run has 0
            ),
        }


def test_two_identical_runs_differ_only_in_name_and_time(
    sound_run: FinishedRun, variants: dict[str, Future[FinishedRun]]
) -> None:
    ours, theirs = sound_run.files(), variants["again"].result().files()
    runs = [json.loads(files["results.json"])["run"] for files in (ours, theirs)]
    ours["summary.md"], theirs["summary.md"] = (
        without(files["summary.md"], run) for files, run in zip((ours, theirs), runs, strict=True)
    )
    assert normalised(ours.pop("results.json")) == normalised(theirs.pop("results.json"))
    assert differing(ours, theirs) == []


def test_two_runs_do_differ_in_name_and_time(
    sound_run: FinishedRun, variants: dict[str, Future[FinishedRun]]
) -> None:
    """What the normaliser takes away is what it has to."""
    one, other = sound_run.report["run"], variants["again"].result().report["run"]
    assert all(one[key] != other[key] for key in OF_THE_RUN)
    assert one["id"] == sound_run.folder.name


@pytest.mark.parametrize(
    ("name", "differences"),
    [
        pytest.param(
            "eight-at-once", {"concurrency", "origins.concurrency"}, id="eight-attempts-at-once"
        ),
        pytest.param("elsewhere", set(), id="another-hash-seed-and-working-directory"),
    ],
)
def test_a_run_is_the_same_with(
    name: str,
    differences: set[str],
    sound_run: FinishedRun,
    variants: dict[str, Future[FinishedRun]],
) -> None:
    other = variants[name].result()
    assert differing(sound_run.files(*PER_ATTEMPT), other.files(*PER_ATTEMPT)) == []
    assert list(sound_run.rows) == list(other.rows)
    assert differing(as_text(sound_run.rows), as_text(other.rows)) == []
    assert sound_run.report["summary"] == other.report["summary"]
    assert set(sound_run.journal) ^ set(other.journal) == set()
    assert len(sound_run.journal) == len(other.journal)
    assert changed(sound_run, other) == differences


def test_a_command_says_the_same_whether_its_process_was_started_or_forked(
    sound_run: FinishedRun, variants: dict[str, Future[FinishedRun]]
) -> None:
    """The one with another hash seed had to be started; tests fork most of the others."""
    started = variants["elsewhere"].result()
    ours, theirs = (run.stdout.partition("Results: ")[0] for run in (sound_run, started))
    assert "21 of 21 passed" in ours
    assert (ours, sound_run.stderr) == (theirs, started.stderr)


@pytest.fixture(scope="module")
def blind(tmp_path_factory: pytest.TempPathFactory) -> tuple[FinishedRun, Lines]:
    """A run in which nothing is expected but an answer."""
    folder = tmp_path_factory.mktemp("blind")
    data = a_copy_of_the_data(folder / "data")

    def expect_nothing(content: Any) -> Any:
        for scenario in content["scenarios"]:
            scenario["expected"] = {"answer": "x"}
        return content

    rewrite(data / "scenarios.json", expect_nothing)
    return evaluate_here(folder / "results", data=str(data / "scenarios.json"))


def test_what_is_expected_changes_no_audio(
    sound_run: FinishedRun, blind: tuple[FinishedRun, Lines]
) -> None:
    ours, theirs = sound_run.files("audio"), blind[0].files("audio")
    assert len(ours) == 21 * 4
    assert differing(ours, theirs) == []


def test_what_is_expected_changes_no_event_before_the_evaluators(
    sound_run: FinishedRun, blind: tuple[FinishedRun, Lines]
) -> None:
    ours, theirs = (
        {name: before_the_evaluator(content) for name, content in run.files("events").items()}
        for run in (sound_run, blind[0])
    )
    assert len(ours) == 21
    assert differing(ours, theirs) == []


def before_the_evaluator(events: bytes) -> list[bytes]:
    lines = events.splitlines()
    sources = [json.loads(line)["source"] for line in lines]
    assert sources.index("evaluator") > 50
    assert set(sources[sources.index("evaluator") :]) == {"evaluator"}
    return lines[: sources.index("evaluator")]


def test_what_is_expected_changes_no_message(
    sound_lines: Lines, blind: tuple[FinishedRun, Lines]
) -> None:
    """The log is masked and shortened; the line itself is neither."""
    assert differing(sound_lines, blind[1]) == []


def test_a_run_keeps_no_place_of_this_computer(sound_run: FinishedRun) -> None:
    places = {str(sound_run.folder.parent), str(Path.cwd()), str(Path.home())} - {"/"}
    found = [
        (name, place)
        for name, content in sound_run.files().items()
        for place in places
        if place.encode() in content
    ]
    assert found == []
