"""Case 25, the part about files that an editor marked. Its other parts are listed in README.md."""

from __future__ import annotations

import codecs
import subprocess
from pathlib import Path

import pytest

from tests.support.conversations import SCENARIO, a_dataset
from tests.support.runs import COMMAND, bare_environment, crawl_eval

TOML = "[execution]\nrepeats = 2\n"
VARIABLES = "OPENAI_LIVE_MODEL=gpt-live-of-the-file\n"


def test_case_25_a_byte_order_mark_is_no_character(tmp_path: Path) -> None:
    """G9. As Notepad writes it: in a dataset, a TOML file and a file of variables."""
    data, config, variables = (tmp_path / name for name in ("data.json", "any.toml", "any.env"))
    a_dataset(data, SCENARIO)
    config.write_text(TOML, "utf-8")
    variables.write_text(VARIABLES, "utf-8")
    for path in (data, config, variables):
        path.write_bytes(codecs.BOM_UTF8 + path.read_bytes())
    run = crawl_eval(
        tmp_path / "results",
        *("--offline", "--data", data, "--config", config),
        environment={"GPT_LIVE_EVALS_ENV_FILE": str(variables)},
    )

    assert (run.status, run.stderr) == (0, "")
    assert len(run.rows) == 2
    assert run.report["run"]["configuration"]["model"] == "gpt-live-of-the-file"


@pytest.mark.parametrize("name", ["data.json", "any.toml", "any.env"])
def test_case_25_a_wider_encoding_is_refused_by_file(name: str, tmp_path: Path) -> None:
    """G9."""
    contents = {"any.toml": TOML, "any.env": VARIABLES}
    a_dataset(tmp_path / "data.json", SCENARIO)
    for other, content in contents.items():
        (tmp_path / other).write_text(content, "utf-8")
    path = tmp_path / name
    path.write_text(path.read_text("utf-8"), "utf-16")
    done = subprocess.run(
        [
            *(COMMAND, "--offline", "--data", tmp_path / "data.json"),
            *("--config", tmp_path / "any.toml", "--results-dir", tmp_path / "results"),
        ],
        env=bare_environment(tmp_path / "any")
        | {"GPT_LIVE_EVALS_ENV_FILE": str(tmp_path / "any.env")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert name in line
    assert "UTF-8" in line
    assert not (tmp_path / "results").exists()
