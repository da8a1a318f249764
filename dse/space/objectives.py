"""What can be minimised or bounded: the figures that a model gives, with names, units and titles.

First the published model's objectives, then the figures of the machine model, whose names depend on the platform.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError, Diagnostic, error
from arrayol.ir.network import Network
from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.plugins import OBJECTIVES, installed
from arrayol.text import listed
from dse.space.composed import LARGEST, SCALE, checked_values, composed_objective
from hwmodel.accesses import Accesses
from hwmodel.assumptions import without_cost
from hwmodel.cost_model.costs import all_costs, scale_of
from hwmodel.cost_model.energy import MEMORY_BITS, EnergyCosts, energy_gap, energy_prices
from hwmodel.cost_model.estimate import DYNAMIC, ENERGIES, LEAKAGE, Number
from hwmodel.cost_model.memories.local_ports import terms_of
from hwmodel.cost_model.metrics import MEMORY, RESIDENT, SHARED
from hwmodel.cost_model.together import GROUPS, OFF_PORT, PERIOD_PARTS, SERVICES, SHARED_PORT
from hwmodel.datapath.technology.rows import COSTS
from hwmodel.figures import (
    ENERGY,
    FRAME,
    FRAMES_PER_SECOND,
    LATENCY,
    LOCAL_BITS,
    MICROSECONDS,
    MODEL_FIGURES,
    POWER,
    ROM_BITS,
    SETUP_BYTES,
    SETUP_CYCLES,
)
from hwmodel.platform import Platform
from hwmodel.published.group import PublishedDesign
from hwmodel.residence import ONCE

Item = TypeVar("Item")
Wholes = NDArray[Any]  # of int64, one for each design


@dataclass(frozen=True)
class Objective:
    """A figure of a design, smaller is better. `exact` is the integer that designs are compared by."""

    name: str
    title: str
    unit: str
    exact: Callable[[PublishedDesign], int]

    def value(self, design: PublishedDesign, platform: Platform) -> int | float:
        """The figure in `unit`."""
        return self.in_unit(self.exact(design), platform)

    def in_unit(self, exact: int, platform: Platform) -> int | float:
        """The figure in `unit` that stands behind the integer."""
        if self.name == MICROSECONDS:
            assert platform.clock_mhz is not None, "microseconds are refused without a clock"
            return exact / platform.clock_mhz
        return exact


_PUBLISHED = {  # where its designs have them
    LATENCY: "latency_cycles",
    "internal_memory_elements": "internal_memory_elements",
    "internal_memory_bits": "internal_memory_bits",
    "units": "units",
    MICROSECONDS: "latency_cycles",
    SETUP_CYCLES: "resident.setup_cycles",
    SETUP_BYTES: "resident.setup_bytes",
    ROM_BITS: "resident.rom_bits",
    LOCAL_BITS: "local_bits",
}
PUBLISHED: Mapping[str, Objective] = MappingProxyType(
    {
        name: Objective(name, MODEL_FIGURES[name].title, MODEL_FIGURES[name].unit, attrgetter(place))
        for name, place in _PUBLISHED.items()
    }
)
DEFAULT = (LATENCY, "internal_memory_elements")


class WrongObjectiveError(ArrayolError):
    """Objectives that cannot be asked for: wrong usage."""

    exit_code = 2


def chosen(names: Sequence[str]) -> tuple[Objective, ...]:
    """The objectives of these names, in this order.

    Raises WrongObjectiveError: `unknown-objective` (those that only the machine model gives included),
    `repeated-objective`, `no-objective`.
    """
    return _each_once(names, PUBLISHED, _require_published)


def available(platform: Platform, accesses: Accesses) -> tuple[Objective, ...]:
    """What the published model gives of a network on a platform: microseconds only with a clock."""
    clocked = platform.clock_mhz is not None
    return tuple(
        objective
        for name, objective in PUBLISHED.items()
        if (clocked or name != MICROSECONDS) and (name not in _NOTHING or has_resident(accesses, name))
    )


def require_available(objectives: Sequence[Objective], platform: Platform, accesses: Accesses) -> None:
    """Raises ArrayolError: `no-clock` for microseconds without a clock, `nothing-resident`."""
    known = available(platform, accesses)
    for objective in objectives:
        if objective.name in _NOTHING and objective not in known:
            raise _nothing_resident(objective.name)
    if any(objective not in known for objective in objectives):
        raise error(
            "no-clock",
            f"'{MICROSECONDS}' needs a clock, and the platform has none",
            hint=f"give clock_mhz = MHZ in the platform, or take {LATENCY}",
        )


def _each_once(names: Sequence[str], known: Mapping[str, Item], require: Callable[[str], None]) -> tuple[Item, ...]:
    """What these names stand for, in this order. Raises what `require` raises for one, and where one comes twice."""
    if not names:
        raise _wrong("no-objective", "at least one objective is needed", f"choose of {', '.join(known)}")
    for place, name in enumerate(names):
        require(name)
        if name in names[:place]:
            raise _wrong("repeated-objective", f"objective '{name}' is given twice", "name each objective once")
    return tuple(known[name] for name in names)


def _require_published(name: str) -> None:
    if name in PUBLISHED:
        return
    known = f"the published model gives {', '.join(PUBLISHED)}"
    if not name:
        raise _wrong("unknown-objective", "an objective's name is empty", "write them as A,B without a comma too many")
    if name in MACHINE:
        raise _wrong("unknown-objective", f"'{name}' needs the machine model", known)
    raise _wrong("unknown-objective", f"there is no objective '{name}'", did_you_mean(name, PUBLISHED) or known)


def _wrong(code: str, message: str, hint: str) -> WrongObjectiveError:
    return WrongObjectiveError([Diagnostic(code, message, hint=hint)])


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a design. Designs are compared by integers, smaller is better: `key` of the model, times `scale`.

    `scale` makes integers of costs that are not. `clocked` figures are cycles seen through the platform's clock. What
    is neither the sum nor the maximum of its groups' figures is made of `parts` that are: see `whole`. What a plug-in
    makes of them is `composed`.
    """

    name: str
    title: str
    unit: str
    key: str
    scale: int = 1
    clocked: bool = False
    parts: tuple[Figure, ...] = ()
    leaking: int = 0
    composed: bool = False

    def whole(self, columns: Sequence[Wholes], clock_mhz: float | None) -> Wholes:
        """The integers of whole designs, of those of its parts: energies in fJ, powers in pW.

        Parts are energy but for what leaks in fJ, what processors leak in pW, cycles per frame (negative for a power,
        which is less where frames take longer), and, where internal memory leaks too, its bits, `leaking` pW each.
        Those of other figures are added up; a latency in periods is the number of groups times a period.
        """
        if self.composed:
            return self._composed(columns, clock_mhz)
        if self.name not in ENERGIES:
            factor = columns[-1] if self.parts[-1].key == GROUPS else 1
            whole: Wholes = factor * np.sum(columns[:-1] if self.parts[-1].key == GROUPS else columns, axis=0)
            return whole
        assert clock_mhz is not None, "energies are refused without a clock"
        energy, power, *others = (np.asarray(column, np.float64) for column in columns)
        is_time = [part.key in (FRAME, *PERIOD_PARTS) for part in self.parts[2:]]
        cycles = sum(column for column, of_time in zip(others, is_time, strict=True) if of_time)
        bits = [column for column, of_time in zip(others, is_time, strict=True) if not of_time]
        power = power + self.leaking * sum(bits) if bits else power
        if self.name == ENERGY:
            exact = energy + power * cycles / (1000 * clock_mhz)
        else:
            exact = power + 1000 * clock_mhz * np.divide(energy, -cycles, out=0 * energy, where=cycles != 0)
        integers: Wholes = np.rint(exact).astype(np.int64)
        return integers

    def _composed(self, columns: Sequence[Wholes], clock_mhz: float | None) -> Wholes:
        """What a plug-in makes of its parts, in millionths."""
        figures = [
            np.asarray(column, np.float64) / ((clock_mhz or 1.0) if part.clocked else part.scale)
            for part, column in zip(self.parts, columns, strict=True)
        ]
        values = checked_values(self.name, composed_objective(self.name), figures)
        integers: Wholes = np.rint(np.minimum(values * self.scale, LARGEST)).astype(np.int64)
        return integers

    def shown(self, exact: int, platform: Platform) -> int | float:
        """The figure in `unit` that stands behind the integer."""
        if self.clocked:
            assert platform.clock_mhz is not None, "figures in time are refused without a clock"
            return self.at_clock(exact, platform.clock_mhz)
        return exact if self.scale == 1 else exact / self.scale

    def shown_of(self, values: Mapping[str, Number], platform: Platform) -> int | float:
        """The figure in `unit` of a design whose figures the model gives these values, by key."""
        return self.shown(self.exact_of(values, platform.clock_mhz), platform)

    def exact_of(self, values: Mapping[str, Number], clock_mhz: float | None) -> int:
        """The integer by which such a design is compared."""
        if not self.composed:
            return round(values[self.key] * self.scale)
        parts = [np.array([round(values[part.key] * part.scale)]) for part in self.parts]
        return int(self.whole(parts, clock_mhz)[0])

    def shown_of_each(self, exact: Sequence[int], platform: Platform) -> list[int | float]:
        """The figure in `unit` behind each of some integers."""
        return [self.shown(one, platform) for one in exact]

    def at_clock(self, cycles: float, clock_mhz: float) -> float:
        """The figure in `unit` of so many cycles, for a `clocked` figure."""
        if self.name == FRAMES_PER_SECOND:
            return clock_mhz * 1e6 / cycles if cycles else math.inf
        return cycles / clock_mhz

    @property
    def grows(self) -> bool:
        """Whether larger is better for the people who read it; its integer still shrinks."""
        return self.name == FRAMES_PER_SECOND


def keys_of(figures: Iterable[Figure]) -> tuple[str, ...]:
    """What the model calls all that some figures are made of."""
    return tuple(dict.fromkeys(part.key for one in figures for part in (one.parts if one.composed else (one,))))


def shown_figures(
    figures: Iterable[Figure], values: Mapping[str, Number], platform: Platform
) -> dict[str, int | float]:
    """Figures by name, each in its unit, of a design whose figures the model gives these values, by key."""
    return {figure.name: figure.shown_of(values, platform) for figure in figures}


_FIGURES = tuple(
    Figure(one.name, one.title, one.unit, one.key or one.name, one.scale, one.clocked) for one in MODEL_FIGURES.values()
)
MACHINE: Mapping[str, Figure] = MappingProxyType({figure.name: figure for figure in _FIGURES})


def grows(figure: str) -> bool:
    """Whether larger is better for a figure of this name; a cost's is smaller."""
    return figure in MACHINE and MACHINE[figure].grows


def known_figure(name: str) -> Figure | None:
    """The figure of the model, or of a plug-in that can be loaded; None for the name of a cost."""
    if name not in installed(OBJECTIVES) or name in MACHINE:
        return MACHINE.get(name)
    try:
        own = composed_objective(name)
    except ArrayolError:
        return None
    return Figure(name, own.title, own.unit, name, SCALE, composed=True)


def _composed_of(known: Mapping[str, Figure]) -> Iterator[Figure]:
    """The objectives of plug-ins whose figures are known, each of them the sum or the maximum of its groups'."""
    for name in installed(OBJECTIVES):
        figure = known_figure(name)
        if name in known or figure is None or not figure.composed:
            continue
        parts = [known.get(part) for part in composed_objective(name).figures]
        plain = [part for part in parts if part is not None and not part.parts and not part.grows]
        if len(plain) == len(parts):
            yield replace(figure, parts=tuple(plain))


def _why_no_composed(name: str, known: Mapping[str, Figure]) -> ArrayolError:
    """Why the objective of a plug-in is no figure here."""
    for part in composed_objective(name).figures:  # raises where that cannot be loaded
        if part not in known or known[part].parts or known[part].grows:
            break
    hint = "see docs/plugins.md for the figures that an objective can be made of"
    return error("missing-figure", f"'{name}' is made of '{part}', which is no plain figure of designs here", hint=hint)


_FRAME = MACHINE[FRAME]
_OFF_PORT = tuple(Figure(key, "cycles off the port", "cycles", key) for key in OFF_PORT)
_AT_PORT = Figure(SHARED_PORT, "cycles at the port", "cycles", SHARED_PORT)
_GROUPS = Figure(GROUPS, "groups", "groups", GROUPS)
SERVED = Figure(SERVICES, "longest services of groups", "cycles", SERVICES)
_OF_TIMES = {LATENCY: (_OFF_PORT[0], _AT_PORT, _GROUPS), FRAME: (_OFF_PORT[1], _AT_PORT)}  # of groups at the same time
_IN_TURNS = {LATENCY: (_OFF_PORT[0], _GROUPS), FRAME: (_OFF_PORT[1],)}  # that take turns at the port
_SLOWNESS = Figure("slowness", "time per frame, the less the longer", "cycles", _FRAME.key, -1)


def _energies(prices: EnergyCosts) -> Iterator[Figure]:
    """Energy and power: of a whole design, since what one group's processors leak, they leak while the others work."""
    of_groups = (
        Figure(DYNAMIC, "energy but for what leaks", "fJ", DYNAMIC),
        Figure(LEAKAGE, "what processors leak", "pW", LEAKAGE),
    )
    leaking = prices.leaking.get(MEMORY_BITS, 0)
    bits = (MACHINE[MEMORY_BITS],) if leaking else ()
    yield replace(MACHINE[ENERGY], parts=(*of_groups, _FRAME, *bits), leaking=leaking)
    yield replace(MACHINE[POWER], parts=(*of_groups, _SLOWNESS, *bits), leaking=leaking)


def _without_residents(figure: Figure) -> Figure:
    """A figure of memory with what holds resident arrays apart: where groups share the rest, that adds up over them.

    So do the bits that leak in an energy.
    """
    if figure.key in MEMORY:
        place = MEMORY.index(figure.key)
        parts = ((SHARED[place], "shared by groups"), (RESIDENT[place], "of resident arrays"))
        return replace(figure, parts=tuple(Figure(key, text, figure.unit, key) for key, text in parts))
    own = (_without_residents(part) for part in figure.parts)
    return replace(figure, parts=tuple(part for one in own for part in (one.parts or (one,))))


def _in_periods(figure: Figure, of_times: Mapping[str, tuple[Figure, ...]]) -> Figure:
    """A figure of groups that run at the same time: a time by its parts, also where it is one of an energy."""
    if figure.key in of_times:
        return replace(figure, parts=of_times[figure.key])
    own = [of_times.get(part.key, (part,)) for part in figure.parts]
    return replace(figure, parts=tuple(part for parts in own for part in parts))


def cost_unit(name: str) -> str:
    """The unit of a cost: that of the technologies' costs, um2 of an area; else its name."""
    return COSTS.get(name) or name


def figures_of(
    platform: Platform, *accesses: Accesses, reuse_memory: bool = False, together: bool = False
) -> dict[str, Figure]:
    """All figures that the machine model gives of a network on a platform: last the costs that all its tasks have.

    `accesses` are those of the network under each choice of loads: a figure of one of them is a figure of all. With
    `reuse_memory` and a technology what holds resident arrays is a part of figures of memory. Times of groups that run
    `together` are made of parts, and there is no power.
    """
    network, costs = accesses[0].network, [all_costs(one, platform) for one in accesses]
    figures = {figure.name: figure for figure in _FIGURES if any(_has(platform, one, figure) for one in accesses)}
    prices = energy_prices(platform, network) if platform.clock_mhz is not None else None
    figures |= {figure.name: figure for figure in (_energies(prices) if prices is not None else ())}
    for name in platform.all_cost_names(network):
        if not without_cost(platform, network, name):
            unit = cost_unit(name)
            title = name if COSTS.get(name) else f"cost in {name}"
            scale = scale_of(name, (cost for by_name in costs for _, cost in by_name[name]), platform)
            figures[name] = Figure(name, title, unit, name, scale)
    if reuse_memory and terms_of(platform) is not None:
        figures = {name: _without_residents(figure) for name, figure in figures.items()}
    if together:
        of_times = _IN_TURNS if any(channel.turn for channel in platform.channels) else _OF_TIMES
        figures = {name: _in_periods(figure, of_times) for name, figure in figures.items() if name != POWER}
    return figures | {figure.name: figure for figure in _composed_of(figures)}


def chosen_figures(
    names: Sequence[str], known: Mapping[str, Figure], platform: Platform, network: Network
) -> tuple[Figure, ...]:
    """The figures of these names, of those known.

    Raises WrongObjectiveError (`unknown-objective`, `repeated-objective`, `no-objective`) and ArrayolError (`no-clock`,
    `no-block-size`, `nothing-resident`, `no-energy`, `missing-cost`).
    """
    return _each_once(names, known, lambda name: require_known(name, known, platform, network))


def require_known(name: str, known: Mapping[str, Figure], platform: Platform, network: Network) -> None:
    """Raises for a name that is no figure here.

    `no-clock`, `no-block-size`, `nothing-resident`, `no-energy`, `missing-cost`, or `unknown-objective`.
    """
    if name in known:
        return
    if name in installed(OBJECTIVES):
        raise _why_no_composed(name, known)
    if name in MACHINE and MACHINE[name].clocked:
        hint = f"give clock_mhz = MHZ in the platform, or take {MACHINE[name].key}"
        raise error("no-clock", f"'{name}' needs a clock, and the platform has none", hint=hint)
    if name in _NOTHING:
        raise _nothing_resident(name)
    if name in ENERGIES:
        gap = energy_gap(platform, network)
        if gap is None:  # the figures are those of groups in periods, else all energies are known
            raise _wrong("no-energy", f"'{name}' is no figure of groups that run at the same time", "take energy_nj")
        raise error("no-energy", f"'{name}' is no figure of designs here: {gap[0]}", hint=gap[1])
    if name in MACHINE:
        hint = "give local.block_bits = BITS in the platform"
        raise error("no-block-size", f"'{name}' needs the size of a memory block, and the platform has none", hint=hint)
    require_costs((name,), platform, network)
    raise _wrong(
        "unknown-objective",
        f"there is no objective '{name}'" if name else "an objective's name is empty",
        did_you_mean(name, known) or f"the machine model gives {', '.join(known)} here",
    )


def require_costs(names: Sequence[str], platform: Platform, network: Network) -> None:
    """Raises ArrayolError (`missing-cost`) for a cost that some task lacks: its sum would take that one for free."""
    for name in (name for name in platform.all_cost_names(network) if name in names):
        without = without_cost(platform, network, name)
        if not without:
            continue
        tasks = [f"'{process.name}'" for process in network.processes.values() if process.elementary in without]
        subject, verb = ("task", "has") if len(tasks) == 1 else ("tasks", "have")
        tables = listed([f"[elementary.{elementary}]" for elementary in without])
        raise error(
            "missing-cost",
            f"'{name}' is no figure of designs here: the {subject} {listed(tasks)} {verb} no cost in {name}",
            platform.place("elementary", without[0]),
            hint=f"give cost = {{ {name} = NUMBER }} in {tables} of the platform, 0 where there is none",
        )


_NOTHING = {
    SETUP_CYCLES: "nothing is loaded once",
    SETUP_BYTES: "nothing is loaded once",
    ROM_BITS: "no task reads a const array from a ROM",
    LOCAL_BITS: "no elementary has locals",
}


def _has(platform: Platform, accesses: Accesses, figure: Figure) -> bool:
    if figure.name in ENERGIES:
        return False  # made of parts, below
    if figure.clocked:
        return platform.clock_mhz is not None
    if figure.name in _NOTHING:
        return has_resident(accesses, figure.name)
    return figure.name != "memory_blocks" or platform.counts_blocks


def _nothing_resident(name: str) -> ArrayolError:
    hint = "leave it out: it would be 0 for every design"
    return error("nothing-resident", f"'{name}' is no figure of designs here: {_NOTHING[name]}", hint=hint)


def has_resident(accesses: Accesses, figure: str) -> bool:
    """Whether there is what setup figures, `rom_bits` or `local_bits` count."""
    if figure == ROM_BITS:
        return accesses.reads_roms
    if figure == LOCAL_BITS:
        return any(process.local_bits for process in accesses.network.processes.values())
    return ONCE in accesses.load.values()
