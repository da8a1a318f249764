"""Nodes and datapaths of functions of floats, and of the parts of complex numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hwmodel.datapath.operators.arithmetic import real_unary
from hwmodel.datapath.operators.record import NodeOperator, OperatorNodes

_UNARY = ("sqrt", "exp", "log", "sin", "cos", "tan", "floor", "ceil")

NODES = (
    *(NodeOperator(name=name, floats=getattr(np, name)) for name in _UNARY),
    NodeOperator(name="hypot", floats=np.hypot, commutes_real=True),
    NodeOperator(name="fscale"),
    NodeOperator(name="fpos0"),
    NodeOperator(name="cvt"),
)


def _conjugate(operations: Any, operands: Sequence[Any], code: int) -> Any:
    real, imaginary = operands[0]
    return real, [operations.floats.unary("neg", node, code) for node in imaginary]


DATAPATHS = (
    *(OperatorNodes(name=name, floats=real_unary(name)) for name in _UNARY),
    OperatorNodes(name="real", complex=lambda operations, operands, code: operands[0][0]),
    OperatorNodes(name="imag", complex=lambda operations, operands, code: operands[0][1]),
    OperatorNodes(name="conj", complex=_conjugate),
)
