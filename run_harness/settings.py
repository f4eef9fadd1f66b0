"""RUN's settings: the conversation, its caller, the completion observer, and what suites share."""

from __future__ import annotations

from dataclasses import replace

from assistants.config import EFFORTS
from assistants.config import ROWS as ASSISTANT_ROWS
from assistants.suite.settings import (
    CONDITIONS,
    EFFECT_ROWS,
    JUDGE_ROWS,
    RUN_ROWS,
    VOICE_ROWS,
    sensitivity_row,
)
from shared.settings import Kind, Setting, grouped

CONVERSATION_ROWS: tuple[Setting, ...] = (
    Setting(
        "max_duration_seconds",
        Kind.NUMBER,
        90.0,
        "How long a conversation may take from its start.",
        flag="--max-duration-seconds",
        toml="simulation.max_duration_seconds",
        above=0,
        maximum=600,
    ),
    Setting(
        "response_deadline_ms",
        Kind.INTEGER,
        5000,
        "By when an answer counts as in time, from the end of the request.",
        flag="--response-deadline-ms",
        toml="simulation.response_deadline_ms",
        minimum=1,
        maximum=60_000,
    ),
    Setting(
        "playout_hold_ms",
        Kind.INTEGER,
        200,
        "How long a party's voice is held back when it begins, against jitter.",
        toml="simulation.playout_hold_ms",
        minimum=0,
        maximum=2_000,
    ),
    Setting(
        "assistant_opening_prompt",
        Kind.PATH,
        None,
        "Let the assistant speak first, by the instruction in this file.",
        flag="--assistant-opening-prompt",
        toml="simulation.assistant_opening_prompt",
    ),
    Setting(
        "tick_ms",
        Kind.INTEGER,
        200,
        "Width of a tick in the files of --debug-artifacts; no figure depends on it.",
        flag="--tick-ms",
        toml="simulation.tick_ms",
        minimum=20,
        maximum=1_000,
    ),
    Setting(
        "debug_artifacts",
        Kind.SWITCH,
        default=False,
        help="Write ticks and turns of each conversation beside its audio; --visualize does too.",
        flag="--debug-artifacts",
    ),
    Setting(
        "work_grace_seconds",
        Kind.NUMBER,
        5.0,
        "How long work under way at the end of a conversation may go on; nothing more is heard.",
        flag="--work-grace-seconds",
        toml="simulation.work_grace_seconds",
        above=0,
        maximum=600,
    ),
    Setting(
        "cleanup_timeout_seconds",
        Kind.NUMBER,
        10.0,
        "How long closing both sessions may take in all.",
        flag="--cleanup-timeout-seconds",
        toml="simulation.cleanup_timeout_seconds",
        above=0,
        maximum=600,
    ),
)

CALLER_ROWS: tuple[Setting, ...] = (
    Setting(
        "simulator_model",
        Kind.TEXT,
        "gpt-live-1",
        "Voice model of the simulated caller.",
        flag="--simulator-model",
        toml="simulation.simulator_model",
    ),
    Setting(
        "simulator_voice",
        Kind.TEXT,
        "",
        "Voice of every simulated caller in place of its persona's; a name that starts with voice_"
        " is a custom one.",
        flag="--simulator-voice",
        toml="simulation.simulator_voice",
        may_be_blank=True,
    ),
    Setting(
        "simulator_backend_model",
        Kind.TEXT,
        "gpt-5.6-luna",
        "Model that reasons for the simulated caller.",
        toml="simulation.simulator_backend_model",
    ),
    Setting(
        "simulator_backend_reasoning_effort",
        Kind.TEXT,
        "low",
        "Reasoning effort of the simulated caller's backend.",
        toml="simulation.simulator_backend_reasoning_effort",
        choices=EFFORTS,
    ),
    Setting(
        "simulator_endpoint",
        Kind.TEXT,
        None,
        "Address of the GPT Live service that plays the caller; by default the assistant's.",
        flag="--simulator-endpoint",
        toml="simulation.simulator_endpoint",
    ),
)

# A run of old took a --tts-model for callers that spoke in turns; nobody shall take this for that.
_SCRIPT_VOICE_ROWS: tuple[Setting, ...] = tuple(
    replace(row, flag=None, toml="audio.tts_model") if row.name == "tts_model" else row
    for row in VOICE_ROWS
)

SCRIPTED_CALLER_ROWS: tuple[Setting, ...] = (
    Setting(
        "caller_script",
        Kind.PATH,
        None,
        "Let a script call a live assistant: a conversation script, a folder of them by scenario"
        " id, or sound for those beside the dataset.",
        flag="--caller-script",
        toml="simulation.caller_script",
    ),
    *_SCRIPT_VOICE_ROWS,
)

CLOSING_ROWS: tuple[Setting, ...] = (
    Setting(
        "semantic_drain",
        Kind.SWITCH,
        default=True,
        help="Have a model observe when a live conversation is over; offline a script tells.",
        flag="--semantic-drain",
        negative_flag="--no-semantic-drain",
        toml="simulation.semantic_drain",
    ),
    Setting(
        "completion_model",
        Kind.TEXT,
        "gpt-5.6-terra",
        "Model that observes when a conversation is over.",
        flag="--completion-model",
        variable="OPENAI_COMPLETION_MODEL",
        toml="simulation.completion_model",
    ),
    Setting(
        "completion_timeout_seconds",
        Kind.NUMBER,
        8.0,
        "How long one call of the observer may take.",
        flag="--completion-timeout-seconds",
        toml="simulation.completion_timeout_seconds",
        above=0,
        maximum=60,
    ),
    Setting(
        "completion_retries",
        Kind.INTEGER,
        2,
        "How often in a row the observer may fail and still be asked again in a conversation.",
        toml="simulation.completion_retries",
        minimum=0,
        maximum=10,
    ),
    Setting(
        "drain_ms",
        Kind.INTEGER,
        1500,
        "How long a conversation that is over is still listened to.",
        flag="--drain-ms",
        toml="simulation.drain_ms",
        minimum=0,
        maximum=60_000,
    ),
    Setting(
        "quiet_line_ms",
        Kind.INTEGER,
        8000,
        "Without an observer a conversation whose state is right is over after so much silence of"
        " both.",
        toml="simulation.quiet_line_ms",
        minimum=0,
        maximum=600_000,
    ),
)

ACOUSTIC_ROWS: tuple[Setting, ...] = (
    Setting(
        "condition",
        Kind.TEXT,
        "clean",
        "The acoustic condition of the caller; the effects below change it.",
        flag="--condition",
        toml="simulation.condition",
        choices=CONDITIONS,
    ),
    *EFFECT_ROWS,
    Setting(
        "seed",
        Kind.INTEGER,
        7,
        "Chance of the effects.",
        flag="--seed",
        toml="simulation.seed",
    ),
)

# How long one answer may take bounds an attempt of one request; a conversation has its own limit.
ROWS: tuple[Setting, ...] = (
    *(row for row in RUN_ROWS if row.name != "response_timeout_seconds"),
    sensitivity_row(is_on=False),
    *grouped("The conversation", CONVERSATION_ROWS),
    *grouped("When it is over", CLOSING_ROWS),
    *grouped("A simulated caller", CALLER_ROWS),
    *grouped("A scripted caller", SCRIPTED_CALLER_ROWS),
    *grouped("What the caller sounds like", ACOUSTIC_ROWS),
    *grouped("The judge", JUDGE_ROWS),
    *grouped("The assistant", ASSISTANT_ROWS),
)
