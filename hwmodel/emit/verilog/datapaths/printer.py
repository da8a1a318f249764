"""Nets, operators and registers of a datapath.

A value has a source, a wire on which it is in one cycle of the schedule: the result of an operator, or a lane of an
input's bus. In later cycles it is in registers. Registers and inputs of shared operators are named before anything is
printed, so that operators may feed each other in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from hwmodel.datapath.derive import Derived
from hwmodel.datapath.graph.graph import ACCESS, CONSTANT, FREE, INPUT, RESIZE, Graph
from hwmodel.datapath.numbers import Number
from hwmodel.datapath.operators.bins import BIN_ADD, BIN_READ, Bins, bins_in
from hwmodel.datapath.operators.nets import Net, Nets, identifier, literal, part, resized
from hwmodel.datapath.schedule.registers import Life, ScheduledRegister, registers_for
from hwmodel.emit.verilog.access import AccessPorts, access_ports
from hwmodel.emit.verilog.datapaths.bins import BinAccesses, BinPrinter
from hwmodel.emit.verilog.datapaths.chunks import chunk_size, early_bus, elements_of, slot_bits
from hwmodel.emit.verilog.datapaths.floats.operators import FloatOperator, float_operator, print_float_operator
from hwmodel.emit.verilog.datapaths.operators import print_operator
from hwmodel.emit.verilog.datapaths.states import Early, Kept
from hwmodel.emit.verilog.datapaths.units import Unit, input_number, result_number
from hwmodel.emit.verilog.datapaths.uses import Uses, ValueUse, indices, uses_in


@dataclass(frozen=True, slots=True)
class Printed:
    """The nets of a datapath, lines that say what its outputs are, and the circuits of floats that it has."""

    nets: Nets
    outputs: Sequence[str]
    circuits: frozenset[tuple[FloatOperator, int]]


@lru_cache(maxsize=8)
def print_datapath(
    derived: Derived, kept: Kept = frozenset(), early: Early = frozenset(), enabled: bool = False
) -> Printed:
    """A datapath whose operators can all be printed."""
    graph, uses = derived.priced.dataflow.graph, uses_in(derived, kept, early)
    printer = _Printer(derived, graph, uses, access_ports(derived), Nets(enabled=enabled))
    for label, nodes in printer.wires():
        printer.name_registers(label, nodes)
    printer.name_states()
    printer.print_operators()
    BinPrinter(printer.nets, derived.interval).print(printer.bins.values())
    printer.load_states()
    printer.load_registers()
    outputs = [line for port in printer.graph.outputs for line in printer.output(port)]
    outputs += [line for port in printer.uses.early for line in printer.early_output(port)]
    return Printed(printer.nets, outputs, frozenset(printer.circuits))


@dataclass(frozen=True, slots=True)
class _Source:
    """The wire of a value, and the cycle in which it is there."""

    net: Net
    cycle: int


@dataclass(slots=True)
class _Printer:
    """`sources` and `homes`, the registers with what they hold, are by the node that a value is of."""

    derived: Derived
    graph: Graph
    uses: Uses
    accesses: dict[int, AccessPorts]
    nets: Nets
    sources: dict[int, _Source] = field(default_factory=dict)
    homes: dict[int, list[tuple[Life, Net]]] = field(default_factory=dict)
    registers: list[tuple[ScheduledRegister, Net]] = field(default_factory=list)
    parts: dict[tuple[str, Number], Net] = field(default_factory=dict)  # wires without logic
    circuits: set[tuple[FloatOperator, int]] = field(default_factory=set)
    states: dict[int, int] = field(default_factory=dict)  # by node of an input's element: the value that is kept
    bins: dict[Bins, BinAccesses] = field(default_factory=dict)
    flags: dict[str, int] = field(default_factory=dict)  # by name: how many repetitions of them are known

    @property
    def interval(self) -> int:
        return self.derived.interval

    # Registers.

    def wires(self) -> Iterator[tuple[str, list[tuple[int, int]]]]:
        """The wires that values come over: a name, and the nodes with the cycles in which they are on it."""
        for port, nodes in self.graph.inputs.items():
            parts = self.graph.parts(port)
            chunk = chunk_size(elements_of(self.graph, port), self.interval) * parts
            for lane in range(min(chunk, len(nodes))):
                own = [(node, cycle - 1) for cycle, node in enumerate(nodes[lane::chunk]) if node >= 0]
                bits = self.graph.types[port].bits // parts
                net = f"{identifier(port)}[{(lane + 1) * bits - 1}:{lane * bits}]"
                for node, cycle in own:
                    self.sources[node] = _Source(Net(net, self.graph.numbers[node]), cycle)
                yield f"in${port}${lane}", own
        for number, unit in enumerate(self.uses.units):
            made = [(node, self.uses.starts[node] + unit.stages - 1) for node in self._nodes(unit)]
            yield _label(unit, number), made

    def name_registers(self, label: str, values: Sequence[tuple[int, int]]) -> None:
        """Registers for the values of a wire."""
        lives = [Life(node, cycle + 1, self.uses.last.get(node, cycle)) for node, cycle in values]
        for register in registers_for(lives, self.interval, len(self.registers)):
            bits = max(self._number(life.value).bits for life in register.lives)
            net = Net(f"{label}_r{len(self.registers)}", Number("unsigned", bits))
            self.registers.append((register, net))
            for life in register.lives:
                self.homes.setdefault(life.value, []).append((life, net))

    def load_registers(self) -> None:
        """Connect each register to its source, and say in which slots it takes it."""
        for register, net in self.registers:
            if register.before is None:
                source = self.sources[register.lives[0].value].net
            else:
                source = self.registers[register.before][1]
            slots = register.slots(self.interval) if self.interval > 1 else ()
            when = " || ".join(f"slot == {self._slot(slot)}" for slot in slots)
            self.nets.register(resized(source, net.bits), net.number, net.name, when)

    def _number(self, value: int) -> Number:
        """That of a node, or of a value that is kept, which is numbered after the nodes."""
        return self.graph.numbers[value if value < len(self.graph) else self._elements[value - len(self.graph)]]

    def _slot(self, slot: int) -> str:
        return f"{slot_bits(self.interval)}'d{slot}"

    def _nodes(self, unit: Unit) -> list[int]:
        return [self.derived.priced.dataflow.nodes[operation] for operation in unit.operations]

    # What is kept from one repetition to the next.

    @property
    def _elements(self) -> list[int]:
        return list(self.uses.states)

    def name_states(self) -> None:
        """A register for each element, and others for what is taken after the repetition has its own result."""
        for place, (node, state) in enumerate(self.uses.states.items()):
            value = self.states[node] = len(self.graph) + place
            net = Net(f"state${place}", self.graph.numbers[node])
            self.sources[value] = _Source(net, state.cycle)
            self.uses.last[value] = self.uses.last.get(node, state.cycle)
            self.name_registers(net.name, [(value, state.cycle)])

    def load_states(self) -> None:
        """The registers of states take results of repetitions, not what stands there between them."""
        for node, state in self.uses.states.items():
            net = self.sources[self.states[node]].net
            loaded = self._flag("valid", state.cycle)
            slot = f"slot == {self._slot((state.cycle + 1) % self.interval)} && " if self.interval > 1 else ""
            self.nets.register(resized(self.at(state.node, state.cycle), net.bits), net.number, net.name, slot + loaded)
        for name, count in self.flags.items():
            when = f"slot == {self._slot(0)}" if self.interval > 1 else ""
            for back in range(count):
                before = f"{name}${back - 1}" if back else name
                self.nets.register(before, Number("unsigned", 1), f"{name}${back}", when)

    def _flag(self, name: str, cycle: int) -> str:
        """The net of an input that came with chunk 0, for the repetition that is in a cycle of the schedule."""
        back = cycle // self.interval
        self.flags[name] = max(self.flags.get(name, 0), back + 1)
        return f"{name}${back}"

    def _of_state(self, node: int, cycle: int) -> Net:
        """An element of an input that comes over the bus, or for all but a first repetition is kept."""
        value, kept = self.states[node], self.uses.states[node]
        before = self._holding(value, max(cycle, kept.cycle))
        fresh, number = self._holding(node, cycle), self.graph.numbers[node]
        return self._once(f"{self._flag('first', cycle)} ? {fresh.name} : {before.name}", number)

    # Values.

    def at(self, node: int, cycle: int) -> Net:
        """The net that holds a node's value in a cycle."""
        operator, number = self.graph.operators[node], self.graph.numbers[node]
        detail: Any = self.graph.details[node]
        if operator == CONSTANT:
            return self._once(literal(detail, number.bits), number)
        if operator in FREE and operator != INPUT:
            source = self.at(self.graph.operands[node][0], cycle)
            return self._once(_wires(source, operator, detail, number.bits), number)
        if node in self.states:
            return self._of_state(node, cycle)
        source = self._holding(node, cycle)
        if source.bits == number.bits:
            return Net(source.name, number)
        return self._once(f"{source.name}[{number.bits - 1}:0]", number)

    def _once(self, value: str, number: Number) -> Net:
        """A wire that is there once, whatever nodes it stands for."""
        net = self.parts.get((value, number))
        if net is None:
            net = self.parts[value, number] = self.nets.wire(value, number)
        return net

    def _holding(self, node: int, cycle: int) -> Net:
        source = self.sources.get(node)
        if source is not None and source.cycle == cycle:
            return source.net
        for life, net in self.homes.get(node, ()):
            if life.first <= cycle <= life.last:
                return net
        raise AssertionError("a schedule that uses a value when it is not there")

    # Operators.

    def print_operators(self) -> None:
        """First those that do several operations, whose inputs have names; what these take comes last."""
        named = []
        for number, (unit, rows) in enumerate(zip(self.uses.units, self.uses.inputs, strict=True)):
            label = _label(unit, number)
            if len(unit.operations) == 1:
                operands = [self.at(row[0].node, row[0].cycle) for row in rows]
            else:
                operands = self._inputs(label, unit, rows)
                named.append((operands, rows, "slot" if unit.chosen else f"{label}_slot"))
            if unit.chosen:
                operands = [
                    self.nets.register(net.name, net.number, f"{label}_{a}_r") for a, net in enumerate(operands)
                ]
            self._print(label, unit, operands)
        for operands, rows, slot in named:
            choices = [self._choices(row, net.bits) for net, row in zip(operands, rows, strict=True)]
            if slot != "slot" and any(len(own) > 1 for own in choices):
                self._own_slot(slot)
            for net, own in zip(operands, choices, strict=True):
                self._say(own, net, slot)

    def _own_slot(self, name: str) -> None:
        """A copy of the slot beside an operator, so that its multiplexers do not wait for a long wire.

        It counts by itself, so that no tool takes it for the slot; from slot 0 on the two are the same. In a stream the
        first slot of all may be 0, so that is where it takes its count from too.
        """
        bits, begins = slot_bits(self.interval), ""
        if self.nets.enabled:
            begins = f"slot == {self._slot(0)} ? {self._slot(1)} : "
        again = f"slot == {self._slot(self.interval - 1)} ? {self._slot(0)} : {begins}{name} + {literal(1, bits)}"
        self.nets.register(again, Number("unsigned", bits), name)

    def _inputs(self, label: str, unit: Unit, rows: Sequence[Sequence[ValueUse]]) -> list[Net]:
        numbers = self.graph.numbers
        result = result_number(unit, [numbers[node] for node in self._nodes(unit)])
        return [
            Net(f"{label}_{place}", input_number(unit, [numbers[use.node] for use in row], result))
            for place, row in enumerate(rows)
        ]

    def _print(self, label: str, unit: Unit, operands: Sequence[Net]) -> None:
        nodes = self._nodes(unit)
        bins = bins_in(unit.operator, self.graph.details[nodes[0]])
        if bins is not None:
            self._access_bins(bins, unit, nodes, operands)
            return
        result = self._result(label, unit, nodes, operands)
        for node in nodes:
            self.sources[node] = _Source(result, self.uses.starts[node] + unit.stages - 1)

    def _access_bins(self, bins: Bins, unit: Unit, nodes: Sequence[int], operands: Sequence[Net]) -> None:
        own = self.bins.setdefault(bins, BinAccesses(bins))
        starts = [self.uses.starts[node] for node in nodes]
        if unit.operator == BIN_ADD:
            own.operands, own.sums = operands, [start + unit.chosen for start in starts]
        elif unit.operator == BIN_READ:
            for node, start in zip(nodes, starts, strict=True):
                detail: Any = self.graph.details[node]
                own.reads[detail[1]] = start
                self.sources[node] = _Source(Net(own.word, self.graph.numbers[node]), start + unit.stages - 1)

    def _result(self, label: str, unit: Unit, nodes: Sequence[int], operands: Sequence[Net]) -> Net:
        number, stages = result_number(unit, [self.graph.numbers[node] for node in nodes]), unit.stages - unit.chosen
        if unit.operator == ACCESS:
            ports = self.accesses[nodes[0]]
            self.nets.assigned.append(f"  assign {ports.address} = {operands[0].name};")
            return Net(ports.data, number)
        own = float_operator(self.graph, nodes[0])
        if own is not None:
            own = replace(own.of(operands[0].number, number), every=unit.every)
            self.circuits.add((own, stages))
            return print_float_operator(self.nets, label, own, operands, stages, self._starts(unit, nodes))
        several = unit.operator == "select" and len(nodes) > 1
        detail = indices(self.graph, nodes)[0] if several else self.graph.details[nodes[0]]
        return print_operator(self.nets, unit.operator, operands, detail, number, stages)

    def _starts(self, unit: Unit, nodes: Sequence[int]) -> str:
        """When the operands of an operation are there."""
        slots = ((self.uses.starts[node] + unit.chosen + 1) % self.interval for node in nodes)
        return " || ".join(f"slot == {self._slot(slot)}" for slot in slots)

    def _choices(self, row: Sequence[ValueUse], bits: int) -> dict[str, list[int]]:
        """By what is taken the slots in which it is."""
        choices: dict[str, list[int]] = {}
        for use in row:
            text = resized(self.at(use.node, use.cycle), bits)
            choices.setdefault(text, []).append((use.cycle + 1) % self.interval)
        return choices

    def _say(self, choices: dict[str, list[int]], net: Net, slot: str = "slot") -> None:
        """Drive a net with its choice by slot, and in all other slots with the choice that it has most often."""
        if len(choices) == 1:
            self.nets.wire(next(iter(choices)), net.number, name=net.name)
        else:
            otherwise = max(choices, key=lambda text: len(choices[text]))
            self.nets.selected(slot, slot_bits(self.interval), choices, otherwise, net.number, net.name)

    # Outputs.

    def output(self, port: str) -> Iterator[str]:
        """Assignments of the lanes of an output's bus."""
        lanes, bits = [], self.graph.types[port].bits // self.graph.parts(port)
        for lane, row in enumerate(self.uses.lanes[port]):
            choices = self._choices(row, bits)
            value = next(iter(choices))
            if len(choices) > 1:
                net = Net(f"out${port}${lane}", Number("unsigned", bits))
                self._say(choices, net)
                value = net.name
            lanes.append(value)
        if self.nets.enabled:
            # In streams a bus changes in every pulse, and simulators are slow where such a net has many drivers.
            yield f"  assign {identifier(port)} = {{{', '.join(reversed(lanes))}}};"
            return
        for lane, value in enumerate(lanes):
            yield f"  assign {identifier(port)}[{(lane + 1) * bits - 1}:{lane * bits}] = {value};"

    def early_output(self, port: str) -> Iterator[str]:
        """Assignments of the second bus of an output."""
        bits = self.graph.types[port].bits // self.graph.parts(port)
        for place, use in enumerate(self.uses.early[port]):
            value = resized(self.at(use.node, use.cycle), bits)
            yield f"  assign {early_bus(port)}[{(place + 1) * bits - 1}:{place * bits}] = {value};"


def _label(unit: Unit, number: int) -> str:
    return f"{unit.operator}${number}"


def _wires(source: Net, operator: str, distance: object, bits: int) -> str:
    """A node shifted by a constant distance, or only resized."""
    if operator == RESIZE:
        return resized(source, bits)
    assert isinstance(distance, int)
    if distance >= 0:
        own = resized(source, bits - distance)
        return f"{{{own}, {distance}'d0}}"
    return part(source, bits - distance, -distance)
