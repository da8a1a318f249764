"""Reads of an input at places that data say: a datapath asks whoever holds the input for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hwmodel.datapath.derive import Derived
from hwmodel.datapath.schedule.dataflow import ACCESS


@dataclass(frozen=True, slots=True)
class AccessPorts:
    """The module's ports of one read of the input `port`.

    The place of the element is on `address` in cycle `cycle` of the schedule, when `slot` is `slot`; its value is
    wanted on `data` `wait` cycles later, at the end of which a register takes it. Of a complex element it is the real
    (`part` 0) or the imaginary part (1).
    """

    port: str
    part: int
    address: str
    data: str
    address_bits: int
    data_bits: int
    cycle: int
    slot: int
    wait: int


def access_ports(derived: Derived) -> dict[int, AccessPorts]:
    """Access ports of a datapath by node, as the body has them."""
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
                cycle,
                (cycle + 1) % derived.interval,
                problem.timings[problem.classes[operation]].ticks // problem.room - 1,
            )
            counts[port] += 1
    return found
