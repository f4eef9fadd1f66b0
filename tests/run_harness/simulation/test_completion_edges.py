"""Every wait of completion at its edge: a millisecond before, exactly then, a millisecond after.

The instants lie where no frame of 20 ms would put them, because the rule is the machine's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from run_harness.simulation.completion import (
    Completion,
    CompletionPolicy,
    Party,
    Phase,
    Signal,
    Snapshot,
)
from run_harness.simulation.observer import Reading
from shared.intervals import Interval
from shared.observability.evidence import Closing, Ending, Resolution

OBSERVED, ALONE = CompletionPolicy(is_observed=True), CompletionPolicy(is_observed=False)
SPOKEN = Party(turns=2, last_speech_ms=1_000, captioned_ms=1_000)
RESTING = Snapshot(20_000, 20_000, 0, 1, SPOKEN, SPOKEN, is_verified=True)
"""All is known of a call in which both have been quiet for long."""
RESOLVED = Reading(
    True,
    Resolution.RESOLVED,
    "Because.",
    Closing(Interval(0, 1_000), carries_request=False),
    (),
    is_caller_in_role=True,
)


def edges(name: str, limit_ms: int) -> pytest.MarkDecorator:
    """One before the limit it is not so; at the limit and one after it, it is."""
    return pytest.mark.parametrize(
        ("after_ms", "is_so"),
        [
            pytest.param(limit_ms - 1, False, id=f"{name}-{limit_ms - 1}-ms"),
            pytest.param(limit_ms, True, id=f"{name}-exactly-{limit_ms}-ms"),
            pytest.param(limit_ms + 1, True, id=f"{name}-{limit_ms + 1}-ms"),
        ],
    )


def at(seen: Snapshot, now_ms: int) -> Snapshot:
    return replace(seen, now_ms=now_ms, wall_ms=now_ms)


def drains_from(now_ms: int, policy: CompletionPolicy = ALONE) -> Completion:
    """A machine that the caller's own word has put in its drain."""
    machine = Completion(policy)
    seen = at(replace(RESTING, finishes=1), now_ms)
    assert machine.advance(seen).began is Signal.CALLER_FINISHED
    return machine


def spoke(party: str) -> Callable[[int], Snapshot]:
    """A call in which one party spoke last, so long ago."""

    def so_long_ago(quiet_ms: int) -> Snapshot:
        last_ms = RESTING.now_ms - quiet_ms
        side = replace(SPOKEN, last_speech_ms=last_ms, captioned_ms=last_ms)
        return replace(RESTING, **{party: side})  # type: ignore[arg-type]

    return so_long_ago


drain = edges("after-a-drain-of", 1_500)
quiet = edges("after-a-quiet-of", 600)
pace = edges("after-a-pause-of", 500)
recheck = edges("when-nothing-is-new-after", 5_000)
limit = edges("after-a-call-of", 90_000)
line = edges("on-a-line-quiet-for", 8_000)


@drain
def test_it_is_over(after_ms: int, is_so: bool) -> None:
    machine = drains_from(20_000)
    step = machine.advance(at(replace(RESTING, finishes=1), 20_000 + after_ms))

    assert step.ending is (Ending.CONVERSATION_COMPLETED if is_so else None)


@quiet
@pytest.mark.parametrize("party", ["caller", "assistant"])
def test_evidence_is_current(party: str, after_ms: int, is_so: bool) -> None:
    assert Completion(OBSERVED).is_current(spoke(party)(after_ms)) is is_so


@quiet
@pytest.mark.parametrize("party", ["caller", "assistant"])
def test_the_observer_is_asked(party: str, after_ms: int, is_so: bool) -> None:
    assert Completion(OBSERVED).advance(spoke(party)(after_ms)).asks is is_so


@pace
def test_it_is_asked_about_news(after_ms: int, is_so: bool) -> None:
    machine = asked_and_answered()
    news = replace(at(RESTING, 20_000 + after_ms), revision=2)

    assert machine.advance(news).asks is is_so


@recheck
def test_it_is_asked_again(after_ms: int, is_so: bool) -> None:
    machine = asked_and_answered()

    assert machine.advance(at(RESTING, 20_000 + after_ms)).asks is is_so


def asked_and_answered() -> Completion:
    """A machine whose observer, asked at 20 s, saw nothing that ends the call."""
    machine = Completion(OBSERVED)
    assert machine.advance(RESTING).asks
    machine.settle(replace(RESOLVED, should_drain=False, closing=None), RESTING)
    return machine


@limit
@pytest.mark.parametrize("started_ms", [0, 7])
@pytest.mark.parametrize("is_verified", [True, False], ids=["a-right-state", "a-wrong-state"])
@pytest.mark.parametrize("has_caption", [True, False], ids=["captioned", "uncaptioned"])
def test_its_time_is_up(
    started_ms: int, is_verified: bool, has_caption: bool, after_ms: int, is_so: bool
) -> None:
    """Neither the state nor a caption that is still to come makes the time any longer."""
    said = SPOKEN if has_caption else replace(SPOKEN, captioned_ms=None)
    seen = replace(RESTING, started_ms=started_ms, is_verified=is_verified, assistant=said)
    step = Completion(OBSERVED).advance(at(seen, started_ms + after_ms))

    assert step.ending is (Ending.DURATION_LIMIT if is_so else None)


@line
def test_a_quiet_line_drains(after_ms: int, is_so: bool) -> None:
    seen = at(RESTING, 1_000 + after_ms)

    assert Completion(ALONE).advance(seen).began is (Signal.QUIET_LINE if is_so else None)


@pytest.mark.parametrize(
    ("captioned_ms", "is_so"),
    [
        pytest.param(199, False, id="words-that-stop-801-ms-short"),
        pytest.param(200, True, id="words-that-stop-exactly-800-ms-short"),
        pytest.param(201, True, id="words-that-stop-799-ms-short"),
        pytest.param(None, False, id="words-that-never-came"),
    ],
)
@pytest.mark.parametrize("party", ["caller", "assistant"])
def test_what_was_heard_is_known_by(party: str, captioned_ms: int | None, is_so: bool) -> None:
    said = replace(SPOKEN, captioned_ms=captioned_ms)
    seen = replace(RESTING, **{party: said})  # type: ignore[arg-type]

    assert Completion(OBSERVED).is_current(seen) is is_so


def test_a_drain_that_is_over_at_the_very_limit_is_a_completed_call() -> None:
    policy = replace(ALONE, duration_ms=21_500)
    last = replace(RESTING, finishes=1)

    assert drains_from(20_000, policy).advance(at(last, 21_500)).ending is (
        Ending.CONVERSATION_COMPLETED
    )
    assert drains_from(20_001, policy).advance(at(last, 21_500)).ending is Ending.DURATION_LIMIT


def test_work_of_the_assistants_is_waited_for_only_up_to_the_limit() -> None:
    policy = replace(ALONE, duration_ms=23_000)
    machine = drains_from(20_000, policy)
    works = replace(RESTING, finishes=1, assistant=replace(SPOKEN, is_working=True))

    assert machine.advance(at(works, 22_999)).phase is Phase.DRAINING
    assert machine.advance(at(works, 23_000)).ending is Ending.DURATION_LIMIT
