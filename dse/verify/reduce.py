"""Designs at a reduced size: the same decisions on a smaller repetition space.

What the simulator is to see of a design are its steps in the middle and at the border of each axis: a block side keeps
at least five blocks along its axis, with and without a partial one, and a side that spans its axis still does. Blocks
of blocks hold two of the smaller ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from arrayol.errors import ArrayolError
from arrayol.ir.divisors import divisors
from hwmodel.accesses import Accesses
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.streaming.stream_groups import design_of
from hwmodel.design import Blocks, Design, GroupDesign, Processor, is_plain, rate_of
from hwmodel.streamed import Stream

Extents = tuple[int, ...]
BLOCKS_AT_LEAST = 5  # along an axis that a block does not span


@dataclass
class Reducer:
    """Reduces designs of a network to the smaller one of a model; `whole` has the extents of each task.

    Designs share groups, and many groups become the same one: each is reduced once, and each result judged once.
    """

    whole: Mapping[str, Extents]
    model: MachineModel
    _groups: dict[tuple[GroupDesign, bool], GroupDesign | ArrayolError] = field(default_factory=dict)
    _legal: dict[GroupDesign, GroupDesign | ArrayolError] = field(default_factory=dict)
    _lasts: dict[tuple[str, ...], str] = field(default_factory=dict, init=False)
    _small: dict[str, Extents] = field(init=False)

    def __post_init__(self) -> None:
        self._small = extents_of(self.model.accesses)

    def reduced(self, design: Design, *, partial: bool) -> Design:
        """The design on the smaller network.

        Sides that span an axis still do; others are clipped so that at least five blocks lie along it (as far as it is
        long enough), the last of them smaller with `partial`, where that is possible. Units that could never work at
        once there are left out. Raises ArrayolError where the smaller design is refused for another reason.
        """
        return replace(design, groups=tuple(self._group(group, partial=partial) for group in design.groups))

    def prepare(self, groups: Iterable[GroupDesign]) -> None:
        """Find out together which of the smaller ones of many groups are legal, as far as they are plain."""
        blocks = [group for group in dict.fromkeys(groups) if group.stream is None]
        smaller = (self._smaller(group, partial=partial) for group in blocks for partial in (False, True))
        families: dict[object, list[GroupDesign]] = {}
        for one in dict.fromkeys(smaller):
            if is_plain(one) and one not in self._legal:
                families.setdefault((one.tasks, one.blocks.scan), []).append(one)
        for family in families.values():
            self._judge(family)

    def _judge(self, groups: Sequence[GroupDesign]) -> None:
        """Note which groups are legal as they are; halves of them where one is not, which is then looked at alone."""
        try:
            self.model.estimates(groups)
        except ArrayolError:
            middle = len(groups) // 2
            for some in (groups[:middle], groups[middle:]) if middle else ():
                self._judge(some)
            return
        self._legal.update(zip(groups, groups, strict=True))

    def _group(self, design: GroupDesign, *, partial: bool) -> GroupDesign:
        key = design, partial
        if key not in self._groups and design.stream is not None:
            self._groups[key] = self._stream(design, design.stream)
        elif key not in self._groups:
            smaller = self._smaller(design, partial=partial)
            if smaller not in self._legal:
                self._legal[smaller] = _legal(smaller, self.model)
            self._groups[key] = self._legal[smaller]
        group = self._groups[key]
        if isinstance(group, ArrayolError):
            raise group.with_traceback(None)
        return group

    def _stream(self, design: GroupDesign, stream: Stream) -> GroupDesign | ArrayolError:
        """The stream on the smaller network, in chunks that divide its frame: a fifth of it at most."""
        try:
            streamed = self.model.streams_of(design).model.streamed(stream)
        except ArrayolError as refusal:
            return refusal
        if stream.interface == "axis":
            return design_of(streamed)
        most = max(1, min(stream.chunk, streamed.frame // BLOCKS_AT_LEAST))
        chunk = max(own for own in divisors(streamed.frame) if own <= most)
        return design_of(replace(streamed, stream=replace(stream, chunk=chunk)))

    def _smaller(self, design: GroupDesign, *, partial: bool) -> GroupDesign:
        def cut(task: str, blocks: Blocks) -> Blocks:
            whole, small = self.whole[task], self._small[task]
            axes = zip(blocks.shape, whole, small, strict=True)
            shape = tuple(_side(*axis, partial=partial) for axis in axes)
            outer = zip(blocks.outer, blocks.shape, shape, small, strict=False)
            return replace(blocks, shape=shape, outer=tuple(_outer_side(*axis, partial=partial) for axis in outer))

        return replace(
            design,
            schedule=cut(self._last(design.tasks), design.blocks),
            processors=tuple(
                replace(processor, cut=cut(processor.task, processor.cut)) if processor.cut else processor
                for processor in design.processors
            ),
        )

    def _last(self, tasks: tuple[str, ...]) -> str:
        """The task of a group that writes nothing which another of it reads."""
        if tasks not in self._lasts:
            processes = self.model.network.processes
            read = {array for task in tasks for array in processes[task].reads}
            self._lasts[tasks] = next(task for task in tasks if not processes[task].writes & read)
        return self._lasts[tasks]


def extents_of(accesses: Accesses) -> dict[str, Extents]:
    """The repetition space of each process of a network, for one frame."""
    return {task: accesses.extents(task) for task in accesses.network.processes}


def _side(side: int, whole: int, small: int, *, partial: bool) -> int:
    if side >= whole:
        return small
    most = max(1, min(side, small // BLOCKS_AT_LEAST))
    if partial:
        return next((length for length in range(most, 1, -1) if small % length), most)
    return next(length for length in range(most, 0, -1) if small % length == 0)


def _outer_side(outer: int, side: int, shorter: int, small: int, *, partial: bool) -> int:
    """Side of an outer block whose inner blocks get shorter: two of these where it has several.

    With `partial` the second is smaller, if the first allows that.
    """
    if outer == side or shorter == small:
        return shorter
    return min(small, 2 * shorter - (1 if partial and shorter > 1 else 0))


def _legal(design: GroupDesign, model: MachineModel) -> GroupDesign | ArrayolError:
    """The design with units that can work at once; why it is refused, as a FIFO that only larger blocks allow."""
    try:
        model.estimate(design)
    except ArrayolError:
        try:
            legal = _with_legal_units(design, model)
            model.estimate(legal)
        except ArrayolError as refusal:
            return refusal
        return legal
    return design


def _with_legal_units(design: GroupDesign, model: MachineModel) -> GroupDesign:
    """The design with as many of its units as can work at once."""
    intervals = [_interval(processor, model) for processor in design.processors]
    units = [processor.units for processor in design.processors]
    rates = rate_of(np.array([units], np.int64), np.array([intervals], np.int64))
    if model.price_structure(design, rates).legal[0, 0]:
        return design
    fewer = [_most(design, place, intervals, model) for place in range(len(units))]
    pairs = zip(design.processors, fewer, strict=True)
    return replace(design, processors=tuple(replace(processor, units=count) for processor, count in pairs))


def _most(design: GroupDesign, place: int, intervals: Sequence[int], model: MachineModel) -> int:
    """The most units of one processor, up to its own, that are legal beside one of each other."""
    count = design.processors[place].units
    choices = np.ones((count, len(design.processors)), np.int64)
    choices[:, place] = np.arange(1, count + 1)
    legal = model.price_structure(design, rate_of(choices, np.array(intervals, np.int64))).legal[0]
    return int(choices[legal, place].max()) if legal.any() else 1


def _interval(processor: Processor, model: MachineModel) -> int:
    return processor.interval or model.platform.intervals(model.network.processes[processor.task])[0]
