"""The tables of a group, from which all figures of its structures are computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from arrayol.arrays import BoolArray, IntArray
from hwmodel.cost_model.energy import EnergyCosts
from hwmodel.cost_model.estimate import Evaluator
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.memories.local_ports import LocalPorts
from hwmodel.cost_model.memories.organised import Builder
from hwmodel.cost_model.tables.accesses import AccessTable, JoinedAccesses
from hwmodel.cost_model.tables.buffers import JoinedBuffers
from hwmodel.cost_model.tables.memories import BufferTable, FifoMemory
from hwmodel.cost_model.tables.steps import JoinedSteps, StepTable
from hwmodel.design import BankLayout
from hwmodel.platform import Platform


@dataclass(frozen=True, eq=False)
class GroupTables:
    """S structures of a group; `rows` are their rows in `buffers`, which may have more.

    `ports` and `layouts` say for which ports memories are built; `prices` are the energies of operations, None without
    any. The rows of structures that are `missing` mean nothing: `tables_of` makes the tables of one of them.
    """

    group: Group
    platform: Platform
    ports: LocalPorts
    layouts: tuple[BankLayout, ...]
    evaluator: Evaluator
    prices: EnergyCosts | None
    steps: StepTable
    buffers: BufferTable
    accesses: AccessTable
    rows: IntArray
    fifos: tuple[FifoMemory, ...] = ()
    missing: BoolArray = field(default_factory=lambda: np.zeros(1, np.bool_))
    tables_of: Callable[[int], GroupTables] | None = None

    @property
    def structures(self) -> int:
        """The number of structures."""
        return len(self.rows)

    @property
    def builder(self) -> Builder | None:
        """The builder of memories; None without a technology."""
        return Builder.of(self.ports, self.layouts)

    @property
    def without_fifos(self) -> GroupTables:
        """The tables without FIFOs: each task is independent of its neighbours within a step."""
        return replace(self, steps=self.steps.without_fifos, fifos=())

    def only(self, rows: IntArray) -> GroupTables:
        """The tables of some structures."""
        return replace(
            self,
            steps=self.steps.only(rows),
            accesses=self.accesses.only(rows),
            rows=self.rows[rows],
            missing=self.missing[rows],
            tables_of=self.tables_of and _at(self.tables_of, rows),
        )

    @property
    def complete(self) -> GroupTables:
        """The tables with rows for all structures that are missing."""
        missing = np.flatnonzero(self.missing)
        if not len(missing):
            return self
        assert self.tables_of is not None, "what is missing can be made"
        return self.joined(missing, [self.tables_of(row) for row in missing.tolist()])

    def joined(self, missing: IntArray, others: Sequence[GroupTables]) -> GroupTables:
        """Replace the rows of `missing` structures by other tables of one structure each."""
        there = np.flatnonzero(~self.missing)
        steps = [(there, self.steps.only(there))] if len(there) else []
        accesses = [(there, self.accesses.only(there))] if len(there) else []
        for row, other in zip(missing[:, None], others, strict=True):
            steps.append((row, other.steps))
            accesses.append((row, other.accesses))
        buffers = {row: other.buffers for row, other in zip(self.rows[missing].tolist(), others, strict=True)}
        return replace(
            self,
            steps=JoinedSteps(steps, self.structures),
            buffers=JoinedBuffers(self.buffers, buffers),
            accesses=JoinedAccesses(accesses, self.structures),
            missing=np.zeros(self.structures, np.bool_),
            tables_of=None,
        )


def _at(tables_of: Callable[[int], GroupTables], rows: IntArray) -> Callable[[int], GroupTables]:
    """Number the structures of `tables_of` by some rows."""
    return lambda row: tables_of(int(rows[row]))
