"""The machine model beside the simulated machine, on the fronts of all shipped specifications.

    .venv/bin/python benchmarks/accuracy.py [SPEC ...]

explores each specification with its own platform at the size of the platform's [verify] table and simulates every
design of the front: as it is, with blocks so small that five lie along each axis that it does not span, and with
partial ones. It prints the table of docs/accuracy.md, a line as soon as it is known; `--write` puts the table there.
`--shipped-size` explores at the shipped size instead and simulates the designs reduced, as `explore --verify` does;
`--whole` explores and simulates at the shipped size (lpsf: 1920 x 1080, about 10 seconds a design). `--addressed` tells
how many bits addresses take beside those that are live at once, over the plain designs of each front at the shipped
size.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.transforms.steps import canonical_form
from dse.space.study import Study, narrowed
from dse.verify.reduce import Reducer, extents_of
from dse.verify.testbench import mismatches
from dse.verify.verify import Verifier
from hwmodel.design import Design
from hwmodel.platform import find_platform

PAGE = Path(__file__).resolve().parents[1] / "docs" / "accuracy.md"
HEAD = "| specification and size | designs | simulations | simulated cycles | largest difference | outputs |\n|---|---|---|---|---|---|\n"  # noqa: E501  one line of Markdown
ADDRESSED = "| specification | designs | median | largest |\n|---|---|---|---|\n"

# Spaces smaller than the default one: eight tasks with up to four units each take minutes.
STUDIES = {"harris": narrowed(Study(units=(1, 4)))}


@dataclass(frozen=True)
class Compared:
    """One simulation beside its estimate; `disagreements` also counts memories that are never full."""

    cycles: int
    analytic: int
    identical: bool | None
    disagreements: tuple[str, ...]

    @property
    def difference(self) -> float:
        """|analytic - simulated| / simulated."""
        return abs(self.analytic - self.cycles) / self.cycles


@dataclass(frozen=True)
class Shipped:
    """A shipped specification with its platform; what is simulated is at the reduced size, or at the `whole` one."""

    name: str
    whole: bool = False

    @property
    def path(self) -> Path:
        """Its file; the platform lies beside it."""
        return shipped_folder() / f"{self.name}.aol"

    @cached_property
    def verifier(self) -> Verifier:
        """What simulates its designs."""
        spec, platform = api.load(self.path), find_platform(self.path, None)[0]
        taken = platform.model_copy(update={"verify": {}}) if self.whole else platform
        return Verifier(canonical_form(spec, choose_top(spec, None)), taken)

    @cached_property
    def reducer(self) -> Reducer:
        """What makes the blocks of its designs smaller at the reduced size."""
        return Reducer(extents_of(self.verifier.testbench.accesses), self.verifier.testbench.model)

    def front(self, *, at_shipped_size: bool) -> Sequence[Design]:
        """The designs on the front of the default exploration, at the shipped size or at the reduced one."""
        settings = {} if at_shipped_size else dict(self.verifier.platform.verify)
        space = api.Space(study=STUDIES.get(self.name), verify=False)
        return api.explore(api.load(self.path, settings), space=space).decisions

    def reduced(self, design: Design) -> Iterator[Design]:
        """A design of the reduced size with five blocks along each axis that it does not span, and one partial."""
        for partial in (False, True):
            yield self.reducer.reduced(design, partial=partial)

    def compare(self, variant: Design) -> Compared:
        """Simulate a design of the reduced size."""
        simulation, estimate = self.verifier.testbench.compare(variant)
        disagreements = tuple(mismatches(simulation, estimate))
        return Compared(simulation.cycles, estimate.latency_cycles, simulation.identical, disagreements)


def shipped() -> list[str]:
    """The names of all shipped specifications."""
    return sorted(path.stem for path in shipped_folder().glob("*.aol"))


def compare_front(
    spec: Shipped, *, at_shipped_size: bool = False, most: int | None = None
) -> tuple[int, list[Compared]]:
    """The designs on a front, or `most` of them spread evenly, and the simulations of their variants."""
    front = spec.front(at_shipped_size=at_shipped_size)
    if most is not None and len(front) > most:
        front = [front[round(place * (len(front) - 1) / (most - 1))] for place in range(most)]
    variants = dict.fromkeys(variant for design in front for variant in _variants(spec, design, at_shipped_size))
    return len(front), [spec.compare(variant) for variant in variants]


def _variants(spec: Shipped, design: Design, at_shipped_size: bool) -> Iterator[Design]:
    if at_shipped_size:
        yield from spec.verifier.variants(design)
        return
    yield design
    with suppress(ArrayolError):  # smaller blocks are refused where a FIFO needs the larger ones
        yield from spec.reduced(design)


def line(spec: Shipped, designs: int, simulations: Sequence[Compared]) -> str:
    """The table's line of a specification."""
    consts = spec.verifier.platform.verify.items()
    size = ", ".join(f"{name} = {value}" for name, value in consts) or "its shipped size"
    cycles = [simulation.cycles for simulation in simulations]
    largest = max(simulation.difference for simulation in simulations)
    wrong = sum(simulation.identical is False for simulation in simulations)
    tokens = all(simulation.identical is None for simulation in simulations)
    outputs = "tokens" if tokens else f"{wrong:,} differ" if wrong else "identical"
    span = f"{min(cycles):,} to {max(cycles):,}"
    return f"| {spec.name}: {size} | {designs:,} | {len(simulations):,} | {span} | {largest:.1%} | {outputs} |\n"


def addressed_line(name: str) -> tuple[str, list[float]]:
    """The line of a specification in the table of sizes, and the addressed over the live bits of each design."""
    front = api.explore(shipped_folder() / f"{name}.aol", space=api.Space(narrow=True, verify=False)).result.pareto
    over = [(design.addressed_bits or 0) / design.live_bits for design in front if design.live_bits]
    return f"| {name} | {len(front):,} | {median(over):.3f} | {max(over):.3f} |\n", over


def print_addressed(names: Iterable[str]) -> list[str]:
    """The table of sizes, a line as soon as it is known; the last one is of all designs."""
    lines, every = [], list[float]()
    sys.stdout.write(ADDRESSED)
    for name in names:
        text, over = addressed_line(name)
        every += over
        lines.append(text)
        sys.stdout.write(text)
        sys.stdout.flush()
    lines.append(f"| all | {len(every):,} | {median(every):.3f} | {max(every):.3f} |\n")
    sys.stdout.write(lines[-1])
    return lines


def write_table(lines: Iterable[str], page: Path = PAGE, heading: str = HEAD) -> None:
    """Put the table in place of the page's former one."""
    before, head, rest = page.read_text(encoding="utf-8").partition(heading)
    assert head, f"{page} has no such table"
    after = rest.partition("\n\n")[2]
    page.write_text(f"{before}{head}{''.join(lines)}\n{after}", encoding="utf-8")


def main() -> int:
    """Print the table; the exit code is 1 where model and simulation disagree about anything."""
    parser = argparse.ArgumentParser(description="the machine model beside the simulated machine")
    parser.add_argument("names", metavar="SPEC", nargs="*", help="shipped specifications, by default all")
    parser.add_argument("--shipped-size", action="store_true", help="explore at the shipped size")
    parser.add_argument("--whole", action="store_true", help="explore and simulate at the shipped size")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    parser.add_argument("--addressed", action="store_true", help="print what addresses take beside what is live")
    options = parser.parse_args()
    if options.addressed:
        sizes = print_addressed(options.names or shipped())
        if options.write:
            write_table(sizes, heading=ADDRESSED)
        return 0
    lines, agreed = [], True
    sys.stdout.write(HEAD)
    for name in options.names or shipped():
        spec = Shipped(name, options.whole)
        designs, simulations = compare_front(spec, at_shipped_size=options.shipped_size or options.whole)
        lines.append(line(spec, designs, simulations))
        sys.stdout.write(lines[-1])
        sys.stdout.flush()
        for simulation in simulations:
            agreed &= not simulation.disagreements
            sys.stderr.write("".join(f"{name}: {text}\n" for text in simulation.disagreements))
    if options.write:
        write_table(lines)
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
