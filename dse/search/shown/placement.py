"""Arrays placed on several channels of the external memory: one placement for each design, the best that there is.

A search with open channels compares designs as if each step found its arrays placed best (`Accesses.channels`), so that
its front is a lower bound of the fronts under all placements. Then each design of it is placed. A group takes what the
open model says if its arrays all lie in different channels; else a model with these channels says it. Placements are
tried array by array, and left as soon as they cannot be better than the best so far; after `ESTIMATED_AT_MOST` groups
with a placement, further designs take the one that most designs have. If every design is placed as well
as the open model says, the front is exact; else it is off by at most the greatest ratio between the two (`shortfall`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from arrayol.arrays import IntArray
from dse.search.figures import Columns
from dse.search.isomorphic import stays_inside
from dse.space.mappings import MappingSpace
from dse.space.objectives import keys_of
from hwmodel.channels import channel_numbers, placements
from hwmodel.cost_model.memory_port.port import MOST_PLACED, MemoryPort
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Choice, Design, GroupDesign
from hwmodel.platform_memories import ArrayChannels

TRIED_AT_MOST = 256  # placements of one design
ESTIMATED_AT_MOST = 1000  # groups with a placement; of the designs after these only the placement most used is tried


def placed(space: MappingSpace, designs: Iterable[Design]) -> tuple[MappingSpace, dict[Design, Design], bool]:
    """Designs of a space with open channels, each with the channels that suit it best, and the space that has these.

    Also whether all of them are as fast as with open channels. Equally good placements are the same for many designs.
    """
    placers = {one.choice: _Placer(one) for one in space.variants}
    found = {design: placers[design.choice].placed(design) for design in dict.fromkeys(designs)}
    choices = dict.fromkeys(design.choice for design in found.values())
    return replace(space, placements=tuple(choices)), found, all(placer.is_best for placer in placers.values())


def placed_by_sizes(space: MappingSpace, designs: Iterable[Design]) -> tuple[MappingSpace, tuple[Design, ...]]:
    """Designs of a space with open channels with their arrays placed by their sizes, and their space."""
    numbers = {one.choice: tuple(channel_numbers(one.accesses, one.model.platform).items()) for one in space.variants}
    own = tuple(replace(design, channels=numbers[design.choice]) for design in designs)
    return replace(space, placements=tuple(dict.fromkeys(design.choice for design in own))), own


def objective_rows(space: MappingSpace, columns: Columns, designs: Sequence[Design]) -> IntArray:
    """The objectives of whole designs, (n, objectives), as integers that are compared."""
    models, clock = {one.choice: one.model for one in space.variants}, space.model.platform.clock_mhz
    groups: dict[Choice, dict[GroupDesign, None]] = {}
    for design in designs:
        groups.setdefault(design.choice, {}).update(dict.fromkeys(design.groups))
    known = {
        (choice, group): estimate
        for choice, own in groups.items()
        for group, estimate in zip(own, models[choice].estimates(list(own)), strict=True)
    }
    rows = []
    for design in designs:
        estimates = [known[design.choice, group] for group in design.groups]
        whole = models[design.choice].whole(design, estimates, reuse_memory=space.study.reuse_memory)
        values = whole.objectives(keys_of(columns.objectives))
        rows.append([figure.exact_of(values, clock) for figure in columns.objectives])
    return np.array(rows, np.int64).reshape(len(rows), len(columns.objectives))


def shortfall(least: IntArray, rows: IntArray) -> float:
    """By how much some design of a front (n, objectives) is beyond lower bounds (m, objectives), as a ratio.

    For each lower bound there is a design of which no objective is more than it by more than this share of it.
    """
    if not len(rows):
        return float("inf")
    most = 0.0
    for bound in least:
        ratios = np.where(rows > bound, rows / np.maximum(bound, 1), 1.0).max(axis=1)
        most = max(most, float(ratios.min()) - 1)
    return most


@dataclass
class _Placer:
    """Places designs of one choice of loads and splits, of which `space` has open channels."""

    space: MappingSpace
    is_best: bool = True
    _estimated: int = 0
    _models: dict[ArrayChannels, MachineModel] = field(default_factory=dict)
    _cycles: dict[tuple[GroupDesign, ArrayChannels], int] = field(default_factory=dict)
    _used: Counter[ArrayChannels] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._network, self._open = self.space.model.network, self.space.model
        (channel,) = self.space.model.platform.channels
        self._number = channel.channels
        self._usual = self._by_size() | self._once()

    def placed(self, design: Design) -> Design:
        """The design with the channels of its arrays; those that another one has too where they are as good."""
        groups = {group: self._moved(group) for group in design.groups}
        floor = sum(self._cycles_of(group, ()) for group in groups)
        best, channels = None, tuple[tuple[str, int], ...]()
        for known, _ in self._used.most_common():
            if best is not None and self._is_spent:
                break
            total = self._total(groups, dict(known))
            if best is None or total < best:
                best, channels = total, known
            if best == floor:
                break
        if best is None or (best > floor and not self._is_spent):
            for numbers, total in self._better(groups, best, floor):
                channels = tuple((self._usual | numbers).items())
                best = total
        self._used[channels] += 1
        self.is_best = self.is_best and best == floor
        return replace(design, channels=channels)

    @property
    def _is_spent(self) -> bool:
        """Whether as many groups were estimated as may be."""
        return self._estimated >= ESTIMATED_AT_MOST

    def _better(
        self, groups: Mapping[GroupDesign, tuple[str, ...]], best: int | None, floor: int
    ) -> Iterator[tuple[dict[str, int], int]]:
        """Placements of the arrays that groups move, with their cycles, each better than those before."""
        order = list(dict.fromkeys(name for names in groups.values() for name in names))
        ends = {group: max((order.index(name) for name in names), default=-1) for group, names in groups.items()}
        open_cycles = {group: self._cycles_of(group, ()) for group in groups}
        left, waiting = TRIED_AT_MOST, [(dict[str, int](), floor)]
        while waiting and left and (best is None or (best > floor and not self._is_spent)):
            numbers, total = waiting.pop()
            if best is not None and total >= best:
                continue
            if len(numbers) == len(order):
                best, left = total, left - 1
                yield numbers, total
                continue
            name, at = order[len(numbers)], len(numbers)
            further = []
            for channel in range(min(self._number, 1 + max(numbers.values(), default=-1) + 1)):
                own = numbers | {name: channel}
                ended = [group for group, end in ends.items() if end == at]
                more = sum(self._cycles_of(one, self._canonical(groups[one], own)) - open_cycles[one] for one in ended)
                shared = sum(
                    own[other] == channel
                    for names in groups.values()
                    if name in names
                    for other in names
                    if other in own
                )
                further.append((total + more, shared, own))
            left -= 1
            waiting += [(own, total) for total, _, own in sorted(further, key=lambda one: one[:2], reverse=True)]

    def _total(self, groups: Mapping[GroupDesign, tuple[str, ...]], numbers: Mapping[str, int]) -> int:
        return sum(self._cycles_of(group, self._canonical(names, numbers)) for group, names in groups.items())

    def _canonical(self, names: Sequence[str], numbers: Mapping[str, int]) -> ArrayChannels:
        """The channels of some arrays, numbered as they are first used; none if they all differ."""
        known = dict[int, int]()
        own = tuple((name, known.setdefault(numbers[name], len(known))) for name in names)
        return own if len(known) < len(names) else ()

    def _cycles_of(self, group: GroupDesign, own: ArrayChannels) -> int:
        """The cycles of a group, of one frame and of frames in succession, if its arrays lie so; else at the least."""
        if (group, own) not in self._cycles:
            self._estimated += bool(own)
            estimate = self._model(own).estimate(group)
            self._cycles[group, own] = estimate.latency_cycles + estimate.frame_cycles
        return self._cycles[group, own]

    def _model(self, own: ArrayChannels) -> MachineModel:
        if not own:
            return self._open
        if own not in self._models:
            self._models[own] = self._open.with_channels(tuple((dict.fromkeys(self._usual, 0) | dict(own)).items()))
        return self._models[own]

    def _moved(self, group: GroupDesign) -> tuple[str, ...]:
        """The arrays that a group moves with each frame, in the network's order."""
        network, accesses = self._network, self._open.accesses
        touched = {
            name for task in group.tasks for name in network.processes[task].reads | network.processes[task].writes
        }
        return tuple(
            name
            for name in self._usual
            if name in touched and not accesses.is_resident(name) and not stays_inside(network, name, group.tasks)
        )

    def _by_size(self) -> dict[str, int]:
        return channel_numbers(self._open.accesses, self._open.platform)

    def _once(self) -> dict[str, int]:
        """Where arrays lie that are loaded once: as they are loaded soonest, if they are few."""
        accesses, platform, usual = self._open.accesses, self._open.platform, self._by_size()
        once = [name for name in usual if accesses.is_resident(name)]
        if not self._number < len(once) <= MOST_PLACED:
            return {}
        each = [dict(zip(once, numbers, strict=True)) for numbers in placements(len(once), self._number)]

        def cycles(numbers: dict[str, int]) -> int:
            own = replace(accesses, channels=tuple((usual | numbers).items()))
            return MemoryPort(own, platform).whole_arrays(once)

        return min(each, key=cycles)
