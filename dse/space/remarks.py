"""What a user should know of a space before it is searched: what was assumed, left out, or taken otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from arrayol.text import listed
from dse.space.mappings import MappingSpace
from hwmodel.assumptions import assumed_by_machine


def remarks_of(space: MappingSpace, origin: str) -> tuple[str, ...]:
    """One remark for each subject; `origin` names the platform."""
    model = space.model
    return (*assumed_by_machine(model.network, model.platform, origin), *_frames(space), *_study(space))


def _frames(space: MappingSpace) -> Iterator[str]:
    endless = [name for name, array in space.model.network.arrays.items() if None in array.shape]
    if endless:
        yield f"figures are per frame: {listed(endless)} never {'ends' if len(endless) == 1 else 'end'}"


def _study(space: MappingSpace) -> Iterator[str]:
    study, extents = space.study, space.accesses.extents
    asked = "layouts" in study.model_fields_set and "linear" in study.layouts
    if asked and space.model.platform.local.block_bits is None:
        yield "bank layouts are not tried: the platform does not give local.block_bits, so that banks cost nothing"
    for key, table in {"blocks": study.blocks, "cuts": study.cuts}.items():
        if isinstance(table, str | tuple):
            continue
        larger = [
            task
            for task, shapes in table.items()
            if any(side > extent for shape in shapes for side, extent in zip(shape, extents(task), strict=True))
        ]
        if larger:
            yield f"'{key}' of {listed(larger)} are larger than the repetition, and were taken as large as it"
