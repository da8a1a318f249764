"""Exact decisions about bodies against running them, one access at a time."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from many_cases import case_count
from strategies import body_texts

from arrayol.checks.check import check_body
from arrayol.ir import expressions
from arrayol.ir.spec import Elementary
from arrayol.language.loader import load
from arrayol.polyhedral.nests import statements_of

SEEN: Counter[str] = Counter()
Touch = tuple[str, str, tuple[int, ...]]  # "read" or "write", port, element

_BINARY = {
    "+": int.__add__, "-": int.__sub__, "*": int.__mul__, "//": int.__floordiv__, "%": int.__mod__, "==": int.__eq__,
    "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__,
}  # fmt: skip


def value(expr: expressions.Expr, indices: dict[str, int]) -> Any:
    """The value of an index expression or condition."""
    match expr:
        case expressions.Constant() | expressions.Index():
            return expr.value if isinstance(expr, expressions.Constant) else indices[expr.name]
        case expressions.Select():
            return value(expr.then if value(expr.condition, indices) else expr.otherwise, indices)
        case expressions.Function():
            arguments = [value(item, indices) for item in expr.arguments]
            return {"min": min, "max": max, "abs": lambda items: abs(items[0])}[expr.name](arguments)
        case expressions.Operation():
            operands = [value(item, indices) for item in expr.operands]
            return -operands[0] if len(operands) == 1 else _BINARY[expr.operator](*operands)
        case _:
            raise AssertionError(expr)


def touches(expr: expressions.Expr, indices: dict[str, int]) -> Iterator[Touch]:
    """The reads of an expression; of a conditional one, those of the branch taken."""
    if isinstance(expr, expressions.Select):
        yield from touches(expr.then if value(expr.condition, indices) else expr.otherwise, indices)
    elif isinstance(expr, expressions.Read):
        yield "read", expr.port, tuple(value(item, indices) for item in expr.subscripts)
    else:
        for part in expressions.operands_of(expr):
            yield from touches(part, indices)


def instances(ranges: tuple[expressions.Range, ...], indices: dict[str, int]) -> Iterator[dict[str, int]]:
    if not ranges:
        yield indices
        return
    first = ranges[0]
    for index in range(value(first.low, indices), value(first.high, indices)):
        yield from instances(ranges[1:], {**indices, first.name: index})


def run(statements: tuple[expressions.Statement, ...], indices: dict[str, int]) -> Iterator[Touch]:
    """Every access of a body in the order of its execution."""
    for statement in statements:
        for inner in instances(statement.ranges, indices):
            if isinstance(statement, expressions.Loop):
                yield from run(statement.body, inner)
            elif statement.condition is None or value(statement.condition, inner):
                yield from touches(statement.value, inner)
                yield "write", statement.port, tuple(value(item, inner) for item in statement.subscripts)


def verdict(elementary: Elementary) -> set[str]:
    """What goes wrong when the body runs."""
    shapes = {port.name: port.shape for port in (*elementary.inputs, *elementary.outputs)}
    outputs = {port.name for port in elementary.outputs}
    written: set[tuple[str, tuple[int, ...]]] = set()
    found: set[str] = set()
    early: set[str] = set()
    assert elementary.body is not None
    for kind, port, element in run(elementary.body, {}):
        if not all(0 <= place < (extent or 0) for place, extent in zip(element, shapes[port], strict=True)):
            return {"subscript-out-of-range"}
        if kind == "write":
            written.add((port, element))
        elif port in outputs and (port, element) not in written:
            early.add(port)
    found |= {"read-before-write"} if early else set()
    complete = {name: len({element for port, element in written if port == name}) for name in outputs - early}
    missing = [name for name, count in complete.items() if count < _size(shapes[name])]
    return found | ({"never-written"} if missing else set())


def _size(shape: tuple[int | None, ...]) -> int:
    size = 1
    for extent in shape:
        size *= extent or 0
    return size


@settings(max_examples=case_count(400), deadline=None)
@given(body_texts())
def test_bodies_equal_their_execution(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "body.aol"
    path.write_text(text, encoding="utf-8")
    loaded = load(path)
    assert not loaded.diagnostics, text
    elementary = loaded.spec.components["e"]
    assert isinstance(elementary, Elementary)
    expected = verdict(elementary)
    assert all(statement.exact for statement in statements_of(elementary))
    assert {found.code for found in check_body(elementary)} == expected, text
    SEEN["bodies"] += 1
    SEEN.update(expected or {"sound"})
    SEEN["loops"] += "loop" in text
    SEEN["conditions"] += "where" in text or " if " in text


@pytest.mark.all_cases
def test_kinds_of_bodies(capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind of body was met often enough for the test above to mean something."""
    if not SEEN["bodies"]:
        pytest.skip("runs after the test above, in the same process")
    kinds = ("sound", "subscript-out-of-range", "read-before-write", "never-written", "loops", "conditions")
    shares = {kind: SEEN[kind] / SEEN["bodies"] for kind in kinds}
    with capsys.disabled():
        shown = ", ".join(f"{kind} {share:.0%}" for kind, share in shares.items())
        sys.stdout.write(f"\nbodies: {SEEN['bodies']} cases; {shown}\n")
    assert all(share >= 0.05 for share in shares.values()), shares


DATA = [
    ("b[k] = a[k]  for k in 0..4 where a[k] > 2", set()),
    ("b[k] = a[a[k]]  for k in 0..4", {"subscript-may-leave"}),
    ("b[a[k]] = 1  for k in 0..4", {"subscript-may-leave"}),
    ("b[a[k]] = b[k]  for k in 0..4", {"read-before-write", "subscript-may-leave"}),
    ("b[k] = a[k + 1] if a[k] > 3 else 0  for k in 0..4", set()),
    ("b[k] = a[k + 1] if a[k + 1] > 3 else 0  for k in 0..4", {"subscript-out-of-range"}),
    ("b[k] = a[k]  for k in 0..3 where a[k] > 2", {"never-written"}),
    ("b[k] = a[k]  for k in 0..4 where k < 3 and a[k] > 2", {"never-written"}),
    ("b[k] += a[k]  for k in 0..4", set()),
    ("b[k] = a[a[k] % 4]  for k in 0..4", set()),
    ("b[k] = a[min(a[k], k)]  for k in 0..4", set()),
    ("b[k] = a[a[k] >> 6]  for k in 0..4", set()),
    ("b[k] = a[a[k] >> 5]  for k in 0..4", {"subscript-may-leave"}),
    ("b[k] = a[a[k] if a[k] < 4 else 0]  for k in 0..4", {"subscript-may-leave"}),
    ("b[k] = a[a[k]] if a[k] < 4 else 0  for k in 0..4", set()),
    ("b[k] = a[(a[k] & 3) + 4]  for k in 0..4", {"subscript-out-of-range"}),
    ("b[k] = 0  for k in 0..4\nb[k] = a[(a[k] & 3) + 4]  for k in 2..2", set()),
    ("b[k] = a[k]  for k in 0..4\nb[k] = 0  for k in 0..4 where k > 0 and a[k - 1] > 2", set()),
    ("b[k] = a[k]  for k in 0..4\nb[k] = 0  for k in 0..4 where k == 0 or a[k - 1] > 2", set()),
    ("b[k] = a[k]  for k in 0..4\nb[k] = 0  for k in 0..4 where a[k - 1] > 2 and k > 0", {"subscript-out-of-range"}),
    ("b[k * k] = a[k]  for k in 0..2\nb[k] = b[k]  for k in 0..4", set()),
]


@pytest.mark.parametrize(("text", "codes"), DATA)
def test_what_data_decide_is_left_to_the_execution(text: str, codes: set[str], tmp_path: Path) -> None:
    path = tmp_path / "body.aol"
    path.write_text(f"elementary e(a: u8[4]) -> (b: u8[4]) {{\n{text}\n}}\n", encoding="utf-8")
    (elementary,) = load(path).spec.elementaries.values()
    assert {found.code for found in check_body(elementary)} == codes


def test_large_bodies_are_not_enumerated(tmp_path: Path) -> None:
    path = tmp_path / "body.aol"
    path.write_text(
        "const N = 1000000000\nelementary e(a: f32[N, N]) -> (b: f32[N, N]) {\n"
        "  b[i, 0] = a[i, 0]  for i in 0..N\n  b[0, j] = a[0, j]  for j in 1..N\n"
        "  b[i, j] = b[i - 1, j] + b[i, j - 1]  for i in 1..N, j in 1..N\n}\n",
        encoding="utf-8",
    )
    (elementary,) = load(path).spec.elementaries.values()
    assert not list(check_body(elementary))
