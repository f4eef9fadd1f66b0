"""The restaurant's three tools, over one caller's own copy of the book.

A booking obeys the very rule that ``check_availability`` reports, and the numbers of that rule are
data in ``facts.json``. Every refusal comes before any change. This folder may be loaded from
anywhere, so the module knows nothing but the standard library.
"""

import copy
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Self

type JsonScalar = str | int | float | bool | None
type JsonValue = JsonScalar | Sequence[JsonValue] | Mapping[str, JsonValue]
type JsonObject = Mapping[str, JsonValue]

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
NUMBERED_ID = re.compile(r"R-([0-9]{1,9})")
SITTING = ("date", "time", "party_size")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class ToolRefused(ValueError):  # noqa: N818 - an answer to the caller, not a fault of the program
    """The call is invalid, or not this caller's to make. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """A table that is asked for or taken. ``minute`` counts from midnight, local time."""

    day: date
    minute: int
    party_size: int
    seating: str | None

    @classmethod
    def of(cls, fields: JsonObject) -> Self:
        """Read the four fields; only the seating may be left out or null."""
        seating = fields.get("seating")
        return cls(
            day=_day(fields.get("date"), "date"),
            minute=_minute(fields.get("time"), "time"),
            party_size=_count(fields.get("party_size"), "party_size"),
            seating=None if seating is None else _text(seating, "seating").casefold(),
        )

    def fields(self) -> dict[str, JsonValue]:
        """The same four fields as JSON, in the one spelling the book uses."""
        fields: dict[str, JsonValue] = {
            "date": self.day.isoformat(),
            "time": f"{self.minute // 60:02}:{self.minute % 60:02}",
            "party_size": self.party_size,
        }
        return fields if self.seating is None else {**fields, "seating": self.seating}


@dataclass(frozen=True, slots=True)
class House:
    """When the restaurant seats guests, and how many find a chair at once."""

    first_day: date
    last_day: date
    closed_weekdays: frozenset[str]
    opens: int
    last_seating: int
    largest_party: int
    sitting_minutes: int
    default_seating: str
    seats: Mapping[str, int]
    taken: tuple[Sitting, ...]

    @classmethod
    def of(cls, facts: JsonObject) -> Self:
        hours = _object(facts.get("hours"), "facts: hours")
        hidden = _object(facts.get("hidden"), "facts: hidden")
        seats = _object(hidden.get("seats"), "facts: seats")
        closed = _list(hours.get("closed_weekdays"), "facts: closed_weekdays")
        taken = _list(hidden.get("taken"), "facts: taken")
        return cls(
            first_day=_day(facts.get("reference_date"), "facts: reference_date"),
            last_day=_day(facts.get("bookable_until"), "facts: bookable_until"),
            closed_weekdays=frozenset(_text(day, "facts: weekday").casefold() for day in closed),
            opens=_minute(hours.get("opens"), "facts: opens"),
            last_seating=_minute(hours.get("last_seating"), "facts: last_seating"),
            largest_party=_count(facts.get("largest_party"), "facts: largest_party"),
            sitting_minutes=_count(hidden.get("sitting_minutes"), "facts: sitting_minutes"),
            default_seating=_text(
                facts.get("default_seating"), "facts: default_seating"
            ).casefold(),
            seats={
                area.casefold(): _count(n, f"facts: seats, {area}") for area, n in seats.items()
            },
            taken=tuple(Sitting.of(_object(row, "facts: a taken table")) for row in taken),
        )

    def objection(self, asked: Sitting, booked: Iterable[Sitting]) -> str | None:
        """Why this table cannot be had, in a few words; nothing when it can.

        Raises :class:`ToolRefused` for an area the house does not have.
        """
        if self.area(asked) not in self.seats:
            raise ToolRefused(f"seating must be one of: {', '.join(self.seats)}")
        if not self.first_day <= asked.day <= self.last_day:
            return f"tables can be had from {self.first_day} to {self.last_day}"
        if WEEKDAYS[asked.day.weekday()] in self.closed_weekdays:
            return "closed on that day of the week"
        if not self.opens <= asked.minute <= self.last_seating:
            return "no guests are seated at that time"
        if asked.party_size > self.largest_party:
            return f"the largest party is {self.largest_party}"
        if asked.party_size > self._free_seats(asked, booked):
            return "not enough seats are left at that time"
        return None

    def area(self, sitting: Sitting) -> str:
        """Where the party sits. Guests who do not choose are given the default."""
        return self.default_seating if sitting.seating is None else sitting.seating

    def _free_seats(self, asked: Sitting, booked: Iterable[Sitting]) -> int:
        area = self.area(asked)
        return self.seats[area] - sum(
            other.party_size
            for other in (*self.taken, *booked)
            if self.area(other) == area
            and other.day == asked.day
            and abs(other.minute - asked.minute) < self.sitting_minutes
        )


class Application:
    """One caller's session with the restaurant. Nobody else holds a reference to its state."""

    def __init__(self, initial_state: JsonObject, facts: JsonObject) -> None:
        self._state = dict(copy.deepcopy(_object(initial_state, "the initial state")))
        self._house = House.of(facts)
        self._settled: dict[str, JsonObject | ToolRefused] = {}

    def snapshot(self) -> JsonObject:
        """The state as it is now; changing the copy changes nothing here."""
        return copy.deepcopy(self._state)

    def call(self, name: str, arguments: JsonObject, call_id: str) -> JsonObject:
        """Run one tool. A call id that was settled before gets its first outcome again.

        Raises :class:`ToolRefused`, always before any change.
        """
        _text(call_id, "call id")
        if call_id not in self._settled:
            self._settled[call_id] = self._outcome(name, arguments)
        outcome = self._settled[call_id]
        if isinstance(outcome, ToolRefused):
            raise ToolRefused(*outcome.args)
        return copy.deepcopy(outcome)

    def _outcome(self, name: str, arguments: JsonObject) -> JsonObject | ToolRefused:
        try:
            match name:
                case "check_availability":
                    return self._check_availability(arguments)
                case "create_reservation":
                    return self._create_reservation(arguments)
                case "cancel_reservation":
                    return self._cancel_reservation(arguments)
                case _:
                    return ToolRefused(f"no such tool: {name!r}")
        except ToolRefused as refusal:
            return refusal

    def _check_availability(self, arguments: JsonObject) -> JsonObject:
        asked = Sitting.of(_known(arguments, (*SITTING, "seating")))
        objection = self._house.objection(asked, self._booked())
        answer: JsonObject = {"ok": True, **asked.fields(), "available": objection is None}
        return answer if objection is None else {**answer, "reason": objection}

    def _create_reservation(self, arguments: JsonObject) -> JsonObject:
        known = _known(arguments, ("guest_name", *SITTING, "seating"))
        guest_name = _text(known.get("guest_name"), "guest_name")
        asked = Sitting.of(known)
        objection = self._house.objection(asked, self._booked())
        if objection is not None:
            raise ToolRefused(objection)
        records, authorized = self._records(), self._authorized()
        reservation_id = _next_id(
            [*(record.get("reservation_id") for record in records), *authorized]
        )
        booking: dict[str, JsonValue] = {
            "reservation_id": reservation_id,
            "guest_name": guest_name,
            **asked.fields(),
        }
        # Another booking's seating must not pass for this one's.
        self._state.pop("seating", None)
        self._state |= {
            "reservations": [*records, {**booking, "cancelled": False}],
            "authorized_reservation_ids": [*authorized, reservation_id],
            "reservation_created": True,
            **booking,
        }
        return {"ok": True, "reservation_created": True, **booking, "cancelled": False}

    def _cancel_reservation(self, arguments: JsonObject) -> JsonObject:
        known = _known(arguments, ("reservation_id",))
        reservation_id = _text(known.get("reservation_id"), "reservation_id")
        if reservation_id not in self._authorized():
            raise ToolRefused("this caller may not manage that reservation")
        records = self._records()
        found = [
            n for n, record in enumerate(records) if record.get("reservation_id") == reservation_id
        ]
        if not found:
            raise ToolRefused("there is no such reservation")
        still_open = [n for n in found if not _is_cancelled(records[n])]
        if not still_open:
            raise ToolRefused("that reservation is cancelled already")
        records[still_open[0]] = {**records[still_open[0]], "cancelled": True}
        self._state |= {
            "reservations": records,
            "reservation_id": reservation_id,
            "cancelled": True,
        }
        return {"ok": True, "reservation_id": reservation_id, "cancelled": True}

    def _records(self) -> list[JsonObject]:
        """A new list of the records in the book, the cancelled ones included."""
        records = _list(self._state.get("reservations", []), "state: reservations")
        return [_object(record, "state: a reservation") for record in records]

    def _authorized(self) -> list[JsonValue]:
        """A new list of the ids this caller may manage."""
        what = "authorized_reservation_ids"
        return list(_list(self._state.get(what, []), f"state: {what}"))

    def _booked(self) -> list[Sitting]:
        """The tables that open records occupy; a record without day, time or size takes none."""
        return [
            Sitting.of(record)
            for record in self._records()
            if not _is_cancelled(record) and all(key in record for key in SITTING)
        ]


def _is_cancelled(record: JsonObject) -> bool:
    return record.get("cancelled") is True


def _next_id(used: Collection[JsonValue]) -> str:
    """One more than the highest numbered id in use, and never an id in use."""
    matches = (NUMBERED_ID.fullmatch(one) for one in used if isinstance(one, str))
    number = 1 + max((int(match[1]) for match in matches if match), default=0)
    while f"R-{number:03}" in used:
        number += 1
    return f"R-{number:03}"


def _known(arguments: JsonObject, names: Collection[str]) -> JsonObject:
    for name in _object(arguments, "the arguments"):
        if name not in names:
            raise ToolRefused(f"unknown argument: {name!r}")
    return arguments


def _object(value: JsonValue, what: str) -> JsonObject:
    if not isinstance(value, Mapping):
        raise ToolRefused(f"{what} must be an object")
    return value


def _list(value: JsonValue, what: str) -> Sequence[JsonValue]:
    if not isinstance(value, list):
        raise ToolRefused(f"{what} must be a list")
    return value


def _text(value: JsonValue, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ToolRefused(f"{what} must be a text that is not blank")
    return value.strip()


def _count(value: JsonValue, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ToolRefused(f"{what} must be a whole number from 1")
    return value


def _day(value: JsonValue, what: str) -> date:
    text = _text(value, what)
    if not DAY.fullmatch(text):
        raise ToolRefused(f"{what} must be a day written YYYY-MM-DD")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ToolRefused(f"{what} is no day of the calendar") from None


def _minute(value: JsonValue, what: str) -> int:
    clock = CLOCK.fullmatch(_text(value, what))
    if clock is None:
        raise ToolRefused(f"{what} must be a time written HH:MM")
    return int(clock[1]) * 60 + int(clock[2])
