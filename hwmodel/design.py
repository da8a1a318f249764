"""Mapping decisions: what a design chooses. Frozen values, compared by content; legality is decided elsewhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from hwmodel.memory_kinds import BUFFER, FIFO, LocalMemoryKind
from hwmodel.platform_memories import ArrayChannels
from hwmodel.residence import Load
from hwmodel.streamed import Stream

Whole = TypeVar("Whole", int, NDArray[np.int64])

Policy = Literal["reuse", "strip", "whole", "tile"]
POLICIES: tuple[Policy, ...] = ("reuse", "strip", "whole", "tile")


@dataclass(frozen=True, slots=True)
class ReuseLevel:
    """What is kept of an array from outside: it is fetched once for each value of the `level` outer loops of the scan.

    At the level of all loops that is once for each tick. `shared`: what consecutive fetches have in common is not
    fetched again; `eager`: a fetch is for the first tick of those values, not for the first that reads the element.
    """

    level: int
    shared: bool = False
    eager: bool = False

    def text(self, loops: int) -> str:
        """In words, under a scan of so many loops: "tile", "shared 1", "whole 2"."""
        names = {loops: "tile", loops - 1: "strip", 0: "reuse"}
        if self.eager:
            name = "whole" if self.level == max(0, loops - 1) else f"whole {self.level}"
        else:
            name = names.get(self.level, str(self.level))
        return f"shared {name}" if self.shared else name


KEEP_FORM = re.compile(r"(shared +)?(?:(reuse|strip|tile)|(whole)(?: +([0-9]{1,2}))?|([0-9]{1,2}))")


def parse_keep(text: str, loops: int) -> ReuseLevel:
    """A keep of its text under a scan of so many loops, of several that are the same the simplest.

    Raises ValueError for other texts, and for a level of more loops than there are.
    """
    match = KEEP_FORM.fullmatch(text)
    if match is None:
        raise ValueError(text)
    shared, name, whole, whole_level, number = match.groups()
    strip = max(0, loops - 1)
    level = {"reuse": 0, "strip": strip, "tile": loops}[name] if name else int(number or whole_level or strip)
    if level > loops:
        raise ValueError(text)
    eager = bool(whole) and (level < loops or not loops)
    return ReuseLevel(level, bool(shared) and level > 0, eager)


@dataclass(frozen=True, slots=True)
class Fusion:
    """A partition of a network's processes in groups, each one macrotask after fusion (paper A, section 4).

    Groups stand in execution order, the process names of a group in dataflow order. The search that makes fusions
    answers for their legality: groups connected, their quotient graph acyclic.
    """

    groups: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return " | ".join(" ".join(group) for group in self.groups)


@dataclass(frozen=True, slots=True)
class Scan:
    """An order of the points or blocks of a repetition space.

    `dimensions` lists the dimensions from the outermost to the innermost; `descending` says for each of them, in the
    same order, whether it is walked downwards. Over blocks of blocks it names a dimension twice: first for the outer
    blocks, then for those inside one of them.
    """

    dimensions: tuple[int, ...]
    descending: tuple[bool, ...]

    @property
    def rank(self) -> int:
        """The dimensions of the space that it walks."""
        return len(set(self.dimensions))

    @property
    def twice(self) -> frozenset[int]:
        """The dimensions that it walks at two levels."""
        return frozenset(each for each in self.dimensions if self.dimensions.count(each) > 1)

    @property
    def innermost(self) -> Scan:
        """The order of what lies inside one outer block: each dimension only where it stands last."""
        loops = dict(zip(self.dimensions, range(len(self.dimensions)), strict=True))
        inner = sorted(loops.values())
        return Scan(tuple(self.dimensions[at] for at in inner), tuple(self.descending[at] for at in inner))

    def __str__(self) -> str:
        signed = zip(self.dimensions, self.descending, strict=True)
        return ",".join(f"-{dimension}" if down else f"{dimension}" for dimension, down in signed)


@dataclass(frozen=True, slots=True)
class Blocks:
    """Boxes that a repetition space is cut in, counted from index 0, and the order in which they are walked.

    `shape` has one side per dimension, at least 1 and at most the extent. `outer` are the sides of blocks of blocks,
    where the scan names dimensions twice: along these no shorter than `shape`, along all others the same; else empty.
    """

    shape: tuple[int, ...]
    scan: Scan
    outer: tuple[int, ...] = ()

    def fit(self, rank: int) -> bool:
        """Whether they are of a space of that rank, and nest."""
        named = sorted(self.scan.dimensions)
        if named != sorted([*range(rank), *self.scan.twice]) or len(self.shape) != rank:
            return False
        if not self.scan.twice:
            return not self.outer
        pairs = enumerate(zip(self.shape, self.outer, strict=False))
        return len(self.outer) == rank and all(
            side <= outer if dimension in self.scan.twice else side == outer for dimension, (side, outer) in pairs
        )

    def sides(self, dimension: int) -> tuple[int, ...]:
        """Block sides along a dimension, the outer block's first where there is one."""
        sides = (*self.outer[dimension : dimension + 1], self.shape[dimension])
        return sides if dimension in self.scan.twice else sides[-1:]

    @property
    def text(self) -> str:
        """The sides in words: "8x8", "32x32 in 8x8" of blocks of blocks."""
        shapes = (self.outer, self.shape) if self.outer else (self.shape,)
        return " in ".join("x".join(map(str, shape)) for shape in shapes)


# Where many designs are priced at once, units and interval of a processor stand in one integer of 64 bits, its rate. An
# interval of 0 stands for the least that the platform offers, so that plain numbers of units are rates too.

_UNITS_BITS = 31  # of a rate; the interval stands above them
INTERVAL_LIMIT = 1 << 63 - _UNITS_BITS  # intervals of rates are below it


def rate_of(units: Whole, interval: Whole) -> Whole:
    """Units and interval in one whole number; of arrays element by element."""
    return interval << _UNITS_BITS | units


def units_of(rate: Whole) -> Whole:
    """The units of a rate."""
    return rate & ((1 << _UNITS_BITS) - 1)


def interval_of(rate: Whole) -> Whole:
    """The interval of a rate in cycles."""
    return rate >> _UNITS_BITS


@dataclass(frozen=True, slots=True)
class Processor:
    """One task of a group: its number of computation units (N_cu) and, where it has blocks of its own, its cut.

    `interval` is the cycles from one start to the next on a unit; None stands for the least that the platform offers.
    """

    task: str
    units: int = 1
    cut: Blocks | None = None
    interval: int | None = None

    @property
    def rate(self) -> int:
        """Its units and interval in one number."""
        return rate_of(self.units, self.interval or 0)


@dataclass(frozen=True, slots=True)
class BankLayout:
    """bank(x) = floor(vector . x / block) mod banks, for the subscripts x of an element of one array's buffer."""

    array: str
    banks: int
    vector: tuple[int, ...]
    block: int = 1


ArrayKeeps = tuple[tuple[str, ReuseLevel], ...]  # by name of the array
ArrayLoads = tuple[tuple[str, Load], ...]  # by name of the array, ascending
Splits = tuple[str, ...]  # steps that split sums, as texts: "split rows k 16"
Choice = tuple[ArrayLoads, Splits, ArrayChannels | None]  # of whole designs: it says which model they are of


def chosen_keep(array: str, policy: Policy, keeps: ArrayKeeps, loops: int) -> ReuseLevel:
    """What is kept of an array under a scan of so many loops: its own choice, or else the policy's."""
    return dict(keeps).get(array) or parse_keep(policy, loops)


@dataclass(frozen=True, slots=True)
class GroupDesign:
    """One group: its processors in dataflow order, its schedule, and how its data are kept and moved.

    It works in block steps if its schedule is the blocks of its last task, element by element if it is a stream. The
    units and intervals of a stream's processors follow from its pace, and it has none of the other choices.
    `fifos` names the arrays that pass through a FIFO; all others have a local memory, with the bank layout of `layouts`
    where there is one. It is double-buffered, but for arrays from outside in `single_buffers`. `policy` says what is
    kept of arrays from outside, `keeps` of single ones by name, in that order. `recompute` is Array-OL's fusion:
    overlaps are computed again.
    """

    processors: tuple[Processor, ...]
    schedule: Blocks | Stream
    fifos: frozenset[str] = frozenset()
    layouts: tuple[BankLayout, ...] = ()
    policy: Policy = "reuse"
    recompute: bool = False
    keeps: ArrayKeeps = ()
    single_buffers: frozenset[str] = frozenset()

    @property
    def blocks(self) -> Blocks:
        """The blocks of its last task, of a group that works in block steps."""
        assert isinstance(self.schedule, Blocks), "a stream has no blocks"
        return self.schedule

    @property
    def stream(self) -> Stream | None:
        """What it chooses as a stream; None for a group that works in block steps."""
        return self.schedule if isinstance(self.schedule, Stream) else None

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of its tasks in dataflow order."""
        return tuple(processor.task for processor in self.processors)

    def at_rates(self, rates: Sequence[int]) -> GroupDesign:
        """The group with units and initiation intervals of its tasks as these rates encode them."""
        processors = (
            replace(processor, units=units_of(rate), interval=interval_of(rate))
            for processor, rate in zip(self.processors, rates, strict=True)
        )
        return replace(self, processors=tuple(processors))

    def keep_of(self, array: str) -> ReuseLevel:
        """What is kept of an array from outside."""
        return chosen_keep(array, self.policy, self.keeps, len(self.blocks.scan.dimensions))

    def memory_kind(self, array: str) -> LocalMemoryKind:
        """The kind of the local memory that an array has which is loaded or made."""
        return kind_of_array(array, self.fifos)


def kind_of_array(array: str, fifos: Collection[str]) -> LocalMemoryKind:
    """The kind of the local memory that an array has in a group with these FIFOs."""
    return FIFO if array in fifos else BUFFER


def structure_of(design: GroupDesign) -> GroupDesign:
    """The design with one unit for each task, at the least interval that there is."""
    processors = (replace(processor, units=1, interval=None) for processor in design.processors)
    return replace(design, processors=tuple(processors))


def rates_of(design: GroupDesign) -> dict[str, int]:
    """The rate of each of its tasks."""
    return {processor.task: processor.rate for processor in design.processors}


def is_plain(design: GroupDesign) -> bool:
    """Whether a design opens nothing but a policy, keeps, layouts or recomputing."""
    if design.stream is not None:
        return False
    return not (design.blocks.outer or design.fifos or design.single_buffers) and all(
        processor.cut is None for processor in design.processors
    )


def with_keeps(design: GroupDesign, keeps: Mapping[str, ReuseLevel]) -> GroupDesign:
    """The design with what it keeps of all arrays from outside: as a policy where it is one, else array by array."""
    loops = len(design.blocks.scan.dimensions)
    for policy in POLICIES:
        if all(keep == parse_keep(policy, loops) for keep in keeps.values()):
            return replace(design, policy=policy, keeps=())
    own = sorted((array, keep) for array, keep in keeps.items() if keep != ReuseLevel(0))
    return replace(design, policy="reuse", keeps=tuple(own))


@dataclass(frozen=True, slots=True)
class Design:
    """A whole mapping of a network: its groups in execution order.

    `loads` says how arrays come of which the study says it (`hwmodel.residence`), those that it fixes included.
    `splits` are the steps that made its network of the canonical form. `channels` says where arrays lie if the external
    memory has several channels (`Accesses.channels`). Groups that run `together` work at the same time, each on another
    frame.
    """

    groups: tuple[GroupDesign, ...]
    loads: ArrayLoads = ()
    splits: Splits = ()
    channels: ArrayChannels | None = ()
    together: bool = False

    @property
    def choice(self) -> Choice:
        """What it chooses for all its groups."""
        return self.loads, self.splits, self.channels

    @property
    def fusion(self) -> Fusion:
        """Its partition of the tasks."""
        return Fusion(tuple(group.tasks for group in self.groups))


def row_major(rank: int) -> Scan:
    """All dimensions ascending, the last one innermost."""
    return Scan(tuple(range(rank)), (False,) * rank)
