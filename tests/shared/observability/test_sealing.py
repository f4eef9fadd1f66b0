"""Sealing: what is judged is what was written, masked, and readable by anybody."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.errors import UsageError
from shared.intervals import Interval
from shared.json_text import TOO_DEEP
from shared.observability.codec import decode_evidence, encode_evidence
from shared.observability.evidence import (
    CallerAction,
    Closing,
    Condition,
    Cue,
    Decision,
    DecisionStatus,
    Evidence,
    LabelSource,
    Leg,
    Objective,
    PlayoutRecord,
    Resolution,
    Termination,
    Transport,
    Utterance,
)
from shared.observability.observations import (
    KINDS,
    AppendIntent,
    AudioReceived,
    BackendText,
    Caption,
    CommandRejected,
    ConnectionLost,
    ContextAppended,
    ContextSent,
    ContinuationRefused,
    DelegationBegan,
    DelegationEnded,
    DelegationOutcome,
    Faulted,
    HandedOver,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    ResultHeldBack,
    SessionClosed,
    SessionOpened,
    Speaker,
    TokenUsage,
    ToolCalled,
    ToolReturned,
    ToolStatus,
    UsageReported,
    WorkContinued,
)
from shared.observability.redaction import Masker
from shared.observability.sealing import conceal, seal
from shared.scenarios import Scenario
from shared.strict_json import parse
from tests.support.builders import a_caption, an_evidence, at
from tests.support.judged import a_scenario

KNOWN = "a-secret-of-ours"


def written(evidence: Evidence) -> str:
    return json.dumps(encode_evidence(evidence), ensure_ascii=False)


def sealed(*observations: Observation, **parts: Any) -> Evidence:
    evidence = replace(an_evidence(observations=observations), **parts)
    return seal(evidence, Masker([KNOWN]))


def a_call(raw: str, arguments: dict[str, Any] | None = None) -> ToolCalled:
    return ToolCalled(at(0), "c1", "tool", raw, arguments, None, None)


def a_return(output: Any = None, state: dict[str, Any] | None = None) -> ToolReturned:
    return ToolReturned(at(0), "c1", "tool", ToolStatus.COMPLETED, output, state or {})


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(a_caption(0, 1, f"It is {KNOWN}."), id="speech"),
        pytest.param(BackendText(at(0), "r1", "d1", "i1", KNOWN), id="what-the-backend-wrote"),
        pytest.param(a_call(f'{{"note":"{KNOWN}"}}', {"note": KNOWN}), id="arguments"),
        pytest.param(a_call(f"broken {KNOWN}"), id="broken-arguments"),
        pytest.param(a_return({"note": [KNOWN]}), id="a-tool's-output"),
        pytest.param(a_return(state={"note": KNOWN}), id="the-state-after-a-tool"),
        pytest.param(CommandRejected(at(0), "bad", KNOWN, None, None), id="a-rejection"),
        pytest.param(Faulted(at(0), "not_json", KNOWN), id="a-fault"),
        pytest.param(ConnectionLost(at(0), 1006, KNOWN), id="a-lost-connection"),
        pytest.param(SessionClosed(at(0), KNOWN, 1.0), id="the-reason-of-a-close"),
        pytest.param(
            ResponseEnded(at(0), "r", None, ResponseStatus.FAILED, None, None, KNOWN),
            id="why-a-response-failed",
        ),
    ],
)
def test_a_known_secret_is_masked_in(seen: Observation) -> None:
    evidence = sealed(seen)

    assert KNOWN not in written(evidence)
    assert "[redacted:1]" in written(evidence)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"state_before": {"a": KNOWN}}, id="the-state-before"),
        pytest.param({"state_after": {"a": KNOWN}}, id="the-state-after"),
        pytest.param(
            {"utterances": (Utterance(Interval(0, 1), KNOWN, CallerAction.SPEAK, "script"),)},
            id="what-the-caller-said",
        ),
        pytest.param({"failure": an_evidence(failure=KNOWN).failure}, id="why-it-broke"),
    ],
)
def test_a_known_secret_is_masked_outside_observations_in(parts: dict[str, Any]) -> None:
    assert KNOWN not in written(sealed(**parts))


def test_what_was_equal_stays_equal_wherever_it_stood() -> None:
    evidence = sealed(
        a_caption(0, 1, KNOWN),
        a_call(f'{{"note":"{KNOWN}"}}', {"note": KNOWN}),
        a_return(state={"note": KNOWN}),
        state_after={"note": KNOWN},
    )
    (call,), (returned,) = evidence.of(ToolCalled), evidence.of(ToolReturned)

    assert call.arguments == returned.state == evidence.state_after == {"note": "[redacted:1]"}
    assert call.raw_arguments == '{"note":"[redacted:1]"}'


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        pytest.param(a_caption(0, 1, "The secret: mushrooms."), "secret: mushrooms", id="speech"),
        pytest.param(
            BackendText(at(0), None, None, "i", "Their token: appreciation."),
            "token: appreciation",
            id="what-the-backend-wrote",
        ),
        pytest.param(
            a_return({"say": "the password: abracadabra"}), "password: abracadabra", id="an-output"
        ),
        pytest.param(
            a_call('{ "b" : 1 }', {"b": 1}), '{ \\"b\\" : 1 }', id="arguments-to-a-letter"
        ),
        pytest.param(a_call('{"b":'), '{\\"b\\":', id="broken-arguments-to-a-letter"),
    ],
)
def test_left_alone_is(seen: Observation, text: str) -> None:
    assert text in written(sealed(seen))


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(a_call('token="abcdefgh'), id="broken-arguments"),
        pytest.param(a_call('{"password":"x y z"}', {"password": "x y z"}), id="arguments"),
        pytest.param(Faulted(at(0), "k", "header Authorization: abcdefgh"), id="a-fault"),
        pytest.param(a_return({"token": "abcdefgh"}), id="a-credential-field-of-an-output"),
    ],
)
def test_a_credential_nobody_knew_is_masked_where_programs_write(seen: Observation) -> None:
    text = written(sealed(seen))

    assert "[redacted:1]" in text
    assert "abcdefgh" not in text
    assert "x y z" not in text


def test_sealed_evidence_reads_back_as_itself() -> None:
    evidence = sealed(a_caption(0, 1, KNOWN), a_return({"a": (1, 2)}), a_call("{}", {}))

    assert decode_evidence(json.loads(written(evidence))) == evidence
    assert seal(evidence, Masker([KNOWN])) == evidence


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        pytest.param("x\ud800y", "x\N{REPLACEMENT CHARACTER}y", id="half-a-character"),
        pytest.param("\ud83d\ude00", "\N{REPLACEMENT CHARACTER}" * 2, id="two-halves-apart"),
        pytest.param(float("nan"), None, id="no-number"),
        pytest.param(float("inf"), None, id="infinity"),
        pytest.param(-float("inf"), None, id="minus-infinity"),
        pytest.param("\U0001f600\x00", "\U0001f600\x00", id="but-not-whole-characters"),
    ],
)
def test_what_no_reader_could_hold_is_replaced(value: Any, kept: Any) -> None:
    evidence = sealed(a_return({"a": [value]}, {"a": value}), state_after={"a": {"b": value}})
    (returned,) = evidence.of(ToolReturned)

    assert (returned.output, returned.state) == ({"a": [kept]}, {"a": kept})
    assert evidence.state_after == {"a": {"b": kept}}
    json.dumps(encode_evidence(evidence), ensure_ascii=False, allow_nan=False).encode()


def test_half_a_character_in_speech_is_replaced_too() -> None:
    assert "\N{REPLACEMENT CHARACTER}" in written(sealed(a_caption(0, 1, "\udfff")))


# Every text of every kind, whoever gave it.

EXAMPLES: list[Observation] = [
    SessionOpened(at(0), KNOWN, KNOWN),
    Caption(at(0), Speaker.ASSISTANT, KNOWN, 0, 1),
    DelegationBegan(at(0), KNOWN, KNOWN, KNOWN),
    ResponseBegan(at(0), KNOWN, KNOWN, KNOWN),
    ResponseEnded(at(0), KNOWN, KNOWN, ResponseStatus.FAILED, KNOWN, TokenUsage(1), KNOWN, KNOWN),
    BackendText(at(0), KNOWN, KNOWN, KNOWN, KNOWN),
    ToolCalled(at(0), KNOWN, KNOWN, KNOWN, {KNOWN: {KNOWN: [KNOWN]}}, KNOWN, KNOWN),
    ToolReturned(at(0), KNOWN, KNOWN, ToolStatus.FAILED, KNOWN, {KNOWN: [{KNOWN: KNOWN}]}),
    WorkContinued(at(0), KNOWN, KNOWN),
    ContinuationRefused(at(0), KNOWN, KNOWN),
    HandedOver(at(0), KNOWN, KNOWN),
    DelegationEnded(at(0), KNOWN, DelegationOutcome.FAILED, KNOWN),
    ResultHeldBack(at(0), KNOWN, KNOWN, KNOWN),
    ContextSent(at(0), KNOWN, AppendIntent.COMMENTARY, KNOWN, KNOWN),
    ContextAppended(at(0), KNOWN),
    CommandRejected(at(0), KNOWN, KNOWN, KNOWN, KNOWN),
    Faulted(at(0), KNOWN, KNOWN),
    SessionClosed(at(0), KNOWN, 1.0),
    ConnectionLost(at(0), 1006, KNOWN),
]
WITHOUT_TEXT = {AudioReceived, UsageReported}


def test_there_is_an_example_of_every_kind_that_has_texts() -> None:
    assert {type(one) for one in EXAMPLES} == set(KINDS) - WITHOUT_TEXT


@pytest.mark.parametrize("seen", EXAMPLES, ids=lambda seen: type(seen).__name__)
def test_no_text_of_an_observation_is_left_out(seen: Observation) -> None:
    texts = json.dumps(encode_evidence(an_evidence(observations=[seen]))).count(KNOWN)
    content = written(sealed(seen))

    assert texts > 0
    assert KNOWN not in content
    assert content.count("[redacted:1]") == texts


A_LEG = Leg(2, (40, 50), (0, 1), PlayoutRecord(200, 1, 4_800, 0, 0, 480, 960, 0))
CONVERSATION: dict[str, Any] = {
    "caller_observations": tuple(EXAMPLES),
    "cues": (Cue(0, 1, CallerAction.STOP, LabelSource.SCRIPT),),
    "decisions": (
        Decision(
            0,
            1,
            1,
            DecisionStatus.FAILED,
            should_drain=False,
            outcome=Resolution.UNRESOLVED,
            reason=KNOWN,
            closing=Closing(Interval(0, 1), carries_request=False),
            objectives=(Objective(f"an item of {KNOWN}", is_expressed=False),),
            usage=TokenUsage(1),
        ),
    ),
    "first_speaker": Speaker.CALLER,
    "transport": Transport(A_LEG, A_LEG),
    "condition": Condition(KNOWN, {KNOWN: [KNOWN, {"n": 1}]}),
    "termination": Termination("a_policy", "a_signal", f"it was told {KNOWN}"),
}


@pytest.mark.parametrize("part", CONVERSATION)
def test_no_text_of_a_conversation_is_left_out(part: str) -> None:
    plain = replace(an_evidence(), **{part: CONVERSATION[part]})
    content = written(seal(plain, Masker([KNOWN])))

    assert KNOWN not in content
    assert content.count("[redacted:1]") == written(plain).count(KNOWN)


def test_a_sealed_conversation_reads_back_as_itself() -> None:
    evidence = sealed(**CONVERSATION)

    assert decode_evidence(json.loads(written(evidence))) == evidence
    assert (evidence.cues, evidence.transport) == (CONVERSATION["cues"], CONVERSATION["transport"])


def test_a_secret_in_two_captions_of_the_callers_session_is_masked_across_them() -> None:
    first, second = KNOWN[:7], KNOWN[7:]
    evidence = sealed(
        a_caption(0, 1, first),
        caller_observations=(a_caption(0, 1, first), a_caption(1, 2, second)),
    )

    assert [seen.text for seen in evidence.of_caller(Caption)] == ["[redacted:1]", ""]
    assert [seen.text for seen in evidence.of(Caption)] == [first]


def test_no_number_of_a_transport_is_taken_for_a_secret() -> None:
    leg = replace(A_LEG, send_latency_us=(12_345_678,))
    transport = Transport(leg, leg)
    evidence = seal(replace(an_evidence(), transport=transport), Masker(["12345678"]))

    assert evidence.transport == transport


def test_calls_and_their_outcomes_still_belong_together() -> None:
    call = replace(a_call("{}", {}), call_id=f"call {KNOWN}")
    evidence = sealed(call, replace(a_return(), call_id=f"call {KNOWN}"))

    assert evidence.of(ToolCalled)[0].call_id == evidence.of(ToolReturned)[0].call_id


def test_warnings_are_masked() -> None:
    assert sealed(warnings=(f"saw {KNOWN}",)).warnings == ("saw [redacted:1]",)


def test_a_secret_in_two_captions_is_masked_across_others_of_another_speaker() -> None:
    first, second = KNOWN[:7], KNOWN[7:]
    evidence = sealed(
        Caption(at(0), Speaker.ASSISTANT, f"It is {first}", 0, 1),
        Caption(at(1), Speaker.CALLER, "What?", 0, 1),
        Caption(at(2), Speaker.ASSISTANT, f"{second}.", 0, 1),
    )

    assert [seen.text for seen in evidence.of(Caption)] == ["It is [redacted:1]", "What?", "."]


def test_a_key_that_only_its_field_told_is_masked_elsewhere_too() -> None:
    key = "abcdefgh12345678"
    evidence = sealed(a_caption(0, 1, f"It is {key}."), a_return({"token": key}))

    assert key not in written(evidence)


def test_a_state_too_deep_for_any_reader_is_cut() -> None:
    deep: Any = "bottom"
    for _ in range(300):
        deep = {"in": deep}
    evidence = sealed(state_after={"a": deep})

    assert TOO_DEEP in written(evidence)
    assert parse(json.dumps({"evidence": encode_evidence(evidence)})).flaws == ()


# The scenario.


def concealed(**edits: Any) -> tuple[Scenario, Masker]:
    return conceal(a_scenario(**edits), [KNOWN])


def test_a_scenario_keeps_no_credential_but_what_it_expects_under_such_a_name() -> None:
    scenario, _ = concealed(
        title=f"About {KNOWN}",
        input__text=f"It is {KNOWN}.",
        application__initial_state={"password": "a pass phrase", KNOWN: "Bearer abcdefgh12345678"},
        expected__tools__required=[{"name": "t", "arguments": {"token": "AB 12", "n": KNOWN}}],
        expected__state={"secret": {"$match": "date", "value": "2027-07-02"}, "k": "a pass phrase"},
    )

    assert scenario.title == "About [redacted:1]"
    assert KNOWN not in scenario.model_dump_json()
    assert "abcdefgh" not in scenario.model_dump_json()
    # The phrase is expected elsewhere, so it is graded and no secret.
    assert scenario.application.initial_state["password"] == "a pass phrase"
    assert scenario.expected.tools.required[0].arguments["token"] == "AB 12"
    assert scenario.expected.state["secret"] == {"$match": "date", "value": "2027-07-02"}


def test_what_is_masked_in_a_scenario_is_masked_wherever_it_turns_up() -> None:
    scenario, masker = concealed(
        title="A pass phrase is said", application__initial_state={"password": "a pass phrase"}
    )

    assert scenario.title == "[redacted:1] is said"
    assert masker.prose("so it is a pass phrase") == "so it is [redacted:1]"


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param({"id": f"x_{KNOWN}"}, id="its-id"),
        pytest.param({"expected__refusal_patterns": [f"no {KNOWN}"]}, id="a-pattern"),
        pytest.param(
            {"expected__confirmation_patterns": [{"tools": ["t"], "patterns": [KNOWN]}]},
            id="a-claim",
        ),
        pytest.param(
            {"expected__confirmation_patterns": [{"tools": ["t"], "patterns": ["sk-" + "a1" * 8]}]},
            id="a-form-in-a-claim",
        ),
    ],
)
def test_a_scenario_is_refused_when_a_placeholder_cannot_stand_for(edits: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="change one") as caught:
        concealed(**edits)
    assert KNOWN not in str(caught.value)


@pytest.mark.parametrize(
    "secret",
    [
        pytest.param("2027-07-02", id="a-comparators-date"),
        pytest.param("required", id="a-word-of-the-format"),
        pytest.param("initial_state", id="a-key-of-the-format"),
    ],
)
def test_a_scenario_is_refused_rather_than_kept_as_it_is(secret: str) -> None:
    scenario = a_scenario(
        application__initial_state={"a": 1},
        expected__delegation="required",
        expected__state={"a": {"$match": "date", "value": "2027-07-02"}},
    )

    with pytest.raises(UsageError, match="change one"):
        conceal(scenario, [secret])


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@settings(max_examples=50)
@given(st.dictionaries(st.text(max_size=5), anything, max_size=3))
def test_any_state_can_be_sealed_written_and_read(state: dict[str, Any]) -> None:
    evidence = sealed(a_return(state, state), state_before=state, state_after=state)
    content = json.dumps(encode_evidence(evidence), ensure_ascii=False, allow_nan=False).encode()

    assert decode_evidence(json.loads(content)) == evidence
