"""Conversations of the dataset over real sockets, beside the same ones in memory.

Once both far ends are services in processes of their own and a model over HTTP sees that it is
over; once the caller follows its script in memory and the assistant alone is behind a socket. That
caller is not held back by a playout, so neither is the one it is compared with.

``LIVE_FIXTURE_CONVERSATIONS=all`` takes the whole dataset. A run in which this computer kept no
pace is no measurement and is made again, while no other test runs, and so is one whose times lie
farther off than allowed: the services keep pace by themselves, and none of them says when it could
not. What lies off every time fails. The summary of the tests says how often that was, and why.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import run_harness.conversations
from run_harness.suite import RUN
from shared.observability.observations import Speaker
from shared.scenarios import Scenario
from tests.support.beside import WITHIN_MS, apart, checks, evidence, flat, measured, work
from tests.support.live_fixtures import a_live_fixture
from tests.support.runs import FinishedRun, Row, evaluate_here, installed
from tests.support.services import LIVE

SCRIPTS = RUN.bundled_data.parent / "scripts" / "sound"
SCENARIOS: dict[str, dict[str, Any]] = {
    one["id"]: one for one in json.loads(RUN.bundled_data.read_bytes())["scenarios"]
}
BOTH, SCRIPTED = "two services", "a scripted caller"
A_FEW = [
    (BOTH, "restaurant_information_only"),
    (BOTH, "restaurant_cancel_authorized"),
    (SCRIPTED, "restaurant_interrupted_explanation"),
    (SCRIPTED, "restaurant_backchannel"),
]
ALL = [(way, name) for way in (BOTH, SCRIPTED) for name in SCENARIOS]
CHOSEN = ALL if os.environ.get("LIVE_FIXTURE_CONVERSATIONS") == "all" else A_FEW
AT_ONCE = int(os.environ.get("LIVE_FIXTURE_AT_ONCE", "2"))
HOLDS = {Speaker.CALLER: 0, Speaker.ASSISTANT: 200}

WAITS = {
    "closing_turn": None,
    "closing_turn_carries_request": None,
    "outcome": "unresolved",
    "should_drain": False,
}

type Pair = tuple[str, FinishedRun, FinishedRun]
type Tried = tuple[Pair, list[str]]
"""With a run that is a measurement, and why each try before it was none."""


def observing(name: str, offline: FinishedRun, folder: Path) -> Path:
    """What a model answers that sees the end when the farewell is among what was said."""
    steps = json.loads((SCRIPTS / f"{name}.json").read_bytes())["caller"]["steps"]
    farewell = [one["say"] for one in steps if "say" in one][-1]
    turns = offline.rows[name]["observability"]["interaction"]["caller_turns"]
    caller = Scenario.model_validate(SCENARIOS[name]).simulation_parameters
    assert caller is not None
    required = [one.id for one in caller.agenda if one.required and one.is_substantive]
    sees = {
        "reason": "The caller took leave.",
        "objectives": [{"id": one, "expressed": True, "turn": "c1"} for one in required],
        "caller_in_role": True,
        "closing_turn": f"c{turns}",
        "closing_turn_carries_request": False,
        "outcome": "resolved",
        "should_drain": True,
    }
    waits = {**sees, **WAITS}
    rules = [
        {"to": "responses", "when": f"(?s)You watch a telephone.*{farewell}", "json": sees},
        {"to": "responses", "json": waits},
    ]
    path = folder / "models.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"format": "live-fixture-http/1", "answers": rules}), "utf-8")
    return path


def over_sockets(way: str, name: str, offline: FinishedRun, place: Path) -> FinishedRun:
    """Hold one conversation."""
    script = SCRIPTS / f"{name}.json"
    with ExitStack() as up:
        models = observing(name, offline, place / "models")
        assistant = ("--script", script, "--side", "assistant", "--http-script", models)
        url, base = up.enter_context(a_live_fixture(place / "assistant", *assistant))
        given: list[str | Path] = ["--scenario", name, "--endpoint", url, "--no-judge"]
        if way == BOTH:
            caller = ("--script", script, "--side", "caller")
            given += ["--simulator-endpoint"]
            given += [up.enter_context(a_live_fixture(place / "caller", *caller))[0]]
        else:
            given += ["--caller-script", "sound", "--synthesizer", "tone"]
            given += ["--no-semantic-drain"]
        environment = {**LIVE, "OPENAI_BASE_URL": base}
        return installed("run-eval", place / "runs", *given, environment=environment)


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FinishedRun]:
    """Each conversation in memory, as it is without a scripted caller."""
    folder = tmp_path_factory.mktemp("memory")
    names = sorted({name for _, name in CHOSEN})
    return {name: evaluate_here(folder / name, RUN, example=name)[0] for name in names}


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FinishedRun]:
    """Those with a scripted caller in memory, where each is heard at once."""
    folder = tmp_path_factory.mktemp("placed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_harness.conversations, "_holds", lambda *_: HOLDS)
        return {
            name: evaluate_here(folder / name, RUN, example=name)[0]
            for way, name in CHOSEN
            if way == SCRIPTED
        }


@pytest.fixture(scope="module")
def first_tries(
    offline: dict[str, FinishedRun], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, str], Future[FinishedRun]]]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            (way, name): pool.submit(
                over_sockets, way, name, offline[name], tmp_path_factory.mktemp("sockets")
            )
            for way, name in CHOSEN
        }


@pytest.fixture(scope="module", params=CHOSEN, ids=lambda one: f"{one[1]} by {one[0]}")
def tried(
    request: pytest.FixtureRequest,
    offline: dict[str, FinishedRun],
    placed: dict[str, FinishedRun],
    first_tries: dict[tuple[str, str], Future[FinishedRun]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Tried:
    way, name = request.param
    beside = offline[name] if way == BOTH else placed[name]
    wait(first_tries.values())
    theirs, reasons = measured(
        name,
        beside,
        first_tries[way, name].result(),
        lambda _: over_sockets(way, name, offline[name], tmp_path_factory.mktemp("again")),
    )
    return (name, beside, theirs), [f"{reason} ({way})" for reason in reasons]


@pytest.fixture
def pair(tried: Tried, record_property: Callable[[str, object], None]) -> Pair:
    """A scenario, in memory and over sockets."""
    pair, reasons = tried
    for reason in reasons:
        record_property("repeated", reason)
    return pair


def test_the_verdict_and_every_count_are_the_same(pair: Pair) -> None:
    name, offline, live = pair
    ours, theirs = offline.rows[name], live.rows[name]
    assert (theirs["status"], theirs["error"]) == (ours["status"], ours["error"])
    assert checks(theirs) == checks(ours)
    assert counts(theirs) == counts(ours)
    assert actions(live, name) == actions(offline, name)
    assert live.report["run"]["execution_mode"] == "live"


def test_every_time_is_where_it_was(pair: Pair) -> None:
    name, offline, live = pair
    ours, theirs = evidence(offline, name), evidence(live, name)
    for side in ("caller", "assistant"):
        assert apart(flat(theirs[side]["voiced"]), flat(ours[side]["voiced"])) <= WITHIN_MS, side
    assert [kind for kind, _ in work(theirs)] == [kind for kind, _ in work(ours)]
    assert apart([at for _, at in work(theirs)], [at for _, at in work(ours)]) <= WITHIN_MS
    rows = (run.rows[name]["metrics"]["audio"] for run in (offline, live))
    assert apart(*([row["response_latency_ms"]] for row in rows)) <= WITHIN_MS


def test_a_model_saw_the_end_or_the_script_told_it(pair: Pair) -> None:
    name, _, live = pair
    is_scripted = live.report["run"]["configuration"]["audio_source"] == "scripted_caller"
    sealed = evidence(live, name)
    sources = {cue["source"] for cue in sealed["cues"]}
    saw = [one for one in sealed["decisions"] if one["should_drain"]]
    ended_by = "caller_finished" if is_scripted else "semantic_conversation_resolved"
    assert sealed["ending"] == "response_completed"
    assert sealed["termination"]["signal"] == ended_by
    assert ("script" in sources) is is_scripted
    assert bool(saw) is not is_scripted
    assert all(one["closing"] is not None for one in saw)


def counts(row: Row) -> dict[str, Any]:
    """Everything that is counted; what is timed has a tolerance of its own."""
    task, audio = row["metrics"]["task"], row["metrics"]["audio"]
    return {
        "task": task,
        "opportunities": audio["response_opportunities"],
        "exclusions": audio["response_exclusion_reasons"],
        "response_rate": audio["response_rate"],
        "interruptions": audio["interruption_count"],
        "backend": row["metrics"]["consumption"]["backend"],
        "assistant_turns": row["observability"]["interaction"]["assistant_turns"],
        "caller_turns": row["observability"]["interaction"]["caller_turns"],
        "tools": row["observability"]["tools"]["matched_count"],
    }


def actions(run: FinishedRun, name: str) -> list[str]:
    """What every caller turn was, whoever said so."""
    path = run.folder / "audio" / name / "conversation.result.json"
    result = json.loads(path.read_bytes())
    return [turn["action"] for turn in result["turn_metrics"]]
