"""The settings of ``walk-generate-audio``."""

from __future__ import annotations

from assistants.config import ROWS as ASSISTANT_ROWS
from assistants.suite.settings import CONDITIONS, EFFECT_ROWS, SYNTHESIZERS, VOICE_ROWS
from shared.settings import Kind, Setting, grouped

DATA_ROWS: tuple[Setting, ...] = (
    Setting("data", Kind.PATH, None, "Scenario file; by default WALK's own.", flag="--data"),
    Setting(
        "output_data",
        Kind.PATH,
        None,
        "Scenario file to write, its recordings in audio/ beside it. By default missing recordings"
        " are made where the scenarios name them, and all else becomes a file beside --data.",
        flag="--output-data",
    ),
    Setting(
        "example",
        Kind.TEXT,
        "all",
        "Make the recording of one single-turn scenario by its id.",
        flag="--example",
        other_flag="--scenario",
    ),
    Setting(
        "from_audio",
        Kind.PATH,
        None,
        "A recording you have, in any format libsndfile reads: for the one scenario of --example,"
        " or converted beside itself.",
        flag="--from-audio",
    ),
)

SPEECH_ROWS: tuple[Setting, ...] = (
    Setting(
        "synthesizer",
        Kind.TEXT,
        "openai",
        "Who speaks where there is no recording: openai (natural, by a service), hibari (natural,"
        " on this machine), espeak-ng (by rules, a program to install) or tone (test signal).",
        flag="--synthesizer",
        choices=SYNTHESIZERS,
    ),
    Setting(
        "tts_model",
        Kind.TEXT,
        "gpt-4o-mini-tts",
        "Model that speaks for the caller, of openai.",
        flag="--model",
        variable="OPENAI_TTS_MODEL",
    ),
    Setting(
        "caller_voice",
        Kind.TEXT,
        "marin",
        "Voice of the recorded caller, of openai; a name that starts with voice_ is a custom one.",
        flag="--voice",
        variable="OPENAI_WALK_TTS_VOICE",
    ),
    *(row for row in VOICE_ROWS if row.name in {"audio_cache_dir", "refresh_audio"}),
)

MAKING_ROWS: tuple[Setting, ...] = (
    Setting(
        "condition",
        Kind.TEXT,
        None,
        "The acoustic condition to make; the effects below change it.",
        flag="--condition",
        choices=CONDITIONS,
    ),
    *EFFECT_ROWS,
    Setting(
        "vary_conditions",
        Kind.SWITCH,
        default=False,
        help="Make one variant of each scenario, the seven conditions in turn.",
        flag="--vary-conditions",
    ),
    Setting(
        "append",
        Kind.SWITCH,
        default=False,
        help="Keep the scenarios that --output-data has, and add to them: other scenarios, or"
        " another recording of the same.",
        flag="--append",
    ),
    Setting(
        "seed",
        Kind.INTEGER,
        7,
        "Chance of the effects; variants count on from it.",
        flag="--seed",
    ),
    Setting(
        "frame_ms",
        Kind.INTEGER,
        200,
        "How much is processed at once; it changes no sample.",
        flag="--frame-ms",
        minimum=1,
        maximum=60_000,
    ),
    Setting(
        "force",
        Kind.SWITCH,
        default=False,
        help="Replace recordings and kept speech that were made here, and give up scenarios of"
        " --output-data that are made no more, with the variants that were made for them.",
        flag="--force",
    ),
)

SERVICE_ROWS = tuple(
    row for row in ASSISTANT_ROWS if row.name in {"base_url", "api_key", "allow_insecure_loopback"}
)

ROWS: tuple[Setting, ...] = (
    *grouped("Of what", DATA_ROWS),
    *grouped("Who speaks", SPEECH_ROWS),
    *grouped("How it sounds, and how it is kept", MAKING_ROWS),
    *grouped("The service", SERVICE_ROWS),
)
