"""Features of an emitted design's logic: numbers that its schedule has and that its LUT and FF follow.

They are of the Verilog as it is printed: its programs, the counters of lanes, the ways between lanes and banks by what
each lane reaches, and the registers on these ways. The search knows none of that; it goes by the features of
`hwmodel.datapath.technology.overhead`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hwmodel.datapath.technology.overhead import lut_of_choice, lut_of_matches, lut_of_one_of, values_seen

CELL = 16  # words of a cell of distributed RAM


@dataclass(frozen=True, slots=True)
class _Lane:
    """A lane: the banks that it reaches, and the words of a bank at each of which it may be."""

    banks: int
    words: int


def scheduled_features(groups: Sequence[Mapping[str, Any]], word_bits: int) -> dict[str, float]:
    """The features of a design, from the groups of its schedule as data and the bits of a word of the external memory.

    - `agents`: their number; `instructions`: those of their programs; `wraps`: bits of counters of loops, and of those
      of lanes that wrap at no power of two; `longest`: the instructions of the longest program.
    - `states`: bits of rows, loops and places in programs; `counters`: bits of all counters of lanes.
    - `queued`: bits of the words that wait for the external memory, for each engine.
    - `joined`: LUT of the ways to banks and from them; `rows`: LUT that choose among cells of distributed RAM.
    - `stages`: bits of registers before and behind banks.
    """
    found = Counter[str]()
    for group in groups:
        lanes = {name: own for agent in group["agents"] for name, own in _lanes(agent)}
        for agent in group["agents"]:
            found.update(_of_agent(agent))
            found["queued"] += word_bits * bool(agent["name"].endswith("_storing") and agent["lanes"])
        for memory in group["memories"]:
            found.update(_of_registers(memory, lanes) if memory["registers"] else _of_banks(memory, lanes))
    longest = max((len(agent["program"]) for group in groups for agent in group["agents"]), default=0)
    return {**{name: float(found[name]) for name in SCHEDULED}, "longest": float(longest)}


SCHEDULED = ("agents", "instructions", "wraps", "states", "counters", "queued", "joined", "rows", "stages")


def _of_agent(agent: Mapping[str, Any]) -> dict[str, int]:
    """The features of an agent."""
    program, rows = agent["program"], agent["rows"]
    columns = list(zip(*rows, strict=True))
    loops: dict[int, int] = {}
    for loop in (own for instruction in program for own in instruction["loops"]):
        loops[loop["depth"]] = max(loops.get(loop["depth"], 1), loop["times"])
    of_loops = sum(map(_bits, loops.values()))
    moving = [own for own in _counters(agent) if any(columns[own[2]])]
    cycles = _bits(max(own["cycles"] for own in program))
    row = sum(_bits(max(column) + 1) for column in columns if len(set(column)) > 1)
    return {
        "agents": 1,
        "instructions": len(program),
        "wraps": of_loops + sum(_bits(modulus) for modulus, _, _ in moving if modulus & (modulus - 1)),
        "states": row + 2 * cycles + of_loops + 2 * _bits(len(program)),
        "counters": sum(_bits(modulus) for modulus, _, _ in moving),
    }


def _counters(agent: Mapping[str, Any]) -> set[tuple[int, int, int]]:
    """The counters of an agent, equal ones once: modulus, first value, and column of its steps."""
    lanes = (lane for own in agent["lanes"].values() for lane in own)
    each = [own for lane in lanes for own in (*lane["digits"], *lane["places"])]
    each += [own for place in agent["places"].values() for own in place["counters"]]
    return {(own["modulus"], own["initial"], own["column"]) for own in each if own is not None}


def _lanes(agent: Mapping[str, Any]) -> Iterator[tuple[str, list[_Lane]]]:
    """The lanes of an agent, by name."""
    columns = list(zip(*agent["rows"], strict=True))

    def seen(counter: Mapping[str, int]) -> int:
        return int(values_seen(counter["modulus"], math.gcd(*columns[counter["column"]])))

    for name, lanes in agent["lanes"].items():
        yield (
            name,
            [
                _Lane(math.prod(map(seen, lane["digits"])), sum(seen(own) for own in lane["places"] if own is not None))
                for lane in lanes
            ],
        )


Lanes = Mapping[str, Sequence[_Lane]]


def _of_banks(memory: Mapping[str, Any], lanes: Lanes) -> dict[str, float]:
    """The features of a memory in banks, of which each reader has a copy."""
    banks, width, depth = math.prod(memory["moduli"]), memory["width"], memory["depth"]
    address, cells = _bits(depth), -(-depth // CELL)
    written = [lane.banks for name in memory["writers"] for lane in lanes[name]]
    joined = _ways(written, banks, width + address)
    stages = sum(1 + width + address + _bits_of_code(own) for own in written)
    for reads in ([lane.banks for lane in lanes[name]] for name in memory["readers"]):
        joined += _ways(reads, banks, address) + width * sum(float(lut_of_one_of(own)) for own in reads)
        stages += banks * (address + width) + sum(width + 2 * own * (own > 1) for own in reads)
    copied = len(memory["readers"]) * banks
    rows = copied * (width * float(lut_of_choice(cells)) + cells) if cells > 1 else 0.0
    return {"joined": joined, "rows": rows, "stages": stages}


def _ways(lanes: Sequence[int], banks: int, bits: int) -> float:
    """LUT of the ways from lanes to banks, of so many bits each, where each lane reaches some of them."""
    reaches = sum(float(lut_of_matches(1, own, banks if len(lanes) == 1 else banks + 1)) for own in lanes)
    each = max(1.0, float(lut_of_one_of(sum(lanes) / banks))) if len(lanes) > 1 else 0.0
    return reaches + banks * each * bits


def _of_registers(memory: Mapping[str, Any], lanes: Lanes) -> dict[str, float]:
    """The features of a memory of registers, which all readers share."""
    depth, width = memory["depth"], memory["width"]
    written = [min(depth, lane.words) for name in memory["writers"] for lane in lanes[name]]
    reads = [min(depth, lane.words) for name in memory["readers"] for lane in lanes[name]]
    joined = sum(float(lut_of_matches(1, own, depth + 1)) for own in written)
    joined += depth * width * float(lut_of_one_of(sum(written) / depth)) + width * sum(
        float(lut_of_choice(own)) for own in reads
    )
    stages = sum(1 + width + _bits_of_code(own) for own in written)
    stages += sum(width + _bits_of_code(own) for own in reads)
    return {"joined": joined, "rows": 0.0, "stages": stages}


def _bits(count: int) -> int:
    """The bits of a number below `count`, 1 at least."""
    return max(1, (count - 1).bit_length())


def _bits_of_code(count: int) -> int:
    """The bits that say which of so many, none for one."""
    return (count - 1).bit_length()
