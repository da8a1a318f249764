"""Timelines of the groups of a result's designs, each group once, within bounds on time and size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arrayol.errors import ArrayolError
from dse.results.schema import GroupRecord
from hwmodel.design import GroupDesign
from hwmodel.machine.model import MachineModel
from hwmodel.machine.separable.estimate import is_plain
from hwmodel.machine.timeline import Timeline, group_timeline

FIRST, LAST = 12, 6  # steps shown
WHOLE_AT_MOST = 24  # steps of a group that are all shown
EXACT_AT_MOST = 6_000_000  # repetitions and elements of all groups that take the exact path


@dataclass
class Timelines:
    """Makes the timelines of groups; `too_large` counts those that the bound on work left out."""

    model: MachineModel
    too_large: int = 0
    changed: bool = False
    _left: int = field(default=EXACT_AT_MOST)

    def of(self, record: GroupRecord) -> Mapping[str, Any] | None:
        """The timeline of a group with a mapping; None where it takes too much, or files have changed since."""
        group, mapping = record.decisions, record.mapping
        assert mapping is not None, "decisions come from a mapping"
        try:
            if not self._affordable(group):
                self.too_large += 1
                return None
            totals = mapping.steps, mapping.latency_cycles
            first = FIRST if mapping.steps > WHOLE_AT_MOST else mapping.steps
            return _document(group_timeline(self.model, group, totals, first=first, last=LAST))
        except (ArrayolError, ValueError, KeyError):  # specification or platform are not those of the result
            self.changed = True
            return None

    @property
    def remarks(self) -> Iterable[str]:
        """What is missing, in words."""
        if self.changed:
            yield "specification or platform have changed since the exploration: some timelines are missing"
        if self.too_large:
            yield f"{self.too_large:,} groups are too large for a timeline of their steps"

    def _affordable(self, group: GroupDesign) -> bool:
        if is_plain(group) and self.model.batch(group.tasks) is not None:
            return True
        accesses, network = self.model.accesses, self.model.network
        arrays = {name for task in group.tasks for name in _arrays(self.model, task)}
        work = sum(accesses.size(name) for name in arrays if name in network.arrays)
        if work > self._left:
            return False
        self._left -= work
        return True


def _arrays(model: MachineModel, task: str) -> frozenset[str]:
    process = model.network.processes[task]
    return process.reads | process.writes


def _document(timeline: Timeline) -> dict[str, Any]:
    """Steps as rows: number, start, length, loads, stores, then the cycles of each task."""
    return {
        "shared_port": timeline.shared_port,
        "steps": [
            [step.number, step.start, step.length, step.loads, step.stores, *step.busy] for step in timeline.steps
        ],
        "moved": [[moved.array, moved.loaded, moved.stored] for moved in timeline.moved],
    }
