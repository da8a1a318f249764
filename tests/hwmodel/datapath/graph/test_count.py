"""Nodes counted before a body is unrolled."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from many_cases import case_count
from strategies_bodies import elementaries, elementary_of

from arrayol import api
from arrayol.errors import ArrayolError
from hwmodel.datapath.graph.build import build_graph, count_nodes, require_countable

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize(
    ("body", "ports", "count"),
    [
        ("y[i] = x[i] + 1 for i in 0..4", "(x: u8[4]) -> (y: u8[4])", 4),
        ("y += x[i] * x[j] for i in 0..4, j in i..4", "(x: u8[4]) -> (y: u8)", 20),
        ("y += x[j] for i in 0..4, j in i..4, k in 0..j", "(x: u8[4]) -> (y: u8)", 20),
        ("y += x[k] for i in 0..3, j in 0..i, k in 0..4", "(x: u8[4]) -> (y: u8)", 12),
        ("loop i in 0..4 { y[i] = x[i] y[i] += x[j] for j in 0..i }", "(x: u8[4]) -> (y: u8[4])", 4 + 6),
        ("y += x[k] * x[k] for k in 0..3", "(x: c64[3]) -> (y: c64)", 3 * (6 + 2)),
        ("y = 0 y += x[i] for i in 0..600, j in 0..600 where i == j", "(x: u8[600]) -> (y: u8)", 601),
    ],
)
def test_counts(body: str, ports: str, count: int) -> None:
    assert count_nodes(elementary_of(f"elementary e{ports} {{ {body} }}")) == count


@given(elementaries(("i16", "u8", "bool", "i64")))
@settings(max_examples=case_count(100))
def test_no_graph_has_many_more_operators(text: str) -> None:
    """Conversions, signs of negative dividends and multiplexers of writes add a few to each that is counted."""
    elementary = elementary_of(text)
    built = sum(operation is not None for operation in build_graph(elementary).operations)
    assert built <= 8 * count_nodes(elementary)


def test_large_bodies_are_refused_before_they_are_unrolled() -> None:
    text = "elementary e(x: f32) -> (y: f32) { y += x for i in 0..1000000000, j in 0..1000000000 }"
    with pytest.raises(ArrayolError) as caught:
        require_countable(elementary_of(text))
    (found,) = caught.value.diagnostics
    assert (found.code, found.span is not None) == ("graph-too-large", True)
    assert found.message == (
        "the body of 'e' has 1,000,000,000,000,000,000 operations when it is unrolled, more than 200,000: "
        "no datapath is derived"
    )
    assert found.hint == (
        "make its pattern smaller, as a block of fewer elements, or give its figures in the platform, in [elementary.e]"
    )


def test_the_product_of_matrices_is_refused() -> None:
    matmul = api.load(ROOT / "specs" / "matmul.aol").elementaries["matmul"]
    assert count_nodes(matmul) == 2 * 32 * 32 * 256
    with pytest.raises(ArrayolError, match="graph-too-large"):
        build_graph(matmul)
