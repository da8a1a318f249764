"""LUTs that hold the logic of a body: gates have the values of the graph, a cover has as many LUTs as it must."""

from __future__ import annotations

import numpy as np
import pytest
from graph_values import evaluate_nodes
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_bodies import drawn_inputs, elementaries, elementary_of, runnable

from hwmodel.datapath.graph.build import build_graph
from hwmodel.datapath.graph.gates import Gates
from hwmodel.datapath.graph.graph import Graph
from hwmodel.datapath.graph.packing import PACKED, Packing, packed_luts


def graph_of(text: str) -> Graph:
    return build_graph(elementary_of(f"elementary e{text}"))


def packing_of(graph: Graph) -> Packing:
    packing = Packing(graph.operators, graph.operands, graph.numbers, graph.details, graph.needed, graph.small_sums)
    for node in range(len(graph)):
        packing.add(node)
    return packing


def computed(gates: Gates, values: dict[int, int]) -> dict[int, int]:
    """Values of the gates all of whose leaves have one."""
    for (kind, literals), gate in gates.known.items():
        if all(literal >> 1 in values for literal in literals):
            bits = [values[literal >> 1] ^ (literal & 1) for literal in literals]
            if kind == "mux":
                values[gate] = bits[1] if bits[0] else bits[2]
            else:
                values[gate] = bits[0] & bits[1] if kind == "and" else bits[0] ^ bits[1]
    return values


def compared(graph: Graph, nodes: list[np.ndarray], lane: int) -> int:
    """How many bits of logic were seen to have the value that the graph gives them."""
    packing = packing_of(graph)
    known = {0: 0}
    of_integers = [node for node in range(len(graph)) if not graph.numbers[node].is_float]
    for node in of_integers:
        for place, literal in enumerate(packing.bits[node]):
            if not packing.gates.is_gate(literal >> 1) and not literal & 1:
                known.setdefault(literal >> 1, int(nodes[node][lane]) >> place & 1)
    values = computed(packing.gates, known)
    seen = 0
    for node in of_integers:
        for place, literal in enumerate(packing.bits[node]):
            if literal >> 1 in values:
                wanted = int(nodes[node][lane]) >> place & 1
                assert values[literal >> 1] ^ (literal & 1) == wanted, (graph.operators[node], place)
                seen += graph.operators[node] in PACKED
    return seen


@given(elementaries(), st.integers(0, 1 << 20))
@settings(max_examples=case_count(80))
def test_gates_have_the_values_of_the_graph(text: str, seed: int) -> None:
    elementary = elementary_of(text)
    found = runnable(elementary, drawn_inputs(elementary.inputs, 4, seed))
    if found is not None:
        graph = build_graph(elementary)
        compared(graph, [np.atleast_1d(row) for row in evaluate_nodes(graph, found[0])], 0)


@pytest.mark.parametrize(
    "body",
    [
        "y = (a & b) | (a ^ ~b) if a == b else min(a, 3)",
        "y = max(u4(a & 7), u4(b & 7)) ^ a",
        "y = 9 if a < 5 else b if b >= 3 else a & 6",
        "y = u4(i8(a) - 8 < 0) | b",
        "y = u4((u8(a) + b) & 15) ^ u4((i8(a) - b) & 15)",
        "y = u4((i8(0) - a) & 7) if b > 3 else a",
        "y = u4((u8(a) << (b & 3)) & 15) ^ (a >> (b >> 1 & 3))",
        "y = u4((i8(a) - 8 >> (b & 3)) & 15)",
    ],
)
def test_gates_of_small_bodies(body: str) -> None:
    graph = graph_of(f"(a: u4, b: u4) -> (y: u4) {{ {body} }}")
    both = np.arange(256)
    nodes = evaluate_nodes(graph, {"a": both[None, :] & 15, "b": both[None, :] >> 4})
    rows = [np.broadcast_to(row, (256,)) for row in nodes]
    assert sum(compared(graph, rows, lane) for lane in range(256)) > 256


@pytest.mark.parametrize("index", ["i", "u4(i >> 1) + 1", "u4(i) + 3"])
def test_gates_of_choices_by_an_index(index: str) -> None:
    graph = graph_of(f"(x: i3[7], i: u2) -> (y: i3) {{ y = x[{index}] }}")
    rng = np.random.default_rng(1)
    inputs = {"x": rng.integers(-4, 4, (7, 64)), "i": rng.integers(0, 4, (1, 64))}
    rows = [np.broadcast_to(row, (64,)) for row in evaluate_nodes(graph, inputs)]
    assert sum(compared(graph, rows, lane) for lane in range(64)) > 64


@pytest.mark.parametrize(
    ("ports", "body", "luts"),
    [
        ("(x: u16[4]) -> (y: u16)", "y = x[0] ^ x[1] ^ x[2] ^ x[3]", 16),  # four inputs in a LUT
        ("(x: u16[5]) -> (y: u16)", "y = x[0] ^ x[1] ^ x[2] ^ x[3] ^ x[4]", 32),
        ("(x: u1[16]) -> (y: u1)", "y = (x[0] & x[1] & x[2] & x[3]) ^ (x[4] & x[5] & x[6] & x[7])", 3),
        ("(x: u16, y: u16) -> (z: bool)", "z = x == y", 11),  # eight of two bits, three that join them
        ("(c: bool, a: u16, b: u16) -> (y: u16)", "y = a if c else b", 16),
        ("(c: bool, a: u16) -> (y: u16)", "y = a if c else 22222", 0),  # set and reset of the register
        ("(c: bool, a: u16, b: u16) -> (y: u16)", "y = (a if c else 22222) + b", 16),
        ("(c: bool, b: u16) -> (y: u16)", "y = (12345 if c else 22222) + b", 0),  # constant bits, or the condition
        ("(x: u4) -> (y: bool)", "y = x < 5", 1),
        ("(x: u16) -> (y: u16)", "y = ~x", 16),
        ("(x: u16, y: u16) -> (z: u16)", "z = ~(x & ~y)", 16),  # inversions are in the LUT
    ],
)
def test_luts_of_known_logic(ports: str, body: str, luts: int) -> None:
    graph = graph_of(f"{ports} {{ {body} }}")
    assert sum(graph.luts) == luts


@given(st.lists(st.sampled_from(["&", "|", "^"]), min_size=1, max_size=12), st.integers(1, 6))
def test_a_chain_takes_a_lut_for_three_operators(signs: list[str], bits: int) -> None:
    terms = "".join(f" {sign} x[{place + 1}]" for place, sign in enumerate(signs))
    brackets = "(" * len(signs)
    chain = brackets + "x[0]" + terms.replace("]", "])").replace("x[0])", "x[0]")
    graph = graph_of(f"(x: u{bits}[{len(signs) + 1}]) -> (y: u{bits}) {{ y = {chain} }}")
    assert sum(graph.luts) == bits * -(-len(signs) // 3)


def test_a_graph_that_is_too_large_is_priced_by_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hwmodel.datapath.graph.packing.LARGEST", 10)
    graph = graph_of("(x: u16[3]) -> (y: u16) { y = x[0] ^ x[1] ^ x[2] }")
    outputs = [node for places in graph.outputs.values() for node in places]
    sums = graph.small_sums
    assert (
        packed_luts(graph.operators, graph.operands, graph.numbers, graph.details, graph.needed, sums, outputs) is None
    )
    assert sorted(graph.luts)[-2:] == [16, 16]


@given(st.lists(st.lists(st.integers(0, 6), min_size=2, max_size=2), min_size=1, max_size=12), st.integers(1, 3))
def test_groups_of_gates_are_covered_alike_and_apart(pairs: list[list[int]], copies: int) -> None:
    gates = Gates()
    roots: list[int] = []
    sizes = []
    for _ in range(copies):
        literals = gates.leaves(5)
        for left, right in pairs:
            literals.append(gates.differ(gates.both(literals[left % len(literals)], literals[right % 5]), literals[-1]))
        roots.append(literals[-1] >> 1)
        sizes.append(len(gates.cover(roots[-1:], 4, 6)))
    whole = gates.cover(roots, 4, 6)
    assert len(set(sizes)) == 1
    assert len(whole) == copies * sizes[0]
    assert all(gates.is_gate(gate) for gate in whole)
    assert {gate for gate in roots if gates.is_gate(gate)} <= set(whole)
