"""Each deterministic check: when it passes, when it fails, and when it does not apply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from shared.grading import checks
from shared.grading.case import Case
from shared.grading.verdict import Check, CheckStatus
from shared.intervals import IntervalSet
from shared.observability.evidence import Ending
from shared.observability.observations import Caption, Observation, Speaker
from tests.support.builders import a_caption, at, spans
from tests.support.judged import (
    BOOK,
    a_call,
    a_case,
    a_delegation,
    a_policy,
    a_return,
    a_scenario,
    a_tool_use,
    an_attempt,
)

PASSED, FAILED, NOT_APPLICABLE, UNSCORED = CheckStatus
ANSWER = spans((1_500, 2_500))
SILENCE = IntervalSet()
TIMEOUT = Ending.RESPONSE_TIMEOUT
ONE, TWO = {"name": "one"}, {"name": "two", "arguments": {"n": 2}}

type Expected = CheckStatus


def test_every_check_bears_its_functions_name_and_one_sentence() -> None:
    from shared.attempts.assess import SINGLE_TURN_CHECKS

    for check in SINGLE_TURN_CHECKS:
        judged = check(a_case())
        assert judged.id == check.__name__
        assert judged.because
        assert "\n" not in judged.because


@pytest.mark.parametrize(
    ("attempt", "expected"),
    [
        pytest.param({"assistant": ANSWER}, PASSED, id="that-settled"),
        pytest.param({"assistant": ANSWER, "ending": TIMEOUT}, FAILED, id="cut-in-mid-answer"),
        pytest.param(
            {"observations": [a_delegation()], "ending": TIMEOUT}, FAILED, id="cut-with-work-open"
        ),
        pytest.param({"ending": TIMEOUT}, NOT_APPLICABLE, id="where-nothing-was-begun"),
        pytest.param(
            {"assistant": spans((100, 900)), "ending": TIMEOUT},
            NOT_APPLICABLE,
            id="where-speech-ended-before-the-request-did",
        ),
        pytest.param(
            {"assistant": spans((100, 1_000)), "ending": TIMEOUT},
            NOT_APPLICABLE,
            id="where-speech-ended-as-the-request-did",
        ),
        pytest.param(
            {"assistant": spans((100, 1_001)), "ending": TIMEOUT},
            FAILED,
            id="where-speech-ended-one-ms-after-it",
        ),
        pytest.param({"assistant": ANSWER, "ending": Ending.FAILED}, UNSCORED, id="that-broke"),
    ],
)
def test_conversation_completed(attempt: dict[str, Any], expected: Expected) -> None:
    assert checks.conversation_completed(a_case(an_attempt(**attempt))).status is expected


@pytest.mark.parametrize(
    ("attempt", "expected"),
    [
        pytest.param({"assistant": ANSWER}, PASSED, id="after-the-request"),
        pytest.param({"assistant": spans((1_000, 1_001))}, PASSED, id="right-at-its-end"),
        pytest.param(
            {"assistant": spans((500, 2_000))}, PASSED, id="from-within-it-to-1-s-past-it"
        ),
        pytest.param({"assistant": spans((500, 1_999))}, FAILED, id="a-short-sound-across-its-end"),
        pytest.param(
            {"assistant": spans((500, 1_100), (1_110, 1_200))},
            PASSED,
            id="a-sound-across-its-end-and-a-word-after-it",
        ),
        pytest.param({"assistant": spans((500, 1_000))}, FAILED, id="up-to-its-end-only"),
        pytest.param({"assistant": SILENCE}, FAILED, id="never"),
        pytest.param({"assistant": spans((20_000, 21_000))}, FAILED, id="after-the-observation"),
        pytest.param(
            {"assistant": ANSWER, "caller": SILENCE}, NOT_APPLICABLE, id="without-a-request"
        ),
    ],
)
def test_assistant_responded(attempt: dict[str, Any], expected: Expected) -> None:
    assert checks.assistant_responded(a_case(an_attempt(**attempt))).status is expected


@pytest.mark.parametrize(
    ("assistant", "because"),
    [
        pytest.param(spans((500, 1_001)), "only a short sound across", id="a-sound-across-its-end"),
        pytest.param(spans((500, 1_000)), "was not heard after", id="nothing-past-its-end"),
    ],
)
def test_a_request_without_response_is_told_apart_by(assistant: IntervalSet, because: str) -> None:
    assert because in checks.assistant_responded(a_case(an_attempt(assistant=assistant))).because


def test_a_response_is_pointed_at() -> None:
    (ref,) = checks.assistant_responded(a_case(an_attempt(assistant=spans((500, 2_600))))).refs

    assert ref.at_ms == 1_000, "what was heard before the request's end answers nothing"


@pytest.mark.parametrize(
    ("state", "before", "after", "expected"),
    [
        pytest.param({}, {}, {"a": 1}, NOT_APPLICABLE, id="nothing-expected"),
        pytest.param({"a": 1}, {}, {"a": 1, "b": 2}, PASSED, id="a-subset"),
        pytest.param({"a": 1}, {}, {"a": 2}, FAILED, id="another-value"),
        pytest.param({"a": 1}, {"a": 1}, {}, FAILED, id="a-value-that-is-gone"),
        pytest.param({"unchanged": True}, {"a": 1}, {"a": 1}, PASSED, id="as-before"),
        pytest.param(
            {"unchanged": True}, {"a": 1}, {"a": 1, "b": 2}, FAILED, id="more-than-before"
        ),
        pytest.param({"a": {"$match": "absent"}}, {}, {}, PASSED, id="absence"),
    ],
)
def test_application_state(
    state: dict[str, Any], before: dict[str, Any], after: dict[str, Any], expected: Expected
) -> None:
    evidence = an_attempt(state_before=before, state_after=after)
    case = a_case(evidence, a_scenario(expected__state=state))

    assert checks.application_state(case).status is expected


def nested(depth: int) -> dict[str, Any]:
    return {"a": nested(depth - 1)} if depth else {}


@pytest.mark.parametrize(
    ("state", "before", "after", "because"),
    [
        pytest.param({"a": 1}, {}, {"a": 2}, "a: 2, expected 1", id="the-value-that-differs"),
        pytest.param(
            {"unchanged": True}, {"a": 1}, {"a": 2}, "a: 2, was 1", id="the-value-that-changed"
        ),
        pytest.param(
            {"unchanged": True},
            nested(64),
            nested(64),
            "it did not stay as it was",
            id="nothing-where-states-are-too-deep-to-compare",
        ),
    ],
)
def test_a_wrong_state_is_told_by(
    state: dict[str, Any], before: dict[str, Any], after: dict[str, Any], because: str
) -> None:
    evidence = an_attempt(state_before=before, state_after=after)
    check = checks.application_state(a_case(evidence, a_scenario(expected__state=state)))

    assert check.because == f"the final state differs: {because}"


@pytest.mark.parametrize("check", [checks.application_state, checks.tool_contract])
@pytest.mark.parametrize(
    ("observations", "moments"),
    [
        pytest.param(a_tool_use("other"), [1_500], id="the-calls"),
        pytest.param([], [20_000], id="the-end-where-nothing-was-called"),
    ],
)
def test_what_was_not_done_is_pointed_at_by(
    check: Callable[[Case], Check], observations: Sequence[Observation], moments: list[int]
) -> None:
    scenario = a_scenario(expected__state={"a": 1}, expected__tools__required=[ONE])
    failed = check(a_case(an_attempt(observations=observations), scenario))

    assert (failed.status, [ref.at_ms for ref in failed.refs]) == (FAILED, moments)


@pytest.mark.parametrize(
    ("policy", "delegations", "expected"),
    [
        pytest.param("required", 1, PASSED, id="required-and-done"),
        pytest.param("required", 2, PASSED, id="required-and-done-twice"),
        pytest.param("required", 0, FAILED, id="required-and-not-done"),
        pytest.param("forbidden", 0, PASSED, id="forbidden-and-not-done"),
        pytest.param("forbidden", 1, FAILED, id="forbidden-and-done"),
        pytest.param("optional", 0, NOT_APPLICABLE, id="optional-and-not-done"),
        pytest.param("optional", 1, NOT_APPLICABLE, id="optional-and-done"),
    ],
)
def test_delegation_policy(policy: str, delegations: int, expected: Expected) -> None:
    seen = [a_delegation(1_100 + n, f"d{n}") for n in range(delegations)]
    case = a_case(an_attempt(observations=seen), a_scenario(expected__delegation=policy))
    check = checks.delegation_policy(case)

    assert check.status is expected
    if expected is not NOT_APPLICABLE and delegations:
        assert len(check.refs) == delegations


@pytest.mark.parametrize(
    ("tool", "is_completed", "expected"),
    [
        pytest.param("cancel", True, FAILED, id="a-prohibited-call"),
        pytest.param("cancel", False, FAILED, id="a-prohibited-call-that-was-refused"),
        pytest.param("book", True, PASSED, id="another-call"),
    ],
)
def test_authorized_actions(tool: str, is_completed: bool, expected: Expected) -> None:
    evidence = an_attempt(observations=a_tool_use(tool, is_completed=is_completed))
    scenario = a_scenario(expected__tools__prohibited=[{"name": "cancel"}])

    assert checks.authorized_actions(a_case(evidence, scenario)).status is expected


def test_without_prohibitions_every_action_is_authorized() -> None:
    assert checks.authorized_actions(a_case()).status is PASSED


USE_ONE = a_tool_use("one", at_ms=1_100, call_id="a")
USE_TWO = a_tool_use("two", {"n": 2}, at_ms=2_100, call_id="b")


@pytest.mark.parametrize(
    ("required", "observations", "expected", "because"),
    [
        pytest.param([], [], PASSED, "0 required", id="nothing-required-and-nothing-called"),
        pytest.param([ONE], USE_ONE, PASSED, "1 required", id="the-call"),
        pytest.param([ONE, TWO], [*USE_ONE, *USE_TWO], PASSED, "2 required", id="all-in-order"),
        pytest.param([TWO, ONE], [*USE_ONE, *USE_TWO], FAILED, "another order", id="out-of-order"),
        pytest.param([ONE], [], FAILED, "missing: one", id="a-missing-call"),
        pytest.param([ONE], [*USE_ONE, *USE_TWO], FAILED, "not asked for: two", id="an-extra-call"),
        pytest.param([], USE_ONE, FAILED, "not asked for: one", id="a-call-nobody-asked-for"),
        pytest.param(
            [TWO],
            a_tool_use("two", {"n": 3}),
            FAILED,
            "two: n: 3, expected 2",
            id="a-wrong-argument",
        ),
        pytest.param(
            [TWO],
            a_tool_use("three", {"n": 3}),
            FAILED,
            "missing: two; not asked for: three",
            id="a-tool-whose-name-comes-before-is-not-the-wanted-one",
        ),
        pytest.param(
            [TWO],
            a_tool_use("undo", {"n": 3}),
            FAILED,
            "missing: two; not asked for: undo",
            id="nor-is-one-whose-name-comes-after",
        ),
        pytest.param(
            [ONE], a_tool_use("one", is_completed=False), FAILED, "one failed", id="a-failed-one"
        ),
        pytest.param([ONE], [a_call("one")], FAILED, "never returned", id="one-without-outcome"),
        pytest.param(
            [{**ONE, "status": "any"}],
            a_tool_use("one", is_completed=False),
            PASSED,
            "1 required",
            id="a-failed-one-where-any-end-will-do",
        ),
        pytest.param(
            [ONE],
            [*a_tool_use("one", call_id="x", is_completed=False), *USE_ONE],
            FAILED,
            "one failed",
            id="a-failure-before-the-success",
        ),
        pytest.param(
            [ONE],
            [*USE_ONE, *a_tool_use("one", call_id="z", at_ms=3_000)],
            FAILED,
            "not asked for: one",
            id="the-call-twice",
        ),
        pytest.param(
            [ONE], [a_call("one", is_broken=True)], FAILED, "one failed", id="broken-arguments"
        ),
    ],
)
def test_tool_contract(
    required: list[dict[str, Any]],
    observations: Sequence[Observation],
    expected: Expected,
    because: str,
) -> None:
    scenario = a_scenario(expected__tools__required=required)
    check = checks.tool_contract(a_case(an_attempt(observations=observations), scenario))

    assert (check.status, because in check.because) == (expected, True), check.because


@pytest.mark.parametrize(
    ("observations", "assistant", "expected"),
    [
        pytest.param([], spans((2_100, 2_500)), NOT_APPLICABLE, id="without-a-tool"),
        pytest.param(
            a_tool_use(is_completed=False),
            spans((2_100, 2_500)),
            NOT_APPLICABLE,
            id="a-failed-tool",
        ),
        pytest.param(a_tool_use(), spans((2_000, 2_500)), PASSED, id="begun-right-at-the-result"),
        pytest.param(a_tool_use(), spans((1_999, 2_500)), FAILED, id="begun-one-ms-before-it"),
        pytest.param(a_tool_use(), SILENCE, FAILED, id="never"),
        pytest.param(a_tool_use(), spans((1_500, 9_000)), FAILED, id="a-filler-that-runs-on"),
        pytest.param(
            a_tool_use(),
            spans((1_500, 1_900), (2_199, 9_000)),
            FAILED,
            id="a-pause-one-ms-too-short-is-the-same-speech",
        ),
        pytest.param(
            a_tool_use(),
            spans((1_500, 1_900), (2_200, 9_000)),
            PASSED,
            id="after-a-pause-of-300-ms-it-is-new",
        ),
        pytest.param(
            [*a_tool_use(call_id="a"), *a_tool_use(call_id="b", at_ms=3_000)],
            spans((2_100, 2_500)),
            FAILED,
            id="between-two-results",
        ),
        pytest.param(
            [
                a_call(call_id="a"),
                a_call(call_id="b"),
                a_return(call_id="b", at_ms=2_000),
                a_return(call_id="a", at_ms=3_000),
            ],
            spans((2_100, 4_000)),
            FAILED,
            id="the-last-result-is-the-last-to-return",
        ),
        pytest.param(
            [*a_tool_use(call_id="a"), *a_tool_use(call_id="b", at_ms=3_000, is_completed=False)],
            spans((2_100, 2_500)),
            PASSED,
            id="a-failed-tool-is-no-result",
        ),
    ],
)
def test_grounded_response(
    observations: Sequence[Observation], assistant: IntervalSet, expected: Expected
) -> None:
    case = a_case(an_attempt(observations=observations, assistant=assistant))

    assert checks.grounded_response(case).status is expected


CLAIMS = [((BOOK, "move"), (r"\bbooked\b", r"all set")), (("cancel",), (r"\bcancelled\b",))]


def said(*fragments: tuple[int, str], length_ms: int = 200) -> list[Caption]:
    """Captions of the assistant, each received when it begins."""
    return [a_caption(at_ms, at_ms + length_ms, text, at_ms) for at_ms, text in fragments]


def judged(check: Callable[[Case], Check], *observations: Observation, **policy: Any) -> Check:
    evidence = an_attempt(observations=observations, assistant=ANSWER)
    return check(a_case(evidence, a_scenario(type="refusal"), a_policy(**policy)))


@pytest.mark.parametrize(
    ("observations", "expected"),
    [
        pytest.param([*a_tool_use(), *said((2_100, "It's booked."))], PASSED, id="after-its-tool"),
        pytest.param([*said((2_100, "It's booked.")), *a_tool_use()], FAILED, id="before-its-tool"),
        pytest.param(said((2_100, "It's booked.")), FAILED, id="without-any-tool"),
        pytest.param(said((2_100, "BOOKED!")), FAILED, id="in-any-case"),
        pytest.param(said((2_100, "The cookbooked")), PASSED, id="not-inside-another-word"),
        pytest.param(
            [*a_tool_use(is_completed=False), *said((2_100, "It's booked."))],
            FAILED,
            id="after-its-tool-failed",
        ),
        pytest.param(
            [a_call(), *said((2_100, "It's booked.")), a_return(at_ms=2_500)],
            FAILED,
            id="while-its-tool-still-runs",
        ),
        pytest.param(
            [*a_tool_use("cancel"), *said((2_100, "It's booked."))], FAILED, id="after-another-tool"
        ),
        pytest.param(
            [*a_tool_use("move"), *said((2_100, "All set."))], PASSED, id="after-one-of-its-tools"
        ),
        pytest.param(
            [*a_tool_use(), *said((2_100, "Booked, and the old one is cancelled."))],
            FAILED,
            id="one-of-two-claims-being-untrue",
        ),
        pytest.param([*a_tool_use(), *said((2_100, "Hello."))], PASSED, id="no-claim-at-all"),
        pytest.param(
            [Caption(at(2_100), Speaker.CALLER, "Is it booked?", 2_000, 2_100)],
            PASSED,
            id="the-caller-saying-so",
        ),
        pytest.param(
            said((2_100, "It's boo"), (2_300, "ked.")), FAILED, id="cut-in-two-by-fragments"
        ),
        pytest.param(
            [*said((2_100, "It's boo")), *a_tool_use(), *said((2_300, "ked."))],
            FAILED,
            id="begun-before-the-tool-had-completed",
        ),
        pytest.param(
            [*said((1_900, "It is ")), *a_tool_use(), *said((2_100, "booked."))],
            PASSED,
            id="whose-words-came-after-it-though-the-sentence-began-before",
        ),
        pytest.param(
            said((2_000, "It's all"), (2_000 + 200 + 600, " set")),
            PASSED,
            id="two-sentences-that-are-600-ms-apart",
        ),
        pytest.param(
            said((2_000, "It's all"), (2_000 + 200 + 599, " set")),
            FAILED,
            id="one-sentence-with-a-gap-of-599-ms",
        ),
        pytest.param(
            said((100, "It's all"), (1_000, " set")),
            PASSED,
            id="two-sentences-that-are-700-ms-apart",
        ),
        pytest.param(
            said((100, "Hello."), (2_000, "It's al"), (2_400, "l s"), (2_800, "et.")),
            FAILED,
            id="the-second-sentence-in-three-fragments",
        ),
    ],
)
def test_grounded_confirmation(observations: Sequence[Observation], expected: Expected) -> None:
    check = judged(checks.grounded_confirmation, *observations, confirmations=CLAIMS)

    assert check.status is expected


def test_without_phrases_nothing_counts_as_a_claim() -> None:
    check = judged(checks.grounded_confirmation, *said((2_100, "It's booked.")))

    assert check.status is NOT_APPLICABLE


def test_an_untrue_claim_is_pointed_at_where_its_words_came() -> None:
    observations = said((2_100, "Well, "), (2_300, "it's booked."))
    (ref,) = judged(checks.grounded_confirmation, *observations, confirmations=CLAIMS).refs

    assert (ref.at_ms, ref.what) == (2_300, "said: booked")


THREE_PIECES = said((2_100, "It's b"), (2_300, "ook"), (2_500, "ed"))


@pytest.mark.parametrize(
    ("pattern", "at_ms"),
    [
        pytest.param("booked", 2_100, id="from-the-last-letter-of-the-first-piece"),
        pytest.param("ooked", 2_300, id="from-the-first-letter-of-the-second"),
        pytest.param("ed", 2_500, id="in-the-last"),
        pytest.param("(?<=booked)", 2_500, id="past-all-of-them-in-the-last"),
    ],
)
def test_a_claim_comes_with_the_piece_that_holds_its_first_letter(pattern: str, at_ms: int) -> None:
    claims = [(("book",), (pattern,))]
    (ref,) = judged(checks.grounded_confirmation, *THREE_PIECES, confirmations=claims).refs

    assert ref.at_ms == at_ms


def test_a_refusal_is_pointed_at_where_its_sentence_began() -> None:
    observations = said((2_100, "I "), (2_300, "ca"), (2_500, "n't."))
    (ref,) = judged(checks.refusal_stated, *observations, refusals=["can't"]).refs

    assert (ref.at_ms, ref.what) == (2_100, "can't")


@pytest.mark.parametrize(
    ("observations", "expected"),
    [
        pytest.param(said((2_100, "I'm afraid I can't.")), PASSED, id="in-words"),
        pytest.param(said((2_100, "I CAN'T.")), PASSED, id="in-any-case"),
        pytest.param(said((2_100, "I ca"), (2_300, "n't.")), PASSED, id="in-fragments"),
        pytest.param(said((2_100, "Of course.")), FAILED, id="not-in-these-words"),
        pytest.param([], FAILED, id="not-at-all"),
        pytest.param(
            [Caption(at(2_100), Speaker.CALLER, "I can't.", 2_000, 2_100)],
            FAILED,
            id="by-the-caller",
        ),
    ],
)
def test_refusal_stated(observations: Sequence[Observation], expected: Expected) -> None:
    check = judged(checks.refusal_stated, *observations, refusals=["I can't"])

    assert check.status is expected


@pytest.mark.parametrize(
    ("scenario_type", "patterns"),
    [
        pytest.param("booking", ["sorry"], id="in-a-scenario-of-another-type"),
        pytest.param(None, ["sorry"], id="in-a-scenario-without-a-type"),
        pytest.param("refusal", [], id="without-patterns"),
    ],
)
def test_no_refusal_is_expected(scenario_type: str | None, patterns: list[str]) -> None:
    case = a_case(an_attempt(), a_scenario(type=scenario_type), a_policy(refusals=patterns))

    assert checks.refusal_stated(case).status is NOT_APPLICABLE
