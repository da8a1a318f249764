"""Constants, types and names of C: gcc's program and the specification that is imported from it give the same bits."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arrayol import api
from arrayol.c_import.import_c import import_source
from arrayol.errors import ArrayolError
from arrayol.source import SourceFile

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

GCC = ("gcc", "-O1", "-ffp-contract=off", "-w", "-shared", "-fPIC")
KINDS = {  # a letter for each type: of the input of that name, and of outputs
    "x": ("int", "i4"),
    "u": ("unsigned", "u4"),
    "w": ("long", "i8"),
    "p": ("unsigned long", "u8"),
    "c": ("unsigned char", "u1"),
    "d": ("signed char", "i1"),
    "g": ("double", "f8"),
    "h": ("float", "f4"),
}
SIZE = 8

MACROS = """\
#define N 3
#undef N
#define N 8
#define OCTAL 017
#define HEX 0x1F
#define ALL 0xFFFFFFFF
#define FIVE 5u
#define LONG 5ul
#define TENTH .1
#define FTENTH 0.1f
#define ONE 1.
#define QUARTER 0x1p-2
#define BIG 3000000000
#define MINUS -3
#define AGAIN -MINUS
#define TWO (2 - 4 * 0 + HEX - 31)
#define MIXED (FTENTH * 2.0)
#define WRAPPED (3 - FIVE)
#define WITH(a) 4
#define WIT 6
#define REAL float
#define restrict
#define COUNT 300
"""

LITERALS = (
    *("x: 0777 + x[i]", "x: 0b101 + x[i]", "u: 5u - 6u + u[i]", "w: 5u - 6u + w[i]", "w: x[i] - 5u", "x: -1 < 1u"),
    *("x: x[i] < 5u", "w: 0xFFFFFFFF + x[i]", "w: 4294967295 + x[i]", "w: -2147483648 + x[i]", "x: x[i] < 5ul"),
    *("x: -2147483647 - 1 + (x[i] > 0)", "w: +0x80000000 + x[i]", "w: -0x80000000 + x[i]", "x: -1 & 0xFF"),
    *("u: 4294967295u * 4294967295u", "w: 1ul - 2ul + x[i]", "g: 1ul - 2ul", "h: 0xFFFFFFFFFFFFFFFF"),
    *("g: 0.1f + 0.2f + 0.7f", "h: 0.1f * 0.3f * h[i]", "h: 1.00000005960464478f", "h: 0x1.0000010000000001p0f"),
    *("g: 0x1.8p1 * g[i]", "g: 0x1.fp1f * g[i]", "g: .5 * g[i]", "g: 1. * g[i]", "g: -0.0", "g: 1e-320 + g[i] * 0"),
    *("h: 16777217 + h[i]", "h: (float)16777217", "h: 1e-46f", "g: (float)0.1 + g[i]", "g: (double)1 / 3", "h: 0.1"),
    *("h: h[i] * 0x9E3779B9", "h: (float)(u[i] * 0x9E3779B9)", "g: u[i] + 4000000000u", "w: i * 1000000000l"),
)
CASTS = (
    *("x: x[i] + (unsigned char)300", "x: (char)200 + x[i]", "x: (unsigned short)-1 + x[i]", "w: (long)-1 + u[i]"),
    *("w: (unsigned)-1 + w[i]", "x: (int)2.7 + x[i]", "x: (int)-2.5 + x[i]", "x: (int)5000000000 + x[i]"),
    *("x: (unsigned char)(x[i] * 3) - (signed char)x[i] + (signed char)200", "w: (unsigned)(i - 5)", "u: i - 5"),
    *("h: (float)x[i] / 3 * (unsigned char)x[i]", "x: (x[i] > 0) + (unsigned char)(x[i] > 0 ? 255 : 256)"),
    *("c: 300", "d: 0x80", "c: -1", "c: 5000000000", "c: d[i]", "c: i * 100", "c: x[i] * 100", "u: -u[i]", "u: -x[i]"),
    *("c: x[i] > 3 ? 300 : -1", "w: x[i] > 3 ? 1u - 2u : -1", "g: (x[i] > 0 ? 0.1f : 0.2f) * 0.3f", "w: -u[i]"),
    *("w: (x[i] > 0 ? 3 : 2) - 5u", "g: (x[i] > 0 ? 3u : 2u) - 5u", "g: sqrtf(2.0f) * 0.3f", "g: fabs(-3) + g[i]"),
    *("x: c[i] == -1", "x: c[i] < 300", "x: +c[i] - 300", "x: u[i] > -1", "x: !x[i] + !0", "h: w[i]", "h: u[i] * 1.0f"),
)
CONSTS = (
    *("x: x[i] + OCTAL", "x: x[i] + HEX", "x: x[i] < ALL", "x: x[i] < FIVE", "x: x[i] < LONG", "g: x[i] * TENTH"),
    *("g: x[i] * FTENTH", "g: x[i] * ONE", "g: x[i] * QUARTER", "g: x[i] * BIG", "w: x[i] + BIG", "x: x[i] - MINUS"),
    *("x: x[i] * MINUS - -MINUS", "x: x[i] * AGAIN - AGAIN", "x: TWO * x[i] - TWO", "g: MIXED * g[i]", "w: WRAPPED"),
    *("x: N + x[i]", "x: WIT * x[i]", "h: (REAL)0.1 * h[i]", "x: (unsigned char)COUNT + x[i]", "c: COUNT"),
)


def source(lines: tuple[str, ...], macros: str = "") -> str:
    """A function that writes each line's value, at all i, to an array of the type of its letter."""
    inputs = [f"{kind} {letter}[8]" for letter, (kind, _) in KINDS.items()]
    outputs = [f"{KINDS[line[0]][0]} out{place}[8]" for place, line in enumerate(lines)]
    loops = [
        f"  for (int i = 0; i < 8; i++) out{place}[i] = {line.partition(': ')[2]};" for place, line in enumerate(lines)
    ]
    head = f"{macros}\nvoid f({', '.join([*inputs, *outputs])})\n{{\n#pragma scop"
    return "\n".join([head, *loops, "#pragma endscop", "}", "#undef N", "#define N 5", ""])


def arrays() -> dict[str, NDArray[Any]]:
    """The inputs; elements of both signs where the type has them."""
    rng = np.random.default_rng(11)
    kinds = {letter: kind for letter, (_, kind) in KINDS.items()}
    return {
        letter: rng.uniform(0.5, 90, SIZE).astype(kind)
        if kind[0] == "f"
        else rng.choice(np.arange(-20 if kind[0] == "i" else 0, 100), SIZE, replace=False).astype(kind)
        for letter, kind in kinds.items()
    }


def differences(lines: tuple[str, ...], folder: Path, macros: str = "") -> list[str]:
    """The lines whose bits differ."""
    text = source(lines, macros)
    (folder / "f.c").write_text(text, encoding="utf-8")
    subprocess.run([*GCC, "f.c", "-o", "f.so", "-lm"], check=True, cwd=folder)
    data = arrays()
    results = [np.zeros(SIZE, KINDS[line[0]][1]) for line in lines]
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (*data.values(), *results)]
    ctypes.CDLL(str(folder / "f.so")).f(*pointers)
    spec = import_source(SourceFile("f.c", text)).spec
    ports = [port.name for port in spec.tasks["f"].inputs if port.name not in spec.tables]
    found = api.run(spec, {name: data[name] for name in ports}, top="f")
    return [
        f"{line}: {found[f'out{place}']} and not {wanted}"
        for place, (line, wanted) in enumerate(zip(lines, results, strict=True))
        if found[f"out{place}"].tobytes() != wanted.tobytes()
    ]


@pytest.mark.parametrize("lines", [LITERALS, CASTS], ids=["literals", "casts"])
def test_values(lines: tuple[str, ...], tmp_path: Path) -> None:
    assert differences(lines, tmp_path) == []


def test_macros(tmp_path: Path) -> None:
    """Those that hold where the function begins; what comes behind it does not count."""
    assert differences(CONSTS, tmp_path, MACROS) == []


def drawn(rng: Random, depth: int) -> str:
    """An expression of literals of all types and of elements, which are small enough that no int overflows."""
    if depth == 0 or rng.random() < 0.2:
        numbers = ("3", "-2", "7u", "0x9E3779B9", "010", "5l", "2ul", "0.1", "0.3f", "0x1.8p-1", "i", "(1 - 3)")
        return rng.choice((*numbers, *(f"{letter}[i]" for letter in KINDS)))
    left, right = drawn(rng, depth - 1), drawn(rng, depth - 1)
    match rng.randrange(8):
        case 0:
            return f"({left} < {right} ? {drawn(rng, depth - 1)} : {drawn(rng, depth - 1)})"
        case 1:
            return f"({rng.choice(('double', 'float', 'int', 'long'))})({left})" if "9E" not in left else left
        case 2:
            return f"(-{left})"
        case 3:
            return f"({left} {rng.choice(('<', '==', '>='))} {right})"
        case _:
            return f"({left} {rng.choice('+-*')} {right})"


def can_be_imported(line: str) -> bool:
    """Whether C defines all that it computes of constants; the rest is refused at its line."""
    try:
        import_source(SourceFile("f.c", source((line,))))
    except ArrayolError as refused:
        if any(one.code != "not-imported" or one.span is None for one in refused.diagnostics):
            raise
        return False
    return True


@pytest.mark.parametrize("seed", range(2))
def test_drawn_expressions(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    lines = tuple(f"{rng.choice('gw')}: {drawn(rng, 2)}" for _ in range(30))
    # A float beyond the range of the integer that it becomes is undefined; here all floats go to doubles.
    safe = tuple(f"g{line[1:]}" for line in lines if can_be_imported(f"g{line[1:]}"))
    assert len(safe) > 15
    assert differences(safe, tmp_path) == []


def test_names_that_the_specification_would_give() -> None:
    """An array's version before the function, versions between its stages, and indices get names that are free."""
    text = """void f(float A[8], float A_in[8], float A_1[8], float at_i[8], float count_1[8], float e0[8],
       float f_1[8])
{
#pragma scop
  for (int i = 1; i < 7; i++) A[i] = A_in[i] + at_i[i] + count_1[i] + e0[i] + f_1[i] + A[i + 1] + A_1[i];
  for (int i = 1; i < 7; i++) A_in[i] = A[i] * 2;
  for (int i = 1; i < 7; i++) A[i] = A_in[i + 1] - A_1[i];
#pragma endscop
}"""
    spec = import_source(SourceFile("f.c", text)).spec
    inputs = {port.name for port in spec.given_inputs(spec.tasks["f"])}
    assert {"A_in_", "A_in_in", "A_1"} <= inputs
    rng = np.random.default_rng(5)
    data = {name: rng.uniform(1, 9, 8).astype("f4") for name in inputs}
    found = api.run(spec, data, top="f")
    a, a_in = data["A_in_"].copy(), data["A_in_in"].copy()
    for i in range(1, 7):
        terms = (data["at_i"], data["count_1"], data["e0"], data["f_1"])
        total = a_in[i]
        for term in terms:
            total = total + term[i]
        a[i] = total + a[i + 1] + data["A_1"][i]
    a_in[1:7] = a[1:7] * 2
    a[1:7] = a_in[2:8] - data["A_1"][1:7]
    assert np.array_equal(found["A"], a)
    assert np.array_equal(found["A_in"], a_in)


def test_settings_keep_the_type_of_a_parameter(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(
        "void f(int n, double a, float x[n], double y[n]) {\n#pragma scop\n"
        "for (int i = 0; i < n; i++) y[i] = a / 3 + x[i];\n#pragma endscop\n}"
    )
    spec = api.import_c(tmp_path / "f.c", {"n": 4, "a": 2}).spec
    assert np.array_equal(api.run(spec, {"x": np.ones(4, "f4")}, top="f")["y"], np.full(4, 2.0 / 3 + 1))
    for settings, code in (({"n": 2.5}, "bad-setting"), ({"n": 4, "x": 3}, "not-imported")):
        with pytest.raises(ArrayolError) as refused:
            api.import_c(tmp_path / "f.c", settings)
        assert [one.code for one in refused.value.diagnostics] == [code]
    (tmp_path / "f.c").write_text(
        "void f(int n, float x[n]) {\n#pragma scop\nfor (int i = 0; i < 3; i++) { int n; n = i; x[i] = n; }\n"
        "#pragma endscop\n}"
    )
    hidden = api.import_c(tmp_path / "f.c", {"n": 4}).spec
    assert np.array_equal(api.run(hidden, {"x_in": np.ones(4, "f4")}, top="f")["x"], np.float32([0, 1, 2, 1]))


def test_one_variable_counts_several_loops() -> None:
    loops = "for (i = 0; i < 4; i++) y[i] = x[i] * i;\nfor (i = 3; i >= 0; i--) y[i] = y[i] - i;"
    text = f"void f(int x[4], int y[4]) {{\n  int i;\n#pragma scop\n{loops}\n#pragma endscop\n}}"
    spec = import_source(SourceFile("f.c", text)).spec
    x = np.array([7, 3, 9, 4], "i4")
    assert np.array_equal(api.run(spec, {"x": x}, top="f")["y"], x * np.arange(4) - np.arange(4))
