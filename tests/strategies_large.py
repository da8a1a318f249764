"""Hypothesis strategies for the machine model at any size: chains of maps, and platforms with large numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st
from maps_oracle import Maps
from strategies import NOWHERE

from arrayol.ir.network import Flow, Network, NetworkArray, Process
from arrayol.ir.spec import Port, Tiler
from arrayol.ir.types import ElementType
from arrayol.limits import LARGEST
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.design import Blocks, GroupDesign, Processor, Scan
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory, LocalMemory

TYPES = (ElementType.U8, ElementType.U16, ElementType.F32, ElementType.I64, ElementType.C128)
_BLOCKS = 1 << 8  # along all dimensions but the innermost, whose places are put together one by one


@st.composite
def amounts(draw: st.DrawFn, most: int = LARGEST, least: int = 1) -> int:
    """Numbers of all sizes, large ones as often as small ones."""
    low, high = least.bit_length(), most.bit_length()
    return min(most, max(least, draw(st.integers(0, 1 << draw(st.integers(min(low, high), high))))))


@dataclass(frozen=True)
class LargeCase:
    """A chain of maps, one group design of it, its blocks as runs (count, size), and the figures by hand."""

    network: Network
    design: GroupDesign
    runs: tuple[tuple[int, int], ...]
    maps: Maps


@st.composite
def large_cases(draw: st.DrawFn) -> LargeCase:
    """A few blocks of any sizes, or up to 2^18 equal ones, of arrays of up to 2^66 elements."""
    large, tasks = draw(st.integers(0, 2)) > 0, draw(st.integers(1, 3))
    rank = draw(st.integers(4 if large else 1, 6))
    scan = tuple(draw(st.permutations(range(rank))))
    descending = draw(st.tuples(*(st.booleans() for _ in scan)))
    equal = draw(st.booleans())
    counts, left = [1] * rank, _BLOCKS if equal else 60
    for place, axis in enumerate(scan):
        most = (1 << 10 if equal else left) if place == rank - 1 else left
        counts[axis] = draw(amounts(most))
        left //= counts[axis]
    widest = [max(1, (1 << 11) // count) for count in counts]
    sides = [draw(amounts(most, max(1, most // 4) if large else 1)) for most in widest]
    rests = [side if equal else draw(st.integers(1, side)) for side in sides]
    extents = tuple(side * (count - 1) + rest for side, count, rest in zip(sides, counts, rests, strict=True))
    inner = next((axis for axis in reversed(scan) if extents[axis] > 1), None)
    if equal:
        runs, lines = [(math.prod(counts), math.prod(sides))], [1 if inner is None else sides[inner]]
    else:
        along = [[side] * (count - 1) + [rest] for side, count, rest in zip(sides, counts, rests, strict=True)]
        walked = [along[axis][::-1] if down else along[axis] for axis, down in zip(scan, descending, strict=True)]
        runs = [(1, math.prod(block)) for block in product(*walked)]
        lines = [1 if inner is None else block[scan.index(inner)] for block in product(*walked)]
    types = [draw(st.sampled_from(TYPES)) for _ in range(tasks + 1)]
    platform = draw(large_platforms(tasks, 10**4 if large else 0))
    units = tuple(draw(amounts(min(LARGEST, max(lines)))) for _ in range(tasks))
    design = GroupDesign(
        tuple(Processor(f"t{task}", number) for task, number in enumerate(units)),
        Blocks(tuple(sides), Scan(scan, descending)),
    )
    maps = Maps(platform, units, tuple(kind.bits for kind in types), tuple(lines))
    return LargeCase(chain_of_maps(extents, types), design, tuple(runs), maps)


def chain_of_maps(extents: tuple[int, ...], types: list[ElementType]) -> Network:
    """Tasks t0, t1, ... that each make an array of the one before, element by element."""
    identity = tuple(tuple(int(row == column) for column in range(len(extents))) for row in range(len(extents)))
    tiler = Tiler((0,) * len(extents), identity, ((),) * len(extents), False, NOWHERE)
    processes, last = {}, len(types) - 1
    for task in range(last):
        x, y = Port("x", types[task], (), NOWHERE), Port("y", types[task + 1], (), NOWHERE)
        flows = (Flow(x, f"a{task}", tiler),), (Flow(y, f"a{task + 1}", tiler),)
        processes[f"t{task}"] = Process(f"t{task}", f"t{task}", f"e{task}", extents, *flows, (), (x,), (y,))
    arrays = {
        f"a{place}": NetworkArray(
            f"a{place}",
            kind,
            extents,
            (f"t{place - 1}",) if place else (),
            (f"t{place}",) if place < last else (),
            place == last,
        )
        for place, kind in enumerate(types)
    }
    return Network("maps", processes, arrays, ("a0",), (f"a{last}",))


@st.composite
def large_platforms(draw: st.DrawFn, tasks: int, least: int) -> Platform:
    """Any platform without rows, for elementaries e0, e1, ..., with `least` cycles of latency."""
    width = draw(st.sampled_from(("data_per_word", "word_bits")))
    latencies, costs = amounts(least=least), amounts(least=0)
    return Platform(
        clock_mhz=100.0,
        memory=ExternalMemory(
            latency=draw(latencies), port=draw(st.sampled_from(("shared", "separate"))), **{width: draw(amounts())}
        ),
        local=LocalMemory(block_bits=draw(st.none() | amounts())),
        elementary={
            f"e{task}": ElementaryEntry(
                initiation_interval=draw(amounts()), latency=draw(latencies), cost={"lut": draw(costs)}
            )
            for task in range(tasks)
        },
    )
