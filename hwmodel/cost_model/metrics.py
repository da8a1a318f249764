"""Figures of many designs of a group at once, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.cost_model.estimate import BITS, DYNAMIC, LEAKAGE, OBJECTIVES, SETUP
from hwmodel.cost_model.memories.figures import BuiltFigures
from hwmodel.cost_model.together import PERIOD_PARTS
from hwmodel.figures import FRAME, LATENCY, ROM_BITS

Places = NDArray[np.intp]
Figures = NDArray[Any]  # of int64; costs that are not whole are of float64

TIMES = (LATENCY, FRAME)
MEMORY = ("internal_memory_elements", "internal_memory_bits", "memory_blocks")
RESIDENT = ("resident_data", "resident_bits", "resident_blocks")  # what of that holds resident arrays
SHARED = ("shared_data", "shared_bits", "shared_blocks")  # what of it does not
OfDesigns = Callable[[Places, Places], BuiltFigures]
TRAFFIC = ("traffic_bytes", "port_bytes")


def units_are_free(figures: Collection[str], *, built: bool) -> bool:
    """Whether more units make none of these figures worse, so that `fastest` leaves out nothing that a front needs.

    That holds for times and traffic: units shorten the former and do not change the latter (except for processors that
    are scheduled, of which `fastest` tries all). It does not hold for units, for costs, and for memories that are
    `built` for their ports. Without a technology, memories have their addressed size, whatever the units.
    """
    free = (*TIMES, *PERIOD_PARTS, *TRAFFIC, *(() if built else MEMORY), *SETUP, ROM_BITS)
    return all(name in free for name in figures)


@dataclass(frozen=True)
class EvaluatedEnergy:
    """Energies of designs: `femtojoules` of a frame (S, U), and the leakage of one unit of each cost, in pW.

    Accesses to local memories are not included if these are built for their ports.
    """

    femtojoules: Callable[[], Figures]
    leaking: Mapping[str, int]


@dataclass(frozen=True)
class EvaluatedMemories:
    """The figures of designs' memories as built, and the names of their costs.

    `figures` gives those of designs by structure and combination (n,); `least` gives lower bounds.
    """

    figures: OfDesigns
    least: OfDesigns
    costs: tuple[str, ...]
    has_blocks: bool

    def at(self, places: Places, columns: Places, *, least: bool) -> EvaluatedMemories:
        """The memories of some designs, each a structure with one combination; with `least`, lower bounds."""
        of = self.least if least else self.figures
        return replace(self, figures=lambda some, _: of(places[some], columns[some]))


@dataclass(frozen=True)
class Metrics:
    """The figures of S structures (group designs without units and intervals), each under U combinations of rates.

    `legal` (S, U) is false for more units than can ever work at once, for ports that no memory serves (`refusal` gives
    the reason of one) and, with FIFOs, for an order of reading that is not that of writing; the figures of such designs
    mean nothing. `combinations` are the rates (`rate_of`) of the tasks, (1, U, tasks), or (S, U, tasks) if each
    structure has its own; an interval of 0 is the least on offer.

    Times are (S, U), memory that does not depend on rates is (S, 1), and `units` and `unit_costs` have the shape of the
    combinations. `built` has the memories as built. Without a technology it is None, memories have their addressed size
    (`addressed_data`, `addressed_bits`), and `counted_blocks` are their blocks (None without local.block_bits).
    `energy` is None if the platform does not give it.

    `left_out` counts the legal designs of these structures that were not evaluated, since one that was is no slower
    with fewer units, or at another interval, all else being equal. `untried` counts those of which nothing is known,
    since there are too many. `resident` has the resident arrays' share of each of MEMORY, (3, 1, U) or (3, S, U): 0 if
    they are outside all groups.

    With `exact`, the figures of the one structure are lower bounds, and `legal` designs may turn out not to be. The
    figures of some of its combinations (n,) are then computed when they are read through `at`.
    """

    legal: NDArray[np.bool_]
    combinations: NDArray[np.int64]
    latency_cycles: Figures
    addressed_data: Figures
    addressed_bits: Figures
    counted_blocks: Figures | None
    units: Figures
    unit_costs: Mapping[str, Figures]
    frame: Callable[[], Figures]
    additive: Mapping[str, Callable[[], Figures]]
    left_out: int = 0
    untried: int = 0
    energy: EvaluatedEnergy | None = None
    built: EvaluatedMemories | None = None
    refusal: str | None = None
    exact: Callable[[Places], Metrics] | None = None
    resident: Callable[[], Figures] = field(default=lambda: np.zeros((len(MEMORY), 1, 1), np.int64))

    @cached_property
    def built_figures(self) -> BuiltFigures | None:
        """The figures of memories as built, computed when they are first read."""
        if self.built is None:
            return None
        shape = self.legal.shape
        places, columns = (axis.ravel() for axis in np.indices(shape))
        return self.built.figures(places, columns).changed(lambda own: own.reshape(shape))

    def keeping(self, data: Figures, bits: Figures) -> Metrics:
        """Replace the built memories by so many data and bits (S, 1), with no other costs."""
        if self.built is None:
            return self
        return replace(
            self,
            built=None,
            addressed_data=data,
            addressed_bits=bits,
            counted_blocks=np.zeros((1, 1), np.int64) if self.built.has_blocks else None,
            frame=lambda: self.frame_cycles,
            resident=lambda: self.resident_figures,
            energy=self.energy and replace(self.energy, femtojoules=lambda: self._other_fj),
        )

    def at(self, places: Places, columns: Places, *, least: bool = False) -> Metrics:
        """The figures of some designs, given by structure and combination (n,), as n structures (n, 1).

        With `least`, lower bounds replace figures that take longer to compute.
        """
        if self.exact is not None and not least:
            found, every = self.exact(columns), np.arange(len(columns))
            return found.at(0 * every, every)

        def of(figure: Figures) -> Figures:
            return np.broadcast_to(figure, self.legal.shape)[places, columns][:, None]

        built, counted = self.built, self.counted_blocks
        combinations = self.combinations[places if len(self.combinations) > 1 else 0, columns]
        return Metrics(
            legal=of(self.legal),
            combinations=combinations[:, None],
            latency_cycles=of(self.latency_cycles),
            addressed_data=of(self.addressed_data),
            addressed_bits=of(self.addressed_bits),
            counted_blocks=None if counted is None else of(counted),
            units=of(self.units),
            unit_costs={name: of(cost) for name, cost in self.unit_costs.items()},
            frame=lambda: of(self.frame_cycles),
            additive={name: partial(_after, figure, of) for name, figure in self.additive.items()},
            energy=self.energy and replace(self.energy, femtojoules=lambda: of(self._other_fj)),
            built=built and built.at(places, columns, least=least),
            refusal=self.refusal,
            resident=lambda: np.stack([of(figure) for figure in self.resident_figures]),
        )

    @property
    def exactly(self) -> Metrics:
        """The exact figures of the designs."""
        return self if self.exact is None else self.exact(np.arange(self.legal.shape[1]))

    @property
    def internal_memory_elements(self) -> Figures:
        """Internal memory in elements, as built."""
        return self.addressed_data if self.built_figures is None else self.built_figures.data

    @property
    def internal_memory_bits(self) -> Figures:
        """Internal memory in bits, as built."""
        return self.addressed_bits if self.built_figures is None else self.built_figures.bits

    @property
    def memory_blocks(self) -> Figures | None:
        """Memory blocks, as built; None if the platform names none."""
        if self.built is None:
            return self.counted_blocks
        return self.built_figures.blocks if self.built.has_blocks and self.built_figures is not None else None

    @property
    def costs(self) -> Mapping[str, Figures]:
        """All costs by name, of datapaths and memories together."""
        return {name: self.cost(name) for name in self.unit_costs}

    def cost(self, name: str) -> Figures:
        """The cost with a name, of datapaths and memories together. Raises KeyError for an unknown name."""
        if name in BITS and name not in self.unit_costs:
            return np.zeros((1, 1), np.int64)
        if self.built is None or name not in self.built.costs or self.built_figures is None:
            return self.unit_costs[name]
        return self.unit_costs[name] + self.built_figures.costs[name]

    @cached_property
    def resident_figures(self) -> Figures:
        """The share of resident arrays in internal memory; computed when it is first read."""
        return self.resident()

    @cached_property
    def energy_fj(self) -> Figures | None:
        """Energy of a frame without leakage, in fJ; computed when it is first read."""
        if self.energy is None:
            return None
        return self._other_fj if self.built_figures is None else self._other_fj + self.built_figures.energy

    @cached_property
    def _other_fj(self) -> Figures:
        """Energy of a frame without leakage and without built memories, in fJ."""
        assert self.energy is not None, "the platform gives it"
        return self.energy.femtojoules()

    @cached_property
    def leakage_pw(self) -> Figures | None:
        """The leakage of the processors, in pW."""
        if self.energy is None:
            return None
        each = [each * self.cost(name) for name, each in self.energy.leaking.items() if name in self.unit_costs]
        return np.rint(sum(each, np.zeros(self.legal.shape))).astype(np.int64)

    @cached_property
    def frame_cycles(self) -> Figures:
        """Cycles per frame if frames follow each other without pause, (S, U); computed when it is first read."""
        return self.frame()

    def objective(self, name: str) -> Figures:
        """A figure or cost by its name, (S, U). Raises KeyError for a name that is neither."""
        if name in RESIDENT:
            figure = self.resident_figures[RESIDENT.index(name)]
        elif name in SHARED:
            figure = self.objective(MEMORY[SHARED.index(name)]) - self.resident_figures[SHARED.index(name)]
        elif name in self.additive:
            figure = self.additive[name]()
        else:
            figure = getattr(self, name) if name in (*OBJECTIVES, DYNAMIC, LEAKAGE) else self.cost(name)
        if figure is None:
            raise KeyError(name)
        return np.broadcast_to(figure, self.legal.shape)


def _after(figure: Callable[[], Figures], of: Callable[[Figures], Figures]) -> Figures:
    """Apply `of` to a figure that is computed now."""
    return of(figure())
