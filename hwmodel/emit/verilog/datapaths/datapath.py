"""A datapath at an interval of I cycles in Verilog-2001, to the cycle as derived (docs/cost.md).

Ports of the module:

- `clk`, and where I > 1 `slot`, of ceil(log2 I) bits: it counts 0, 1 .. I - 1 round and round, and is I - 1 before the
  first repetition;
- a bus for each input of p elements, which brings a chunk of ceil(p / I): in a cycle in which `slot` is j, elements
  j ceil(p / I) and on, the first in the lowest bits. The edge that ends the cycle takes them. What the last chunk has
  beyond the port's elements may be anything;
- a bus for each output of k elements, of ceil(k / I) elements. It is not registered: what writes it to a memory takes
  it at the edge that ends the cycle;
- for an output with `early` elements a second bus `NAME$early` of these, the first in the lowest bits, which is not
  registered either: each has the place of an element and a cycle of the schedule, no earlier than the element is made,
  in which it stands there, and in all other cycles is anything;
- for each read of an input at a place that data say, `NAME$address0`, an output with the place of the element, and
  `NAME$data0`, an input that brings it some cycles later (`access_ports`); then `NAME$address1` and so on. An input of
  which no element is read in another way has no bus.

Cycle 0 of the schedule is the one after the edge that takes chunk 0, so that `slot` is (n + 1) mod I in cycle n. On an
output the elements that leave in cycle L + t, with L = `derived.latency` and t from 0 to I - 1, are
`leaving(k, I)[t]`, the first of them in the lowest bits (chunks.py); in all other bits and cycles is anything. A
repetition may begin every I cycles, whenever `slot` is 0, or none may: then what leaves is anything.

With `kept`, pairs of an output and an input that a delay joins, as `derived.recurrence` has them, the state of a chain
stays in registers of the module. Two more inputs come with chunk 0, when `slot` is 0: `valid` says that a repetition
begins, `first` that it takes these inputs from the bus; else it takes what the repetition before made, whatever is on
the bus. That one must have begun ceil(R / I) I cycles before at least, R the greatest of the pairs' recurrences. This
is for a unit with one chain in work.

A datapath with memories to whose words sums are added (bins.py) also has `valid`, and `reset`: after a reset no
repetition may begin for as many cycles as its largest memory has words. One that is `enabled` is cleared by `clear`
instead, which takes that long; a `reset` takes no time, but may only come when all words of a repetition are read.

Each operator is one that was priced, with a multiplexer before an input that has several sources; registers hold
values from one use to the next and share what comes over one wire (registers.py). What an operator with multiplexers
takes is in registers, so that no path of the circuit is longer than one of the schedule and none is a circle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from arrayol.errors import ArrayolError, Diagnostic
from arrayol.text import counted
from hwmodel.datapath.derive import Derived
from hwmodel.datapath.graph.graph import Graph
from hwmodel.datapath.operators.nets import identifier
from hwmodel.emit.verilog.access import access_ports
from hwmodel.emit.verilog.datapaths.chunks import bus_bits, early_bus, has_bus, slot_bits
from hwmodel.emit.verilog.datapaths.floats.operators import circuit_of, float_operator, is_printed
from hwmodel.emit.verilog.datapaths.operators import is_integer_printed
from hwmodel.emit.verilog.datapaths.printer import print_datapath
from hwmodel.emit.verilog.datapaths.states import Early, Kept
from hwmodel.emit.verilog.datapaths.units import units_of


def datapath_module(
    derived: Derived,
    name: str | None = None,
    kept: Kept = frozenset(),
    early: Early = frozenset(),
    *,
    enabled: bool = False,
) -> str:
    """The module; those of `operator_modules` stand beside it. `kept` are delays whose state it keeps.

    `early` are outputs with a second bus, with what stands there: places of elements, and cycles. One that is `enabled`
    has an input `go`, and moves only in cycles in which that is 1: those are its cycles.

    Raises ArrayolError (`not-in-hardware`) for each operator that no circuit is printed of.
    """
    graph = derived.priced.dataflow.graph
    mistakes = refusals(derived)
    if mistakes:
        raise ArrayolError(mistakes)
    printed = print_datapath(derived, kept, early, enabled)
    nets = printed.nets
    enable = (" if (go || reset)" if derived.bins else " if (go)") if enabled else ""
    clocked = [f"  always @(posedge clk){enable} begin", *nets.clocked, "  end"] if nets.clocked else []
    return "\n".join(
        [
            f"module {identifier(name or graph.name)} (",
            ",\n".join(f"  {port}" for port in _ports(derived, graph, kept, early, enabled)),
            ");",
            *nets.declared,
            *nets.assigned,
            *clocked,
            *printed.outputs,
            "endmodule",
            "",
        ]
    )


def operator_modules(derived: Derived, *, enabled: bool = False) -> dict[str, str]:
    """The modules of floating-point operators that a datapath has instances of, by their names."""
    circuits = {operator.module(stages): (operator, stages) for operator, stages in print_datapath(derived).circuits}
    modules = (circuit_of(*circuits[name]) for name in sorted(circuits))
    return {(f"{one.name}_go" if enabled else one.name): one.verilog(enabled=enabled) for one in modules}


def refusals(derived: Derived) -> list[Diagnostic]:
    """Each sort of operator that a datapath has and no circuit is printed of, where the body first asks for it."""
    priced, graph = derived.priced, derived.priced.dataflow.graph
    told: dict[str, Diagnostic] = {}
    for unit in units_of(derived):
        node = priced.dataflow.nodes[unit.operations[0]]
        operator = float_operator(graph, node)
        if operator is None:
            printed = is_integer_printed(unit.operator)
        else:
            printed = is_printed(replace(operator, every=unit.every), unit.stages - unit.chosen)
        if printed:
            continue
        price = priced.prices[priced.by_operation[unit.operations[0]]]
        busy = f" that is busy for {counted(unit.every, 'cycle')}" if unit.every > 1 else ""
        told.setdefault(
            price.operator,
            Diagnostic(
                "not-in-hardware",
                f"'{graph.name}' cannot be printed: '{price.operator}' has no circuit{busy}",
                graph.spans[node],
                "docs/hardware.md lists the operators of floats that are printed",
            ),
        )
    return list(told.values())


def _ports(derived: Derived, graph: Graph, kept: Kept, early: Early, enabled: bool) -> Iterator[str]:
    yield "input wire clk"
    if enabled:
        yield "input wire go"
    if derived.interval > 1:
        yield f"input wire [{slot_bits(derived.interval) - 1}:0] slot"
    if derived.bins:
        yield from ("input wire reset", *(("input wire clear",) if enabled else ()))
    if kept or derived.bins:
        yield "input wire valid"
    if kept:
        yield "input wire first"
    for port in filter(lambda port: has_bus(graph, port), graph.inputs):
        yield f"input wire [{bus_bits(graph, port, derived.interval) - 1}:0] {identifier(port)}"
    for access in access_ports(derived).values():
        yield f"output wire [{access.address_bits - 1}:0] {access.address}"
        yield f"input wire [{access.data_bits - 1}:0] {access.data}"
    for port in graph.outputs:
        yield f"output wire [{bus_bits(graph, port, derived.interval) - 1}:0] {identifier(port)}"
    for port, own in sorted(early):
        yield f"output wire [{len(own) * graph.types[port].bits - 1}:0] {early_bus(port)}"
