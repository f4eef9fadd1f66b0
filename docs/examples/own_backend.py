"""A backend of your own. This one cancels reservations, and needs no model for it."""

import json
import re

from assistants.client.backend import BackendContext, Emit, Handoff, Progress, WorkFailedError

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
DIGITS = {word: str(digit) for digit, word in enumerate(WORDS)}
NUMBER = re.compile(rf"\bR((?: (?:{'|'.join(DIGITS)}))+)")


class Backend:
    def __init__(self, context: BackendContext) -> None:
        self._tools = {tool["name"] for tool in context.tools}

    async def run(self, handoff: Handoff, emit: Emit) -> str:
        if "cancel_reservation" not in self._tools:
            raise WorkFailedError("this application cancels nothing")
        spoken = NUMBER.findall(handoff.text)
        if not spoken:
            return "Ask for the number of the reservation."
        number = "R-" + "".join(DIGITS[word] for word in spoken[-1].split())
        emit(Progress(f"Cancelling {number}."))
        arguments = json.dumps({"reservation_id": number})
        output = await handoff.call("cancel_reservation", arguments, f"{handoff.number}-cancel")
        answer = json.loads(output)
        if not answer["ok"]:
            return f"{number} was not cancelled: {answer['error']}."
        return f"{number} is cancelled."

    async def close(self) -> None:
        pass
