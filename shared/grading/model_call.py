"""One call of a model over the Responses API: what came of it, and whether to call again.

What a second call could mend (the line, HTTP 408, 409, 429 and 5xx) is tried again; a refusal by
the rules and a reply of the wrong form are not: the first would be refused again, and asking until
an answer pleases is no measurement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Final

from pydantic import BaseModel, ValidationError

from shared.grading.judge import Reply
from shared.observability.observations import TokenUsage
from shared.observability.reported_usage import ReportedUsage

US_PER_MS: Final = 1_000
FIRST_WAIT_S: Final = 0.5
BUSY: Final = frozenset({408, 409, 429})
SERVER_ERROR: Final = 500
HOPELESS_CODES: Final = frozenset({"insufficient_quota"})
_UNITS_S: Final = {"retry-after-ms": 0.001, "retry-after": 1.0}


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A text, or the problem that stood in its way; ``asked_wait_s`` is the service's own wish."""

    text: str | None = None
    problem: str | None = None
    usage: TokenUsage | None = None
    may_pass: bool = False
    asked_wait_s: float | None = None

    def reply(self, calls: int, took_us: int) -> Reply:
        """What a question comes to when this is its last call, ``calls`` being all of them."""
        return Reply(self.text, self.problem, round(took_us / US_PER_MS), calls, self.usage)


@dataclass(frozen=True, slots=True)
class Retries:
    """At most ``most`` further calls, none after a wait of more than ``longest_wait_s``."""

    most: int
    longest_wait_s: float

    def wait_s(self, call: ModelCall, calls: int) -> float | None:
        """How long to wait before the next call, if there is one. ``calls`` have been made.

        It is what the service asks for, or else a wait that doubles.
        """
        if not call.may_pass or calls > self.most:
            return None
        asked_s, own_s = call.asked_wait_s, FIRST_WAIT_S * 2 ** (calls - 1)
        wait_s = own_s if asked_s is None else asked_s
        return None if wait_s > self.longest_wait_s else wait_s


def refused(status: int, error: object, headers: Mapping[str, str], now: datetime) -> ModelCall:
    """What an HTTP status other than success says. ``error`` is the object of its body, if any."""
    told = error if isinstance(error, Mapping) else {}
    return ModelCall(
        problem=f"HTTP {status}: {told.get('message') or 'no reason given'}",
        may_pass=(status in BUSY or status >= SERVER_ERROR)
        and told.get("code") not in HOPELESS_CODES,
        asked_wait_s=_asked_wait_s(headers, now),
    )


def _asked_wait_s(headers: Mapping[str, str], now: datetime) -> float | None:
    for name, unit_s in _UNITS_S.items():
        with suppress(ValueError):
            seconds = float(headers.get(name, "")) * unit_s
            if isfinite(seconds) and seconds >= 0:
                return seconds
    with suppress(ValueError):
        at = parsedate_to_datetime(headers.get("retry-after", ""))
        aware = at if at.tzinfo else at.replace(tzinfo=UTC)
        return max(0.0, (aware - now).total_seconds())
    return None


class _Content(BaseModel):
    type: str = ""
    text: str = ""
    refusal: str = ""


class _Item(BaseModel):
    type: str = ""
    content: list[_Content] | None = None


class _Error(BaseModel):
    message: str | None = None


class _Details(BaseModel):
    reason: str | None = None


class _Response(BaseModel):
    """As much of a response as we read; nothing else in it matters to us."""

    status: str
    output: list[_Item] = []
    error: _Error | None = None
    incomplete_details: _Details | None = None


class _Billed(BaseModel):
    usage: ReportedUsage | None = None


def answered(body: bytes) -> ModelCall:
    """The text of a completed response, or why it has none; usage counts either way."""
    document = body.decode("utf-8", "replace")
    usage = _usage(document)
    try:
        response = _Response.model_validate_json(document)
    except ValidationError:
        problem = "what came back is no response of the Responses API"
        return ModelCall(problem=problem, usage=usage)
    return ModelCall(*_text_or_problem(response), usage)


def _text_or_problem(response: _Response) -> tuple[str | None, str | None]:
    match response.status:
        case "completed":
            return _said(response.output)
        case "failed":
            message = response.error.message if response.error else None
            return None, f"the response failed: {message or 'no reason given'}"
        case "incomplete":
            details = response.incomplete_details
            reason = details.reason if details else None
            return None, f"the response is incomplete: {reason or 'no reason given'}"
        case status:
            return None, f"the response is {status}, not completed"


def _said(output: Sequence[_Item]) -> tuple[str | None, str | None]:
    contents = [
        content for item in output if item.type == "message" for content in item.content or ()
    ]
    refusals = [content.refusal for content in contents if content.type == "refusal"]
    if refusals:
        return None, f"the model refused: {' '.join(refusals)}"
    text = "".join(content.text for content in contents if content.type == "output_text")
    return (text, None) if text.strip() else (None, "the reply is empty")


def _usage(document: str) -> TokenUsage | None:
    try:
        usage = _Billed.model_validate_json(document).usage
    except ValidationError:
        return None
    return usage.tokens() if usage else None
