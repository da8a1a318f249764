"""The bits of integer nodes that may be one: a sum of numbers without a common one is only wires.

A mask of such bits is an integer in two's complement, below 0 if the sign may be set. It follows from the range of a
node, and from constants, shifts, masks and multiplexers before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hwmodel.datapath.graph.graph import CONSTANT, RESIZE, SHIFT
from hwmodel.datapath.graph.nodes import Nodes
from hwmodel.datapath.numbers import F32, wrapped

_ONE_OF = {"mux": 1, "select": 1, "min": 0, "max": 0, "or": 0, "xor": 0}  # bits of the operands from this one on
_SUMS = frozenset({"add", "sub", "neg"})
_WITH_GAPS = frozenset({SHIFT, RESIZE, CONSTANT, "and", "mulc", *_ONE_OF})


@dataclass(slots=True)
class Ones:
    """The masks of the nodes so far, computed when they are needed."""

    nodes: Nodes
    masks: list[int] = field(default_factory=list)

    def of(self, node: int) -> int:
        """The mask of a node."""
        for place in range(len(self.masks), node + 1):
            self.masks.append(self._mask(place))
        return self.masks[node]

    def are_disjoint(self, a: int, b: int) -> bool:
        """Whether two integer nodes never have a one at the same position."""
        records = self.nodes.records
        if records[a][0] not in _WITH_GAPS and records[b][0] not in _WITH_GAPS:
            return False  # both have a lowest bit
        return not self.of(a) & self.of(b)

    def _mask(self, node: int) -> int:
        """The mask of a node, limited to its range."""
        operator, operands, code, detail, _ = self.nodes.records[node]
        low, high = self.nodes.low[node], self.nodes.high[node]
        if low == high or code >= F32:
            return low
        mask = wrapped(self._unwrapped(operator, operands, detail), code)
        return mask & ((1 << high.bit_length()) - 1) if low >= 0 else mask

    def _unwrapped(self, operator: str, operands: tuple[int, ...], detail: object) -> int:
        """The mask of a node before its number and range are considered."""
        masks = [self.masks[operand] for operand in operands]
        if operator in (SHIFT, RESIZE):
            places = detail if isinstance(detail, int) else 0
            return masks[0] << places if places > 0 else masks[0] >> -places
        if operator == "and":
            return masks[0] & masks[1]
        if operator in _ONE_OF:
            return _either(masks[_ONE_OF[operator] :])
        if operator in _SUMS:
            return -_lowest(_either(masks))
        if operator == "mulc":
            assert isinstance(detail, int)
            return -_lowest(masks[0]) * _lowest(detail)
        return -1


def _either(masks: Iterable[int]) -> int:
    """The union of masks."""
    either = 0
    for mask in masks:
        either |= mask
    return either


def _lowest(mask: int) -> int:
    """The lowest one of a mask; no multiple of it has a lower one."""
    return mask & -mask
