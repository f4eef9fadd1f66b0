"""Task counts: tool accuracy, delegation accuracy, and the pairs of actual against expected.

Counts go in, so this knows neither how calls are matched nor where an expectation is written. A
count nobody could take is absent and makes absent what rests on it. Contract:
``docs/metrics-contract.md``, "Task counts".
"""

from __future__ import annotations

from collections.abc import Iterable

from shared.observability.observations import DelegationBegan, Observation, ResponseBegan
from shared.values import CountPair


def tool_accuracy(
    matched: int | None, expected: int | None, actual: int | None, prohibited: int | None
) -> float | None:
    """Matched calls over the larger of expected and actual; any prohibited call makes it 0.

    Nothing expected and nothing called is perfect. Not rounded.
    """
    if prohibited:
        return 0.0
    score = _matched_share(matched, expected, actual)
    if prohibited is None and score:
        return None
    return score


def _matched_share(matched: int | None, expected: int | None, actual: int | None) -> float | None:
    if expected is None or actual is None:
        return None
    if not expected or not actual:
        return 1.0 if expected == actual else 0.0
    if matched is None:
        return None
    return min(matched, expected, actual) / max(expected, actual)


def delegation_accuracy(policy: str | None, delegations: int | None) -> float | None:
    """1 when the decision to delegate kept to the policy, else 0; absent without either."""
    if delegations is None:
        return None
    match policy:
        case "required":
            return 1.0 if delegations else 0.0
        case "forbidden":
            return 0.0 if delegations else 1.0
        case "optional":
            return 1.0
        case _:
            return None


def count_pair(actual: int | None, expected: int | None) -> CountPair | None:
    """Both sides, or nothing."""
    if actual is None or expected is None:
        return None
    return CountPair(actual=actual, expected=expected)


def delegations(observations: Iterable[Observation]) -> dict[str, int]:
    """Every delegation by its id, with the media position (ms) of the first that was seen of it.

    Mostly that is its notice. Where a notice was lost, the work that was done under the id tells.
    """
    first_seen: dict[str, int] = {}
    for seen in observations:
        if isinstance(seen, DelegationBegan | ResponseBegan) and seen.delegation_id is not None:
            first_seen.setdefault(seen.delegation_id, seen.stamp.media_ms)
    return first_seen


def expected_delegations(policy: str, planned: int | None = None) -> int:
    """What is counted against: those of the golden path, else one where required and none else."""
    if planned is not None:
        return planned
    return 1 if policy == "required" else 0
