"""A test bench for a datapath: a new repetition every interval, each output compared in its cycle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arrayol.ir.types import Kind
from hwmodel.datapath.derive import Derived
from hwmodel.datapath.graph.graph import Graph
from hwmodel.datapath.operators.nets import identifier
from hwmodel.emit.verilog.access import AccessPorts, access_ports
from hwmodel.emit.verilog.datapaths.chunks import bus_bits, chunk_size, elements_of, has_bus, leaving, slot_bits
from hwmodel.emit.verilog.datapaths.floats.formats import FORMATS
from hwmodel.emit.verilog.datapaths.states import Kept

MODULE = "bench"


@dataclass(frozen=True, slots=True)
class StateTimes:
    """When repetitions of a datapath that keeps a state begin: each in an interval, ascending, and which are the first.

    `kept` are the delays, as of `datapath_module`.
    """

    kept: Kept
    begins: Sequence[int]
    first: Sequence[bool]


@dataclass(frozen=True, slots=True)
class _Column:
    """A port of the module by its name there: its bits, and what is on it in each cycle."""

    name: str
    bits: int
    rows: Sequence[int]


def write_test_bench(
    derived: Derived,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    folder: Path,
    name: str | None = None,
    chains: StateTimes | None = None,
) -> None:
    """Write bench.v and its data: a line of inputs.hex, outputs.hex and masks.hex for each cycle.

    What is read at places that data say has a file of its own, NAME.hex. `inputs` and `outputs` have for each port its
    stored integers, with axes (elements in row-major order, repetitions). A repetition begins in every interval, or
    when `chains` say. The bench prints `0 wrong`, or how many cycles; it starts its program in the folder.
    """
    graph, interval = derived.priced.dataflow.graph, derived.interval
    begins = range(next(iter(outputs.values())).shape[1]) if chains is None else chains.begins
    run = _Run(graph, interval, {begin: place for place, begin in enumerate(begins)})
    given = [run.coming(port, inputs[port]) for port in graph.inputs if has_bus(graph, port)]
    given += [] if chains is None else run.flags(chains)
    made = [run.output_column(port, outputs[port]) for port in graph.outputs]
    masks = [run.masks(port) for port in graph.outputs]
    for file, columns in {"inputs": given, "outputs": made, "masks": masks}.items():
        _write(folder / f"{file}.hex", _joined(columns, run.intervals * interval))
    accesses = list(access_ports(derived).values())
    for port in {access.port for access in accesses}:
        _write(folder / f"{port}.hex", [word for words in run.words(port, inputs[port]) for word in words])
    bench = _bench(name or graph.name, derived, given, made, accesses, run.intervals)
    (folder / "bench.v").write_text(bench, encoding="utf-8", newline="\n")


@dataclass(frozen=True, slots=True)
class _Run:
    """Repetitions, by the interval in which each begins."""

    graph: Graph
    interval: int
    places: Mapping[int, int]

    @property
    def intervals(self) -> int:
        return max(self.places) + 1

    def words(self, port: str, values: Any) -> list[list[int]]:
        """The elements of a port in each interval, zeros where no repetition begins."""
        zeros = [0] * elements_of(self.graph, port)
        places = (self.places.get(begin) for begin in range(self.intervals))
        return [zeros if place is None else _words(self.graph, port, values[:, place]) for place in places]

    def coming(self, port: str, values: Any) -> _Column:
        """What is on the bus of an input."""
        chunk, bits = chunk_size(elements_of(self.graph, port), self.interval), self.graph.types[port].bits
        starts = range(0, chunk * self.interval, chunk)
        rows = [_packed(words[start : start + chunk], bits) for words in self.words(port, values) for start in starts]
        return _Column(identifier(port), chunk * bits, rows)

    def flags(self, chains: StateTimes) -> list[_Column]:
        """Which repetitions there are, and which are the first of a chain; what comes after chunk 0 does not matter."""
        first = dict(zip(chains.begins, chains.first, strict=True))
        valid = [int(begin in first) for begin in range(self.intervals)]
        listed = {"valid": valid, "first": [int(first.get(begin, False)) for begin in range(self.intervals)]}
        rest = [1] * (self.interval - 1)
        return [_Column(name, 1, [bit for own in bits for bit in (own, *rest)]) for name, bits in listed.items()]

    def output_column(self, port: str, values: Any) -> _Column:
        """What is on the bus of an output, from the latency on."""
        groups, bits = leaving(elements_of(self.graph, port), self.interval), self.graph.types[port].bits
        listed = self.words(port, values)
        rows = [_packed(words[group.start : group.stop], bits) for words in listed for group in groups]
        return _Column(identifier(port), bus_bits(self.graph, port, self.interval), rows)

    def masks(self, port: str) -> _Column:
        """Which bits of that count."""
        groups, bits = leaving(elements_of(self.graph, port), self.interval), self.graph.types[port].bits
        there = [begin in self.places for begin in range(self.intervals)]
        rows = [((1 << len(group) * bits) - 1) * own for own in there for group in groups]
        return _Column(identifier(port), bus_bits(self.graph, port, self.interval), rows)


def _words(graph: Graph, port: str, values: Any) -> list[int]:
    """The bits of elements; of any NaN the same."""
    kind = graph.types[port]
    if kind.kind is Kind.COMPLEX:
        return [low | high << kind.bits // 2 for low, high in zip(*map(_bits, (values.real, values.imag)), strict=True)]
    if kind.kind is Kind.FLOAT:
        return _bits(values)
    return [int(value) & (1 << kind.bits) - 1 for value in values]


def _bits(values: Any) -> list[int]:
    """The bits of floats."""
    values = np.where(np.isnan(values), np.array(np.nan, values.dtype), values)
    bits: list[int] = values.view(f"u{values.dtype.itemsize}").tolist()
    return bits


def _packed(words: Sequence[int], bits: int) -> int:
    """Words as one number, the first in the lowest bits."""
    return sum(word << place * bits for place, word in enumerate(words))


def _joined(columns: Sequence[_Column], rows: int) -> list[int]:
    """Columns side by side, the first in the lowest bits."""
    totals, low = [0] * rows, 0
    for column in columns:
        totals = [total | word << low for total, word in zip(totals, column.rows, strict=True)]
        low += column.bits
    return totals


def _write(path: Path, words: Iterable[int]) -> None:
    path.write_text("".join(f"{word:x}\n" for word in words), encoding="utf-8", newline="\n")


def _bench(
    name: str,
    derived: Derived,
    inputs: Sequence[_Column],
    outputs: Sequence[_Column],
    accesses: Sequence[AccessPorts],
    repetitions: int,
) -> str:
    graph, interval, latency = derived.priced.dataflow.graph, derived.interval, derived.latency
    given, found = max(1, sum(column.bits for column in inputs)), sum(column.bits for column in outputs)
    rows = repetitions * interval
    connected = [".clk(clk)", *([".slot(slot)"] if interval > 1 else [])]
    connected += [*_slices(inputs, "given"), *_slices(outputs, "found")]
    connected += [f".{port}({port})" for access in accesses for port in (access.address, access.data)]
    memories = [line for place, access in enumerate(accesses) for line in _memory(derived, access, place, repetitions)]
    return "\n".join(
        [
            f"module {MODULE};",
            "  reg clk = 0;",
            f"  reg [{given - 1}:0] inputs [0:{rows - 1}];",
            f"  reg [{found - 1}:0] outputs [0:{rows - 1}];",
            f"  reg [{found - 1}:0] masks [0:{rows - 1}];",
            f"  reg [{given - 1}:0] given;",
            f"  wire [{found - 1}:0] found, seen;",
            *_seen(graph, interval),
            "  integer cycle, row, wrong;  // a cycle of the schedule; its edge ends it",
            *_slot(interval),
            *memories,
            f"  {identifier(name)} datapath ({', '.join(connected)});",
            "  initial begin",
            '    $readmemh("inputs.hex", inputs);',
            '    $readmemh("outputs.hex", outputs);',
            '    $readmemh("masks.hex", masks);',
            *(f'    $readmemh("{access.port}.hex", held{place});' for place, access in enumerate(accesses)),
            "    wrong = 0;",
            f"    for (cycle = -2; cycle < {latency + rows}; cycle = cycle + 1) begin",
            f"      given = cycle >= -1 && cycle + 1 < {rows} ? inputs[cycle + 1] : 0;",
            f"      row = cycle - {latency};",
            "      #1 if (row >= 0 && ((seen ^ outputs[row]) & masks[row]) !== 0) wrong = wrong + 1;",
            "      clk = 1;",
            "      #1 clk = 0;",
            "    end",
            '    $display("%0d wrong", wrong);',
            "    $finish;",
            "  end",
            "endmodule",
            "",
        ]
    )


def _slot(interval: int) -> list[str]:
    """It is the interval's last before the first cycle, and then 0."""
    if interval == 1:
        return []
    return [f"  wire [{slot_bits(interval) - 1}:0] slot = (cycle + 1 + {interval}) % {interval};"]


def _seen(graph: Graph, interval: int) -> list[str]:
    """What the outputs are, any NaN as the same one."""
    lines, low = [], 0
    for port in graph.outputs:
        kind, width = graph.types[port], bus_bits(graph, port, interval)
        floats = kind.kind in (Kind.FLOAT, Kind.COMPLEX)
        bits = kind.bits // graph.parts(port) if floats else width
        for start in range(low, low + width, bits):
            lane = f"found[{start + bits - 1}:{start}]"
            if floats:
                top, fraction = start + bits - 2, start + FORMATS[bits].fraction
                nan = f"&found[{top}:{fraction}] && |found[{fraction - 1}:{start}]"
                lane = f"({nan}) ? {FORMATS[bits].nan} : {lane}"
            lines.append(f"  assign seen[{start + bits - 1}:{start}] = {lane};")
        low += width
    return lines


def _slices(columns: Sequence[_Column], vector: str) -> list[str]:
    """Ports of the module that stand side by side in a vector."""
    low, parts = 0, []
    for column in columns:
        parts.append(f".{column.name}({vector}[{low + column.bits - 1}:{low}])")
        low += column.bits
    return parts


def _memory(derived: Derived, access: AccessPorts, place: int, repetitions: int) -> list[str]:
    """What serves a read at a place that data say: the elements of all repetitions, and a register for each cycle."""
    graph = derived.priced.dataflow.graph
    elements, bits, own = elements_of(graph, access.port), graph.types[access.port].bits, access.data_bits
    last = access.wait - 1
    at = f"(cycle - {access.cycle}) / {derived.interval} * {elements} + {access.address}"
    return [
        f"  wire [{access.address_bits - 1}:0] {access.address};",
        f"  reg [{bits - 1}:0] held{place} [0:{repetitions * elements - 1}];",
        f"  reg [{access.wait * own - 1}:0] waiting{place};",
        f"  wire [{bits - 1}:0] element{place} = held{place}[{at}];",
        f"  wire [{own - 1}:0] {access.data} = waiting{place}[{own * last} +: {own}];",
        f"  always @(posedge clk) waiting{place} <= {{waiting{place}, element{place}[{access.part * own} +: {own}]}};",
    ]
