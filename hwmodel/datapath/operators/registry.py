"""All nodes of graphs by their names, and the datapaths of the language's operators and functions.

The names of the language are those of arrayol/operators/registry.py; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hwmodel.datapath.operators import arithmetic, logic
from hwmodel.datapath.operators.record import NodeOperator, OperatorNodes

_FILES = (arithmetic, logic)

NODES: Mapping[str, NodeOperator] = MappingProxyType({node.name: node for file in _FILES for node in file.NODES})
DATAPATHS: Mapping[tuple[str, int], OperatorNodes] = MappingProxyType(
    {(datapath.name, datapath.operands): datapath for file in _FILES for datapath in file.DATAPATHS}
)
