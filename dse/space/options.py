"""Mapping options, what a study has beyond a plain structure.

Blocks of blocks, cuts, FIFOs, layouts, policies, keeps, recomputing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

from arrayol.errors import ArrayolError
from dse.space.mappings import MappingSpace, keep_of
from hwmodel.design import Blocks, GroupDesign, Processor, parse_keep
from hwmodel.machine.model import Offers

Item = TypeVar("Item")


def mapping_options(space: MappingSpace, plain: GroupDesign, *, singly: bool = False) -> Iterator[GroupDesign]:
    """Every structure that the study has on the blocks of a plain one, each once in a fixed order.

    The plain one itself is left out where the study holds plain structures anyway.

    Cuts are offered to tasks with more to do for one block than the group's steady block, FIFOs for arrays that one
    task reads once, several policies and keeps where a block reads again what an earlier one has read, and layouts
    where banks cost something. With `singly` those that differ from the plain one in one of these decisions alone.
    """
    seen = {plain} if space.study.holds_plain else set()  # else it is there where there is no option
    for choice in _one_at_a_time(space, plain) if singly else product(*choices_of(space, plain)):
        structure = with_options(plain, choice)
        if structure not in seen:
            seen.add(structure)
            yield structure


def one_more(space: MappingSpace, structure: GroupDesign) -> Iterator[GroupDesign]:
    """What differs from a structure, plain or not, in one decision, all others as they are."""
    plain, choices, current = _decisions(space, structure)
    seen = {structure}
    for place, options in enumerate(choices):
        for option in options:
            found = with_options(plain, (*current[:place], option, *current[place + 1 :]))
            if found not in seen:
                seen.add(found)
                yield found


def chosen_of(space: MappingSpace, structure: GroupDesign) -> list[int]:
    """The place of each of a structure's choices in `choices_of`. Raises ValueError where one is not there."""
    plain, choices, current = _decisions(space, structure)
    found = with_options(plain, current)
    if found != structure_of(structure):
        raise ValueError("a choice that the study does not offer here")
    places = []
    for place, options in enumerate(choices):
        others = (with_options(plain, (*current[:place], option, *current[place + 1 :])) for option in options)
        places.append([one == found for one in others].index(True))
    return places


def _decisions(
    space: MappingSpace, structure: GroupDesign
) -> tuple[GroupDesign, list[tuple[Any, ...]], tuple[Any, ...]]:
    """The plain structure on the blocks of a structure, what may be chosen there, and what the structure chooses."""
    blocks = structure.blocks
    bare = Blocks(blocks.shape, blocks.scan.innermost) if blocks.outer else blocks
    plain = GroupDesign(tuple(map(Processor, structure.tasks)), bare)
    choices = choices_of(space, plain)
    own = (blocks, structure.policy, structure.recompute, structure.fifos, structure.layouts)
    cuts = tuple(processor.cut for processor in structure.processors)
    kept = [texts for texts in choices[5] if with_options(plain, (*own, texts, *cuts)).keeps == structure.keeps]
    current = (*own, *(kept[:1] or [()]), *cuts)
    return plain, choices, current


def count_mapping_options(space: MappingSpace, plain: GroupDesign) -> int:
    """How many structures `mapping_options` looks at, those that come out equal included."""
    return math.prod(len(options) for options in choices_of(space, plain)) - 1


def choices_of(space: MappingSpace, plain: GroupDesign) -> list[tuple[Any, ...]]:
    """What may be chosen of each decision: blocks, policy, recomputing, FIFOs, layouts, keeps, the cut of each task."""
    try:
        offers = space.model.offers(plain.tasks, plain.blocks)
    except ArrayolError:
        offers = Offers((), (), policies_differ=False)  # the group is refused, as its price will say
    study = space.study
    return [
        tuple(space.in_outer_blocks(plain)),
        study.policies if offers.policies_differ else study.policies[:1],
        study.recompute if len(plain.tasks) > 1 else (False,),
        tuple(_fifos(space, offers.fifos)),
        tuple(space.layouts(plain)),
        tuple(space.keeps(plain)) if offers.policies_differ else ((),),
        *(_cuts(space, task, offered=task in offers.cuts) for task in plain.tasks),
    ]


def structure_of(design: GroupDesign) -> GroupDesign:
    """The design with one unit for each task, at the least interval that there is."""
    processors = (replace(processor, units=1, interval=None) for processor in design.processors)
    return replace(design, processors=tuple(processors))


def is_plain(design: GroupDesign) -> bool:
    """Whether a design is plain: no blocks of blocks, cuts, FIFOs, layouts or recomputing, and the usual policy."""
    processors = tuple(replace(processor, cut=None) for processor in design.processors)
    return not design.blocks.outer and design == GroupDesign(processors, design.blocks)


def takes_exact_path(structure: GroupDesign) -> bool:
    """Whether the model prices it element by element: blocks of blocks, cuts, FIFOs, recomputing."""
    return (
        bool(structure.blocks.outer or structure.fifos)
        or structure.recompute
        or any(processor.cut for processor in structure.processors)
    )


def spread(items: Sequence[Item], count: int) -> list[Item]:
    """At most `count` of the items, evenly over their order."""
    if len(items) <= count:
        return list(items)
    return [items[place * len(items) // count] for place in range(count)]


def _one_at_a_time(space: MappingSpace, plain: GroupDesign) -> Iterator[tuple[Any, ...]]:
    choices = choices_of(space, plain)
    usual = tuple(options[0] for options in choices)
    for place, options in enumerate(choices):
        for option in options[1:]:
            yield (*usual[:place], option, *usual[place + 1 :])


def _cuts(space: MappingSpace, task: str, *, offered: bool) -> tuple[Blocks | None, ...]:
    if not offered:
        return (None,)
    cuts = space.study.cuts
    without = (None,) if not isinstance(cuts, tuple) or "none" in cuts else ()
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


def with_options(plain: GroupDesign, choice: tuple[Any, ...]) -> GroupDesign:
    """A plain design with one choice of each decision of `choices_of`."""
    blocks, policy, recompute, fifos, layouts, keeps, *cuts = choice
    loops = len(blocks.scan.dimensions)
    usual = parse_keep(policy, loops)
    chosen = ((array, keep_of(text, loops)) for array, text in keeps)
    return replace(
        plain,
        blocks=blocks,
        processors=tuple(replace(processor, cut=cut) for processor, cut in zip(plain.processors, cuts, strict=True)),
        policy=policy,
        recompute=recompute,
        fifos=fifos,
        layouts=tuple(layout for layout in layouts if layout.array not in fifos),
        keeps=tuple((array, keep) for array, keep in chosen if keep is not None and keep != usual),
    )
