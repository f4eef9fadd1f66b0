"""``crawl-eval`` from outside: every mistake is one line, status 2 and no trace; good runs say how
they went, in words, in JSON and by their status.

The body of most tests is the console script's own function, called in this process, because a new
one costs a second; a few go through the installed script.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any

import pytest

from crawl_harness.evaluate import main
from crawl_harness.suite import CRAWL
from tests.support.runs import COMMAND, bare_environment
from tests.support.scenario_documents import CONVERSATION, REQUEST, a_dataset, edited

OFFLINE = ("--offline", "--example", "restaurant_001")
CLIENT = (*OFFLINE, "--assistant", "client")
LIVE = ("--synthesizer", "tone", "--example", "restaurant_001")
KEY = {"OPENAI_API_KEY": "sk-a-key-that-nobody-may-see"}
PLAINTEXT = {"OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK": "true"}
NOBODY_LISTENS = "ws://127.0.0.1:9/v1/live/sessions"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Terminal:
    """A working directory, an environment without settings, and the command."""

    folder: Path
    patch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]

    def run(self, *arguments: str, **environment: str) -> Ended:
        self._enter(environment)
        self.patch.setattr(sys, "argv", ["crawl-eval", *arguments])
        # A thread that another test has left must not end this process.
        self.patch.setattr("crawl_harness.evaluate.leave", sys.exit)
        self.capture.readouterr()
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = self.capture.readouterr()
        assert isinstance(caught.value.code, int)
        return Ended(caught.value.code, out, err)

    def write(self, name: str, content: object) -> str:
        text = content if isinstance(content, str) else json.dumps(content)
        (self.folder / name).write_text(text, "utf-8")
        return name

    def tree(self) -> set[str]:
        return {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*")}

    def report(self) -> dict[str, Any]:
        (path,) = (self.folder / "results").glob("*/results.json")
        report: dict[str, Any] = json.loads(path.read_bytes())
        return report

    def _enter(self, environment: Mapping[str, str]) -> None:
        self.patch.chdir(self.folder)
        given = bare_environment(self.folder / "any") | dict(environment)
        for name in ("OPENAI_API_KEY", "OPENAI_ASSISTANT_MODE", *KEY, *PLAINTEXT):
            self.patch.delenv(name, raising=False)
        for name, value in given.items():
            self.patch.setenv(name, value)


@pytest.fixture
def terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Terminal:
    return Terminal(tmp_path, monkeypatch, capsys)


def refused(terminal: Terminal, *arguments: str, **environment: str) -> str:
    """Run a command that must be refused before anything is made, and return what it said."""
    terminal.write("any.env", "")
    before = terminal.tree()
    ended = terminal.run("--results-dir", "results", *arguments, **environment)

    assert (ended.status, ended.out) == (2, "")
    assert terminal.tree() == before
    assert all(line.startswith("crawl-eval: ") for line in ended.err.splitlines())
    return ended.err


@pytest.mark.parametrize(
    ("arguments", "environment", "complaint"),
    [
        pytest.param(["--offline", "--data", "no.json"], {}, "no.json: ", id="a-missing-dataset"),
        pytest.param(["--offline", "--example", "nobody"], {}, '"nobody"', id="an-unknown-example"),
        pytest.param([*OFFLINE, "--config", "no.toml"], {}, "--config: ", id="a-missing-config"),
        pytest.param([*OFFLINE, "--lisen"], {}, "No such option: --lisen", id="an-unknown-option"),
        pytest.param(
            [*OFFLINE, "--client-backend", "own.py"],
            {},
            "--client-backend: belongs to --assistant client; add that or remove it",
            id="a-backend-of-another-mode",
        ),
        pytest.param(
            OFFLINE,
            {"OPENAI_LIVE_BACKEND_REASONING_EFFORT": "max"},
            "OPENAI_LIVE_BACKEND_REASONING_EFFORT: max belongs to --assistant client; choose xhigh",
            id="an-effort-of-another-mode",
        ),
        pytest.param(
            [*CLIENT, "--client-backend", "no.py"],
            {},
            "no.py: the file is missing",
            id="a-missing-backend",
        ),
        pytest.param(
            [*CLIENT, "--client-backend", "own.py"],
            {"OPENAI_CLIENT_ASSISTANT_ENDPOINT": "wss://a.example"},
            "--client-backend: there is --assistant-endpoint too; keep one of them",
            id="two-backends",
        ),
        pytest.param(
            [*LIVE, "--no-judge", "--assistant", "client"],
            KEY | {"OPENAI_RESPONSES_API_KEY": "sk-\u2026"},
            "OPENAI_RESPONSES_API_KEY: holds",
            id="a-backend's-key-of-no-key",
        ),
        pytest.param(
            [*LIVE, "--no-judge", "--assistant", "client"],
            KEY | {"OPENAI_RESPONSES_API_KEY": "7-chars"},
            "OPENAI_RESPONSES_API_KEY: has fewer than 8",
            id="a-backend's-key-too-short",
        ),
        pytest.param(
            [*LIVE, "--no-judge", "--assistant", "client"],
            KEY | {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
            "OPENAI_BASE_URL: plaintext is refused",
            id="a-backend's-address-that-was-not-allowed",
        ),
        pytest.param([*OFFLINE, "--assistant", "x"], {}, "'x' is none of", id="an-unknown-mode"),
        pytest.param(
            [*OFFLINE, "--assistant-endpoint", "wss://a.example"],
            {},
            "--assistant-endpoint: ",
            id="an-endpoint-of-another-mode",
        ),
        pytest.param(
            [*OFFLINE, "--offline-script", "x"], {}, "script 'x'; there are: ", id="unknown-script"
        ),
        pytest.param([*OFFLINE, "--concurrency", "0"], {}, "at least 1", id="concurrency-0"),
        pytest.param([*OFFLINE, "--concurrency", "9"], {}, "at most 8", id="concurrency-9"),
        pytest.param([*OFFLINE, "--repeats", "0"], {}, "at least 1", id="no-repeats"),
        pytest.param([*OFFLINE, "--max-examples", "-1"], {}, "at least 0", id="negative-examples"),
        pytest.param([*OFFLINE, "--response-timeout-seconds", "0"], {}, "above 0", id="no-time"),
        pytest.param([*OFFLINE, "--fail-on", "always"], {}, "none of", id="unknown-fail-on"),
        pytest.param(
            [*OFFLINE, "--run-name", "../x"], {}, "--run-name: ", id="a-label-with-a-path"
        ),
        pytest.param([*OFFLINE, "--application", "no"], {}, "no", id="a-missing-application"),
        pytest.param([*OFFLINE, "--data", ""], {}, "--data: must not be blank", id="a-blank-path"),
        pytest.param(
            [*OFFLINE, "--data", "~nobody_is_called_so/d"], {}, "--data: ", id="nobody's-home"
        ),
        pytest.param(
            ["--offline", "--data", "no\nfile\u2028.json"],
            {},
            "no\\x0afile",
            id="a-path-of-two-lines",
        ),
        pytest.param(
            [*OFFLINE, "--run-name", "sk-abcdefgh12345678"], {}, "--run-name: ", id="a-key-as-label"
        ),
        pytest.param(
            OFFLINE,
            {"MY_TOKEN": "restaurant_001"},
            'scenario "[redacted:1]"',
            id="an-id-that-is-the-value-of-a-credential",
        ),
        pytest.param(
            OFFLINE,
            {"MY_TOKEN": "create_reservation"},
            "--application: ",
            id="a-tool-that-is-the-value-of-a-credential",
        ),
        pytest.param(
            OFFLINE, {"GPT_LIVE_EVALS_ENV_FILE": "no.env"}, "GPT_LIVE_EVALS_ENV_FILE", id="no-env"
        ),
        pytest.param(
            OFFLINE, {"GPT_LIVE_EVALS_ENV_FILE": ""}, "GPT_LIVE_EVALS_ENV_FILE", id="a-blank-env"
        ),
        pytest.param(OFFLINE, {"OPENAI_LIVE_MODEL": " "}, "OPENAI_LIVE_MODEL", id="blank-model"),
        pytest.param(LIVE, {}, "OPENAI_API_KEY: a live run needs a key", id="live-without-a-key"),
        pytest.param(LIVE, {"OPENAI_API_KEY": " "}, "OPENAI_API_KEY: a live run", id="a-blank-key"),
        pytest.param(
            LIVE, {"OPENAI_API_KEY": "sk-\u2026"}, "OPENAI_API_KEY: holds", id="a-key-of-no-key"
        ),
        pytest.param(
            LIVE, {"OPENAI_API_KEY": "sk-a\nb"}, "OPENAI_API_KEY: holds", id="a-key-of-two-lines"
        ),
        pytest.param(
            [*OFFLINE, "--synthesizer", "openai"],
            {},
            "OPENAI_API_KEY: --synthesizer openai needs a key; set it, or use ",
            id="a-service's-voice-without-a-key",
        ),
        pytest.param(
            [*OFFLINE, "--synthesizer", "openai"],
            {"OPENAI_API_KEY": "sk-\u00e9"},
            "OPENAI_API_KEY: holds",
            id="a-service's-voice-with-a-broken-key",
        ),
        pytest.param(
            LIVE[2:],
            KEY | {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
            "OPENAI_BASE_URL: plaintext is refused",
            id="a-voice-on-this-machine-that-was-not-allowed",
        ),
        pytest.param(
            LIVE[2:],
            KEY | {"OPENAI_BASE_URL": "https://me:word@host/v1"},
            "OPENAI_BASE_URL: the URL carries credentials",
            id="a-voice-behind-credentials",
        ),
        pytest.param(
            LIVE[2:], KEY | {"OPENAI_TTS_MODEL": " "}, "OPENAI_TTS_MODEL: set", id="blank-tts-model"
        ),
        pytest.param(
            [*OFFLINE, "--caller-voice", "marin"], {}, "--caller-voice: ", id="a-voice-for-a-tone"
        ),
        pytest.param(
            [*LIVE, "--tts-model", "tts-1"], KEY, "--tts-model: ", id="a-model-for-a-tone"
        ),
        pytest.param([*OFFLINE, "--listen"], {}, "--listen: on its virtual", id="heard-unpaced"),
        pytest.param(
            [*LIVE, "--listen", "--concurrency", "2"],
            KEY,
            "--listen: one conversation at a time",
            id="two-conversations-heard-at-once",
        ),
        pytest.param([*LIVE, "--no-real-time"], KEY, "--no-real-time: ", id="unpaced-live-audio"),
        pytest.param(
            [*LIVE, "--offline-script", "sound"], KEY, "--offline-script: ", id="a-live-script"
        ),
        pytest.param(
            [*LIVE, "--endpoint", NOBODY_LISTENS],
            KEY,
            "OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK=true",
            id="plaintext-to-this-machine-that-was-not-allowed",
        ),
        pytest.param(
            LIVE,
            KEY | {"OPENAI_BASE_URL": "http://judge.example/v1"},
            "OPENAI_BASE_URL: plaintext is refused",
            id="plaintext-to-the-judge",
        ),
        pytest.param(
            [*LIVE, "--judge-cache-dir", "any.env"],
            KEY,
            "--judge-cache-dir: any.env is no folder",
            id="judgments-kept-in-a-file",
        ),
        pytest.param(
            [*LIVE, "--judge-reasoning-effort", "max"],
            KEY,
            "--judge-reasoning-effort: 'max' is none of",
            id="an-effort-no-judge-has",
        ),
        pytest.param(
            [*LIVE, "--judge-model", " "],
            KEY,
            "--judge-model: must not be blank",
            id="a-judge-without-a-name",
        ),
        pytest.param(
            LIVE,
            KEY | {"OPENAI_EVAL_JUDGE_MODEL": ""},
            "OPENAI_EVAL_JUDGE_MODEL: set but blank",
            id="a-judge-whose-variable-is-blank",
        ),
        pytest.param(
            [*LIVE, "--endpoint", "http://live.example/v1/live/sessions"],
            KEY | PLAINTEXT,
            "plaintext is refused",
            id="plaintext-to-another-machine-whatever-was-allowed",
        ),
    ],
)
def test_one_line_refuses(
    arguments: list[str], environment: dict[str, str], complaint: str, terminal: Terminal
) -> None:
    said = refused(terminal, *arguments, **environment)

    assert complaint in said
    assert len(said.splitlines()) == 1
    assert KEY["OPENAI_API_KEY"] not in said


def test_a_url_with_credentials_is_refused_and_not_repeated(terminal: Terminal) -> None:
    said = refused(
        terminal, *LIVE, "--endpoint", "wss://maya:letmein@live.example/v1/live/sessions", **KEY
    )

    assert "--endpoint: the URL carries credentials" in said
    assert "letmein" not in said
    assert "maya" not in said


def scenario(**edits: Any) -> dict[str, Any]:
    return edited(REQUEST, edits)


@pytest.mark.parametrize(
    ("content", "complaints"),
    [
        pytest.param('{"scenarios": [', ["d.json:1: not valid JSON"], id="wrong-json"),
        pytest.param("", ["d.json:1: the file is empty"], id="an-empty-file"),
        pytest.param(a_dataset(scenario(surprise=1)), ["surprise"], id="an-unknown-key"),
        pytest.param(a_dataset(REQUEST, scenario(id="A_REQUEST")), ["id: "], id="a-duplicate-id"),
        pytest.param(a_dataset(scenario(id="../x")), ['"../x": id: '], id="an-id-with-a-path"),
        pytest.param(
            a_dataset(scenario(title=""), scenario(id="b", colour="red")),
            ['"a_request": title: ', '"b": colour: '],
            id="one-line-for-each-fault",
        ),
        pytest.param(
            a_dataset(scenario(**{"input.text": "?!"})),
            ['d.json:1: scenario "a_request": input.text: holds nothing to say'],
            id="a-request-without-words",
        ),
        pytest.param(a_dataset(), ["nothing to run"], id="an-empty-dataset"),
        pytest.param(a_dataset(CONVERSATION), ["nothing to run"], id="nothing-of-this-kind"),
    ],
)
def test_a_dataset_is_refused_with(
    content: object, complaints: list[str], terminal: Terminal
) -> None:
    lines = refused(terminal, "--offline", "--data", terminal.write("d.json", content)).splitlines()

    assert len(lines) == len(complaints)
    assert all(part in line for part, line in zip(complaints, lines, strict=True))


def test_one_bad_scenario_refuses_a_file_whatever_was_selected(terminal: Terminal) -> None:
    data = terminal.write("d.json", a_dataset(REQUEST, scenario(id="b", colour="red")))

    assert '"b": colour: ' in refused(
        terminal, "--offline", "--data", data, "--example", REQUEST["id"]
    )


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param("[execution]\nconcurency = 2\n", "'execution.concurrency'?", id="a-typo"),
        pytest.param('[execution]\nconcurrency = "2"\n', "a whole number", id="a-wrong-type"),
        pytest.param("[execution\n", "not valid TOML", id="broken-toml"),
        pytest.param(
            '[dataset]\npath = "a\\u0000b"\n', "no path holds a NUL", id="a-path-with-a-nul"
        ),
        pytest.param(
            '[execution]\nresults_dir = "a\\u0000b"\n',
            "no path holds a NUL",
            id="another-path-with-a-nul",
        ),
    ],
)
def test_a_config_is_refused_with(content: str, complaint: str, terminal: Terminal) -> None:
    said = refused(terminal, *OFFLINE, "--config", terminal.write("mine.toml", content))

    assert complaint in said
    assert len(said.splitlines()) == 1


def test_an_env_file_with_a_line_that_assigns_nothing_is_refused(terminal: Terminal) -> None:
    name = terminal.write("mine.env", "OPENAI_LIVE_VOICE=cedar\nwhat is this\n")

    assert "mine.env:2: " in refused(terminal, *OFFLINE, GPT_LIVE_EVALS_ENV_FILE=name)


@pytest.mark.parametrize("below", ["", "/results"])
def test_a_file_in_place_of_the_results_folder_is_refused(below: str, terminal: Terminal) -> None:
    taken = terminal.write("taken", "")
    said = refused(terminal, *OFFLINE, "--results-dir", f"{taken}{below}")

    assert said.startswith("crawl-eval: --results-dir: taken")
    assert len(said.splitlines()) == 1


def test_a_good_run_says_how_it_went_and_where_it_lies(terminal: Terminal) -> None:
    ended = terminal.run("--results-dir", "results", *OFFLINE)

    assert (ended.status, ended.err) == (0, "")
    first, *rest = ended.out.splitlines()
    assert first.split("\t")[:2] == ["restaurant_001", "passed"]
    assert rest[0] == "1 of 1 passed, 0 failed, 0 infrastructure errors"
    assert "scripted fixture" in rest[1]
    path = rest[2].removeprefix("Results: ")
    assert (terminal.folder / path).is_file()
    assert "\x1b" not in ended.out


def test_json_is_the_only_thing_on_stdout(terminal: Terminal) -> None:
    ended = terminal.run(
        "--results-dir",
        "results",
        *OFFLINE,
        "--offline-script",
        "wrong_time",
        "--json",
        "--verbose",
    )
    said = json.loads(ended.out)

    assert said["summary"] == terminal.report()["summary"]
    assert said["run"] == terminal.report()["run"]["id"]
    assert (terminal.folder / said["results"]).is_file()
    assert {one["status"] for one in said["attempts"]} == {"failed"}
    assert all(one["failed_checks"] for one in said["attempts"])
    assert "session.start" in ended.err


def test_verbose_shows_protocol_events_and_outcomes(terminal: Terminal) -> None:
    ended = terminal.run("--results-dir", "results", *OFFLINE, "--verbose")

    assert "-> session.start " in ended.out
    assert "<- session.started " in ended.out
    assert "restaurant_001 passed" in ended.out


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        pytest.param([], ["restaurant_001"], id="its-scenario"),
        pytest.param(
            ["--repeats", "2"], ["restaurant_001@1", "restaurant_001@2"], id="and-its-repeat"
        ),
        pytest.param(
            ["--offline-script", "wrong_time", "--repeats", "2"],
            ["restaurant_001@wrong_time@1", "restaurant_001@wrong_time@2"],
            id="and-its-script-before-its-repeat",
        ),
    ],
)
def test_an_attempt_is_named_by(options: list[str], keys: list[str], terminal: Terminal) -> None:
    selection = ["--offline", "--example", keys[0].split("@")[0]]
    assert terminal.run("--results-dir", "results", *selection, *options).status == 0

    assert [row["attempt"]["key"] for row in terminal.report()["results"]] == keys
    (run,) = (terminal.folder / "results").iterdir()
    assert sorted(path.stem for path in (run / "events").iterdir()) == keys
    assert sorted(path.name for path in (run / "audio").iterdir()) == keys


FAILING = a_dataset(
    scenario(id="needs_a_tool", **{"expected.tools.required": [{"name": "check_availability"}]})
)
UNSTARTED = a_dataset(scenario(id="is_refused"))
BOTH = a_dataset(*FAILING["scenarios"], *UNSTARTED["scenarios"])
REFUSED = {
    "format": "gpt-live-script/1",
    "opening": {"refused": {"code": "a_code", "message": "No."}},
    "steps": [],
}


@pytest.mark.parametrize(
    ("dataset", "fail_on", "status"),
    [
        pytest.param(FAILING, "none", 0, id="a-failure-that-nobody-asked-about"),
        pytest.param(FAILING, "failed", 1, id="a-failure"),
        pytest.param(FAILING, "infrastructure", 0, id="a-failure-which-is-no-infrastructure"),
        pytest.param(FAILING, "any", 1, id="a-failure-as-anything"),
        pytest.param(UNSTARTED, "none", 0, id="an-invalid-attempt-that-nobody-asked-about"),
        pytest.param(UNSTARTED, "failed", 0, id="an-invalid-attempt-which-is-no-failure"),
        pytest.param(UNSTARTED, "infrastructure", 3, id="an-invalid-attempt"),
        pytest.param(UNSTARTED, "any", 3, id="an-invalid-attempt-as-anything"),
        pytest.param(BOTH, "failed", 1, id="the-failure-of-both"),
        pytest.param(BOTH, "infrastructure", 3, id="the-infrastructure-of-both"),
        pytest.param(BOTH, "any", 1, id="both-where-the-failure-wins"),
    ],
)
def test_the_status_of(
    dataset: dict[str, Any], fail_on: str, status: int, terminal: Terminal
) -> None:
    data = terminal.write("d.json", dataset)
    (terminal.folder / "scripts" / "sound").mkdir(parents=True)
    terminal.write("scripts/sound/is_refused.json", REFUSED)

    assert (
        terminal.run(
            "--results-dir", "results", "--offline", "--data", data, "--fail-on", fail_on
        ).status
        == status
    )


def test_fail_on_can_come_from_toml(terminal: Terminal) -> None:
    terminal.write("d.json", FAILING)
    config = terminal.write(
        "c.toml",
        '[dataset]\npath = "d.json"\n[execution]\nfail_on = "any"\nresults_dir = "results"\n',
    )

    assert terminal.run("--offline", "--config", config).status == 1
    assert terminal.report()["run"]["dataset"] == "d.json"


def test_a_service_that_is_not_there_is_an_infrastructure_error(terminal: Terminal) -> None:
    ended = terminal.run(
        "--results-dir", "results", *LIVE, "--endpoint", NOBODY_LISTENS, "--fail-on", "any",
        **KEY, **PLAINTEXT,
    )  # fmt: skip
    (row,) = terminal.report()["results"]

    assert ended.status == 3
    assert (row["status"], row["error"]["stage"]) == ("infrastructure_error", "session_start")
    assert row["metrics"]["task"]["tool_calls"] is None
    assert KEY["OPENAI_API_KEY"] not in ended.out + ended.err


def test_the_configuration_names_values_and_origins_but_no_folder_of_this_machine(
    terminal: Terminal,
) -> None:
    data = terminal.folder / terminal.write("d.json", a_dataset(REQUEST))
    terminal.run(
        "--results-dir", "results", "--offline", "--data", str(data), "--voice", "cedar",
        OPENAI_LIVE_MODEL="another-live", **KEY,
    )  # fmt: skip
    run = terminal.report()["run"]
    configuration = run["configuration"]

    assert run["dataset"] == configuration["data"] == "d.json"
    assert (configuration["voice"], configuration["origins"]["voice"]) == ("cedar", "flag")
    assert configuration["model"] == "another-live"
    assert configuration["origins"]["model"] == "environment"
    assert configuration["origins"]["backend_model"] == "default"
    assert "api_key" not in configuration
    assert str(terminal.folder) not in json.dumps(terminal.report())


def test_a_dataset_whose_name_is_no_text_can_be_run(terminal: Terminal) -> None:
    name = os.fsdecode(b"d\xff.json")
    terminal.write(name, a_dataset(REQUEST))

    assert terminal.run("--results-dir", "results", "--offline", "--data", name).status == 0
    assert terminal.report()["run"]["dataset"] == "d?.json"


def test_the_console_script_is_this_function() -> None:
    (script,) = entry_points(group="console_scripts", name="crawl-eval")

    assert script.load() is main


def installed(folder: Path, *arguments: str) -> Ended:
    """The installed script in its own process."""
    done = subprocess.run(
        [COMMAND, *arguments],
        cwd=folder,
        env=bare_environment(folder / "any"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def test_the_installed_script_refuses_in_one_line(tmp_path: Path) -> None:
    ended = installed(tmp_path, "--offline", "--data", "no.json")

    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("crawl-eval: no.json: ")
    assert len(ended.err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["any.env"]


def test_the_installed_script_reports_a_failure_by_its_status(tmp_path: Path) -> None:
    data = tmp_path / "d.json"
    data.write_text(json.dumps(FAILING))
    ended = installed(
        tmp_path,
        "--offline",
        "--data",
        "d.json",
        "--results-dir",
        "r",
        "--fail-on",
        "any",
        "--json",
    )

    assert ended.status == 1
    assert json.loads(ended.out)["summary"]["failed"] == 1


def test_a_closed_stdout_spoils_nothing(tmp_path: Path) -> None:
    data = tmp_path / "d.json"
    data.write_text(json.dumps(FAILING))
    arguments = ["--offline", "--data", "d.json", "--results-dir", "r", "--fail-on", "any"]
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" "$@" >&-', COMMAND, *arguments],
        cwd=tmp_path,
        env=bare_environment(tmp_path / "any"),
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )

    (warning,) = done.stderr.decode().splitlines()
    assert done.returncode == 1
    assert warning.startswith("warning: no script beside this dataset for 1 of its scenarios")
    assert len(list(tmp_path.glob("r/*/results.json"))) == 1


def test_the_module_is_the_command_too(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "crawl_harness.evaluate", "--offline", "--surprise"],
        cwd=tmp_path,
        env=bare_environment(tmp_path / "any") | {"PYTHONPATH": str(CRAWL.bundled_data.parents[2])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 2
    assert done.stderr.startswith("crawl-eval: No such option: --surprise")


@pytest.mark.parametrize("command", ["crawl-eval", "live-fixture"])
def test_a_command_says_its_version(command: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [COMMAND.with_name(command), "--version"],
        env=bare_environment(tmp_path / "any"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{command} (gpt-live-evals {version('gpt-live-evals')})\n"


def test_a_credential_of_the_environment_file_is_known_too(terminal: Terminal) -> None:
    secret = "canary-of-a-file"
    env = terminal.write("mine.env", f"ACME_TOKEN={secret}\n")
    edits = {"title": f"About {secret}", "expected.tools.required": []}
    data = terminal.write("d.json", a_dataset(scenario(**edits)))
    ended = terminal.run(
        "--results-dir", "results", "--offline", "--data", data, GPT_LIVE_EVALS_ENV_FILE=env
    )

    assert ended.status == 0
    assert secret not in json.dumps(terminal.report())


def test_the_head_of_a_report_holds_no_credential(terminal: Terminal) -> None:
    secret = "canary-in-a-name"
    terminal.write(f"{secret}.json", a_dataset(REQUEST))
    terminal.run(
        "--results-dir", "results", "--offline", "--data", f"{secret}.json", ACME_TOKEN=secret
    )

    assert secret not in json.dumps(terminal.report())
    assert terminal.report()["run"]["dataset"] == "[redacted:1].json"
