"""Designs at a reduced size: the same decisions on a smaller repetition space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from arrayol.errors import ArrayolError
from hwmodel.design import Blocks, Design, GroupDesign, Processor
from hwmodel.machine.model import MachineModel

Extents = tuple[int, ...]
BLOCKS_AT_LEAST = 5  # along an axis that a block does not span

Extent = Mapping[str, Extents]  # of each task


def reduced(design: Design, whole: Extent, small: Extent, model: MachineModel, *, partial: bool) -> Design:
    """The design on a smaller network, whose model is given.

    Sides that span an axis still do; others are clipped so that at least five blocks lie along it (as far as it is long
    enough), the last of them smaller with `partial`, where that is possible. Units that could never work at once there
    are left out. Raises ArrayolError where the smaller design is refused for another reason.
    """
    return Design(tuple(_group(group, whole, small, model, partial=partial) for group in design.groups))


def _group(design: GroupDesign, whole: Extent, small: Extent, model: MachineModel, *, partial: bool) -> GroupDesign:
    last = _last(design, model)
    smaller = replace(
        design,
        blocks=_blocks(design.blocks, whole[last], small[last], partial=partial),
        processors=tuple(
            replace(one, cut=_blocks(one.cut, whole[one.task], small[one.task], partial=partial)) if one.cut else one
            for one in design.processors
        ),
    )
    found = _with_legal_units(smaller, model)
    model.exact(found)  # a FIFO or a layout that the larger blocks allow may be refused
    return found


def _last(design: GroupDesign, model: MachineModel) -> str:
    processes = model.network.processes
    read = {array for task in design.tasks for array in processes[task].reads}
    return next(task for task in design.tasks if not processes[task].writes & read)


def _blocks(blocks: Blocks, whole: Extents, small: Extents, *, partial: bool) -> Blocks:
    return replace(
        blocks, shape=tuple(_side(*axis, partial=partial) for axis in zip(blocks.shape, whole, small, strict=True))
    )


def _side(side: int, whole: int, small: int, *, partial: bool) -> int:
    if side >= whole:
        return small
    most = max(1, min(side, small // BLOCKS_AT_LEAST))
    if partial:
        return next((one for one in range(most, 1, -1) if small % one), most)
    return next(one for one in range(most, 0, -1) if small % one == 0)


def _with_legal_units(design: GroupDesign, model: MachineModel) -> GroupDesign:
    """The design with as many of its units as can work at once."""
    given = [processor.units for processor in design.processors]
    try:
        priced = model.price_structure(design, np.array([given], np.int64))
        if priced.legal[0, 0]:
            return design
    except ArrayolError:
        raise
    units = [_most(design, place, count, model) for place, count in enumerate(given)]
    processors = zip(design.processors, units, strict=True)
    return replace(design, processors=tuple(_counted(*pair) for pair in processors))


def _most(design: GroupDesign, place: int, count: int, model: MachineModel) -> int:
    """The most units of one processor, up to `count`, that are legal beside one of each other."""
    choices = np.ones((count, len(design.processors)), np.int64)
    choices[:, place] = np.arange(1, count + 1)
    legal = model.price_structure(design, choices).legal[0]
    return int(choices[legal, place].max()) if legal.any() else 1


def _counted(processor: Processor, units: int) -> Processor:
    return replace(processor, units=units)
