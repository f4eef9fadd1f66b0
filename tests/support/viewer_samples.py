"""Views made by hand, one for each thing that a page has to show, and a page made of them."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import soundfile

from shared.viewer.assets import assets
from shared.viewer.document import Index, Sound, SoundPlace, document
from shared.viewer.view import (
    PEAK_MS,
    AttemptView,
    AudioOrigin,
    CheckView,
    Course,
    DecisionView,
    DelegationView,
    DimensionView,
    Entry,
    FigureGroup,
    FigureView,
    FloorEventView,
    MomentView,
    OpportunityView,
    Problem,
    Role,
    RunView,
    Setting,
    Span,
    Standing,
    StepView,
    TimingSource,
    ToolView,
    TrackView,
    TurnView,
    ValidityView,
    VerdictView,
    Waveform,
)

RATE_HZ = 24_000
CALLER, ASSISTANT = Role.CALLER, Role.ASSISTANT
MIME = "audio/ogg"
SOUND_TEXT_PIECE = 3 * 16_384


def entry(key: str, standing: Standing = Standing.PASSED, **more: object) -> Entry:
    plain = Entry(key, key, key.replace("_", " ").capitalize(), standing, "")
    return replace(plain, **more)  # type: ignore[arg-type]  # names are Entry's own


def run_view(**more: object) -> RunView:
    plain = RunView(
        id="20260801-101500-7f3a",
        module="run",
        execution_mode="offline_fixture",
        audio_origin=AudioOrigin.SYNTHETIC_FIXTURE,
        schema_version="2.0",
        metrics_version="2.0",
        started_at="2026-08-01T10:15:00Z",
        total=3,
        passed=1,
        failed=1,
        infrastructure_errors=1,
        settings=(
            Setting("model", "gpt-live"),
            Setting("voice", "cedar"),
            Setting("simulator_voice", "marin"),
            Setting("response_deadline_ms", "4000"),
        ),
    )
    return replace(plain, **more)  # type: ignore[arg-type]  # names are RunView's own


def turn(role: Role, start_ms: int, end_ms: int, text: str, **more: object) -> TurnView:
    return replace(TurnView(role, start_ms, end_ms, text), **more)  # type: ignore[arg-type]


def voiced(turns: Iterable[TurnView], role: Role) -> tuple[Span, ...]:
    """Where a party sounds: each of its turns, with a breath in the long ones."""
    spans: list[Span] = []
    for one in turns:
        if one.role is not role:
            continue
        middle = (one.start_ms + one.end_ms) // 2
        if one.end_ms - one.start_ms < 2_000:
            spans.append((one.start_ms, one.end_ms))
        else:
            spans += [(one.start_ms, middle - 120), (middle + 120, one.end_ms)]
    return tuple(spans)


def samples(course: Course) -> np.ndarray:
    """A tone per party where it is voiced, caller left, with the swell of syllables."""
    length = course.extent_ms * RATE_HZ // 1000
    both = np.zeros((length, 2), np.float32)
    tracks = ((course.caller, 220.0), (course.assistant, 330.0))
    for side, (track, pitch_hz) in enumerate(tracks):
        for start_ms, end_ms in track.voiced:
            first, last = start_ms * RATE_HZ // 1000, min(length, end_ms * RATE_HZ // 1000)
            at_s = np.arange(last - first) / RATE_HZ
            swell = 0.35 + 0.65 * np.abs(np.sin(2 * np.pi * (2.1 + side * 0.4) * at_s))
            both[first:last, side] = 0.3 * swell * np.sin(2 * np.pi * pitch_hz * at_s)
    return both


def waveform(stereo: np.ndarray) -> Waveform:
    step = RATE_HZ * PEAK_MS // 1000
    whole = stereo[: len(stereo) // step * step].reshape(-1, step, 2)
    peaks = (np.sqrt(np.abs(whole).max(axis=1)) * 255).astype(np.uint8)
    return Waveform(peaks[:, 0].tobytes(), peaks[:, 1].tobytes())


def sound(stereo: np.ndarray) -> Sound:
    buffer = io.BytesIO()
    with soundfile.SoundFile(buffer, "w", RATE_HZ, 2, "OPUS", format="OGG") as file:
        for first in range(0, len(stereo), RATE_HZ):
            file.write(stereo[first : first + RATE_HZ])
    content = buffer.getvalue()
    pieces = [
        base64.b64encode(content[first : first + SOUND_TEXT_PIECE])
        for first in range(0, len(content), SOUND_TEXT_PIECE)
    ]
    return Sound(MIME, len(content), pieces)


def moment(at_ms: int, what: str = "") -> MomentView:
    return MomentView(at_ms, what)


def check(
    name: str,
    status: str = "passed",
    reason: str = "",
    *moments: MomentView,
    is_required: bool = True,
) -> CheckView:
    return CheckView(name, status, is_required, reason, moments)


def course(turns: Sequence[TurnView], extent_ms: int, **more: object) -> Course:
    plain = Course(
        extent_ms=extent_ms,
        timing_source=TimingSource.EVIDENCE,
        delegation_timing_source="media_time_at_receipt",
        caller=TrackView(voiced(turns, CALLER), "energy-v1", "before_effects"),
        assistant=TrackView(voiced(turns, ASSISTANT), "energy-v1", "playout"),
        turns=tuple(turns),
    )
    return replace(plain, **more)  # type: ignore[arg-type]  # names are Course's own


def attempt(told: Entry, happened: Course, **more: object) -> AttemptView:
    plain = AttemptView(
        entry=told,
        audio_origin=AudioOrigin.SYNTHETIC_FIXTURE,
        course=happened,
        waveform=waveform(samples(happened)),
        verdict=None,
        figures=(),
        validity=ValidityView(True, "The caller kept to its brief."),
        problem=None,
        warnings=(),
        missing=(),
    )
    return replace(plain, **more)  # type: ignore[arg-type]  # names are AttemptView's own


def passed() -> AttemptView:
    """A short conversation in which all went well."""
    turns = (
        turn(CALLER, 400, 3_000, "Hello, could you move my delivery to Thursday?", action="open"),
        turn(ASSISTANT, 3_900, 6_400, "Of course. Which order is it?"),
        turn(CALLER, 7_100, 9_200, "It is order four seven one.", action="answer"),
        turn(ASSISTANT, 10_200, 11_400, "One moment please."),
        turn(ASSISTANT, 14_900, 17_800, "Done: it arrives on Thursday before noon."),
        turn(
            CALLER, 18_500, 19_600, "Thank you, goodbye.", action="close", action_source="observer"
        ),
    )
    happened = course(
        turns,
        21_000,
        floor_hold=((11_400, 14_500),),
        opportunities=(
            OpportunityView(400, 3_000, "answered", "response_received", 7_000, 900, 3_900),
            OpportunityView(7_100, 9_200, "answered", "response_received", 13_200, 1_000, 10_200),
            OpportunityView(18_500, 19_600, "excluded", "caller_closing"),
        ),
        delegations=(
            DelegationView(
                "backend", "completed", 9_900, ((9_900, 14_500),), ("Moved to Thursday.",), 2
            ),
        ),
        tools=(
            ToolView("find_order", "completed", 11_000, 11_900, 0),
            ToolView("move_delivery", "completed", 12_800, 14_100, 0),
        ),
        decisions=(
            DecisionView(9_500, 9_800, "unresolved", None, None, "The caller waits for an answer."),
            DecisionView(19_800, 20_300, "resolved", True, "completed", "The delivery was moved."),
        ),
        ending="completed",
    )
    return attempt(
        entry(
            "delivery_moved",
            duration_ms=21_000,
            answered=2,
            asked=2,
            latency_ms=950.0,
            interruptions=0,
        ),
        happened,
        verdict=VerdictView(
            True,
            "deterministic_checks",
            "All that was asked for was done.",
            (
                check(
                    "application_state",
                    "passed",
                    "The delivery is on Thursday.",
                    moment(14_100, "move_delivery"),
                ),
                check("conversation_completed", "passed", "", moment(20_300, "settled")),
            ),
            (),
            (),
        ),
        figures=figures(),
    )


def failed() -> AttemptView:
    """A late answer, one that never came, an interruption, a failed tool: all that can go wrong."""
    turns = (
        turn(
            CALLER,
            500,
            4_200,
            "Hi. I'd like to change the address of my subscription, please.",
            action="open",
        ),
        turn(ASSISTANT, 5_000, 8_900, "Sure, I can help with that. What is the new address?"),
        turn(
            CALLER,
            9_800,
            15_200,
            "It's 12 Harbour Lane, flat 3, and the postcode is, let me see…",
            action="answer",
        ),
        turn(ASSISTANT, 13_000, 16_100, "Great, I have updated it.", overlap_ms=2_200),
        turn(
            CALLER,
            17_000,
            20_400,
            "No, wait, I was not finished: the postcode is E14 3QS.",
            action="correct",
        ),
        turn(ASSISTANT, 27_300, 31_000, "I am sorry. Let me check the postcode."),
        turn(CALLER, 29_000, 29_500, "Mm-hm.", action="backchannel", overlap_ms=500),
        turn(CALLER, 38_000, 41_000, "Are you still there?", action="ask"),
        turn(ASSISTANT, 52_000, 56_500, "Your address has been changed to Harbour Lane."),
        turn(CALLER, 57_500, 59_600, "And does that cost anything?"),
    )
    happened = course(
        turns,
        62_000,
        overlaps=((13_000, 15_200), (29_000, 29_500)),
        floor_hold=((31_400, 38_000), (41_000, 47_500)),
        opportunities=(
            OpportunityView(500, 4_200, "answered", "response_received", 8_200, 800, 5_000),
            OpportunityView(9_800, 15_200, "excluded", "caller_resumed"),
            OpportunityView(17_000, 20_400, "missed", "deadline_expired", 24_400, None, 27_300),
            OpportunityView(38_000, 41_000, "missed", "deadline_expired", 45_000),
            OpportunityView(
                57_500, 59_600, "censored", "observation_ended_before_deadline", 63_600
            ),
        ),
        floor_events=(
            FloorEventView("interruption", 13_000, 16_100, "no_yield"),
            FloorEventView("backchannel", 29_000, 29_500, "continued"),
            FloorEventView("yield", 38_000, 38_700, "yielded", 700),
        ),
        delegations=(
            DelegationView(
                "backend",
                "failed",
                31_400,
                ((31_400, 47_500),),
                (
                    "The postcode could not be confirmed.",
                    "The street was changed, the postcode was not.",
                ),
                3,
            ),
            DelegationView("billing", "unavailable", 59_900, (), (), None, is_timeline_only=True),
        ),
        tools=(
            ToolView("look_up_postcode", "failed", 33_000, 36_200, 0),
            ToolView("change_address", "completed", 42_000, 43_100, 0),
            ToolView("price_of_change", "called", 60_400),
        ),
        decisions=(
            DecisionView(
                16_500, 17_200, "outdated", None, None, "The caller spoke while it was asked."
            ),
            DecisionView(31_500, 32_100, "unresolved", False, None, "The postcode is open."),
            DecisionView(
                56_700, 57_300, "resolved", True, "completed", "The assistant says it is done."
            ),
        ),
        ending="duration_cap",
    )
    return attempt(
        entry(
            "address_change_with_a_correction",
            Standing.FAILED,
            reason="application_state: the postcode is still the old one",
            repeat=2,
            condition="cafe",
            duration_ms=62_000,
            answered=1,
            asked=3,
            latency_ms=800.0,
            interruptions=1,
        ),
        happened,
        verdict=VerdictView(
            False,
            "deterministic_checks_and_judge",
            "The street was changed without the postcode, and the caller heard that all was done.",
            (
                check(
                    "application_state",
                    "failed",
                    "postcode: expected E14 3QS, found E14 3QT",
                    moment(43_100, "change_address returned"),
                    moment(52_000, "the assistant says it is done"),
                ),
                check(
                    "grounded_confirmation",
                    "failed",
                    "Success was claimed without it.",
                    moment(52_000, "claim"),
                ),
                check("conversation_completed", "passed", "", moment(57_300)),
                check("delegation_required", "passed", "", moment(31_400), moment(59_900)),
                check("refusal", "not_applicable", "Nothing had to be refused.", is_required=False),
                check(
                    "task_understanding", "unscored", "The judge gave no answer.", is_required=False
                ),
            ),
            (
                StepView("find_the_address", "tool", "passed", True, False, "", (moment(33_000),)),
                StepView(
                    "confirm_the_postcode", "speech", "failed", True, True, "Never read back.", ()
                ),
            ),
            (
                DimensionView(
                    "clarity", "scored", 0.75, "Short and clear.", "semantic-v2", "gpt-judge"
                ),
                DimensionView("empathy", "unscored", None, "No answer of the judge.", None, None),
            ),
        ),
        figures=figures(),
        warnings=("4 frames left more than 60 ms late.", "The final usage never came."),
    )


def figures() -> tuple[FigureGroup, ...]:
    return (
        FigureGroup(
            "Audio",
            "2.0",
            (
                FigureView(
                    "response_rate",
                    "Response rate",
                    "33 %",
                    "1 of 3 requests",
                    None,
                    (moment(5_000, "answered"), moment(24_400, "missed"), moment(45_000, "missed")),
                ),
                FigureView(
                    "response_latency_ms",
                    "Response latency, mean",
                    "800 ms",
                    "1 answer",
                    None,
                    (moment(5_000, "answer"),),
                ),
                FigureView(
                    "interruption_rate",
                    "Interruption rate",
                    "25 %",
                    "1 of 4 requests",
                    None,
                    (moment(13_000, "starts"),),
                ),
                FigureView(
                    "yield_latency_ms", "Yield latency", None, None, "no caller took the floor", ()
                ),
                FigureView(
                    "speaking",
                    "Speaking, caller",
                    "18.4 s",
                    None,
                    None,
                    tuple(moment(1_000 * n, "span") for n in range(12)),
                ),
            ),
        ),
        FigureGroup(
            "Task", None, (FigureView("tool_accuracy", "Tool accuracy", "0.5", "1 of 2 calls"),)
        ),
        FigureGroup("Extended", "unknown", (FigureView("talk_over_ms", "Talk over", "40 ms"),)),
    )


def invalid() -> AttemptView:
    turns = (
        turn(CALLER, 500, 2_000, "Hello?"),
        turn(ASSISTANT, 2_600, 5_000, "Good morning, how can I help?"),
        turn(CALLER, 6_000, 8_000, "I am the assistant. How can I help you?"),
    )
    return attempt(
        entry(
            "caller_forgets_its_brief",
            Standing.INFRASTRUCTURE_ERROR,
            reason="caller_simulation: the caller left its role",
            is_valid=False,
            condition="clean",
            duration_ms=9_000,
        ),
        course(turns, 9_000),
        validity=ValidityView(
            False, "The caller spoke as the assistant.", (moment(6_000, "left its role"),)
        ),
        problem=Problem("caller_simulation", "The simulated caller was at fault.", 6_000),
    )


def lost() -> AttemptView:
    """An attempt that never began."""
    nothing = Course(
        0,
        TimingSource.NONE,
        None,
        TrackView(()),
        TrackView(()),
        missing=("No evidence was saved.",),
    )
    return attempt(
        entry(
            "session_refused",
            Standing.INFRASTRUCTURE_ERROR,
            reason="session_start: refused with 401",
        ),
        nothing,
        audio_origin=AudioOrigin.UNKNOWN,
        waveform=None,
        validity=None,
        problem=Problem("session_start", "The service refused the session (401)."),
        missing=("There is no recording.", "There are no figures."),
    )


HOSTILE = (
    "</script><script>document.title='executed'</script>",
    "<img src=x onerror=\"document.title='executed'\">",
    "left \u202eright to left\u202c and \u2066isolated\u2069",
    "zero\u200bwidth\u200d\ufeffjoiners and \u00adsoft",
    "a line\u2028separator\u2029and a paragraph",
    "null\x00bytes\x00\x00\x00and\x1bescapes\x07",
    "x" * 100_000,
    "\u0000" * 5_000,
    "Z" + "\u0301" * 400 + "algo",
    "می‌خواهم فردا بیایم 日本語 हिन्दी ไทย עברית العربية 한국어 Ελληνικά Кириллица 👩‍👩‍👧‍👦 𓀀 ꙮ",
    "javascript:document.title='executed'",
    "\ud800 alone and \udc00 too",
)


def hostile() -> AttemptView:
    """Each text of ``HOSTILE`` in every place that takes one."""
    turns = tuple(
        turn(
            (CALLER, ASSISTANT)[place % 2],
            1_000 * place,
            1_000 * place + 800,
            text,
            action=text,
            action_source=text,
        )
        for place, text in enumerate(HOSTILE)
    )
    everything = tuple(moment(1_000 * place, text[:2_000]) for place, text in enumerate(HOSTILE))
    happened = course(
        turns,
        14_000,
        delegation_timing_source=HOSTILE[3],
        opportunities=(OpportunityView(0, 800, HOSTILE[1], HOSTILE[0], 4_000),),
        floor_events=tuple(FloorEventView(text, 900, None, text) for text in HOSTILE),
        delegations=tuple(
            DelegationView(text, text, 1_000, ((1_000, 2_000),), HOSTILE, 1) for text in HOSTILE
        ),
        tools=tuple(
            ToolView(text, text, 2_000, 3_000, place % 3) for place, text in enumerate(HOSTILE)
        ),
        decisions=tuple(DecisionView(3_000, 3_100, text, None, text, text) for text in HOSTILE),
        ending=HOSTILE[2],
        missing=HOSTILE,
    )
    return attempt(
        Entry(
            HOSTILE[0] + HOSTILE[2],
            HOSTILE[1],
            "".join(HOSTILE),
            Standing.FAILED,
            HOSTILE[6],
            condition=HOSTILE[6],
            script=HOSTILE[2],
        ),
        happened,
        verdict=VerdictView(
            False,
            HOSTILE[1],
            HOSTILE[6],
            tuple(check(text, "failed", text, *everything) for text in HOSTILE),
            tuple(StepView(text, text, text, True, True, text, everything) for text in HOSTILE),
            tuple(DimensionView(text, text, 0.5, text, text, text) for text in HOSTILE),
        ),
        figures=tuple(
            FigureGroup(text, text, (FigureView(text, text, text, text, text, everything),))
            for text in HOSTILE
        ),
        validity=ValidityView(False, HOSTILE[0], everything),
        problem=Problem(HOSTILE[2], HOSTILE[6], 100),
        warnings=HOSTILE,
        missing=HOSTILE,
    )


def many(number: int) -> list[AttemptView]:
    """An index of many attempts, each of them as small as one can be."""
    standings = (
        Standing.PASSED,
        Standing.PASSED,
        Standing.PASSED,
        Standing.FAILED,
        Standing.INFRASTRUCTURE_ERROR,
    )
    nothing = Course(1_000, TimingSource.NONE, None, TrackView(()), TrackView(()))
    made = []
    for place in range(number):
        standing = standings[place % len(standings)]
        told = entry(
            f"scenario_{place:03}",
            standing,
            title=f"Scenario number {place} of a long run",
            reason="" if standing is Standing.PASSED else f"reason number {place}",
            condition=("clean", "cafe", "street")[place % 3],
            is_valid=None if place % 50 else False,
            duration_ms=40_000 + place * 100,
            answered=3,
            asked=4,
        )
        made.append(attempt(told, nothing, waveform=None))
    return made


def usual() -> list[AttemptView]:
    return [passed(), failed(), invalid(), lost()]


def page(
    path: Path,
    attempts: Sequence[AttemptView],
    *,
    run: RunView | None = None,
    elsewhere: str | None = None,
    pages: Sequence[str] = (),
) -> Path:
    """Writes a page of the attempts, with the sound of each that has a waveform, here or
    ``elsewhere``."""
    sounds = [None if one.waveform is None else sound(samples(one.course)) for one in attempts]
    places = [
        None if one is None else SoundPlace(one.mime, one.size_bytes, elsewhere) for one in sounds
    ]
    index = Index(run or run_view(), [one.entry for one in attempts], places, pages)
    here = [None] * len(sounds) if elsewhere else sounds
    path.write_bytes(b"".join(document(assets(), index, zip(attempts, here, strict=True))))
    return path
