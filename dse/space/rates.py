"""The rates that a processor may have: its units, and its interval, the cycles from one start to the next on a unit.

Without delays u units at interval I do what one unit at I / u does with as many operators and fewer multiplexers. So
one unit is tried at every interval of a task, several only at the least at which memories may serve them. A study that
lists both numbers of units and intervals asks for every combination.

Rates stand in the order of what they do in a cycle, the slowest first; of equal ones first that with fewer units.
Where two designs of a group are equal in all figures that are compared and in their units, the search keeps the first.

A side ceil(e / n) makes n nearly equal blocks, so what decides is their number; numbers that grow by a fixed ratio
stand evenly on a logarithmic axis, as costs do.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice, pairwise, product

from arrayol.errors import ArrayolError, Diagnostic
from arrayol.ir.divisors import divisors
from arrayol.ir.network import Network, Process
from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.text import listed
from dse.space.study import Study
from hwmodel.design import interval_of, rate_of, units_of
from hwmodel.platform import Platform

Serves = Callable[[int, int], bool]  # whether memories may serve so many units at an interval


def rates(
    units: Sequence[int], intervals: Sequence[int], *, every: bool, serves: Iterable[Serves] = ()
) -> tuple[int, ...]:
    """What a processor may have of these numbers of units and intervals, each ascending: see above.

    `every` combination, or several units at the least interval only at which each of `serves` says that memories may
    serve them, at the least one of all without any.
    """
    if every:
        pairs = set(product(units, intervals))
    else:
        lone = {(1, interval) for interval in intervals} if 1 in units else set()
        tried = [_served(units, intervals, own) for own in serves] if len(intervals) > 1 else []
        pairs = lone.union(*tried) if tried else lone | {(number, intervals[0]) for number in units}
        pairs = pairs or {(number, intervals[0]) for number in units}  # all of which will be refused
    slowest_first = sorted(pairs, key=lambda pair: (Fraction(*pair), pair))
    return tuple(rate_of(number, interval) for number, interval in slowest_first)


def _served(units: Sequence[int], intervals: Sequence[int], serves: Serves) -> Iterator[tuple[int, int]]:
    """Numbers of units, each at the least interval at which they are served; none that never is."""
    for number in units:
        yield from islice(((number, interval) for interval in intervals if serves(number, interval)), 1)


def balanced(work: Sequence[int], offered: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Combinations in which no task is much faster than the slowest: for each pace the slowest rates that keep it.

    `work` are the repetitions of each task, `offered` its rates, the slowest first; a pace is the cycles that some
    task takes for all of them at some rate. The slowest combination comes first.
    """
    cycles = [
        [-(-runs // units_of(rate)) * interval_of(rate) for rate in own]
        for runs, own in zip(work, offered, strict=True)
    ]
    paces = sorted({one for own in cycles for one in own}, reverse=True)
    chosen = [_keeping(paces, own, rates_of) for own, rates_of in zip(cycles, offered, strict=True)]
    return tuple(dict.fromkeys(zip(*chosen, strict=True)))


def _keeping(paces: Sequence[int], cycles: Sequence[int], offered: Sequence[int]) -> list[int]:
    """For each pace the slowest rate within it, of equal ones the first; the fastest where none keeps it."""
    fastest_first = sorted(range(len(cycles)), key=lambda place: (cycles[place], -place))
    steps = [cycles[place] for place in fastest_first]
    within = (bisect_right(steps, pace) for pace in paces)
    return [offered[fastest_first[number - 1] if number else -1] for number in within]


def wants_every_rate(study: Study) -> bool:
    """Whether a study lists both numbers of units and intervals."""
    return bool(study.units) and bool(study.intervals)


def studied_intervals(study: Study, task: str) -> tuple[int, ...] | None:
    """The intervals that a study lists for a task, ascending; None where it leaves them to the platform."""
    intervals = study.intervals
    listed_ones = intervals.get(task) if isinstance(intervals, Mapping) else intervals
    return None if listed_ones is None else tuple(sorted(set(listed_ones)))


def intervals_of(study: Study, platform: Platform, process: Process) -> tuple[int, ...]:
    """The intervals of a process: all that the platform offers, or those of them that the study lists; ascending."""
    asked, offered = studied_intervals(study, process.name), platform.intervals(process)
    return offered if asked is None else tuple(interval for interval in offered if interval in asked)


def check_intervals(study: Study, platform: Platform, network: Network) -> None:
    """Raises ArrayolError (`study-misfit`) for intervals of what is no task, or of which a task can have none."""
    if misfits := [*_strangers(study, network), *_unbuilt(study, platform, network)]:
        raise ArrayolError(misfits)


def _strangers(study: Study, network: Network) -> Iterator[Diagnostic]:
    names = tuple(network.processes)
    for task in study.intervals if isinstance(study.intervals, Mapping) else ():
        if task not in network.processes:
            hint = did_you_mean(task, names) or f"the tasks are {', '.join(names)}"
            message = f"'intervals' names '{task}', which is no task here"
            yield Diagnostic("study-misfit", message, study.place("intervals", task), hint)


def _unbuilt(study: Study, platform: Platform, network: Network) -> Iterator[Diagnostic]:
    for process in network.processes.values():
        asked = studied_intervals(study, process.name)
        if asked is not None and not intervals_of(study, platform, process):
            shown = listed([str(interval) for interval in asked], "or")
            message = f"no datapath of '{process.name}' starts a repetition every {shown} cycles"
            hint = f"list some of its intervals: {', '.join(map(str, platform.intervals(process)))}"
            path = ("intervals", process.name) if isinstance(study.intervals, Mapping) else ("intervals",)
            yield Diagnostic("study-misfit", message, study.place(*path), hint)


FINEST = 2**0.5  # the ratio of the finest ladder
FINE = 2  # a side may be so many times the next smaller one: of a ladder none is more


@lru_cache(maxsize=1024)
def ladder(extent: int, ratio: float) -> tuple[int, ...]:
    """The sides ceil(extent / n) for n = 1, ratio, ratio^2, ... (rounded up), down to 1; ascending."""
    sides, blocks = {1, extent}, 1.0
    while blocks < extent:
        sides.add(-(-extent // int(blocks)))
        blocks = max(blocks * ratio, float(int(blocks) + 1))
    return tuple(sorted(sides))


@lru_cache(maxsize=1024)
def finest_ladder(extent: int) -> tuple[int, ...]:
    """The finest ladder with all divisors; ascending."""
    return tuple(sorted({*ladder(extent, FINEST), *divisors(extent)}))


def gap(sides: Sequence[int]) -> float:
    """How many times the next smaller one a side is at most, of sides in ascending order."""
    return max((large / small for small, large in pairwise(sides)), default=1.0)


@lru_cache(maxsize=1024)
def has_coarse_divisors(extent: int) -> bool:
    """Whether the divisors of an extent leave a gap that a ladder does not: prime ones have two, 1918 has eight."""
    return gap(divisors(extent)) > FINE


def near(sides: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
    """The sides (of ascending ones) nearest to each wanted one by their ratio; ascending."""
    return tuple(sorted({min(sides, key=lambda side: max(side, one) / min(side, one)) for one in wanted}))
