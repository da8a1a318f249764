"""Upper limits of all figures, as exact Python integers, before anything is computed in 64 bits.

The front ends compute sums over repetitions, accesses of elements, or steps. Each is counted here at its largest,
whatever the fusion, blocks and policy: blocks of one repetition, and every access a separate load. So no intermediate
result of a network that passes exceeds 64 bits. If only a design tells how often work is repeated (cuts, recomputing),
its own counts are checked (`require_plan`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from arrayol.ir.network import Process
from arrayol.ir.spec import port_named
from arrayol.text import listed, rounded
from hwmodel.accesses import Accesses, Touch
from hwmodel.cost_model.costs import all_costs, once_memories, scale_of
from hwmodel.cost_model.group.group import frames_kept
from hwmodel.cost_model.numbering import EXACT_LIMIT, LIMIT, SMALLER, too_large
from hwmodel.design import INTERVAL_LIMIT
from hwmodel.external_memory import WORD_BYTES
from hwmodel.local_words import LocalWord, local_word
from hwmodel.platform import Platform

Shares = Counter[str]  # of a figure, by the task or array that brings them


@dataclass(frozen=True)
class Volume:
    """Upper limits of the work: steps, repetitions by task, and elements loaded and stored by array."""

    steps: int
    runs: Mapping[str, int]
    moved: Mapping[str, int]


def most_of_designs(accesses: Accesses, platform: Platform) -> dict[str, Shares]:
    """Upper limits over all designs without options, by figure: cycles, bits, bytes (three times) and cycles."""
    volume = _volume(accesses)
    return {
        "latency": _cycles(accesses, platform, volume),
        "internal memory": _memory(accesses, platform, volume),
        "traffic": _traffic(accesses, volume),
        "traffic of the port": _port_traffic(accesses, platform, volume),
        "external memory": _addresses(accesses, platform),
        "setup": _setup(accesses, platform),
    }


def require_network(accesses: Accesses, platform: Platform) -> None:
    """Raises ArrayolError (`figure-too-large`) if a figure of some design without options could exceed 64 bits."""
    for task, process in accesses.network.processes.items():
        interval = max(platform.intervals(process))
        if interval >= INTERVAL_LIMIT:
            what = f"a repetition of '{task}' may start every {rounded(interval)} cycles"
            raise too_large(what, "make the platform's interval, or the elementary's output, smaller", INTERVAL_LIMIT)
    for figure, shares in most_of_designs(accesses, platform).items():
        whose = f"the {figure} of designs of '{accesses.network.name}'"
        _require(whose, _UNITS[figure], shares, _FASTER if figure == "latency" else SMALLER)


def require_plan(accesses: Accesses, platform: Platform, volume: Volume) -> None:
    """Raises ArrayolError (`figure-too-large`) if the latency of one group design could exceed 64 bits."""
    tasks = listed([f"'{task}'" for task in volume.runs])
    _require(f"the latency of the group of {tasks}", "cycles", _cycles(accesses, platform, volume), _FASTER)


def require_bounded_costs(accesses: Accesses, platform: Platform, units: int) -> None:
    """Raises ArrayolError (`figure-too-large`) if a cost could exceed 64 bits with so many units of each task."""
    for name, costs in all_costs(accesses, platform).items():
        scale, shares = scale_of(name, (cost for _, cost in costs), platform), Shares()
        for task, cost in costs:
            amount = int((_exact(cost.unit) * units + _exact(cost.processor)) * scale)
            shares[f"task '{task}'"] = max(shares[f"task '{task}'"], amount)
        what = f"the cost '{name}' of {units:,} units of each task" + (f", in 1/{rounded(scale)}," if scale > 1 else "")
        hint = "give the cost in a larger unit or with fewer digits, or list smaller numbers of units in a study"
        _require(what, "", shares, hint, LIMIT if scale == 1 else EXACT_LIMIT)


_UNITS = {
    "latency": "cycles",
    "internal memory": "bits",
    "traffic": "bytes",
    "traffic of the port": "bytes",
    "external memory": "bytes",
    "setup": "cycles",
}
_FASTER = f"{SMALLER}, or the platform's latencies and intervals"


def _require(figure: str, unit: str, shares: Shares, hint: str, limit: int = LIMIT) -> None:
    total = sum(shares.values())
    if total >= limit:
        largest = max(shares, key=shares.__getitem__)
        amount = " ".join(filter(None, (rounded(total), unit)))
        raise too_large(f"{figure} may reach {amount}, most of it by {largest}", hint, limit)


def _volume(accesses: Accesses) -> Volume:
    runs = {task: math.prod(accesses.extents(task)) for task in accesses.network.processes}
    readers = Counter(touch.array for touches in accesses.reads.values() for touch in touches)
    moved = {}
    for array, touches in _touches(accesses).items():
        # Counts of several tilers are put together axis by axis: more than all of them, in the corners.
        corners = max(1, readers[array]) ** len(accesses.shape(array))
        moved[array] = corners * sum(runs[touch.process] * math.prod(touch.pattern) for touch in touches)
    # A tick for each block and each piece of a cut; stages lag by one for each task, a load and the stores.
    return Volume(sum(runs.values()) + 4 * len(runs), runs, moved)


def _touches(accesses: Accesses) -> dict[str, list[Touch]]:
    """The tilers by array; resident arrays are left out."""
    moving = (array for array in accesses.network.arrays if not accesses.is_resident(array))
    by_array: dict[str, list[Touch]] = {array: [] for array in moving}
    for touch in chain(*accesses.reads.values(), *accesses.writes.values()):
        if touch.array in by_array:
            by_array[touch.array].append(touch)
    return by_array


def _cycles(accesses: Accesses, platform: Platform, volume: Volume) -> Shares:
    """Cycles if every burst, repetition and datapath latency followed the other."""
    shares = Shares()
    for array, data in volume.moved.items():
        shares[f"array '{array}'"] = math.ceil(data * _datum_cycles(accesses, platform, array))
        channel = platform.channel_of(array)
        shares[f"array '{array}'"] += 2 * volume.steps * ((channel.latency or 0) + channel.turn + 1)
    for task, runs in volume.runs.items():
        each, latency = _repetition(accesses, platform, accesses.network.processes[task])
        shares[f"task '{task}'"] = runs * each + volume.steps * latency
    return shares


def _repetition(accesses: Accesses, platform: Platform, process: Process) -> tuple[int, int]:
    """The most cycles of one repetition at any interval, with the wait of the next of its chain, and its latency.

    An interval may be raised to the cycles of the accesses. Its own wait and that of others for it are rounded up.
    """
    intervals = platform.intervals(process)
    kept = max(*intervals, platform.local.access_cycles * _accesses(accesses, process))
    paths = [platform.datapath(process, interval) for interval in dict.fromkeys((*intervals, kept))]
    latency = max(path.latency for path in paths)
    waits = [wait + path.through_memory.get(pair, 0) for path in paths for pair, wait in path.recurrence.items()]
    return kept + max(kept, max(waits, default=0) + kept - 1) + latency + kept - 1, latency


def _accesses(accesses: Accesses, process: Process) -> int:
    """The elements that one repetition reads and writes."""
    touches = (*accesses.reads[process.name], *accesses.writes[process.name])
    return sum(math.prod(touch.pattern) for touch in touches if not accesses.is_resident(touch.array))


def _datum_cycles(accesses: Accesses, platform: Platform, array: str) -> Fraction:
    """Port cycles of one datum, without latency; with rows it may be a burst that opens all its rows."""
    memory, bits = platform.channel_of(array), accesses.network.arrays[array].type.stored_bits
    if memory.burst == "run" and memory.rows is None:  # a request for each, with the words of the longest run
        word = Fraction(1, memory.data_per_word) if memory.data_per_word else Fraction(bits, memory.word_bits or 1)
        words = math.ceil(accesses.size(array) * word) + 1
        pieces = -(-words // memory.max_burst_words)
        return Fraction(_passing(accesses, platform, array, words + pieces) + pieces * ((memory.latency or 0) + 1))
    if memory.rows is not None:
        size = accesses.network.arrays[array].type.bytes
        opened = size // memory.rows.row_bytes + 2
        times = _exact(memory.rows.row_change_ns) + _exact(memory.rows.same_bank_activate_ns)
        nanoseconds = size * _exact(memory.rows.word_ns) / WORD_BYTES + opened * times
        slower = bool(_local_words(accesses, platform, array))  # by a local word, which takes a cycle
        return nanoseconds * _exact(platform.clock_mhz or 1) / 1000 + 2 + slower
    share = Fraction(1, memory.data_per_word) if memory.data_per_word else Fraction(bits, memory.word_bits or 1)
    return max(share, Fraction(1)) if _local_words(accesses, platform, array) else share  # each a local word


def _passing(accesses: Accesses, platform: Platform, array: str, words: int) -> int:
    """The most cycles in which so many words of requests pass: in local words, split at every end of a row."""
    size, memory = accesses.network.arrays[array].type.bytes, platform.channel_of(array)
    whole = memory.data_per_word or (memory.word_bits or 1) // (8 * size) + 1
    local = [
        words * -(-whole // word.width) + accesses.size(array) // word.row
        for word in _local_words(accesses, platform, array)
    ]
    return max(words, *local, 0)


def _local_words(accesses: Accesses, platform: Platform, array: str) -> list[LocalWord]:
    """The local words of an array that is loaded and stored; none if the local memory keeps pace."""
    size, shape = accesses.network.arrays[array].type.bytes, accesses.shape(array)
    return [word for write in (False, True) if (word := local_word(platform, size, shape, write=write)) is not None]


def _exact(value: float) -> Fraction:
    """A float as the decimal that the platform file has."""
    return Fraction(str(value))


def _memory(accesses: Accesses, platform: Platform, volume: Volume) -> Shares:
    """Memory bits if every element were held, in banks that are all begun, with every delay's states and residents.

    The words of addresses are at most the data of all frames that a datum's lifetime meets.
    """
    shares, frames = (
        Shares(),
        len(accesses.network.processes) + 3,
    )  # a datum lives for fewer steps than that, or a frame
    for memory in once_memories(accesses, platform):
        shares[f"array '{memory.name}'"] = memory.addressed_bits + memory.banks * (platform.local.block_bits or 0)
    for array, touches in _touches(accesses).items():
        banks = max(platform.local.banks, *(math.prod(touch.pattern) for touch in touches), 1)
        bits = accesses.network.arrays[array].type.bits
        shares[f"array '{array}'"] = (frames * volume.moved[array] + len(touches) * 2 * banks) * bits
    for task, process in accesses.network.processes.items():
        for delay in process.delays:
            port = port_named(process.input_ports, delay.port)
            kept = max(1, frames_kept(process.repetition, delay))
            size = math.prod(extent or 1 for extent in port.shape) * port.type.bits
            shares[f"task '{task}'"] += kept * volume.runs[task] * size
    return shares


def _traffic(accesses: Accesses, volume: Volume) -> Shares:
    """Bytes of all data that are moved."""
    types = {name: array.type for name, array in accesses.network.arrays.items()}
    return Shares({f"array '{array}'": data * types[array].bytes for array, data in volume.moved.items()})


def _port_traffic(accesses: Accesses, platform: Platform, volume: Volume) -> Shares:
    """Bytes of a word for each datum; with runs, of all words of the array, in requests that are rounded up."""
    types, shares = accesses.network.arrays, Shares()
    for array, data in volume.moved.items():
        memory = platform.channel_of(array)
        stored = types[array].type.stored_bits
        word = memory.data_per_word * stored if memory.data_per_word else memory.word_bits or 1
        runs = memory.burst == "run" and memory.rows is None
        words = math.ceil(Fraction(accesses.size(array) * stored, word)) + 1 if runs else -(-stored // word)
        words += -(-words // memory.max_burst_words) if runs else 0
        shares[f"array '{array}'"] = data * words * -(-word // 8)
    return shares


def _setup(accesses: Accesses, platform: Platform) -> Shares:
    """Cycles of all arrays that are loaded once, one after another."""
    shares = Shares()
    for memory in once_memories(accesses, platform):
        cycles = memory.addressed * _datum_cycles(accesses, platform, memory.name)
        shares[f"array '{memory.name}'"] = math.ceil(cycles) + (platform.channel_of(memory.name).latency or 0) + 1
    return shares


def _addresses(accesses: Accesses, platform: Platform) -> Shares:
    """Bytes of all arrays one after another, with the reach of tilers that do not wrap."""
    shares, by_array = Shares(), _touches(accesses)
    for array in filter(accesses.lies_outside, accesses.network.arrays):
        rows = platform.channel_of(array).rows
        size = accesses.network.arrays[array].type.bytes
        reach = sum(_reach(accesses, touch) for touch in by_array.get(array, ()))
        shares[f"array '{array}'"] = (accesses.size(array) + reach) * size + (rows.row_bytes if rows else 1)
    return shares


def _reach(accesses: Accesses, touch: Touch) -> int:
    """The furthest position from 0 that a tiler reaches, summed over axes."""
    tiler, extents = touch.tiler, accesses.extents(touch.process)
    axes = zip(tiler.origin, tiler.paving, tiler.fitting, strict=True)
    return sum(
        abs(origin)
        + sum(abs(factor) * extent for factor, extent in zip(paving, extents, strict=True))
        + sum(abs(factor) * extent for factor, extent in zip(fitting, touch.pattern, strict=True))
        for origin, paving, fitting in axes
    )
