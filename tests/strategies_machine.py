"""Hypothesis strategies for the machine model: small networks, platforms, and designs of groups, legal or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product
from math import prod

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies_networks import forked_networks, networks

from arrayol.errors import ArrayolError
from arrayol.ir.network import Network, Process
from hwmodel.accesses import Accesses
from hwmodel.cost_model.group.group import Group
from hwmodel.datapath.entry import ElementaryEntry, Measured
from hwmodel.datapath.figures import Datapath
from hwmodel.design import POLICIES, ArrayKeeps, BankLayout, Blocks, GroupDesign, Processor, ReuseLevel, Scan, rate_of
from hwmodel.platform import BitCosts, Platform
from hwmodel.platform_memories import ExternalMemory, LocalMemory, RowModel
from hwmodel.residence import LOADS, Load


@dataclass(frozen=True)
class Case:
    """A network, a platform, and a design of one group of it."""

    network: Network
    platform: Platform
    design: GroupDesign


@st.composite
def residences(draw: st.DrawFn, network: Network) -> tuple[Network, dict[str, Load]]:
    """The network, at times with inputs that are resident: const arrays, or what is loaded once."""
    arrays, loads = dict(network.arrays), dict[str, Load]()
    for name in network.inputs if draw(st.integers(0, 2)) == 0 else ():
        array = arrays[name]
        load = draw(st.sampled_from(LOADS)) if None not in array.shape else "frame"
        loads[name] = load
        if load == "rom" or (None not in array.shape and draw(st.booleans())):
            size = prod(side or 1 for side in array.shape) * array.type.bits
            arrays[name] = replace(array, rom_bits=draw(st.sampled_from((0, size, size))))
    local_bits = {name: draw(st.sampled_from((0, 0, 0, 8, 33))) for name in network.processes}
    processes = {name: replace(one, local_bits=local_bits[name]) for name, one in network.processes.items()}
    return replace(network, arrays=arrays, processes=processes), loads


LEAST_BUILT = 60  # cycles of latency, in which any small body of the drawn networks has its results, also of floats


class DrawnPlatform(Platform):
    """A platform whose states take so many cycles more through the local memory, as derived recurrences do."""

    through_memory: int = 0

    def datapath(self, process: Process, interval: int | None = None) -> Datapath:
        path = super().datapath(process, interval)
        return replace(path, through_memory=dict.fromkeys(path.recurrence, self.through_memory))


@st.composite
def elementary_entries(draw: st.DrawFn, name: str, least: int = 0) -> ElementaryEntry:
    """An entry with one interval, given by its data, or with several, each with figures of its own.

    Latencies are `least` or more.
    """
    costs = {"lut": 3, "dsp": 0} if name == "e" else {"lut": 5, "dsp": 0.5}
    recurrences = st.sampled_from((None, None, 1, 2, 5, 9))
    if draw(st.booleans()):
        return ElementaryEntry(
            initiation_interval=draw(st.integers(1, 2)),
            latency=least + draw(st.integers(0, 3)),
            recurrence=draw(recurrences),
            cost=costs,
        )
    intervals = sorted(draw(st.sets(st.integers(1, 6), min_size=1, max_size=3)))
    measured = tuple(
        Measured(
            interval=interval,
            latency=least + draw(st.sampled_from((0, 1, 2, 3, 4, 12))),
            recurrence=draw(recurrences),
            cost={one: amount + place for one, amount in costs.items()},
        )
        for place, interval in enumerate(intervals)
    )
    return ElementaryEntry(measured=measured)


@st.composite
def platforms(draw: st.DrawFn, *, plain: bool = False, by_run: bool = False, built: bool = False) -> Platform:
    """Any platform; a `plain` one has no rows, one `by_run` none and bursts by runs of addresses.

    With `built` it names a technology.
    """
    widths = (
        {"data_per_word": draw(st.integers(1, 4))}
        if draw(st.booleans())
        else {"word_bits": draw(st.sampled_from((8, 24, 64)))}
    )
    rows = None
    if not plain and not by_run and draw(st.integers(0, 4)) == 0:
        rows = RowModel(row_bytes=16, banks=2, word_ns=64.0, row_change_ns=3.0, same_bank_activate_ns=7.0)
    runs = {}
    if by_run or (rows is None and draw(st.integers(0, 2)) == 0):
        runs = {"burst": "run", "outstanding": draw(st.sampled_from((1, 2, 4)))}
        runs["max_burst_words"] = draw(st.sampled_from((1, 3, 256)))
    memory = ExternalMemory(
        latency=draw(st.integers(0, 6)), port=draw(st.sampled_from(("shared", "separate"))), rows=rows, **widths, **runs
    )
    technology = {"technology": "ecp5-6"} if built or draw(st.integers(0, 2)) == 0 else {}
    local = LocalMemory(
        banks=4,
        access_cycles=draw(st.integers(1, 2)),
        block_bits=draw(st.sampled_from((None, 64, 200))),
        register_bits=draw(st.sampled_from((0, 64, 512))) if technology else 512,
        write_width=draw(st.sampled_from((None, 1, 2))) if technology else None,
        read_width=draw(st.sampled_from((None, 1, 2))) if technology else None,
        ports=draw(st.sampled_from(("1w1r", "1w1r", "1w2r"))),
    )
    least = LEAST_BUILT if technology else 0
    elementary = {name: draw(elementary_entries(name, least)) for name in ("e", "f")}
    cost = BitCosts(
        rom_bits=draw(st.sampled_from(({}, {"dsp": 0.25}))), local_bits=draw(st.sampled_from(({}, {"lut": 2})))
    )
    return DrawnPlatform(
        clock_mhz=100.0 if technology else 1000.0,
        memory=memory,
        local=local,
        elementary=elementary,
        cost=cost,
        through_memory=draw(st.integers(0, 4)),
        **technology,
    )


@st.composite
def intervals(draw: st.DrawFn, platform: Platform, process: Process) -> int | None:
    """None, or an interval on offer; now and then one that is not."""
    refused = (7,) if draw(st.integers(0, 9)) == 0 else ()
    return draw(st.sampled_from((None, *platform.intervals(process), *refused)))


@st.composite
def offered_rates(
    draw: st.DrawFn, platform: Platform, network: Network, tasks: Sequence[str], units: tuple[int, ...]
) -> list[tuple[int, ...]]:
    """For each task rates of some of the intervals on offer; of the least those units, of others some of them."""
    offered = []
    for task in tasks:
        there = platform.intervals(network.processes[task])
        chosen = draw(st.sets(st.sampled_from(there), min_size=1)) if draw(st.integers(0, 2)) else {0}
        rates = {rate_of(number, min(chosen)) for number in units}
        rates |= {rate_of(number, one) for one in chosen for number in units[: draw(st.integers(1, len(units)))]}
        offered.append(tuple(sorted(rates)))
    return offered


def _extents(network: Network, task: str) -> tuple[int, ...]:
    return tuple(1 if extent is None else extent for extent in network.processes[task].repetition)


@st.composite
def scans(draw: st.DrawFn, network: Network, task: str) -> Scan:
    """Any scan; three in four times one that suits blocks of one repetition, where there is one."""
    rank = len(network.processes[task].repetition)
    found = [Scan(order, down) for order in permutations(range(rank)) for down in product((False, True), repeat=rank)]
    if draw(st.integers(0, 3)):
        found = [scan for scan in found if _suits(network.processes[task], scan)] or found
    return draw(st.sampled_from(found))


def _suits(process: Process, scan: Scan) -> bool:
    for delay in process.delays:
        steps = [
            -delay.vector[axis] if down else delay.vector[axis]
            for axis, down in zip(scan.dimensions, scan.descending, strict=True)
        ]
        steps = [
            step for step, axis in zip(steps, scan.dimensions, strict=True) if process.repetition[axis] is not None
        ]
        if next((step for step in steps if step), 1) < 0:
            return False
    return True


@st.composite
def blocks(draw: st.DrawFn, network: Network, task: str, *, small: bool = False) -> Blocks:
    """Blocks of any shape that fits, or `small` ones, more often than not of a single index along a dimension."""
    shape = []
    for extent in _extents(network, task):
        sides = st.sampled_from([1, 1, min(2, extent), extent]) if small else st.integers(1, extent)
        shape.append(draw(sides))
    return draw(in_outer_blocks(Blocks(tuple(shape), draw(scans(network, task))), _extents(network, task)))


@st.composite
def in_outer_blocks(draw: st.DrawFn, blocks: Blocks, extents: Sequence[int], *, always: bool = False) -> Blocks:
    """The same, three in four times; else in blocks of blocks, legal or not, often with sides that do not divide.

    If `always` it is in blocks of blocks, most often with several outer blocks that divide an extent and hold several.
    """
    if not extents or (not always and draw(st.integers(0, 3))):
        return blocks
    twice = sorted(draw(st.sets(st.integers(0, len(extents) - 1), min_size=1)))
    dimensions, descending = list(blocks.scan.dimensions), list(blocks.scan.descending)
    for dimension in twice:
        inner = dimensions.index(dimension)
        loop, turned = draw(st.integers(0, inner)), draw(st.booleans())
        descending.insert(loop, descending[inner] ^ turned)
        dimensions.insert(loop, dimension)
    outer = list(blocks.shape)
    for dimension in twice:
        longer = range(outer[dimension], extents[dimension] + 1)
        if always:
            between = [side for side in longer[1:-1] if extents[dimension] % side == 0]
            outer[dimension] = draw(st.sampled_from(between * 5 + list(longer)))
            continue
        clipping = [side for side in longer[:-1] if side % outer[dimension]]
        outer[dimension] = draw(st.sampled_from(clipping if clipping and draw(st.booleans()) else longer))
    return Blocks(blocks.shape, Scan(tuple(dimensions), tuple(descending)), tuple(outer))


@st.composite
def groups(draw: st.DrawFn, network: Network) -> tuple[str, ...]:
    """A task and those before it on whose results it depends, from some place in the dataflow on."""
    names = list(network.processes)
    last = draw(st.sampled_from(names[-2:] * 3 + names))
    found = {last}
    for name in reversed(names[: names.index(last)]):
        if any(network.processes[name].writes & network.processes[reader].reads for reader in found):
            found.add(name)
    members = [name for name in names if name in found]
    return tuple(members[draw(st.sampled_from([0, 0, 0, *range(len(members))])) :])


@st.composite
def groups_of_several_ends(draw: st.DrawFn, accesses: Accesses) -> tuple[str, ...]:
    """Several tasks; in most cases they end in more than one and share loops, where there are such."""
    names = list(accesses.network.processes)
    found = [some for count in range(2, len(names) + 1) for some in combinations(names, count)]
    cut = [some for some in found if _are_cut(accesses, some)]
    return draw(st.sampled_from(cut if cut and draw(st.integers(0, 7)) != 3 else found))


def _are_cut(accesses: Accesses, tasks: tuple[str, ...]) -> bool:
    try:
        return bool(Group(accesses, tasks).following)
    except ArrayolError:
        return False


@st.composite
def bank_layouts(draw: st.DrawFn, network: Network, tasks: Sequence[str]) -> tuple[BankLayout, ...]:
    """Often no layout, else one for an array that the tasks read or write."""
    if draw(st.integers(0, 2)):
        return ()
    touched = {name for task in tasks for name in network.processes[task].reads | network.processes[task].writes}
    array = draw(st.sampled_from(sorted(touched)))
    vector = tuple(draw(st.integers(-1, 3)) for _ in network.arrays[array].shape)
    return (BankLayout(array, draw(st.integers(1, 4)), vector, draw(st.integers(1, 2))),)


@st.composite
def cases(draw: st.DrawFn, *, several_ends: bool = False, single: bool = False) -> Case:
    """Any design of a group of any network, often refused; with `several_ends` mostly one of several last tasks.

    With `single` some arrays, mostly such from outside, have a single buffer.
    """
    network = draw(forked_networks() if several_ends else networks())
    tasks = draw(groups_of_several_ends(Accesses(network)) if several_ends else groups(network))
    made = [name for name, array in network.arrays.items() if set(array.producers) & set(tasks)]
    inner = [
        name for name in made if not network.arrays[name].is_output and set(network.arrays[name].readers) & set(tasks)
    ]
    last = tasks[-1]
    walked = draw(blocks(network, last))
    layouts = draw(bank_layouts(network, tasks)) if draw(st.integers(0, 1)) == 0 else ()
    fifos = draw(st.sets(st.sampled_from(inner), min_size=1)) if inner and draw(st.booleans()) else set()
    cutting, several = draw(st.booleans()), draw(st.integers(0, 2)) == 0
    platform = draw(platforms())
    processors = [
        Processor(
            task,
            draw(st.sampled_from((1, 1, 2, 3))) if several else 1,
            draw(blocks(network, task, small=True)) if cutting and task != last else None,
            draw(intervals(platform, network.processes[task])),
        )
        for task in tasks
    ]
    return Case(
        network,
        platform,
        GroupDesign(
            tuple(processors),
            walked,
            frozenset(fifos),
            layouts,
            draw(st.sampled_from(POLICIES)),
            recompute=draw(st.integers(0, 2)) == 0,
            keeps=draw(array_keeps(network, tasks, len(walked.scan.dimensions))),
            single_buffers=draw(single_buffers(network, tasks)) if single else frozenset(),
        ),
    )


@st.composite
def single_buffers(draw: st.DrawFn, network: Network, tasks: Sequence[str]) -> frozenset[str]:
    """Some arrays that tasks load; now and then one that they make."""
    processes = [network.processes[task] for task in tasks]
    made = {array for process in processes for array in process.writes}
    loaded = sorted({array for process in processes for array in process.reads} - made)
    offered = sorted(made) if not loaded or draw(st.integers(0, 15)) == 7 else loaded
    return frozenset(draw(st.sets(st.sampled_from(offered), min_size=1)))


@st.composite
def array_keeps(draw: st.DrawFn, network: Network, tasks: tuple[str, ...], loops: int) -> ArrayKeeps:
    """What is kept of single arrays from outside, where anything; at any of so many loops."""
    if draw(st.booleans()):
        return ()
    processes = [network.processes[task] for task in tasks]
    made = {array for process in processes for array in process.writes}
    loaded = sorted({array for process in processes for array in process.reads} - made)
    chosen = draw(st.sets(st.sampled_from(loaded), min_size=1)) if loaded else ()
    return tuple((name, draw(keeps(loops))) for name in sorted(chosen))


@st.composite
def keeps(draw: st.DrawFn, loops: int) -> ReuseLevel:
    """At any of so many loops, in any way."""
    level = draw(st.integers(0, loops))
    return ReuseLevel(level, bool(level) and draw(st.booleans()), (level < loops or not loops) and draw(st.booleans()))


def repetitions(network: Network, tasks: Sequence[str]) -> int:
    """How many repetitions some tasks have together."""
    return sum(prod(_extents(network, task)) for task in tasks)


def with_channels(platform: Platform, channels: int) -> Platform:
    """The platform with several channels, and without rows."""
    memory = platform.memory.model_copy(update={"channels": channels, "rows": None})
    return platform.model_copy(update={"memory": memory})


@st.composite
def emitting_platforms(draw: st.DrawFn) -> Platform:
    """A platform for which hardware is emitted: datapaths are derived, and its memory bursts by run."""
    memory = ExternalMemory(
        latency=draw(st.integers(0, 12)),
        word_bits=draw(st.sampled_from((64, 128))),
        port=draw(st.sampled_from(("shared", "shared", "separate"))),
        burst="run",
        outstanding=draw(st.sampled_from((1, 2, 4))),
        max_burst_words=draw(st.sampled_from((1, 3, 256))),
    )
    local = LocalMemory(
        banks=4,
        register_bits=draw(st.sampled_from((0, 64, 512))),
        write_width=draw(st.sampled_from((None, 1, 2))),
        read_width=draw(st.sampled_from((None, 1, 2))),
    )
    return Platform(clock_mhz=50.0, technology="ecp5-6", memory=memory, local=local)


def some_rates(offered: list[tuple[int, ...]]) -> NDArray[np.int64]:
    """At most nine of all combinations."""
    rates = np.array(list(product(*offered)), np.int64)
    return rates[np.sort(np.random.default_rng(0).permutation(len(rates))[:9])]
