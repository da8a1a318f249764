"""What a user should know of a space before it is searched: what was assumed, left out, or taken otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arrayol.errors import ArrayolError
from arrayol.text import counted, listed
from dse.space.ladder import gap
from dse.space.mappings import MappingSpace
from dse.space.networks.rewrites import are_of_streams
from dse.space.study import AUTO, LADDER
from hwmodel.assumptions import assumed_by_machine

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
