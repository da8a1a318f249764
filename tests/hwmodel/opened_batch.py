"""What prices a drawn group in batches."""

from __future__ import annotations

from hypothesis import event

from arrayol.errors import ArrayolError
from hwmodel.machine.model import MachineModel
from hwmodel.machine.separable.batch import GroupBatch


def opened_batch(model: MachineModel, tasks: tuple[str, ...]) -> GroupBatch | None:
    """The batch of a group; None, with an event that says why, where it is refused or not separable."""
    try:
        batch = model.batch(tasks)
    except ArrayolError as refused:
        event(f"refused: {refused.diagnostics[0].code}")
        return None
    if batch is None:
        event("not separable")
    return batch
