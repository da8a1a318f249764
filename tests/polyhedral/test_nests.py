"""Accesses of bodies as relations, each equal to its enumeration; Python evaluates the same text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

import islpy as isl
import pytest

from arrayol.ir import expressions
from arrayol.ir.spec import Elementary
from arrayol.language.loader import load
from arrayol.polyhedral.nests import NestStatement, earlier_instances, statements_of

SPAN = range(-5, 6)
POINTS = [(i, j) for i, j in product(SPAN, SPAN) if j <= i]
RANGES = "for i in -5..6, j in -5..i + 1"

VALUES = [
    "i + j", "i - 2 * j", "-i", "-(i - j)", "3 * (i + 1)", "i * -2", "(i + j) // 3", "(i + j) % 3", "i // -3", "i % -3",
    "-7 // 2 + i", "i // 1", "i % 1 + j", "(2 * i - j) // -4", "(2 * i - j) % -4", "i * 0", "0 * i", "min(i, j, 0)",
    "max(i, -j)", "abs(i - 1)", "abs(min(i, j)) // 2", "i if i > j else -j",
    "i // 2 if i % 2 == 0 else (j if j < 0 else 7)",
    "-(i // 2) % 3", "max(i if j > 0 else 1, j)",
]  # fmt: skip
CONDITIONS = [
    "i == j", "i != j", "i < j + 2", "i <= j", "i > 0", "i >= 1 - j", "not i > 0", "not (i > 0 and j > 0)",
    "i > 2 or j < -2", "i > 0 and j > 0 or i < -2", "i > 0 and (j > 0 or i > 3)",
    "not (i > 2 or j < -2) and i % 2 == 1", "(i if j > 0 else -i) < 2", "max(i, j) > 1 and min(i, j) < 4", "true",
    "i // 2 == j // 2", "true and i > 1",
    "not not i > 1", "i > 0 and j > -1 and i + j < 4", "i > 3 or j > 3 or i + j < -6",
]  # fmt: skip


def statement(folder: Path, text: str) -> NestStatement:
    """The first statement of a body over the ports a (input) and y (output), both far larger than any index."""
    path = folder / "x.aol"
    path.write_text(f"elementary e(a: u8[99], d: u8[99]) -> (y: u8[99]) {{\n  {text}\n}}\n", encoding="utf-8")
    loaded = load(path)
    assert not loaded.diagnostics
    (elementary,) = loaded.spec.components.values()
    assert isinstance(elementary, Elementary)
    return statements_of(elementary)[0]


def relation(pairs: Iterable[tuple[tuple[int, int], int]]) -> isl.Map:
    cases = [f"(i = {i} and j = {j} and e = {element})" for (i, j), element in pairs]
    return isl.Map(f"{{ [i, j] -> [e] : {' or '.join(cases) or 'false'} }}")


def points(found: Iterable[tuple[int, int]]) -> isl.Set:
    return isl.Set(f"{{ [i, j] : {' or '.join(f'(i = {i} and j = {j})' for i, j in found) or 'false'} }}")


@pytest.mark.parametrize("text", VALUES)
def test_values(tmp_path: Path, text: str) -> None:
    found = statement(tmp_path, f"y[{text}] = 0 {RANGES}")
    assert found.exact
    assert found.write.affine
    assert found.write.relation.is_equal(relation(((i, j), eval(text, {"i": i, "j": j})) for i, j in POINTS))


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions(tmp_path: Path, text: str) -> None:
    found = statement(tmp_path, f"y[0] = 0 {RANGES} where {text}")
    assert found.exact
    truths = {"true": True, "false": False}
    assert found.domain.is_equal(points((i, j) for i, j in POINTS if eval(text, {"i": i, "j": j, **truths})))


DATA = "d[0] > 3"
PARTIAL = [
    (f"i > j and {DATA}", "i > j"),
    (f"{DATA} and i > j", "i > j"),
    (f"i > j and {DATA} and i < 3", "i > j and i < 3"),
    (f"i > j or {DATA}", "1 > 0"),
    (f"not (i > j and {DATA})", "1 > 0"),
    (DATA, "1 > 0"),
]


@pytest.mark.parametrize(("text", "known"), PARTIAL)
def test_of_conditions_on_data_the_affine_part_is_kept(tmp_path: Path, text: str, known: str) -> None:
    found = statement(tmp_path, f"y[0] = 0 {RANGES} where {text}")
    assert not found.exact
    assert found.domain.is_equal(points((i, j) for i, j in POINTS if eval(known, {"i": i, "j": j})))
    assert not found.write.certain


READS = [
    ("a[i]", ["True"]),
    ("a[i] if i > j else a[j]", ["i > j", "not i > j"]),
    ("a[i] if i > j else (a[j] if j > 1 else a[0])", ["i > j", "not i > j and j > 1", "not i > j and not j > 1"]),
    ("1 if a[i] > 0 else a[j]", ["True", "True"]),
    ("1 if i > 2 and a[i] > 0 else a[j]", ["i > 2", "True"]),
    ("1 if i > 2 or a[i] > 0 else a[j]", ["not i > 2", "True"]),
    ("u8(i > 2 and a[i] > 3 or a[j] > 3)", ["i > 2", "True"]),
    ("a[a[i]]", ["True", "True"]),
    ("max(a[i], a[j])", ["True", "True"]),
]


@pytest.mark.parametrize(("text", "under"), READS)
def test_reads_happen_where_their_branch_is_taken(tmp_path: Path, text: str, under: list[str]) -> None:
    found = statement(tmp_path, f"y[0] = {text} {RANGES}")
    domains = [read.relation.domain() for read in found.reads]
    expected = [points((i, j) for i, j in POINTS if eval(where, {"i": i, "j": j})) for where in under]
    assert len(domains) == len(expected)
    for domain in expected:
        assert any(domain.is_equal(other) for other in domains)


def test_what_a_condition_and_a_target_read(tmp_path: Path) -> None:
    found = statement(tmp_path, f"y[d[i]] = a[j] {RANGES} where i > 2 and a[0] > j")
    where = {read.port + str(read.span.start): read.relation.domain() for read in found.reads}
    assert len(where) == 3
    acting, everywhere = points((i, j) for i, j in POINTS if i > 2), points(POINTS)
    text = found.assign.span.file.text
    assert where[f"d{text.index('d[i]')}"].is_equal(acting)
    assert where[f"a{text.index('a[j]')}"].is_equal(acting)
    assert where[f"a{text.index('a[0]')}"].is_equal(acting)
    assert not found.write.affine
    assert not everywhere.is_equal(acting)


ORDERS = [
    "y[i] = a[i] for i in 0..3",
    "y[i] = a[i + j] for i in 0..3, j in 1..4",
    "y[0] = 0\ny[i] = a[i] for i in 0..3",
    "loop i in 0..3 {\ny[i] = a[i]\ny[j] = a[j] for j in 0..2\n}",
    "loop i in 0..3, j in 0..2 {\ny[i] = a[j]\nd1[i] = y[j]\n}\ny[0] = 0",
    "loop i in 0..2 {\nd1[0] = 1\nloop j in 0..3 {\ny[i] = 1\nd1[k] = y[j] for k in 0..2\n}\ny[j] = 0 for j in 0..2\n}",
]


@pytest.mark.parametrize("text", ORDERS)
def test_earlier_instances_are_those_that_run_before(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.aol"
    path.write_text(f"elementary e(a: u8[99]) -> (y: u8[99], d1: u8[99]) {{\n{text}\n}}\n", encoding="utf-8")
    (elementary,) = load(path).spec.components.values()
    assert isinstance(elementary, Elementary)
    assert elementary.body is not None
    statements = statements_of(elementary)
    run = list(_run(elementary.body, ()))
    for write, read in product(statements, statements):
        found = earlier_instances(write, read)
        expected = isl.Map.empty(found.get_space())
        for late, (reader, indices) in enumerate(run):
            for writer, before in run[:late]:
                if reader is read.assign and writer is write.assign:
                    expected = expected.union(isl.Map(f"{{ {list(indices)} -> {list(before)} }}"))
        assert found.is_equal(expected)


def _run(
    statements: Iterable[expressions.Statement], outer: tuple[int, ...]
) -> Iterator[tuple[expressions.Statement, tuple[int, ...]]]:
    """The assignments in the order in which they run; every bound is a constant."""
    for item in statements:
        bounds = [(each.low, each.high) for each in item.ranges]
        spans = [
            range(low.value, high.value)
            for low, high in bounds
            if isinstance(low, expressions.Constant) and isinstance(high, expressions.Constant)
        ]
        for inner in product(*spans):
            if isinstance(item, expressions.Loop):
                yield from _run(item.body, (*outer, *inner))
            else:
                yield item, (*outer, *inner)


def test_a_range_that_is_not_affine(tmp_path: Path) -> None:
    """All that is sure is what the other ranges say: no access is certain."""
    found = statement(tmp_path, "y[i] = a[j] for i in 0..4, j in 0..i * i")
    assert not found.exact
    assert not found.write.certain
    assert found.domain.is_equal(isl.Set("{ [i, j] : 0 <= i < 4 and 0 <= j }"))


def test_ranges_of_data_cannot_be(tmp_path: Path) -> None:
    """A product of two variables is no affine index: the access may touch the whole port."""
    found = statement(tmp_path, f"y[i * j] = a[i * i + 1] {RANGES}")
    assert not found.write.affine
    assert found.write.relation.range().is_equal(isl.Set("{ [e] : 0 <= e < 99 }"))
    assert found.exact


def nested(form: str, times: int) -> str:
    """`j` put so often into a form."""
    text = "j"
    for number in range(times):
        text = form.format(text, number)
    return text


@pytest.mark.parametrize("form", ["abs({0})", "(0 if {0} == {1} else j)", "(j if {0} > {1} and j > 0 else {0} + 1)"])
def test_what_doubles_with_each_nesting_is_no_relation(form: str, tmp_path: Path) -> None:
    """Written out, an expression of 30 levels that stands twice in the next one would have 2 ** 30 copies of `j`."""
    file = tmp_path / "nested.aol"
    for times, affine in ((2, True), (7 if form.count("{0}") > 1 else 30, False)):
        value = nested(form, times)
        file.write_text(f"elementary e(p: i32[8]) -> (y: i32[8]) {{\n  y[j] = p[{value}]  for j in 0..8\n}}\n")
        elementary = load(file).spec.components["e"]
        assert isinstance(elementary, Elementary)
        (read,) = statements_of(elementary)[0].reads
        assert read.affine is affine
