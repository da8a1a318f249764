"""What prices a drawn group in batches."""

from __future__ import annotations

from hypothesis import event

from arrayol.errors import ArrayolError
from hwmodel.cost_model.counted.batch import GroupBatch
from hwmodel.cost_model.model import MachineModel


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
