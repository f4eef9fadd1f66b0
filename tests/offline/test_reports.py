"""What every suite's installed command leaves for people and for CI systems."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import junitparser
import pytest
from lxml import etree

from tests.support.programs import needs_program
from tests.support.rendered import rendered
from tests.support.runs import COMMAND, PROGRAMS, FinishedRun, bare_environment, installed

SCHEMA = etree.XMLSchema(etree.parse(Path("shared/reporting/junit.xsd")))
SUITES = ("crawl", "walk", "run")
TWO_DEFECTS = ("--offline", "--max-examples", "1", "--offline-script", "defects", "--repeats", "2")


@pytest.fixture(scope="module", params=SUITES)
def finished(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> FinishedRun:
    folder = tmp_path_factory.mktemp(request.param)
    return installed(
        f"{request.param}-eval",
        folder / "results",
        *TWO_DEFECTS,
        *("--junit", "junit.xml", "--fail-on", "failed"),
    )


def test_a_summary_stands_beside_the_results(finished: FinishedRun) -> None:
    found = rendered(finished.files()["summary.md"].decode())
    summary = finished.report["summary"]

    assert finished.status == 1
    assert found.headings[0].startswith(finished.report["run"]["module"].upper())
    assert f"{summary['passed']} of {summary['total']} passed" in found.headings[0]
    assert "Repeats" in found.headings
    assert {row[0].partition("@")[0] for row in found.rows} >= {
        row["scenario_id"] for row in finished.rows.values()
    }


def test_the_xml_holds_what_the_report_holds(finished: FinishedRun) -> None:
    path = finished.folder.parent.parent / "junit.xml"
    SCHEMA.assertValid(etree.parse(path))
    (suite,) = junitparser.JUnitXml.fromfile(str(path))
    summary = finished.report["summary"]

    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (
        summary["total"],
        summary["failed"],
        summary["infrastructure_errors"],
        0,
    )
    assert [case.name for case in suite] == list(finished.rows)
    for case in suite:
        for line in case.system_out.splitlines():
            assert (finished.folder.parent / line.partition(": ")[2]).is_file()


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """One sound request."""
    return started(folder, [COMMAND], *options)


def started(
    folder: Path, program: Sequence[str | Path], *options: str
) -> subprocess.CompletedProcess[str]:
    arguments = ["--offline", "--max-examples", "1", "--results-dir", "results", *options]
    return subprocess.run(
        [*program, *arguments],
        cwd=folder,
        env=bare_environment(folder / "any"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_file_can_be_named_in_toml_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "c.toml").write_text('[execution]\njunit = "out.xml"\n')
    done = run(tmp_path, "--config", "conf/c.toml")

    assert (done.returncode, done.stderr) == (0, "")
    SCHEMA.assertValid(etree.parse(tmp_path / "conf" / "out.xml"))


def test_older_results_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "out.xml").write_text("<testsuites/>")
    done = run(tmp_path, "--junit", "out.xml")

    assert done.returncode == 0
    SCHEMA.assertValid(etree.parse(tmp_path / "out.xml"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["any.env", "out.xml", "results"]


def test_a_place_that_is_refused_leaves_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, "--junit", "no/out.xml")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "crawl-eval: --junit: no/out.xml: there is no folder no; make it first\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["any.env"]


VANISHES = """
import pathlib, shutil, sys
from shared.reporting.journal import Journal
from crawl_harness.evaluate import main

close = Journal.close
def vanishing(self, ended_at):
    report = close(self, ended_at)
    shutil.rmtree("reports")
    return report
Journal.close = vanishing
main()
"""


def test_a_file_that_can_no_longer_be_written_is_one_line_and_takes_nothing(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    done = started(tmp_path, [PROGRAMS / "python", "-c", VANISHES], "--junit", "reports/out.xml")
    (folder,) = (tmp_path / "results").iterdir()

    assert done.returncode == 3
    assert done.stderr == (
        f"crawl-eval: No such file or directory: {tmp_path}/reports/out.xml;"
        " what had finished is kept\n"
    )
    assert "1 of 1 passed" in done.stdout
    assert json.loads((folder / "results.json").read_bytes())["summary"]["passed"] == 1
    assert (folder / "summary.md").is_file()


def test_a_terminal_is_told_the_same_with_and_without(tmp_path: Path) -> None:
    needs_program("script")
    told = []
    for name, options in {"with": "--junit out.xml", "without": ""}.items():
        line = f"{COMMAND} --offline --max-examples 1 --results-dir {name} {options}"
        done = subprocess.run(
            ["script", "-qec", line, "/dev/null"],
            cwd=tmp_path,
            env=bare_environment(tmp_path / "any") | {"TERM": "dumb"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=True,
        )
        told.append([one for one in done.stdout.splitlines() if b"passed" in one])
        (folder,) = (tmp_path / name).iterdir()
        assert (folder / "summary.md").is_file()

    assert told[0] == told[1] != []
    SCHEMA.assertValid(etree.parse(tmp_path / "out.xml"))
