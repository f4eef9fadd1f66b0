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
    "shared/metrics/transcription",
    "shared/grading",
    "shared/observability/delegation.py",
    "shared/observability/labels.py",
    "shared/observability/lookup.py",
    "shared/observability/reported_usage.py",
    "shared/observability/timeline.py",
    "shared/observability/turns.py",
    "shared/single_turn/completion.py",
    "assistants/responses/delegation.py",
    "assistants/frontend/protocol.py",
    "assistants/frontend/fixture/conversation.py",
    "assistants/frontend/fixture/conversation_script.py",
    "assistants/frontend/fixture/delegated_work.py",
    "assistants/frontend/fixture/hearing.py",
    "assistants/frontend/fixture/machine.py",
    "run_harness/simulation/completion.py",
    "run_harness/simulation/observer.py",
    "run_harness/simulation/opening.py",
)
EXPLANATIONS = Path(__file__).with_name("explained.toml")
EXPLAINED = "explained"
EXPLAINED_AT_MOST = 0.05
WIDTH = 120
CHANGE = ("file", "inside", "line", "becomes")
RULES = ("test_records_are_frozen", "test_records_have_slots")


type Explanations = Mapping[Change, str]


class MistakeError(Exception):
    """Nothing can be found out this way."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A mutant, what became of it, and why that is said to be right.

    ``change`` is given where it matters: of survivors, and where something is explained.
    """

    mutant: Mutant
    outcome: Outcome
    change: Change | None
    why: str | None

    @property
    def column(self) -> str:
        is_explained = self.outcome is Outcome.SURVIVED and self.why is not None
        return EXPLAINED if is_explained else self.outcome

    @property
    def is_wrong(self) -> bool:
        """Whether a change went unnoticed, or was noticed that is said to change nothing."""
        return (self.outcome is Outcome.SURVIVED) is (self.why is None)


def main() -> int:
    asked = _asked()
    began = time.monotonic()
    console = Console(highlight=False)
    console.width = max(console.width, WIDTH)
    explained = _explained()
    tried = []
    try:
        for one in _tried(asked, explained):
            tried.append(one)
            if one.is_wrong:
                console.print(_told(one), markup=False, soft_wrap=True)
    except (MistakeError, TrialError) as mistake:
        sys.stderr.write(f"{mistake}\n")
        return 2
    console.print(_table(tried))
    console.print(f"{(time.monotonic() - began) / 60:.1f} minutes")
    problems = [*_too_much_explained(tried)]
    if asked.sample is None:
        problems += _explained_in_vain(tried, explained)
    for problem in problems:
        console.print(problem, markup=False, soft_wrap=True)
    return int(bool(problems) or any(one.is_wrong for one in tried))


def _too_much_explained(tried: Sequence[Tried]) -> Iterator[str]:
    count = sum(one.column == EXPLAINED for one in tried)
    if count > EXPLAINED_AT_MOST * len(tried):
        yield f"{count} mutants are explained, which is more than {EXPLAINED_AT_MOST:.0%}"


def _explained_in_vain(tried: Sequence[Tried], explained: Explanations) -> Iterator[str]:
    """Explanations of mutants that a whole run did not meet."""
    files = {one.mutant.file for one in tried}
    for change in explained.keys() - {one.change for one in tried}:
        if change.file in files:
            yield f"there is no such mutant any more: {change}"


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.run", description=__doc__)
    parser.add_argument("files", nargs="*", help="files or folders; by default all of TARGETS")
    parser.add_argument("--sample", type=int, help="how many mutants; by default all there are")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="trials at once (%(default)s)")
    return parser.parse_args()


def _tried(asked: argparse.Namespace, explained: Explanations) -> Iterator[Tried]:
    files = _files(asked.files or TARGETS)
    chosen = [mutant for file in files for mutant in mutants_of(file)]
    if asked.sample is not None:
        chosen = sample(chosen, asked.sample, asked.seed)
    places = {(change.file, change.inside) for change in explained}
    for file in dict.fromkeys(mutant.file for mutant in chosen):
        sys.stderr.write(f"{file}\n")
        trials = Trials(file, _mirror(file), asked.jobs)
        for mutant, outcome in trials.outcomes([one for one in chosen if one.file == file]):
            matters = outcome is Outcome.SURVIVED or (mutant.file, mutant.inside) in places
            change = mutant.change() if matters else None
            yield Tried(mutant, outcome, change, explained.get(change) if change else None)


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


def _explained() -> Explanations:
    entries = tomllib.loads(EXPLANATIONS.read_text("utf-8"))["mutant"]
    return {Change(**{key: entry[key] for key in CHANGE}): entry["why"] for entry in entries}


def _table(tried: Sequence[Tried]) -> Table:
    columns = (Outcome.KILLED, Outcome.TIMED_OUT, EXPLAINED, Outcome.SURVIVED)
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
