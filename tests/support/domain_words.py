"""Words by which the bundled application could be recognised outside its folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import assistants

APPLICATION = Path(assistants.__file__).parent / "application"

_EVERYDAY = frozenset({"date", "time"})
_COUNT = r"(?:\d|one|two|three|four|five|six|seven|eight|nine|ten)\b"
_OF_THE_TRADE = (
    "restaurant",
    "bistro",
    "reservation",
    rf"table for {_COUNT}",
    "book(?:s|ed|ing)? (?:a|the) table",
    "seating",
    "terrace",
    "dining",
    "dinner",
    "lunch",
    "menu",
    "meal",
    "cuisine",
    "chef",
    "waiter",
    "guest",
    rf"party of {_COUNT}",
    "party size",
)


def domain_words() -> re.Pattern[str]:
    """Words of the trade, the names of the tools and their arguments, and the house's own name."""
    tools = json.loads((APPLICATION / "tools.json").read_text("utf-8"))
    names = {tool["name"] for tool in tools}
    names |= {name for tool in tools for name in tool["parameters"]["properties"]}
    house = json.loads((APPLICATION / "facts.json").read_text("utf-8"))["name"]
    words = [*_OF_THE_TRADE, *sorted(names - _EVERYDAY), re.escape(house)]
    return re.compile(rf"(?<![a-z])(?:{'|'.join(words)})", re.IGNORECASE)
