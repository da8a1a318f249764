"""Traffic at some sizes of the internal memory, with searched splits of sums, beside AccelForge 1.0.467.

One matrix product of 128 x 128 x 128 in f32, two of them in a chain, and two 3 x 3 convolutions of 8 channels in i8,
of which 64 x 64 results come. The objectives are `traffic_bytes, internal_memory_bits`, and groups share their memory,
as AccelForge's buffer holds one product after the other. Its memories are single, ours are double buffers: so its
traffic is compared with ours at the same memory, and at twice as much (aim: there at most 1.05 times its traffic at
every size, in at most its CPU seconds). Its figures are given, since it needs Python 3.12 and a network to install; of
the convolutions those that were noted: what it moves from 41 Kibit on, and its least memory.

Each search is a process of its own, as by default: no budget is given. The CPU seconds are all of it, imports too;
nothing is written. Run it in the repository:

    .venv/bin/python benchmarks/splits.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from arrayol import api
from dse.space.study import Study

OBJECTIVES = ("traffic_bytes", "internal_memory_bits")
ACCELFORGE = "1.0.467"
AIM = 1.05
PLATFORM = """\
clock_mhz = 100
technology = "ecp5-6"
[memory]
latency = 0
word_bits = 128
port = "shared"
"""
PRODUCT = """\
const M = 128
elementary mul(a: f32[1, M], b: f32[M, 1]) -> (c: f32[1, 1]) {
  c[i, j] += a[i, k] * b[k, j]  for i in 0..1, j in 0..1, k in 0..M
}
task product(left: f32[M, M], right: f32[M, M]) -> (result: f32[M, M]) {
  repeat [M, M] of mul {
    a <- left   at origin [0, 0]  paving [1, 0; 0, 0]  fitting [1, 0; 0, 1]
    b <- right  at origin [0, 0]  paving [0, 0; 0, 1]  fitting [1, 0; 0, 1]
    c -> result at origin [0, 0]  paving [1, 0; 0, 1]  fitting [1, 0; 0, 1]
  }
}
"""
ONE = "task chain(t0: f32[M, M], w0: f32[M, M]) -> (t1: f32[M, M]) { t1 = product(t0, w0) }\n"
TWO = """\
task chain(t0: f32[M, M], w0: f32[M, M], w1: f32[M, M]) -> (t2: f32[M, M]) {
  t1 = product(t0, w0)
  t2 = product(t1, w1)
}
"""
CONVOLUTION = """\
task NAME(image: i8[C, H + MORE + 2, H + MORE + 2], kernel: i8[C, C, 3, 3]) -> (out: i8[C, H + MORE, H + MORE]) {
  repeat [C, H + MORE, H + MORE] of dot {
    window  <- image  at origin [0, 0, 0]    paving [0, 0, 0; 0, 1, 0; 0, 0, 1]  fitting [1, 0, 0; 0, 1, 0; 0, 0, 1]
    weights <- kernel at origin [0, 0, 0, 0] paving [1, 0, 0; 0, 0, 0; 0, 0, 0; 0, 0, 0]
                                             fitting [0, 0, 0; 1, 0, 0; 0, 1, 0; 0, 0, 1]
    y       -> out    at origin [0, 0, 0]    paving [1, 0, 0; 0, 1, 0; 0, 0, 1]  fitting []
  }
}
"""
CONVOLUTIONS = f"""\
const C = 8
const H = 64
elementary dot(window: i8[C, 3, 3], weights: i8[C, 3, 3]) -> (y: i8) {{
  y += window[c, i, j] * weights[c, i, j]  for c in 0..C, i in 0..3, j in 0..3
}}
{CONVOLUTION.replace("NAME", "first").replace("MORE", "2")}
{CONVOLUTION.replace("NAME", "second").replace("MORE", "0")}
task chain(image: i8[C, H + 4, H + 4], ka: i8[C, C, 3, 3], kb: i8[C, C, 3, 3]) -> (out: i8[C, H, H]) {{
  mid = first(image, ka)
  out = second(mid, kb)
}}
"""


@dataclass(frozen=True)
class Case:
    """A specification, and AccelForge's CPU seconds, traffic in KiB by Kibit, least bits."""

    name: str
    text: str
    seconds: int
    traffic: tuple[tuple[int, int], ...]
    least: int | None = None


CASES = (
    Case("one product", PRODUCT + ONE, 4, ((8, 1152), (16, 832), (32, 640), (64, 448), (128, 384), (256, 320))),
    Case(
        "two products",
        PRODUCT + TWO,
        10,
        ((8, 2304), (16, 1664), (32, 1280), (64, 896), (128, 704), (256, 512)),
    ),
    Case("two convolutions", CONVOLUTIONS, 29, ((41, 137), (64, 137), (128, 137)), 24),
)


def search(folder: Path) -> None:
    """Prints the front of a folder's specification, as pairs of bytes and bits, and the CPU seconds of it all."""
    space = api.Space(Study(slack=0), reuse_memory=True, verify=False)
    found = api.explore(folder / "case.aol", folder / "case.toml", objectives=OBJECTIVES, space=space)
    front = [[design.objectives[name] for name in OBJECTIVES] for design in found.result.pareto]
    times = os.times()
    click.echo(json.dumps([front, times.user + times.system]))


def explored(case: Case) -> tuple[list[list[int]], float]:
    """The front of a case in a process of its own, and its CPU seconds."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "case.aol").write_text(case.text, encoding="utf-8")
        (folder / "case.toml").write_text(PLATFORM, encoding="utf-8")
        command = [sys.executable, __file__, str(folder)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    front, seconds = json.loads(done.stdout)
    return front, seconds


def least_traffic(front: Sequence[Sequence[int]], kibibits: int) -> float:
    """In KiB, of the designs that fit in so much memory."""
    return min((traffic for traffic, bits in front if bits <= kibibits << 10), default=float("inf")) / 1024


def report(case: Case) -> bool:
    """Prints a case's table; whether its traffic is within the aim at every size."""
    front, seconds = explored(case)
    least = f", theirs {case.least}" if case.least else ""
    click.echo(f"{case.name}: {seconds:.1f} s of CPU, AccelForge {ACCELFORGE} {case.seconds}")
    click.echo(f"  least memory {min(bits for _, bits in front):,} bits{least}")
    click.echo("    Kibit  theirs    once          doubled")
    worst = 0.0
    for kibibits, theirs in case.traffic:
        ours = [least_traffic(front, times * kibibits) for times in (1, 2)]
        each = "  ".join(f"{own:7.0f} ({own / theirs:.2f})" for own in ours)
        click.echo(f"    {kibibits:5}  {theirs:6}  {each}")
        worst = max(worst, ours[1] / theirs)
    return worst <= AIM


def main() -> int:
    """Prints the tables; 1 if some traffic is above the aim."""
    if len(sys.argv) > 1:
        search(Path(sys.argv[1]))
        return 0
    return 1 - min(map(report, CASES))


if __name__ == "__main__":
    sys.exit(main())
