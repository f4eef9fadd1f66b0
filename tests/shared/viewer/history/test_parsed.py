"""Files are parsed as far as a session can reach, and the surplus is named."""

from __future__ import annotations

from shared.viewer.history.files import Files, Lines
from shared.viewer.history.parsed import MOST_RECORDS, parsed
from tests.support.builders import spans


def test_a_file_of_more_lines_than_a_session_has_is_cut() -> None:
    told = parsed(Files(turns=Lines([None] * (MOST_RECORDS + 2), broken=1)))
    assert told.turns is not None
    assert told.turns.left_out == MOST_RECORDS
    assert list(told.damage()) == [
        "1 line of the file of turn rows is no JSON.",
        "2 lines too many of the file of turn rows are left out.",
        f"{MOST_RECORDS} turn rows say not when the turn was.",
    ]


def test_rows_that_cannot_be_used_give_way_to_those_of_the_details() -> None:
    kept = {"turn_metrics": [{"start_ms": 1, "end_ms": 2, "user_transcript": "Hi."}]}
    told = parsed(Files(details=kept, turns=Lines([{"start_ms": 5}])))
    assert [one.start_ms for one in told.rows] == [1]
    assert [one.text for one in told.said(spans()).turns] == ["Hi."]


def test_the_details_are_believed_before_the_transcript() -> None:
    turn = {"role": "user", "start_ms": 1, "end_ms": 2, "text": "Hi."}
    for kept, said in (([turn], "Hi."), ([], "Ho."), (["turn"], "Ho.")):
        told = parsed(Files(details={"transcript": kept}, transcript="1..2 CALLER: Ho."))
        assert [one.text for one in told.said(spans()).turns] == [said]
