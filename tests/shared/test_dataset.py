"""Scenario files: read whole, refused with every fault on its line, chosen from by id."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from shared.dataset import load_dataset, select
from shared.errors import DatasetError, UsageError
from shared.scenarios import Scenario
from tests.support.contract_cases import history
from tests.support.scenario_documents import (
    CONVERSATION,
    REMOVED,
    REQUEST,
    a_dataset,
    a_request,
    edited,
)

DATA = Path(__file__).parents[1] / "data" / "scenarios"


def written(folder: Path, content: Any) -> Path:
    """A dataset file with this content: bytes, text, or a document to be written as JSON."""
    file = folder / "data.json"
    if isinstance(content, str):
        content = content.encode()
    if not isinstance(content, bytes):
        content = json.dumps(content, indent=2).encode()
    file.write_bytes(content)
    return file


def faults(folder: Path, content: Any) -> list[str]:
    """The faults of a dataset, without the folder it lies in."""
    file = written(folder, content)
    with pytest.raises(DatasetError) as refusal:
        load_dataset(file)
    return [fault.removeprefix(f"{folder}/") for fault in refusal.value.faults]


def test_the_customer_booking_example_loads() -> None:
    file = DATA / "customer_booking.json"
    dataset = load_dataset(file)

    assert [each.id for each in dataset.scenarios] == ["customer_booking"]
    assert dataset.schema_version == "1.0"
    assert dataset.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert dataset.warnings == ()
    assert dataset.directory == DATA


def test_the_abbreviated_simulation_is_refused_for_both_reasons_at_once(tmp_path: Path) -> None:
    example = json.loads((DATA / "customer_booking.json").read_text("utf-8"))
    fragment = json.loads((DATA / "abbreviated_simulation.json").read_text("utf-8"))
    example["scenarios"][0] = edited(
        example["scenarios"][0],
        {"interaction": "multi_turn", "expected.golden_path.delegations": 1, **fragment},
    )

    assert faults(tmp_path, example) == [
        'data.json:4: scenario "customer_booking": expected.golden_path.turns: is 2 in a '
        "multi_turn scenario; plan at least 7 turns",
        'data.json:4: scenario "customer_booking": simulation_parameters.agenda: substantive '
        "objectives: 1 (finish and wait do not count); give the caller at least 2",
    ]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(a_dataset(REQUEST, CONVERSATION), id="several-kinds-in-one-file"),
        pytest.param({"scenarios": [REQUEST]}, id="the-version-may-be-absent"),
        pytest.param(a_dataset(), id="no-scenarios"),
        pytest.param({}, id="an-empty-object"),
        pytest.param(b"\xef\xbb\xbf" + json.dumps(a_dataset(REQUEST)).encode(), id="a-bom"),
        pytest.param(
            json.dumps(a_dataset(REQUEST), indent=1).replace("\n", "\r\n"), id="any-line-ends"
        ),
    ],
)
def test_what_loads(tmp_path: Path, content: Any) -> None:
    load_dataset(written(tmp_path, content))


def test_the_bom_counts_in_the_hash(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf{}"

    assert load_dataset(written(tmp_path, content)).sha256 == hashlib.sha256(content).hexdigest()


def test_all_faults_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    text = """{
  "schema_version": "2.0",
  "scenaros": 0,
  "scenarios": [
    {
      "id": "one", "title": "", "interaction": "single_turn",
      "input": {"text": "Hi", "text": "Ho"},
      "expected": {"answer": "Yes.", "golden_path": {"turns": 3}, "stat": NaN}
    },
    7,
    {"id": "two", "title": "T", "interaction": "single_turn", "input": {"text": "Hi"},
     "expected": {"answer": "Yes.", "state": {"a": {"$match": "any", "value": 1e999}}}},

    {"title": "\\udead", "interaction": "multi_turn", "input": {"text": "Hi"},
     "expected": {"answer": "Yes."}}
  ]
}"""

    no_turns = "expected.golden_path.turns: is 0 in a multi_turn scenario"

    assert [fault.split("; ")[0] for fault in faults(tmp_path, text)] == [
        'data.json:1: schema_version: is the text "2.0"',
        "data.json:1: scenaros: unknown key",
        'data.json:5: scenario "one": input.text: the key stands more than once in its object',
        'data.json:5: scenario "one": expected.stat: is NaN, which JSON does not have',
        'data.json:5: scenario "one": title: is blank',
        'data.json:5: scenario "one": expected.stat: unknown key',
        'data.json:5: scenario "one": expected.golden_path.turns: is 3 in a single_turn scenario',
        "data.json:10: scenario number 2: must be an object, is the number 7",
        'data.json:11: scenario "two": expected.state.a.value: is a number too large to hold',
        r"data.json:14: scenario number 4: title: holds the lone surrogate \udead",
        "data.json:14: scenario number 4: id: is missing",
        "data.json:14: scenario number 4: simulation_parameters: is missing",
        f"data.json:14: scenario number 4: {no_turns}",
        "data.json:14: scenario number 4: expected.golden_path.delegations: is missing in a "
        "multi_turn scenario",
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("booking", "booking", id="the-same"),
        pytest.param("booking", "Booking", id="the-same-but-for-case"),
    ],
)
def test_a_repeated_id_names_both_positions(tmp_path: Path, first: str, second: str) -> None:
    content = a_dataset(a_request(id=first), a_request(id="other"), a_request(id=second))

    assert faults(tmp_path, content) == [
        f'data.json:26: scenario "{second}": id: also names the scenario "{first}" at '
        "line 4, this one is at line 26 (letter case does not count); rename one"
    ]


def test_every_further_scenario_of_an_id_is_named(tmp_path: Path) -> None:
    assert len(faults(tmp_path, a_dataset(*[REQUEST] * 3))) == 2


def test_ids_at_fault_are_compared_too(tmp_path: Path) -> None:
    found = faults(tmp_path, a_dataset(a_request(id="a/b"), a_request(id="A/B")))

    assert sum("also names" in fault for fault in found) == 1
    assert sum("artifact id" in fault for fault in found) == 2


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        pytest.param("", 'data.json:1: the file is empty; write {"scenarios": [...]}', id="empty"),
        pytest.param(
            "[]",
            'data.json:1: must be an object, is a list; write {"scenarios": [...]}',
            id="a-list-of-scenarios",
        ),
        pytest.param(
            '{\n"scenarios": [\n{"id": }]}',
            "data.json:3: not valid JSON at column 8: Expecting value; mend the text there",
            id="invalid-json",
        ),
        pytest.param(
            '{"scenarios": {}}',
            "data.json:1: scenarios: must be a list, is an object; write [...]",
            id="no-list",
        ),
        pytest.param(
            '{"scenarios": [], "scenarios": []}',
            "data.json:1: scenarios: the key stands more than once in its object; keep one",
            id="repeated-scenarios",
        ),
        pytest.param(
            '{"schema_version": 1.0}',
            'data.json:1: schema_version: is the number 1.0; write "1.0"',
            id="a-number-for-a-version",
        ),
        pytest.param(
            json.dumps(a_dataset(REQUEST)).encode("utf-16"),
            "data.json:1: looks like UTF-16 or UTF-32; save the file as UTF-8",
            id="utf-16",
        ),
        pytest.param(
            json.dumps(a_dataset(REQUEST)).encode("utf-16-le"),
            "data.json:1: looks like UTF-16 or UTF-32; save the file as UTF-8",
            id="utf-16-without-a-mark",
        ),
        pytest.param(
            '{\n"é": 1}'.encode("latin-1"),
            "data.json:2: byte 0xe9 is not UTF-8; save the file as UTF-8",
            id="latin-1",
        ),
        pytest.param(
            '{"scenarios": [' + "[" * 100_000,
            "data.json:1: nested deeper than 64 levels; flatten what is there",
            id="hostile-nesting",
        ),
    ],
)
def test_files_that_hold_no_dataset(tmp_path: Path, content: Any, sentence: str) -> None:
    assert faults(tmp_path, content) == [sentence]


def test_an_id_cannot_break_the_line(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, a_dataset(a_request(id="a\nb\u2028\x1b[2J")))

    assert fault.isprintable()


def test_the_file_is_named_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "[]")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(DatasetError, match=r"^\./data\.json:1: "):
        load_dataset("./data.json")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("none.json", "there is no such dataset file", id="missing"),
        pytest.param("", "is a folder", id="a-folder"),
        pytest.param("\0", "cannot be read", id="no-path-at-all"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as refusal:
        load_dataset(f"{tmp_path}/{name}")

    assert "\n" not in str(refusal.value)


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes and devices")
@pytest.mark.parametrize("name", ["pipe", "/dev/zero"])
def test_what_may_have_no_end_is_not_waited_for(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        UsageError, match=r"no regular file, so it may have no end\); .+"
    ) as refusal:
        load_dataset(tmp_path / name)
    assert "\n" not in str(refusal.value)


def test_a_file_is_read_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, a_dataset(CONVERSATION))
    size = file.stat().st_size
    monkeypatch.setattr("shared.dataset.LARGEST_BYTES", size)
    assert load_dataset(file).scenarios
    monkeypatch.setattr("shared.dataset.LARGEST_BYTES", size - 1)
    with pytest.raises(UsageError, match=rf"holds {size} bytes, at most {size - 1} are read"):
        load_dataset(file)


def test_one_bad_scenario_refuses_the_file(tmp_path: Path) -> None:
    content = a_dataset(CONVERSATION, edited(REQUEST, {"title": REMOVED}))

    assert len(faults(tmp_path, content)) == 1


def with_recording(path: str) -> dict[str, Any]:
    return edited(REQUEST, {"input.recordings": [{"id": "r", "path": path}]})


def test_recordings_lie_beside_the_real_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, elsewhere = tmp_path / "real", tmp_path / "elsewhere"
    real.mkdir()
    elsewhere.mkdir()
    (elsewhere / "link.json").symlink_to(written(real, a_dataset(with_recording("audio/a.wav"))))
    monkeypatch.chdir(elsewhere)

    dataset = load_dataset("link.json")
    (recording,) = dataset.scenarios[0].input.recordings

    assert dataset.recording_path(recording) == real.resolve() / "audio" / "a.wav"
    assert recording.path == "audio/a.wav"


@pytest.mark.parametrize(
    ("path", "where"),
    [
        pytest.param("~/a.wav", "/home/somebody/a.wav", id="the-home-folder"),
        pytest.param("/audio/a.wav", "/audio/a.wav", id="absolute"),
    ],
)
def test_recordings_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, where: str
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    dataset = load_dataset(written(tmp_path, a_dataset(with_recording(path))))

    assert dataset.recording_path(dataset.scenarios[0].input.recordings[0]) == Path(where)


def test_the_home_of_nobody_is_a_fault(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, a_dataset(with_recording("~nobody-has-this-name/a.wav")))

    assert "input.recordings[0].path: there is no such home folder; " in fault


def test_warnings_have_the_form_of_faults(tmp_path: Path) -> None:
    long = edited(REQUEST, {"input.context.history": history("a" * 8_193)})
    file = written(tmp_path, a_dataset(long))

    (warning,) = load_dataset(file).warnings

    assert warning.startswith(f'{file}:4: scenario "a_request": input.context.history: ')


SCENARIOS = [
    Scenario.model_validate(a_request(id=name))
    for name in ("booking_simple", "booking_late", "refusal")
]


@pytest.mark.parametrize(
    ("wanted_id", "max_examples", "chosen"),
    [
        pytest.param("all", 0, ["booking_simple", "booking_late", "refusal"], id="all"),
        pytest.param("all", 2, ["booking_simple", "booking_late"], id="the-first-two"),
        pytest.param(
            "all", 9, ["booking_simple", "booking_late", "refusal"], id="no-more-than-all"
        ),
        pytest.param("refusal", 0, ["refusal"], id="one"),
        pytest.param("all", 1, ["booking_simple"], id="the-first"),
        pytest.param("refusal", 1, ["refusal"], id="one-beyond-the-first-one"),
    ],
)
def test_selection(wanted_id: str, max_examples: int, chosen: list[str]) -> None:
    assert [each.id for each in select(SCENARIOS, wanted_id, max_examples)] == chosen


def test_everything_is_selected_unless_asked() -> None:
    assert select(SCENARIOS) == SCENARIOS


@pytest.mark.parametrize(
    ("scenarios", "wanted_id", "max_examples", "words"),
    [
        pytest.param(
            SCENARIOS,
            "Booking_simpel",
            0,
            'unknown scenario "Booking_simpel"; did you mean booking_simple?',
            id="a-near-miss-and-none-that-only-begins-alike",
        ),
        pytest.param(
            [Scenario.model_validate(a_request(id=f"move_{which}")) for which in ("one", "two")],
            "move",
            0,
            'unknown scenario "move"; did you mean move_one, move_two?',
            id="a-beginning-that-several-share",
        ),
        pytest.param(
            SCENARIOS,
            "booking_000001",
            0,
            'unknown scenario "booking_000001"; there are booking_simple, booking_late, refusal',
            id="nothing-but-the-beginning",
        ),
        pytest.param(
            SCENARIOS,
            "xyz",
            0,
            'unknown scenario "xyz"; there are booking_simple, booking_late, refusal',
            id="nothing-near",
        ),
        pytest.param(
            [Scenario.model_validate(a_request(id=f"number_{i}")) for i in range(7)],
            "xyz",
            0,
            "there are number_0, number_1, number_2, number_3, number_4 and 2 more",
            id="nothing-near-among-many",
        ),
        pytest.param(
            [Scenario.model_validate(a_request(id=f"number_{i}")) for i in range(5)],
            "xyz",
            0,
            "number_4",
            id="nothing-near-among-five",
        ),
        pytest.param([], "all", 0, "nothing to run", id="nothing-to-choose-from"),
        pytest.param([], "refusal", 0, "nothing to run", id="nothing-to-find-it-in"),
        pytest.param(SCENARIOS, "all", -1, "must not be negative, is -1", id="a-negative-number"),
    ],
)
def test_refused_selections(
    scenarios: list[Scenario], wanted_id: str, max_examples: int, words: str
) -> None:
    with pytest.raises(UsageError) as refusal:
        select(scenarios, wanted_id, max_examples)

    assert words in str(refusal.value)
    assert "0 more" not in str(refusal.value)
    assert "\n" not in str(refusal.value)
