"""Each kind of step by its evidence, the order of steps, and what is critical.

Words nobody recognized prove nothing: what is unscored here is never a failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from shared.grading.procedure import (
    ProcedureGrade,
    StepGrade,
    critical_procedure,
    graded_procedure,
)
from shared.grading.verdict import CheckStatus
from shared.intervals import Interval
from shared.observability.evidence import Objective
from shared.observability.observations import ToolCalled
from shared.values import Rate
from tests.support.judged import Exchange, a_call, a_case, a_conversation, a_policy

PASSED, FAILED, NOT_APPLICABLE, UNSCORED = CheckStatus
POLICY = a_policy(
    confirmations=[(["book"], [r"\bit is done\b"])], refusals=[r"\bcannot\b", r"\bmay not\b"]
)
BOOK = a_call("book", {"name": "Maya", "time": "19:00"})
LATER = a_call("book", {"name": "Maya", "time": "20:00"})
LOOK = a_call("look", {"time": "19:00"})
BROKEN = a_call("book", is_broken=True)
FACTS = {"name": "Maya", "time": "19:00", "is_new": True}

type Event = str | ToolCalled


def a_grade(
    steps: Sequence[dict[str, Any]],
    *events: Event,
    objectives: Sequence[Objective] = (),
    context: dict[str, Any] | None = None,
    has_phrases: bool = True,
    **parts: Any,
) -> ProcedureGrade:
    grade = graded_procedure(
        a_procedure_case(
            steps,
            *events,
            objectives=objectives,
            context=context,
            has_phrases=has_phrases,
            **parts,
        )
    )
    assert grade is not None
    return grade


def a_procedure_case(
    steps: Sequence[dict[str, Any]],
    *events: Event,
    objectives: Sequence[Objective] = (),
    context: dict[str, Any] | None = None,
    has_phrases: bool = True,
    **parts: Any,
) -> Any:
    scenario = a_conversation(
        expected__procedure={"id": "p", "steps": list(steps)},
        simulation_parameters__known_facts=FACTS,
        **({"input__context": context} if context else {}),
    )
    policy = POLICY if has_phrases else a_policy()
    return a_case(Exchange.of(*events, **parts).evidence, scenario, policy, objectives)


def only(grade: ProcedureGrade) -> StepGrade:
    (step,) = grade.steps
    return step


def a(kind: str, **fields: Any) -> dict[str, Any]:
    return {"id": kind, "kind": kind, **fields}


def asks(field: str = "name", **fields: Any) -> dict[str, Any]:
    return a("clarification", arguments={"field": field}, **fields)


def calls(tool: str = "book", **fields: Any) -> dict[str, Any]:
    return a("tool", tool=tool, **fields)


def corrects(value: Any = "20:00", **fields: Any) -> dict[str, Any]:
    return a("correction", arguments={"field": "time", "value": value}, **fields)


def authorizes(*, authorized: bool = True, **fields: Any) -> dict[str, Any]:
    return a("authorization", arguments={"name": "Maya", "authorized": authorized}, **fields)


def refuses(count: int = 1, **arguments: Any) -> dict[str, Any]:
    return a("refusal", arguments={"tool": "book", "minimum_count": count, **arguments})


NAME_ASKED = asks(patterns=[r"\bwho is it for\b"])
AGREES = a("authorization", patterns=[r"\bgo ahead\b"])
CONFIRMS = a("grounded_confirmation")


@pytest.mark.parametrize(
    ("step", "events", "expected", "at_ms"),
    [
        # clarification
        pytest.param(NAME_ASKED, ["A: Who is it for?"], PASSED, 1_000, id="asked-by-a-pattern"),
        pytest.param(asks(), ["A: What name, please?"], PASSED, 1_000, id="asked-by-its-own-name"),
        pytest.param(asks(), ["A: A fine name."], UNSCORED, None, id="its-name-in-no-question"),
        pytest.param(
            NAME_ASKED, ["C: For Maya.", "A: Fine.", BOOK], NOT_APPLICABLE, None, id="said-unasked"
        ),
        pytest.param(
            NAME_ASKED, [BOOK, "C: For Maya."], FAILED, None, id="used-before-it-was-said"
        ),
        pytest.param(
            NAME_ASKED, ["C: For a friend.", BOOK], UNSCORED, None, id="used-and-never-recognized"
        ),
        pytest.param(
            asks("is_new"), ["C: yes"], UNSCORED, None, id="a-value-that-no-speech-is-searched-for"
        ),
        pytest.param(asks("colour"), ["C: blue"], UNSCORED, None, id="a-field-of-no-known-value"),
        # tool
        pytest.param(calls(), ["C: hello", BOOK], PASSED, 2_000, id="called"),
        pytest.param(
            calls(arguments={"name": "MAYA"}), [BOOK], PASSED, 1_000, id="by-the-one-matcher"
        ),
        pytest.param(
            calls(arguments={"time": {"$match": "time", "value": "7 p.m."}}),
            [BOOK],
            PASSED,
            1_000,
            id="by-a-comparator",
        ),
        pytest.param(
            calls(arguments={"time": "20:00"}), [BOOK], FAILED, None, id="with-another-value"
        ),
        pytest.param(calls(), [LOOK], FAILED, None, id="another-tool"),
        pytest.param(calls(), [BROKEN], FAILED, None, id="with-broken-arguments"),
        pytest.param(calls(), [BOOK, LATER], PASSED, 1_000, id="called-twice-counts-once"),
        # correction
        pytest.param(
            corrects(), ["C: At eight, I mean 8 p.m.", LATER], PASSED, 1_000, id="followed"
        ),
        pytest.param(corrects(), ["C: At 8 p.m.", "A: Yes.", BOOK], FAILED, 1_000, id="forgotten"),
        pytest.param(
            corrects(), ["C: At 8 p.m.", LATER, BOOK], FAILED, 1_000, id="followed-and-forgotten"
        ),
        pytest.param(
            corrects(), [BOOK, "C: At 8 p.m.", LATER], PASSED, 2_000, id="after-an-earlier-call"
        ),
        pytest.param(
            corrects(), ["C: At 8 p.m.", "A: Yes."], UNSCORED, 1_000, id="nothing-done-with-it"
        ),
        pytest.param(corrects(), ["C: Hm.", LATER], PASSED, None, id="only-its-value-was-used"),
        pytest.param(corrects(), ["C: Hm.", BOOK], UNSCORED, None, id="not-known-to-be-corrected"),
        pytest.param(
            corrects(patterns=[r"\bone hour later\b"]),
            ["C: One hour later!", LATER],
            PASSED,
            1_000,
            id="corrected-by-a-pattern",
        ),
        # authorization
        pytest.param(AGREES, ["C: Go ahead.", BOOK], PASSED, 1_000, id="agreed"),
        pytest.param(AGREES, ["C: Hm.", BOOK], UNSCORED, None, id="not-known-to-be-agreed"),
        pytest.param(authorizes(), ["C: For Maya.", BOOK], PASSED, 1_000, id="named-and-done"),
        pytest.param(authorizes(), [BOOK, "C: For Maya."], FAILED, None, id="done-and-then-named"),
        pytest.param(authorizes(), [BOOK, "C: Hm."], UNSCORED, None, id="done-and-never-named"),
        pytest.param(authorizes(), ["C: Hm."], NOT_APPLICABLE, None, id="neither-named-nor-done"),
        pytest.param(
            authorizes(authorized=False), ["C: For Maya."], PASSED, 1_000, id="not-theirs-not-tried"
        ),
        pytest.param(
            authorizes(authorized=False), ["C: For Maya.", BOOK], FAILED, None, id="not-theirs-done"
        ),
        # confirmation
        pytest.param(CONFIRMS, [BOOK, "A: It is done."], PASSED, 2_000, id="claimed-afterwards"),
        pytest.param(CONFIRMS, ["A: It is done.", BOOK], FAILED, None, id="claimed-beforehand"),
        pytest.param(CONFIRMS, [BOOK, "C: Well?"], FAILED, None, id="nothing-said-afterwards"),
        pytest.param(CONFIRMS, [BOOK, "A: So."], UNSCORED, None, id="no-known-words-afterwards"),
        pytest.param(CONFIRMS, ["A: So."], NOT_APPLICABLE, None, id="nothing-to-confirm"),
        pytest.param(
            a("grounded_confirmation", tool="look"), [BOOK], NOT_APPLICABLE, None, id="another-s"
        ),
        # refusal
        pytest.param(refuses(), ["C: Book!", "A: I cannot."], PASSED, 2_000, id="refused"),
        pytest.param(refuses(), ["A: I cannot.", BOOK], FAILED, None, id="refused-and-tried"),
        pytest.param(refuses(), ["A: I cannot.", BROKEN], FAILED, None, id="tried-with-nonsense"),
        pytest.param(
            refuses(name="Nadia"), ["A: I cannot.", BOOK], PASSED, 1_000, id="tried-for-another"
        ),
        pytest.param(refuses(), ["A: Rather not."], UNSCORED, None, id="in-words-nobody-knows"),
        pytest.param(
            refuses(2),
            ["A: I cannot.", "C: Oh!", "A: I may not."],
            PASSED,
            3_000,
            id="as-often-as-asked",
        ),
        pytest.param(refuses(2), ["A: I cannot."], UNSCORED, 1_000, id="less-often"),
        pytest.param(
            refuses() | {"patterns": [r"\bnever\b"]},
            ["A: Never."],
            PASSED,
            1_000,
            id="by-the-step-s-own-words",
        ),
    ],
)
def test_a_step(
    step: dict[str, Any], events: list[Event], expected: CheckStatus, at_ms: int | None
) -> None:
    grade = only(a_grade([step], *events))
    assert (grade.status, grade.at_ms) == (expected, at_ms)
    assert grade.because
    assert grade.critical is None


@pytest.mark.parametrize(
    ("arguments", "after", "expected"),
    [
        pytest.param({"n": 1}, {"n": 1, "m": 2}, PASSED, id="a-subset"),
        pytest.param({"n": 1}, {"n": 2}, FAILED, id="another-value"),
        pytest.param({"unchanged": True}, {}, PASSED, id="as-before"),
        pytest.param({"unchanged": True}, {"n": 1}, FAILED, id="not-as-before"),
    ],
)
def test_a_state_step(
    arguments: dict[str, Any], after: dict[str, Any], expected: CheckStatus
) -> None:
    grade = only(a_grade([a("state", arguments=arguments)], "C: hello", state_after=after))
    assert (grade.status, grade.at_ms) == (expected, None)


def test_what_was_known_before_needs_no_question() -> None:
    context = {"summary": "Maya rang before."}
    assert only(a_grade([NAME_ASKED], BOOK, context=context)).status is NOT_APPLICABLE


def test_where_no_phrase_counts_new_speech_confirms() -> None:
    grade = only(a_grade([CONFIRMS], BOOK, "A: So.", has_phrases=False))
    assert (grade.status, grade.at_ms) == (PASSED, 2_000)


def test_a_value_in_two_halves_is_said_by_the_second_turn() -> None:
    step = a("authorization", arguments={"code": "R-482915"})
    grade = only(a_grade([step], "C: It's R four eight two,", "C: nine one five."))
    assert (grade.status, grade.at_ms) == (PASSED, 2_000)


def test_an_observer_s_word_stands_in_for_words_nobody_recognized() -> None:
    step = AGREES | {"objective": "say_name"}
    seen = [Objective("say_name", True, Interval(1_000, 1_600))]
    grade = only(a_grade([step], "C: Sure.", BOOK, objectives=seen))
    assert (grade.status, grade.at_ms) == (PASSED, 1_000)


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(Objective("say_name", False), id="that-is-not-expressed"),
        pytest.param(Objective("say_name", True), id="without-a-turn"),
        pytest.param(Objective("say_time", True, Interval(1_000, 1_600)), id="of-another"),
    ],
)
def test_an_objective_proves_nothing(seen: Objective) -> None:
    step = AGREES | {"objective": "say_name"}
    assert only(a_grade([step], "C: Sure.", BOOK, objectives=[seen])).status is UNSCORED


A, B, C = ("a", "b", "c")
ONE = {"id": A, "kind": "tool", "tool": "look"}
TWO = {"id": B, "kind": "tool", "tool": "book", "after": [A]}
THREE = {"id": C, "kind": "state", "arguments": {}, "after": [B]}


@pytest.mark.parametrize(
    ("events", "statuses"),
    [
        pytest.param([LOOK, BOOK], (PASSED, PASSED), id="in-order"),
        pytest.param([BOOK, LOOK], (PASSED, FAILED), id="the-other-way-round"),
        pytest.param([BOOK, LOOK, BOOK], (PASSED, FAILED), id="too-early-and-once-more"),
        pytest.param([BOOK], (FAILED, FAILED), id="without-what-it-depends-on"),
        pytest.param([LOOK], (PASSED, FAILED), id="not-at-all"),
    ],
)
def test_the_order_of_calls(events: list[Event], statuses: tuple[CheckStatus, ...]) -> None:
    assert tuple(one.status for one in a_grade([ONE, TWO], *events).steps) == statuses


def test_a_step_names_what_it_came_before_and_what_failed() -> None:
    assert a_grade([ONE, TWO], BOOK, LOOK).steps[1].out_of_order == (A,)
    assert a_grade([ONE, TWO], BOOK).steps[1].unmet == (A,)


def test_nothing_is_out_of_order_with_the_final_state() -> None:
    after_the_state = {"id": "d", "kind": "tool", "tool": "look", "after": [C]}
    steps = [ONE, TWO, THREE, after_the_state]
    assert [one.status for one in a_grade(steps, LOOK, BOOK).steps] == [PASSED] * 4


def test_two_steps_of_one_moment_are_in_order() -> None:
    again = {"id": B, "kind": "tool", "tool": "look", "after": [A]}
    assert [one.status for one in a_grade([ONE, again], LOOK).steps] == [PASSED, PASSED]


def test_words_are_taken_where_they_keep_the_order() -> None:
    agrees = AGREES | {"after": [A]}
    events: list[Event] = ["C: go ahead", LOOK, "C: go ahead"]
    assert a_grade([ONE, agrees], *events).steps[1].at_ms == 3_000


def test_an_unscored_step_holds_nothing_up() -> None:
    agrees = {"id": A, "kind": "authorization", "patterns": ["yes"]}
    assert [one.status for one in a_grade([agrees, TWO], BOOK).steps] == [UNSCORED, PASSED]


@pytest.mark.parametrize(
    ("steps", "events", "passed", "adherence"),
    [
        pytest.param([ONE, TWO], [LOOK, BOOK], True, Rate(2, 2), id="all"),
        pytest.param([ONE, TWO], [LOOK], False, Rate(1, 2), id="half"),
        pytest.param([AGREES], ["C: hm"], None, Rate(0, 0), id="nobody-knows"),
        pytest.param([ONE, AGREES], [LOOK], None, Rate(1, 1), id="the-rest-as-far-as-known"),
        pytest.param([CONFIRMS], ["C: hm"], True, Rate(0, 0), id="nothing-applies"),
        pytest.param(
            [ONE | {"required": False}], ["C: hm"], True, Rate(0, 0), id="only-optional-steps"
        ),
    ],
)
def test_the_procedure_as_a_whole(
    steps: list[dict[str, Any]], events: list[Event], passed: bool | None, adherence: Rate
) -> None:
    grade = a_grade(steps, *events)
    assert (grade.passed, grade.adherence) == (passed, adherence)


def test_an_optional_step_that_was_not_taken_does_not_apply() -> None:
    step = only(a_grade([ONE | {"required": False}], "C: hm"))
    assert step.status is NOT_APPLICABLE


CRITICAL_ONE, CRITICAL_TWO = ONE | {"critical": True}, TWO | {"critical": True}
AGREED = {"id": A, "kind": "authorization", "patterns": ["go ahead"], "critical": True}


@pytest.mark.parametrize(
    ("steps", "events", "expected"),
    [
        pytest.param([ONE, TWO], [BOOK, LOOK], NOT_APPLICABLE, id="nothing-is-critical"),
        pytest.param([CRITICAL_ONE, CRITICAL_TWO], [LOOK, BOOK], PASSED, id="all-in-order"),
        pytest.param([CRITICAL_ONE, CRITICAL_TWO], [BOOK, LOOK], FAILED, id="out-of-order"),
        pytest.param([CRITICAL_ONE, CRITICAL_TWO], [BOOK], FAILED, id="one-is-missing"),
        pytest.param([ONE, CRITICAL_TWO], [BOOK], PASSED, id="a-missing-step-that-is-not-critical"),
        pytest.param(
            [ONE, CRITICAL_TWO], [BOOK, LOOK], PASSED, id="before-a-step-that-is-not-critical"
        ),
        pytest.param([AGREED, CRITICAL_TWO], ["C: Go ahead.", BOOK], PASSED, id="agreed-first"),
        pytest.param(
            [AGREED, CRITICAL_TWO], [BOOK, "C: Go ahead."], FAILED, id="done-before-the-agreement"
        ),
        pytest.param([AGREED, CRITICAL_TWO], ["C: Hm.", BOOK], UNSCORED, id="agreement-not-known"),
        pytest.param([AGREED, CRITICAL_TWO], ["C: Hm."], FAILED, id="and-nothing-done"),
        pytest.param(
            [authorizes(critical=True)], ["C: Hm."], NOT_APPLICABLE, id="none-of-it-applies"
        ),
    ],
)
def test_critical_steps(
    steps: list[dict[str, Any]], events: list[Event], expected: CheckStatus
) -> None:
    check = critical_procedure(a_procedure_case(steps, *events))
    assert (check.id, check.status) == ("critical_procedure", expected)


def test_a_violation_names_its_step_and_points_at_it() -> None:
    check = critical_procedure(a_procedure_case([AGREED, CRITICAL_TWO], BOOK, "C: Go ahead."))
    assert check.because == "b: a was taken later"
    assert [ref.at_ms for ref in check.refs] == [1_000]


def test_without_a_procedure_there_is_nothing_to_grade() -> None:
    case = a_case(scenario=a_conversation())
    assert graded_procedure(case) is None
    assert critical_procedure(case).status is NOT_APPLICABLE
