"""Write the example report, and the part of it that the README shows, from a run of its own.

``python -m crawl_harness.tests.readme_example`` in a source checkout, after anything that changes a
report; with ``--check`` it writes nothing, and ends with 1 where a file is not what it would write.
One conversation is held offline, in virtual time, so every figure comes out the same wherever it is
held. What does not, the run's name and times and the versions of other packages, is replaced or
left out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from shared.places import checkout

SCENARIO: Final = "restaurant_date_correction"
EXAMPLE: Final = "docs/examples/run-results.json"
README: Final = "README.md"
START: Final = "<!-- generated-run-results:start -->"
END: Final = "<!-- generated-run-results:end -->"

RUN_ID: Final = "run_offline_20270101_090000_000Z"
STARTED, ENDED = "2027-01-01T09:00:00.000+00:00", "2027-01-01T09:00:01.000+00:00"
OURS: Final = "gpt-live-evals"

_WIDTH: Final = 100
_NEEDED = ("PATH", "PYTHONPATH", "SYSTEMROOT")
_HEAD = ("id", "module", "execution_mode", "interaction", "dataset")
_ROW = ("scenario_id", "status")
_NOT_SHOWN_OF_AUDIO = (
    "extended",
    "response_latencies_ms",
    "late_response_latencies_ms",
    "interruption_count",
    "speech",
)
_ARTIFACTS = ("conversation_audio", "conversation_transcript", "events", "details")
_OBSERVED = ("agenda", "interaction", "completion")
_NOT_SHOWN_OF_COMPLETION = ("source", "rationale", "failed_checks")

type Report = dict[str, Any]


def example_report() -> Report:
    """The report of the one conversation, as a reader gets it."""
    with TemporaryDirectory() as folder:
        env_file = Path(folder) / "none.env"
        env_file.touch()
        results = Path(folder) / "results"
        subprocess.run(  # noqa: S603 - our own module
            [
                *(sys.executable, "-m", "run_harness.evaluate", "--offline", "--no-real-time"),
                *("--scenario", SCENARIO, "--results-dir", str(results)),
            ],
            cwd=folder,
            env={"PATH": os.environ["PATH"], "GPT_LIVE_EVALS_ENV_FILE": str(env_file)}
            | {
                name: os.environ[name]
                for name in ("PYTHONPATH", "SYSTEMROOT")
                if name in os.environ
            },
            stdout=subprocess.DEVNULL,
            check=True,
        )
        (report_file,) = results.glob("*/results.json")
        report: Report = json.loads(report_file.read_bytes())
    return repeatable(report)


def _bare() -> dict[str, str]:
    """What a process needs; settings of whoever runs this are none of the example's."""
    return {name: os.environ[name] for name in _NEEDED if name in os.environ}


def repeatable(report: Report) -> Report:
    """The report without what no second run would repeat."""
    run = report["run"]
    versions = run["configuration"]["package_versions"]
    configuration = {**run["configuration"], "package_versions": {OURS: versions[OURS]}}
    times = {"id": RUN_ID, "started_at": STARTED, "ended_at": ENDED}
    return {**report, "run": {**run, **times, "configuration": configuration}}


def abbreviated(report: Report) -> Report:
    """What of a report fits on a page."""
    return {
        "schema_version": report["schema_version"],
        "run": {**_chosen(report["run"], _HEAD), "configuration": {}},
        "summary": report["summary"],
        "results": [_row(row) for row in report["results"]],
    }


def _row(row: Report) -> Report:
    metrics, observed = row["metrics"], _chosen(row["observability"], _OBSERVED)
    return {
        **_chosen(row, _ROW),
        "metrics": {
            "task": metrics["task"],
            "audio": _without(metrics["audio"], _NOT_SHOWN_OF_AUDIO),
            "consumption": metrics["consumption"],
        },
        "artifacts": _chosen(row["artifacts"], _ARTIFACTS),
        "error": row["error"],
        "observability": {
            **observed,
            "completion": _without(observed["completion"], _NOT_SHOWN_OF_COMPLETION),
        },
        "validity": row["validity"],
    }


def _chosen(part: Mapping[str, Any], names: Sequence[str]) -> Report:
    return {name: part[name] for name in names}


def _without(part: Mapping[str, Any], names: Sequence[str]) -> Report:
    return {name: value for name, value in part.items() if name not in names}


def with_example(readme: str, report: Report) -> str:
    """The README with the abbreviated report between its marks; ``ValueError`` without them."""
    head, start, rest = readme.partition(START)
    _, end, tail = rest.partition(END)
    if not start or not end:
        raise ValueError(f"{README} has no {START} and {END} in this order")
    return f"{head}{start}\n```json\n{_on_a_page(abbreviated(report))}\n```\n{end}{tail}"


def _on_a_page(value: Any, margin: str = "", name: str = "") -> str:
    """JSON for readers: indented, but what fits on a line stands on one."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(f'{margin}"{name}": {line},') <= _WIDTH:
        return line
    inner = f"{margin}  "
    if isinstance(value, list):
        parts = [f"{inner}{_on_a_page(part, inner)}" for part in value]
        return "\n".join(["[", ",\n".join(parts), f"{margin}]"])
    parts = [f'{inner}"{key}": {_on_a_page(part, inner, key)}' for key, part in value.items()]
    return "\n".join(["{", ",\n".join(parts), f"{margin}}}"])


def _text(content: Report) -> str:
    return f"{json.dumps(content, indent=2, ensure_ascii=False)}\n"


def files(root: Path, report: Report) -> dict[Path, str]:
    """Each file of a checkout with the text it must have."""
    readme = root / README
    return {
        root / EXAMPLE: _text(report),
        readme: with_example(readme.read_text("utf-8"), report),
    }


def main(arguments: Sequence[str] = ()) -> int:
    root = checkout()
    if root is None:
        sys.stderr.write("the examples are in a source checkout, and this is none\n")
        return 2
    is_check = list(arguments) == ["--check"]
    stale = [
        (path, text)
        for path, text in files(root, example_report()).items()
        if not path.is_file() or path.read_text("utf-8") != text
    ]
    for path, text in stale:
        if is_check:
            command = "uv run python -m crawl_harness.tests.readme_example"
            sys.stderr.write(f"{path.relative_to(root)} is stale; run: {command}\n")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
    return 1 if stale and is_check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
