"""The integers that group designs are compared by: the chosen figures and those that constraints bound."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.errors import error
from dse.pareto.fronts import Combination, Rows
from dse.space.mappings import MappingSpace
from dse.space.objectives import SERVED, Figure, chosen_figures, figures_of, require_known
from dse.space.study import Constraint
from hwmodel.cost_model.estimate import ENERGIES, SETUP, Once
from hwmodel.cost_model.memories.local_ports import terms_of
from hwmodel.cost_model.metrics import MEMORY, RESIDENT, SHARED, TIMES, TRAFFIC, Metrics, units_are_free
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.together import GROUPS, OFF_PORT, PERIOD_PARTS, PORT, SERVICE, SERVICES, SHARED_PORT, off_port
from hwmodel.figures import FRAME, FRAMES_PER_SECOND, LATENCY
from hwmodel.platform import Platform


@dataclass(frozen=True)
class Columns:
    """`figures` are the columns, the objectives first; `objectives` says which columns each objective reads.

    Figures that read the same key of the model share a column; one of parts has a column for each part. `combination`
    makes wholes of groups, within the limits. `beside` is what each column has beside all groups (what is loaded once):
    the group with the first task bears it, of which each fusion has one; where the largest group counts, all groups do.
    `builds_memories` says that memories are built for their ports (docs/machine.md, section 13).
    `bounds` are the limits of figures of parts, which whole designs alone have; a figure of parts only grows with each
    of them, so what a design is dominated by in the parts keeps every bound that it keeps itself.
    """

    objectives: tuple[Figure, ...]
    figures: tuple[Figure, ...]
    combination: Combination
    constraints: tuple[Constraint, ...]
    beside: tuple[int, ...]
    bounds: tuple[tuple[Figure, int], ...] = ()
    clock_mhz: float | None = None
    builds_memories: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The objectives' names."""
        return tuple(figure.name for figure in self.objectives)

    @property
    def of_objectives(self) -> tuple[tuple[int, ...], ...]:
        """The columns of each objective."""
        return tuple(self.of_figure(objective) for objective in self.objectives)

    def of_figure(self, figure: Figure) -> tuple[int, ...]:
        """The columns of a figure: of its parts, where it has some."""
        places = {_source(column): place for place, column in enumerate(self.figures)}
        return tuple(places[_source(part)] for part in (figure.parts or (figure,)))

    def whole(self, figure: Figure, values: IntArray) -> IntArray:
        """The integers of a figure (n,), of the columns of whole designs (n, figures)."""
        columns = self.of_figure(figure)
        if not figure.parts:
            return values[:, columns[0]]
        return figure.whole([values[:, column] for column in columns], self.clock_mhz)

    def excess(self, values: IntArray) -> NDArray[np.float64]:
        """How far whole designs (n, figures) are above their bounds, as shares of these; 0 for what keeps them."""
        excess = np.zeros(len(values))
        for figure, limit in self.bounds:
            excess += np.maximum(0.0, self.whole(figure, values) / max(1, limit) - 1)
        return excess

    def keep_bounds(self, values: IntArray) -> Rows:
        """The rows of whole designs (n, figures) that keep all bounds."""
        kept = np.ones(len(values), np.bool_)
        for figure, limit in self.bounds:
            kept &= self.whole(figure, values) <= limit
        return np.flatnonzero(kept)

    def epsilon(self, asked: float) -> float:
        """What fronts of the columns may be thinned by: what leaks grows with its power and with time, as each does.

        How objectives of plug-ins grow is not known.
        """
        wholes = [figure for figure in (*self.objectives, *(figure for figure, _ in self.bounds)) if figure.parts]
        if any(figure.composed for figure in wholes):
            return 0.0
        composed = bool(wholes)
        return math.floor(1e9 * (math.sqrt(1 + asked) - 1)) / 1e9 if composed else asked

    @property
    def units_are_free(self) -> bool:
        """Whether only the fastest units of a structure, and of those the fewest, can be on a front."""
        names = [figure.key for figure in self.figures]
        return units_are_free(names, built=self.builds_memories) and not self.combination.trades_units

    @property
    def sees_keeps(self) -> bool:
        """Whether nothing is compared but figures of which keeps have bounds (`keep_search`)."""
        known = (*TIMES, *MEMORY, *TRAFFIC, *SETUP)
        figures = all(figure.key in known and figure.scale > 0 for figure in self.figures)
        return figures and not self.combination.trades_units

    @property
    def compares_only_data(self) -> bool:
        """Whether nothing is compared but what is moved and what is held, which no times and units change."""
        data = (*MEMORY, *RESIDENT, *SHARED, *TRAFFIC)
        return all(figure.key in data and figure.scale > 0 for figure in self.figures)

    @property
    def compares_costs(self) -> bool:
        """Whether something is compared that more units cost more of, as logic: many rates are on a front then."""
        known = (*TIMES, *PERIOD_PARTS, *MEMORY, *RESIDENT, *SHARED, *TRAFFIC, *SETUP)
        return any(figure.key not in known for figure in self.figures)

    @property
    def compares_built(self) -> bool:
        """Whether what memories are built of is compared, which takes longer to tell than all else."""
        names = [figure.key for figure in self.figures if figure.key != "units"]
        return self.builds_memories and not units_are_free(names, built=True)

    @property
    def compares_all_times(self) -> bool:
        """Whether longer times are better for one column, as for a power: then fronts hold nearly all of them."""
        return any(figure.scale < 0 for figure in self.figures)

    def times(self, *, whole: bool) -> tuple[str, ...]:
        """The times among the columns, as the model names them for a group, or for one that is a `whole` design."""
        times = (*TIMES, *OFF_PORT)
        return tuple(dict.fromkeys(key_of(figure, whole=whole) for figure in self.figures if figure.key in times))

    def borne(self, *, first: bool) -> tuple[int, ...]:
        """What a group bears of that, the one with the `first` task or another."""
        pairs = zip(self.beside, self.combination.largest, strict=True)
        return tuple(amount if first or largest else 0 for amount, largest in pairs)

    @property
    def leading(self) -> int:
        """How many columns belong to objectives; the others are there for constraints alone."""
        return max(column for columns in self.of_objectives for column in columns) + 1


def columns_of(
    objectives: Sequence[str],
    constraints: Sequence[Constraint],
    model: MachineModel,
    *,
    reuse_memory: bool,
    known: Mapping[str, Figure] | None = None,
) -> Columns:
    """The columns for objectives and constraints by name, of the figures that are `known`: by default the model's.

    Raises what `chosen_figures` raises, also for the constraints' figures; `bad-constraint` for a bound from the wrong
    side.
    """
    platform, network = model.platform, model.network
    known = figures_of(platform, model.accesses, reuse_memory=reuse_memory) if known is None else known
    chosen = chosen_figures(objectives, known, platform, network)
    for constraint in constraints:
        require_known(constraint.figure, known, platform, network)
        _require_side(constraint, known[constraint.figure])
    bounded = [known[constraint.figure] for constraint in constraints]
    first: dict[tuple[str, int], Figure] = {}
    for figure in (*chosen, *bounded):
        for part in figure.parts or (figure,):
            first.setdefault(_source(part), part)
    figures = (*first.values(), *_of_turns(known, platform))
    whole = {figure.name: figure for figure in bounded if figure.parts}.values()
    bounds = [
        (figure, limit) for figure in whole if (limit := _limit(figure, constraints, known, platform)) is not None
    ]
    limits = tuple(
        _part_limit(figure, bounds, platform)
        if figure.key in PERIOD_PARTS
        else _limit(figure, constraints, known, platform)
        for figure in figures
    )
    largest = tuple((reuse_memory and figure.key in (*MEMORY, *SHARED)) or figure.key in OFF_PORT for figure in figures)
    beside = tuple(_loaded_once(model.once, figure.key) for figure in figures)
    return Columns(
        chosen,
        figures,
        Combination(largest, tuple(limits), units_matter=reuse_memory),
        tuple(constraints),
        beside,
        tuple(bounds),
        platform.clock_mhz,
        terms_of(platform) is not None,
    )


def _source(figure: Figure) -> tuple[str, int]:
    """What figures of one column have in common; those of costs differ in the number that makes integers of them."""
    return figure.key, min(figure.scale, 0)


def _loaded_once(once: Once, key: str) -> int:
    """What is loaded once takes of a figure."""
    memory = zip(MEMORY, (once.memory_data, once.memory_bits, once.blocks), strict=True)
    return {**dict(memory), "setup_cycles": once.setup_cycles, "setup_bytes": once.setup_bytes}.get(key, 0)


def _require_side(constraint: Constraint, figure: Figure) -> None:
    if constraint.is_upper == figure.grows:
        wanted = f"{figure.name} {'>=' if figure.grows else '<='} NUMBER"
        message = f"the constraint '{constraint}' bounds {figure.name} from the wrong side"
        raise error("bad-constraint", message, hint=f"write {wanted}: {'more' if figure.grows else 'less'} is better")


def _limit(
    figure: Figure, constraints: Sequence[Constraint], known: Mapping[str, Figure], platform: Platform
) -> int | None:
    """The largest integer of a column that keeps all its constraints."""
    pairs = ((constraint, known[constraint.figure]) for constraint in constraints)
    same = [pair for pair in pairs if _source(pair[1]) == _source(figure)]
    return min((_integer_limit(*pair, platform) for pair in same), default=None)


def _of_turns(known: Mapping[str, Figure], platform: Platform) -> tuple[Figure, ...]:
    """What has a limit, whatever is compared, if groups run at the same time and take turns at the port."""
    in_turns = any(channel.turn for channel in platform.channels)
    return (SERVED,) if in_turns and known[FRAME].parts else ()


def _part_limit(part: Figure, bounds: Sequence[tuple[Figure, int]], platform: Platform) -> int | None:
    """The largest integer of cycles of which a time is the sum, or that sum several times, if that time has a bound.

    The longest services of all groups fit in a turn.
    """
    if part == SERVED:
        return max(channel.turn for channel in platform.channels)
    own = [limit for figure, limit in bounds if figure.name not in ENERGIES and part in figure.parts]
    return min(own, default=None) if part.key != GROUPS else None


def _integer_limit(constraint: Constraint, figure: Figure, platform: Platform) -> int:
    bound, strict = constraint.bound, not constraint.relation.endswith("=")
    if figure.name == FRAMES_PER_SECOND:  # clock / cycles >= bound
        bound = Fraction(str(platform.clock_mhz)) * 10**6 / bound if bound else Fraction(1 << 62)
    elif figure.clocked:
        bound *= Fraction(str(platform.clock_mhz))
    else:
        bound *= figure.scale
    return math.ceil(bound) - 1 if strict else math.floor(bound)


def key_of(figure: Figure, *, whole: bool) -> str:
    """The model's name of a figure of group designs; frames follow each other only in a `whole` design.

    Time off the port is the least when the group is fastest.
    """
    if figure.key in (FRAME, *OFF_PORT):
        return FRAME if whole and figure.key in (FRAME, OFF_PORT[1]) else LATENCY
    return figure.key


def values_of(columns: Columns, priced: Metrics, space: MappingSpace, tasks: Collection[str]) -> list[IntArray]:
    """The columns of designs of a group: each figure's integers, with what the group bears for all."""
    whole, borne = len(tasks) == len(space.graph), columns.borne(first=space.graph.names[0] in tasks)
    pairs = zip(columns.figures, borne, strict=True)
    turn = max(channel.turn for channel in space.model.platform.channels)
    return [_column(priced, figure, turn, whole=whole) + more for figure, more in pairs]


def _column(priced: Metrics, figure: Figure, turn: int, *, whole: bool) -> IntArray:
    key, nothing = key_of(figure, whole=whole), np.zeros(priced.legal.shape, np.int64)
    if key in SETUP:
        return nothing  # of all groups alike
    if key == GROUPS:
        return nothing + 1
    if key == SHARED_PORT:
        return nothing if whole else nothing + priced.objective(PORT)
    if key == SERVICES:
        return nothing if whole else nothing + priced.objective(SERVICE)
    if figure.key in OFF_PORT and not whole:
        return nothing + off_port(priced.latency_cycles, priced.objective(PORT), turn)
    column = priced.objective(key) * figure.scale
    integers: IntArray = (np.rint(column) if column.dtype.kind == "f" else column).astype(np.int64)
    return integers


def objective_values(columns: Columns, values: IntArray) -> IntArray:
    """The objectives of values of whole designs, of shape (n, objectives)."""
    return np.stack([columns.whole(objective, values) for objective in columns.objectives], axis=1)
