"""What evaluates a drawn group in batches, and a structure at rates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import event
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from hwmodel.cost_model.counted.batch import GroupBatch
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import GroupDesign, interval_of, units_of


def opened_batch(model: MachineModel, tasks: tuple[str, ...], *, recompute: bool = False) -> GroupBatch | None:
    """The batch of a group, which may recompute; None, with an event that says why, where it is refused or has none."""
    try:
        batch = model.batch(tasks)
    except ArrayolError as refused:
        event(f"refused: {refused.diagnostics[0].code}")
        return None
    if batch is None:
        event("not separable")
    elif recompute:
        batch = batch.recomputing()
        event(f"recomputing: {batch is not None}")
    return batch


def at_rates(structure: GroupDesign, rates: NDArray[np.int64]) -> GroupDesign:
    """A structure with units and intervals in the place of its own."""
    pairs = zip(structure.processors, units_of(rates).tolist(), interval_of(rates).tolist(), strict=True)
    return replace(
        structure, processors=tuple(replace(one, units=units, interval=own or None) for one, units, own in pairs)
    )
