"""The details file: judging again from it gives the same row to the byte, and damage is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.attempts.assess import assess
from shared.attempts.bench import judge_again
from shared.attempts.details import (
    DETAILS_VERSION,
    Judgeable,
    decode_details,
    encode_details,
    scenario_json,
)
from shared.grading.dossier import Dossier
from shared.grading.judge import Unscored
from shared.grading.policy import EvaluationPolicy
from shared.intervals import IntervalSet
from shared.metrics.interaction import MetricPolicy
from shared.observability.codec import DamagedEvidenceError
from shared.observability.evidence import (
    CallerAction,
    Condition,
    Cue,
    Decision,
    DecisionStatus,
    Ending,
    LabelSource,
)
from shared.observability.observations import Speaker
from tests.support.builders import a_caption, a_second_opinion, an_evidence, spans
from tests.support.judged import (
    a_delegation,
    a_policy,
    a_scenario,
    a_stored_attempt,
    a_tool_use,
    an_attempt,
)
from tests.support.judges import judgments

ANSWER = spans((2_100, 3_000))
BOOKED = [a_delegation(), *a_tool_use(), a_caption(2_100, 2_500, "It's booked, grüße.")]
STORED = {
    "an-answer": a_stored_attempt(an_attempt(assistant=ANSWER, observations=BOOKED)),
    "a-failure": a_stored_attempt(an_attempt(ending=Ending.RESPONSE_TIMEOUT)),
    "nothing-observed": a_stored_attempt(an_evidence(failure="refused", extent_ms=0)),
    "nobody-asked": a_stored_attempt(an_attempt(caller=IntervalSet(), assistant=ANSWER)),
    "a-policy-of-its-own": a_stored_attempt(
        an_attempt(assistant=ANSWER, observations=BOOKED),
        a_scenario(
            type="refusal",
            expected__tools__required=[{"name": "book", "arguments": {"n": {"$match": "absent"}}}],
            expected__interaction={"floor_hold_max_ms": 10},
        ),
        a_policy(confirmations=[(("book",), (r"\bbooked\b",))], refusals=["sorry"]),
    ),
    "a-judged-one": a_stored_attempt(
        an_attempt(assistant=ANSWER, observations=BOOKED),
        judgments=judgments(task_understanding=0.75, context_fidelity=Unscored("lost")),
        dossier=Dossier({"said": ["x", 0.1, None, True, "ä"]}),
    ),
    "a-judgment-from-the-cache": a_stored_attempt(
        an_attempt(assistant=ANSWER), judgments=judgments(is_cached=True, task_understanding=0)
    ),
    "a-second-opinion": a_stored_attempt(
        an_attempt(
            assistant=ANSWER,
            second_opinion=a_second_opinion(spans((0, 900)), spans((8_000, 9_000))),
        )
    ),
    "a-conversation": a_stored_attempt(
        an_attempt(
            assistant=ANSWER,
            utterances=[],
            caller_observations=(a_caption(0, 1_000, "Grüße."),),
            cues=(Cue(0, 1_000, CallerAction.SPEAK, LabelSource.SCRIPT),),
            decisions=(Decision(3_000, None, 1, DecisionStatus.ASKED),),
            first_speaker=Speaker.CALLER,
            condition=Condition("clean", {}),
        )
    ),
    "a-stricter-deadline": a_stored_attempt(
        an_attempt(assistant=ANSWER), policy=EvaluationPolicy(MetricPolicy(1_000))
    ),
}


def encoded(stored: Judgeable) -> bytes:
    assessment = assess(stored.evidence, stored.scenario, stored.policy, stored.judgments)
    return encode_details(stored, assessment)


@pytest.fixture(params=STORED.values(), ids=STORED)
def stored(request: pytest.FixtureRequest) -> Judgeable:
    one: Judgeable = request.param
    return one


def test_it_comes_back_as_it_went(stored: Judgeable) -> None:
    back = decode_details(encoded(stored))

    assert back == stored
    assert encoded(back) == encoded(stored)


def test_judging_again_gives_the_same_row_to_the_byte(stored: Judgeable) -> None:
    row = judge_again(stored)

    assert judge_again(decode_details(encoded(stored))).model_dump_json() == row.model_dump_json()


@pytest.mark.parametrize("derived", [None, {}, {"checks": "all passed"}, "gone"])
def test_what_was_derived_is_never_read(derived: object, stored: Judgeable) -> None:
    content = json.loads(encoded(stored)) | {"derived": derived}

    assert decode_details(json.dumps(content).encode()) == stored


def test_without_what_was_derived_it_is_read_all_the_same(stored: Judgeable) -> None:
    content = json.loads(encoded(stored))
    del content["derived"]

    assert decode_details(json.dumps(content).encode()) == stored


def test_it_is_text_for_people_too(stored: Judgeable) -> None:
    text = encoded(stored).decode()

    assert text.startswith("{\n  ")
    assert text.endswith("}\n")
    assert json.loads(text)["schema_version"] == DETAILS_VERSION


def test_letters_stay_letters() -> None:
    assert "grüße".encode() in encoded(STORED["an-answer"])


def test_what_was_derived_shows_turns_work_and_checks() -> None:
    derived = json.loads(encoded(STORED["an-answer"]))["derived"]

    assert [turn["start_ms"] for turn in derived["caller_turns"]] == [0]
    assert derived["assistant_turns"] == [
        {"start_ms": 2_100, "end_ms": 3_000, "transcript": "It's booked, grüße."}
    ]
    assert [turn["action_source"] for turn in derived["caller_turns"]] == ["script"]
    assert derived["delegation_timing_source"] == "lifecycle_events"
    assert derived["delegated_work_ms"] == [[1_100, 20_000]]
    assert {check["id"] for check in derived["checks"]} >= {"assistant_responded", "tool_contract"}


def test_of_an_attempt_that_never_began_nothing_is_derived() -> None:
    assert json.loads(encoded(STORED["nothing-observed"]))["derived"] is None


@pytest.mark.parametrize("key", ["dossier", "judgments"])
def test_a_file_of_before_there_was_a_judge_is_read(key: str) -> None:
    stored = STORED["an-answer"]
    content = json.loads(encoded(stored))
    assert content.pop(key) is None

    assert decode_details(json.dumps(content).encode()) == stored


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param({"score": 0.6}, id="another-score"),
        pytest.param({"score": "0.75"}, id="a-score-in-quotes"),
        pytest.param({"score": True}, id="a-score-of-true"),
        pytest.param({"score": None}, id="no-score"),
        pytest.param({"score": 0}, id="a-pass-with-0"),
        pytest.param({"passed": "yes"}, id="a-pass-in-words"),
    ],
)
def test_a_stored_judgment_is_refused_with(edits: dict[str, Any]) -> None:
    content = json.loads(encoded(STORED["a-judged-one"]))
    content["judgments"]["dimensions"][0]["outcome"] |= edits

    with pytest.raises(DamagedEvidenceError):
        decode_details(json.dumps(content).encode())


def damaged(path: str, value: object) -> bytes:
    content = json.loads(encoded(STORED["an-answer"]))
    *way, last = path.split(".")
    holder: Any = content
    for step in way:
        holder = holder[step]
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param("schema_version", "1.0", id="another-version"),
        pytest.param("schema_version", ..., id="no-version"),
        pytest.param("evidence", ..., id="no-evidence"),
        pytest.param("evidence.extent_ms", "long", id="damaged-evidence"),
        pytest.param("evidence.ending", "happily", id="an-unknown-ending"),
        pytest.param("scenario.title", "", id="an-unlawful-scenario"),
        pytest.param("scenario.surprise", 1, id="a-scenario-with-an-unknown-key"),
        pytest.param("policy.metrics.response_deadline_ms", 0, id="an-unlawful-policy"),
        pytest.param("attempt.key", ..., id="an-attempt-without-a-key"),
        pytest.param("artifacts", 5, id="artifacts-that-are-no-object"),
    ],
)
def test_damage_is_refused(path: str, value: object) -> None:
    with pytest.raises(DamagedEvidenceError):
        decode_details(damaged(path, value))


@pytest.mark.parametrize(
    "content", [b"", b"{", b"null", b"[]", b'"text"', b"5", b"\xff\xfe", b"[" * 100_000]
)
def test_what_is_no_details_file_at_all_is_refused(content: bytes) -> None:
    with pytest.raises(DamagedEvidenceError):
        decode_details(content)


def test_a_scenario_is_stored_as_it_was_written_and_no_default_is_added() -> None:
    assert scenario_json(a_scenario(expected__state={"a": 1})) == {
        "id": "a_request",
        "title": "One request",
        "interaction": "single_turn",
        "input": {"text": "Is there a table?"},
        "expected": {"answer": "Yes.", "state": {"a": 1}},
    }
