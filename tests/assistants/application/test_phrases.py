"""What counts as claiming success and what counts as refusing, sentence by sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import assistants

CONTENT = json.loads(
    (Path(assistants.__file__).parent / "application" / "phrases.json").read_text("utf-8")
)
RULES: list[dict[str, list[str]]] = CONTENT["confirmation_patterns"]
PHRASES: dict[str, list[str]] = {
    "confirmation_patterns": [pattern for rule in RULES for pattern in rule["patterns"]],
    "refusal_patterns": CONTENT["refusal_patterns"],
}

CLAIMS = [
    "You're booked.",
    "You’re booked, Priya, for three on June eleventh.",
    "Youre booked for seven.",
    "You are now booked for half past six.",
    "You're all set for Friday!",
    "Lovely, you're confirmed for two people.",
    "You're booked for Friday at seven, is there anything else?",
    "I've booked the terrace for you.",
    "I have reserved a table for five.",
    "We booked you in for noon.",
    "I've just cancelled it.",
    "I've canceled your reservation.",
    "I've gone ahead and cancelled that.",
    "I have made your reservation.",
    "I've confirmed your booking.",
    "I've put you down for eight o'clock.",
    "It's booked.",
    "That's all confirmed for you.",
    "It has been cancelled.",
    "Everything is confirmed.",
    "Your table is reserved.",
    "Your table for two on Friday evening is confirmed.",
    "Your terrace table is now booked, see you then.",
    "The reservation has been made under Clara.",
    "Your reservation's been cancelled.",
    "Your booking is complete.",
    "Reservation R three four one has been cancelled.",
    "Reservation R-341 is cancelled.",
    "I'm happy to confirm that your table is reserved.",
    "Your cancellation is confirmed.",
    "Your confirmation number is R zero zero one.",
    "Booking confirmed! See you soon.",
    "All right. Reservation cancelled.",
    "Done, all booked.",
    "Table reserved, see you then.",
    "One moment. Cancelled.",
]

NO_CLAIMS = [
    "Shall I book it?",
    "I can book that for you.",
    "Would you like me to reserve it?",
    "Nothing has been booked yet.",
    "I'm checking whether I can reserve the terrace.",
    "I haven't booked anything.",
    "I have not reserved a table yet.",
    "I've booked nothing so far.",
    "Your table is not booked yet.",
    "Your reservation hasn't been cancelled.",
    "Your booking isn't confirmed until you give me a name.",
    "No reservation has been made.",
    "Yes, we have a table for two at seven. Nothing is reserved so far.",
    "Once your table is booked you will get a message.",
    "I'll tell you when it's booked.",
    "You will hear from me as soon as it's booked.",
    "If it's cancelled you hear from us.",
    "Let me make sure your table is reserved.",
    "Let me check that your reservation is confirmed.",
    "Is your table booked under another name?",
    "Are you booked already?",
    "Has the reservation been cancelled?",
    "Have I booked that correctly?",
    "Your table is booked?",
    "Your table is confirmed once I have your name.",
    "Your table will be reserved in a moment.",
    "Your reservation is being cancelled now.",
    "We're booked out that evening.",
    "I'm afraid the terrace is fully booked.",
    "It's booked up, sorry.",
    "The counter is full, and the last table is reserved for a private party.",
    "Do you want the reservation cancelled?",
    "I'd like to get your table booked. What name is it?",
    "I can have your reservation cancelled if you wish.",
    "I've found a table for four.",
    "I can't cancel it; it was booked by someone else.",
    "What name should the booking be under?",
    "One moment, I'll make that booking.",
    "You're welcome.",
]

REFUSALS = [
    "I'm sorry, I can't cancel that reservation.",
    "I cannot cancel it for you.",
    "I can’t do that.",
    "I'm not able to cancel somebody else's booking.",
    "I'm unable to change that one.",
    "I am not authorised to cancel it.",
    "I'm not allowed to touch that booking.",
    "I can only cancel reservations made by you.",
    "Only the guest who made it can cancel it.",
    "Your neighbour would have to call us himself.",
    "That's not something I can do.",
    "I don't have permission to cancel that.",
    "I won't be able to cancel that one.",
    "I have to decline.",
]

NO_REFUSALS = [
    "I can cancel that for you.",
    "Shall I cancel it?",
    "It has been cancelled.",
    "If you can't make it, just call us.",
    "What a pity that you can't change the date.",
    "I can't wait to see you.",
    "I'm unable to hear you, could you repeat that?",
    "I can't find that number, could you say it again?",
    "Let me see what I can do about that.",
    "Sorry, what was the reservation number?",
    "I can help with that.",
]


def says(kind: str, text: str) -> bool:
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in PHRASES[kind])


@pytest.mark.parametrize("text", CLAIMS)
def test_a_success_claim_is(text: str) -> None:
    assert says("confirmation_patterns", text)


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_no_success_claim_is(text: str) -> None:
    assert not says("confirmation_patterns", text)


@pytest.mark.parametrize("text", CLAIMS)
def test_case_makes_no_claim_weaker(text: str) -> None:
    assert says("confirmation_patterns", text.upper())


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_is(text: str) -> None:
    assert says("refusal_patterns", text)


@pytest.mark.parametrize("text", [*NO_REFUSALS, *CLAIMS])
def test_no_refusal_is(text: str) -> None:
    assert not says("refusal_patterns", text)


@pytest.mark.parametrize(
    ("patterns", "sentences"),
    [
        *(pytest.param(rule["patterns"], CLAIMS, id="-".join(rule["tools"])) for rule in RULES),
        pytest.param(PHRASES["refusal_patterns"], REFUSALS, id="refusals"),
    ],
)
def test_every_pattern_decides_some_sentence_alone(
    patterns: list[str], sentences: list[str]
) -> None:
    for pattern in patterns:
        others = [other for other in patterns if other != pattern]
        assert any(
            re.search(pattern, sentence, re.IGNORECASE)
            and not any(re.search(other, sentence, re.IGNORECASE) for other in others)
            for sentence in sentences
        ), pattern


def claimed_tools(text: str) -> list[set[str]]:
    """The tools of every rule that a sentence falls under."""
    return [
        set(rule["tools"])
        for rule in RULES
        if any(re.search(pattern, text, re.IGNORECASE) for pattern in rule["patterns"])
    ]


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        pytest.param("You're booked.", "create_reservation", id="booked-needs-a-booking"),
        pytest.param("Your table is reserved.", "create_reservation", id="so-does-reserved"),
        pytest.param("Done, all booked.", "create_reservation", id="so-does-a-bare-booked"),
        pytest.param("I've just cancelled it.", "cancel_reservation", id="cancelled-needs-its-own"),
        pytest.param("One moment. Cancelled.", "cancel_reservation", id="so-does-a-bare-cancelled"),
    ],
)
def test_a_claim_of_one_action_is_true_by_that_action_only(text: str, tool: str) -> None:
    rules = claimed_tools(text)
    assert {tool} in rules
    assert set.intersection(*rules) == {tool}


@pytest.mark.parametrize("text", ["You're all set for Friday!", "Everything is confirmed."])
def test_a_claim_that_names_no_action_is_true_by_either(text: str) -> None:
    assert claimed_tools(text) == [{"create_reservation", "cancel_reservation"}]


@pytest.mark.parametrize("kind", ["confirmation_patterns", "refusal_patterns"])
def test_no_pattern_is_satisfied_with_silence(kind: str) -> None:
    assert not says(kind, "")
    assert not says(kind, " ")
