"""Do the tests of a module notice when the module is changed?

``nice uv run --group mutation python -m tests.mutation.run``: prints a table, and exits 1 when a
mutant survives without an explanation. See ``tests/mutation/README.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.mutation.mutants import Change, Mutant, mutants_of, sample
from tests.mutation.trial import Outcome, TrialError, Trials

TARGETS = (
    "shared/intervals.py",
    "shared/matching.py",
    "shared/metrics",
    "shared/grading",
    "shared/observability/delegation.py",
    "shared/observability/lookup.py",
    "shared/observability/timeline.py",
    "shared/observability/turns.py",
    "shared/single_turn/completion.py",
    "assistants/responses/delegation.py",
    "assistants/frontend/protocol.py",
    "assistants/frontend/fixture/conversation.py",
    "assistants/frontend/fixture/delegated_work.py",
    "assistants/frontend/fixture/machine.py",
)
EXPLAINED = Path(__file__).with_name("explained.toml")
EXPLAINED_AT_MOST = 0.05
WIDTH = 120
CHANGE = ("file", "inside", "line", "becomes")
RULES = ("test_records_are_frozen", "test_records_have_slots")


class MistakeError(Exception):
    """Nothing can be found out this way."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A mutant, what became of it, and why that is said to be right."""

    mutant: Mutant
    outcome: Outcome
    why: str | None = None

    @property
    def column(self) -> str:
        is_explained = self.outcome is Outcome.SURVIVED and self.why is not None
        return "explained" if is_explained else self.outcome

    @property
    def is_wrong(self) -> bool:
        """Whether a change went unnoticed, or was noticed that is said to change nothing."""
        return (self.outcome is Outcome.SURVIVED) is (self.why is None)


def main() -> int:
    asked = _asked()
    began = time.monotonic()
    console = Console(highlight=False)
    console.width = max(console.width, WIDTH)
    tried = []
    try:
        for one in _tried(asked.files or TARGETS, asked.sample, asked.seed, asked.jobs):
            tried.append(one)
            if one.is_wrong:
                console.print(_told(one), markup=False, soft_wrap=True)
    except (MistakeError, TrialError) as mistake:
        sys.stderr.write(f"{mistake}\n")
        return 2
    console.print(_table(tried))
    minutes = (time.monotonic() - began) / 60
    explained = sum(one.column == "explained" for one in tried)
    console.print(f"{len(tried)} mutants, {explained} explained, in {minutes:.1f} minutes")
    if explained > EXPLAINED_AT_MOST * len(tried):
        console.print(f"more than {EXPLAINED_AT_MOST:.0%} are explained away")
        return 1
    return int(any(one.is_wrong for one in tried))


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.run", description=__doc__)
    parser.add_argument("files", nargs="*", help="files or folders; by default all of TARGETS")
    parser.add_argument("--sample", type=int, help="how many mutants; by default all there are")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="trials at once (%(default)s)")
    return parser.parse_args()


def _tried(targets: Sequence[str], size: int | None, seed: int, jobs: int) -> Iterator[Tried]:
    explained = _explained()
    mutants = [mutant for file in _files(targets) for mutant in mutants_of(file)]
    chosen = mutants if size is None else sample(mutants, size, seed)
    for file in dict.fromkeys(mutant.file for mutant in chosen):
        sys.stderr.write(f"{file}\n")
        trials = Trials(file, _mirror(file), jobs)
        for mutant, outcome in trials.outcomes([one for one in chosen if one.file == file]):
            yield Tried(mutant, outcome, _why(mutant, outcome, explained))


def _files(targets: Sequence[str]) -> list[str]:
    files = []
    for target in map(Path, targets):
        if not target.exists():
            raise MistakeError(f"{target}: no such file; run this at the root of the project")
        files += sorted(target.glob("*.py")) if target.is_dir() else [target]
    return [str(file) for file in files if file.name != "__init__.py"]


def _mirror(file: str) -> list[str]:
    """The tests of one module: its mirror, and the rules on records, which hold in every module."""
    mirror = Path("tests", file).with_name(f"test_{Path(file).name}")
    module = file.removesuffix(".py").replace("/", ".")
    rules = [f"tests/test_records.py::{rule}[{module}]" for rule in RULES]
    return [str(mirror), *rules] if mirror.exists() else rules


def _explained() -> Mapping[Change, str]:
    entries = tomllib.loads(EXPLAINED.read_text("utf-8"))["mutant"]
    return {Change(**{key: entry[key] for key in CHANGE}): entry["why"] for entry in entries}


def _why(mutant: Mutant, outcome: Outcome, explained: Mapping[Change, str]) -> str | None:
    """What is said of this mutant. Only a survivor's change, or a suspect's, is worth making."""
    is_suspect = any((one.file, one.inside) == (mutant.file, mutant.inside) for one in explained)
    if outcome is not Outcome.SURVIVED and not is_suspect:
        return None
    return explained.get(mutant.change())


def _table(tried: Sequence[Tried]) -> Table:
    columns = (Outcome.KILLED, Outcome.TIMED_OUT, "explained", Outcome.SURVIVED)
    table = Table("file", "mutants", *columns, show_footer=False)
    for column in table.columns[1:]:
        column.justify = "right"
    files = dict.fromkeys(one.mutant.file for one in tried)
    for name, of in [*((file, file) for file in files), ("all", "")]:
        counts = Counter(one.column for one in tried if one.mutant.file.startswith(of))
        table.add_row(name, str(counts.total()), *(str(counts[column]) for column in columns))
    return table


def _told(one: Tried) -> str:
    """A wrong one, in the form of ``explained.toml``."""
    change = asdict(one.mutant.change())
    lines = [f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in change.items()]
    head = f"# {one.mutant.operator} {one.outcome}{', though explained' if one.why else ''}"
    return "\n".join([head, "[[mutant]]", *lines])


if __name__ == "__main__":
    sys.exit(main())
