"""Hypothesis strategies for dataflow graphs by hand, and a small technology with every sort of operator."""

from __future__ import annotations

from hypothesis import strategies as st

from arrayol.ir.types import ElementType
from hwmodel.datapath.graph.graph import CONSTANT, INPUT, RESIZE, Graph
from hwmodel.datapath.numbers import Number

# At 100 MHz a cycle has room for 8 ns: add chains, and takes two cycles for wide numbers; lt is long; mul is pipelined,
# max as well but without a clock that it was measured at; div keeps its unit for 3 cycles, min for 2.
TABLE = """
[path]
ns = 2
register = { pj = 0.5, ff = 1 }
[operators]
add = { ns = "1 + 0.2*w", lut = "20*w", pj = 1 }
sub = { ns = 0, lut = "3*w", pj = 1 }
lt = { ns = 19, lut = 90, pj = 2 }
mul = { max_mhz = 105, cycles = 3, lut = "40*w", ff = 30, pj = 8 }
max = { cycles = 1, lut = 150, pj = 3 }
div = { cycles = 5, every = 3, lut = 700, pj = 4 }
min = { cycles = 4, every = 2, lut = 500, pj = 4 }
xor = { ns = 3, lut = 2, pj = 1 }
mux_in = { ns = "0.3*k", lut = "0.4*w*k" }
"""
OPERATORS = ("add", "sub", "mul", "lt", "max", "div", "min", "xor")


@st.composite
def graphs(draw, most: int = 24, operators: tuple[str, ...] = OPERATORS) -> Graph:
    """Graphs with up to three ports either way and `most` operations, wires and constants among them."""
    ports = {f"p{number}": draw(st.integers(1, 6)) for number in range(draw(st.integers(1, 3)))}
    rows = []  # operator, operands, number, detail
    inputs = {}
    for port, size in ports.items():
        inputs[port] = tuple(range(len(rows), len(rows) + size))
        rows += [(INPUT, (), Number("unsigned", 8), (port, place)) for place in range(size)]
    rows.append((CONSTANT, (), Number("unsigned", 8), draw(st.integers(0, 255))))
    for _ in range(draw(st.integers(1, most))):
        operand = st.integers(0, len(rows) - 1)
        operator = draw(st.sampled_from((*operators, RESIZE)))
        if operator == RESIZE:
            rows.append((RESIZE, (draw(operand),), Number("unsigned", draw(st.integers(1, 40))), None))
        else:
            bits = 1 if operator == "lt" else draw(st.sampled_from((8, 16, 40)))
            rows.append((operator, (draw(operand), draw(operand)), Number("unsigned", bits), None))
    outputs = {}
    for number in range(draw(st.integers(1, 3))):
        outputs[f"q{number}"] = tuple(draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, max_size=5)))
    fields = (tuple(row[field] for row in rows) for field in range(4))
    types = dict.fromkeys((*inputs, *outputs), ElementType.U64)
    return Graph("drawn", *fields, (None,) * len(rows), inputs, outputs, types)
