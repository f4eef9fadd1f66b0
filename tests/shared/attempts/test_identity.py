"""Who called, as one hash: the same object gives the same one, and any change another."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from shared.attempts.identity import caller_report

IDENTITY = {"kind": "simulated", "voice": "sage", "parameters": {"pitch": 1, "rate": 2}}


def test_the_order_of_keys_makes_no_other_caller() -> None:
    same = {"parameters": {"rate": 2, "pitch": 1}, "voice": "sage", "kind": "simulated"}
    assert caller_report(same) == caller_report(IDENTITY)


def test_the_hash_is_of_canonical_json() -> None:
    found = caller_report({"text": "é", "kind": "recorded"})
    # sha256 of {"kind":"recorded","text":"\u00e9"}
    assert found.kind == "recorded"
    assert found.sha256 == "1fcb7aa77de3b65b6b00bc2d7199f264de8dc003fb1fe725fb639f80d1c9e245"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"kind": "scripted"}, id="its-kind"),
        pytest.param({"voice": "Sage"}, id="the-case-of-a-name"),
        pytest.param({"parameters": {"pitch": 1, "rate": 3}}, id="something-deep-inside"),
        pytest.param({"parameters": {"pitch": "1", "rate": 2}}, id="a-number-become-text"),
        pytest.param({"more": None}, id="something-unknown"),
    ],
)
def test_another_caller_by(change: dict[str, object]) -> None:
    other = {**IDENTITY, **change}
    assert caller_report(other).sha256 != caller_report(IDENTITY).sha256  # type: ignore[arg-type]


def test_a_caller_is_of_a_known_kind() -> None:
    with pytest.raises(ValidationError, match="kind"):
        caller_report({"kind": "invented"})
