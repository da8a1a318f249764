"""Cycles of the busiest bank under bank layouts, from one repetition of each kind (docs/machine.md, section 7)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import subscripts
from hwmodel.cost_model.counted.counts import GroupCounts
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.issue.processors import bank_cycles
from hwmodel.design import BankLayout
from hwmodel.platform import Platform


def access_cycles(counts: GroupCounts, platform: Platform, layouts: Sequence[BankLayout]) -> dict[str, int]:
    """The cycles, by task, of a repetition's accesses to the busiest bank; 0 without layouts."""
    group = counts.parts.group
    cycles = dict.fromkeys(group.tasks, 0)
    for task in group.tasks:
        for layout in layouts:
            if group.reads(task, layout.array) or group.writes(task, layout.array):
                kinds = _kinds_of_repetitions(counts, task, layout)
                cycles[task] = max(cycles[task], bank_cycles(group, task, kinds, layout, platform))
    return cycles


def _kinds_of_repetitions(counts: GroupCounts, task: str, layout: BankLayout) -> IntArray:
    """Repetitions (n, rank), one of each kind: it has the banks and equal elements of every repetition of that kind.

    Banks and equal elements are determined by the distances of the accesses to the first one, and by the bank of the
    first. Along an axis they depend on one repetition dimension only, so one index of each kind along each dimension is
    enough.
    """
    chosen = []
    for dimension, indices in enumerate(counts.running(task)):
        if any(len(own) > 1 for own in counts.parts.spaces.dimensions(task)):
            chosen.append(indices)  # along an axis the accesses may depend on several dimensions
            continue
        marks = _marks(counts.parts.group, task, layout, dimension, indices)
        chosen.append(indices[np.unique(marks, axis=0, return_index=True)[1]])
    if not chosen:
        return np.zeros((1, 0), np.int64)
    return np.stack([part.ravel() for part in np.meshgrid(*chosen, indexing="ij")], axis=1)


def _marks(group: Group, task: str, layout: BankLayout, dimension: int, indices: IntArray) -> IntArray:
    """The values that determine the kind of each index of a dimension, (n, marks), with all other indices 0."""
    repetitions = np.zeros((len(indices), len(group.accesses.extents(task))), np.int64)
    repetitions[:, dimension] = indices
    shape = group.accesses.shape(layout.array)
    touches = (*group.reads(task, layout.array), *group.writes(task, layout.array))
    happens = [group.accesses.happens(touch, repetitions)[:, None] for touch in touches]
    elements = np.concatenate(
        [
            # What does not happen may lie outside the array.
            np.where(acts, group.accesses.elements(touch, repetitions), 0)
            for touch, acts in zip(touches, happens, strict=True)
        ],
        axis=1,
    )
    places = np.moveaxis(subscripts(elements, shape), 0, -1)
    first = places[:, :1]
    bank = first[:, 0] * np.array(layout.vector, np.int64) % (layout.block * layout.banks)
    away = (places - first).reshape(len(indices), -1)
    return np.concatenate([away, bank, *happens], axis=1).astype(np.int64)
