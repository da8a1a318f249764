"""The machine model beside the simulated machine, on the fronts of all shipped specifications.

    .venv/bin/python benchmarks/accuracy.py [SPEC ...]

explores each specification with its own platform at the size of the platform's [verify] table, in the plain space, and
simulates every design of the front (of large specifications what a short search finds), each group that designs have in
common once: every datum at its address in its bank through its port. It prints the table of docs/accuracy.md, a line as
soon as it is known; `--write` puts it there, of named SPECs the lines. `--options` explores the default space, with its
mapping options. `--variants` simulates designs also with blocks so small that five lie along each axis that they do not
span, and with partial ones. `--shipped-size` explores at the shipped size and simulates the designs reduced, as
`explore --verify` does; `--whole` explores and simulates at the shipped size (lpsf: 1920 x 1080, about 10 seconds a
design). `--addressed` tells how many bits addresses take beside those that are live at once, over the plain designs of
each front at the shipped size.
"""

from __future__ import annotations

import argparse
import sys
import time
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
from dse.verify.verify import Verifier, unordered
from hwmodel.design import Design, GroupDesign
from hwmodel.platform import find_platform

PAGE = Path(__file__).resolve().parents[1] / "docs" / "accuracy.md"
HEAD = "| specification and size | designs | groups | cycles of a group | cycles differ by | memories differ by | outputs | CPU s |\n|---|---|---|---|---|---|---|---|\n"  # noqa: E501  one line of Markdown
ADDRESSED = "| specification | designs | median | largest |\n|---|---|---|---|\n"

# Searched coarse to fine for so many predicted seconds: all rates of many tasks take minutes.
BUDGETS = {"camera": 10.0, "downscaler": 1.0, "harris": 10.0, "mobilenet": 10.0}
SHORT = 10.0  # the same, of fronts at the shipped size
# Spaces smaller than the default one: eight tasks with up to four units each take minutes.
STUDIES = {"harris": narrowed(Study(units=(1, 4)))}


@dataclass(frozen=True)
class Compared:
    """A group's simulation beside its estimate: cycles, by memory how full it was and should have been, what differs.

    `identical` says whether what it computes is the reference execution's; None where only tokens moved.
    """

    cycles: int
    analytic: int
    peaks: tuple[tuple[int, int], ...]
    identical: bool | None
    disagreements: tuple[str, ...]

    @property
    def difference(self) -> float:
        """|analytic - simulated| / simulated of the cycles."""
        return abs(self.analytic - self.cycles) / self.cycles

    @property
    def memory_difference(self) -> float:
        """The same of the memory where it is largest."""
        return max((abs(analytic - simulated) / max(1, simulated) for simulated, analytic in self.peaks), default=0.0)


@dataclass(frozen=True)
class Shipped:
    """A shipped specification with its platform; what is simulated is at the reduced size, or at the `whole` one.

    With `options` the default space is explored, else the plain one.
    """

    name: str
    whole: bool = False
    options: bool = False

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

    def front(self, *, at_shipped_size: bool = False) -> Sequence[Design]:
        """The designs on the front of the exploration, at the shipped size or at the reduced one."""
        settings = {} if at_shipped_size else dict(self.verifier.platform.verify)
        study = STUDIES.get(self.name) if self.options else None
        space = api.Space(study=study, verify=False, narrow=not self.options)
        spec = api.load(self.path, settings)
        if budget := BUDGETS.get(self.name):
            return api.explore(spec, space=space, method="rounds", budget=budget).decisions
        return api.explore(spec, space=space).decisions

    def reduced(self, design: Design) -> Iterator[Design]:
        """A design of the reduced size with five blocks along each axis that it does not span, and one partial."""
        for partial in (False, True):
            yield self.reducer.reduced(design, partial=partial)

    def compare(self, group: GroupDesign) -> Compared:
        """Simulate a group of the reduced size. Raises SimulatorError where it breaks a rule of the machine."""
        testbench = self.verifier.testbench
        trial = testbench.trial(group)
        run = trial.simulation.run
        peaks = [(run.peaks.get((use.kind, use.name), 0), use.live) for use in trial.estimate.memories]
        reasons = tuple(trial.mismatches(testbench.model.once))
        return Compared(run.cycles, trial.estimate.latency_cycles, tuple(peaks), trial.simulation.identical, reasons)


def shipped() -> list[str]:
    """The names of all shipped specifications."""
    return sorted(path.stem for path in shipped_folder().glob("*.aol"))


def evenly(front: Sequence[Design], most: int) -> list[Design]:
    """So many designs of a front, spread evenly."""
    if len(front) <= most:
        return list(front)
    return [front[round(place * (len(front) - 1) / (most - 1))] for place in range(most)]


def groups_of(spec: Shipped, designs: Iterable[Design]) -> list[GroupDesign]:
    """The distinct groups of designs, each of which can run its groups in their order."""
    distinct = dict[GroupDesign, None]()
    for design in designs:
        wrong = next(unordered(spec.verifier.testbench.network, design.fusion.groups), None)
        assert wrong is None, wrong
        distinct |= dict.fromkeys(design.groups)
    return list(distinct)


def with_variants(spec: Shipped, designs: Iterable[Design], *, at_shipped_size: bool) -> Iterator[Design]:
    """Designs with smaller blocks beside themselves; those of the shipped size reduced."""
    for design in designs:
        if at_shipped_size:
            yield from spec.verifier.variants(design)
            continue
        yield design
        with suppress(ArrayolError):  # smaller blocks are refused where a FIFO needs the larger ones
            yield from spec.reduced(design)


def line(spec: Shipped, designs: int, simulations: Sequence[Compared], seconds: float) -> str:
    """The table's line of a specification."""
    consts = spec.verifier.platform.verify.items()
    size = ", ".join(f"{name} = {value}" for name, value in consts) or "its shipped size"
    cycles = [simulation.cycles for simulation in simulations]
    differences = [
        max(simulation.difference for simulation in simulations),
        max(simulation.memory_difference for simulation in simulations),
    ]
    wrong = sum(simulation.identical is False for simulation in simulations)
    tokens = all(simulation.identical is None for simulation in simulations)
    outputs = "tokens" if tokens else f"{wrong:,} differ" if wrong else "identical"
    span = f"{min(cycles):,} to {max(cycles):,}"
    shown = " | ".join(f"{difference:.1%}" for difference in differences)
    head = f"| {spec.name}: {size} | {designs:,} | {len(simulations):,} | {span} | {shown}"
    return f"{head} | {outputs} | {seconds:.1f} |\n"


def addressed_line(name: str) -> tuple[str, list[float]]:
    """The line of a specification in the table of sizes, and the addressed over the live bits of each design."""
    path, space = shipped_folder() / f"{name}.aol", api.Space(narrow=True, verify=False)
    front = api.explore(path, space=space, method="rounds", budget=min(SHORT, BUDGETS.get(name, SHORT))).result.pareto
    over = [(design.addressed_bits or 0) / design.live_bits for design in front if design.live_bits]
    return f"| {name} | {len(front):,} | {median(over):.3f} | {max(over):.3f} |\n", over


def print_addressed(names: Iterable[str]) -> list[str]:
    """The table of sizes, a line as soon as it is known; of several specifications the last one is of all designs."""
    lines, every, names = [], list[float](), list(names)
    sys.stdout.write(ADDRESSED)
    for name in names:
        text, over = addressed_line(name)
        every += over
        lines.append(text)
        sys.stdout.write(text)
        sys.stdout.flush()
    if len(names) == 1:
        return lines
    lines.append(f"| all | {len(every):,} | {median(every):.3f} | {max(every):.3f} |\n")
    sys.stdout.write(lines[-1])
    return lines


def write_table(lines: Iterable[str], page: Path = PAGE, heading: str = HEAD) -> None:
    """Put lines in place of the page's former ones: of each specification the new one where there is one."""
    before, head, rest = page.read_text(encoding="utf-8").partition(heading)
    assert head, f"{page} has no such table"
    former, _, after = rest.partition("\n\n")
    own = {_name(text): text for text in lines}
    kept = {_name(text): f"{text}\n" for text in former.splitlines()}
    table = "".join(text for _, text in sorted((kept | own).items()))
    page.write_text(f"{before}{head}{table}\n{after}", encoding="utf-8")


def _name(text: str) -> str:
    """What a line of a table begins with."""
    return text.removeprefix("| ").split(" |")[0].split(":")[0]


def main() -> int:
    """Print the table; the exit code is 1 where model and simulation disagree about anything."""
    parser = argparse.ArgumentParser(description="the machine model beside the simulated machine")
    parser.add_argument("names", metavar="SPEC", nargs="*", help="shipped specifications, by default all")
    parser.add_argument("--options", action="store_true", help="explore the default space, not the plain one")
    parser.add_argument("--variants", action="store_true", help="simulate designs with smaller blocks, too")
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
        began = time.process_time()
        spec, at_shipped_size = Shipped(name, options.whole, options.options), options.shipped_size or options.whole
        front = spec.front(at_shipped_size=at_shipped_size)
        several = options.variants or at_shipped_size
        designs = with_variants(spec, front, at_shipped_size=at_shipped_size) if several else front
        simulations = [spec.compare(group) for group in groups_of(spec, designs)]
        lines.append(line(spec, len(front), simulations, time.process_time() - began))
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
