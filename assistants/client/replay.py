"""What a backend's model is shown: one list of items, kept by the application and sent back whole.

Theory of operation. A task is asked about in rounds; each round that was answered in full, outputs
included, stays for good. A task's own message holds the whole conversation, so it is shown while
the task runs and only its news stays: kept whole, every task would repeat all earlier ones. Of a
round that broke off nothing stays but a note of the calls it had made, in words, because a call
without its output would have every later request refused. A task without either leaves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from assistants.client.backend import WorkFailedError
from assistants.client.response_stream import Answer
from assistants.frontend.backend_events import FunctionCall
from assistants.frontend.events import FunctionCallOutput
from shared.values import JsonObject

NO_NEWS = "(Nothing new had been transcribed.)"


class Replay:
    """What one session's requests are about. ``broken_off`` introduces calls of a broken round."""

    def __init__(self, broken_off: str) -> None:
        self._broken_off = broken_off
        self._past: list[JsonObject] = []
        self._task = ""
        self._news = ""
        self._rounds: list[JsonObject] = []
        self._open_calls: dict[str, FunctionCall] = {}
        self._call_ids: set[str] = set()

    def begin(self, task: str, news: str) -> None:
        """Take up a task; one at a time."""
        self._task = task
        self._news = news

    @property
    def items(self) -> list[JsonObject]:
        """What the next request is about."""
        return [*self._past, _message(self._task), *self._rounds]

    def called(self, call: FunctionCall) -> None:
        """A response that is still streaming has made a call."""
        if call.is_made:
            self._open_calls[call.call_id] = call

    def answered(self, answer: Answer, outputs: Sequence[FunctionCallOutput]) -> None:
        """Keep a round: all items of its response, and the output of each of its calls."""
        if not self._call_ids.isdisjoint(answer.call_ids):
            raise WorkFailedError("the response calls under an id that was used before")
        if {one.call_id for one in outputs} != set(answer.call_ids):
            raise WorkFailedError("a call of the response came to no output")
        self._call_ids.update(answer.call_ids)
        self._open_calls.clear()
        self._rounds += [*answer.items, *(one.model_dump(mode="json") for one in outputs)]

    def amend(self, news: str) -> None:
        """Add what was said since the task was begun, if anything was."""
        if news:
            self._rounds.append(_message(news))

    def end(self) -> None:
        """The task is over, whatever came of it."""
        left = [*self._rounds]
        if self._open_calls:
            calls = (f"{one.name} {one.arguments}" for one in self._open_calls.values())
            left.append(_message("\n".join((self._broken_off, *calls))))
        if left:
            self._past += [_message(self._news or NO_NEWS), *left]
        self._rounds.clear()
        self._open_calls.clear()


def _message(text: str) -> JsonObject:
    return {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": text}],
    }
