"""A test bench for a datapath: a new repetition every interval, each output compared in its cycle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arrayol.ir.types import Kind
from hwmodel.datapath.derive import Derived
from hwmodel.datapath.graph.graph import Graph
from hwmodel.emit.verilog.access import AccessPorts, access_ports
from hwmodel.emit.verilog.chunks import bus_bits, chunk_size, elements_of, has_bus, leaving, slot_bits
from hwmodel.emit.verilog.floats.formats import FORMATS
from hwmodel.emit.verilog.nets import identifier

MODULE = "bench"


def write_test_bench(
    derived: Derived, inputs: Mapping[str, Any], outputs: Mapping[str, Any], folder: Path, name: str | None = None
) -> None:
    """Write bench.v and its data: a line of inputs.hex and outputs.hex for each cycle, of masks.hex for each slot.

    What is read at places that data say has a file of its own, NAME.hex. `inputs` and `outputs` have for each port its
    stored integers, with axes (elements in row-major order, repetitions). The bench prints `0 wrong`, or how many
    cycles; it starts its program in the folder.
    """
    graph, interval = derived.priced.dataflow.graph, derived.interval
    repetitions = next(iter(outputs.values())).shape[1]
    taken = [port for port in graph.inputs if has_bus(graph, port)]
    widths = {port: bus_bits(graph, port, interval) for port in (*taken, *graph.outputs)}
    files = {
        "inputs": [(_coming(graph, port, interval, inputs[port]), widths[port]) for port in taken],
        "outputs": [(_made(graph, port, interval, outputs[port]), widths[port]) for port in graph.outputs],
        "masks": [(_masks(graph, port, interval), widths[port]) for port in graph.outputs],
    }
    for file, columns in files.items():
        rows = len(columns[0][0]) if columns else repetitions * interval
        _write(folder / f"{file}.hex", _joined(columns, rows))
    accesses = list(access_ports(derived).values())
    for port in {access.port for access in accesses}:
        _write(folder / f"{port}.hex", [word for column in inputs[port].T for word in _words(graph, port, column)])
    (folder / "bench.v").write_text(_bench(name or graph.name, derived, taken, widths, accesses, repetitions))


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


def _joined(columns: Sequence[tuple[Sequence[int], int]], rows: int) -> list[int]:
    """Numbers of some widths side by side, the first in the lowest bits."""
    totals, low = [0] * rows, 0
    for column, width in columns:
        totals = [total | word << low for total, word in zip(totals, column, strict=True)]
        low += width
    return totals


def _write(path: Path, words: Iterable[int]) -> None:
    path.write_text("".join(f"{word:x}\n" for word in words))


def _coming(graph: Graph, port: str, interval: int, values: Any) -> list[int]:
    """What is on the bus of an input in each cycle."""
    chunk, bits = chunk_size(elements_of(graph, port), interval), graph.types[port].bits
    listed = [_words(graph, port, column) for column in values.T]
    return [_packed(words[cycle * chunk : (cycle + 1) * chunk], bits) for words in listed for cycle in range(interval)]


def _made(graph: Graph, port: str, interval: int, values: Any) -> list[int]:
    """What is on the bus of an output in each cycle from the latency on."""
    groups, bits = leaving(elements_of(graph, port), interval), graph.types[port].bits
    listed = [_words(graph, port, column) for column in values.T]
    return [_packed(words[group.start : group.stop], bits) for words in listed for group in groups]


def _masks(graph: Graph, port: str, interval: int) -> list[int]:
    """Which bits of that count."""
    bits = graph.types[port].bits
    return [(1 << len(group) * bits) - 1 for group in leaving(elements_of(graph, port), interval)]


def _bench(
    name: str,
    derived: Derived,
    taken: Sequence[str],
    widths: Mapping[str, int],
    accesses: Sequence[AccessPorts],
    repetitions: int,
) -> str:
    graph, interval, latency = derived.priced.dataflow.graph, derived.interval, derived.latency
    given, found = max(1, sum(widths[port] for port in taken)), sum(widths[port] for port in graph.outputs)
    rows = repetitions * interval
    connected = [".clk(clk)", *([".slot(slot)"] if interval > 1 else [])]
    connected += [*_slices(taken, widths, "given"), *_slices(list(graph.outputs), widths, "found")]
    connected += [f".{port}({port})" for access in accesses for port in (access.address, access.data)]
    memories = [line for place, access in enumerate(accesses) for line in _memory(derived, access, place, repetitions)]
    return "\n".join(
        [
            f"module {MODULE};",
            "  reg clk = 0;",
            f"  reg [{given - 1}:0] inputs [0:{rows - 1}];",
            f"  reg [{found - 1}:0] outputs [0:{rows - 1}];",
            f"  reg [{found - 1}:0] masks [0:{interval - 1}];",
            f"  reg [{given - 1}:0] given;",
            f"  wire [{found - 1}:0] found, seen;",
            *_seen(graph, interval, widths),
            "  integer cycle, row, wrong;  // a cycle of the schedule; its edge ends it",
            *([f"  wire [{slot_bits(interval) - 1}:0] slot = (cycle + 1) % {interval};"] if interval > 1 else []),
            *memories,
            f"  {identifier(name)} datapath ({', '.join(connected)});",
            "  initial begin",
            '    $readmemh("inputs.hex", inputs);',
            '    $readmemh("outputs.hex", outputs);',
            '    $readmemh("masks.hex", masks);',
            *(f'    $readmemh("{access.port}.hex", held{place});' for place, access in enumerate(accesses)),
            "    wrong = 0;",
            f"    for (cycle = -1; cycle < {latency + rows}; cycle = cycle + 1) begin",
            f"      given = cycle + 1 < {rows} ? inputs[cycle + 1] : 0;",
            f"      row = cycle - {latency};",
            f"      #1 if (row >= 0 && ((seen ^ outputs[row]) & masks[row % {interval}]) !== 0) wrong = wrong + 1;",
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


def _seen(graph: Graph, interval: int, widths: Mapping[str, int]) -> list[str]:
    """What the outputs are, any NaN as the same one."""
    lines, low = [], 0
    for port in graph.outputs:
        kind = graph.types[port]
        bits = kind.bits // graph.parts(port) if kind.kind in (Kind.FLOAT, Kind.COMPLEX) else widths[port]
        for start in range(low, low + widths[port], bits):
            lane = f"found[{start + bits - 1}:{start}]"
            if kind.kind in (Kind.FLOAT, Kind.COMPLEX):
                top, fraction = start + bits - 2, start + FORMATS[bits].fraction
                nan = f"&found[{top}:{fraction}] && |found[{fraction - 1}:{start}]"
                lane = f"({nan}) ? {FORMATS[bits].nan} : {lane}"
            lines.append(f"  assign seen[{start + bits - 1}:{start}] = {lane};")
        low += widths[port]
    return lines


def _slices(ports: Sequence[str], widths: Mapping[str, int], vector: str) -> list[str]:
    """Ports of the module that stand side by side in a vector."""
    low, parts = 0, []
    for port in ports:
        parts.append(f".{identifier(port)}({vector}[{low + widths[port] - 1}:{low}])")
        low += widths[port]
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
