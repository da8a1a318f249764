"""Reads of an input at subscripts of data: ports of a datapath for the subscript and for the element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hwmodel.datapath.derive import Derived
from hwmodel.datapath.graph.graph import ACCESS


@dataclass(frozen=True, slots=True)
class AccessPorts:
    """The module's ports of one read of the input `port`.

    The number of the element is on `address` in cycle `cycle` of the schedule, in which the module's `slot` is `slot`.
    Its value must be on `data` in the cycle `wait` cycles later, at the end of which a register takes it. Of a complex
    element of `element_bits` it is the real (`part` 0) or the imaginary part (1).
    """

    port: str
    part: int
    address: str
    data: str
    address_bits: int
    data_bits: int
    element_bits: int
    cycle: int
    slot: int
    wait: int

    def of_element(self, net: str) -> str:
        """What `data` takes of a net with the element."""
        low = self.part * self.data_bits
        return net if self.element_bits == self.data_bits else f"{net}[{low + self.data_bits - 1}:{low}]"


def access_ports(derived: Derived) -> dict[int, AccessPorts]:
    """The access ports of a datapath by node of its graph; those of an input are numbered in the order of the nodes."""
    dataflow, problem, placed = derived.priced.dataflow, derived.folded.problem, derived.folded.placed
    graph, counts = dataflow.graph, dict.fromkeys(dataflow.graph.inputs, 0)
    found = {}
    for operation, node in enumerate(dataflow.nodes):
        if graph.operators[node] == ACCESS:
            detail: Any = graph.details[node]
            port, part = detail
            cycle = placed.starts[operation] // problem.room
            found[node] = AccessPorts(
                port,
                part,
                f"{port}$address{counts[port]}",
                f"{port}$data{counts[port]}",
                graph.numbers[graph.operands[node][0]].bits,
                graph.numbers[node].bits,
                graph.types[port].bits,
                cycle,
                (cycle + 1) % derived.interval,
                problem.timings[problem.classes[operation]].ticks // problem.room - 1,
            )
            counts[port] += 1
    return found
