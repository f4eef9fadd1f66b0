"""Numbers as they are said in English, for tests: the opposite way of what is tested."""

from __future__ import annotations

UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
SMALL = [*UNITS.split(), "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
ODD_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}


def cardinal(number: int) -> str:
    """Below a thousand million."""
    if number < 20:
        return SMALL[number]
    if number < 100:
        tens, units = divmod(number, 10)
        return TENS[tens] + (f"-{SMALL[units]}" if units else "")
    for size, name in ((1_000_000, "million"), (1_000, "thousand"), (100, "hundred")):
        if number >= size:
            count, rest = divmod(number, size)
            return f"{cardinal(count)} {name}" + (f" {cardinal(rest)}" if rest else "")
    raise AssertionError("every number is below a hundred or above")


def ordinal(number: int) -> str:
    """For numbers that do not end in a mere hundred."""
    said = cardinal(number)
    last = said.replace("-", " ").split()[-1]
    ending = last[:-1] + "ieth" if last.endswith("y") else ODD_ORDINALS.get(last, f"{last}th")
    return said.removesuffix(last) + ending
