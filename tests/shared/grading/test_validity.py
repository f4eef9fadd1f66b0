"""Whether a simulated caller was fit to call."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from shared.errors import Stage
from shared.grading.validity import (
    Invalidity,
    Scope,
    SimulatorValidity,
    caller_validity,
    simulator_validity,
    spoils,
)
from shared.observability.evidence import Failure
from shared.observability.observations import (
    DelegationBegan,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
)
from tests.support.builders import a_caption, at
from tests.support.judged import an_attempt

EXTENT_MS = 10_000


def delegated(at_ms: int = 1_000, name: str = "d1", target: str = "responses") -> DelegationBegan:
    return DelegationBegan(at(at_ms), name, target, None)


def began(at_ms: int = 1_100, name: str = "r1", delegation: str = "d1") -> ResponseBegan:
    return ResponseBegan(at(at_ms), name, delegation, None)


def ended(
    at_ms: int = 2_000,
    status: ResponseStatus = ResponseStatus.COMPLETED,
    name: str = "r1",
    delegation: str = "d1",
) -> ResponseEnded:
    return ResponseEnded(at(at_ms), name, delegation, status, None, None)


@pytest.mark.parametrize(
    ("observations", "reason"),
    [
        pytest.param([], None, id="a-caller-that-never-thought"),
        pytest.param([a_caption(0, 1, "Hello.")], None, id="a-caller-that-only-spoke"),
        pytest.param([delegated(), began(), ended()], None, id="a-thought-that-came-to-its-end"),
        pytest.param([delegated(), began(), ended(9_999)], None, id="a-thought-just-in-time"),
        pytest.param(
            [delegated(), began(), ended(10_000)],
            Invalidity.BACKEND_PENDING,
            id="a-thought-that-ended-with-the-capture",
        ),
        pytest.param([delegated()], Invalidity.BACKEND_PENDING, id="a-thought-without-a-response"),
        pytest.param(
            [delegated(), began()], Invalidity.BACKEND_PENDING, id="a-thought-that-goes-on"
        ),
        pytest.param(
            [delegated(10_000), began(10_000)],
            Invalidity.BACKEND_PENDING,
            id="a-thought-begun-and-left-during-the-closing",
        ),
        pytest.param(
            [delegated(), began(), ended(status=ResponseStatus.FAILED)],
            Invalidity.BACKEND_FAILED,
            id="a-failed-backend",
        ),
        pytest.param(
            [delegated(), began(), ended(status=ResponseStatus.INCOMPLETE)],
            Invalidity.BACKEND_FAILED,
            id="an-incomplete-backend",
        ),
        pytest.param(
            [delegated(), began(), ended(10_000, status=ResponseStatus.FAILED)],
            Invalidity.BACKEND_FAILED,
            id="a-backend-that-failed-during-the-closing",
        ),
        pytest.param(
            [delegated(target="client")],
            Invalidity.UNSUPPORTED_DELEGATION,
            id="work-handed-to-a-client",
        ),
        pytest.param(
            [delegated(target="client"), ended(status=ResponseStatus.FAILED)],
            Invalidity.UNSUPPORTED_DELEGATION,
            id="the-first-of-several-reasons",
        ),
    ],
)
def test_a_caller_with_a_backend(
    observations: Sequence[Observation], reason: Invalidity | None
) -> None:
    found = simulator_validity(observations, has_backend=True, extent_ms=EXTENT_MS)

    assert found.reason is reason
    assert found.is_valid is (reason is None)
    assert found.scope == "caller_responses_delegation"


@pytest.mark.parametrize(
    ("observations", "reason"),
    [
        pytest.param([], None, id="may-speak"),
        pytest.param([delegated()], Invalidity.UNSUPPORTED_DELEGATION, id="may-not-delegate"),
        pytest.param([began(), ended(status=ResponseStatus.FAILED)], None, id="has-none-to-fail"),
    ],
)
def test_a_caller_without_a_backend(
    observations: Sequence[Observation], reason: Invalidity | None
) -> None:
    found = simulator_validity(observations, has_backend=False, extent_ms=EXTENT_MS)

    assert found.reason is reason
    assert found.scope == "frontend_only_caller_delegation"


@pytest.mark.parametrize(
    ("seen", "with_backend", "without"),
    [
        pytest.param(delegated(), False, True, id="its-own-thinking"),
        pytest.param(delegated(target="client"), True, True, id="work-for-a-client"),
        pytest.param(ended(), False, False, id="a-thought-that-ended"),
        pytest.param(ended(status=ResponseStatus.FAILED), True, False, id="one-that-failed"),
        pytest.param(ended(status=ResponseStatus.INCOMPLETE), True, False, id="one-cut-short"),
        pytest.param(began(), False, False, id="one-that-goes-on-may-still-end"),
        pytest.param(a_caption(0, 1, "Hello."), False, False, id="a-word"),
    ],
)
def test_what_spoils_a_caller_at_once_makes_it_unfit_in_the_end(
    seen: Observation, *, with_backend: bool, without: bool
) -> None:
    for has_backend, expected in ((True, with_backend), (False, without)):
        assert spoils(seen, has_backend=has_backend) is expected
        if expected:
            found = simulator_validity([seen], has_backend=has_backend, extent_ms=EXTENT_MS)
            assert not found.is_valid


@pytest.mark.parametrize(
    ("observations", "reason"),
    [
        pytest.param([], Invalidity.SESSION_LOST, id="nothing-else"),
        pytest.param([delegated()], Invalidity.SESSION_LOST, id="a-thought-it-cut-short"),
        pytest.param(
            [delegated(), ended(status=ResponseStatus.FAILED)],
            Invalidity.BACKEND_FAILED,
            id="a-backend-that-had-failed",
        ),
        pytest.param(
            [delegated(target="client")],
            Invalidity.UNSUPPORTED_DELEGATION,
            id="work-that-was-handed-on",
        ),
    ],
)
def test_a_caller_whose_session_was_lost_is_unfit_beside(
    observations: Sequence[Observation], reason: Invalidity
) -> None:
    lost = Failure(Stage.CALLER_SIMULATION, "the caller's session: connection lost")
    evidence = an_attempt(caller_observations=tuple(observations), failure=lost)
    assert caller_validity(evidence).reason is reason


@pytest.mark.parametrize("stage", [one for one in Stage if one is not Stage.CALLER_SIMULATION])
def test_a_caller_is_not_unfit_for_what_broke_elsewhere(stage: Stage) -> None:
    said = (a_caption(0, 1, "Hello."),)
    evidence = an_attempt(caller_observations=said, failure=Failure(stage, "broken"))
    assert caller_validity(evidence).is_valid


def test_a_delegation_told_twice_counts_once() -> None:
    observations = [
        delegated(name="b", target="client"),
        delegated(name="a", target="client"),
        delegated(2_000, name="b", target="client"),
        delegated(name="fine"),
    ]
    found = simulator_validity(observations, has_backend=True, extent_ms=EXTENT_MS)

    assert found.as_json() == {
        "scope": "caller_responses_delegation",
        "status": "invalid",
        "target_metrics_eligible": False,
        "reason": "unsupported_caller_delegation",
        "unexpected_delegation_count": 2,
        "delegation_ids": ["a", "b"],
    }


def test_a_valid_caller_as_results_have_it() -> None:
    found = simulator_validity([], has_backend=True, extent_ms=EXTENT_MS)

    assert found.as_json() == {
        "scope": "caller_responses_delegation",
        "status": "valid",
        "target_metrics_eligible": True,
        "reason": None,
        "unexpected_delegation_count": 0,
        "delegation_ids": [],
    }
    with pytest.raises(ValueError, match="valid"):
        found.message()


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        pytest.param(Invalidity.UNSUPPORTED_DELEGATION, "handed work", id="unsupported"),
        pytest.param(Invalidity.BACKEND_FAILED, "failed", id="failed"),
        pytest.param(Invalidity.SESSION_LOST, "lost", id="lost"),
        pytest.param(Invalidity.BACKEND_PENDING, "still thinking", id="pending"),
    ],
)
def test_an_invalid_caller_says_so_in_a_line(reason: Invalidity, word: str) -> None:
    assert word in SimulatorValidity(Scope.WITH_BACKEND, reason).message()
