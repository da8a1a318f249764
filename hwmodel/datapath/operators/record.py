"""The records of operators on the hardware's side: nodes of a datapath's graph, and the datapaths of the language's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hwmodel.datapath.numbers import Number
from hwmodel.datapath.operators.nets import Net, Nets

Values: TypeAlias = Any  # an NDArray: a row of lanes
Compute = Callable[[list[Values], Any, bool], Values]
Circuit = Callable[[Nets, Sequence[Net], Number], Net]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeOperator:
    """An operator of a datapath's graph.

    `integers` computes it on rows of int64 with the bits of 64, from the operands, the node's detail, and whether an
    operand has all 64 bits and no sign; what is returned is cut to the node's number. `floats` is NumPy's function on
    floats. Each is None where there is no such node. `circuit` is its Verilog, of integers in one cycle: it adds nets
    and gives the one of the result, which has the node's number; of floats the circuits are in
    `hwmodel/emit/verilog/datapaths/floats/`. Where operands may change places it `commutes`, of floats `commutes_real`.

    `modular`: the low bits of a result depend on as many low bits of the operands alone. Technology tables price it by
    the rows of its name, and where they have none by those of `like`; it then has a LUT for each bit beside a carry
    chain, if that has. `float_row`: of a float it is a gate for the sign bit, which these rows price. An access of a
    memory in the unit (bins.py) is `in_memory`, and has no row.
    """

    name: str
    integers: Compute | None = None
    floats: Callable[..., Values] | None = None
    circuit: Circuit | None = None
    commutes: bool = False
    commutes_real: bool = False
    modular: bool = False
    like: str = ""
    float_row: str = ""
    in_memory: bool = False


def of_operands(apply: Callable[..., Values]) -> Compute:
    """A function of the operands alone, right modulo 2**64."""
    return lambda operands, *_: apply(*operands)


def ordered(apply: Callable[..., Values]) -> Compute:
    """A function that needs the order of its operands."""

    def run(operands: list[Values], _: object, unsigned: bool) -> Values:
        if unsigned:
            operands = [operand.view(np.uint64) for operand in operands]
        return apply(*operands)

    return run


# The datapaths of the language's operators: what builds nodes, as graph/operations.py gives it, is `Any` here, since it
# is made of these records.

Build = Callable[[Any, Sequence[Any], int], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorNodes:
    """An operator or function of the language as nodes; `operands` are 1 or 2, those of a function 0.

    Each builder gets what builds nodes (graph/operations.py: Operations), the operands, and the code of a type: the
    code of the result for integers, of the operands for floats, of the parts for complex numbers. An operand is a list
    with a node for each point, for complex numbers a pair of lists. A builder is None if there is no datapath: a body
    that uses it is refused by name. `complex_nodes` is the number of nodes of complex operands, before any is shared.
    """

    name: str
    operands: int = 0
    integers: Build | None = None
    floats: Build | None = None
    complex: Build | None = None
    complex_nodes: int = 2


def each_integer(method: Callable[[Any], Callable[..., int]]) -> Build:
    """A builder of integers that calls a method of graph/integers.py with the operands and the code, for each point."""

    def build(operations: Any, operands: Sequence[Any], code: int) -> list[int]:
        apply = method(operations.integers)
        return [apply(*nodes, code) for nodes in zip(*operands, strict=True)]

    return build
