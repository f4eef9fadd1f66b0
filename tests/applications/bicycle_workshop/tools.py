"""A bicycle workshop's three tools over one caller's copy of its tickets."""

import copy
from typing import Any


class Refused(ValueError):  # noqa: N818 - an answer to the caller, not a fault of the program
    """The call is not this caller's to make, or cannot be done. Nothing was changed."""


class Application:
    """One attempt's workshop."""

    def __init__(self, initial_state: dict[str, Any], facts: dict[str, Any]) -> None:
        self._state = copy.deepcopy(initial_state)
        self._stock = facts["hidden"]["stock"]
        self._full_days = facts["hidden"]["full_days"]
        self._done: dict[str, dict[str, Any]] = {}

    def snapshot(self) -> dict[str, Any]:
        return copy.deepcopy(self._state)

    def call(self, name: str, arguments: dict[str, Any], call_id: str) -> dict[str, Any]:
        if call_id not in self._done:
            tools = {
                "find_part": self._find_part,
                "take_in_bicycle": self._take_in_bicycle,
                "withdraw_ticket": self._withdraw_ticket,
            }
            self._done[call_id] = tools[name](**arguments)
        return copy.deepcopy(self._done[call_id])

    def _find_part(self, part: str, wheel_inches: int) -> dict[str, Any]:
        return {"in_stock": self._stock.get(part.lower(), {}).get(str(wheel_inches), 0)}

    def _take_in_bicycle(
        self, owner: str, brought_on: str, jobs: list[str], is_electric: bool | None = None
    ) -> dict[str, Any]:
        if brought_on in self._full_days:
            raise Refused("the workshop is full on that day")
        tickets = self._state.setdefault("tickets", [])
        ticket = {"ticket": f"W-{len(tickets) + 1}", "owner": owner, "brought_on": brought_on}
        ticket |= {"jobs": jobs, "is_electric": bool(is_electric), "is_withdrawn": False}
        tickets.append(ticket)
        self._state["latest"] = ticket
        return ticket

    def _withdraw_ticket(self, ticket: str) -> dict[str, Any]:
        if ticket not in self._state.get("tickets_of_this_caller", []):
            raise Refused("that ticket is not this caller's")
        for one in self._state["tickets"]:
            if one["ticket"] == ticket:
                one["is_withdrawn"] = True
        return {"ticket": ticket, "is_withdrawn": True}
