"""Sealing: what is judged is what was written, masked, and readable by anybody."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.intervals import Interval
from shared.observability.codec import decode_evidence, encode_evidence
from shared.observability.evidence import CallerAction, Evidence, Utterance
from shared.observability.observations import (
    BackendText,
    CommandRejected,
    ConnectionLost,
    Faulted,
    Observation,
    ResponseEnded,
    ResponseStatus,
    SessionClosed,
    ToolCalled,
    ToolReturned,
    ToolStatus,
)
from shared.observability.redaction import Masker
from shared.observability.sealing import seal
from tests.support.builders import a_caption, an_evidence, at

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
