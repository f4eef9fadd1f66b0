"""A live run of the wheel, in real time, against the service's ends that the wheel brings along."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.services import patient
from tests.support.shipping import Room, Shipped

WITHIN_S = 40
KEY = "a-key-for-loopback"


@pytest.fixture
def served(room: Room) -> Iterator[tuple[str, str]]:
    """``live-fixture``, and where its sessions and its models are."""
    process = subprocess.Popen(
        [room.shipped.programs / "live-fixture"],
        cwd=room.work,
        env=room.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate(timeout=WITHIN_S)
    assert process.returncode == 0


def test_what_costs_something_is_kept_in_the_users_cache(
    served: tuple[str, str], room: Room, shipped: Shipped, tmp_path: Path
) -> None:
    """The caller's voice and the judge's words; everything else is the run's own."""
    sessions, models = served
    environment = {
        "OPENAI_API_KEY": KEY,
        "OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK": "true",
        "OPENAI_LIVE_ENDPOINT": sessions,
        "OPENAI_BASE_URL": models,
    }
    installed = shipped.installed_files()
    config = ("--config", patient(tmp_path))
    done = room.run("crawl-eval", "--max-examples", "1", *config, environment=environment)
    assert (done.returncode, done.stderr) == (0, "")
    (report,) = room.work.glob("results/crawl/*/results.json")
    assert [one["error"] for one in json.loads(report.read_bytes())["results"]] == [None]

    elsewhere = [name for name in room.new_files() if not name.startswith("above/work/results/")]
    ours = "cache/gpt-live-evals"
    kept_in = {"/".join(name.split("/")[:3]) for name in elsewhere}
    assert kept_in == {f"{ours}/crawl-audio", f"{ours}/judgments"}
    assert shipped.installed_files() == installed
