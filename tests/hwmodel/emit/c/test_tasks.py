"""Bodies and tasks in C, without tiles, against the reference execution: arithmetic to the last bit, and refusals."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from c_programs import GCC, QUICK, Stopped, run_c, same, whole
from generated import Generated, specs
from hypothesis import HealthCheck, assume, event, given, settings
from loading import spec_of, unchecked_spec_of
from many_cases import case_count
from numpy.typing import NDArray
from oracle import interpret
from shipped import noise

from arrayol.errors import ArrayolError
from arrayol.execute.arithmetic import wrapped
from arrayol.execute.environment import DTYPES
from arrayol.execute.repetitions import sizes
from arrayol.execute.run import execute
from arrayol.ir.spec import Port
from arrayol.ir.types import ElementType

INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
FLOATS = ("f32", "f64")
ROUNDED = re.compile(r"\b(exp|log|sin|cos|tan|abs)\(")  # within 2 ulp only; what is computed from them may be far apart
FORESEEN = {"subscript-out-of-range", "constant-does-not-fit"}  # `arrayol check` refuses these bodies already
UNWRITTEN = {"output-not-written", "read-before-write"}


@given(specs())
@settings(
    max_examples=case_count(40),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_generated_tasks(case: Generated) -> None:
    """Patterns, delays, hierarchies and all arithmetic: equal bits, and a refusal where the reference refuses."""
    spec = unchecked_spec_of(case.text)
    task = spec.components[case.task]
    inputs = {port.name: _any_values(len(port.name), port) for port in spec.given_inputs(task)}
    try:
        expected = execute(spec, case.task, inputs)
    except ArrayolError as refused:
        code = refused.diagnostics[0].code
        assume(code not in FORESEEN | UNWRITTEN)
        event(code)
        with pytest.raises(Stopped):
            run_c(whole(spec, case.task), task, inputs, QUICK)
        return
    got = run_c(whole(spec, case.task), task, inputs, QUICK)
    if not ROUNDED.search(case.text):
        assert all(same(got[name], array) for name, array in expected.items())
    event("rounded functions" if ROUNDED.search(case.text) else "equal bits")


def _any_values(seed: int, port: Port) -> NDArray[Any]:
    drawn = noise(seed, sizes(port.shape), DTYPES[port.type].str)
    return np.asarray(wrapped(drawn, port.type)) if port.type.wraps else drawn


def edges(kind: str) -> list[float]:
    """Values at which arithmetic is special."""
    if kind in FLOATS:
        tiny = float(np.finfo(DTYPES[ElementType(kind)]).tiny)
        return [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.7, -7.25, 1e30, -1e-30, tiny, np.inf, -np.inf, np.nan, 255.5]
    low, high = ElementType(kind).integer_range
    return sorted({low, low + 1, -7 if low else 7, -1 if low else 5, 0, 1, 2, 3, 100, high // 2, high - 1, high})


@pytest.mark.parametrize("kind", [*INTEGERS, *FLOATS])
def test_operators_at_the_edges(kind: str) -> None:
    """Every operator and every function with exact results on all pairs of edge values."""
    dtype = DTYPES[ElementType(kind)]
    signs = ["+", "-", "*", "//", "%", *(["/"] if kind in FLOATS else ["&", "|", "^", "<<", ">>"])]
    texts = [f"a[k] {sign} b[k]" for sign in signs if sign not in ("//", "%", "<<", ">>") or kind in FLOATS]
    if kind in INTEGERS:
        texts += [f"(a[k] {sign} b[k] if b[k] != 0 else 0)" for sign in ("//", "%")]
        bits = ElementType(kind).bits
        texts += [f"a[k] {sign} (b[k] & {bits - 1})" for sign in ("<<", ">>")] + ["~a[k]", "(a[k] + b[k]) // 3 - ~b[k]"]
    texts += [
        "-a[k]",
        "min(a[k], b[k])",
        "max(a[k], b[k], 3)",
        "abs(a[k])",
        "- -a[k] * (b[k] - 2)",
        "a[k] - (b[k] - a[k])",
    ]
    texts += [f"{kind}(sat({target}, (a[k] if a[k] == a[k] else b[0])))" for target in ("i8", "u16", "i64", "u64")]
    texts += [f"sqrt({kind}(abs(b[k])))", "floor(a[k])", "ceil(a[k])", "round(a[k], 2)"] if kind in FLOATS else []
    compared = [f"a[k] {sign} b[k]" for sign in ("==", "!=", "<", "<=", ">", ">=")]
    compared += ["a[k] < b[k] and not (b[k] < 3 or a[k] == 1)", "(a[k] < b[k]) ^ (a[k] != 2) | (b[k] == 3)"]
    pairs = np.array(list(product(edges(kind), repeat=2)), dtype)
    count = len(pairs)
    outputs = [f"y{n}: {kind}[{count}]" for n in range(len(texts))] + [
        f"z{n}: bool[{count}]" for n in range(len(compared))
    ]
    lines = [f"  y{n}[k] = {text}  for k in 0..{count}" for n, text in enumerate(texts)]
    lines += [f"  z{n}[k] = {text}  for k in 0..{count}" for n, text in enumerate(compared)]
    head = f"elementary e(a: {kind}[{count}], b: {kind}[{count}]) -> ({', '.join(outputs)})"
    spec = spec_of(f"{head} {{\n" + "\n".join(lines) + "\n}\n")
    inputs = {"a": np.ascontiguousarray(pairs[:, 0]), "b": np.ascontiguousarray(pairs[:, 1])}
    expected = execute(spec, "e", inputs)
    got = run_c(whole(spec, "e"), spec.components["e"], inputs, GCC)
    texts_by_name = dict(zip(expected, [*texts, *compared], strict=True))
    assert [texts_by_name[name] for name, array in expected.items() if not same(got[name], array)] == []


ODD = ("u12", "i5", "i33", "u1", "i4.12", "u0.8", "i1.15", "i20.30", "u3.5", "i1.63", "u0.64")


@pytest.mark.parametrize("kind", ODD)
def test_odd_widths_and_fixed_point_at_the_edges(kind: str) -> None:
    """Sums, products, shifts, comparisons, rounding, saturation and conversions on all pairs of edge values."""
    own = ElementType(kind)
    low, high = own.integer_range
    drawn = {low, high, high - 1, 0, 1, high // 2, high // 3, -1, low // 3}
    values = sorted(value for value in drawn if low <= value <= high)
    pairs = np.array(list(product(values, repeat=2)), DTYPES[own])
    count, bits = len(pairs), own.bits
    texts = {"a[k] + b[k]": kind, "a[k] - b[k]": kind, "-a[k]": kind, "abs(a[k])": kind, "max(a[k], b[k])": kind}
    texts |= {f"a[k] {sign} {amount}": kind for sign in ("<<", ">>") for amount in {0, bits // 2}}
    texts |= {f"a[k] {sign} b[k]": "bool" for sign in ("==", "<", ">=")}
    targets = ("i8", "u16", "i64", "u12", "i4.12", "u0.8", "i40.20", "i1.63", "u0.64")
    texts |= {f"{target}(a[k])": target for target in (*targets, "f32", "f64", "c64", "bool")}
    texts |= {f"sat({target}, a[k])": target for target in targets}
    texts |= {f"sat({kind}, f64(a[k]) * 1.5)": kind, f"{kind}(0.5 * f64(a[k]))": kind}
    rounded = [places for places in (0, 1, 7) if own.integer_bits + 1 + places <= 64]
    texts |= {f"sat({kind}, round(a[k], {places}))": kind for places in rounded}
    if bits <= 32 and own.is_fixed:
        texts |= {"sat(i20.30, a[k] * b[k])": "i20.30", "sat(i20.30, 3 * a[k] * 0.75)": "i20.30"}
    if not own.is_fixed:
        texts |= {"a[k] * b[k]": kind, "a[k] & ~b[k]": kind, "(a[k] // b[k] if b[k] != 0 else a[k])": kind}
    outputs = [f"y{n}: {target}[{count}]" for n, target in enumerate(texts.values())]
    lines = [f"  y{n}[k] = {text}  for k in 0..{count}" for n, text in enumerate(texts)]
    head = f"elementary e(a: {kind}[{count}], b: {kind}[{count}]) -> ({', '.join([*outputs, f's: {kind}'])})"
    lines.append(f"  s += a[k] - b[k]  for k in 0..{count}")
    spec = spec_of(f"{head} {{\n" + "\n".join(lines) + "\n}\n")
    inputs = {"a": np.ascontiguousarray(pairs[:, 0]), "b": np.ascontiguousarray(pairs[:, 1])}
    expected = execute(spec, "e", inputs)
    exact = interpret(spec, "e", inputs)
    got = run_c(whole(spec, "e"), spec.components["e"], inputs, QUICK)
    names = dict(zip(expected, [*texts, "the sum"], strict=True))
    assert [names[name] for name, array in expected.items() if not same(exact[name], array)] == []
    assert [names[name] for name, array in expected.items() if not same(got[name], array)] == []


@pytest.mark.parametrize("kind", ["c64", "c128"])
def test_complex_numbers(kind: str) -> None:
    real = [0.0, -0.0, 1.5, -2.25, 1e20, np.inf]
    values = np.array([complex(a, b) for a, b in product(real, repeat=2)], DTYPES[ElementType(kind)])
    pairs = list(product(values, repeat=2))
    count = len(pairs)
    texts = ["a[k] + b[k]", "a[k] - b[k]", "a[k] * b[k]", "a[k] / b[k]", "-a[k]", "a[k] * 2 + 0.5", f"{kind}(3) * b[k]"]
    texts += ["conj(a[k])", f"{kind}(imag(a[k]), -real(b[k]))"]
    lines = [f"  y{n}[k] = {text}  for k in 0..{count}" for n, text in enumerate(texts)]
    lines.append(f"  z[k] = a[k] == b[k] or a[k] != 2  for k in 0..{count}")
    ports = ", ".join([*(f"y{n}: {kind}[{count}]" for n in range(len(texts))), f"z: bool[{count}]"])
    spec = spec_of(
        f"elementary e(a: {kind}[{count}], b: {kind}[{count}]) -> ({ports}) {{\n" + "\n".join(lines) + "\n}\n"
    )
    inputs = {"a": np.array([a for a, _ in pairs]), "b": np.array([b for _, b in pairs])}
    expected = execute(spec, "e", inputs)
    got = run_c(whole(spec, "e"), spec.components["e"], inputs, GCC)
    assert [name for name, array in expected.items() if not same(got[name], array)] == []


def test_conversions() -> None:
    """Between all real types and bool, where the value fits."""
    kinds = [*INTEGERS, *FLOATS, "bool"]
    lines, ports, count = [], [], 8
    for source, target in product(kinds, repeat=2):
        guarded = source in FLOATS and target in INTEGERS
        value = f"max({source}(0), min({source}(127), x_{source}[k]))" if guarded else f"x_{source}[k]"
        lines.append(f"  y_{source}_{target}[k] = {target}({value})  for k in 0..{count}")
        ports.append(f"y_{source}_{target}: {target}[{count}]")
    lines += [f"  w_{kind}[k] = {kind}(3 * k - 1 if k > 0 else 1)  for k in 0..{count}" for kind in kinds[:-1]]
    ports += [f"w_{kind}: {kind}[{count}]" for kind in kinds[:-1]]
    given_ports = ", ".join(f"x_{kind}: {kind}[{count}]" for kind in kinds)
    spec = spec_of(f"elementary e({given_ports}) -> ({', '.join(ports)}) {{\n" + "\n".join(lines) + "\n}\n")
    inputs = {f"x_{kind}": noise(3, (count,), DTYPES[ElementType(kind)].str) for kind in kinds}
    inputs["x_f32"][:2] = [200.5, -3.25]
    expected = execute(spec, "e", inputs)
    got = run_c(whole(spec, "e"), spec.components["e"], inputs, GCC)
    assert [name for name, array in expected.items() if not same(got[name], array)] == []


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_functions_are_within_two_units_in_the_last_place(kind: str) -> None:
    """Those that the language defines are the same."""
    names, count = ("exp", "log", "sin", "cos", "tan"), 4000
    lines = [f"  y_{name}[k] = {name}(a[k])  for k in 0..{count}" for name in names]
    ports = ", ".join(f"y_{name}: {kind}[{count}]" for name in names)
    spec = spec_of(f"elementary e(a: {kind}[{count}]) -> ({ports}) {{\n" + "\n".join(lines) + "\n}\n")
    inputs = {"a": np.linspace(0.001, 40, count).astype(DTYPES[ElementType(kind)])}
    expected = execute(spec, "e", inputs)
    got = run_c(whole(spec, "e"), spec.components["e"], inputs, GCC)
    for name, array in expected.items():
        most = 0 if kind == "f32" and name in ("y_exp", "y_log") else 2
        assert np.all(np.abs(got[name] - array) <= most * np.spacing(np.abs(array))), name


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("y = a // (b - 3)", "integer division by zero"),
        ("y = a << (b + 30)", "a shift outside 0..32"),
        ("y = t[a - 6]", "a subscript out of range"),
        ("y = i32(u8(f))", "a value outside u8, 0 to 255"),
    ],
)
def test_what_has_no_value_stops_the_program(statement: str, words: str) -> None:
    spec = spec_of(f"elementary e(a: i32, b: i32, f: f64, t: i32[4]) -> (y: i32) {{ {statement} }}\n")
    inputs = {"a": np.array(5, "i4"), "b": np.array(3, "i4"), "f": np.array(256.0), "t": np.zeros(4, "i4")}
    with pytest.raises(ArrayolError):
        execute(spec, "e", inputs)
    with pytest.raises(Stopped, match=words):
        run_c(whole(spec, "e"), spec.components["e"], inputs, QUICK)


def test_names_that_c_needs() -> None:
    """Ports, range variables and tasks may be called as C's words and functions are."""
    spec = spec_of(
        "elementary sqrtf(int: f32[3], y0: f32) -> (double: f32[3], fail: f32) {\n"
        "  double[register] = int[register] + y0  for register in 0..3\n  fail = sqrt(y0)\n}\n"
        "task y1(long: f32[3, 3], short: f32[3]) -> (I: f32[3, 3], load: f32[3]) {\n  repeat [3] of sqrtf {\n"
        "    int <- long at origin [0, 0] paving [1; 0] fitting [0; 1]\n"
        "    y0 <- short at origin [0] paving [1] fitting []\n"
        "    double -> I at origin [0, 0] paving [1; 0] fitting [0; 1]\n"
        "    fail -> load at origin [0] paving [1] fitting []\n"
        "  }\n}\n"
    )
    inputs = {"long": noise(1, (3, 3), "f4"), "short": np.abs(noise(2, (3,), "f4"))}
    got = run_c(whole(spec, "y1"), spec.components["y1"], inputs)
    assert all(same(got[name], array) for name, array in execute(spec, "y1", inputs).items())


def test_an_array_may_be_called_as_what_a_delay_keeps() -> None:
    spec = spec_of(
        "elementary e(x: i32, before: i32) -> (last: i32) { last = x - before }\n"
        "task t(kept_last: i32[6]) -> (last: i32[6]) {\n  repeat [6] of e {\n"
        "    x <- kept_last at origin [0] paving [1] fitting []\n    before <- last delay [1] else 7\n"
        "    last -> last at origin [0] paving [1] fitting []\n  }\n}\n"
    )
    inputs = {"kept_last": noise(1, (6,), "i4")}
    got = run_c(whole(spec, "t"), spec.components["t"], inputs, QUICK)
    assert same(got["last"], execute(spec, "t", inputs)["last"])


def test_integers_beyond_64_bits_are_refused() -> None:
    spec = spec_of(
        "elementary e(a: f64) -> (y: f64) {\n  y = a\n  y += k * k * k * k * 1000000000000  for k in 0..100000\n}\n"
    )
    with pytest.raises(ArrayolError, match="beyond 64 bits") as refused:
        whole(spec, "e")
    assert refused.value.diagnostics[0].code == "too-wide-for-c"
