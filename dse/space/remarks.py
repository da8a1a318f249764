"""What a user should know of a space before it is searched: its size, the device, what was assumed or left out."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arrayol.errors import ArrayolError
from arrayol.text import counted, listed, rounded
from dse.space.fusions import count_by_groups, subspaces
from dse.space.mappings import GROUPS_AT_MOST, MappingSpace
from dse.space.networks.rewrites import are_of_streams
from dse.space.rates import gap
from dse.space.study import AUTO, LADDER, Study, with_constraints
from dse.space.task_graph import Mask
from hwmodel.assumptions import assumed_by_machine
from hwmodel.platform import Platform

NUMBERS_SHOWN = 5  # of units that a study leaves out


def remarks_of(space: MappingSpace, origin: str) -> tuple[str, ...]:
    """One remark for each subject; `origin` names the platform."""
    model = space.model
    chosen = [name for name, choice in space.study.array.items() if len(choice.load) > 1]
    assumed = assumed_by_machine(model.network, model.platform, origin, space.accesses.loads, chosen)
    return (
        *assumed,
        *_frames(space),
        *_study(space),
        *_units(space),
        *_intervals(space),
        *_splits(space),
        *_passed_on(space),
        *_streams(space),
    )


def coarse_sides(space: MappingSpace) -> tuple[str, ...]:
    """How far apart the sides of blocks are along extents whose divisors leave gaps, if there are such."""
    extents = sorted({extent for one in space.variants for extent in one.coarse_extents})
    if not extents:
        return ()
    shown = [f"{extent:,}" for extent in extents[:NUMBERS_SHOWN]]
    names = listed([*shown, *(["more"] if len(extents) > len(shown) else [])])
    widest = max(gap(space.sides(extent)) for extent in extents)
    if space.fills_gaps:
        text = f"{names} have few divisors, so that blocks have other sides too: each at most {widest:.3g} times"
        return (f"{text} the next smaller one",)
    text = f"blocks have only sides that divide {names}, up to {widest:.3g} times the next smaller one"
    return (f'{text}; the method rounds, or blocks = "ladder" in a study, has others too',)


def _frames(space: MappingSpace) -> Iterator[str]:
    endless = [name for name, array in space.model.network.arrays.items() if None in array.shape]
    if endless:
        yield f"figures are per frame: {listed(endless)} never {'ends' if len(endless) == 1 else 'end'}"


def _study(space: MappingSpace) -> Iterator[str]:
    study, extents = space.study, space.accesses.extents
    asked = "layouts" in study.model_fields_set and "linear" in study.layouts
    if asked and space.model.platform.local.block_bits is None:
        yield "bank layouts are not tried: the platform does not give local.block_bits, so banks have no cost"
    for key, table in {"blocks": study.blocks, "cuts": study.cuts}.items():
        if not isinstance(table, Mapping):
            continue
        larger = [
            task
            for task, shapes in table.items()
            if any(side > extent for shape in shapes for side, extent in zip(shape, extents(task), strict=True))
        ]
        if larger:
            yield f"'{key}' of {listed(larger)} are larger than the repetition space and were reduced to its size"


def _units(space: MappingSpace) -> Iterator[str]:
    """A number of units that a study lists is not taken where fewer can work at once; those may not be listed.

    On a block as many can work as there are chains of the delay in it: its repetitions less those that follow another.
    """
    if space.study.units is None:
        return
    offered, missing = space.units, set[int]()
    tasks = []
    for task in space.graph.names:
        if len(space.accesses.delays(task)) > 1:
            continue  # their schedule decides
        left_out = {most for most in _most_units(space, task, offered[-1]) if most not in offered}
        tasks += [task] if left_out else []
        missing |= left_out
    if tasks:
        some = [str(number) for number in sorted(missing)[:NUMBERS_SHOWN]]
        numbers = listed([*some, *(["more"] if len(missing) > len(some) else [])], "or")
        what = f"on some blocks of {listed(tasks)} at most {numbers} units can work at once"
        yield f"{what}; the study does not list that number; the next smaller one is taken, if any"


def _most_units(space: MappingSpace, task: str, below: int) -> set[int]:
    """The numbers of units below one that can work at once on some blocks of a task, which has at most one delay.

    Blocks are not listed: of several with the same products so far along their dimensions one is followed.
    """
    extents, delays = space.accesses.extents(task), space.accesses.delays(task)
    if space.lists_shapes(task):
        choices = [[[side] for side in shape] for shape in space.shapes(task)]
    else:
        choices = [list(map(list, map(space.sides, extents)))]
    found = set[int]()
    for sides in choices:
        products = {(1, len(delays))}  # repetitions of a block, and those of them that follow another
        for at, each in enumerate(sides):
            step = sum(abs(delay.vector[at]) for delay in delays)
            products = {(whole * side, left * max(side - step, 0)) for whole, left in products for side in each}
            # Repetitions that follow none only become more.
            products = {pair for pair in products if pair[0] - pair[1] < below}
        found |= {whole - left for whole, left in products}
    return found


def _intervals(space: MappingSpace) -> Iterator[str]:
    """Intervals that a study lists and no task, or not the one that it names, has on offer."""
    study, platform, processes = space.study, space.model.platform, space.model.network.processes
    if study.intervals is None:
        return
    offered = {name: platform.intervals(process) for name, process in processes.items()}
    if isinstance(study.intervals, Mapping):
        asked = {name: (set(intervals), set(offered[name])) for name, intervals in study.intervals.items()}
    else:
        asked = {"any task": (set(study.intervals), {interval for one in offered.values() for interval in one})}
    for name, (listed_ones, there) in asked.items():
        if missing := sorted(listed_ones - there):
            numbers = listed([str(interval) for interval in missing])
            yield f"the study's intervals {numbers} are not available for {name} and were skipped"


def _splits(space: MappingSpace) -> Iterator[str]:
    """That the default splits sums, where it does."""
    others = [splits for splits, _ in space.others if not are_of_streams(splits)]
    if others and space.study.splits == LADDER:
        networks = counted(len(others), "network")
        steps = listed([f"'{step}'" for step in dict.fromkeys(step for splits in others for step in splits)])
        what = f"sums are also split, in {networks} beside the unsplit one: {steps}"
        yield f'{what}; splits = "none" in a study leaves them out'


def _passed_on(space: MappingSpace) -> Iterator[str]:
    """Which arrays the streams of other networks pass on in another way, where the study leaves it to us."""
    others = [steps for steps, _ in space.others if are_of_streams(steps)]
    if others and AUTO in (space.study.serial, space.study.again):
        steps = listed([f"'{step}'" for step in dict.fromkeys(step for steps in others for step in steps)])
        yield f"streams also pass arrays on in another way, in {counted(len(others), 'network')}: {steps}"


def _streams(space: MappingSpace) -> Iterator[str]:
    """Why tasks cannot stream by themselves: the first reason, and how many tasks have one."""
    reasons = []
    for task in space.graph.names if space.study.has_streams else ():
        try:
            if not space.model.streams((task,)).model.loops.members:
                continue
        except ArrayolError as refused:
            reasons.append(refused.diagnostics[0].message)
    if reasons:
        tasks = counted(len(space.graph), "task")
        yield f"{len(reasons):,} of {tasks} cannot stream, for example {reasons[0]}"


LISTED_AT_MOST = 1 << 14  # fusions


def count_fusions(space: MappingSpace) -> int | None:
    """How many fusions the study spans; None where counting them takes too long."""
    if space.fusions or space.study.longest_group:
        fusions = all_fusions(space)
        return None if fusions is None else len(fusions)
    return _count_all(space)


def count_wholes(space: MappingSpace, sizes: Mapping[Mask, int]) -> int | None:
    """The number of whole designs: over fusions the product of their groups' designs; None with too many fusions."""
    fusions = all_fusions(space)
    if fusions is None:
        return None
    return sum(math.prod(sizes[group] for group in fusion) for fusion in fusions)


def all_fusions(space: MappingSpace) -> tuple[tuple[Mask, ...], ...] | None:
    """The fusions that the study lists, else every legal one with groups no longer than it allows.

    Their groups stand in execution order. None where they are too many to be listed.
    """
    if space.fusions:
        return space.fusions
    count = _count_all(space)
    if count is None or count > LISTED_AT_MOST:
        return None
    number = {name: place for place, name in enumerate(space.graph.names)}
    longest = space.study.longest_group or len(space.graph)
    return tuple(
        tuple(sum(1 << number[task] for task in group) for group in fusion.groups)
        for subspace in subspaces(space.graph)
        for fusion in subspace
        if max(map(len, fusion.groups)) <= longest
    )


def _count_all(space: MappingSpace) -> int | None:
    counts = count_by_groups(space.graph)
    return None if counts is None else sum(counts.values())


@dataclass(frozen=True, slots=True)
class SpaceSize:
    """Fusions and groups (None: too many to be counted), and designs without what a study has beyond plain ones.

    Where groups are too many, structures and designs are those of single tasks.
    """

    fusions: int | None
    groups: int | None
    structures: int  # group designs but for their rates
    group_designs: int
    whole_designs: int | None

    def text(self, space: MappingSpace) -> str:
        """The size for people."""
        if self.groups is None:
            tasks = counted(len(space.graph), "task")
            return f"{space.model.network.name}: {tasks}, more than {GROUPS_AT_MOST:,} groups"
        fusions = "fusions" if self.fusions is None else counted(self.fusions, "fusion")
        whole = "" if self.whole_designs is None else f", {rounded(self.whole_designs)} whole designs"
        plain = f"{counted(self.groups, 'group')}, {rounded(self.group_designs)} plain group designs{whole}"
        more = "; beside them the options of the study" if space.study.has_options else ""
        choices = "".join(f"; all this {text}" for text in choices_text(space.variants))
        return f"{space.model.network.name}: {fusions} of {counted(len(space.graph), 'task')}, {plain}{more}{choices}"


def choices_text(variants: Sequence[MappingSpace]) -> tuple[str, ...]:
    """In words what is chosen of whole designs, where there is a choice: loads, splits."""
    loads, splits, _ = (len(set(column)) for column in zip(*(one.choice for one in variants), strict=True))
    by = [
        *(["splits of sums"] if any(one.splits and not are_of_streams(one.splits) for one in variants) else []),
        *(["arrays that streams pass on"] if any(are_of_streams(one.splits) for one in variants) else []),
    ]
    texts = f"under each of {loads} choices of loads", f"in each of {splits} networks, by {listed(by)}"
    return tuple(text for number, text in zip((loads, splits), texts, strict=True) if number > 1)


def size_of(space: MappingSpace) -> SpaceSize:
    """The size of a space; a group that no blocks cut counts as one design, an infeasible one."""
    blocks: dict[str, int] = {}
    structures = 0
    sizes = {}
    groups = space.groups if space.lists_groups else tuple(1 << task for task in range(len(space.graph)))
    for group in groups:
        last = space.last(group)
        if last is None:
            sizes[group] = 1
            continue
        if last not in blocks:
            blocks[last] = space.count_structures(last)
        structures += blocks[last]
        sizes[group] = blocks[last] * space.count_rates(space.tasks(group))
    number, designs = len(groups) if space.lists_groups else None, sum(sizes.values())
    if number is None:
        return SpaceSize(None, None, structures, designs, None)
    return SpaceSize(count_fusions(space), number, structures, designs, count_wholes(space, sizes))


_SPELT_WITH_AN = frozenset("aefhilmnorsx")  # first letters of names that are spelt out: an LFE5U, an xc7a35t


@dataclass(frozen=True)
class DeviceLimits:
    """A device by name, or an area, and its capacities by figure of designs."""

    name: str
    capacities: Mapping[str, float] = field(default_factory=dict)

    def exceeded(self, figures: Mapping[str, float]) -> tuple[str, ...]:
        """The figures of which a design needs more than there is."""
        return tuple(name for name, most in self.capacities.items() if figures.get(name, 0) > most)


def fit_text(name: str, exceeding: int, designs: int) -> str:
    """How many designs of a front do not fit on a device: 41 of 277 designs need more than an LFE5U-45F."""
    device = f"{'an' if name[:1].lower() in _SPELT_WITH_AN else 'a'} {name}" if name[:1].isalpha() else name
    if not exceeding:
        return f"no design needs more than {device}"
    verb = "needs" if exceeding == 1 else "need"
    return f"{exceeding:,} of {counted(designs, 'design')} {verb} more than {device}"


def device_limits(platform: Platform, figures: Collection[str]) -> DeviceLimits | None:
    """What the device of a platform bounds among the figures of designs; None without a device.

    Raises ArrayolError (`unknown-device`).
    """
    if not platform.device_text:
        return None
    capacities = {name: most for name, most in platform.capacities.items() if name in figures}
    return DeviceLimits(platform.device_text, capacities)


def bounded_by(study: Study, device: DeviceLimits, names: Iterable[str]) -> Study:
    """The study with capacities of a device as constraints."""
    return with_constraints(study, [f"{name} <= {device.capacities[name]:.12g}" for name in names], reuse_memory=False)
