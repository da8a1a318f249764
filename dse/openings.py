"""What a study opens beyond a plain structure: cuts, FIFOs, bank layouts, policies, recomputing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from dse.mapping_space import MappingSpace
from hwmodel.design import BankLayout, Blocks, GroupDesign, Policy


def openings(space: MappingSpace, plain: GroupDesign) -> Iterator[GroupDesign]:
    """Every structure that the study opens on the blocks of a plain one, each once in a fixed order, itself left out.

    Cuts are offered to tasks with more to do for one block than the group's steady block, FIFOs for arrays that one
    task reads once, several policies where a block reads again what an earlier one has read, and layouts where banks
    cost something.
    """
    offers = space.model.offers(plain.tasks, plain.blocks)
    choices = product(
        space.study.policies if offers.policies_differ else space.study.policies[:1],
        space.study.recompute if len(plain.tasks) > 1 else (False,),
        product(*(_cuts(space, task, offered=task in offers.cuts) for task in plain.tasks)),
        _fifos(space, offers.fifos),
        space.layouts(plain),
    )
    seen = {plain}
    for policy, recompute, cuts, fifos, layouts in choices:
        opened = _opened(plain, policy, cuts, fifos, layouts)
        opened = replace(opened, recompute=recompute)
        if opened not in seen:
            seen.add(opened)
            yield opened


def _cuts(space: MappingSpace, task: str, *, offered: bool) -> tuple[Blocks | None, ...]:
    if not offered:
        return (None,)
    given = space.study.cuts
    without = (None,) if not isinstance(given, tuple) or "none" in given else ()
    return (*without, *space.cuts(task)) or (None,)


def _fifos(space: MappingSpace, arrays: tuple[str, ...]) -> list[frozenset[str]]:
    """The sets of FIFOs: all subsets where buffers are allowed beside them, else as many as are legal."""
    if "fifo" not in space.study.links:
        return [frozenset()]
    if "buffer" not in space.study.links:
        return [frozenset(arrays)]
    return [
        frozenset(name for place, name in enumerate(arrays) if chosen >> place & 1)
        for chosen in range(1 << len(arrays))
    ]


def _opened(
    plain: GroupDesign,
    policy: Policy,
    cuts: tuple[Blocks | None, ...],
    fifos: frozenset[str],
    layouts: tuple[BankLayout, ...],
) -> GroupDesign:
    processors = tuple(replace(one, cut=own) for one, own in zip(plain.processors, cuts, strict=True))
    kept = tuple(layout for layout in layouts if layout.array not in fifos)
    return replace(plain, processors=processors, policy=policy, fifos=fifos, layouts=kept)
