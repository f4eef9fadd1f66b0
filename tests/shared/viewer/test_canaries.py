"""What a page withholds stands nowhere in it: a canary in each such field is looked for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crawl_harness.suite import CRAWL
from run_harness.suite import RUN
from shared.attempts.bench import judge_again
from shared.attempts.details import decode_details, result_json
from shared.viewer.attempts import attempts
from shared.viewer.document import Assets, Index, document
from shared.viewer.run import run_view
from shared.viewer.saved_run import open_run
from tests.support.runs import evaluate_here

MARK = "CNRY"
IDS = {
    "call_id", "response_id", "delegation_id", "item_id", "previous_response_id", "session_id",
    "client_event_id",
}  # fmt: skip
PASSED_BETWEEN_PROGRAMS = {"raw_arguments", "arguments", "output", "state", "detail", "news"}
TOLD_TO_A_VOICE = {"ContextSent", "ResultHeldBack"}
"""Observations whose text is no speech: what the voice makes of it is."""
PRIVATE = {"state_before", "state_after", "dossier", "policy"}
CALLERS_OWN = {"persona", "goal", "facts", "agenda", "opening", "simulation_parameters", "input"}
TOLD_OF_SCENARIO = {"id", "title", "interaction", "scenario_type", "schema_version"}


class Planter:
    """Puts canaries in place of texts, the same one for the same id."""

    def __init__(self) -> None:
        self.count = 0
        self.ids: dict[str, str] = {}
        self.kinds: set[str] = set()
        """Observations in which some stand."""

    def fresh(self) -> str:
        self.count += 1
        return f"{MARK}{self.count:05}xyzzy"

    def an_id(self, value: str) -> str:
        return self.ids.setdefault(value, self.fresh())

    def leaves(self, value: Any) -> Any:
        match value:
            case dict():
                return {name: self.leaves(one) for name, one in value.items()}
            case list():
                return [self.leaves(one) for one in value]
            case str():
                return self.fresh()
            case _:
                return value

    def observation(self, seen: dict[str, Any], *, is_callers: bool) -> dict[str, Any]:
        planted = dict(seen)
        self.kinds.add(seen["observation"])
        for name, value in seen.items():
            if name in IDS and isinstance(value, str):
                planted[name] = self.an_id(value)
            elif name in PASSED_BETWEEN_PROGRAMS or (
                name == "text"
                and (is_callers or seen["observation"] in TOLD_TO_A_VOICE)
                and "start_ms" not in seen
            ):
                planted[name] = self.leaves(value)
        return planted


OF_A_CLIENT = "a request whose work an application did"


@pytest.fixture(scope="module", params=["a conversation", "a request", OF_A_CLIENT])
def planted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Planter]:
    """A run whose withheld fields hold nothing but canaries, judged again with them in place."""
    suite, example, script = {
        "a conversation": (RUN, "restaurant_date_correction", "forgets_the_correction"),
        "a request": (CRAWL, "restaurant_001", "defects"),
        OF_A_CLIENT: (CRAWL, "restaurant_001", "defects"),
    }[request.param]
    results = tmp_path_factory.mktemp("run") / "results"
    mode = "client" if request.param == OF_A_CLIENT else "responses"
    run, _ = evaluate_here(
        results, suite, example=example, offline_script=script, assistant_mode=mode
    )
    folder = tmp_path_factory.mktemp("planted") / "run"
    shutil.copytree(run.folder, folder)
    planter = Planter()
    report = json.loads((folder / "results.json").read_bytes())
    report["results"] = [_planted_row(folder, row, planter) for row in report["results"]]
    if mode == "client":
        assert {"HandedOver", "DelegationEnded", *TOLD_TO_A_VOICE} <= planter.kinds
    report["run"]["configuration"] |= {
        "assistant_opening_prompt": planter.fresh(),
        "endpoint": planter.fresh(),
        "instructions": planter.fresh(),
    }
    (folder / "results.json").write_text(json.dumps(report))
    for log in (folder / "events").glob("*.jsonl"):
        log.write_text(json.dumps({"event": {"instructions": planter.fresh()}}) + "\n")
    return folder, planter


def _planted_row(folder: Path, row: dict[str, Any], planter: Planter) -> dict[str, Any]:
    name = row["artifacts"].get("evidence") or row["artifacts"]["details"]
    stored = json.loads((folder / name).read_bytes())
    evidence = stored["evidence"]
    evidence["observations"] += _said_too_late(evidence["observations"])
    for key, is_callers in (("observations", False), ("caller_observations", True)):
        evidence[key] = [
            planter.observation(seen, is_callers=is_callers) for seen in evidence.get(key, [])
        ]
    for key in PRIVATE & evidence.keys():
        evidence[key] = planter.leaves(evidence[key])
    (folder / name).write_text(json.dumps(stored))
    planted = decode_details((folder / name).read_bytes())
    again: dict[str, Any] = json.loads(json.dumps(result_json(judge_again(planted))))
    return again


def _said_too_late(observations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Two ends of each of an application's delegations that scripts do not have."""
    told = [one for one in observations if one["observation"] == "DelegationEnded"]
    return [
        changed
        for one in told
        for kept in ({name: one[name] for name in ("stamp", "delegation_id") if name in one},)
        for changed in (
            {
                **kept,
                "observation": "ResultHeldBack",
                "text": "It is done.",
                "reason": "superseded",
            },
            {**one, "outcome": "failed", "detail": "the backend broke: ValueError"},
        )
    ]


def page_of(folder: Path) -> bytes:
    run = open_run(folder)
    shown = list(attempts(run))
    entries = [one.view.entry for one in shown]
    index = Index(run_view(run.report, folder.name), entries, [None] * len(shown))
    pieces = document(Assets("", "", ""), index, ((one.view, None) for one in shown))
    return b"".join(pieces)


def test_the_canaries_are_where_a_page_is_made_from(planted: tuple[Path, Planter]) -> None:
    folder, planter = planted
    assert planter.count > 20
    report = (folder / "results.json").read_text()
    assert report.count(MARK) > 5, "the judging again must quote what is withheld"


def test_no_canary_stands_in_the_page(planted: tuple[Path, Planter]) -> None:
    page = page_of(planted[0]).decode("ascii")
    around = [page[max(0, at - 60) : at + 40] for at in _places(page)]
    assert not around


def _places(page: str) -> Iterator[int]:
    at = page.find(MARK)
    while at >= 0:
        yield at
        at = page.find(MARK, at + 1)


def test_no_fault_of_damaged_evidence_quotes_it(tmp_path: Path) -> None:
    folder, row = _whole_run(tmp_path)
    place = folder / row["artifacts"]["evidence"]
    stored = json.loads(place.read_bytes())
    for seen in stored["evidence"]["observations"]:
        if seen["observation"] == "ToolCalled":
            seen["raw_arguments"], seen["call_id"] = {"k": f"{MARK}00001xyzzy"}, [f"{MARK}00002xy"]
    place.write_text(json.dumps(stored))
    row["warnings"] = [f"got {MARK}00001xyzzy for {MARK}00002xy"]
    _write(folder, row)
    page = page_of(folder).decode("ascii")
    assert "The stored evidence cannot be used" in page
    assert MARK not in page


def test_no_sentence_quotes_what_only_an_old_event_log_holds(tmp_path: Path) -> None:
    folder, row = _whole_run(tmp_path)
    del row["artifacts"]["evidence"]
    event = {"type": "response.output_item.done", "item": {"arguments": f'{{"a":"{MARK}0001"}}'}}
    (folder / row["artifacts"]["events"]).write_text(json.dumps({"event": event}))
    quoted = f"it got {MARK}0001"
    row["metrics"]["audio"]["response_rate"] = None
    row["metrics"]["unavailable"] = {"audio.response_rate": quoted}
    row["warnings"] = [quoted]
    row["assessment"]["checks"][0] |= {"id": f"{MARK}0001", "reason": quoted}
    row["caller_fidelity"] = {"contradicted_facts": [{"at_ms": 0, "said": f"{MARK}0001"}]}
    _write(folder, row)
    page = page_of(folder).decode("ascii")
    assert page.count("[withheld]") >= 5
    assert MARK not in page


def _whole_run(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    run, _ = evaluate_here(tmp_path / "results", RUN, example="restaurant_booking_complete")
    report = json.loads((run.folder / "results.json").read_bytes())
    return run.folder, report["results"][0]


def _write(folder: Path, row: dict[str, Any]) -> None:
    report = json.loads((folder / "results.json").read_bytes())
    (folder / "results.json").write_text(json.dumps(report | {"results": [row]}))
