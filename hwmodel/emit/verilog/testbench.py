"""A test bench for a datapath: a new repetition each cycle, each output compared in its cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hwmodel.datapath.derive import Derived
from hwmodel.emit.verilog.datapath import output_cycle
from hwmodel.emit.verilog.nets import identifier

MODULE = "bench"


def write_test_bench(
    derived: Derived, inputs: Mapping[str, Any], outputs: Mapping[str, Any], folder: Path, name: str | None = None
) -> None:
    """Write bench.v and its data, inputs.hex and outputs.hex, a line for each repetition.

    `inputs` and `outputs` have for each port its stored integers, with axes (elements in row-major order, repetitions).
    The bench prints `0 wrong`, or how many; it starts its program in the folder.
    """
    graph = derived.priced.dataflow.graph
    lanes = next(iter(outputs.values())).shape[1]
    widths = {
        port: len(places) * graph.types[port].bits for port, places in (*graph.inputs.items(), *graph.outputs.items())
    }
    for names, data, file in ((graph.inputs, inputs, "inputs.hex"), (graph.outputs, outputs, "outputs.hex")):
        columns = [_words(data[port], graph.types[port].bits) for port in names]
        rows = zip(*columns, strict=True) if columns else [()] * lanes
        ports = list(names)
        (folder / file).write_text("".join(f"{_joined(row, [widths[port] for port in ports]):x}\n" for row in rows))
    (folder / "bench.v").write_text(
        _bench(name or graph.name, list(graph.inputs), list(graph.outputs), widths, lanes, output_cycle(derived))
    )


def _words(values: Any, bits: int) -> list[int]:
    """The elements of a port as one number for each repetition, the first in the lowest bits."""
    mask = (1 << bits) - 1
    return [sum((int(value) & mask) << (place * bits) for place, value in enumerate(column)) for column in values.T]


def _joined(row: Sequence[int], widths: Sequence[int]) -> int:
    """The ports of a repetition as one number, the first in the lowest bits."""
    total = shift = 0
    for word, width in zip(row, widths, strict=True):
        total |= word << shift
        shift += width
    return total


def _bench(
    name: str, inputs: Sequence[str], outputs: Sequence[str], widths: Mapping[str, int], lanes: int, cycle: int
) -> str:
    def slices(ports: Sequence[str], vector: str) -> list[str]:
        low, parts = 0, []
        for port in ports:
            parts.append(f".{identifier(port)}({vector}[{low + widths[port] - 1}:{low}])")
            low += widths[port]
        return parts

    taken, made = sum(widths[port] for port in inputs), sum(widths[port] for port in outputs)
    connected = ", ".join([".clk(clk)", *slices(inputs, "given"), *slices(outputs, "found")])
    return f"""module {MODULE};
  reg clk = 0;
  reg [{max(1, taken) - 1}:0] inputs [0:{lanes - 1}];
  reg [{made - 1}:0] outputs [0:{lanes - 1}];
  reg [{max(1, taken) - 1}:0] given;
  wire [{made - 1}:0] found;
  integer edge_number, wrong;
  {identifier(name)} datapath ({connected});
  initial begin
    $readmemh("inputs.hex", inputs);
    $readmemh("outputs.hex", outputs);
    wrong = 0;
    for (edge_number = 0; edge_number < {lanes + cycle}; edge_number = edge_number + 1) begin
      given = edge_number < {lanes} ? inputs[edge_number] : 0;
      #1 clk = 1;
      #1 if (edge_number >= {cycle} && found !== outputs[edge_number - {cycle}]) wrong = wrong + 1;
      clk = 0;
      #1;
    end
    $display("%0d wrong", wrong);
    $finish;
  end
endmodule
"""
