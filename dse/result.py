"""What an exploration found, as it is stored and printed: the JSON of `explore`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby

from pydantic import BaseModel, ConfigDict

from dse.graph import TaskGraph
from dse.objectives import Objective
from dse.steps import DesignSteps
from hwmodel.design import Fusion
from hwmodel.platform import Platform
from hwmodel.published.estimate import PublishedDesign

_PLAIN_SIZES = 6  # group sizes that an identifier spells one by one


class Record(BaseModel):
    """A part of a stored result."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Design(Record):
    """One design: its decisions by name, and its objectives, the chosen ones first.

    `verified` is null as long as no referee has run the design: false would say that it disagreed. `units` is N_cu,
    `block_data` X_out in data of the largest output port, `whole_arrays_data` the fused arrays that are kept whole
    because scans disagree, `flows` N_k. `steps` are the transformations that make a specification of its groups and
    blocks, for designs of the front; null with a `steps_remark` where there are none.
    """

    id: str
    fusion: tuple[tuple[str, ...], ...]
    objectives: dict[str, int | float]
    verified: bool | None
    units: dict[str, int]
    block_data: dict[str, int]
    whole_arrays_data: dict[str, int]
    flows: int
    steps: tuple[str, ...] | None = None
    steps_remark: str | None = None


class SubspaceSummary(Record):
    """Fusions by the integer partition they stand for ("3+1"); those that stand for none are left out."""

    groups: int
    fusions: int
    infeasible: int
    pareto: int
    partitions: dict[str, int]


class SpaceSummary(Record):
    """The legal fusions of the tasks (in dataflow order), by number of groups."""

    tasks: tuple[str, ...]
    fusions: int
    subspaces: tuple[SubspaceSummary, ...]


class Comparisons(Record):
    """Ordered pairs compared for the front: subspace by subspace and then among survivors, or all with all.

    Null where there were more designs than are compared pair by pair.
    """

    subspaces: int | None
    all_pairs: int | None


class Hypervolume(Record):
    """What the front dominates up to the reference point, in the product of the objectives' units."""

    value: float
    reference: dict[str, int | float]


class InfeasibleFusion(Record):
    """A fusion that the platform cannot carry, and why."""

    fusion: tuple[tuple[str, ...], ...]
    reason: str


class ExplorationRecord(Record):
    """What the results of all models begin with."""

    arrayol: str
    spec: str
    top: str
    constants: dict[str, int | float | bool]
    model: str
    platform: str
    remarks: tuple[str, ...]
    objectives: tuple[str, ...]

    def to_json(self) -> str:
        """The document that is stored and printed: the same bytes for the same exploration."""
        document = self.model_dump(mode="json")
        if document["designs"] is None:
            del document["designs"]
        return json.dumps(document, indent=2) + "\n"


class Result(ExplorationRecord):
    """A whole exploration.

    `evaluated` counts every fusion that the model looked at, the `infeasible` ones included; `designs` holds all
    feasible ones where they were asked for, in the order of the space.
    """

    method: str
    exact: bool
    space: SpaceSummary
    evaluated: int
    infeasible: int
    infeasible_example: InfeasibleFusion | None
    comparisons: Comparisons
    hypervolume: Hypervolume
    pareto: tuple[Design, ...]
    designs: tuple[Design, ...] | None = None


def describe(
    found: PublishedDesign,
    graph: TaskGraph,
    objectives: Sequence[Objective],
    platform: Platform,
    steps: DesignSteps | None = None,
) -> Design:
    """A priced design as a record; `objectives` in the order in which they are to be shown."""
    buffers = [buffer for processor in found.processors for buffer in processor.inputs]
    return Design(
        id=identifier(found.fusion, graph),
        fusion=found.fusion.groups,
        objectives={objective.name: objective.value(found, platform) for objective in objectives},
        verified=None,
        units={processor.process: processor.units for processor in found.processors},
        block_data={processor.process: processor.block for processor in found.processors},
        whole_arrays_data={buffer.array: buffer.whole_array for buffer in buffers if buffer.whole_array},
        flows=found.flows,
        steps=steps.steps if steps else None,
        steps_remark=steps.remark if steps else None,
    )


def identifier(fusion: Fusion, graph: TaskGraph) -> str:
    """A short name that tells the fusion apart from every other one of the graph.

    Where the groups in turn take the tasks in dataflow order, their sizes: 2+2, and in long ones equal neighbours
    together: 2+1x9+3. Else the numbers of their tasks in dataflow order, from 1: 1-3.5.4,6 (never without ',' or '-',
    since single tasks alone run in dataflow order).
    """
    number = {name: place for place, name in enumerate(graph.names, 1)}
    groups = [[number[name] for name in group] for group in fusion.groups]
    if [task for group in groups for task in group] == list(range(1, len(number) + 1)):
        sizes = [len(group) for group in groups]
        return _shortened(sizes) if len(sizes) > _PLAIN_SIZES else "+".join(map(str, sizes))
    return ".".join(",".join(_runs(group)) for group in groups)


def _shortened(sizes: Sequence[int]) -> str:
    runs = [(size, sum(1 for _ in run)) for size, run in groupby(sizes)]
    return "+".join(f"{size}x{count}" if count > 1 else str(size) for size, count in runs)


def _runs(numbers: Sequence[int]) -> list[str]:
    """Ascending numbers with runs shortened: [1, 2, 3, 5] gives ["1-3", "5"]."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
