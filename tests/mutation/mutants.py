"""Mutants: a module with one small change each, as cosmic-ray makes them.

Not every change of text makes another program. Left out are annotations and protocols, which
nothing runs; signs that cosmic-ray takes for operators, as the star of a signature and the bar of a
pattern; ``not`` before a walrus, which does not parse; and comparisons across the two families.
Identity has no order, and whether equal things are identical is for Python to choose, so ``is``
becomes ``is not`` alone and nothing else becomes either.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

IDENTITY = {"Is", "IsNot"}

type Position = tuple[int, int]
"""A line, from 1, and a column, from 0."""
type Span = tuple[Position, Position]


@dataclass(frozen=True, slots=True)
class Change:
    """Where a mutant differs, independent of line numbers; several lines are joined by blanks."""

    file: str
    inside: str
    line: str
    becomes: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """The ``occurrence``-th place, from 0, at which an operator changes a file."""

    file: str
    inside: str
    operator: str
    occurrence: int

    def code(self) -> str:
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        source = Path(self.file).read_text("utf-8")
        mutated = mutate_code(source, get_operator(self.operator)(), self.occurrence)
        if mutated is None:
            raise ValueError(f"{self.file} has no such mutant: {self}")
        return str(mutated)

    def change(self) -> Change:
        before = Path(self.file).read_text("utf-8").splitlines()
        after = self.code().splitlines()
        while before and after and before[0] == after[0]:
            del before[0], after[0]
        while before and after and before[-1] == after[-1]:
            del before[-1], after[-1]
        return Change(self.file, self.inside, _joined(before), _joined(after))


def mutants_of(file: str) -> Iterator[Mutant]:
    """Every mutant of a file whose change a running program could show."""
    # Its public way to list them writes to a database.
    from cosmic_ray.commands.init import _all_work_items

    tree = ast.parse(Path(file).read_text("utf-8"))
    types, operators = list(type_places(tree)), list(operator_places(tree))
    walruses = {_start(node) for node in ast.walk(tree) if isinstance(node, ast.NamedExpr)}
    for item in _all_work_items([Path(file)], {}):
        (made,) = item.mutations
        at = made.start_pos
        kind, *signs = made.operator_name.rpartition("/")[2].split("_")
        match kind:
            case _ if _lies_in(types, at):
                continue
            case "AddNot" if at in walruses:
                continue
            case "ReplaceBinaryOperator" if not _lies_in(operators, at):
                continue
            case "ReplaceComparisonOperator" if len(IDENTITY.intersection(signs)) == 1:
                continue
            case _:
                inside = made.definition_name or ""
                yield Mutant(file, inside, made.operator_name, made.occurrence)


def type_places(tree: ast.AST) -> Iterator[Span]:
    """Where only type checkers read: protocols, and annotations, which our modules postpone."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.AnnAssign(annotation=ast.expr() as written)
                | ast.arg(annotation=ast.expr() as written)
                | ast.FunctionDef(returns=ast.expr() as written)
                | ast.AsyncFunctionDef(returns=ast.expr() as written)
                | ast.TypeAlias(value=written)
                | ast.TypeVar(bound=ast.expr() as written)
            ):
                yield _start(written), _end(written)
            case ast.ClassDef(bases=[*_, ast.Name(id="Protocol")]):
                yield _start(node), _end(node)


def operator_places(tree: ast.AST) -> Iterator[Span]:
    """What lies between two operands."""
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(left=one, right=other) | ast.AugAssign(target=one, value=other):
                yield _end(one), _start(other)


def _start(node: ast.expr | ast.ClassDef) -> Position:
    return node.lineno, node.col_offset


def _end(node: ast.expr | ast.ClassDef) -> Position:
    return node.end_lineno or 0, node.end_col_offset or 0


def _lies_in(spans: Sequence[Span], position: Position) -> bool:
    return any(start <= position < end for start, end in spans)


def sample(mutants: Sequence[Mutant], size: int, seed: int) -> list[Mutant]:
    """Some of the mutants, the same for the same seed, from each file in proportion to within one.

    They are given file by file, and picked at even steps from a random start in a random order
    within each file.
    """
    if size >= len(mutants):
        return list(mutants)
    chance = random.Random(seed)
    place = {mutant: chance.random() for mutant in mutants}
    files = list(dict.fromkeys(mutant.file for mutant in mutants))
    ordered = sorted(mutants, key=lambda one: (files.index(one.file), place[one]))
    start = chance.random()
    return [ordered[int((step + start) * len(ordered) / size)] for step in range(size)]


def _joined(lines: Sequence[str]) -> str:
    return " ".join(line.strip() for line in lines).strip()
