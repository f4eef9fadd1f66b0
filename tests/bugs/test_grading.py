"""Cases 22 and 23: arguments that are none, numbers in words, ids that are one, tomorrow."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from shared.attempts.details import decode_details
from shared.dataset import load_dataset
from shared.errors import DatasetError
from shared.matching import matches
from shared.observability.observations import Caption, Speaker, ToolCalled, ToolReturned
from shared.values import JsonValue
from tests.support.conversations import (
    BOOKING,
    BOOKS,
    SCENARIO,
    a_dataset,
    delegates,
    says,
)
from tests.support.runs import (
    COMMAND,
    FinishedRun,
    Lines,
    bare_environment,
    crawl_eval,
    evaluate_here,
    failed_checks,
)

# 22: what a model writes where an object of arguments belongs

RAW = {
    "trailing_text": '{"party_size": 2} thanks',
    "two_objects": '{"party_size": 2}{"party_size": 3}',
    "an_assignment": 'query="x"',
    "a_text": '"Maya"',
    "a_number": "2",
    "null": "null",
    "a_list": "[]",
    "nothing": "",
    "cut_short": '{"party_size": ',
    "not_a_number": '{"party_size": NaN}',
    "a_key_twice": '{"party_size": 2, "party_size": 3}',
}
REQUIRED = {"delegation": "required", "tools": {"required": [BOOKS]}}
CANCELS = {"name": "cancel_reservation", "arguments": {"reservation_id": "R-1"}}
COUNTED: dict[str, tuple[list[Any], list[Any], list[Any], float]] = {
    "as_expected": ([BOOKS], [], [BOOKS], 1.0),
    "one_of_two": ([BOOKS, BOOKS], [], [BOOKS], 0.5),
    "none_of_one": ([BOOKS], [], [], 0.0),
    "one_too_many": ([BOOKS], [], [BOOKS, BOOKS], 0.5),
    "prohibited": ([BOOKS], [CANCELS], [BOOKS, CANCELS], 0.0),
}
"""Required, prohibited and made calls, and the accuracy they come to."""


def a_scripted_dataset(folder: Path, scenarios: dict[str, tuple[dict[str, Any], Any]]) -> Path:
    """Scenarios by id: what each expects, and the calls its assistant makes in one round."""
    scripts = folder / "scripts" / "sound"
    scripts.mkdir(parents=True)
    for name, (_, calls) in scenarios.items():
        steps = [delegates(*calls), says("That is all I can say.", "d1.done+1000")]
        script = {"format": "gpt-live-script/1", "steps": steps}
        (scripts / f"{name}.json").write_text(json.dumps(script), "utf-8")
    return a_dataset(
        folder / "scenarios.json",
        *(
            {**SCENARIO, "id": name, "expected": {"answer": "Done.", **expected}}
            for name, (expected, _) in scenarios.items()
        ),
    )


@pytest.fixture(scope="module", params=["responses", "client"])
def graded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[FinishedRun, Lines]:
    """Under either way to manage delegation."""
    folder = tmp_path_factory.mktemp("graded")
    broken = {
        name: (REQUIRED, [{"name": "create_reservation", "raw_arguments": raw}])
        for name, raw in RAW.items()
    }
    counted = {
        name: ({"tools": {"required": required, "prohibited": prohibited}}, made)
        for name, (required, prohibited, made, _) in COUNTED.items()
    }
    data = a_scripted_dataset(folder / "data", broken | counted)
    return evaluate_here(folder / "results", data=str(data), assistant_mode=request.param)


@pytest.mark.parametrize("name", RAW)
def test_case_22_arguments_that_are_none_are_recorded_answered_and_scored(
    name: str, graded: tuple[FinishedRun, Lines]
) -> None:
    """E2."""
    run, lines = graded
    evidence = decode_details(run.details(name)).evidence
    (called,), (returned,) = evidence.of(ToolCalled), evidence.of(ToolReturned)
    is_managed = run.report["run"]["configuration"]["assistant_mode"] == "responses"
    answers = [
        one.event["item"]["output"]
        for one in lines[f"{name}#1"]
        if one.direction == "sent" and one.event["type"] == "response.item.create"
    ]

    assert (called.raw_arguments, called.arguments) == (RAW[name], None)
    assert returned.status == "failed"
    assert isinstance(returned.output, dict)
    assert "error" in returned.output
    assert [json.loads(answer) for answer in answers] == [returned.output] * is_managed
    assert run.rows[name]["error"] is None
    assert run.rows[name]["status"] == "failed"
    assert "tool_contract" in failed_checks(run.rows[name])
    assert run.rows[name]["metrics"]["task"]["tool_accuracy"] == 0
    said = "".join(one.text for one in evidence.of(Caption) if one.speaker is Speaker.ASSISTANT)
    assert said == "That is all I can say.", "the attempt goes on"


@pytest.mark.parametrize("name", COUNTED)
def test_case_22_missing_and_prohibited_calls_lower_the_accuracy(
    name: str, graded: tuple[FinishedRun, Lines]
) -> None:
    """E3."""
    row, accuracy = graded[0].rows[name], COUNTED[name][-1]

    assert row["metrics"]["task"]["tool_accuracy"] == accuracy
    assert ("tool_contract" in failed_checks(row)) is (accuracy < 1)
    assert ("authorized_actions" in failed_checks(row)) is (name == "prohibited")


def test_case_22_no_argument_ends_a_run(graded: tuple[FinishedRun, Lines]) -> None:
    """E2."""
    assert graded[0].status == 0
    assert len(graded[0].journal) == len(RAW) + len(COUNTED)


# 23: numbers in words


@pytest.mark.parametrize(
    ("expected", "observed", "is_same"),
    [
        pytest.param(3_006, "thirty six", False, id="never-3006"),
        pytest.param("3006", "thirty six", False, id="nor-its-text"),
        pytest.param("306", "thirty six", False, id="nor-306"),
        pytest.param(36, "thirty six", False, id="nor-36-undeclared"),
        pytest.param({"$match": "number", "value": 36}, "thirty six", False, id="nor-as-a-number"),
        pytest.param({"$match": "number", "value": 36}, "36", True, id="digits-are-a-number"),
        pytest.param({"$match": "number", "value": 3_006}, "30 06", False, id="never-glued"),
        pytest.param("thirty six", "Thirty-six.", True, id="words-are-words"),
        pytest.param(
            {"$match": "one_of", "values": [36, "thirty six"]}, "thirty-six", True, id="declared"
        ),
        pytest.param(
            {"$match": "one_of", "values": [36, "thirty six"]}, 36, True, id="declared-as-digits"
        ),
        pytest.param(
            {"$match": "one_of", "values": [36, "thirty six"]}, 3_006, False, id="and-nothing-else"
        ),
        pytest.param(22, "twenty two", False, id="twenty-two"),
        pytest.param(123, "one hundred twenty three", False, id="one-hundred-twenty-three"),
        pytest.param(
            {"$match": "date", "value": "2027-06-03"}, "June third", False, id="no-year-is-guessed"
        ),
        pytest.param("0101", "101", False, id="leading-zeros-count"),
        pytest.param("five oh seven", "507", False, id="oh-is-a-word"),
    ],
)
def test_case_23_number_words_are_words(
    expected: JsonValue, observed: JsonValue, is_same: bool
) -> None:
    """E5, E6."""
    assert matches(expected, observed) is is_same


# 23: two scenarios under one id


def refusal(path: Path) -> str:
    with pytest.raises(DatasetError) as refused:
        load_dataset(path)
    return str(refused.value)


def with_ids(folder: Path, *ids: str) -> Path:
    """A dataset with a scenario on each line from the second on."""
    documents = [json.dumps({**SCENARIO, "id": name}) for name in ids]
    data = folder / "data.json"
    data.write_text('{"scenarios": [\n' + ",\n".join(documents) + "]}", "utf-8")
    return data


@pytest.mark.parametrize(
    "other",
    [
        pytest.param("table", id="the-same"),
        pytest.param("TABLE", id="the-same-but-for-letter-case"),
        pytest.param("Table", id="in-the-case-of-a-title"),
    ],
)
def test_case_23_two_scenarios_of_one_id_are_refused_by_both_places(
    other: str, tmp_path: Path
) -> None:
    """E15."""
    said = refusal(with_ids(tmp_path, "table", "chair", other))

    assert "line 2" in said
    assert "line 4" in said
    assert len(said.splitlines()) == 1


def test_case_23_they_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    """E15."""
    data = with_ids(tmp_path, "table", "TABLE")
    done = subprocess.run(
        [COMMAND, "--offline", "--data", data, "--results-dir", tmp_path / "results"],
        env=bare_environment(tmp_path / "any"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("name", ["a/b", "a b", "a\\b", "..", "a:b"])
def test_case_23_no_id_needs_to_be_changed_for_a_file(name: str, tmp_path: Path) -> None:
    """E15. So that "a/b" and "a_b" never come to one name."""
    assert '"a_b"' not in refusal(
        a_dataset(tmp_path / "data.json", {**SCENARIO, "id": name}, {**SCENARIO, "id": "a_b"})
    )


# 23: what is expected of tomorrow

CLOCK = '''
"""Lets a process begin at an instant of one's choice; from there time passes as usual."""
import datetime
import os
import time

_began, _real, _localtime = time.time(), time.time, time.localtime
_chosen = float(os.environ["BEGINS_AT_S"])


class _Date(datetime.date):
    @classmethod
    def today(cls):
        return cls.fromtimestamp(time.time())


class _Datetime(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls):
        return cls.now(datetime.UTC).replace(tzinfo=None)

    @classmethod
    def today(cls):
        return cls.now()


time.time = lambda: _chosen + _real() - _began
time.time_ns = lambda: int(time.time() * 1_000_000_000)
time.localtime = lambda seconds=None: _localtime(time.time() if seconds is None else seconds)
datetime.date, datetime.datetime = _Date, _Datetime
'''
FARTHEST_EAST = "Pacific/Kiritimati"
INSTANTS = {
    "the last of a February": ("2027-02-28T12:00:00+00:00", "UTC"),
    "a leap day": ("2028-02-29T12:00:00+00:00", "UTC"),
    "a second before midnight in the farthest east": ("2027-05-04T23:59:59+14:00", FARTHEST_EAST),
}
TOMORROW = {**BOOKING, "date": "2027-05-05"}
"""The day after the reference date of the application's facts."""


def tomorrows(folder: Path) -> Path:
    """Two assistants asked for tomorrow: one books that day, one the day after it."""
    books = {"name": "create_reservation", "arguments": TOMORROW}
    late = {"name": "create_reservation", "arguments": {**TOMORROW, "date": "2027-05-06"}}
    day = {"$match": "date", "value": TOMORROW["date"]}
    required = [{"name": "create_reservation", "arguments": {"date": day}}]
    expected = {
        "delegation": "required",
        "tools": {"required": required},
        "state": {"date": TOMORROW["date"]},
    }
    return a_scripted_dataset(folder, {"right": (expected, [books]), "late": (expected, [late])})


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[FinishedRun]]]:
    folder = tmp_path_factory.mktemp("days")
    data = tomorrows(folder / "data")
    (folder / "clock").mkdir()
    (folder / "clock" / "sitecustomize.py").write_text(CLOCK, "utf-8")

    def run(name: str, environment: dict[str, str]) -> FinishedRun:
        return crawl_eval(folder / name, "--offline", "--data", data, environment=environment)

    def on(instant: str, zone: str) -> dict[str, str]:
        begins_at_s = str(datetime.fromisoformat(instant).timestamp())
        return {"PYTHONPATH": str(folder / "clock"), "BEGINS_AT_S": begins_at_s, "TZ": zone}

    with ThreadPoolExecutor(2) as pool:
        runs = {
            name: pool.submit(run, name.replace(" ", "_"), on(*instant))
            for name, instant in INSTANTS.items()
        }
        yield {"today": pool.submit(run, "today", {}), **runs}


@pytest.mark.parametrize("name", INSTANTS)
def test_case_23_tomorrow_is_judged_alike_on_every_day(
    name: str, days: dict[str, Future[FinishedRun]]
) -> None:
    """E16."""
    today, other = days["today"].result(), days[name].result()
    began = datetime.fromisoformat(other.report["run"]["started_at"])
    chosen = datetime.fromisoformat(INSTANTS[name][0])

    assert timedelta() <= began - chosen < timedelta(minutes=5), "the clock was another"
    assert chosen.astimezone(UTC).strftime("%Y%m%d") in other.folder.name
    assert other.report["results"] == today.report["results"]
    assert [row["status"] for row in today.report["results"]] == ["passed", "failed"]
