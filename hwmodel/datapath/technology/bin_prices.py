"""Prices of what stands around the memories of a unit to whose words sums are added (docs/cost.md).

The memories themselves are local memories of the task (docs/machine.md, section 13).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hwmodel.datapath.graph.graph import Operation
from hwmodel.datapath.operators.bins import BIN_ADD, BINS_FULL, READ
from hwmodel.datapath.technology.technology import OperatorCost, Technology

_WORD_REGISTERS = 4  # the value, the word that it is added to, the last sum, and what is read
_ADDRESS_REGISTERS = 5  # of three sums one after another, of a read and of what is cleared
_WORD_SOURCES = 4  # what a value is added to: a word of either memory, or one of the last two sums


def bin_price(technology: Technology, operation: Operation, clock_mhz: float) -> OperatorCost | None:
    """The price of an access of a memory; None where the technology has no sum, or none that is fast enough.

    A sum of the same word as the one before takes that one's result in the next cycle. So an addition and the
    multiplexer before it have to fit in a cycle.
    """
    operator, bits = operation.operator, operation.w
    if operator == BINS_FULL:
        return OperatorCost(operator, 0.0, 0, 1, None, {}, 0.0, estimate=False)
    row = technology.row("add", clock_mhz)
    if row is None:
        return None
    sum_of_words = technology.price(Operation("add", bits, bits, bits, bits, 1, chain=bits), row)
    accesses = 2 * technology.access_fj(operation.k * bits, bits) / 1000
    if operator != BIN_ADD:
        return OperatorCost(operator, 0.0, READ, 1, None, {}, accesses, estimate=True)
    ns, _ = technology.mux_in(bits, _WORD_SOURCES)
    if sum_of_words.cycles or sum_of_words.ns + ns > technology.room_ns(clock_mhz):
        return None
    cost = _total(sum_of_words.cost, *_wiring_costs(technology, bits, operation.a))
    return OperatorCost(operator, 0.0, 1, 1, None, cost, sum_of_words.pj + accesses, estimate=True)


def _wiring_costs(technology: Technology, bits: int, address: int) -> Iterator[Mapping[str, float]]:
    """The costs of multiplexers and registers around two memories."""
    yield technology.mux_in(bits, _WORD_SOURCES)[1]
    for width in (bits, bits, bits, address, address):  # what is read; what each memory takes; where it is read
        yield technology.mux_in(width, 2)[1]
    for _ in range(2):
        yield technology.mux_in(address, 3)[1]  # where it is written
    held = _WORD_REGISTERS * bits + _ADDRESS_REGISTERS * (address + 1)
    yield {name: held * amount for name, amount in technology.register_cost.items()}


def _total(*costs: Mapping[str, float]) -> dict[str, float]:
    total: dict[str, float] = {}
    for cost in costs:
        for name, amount in cost.items():
            total[name] = total.get(name, 0.0) + amount
    return total
