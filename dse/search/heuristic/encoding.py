"""Whole designs as integer genes, for heuristic searches.

First the fusion: a gene for each link, 1 where its tasks are joined (or one gene, the fusion's number in the study's
list). Then for each task its rate (units and interval), and what counts where it is the last of its group: the sides of
its blocks, their scan, and the mapping options. Genes beyond the choices there are count from the beginning again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.errors import ArrayolError
from dse.search.heuristic.nsga2 import Genes
from dse.space.mappings import MappingSpace, count_of
from dse.space.options import choices_of, chosen_of, is_plain, with_options
from dse.space.task_graph import Mask, bits
from hwmodel.design import Blocks, GroupDesign, Processor, Scan

OPTIONS = 1 << 10  # values of a gene for mapping options; how many choices there are depends on the blocks
LARGEST_GENE = 1 << 48  # that a float holds exactly; of 15 and more dimensions there are more scans
GROUP_OPTIONS = 5  # decisions of a group among `choices_of`, before the cuts of its tasks

Sides = tuple[int, ...]


@dataclass(frozen=True)
class TaskGenes:
    """Where a task's genes start, and for each gene of its blocks the sides that its values stand for."""

    start: int
    sides: tuple[tuple[Sides, ...], ...]


class Coding:
    """Between genes and designs of one space; `most` is the largest value of each gene.

    `sides` gives the sides of blocks along an extent, where the study lists no shapes; by default the study's.
    """

    def __init__(self, space: MappingSpace, sides: Callable[[int], Sides] | None = None) -> None:
        self.space, self._sides_along = space, sides or space.sides
        self.rates = {name: space.rates(name) for name in space.graph.names}
        self.links = [
            (task, reader) for task in range(len(space.graph)) for reader in bits(space.graph.successors[task])
        ]
        most = [len(space.fusions) - 1] if space.fusions else [1] * len(self.links)
        self.fusion_genes = len(most)
        self.tasks = []
        for name in space.graph.names:
            own = self._sides(name)
            self.tasks.append(TaskGenes(len(most), own))
            most += [len(self.rates[name]) - 1, *(len(options) - 1 for options in own), self._scans(name) - 1]
            most += [OPTIONS - 1] * self._option_genes
        self.most: Genes = np.array(most, np.int64)
        self._fusions: dict[bytes, tuple[Mask, ...]] = {}
        self._legal: dict[tuple[str, Sides], Sequence[Scan]] = {}
        self._choices: dict[GroupDesign, list[tuple[object, ...]] | None] = {}

    @property
    def _option_genes(self) -> int:
        """Genes of each task for mapping options, its own cut the last: see `choices_of`."""
        return GROUP_OPTIONS + 1 if self.space.study.has_options else 0

    @cached_property
    def resets(self) -> Sequence[bool]:
        """Which genes are best left at 0 often: those for mapping options."""
        resets = np.zeros(len(self.most), np.bool_)
        for task in self.tasks:
            first = task.start + 2 + len(task.sides)
            resets[first : first + self._option_genes] = True
        return resets.tolist()

    @cached_property
    def _starts_plain(self) -> bool:
        """Whether the first choice of every decision is the plain one."""
        study = self.space.study
        return study.holds_plain and study.policies[0] in ("reuse", "levels") and not study.recompute[0]

    def design(self, genes: Genes) -> dict[Mask, GroupDesign] | None:
        """The groups that one row of genes stands for; None where it stands for no design of the space."""
        designs = {}
        for group in self._groups(genes):
            design = self._group(group, genes)
            if design is None:
                return None
            designs[group] = design
        return designs

    def joined(self, parts: Mapping[Mask, Genes]) -> Genes:
        """The genes of the whole design whose groups are taken from these rows, each from its own."""
        genes = np.zeros_like(self.most)
        of = {task: group for group in parts for task in bits(group)}
        if self.space.fusions:
            wanted = frozenset(parts)
            genes[0] = next(place for place, fusion in enumerate(self.space.fusions) if frozenset(fusion) == wanted)
        else:
            genes[: self.fusion_genes] = [of[task] == of[reader] for task, reader in self.links]
        ends = [*(task.start for task in self.tasks[1:]), len(genes)]
        for number, (task, end) in enumerate(zip(self.tasks, ends, strict=True)):
            genes[task.start : end] = parts[of[number]][task.start : end]
        return genes

    def genes(self, design: Mapping[Mask, GroupDesign]) -> Genes | None:
        """Genes that stand for a whole design; None where some choice of it has no gene."""
        genes = np.zeros_like(self.most)
        try:
            for group, own in design.items():
                self._write(group, own, genes)
        except ValueError:
            return None
        return self.joined(dict.fromkeys(design, genes))

    def _write(self, group: Mask, design: GroupDesign, genes: Genes) -> None:
        """Write a group's choices. Raises ValueError where one of them has no gene."""
        if design.stream is not None:
            raise ValueError("streams have no genes")
        last = self.space.graph.names.index(design.tasks[-1])
        own, members = self.tasks[last], [self.tasks[task] for task in bits(group)]
        blocks = design.blocks
        for processor, member in zip(design.processors, members, strict=True):
            genes[member.start] = self.rates[processor.task].index(processor.rate)
        shape, place = blocks.shape, own.start + 1
        for options in own.sides:
            size = len(options[0])
            genes[place] = options.index(shape[:size])
            shape, place = shape[size:], place + 1
        scan = self._legal_scans(design.tasks[-1], blocks.shape).index(blocks.scan.innermost)
        if scan >= LARGEST_GENE:
            raise ValueError("more scans than a gene has values")
        genes[place] = scan
        if is_plain(design) and self._starts_plain:
            return
        chosen = chosen_of(self.space, design)
        if max(chosen) >= OPTIONS:
            raise ValueError("more choices than a gene has values")
        genes[place + 1 : place + 1 + GROUP_OPTIONS] = chosen[:GROUP_OPTIONS]
        for member, cut in zip(members, chosen[GROUP_OPTIONS:], strict=True):
            if member is not own:
                genes[member.start + 2 + len(member.sides) + GROUP_OPTIONS] = cut

    def spread(self, count: int, random: np.random.Generator) -> Genes:
        """Designs to start from: regular ones, small to large blocks under slow and fast rates, and random ones."""
        regular = [self._regular(joined, size, fastest) for joined in (0, 1) for size in range(5) for fastest in (0, 1)]
        genes = random.integers(0, self.most + 1, (count, len(self.most)))
        option_genes = np.array(self.resets)
        genes[:, option_genes] *= random.random((count, int(option_genes.sum()))) < 0.1
        half = min(len(regular), count // 2)
        genes[:half] = regular[:half]
        return genes

    def _regular(self, joined: int, size: int, fastest: int) -> Genes:
        """All tasks joined or none, blocks of `size` quarters of the way from small to large, slowest or fastest."""
        genes = np.zeros_like(self.most)
        genes[: self.fusion_genes] = joined * self.most[: self.fusion_genes]
        for task in self.tasks:
            genes[task.start] = fastest * self.most[task.start]
            shape = slice(task.start + 1, task.start + 1 + len(task.sides))
            genes[shape] = self.most[shape] * size // 4
        return genes

    def _sides(self, task: str) -> tuple[tuple[Sides, ...], ...]:
        blocks = self.space.study.blocks
        if isinstance(blocks, Mapping) and task in blocks:
            return (self.space.shapes(task),)
        extents = self.space.accesses.extents(task)
        return tuple(tuple((side,) for side in self._sides_along(extent)) for extent in extents)

    def _scans(self, task: str) -> int:
        rank = len(self.space.accesses.extents(task))
        return min(math.factorial(rank) << rank, LARGEST_GENE)

    def _groups(self, genes: Genes) -> tuple[Mask, ...]:
        key = genes[: self.fusion_genes].tobytes()
        if key not in self._fusions:
            if self.space.fusions:
                self._fusions[key] = self.space.fusions[int(genes[0])]
            else:
                joined = [link for link, gene in zip(self.links, genes, strict=False) if gene]
                self._fusions[key] = _acyclic(self.space, _joined(self.space, joined))
        return self._fusions[key]

    def _group(self, group: Mask, genes: Genes) -> GroupDesign | None:
        space, last = self.space, self.space.last(group)
        longest = space.study.longest_group
        if last is None or (longest and group.bit_count() > longest):
            return None
        members = [self.tasks[task] for task in bits(group)]
        own = self.tasks[space.graph.names.index(last)]
        shape = tuple(
            side
            for options, gene in zip(own.sides, genes[own.start + 1 :], strict=False)
            for side in options[int(gene)]
        )
        scans = self._legal_scans(last, shape)
        if not scans:
            return None
        after = own.start + 1 + len(own.sides)
        tasks = space.tasks(group)
        rates = [self.rates[task][int(genes[member.start])] for task, member in zip(tasks, members, strict=True)]
        blocks = Blocks(shape, scans[int(genes[after]) % count_of(scans)])
        plain = GroupDesign(tuple(map(Processor, tasks)), blocks).at_rates(rates)
        if not self._option_genes:
            return plain
        cuts = [
            0 if member is own else int(genes[member.start + 2 + len(member.sides) + GROUP_OPTIONS])
            for member in members
        ]
        return self._with_options(plain, [*genes[after + 1 : after + 1 + GROUP_OPTIONS].tolist(), *cuts])

    def _legal_scans(self, task: str, shape: Sides) -> Sequence[Scan]:
        key = task, shape
        if key not in self._legal:
            self._legal[key] = self.space.scans(task, shape)
        return self._legal[key]

    def _with_options(self, plain: GroupDesign, genes: Sequence[int]) -> GroupDesign | None:
        """The design with what its genes open; None where the group is refused."""
        if self._starts_plain and not any(genes):
            return plain  # without asking what options there are, which takes long
        key = GroupDesign(tuple(Processor(task) for task in plain.tasks), plain.blocks)
        if key not in self._choices:
            try:
                self._choices[key] = choices_of(self.space, key, one_option_each=True)
            except ArrayolError:
                self._choices[key] = None
        choices = self._choices[key]
        if choices is None or not all(choices):
            return None
        picked = (options[gene % len(options)] for options, gene in zip(choices, genes, strict=True))
        return with_options(plain, tuple(picked))


def _joined(space: MappingSpace, links: Sequence[tuple[int, int]]) -> list[Mask]:
    """The groups that these links make, none longer than the study allows: a link that would make one is left out."""
    longest = space.study.longest_group or len(space.graph)
    of = {task: 1 << task for task in range(len(space.graph))}
    for task, reader in links:
        group = of[task] | of[reader]
        if group.bit_count() <= longest:
            for member in bits(group):
                of[member] = group
    return list(dict.fromkeys(of.values()))


def _acyclic(space: MappingSpace, groups: list[Mask]) -> tuple[Mask, ...]:
    """Groups, merged where they need each other, even through others: they are linked, so the result is legal."""
    count = len(groups)
    reached = [
        sum(1 << place for place, other in enumerate(groups) if other != group and _feeds(space, group, other))
        for group in groups
    ]
    for middle in range(count):
        for first in range(count):
            if reached[first] >> middle & 1:
                reached[first] |= reached[middle]
    merged: dict[Mask, None] = {}
    for place, group in enumerate(groups):
        whole = group
        for other in bits(reached[place]):
            if reached[other] >> place & 1:
                whole |= groups[other]
        merged[whole] = None
    return tuple(merged)


def _feeds(space: MappingSpace, group: Mask, other: Mask) -> bool:
    return any(space.graph.successors[task] & other for task in bits(group))
