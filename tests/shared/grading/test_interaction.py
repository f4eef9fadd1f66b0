"""Declared limits, each a check: exactly at the limit passes, one beyond fails."""

from __future__ import annotations

from typing import Any

import pytest

from shared.grading.case import Case
from shared.grading.interaction import LIMITS, limit_checks
from shared.grading.verdict import Check, CheckStatus
from shared.intervals import IntervalSet
from shared.observability.evidence import CallerAction, Evidence
from shared.scenario_types import InteractionLimits
from tests.support.builders import an_utterance, spans
from tests.support.judged import a_case, a_conversation, a_delegation, an_attempt

PASSED, FAILED, NOT_APPLICABLE, _ = CheckStatus
SPEAK, BACKCHANNEL, INTERRUPT = (
    CallerAction.SPEAK,
    CallerAction.BACKCHANNEL,
    CallerAction.INTERRUPT,
)


def the_check(evidence: Evidence, name: str, limit: float) -> Check:
    (check,) = limit_checks(
        a_case(evidence, a_conversation(**{f"expected.interaction.{name}": limit}))
    )
    assert check.id == name
    return check


def talk(*said: tuple[int, int, CallerAction], assistant: IntervalSet, **parts: Any) -> Evidence:
    """The caller says some things while the assistant speaks."""
    return an_attempt(
        caller=spans(*((start, end) for start, end, _ in said)),
        utterances=[an_utterance(start, end, action) for start, end, action in said],
        assistant=assistant,
        **parts,
    )


ASKED = ((0, 1_000, SPEAK),)
ASKED_TWICE = (*ASKED, (8_000, 9_000, SPEAK))
ONE_OF_TWO = talk(*ASKED_TWICE, assistant=spans((1_400, 2_000)))
ANSWERED_AT_400 = talk(*ASKED, assistant=spans((1_400, 2_000)))
LATE_BY_100 = talk(*ASKED, assistant=spans((6_100, 7_000)))
FAST_AND_LATE = talk(*ASKED_TWICE, assistant=spans((1_400, 2_000), (14_500, 15_000)))
SILENT = talk(*ASKED, assistant=IntervalSet())
NOBODY_ASKED = talk(assistant=spans((0, 500)))
BROKE_IN_ONCE = talk(*ASKED, assistant=spans((500, 700), (1_400, 2_000)))
HUMMED = talk(*ASKED, assistant=spans((900, 1_300)))
HUMMED_AND_ANSWERED = talk(*ASKED, assistant=spans((900, 1_300), (2_000, 3_000)))
SPOKE_THROUGH = talk(*ASKED, assistant=spans((500, 2_000)))
WAS_INTERRUPTED = talk(
    (0, 1_000, SPEAK), (3_000, 4_000, INTERRUPT), assistant=spans((1_400, 3_350))
)
NEVER_YIELDED = talk((0, 1_000, SPEAK), (3_000, 4_000, INTERRUPT), assistant=spans((1_400, 9_000)))
GAVE_WAY = talk((0, 1_000, SPEAK), (3_000, 3_300, BACKCHANNEL), assistant=spans((1_400, 3_100)))
WENT_ON = talk((0, 1_000, SPEAK), (3_000, 3_300, BACKCHANNEL), assistant=spans((1_400, 6_000)))
INTERRUPTED_TWICE = talk(
    (0, 1_000, SPEAK),
    (3_000, 4_000, INTERRUPT),
    (8_000, 9_000, INTERRUPT),
    assistant=spans((1_400, 3_350), (7_000, 9_500)),
)
BROKE_IN_AND_SPOKE_THROUGH = talk(*ASKED_TWICE, assistant=spans((500, 700), (8_500, 9_500)))
GAVE_WAY_TO_ONE_OF_TWO, GAVE_WAY_TO_TWO_OF_THREE = (
    talk(
        (0, 1_000, SPEAK),
        (3_000, 3_300, BACKCHANNEL),
        (10_000, 10_300, BACKCHANNEL),
        *more,
        assistant=spans((1_400, 6_000), (9_000, 10_100), (14_000, 15_100)),
    )
    for more in ((), ((15_000, 15_300, BACKCHANNEL),))
)
HELD_THE_FLOOR = talk(
    *ASKED, assistant=spans((3_000, 4_000), (5_000, 20_000)), observations=[a_delegation(1_500)]
)


@pytest.mark.parametrize(
    ("evidence", "name", "limit", "expected"),
    [
        pytest.param(ONE_OF_TWO, "response_rate_min", 0.5, PASSED, id="half-is-answered"),
        pytest.param(ONE_OF_TWO, "response_rate_min", 0.25, PASSED, id="more-than-the-least"),
        pytest.param(ONE_OF_TWO, "response_rate_min", 0.500_1, FAILED, id="less-than-the-least"),
        pytest.param(ANSWERED_AT_400, "response_rate_min", 1, PASSED, id="all-is-answered"),
        pytest.param(SILENT, "response_rate_min", 0, PASSED, id="nothing-is-asked-for"),
        pytest.param(SILENT, "response_rate_min", 0.001, FAILED, id="nothing-is-answered"),
        pytest.param(NOBODY_ASKED, "response_rate_min", 1, NOT_APPLICABLE, id="nobody-asked"),
        pytest.param(HUMMED, "response_rate_min", 0.1, FAILED, id="a-sound-across-the-end-alone"),
        pytest.param(
            HUMMED_AND_ANSWERED, "response_rate_min", 0.1, FAILED, id="it-leaves-nothing-to-count"
        ),
        pytest.param(
            HUMMED_AND_ANSWERED, "response_latency_max_ms", 9_000, FAILED, id="nor-anything-to-time"
        ),
        pytest.param(
            SPOKE_THROUGH, "response_latency_max_ms", 10, NOT_APPLICABLE, id="it-answered-across-it"
        ),
        pytest.param(ANSWERED_AT_400, "response_latency_max_ms", 400, PASSED, id="at-the-latency"),
        pytest.param(ANSWERED_AT_400, "response_latency_max_ms", 399, FAILED, id="one-ms-too-late"),
        pytest.param(
            ANSWERED_AT_400, "response_latency_max_ms", 401, PASSED, id="sooner-than-that"
        ),
        pytest.param(LATE_BY_100, "response_latency_max_ms", 5_100, PASSED, id="late-but-allowed"),
        pytest.param(LATE_BY_100, "response_latency_max_ms", 5_099, FAILED, id="a-late-answer"),
        pytest.param(
            FAST_AND_LATE, "response_latency_max_ms", 5_499, FAILED, id="the-worst-of-several"
        ),
        pytest.param(SILENT, "response_latency_max_ms", 1, NOT_APPLICABLE, id="no-answer-at-all"),
        pytest.param(ANSWERED_AT_400, "interruptions_max", 0, PASSED, id="nobody-broke-in"),
        pytest.param(BROKE_IN_ONCE, "interruptions_max", 1, PASSED, id="once-is-allowed"),
        pytest.param(BROKE_IN_ONCE, "interruptions_max", 2, PASSED, id="less-often-than-allowed"),
        pytest.param(
            BROKE_IN_AND_SPOKE_THROUGH, "interruptions_max", 1, FAILED, id="both-kinds-are-added"
        ),
        pytest.param(BROKE_IN_ONCE, "interruptions_max", 0, FAILED, id="once-is-not-allowed"),
        pytest.param(SPOKE_THROUGH, "interruptions_max", 0, FAILED, id="a-request-spoken-through"),
        pytest.param(NOBODY_ASKED, "interruptions_max", 0, PASSED, id="nothing-to-interrupt"),
        pytest.param(
            WAS_INTERRUPTED, "yield_latency_max_ms", 350, PASSED, id="yielded-at-the-limit"
        ),
        pytest.param(WAS_INTERRUPTED, "yield_latency_max_ms", 351, PASSED, id="yielded-earlier"),
        pytest.param(WAS_INTERRUPTED, "yield_latency_max_ms", 349, FAILED, id="one-ms-too-long"),
        pytest.param(
            NEVER_YIELDED, "yield_latency_max_ms", 5_999, FAILED, id="beyond-the-yield-window-too"
        ),
        pytest.param(
            ANSWERED_AT_400, "yield_latency_max_ms", 0, NOT_APPLICABLE, id="nobody-interrupted"
        ),
        pytest.param(GAVE_WAY, "false_yields_max", 1, PASSED, id="one-false-yield-allowed"),
        pytest.param(GAVE_WAY, "false_yields_max", 2, PASSED, id="fewer-than-allowed"),
        pytest.param(GAVE_WAY, "false_yields_max", 0, FAILED, id="one-false-yield"),
        pytest.param(
            GAVE_WAY_TO_ONE_OF_TWO, "false_yields_max", 1, PASSED, id="spoken-over-is-not-yielded"
        ),
        pytest.param(GAVE_WAY_TO_TWO_OF_THREE, "false_yields_max", 1, FAILED, id="two-of-three"),
        pytest.param(WENT_ON, "false_yields_max", 0, PASSED, id="a-backchannel-spoken-over"),
        pytest.param(
            ANSWERED_AT_400, "false_yields_max", 0, NOT_APPLICABLE, id="nobody-backchannelled"
        ),
        pytest.param(HELD_THE_FLOOR, "floor_hold_max_ms", 1_500, PASSED, id="the-longest-silence"),
        pytest.param(HELD_THE_FLOOR, "floor_hold_max_ms", 1_501, PASSED, id="shorter-than-that"),
        pytest.param(
            HELD_THE_FLOOR, "floor_hold_max_ms", 1_499, FAILED, id="one-ms-of-silence-more"
        ),
        pytest.param(ANSWERED_AT_400, "floor_hold_max_ms", 0, PASSED, id="no-work-no-silence"),
    ],
)
def test_a_limit(evidence: Evidence, name: str, limit: float, expected: CheckStatus) -> None:
    check = the_check(evidence, name, limit)

    assert check.status is expected, check.because
    assert check.because


def test_a_limit_that_is_not_declared_is_not_checked() -> None:
    case: Case = a_case(ANSWERED_AT_400)

    assert limit_checks(case) == ()


def test_every_limit_of_the_contract_has_its_check() -> None:
    assert list(LIMITS) == list(InteractionLimits.model_fields)


def test_declared_limits_come_in_the_contracts_order() -> None:
    limits = dict.fromkeys(reversed(LIMITS), 1)
    case = a_case(ANSWERED_AT_400, a_conversation(expected__interaction=limits))

    assert [check.id for check in limit_checks(case)] == list(LIMITS)


@pytest.mark.parametrize(
    ("evidence", "name", "limit", "moments"),
    [
        pytest.param(ONE_OF_TWO, "response_rate_min", 1, [9_000], id="requests-that-were-missed"),
        pytest.param(
            FAST_AND_LATE, "response_latency_max_ms", 399, [1_400, 14_500], id="slow-responses"
        ),
        pytest.param(
            FAST_AND_LATE, "response_latency_max_ms", 400, [14_500], id="not-one-at-the-latency"
        ),
        pytest.param(
            FAST_AND_LATE, "response_latency_max_ms", 1_000, [14_500], id="nor-one-before-it"
        ),
        pytest.param(
            BROKE_IN_AND_SPOKE_THROUGH, "interruptions_max", 0, [500, 9_000], id="interruptions"
        ),
        pytest.param(
            INTERRUPTED_TWICE, "yield_latency_max_ms", 349, [3_000, 8_000], id="slow-yields"
        ),
        pytest.param(
            INTERRUPTED_TWICE, "yield_latency_max_ms", 350, [8_000], id="not-one-at-the-limit"
        ),
        pytest.param(
            INTERRUPTED_TWICE, "yield_latency_max_ms", 1_000, [8_000], id="nor-a-quicker-one"
        ),
        pytest.param(GAVE_WAY_TO_ONE_OF_TWO, "false_yields_max", 0, [10_000], id="false-yields"),
        pytest.param(HELD_THE_FLOOR, "floor_hold_max_ms", 999, [1_500, 4_000], id="silences"),
        pytest.param(
            HELD_THE_FLOOR, "floor_hold_max_ms", 1_000, [1_500], id="not-one-at-the-limit"
        ),
        pytest.param(HELD_THE_FLOOR, "floor_hold_max_ms", 1_200, [1_500], id="nor-a-shorter-one"),
    ],
)
def test_a_broken_limit_points_at(
    evidence: Evidence, name: str, limit: float, moments: list[int]
) -> None:
    assert [ref.at_ms for ref in the_check(evidence, name, limit).refs] == moments
