"""Least traffic of a matrix product of 128 x 128 x 128 in f32 at some sizes of the internal memory: one level or two.

A walk over blocks (i, j, k) or over blocks of blocks (i, j, k, i), each with keeps of the two inputs, priced by the
machine model. The traffic is counted a second time, trip by trip, and has to be the same. Run it in the repository:

    .venv/bin/python benchmarks/blocks_of_blocks.py
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import product

import click

from arrayol.checks.check import check_source
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from arrayol.source import SourceFile
from dse.space.study import parse_scan
from hwmodel.design import Blocks, GroupDesign, Processor, parse_keep
from hwmodel.machine.model import MachineModel
from hwmodel.platform import default_platform

SIDE, SLICE = 128, 8  # of the product, and of the sums that a repetition adds
SPEC = f"""
elementary partial(a: f32[{SLICE}], b: f32[{SLICE}], before: f32) -> (c: f32) {{
  c = before
  c += a[k] * b[k]  for k in 0..{SLICE}
}}
task product(a: f32[{SIDE}, {SIDE}], b: f32[{SIDE}, {SIDE}]) -> (c: f32[{SIDE}, {SIDE}]) {{
  repeat [{SIDE // SLICE}, {SIDE}, {SIDE}] of partial {{
    a                 <- a at origin [0, 0]  paving [0, 1, 0; {SLICE}, 0, 0]  fitting [0; 1]
    b                 <- b at origin [0, 0]  paving [{SLICE}, 0, 0; 0, 0, 1]  fitting [1; 0]
    before            <- c delay [1, 0, 0] else 0
    c delay [1, 0, 0] -> c
  }}
}}
"""
BUDGETS = (16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10)  # bits


@dataclass(frozen=True)
class Walk:
    """Outer blocks of rows x columns, cut in blocks of so many `rows`, and the keeps of a and b."""

    outer: tuple[int, int]
    rows: int
    a: str
    b: str

    @property
    def levels(self) -> int:
        """One where nothing is cut."""
        return 1 if self.rows == self.outer[0] else 2

    @property
    def design(self) -> GroupDesign:
        """The one group."""
        scan = parse_scan("1,2,0" if self.levels == 1 else "1,2,0,1")
        outer = (1, *self.outer) if self.levels == 2 else ()
        loops = len(scan.dimensions)
        keeps = (("a", parse_keep(self.a, loops)), ("b", parse_keep(self.b, loops)))
        return GroupDesign((Processor("product"),), Blocks((1, self.rows, self.outer[1]), scan, outer), keeps=keeps)

    @property
    def traffic(self) -> int:
        """Bytes, counted by hand: a is fetched again for each block of columns, b for each one of rows, c stored."""
        rows, columns = self.outer
        trips = (1 if self.a == "1" else SIDE // columns) + SIDE // rows
        return 4 * SIDE * SIDE * (trips + 1)


def walks() -> list[Walk]:
    """Blocks of one level, with a panel of a kept or not; and such blocks cut in two to eight."""
    sides = [8, 16, 32, 64, 128]
    plain = [Walk(outer, outer[0], "tile", "tile") for outer in product(sides, sides) if max(outer) <= 8 * min(outer)]
    panels = [Walk((rows, 8), rows, "1", "tile") for rows in (8, 16, 32, 64)]
    cut = [Walk(one.outer, rows, "tile", "3") for one in plain for rows in (4, 8) if one.outer[0] > 2 * rows]
    return [one for one in (*plain, *panels, *cut) if one.outer[0] * one.outer[1] <= 8192]


def main() -> int:
    """Prints a table; 1 where model and count differ."""
    source = check_source(SourceFile("product.aol", SPEC))
    network = flatten(source.spec, choose_top(source.spec, None))
    model = MachineModel(network, default_platform().model_copy(update={"assume_datapaths": True}))
    found, differ = [], 0
    for walk in walks():
        estimate = model.exact(walk.design)
        differ += estimate.traffic_bytes != walk.traffic
        found.append((walk, estimate.internal_memory_bits, estimate.live_bits, estimate.traffic_bytes))
    click.echo(f"{len(found)} walks; the traffic of {differ} differs from the count by hand")
    for budget in BUDGETS:
        for levels in (1, 2):
            fits = [one for one in found if one[0].levels == levels and one[1] <= budget]
            walk, bits, live, traffic = min(fits, key=lambda one: (one[3], one[1]))
            blocks = f"{walk.design.blocks.text} [{walk.design.blocks.scan}] a {walk.a} b {walk.b}"
            click.echo(
                f"{budget:9,} bits, {levels} level: {traffic:11,} bytes, {bits:9,} bits ({live:,} live)  {blocks}"
            )
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
