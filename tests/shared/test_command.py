"""A command made from rows: what the body is given, and how mistakes and interrupts end it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

import pytest

from shared.command import OTHER, run_command
from shared.errors import DatasetError, UsageError
from shared.settings import Kind, Setting, Value, grouped

ROWS = (
    Setting("data", Kind.PATH, None, "A file.", flag="--data"),
    Setting("example", Kind.TEXT, "all", "One id.", flag="--example", other_flag="--scenario"),
    Setting("count", Kind.INTEGER, 1, "How many.", flag="--count"),
    Setting("wait", Kind.NUMBER, 30.0, "How long.", flag="--wait"),
    Setting("loud", Kind.SWITCH, default=False, help="Loudly.", flag="--loud"),
    Setting(
        "real", Kind.SWITCH, None, "For real.", flag="--real", negative_flag="--no-real"
    ),
    Setting("kind", Kind.TEXT, "a", "Which.", flag="--kind", choices=("a", "b")),
    Setting("hidden", Kind.TEXT, "", "By variable only.", variable="HIDDEN"),
)  # fmt: skip
A_SECRET = "a-secret-of-ours"
NOTHING = dict.fromkeys(("data", "example", "count", "wait", "loud", "real", "kind"))


class Given:
    """A body that keeps what it was given."""

    flags: Mapping[str, Value] | None = None

    def __init__(self, status: int = 0) -> None:
        self.status = status

    def __call__(self, flags: Mapping[str, Value]) -> int:
        self.flags = flags
        return self.status


def run(monkeypatch: pytest.MonkeyPatch, body: object, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["a-program", *arguments])
    return run_command("a-command", "What it does.", ROWS, body)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param([], {}, id="nothing-given-is-nothing"),
        pytest.param(["--data", "d.json"], {"data": "d.json"}, id="a-path-as-written"),
        pytest.param(["--example", "x"], {"example": "x"}, id="one-spelling-of-two"),
        pytest.param(["--scenario", "x"], {"example": "x"}, id="the-other-spelling"),
        pytest.param(["--count", "2"], {"count": 2}, id="a-whole-number"),
        pytest.param(["--wait=0.5"], {"wait": 0.5}, id="a-number"),
        pytest.param(["--loud"], {"loud": True}, id="a-switch"),
        pytest.param(["--real"], {"real": True}, id="a-switch-on"),
        pytest.param(["--no-real"], {"real": False}, id="a-switch-off"),
        pytest.param(["--kind", "z"], {"kind": "z"}, id="choices-are-the-table's-business"),
        pytest.param(["--data", ""], {"data": ""}, id="a-blank-is-not-nothing"),
    ],
)
def test_the_body_is_given(
    arguments: list[str], expected: dict[str, Value], monkeypatch: pytest.MonkeyPatch
) -> None:
    body = Given()

    assert run(monkeypatch, body, *arguments) == 0
    assert body.flags == NOTHING | expected


def test_the_bodys_status_is_the_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, Given(3)) == 3


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--lout"], id="an-unknown-option"),
        pytest.param(["--hidden", "x"], id="an-option-that-is-only-a-variable"),
        pytest.param(["surplus"], id="an-argument-nobody-asked-for"),
        pytest.param(["--count"], id="an-option-without-its-value"),
        pytest.param(["--count", "two"], id="a-word-for-a-number"),
        pytest.param(["--no-loud"], id="the-negative-of-a-plain-switch"),
        pytest.param(["--loud=yes"], id="a-switch-with-a-value"),
    ],
)
def test_a_mistyped_command_line_is_one_line_and_status_2(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    body = Given()
    assert run(monkeypatch, body, *arguments) == 2

    out, err = capfd.readouterr()
    assert (body.flags, out) == (None, "")
    assert err.startswith("a-command: ")
    assert err.endswith("Try 'a-command --help'.\n")
    assert len(err.splitlines()) == 1


def raising(error: BaseException) -> object:
    def body(_flags: Mapping[str, Value]) -> NoReturn:
        raise error

    return body


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        pytest.param(UsageError("--data: no"), 2, "a-command: --data: no\n", id="a-mistake"),
        pytest.param(
            DatasetError(["d.json:1: x", "d.json:2: y"]),
            2,
            "a-command: d.json:1: x\na-command: d.json:2: y\n",
            id="each-fault-of-a-dataset",
        ),
        pytest.param(
            UsageError("--data: one\ntwo\u2028\x1b[2J"),
            2,
            "a-command: --data: one\\x0atwo\\u2028\\x1b[2J\n",
            id="a-name-with-line-ends-on-one-line",
        ),
        pytest.param(
            UsageError(f"--data: {A_SECRET} is no file"),
            2,
            "a-command: --data: [redacted:1] is no file\n",
            id="a-mistake-that-quotes-a-credential",
        ),
        pytest.param(BrokenPipeError(32, "Broken pipe"), 0, "", id="a-reader-who-left"),
        pytest.param(KeyboardInterrupt(), 130, "", id="an-interrupt"),
        pytest.param(
            OSError(28, "No space left on device", "/r/x.json"),
            3,
            "a-command: No space left on device: /r/x.json; what had finished is kept\n",
            id="a-full-disk",
        ),
        pytest.param(
            OSError(), 3, "a-command: OSError; what had finished is kept\n", id="no-words-at-all"
        ),
    ],
)
def test_a_body_that_ends_with(
    error: BaseException,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ACME_TOKEN", A_SECRET)
    assert run(monkeypatch, raising(error)) == status
    assert capsys.readouterr().err == said


def test_the_version_is_told_and_nothing_is_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    body = Given()
    assert run(monkeypatch, body, "--version") == 0

    said = capsys.readouterr().out
    assert said == f"a-command (gpt-live-evals {version('gpt-live-evals')})\n"
    assert body.flags is None


def test_a_bug_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        run(monkeypatch, raising(ZeroDivisionError()))


def test_help_names_every_option_with_choices_and_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    body = Given()
    assert run(monkeypatch, body, "--help") == 0

    said = " ".join(capsys.readouterr().out.split())
    assert body.flags is None
    for part in ("What it does.", "--example, --scenario", "--no-real", "a | b; default a", "30.0"):
        assert part in said
    assert "--hidden" not in said


def test_help_stands_under_the_headings_of_the_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (*grouped("One", ROWS[:1]), *grouped("Two", ROWS[1:3]), *grouped("One", ROWS[3:4]))
    monkeypatch.setattr(sys, "argv", ["a-program", "--help"])
    assert run_command("a-command", "What it does.", rows, Given()) == 0

    lines = capsys.readouterr().out.splitlines()
    headings = [line for line in lines if re.fullmatch(r"[A-Z]\w+:", line)]
    assert headings == ["One:", "Two:", f"{OTHER}:"]
    (one, two, other) = (lines.index(heading) for heading in headings)
    assert ["--data" in "".join(lines[one:two]), "--wait" in "".join(lines[one:two])] == [True] * 2
    assert "--example" in "".join(lines[two:other])
    assert "--help" in "".join(lines[other:])


@pytest.mark.parametrize("columns", ["20", "60", "80"])
def test_no_name_of_an_option_is_cut_by_a_narrow_terminal(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "an-option-with-as-long-a-name-as-anybody-will-ever-give-one"
    row = Setting("long", Kind.SWITCH, None, "It.", flag=f"--{long}", negative_flag=f"--no-{long}")
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys, "argv", ["a-program", "--help"])
    assert run_command("a-command", "What it does.", (row,), Given()) == 0

    assert f"--{long} / --no-{long}\n" in capsys.readouterr().out


def test_a_switch_that_is_on_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = Setting("on", Kind.SWITCH, default=True, help="It.", flag="--on", negative_flag="--off")
    monkeypatch.setattr(sys, "argv", ["a-program", "--help"])
    run_command("a-command", "What it does.", (row,), Given())

    assert "It. (default on)" in capsys.readouterr().out


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_command_started_without_a_stream_has_one_to_write_to(
    stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, stream, None)

    def body(_flags: Mapping[str, Value]) -> int:
        with getattr(sys, stream) as nowhere:
            nowhere.write("unheard\n")
        return 0

    assert run(monkeypatch, body) == 0


@pytest.mark.parametrize(
    "thread",
    [
        pytest.param("threading.Thread(target=threading.Event().wait).start()", id="left-behind"),
        pytest.param("pass", id="without-one"),
    ],
)
def test_a_command_ends_with_its_status_whatever_thread_was(thread: str) -> None:
    program = f"import threading; from shared.command import leave; {thread}; print('x'); leave(5)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (5, "x\n", "")


def test_a_secret_of_the_environment_file_is_in_no_error_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "env").write_text("MY_TOKEN=zz-token-hidden-98765\n", "utf-8")
    monkeypatch.setenv("GPT_LIVE_EVALS_ENV_FILE", str(tmp_path / "env"))

    def fails(_: Mapping[str, Value]) -> NoReturn:
        raise UsageError("--example: there is no 'zz-token-hidden-98765'")

    monkeypatch.setattr(sys, "argv", ["crawl-eval"])
    assert run_command("crawl-eval", "", ROWS, fails) == 2
    said = capsys.readouterr().err
    assert "--example: there is no" in said
    assert "zz-token" not in said
