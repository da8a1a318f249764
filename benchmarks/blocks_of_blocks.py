"""Least traffic of a matrix product of 128 x 128 x 128 in f32 at some sizes of the internal memory: one level or two.

A walk over blocks (i, j, k) or over blocks of blocks (i, j, k, i), each with keeps of the two inputs, priced by the
machine model. The traffic is counted a second time, trip by trip, and has to be the same. Beside it what the search
in rounds finds by default, with the objectives `traffic_bytes, internal_memory_bits`: it may be at most 1.05 times as
much as the best of the walks. Run it in the repository:

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
from dse.jobs.runner import JobRunner
from dse.search.context import SearchContext, SearchRequest
from dse.search.figures import columns_of
from dse.search.rounds.search import search_in_rounds
from dse.space.mappings import MappingSpace
from dse.space.study import Study, parse_scan
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign, Processor, parse_keep
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


def explored(model: MachineModel) -> list[tuple[int, int]]:
    """Traffic and memory of the designs that the rounds find by default."""
    columns = columns_of(("traffic_bytes", "internal_memory_bits"), (), model, reuse_memory=False)
    context = SearchContext(MappingSpace(model, Study()), columns)
    found = search_in_rounds(context, SearchRequest(), JobRunner())
    click.echo(found.description)
    return [(traffic, bits) for traffic, bits in found.front.values.tolist()]


def main() -> int:
    """Prints a table; 1 where model and count differ, or the rounds find more than 1.05 times the least traffic."""
    source = check_source(SourceFile("product.aol", SPEC))
    network = flatten(source.spec, choose_top(source.spec, None))
    model = MachineModel(network, default_platform().model_copy(update={"assume_datapaths": True}))
    found, differ, worst = [], 0, 0.0
    for walk in walks():
        estimate = model.exact(walk.design)
        differ += estimate.additive["traffic_bytes"] != walk.traffic
        found.append((walk, estimate.internal_memory_bits, estimate.live_bits, estimate.additive["traffic_bytes"]))
    front = explored(model)
    click.echo(f"{len(found)} walks; the traffic of {differ} differs from the count by hand")
    for budget in BUDGETS:
        for levels in (1, 2):
            fits = [one for one in found if one[0].levels == levels and one[1] <= budget]
            walk, bits, live, traffic = min(fits, key=lambda one: (one[3], one[1]))
            blocks = f"{walk.design.blocks.text} [{walk.design.blocks.scan}] a {walk.a} b {walk.b}"
            click.echo(
                f"{budget:9,} bits, {levels} level: {traffic:11,} bytes, {bits:9,} bits ({live:,} live)  {blocks}"
            )
        least = min(traffic for _, bits, _, traffic in found if bits <= budget)
        traffic, bits = min(one for one in front if one[1] <= budget)
        worst = max(worst, traffic / least)
        click.echo(
            f"{budget:9,} bits, found:   {traffic:11,} bytes, {bits:9,} bits: {traffic / least:.3f} of the least"
        )
    return int(differ > 0 or worst > 1.05)


if __name__ == "__main__":
    sys.exit(main())
