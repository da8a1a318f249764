"""What the figures of a group are computed from that is planned by itself: what each step does, whatever the rates.

Two things are such plans: `plan`, of every repetition and element of a group, and `separable.fifo_plan`, of counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hwmodel.design import GroupDesign
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.machine.access_counts import Counts
from hwmodel.machine.built.organised import Builder
from hwmodel.machine.estimate import Path
from hwmodel.machine.group import Elements, Group
from hwmodel.machine.port import PortCycles
from hwmodel.machine.schedule.datapaths import Datapaths
from hwmodel.machine.schedule.processors import Pipeline, Processors
from hwmodel.platform import Platform


@dataclass(frozen=True, eq=False)
class GroupSteps:
    """Kinds of steps of the port and some pipelines together, which occur so many `times` (kinds,).

    `port` (kinds,) has its cycles, `pipelines` (kinds,) of each the kind of its own steps.
    """

    port: PortCycles
    pipelines: tuple[Elements, ...]
    times: Elements

    @staticmethod
    def of(port: PortCycles, pipelines: Sequence[Elements], times: Elements) -> GroupSteps:
        """Of steps that occur so many times: the port's cycles, and the kind of each pipeline's step, all (steps,)."""
        first, number = np.zeros(1, np.int64), np.zeros(len(times), np.int64)
        for column in (port.loads, port.stores, *pipelines):
            pairs = number * (int(column.max(initial=0)) + 1) + column
            _, first, number = np.unique(pairs, return_index=True, return_inverse=True)
        total = np.zeros(len(first), np.int64)
        np.add.at(total, number, times)
        return GroupSteps(port.of_structure(first), tuple(own[first] for own in pipelines), total)


class KindsOfSteps(Protocol):
    """The processors of a group by kinds of their steps: those in which a pipeline does the same are one."""

    @property
    def most(self) -> Mapping[str, int]:
        """For each task the most units that it can use: its longest line."""

    @property
    def paths(self) -> Datapaths:
        """The datapaths of the tasks."""

    @property
    def pipelines(self) -> Sequence[Pipeline]:
        """The tasks joined by FIFOs, in dataflow order."""

    def one_of_each(self, pipeline: Pipeline) -> Processors:
        """What some tasks do in one step of each kind."""

    def has_formula(self, pipeline: Pipeline) -> bool:
        """Whether it is one processor whose steps need no schedule."""


class GroupPlan(Protocol):
    """What a group does in each step, whatever its rates: all that its figures are computed from."""

    @property
    def group(self) -> Group:
        """The group."""

    @property
    def platform(self) -> Platform:
        """What it runs on."""

    @property
    def design(self) -> GroupDesign:
        """A design of the structure."""

    @property
    def path(self) -> Path:
        """How the plan was made."""

    @property
    def processors(self) -> KindsOfSteps:
        """The processors."""

    @property
    def steps(self) -> int:
        """The number of steps from the first that does anything to the last."""

    @property
    def builder(self) -> Builder | None:
        """What builds the memories; None without a technology."""

    @property
    def runs(self) -> Mapping[str, int]:
        """How often each task runs."""

    @property
    def access_counts(self) -> Counts:
        """How often memories are read and written, what is loaded and stored included."""

    @property
    def traffic_bytes(self) -> int:
        """All that is loaded and stored."""

    @property
    def port_bytes(self) -> int:
        """All that the port moves for it: whole words."""

    @property
    def port_words(self) -> Mapping[str, int]:
        """The words that the port moves of each array."""

    def depth(self, array: str, function: BankFunction) -> int:
        """The words of the deepest bank of the buffer of an array."""

    def step_kinds(self, pipelines: tuple[Pipeline, ...], *, folded: bool) -> GroupSteps:
        """The steps of all pipelines; `folded` modulo the number of ticks, where frames follow each other."""
