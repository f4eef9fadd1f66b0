"""What delegation by the application is made from: whose backend, under which timing, checked."""

from __future__ import annotations

import contextlib
import hashlib
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from assistants.client import reference_backend as room
from assistants.client.desk import DeskTiming
from assistants.client.openai_backend import OpenAIBackend
from assistants.suite.client_kit import client_kit
from crawl_harness.settings import ROWS
from shared.errors import UsageError
from shared.grading.openai_model import ModelService
from shared.settings import Settings, Value, resolve

KEY = "sk-a-key-that-nobody-may-see"
OWN_KEY = "sk-another-that-nobody-may-see"
OWN = """
class Backend:
    def __init__(self, context):
        self.context = context
    async def run(self, handoff, emit):
        return "It is done."
    async def close(self):
        pass
"""


def settings(*, environment: dict[str, str] | None = None, **flags: Value) -> Settings:
    given = {"assistant_mode": "client", **flags}
    return resolve(ROWS, flags=given, environment=environment or {}, env_file={}, toml={})


def a_file(folder: Path, text: str = OWN) -> str:
    path = folder / "own.py"
    path.write_text(text, "utf-8")
    return str(path)


@pytest.fixture
def _no_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded() -> None:
        raise AssertionError("nobody needs it")

    monkeypatch.setattr(room, "rehearse", loaded)


@pytest.mark.usefixtures("_no_sdk")
def test_managed_delegation_needs_nothing() -> None:
    assert client_kit(settings(assistant_mode="responses", offline=True)) is None


@pytest.mark.usefixtures("_no_sdk")
def test_offline_a_script_is_played() -> None:
    kit = client_kit(settings(offline=True))
    assert kit is not None
    assert (kit.open_backend, kit.recorded) == (None, {"backend": "scripted"})


@pytest.mark.parametrize(
    ("environment", "key"),
    [
        pytest.param({"OPENAI_API_KEY": KEY}, KEY, id="by-the-key-of-every-live-run"),
        pytest.param(
            {"OPENAI_API_KEY": KEY, "OPENAI_RESPONSES_API_KEY": OWN_KEY}, OWN_KEY, id="by-its-own"
        ),
    ],
)
def test_live_a_model_is_asked(environment: dict[str, str], key: str) -> None:
    kit = client_kit(settings(environment=environment))
    assert kit is not None
    assert isinstance(kit.open_backend, partial)
    assert kit.open_backend.func is OpenAIBackend
    assert kit.open_backend.args[0] == ModelService("https://api.openai.com/v1", False, 60.0, key)
    assert kit.recorded == {
        "backend": "openai",
        "response_timeout_seconds": 60.0,
        "responses_max": 8,
        "retries": 2,
    }
    assert KEY not in repr(kit)
    assert OWN_KEY not in repr(kit)


@pytest.mark.usefixtures("_no_sdk")
@pytest.mark.parametrize("offline", [True, False], ids=["offline", "live"])
def test_a_backend_of_ones_own_is_opened_wherever_it_runs(tmp_path: Path, offline: bool) -> None:
    kit = client_kit(settings(client_backend=a_file(tmp_path), offline=offline))
    assert kit is not None
    assert kit.open_backend is not None
    opened: Any = kit.open_backend("what it may know")  # type: ignore[arg-type]
    assert opened.context == "what it may know"
    assert kit.recorded == {
        "backend": "own",
        "file": "own.py",
        "sha256": hashlib.sha256(OWN.encode()).hexdigest(),
    }


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param(" \n", "the file is empty; fill it", id="is-blank"),
        pytest.param("class Backend(", "cannot be loaded: SyntaxError: ", id="is-no-Python"),
        pytest.param("import nowhere_at_all", "cannot be loaded: ModuleNotFound", id="needs-more"),
        pytest.param("raise SystemExit(3)", "cannot be loaded: SystemExit: 3", id="exits"),
        pytest.param("raise ValueError('a\\nb')", "ValueError: a b", id="raises-two-lines"),
        pytest.param("raise BaseException('a')", "loaded: BaseException: a", id="raises-anything"),
        pytest.param(
            "class Mute(Exception):\n    def __str__(self): raise Mute\nraise Mute",
            "cannot be loaded: Mute",
            id="raises-what-cannot-be-told",
        ),
        pytest.param(
            "def __getattr__(name): raise GeneratorExit",
            "loaded: GeneratorExit",
            id="hides-what-it-has",
        ),
        pytest.param("class Application: ...", "defines no class Backend", id="is-something-else"),
        pytest.param("Backend = 3", "defines no class Backend", id="has-none-to-be-made"),
        pytest.param("class Backend: pass", "has no async def run; write", id="cannot-run"),
        pytest.param(
            "class Backend:\n    def run(self, handoff, emit): ...",
            "has no async def run; write",
            id="runs-without-waiting",
        ),
        pytest.param(
            "class Backend:\n    async def run(self, handoff, emit): ...",
            "has no async def close; write",
            id="cannot-be-closed",
        ),
    ],
)
def test_a_file_is_refused_in_one_line_that(tmp_path: Path, text: str, complaint: str) -> None:
    path = a_file(tmp_path, text)
    with pytest.raises(UsageError) as refused:
        client_kit(settings(client_backend=path, offline=True))
    assert str(refused.value).startswith(f"{path}: ")
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_interrupt_of_whoever_waits_for_a_file_is_theirs(tmp_path: Path) -> None:
    path = a_file(tmp_path, "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        client_kit(settings(client_backend=path, offline=True))


@pytest.mark.parametrize("ending", ["", "raise ValueError"])
def test_paths_are_read_from_where_they_were_written_wherever_a_file_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = a_file(tmp_path, f"{OWN}\nimport os\nos.chdir('/')\n{ending}")
    with contextlib.suppress(UsageError):
        client_kit(settings(client_backend=path, offline=True))
    assert Path.cwd() == tmp_path


def test_a_file_leaves_nothing_beside_itself(tmp_path: Path) -> None:
    client_kit(settings(client_backend=a_file(tmp_path), offline=True))
    assert [path.name for path in tmp_path.iterdir()] == ["own.py"]


def test_the_timing_is_that_of_the_settings() -> None:
    default = client_kit(settings(offline=True))
    assert default is not None
    assert default.timing == DeskTiming() == DeskTiming(300_000, 1_500_000, 60_000_000)
    chosen = {"handoff_quiet_ms": 1, "handoff_wait_ms": 2, "delegation_timeout_seconds": 0.5}
    kit = client_kit(settings(offline=True, **chosen))
    assert kit is not None
    assert kit.timing == DeskTiming(1_000, 2_000, 500_000)


def test_quiet_may_last_as_long_as_the_wait() -> None:
    kit = client_kit(settings(offline=True, handoff_quiet_ms=500, handoff_wait_ms=500))
    assert kit is not None
    assert kit.timing.quiet_us == kit.timing.wait_us


def test_quiet_may_not_last_longer_than_the_wait() -> None:
    with pytest.raises(UsageError, match=r"^assistant.handoff_quiet_ms: 501 is longer"):
        client_kit(settings(offline=True, handoff_quiet_ms=501, handoff_wait_ms=500))


def test_the_highest_effort_is_for_this_mode_alone() -> None:
    most = {"OPENAI_LIVE_BACKEND_REASONING_EFFORT": "max"}
    assert client_kit(settings(offline=True, environment=most)) is not None
    with pytest.raises(UsageError, match="belongs to --assistant client; choose xhigh or less"):
        client_kit(settings(assistant_mode="responses", offline=True, environment=most))
