"""Small saved runs as older, foreign and damaged ones look: ``uv run python -m
tests.support.old_runs`` writes them anew into ``tests/data/saved_runs``.

All tell the same 800 ms, as far as they tell anything: the caller asks from 100 to 300, the
assistant hands work on at 320 and answers from 400 to 700, and the caller murmurs from 540 to 600.
Whatever no page may show is a text that begins with ``WITHHELD``. ``@RUN@`` stands for the folder
of the run, which is known only where it is placed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shared.audio.mixdown import stereo
from shared.audio.pcm import SAMPLES_PER_MS, Pcm
from shared.audio.wav import encode

SAVED_RUNS = Path(__file__).parent.parent / "data" / "saved_runs"
RUN_HERE = "@RUN@"
KEY = "table_for_two"
DURATION_MS = 800
CALLER, ASSISTANT = ((100, 300), (540, 600)), ((400, 700),)

type Object = dict[str, Any]
type RunFiles = dict[str, bytes]
MAKERS: dict[str, Callable[[], RunFiles]] = {}


def made(make: Callable[[], RunFiles]) -> Callable[[], RunFiles]:
    MAKERS[make.__name__] = make
    return make


# What was heard.


def track(spans: Iterable[tuple[int, int]]) -> Pcm:
    """A tone of 200 Hz in each span, silence elsewhere."""
    pcm = np.zeros(DURATION_MS * SAMPLES_PER_MS, np.int16)
    tone = (3_000 * np.sin(np.arange(pcm.size) * 2 * np.pi / 120)).astype(np.int16)
    for start_ms, end_ms in spans:
        within = slice(start_ms * SAMPLES_PER_MS, end_ms * SAMPLES_PER_MS)
        pcm[within] = tone[within]
    return pcm


def recording() -> bytes:
    return encode(stereo(track(CALLER), track(ASSISTANT)))


TRANSCRIPT = """\
USER 100..300ms: A table for two, please.
DELEGATION 320ms: target=responses
TOOL 340ms: name=create_reservation status=called arguments={"note":"WITHHELD arguments"}
TOOL 380ms: name=create_reservation status=completed result={"note":"WITHHELD result"}
BACKEND 390ms: target=responses status=completed result={"text":"WITHHELD result"}
ASSISTANT 400..700ms [OVERLAP]: It is booked.
Is there anything else?
USER 540..600ms [OVERLAP]: Mm-hm.
"""


def speech(bounds: tuple[int, int], spans: Iterable[tuple[int, int]]) -> Object:
    inside = [
        [max(start, bounds[0]), min(end, bounds[1])]
        for start, end in spans
        if start < bounds[1] and bounds[0] < end
    ]
    return {"speech": bool(inside), "speech_intervals_ms": inside, "rms": None}


def ticks() -> list[Object]:
    """Four bins; work from 320 to 400."""
    rows = []
    for number, start_ms in enumerate(range(0, DURATION_MS, 200), 1):
        bounds = (start_ms, start_ms + 200)
        work = speech(bounds, [(320, 400)])["speech_intervals_ms"]
        rows.append(
            {
                "tick": number,
                "start_ms": bounds[0],
                "end_ms": bounds[1],
                "user": {**speech(bounds, CALLER), "action": None, "transcript": ""},
                "assistant": {**speech(bounds, ASSISTANT), "transcript": ""},
                "interaction": {
                    "overlap_ms": 60 if start_ms == 400 else 0,
                    "delegation_active": bool(work),
                    "delegation_intervals_ms": work,
                    "delegation_active_ms": sum(b - a for a, b in work),
                },
                "events": [],
            }
        )
    return rows


def turn_rows() -> list[Object]:
    none = "not_applicable"
    floor = {"agent_interrupted_user": False, "agent_interruption_starts_ms": []}
    asked = {
        "response_expected": True,
        "response_outcome": "responded",
        "response_latency_ms": 100,
        "response_status": "answered",
        "response_reason": "response_received",
        "response_deadline_at_ms": 5_300,
        "response_observed_latency_ms": 100,
        "yield_outcome": none,
        "backchannel_outcome": none,
    }
    murmured = {
        "response_expected": False,
        "response_outcome": none,
        "response_status": "excluded",
        "response_reason": "backchannel",
        "yield_outcome": none,
        "backchannel_outcome": "continued",
    }
    call = {"name": "create_reservation", "status": "completed", "arguments": "WITHHELD arguments"}
    return [
        {
            "metrics_version": "2.0",
            "turn_index": 0,
            "start_ms": 100,
            "end_ms": 300,
            "window_end_ms": 540,
            "action": "OPENING",
            "user_transcript": "A table for two, please.",
            "assistant_transcript": "It is booked.",
            "audio": {**asked, **floor},
            "simulator": {"reasoning": "WITHHELD reasoning"},
            "task": {"tool_calls": [{**call, "result": "WITHHELD result"}]},
        },
        {
            "metrics_version": "2.0",
            "turn_index": 1,
            "start_ms": 540,
            "end_ms": 600,
            "window_end_ms": 800,
            "action": "BACKCHANNEL",
            "user_transcript": "Mm-hm.",
            "assistant_transcript": "Is there anything else?",
            "audio": {**murmured, **floor},
            "task": {"tool_calls": []},
        },
    ]


METRIC_EVENTS = [
    {"type": "response", "caller_end_ms": 300, "assistant_start_ms": 400, "latency_ms": 100},
    {"type": "backchannel_correct", "caller_start_ms": 540, "caller_end_ms": 600},
]
AGENT_EVENTS = [
    {
        "timestamp_ms": 320,
        "event_type": "session.delegation.created",
        "kind": "delegation",
        "name": "responses",
    },
    {
        "timestamp_ms": 340,
        "event_type": "tool.called",
        "kind": "tool",
        "name": "create_reservation",
        "call_id": "call_WITHHELD",
        "arguments": {"note": "WITHHELD arguments"},
    },
    {
        "timestamp_ms": 380,
        "event_type": "tool.completed",
        "kind": "tool",
        "name": "create_reservation",
        "call_id": "call_WITHHELD",
        "result": {"note": "WITHHELD result"},
    },
]


def details() -> Object:
    return {
        "schema_version": "2.0",
        "scenario_id": KEY,
        "task_status": "passed",
        "audio_condition": "clean",
        "termination_reason": "response_completed",
        "agent_events": AGENT_EVENTS,
        "efficiency_metrics": {"conversation_duration_s": 0.8},
        "interaction_metrics": {
            "metrics_version": "2.0",
            "events": METRIC_EVENTS,
            "floor_hold_intervals_ms": [[320, 400]],
            "delegation_timing_source": "lifecycle_events",
        },
        "turn_metrics": turn_rows(),
        "usage": [{"source": "live_frontend", "seconds": 1}],
        "run_metadata": {"audio_condition": "clean", "instructions": "WITHHELD instructions"},
    }


def message(text: str) -> Object:
    content = [{"type": "output_text", "text": text}]
    return {"type": "message", "role": "assistant", "status": "completed", "content": content}


def logged(media_ms: int, event: Object, source: str = "assistant_gpt_live") -> Object:
    return {
        "type": event["type"],
        "source": source,
        "direction": "server_to_relay",
        "event_time_ms": float(media_ms + 17),
        "event": {**event, "_relay_receipt": {"media_ms": media_ms}},
    }


def wrapped(media_ms: int, event: Object, owner: str = "item_1") -> Object:
    return logged(media_ms, {"type": "response.event", "delegation_id": owner, "event": event})


def event_log() -> list[Object]:
    """A delegation with a call, in envelopes; and a caller's own delegation, which is none."""
    call = {"type": "function_call", "name": "create_reservation", "call_id": "call_WITHHELD"}
    created = {"id": "item_1", "target": "responses", "response_id": "resp_1"}
    context = "WITHHELD instructions"
    return [
        logged(0, {"type": "session.started", "session": {"instructions": context}}),
        logged(310, {"type": "session.delegation.created", "delegation": {"id": "item_0"}},
               "caller_gpt_live"),
        logged(320, {"type": "session.delegation.created", "delegation": created}),
        wrapped(320, {"type": "response.created", "response": {"id": "resp_1", "input": context}}),
        wrapped(330, {"type": "response.output_item.done",
                      "item": {"type": "reasoning", "content": "WITHHELD reasoning"}}),
        wrapped(340, {"type": "response.output_item.done",
                      "item": {**call, "arguments": "WITHHELD arguments"}}),
        logged(340, {"type": "tool.called", "call_id": "call_WITHHELD", "response_id": "resp_1",
                     "name": "create_reservation", "arguments": "WITHHELD arguments"}),
        wrapped(360, {"type": "response.completed", "response": {"id": "resp_1"}}),
        logged(380, {"type": "tool.completed", "call_id": "call_WITHHELD",
                     "response_id": "resp_1", "name": "create_reservation",
                     "result": "WITHHELD result"}),
        wrapped(384, {"type": "response.created",
                      "response": {"id": "resp_2", "previous_response_id": "resp_1"}}),
        wrapped(396, {"type": "response.output_item.done", "item": message("Booked for two.")}),
        wrapped(400, {"type": "response.completed", "response": {"id": "resp_2"}}),
    ]  # fmt: skip


# What was reported.


def audio_metrics() -> Object:
    return {
        "response_rate": 1.0,
        "response_latency_ms": 100.0,
        "interruption_rate": 0.0,
        "metrics_version": "2.0",
    }


def row(**changes: Any) -> Object:
    return {
        "scenario_id": KEY,
        "title": "A table for two",
        "status": "passed",
        "metrics": {
            "task": {
                "task_completed": True,
                "semantic_quality": {"score": None, "dimensions": {}},
                "tool_accuracy": 1.0,
                "tool_calls": {"actual": 1, "expected": 1},
            },
            "audio": audio_metrics(),
            "consumption": {"frontend": {"audio_duration_ms": 1_000}, "backend": {}},
        },
        "artifacts": {
            "conversation_audio": f"audio/{KEY}/conversation.wav",
            "conversation_transcript": f"audio/{KEY}/conversation.transcript.txt",
            "events": f"events/{KEY}.jsonl",
            "details": f"audio/{KEY}/conversation.result.json",
        },
        "error": None,
        "assessment": {"passed": True, "source": "deterministic", "rationale": "", "checks": []},
        "observability": {
            "completion": {"termination_reason": "response_completed"},
            "tools": {
                "executed": [
                    {
                        "name": "create_reservation",
                        "status": "completed",
                        "arguments": {"note": "WITHHELD arguments"},
                        "call_id": "call_WITHHELD",
                    }
                ]
            },
        },
        **changes,
    }


def report(*rows: Object, configuration: Object | None = None, **changes: Any) -> Object:
    statuses = [one.get("status") for one in rows]
    return {
        "schema_version": "2.0",
        "run": {
            "id": "run_live_20260101_000000_000Z",
            "module": "run",
            "execution_mode": "offline_fixture",
            "interaction": "multi_turn",
            "dataset": "scenarios.json",
            "configuration": {"model": "gpt-live-1", **(configuration or {})},
        },
        "summary": {
            "total": len(rows),
            "passed": statuses.count("passed"),
            "failed": statuses.count("failed"),
            "infrastructure_errors": statuses.count("infrastructure_error"),
        },
        "results": list(rows),
        **changes,
    }


def as_json(value: object) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def as_lines(values: Iterable[object]) -> bytes:
    return "".join(f"{json.dumps(one)}\n" for one in values).encode()


AUDIO = f"audio/{KEY}/conversation.wav"
TEXT = f"audio/{KEY}/conversation.transcript.txt"
DETAILS = f"audio/{KEY}/conversation.result.json"
TICKS = f"audio/{KEY}/conversation.ticks.jsonl"
TURNS = f"audio/{KEY}/conversation.turns.jsonl"
EVENTS = f"events/{KEY}.jsonl"
TRACED: Mapping[str, str] = {"ticks": TICKS, "turns": TURNS}


def linked(**changes: str | None) -> Object:
    """Where a row says that its files are; what is ``None`` it does not name."""
    paths = {**row()["artifacts"], **TRACED, **changes}
    return {name: path for name, path in paths.items() if path is not None}


def whole(one: Object) -> RunFiles:
    """Everything that a run with a debug trace leaves."""
    return {
        "results.json": as_json(report(one)),
        AUDIO: recording(),
        TEXT: TRANSCRIPT.encode(),
        DETAILS: as_json(details()),
        TICKS: as_lines(ticks()),
        TURNS: as_lines(turn_rows()),
        EVENTS: as_lines(event_log()),
    }


def without(files: RunFiles, *names: str) -> RunFiles:
    return {name: content for name, content in files.items() if name not in names}


@made
def whole_trace() -> RunFiles:
    """Nothing is missing: what all others are held against."""
    return whole(row(artifacts=linked()))


@made
def no_ticks() -> RunFiles:
    return without(whole(row(artifacts=linked(ticks=None, turns=None))), TICKS, TURNS)


@made
def no_details() -> RunFiles:
    return without(whole(row(artifacts=linked(details=None))), DETAILS)


@made
def absolute_paths() -> RunFiles:
    """As builds wrote them that did not shorten what lies inside the run."""
    paths = {name: f"{RUN_HERE}/{path}" for name, path in linked().items()}
    return whole(row(artifacts=paths))


@made
def missing_audio() -> RunFiles:
    return without(whole(row(artifacts=linked())), AUDIO)


@made
def missing_audio_and_ticks() -> RunFiles:
    return without(whole(row(artifacts=linked())), AUDIO, TICKS)


@made
def older_semantic_scores() -> RunFiles:
    """Scores of the first rubric lie anywhere from 0 to 1, and are no quarters."""
    one = row(artifacts=linked())
    dimensions = {"task_understanding": 0.83, "conversational_coherence": 0.61}
    one["metrics"]["task"]["semantic_quality"] = {"score": 0.72, "dimensions": dimensions}
    rubric = {"version": "semantic-v1", "task_understanding": {"score": 0.83, "passed": True}}
    return {
        **without(whole(one), AUDIO),
        DETAILS: as_json({**details(), "rubric_metrics": rubric}),
    }


@made
def token_fields() -> RunFiles:
    """A build that counted tokens of the frontend, under another version of the schema."""
    one = row(artifacts=linked())
    tokens = {"total_tokens": 900, "input": {"audio_tokens": 700}, "output": {"audio_tokens": 200}}
    one["metrics"]["consumption"]["frontend"] = tokens
    return {
        **without(whole(one), AUDIO),
        "results.json": as_json(report(one, schema_version="1.4")),
        DETAILS: as_json({**details(), "usage": [{"source": "bidi", "total_tokens": 900}]}),
    }


@made
def no_run_and_no_version() -> RunFiles:
    one = without(row(artifacts=linked()), "title", "status")  # type: ignore[arg-type]
    bare = without(report(one), "run", "schema_version")  # type: ignore[arg-type]
    return {**without(whole(row()), AUDIO), "results.json": as_json(bare)}


@made
def truncated_report() -> RunFiles:
    files = whole(row(artifacts=linked()))
    return {**without(files, AUDIO), "results.json": files["results.json"][:700]}


@made
def escaping_paths() -> RunFiles:
    """Out of the run by its parent, by an absolute path, and by a link that a test makes."""
    paths = linked(
        details="../outside.json",
        conversation_transcript="/etc/hostname",
        ticks="audio/../../outside.jsonl",
        events="events/link.jsonl",
    )
    return without(whole(row(artifacts=paths)), TEXT, DETAILS, TICKS, EVENTS)


@made
def legacy_floor() -> RunFiles:
    """A caller that was steered: labels, fields and figures that no build writes any more."""
    one = row(artifacts=linked(turns=None))
    one["observability"] = {
        "floor": {
            "caller_actions": {"SPEAK": 1, "WAIT": 4, "BACKCHANNEL": True},
            "decisions": "WITHHELD reasoning",
        },
    }
    one["metrics"]["audio"] = {"response_rate": 1.0, "agent_interruption_rate": 0.0}
    told = ticks()
    for tick in told:
        tick["floor_owner"] = "WITHHELD floor"
        tick["events"] = [{"type": "simulator.floor.decision", "reason": "WITHHELD reasoning"}]
    rows = turn_rows()
    rows[0]["action"], rows[1]["action"] = "WAIT", "STALE_DISCARDED"
    for one_row in rows:
        audio = one_row["audio"]
        one_row["audio"] = {"response_outcome": audio["response_outcome"]}
    return {
        **without(whole(one), TURNS, EVENTS, AUDIO),
        TICKS: as_lines(told),
        DETAILS: as_json({**details(), "turn_metrics": rows, "floor_wait_latencies_ms": [40]}),
    }


@made
def chained_caller() -> RunFiles:
    """A caller made of a chain of models, whose runs are not shown."""
    files = whole(row(artifacts=linked()))
    refused = report(row(artifacts=linked()), configuration={"user_backend": "chained"})
    return {**without(files, AUDIO), "results.json": as_json(refused)}


@made
def mono_recording() -> RunFiles:
    files = whole(row(artifacts=linked(ticks=None, turns=None)))
    return {**without(files, TICKS, TURNS), AUDIO: encode(track(CALLER))}


@made
def infrastructure_error() -> RunFiles:
    """An attempt that broke off: a recording, and no word on what was in it."""
    broken = row(
        status="infrastructure_error",
        artifacts={"conversation_audio": AUDIO, "conversation_transcript": TEXT},
        error={"stage": "session_close", "message": "the session did not close in time"},
        assessment=None,
        observability={},
        session={"instructions": "WITHHELD instructions"},
    )
    return {**without(whole(broken), TEXT, DETAILS, TICKS, TURNS, EVENTS)}


@made
def whole_ticks_alone() -> RunFiles:
    """Ticks that say whether, not when."""
    told = ticks()
    for tick in told:
        for party in ("user", "assistant"):
            tick[party] = {"speech": tick[party]["speech"]}
        tick["interaction"] = {"delegation_active": tick["interaction"]["delegation_active"]}
    kept = details()
    kept["interaction_metrics"] = {"events": METRIC_EVENTS}
    return {
        **without(whole(row(artifacts=linked(events=None))), AUDIO, EVENTS),
        TICKS: as_lines(told),
        DETAILS: as_json(kept),
    }


@made
def event_log_of_all_ages() -> RunFiles:
    """Flat and wrapped, under old names and new; a line that is cut; an answer nobody can place."""
    named = {"id": "item_1", "target": "client"}
    old = {"id": "item_2", "target": "responses"}
    answered = {"type": "client_delegation.completed", "delegation_id": "item_1"}
    return {
        **without(whole(row(artifacts=linked())), AUDIO),
        EVENTS: as_lines(
            [
                logged(310, {"type": "session.delegation.created", "delegation": named}),
                logged(320, {"type": "delegation.created", "item": old}),
                logged(330, {"type": "response.created", "delegation_item_id": "item_2",
                             "response": {"id": "resp_2"}}),
                logged(332, {"type": "response.created", "response": {"id": "resp_9"}}),
                logged(334, {"type": "response.output_item.done", "item": message("Whose?")}),
                logged(336, {"type": "response.failed", "response": {"id": "resp_9"}}),
                logged(340, {"type": "response.output_item.done", "item": message("A table.")}),
                logged(345, {"type": "delegation.function_call_output.created",
                             "item": {"call_id": "call_WITHHELD", "output": "WITHHELD result"}}),
                logged(350, {"type": "response.completed", "response": {"id": "resp_2"}}),
                logged(360, {**answered, "text": "It is booked.", "request": "WITHHELD request"}),
            ]
        )
        + b'{"type":"response.completed","source":"assistant_gpt_live","event":{"ty\n',
    }  # fmt: skip


@made
def published_example() -> RunFiles:
    """Two files, under names of their own, and figures: what one publishes to show a run."""
    paths = {
        "conversation_audio": "conversation.wav",
        "conversation_transcript": "transcript.txt",
    }
    published = row(artifacts=paths, observability={"tools": {"executed": []}})
    published["metrics"]["task"]["semantic_quality"]["score"] = 0.9
    told = report(published, configuration={"assistant_mode": "client"})
    told["run"]["execution_mode"] = "live"
    return {
        "results.json": as_json(told),
        "results.csv": b"Metric,Result\nresponse_rate,1.0\n",
        "conversation.wav": recording(),
        "transcript.txt": TRANSCRIPT.encode(),
    }


@made
def damaged_lines() -> RunFiles:
    """Times that are none, numbers in quotes, lines that are cut, lists where objects belong."""
    bad_ticks: list[object] = [*ticks()]
    bad_ticks[1] = {**ticks()[1], "start_ms": "200"}
    bad_ticks[2] = {**ticks()[2], "user": {"speech_intervals_ms": [[540, 1e308], [-5, 3], "x"]}}
    bad_rows: list[object] = [*turn_rows(), {"start_ms": float("nan"), "end_ms": 5}, [], None]
    kept = details()
    kept["transcript"] = [
        {"role": "USER", "start_ms": 100, "end_ms": 300, "text": "A table for two, please."},
        {"role": "agent", "start_ms": 400, "end_ms": 10**30, "text": "WITHHELD turn"},
        {"role": "operator", "start_ms": 400, "end_ms": 700, "text": "WITHHELD turn"},
        {"role": "assistant", "start_ms": True, "end_ms": 700, "text": "WITHHELD turn"},
    ]
    kept["interaction_metrics"]["events"] = [*METRIC_EVENTS, {"type": "response"}, 7]
    return {
        **without(whole(row(artifacts=linked())), AUDIO),
        TICKS: as_lines(bad_ticks) + b"{\n",
        TURNS: as_lines(bad_rows),
        DETAILS: as_json(kept),
        EVENTS: as_lines([*event_log(), [], 3]) + b"\xff\xfe\n",
    }


def write(folder: Path) -> None:
    """All runs, each in a folder of its name, in place of what is there."""
    for name, make in MAKERS.items():
        shutil.rmtree(folder / name, ignore_errors=True)
        for path, content in make().items():
            file = folder / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


if __name__ == "__main__":
    write(SAVED_RUNS)
