"""What crosses which line of a conversation, message by message, in all shipped conversations.

The assistant's service is told the assistant's business, the caller's service the caller's; what
is expected of the assistant is told to neither. What the caller says goes over as sound. And what
is known of delegated work while a conversation goes on is what its evidence says afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import run_harness.play
from assistants.catalog import open_caller
from run_harness.simulation.watch import ConversationWatch
from run_harness.suite import RUN
from shared.attempts.details import decode_details
from shared.intervals import Interval, IntervalSet
from shared.observability.delegation import work_intervals
from shared.observability.observations import Observation, Speaker
from shared.observability.trace import Trace
from tests.support.runs import FinishedRun, Lines, Spoken, Tap, a_copy_of_the_data, evaluate_here

SCENARIOS = {one["id"]: one for one in json.loads(RUN.bundled_data.read_bytes())["scenarios"]}
PRIVATE, EXPECTED, STATE = "planted-private-", "planted-expectation-", "planted-state-"
MURMUR = 6
"""So many letters tell nothing."""
EVALUATORS_OWN = {"completion_condition"}
"""Words of an agenda by which an item counts as done: not even the caller is told them."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A run, and every message of both sessions of every conversation, by scenario id.

    ``live_work`` has every instant from which on its work was known to be under way, or not to be.
    """

    run: FinishedRun
    assistant: Lines
    caller: Lines
    live_work: dict[str, list[tuple[int, bool]]]


def hear(results: Path, **flags: Any) -> Heard:
    """Hold conversations in this process, one after the other."""
    caller: Lines = {}
    work: list[list[tuple[int, bool]]] = []
    with pytest.MonkeyPatch.context() as patch:
        _listen_to_the_caller(patch, caller)
        _watch_the_work(patch, work)
        run, lines = evaluate_here(results, RUN, **flags)
    assert list(run.rows) == list(SCENARIOS)
    return Heard(
        run,
        {name.partition("#")[0]: line for name, line in lines.items()},
        dict(zip(SCENARIOS, caller.values(), strict=True)),
        dict(zip(SCENARIOS, work, strict=True)),
    )


def _listen_to_the_caller(patch: pytest.MonkeyPatch, lines: Lines) -> None:
    def opened(settings: Any, config: Any, far_end: Any, clock: Any, trace: Trace) -> Any:
        line = lines.setdefault(str(len(lines)), [])
        return open_caller(settings, config, far_end, clock, Tap(trace, line))  # type: ignore[arg-type]

    patch.setattr(run_harness.play, "open_caller", opened)


def _watch_the_work(patch: pytest.MonkeyPatch, work: list[list[tuple[int, bool]]]) -> None:
    """Where the assistant's work was seen to begin and to end, as it was decided by."""
    begin, observe = ConversationWatch.__init__, ConversationWatch.observe

    def began(watch: ConversationWatch, *parts: Any, **more: Any) -> None:
        begin(watch, *parts, **more)
        work.append([])

    def observed(watch: ConversationWatch, speaker: Speaker, seen: Iterable[Observation]) -> None:
        for one in seen:
            observe(watch, speaker, [one])
            if speaker is Speaker.ASSISTANT:
                is_working = watch.party(speaker, has_buffered_speech=False).is_working
                if is_working is not bool(work[-1] and work[-1][-1][1]):
                    work[-1].append((one.stamp.media_ms, is_working))

    patch.setattr(ConversationWatch, "__init__", began)
    patch.setattr(ConversationWatch, "observe", observed)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Heard:
    return hear(tmp_path_factory.mktemp("shipped") / "results")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Heard:
    folder = tmp_path_factory.mktemp("planted")
    data = a_copy_of_the_data(folder / "data", RUN.bundled_data.parent)
    content = json.loads((data / "scenarios.json").read_bytes())
    content["scenarios"] = [with_planted_texts(one) for one in content["scenarios"]]
    (data / "scenarios.json").write_text(json.dumps(content), "utf-8")
    return hear(folder / "results", data=str(data / "scenarios.json"))


def with_planted_texts(scenario: dict[str, Any]) -> dict[str, Any]:
    """Whatever is private or expected replaced by what can come from nowhere else."""
    caller, expected = scenario["simulation_parameters"], scenario["expected"]
    caller["goal"] = f"{PRIVATE}goal"
    caller["known_facts"] = {name: f"{PRIVATE}{name}" for name in caller["known_facts"]}
    caller["expectations"] = [f"{PRIVATE}expectation"]
    caller["persona"] |= {
        "description": f"{PRIVATE}description",
        "speech_instructions": f"{PRIVATE}instructions",
    }
    for item in caller["agenda"]:
        for name in ("commitment", "trigger_condition", "response_hint"):
            item[name] = f"{PRIVATE}{name}"
        for name in EVALUATORS_OWN:
            item[name] = f"{EXPECTED}{name}"
    scenario["application"]["initial_state"]["note"] = f"{STATE}note"
    expected |= {
        "answer": f"{EXPECTED}answer",
        "criteria": [f"{EXPECTED}criterion"],
        "state": {"outcome": f"{EXPECTED}outcome"},
        "diagnostic_terms": [f"{EXPECTED}term"],
        "refusal_patterns": [f"{EXPECTED}refusal"],
        "confirmation_patterns": [{"tools": ["a_tool"], "patterns": [f"{EXPECTED}claim"]}],
    }
    for call in (*expected["tools"]["required"], *expected["tools"].get("prohibited", [])):
        call["arguments"] = {name: f"{EXPECTED}{name}" for name in call.get("arguments", {})}
    for step in expected.get("procedure", {}).get("steps", ()):
        if "patterns" in step:
            step["patterns"] = [f"{EXPECTED}pattern"]
    return scenario


def messages(line: list[Spoken], text: str) -> list[str]:
    """Those to a service in which a text stands."""
    return [one.text for one in line if one.direction == "sent" and text in one.text]


def private_texts(scenario: dict[str, Any]) -> set[str]:
    """Every text that only the caller or the evaluator has; a murmur is anybody's."""
    caller, expected = scenario["simulation_parameters"], scenario["expected"]
    persona = caller["persona"]
    agenda = [
        item[name]
        for item in caller["agenda"]
        for name in ("commitment", "trigger_condition", "completion_condition", "response_hint")
        if name in item
    ]
    steps = expected.get("procedure", {}).get("steps", ())
    patterns = [pattern for step in steps for pattern in step.get("patterns", ())]
    found = {
        caller["goal"],
        *caller.get("expectations", ()),
        persona["description"],
        persona["speech_instructions"],
        *agenda,
        expected["answer"],
        *expected["criteria"],
        *patterns,
    }
    return {text for text in found if len(text) > MURMUR}


@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_private_and_nothing_expected_is_sent_to_the_assistant(
    name: str, shipped: Heard
) -> None:
    secrets = {json.dumps(one)[1:-1] for one in private_texts(SCENARIOS[name])}
    line = [one for one in shipped.assistant[name] if one.direction == "sent"]

    assert len(line) > 1_000
    assert len(secrets) > 10
    assert [text for text in secrets for one in line if text in one.text] == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_planted_text_ever_crosses_the_assistants_line(name: str, planted: Heard) -> None:
    """Facts and arguments too, which in earnest are words that anybody may say."""
    line = planted.assistant[name]

    assert messages(line, PRIVATE) == []
    assert messages(line, EXPECTED) == []
    assert planted.run.details(name).count(PRIVATE.encode()) > 5


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_callers_line_has_the_callers_part_and_no_more(name: str, planted: Heard) -> None:
    line = planted.caller[name]
    (start,) = messages(line, PRIVATE)

    assert json.loads(start)["type"] == "session.start"
    for part in ("goal", "expectation", "description", "instructions", "trigger_condition"):
        assert f"{PRIVATE}{part}" in start or part == "expectation"
    assert messages(line, EXPECTED) == []
    assert messages(line, STATE) == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_work_as_it_was_known_meanwhile_is_work_as_the_evidence_tells_it(
    name: str, shipped: Heard
) -> None:
    evidence = decode_details(shipped.run.details(name)).evidence
    replayed = work_intervals(evidence.observations, evidence.extent_ms)

    assert spans_of(shipped.live_work[name], evidence.extent_ms) == replayed
    assert bool(replayed) is bool(SCENARIOS[name]["expected"]["golden_path"]["delegations"])


def spans_of(known: list[tuple[int, bool]], extent_ms: int) -> IntervalSet:
    """Work from where it began to where it ended."""
    following = [*known, (extent_ms, False)][1:]
    return IntervalSet.of(
        Interval(at_ms, until_ms)
        for (at_ms, is_working), (until_ms, _) in zip(known, following, strict=True)
        if is_working and at_ms < until_ms
    )
