"""The datapath of an integer body at interval 1 as a pipeline in Verilog-2001, registers by its schedule.

Each port is one vector, element 0 in its lowest bits. The inputs of a repetition are taken at an edge of `clk`; cycle 0
of the schedule follows it. Its outputs stand in registers from `output_cycle` edges later on, for one cycle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arrayol.ir.types import ElementType, Kind
from hwmodel.datapath.derive import Derived
from hwmodel.datapath.graph.graph import CONSTANT, FREE, INPUT, RESIZE, Graph
from hwmodel.datapath.graph.numbers import Number
from hwmodel.emit.verilog.nets import Net, Nets, identifier, literal, part, resized
from hwmodel.emit.verilog.operators import print_operator, print_selection


def output_cycle(derived: Derived) -> int:
    """The first cycle, from the one in which the inputs are in registers, in which the outputs are."""
    return derived.latency + 1


def datapath_module(derived: Derived, name: str | None = None) -> str:
    """A module of ports `clk`, the inputs and the outputs.

    Raises ValueError for a datapath with floats, or at another interval than 1.
    """
    graph = derived.priced.dataflow.graph
    if derived.interval != 1 or any(number.is_float for number in graph.numbers):
        raise ValueError(graph.name)
    pipeline = _Pipeline(derived, graph)
    outputs = [line for port in graph.outputs for line in pipeline.output(port)]
    nets = pipeline.nets
    ports = ["  input wire clk"]
    ports += [f"  input wire [{_bits(graph, port) - 1}:0] {identifier(port)}" for port in graph.inputs]
    ports += [f"  output wire [{_bits(graph, port) - 1}:0] {identifier(port)}" for port in graph.outputs]
    clocked = ["  always @(posedge clk) begin", *nets.clocked, "  end"] if nets.clocked else []
    return "\n".join(
        [
            f"module {identifier(name or graph.name)} (",
            ",\n".join(ports),
            ");",
            *nets.declared,
            *nets.assigned,
            *clocked,
            *outputs,
            "endmodule",
            "",
        ]
    )


def number_of_type(kind: ElementType) -> Number:
    """The number that an element of an integer, fixed-point or bool port is."""
    return Number("signed" if kind.kind is Kind.SIGNED else "unsigned", kind.bits)


def _bits(graph: Graph, port: str) -> int:
    places = graph.inputs.get(port) or graph.outputs[port]
    return len(places) * graph.types[port].bits


@dataclass(slots=True)
class _Pipeline:
    """Makes the nets of values in the cycles in which they are wanted, the last users first asked for."""

    derived: Derived
    graph: Graph
    nets: Nets = field(default_factory=Nets)
    known: dict[tuple[int, int], Net] = field(default_factory=dict)  # by node and cycle
    started: dict[int, tuple[int, int]] = field(default_factory=dict)  # by node: first and last cycle of an operation
    elements: dict[tuple[str, int], Net] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problem, placed = self.derived.folded.problem, self.derived.folded.placed
        for operation, node in enumerate(self.derived.priced.dataflow.nodes):
            ticks = problem.timings[problem.classes[operation]].ticks
            first = placed.starts[operation] // problem.room
            self.started[node] = first, first + max(1, -(-ticks // problem.room)) - 1
        for node in range(len(self.graph)):  # operands come first: no call of `at` goes deep
            if node in self.started:
                self._compute(node)

    def at(self, node: int, cycle: int) -> Net:
        """The net that holds a node's value in a cycle."""
        known = self.known.get((node, cycle))
        if known is None:
            known = self.known[node, cycle] = self._at(node, cycle)
        return known

    def _at(self, node: int, cycle: int) -> Net:
        operator, number = self.graph.operators[node], self.graph.numbers[node]
        detail: Any = self.graph.details[node]
        if operator == CONSTANT:
            assert isinstance(detail, int)
            return self.nets.wire(literal(detail, number.bits), number)
        if operator == INPUT:
            port, place = detail
            return self._delayed(self._element(port, place), 0, cycle, node)
        if operator in FREE:
            source = self.at(self.graph.operands[node][0], cycle)
            return self.nets.wire(_wires(source, operator, detail, number.bits), number)
        return self._delayed(self.known[node, self.started[node][1]], self.started[node][1], cycle, node)

    def _delayed(self, net: Net, born: int, cycle: int, node: int) -> Net:
        """A value some cycles after it was there first, through registers that others share."""
        assert cycle >= born, "a schedule that uses a value before it is there"
        for own in range(born, cycle):
            later = self.known.get((node, own + 1))
            if later is None:
                later = self.known[node, own + 1] = self.nets.register(net.name, net.number, f"n${node}_{own + 1}")
            net = later
        return net

    def _element(self, port: str, place: int) -> Net:
        """The register of an element of an input."""
        if (port, place) not in self.elements:
            number = number_of_type(self.graph.types[port])
            low = place * number.bits
            value = f"{identifier(port)}[{low + number.bits - 1}:{low}]"
            self.elements[port, place] = self.nets.register(value, number, f"in${port}_{place}")
        return self.elements[port, place]

    def _compute(self, node: int) -> None:
        graph = self.graph
        first, last = self.started[node]
        number = graph.numbers[node]
        detail: Any = graph.details[node]
        operands = [self.at(operand, first) for operand in graph.operands[node]]
        cycles = last - first + 1
        if graph.operators[node] == "access":
            port, _ = detail
            places = range(len(graph.inputs[port]))
            values = [self._delayed_element(port, place, first) for place in places]
            self.known[node, last] = print_selection(self.nets, operands[0], values, 0, number, cycles)
            return
        self.known[node, last] = print_operator(self.nets, graph.operators[node], operands, detail, number, cycles)

    def _delayed_element(self, port: str, place: int, cycle: int) -> Net:
        node = self.graph.inputs[port][place]
        if node >= 0:
            return self.at(node, cycle)
        net = self._element(port, place)
        for _ in range(cycle):
            net = self.nets.register(net.name, net.number)
        return net

    def output(self, port: str) -> list[str]:
        """Assignments of the elements of an output."""
        bits = self.graph.types[port].bits
        lines = []
        for place, node in enumerate(self.graph.outputs[port]):
            net = self.at(node, output_cycle(self.derived))
            low = place * bits
            lines.append(f"  assign {identifier(port)}[{low + bits - 1}:{low}] = {resized(net, bits)};")
        return lines


def _wires(source: Net, operator: str, distance: object, bits: int) -> str:
    """A node shifted by a constant distance, or only resized."""
    if operator == RESIZE:
        return resized(source, bits)
    assert isinstance(distance, int)
    if distance >= 0:
        own = resized(source, bits - distance)
        return f"{{{own}, {distance}'d0}}"
    return part(source, bits - distance, -distance)
