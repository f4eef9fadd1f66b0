"""The rows suites share: what may be chosen, what is recorded, and what could be seen by others."""

from __future__ import annotations

import pytest

from assistants.suite.settings import FAIL_ON, SYNTHESIZERS
from crawl_harness.settings import ROWS
from shared.errors import UsageError
from shared.settings import Origin, Settings, Value, resolve


def given(**flags: Value) -> Settings:
    return resolve(ROWS, flags=flags, environment={}, env_file={}, toml={})


@pytest.mark.parametrize(
    ("name", "accepted", "refused"),
    [
        pytest.param("concurrency", [1, 8], [0, 9], id="one-to-eight-at-once"),
        pytest.param("repeats", [1, 1000], [0, 1001], id="one-to-a-thousand-repeats"),
        pytest.param("judge_repetitions", [1, 25], [0, -1, 26], id="one-to-twenty-five-opinions"),
        pytest.param("max_examples", [0, 1], [-1], id="any-number-of-scenarios"),
        pytest.param(
            "response_timeout_seconds", [0.001, 3600], [0, 3600.001], id="up-to-an-hour-to-answer"
        ),
        pytest.param("synthesizer", list(SYNTHESIZERS), ["nobody", ""], id="a-voice-that-exists"),
        pytest.param("caller_voice", ["cedar", "voice_1234"], ["", " "], id="any-caller"),
        pytest.param("fail_on", list(FAIL_ON), ["always", ""], id="a-reason-to-fail"),
        pytest.param("run_name", ["", "nightly"], [], id="any-label"),
    ],
)
def test_it_takes(name: str, accepted: list[Value], refused: list[Value]) -> None:
    for value in accepted:
        assert given(**{name: value})[name] == value
    for value in refused:
        with pytest.raises(UsageError):
            given(**{name: value})


def test_real_time_is_undecided_until_somebody_decides() -> None:
    assert given()["real_time"] is None
    assert (given(real_time=False)["real_time"], given(real_time=False).origin("real_time")) == (
        False,
        Origin.FLAG,
    )


def test_caller_and_assistant_do_not_sound_alike_unless_somebody_says_so() -> None:
    assert given().text("caller_voice") != given().text("voice")


def test_what_moves_no_number_is_not_recorded() -> None:
    recorded = given().recorded()

    assert not {"results_dir", "audio_cache_dir", "verbose", "json", "run_name", "junit"} & set(
        recorded
    )
    assert {"concurrency", "repeats", "real_time", "synthesizer", "offline_script"} <= set(recorded)


def test_a_live_service_is_the_default() -> None:
    assert given().switch("offline") is False
