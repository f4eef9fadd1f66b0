"""What the terminal says: lines for a pipe, a table for a person, and never the run's undoing."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import pty
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, override

import pytest

from shared.grading.judge import Judgments, Unscored
from shared.grading.semantic import JUDGE_ASKED, JUDGE_COMPLETED
from shared.observability.observations import Caption, Speaker
from shared.reporting.assemble import summarize
from shared.reporting.console import Console
from shared.reporting.schema import (
    AttemptResult,
    CallerFidelityReport,
    CallerReport,
    CheckReport,
    ErrorReport,
    Report,
    StrayFactReport,
)
from shared.reporting.wording import SCRIPTED_NOTE
from shared.values import JsonObject
from tests.support.builders import a_second_opinion, at, spans
from tests.support.judged import a_recording, a_row, a_run, a_scenario, an_attempt
from tests.support.judges import judgments, repeatedly

ANSWERED = an_attempt(assistant=spans((1_400, 2_000)))
ESCAPE = "\x1b"
COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-7]|9[0-7]|38;)")


NOT_JUDGED = {"score": None, "scored": 0, "applicable": 0}
LOST = Unscored("HTTP 429: slow down")


def passed(key: str = "one", said: Judgments | None = None) -> AttemptResult:
    return a_row(ANSWERED, judgments=said, key=key)


def failed(key: str = "two") -> AttemptResult:
    return a_row(an_attempt(), key=key)


def broken(message: str = "the line broke", key: str = "three") -> AttemptResult:
    return passed(key).model_copy(
        update={
            "status": "infrastructure_error",
            "error": ErrorReport(stage="response_collection", message=message),
        }
    )


def under(condition: str, row: AttemptResult) -> AttemptResult:
    return row.model_copy(update={"recording": a_recording(condition=condition)})


def transcribed(key: str, heard: str) -> AttemptResult:
    """An attempt answered after 400 ms, with what the service made of its request."""
    captions = [Caption(at(1_000), Speaker.CALLER, heard, 0, 1_000)]
    attempt = an_attempt(assistant=spans((1_400, 2_000)), observations=captions)
    return a_row(attempt, a_scenario(input__text="Two on July third"), key=key)


RECORDED = [
    under("noisy", transcribed("one", "Two on Julie third")),
    under("noisy", failed("two")),
    under("noisy", broken(key="three")),
    under("clean", transcribed("four", "Two on July 3")),
]


def of_a_conversation(
    row: AttemptResult, kind: Literal["simulated", "scripted"] = "scripted"
) -> AttemptResult:
    caller = CallerReport(kind=kind, sha256="0" * 64)
    return row.model_copy(update={"attempt": row.attempt.model_copy(update={"caller": caller})})


def strayed(key: str = "one") -> AttemptResult:
    fidelity = CallerFidelityReport(
        never_spoke=True,
        drifted_into_assistant_role=True,
        contradicted_facts=[
            StrayFactReport(at_ms=3_250, said="8:30 p.m."),
            StrayFactReport(at_ms=9_000, said="9"),
        ],
        planned_interruptions=3,
        planned_interruptions_missed=1,
    )
    return passed(key).model_copy(update={"caller_fidelity": fidelity})


def a_report(*rows: AttemptResult, **run: Any) -> Report:
    run = {"attempts_planned": len(rows), **run}
    return Report(run=a_run(**run), summary=summarize(rows), results=list(rows))


def event(**body: Any) -> JsonObject:
    return {
        "type": "session.started",
        "direction": "server_to_client",
        "event_time_ms": 1_234.5,
        "event": {"type": "session.started", **body},
    }


def say(
    *rows: AttemptResult,
    is_verbose: bool = False,
    is_json: bool = False,
    path: str = "r.json",
    **run: Any,
) -> None:
    """A whole run, from its beginning to its end."""
    console = Console(is_verbose=is_verbose, is_json=is_json)
    console.begin(len(rows))
    for row in rows:
        console.event(row.attempt.key, event())
        console.finished(row)
    console.end(a_report(*rows, **run), path)


def test_a_pipe_gets_one_line_for_each_attempt_and_the_totals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say(passed(), failed(), broken())
    out, err = capsys.readouterr()

    assert out.splitlines() == [
        "one\tpassed\tlatency 400 ms\ttools 0/0",
        "two\tfailed\tlatency -\ttools 0/0"
        "\tassistant_responded: the assistant was not heard after the request",
        "three\tinfrastructure_error\tlatency 400 ms\ttools 0/0"
        "\tresponse_collection: the line broke",
        "1 of 3 passed, 1 failed, 1 infrastructure errors",
        SCRIPTED_NOTE,
        "Results: r.json",
    ]
    assert err == ""


def test_a_conversation_has_its_length_and_what_became_of_its_turns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    never = a_row(an_attempt(extent_ms=0), key="three")
    say(
        of_a_conversation(passed()),
        of_a_conversation(failed(), "simulated"),
        of_a_conversation(never),
    )
    lines = capsys.readouterr().out.splitlines()

    assert lines[0] == (
        "one\tpassed\tlength 20.0 s\tanswered 1/1\tlatency 400 ms\tinterrupted 0\ttools 0/0"
    )
    assert lines[1].startswith(
        "two\tfailed\tlength 20.0 s\tanswered 0/1\tlatency -\tinterrupted 0\ttools 0/0\tassistant_"
    )
    assert lines[2].startswith(
        "three\tinfrastructure_error\tlength -\tanswered -\tlatency -\tinterrupted -\ttools -\t"
    )


def test_on_a_terminal_a_conversation_has_a_column_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    received = on_a_terminal(lambda: say(of_a_conversation(failed())), monkeypatch)
    plain = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", received)

    assert re.search(r"attempt +status +length +answered +latency +interrupted +tools +why", plain)
    assert re.search(r"two +failed +20\.0 s +0/1 +- +0 +0/0 +assistant_responded", plain)


@pytest.mark.parametrize("is_verbose", [False, True])
def test_what_a_caller_did_of_its_own_is_said_below_the_totals(
    is_verbose: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    say(strayed(), passed("two"), is_verbose=is_verbose)
    lines = capsys.readouterr().out.splitlines()
    notes = [line for line in lines if ": its caller " in line]

    assert notes == [
        "one: its caller was never heard, took the assistant's part, named"
        ' "8:30 p.m." at 3.2 s and "9" at 9.0 s of its own, left out 1 of 3 planned interruptions'
    ] * (2 if is_verbose else 1)


def test_a_judged_run_tells_its_mean_score_with_counts(capsys: pytest.CaptureFixture[str]) -> None:
    say(
        passed(said=judgments(task_understanding=0.75, context_fidelity=LOST)),
        passed("two", said=judgments(task_understanding=1)),
        failed("three"),
    )
    lines = capsys.readouterr().out.splitlines()

    assert lines[0].split("\t")[1:] == [
        "passed",
        "latency 400 ms",
        "tools 0/0",
        "semantic 0.75 (1/2)",
    ]
    assert "semantic" not in lines[2]
    assert lines[4] == "Semantic score 0.875: 2 of 3 dimensions scored"


def test_a_run_that_was_judged_repeatedly_tells_how_far_opinions_differ(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say(
        passed(said=repeatedly(judgments(task_understanding=1), judgments(task_understanding=0.5))),
        passed("two", said=repeatedly(*[judgments(task_understanding=1)] * 2)),
    )
    lines = capsys.readouterr().out.splitlines()

    assert lines[3] == (
        "Semantic score 0.875: 2 of 2 dimensions scored, repetitions at most 0.5 apart"
    )


def test_a_run_whose_judge_was_lost_tells_no_score(capsys: pytest.CaptureFixture[str]) -> None:
    say(passed(said=judgments(task_understanding=LOST)))
    out = capsys.readouterr().out

    assert "semantic - (0/1)" in out
    assert "Semantic score -: 0 of 1 dimensions scored" in out
    assert "semantic_judge: task_understanding could not be scored: HTTP 429: slow down" in out


def test_json_has_the_score_and_its_counts(capsys: pytest.CaptureFixture[str]) -> None:
    say(passed(said=judgments(task_understanding=0.75, context_fidelity=LOST)), is_json=True)
    told = json.loads(capsys.readouterr().out)

    expected = {"score": 0.75, "scored": 1, "applicable": 2}
    assert told["semantic"] == expected
    assert told["attempts"][0]["semantic"] == expected


def test_verbose_tells_that_a_judge_is_at_work(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(is_verbose=True, is_json=False)
    console.event("one", {**event(), "type": JUDGE_ASKED, "direction": "internal"})

    assert "one    1.234 .. evaluation.semantic_judge.asked" in capsys.readouterr().out


def test_a_pipe_gets_a_line_for_each_condition(capsys: pytest.CaptureFixture[str]) -> None:
    say(*RECORDED, execution_mode="live")
    lines = capsys.readouterr().out.splitlines()

    assert lines[4] == "2 of 4 passed, 1 failed, 1 infrastructure errors"
    assert lines[5:7] == [
        "condition clean\tpassed 1/1\tinvalid 0\tanswered 1/1\tlatency P50 400 ms\tP90 400 ms"
        "\tword error 0 (0/4)\tentities 2/2",
        "condition noisy\tpassed 1/2\tinvalid 1\tanswered 1/2\tlatency P50 400 ms\tP90 400 ms"
        "\tword error 0.25 (1/4)\tentities 1/2",
    ]


def test_what_a_script_understood_is_no_figure(capsys: pytest.CaptureFixture[str]) -> None:
    say(*RECORDED)

    (clean, noisy) = capsys.readouterr().out.splitlines()[5:7]
    assert clean.endswith("\tword error scripted\tentities scripted")
    assert noisy.endswith("\tword error scripted\tentities scripted")


def test_a_condition_without_figures_has_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    say(under("echo", broken()))

    assert (
        "condition echo\tpassed 0/0\tinvalid 1\tanswered 0/0\tlatency P50 -\tP90 -\tword error -"
        "\tentities -\n"
    ) in capsys.readouterr().out


def test_a_run_without_recordings_tells_no_conditions(capsys: pytest.CaptureFixture[str]) -> None:
    say(passed())

    assert "condition" not in capsys.readouterr().out


def test_a_terminal_gets_a_table_of_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    received = on_a_terminal(lambda: say(*RECORDED, execution_mode="live"), monkeypatch)
    plain = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", received)

    assert re.search(
        r"condition +passed +invalid +answered +latency P50 +P90 +word error +entities", plain
    )
    assert re.search(r"noisy +1/2 +1 +1/2 +400 ms +400 ms +0\.25 \(1/4\) +1/2", plain)


def test_the_name_of_a_condition_steers_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    row = under(f"[red]x[/red]{ESCAPE}]0;title\x07", passed())
    received = on_a_terminal(lambda: say(row), monkeypatch)

    assert "[red]x[/red]" in received
    assert "\x1b]0;title" not in received


def test_json_has_the_conditions_in_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    say(*RECORDED, is_json=True)
    conditions = json.loads(capsys.readouterr().out)["summary"]["conditions"]

    assert [one["condition"] for one in conditions] == ["clean", "noisy"]
    assert conditions[1]["word_error"]["rate"] == 0.25
    assert (conditions[1]["pass_rate"], conditions[1]["total"]) == (0.5, 3)


FLIPS = "one: by hybrid (caller) and hybrid (assistant): request 1 answered -> missed; "


def flipping() -> AttemptResult:
    second = a_second_opinion(spans((0, 1_000)), spans())
    return a_row(an_attempt(assistant=spans((1_400, 2_000)), second_opinion=second), key="one")


def test_what_a_second_detector_changes_is_said_below_the_totals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say(flipping(), passed("two"))
    lines = capsys.readouterr().out.splitlines()
    (index,) = [index for index, line in enumerate(lines) if line.startswith(FLIPS)]
    assert lines[index - 1].startswith("2 of 2 passed")


def test_verbose_tells_it_when_the_attempt_has_finished(
    capsys: pytest.CaptureFixture[str],
) -> None:
    console = Console(is_verbose=True, is_json=False)
    console.finished(flipping())
    console.finished(passed("two"))
    first, line, last = capsys.readouterr().out.splitlines()
    assert first.startswith("one ")
    assert line.startswith(FLIPS)
    assert last.startswith("two ")


def test_a_live_run_has_no_note_about_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    Console(is_verbose=False, is_json=False).end(
        a_report(passed(), execution_mode="live"), "r.json"
    )

    assert SCRIPTED_NOTE not in capsys.readouterr().out


def test_an_interrupted_run_says_how_much_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(is_verbose=False, is_json=False)
    console.end(a_report(passed(), attempts_planned=5), "r.json")

    assert "Interrupted: 1 of 5 attempts finished" in capsys.readouterr().out


def test_without_a_report_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Console(is_verbose=False, is_json=False).end(None, "r.json")

    assert capsys.readouterr() == ("", "")


def test_a_warning_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    Console(is_verbose=False, is_json=True).warn(["a long history", "another"])

    printed = capsys.readouterr()
    assert printed.err == "warning: a long history\nwarning: another\n"
    assert printed.out == ""


@pytest.mark.parametrize(
    ("finished", "runs"),
    [
        pytest.param(2, ["one", "two"], id="both"),
        pytest.param(1, ["one"], id="the-one-that-came-to-an-end"),
        pytest.param(0, None, id="and-nothing-where-none-did"),
    ],
)
def test_whatever_ends_a_comparison_a_script_is_told_in_one_object_of(
    finished: int, runs: list[str] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    console = Console(is_verbose=False, is_json=True)
    with contextlib.suppress(OSError), console.together("both"):
        for name in ["one", "two"][:finished]:
            console.end(a_report(passed(), id=name), "r.json")
        raise OSError("the disk is full")
    out = capsys.readouterr().out
    told = json.loads(out) if out else {"comparison": "both", "runs": None}
    assert told["comparison"] == "both"
    assert (told["runs"] and [one["run"] for one in told["runs"]]) == runs


def test_quiet_is_the_rule(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(is_verbose=False, is_json=False)
    console.begin(1)
    console.event("one", event())
    console.finished(passed())

    assert capsys.readouterr() == ("", "")


def test_verbose_tells_each_event_and_outcome(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(is_verbose=True, is_json=False)
    console.begin(1)
    console.event("one", event())
    console.event("one", {**event(), "direction": "client_to_server"})
    console.event("one", {**event(), "direction": "internal"})
    console.finished(passed())
    lines = capsys.readouterr().out.splitlines()

    assert lines[0] == 'one    1.234 <- session.started {"type": "session.started"}'
    assert [line.split()[2] for line in lines[:3]] == ["<-", "->", ".."]
    assert lines[3].startswith("one passed\tlatency 400 ms")


def test_a_long_event_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    Console(is_verbose=True, is_json=False).event("one", event(text="x" * 1_000))

    assert len(capsys.readouterr().out) < 300


def test_json_is_one_object_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    say(passed(), failed(), is_json=True, is_verbose=True, path="grüße/r.json")
    out, err = capsys.readouterr()

    assert json.loads(out) == {
        "run": "a_run",
        "results": "grüße/r.json",
        "viewer": None,
        "summary": {"total": 2, "passed": 1, "failed": 1, "infrastructure_errors": 0},
        "semantic": NOT_JUDGED,
        "attempts": [
            {
                "key": "one",
                "status": "passed",
                "failed_checks": [],
                "reasons": [],
                "response_latency_ms": 400.0,
                "semantic": NOT_JUDGED,
                "error": None,
            },
            {
                "key": "two",
                "status": "failed",
                "failed_checks": ["assistant_responded"],
                "reasons": ["the assistant was not heard after the request"],
                "response_latency_ms": None,
                "semantic": NOT_JUDGED,
                "error": None,
            },
        ],
    }
    assert out.count("\n") == 1
    assert out.isascii(), "so that no terminal's alphabet can spoil it"
    assert "session.started" in err


@pytest.mark.parametrize(
    "message",
    [
        pytest.param("one\ntwo\r\nthree", id="line-ends"),
        pytest.param(f"{ESCAPE}[31mred{ESCAPE}[0m", id="commands-to-a-terminal"),
        pytest.param("\x9b31mred", id="commands-of-one-character"),
        pytest.param("bell\x07 nul\x00 del\x7f", id="other-controls"),
        pytest.param("half \ud800 a character", id="half-a-character"),
    ],
)
def test_no_text_steers_the_terminal(message: str, capsys: pytest.CaptureFixture[str]) -> None:
    say(broken(message))
    lines = capsys.readouterr().out.splitlines()

    assert lines[0].startswith("three\t")
    assert lines[1].startswith("0 of 1 passed")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "".join(lines))


class Stream(io.StringIO):
    """A standard stream of some encoding, which may break, may be a terminal, and has a number."""

    def __init__(self, encoding: str = "utf-8", *, breaks_with: int | None = None) -> None:
        super().__init__()
        self._encoding = encoding
        self._breaks_with = breaks_with
        self._file = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    @override
    def write(self, text: str) -> int:
        if self._breaks_with is not None:
            raise OSError(self._breaks_with, os.strerror(self._breaks_with))
        text.encode(self._encoding)
        return super().write(text)

    @override
    def fileno(self) -> int:
        return self._file.fileno()

    @override
    def close(self) -> None:
        self._file.close()
        super().close()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_any_alphabet_will_do(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Stream(encoding) as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        say(broken("日本 grüße \U0001f600"), is_verbose=True)
        said = stream.getvalue()

    assert "response_collection" in said
    assert ("grüße" in said) is (encoding != "ascii")


@pytest.mark.parametrize("error", [errno.EPIPE, errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("is_json", [True, False])
def test_a_stream_that_breaks_spoils_nothing(
    error: int, is_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Stream(breaks_with=error) as out, Stream(breaks_with=error) as err:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        say(passed(), failed(), is_verbose=True, is_json=is_json)


def test_a_reader_that_left_is_not_written_to_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        say(passed(), is_verbose=True)
        stream.write("this flushes without an error")


def test_attempts_that_report_at_once_do_not_mix_their_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    console = Console(is_verbose=True, is_json=False)
    rows = [passed(f"key_{n}") for n in range(8)]
    threads = [threading.Thread(target=console.finished, args=[row]) for row in rows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[0] for line in lines) == sorted(row.attempt.key for row in rows)


def on_a_terminal(talk: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> str:
    """What a real terminal of 120 columns receives on stdout and stderr."""
    controller, terminal = pty.openpty()
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm-256color")
    with os.fdopen(terminal, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setattr(sys, "stderr", stream)
        talk()
        stream.flush()
        os.set_blocking(controller, False)
        received = b""
        while True:
            try:
                received += os.read(controller, 65_536)
            except BlockingIOError:
                break
    os.close(controller)
    return received.decode()


def test_a_terminal_gets_a_table_in_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    received = on_a_terminal(lambda: say(passed(), failed(), broken()), monkeypatch)
    plain = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", received)

    assert COLOUR.search(received)
    assert re.search(r"attempt +status +latency +tools +why", plain)
    assert re.search(r"two +failed +- +0/0 +assistant_responded", plain)
    assert "1 of 3 passed" in plain


def test_a_table_of_judged_attempts_has_a_column_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    judged = passed(said=judgments(task_understanding=0.75))
    received = on_a_terminal(lambda: say(judged, failed()), monkeypatch)

    plain = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", received)

    assert re.search(r"attempt +status +latency +tools +semantic +why", plain)
    assert re.search(r"one +passed +400 ms +0/0 +0\.75 \(1/1\)", plain)
    assert re.search(r"two +failed +- +0/0 +- +assistant_responded", plain)


@pytest.mark.parametrize(("columns", "is_below"), [("99", True), ("100", False)])
def test_on_a_narrow_terminal_the_reasons_stand_below(
    monkeypatch: pytest.MonkeyPatch, columns: str, *, is_below: bool
) -> None:
    def talk() -> None:
        monkeypatch.setenv("COLUMNS", columns)
        monkeypatch.setenv("NO_COLOR", "1")
        say(passed(), failed())

    received = on_a_terminal(talk, monkeypatch)
    lines = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", received).splitlines()
    assert any(re.match(r"two: assistant_responded", line) for line in lines) is is_below
    assert any(re.search(r"tools +why", line) for line in lines) is not is_below
    assert not any(line.startswith("one:") for line in lines)


def test_beside_long_names_the_reasons_stand_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    key = "a_conversation_of_some_kind@an_assistant_that_makes_a_mistake"
    received = on_a_terminal(lambda: say(of_a_conversation(failed(key))), monkeypatch)
    lines = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", received).splitlines()

    assert any(line.startswith(f"{key}: assistant_responded") for line in lines)
    assert not any(re.search(r"tools +why", line) for line in lines)


def stacked(monkeypatch: pytest.MonkeyPatch, columns: int, *rows: AttemptResult) -> list[str]:
    """The lines of a run on a terminal of so many columns."""

    def talk() -> None:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("NO_COLOR", "1")
        say(*rows)

    received = on_a_terminal(talk, monkeypatch)
    plain = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", received)
    return [line.rstrip() for line in plain.splitlines()]


LONG = "a_conversation_with_quite_a_name"
FIGURES = "passed  length 20.0 s  answered 1/1  latency 400 ms  interrupted 0  tools 0/0"
WIDTH = len(LONG) + sum(
    map(len, ("passed", "20.0 s", "answered", "400 ms", "interrupted", "tools"))
)
WIDTH += 6 * 2 + len("latency") - len("400 ms")


@pytest.mark.parametrize(
    ("columns", "is_stacked"),
    [
        pytest.param(WIDTH - 1, True, id="a-column-too-few-and-the-figures-stand-below"),
        pytest.param(WIDTH, False, id="just-enough-and-they-stand-beside"),
    ],
)
def test_figures_that_do_not_fit_beside_a_name(
    monkeypatch: pytest.MonkeyPatch, columns: int, *, is_stacked: bool
) -> None:
    lines = stacked(monkeypatch, columns, of_a_conversation(passed(LONG)))

    assert (LONG in lines) is is_stacked
    assert (f"  {FIGURES}" in lines) is is_stacked
    whole = f"{LONG}  passed  20.0 s  1/1       400 ms   0            0/0"
    assert (whole in lines) is not is_stacked


def test_however_narrow_a_terminal_no_figure_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (of_a_conversation(failed(LONG)), of_a_conversation(broken(key="three")))
    lines = stacked(monkeypatch, 40, *rows)
    said = " ".join(" ".join(lines).split())

    assert "…" not in said
    assert f"{LONG} failed length 20.0 s answered 0/1 latency - interrupted 0 tools 0/0" in said
    assert "tools 0/0 assistant_responded: the assistant was not heard" in said
    assert "three infrastructure_error length" in said
    assert lines.count(LONG) == 1


def test_a_mean_latency_is_told_in_whole_milliseconds(capsys: pytest.CaptureFixture[str]) -> None:
    row = passed()
    audio = row.metrics.audio.model_copy(update={"response_latency_ms": 1_806.667})
    metrics = row.metrics.model_copy(update={"audio": audio})
    say(row.model_copy(update={"metrics": metrics}))

    assert "latency 1807 ms" in capsys.readouterr().out


def test_only_what_decided_is_given_as_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    row = failed()
    assert row.assessment is not None
    told = CheckReport(id="told_only", status="failed", required=False, reason="once more")
    checks = [*row.assessment.checks, told]
    say(row.model_copy(update={"assessment": row.assessment.model_copy(update={"checks": checks})}))
    assert "told_only" not in capsys.readouterr().out


def test_a_bar_says_who_waits_for_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    def talk() -> None:
        console = Console(is_verbose=False, is_json=False)
        console.begin(2)
        for key in ("one", "two"):
            console.event(key, {**event(), "type": JUDGE_ASKED})
        console.event("one", {**event(), "type": JUDGE_COMPLETED})
        console.finished(passed())
        console.end(None, "")

    assert "attempts (judging two)" in on_a_terminal(talk, monkeypatch)


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    received = on_a_terminal(lambda: say(passed(), failed(), broken()), monkeypatch)

    assert not COLOUR.search(received)


def test_a_dumb_terminal_gets_no_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    def talk() -> None:
        monkeypatch.setenv("TERM", "dumb")
        say(passed(), failed())

    assert ESCAPE not in on_a_terminal(talk, monkeypatch)


def test_a_table_is_safe_from_its_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    received = on_a_terminal(lambda: say(broken(f"[red]x[/red] {ESCAPE}]0;title\x07")), monkeypatch)

    assert "[red]x[/red]" in received
    assert "\x1b]0;title" not in received


@pytest.mark.parametrize("is_json", [True, False])
def test_progress_is_shown_to_a_person_only(is_json: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def talk() -> None:
        console = Console(is_verbose=False, is_json=is_json)
        console.begin(2)
        console.finished(passed())
        console.end(None, "")

    assert ("attempts" in on_a_terminal(talk, monkeypatch)) is not is_json


def test_a_log_of_stderr_gets_no_progress(capfd: pytest.CaptureFixture[str]) -> None:
    console = Console(is_verbose=False, is_json=False)
    console.begin(2)
    console.finished(passed())
    console.end(None, "")

    assert capfd.readouterr() == ("", "")
