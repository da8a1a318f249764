"""Mapping options, what a study has beyond a plain structure.

Blocks of blocks, keeps (policies among them), cuts, FIFOs, layouts, single buffers, recomputing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

from arrayol.errors import ArrayolError
from dse.space.mappings import MappingSpace, keep_of
from hwmodel.cost_model.model import ApplicableOptions
from hwmodel.design import Blocks, GroupDesign, Processor, Scan, structure_of, with_keeps
from hwmodel.memory_kinds import BUFFER, FIFO

Item = TypeVar("Item")


def mapping_options(space: MappingSpace, plain: GroupDesign, *, keeps: bool = True) -> Iterator[GroupDesign]:
    """Every structure that the study has on the blocks of a plain one, each once in a fixed order.

    The plain one itself is left out where the study holds plain structures anyway; without `keeps` so is what differs
    from it in what is kept alone.

    Cuts are offered to tasks with more to do for one block than the group's steady block, FIFOs for arrays that one
    task reads once, several keeps where a block reads again what an earlier one has read, and layouts where banks cost
    something.
    """
    seen = {plain} if space.study.holds_plain else set()  # else it is there where there is no option
    for choice in product(*choices_of(space, plain)):
        structure = with_options(plain, choice)
        if structure is None or structure in seen or (not keeps and _only_keeps(structure, plain)):
            continue
        seen.add(structure)
        yield structure


def one_more(space: MappingSpace, structures: Sequence[GroupDesign], *, keeps: bool = True) -> Iterator[GroupDesign]:
    """What differs from each structure of a group, plain or not, in one decision, all others as they are.

    Of keeps it takes those that are alike for all arrays, or of a single one; without `keeps` none.
    """
    plain = [_bare(structure) for structure in structures]
    for structure, offers in zip(structures, _offers_of(space, plain), strict=True):
        yield from _one_more(space, structure, offers, keeps=keeps)


def other_fifos(space: MappingSpace, structures: Sequence[GroupDesign]) -> Iterator[GroupDesign]:
    """What differs from each structure of a group, plain or not, in which arrays FIFOs carry; some they do."""
    offered = _offers_of(space, [_bare(structure) for structure in structures])
    for structure, offers in zip(structures, offered, strict=True):
        for fifos in _fifos(space, offers.fifos):
            if fifos and fifos != structure.fifos:
                yield replace(structure, fifos=fifos)


def _one_more(
    space: MappingSpace, structure: GroupDesign, offers: ApplicableOptions, *, keeps: bool
) -> Iterator[GroupDesign]:
    plain, choices, current = _decisions(space, structure, offers)
    seen = {structure}
    for place, options in enumerate(choices):
        for option in options if keeps or place != _KEEPS else ():
            found = with_options(plain, (*current[:place], option, *current[place + 1 :]))
            if found is not None and found not in seen:
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


def are_offered(space: MappingSpace, structures: Sequence[GroupDesign]) -> list[bool]:
    """Whether its own blocks offer the FIFOs, layouts and cuts of each structure of a group, which others may have."""
    opened = [one for one in structures if not space.study.holds_plain or _opens_more_than_keeps(one)]
    offered = _offers_of(space, list(map(_bare, opened)))
    refused = set[GroupDesign]()
    for structure, offers in zip(opened, offered, strict=True):
        _, choices, current = _decisions(space, structure, offers)
        if not all(own in options for options, own in zip(choices[_FIFOS:], current[_FIFOS:], strict=True)):
            refused.add(structure)
    return [one not in refused for one in structures]


def _opens_more_than_keeps(structure: GroupDesign) -> bool:
    opened = structure.fifos or structure.layouts or structure.single_buffers
    return bool(opened) or any(each.cut is not None for each in structure.processors)


def _bare(structure: GroupDesign) -> GroupDesign:
    """The plain structure on the blocks of a structure."""
    blocks = structure.blocks
    bare = Blocks(blocks.shape, blocks.scan.innermost) if blocks.outer else blocks
    return GroupDesign(tuple(map(Processor, structure.tasks)), bare)


def _decisions(
    space: MappingSpace, structure: GroupDesign, offers: ApplicableOptions | None = None
) -> tuple[GroupDesign, list[tuple[Any, ...]], tuple[Any, ...]]:
    """The plain structure on the blocks of a structure, what may be chosen there, and what the structure chooses."""
    plain, blocks = _bare(structure), structure.blocks
    choices, loops = choices_of(space, plain, offers, blocks.scan, one_option_each=True), len(blocks.scan.dimensions)
    kept = tuple((array, structure.keep_of(array).text(loops)) for array in space.loaded(structure.tasks))
    cuts = tuple(processor.cut for processor in structure.processors)
    built = structure.layouts, structure.single_buffers
    current = (blocks, kept, structure.recompute, structure.fifos, built, *cuts)
    return plain, choices, current


def count_mapping_options(space: MappingSpace, plain: GroupDesign, *, keeps: bool = True) -> int:
    """How many structures `mapping_options` looks at, those that come out equal included."""
    choices = choices_of(space, plain)
    return math.prod(map(len, choices)) - (1 if keeps else len(choices[_KEEPS]))


def opens_only_keeps(space: MappingSpace, last: str) -> bool:
    """Whether plain structures of groups that end with a task have no decision open but what is kept."""
    study, banks_cost = space.study, space.model.platform.local.block_bits is not None
    return (
        study.cuts == ("none",)
        and FIFO.name not in study.links
        and not ("linear" in study.layouts and banks_cost)
        and study.recompute == (False,)
        and not study.listed_outer_blocks.get(last)
        and not study.buffers
    )


def _only_keeps(structure: GroupDesign, plain: GroupDesign) -> bool:
    return replace(structure, policy=plain.policy, keeps=plain.keeps) == plain


_KEEPS, _FIFOS = 1, 3  # the places of these decisions; how buffers are built and cuts stand after FIFOs


def _offers_of(space: MappingSpace, plain: Sequence[GroupDesign]) -> list[ApplicableOptions]:
    """What may be opened in plain structures of one group."""
    if not plain:
        return []
    try:
        return space.model.offers(plain[0].tasks, [own.blocks for own in plain])
    except ArrayolError:  # what is refused offers nothing, as its price will say
        if len(plain) == 1:
            return [ApplicableOptions((), (), policies_differ=False)]
        return [offers for own in plain for offers in _offers_of(space, [own])]


def choices_of(
    space: MappingSpace,
    plain: GroupDesign,
    offers: ApplicableOptions | None = None,
    scan: Scan | None = None,
    *,
    one_option_each: bool = False,
) -> list[tuple[Any, ...]]:
    """What may be chosen of each decision: blocks, keeps, recomputing, FIFOs, buffers, the cut of each task.

    Of buffers that are their layouts, and which are single.

    With `one_option_each` of keeps those that are alike for all arrays, or of a single one; keeps are those under a
    `scan` too. `offers` need not be found again.
    """
    offers = offers or _offers_of(space, [plain])[0]
    study = space.study
    keeps = space.keep_choices(plain, scan, one_option_each=one_option_each or not offers.policies_differ)
    return [
        tuple(space.in_outer_blocks(plain)),
        tuple(keeps) if offers.policies_differ else (next(keeps),),
        study.recompute if len(plain.tasks) > 1 else (False,),
        tuple(_fifos(space, offers.fifos)),
        tuple(product(space.layouts(plain), space.single_buffers(plain.tasks))),
        *(_cuts(space, task, offered=task in offers.cuts) for task in plain.tasks),
    ]


def is_plain(design: GroupDesign) -> bool:
    """Whether a design is plain: no blocks of blocks, cuts, FIFOs, layouts or recomputing, and the usual policy."""
    processors = tuple(replace(processor, cut=None) for processor in design.processors)
    return not design.blocks.outer and design == GroupDesign(processors, design.blocks)


def spread(items: Sequence[Item], count: int) -> list[Item]:
    """At most `count` of the items, evenly over their order."""
    if len(items) <= count:
        return list(items)
    return [items[place * len(items) // count] for place in range(count)]


def _cuts(space: MappingSpace, task: str, *, offered: bool) -> tuple[Blocks | None, ...]:
    if not offered:
        return (None,)
    cuts = space.study.cuts
    without = (None,) if not isinstance(cuts, tuple) or "none" in cuts else ()
    return (*without, *space.cuts(task)) or (None,)


def _fifos(space: MappingSpace, arrays: tuple[str, ...]) -> list[frozenset[str]]:
    """The sets of FIFOs: all subsets where buffers are allowed beside them, else as many as are legal."""
    if FIFO.name not in space.study.links:
        return [frozenset()]
    if BUFFER.name not in space.study.links:
        return [frozenset(arrays)]
    return [
        frozenset(name for place, name in enumerate(arrays) if chosen >> place & 1)
        for chosen in range(1 << len(arrays))
    ]


def with_options(plain: GroupDesign, choice: tuple[Any, ...]) -> GroupDesign | None:
    """A plain design with one choice of each decision of `choices_of`; None where its scan lacks the loop of a keep."""
    blocks, texts, recompute, fifos, (layouts, single_buffers), *cuts = choice
    loops = len(blocks.scan.dimensions)
    chosen = {array: keep for array, text in texts if (keep := keep_of(text, loops)) is not None}
    if len(chosen) < len(texts):
        return None
    design = replace(
        plain,
        schedule=blocks,
        processors=_with_cuts(plain.processors, cuts),
        recompute=recompute,
        fifos=fifos,
        layouts=tuple(layout for layout in layouts if layout.array not in fifos),
        single_buffers=single_buffers,
    )
    return with_keeps(design, chosen)


def _with_cuts(processors: tuple[Processor, ...], cuts: Sequence[Blocks | None]) -> tuple[Processor, ...]:
    if all(processor.cut == cut for processor, cut in zip(processors, cuts, strict=True)):
        return processors  # as of most options
    return tuple(replace(processor, cut=cut) for processor, cut in zip(processors, cuts, strict=True))
