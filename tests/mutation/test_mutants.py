"""Which changes count as mutants, and which of them a sample takes."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from tests.mutation.mutants import Mutant, mutants_of, operator_places, sample, type_places
from tests.support.programs import needs_package


def written(spans, code: str) -> list[str]:
    """The text that lies in each span of a single line of code."""
    return [code[start[1] : end[1]].strip() for start, end in spans(ast.parse(code))]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("x: int | None = 1 | 2", ["int | None"], id="of-a-variable"),
        pytest.param(
            "def f(a: A | B = 1 | 2) -> C | D: ...", ["C | D", "A | B"], id="of-a-function"
        ),
        pytest.param(
            "async def f(a: A | B) -> C | D: ...", ["C | D", "A | B"], id="of-one-that-waits"
        ),
        pytest.param("type X = A | B", ["A | B"], id="of-an-alias"),
        pytest.param("def f[T: A | B](): ...", ["A | B"], id="of-a-type-variable"),
        pytest.param("class P(Protocol): x = 1", ["class P(Protocol): x = 1"], id="of-a-protocol"),
        pytest.param("x = A | B", [], id="not-of-a-value"),
    ],
)
def test_types_are_found(code: str, expected: list[str]) -> None:
    assert written(type_places, code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("a + b * c", ["+", "*"], id="of-operations"),
        pytest.param("a -= b", ["-="], id="of-an-assignment"),
        pytest.param("f(*a, **b)", [], id="not-of-a-call"),
        pytest.param("def f(a, *, b): ...", [], id="not-of-a-signature"),
        pytest.param("-a", [], id="not-before-one-operand"),
    ],
)
def test_operators_are_found_between_operands(code: str, expected: list[str]) -> None:
    assert written(operator_places, code) == expected


def made_of(tmp_path, monkeypatch, code: str) -> Counter[str]:
    """The changed lines of a one-line module, and how often each is made."""
    needs_package("cosmic_ray")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "module.py").write_text(code, "utf-8")
    return Counter(mutant.change().becomes for mutant in mutants_of("module.py"))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("x = a is b", {"x = a is not b"}, id="identity-is-denied-and-no-more"),
        pytest.param("x = a is not None", {"x = a is None"}, id="so-is-difference"),
        pytest.param(
            "x = a < b",
            {f"x = a {sign} b" for sign in ("<=", ">", ">=", "==", "!=")},
            id="order-becomes-every-other-order",
        ),
        pytest.param("x = True", {"x = False"}, id="truth"),
        pytest.param("def f(a: int, *, b: A | B) -> None: ...", set(), id="no-signature"),
        pytest.param("if x := f(): pass", set(), id="nothing-that-does-not-parse"),
    ],
)
def test_mutants_of_one_line(tmp_path, monkeypatch, code: str, expected: set[str]) -> None:
    assert made_of(tmp_path, monkeypatch, code) == Counter(expected)


def some(file: str, count: int) -> list[Mutant]:
    return [Mutant(file, "", "core/AddNot", number) for number in range(count)]


MANY = [*some("a.py", 100), *some("b.py", 10), *some("c.py", 1)]


@pytest.mark.parametrize("seed", range(20))
def test_a_sample_takes_of_each_file_in_proportion(seed: int) -> None:
    taken = sample(MANY, 37, seed)
    of = Counter(mutant.file for mutant in taken)

    assert len(set(taken)) == 37
    assert of["a.py"] in {33, 34}
    assert of["b.py"] in {3, 4}
    assert of["c.py"] in {0, 1}


def test_a_sample_is_its_seeds() -> None:
    assert sample(MANY, 37, 1) == sample(MANY, 37, 1)
    assert sample(MANY, 37, 1) != sample(MANY, 37, 2)


@pytest.mark.parametrize("size", [111, 112], ids=["as-many", "more"])
def test_a_sample_of_all_there_are_is_all_of_them(size: int) -> None:
    assert sample(MANY, size, 1) == MANY
