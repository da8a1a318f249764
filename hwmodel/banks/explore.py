"""Unroll factors and layouts of one nest, searched together (paper B, section 6.2).

Unrolling makes copies of a body, which cost operators; banks serve the accesses of all copies at once. Tried are all
factors that divide the extents of their loops, so that no iteration is left over, with a bounded number of copies; for
each of them every layout, with 1, 2, 4, ... banks of each number of ports. What nothing beats in cycles, memories,
ports and copies is the front.

Cycles are those of the whole nest: of each body as often as it runs; of an endless nest, those of one iteration of its
endless loops. They are fractions there, since one copy of a body may stand for several of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod

from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError, error
from arrayol.ir.spec import Spec
from hwmodel.banks.layouts import CUSTOM, LINEAR, NAIVE, Choices, LayoutCost, fixed_and_custom_costs, linear_costs
from hwmodel.banks.nest import check_choices, check_references, unrolled_nest
from hwmodel.banks.references import UnrolledNest

MOST_COPIES = 16  # by default
LARGEST_COPIES = 1024
Factors = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LayoutDesign:
    """A layout of a nest unrolled by `factors`: `memories` of so many `ports`, among `banks` that there may be.

    `cycles` are those of the nest, `copies` those of its bodies together.
    """

    factors: Factors
    copies: int
    layout: str
    banks: int
    memories: int
    ports: int
    cycles: Fraction

    @property
    def figures(self) -> tuple[Fraction, ...]:
        """What is compared; less is better."""
        return self.cycles, Fraction(self.memories), Fraction(self.ports), Fraction(self.copies)

    def reduction(self, naive: LayoutDesign) -> float:
        """The share of another one's cycles that is saved."""
        return float(1 - self.cycles / naive.cycles)


@dataclass(frozen=True, slots=True)
class LayoutExploration:
    """The front of a nest, by cycles. `iterations` (of all bodies) are those that its cycles are for.

    `naive` is the nest as it is, in one memory of one port, without registers. `best` has by number of banks, of one
    port, the design of the custom layout with the fewest cycles at each number of copies. `tried` counts the unrolled
    nests, `refused` has the factors that a dependence forbids.
    """

    task: str
    loops: tuple[str, ...]
    choices: Choices
    most: int
    iterations: Fraction
    naive: LayoutDesign
    front: tuple[LayoutDesign, ...]
    best: dict[int, tuple[LayoutDesign, ...]]
    tried: int
    refused: tuple[Factors, ...]

    def short(self) -> list[LayoutDesign]:
        """For each number of ports, the designs of the front that nothing beats in cycles and memories; by cycles."""
        kept = []
        for ports in sorted({design.ports for design in self.front}):
            own = sorted((design for design in self.front if design.ports == ports), key=_by_memories)
            fewest: Fraction | None = None
            for design in own:
                if fewest is None or design.cycles < fewest:
                    kept.append(design)
                    fewest = design.cycles
        return kept


def _by_memories(design: LayoutDesign) -> tuple[int, Fraction, int]:
    return design.memories, design.cycles, design.copies


def explore_layouts(
    spec: Spec, name: str, choices: Choices, ports: Sequence[int], most: int = MOST_COPIES
) -> LayoutExploration:
    """The front of a task or elementary over all unroll factors of at most so many copies, layouts, banks and ports.

    `choices.banks` is the most banks. Raises ArrayolError as `lay_out` does, and `bad-unroll` for a number of copies
    that is not possible.
    """
    if not 1 <= most <= LARGEST_COPIES:
        raise error("bad-unroll", f"{most} copies of a body are not possible", hint=f"choose 1 to {LARGEST_COPIES}")
    for each in ports:
        check_choices(replace(choices, ports=each))
    name = choose_top(spec, name)
    nest = unrolled_nest(spec, name)
    check_references(nest, spec.components[name])
    plain = replace(choices, banks=1, ports=1, scalar_replacement=False)
    naive = next(design for design in _designs(nest, [plain]) if design.layout == NAIVE)
    found, refused, tried = [naive], [], 0
    for factors in _factors(nest, most):
        try:
            unrolled = unrolled_nest(spec, name, factors)
        except ArrayolError:
            refused.append(factors)
            continue
        tried += 1
        found += _designs(unrolled, [replace(choices, banks=n, ports=p) for n in _banks(choices) for p in ports])
    loops = max((body.loops for body in nest.bodies), key=len)
    return LayoutExploration(
        name,
        tuple(loop.name for loop in loops),
        choices,
        most,
        sum((_iterations(nest, body) for body in range(len(nest.bodies))), Fraction(0)),
        naive,
        tuple(sorted(front_of(found), key=lambda design: (*design.figures, design.factors))),
        {banks: _best_by_copies(found, banks) for banks in _banks(choices)},
        tried,
        tuple(refused),
    )


def _factors(nest: UnrolledNest, most: int) -> Iterator[Factors]:
    """The factors by loop depth that divide the extents of all bodies' loops; of an endless loop all."""
    depth = max(len(body.loops) for body in nest.bodies)
    extents = [{body.loops[place].extent for body in nest.bodies if place < len(body.loops)} for place in range(depth)]
    offered = [
        [factor for factor in range(1, most + 1) if all(extent is None or extent % factor == 0 for extent in each)]
        for each in extents
    ]
    return (factors for factors in product(*offered) if prod(factors) <= most)


def _banks(choices: Choices) -> list[int]:
    """Powers of two up to the most, and the most."""
    return sorted({*(1 << power for power in range(choices.banks.bit_length())), choices.banks})


def _designs(nest: UnrolledNest, choices: Sequence[Choices]) -> Iterator[LayoutDesign]:
    """All layouts of an unrolled nest."""
    if any(body.leftover for body in nest.bodies):
        return
    most = max(each.banks for each in choices)
    for each, linear in zip(choices, linear_costs(nest, choices), strict=True):
        costs = fixed_and_custom_costs(nest, each)
        if each.ports == 1 and each.banks == most:  # it has banks of its own, and no use for a second port
            costs[LINEAR] = linear
        for layout, cost in costs.items():
            if cost.memories is not None and (layout != NAIVE or each.banks == 1):
                yield _design(nest, each, layout, cost, cost.memories)


def _design(nest: UnrolledNest, choices: Choices, layout: str, cost: LayoutCost, memories: int) -> LayoutDesign:
    cycles = sum((_runs(nest, body) * number for body, number in enumerate(cost.bodies or ())), Fraction(0))
    factors = max((body.factors for body in nest.bodies), key=len)
    copies = sum(prod(body.factors) for body in nest.bodies)
    return LayoutDesign(factors, copies, layout, choices.banks, memories, choices.ports, cycles)


def _runs(nest: UnrolledNest, body: int) -> Fraction:
    """How often a full body runs: in one execution of the nest, or in one iteration of endless loops."""
    own = nest.bodies[body]
    if own.runs is not None:
        return Fraction(own.runs)
    ends = zip(own.loops, own.factors, strict=True)
    return prod(
        (Fraction(loop.extent or 1, factor if loop.extent is None else 1) for loop, factor in ends), start=Fraction(1)
    )


def _iterations(nest: UnrolledNest, body: int) -> Fraction:
    return _runs(nest, body) * prod(nest.bodies[body].factors)


def front_of(designs: Sequence[LayoutDesign]) -> list[LayoutDesign]:
    """The designs that none beats, of equal ones the first."""
    distinct: dict[tuple[Fraction, ...], LayoutDesign] = {}
    for design in designs:
        distinct.setdefault(design.figures, design)
    front: list[LayoutDesign] = []
    for figures in sorted(distinct):  # what beats a design comes before it
        if not any(all(a <= b for a, b in zip(one.figures, figures, strict=True)) for one in front):
            front.append(distinct[figures])
    return front


def _best_by_copies(designs: Sequence[LayoutDesign], banks: int) -> tuple[LayoutDesign, ...]:
    """Custom layouts with so many banks of the fewest ports: for each number of copies the one of the fewest cycles."""
    own = [design for design in designs if design.layout == CUSTOM and design.banks == banks]
    ports = min((design.ports for design in own), default=1)
    best: dict[int, LayoutDesign] = {}
    for design in own:
        if design.ports == ports and (design.copies not in best or design.cycles < best[design.copies].cycles):
            best[design.copies] = design
    return tuple(best[copies] for copies in sorted(best))
