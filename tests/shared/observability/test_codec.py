"""Evidence as JSON: what is read back is what was written, and what was edited is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shared.observability.observations
from shared.errors import Stage
from shared.intervals import Interval, IntervalSet
from shared.observability.codec import (
    KIND,
    DamagedEvidenceError,
    decode_evidence,
    decode_observation,
    encode_evidence,
    encode_observation,
)
from shared.observability.evidence import (
    EXPLICIT,
    CallerAction,
    Closing,
    Condition,
    Cue,
    Decision,
    DecisionStatus,
    DetectorId,
    Ending,
    Evidence,
    Failure,
    LabelSource,
    Leg,
    MeasuredOn,
    Objective,
    Pacing,
    PlayoutRecord,
    Resolution,
    SecondOpinion,
    Termination,
    Track,
    Transport,
    Utterance,
)
from shared.observability.observations import KINDS, AudioReceived, Observation, Speaker, TokenUsage
from shared.observability.shutdown import (
    Cleanup,
    CleanupError,
    Component,
    SettlementStatus,
    WorkSettlement,
)
from shared.values import JsonObject, JsonValue
from tests.support.builders import a_caption, an_evidence, an_utterance, at, spans

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
milliseconds = st.integers(0, 10**7)
finite = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | finite | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)
BY_HINT: dict[Any, st.SearchStrategy[Any]] = {
    str: texts,
    int: st.integers(-(10**7), 10**7),
    float: finite,
    bool: st.booleans(),
    NoneType: st.none(),
    JsonObject: json_objects,
    JsonValue: json_values,
}


def any_of(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a field, told by its type alone, so that a new kind needs nothing here."""
    if isinstance(hint, UnionType):
        return st.one_of([any_of(part) for part in get_args(hint)])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(hint)
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{field.name: any_of(hints[field.name]) for field in fields(hint)})
    if get_origin(hint) is tuple:
        return st.lists(any_of(get_args(hint)[0]), max_size=2).map(tuple)
    return BY_HINT[hint]


observations: st.SearchStrategy[Observation] = st.one_of([any_of(kind) for kind in KINDS])
sets = st.lists(st.integers(0, 10**5), max_size=8, unique=True).map(
    lambda edges: IntervalSet(
        tuple(Interval(*pair) for pair in zip(*[iter(sorted(edges))] * 2, strict=False))
    )
)
tracks = st.builds(
    Track,
    voiced=sets,
    samples=st.integers(0, 10**8),
    detector=st.builds(
        DetectorId,
        texts,
        texts,
        st.dictionaries(texts, st.none() | st.booleans() | st.integers() | finite | texts),
    ),
    measured_on=st.sampled_from(MeasuredOn),
)
utterances = st.builds(
    Utterance,
    span=milliseconds.map(lambda start: Interval(start, start + 1)),
    text=texts,
    action=st.sampled_from(CallerAction),
    source=texts,
)
spans_of_time = milliseconds.map(lambda start: Interval(start, start + 1))
cues = st.builds(
    lambda start, length, action, source: Cue(start, start + length, action, source),
    milliseconds,
    milliseconds,
    st.sampled_from(CallerAction),
    st.sampled_from(EXPLICIT),
)
decisions = st.builds(
    Decision,
    asked_ms=milliseconds,
    settled_ms=st.none() | milliseconds,
    revision=milliseconds,
    status=st.sampled_from(DecisionStatus),
    should_drain=st.none() | st.booleans(),
    outcome=st.none() | st.sampled_from(Resolution),
    reason=texts,
    closing=st.none() | st.builds(Closing, spans_of_time, st.booleans()),
    objectives=st.lists(
        st.builds(Objective, texts, st.booleans(), st.none() | spans_of_time), max_size=2
    ).map(tuple),
    is_caller_in_role=st.none() | st.booleans(),
    usage=st.none() | any_of(TokenUsage),
)
counts = st.lists(st.integers(), max_size=3).map(tuple)
legs = st.builds(
    Leg,
    milliseconds,
    counts,
    counts,
    st.builds(PlayoutRecord, *(milliseconds for _ in fields(PlayoutRecord))),
)
evidences = st.builds(
    Evidence,
    scenario_id=texts,
    extent_ms=milliseconds,
    caller=tracks,
    assistant=tracks,
    utterances=st.lists(utterances, max_size=2).map(tuple),
    observations=st.lists(observations, max_size=4).map(tuple),
    state_before=json_objects,
    state_after=json_objects,
    pacing=st.builds(
        Pacing, frame_ms=milliseconds, lateness_us=st.lists(st.integers(), max_size=3).map(tuple)
    ),
    ending=st.sampled_from(Ending),
    failure=st.none() | st.builds(Failure, st.sampled_from(Stage), texts),
    warnings=st.lists(texts, max_size=2).map(tuple),
    second_opinion=st.none() | st.builds(SecondOpinion, tracks, tracks),
    caller_observations=st.lists(observations, max_size=2).map(tuple),
    cues=st.lists(cues, max_size=2).map(tuple),
    decisions=st.lists(decisions, max_size=2).map(tuple),
    first_speaker=st.none() | st.sampled_from(Speaker),
    transport=st.none() | st.builds(Transport, legs, legs),
    condition=st.none() | st.builds(Condition, texts, json_objects),
    settlement=st.none() | any_of(WorkSettlement),
    cleanup=st.none() | any_of(Cleanup),
    termination=st.none() | st.builds(Termination, texts, st.none() | texts, st.none() | texts),
)


def written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_kind_comes_back_as_it_went(kind: type[Observation]) -> None:
    @given(any_of(kind))
    def comes_back(seen: Observation) -> None:
        stored = json.loads(written(encode_observation(seen)))
        back = decode_observation(stored)

        assert back == seen
        assert type(back) is kind
        assert written(encode_observation(back)) == written(encode_observation(seen))

    comes_back()


@settings(max_examples=30)
@given(evidences)
def test_evidence_comes_back_to_the_byte(evidence: Evidence) -> None:
    text = written(encode_evidence(evidence))
    back = decode_evidence(json.loads(text))

    assert back == evidence
    assert written(encode_evidence(back)) == text


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(True, id="true"),
        pytest.param(1, id="one"),
        pytest.param(1.0, id="one-point-nought"),
        pytest.param("1", id="the-digit-one"),
        pytest.param(10**30, id="a-huge-integer"),
        pytest.param(-0.0, id="minus-nought"),
        pytest.param(5e-324, id="the-smallest-float"),
        pytest.param("", id="the-empty-text"),
        pytest.param("2027-07-02", id="a-date-that-stays-text"),
        pytest.param([], id="the-empty-list"),
        pytest.param({}, id="the-empty-object"),
        pytest.param([[], {}, [None]], id="a-mixture"),
        pytest.param("\x00\x7f\u2028\U0001f600", id="odd-characters"),
    ],
)
def test_free_json_keeps_its_type(value: JsonValue) -> None:
    evidence = an_evidence(observations=[a_caption(0, 1, "x")])
    stored = {**encode_evidence(evidence), "state_after": {"value": value}}
    back = decode_evidence(json.loads(written(stored)))

    assert written(back.state_after) == written({"value": value})


def test_every_kind_has_a_name_of_its_own_and_no_field_in_the_names_place() -> None:
    defined = {
        one
        for one in vars(shared.observability.observations).values()
        if isinstance(one, type) and issubclass(one, Observation)
    }

    assert set(KINDS) == defined - {Observation}
    assert len({kind.__name__ for kind in KINDS}) == len(KINDS)
    assert not any(field.name == KIND for kind in KINDS for field in fields(kind))


A_LEG = Leg(2, (40, 50), (0, 1), PlayoutRecord(200, 1, 4_800, 0, 0, 480, 960, 0))
A_CONVERSATION = replace(
    an_evidence(
        caller=spans((0, 100), (200, 300)),
        utterances=[an_utterance(0, 300)],
        observations=[a_caption(400, 500, "Hello.")],
        failure="the line broke",
    ),
    caller_observations=(a_caption(0, 300, "Hi."),),
    cues=(Cue(0, 300, CallerAction.OPENING, LabelSource.SCRIPT),),
    decisions=(
        Decision(
            500,
            700,
            3,
            DecisionStatus.ANSWERED,
            should_drain=True,
            outcome=Resolution.RESOLVED,
            closing=Closing(Interval(0, 300), carries_request=False),
        ),
    ),
    first_speaker=Speaker.CALLER,
    transport=Transport(A_LEG, A_LEG),
    condition=Condition("noisy", {"snr_db": 12.5}),
    settlement=WorkSettlement(SettlementStatus.TIMED_OUT, (Speaker.ASSISTANT,)),
    cleanup=Cleanup(
        (Speaker.CALLER,),
        (Component.ASSISTANT_CLOSE,),
        (Component.OBSERVER,),
        (CleanupError(Component.CALLER_CLOSE, "broke"),),
        1_500_000,
    ),
    termination=Termination("an_observer", "it_said_so"),
)
WHOLE = json.loads(written(encode_evidence(A_CONVERSATION)))
GONE = object()


def damaged(path: str, value: object) -> dict[str, Any]:
    """The stored evidence with one value replaced, or gone."""
    copy = deepcopy(WHOLE)
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    holder = copy
    for step in way:
        holder = holder[step]
    if value is GONE:
        del holder[last]
    else:
        holder[last] = value
    return copy


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param("extent_ms", GONE, id="a-key-gone"),
        pytest.param("surprise", 1, id="a-key-too-many"),
        pytest.param("extent_ms", "long", id="a-word-for-a-number"),
        pytest.param("extent_ms", None, id="nothing-for-a-number"),
        pytest.param("ending", "happily", id="an-unknown-ending"),
        pytest.param("failure.stage", "somewhere", id="an-unknown-stage"),
        pytest.param("caller", None, id="no-track"),
        pytest.param("second_opinion", {}, id="a-second-opinion-without-tracks"),
        pytest.param("second_opinion", {"caller": 1, "assistant": 1}, id="of-no-tracks"),
        pytest.param("caller.measured_on", "nothing", id="an-unknown-source"),
        pytest.param("caller.voiced", [[100, 100]], id="an-empty-span"),
        pytest.param("caller.voiced", [[0, 10], [5, 20]], id="spans-that-overlap"),
        pytest.param("caller.voiced", [[10, 20], [0, 5]], id="spans-out-of-order"),
        pytest.param("caller.voiced", [[0, 10], [10, 20]], id="spans-that-touch"),
        pytest.param("caller.voiced", [[0]], id="half-a-span"),
        pytest.param("caller.voiced", [[0.5, 10]], id="a-span-between-milliseconds"),
        pytest.param("caller.detector", "energy", id="a-detector-without-parameters"),
        pytest.param("utterances.0.action", "SING", id="an-unknown-action"),
        pytest.param("utterances", {"a": 1}, id="an-object-for-a-list"),
        pytest.param("observations.0.observation", "Surprise", id="an-unknown-kind"),
        pytest.param("observations.0.observation", GONE, id="an-observation-without-kind"),
        pytest.param("observations.0.text", GONE, id="an-observation-without-a-field"),
        pytest.param("observations.0.surprise", 1, id="an-observation-with-a-field-too-many"),
        pytest.param("observations.0.speaker", "nobody", id="an-unknown-speaker"),
        pytest.param("observations.0", 5, id="a-number-for-an-observation"),
        pytest.param("pacing.lateness_us", ["late"], id="a-word-for-lateness"),
        pytest.param("caller_observations.0.observation", "Surprise", id="the-callers-unknown"),
        pytest.param("cues.0.source", "overlap", id="a-rule-that-gives-a-cue"),
        pytest.param("cues.0.end_ms", -1, id="a-cue-that-ends-before-it-starts"),
        pytest.param("decisions.0.status", "guessed", id="an-unknown-status"),
        pytest.param("decisions.0.closing", {}, id="a-closing-turn-without-a-span"),
        pytest.param("first_speaker", "nobody", id="an-unknown-first-speaker"),
        pytest.param("transport.caller", None, id="a-transport-with-one-leg"),
        pytest.param("condition", {"name": "noisy"}, id="a-condition-without-what-it-came-to"),
        pytest.param("settlement.status", "hopeful", id="an-unknown-settlement"),
        pytest.param("settlement.pending.0", "nobody", id="an-unknown-side-at-work"),
        pytest.param("cleanup.timed_out.0", "broom", id="an-unknown-component"),
        pytest.param("cleanup.elapsed_us", 0.5, id="a-time-between-microseconds"),
    ],
)
def test_damage_is_refused(path: str, value: object) -> None:
    with pytest.raises(DamagedEvidenceError, match="stored evidence is damaged"):
        decode_evidence(damaged(path, value))


def test_audio_from_before_there_was_a_playout_was_neither_held_nor_shortened() -> None:
    received = AudioReceived(at(100), 2_400, 480, -200.0, is_stall=False)
    stored = encode_observation(received)
    older = {name: stored[name] for name in stored if name not in {"held_ms", "dropped_samples"}}
    assert len(older) == len(stored) - 2
    assert decode_observation(older) == received


@pytest.mark.parametrize("stored", [None, 5, "evidence", [], {}])
def test_what_is_no_evidence_at_all_is_refused(stored: Any) -> None:
    with pytest.raises(DamagedEvidenceError):
        decode_evidence(stored)


def test_evidence_from_before_there_were_conversations_is_read() -> None:
    later = {
        "second_opinion", "caller_observations", "cues", "decisions", "first_speaker", "transport",
        "condition", "settlement", "cleanup", "termination",
    }  # fmt: skip
    alone = an_evidence(observations=[a_caption(400, 500, "Hello.")])
    whole = json.loads(written(encode_evidence(alone)))
    older = {name: value for name, value in whole.items() if name not in later}

    assert set(older) == set(whole) - later
    assert decode_evidence(older) == alone


def test_undamaged_it_is_read() -> None:
    assert written(encode_evidence(decode_evidence(WHOLE))) == written(WHOLE)


def test_evidence_from_before_there_were_second_opinions_has_none() -> None:
    back = decode_evidence(damaged("second_opinion", GONE))

    assert back == decode_evidence(WHOLE)
    assert back.second_opinion is None
    assert back.by_second_opinion is None


def test_an_observation_is_an_object_that_names_its_kind() -> None:
    stored = encode_observation(a_caption(400, 500, "Hello."))

    assert isinstance(stored, Mapping)
    assert stored[KIND] == "Caption"
    assert stored["stamp"] == {"media_ms": 500, "wall_us": 500_000, "provider_ms": 400}
