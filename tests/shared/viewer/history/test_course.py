"""What saved runs of many ages and damages tell, and what they are told to lack."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from shared.viewer.history.course import course_of_history
from shared.viewer.history.files import Files, Lines, Source
from shared.viewer.view import Course, Role, TimingSource
from tests.support.old_runs import ASSISTANT, CALLER, MAKERS, SAVED_RUNS, ticks, write
from tests.support.saved_runs import files_of, first_row, placed

LIFECYCLE, EXACT, WHOLE = (
    "lifecycle_events",
    "exact_tick_intervals",
    "legacy_tick_projection",
)


@dataclass(frozen=True, slots=True)
class Told:
    """How much a course tells. ``missing`` is all of it."""

    timing: TimingSource = TimingSource.DEBUG_TRACE
    work: str | None = LIFECYCLE
    turns: int = 3
    requests: int = 2
    floor: int = 1
    delegations: int = 1
    tools: int = 1
    overlaps: int = 1
    silences: int = 1
    missing: tuple[str, ...] = ()


def told(course: Course) -> Told:
    return Told(
        course.timing_source,
        course.delegation_timing_source,
        len(course.turns),
        len(course.opportunities),
        len(course.floor_events),
        len(course.delegations),
        len(course.tools),
        len(course.overlaps),
        len(course.floor_hold),
        course.missing,
    )


HEARD = TimingSource.RECONSTRUCTED_AUDIO
RECONSTRUCTED: Final = (
    "When each party spoke was reconstructed from the recording, as frames of 20 ms with an RMS of"
    " at least 220: the file of ticks is not named in the report."
)
PERHAPS_NOISE: Final = (
    "The caller's channel is what was sent to the assistant: noise that was added to it, if any,"
    " is taken for speech."
)
NO_WORK_SPANS: Final = "When delegated work was under way is not known."

WHOLE_TRACE = Told()
RUNS = {
    "whole_trace": WHOLE_TRACE,
    "absolute_paths": WHOLE_TRACE,
    "missing_audio": WHOLE_TRACE,
    "older_semantic_scores": WHOLE_TRACE,
    "token_fields": WHOLE_TRACE,
    "no_run_and_no_version": WHOLE_TRACE,
    "no_ticks": Told(HEARD, missing=(RECONSTRUCTED,)),
    "no_details": Told(
        silences=0,
        missing=(
            "When delegated work held the floor in silence is not known: the file of details is not"
            " named in the report.",
        ),
    ),
    "missing_audio_and_ticks": Told(
        TimingSource.NONE,
        overlaps=0,
        missing=(
            "When each party spoke is not known: the file of ticks is not there; the recording is"
            " not there.",
        ),
    ),
    "mono_recording": Told(
        HEARD,
        overlaps=0,
        missing=(
            RECONSTRUCTED,
            "When the assistant spoke is not known: the recording has one channel.",
        ),
    ),
    "escaping_paths": Told(
        HEARD,
        None,
        turns=4,
        delegations=0,
        silences=0,
        missing=(
            RECONSTRUCTED.replace("is not named in the report", "lies outside of the run"),
            PERHAPS_NOISE,
            "Whether work was delegated is not known: the event log lies outside of the run; the"
            " file of details lies outside of the run; the file of ticks lies outside of the run.",
        ),
    ),
    "legacy_floor": Told(
        work=EXACT,
        missing=("Of 1 of 1 delegations only the moment is known: the event log is not there.",),
    ),
    "infrastructure_error": Told(
        HEARD,
        None,
        turns=0,
        requests=0,
        floor=0,
        delegations=0,
        tools=0,
        silences=0,
        missing=(
            RECONSTRUCTED,
            PERHAPS_NOISE,
            "What was said is not known: the file of details is not named in the report; the"
            " transcript is not there; the file of turn rows is not named in the report.",
            "What became of the requests and of yields, interruptions and backchannels is not"
            " known: the file of turn rows is not named in the report; the file of details is not"
            " named in the report.",
            "Whether work was delegated is not known: the event log is not named in the report; the"
            " file of details is not named in the report; the file of ticks is not named in the"
            " report.",
        ),
    ),
    "whole_ticks_alone": Told(
        work=WHOLE,
        silences=0,
        missing=(
            "The ticks say whether somebody spoke, but not when: spans are whole ticks.",
            "Of 1 of 1 delegations only the moment is known: the event log is not named in the"
            " report.",
            "When delegated work held the floor in silence is not known: the file of details does"
            " not say.",
        ),
    ),
    "event_log_of_all_ages": Told(
        delegations=2,
        missing=(
            "1 answer of the backend is left out: it may be that of several delegations.",
            "1 line of the event log is no JSON.",
        ),
    ),
    "published_example": Told(
        HEARD,
        None,
        requests=0,
        floor=0,
        silences=0,
        missing=(
            RECONSTRUCTED,
            PERHAPS_NOISE,
            "What became of the requests and of yields, interruptions and backchannels is not"
            " known: the file of turn rows is not named in the report; the file of details is not"
            " named in the report.",
            "Of 1 of 1 delegations only the moment is known: the event log is not named in the"
            " report.",
            NO_WORK_SPANS,
        ),
    ),
    "damaged_lines": Told(
        turns=1,
        overlaps=0,
        missing=(
            "3 turns are left out: they say not who spoke, what or when.",
            "1 line of the file of ticks is no JSON.",
            "1 line of the event log is no JSON.",
            "2 ticks could not be used whole.",
            "3 turn rows say not when the turn was.",
            "2 records of the event log say nothing.",
            "2 counted events of the details name no time.",
        ),
    ),
}
REFUSED = {"truncated_report", "chained_caller"}
"""Runs of which no course is told at all."""


def course_of(name: str, folder: Path) -> Course:
    run = placed(name, folder)
    row = first_row(run)
    return course_of_history(row, files_of(run, row))


@pytest.mark.parametrize("name", RUNS)
def test_a_saved_run_tells(name: str, tmp_path: Path) -> None:
    assert told(course_of(name, tmp_path)) == RUNS[name]


@pytest.mark.parametrize("name", RUNS)
def test_nothing_withheld_comes_out_of_a_saved_run(name: str, tmp_path: Path) -> None:
    assert any(b"WITHHELD" in content for content in MAKERS[name]().values())
    assert "WITHHELD" not in repr(course_of(name, tmp_path))


def test_every_saved_run_is_held_against_the_table() -> None:
    assert {*RUNS, *REFUSED} == set(MAKERS) == {one.name for one in SAVED_RUNS.iterdir()}


def test_the_saved_runs_are_those_that_their_program_writes(tmp_path: Path) -> None:
    write(tmp_path)
    assert contents(tmp_path) == contents(SAVED_RUNS)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("name", ["whole_trace", "no_ticks"])
def test_ticks_and_the_recording_tell_the_same_spans(name: str, tmp_path: Path) -> None:
    course = course_of(name, tmp_path)
    assert (course.caller.voiced, course.assistant.voiced) == (CALLER, ASSISTANT)
    assert (course.overlaps, course.extent_ms) == (((540, 600),), 800)


def test_what_a_whole_trace_tells_in_full(tmp_path: Path) -> None:
    course = course_of("whole_trace", tmp_path)
    asked, murmured = course.opportunities
    assert (asked.outcome, asked.latency_ms, asked.deadline_at_ms) == ("answered", 100, 5_300)
    assert (asked.start_ms, asked.request_end_ms, asked.answer_at_ms) == (100, 300, 400)
    assert (murmured.outcome, murmured.reason) == ("excluded", "backchannel")
    (backchannel,) = course.floor_events
    assert (backchannel.kind, backchannel.outcome, backchannel.at_ms, backchannel.end_ms) == (
        "backchannel",
        "continued",
        540,
        600,
    )
    (delegation,) = course.delegations
    assert (delegation.status, delegation.texts) == ("completed", ("Booked for two.",))
    assert (delegation.at_ms, delegation.work, delegation.responses) == (320, ((320, 400),), 2)
    (tool,) = course.tools
    assert (tool.name, tool.status, tool.delegation) == ("create_reservation", "completed", 0)
    assert (tool.at_ms, tool.returned_at_ms) == (340, 380)
    assert [(turn.role, turn.action) for turn in course.turns] == [
        (Role.CALLER, "OPENING"),
        (Role.ASSISTANT, None),
        (Role.CALLER, "BACKCHANNEL"),
    ]
    assert course.turns[1].text == "It is booked.\nIs there anything else?"
    assert course.ending == "response_completed"


def test_the_words_of_turn_rows_lie_where_the_assistant_was_heard(tmp_path: Path) -> None:
    course = course_of("escaping_paths", tmp_path)
    assert [(turn.start_ms, turn.end_ms, turn.text) for turn in course.turns] == [
        (100, 300, "A table for two, please."),
        (400, 540, "It is booked."),
        (540, 600, "Mm-hm."),
        (540, 700, "Is there anything else?"),
    ]


def test_retired_labels_are_no_actions(tmp_path: Path) -> None:
    course = course_of("legacy_floor", tmp_path)
    assert [turn.action for turn in course.turns] == [None, None, None]


def test_work_told_in_whole_ticks_is_the_only_delegations(tmp_path: Path) -> None:
    (delegation,) = course_of("whole_ticks_alone", tmp_path).delegations
    assert (delegation.status, delegation.work) == ("unavailable", ((200, 400),))
    assert (delegation.is_timeline_only, delegation.responses) == (True, None)


def test_an_event_log_is_read_under_names_of_all_ages(tmp_path: Path) -> None:
    ours, theirs = course_of("event_log_of_all_ages", tmp_path).delegations
    assert (ours.target, ours.status, ours.texts) == ("client", "completed", ("It is booked.",))
    assert (ours.work, ours.responses) == (((310, 360),), None)
    assert (theirs.target, theirs.status, theirs.texts) == (
        "responses",
        "completed",
        ("A table.",),
    )
    assert (theirs.work, theirs.responses) == (((320, 350),), 1)


def test_no_file_at_all_is_no_error() -> None:
    course = course_of_history({}, Files())
    assert (course.timing_source, course.extent_ms, len(course.missing)) == (
        TimingSource.NONE,
        0,
        4,
    )


@pytest.mark.parametrize(
    ("condition", "sentences"),
    [
        pytest.param("clean", 0, id="a-clean-caller-needs-no-word"),
        pytest.param("noisy", 1, id="noise-is-named"),
        pytest.param(None, 1, id="where-nobody-knows-noise-may-be-there"),
    ],
)
def test_what_reconstructing_a_noisy_caller_says(
    condition: str | None, sentences: int, tmp_path: Path
) -> None:
    run = placed("no_ticks", tmp_path)
    row = first_row(run)
    files = files_of(run, row)
    assert files.details is not None
    metadata = {"audio_condition": condition}
    details = {**files.details, "audio_condition": condition, "run_metadata": metadata}
    course = course_of_history(row, replace(files, details=details))
    noise = [one for one in course.missing if one.startswith("The caller's channel is what was")]
    assert len(noise) == sentences
    assert condition in {None, "clean"} or condition in noise[0]


def test_the_recording_is_heard_again_where_ticks_do_not_say_when(tmp_path: Path) -> None:
    run = placed("no_ticks", tmp_path)
    row = first_row(run)
    rough = [{**one, "user": {"speech": True}} for one in ticks()]
    files = replace(files_of(run, row), ticks=Lines(rough))
    course = course_of_history(row, files)
    assert course.timing_source is HEARD
    assert course.caller.voiced == CALLER
    assert any("the file of ticks does not say" in one for one in course.missing)


def test_reasons_are_told_as_they_are_given() -> None:
    reasons = {Source.TICKS: "is 4 GB long", Source.RECORDING: "is a folder"}
    course = course_of_history({}, Files(reasons=reasons))
    assert course.missing[0] == (
        "When each party spoke is not known: the file of ticks is 4 GB long; the recording is a"
        " folder."
    )
