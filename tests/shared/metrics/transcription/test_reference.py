"""What is known of a request's words before anybody speaks them."""

from __future__ import annotations

from typing import Any

import pytest

from shared.metrics.transcription.reference import Reference
from tests.support.judged import a_conversation, a_scenario


def required(arguments: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": "book", "arguments": arguments}]


def test_a_request_has_its_text() -> None:
    reference = Reference.of(a_scenario(input__text="Two, please."))
    assert reference == Reference("Two, please.", ())


def test_a_conversation_has_none() -> None:
    assert Reference.of(a_conversation()) is None


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        pytest.param({"who": "Maya"}, ("Maya",), id="a-text"),
        pytest.param({"who": "Maya", "again": "Maya"}, ("Maya",), id="each-once"),
        pytest.param({"people": 3, "sure": True, "none": None}, (), id="no-other-value"),
        pytest.param({"who": {"first": "Maya", "rest": ["Ann"]}}, ("Maya", "Ann"), id="inside"),
        pytest.param({"who": {"$match": "text", "value": "Maya"}}, ("Maya",), id="a-comparator"),
        pytest.param(
            {"who": {"$match": "one_of", "values": ["Maya", "Mia"]}}, ("Maya", "Mia"), id="one-of"
        ),
        pytest.param({"who": {"$match": "any"}}, (), id="any-value"),
        pytest.param({"on": {"$match": "date", "value": "2027-08-07"}}, ("2027-08-07",), id="day"),
    ],
)
def test_names_are_texts_of_required_calls(
    arguments: dict[str, Any], names: tuple[str, ...]
) -> None:
    reference = Reference.of(a_scenario(expected__tools__required=required(arguments)))
    assert reference is not None
    assert reference.names == names


def test_prohibited_calls_name_nobody() -> None:
    reference = Reference.of(a_scenario(expected__tools__prohibited=required({"who": "Maya"})))
    assert reference is not None
    assert reference.names == ()
