"""What an exploration leaves behind, as it is stored and printed: the JSON of `explore`, for every model.

What only one model has is null with the others. What it has of each design is in `designs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, PrivateAttr

from arrayol.text import counted, few
from dse.results.dataframe import dataframe
from dse.results.designs import DatapathRecord, Design, Interval, ProcessorRecord, Record
from dse.results.rows import design_rows
from hwmodel.design import Splits
from hwmodel.residence import LOADS, Load

# Of result.json; 1 had no number, 2 no residents, 3 no digests of components, 4 no intervals, 5 no keeps, 6 no words,
# no loads of designs; 7 had memories of one bank and one copy; 8 no splits; 9 no streams.
FORMAT = 12


class SubspaceSummary(Record):
    """Fusions by the integer partition they stand for ("3+1"); those that stand for none are left out."""

    groups: int
    fusions: int
    infeasible: int
    pareto: int
    partitions: dict[str, int]


class SplitSummary(Record):
    """A network that steps make of the one without splits: its tasks, with the `intervals` on offer in cycles."""

    steps: tuple[str, ...]
    intervals: dict[str, tuple[Interval, ...]]


class SpaceSummary(Record):
    """What was searched, for the tasks in dataflow order. Null: too many to be counted, or not of this model.

    `whole_designs` are those of all fusions: with the published model each fusion is one, and `subspaces` are the legal
    ones by number of groups. The machine model has `groups` with `group_designs` over all of them, the `intervals` that
    the platform offers each task, in cycles, and a `study`. `splits` are the networks beside the one of these tasks;
    `fusions` and `groups` are of that alone.
    """

    tasks: tuple[str, ...]
    fusions: int | None
    subspaces: tuple[SubspaceSummary, ...] | None
    groups: int | None
    group_designs: int | None
    whole_designs: int | None
    intervals: dict[str, tuple[Interval, ...]] | None
    study: dict[str, Any] | None
    splits: tuple[SplitSummary, ...] = ()

    def intervals_of(self, splits: Splits) -> Mapping[str, tuple[Interval, ...]]:
        """What the platform offers each task of designs with some splits; of none that are not there."""
        found = (one.intervals for one in self.splits if one.steps == splits)
        return next(found, {}) if splits else self.intervals or {}

    @property
    def all_tasks(self) -> tuple[str, ...]:
        """The tasks, then those of the networks that splits make."""
        return tuple(dict.fromkeys([*self.tasks, *(task for one in self.splits for task in one.intervals)]))


class Comparisons(Record):
    """Ordered pairs compared for the front: subspace by subspace and then among survivors, or all with all.

    Null where there were more designs than are compared pair by pair.
    """

    subspaces: int | None
    all_pairs: int | None


PARTITIONS, SUBSPACES = "integer partitions", "subspaces"


class PartitionCounts(Record):
    """How far the fusions were searched, by the integer partitions of the number of tasks that they stand for.

    Of `total` ones some are `covered`, with all their designs, some `partly`, and the rest `pruned`, by why. `counted`
    says what: with many tasks subspaces, by numbers of groups.
    """

    counted: str
    total: int
    covered: int
    partly: int
    pruned: dict[str, int]


class Hypervolume(Record):
    """What the front dominates up to the reference point, on logarithmic axes whose unit is the octave."""

    value: float
    reference: dict[str, int | float]


class Refusal(Record):
    """An example of what was infeasible, a group or a whole fusion, and why."""

    groups: tuple[tuple[str, ...], ...]
    reason: str

    @property
    def text(self) -> str:
        """In words."""
        return f"{' | '.join(', '.join(group) for group in self.groups)}: {self.reason}"


class GenerationRecord(Record):
    """The designs priced up to a generation, and the hypervolume of the front then, as a share of the last one's."""

    generation: int
    evaluated: int
    hypervolume: float


class EvolutionRecord(Record):
    """How a heuristic search went; `stalled` tells that it ended because nothing more came."""

    seed: int
    population: int
    generations: int
    stalled: bool
    convergence: tuple[GenerationRecord, ...]


class DeviceRecord(Record):
    """The device, or the area, that designs had to fit, with what it has by figure of designs.

    Without it the front has so many `designs`, of which `exceeding` need more; they are not in the result.
    """

    name: str
    capacities: dict[str, int | float]
    exceeding: int
    designs: int


class Result(Record):
    """A whole exploration.

    `evaluated`, `infeasible` and `pruned` count what `counted` says, group designs or whole designs, and sum to the
    number of those in the space. `comparisons` are those of the published model, `evolution` is that of NSGA-II.
    `datapaths` has each task at each occupancy of its designs, `technology` the name of the table that priced their
    bodies, if one did, and `estimates` the figures that are estimates of that table; the published model has none.
    `elements` has a digest of each const array's elements,
    `components` one of each elementary's and task's text.
    `bounds` has, by objective, what no design is better than, where the front is not exact: 0 where nothing is known.
    `partitions` says of how many integer partitions all designs were looked at; null where that takes too long.
    `searched` is how many designs the front has whose hypervolume is told, where others are shown: those with the least
    logic within the study's slack of them.
    `complete` is false where a clock or an interrupt ended the search, so that another run may find more.
    `designs` holds more than the front where that was asked for: every feasible design of the published model in the
    order of the space, the front and the fronts of all fusions of the machine model.
    """

    format: int = Field(json_schema_extra={"const": FORMAT})
    arrayol: str
    spec: str
    top: str
    constants: dict[str, int | float | bool | str]
    elements: dict[str, str]
    components: dict[str, str]
    model: str
    platform: str
    technology: str | None
    estimates: tuple[str, ...]
    datapaths: tuple[DatapathRecord, ...]
    remarks: tuple[str, ...]
    objectives: tuple[str, ...]
    constraints: tuple[str, ...]
    device: DeviceRecord | None = None
    searched: int | None = None
    method: str
    method_reason: str
    method_description: str
    exact: bool
    complete: bool = True
    space: SpaceSummary
    counted: str
    evaluated: int
    infeasible: int
    pruned: int
    infeasible_example: Refusal | None
    comparisons: Comparisons | None
    evolution: EvolutionRecord | None
    hypervolume: Hypervolume
    bounds: dict[str, int | float] | None = None
    partitions: PartitionCounts | None = None
    pareto: tuple[Design, ...]
    designs: tuple[Design, ...] | None = None
    _unusable: Mapping[str, str] = PrivateAttr(default_factory=dict)

    def __repr__(self) -> str:
        return f"Result({self.heading})"

    @property
    def unusable(self) -> Mapping[str, str]:
        """By the id of each design that its file has and that is left out here, why, in words."""
        return self._unusable

    def without(self, unusable: Mapping[str, str]) -> Result:
        """The result without some designs, by id, each with the reason in words."""
        if not unusable:
            return self
        pareto = tuple(design for design in self.pareto if design.id not in unusable)
        designs = None if self.designs is None else tuple(one for one in self.designs if one.id not in unusable)
        rest = self.model_copy(update={"pareto": pareto, "designs": designs})
        rest.note_unusable({**self._unusable, **unusable})
        return rest

    def note_unusable(self, unusable: Mapping[str, str]) -> None:
        """Remember which designs were left out, by id, each with the reason; it is not stored."""
        self._unusable = dict(unusable)

    @property
    def heading(self) -> str:
        """In a line: what was explored, and how large the front is."""
        front = f"{counted(len(self.pareto), 'design')} on the front of {few(self.objectives)}"
        return f"{self.top!r}: {front}; {self.model} model, {'exact' if self.exact else f'not exact, {self.method}'}"

    @property
    def rows(self) -> tuple[tuple[object, ...], ...]:
        """All designs that it holds, a row each, below a row of headers; `pareto` says which are on the front."""
        return tuple(design_rows(self.stored, {design.id for design in self.pareto}, self.space.all_tasks))

    def to_dataframe(self, library: str | None = None) -> Any:
        """The columns of designs.csv as a data frame of `pandas` or `polars`: of the one named, else what is installed.

        Raises ArrayolError (`no-dataframes`) where that is not there.
        """
        return dataframe(self.rows, library)

    @property
    def loads(self) -> dict[str, tuple[Load, ...]]:
        """How arrays may come of which the study says it."""
        arrays = (self.space.study or {}).get("array")
        pairs = sorted(arrays.items()) if isinstance(arrays, Mapping) else ()
        said = {name: choice.get("load") for name, choice in pairs if isinstance(choice, Mapping)}
        lists = {name: load if isinstance(load, list | tuple) else (load,) for name, load in said.items() if load}
        return {name: tuple(load for load in LOADS if load in loads) for name, loads in lists.items()}

    def loads_text(self, design: Design) -> str:
        """The loads of a design, of arrays for which the study lists several: "image once"."""
        return ", ".join(f"{name} {load}" for name, load in design.array_loads if len(self.loads.get(name, ())) > 1)

    def rate_text(self, design: Design, processor: ProcessorRecord, between: str = "@") -> str:
        """The units of a processor, and their occupancy where that is more than the least interval on offer: 1@4."""
        offered = self.space.intervals_of(design.splits).get(processor.task, ())
        if processor.occupancy is None or processor.occupancy <= min(offered, default=processor.occupancy):
            return f"{processor.units:,}"
        return f"{processor.units:,}{between}{processor.occupancy:,}"

    def estimate_text(self, figure: str) -> str:
        """What is said beside a figure that is an estimate: "estimate, ecp5-6"; empty for any other."""
        return f"estimate, {self.technology}" if figure in self.estimates else ""

    @property
    def stored(self) -> tuple[Design, ...]:
        """All designs that it holds."""
        return self.pareto if self.designs is None else self.designs

    @property
    def is_mapped(self) -> bool:
        """Whether its designs have mappings: all the decisions that a simulation needs."""
        return bool(self.pareto and self.pareto[0].mappings)

    def to_json(self) -> str:
        """The document that is stored and printed: the same bytes for the same exploration."""
        return self.model_dump_json(indent=2, exclude={"designs"} if self.designs is None else None) + "\n"
