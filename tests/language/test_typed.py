"""Constants in bodies take the value and the type in which they are used."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol.ir import expressions
from arrayol.ir.spec import Elementary
from arrayol.ir.types import ElementType, ValueType, Weak
from arrayol.language.loader import load

F32, U8, C64, BOOL = ElementType.F32, ElementType.U8, ElementType.C64, ElementType.BOOL
CONSTANTS: list[tuple[str, ValueType, object]] = [
    ("y = x + 1", F32, 1.0),
    ("y = 1 - x", F32, 1.0),
    ("y = 0.1 * x", F32, 0.1),
    ("y = x + f32(0.1)", F32, 0.10000000149011612),
    ("o = n + u8(2.9)", U8, 2),
    ("o = n & 7", U8, 7),
    ("z = c * 2", C64, 2.0),
    ("z = c + c64(3)", C64, 3.0),
    ("t = x < 3", F32, 3.0),
    ("t = b == true", BOOL, True),
    ("t = b == (true and false)", BOOL, False),
    ("t = b == (false or true)", BOOL, True),
    ("y = x + (1 if 2 > 1 else 0)", F32, 1.0),
    ("y = x + (7 // 2)", F32, 3.0),
    ("t = k < 2 for k in 0..1", Weak.INTEGER, 2),
    ("y = sin(k) + 0.5 for k in 0..1", Weak.FLOAT, 0.5),
]


@pytest.mark.parametrize(("statement", "value_type", "value"), CONSTANTS)
def test_constants(tmp_path: Path, statement: str, value_type: ValueType, value: object) -> None:
    path = tmp_path / "x.aol"
    head = "elementary e(x: f32, n: u8, c: c64, b: bool) -> (y: f32, o: u8, z: c64, t: bool)"
    path.write_text(f"{head} {{\n{statement}\n}}\n", encoding="utf-8")
    loaded = load(path)
    assert not loaded.diagnostics
    (elementary,) = loaded.spec.components.values()
    assert isinstance(elementary, Elementary)
    assert elementary.body is not None
    (assign,) = elementary.body
    assert isinstance(assign, expressions.Assign)
    found = [part for part in _parts(assign.value) if isinstance(part, expressions.Constant)]
    assert [(part.type, part.value, type(part.value)) for part in found] == [(value_type, value, type(value))]


def _parts(expr: expressions.Expr) -> list[expressions.Expr]:
    return [expr, *(found for part in expressions.operands_of(expr) for found in _parts(part))]
