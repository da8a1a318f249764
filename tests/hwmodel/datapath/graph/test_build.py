"""Graphs of bodies against the reference execution, bit for bit, and what they are made of."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from graph_values import evaluate
from hypothesis import event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_bodies import differences, drawn_inputs, elementaries, elementary_of, reference, runnable

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.spec import Elementary
from arrayol.ir.types import ElementType
from hwmodel.datapath.graph.build import MAXIMUM_NODES, build_graph, count_nodes
from hwmodel.datapath.graph.graph import Graph

ROOT = Path(__file__).resolve().parents[4]
SPECS = sorted((ROOT / "specs").glob("*.aol"))


def assert_equal(elementary: Elementary, lanes: int, seed: int, *, tame: bool = False) -> None:
    """Both forms of the graph give what the executor gives, at the lanes at which it does not stop."""
    found = runnable(elementary, drawn_inputs(elementary.inputs, lanes, seed, tame=tame))
    for trees in (False, True):
        graph = build_graph(elementary, trees=trees)
        if found is None:
            event("the execution stops")
            continue
        inputs, expected = found
        assert not differences(evaluate(graph, inputs), expected), (trees, elementary.name)


@given(elementaries(), st.integers(0, 1 << 20))
@settings(max_examples=case_count(150))
def test_drawn_bodies_equal_the_execution(text: str, seed: int) -> None:
    assert_equal(elementary_of(text), 12, seed)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_shipped_bodies_equal_the_execution(path: Path) -> None:
    for elementary in api.load(path).elementaries.values():
        if elementary.body is not None and count_nodes(elementary) <= MAXIMUM_NODES:
            assert_equal(elementary, 8, 1, tame=True)
            assert_equal(elementary, 8, 2)


@pytest.mark.parametrize("folder", ["tests/polybench", "tests/golden", "tests/errors", "docs/pictures", "benchmarks"])
def test_other_bodies_equal_the_execution(folder: str) -> None:
    compared = 0
    for path in sorted((ROOT / folder).rglob("*.aol")):
        try:
            elementaries_of_file = api.load(path).elementaries.values()
        except ArrayolError:
            continue
        for elementary in elementaries_of_file:
            if elementary.body is not None and count_nodes(elementary) <= MAXIMUM_NODES:
                assert_equal(elementary, 8, 3, tame=True)
                compared += 1
    assert compared


@given(elementaries(("c64", "c128", "f32")), st.integers(0, 1 << 20))
@settings(max_examples=case_count(60))
def test_drawn_bodies_of_complex_numbers_equal_the_execution(text: str, seed: int) -> None:
    assert_equal(elementary_of(text), 12, seed)


def operators(body: str, ports: str, *, trees: bool = True) -> dict[str, int]:
    """The operators of a body that cost something, counted."""
    graph = build_graph(elementary_of(f"elementary e{ports} {{ {body} }}"), trees=trees)
    return dict(Counter(operation.operator for operation in graph.operations if operation))


@pytest.mark.parametrize(
    ("body", "ports", "expected"),
    [
        ("y = x * 8 + (x >> 2) + (x & 7)", "(x: u8) -> (y: u8)", {"add": 2}),
        ("y = (x // 16) * 3", "(x: i16) -> (y: i16)", {"mulc": 1}),
        ("y = x % 64", "(x: i16) -> (y: i16)", {}),
        ("y = x // 6", "(x: u8) -> (y: u8)", {"divc": 1}),
        ("y = x // 6", "(x: i8) -> (y: i8)", {"xor": 2, "divc": 1}),
        ("y = x * -4", "(x: i8) -> (y: i8)", {"neg": 1}),
        ("y = a + b\n z = b + a", "(a: u8, b: u8) -> (y: u8, z: u8)", {"add": 1}),
        ("y = a if a > b else a * b", "(a: u8, b: u8) -> (y: u8)", {"lt": 1, "mul": 1, "mux": 1}),
        ("y = min(u16(a), 300)", "(a: u8) -> (y: u16)", {}),
        ("y = 1 if a < 0 else 0", "(a: i8) -> (y: i8)", {}),
        ("y += x[k] for k in 0..3", "(x: f32[3]) -> (y: f32)", {"fpos0.f32": 1, "add.f32": 2}),
        ("y += abs(x[k]) for k in 0..3", "(x: f32[3]) -> (y: f32)", {"and": 3, "add.f32": 2}),
        ("y = x * 0.25 / 2", "(x: f32) -> (y: f32)", {"fscale.f32": 2}),
        ("y = x * 0.3", "(x: f32) -> (y: f32)", {"mulc.f32": 1}),
        ("y = x * z", "(x: c64, z: c64) -> (y: c64)", {"mul.f32": 4, "sub.f32": 1, "add.f32": 1}),
        ("y = f32(x)", "(x: u8) -> (y: f32)", {"cvt.i.f32": 1}),
        ("y = f64(x)", "(x: f32) -> (y: f64)", {"cvt.f32.f64": 1}),
        ("y = x[i]", "(x: u8[16], i: u4) -> (y: u8)", {"select": 1}),
        ("y = x[i]", "(x: u8[256], i: u8) -> (y: u8)", {"access": 1}),
        ("y[i] = 5 for i in 0..4 y[j] = 7", "(j: u2) -> (y: u8[4])", {"eq": 4, "mux": 4}),
    ],
)
def test_operators(body: str, ports: str, expected: dict[str, int]) -> None:
    assert operators(body, ports) == expected


def depth(graph: Graph) -> int:
    """The most operators on a way from an input to an output."""
    levels: list[int] = []
    for operation, operands in zip(graph.operations, graph.operands, strict=True):
        levels.append(max((levels[operand] for operand in operands), default=0) + (operation is not None))
    return max(levels)


@pytest.mark.parametrize(
    ("body", "ports", "chain", "tree"),
    [
        ("y += x[k] for k in 0..16", "(x: u8[16]) -> (y: u8)", 15, 4),
        ("y += x[k] for k in 0..16", "(x: u8[16]) -> (y: u16)", 15, 4),
        ("y = x[0] y = max(y, x[k]) for k in 1..16", "(x: i8[16]) -> (y: i8)", 15, 4),
        ("y = x[0] - x[1] + x[2] - x[3]", "(x: i8[4]) -> (y: i8)", 3, 2),
        ("y = i32(x[0]) * x[1] + x[2] + x[3] + x[4]", "(x: i8[5]) -> (y: i32)", 4, 3),
        ("y += x[k] for k in 0..16", "(x: f32[16]) -> (y: f32)", 16, 16),
    ],
)
def test_chains_of_integers_become_trees(body: str, ports: str, chain: int, tree: int) -> None:
    elementary = elementary_of(f"elementary e{ports} {{ {body} }}")
    assert depth(build_graph(elementary, trees=False)) == chain
    assert depth(build_graph(elementary)) == tree


@pytest.mark.parametrize(
    ("body", "ports", "widths"),
    [
        ("y = u16(a) + b", "(a: u8, b: u8) -> (y: u16)", [9]),
        ("y = a + b", "(a: u8, b: u8) -> (y: u8)", [8]),
        ("y = i32(a) * b", "(a: i8, b: i8) -> (y: i32)", [16]),
        ("y += i32(x[k]) * x[k] for k in 0..2", "(x: i8[2]) -> (y: i32)", [15, 15, 16]),
        ("y = (a & 15) + (b >> 6)", "(a: u8, b: u8) -> (y: u8)", [5]),
    ],
)
def test_widths_are_those_of_the_values(body: str, ports: str, widths: list[int]) -> None:
    graph = build_graph(elementary_of(f"elementary e{ports} {{ {body} }}"))
    assert [operation.n for operation in graph.operations if operation] == widths


def test_complex_ports_have_two_places_for_each_element() -> None:
    graph = build_graph(elementary_of("elementary e(x: c64[3]) -> (y: c64[2]) { y[k] = conj(x[2 * k]) for k in 0..2 }"))
    assert [node >= 0 for node in graph.inputs["x"]] == [True, True, False, False, True, True]
    assert [graph.parts(port) for port in ("x", "y")] == [2, 2]
    assert len(graph.outputs["y"]) == 4


def test_tables_fold_where_they_are_given() -> None:
    spec = api.load(ROOT / "specs" / "radar.aol")
    dft = spec.elementaries["dft"]
    plain, folded = build_graph(dft), build_graph(dft, spec.tables)
    assert Counter(plain.operators)["mul"] == 4 * 64 * 64
    assert Counter(folded.operators)["mul"] == 0
    inputs = drawn_inputs(dft.inputs, 4, 1, tame=True)
    inputs["ROOTS"] = np.repeat(np.frombuffer(spec.tables["ROOTS"].data, "<c8")[:, None], 4, axis=1)
    assert not differences(evaluate(folded, inputs), evaluate(plain, inputs))


@pytest.mark.parametrize(
    ("body", "ports"),
    [
        ("y[i] = x[i] for i in 0..6  y[i] = y[i - 1] - y[i + 1] + i for i in 1..5", "(x: i16[6]) -> (y: i16[6])"),
        ("y[i] = x[i] for i in 0..6  y[5 - i] = y[i] + y[2] for i in 0..6", "(x: i16[6]) -> (y: i16[6])"),
        ("y[i] = x[i] for i in 0..6  y[2] += y[i] for i in 0..6", "(x: i16[6]) -> (y: i16[6])"),
        (
            "y[i] = x[i] for i in 0..25  y[5 * i + j] = y[5 * i + j - 5] - y[5 * i + j + 1] for i in 1..4, j in 1..4",
            "(x: f32[25]) -> (y: f32[25])",
        ),
        ("y[i] = 0 for i in 0..5  y[0] = 1  y[i] = 1 for i in 1..4 where y[i - 1] == 1", "(x: u8) -> (y: u8[5])"),
        ("y[i] = i for i in 0..5  y[y[4 - i]] = 7 - i for i in 0..3 where y[i] < 5", "(x: u8) -> (y: u8[5])"),
        ("y[i] = 0 for i in 0..4  y[x[i]] += y[i] + 1 for i in 0..4", "(x: u2[4]) -> (y: u8[4])"),
        ("y[i] = 9 for i in 0..4  y[x[i]] = i for i in 0..4 where x[i] != 2", "(x: u2[4]) -> (y: u8[4])"),
        ("y = 0 loop i in 0..4 { t: u8 = y t += x[i] y = t if t > 9 else t + 1 }", "(x: u8[4]) -> (y: u8)"),
        ("loop i in 0..3, j in 0..i { y[i] = 0 y[i] += x[j] } y[0] = x[2]", "(x: u8[4]) -> (y: u8[3])"),
        ("loop i in 0..3 { t: u8[2] t[k] = x[i] + k for k in 0..2 y[i] = t[0] * t[1] }", "(x: u8[3]) -> (y: u8[3])"),
        ("y = x[(1 if z > 3 else 0) + 1]", "(x: u8[3], z: u8) -> (y: u8)"),
        ("y[i] = x[2 * i] if i < 2 else x[i] // 3 for i in 0..4", "(x: i8[4]) -> (y: i8[4])"),
        ("y[i, j] = x[j, a] - x[b, i] for i in 0..3, j in 0..2", "(x: i8[3, 3], a: u1, b: u1) -> (y: i8[3, 2])"),
        ("y = x[a, b] + x[a, 3]", "(x: i8[6, 8], a: u2, b: u3) -> (y: i16)"),
        ("y = x[a]", "(x: c64[40], a: u5) -> (y: c64)"),
        ("y = x[a - 3]", "(x: i8[8], a: u3) -> (y: i8)"),
    ],
)
def test_orders_and_places_equal_the_execution(body: str, ports: str) -> None:
    assert_equal(elementary_of(f"elementary e{ports} {{ {body} }}"), 200, 5)


DIVISORS = (1, 2, 3, 6, 7, 10, 100, 127, 255, 1000, -1, -2, -3, -8, -10)


@pytest.mark.parametrize("kind", ["u8", "i8", "u5", "i16", "u32", "i64", "u64"])
@pytest.mark.parametrize("sign", ["//", "%", "*"])
def test_constants_equal_the_execution(kind: str, sign: str) -> None:
    """All values of 8 bits, and corners of the others."""
    low, high = ElementType(kind).integer_range
    fitting = [divisor for divisor in DIVISORS if low <= divisor <= high]
    body = " ".join(f"y[{place}] = x {sign} {divisor}" for place, divisor in enumerate(fitting))
    elementary = elementary_of(f"elementary e(x: {kind}) -> (y: {kind}[{len(fitting)}]) {{ {body} }}")
    inputs = drawn_inputs(elementary.inputs, 300, 1)
    if high - low < 256:
        inputs["x"] = np.arange(low, high + 1).astype(inputs["x"].dtype)[None]
    expected = reference(elementary, inputs)
    for trees in (False, True):
        assert not differences(evaluate(build_graph(elementary, trees=trees), inputs), expected)


@pytest.mark.parametrize("kind", ["u8", "i8"])
def test_limits_and_comparisons_with_constants_equal_the_execution(kind: str) -> None:
    """All values of 8 bits beside every kind of constant: even and odd, powers of two, the ends, one beyond zero."""
    low, high = ElementType(kind).integer_range
    constants = [c for c in (low, low + 1, -64, -3, -2, -1, 0, 1, 2, 3, 7, 8, 100, 126, high) if low <= c <= high]
    lines = []
    for place, c in enumerate(constants):
        lines += [f"l[{place}] = min(x, {c})", f"m[{place}] = max(x, {c})", f"a[{place}] = x < {c}"]
        lines += [f"b[{place}] = x >= {c}", f"c[{place}] = x == {c}", f"s[{place}] = 24 if x > {c} else 0"]
        lines += [f"t[{place}] = 0 if x > {c} else -1"] if low else [f"t[{place}] = 0 if x > {c} else 255"]
    n = len(constants)
    ports = f"l: {kind}[{n}], m: {kind}[{n}], a: bool[{n}], b: bool[{n}], c: bool[{n}], s: u8[{n}], t: {kind}[{n}]"
    elementary = elementary_of(f"elementary e(x: {kind}) -> ({ports}) {{ {' '.join(lines)} }}")
    inputs = {"x": np.arange(low, high + 1).astype(kind.replace("8", "1"))[None]}
    expected = reference(elementary, inputs)
    for trees in (False, True):
        assert not differences(evaluate(build_graph(elementary, trees=trees), inputs), expected)


@pytest.mark.parametrize(
    ("body", "ports", "expected"),
    [
        ("y = min(a, b) z = max(b, a)", "(a: u8, b: u8) -> (y: u8, z: u8)", {"lt": 1, "mux": 2}),
        ("y = min(a, b) z = max(a, c)", "(a: u8, b: u8, c: u8) -> (y: u8, z: u8)", {"min": 1, "max": 1}),
        ("y = min(a, b) z = max(a, b)", "(a: f32, b: f32) -> (y: f32, z: f32)", {"min.f32": 1, "max.f32": 1}),
        ("y = max(a, b) z = a >= b", "(a: u8, b: u8) -> (y: u8, z: bool)", {"lt": 1, "mux": 1, "not": 1}),
        ("y = min(a, b) z = b < a", "(a: u8, b: u8) -> (y: u8, z: bool)", {"lt": 1, "mux": 1}),
        ("y = max(a, b) z = a < c", "(a: u8, b: u8, c: u8) -> (y: u8, z: bool)", {"lt": 1, "max": 1}),
        ("y = a > 4095", "(a: i16) -> (y: bool)", {"lt": 1, "not": 1}),
        ("y = max(a, 0)", "(a: i8) -> (y: i8)", {"mux": 1}),
        ("y = sat(u8, a)", "(a: i12) -> (y: u8)", {"lt": 1, "mux": 2}),
        ("y = 255 if a > b else 0", "(a: u8, b: u8) -> (y: u8)", {"lt": 1}),
        ("y = 24 if a > b else 0", "(a: u8, b: u8) -> (y: u8)", {"lt": 1}),
        ("y = u8(a) + 8 * u8(b)", "(a: u3, b: u5) -> (y: u8)", {"or": 1}),
    ],
)
def test_wires_and_shared_comparisons(body: str, ports: str, expected: dict[str, int]) -> None:
    assert operators(body, ports) == expected


@pytest.mark.parametrize(
    ("body", "ports", "widths"),
    [
        ("y = u16(a) + 4 * u16(b)", "(a: u8, b: u8) -> (y: u16)", [9]),  # 11 bits, of which 2 are those of a
        ("y = u8(a + b)", "(a: u16, b: u16) -> (y: u8)", [8]),
        ("y = (a ^ b) & 3", "(a: u16, b: u16) -> (y: u16)", [2]),
        ("y = (a | b) >> 12", "(a: u16, b: u16) -> (y: u16)", [4]),
        ("y = a == 5", "(a: u8) -> (y: bool)", [1]),
    ],
)
def test_operators_are_as_wide_as_the_bits_that_take_logic(body: str, ports: str, widths: list[int]) -> None:
    graph = build_graph(elementary_of(f"elementary e{ports} {{ {body} }}"))
    assert [operation.n for operation in graph.operations if operation] == widths


def test_registers_keep_what_wires_leave() -> None:
    graph = build_graph(elementary_of("elementary e(a: u8, b: u8) -> (y: u8) { y = u8(u16(a) * b >> 12) }"))
    assert graph.needed_bits[graph.operators.index("mul")] == 4


def _pairs(kind: str) -> dict[str, object]:
    """All pairs of corner values."""
    corners = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 3.7, np.inf, -np.inf, np.nan, 1e-42, -1e-45, 3e38, 2.0**24 + 1])
    a, b = np.meshgrid(corners, corners)
    with np.errstate(all="ignore"):
        return {"a": a.reshape(1, -1).astype(kind), "b": b.reshape(1, -1).astype(kind)}


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize(
    ("result", "values"),
    [
        ("bool", ["a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b", "a <= 0", "bool(a)"]),
        ("own", ["a + 0", "0 + a", "a - 0", "0 - a", "-a", "abs(-a)", "a * -2", "a / 4", "a * 0", "a / -1"]),
        ("own", ["(a + b) + 0", "(abs(a) - b) + 0", "(a * a) + 0", "(a * 0.125) + 0", "((a + 0) * 0.125) + 0"]),
        (
            "own",
            [
                "min(a, b)",
                "min(b, a)",
                "max(b, a)",
                "a if a < b else b",
                "round(a, 3)",
                "floor(a) + 0",
                "(b if a > 1 else abs(a)) + 0",
            ],
        ),
    ],
)
def test_corners_of_floats_equal_the_execution(kind: str, result: str, values: list[str]) -> None:
    own = kind if result == "own" else result
    body = " ".join(f"y[{place}] = {value}" for place, value in enumerate(values))
    elementary = elementary_of(f"elementary e(a: {kind}, b: {kind}) -> (y: {own}[{len(values)}]) {{ {body} }}")
    inputs = _pairs(f"f{kind[1:]}".replace("32", "4").replace("64", "8"))
    expected = reference(elementary, inputs)
    assert not differences(evaluate(build_graph(elementary), inputs), expected)


@pytest.mark.parametrize(
    ("body", "ports"),
    [
        ("y = a / b z = a * b w = a == b", "(a: c64, b: c64) -> (y: c64, z: c64, w: bool)"),
        ("y = a <= b z = a >= b w = a > b", "(a: i8, b: i8) -> (y: bool, z: bool, w: bool)"),
        ("y += a where a > 3  y += b where b >= 0", "(a: u8, b: u8) -> (y: u8)"),
        ("y = 2 if a > b else 0 z = 0 if a > b else -8", "(a: i8, b: i8) -> (y: i8, z: i8)"),
        ("y = min(a, b) z = max(a, b)", "(a: i8, b: i8) -> (y: i8, z: i8)"),
    ],
)
def test_single_rules_equal_the_execution(body: str, ports: str) -> None:
    assert_equal(elementary_of(f"elementary e{ports} {{ {body} }}"), 400, 7)
