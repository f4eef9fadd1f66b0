"""Rows that suites share: which attempts, how they run, who speaks, who judges.

A suite's own table puts them together with rows of its own and the assistant's.
"""

from __future__ import annotations

from assistants.config import EFFORTS
from shared.audio.effects.recipe import (
    LONGEST_BURST,
    LONGEST_DELAY_MS,
    LONGEST_INTERVAL_MS,
    LOUDEST_RMS,
    MOST_SNR_DB,
    GapFill,
)
from shared.settings import Kind, Setting, grouped

SYNTHESIZERS = ("openai", "hibari", "espeak-ng", "tone")
FAIL_ON = ("none", "failed", "infrastructure", "any")
CONDITIONS = (
    "clean",
    "noisy",
    "telephony",
    "background_speech",
    "echo",
    "packet_loss",
    "realistic",
)

MEASURING = "Time and measuring"
"""Where the help tells of detectors and bounds."""
MOST_JUDGE_REPETITIONS = 25
"""Every one is paid for, for every dimension of every attempt."""

JUDGE_ROWS: tuple[Setting, ...] = (
    Setting(
        "judge",
        Kind.SWITCH,
        default=True,
        help="Have a model judge live attempts by the semantic rubric; offline nobody is asked.",
        flag="--judge",
        negative_flag="--no-judge",
        toml="judge.enabled",
    ),
    Setting(
        "judge_model",
        Kind.TEXT,
        "gpt-5.6-terra",
        "Model that judges.",
        flag="--judge-model",
        variable="OPENAI_EVAL_JUDGE_MODEL",
    ),
    Setting(
        "judge_reasoning_effort",
        Kind.TEXT,
        "medium",
        "Reasoning effort of the judge.",
        flag="--judge-reasoning-effort",
        variable="OPENAI_EVAL_JUDGE_REASONING_EFFORT",
        choices=EFFORTS,
    ),
    Setting(
        "judge_timeout_seconds",
        Kind.NUMBER,
        120.0,
        "How long one call of the judge may take, and how long it may ask us to wait.",
        toml="judge.timeout_seconds",
        above=0,
        maximum=3600,
    ),
    Setting(
        "judge_retries",
        Kind.INTEGER,
        2,
        "Further calls when the judge was not reached, was busy or failed.",
        toml="judge.retries",
        minimum=0,
        maximum=10,
    ),
    Setting(
        "judge_repetitions",
        Kind.INTEGER,
        1,
        "How often the judge is asked about each dimension; most decide, and the score is the"
        " mean.",
        flag="--judge-repetitions",
        toml="judge.repetitions",
        minimum=1,
        maximum=MOST_JUDGE_REPETITIONS,
    ),
    Setting(
        "judge_cache_dir",
        Kind.PATH,
        None,
        "Where judgments are kept between runs.",
        flag="--judge-cache-dir",
        toml="judge.cache_dir",
        is_recorded=False,
    ),
    Setting(
        "refresh_judge",
        Kind.SWITCH,
        default=False,
        help="Ask the judge again what the cache holds.",
        flag="--refresh-judge",
    ),
)

VOICE_ROWS: tuple[Setting, ...] = (
    Setting(
        "synthesizer",
        Kind.TEXT,
        None,
        "Who speaks for the caller: openai (natural, by a service), hibari (natural, on this"
        " machine), espeak-ng (by rules, a program to install) or tone (speech-shaped test"
        " signal). By default openai, offline tone.",
        flag="--synthesizer",
        toml="audio.synthesizer",
        choices=SYNTHESIZERS,
    ),
    Setting(
        "caller_voice",
        Kind.TEXT,
        "cedar",
        "The caller's voice, of openai; a name that starts with voice_ is a custom one.",
        flag="--caller-voice",
        toml="audio.caller_voice",
    ),
    Setting(
        "tts_model",
        Kind.TEXT,
        "gpt-4o-mini-tts",
        "Model that speaks for the caller, of openai.",
        flag="--tts-model",
        variable="OPENAI_TTS_MODEL",
    ),
    Setting(
        "audio_cache_dir",
        Kind.PATH,
        None,
        "Where synthesized speech is kept between runs.",
        flag="--audio-cache-dir",
        toml="audio.cache_dir",
        is_recorded=False,
    ),
    Setting(
        "refresh_audio",
        Kind.SWITCH,
        default=False,
        help="Synthesize again what the cache holds.",
        flag="--refresh-audio",
    ),
)


EFFECT_ROWS: tuple[Setting, ...] = (
    Setting(
        "noise_rms",
        Kind.NUMBER,
        None,
        "White noise of this RMS in 16 bit sample units.",
        flag="--noise-rms",
        minimum=0,
        maximum=LOUDEST_RMS,
    ),
    Setting(
        "noise_snr_db",
        Kind.NUMBER,
        None,
        "White noise so many dB below the speech, in place of an RMS.",
        flag="--noise-snr-db",
        minimum=-MOST_SNR_DB,
        maximum=MOST_SNR_DB,
    ),
    Setting(
        "background_speech",
        Kind.PATH,
        None,
        "Recording of others talking, in place of the bundled one.",
        flag="--background-speech",
    ),
    Setting(
        "background_gain",
        Kind.NUMBER,
        None,
        "How loud the others are.",
        flag="--background-gain",
        minimum=0,
        maximum=1,
    ),
    Setting(
        "echo_delay_ms",
        Kind.INTEGER,
        None,
        "How late the echo is.",
        flag="--echo-delay-ms",
        minimum=0,
        maximum=LONGEST_DELAY_MS,
    ),
    Setting(
        "echo_decay",
        Kind.NUMBER,
        None,
        "How strong the echo is.",
        flag="--echo-decay",
        minimum=0,
        maximum=1,
    ),
    Setting(
        "packet_loss_rate",
        Kind.NUMBER,
        None,
        "Average share of 20 ms packets lost.",
        flag="--packet-loss-rate",
        minimum=0,
        maximum=1,
    ),
    Setting(
        "packet_loss_burst",
        Kind.INTEGER,
        None,
        "Packets lost in a row, on average.",
        flag="--packet-loss-burst",
        minimum=1,
        maximum=LONGEST_BURST,
    ),
    Setting(
        "packet_loss_fill",
        Kind.TEXT,
        None,
        "What is heard in place of a lost packet: silence or the one before.",
        flag="--packet-loss-fill",
        choices=tuple(fill.value for fill in GapFill),
    ),
    Setting(
        "cough_every_ms",
        Kind.INTEGER,
        None,
        "A cough is due so often, and waits for a pause.",
        flag="--cough-every-ms",
        minimum=1,
        maximum=LONGEST_INTERVAL_MS,
    ),
    Setting(
        "non_directed_every_ms",
        Kind.INTEGER,
        None,
        "A word to someone else is due so often, and waits for a pause.",
        flag="--non-directed-every-ms",
        minimum=1,
        maximum=LONGEST_INTERVAL_MS,
    ),
)


def sensitivity_row(*, is_on: bool) -> Setting:
    """Whether tracks are measured twice, with a suite's own default: a network takes time."""
    return Setting(
        "sensitivity",
        Kind.SWITCH,
        default=is_on,
        help="Measure speech by a second detector as well (extra speech) and report what comes out"
        " otherwise.",
        flag="--sensitivity",
        negative_flag="--no-sensitivity",
        toml="audio.sensitivity",
        group=MEASURING,
    )


_ATTEMPT_ROWS: tuple[Setting, ...] = (
    Setting(
        "config",
        Kind.PATH,
        None,
        "TOML file in place of the bundled one.",
        flag="--config",
        is_recorded=False,
    ),
    Setting(
        "data",
        Kind.PATH,
        None,
        "Scenario file.",
        flag="--data",
        toml="dataset.path",
    ),
    Setting(
        "example",
        Kind.TEXT,
        "all",
        "Run one scenario by its id.",
        flag="--example",
        other_flag="--scenario",
    ),
    Setting(
        "max_examples",
        Kind.INTEGER,
        0,
        "Run at most this many scenarios; 0 runs all.",
        flag="--max-examples",
        toml="execution.max_examples",
        minimum=0,
    ),
    Setting(
        "repeats",
        Kind.INTEGER,
        1,
        "Attempt every scenario this many times.",
        flag="--repeats",
        toml="execution.repeats",
        minimum=1,
        maximum=1000,
    ),
    Setting(
        "concurrency",
        Kind.INTEGER,
        1,
        "Attempts at once, each in a session of its own (1 to 8).",
        flag="--concurrency",
        toml="execution.concurrency",
        minimum=1,
        maximum=8,
    ),
)

_OFFLINE_ROWS: tuple[Setting, ...] = (
    Setting(
        "offline",
        Kind.SWITCH,
        default=False,
        help="Talk to a scripted fixture in memory: no key, no network.",
        flag="--offline",
    ),
    Setting(
        "offline_script",
        Kind.TEXT,
        "sound",
        "What the fixture plays: sound, defects, faults, of conversations also callers, or the name"
        " of one script.",
        flag="--offline-script",
    ),
    Setting(
        "real_time",
        Kind.SWITCH,
        None,
        "Pace an offline run in real time; by default it runs on a virtual clock.",
        flag="--real-time",
        negative_flag="--no-real-time",
        toml="audio.real_time",
    ),
)

_BOUND_ROWS: tuple[Setting, ...] = (
    Setting(
        "response_timeout_seconds",
        Kind.NUMBER,
        30.0,
        "How long an answer may take, from the caller's last voiced instant.",
        flag="--response-timeout-seconds",
        toml="execution.response_timeout_seconds",
        above=0,
        maximum=3600,
    ),
    Setting(
        "pacing_p99_ms",
        Kind.INTEGER,
        60,
        "Validity bound: 99th percentile of how late caller audio may leave.",
        toml="audio.pacing_p99_ms",
        minimum=1,
    ),
    Setting(
        "pacing_stall_ms",
        Kind.INTEGER,
        400,
        "Validity bound: the latest any frame of caller audio may leave.",
        toml="audio.pacing_stall_ms",
        minimum=1,
    ),
)

_REPORT_ROWS: tuple[Setting, ...] = (
    Setting(
        "results_dir",
        Kind.PATH,
        None,
        "Folder in which the run makes its own.",
        flag="--results-dir",
        toml="execution.results_dir",
        is_recorded=False,
    ),
    Setting(
        "run_name",
        Kind.TEXT,
        "",
        "Label of the run; the time in UTC is added.",
        flag="--run-name",
        may_be_blank=True,
        is_recorded=False,
    ),
    Setting(
        "visualize",
        Kind.SWITCH,
        default=False,
        help="Make viewer.html beside the report: a page to see and to hear every attempt.",
        flag="--visualize",
        toml="execution.visualize",
        is_recorded=False,
    ),
    Setting(
        "junit",
        Kind.PATH,
        None,
        "File for the results as JUnit XML, which CI systems read.",
        flag="--junit",
        toml="execution.junit",
        is_recorded=False,
    ),
    Setting(
        "fail_on",
        Kind.TEXT,
        "none",
        "Exit 1 on failed attempts, 3 on infrastructure errors; by default exit 0.",
        flag="--fail-on",
        toml="execution.fail_on",
        choices=FAIL_ON,
        is_recorded=False,
    ),
    Setting(
        "listen",
        Kind.SWITCH,
        default=False,
        help="Hear the caller left and the assistant right while they speak (extra playback).",
        flag="--listen",
        is_recorded=False,
    ),
    Setting(
        "verbose",
        Kind.SWITCH,
        default=False,
        help="Print protocol events and each attempt's outcome.",
        flag="--verbose",
        toml="execution.verbose",
        is_recorded=False,
    ),
    Setting(
        "json",
        Kind.SWITCH,
        default=False,
        help="Print one JSON object in place of the table.",
        flag="--json",
        is_recorded=False,
    ),
    Setting(
        "redact_fields",
        Kind.TEXT,
        "",
        "Further field names to mask in event logs, separated by commas.",
        variable="GPT_LIVE_EVALS_REDACT_FIELDS",
        may_be_blank=True,
        is_recorded=False,
    ),
)

RUN_ROWS: tuple[Setting, ...] = (
    *grouped("What is run", _ATTEMPT_ROWS),
    *grouped("Without a key or a network", _OFFLINE_ROWS),
    *grouped(MEASURING, _BOUND_ROWS),
    *grouped("What is told and kept", _REPORT_ROWS),
)
