"""Five hundred credentials are planted where a run takes text from, and none comes out of it.

Values we know from the environment, and forms and names that tell a credential; plain, escaped as
in JSON, percent-encoded, in base64, and cut in two. They stand in arguments, keys, outputs, states,
exceptions, prompts, speech, ids, names, codes and messages, of a scripted assistant and of a
service on a socket. The same search finds every one of them when nothing is masked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from run_harness.suite import RUN
from shared.observability import redaction
from tests.support.canaries import Canary, Nest, found
from tests.support.planted import a_hostile_service, an_echo, plant_conversations, plant_dataset
from tests.support.runs import FinishedRun, crawl_eval, evaluate_here, installed

LIVE = {"OPENAI_API_KEY": "any-key-at-all", "OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK": "true"}


@dataclass(frozen=True, slots=True)
class Attacked:
    """A run, and what was planted in it."""

    run: FinishedRun
    canaries: list[Canary]

    def leaks(self) -> dict[str, set[str]]:
        said = {"stdout": self.run.stdout.encode(), "stderr": self.run.stderr.encode()}
        return found({**self.run.files(), **said}, self.canaries)


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    folder, nest = tmp_path_factory.mktemp("scripted"), Nest(1)
    data = plant_dataset(folder / "data", nest)
    run = crawl_eval(
        folder / "results",
        *("--offline", "--verbose", "--data", data, "--application", an_echo(folder / "echo")),
        *("--concurrency", "2"),
        environment=nest.environment(),
    )
    return Attacked(run, nest.all)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    folder, nest = tmp_path_factory.mktemp("served"), Nest(2)
    with a_hostile_service(nest) as url:
        run = crawl_eval(
            folder / "results",
            *("--synthesizer", "tone", "--endpoint", url, "--max-examples", "1", "--verbose"),
            *("--response-timeout-seconds", "2", "--no-judge"),
            environment=nest.environment() | LIVE,
        )
    return Attacked(run, nest.all)


@pytest.fixture(scope="module")
def conversed(tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    folder, nest = tmp_path_factory.mktemp("conversed"), Nest(3)
    data = plant_conversations(folder / "data", nest)
    run = installed(
        "run-eval",
        folder / "results",
        *("--offline", "--verbose", "--data", data, "--application", an_echo(folder / "echo")),
        *("--max-duration-seconds", "30", "--debug-artifacts", "--tick-ms", "20"),
        environment=nest.environment(),
    )
    return Attacked(run, nest.all)


def test_there_are_at_least_five_hundred(scripted: Attacked, served: Attacked) -> None:
    secrets = {one.secret for run in (scripted, served) for one in run.canaries}

    assert len(secrets) >= 500


@pytest.mark.parametrize("name", ["scripted", "served", "conversed"])
def test_none_comes_out(name: str, request: pytest.FixtureRequest) -> None:
    attacked: Attacked = request.getfixturevalue(name)

    assert attacked.run.status == 0, attacked.run.stderr
    assert attacked.leaks() == {}


def test_what_was_masked_was_there(
    scripted: Attacked, served: Attacked, conversed: Attacked
) -> None:
    for attacked in (scripted, served, conversed):
        marks = sum(
            content.count(b"[redacted:") for content in attacked.run.files("transcripts").values()
        )
        assert marks > len(attacked.canaries) / 2


def test_no_attempt_was_lost_to_masking(scripted: Attacked, conversed: Attacked) -> None:
    for attacked in (scripted, conversed):
        statuses = {row["status"] for row in attacked.run.rows.values()}
        assert "infrastructure_error" not in statuses


def test_both_parties_and_the_observer_were_heard_out(conversed: Attacked) -> None:
    """None of what was planted in a conversation was left aside."""
    for key in conversed.run.rows:
        evidence = json.loads(conversed.run.details(key))["evidence"]
        assert {one["status"] for one in evidence["decisions"]} >= {"failed", "answered"}
        for source in ("observations", "caller_observations"):
            kinds = {one["observation"] for one in evidence[source]}
            assert {"Caption", "BackendText", "CommandRejected"} <= kinds


def with_nothing_masked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(redaction, "credentials_in", lambda *_: [])
    patch.setattr(redaction, "_is_credential", lambda *_: False)


def missing(run: FinishedRun, canaries: list[Canary]) -> list[Canary]:
    seen = Attacked(run, canaries).leaks()
    return [one for one in canaries if one.secret not in seen]


def test_the_search_finds_every_one_when_nothing_is_masked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nest = Nest(1)
    data = plant_dataset(tmp_path / "data", nest)
    with_nothing_masked(monkeypatch)
    run, _ = evaluate_here(
        tmp_path / "results", data=str(data), application=str(an_echo(tmp_path / "echo"))
    )

    assert missing(run, nest.all) == []


def test_the_search_finds_every_one_of_a_conversation_when_nothing_is_masked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nest = Nest(3)
    data = plant_conversations(tmp_path / "data", nest)
    with_nothing_masked(monkeypatch)
    run, _ = evaluate_here(
        tmp_path / "results",
        RUN,
        data=str(data),
        application=str(an_echo(tmp_path / "echo")),
        max_duration_seconds=30.0,
    )

    assert missing(run, nest.all) == []


def test_the_search_finds_every_one_of_the_service_when_nothing_is_masked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nest = Nest(2)
    with_nothing_masked(monkeypatch)
    (tmp_path / "results.env").write_text("".join(f"{a}={b}\n" for a, b in LIVE.items()))
    with a_hostile_service(nest) as url:
        run, _ = evaluate_here(
            tmp_path / "results",
            offline=False,
            endpoint=url,
            synthesizer="tone",
            max_examples=1,
            response_timeout_seconds=2.0,
            judge=False,
        )

    assert missing(run, nest.all) == []
