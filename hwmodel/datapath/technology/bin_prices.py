"""Prices of what stands around the memories of a unit to whose words sums are added (docs/cost.md).

The memories themselves are local memories of the task (docs/machine.md, section 13).
"""

from __future__ import annotations

from hwmodel.datapath.graph.graph import Operation
from hwmodel.datapath.operators.bins import BIN_ADD, BINS_FULL, READ
from hwmodel.datapath.technology.technology import OperatorCost, Technology

_SUM_REGISTERS = 3  # of a word: the value, the word that it is added to, and the last sum
_ADDRESS_REGISTERS = 5  # of an address: of three sums one after another, of a read and of the word that it clears


def bin_price(technology: Technology, operation: Operation, clock_mhz: float) -> OperatorCost | None:
    """The price of an access of a memory; None where the technology has no sum, or none that is fast enough.

    A sum of the same word as the one before takes that one's result in the next cycle. So an addition and a multiplexer
    of three words have to fit in a cycle.
    """
    operator, bits, address = operation.operator, operation.w, operation.a
    if operator == BINS_FULL:
        return OperatorCost(operator, 0.0, 0, 1, None, {}, 0.0, estimate=False)
    sort = "add" if operator == BIN_ADD else "eq"
    part = Operation(sort, bits, bits, bits, bits, 1, luts=-(-7 * address // 10) if sort == "eq" else 0, chain=bits)
    row = technology.row(sort, clock_mhz)
    if row is None:
        return None
    own = technology.price(part, row)
    accesses = 2 * technology.access_fj(operation.k * bits, bits) / 1000
    if operator != BIN_ADD:
        return OperatorCost(operator, 0.0, READ, 1, None, {}, accesses, estimate=True)
    ns, chosen = technology.mux_in(bits, 3)
    if own.cycles or own.ns + ns > technology.room_ns(clock_mhz):
        return None
    cost = dict(own.cost)
    for name, amount in chosen.items():
        cost[name] = cost.get(name, 0.0) + amount
    for name, amount in technology.register_cost.items():
        held = _SUM_REGISTERS * bits + _ADDRESS_REGISTERS * (address + 1)
        cost[name] = cost.get(name, 0.0) + held * amount
    return OperatorCost(operator, 0.0, 1, 1, None, cost, own.pj + accesses, estimate=True)
