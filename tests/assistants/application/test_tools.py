"""The three tools: what they accept, what they change, what they refuse before any change."""

from __future__ import annotations

import copy
import importlib.util
import json
import shutil
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assistants
from assistants.application.tools import Application, JsonObject, JsonValue, ToolRefused

FOLDER = Path(assistants.__file__).parent / "application"
FACTS: dict[str, JsonValue] = json.loads((FOLDER / "facts.json").read_text("utf-8"))
TOOLS = json.loads((FOLDER / "tools.json").read_text("utf-8"))

SLOT: dict[str, JsonValue] = {"date": "2027-06-11", "time": "19:30", "party_size": 3}
BOOKING: dict[str, JsonValue] = {"guest_name": "Priya", **SLOT}
FULL_NIGHT: dict[str, JsonValue] = {"date": "2027-06-26", "time": "20:30"}


def an_application(state: JsonObject | None = None) -> Application:
    return Application(state or {}, FACTS)


def a_record(reservation_id: str, **fields: JsonValue) -> dict[str, JsonValue]:
    return {"reservation_id": reservation_id, **BOOKING, "cancelled": False, **fields}


def is_available(application: Application, slot: JsonObject, call_id: str = "look") -> bool:
    answer = application.call("check_availability", {**SLOT, **slot}, call_id)
    return answer["available"] is True


def refused(application: Application, name: str, arguments: JsonObject) -> str:
    """The text of the refusal; the state must have stayed as it was."""
    before = application.snapshot()
    with pytest.raises(ToolRefused) as refusal:
        application.call(name, arguments, "refused")
    assert application.snapshot() == before
    return str(refusal.value)


def test_a_booking_is_a_record_and_the_last_action() -> None:
    application = an_application()
    output = application.call("create_reservation", {**BOOKING, "seating": " Terrace "}, "c1")
    booking = {"reservation_id": "R-001", **BOOKING, "seating": "terrace"}
    assert output == {"ok": True, "reservation_created": True, **booking, "cancelled": False}
    assert application.snapshot() == {
        "reservations": [{**booking, "cancelled": False}],
        "authorized_reservation_ids": ["R-001"],
        "reservation_created": True,
        **booking,
    }


def test_a_look_changes_nothing() -> None:
    application = an_application({"note": ["kept"]})
    output = application.call("check_availability", SLOT, "c1")
    assert output == {"ok": True, **SLOT, "available": True}
    assert application.snapshot() == {"note": ["kept"]}


def test_the_caller_may_cancel_what_was_just_booked() -> None:
    application = an_application()
    application.call("create_reservation", BOOKING, "c1")
    output = application.call("cancel_reservation", {"reservation_id": "R-001"}, "c2")
    assert output == {"ok": True, "reservation_id": "R-001", "cancelled": True}
    state = application.snapshot()
    assert state["reservations"] == [a_record("R-001", cancelled=True)]
    assert (state["reservation_id"], state["cancelled"]) == ("R-001", True)


def test_a_booking_without_seating_does_not_inherit_the_last_one() -> None:
    application = an_application()
    application.call("create_reservation", {**BOOKING, "seating": "terrace"}, "c1")
    application.call("create_reservation", {**BOOKING, "seating": None}, "c2")
    assert "seating" not in application.snapshot()


@pytest.mark.parametrize(
    ("used", "authorized", "expected"),
    [
        pytest.param([], [], "R-001", id="the-first-one"),
        pytest.param(["R-002"], [], "R-003", id="one-record-numbered-two"),
        pytest.param(["R-100", "R-007"], [], "R-101", id="after-the-highest"),
        pytest.param([], ["R-004"], "R-005", id="an-authorized-id-without-a-record"),
        pytest.param(["R-999"], [], "R-1000", id="beyond-three-digits"),
        pytest.param(["walk-in"], [], "R-001", id="ids-of-another-form-do-not-count"),
        pytest.param(["R-999999999", "R-1000000000"], [], "R-1000000001", id="never-one-in-use"),
    ],
)
def test_a_new_id_is(used: list[str], authorized: list[str], expected: str) -> None:
    state: dict[str, JsonValue] = {
        "reservations": [{"reservation_id": one} for one in used],
        "authorized_reservation_ids": authorized,
    }
    output = an_application(state).call("create_reservation", BOOKING, "c1")
    assert output["reservation_id"] == expected


@pytest.mark.parametrize(
    ("slot", "available"),
    [
        pytest.param({"date": "2027-05-03"}, False, id="the-day-before-the-reference-date"),
        pytest.param({"date": "2027-05-04"}, True, id="the-reference-date-itself"),
        pytest.param({"date": "2027-12-30"}, True, id="the-last-bookable-day"),
        pytest.param({"date": "2027-12-31"}, False, id="the-day-after-the-last"),
        pytest.param({"date": "2027-06-07"}, False, id="a-monday"),
        pytest.param({"date": "2027-06-08"}, True, id="a-tuesday"),
        pytest.param({"time": "11:59"}, False, id="a-minute-before-opening"),
        pytest.param({"time": "12:00"}, True, id="at-opening"),
        pytest.param({"time": "21:00"}, True, id="the-last-seating"),
        pytest.param({"time": "21:01"}, False, id="a-minute-after-the-last-seating"),
        pytest.param({"party_size": 8}, True, id="the-largest-party"),
        pytest.param({"party_size": 9}, False, id="one-more-than-the-largest-party"),
        pytest.param({**FULL_NIGHT, "party_size": 6}, True, id="the-last-six-seats"),
        pytest.param({**FULL_NIGHT, "party_size": 7}, False, id="a-seventh-guest-on-a-full-night"),
        pytest.param(
            {**FULL_NIGHT, "party_size": 7, "seating": "terrace"}, True, id="another-area-is-free"
        ),
        pytest.param({"seating": "counter", "party_size": 6}, True, id="all-of-the-counter"),
        pytest.param({"seating": "counter", "party_size": 7}, False, id="more-than-the-counter"),
    ],
)
def test_a_table_is_free_and_can_be_booked_or_neither(
    slot: dict[str, JsonValue], available: bool
) -> None:
    application = an_application()
    assert is_available(application, slot) is available
    if available:
        application.call("create_reservation", {**BOOKING, **slot}, "book")
        assert application.snapshot()["reservation_created"] is True
    else:
        reason = application.call("check_availability", {**SLOT, **slot}, "why")["reason"]
        assert refused(application, "create_reservation", {**BOOKING, **slot}) == reason


@pytest.mark.parametrize(
    ("record", "time", "available"),
    [
        pytest.param({}, "19:30", False, id="same-time"),
        pytest.param({}, "21:00", False, id="while-they-still-sit"),
        pytest.param({"time": "17:45"}, "19:30", True, id="exactly-one-sitting-later"),
        pytest.param({"time": "17:46"}, "19:30", False, id="one-minute-less"),
        pytest.param({"time": "21:00"}, "19:15", True, id="exactly-one-sitting-before"),
        pytest.param({"cancelled": True}, "19:30", True, id="cancelled"),
        pytest.param({"date": "2027-06-12"}, "19:30", True, id="another-day"),
        pytest.param({"seating": "terrace"}, "19:30", True, id="another-area"),
        pytest.param({"seating": " Dining Room "}, "19:30", False, id="the-default-area-by-name"),
    ],
)
def test_open_reservations_take_seats(
    record: dict[str, JsonValue], time: str, available: bool
) -> None:
    taken = a_record("R-001", party_size=26, **record)
    assert is_available(an_application({"reservations": [taken]}), {"time": time}) is available


def test_a_record_without_day_time_or_size_takes_no_seat() -> None:
    state: dict[str, JsonValue] = {"reservations": [{"reservation_id": "R-001", "party_size": 28}]}
    assert is_available(an_application(state), SLOT)


def test_bookings_fill_the_house_until_it_is_full() -> None:
    application = an_application()
    party = {**BOOKING, "party_size": 8}
    for number in range(3):
        application.call("create_reservation", party, f"c{number}")
    assert is_available(application, {"party_size": 4}, "four")
    assert not is_available(application, {"party_size": 5}, "five")
    refused(application, "create_reservation", party)
    application.call("cancel_reservation", {"reservation_id": "R-002"}, "c4")
    assert is_available(application, {"party_size": 8}, "again")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        pytest.param("open_the_till", {}, id="an-unknown-tool"),
        pytest.param("", {}, id="a-tool-without-a-name"),
        pytest.param("check_availability", {}, id="everything-missing"),
        pytest.param("check_availability", {**SLOT, "guest_name": "Priya"}, id="unknown-argument"),
        pytest.param("check_availability", {**SLOT, "date": "20270611"}, id="a-compact-date"),
        pytest.param("check_availability", {**SLOT, "date": "2027-W23-5"}, id="a-week-date"),
        pytest.param("check_availability", {**SLOT, "date": "2027-02-29"}, id="no-leap-year"),
        pytest.param("check_availability", {**SLOT, "date": "٢٠٢٧-06-11"}, id="other-digits"),
        pytest.param("check_availability", {**SLOT, "date": 20270611}, id="a-date-as-a-number"),
        pytest.param("check_availability", {**SLOT, "time": "9:05"}, id="an-hour-of-one-digit"),
        pytest.param("check_availability", {**SLOT, "time": "24:00"}, id="no-such-hour"),
        pytest.param("check_availability", {**SLOT, "time": "19:60"}, id="no-such-minute"),
        pytest.param("check_availability", {**SLOT, "time": "19:30:00"}, id="seconds"),
        pytest.param("check_availability", {**SLOT, "party_size": 0}, id="nobody"),
        pytest.param("check_availability", {**SLOT, "party_size": True}, id="a-size-of-true"),
        pytest.param("check_availability", {**SLOT, "party_size": "3"}, id="a-size-as-text"),
        pytest.param("check_availability", {**SLOT, "party_size": 3.0}, id="a-size-with-a-point"),
        pytest.param("check_availability", {**SLOT, "party_size": None}, id="no-size"),
        pytest.param("check_availability", {**SLOT, "seating": " "}, id="a-blank-seating"),
        pytest.param("check_availability", {**SLOT, "seating": "roof"}, id="an-unknown-seating"),
        pytest.param("create_reservation", SLOT, id="no-name"),
        pytest.param("create_reservation", {**BOOKING, "guest_name": " "}, id="a-blank-name"),
        pytest.param("create_reservation", {**BOOKING, "guest_name": ["Priya"]}, id="a-name-list"),
        pytest.param("cancel_reservation", {}, id="no-id"),
        pytest.param("cancel_reservation", {"reservation_id": "R-200"}, id="not-authorized"),
        pytest.param("cancel_reservation", {"reservation_id": "r-100"}, id="another-spelling"),
        pytest.param("cancel_reservation", {"reservation_id": "R-101"}, id="no-such-record"),
        pytest.param("cancel_reservation", {"reservation_id": "R-102"}, id="cancelled-already"),
    ],
)
def test_the_application_refuses(name: str, arguments: JsonObject) -> None:
    state: dict[str, JsonValue] = {
        "reservations": [
            a_record("R-100"),
            a_record("R-102", cancelled=True),
            a_record("R-200"),
        ],
        "authorized_reservation_ids": ["R-100", "R-101", "R-102"],
    }
    assert refused(an_application(state), name, arguments)


@pytest.mark.parametrize("arguments", [None, [], "{}", 3])
def test_arguments_that_are_no_object_are_refused(arguments: object) -> None:
    refused(an_application(), "check_availability", arguments)  # type: ignore[arg-type]  # hostile


@pytest.mark.parametrize("call_id", ["", " ", None, 7])
def test_a_call_needs_an_id(call_id: object) -> None:
    with pytest.raises(ToolRefused, match="call id"):
        an_application().call("check_availability", SLOT, call_id)  # type: ignore[arg-type]  # hostile


@pytest.mark.parametrize("name", ["check_availability", "create_reservation", "cancel_reservation"])
@pytest.mark.parametrize(
    "state",
    [
        pytest.param({"reservations": {}}, id="reservations-an-object"),
        pytest.param({"reservations": None}, id="reservations-null"),
        pytest.param({"reservations": "R-100"}, id="reservations-a-text"),
        pytest.param({"reservations": ["R-100"]}, id="a-record-that-is-a-text"),
        pytest.param({"reservations": [a_record("R-1", date="soon")]}, id="a-record-without-a-day"),
        pytest.param({"authorized_reservation_ids": "R-100"}, id="authorized-ids-a-text"),
    ],
)
def test_a_hostile_state_is_refused_and_left_alone(name: str, state: JsonObject) -> None:
    authorized = {"authorized_reservation_ids": ["R-100"], **state}
    arguments: dict[str, dict[str, JsonValue]] = {
        "check_availability": SLOT,
        "create_reservation": BOOKING,
        "cancel_reservation": {"reservation_id": "R-100"},
    }
    if name == "check_availability" and "reservations" not in state:
        assert is_available(an_application(authorized), SLOT)
    else:
        assert refused(an_application(authorized), name, arguments[name])


@pytest.mark.parametrize("state", [None, [], "open"])
def test_a_state_that_is_no_object_is_refused(state: object) -> None:
    with pytest.raises(ToolRefused):
        Application(state, FACTS)  # type: ignore[arg-type]  # hostile


@pytest.mark.parametrize("key", ["hours", "hidden", "reference_date", "largest_party"])
def test_facts_that_lack_a_part_are_named(key: str) -> None:
    with pytest.raises(ValueError, match=key):
        Application({}, {name: value for name, value in FACTS.items() if name != key})


def test_a_call_id_acts_once() -> None:
    application = an_application()
    first = application.call("create_reservation", BOOKING, "c1")
    state = application.snapshot()
    assert application.call("create_reservation", BOOKING, "c1") == first
    assert application.call("cancel_reservation", {"reservation_id": "R-001"}, "c1") == first
    assert application.snapshot() == state


def test_another_call_id_books_again() -> None:
    application = an_application()
    ids = [application.call("create_reservation", BOOKING, c)["reservation_id"] for c in ("a", "b")]
    assert ids == ["R-001", "R-002"]


def test_a_refused_call_id_stays_refused() -> None:
    application = an_application()
    assert refused(application, "cancel_reservation", {"reservation_id": "R-001"})
    application.call("create_reservation", BOOKING, "c1")
    assert refused(application, "cancel_reservation", {"reservation_id": "R-001"})


def test_nothing_is_shared_with_the_outside() -> None:
    state: dict[str, JsonValue] = {
        "reservations": [a_record("R-100")],
        "authorized_reservation_ids": ["R-100"],
    }
    kept = copy.deepcopy(state)
    application = an_application(state)
    state["reservations"] = []
    assert application.snapshot() == kept
    for seen in (application.snapshot(), application.call("create_reservation", BOOKING, "c1")):
        assert isinstance(seen, dict)
        seen.clear()
    assert application.call("create_reservation", BOOKING, "c1")["reservation_id"] == "R-101"
    before = application.snapshot()
    application.call("cancel_reservation", {"reservation_id": "R-100"}, "c2")
    assert before["reservations"] == [*(kept["reservations"] or []), a_record("R-101")]  # type: ignore[misc]  # a list


SCALARS = st.sampled_from([None, True, 0, 3, 10**20, -0.5, float("nan"), "", "R-001", "2027-06-11"])
JSON = (
    SCALARS
    | st.lists(SCALARS | st.just(a_record("R-001")), max_size=3)
    | st.dictionaries(st.sampled_from(["date", "time", "party_size", "é"]), SCALARS, max_size=3)
)
NAMES = st.sampled_from(["check_availability", "create_reservation", "cancel_reservation", "other"])
KEYS = st.sampled_from(["guest_name", "date", "time", "party_size", "seating", "reservation_id"])
SOUND = st.sampled_from(["Priya", "2027-06-11", "19:30", 3, "terrace", "R-001"])


@given(
    state=st.dictionaries(
        st.sampled_from(["reservations", "authorized_reservation_ids", "seating"]), JSON
    ),
    calls=st.lists(st.tuples(NAMES, st.dictionaries(KEYS, JSON | SOUND)), max_size=4),
)
def test_whatever_comes_is_answered_or_refused_unchanged(
    state: dict[str, JsonValue], calls: list[tuple[str, dict[str, JsonValue]]]
) -> None:
    application = an_application(state)
    for number, (name, arguments) in enumerate(calls):
        before = repr(application.snapshot())
        try:
            assert application.call(name, arguments, f"c{number}")["ok"] is True
        except ToolRefused:
            assert repr(application.snapshot()) == before


def test_the_folder_works_from_anywhere(tmp_path: Path) -> None:
    path = Path(shutil.copy(FOLDER / "tools.py", tmp_path / "tools.py"))
    spec = importlib.util.spec_from_file_location("some_application", path)
    assert spec is not None
    assert spec.loader is not None
    # Not entered in sys.modules: a loader that does not do so must work as well.
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    application = module.Application({}, FACTS)
    assert application.call("create_reservation", BOOKING, "c1")["reservation_id"] == "R-001"
    with pytest.raises(ValueError, match="no such tool"):
        application.call("other", {}, "c2")
    assert issubclass(module.ToolRefused, ValueError)


def parameters(name: str) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = next(tool["parameters"] for tool in TOOLS if tool["name"] == name)
    return found


def test_every_tool_is_declared_flat_and_closed() -> None:
    names = [tool["name"] for tool in TOOLS]
    assert names == ["check_availability", "create_reservation", "cancel_reservation"]
    for tool in TOOLS:
        assert set(tool) == {"type", "name", "description", "parameters"}
        assert tool["type"] == "function"
        assert tool["parameters"]["additionalProperties"] is False
        jsonschema.Draft202012Validator.check_schema(tool["parameters"])


@pytest.mark.parametrize(
    ("name", "arguments", "is_valid"),
    [
        pytest.param("check_availability", SLOT, True, id="a-look"),
        pytest.param("check_availability", {**SLOT, "seating": None}, True, id="null-seating"),
        pytest.param("create_reservation", {**BOOKING, "seating": "bar"}, True, id="a-booking"),
        pytest.param("create_reservation", SLOT, False, id="no-name"),
        pytest.param("create_reservation", {**BOOKING, "guest_name": " "}, False, id="blank-name"),
        pytest.param("create_reservation", {**BOOKING, "party_size": 0}, False, id="nobody"),
        pytest.param("create_reservation", {**BOOKING, "time": "7:30"}, False, id="short-hour"),
        pytest.param("create_reservation", {**BOOKING, "date": "11 June"}, False, id="prose-date"),
        pytest.param("create_reservation", {**BOOKING, "note": "x"}, False, id="an-extra-key"),
        pytest.param("cancel_reservation", {"reservation_id": "R-042"}, True, id="a-cancellation"),
        pytest.param("cancel_reservation", {"reservation_id": "42"}, False, id="a-bare-number"),
    ],
)
def test_the_schema_of(name: str, arguments: JsonObject, is_valid: bool) -> None:
    assert jsonschema.Draft202012Validator(parameters(name)).is_valid(arguments) is is_valid


def test_prompts_hold_nothing_hidden() -> None:
    hidden = json.dumps(FACTS["hidden"])
    assert "2027-06-26" in hidden
    prompts = [path.read_text("utf-8") for path in sorted((FOLDER / "prompts").glob("*.txt"))]
    assert len(prompts) == 2
    for text in prompts:
        assert str(FACTS["name"]) in text
        assert "hidden" not in text
        assert "2027" not in text
