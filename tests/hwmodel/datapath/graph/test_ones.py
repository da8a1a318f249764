"""Bits that may be one: none that is one is missed, and sums of bits that never meet are wires."""

from __future__ import annotations

import numpy as np
import pytest
from graph_values import evaluate, evaluate_nodes
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_bodies import INTEGER_TYPES, drawn_inputs, elementaries, elementary_of, runnable

from hwmodel.datapath.graph.build import build_graph
from hwmodel.datapath.graph.graph import CONSTANT, Graph
from hwmodel.datapath.graph.nodes import Nodes
from hwmodel.datapath.graph.ones import Ones
from hwmodel.datapath.numbers import NUMBERS, range_of, wrapped


def ones_of(graph: Graph) -> Ones:
    """The masks of a graph's nodes, of which no more is known than their numbers."""
    nodes = Nodes()
    rows = zip(graph.operators, graph.operands, graph.numbers, graph.details, strict=True)
    for operator, operands, number, detail in rows:
        code = NUMBERS.index(number, 1)
        interval = (0, 1) if number.is_float else range_of(code)
        if operator == CONSTANT and isinstance(detail, int) and not number.is_float:
            interval = (detail, detail)
        nodes.records.append((operator, operands, code, detail, None))
        nodes.low.append(interval[0])
        nodes.high.append(interval[1])
    return Ones(nodes)


def assert_no_one_is_missed(graph: Graph, rows: list[np.ndarray]) -> None:
    ones = ones_of(graph)
    for node, number in enumerate(graph.numbers):
        if not number.is_float:
            code = NUMBERS.index(number, 1)
            for row in map(int, np.atleast_1d(rows[node])):
                value = wrapped(row, code)  # a constant from 2^63 on is evaluated as its 64 bits below zero
                assert value & ~ones.of(node) == 0, (graph.operators[node], value, ones.of(node))


@given(elementaries(INTEGER_TYPES), st.integers(0, 1 << 20))
@settings(max_examples=case_count(80))
def test_no_one_is_missed(text: str, seed: int) -> None:
    elementary = elementary_of(text)
    found = runnable(elementary, drawn_inputs(elementary.inputs, 8, seed))
    if found is not None:
        graph = build_graph(elementary)
        assert_no_one_is_missed(graph, evaluate_nodes(graph, found[0]))


BODIES = {
    "morton": "z += (u12(x >> k & 1) << 2 * k) | (u12(y >> k & 1) << 2 * k + 1)  for k in 0..6",
    "masks": "z = u12(x & 40) + u12(y & 20) + (u12(x & 3) << 6)",
    "choice": "z = u12(16 if x > y else 32) + u12(y & 15)",
    "signed": "z = u12(((i16(x) - y) * 8 + i16(x & 5)) & 4095)",
}


@pytest.mark.parametrize(("name", "adders"), [("morton", 0), ("masks", 0), ("choice", 0), ("signed", 0)])
def test_bits_side_by_side_are_wires(name: str, adders: int) -> None:
    elementary = elementary_of(f"elementary e(x: u6, y: u6) -> (z: u12) {{ {BODIES[name]} }}")
    graph = build_graph(elementary)
    assert graph.operators.count("add") == adders
    both = np.arange(1 << 12)
    inputs = {"x": both[None, :] & 63, "y": both[None, :] >> 6}
    assert_no_one_is_missed(graph, evaluate_nodes(graph, inputs))
    x, y = inputs["x"][0], inputs["y"][0]
    turns = sum(((x >> k & 1) << 2 * k) + ((y >> k & 1) << 2 * k + 1) for k in range(6))
    wanted = {
        "morton": turns,
        "masks": (x & 40) + (y & 20) + ((x & 3) << 6),
        "choice": np.where(x > y, 16, 32) + (y & 15),
        "signed": (8 * (x - y) + (x & 5)) & 4095,
    }
    assert (evaluate(graph, inputs)["z"][0] == wanted[name]).all()


@pytest.mark.parametrize("body", ["z = u12(x) + u12(y)", "z = u12(x & 24) + u12(y & 12)", "z = u12(x) + (u12(y) << 5)"])
def test_bits_that_may_meet_are_added(body: str) -> None:
    graph = build_graph(elementary_of(f"elementary e(x: u6, y: u6) -> (z: u12) {{ {body} }}"))
    assert graph.operators.count("add") == 1


@pytest.mark.parametrize("divisor", [3, 10, 60, 97])
def test_quotient_and_rest_are_one_division(divisor: int) -> None:
    graph = build_graph(
        elementary_of(f"elementary e(x: u12) -> (q: u12, r: u12) {{ q = x // {divisor} r = x % {divisor} }}")
    )
    assert graph.operators.count("divc") == 1
    x = np.arange(1 << 12)
    found = evaluate(graph, {"x": x[None, :]})
    assert (found["q"][0] == x // divisor).all()
    assert (found["r"][0] == x % divisor).all()


def test_constants_of_all_64_bits_have_all_ones() -> None:
    graph = build_graph(elementary_of("elementary e(x: i8) -> (y: u64) { y = u64(0) - u64(1) }"))
    inputs = {"x": np.zeros((1, 1), np.int64)}
    assert_no_one_is_missed(graph, evaluate_nodes(graph, inputs))
    assert int(evaluate(graph, inputs)["y"][0, 0]) % 2**64 == 2**64 - 1
