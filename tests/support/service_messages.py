"""What a GPT Live service says, one message at a time, with everything dull filled in."""

from __future__ import annotations

from assistants.frontend.backend_events import (
    ArgumentsDelta,
    ArgumentsDone,
    BackendError,
    BackendEvent,
    BackendMessage,
    FunctionCall,
    IncompleteDetails,
    OtherItem,
    OutputItemAdded,
    OutputItemDone,
    OutputText,
    ResponseCompleted,
    ResponseCreated,
    ResponseFailed,
    ResponseIncomplete,
    ResponseSnapshot,
)
from assistants.frontend.events import (
    DelegationCreated,
    DelegationRef,
    ErrorDetail,
    ErrorEvent,
    InputTranscriptDelta,
    OutputAudioDelta,
    OutputTranscriptDelta,
    ResponseEvent,
    SessionClosed,
    SessionStarted,
    SessionUsage,
    UsageUpdated,
    encode,
    encode_audio,
)
from assistants.frontend.session_config import SessionResource
from shared.observability.reported_usage import ReportedUsage

RESOURCE = SessionResource(id="live_1", expires_at=1, model="gpt-live-1", status="active")


def started(event_id: str = "e") -> str:
    return encode(SessionStarted(event_id=event_id, session=RESOURCE))


def closed(reason: str = "close_requested", seconds: float | None = 14) -> str:
    usage = None if seconds is None else SessionUsage(seconds=seconds)
    return encode(SessionClosed(event_id="e", reason=reason, usage=usage))


def error(code: str | None = "invalid_value", message: str = "demo", **fields: str) -> str:
    detail = ErrorDetail(type="invalid_request_error", code=code, message=message, **fields)
    return encode(ErrorEvent(event_id="e", error=detail))


def audio(samples: bytes) -> str:
    return encode(OutputAudioDelta(delta=encode_audio(samples)))


def heard(text: str, start_ms: int = 0, end_ms: int = 200) -> str:
    return encode(InputTranscriptDelta(event_id="e", delta=text, start_ms=start_ms, end_ms=end_ms))


def said(text: str, start_ms: int = 0, end_ms: int = 200) -> str:
    return encode(OutputTranscriptDelta(event_id="e", delta=text, start_ms=start_ms, end_ms=end_ms))


def usage(seconds: float) -> str:
    return encode(UsageUpdated(event_id="e", usage=SessionUsage(seconds=seconds)))


def delegated(delegation_id: str = "d1", offset_ms: int = 0, response_id: str = "r1") -> str:
    ref = DelegationRef(id=delegation_id, target="responses", response_id=response_id)
    return encode(DelegationCreated(event_id="e", offset_ms=offset_ms, delegation=ref))


def backend(event: BackendEvent, delegation_id: str | None = "d1") -> str:
    return encode(ResponseEvent(event_id="e", delegation_id=delegation_id, event=event))


def began(response_id: str = "r1", after: str | None = None) -> ResponseCreated:
    return ResponseCreated(
        response=_snapshot(response_id, "in_progress", previous_response_id=after),
        sequence_number=0,
    )


def call(
    call_id: str = "c1",
    name: str = "look_up",
    arguments: str = "{}",
    status: str | None = "completed",
    item_id: str | None = None,
) -> OutputItemDone:
    item = FunctionCall(
        id=item_id or f"fc_{call_id}",
        status=status,
        arguments=arguments,
        call_id=call_id,
        name=name,
    )
    return OutputItemDone(output_index=0, item=item, sequence_number=5)


def call_added(call_id: str = "c1", name: str = "look_up") -> OutputItemAdded:
    item = FunctionCall(status="in_progress", arguments="", call_id=call_id, name=name)
    return OutputItemAdded(output_index=0, item=item, sequence_number=2)


def argument_stream(text: str = "{}") -> tuple[ArgumentsDelta, ArgumentsDone]:
    return (
        ArgumentsDelta(item_id="fc_c1", output_index=0, delta=text, sequence_number=3),
        ArgumentsDone(item_id="fc_c1", output_index=0, arguments=text, sequence_number=4),
    )


def reasoning() -> OutputItemDone:
    return OutputItemDone(output_index=0, item=OtherItem(type="reasoning"), sequence_number=2)


def message(text: str, item_id: str = "msg_1") -> OutputItemDone:
    item = BackendMessage(id=item_id, content=(OutputText(text=text),))
    return OutputItemDone(output_index=0, item=item, sequence_number=7)


def completed(response_id: str = "r1", tokens: ReportedUsage | None = None) -> ResponseCompleted:
    """As the service sends it: the snapshot's output is empty."""
    snapshot = _snapshot(response_id, "completed", usage=tokens)
    return ResponseCompleted(response=snapshot, sequence_number=6)


def failed(response_id: str = "r1", fault: BackendError | None = None) -> ResponseFailed:
    return ResponseFailed(response=_snapshot(response_id, "failed", error=fault), sequence_number=6)


def incomplete(response_id: str = "r1", reason: str | None = None) -> ResponseIncomplete:
    details = None if reason is None else IncompleteDetails(reason=reason)
    return ResponseIncomplete(
        response=_snapshot(response_id, "incomplete", incomplete_details=details),
        sequence_number=6,
    )


def _snapshot(response_id: str, status: str, **fields: object) -> ResponseSnapshot:
    content = {"id": response_id, "status": status, "model": "a-backend", **fields}
    return ResponseSnapshot.model_validate(content)
