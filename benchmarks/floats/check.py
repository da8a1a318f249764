"""Operators simulated by Icarus Verilog on corner values, all pairs of them, and random bits, against NumPy."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hwmodel.emit.verilog.datapaths.floats.netlist import Circuit

Words = np.ndarray  # unsigned integers that hold the bits of values


def corners(bits: int, fraction: int) -> Words:
    """Zeros, subnormals, ones, ties, the largest, infinities and NaN, of both signs."""
    exponents = bits - 1 - fraction
    top, bias = (1 << exponents) - 1, (1 << (exponents - 1)) - 1
    low = (
        0,
        1,
        2,
        3,
        (1 << fraction) - 1,
        (1 << fraction) - 2,
        1 << (fraction - 1),
        (1 << (fraction - 1)) + 1,
        5 << (fraction - 4),
    )
    fields = (
        0,
        1,
        2,
        fraction,
        bias - fraction - 1,
        bias - 1,
        bias,
        bias + 1,
        bias + fraction,
        bias + fraction + 1,
        top - 1,
        top,
    )
    magnitudes = {field << fraction | part for field in fields for part in low}
    return np.array(sorted(value | sign << (bits - 1) for value in magnitudes for sign in (0, 1)), "u8")


def pairs(bits: int, fraction: int, count: int, seed: int, edges: int | None = None) -> tuple[Words, Words]:
    """All pairs of corner values, or of `edges` of them; random bits, close exponents and cancellation."""
    rng = np.random.default_rng(seed)
    edge = corners(bits, fraction)
    edge = edge if edges is None else rng.choice(edge, edges, replace=False)
    a, b = (part.ravel() for part in np.meshgrid(edge, edge))
    mask = np.uint64((1 << bits) - 1)
    x, y = (
        rng.integers(0, 1 << 63, count, "u8") * np.uint64(2) + rng.integers(0, 2, count, "u8") & mask for _ in range(2)
    )
    third = count // 3
    field = np.uint64(((1 << (bits - 1 - fraction)) - 1) << fraction)
    near = rng.integers(0, 4, third, "u8") << np.uint64(fraction)
    y[:third] = (y[:third] & ~field) | ((x[:third] & field) + near & field)
    flips = rng.integers(0, 8, third, "u8") ^ np.uint64(1 << (bits - 1))
    y[third : 2 * third] = x[third : 2 * third] ^ flips
    small = np.uint64((1 << (fraction + 2)) - 1 | 1 << (bits - 1))  # subnormals and the least exponents
    x[2 * third :: 3] &= small
    y[2 * third + 1 :: 3] &= small
    return np.concatenate([a, x]), np.concatenate([b, y])


def single(bits: int, fraction: int, count: int, seed: int) -> Words:
    """Corner values, and random bits."""
    a, b = pairs(bits, fraction, count // 2, seed)
    return np.concatenate([a[-(count // 2) :], b[-(count // 2) :], corners(bits, fraction)])


def simulate(circuit: Circuit, operands: list[Words], folder: Path) -> Words:
    """What the operator gives for each row of operands, one start every `circuit.every` cycles."""
    folder.mkdir(parents=True, exist_ok=True)
    count = len(operands[0])
    widths = [value.width for value in circuit.operands]
    for value, words in zip(circuit.operands, operands, strict=True):
        (folder / f"{value.name}.hex").write_text("\n".join(f"{word:x}" for word in words.tolist()) + "\n")
    (folder / "dut.v").write_text(circuit.verilog())
    (folder / "bench.v").write_text(_bench(circuit, count, widths))
    program = folder / "sim"
    subprocess.run(["iverilog", "-g2005", "-o", program, folder / "dut.v", folder / "bench.v"], check=True, cwd=folder)
    subprocess.run(["vvp", "-n", program], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    return np.array([int(line, 16) for line in (folder / "out.hex").read_text().split()], "u8")


def _bench(circuit: Circuit, count: int, widths: list[int]) -> str:
    names = [value.name for value in circuit.operands]
    memories = "\n".join(
        f"  reg [{w - 1}:0] m{n} [0:{count - 1}]; reg [{w - 1}:0] {n};" for n, w in zip(names, widths, strict=True)
    )
    reads = " ".join(f'$readmemh("{n}.hex", m{n});' for n in names)
    loads = " ".join(f"{n} <= m{n}[i];" for n in names)
    start = ", .start(start)" if circuit.every > 1 else ""
    ports = ", ".join(f".{n}({n})" for n in names)
    # Between two starts operands are gone: what is needed later is to be held.
    clears = "".join(f" {n} <= {w}'d0;" for n, w in zip(names, widths, strict=True))
    clear = clears if circuit.every > 1 else ""
    return f"""module bench;
  reg clk = 0; reg start = 0; integer i = 0, t = 0, f, done = 0;
{memories}
  wire [{circuit.width - 1}:0] y;
  {circuit.name} dut(.clk(clk){start}, {ports}, .y(y));
  initial begin {reads} f = $fopen("out.hex"); end
  // Operands and start of row i stand from cycle i * every on; its result {circuit.cycles} cycles later.
  always #1 begin
    clk = 1;
    #1;
    clk = 0;
    if (t > {circuit.cycles} && (t - 1 - {circuit.cycles}) % {circuit.every} == 0) begin
      $fdisplay(f, "%h", y);
      done = done + 1;
      if (done == {count}) $finish;
    end
  end
  always @(posedge clk) begin
    if (t % {circuit.every} == 0 && i < {count}) begin {loads} start <= 1; i <= i + 1; end
    else begin start <= 0;{clear} end
    t <= t + 1;
  end
endmodule
"""


Reference = Callable[..., np.ndarray]


def wrong(got: Words, expected: np.ndarray) -> np.ndarray:
    """Rows in which the bits differ; any NaN stands for any other."""
    if expected.dtype.kind == "f":
        words = expected.view(f"u{expected.dtype.itemsize}").astype("u8")
        value = got.astype(f"u{expected.dtype.itemsize}").view(expected.dtype)
        return np.flatnonzero((words != got) & ~(np.isnan(expected) & np.isnan(value)))
    return np.flatnonzero(expected.astype("u8") != got)
