"""Scripted callers with manners, in memory: what they say lies exactly where their scripts put it.

Each is held as in a live run, where a script's caller is not held back by a playout; the assistant
is, and offsets count from what is heard of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

import run_harness.conversations
from assistants.frontend.fixture.conversation_script import parse_conversation_script
from assistants.frontend.fixture.instants import Anchor
from assistants.frontend.fixture.steps import Say
from run_harness.suite import RUN
from shared.attempts.details import decode_details
from shared.audio.pcm import FRAME_MS, SAMPLES_PER_MS
from shared.intervals import Interval
from shared.observability.evidence import CallerAction, Evidence
from shared.observability.observations import Speaker
from shared.speech.tone import ToneSynthesizer
from tests.support.runs import FinishedRun, evaluate_here

PATHS = {
    path.stem: path
    for path in sorted((RUN.bundled_data.parent / "scripts" / "callers").glob("*/*.json"))
}
HOLDS = {Speaker.CALLER: 0, Speaker.ASSISTANT: 200}
every_caller = pytest.mark.parametrize("name", PATHS)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FinishedRun]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_harness.conversations, "_holds", lambda *_: HOLDS)
        folder = tmp_path_factory.mktemp("callers")
        finished, _ = evaluate_here(folder / "results", RUN, offline_script="callers")
        yield finished


@dataclass(frozen=True, slots=True)
class Held:
    """One conversation: the caller's sentences where the script puts them, by what was heard."""

    evidence: Evidence
    says: tuple[Say, ...]
    answers: tuple[Interval, ...]

    @property
    def promised(self) -> list[Interval]:
        spans: list[Interval] = []
        ended: dict[str, int] = {}
        for step in self.says:
            at = step.at
            base_ms = 0
            if at.waits_for_speech:
                heard = self.answers[int((at.step or "").removeprefix("heard")) - 1]
                base_ms = heard.start_ms if at.anchor is Anchor.BEGAN else heard.end_ms
            elif at.step is not None:
                base_ms = ended[at.step]
            start_ms = base_ms + at.offset_ms
            took_ms = ToneSynthesizer().speak(step.say).pcm.size // SAMPLES_PER_MS
            spans.append(Interval(start_ms, start_ms + took_ms))
            if step.id is not None:
                ended[step.id] = spans[-1].end_ms
        return spans


def held(run: FinishedRun, name: str) -> Held:
    path = PATHS[name]
    caller = parse_conversation_script(path.read_text("utf-8")).caller
    evidence = decode_details(run.details(f"{path.parent.name}@{name}")).evidence
    pieces = [
        (span.start_ms // FRAME_MS * FRAME_MS, -(-span.end_ms // FRAME_MS) * FRAME_MS)
        for span in evidence.assistant.voiced.merged(gaps_below_ms=caller.listening.gap_ms)
    ]
    says = tuple(step for step in caller.steps if isinstance(step, Say))
    return Held(evidence, says, tuple(Interval(*piece) for piece in pieces))


@every_caller
def test_every_sentence_begins_and_ends_at_its_promised_millisecond(
    name: str, run: FinishedRun
) -> None:
    one = held(run, name)
    voiced = one.evidence.caller.voiced

    assert [voiced.clip(span).extent for span in one.promised] == one.promised
    assert sum(voiced.clip(span).total_ms for span in one.promised) == voiced.total_ms


@every_caller
def test_the_conversation_goes_well(name: str, run: FinishedRun) -> None:
    row = run.rows[f"{PATHS[name].parent.name}@{name}"]

    assert row["status"] == "passed"
    assert row["attempt"]["script"] == name


def test_a_caller_breaks_in_700_ms_into_the_second_answer(run: FinishedRun) -> None:
    one = held(run, "barges_into_the_second_answer")
    (cue,) = [cue for cue in one.evidence.cues if cue.action is CallerAction.INTERRUPT]

    assert cue.start_ms - one.answers[1].start_ms == 700
    assert one.answers[1].end_ms > cue.start_ms


def test_a_caller_murmurs_1200_ms_into_an_answer(run: FinishedRun) -> None:
    one = held(run, "murmurs_into_a_long_answer")
    (cue,) = [cue for cue in one.evidence.cues if cue.action is CallerAction.BACKCHANNEL]

    assert cue.start_ms - one.answers[0].start_ms == 1_200
    assert cue.end_ms is not None
    assert one.answers[0].end_ms > cue.end_ms


def test_a_caller_thinks_for_a_second_inside_a_sentence(run: FinishedRun) -> None:
    one = held(run, "thinks_inside_the_number")
    pauses = [
        after.start_ms - before.end_ms for before, after in pairwise(one.evidence.caller.voiced)
    ]

    assert pauses.count(1_000) == 1
    assert not one.evidence.assistant.voiced.clip(
        Interval(one.promised[1].start_ms, one.promised[2].end_ms)
    )


def test_a_caller_corrects_itself_two_turns_later(run: FinishedRun) -> None:
    one = held(run, "corrects_two_turns_later")
    key = "restaurant_party_correction@corrects_two_turns_later"
    correction = next(number for number, say in enumerate(one.says) if "not three" in say.say)
    state = json.loads(run.details(key))["evidence"]["state_after"]

    assert correction == 3
    assert "three" in one.says[0].say
    assert [booked["party_size"] for booked in state["reservations"]] == [6]


def test_callers_are_documented(pytestconfig: pytest.Config) -> None:
    page = Path(pytestconfig.rootpath, "docs", "scripts.md").read_text("utf-8")

    assert [name for name in PATHS if f"`{name}" not in page] == []
