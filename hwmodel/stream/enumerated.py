"""Latenesses of taps, and reads, from a list of all repetitions of a frame: for tilers of any kind."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses, Touch
from hwmodel.stream.kinds import by_kind
from hwmodel.stream.latenesses import Latenesses, ReadSource, Spread, spread_of
from hwmodel.stream.nodes import Node
from hwmodel.stream.pulses import born_after, fired, taken_after, unit
from hwmodel.stream.rotation import beyond_of, birth_starts
from hwmodel.streamed import Firing


@dataclass(frozen=True)
class Makers:
    """By element of an array, who writes it through one tiler: repetition (-1 for none) and place of the pattern."""

    repetition: IntArray
    place: IntArray


class Reads(NamedTuple):
    """Reads of one place of a pattern: repetitions that read, their elements, and of each `Tap.beyond`."""

    place: int
    repetitions: IntArray
    elements: IntArray
    beyond: IntArray


def every_repetition(node: Node) -> IntArray:
    """All repetitions of a node in row-major order (n, rank)."""
    if not node.extents:
        return np.zeros((1, 0), np.int64)
    return np.stack(np.unravel_index(np.arange(math.prod(node.extents)), node.extents), axis=1).astype(np.int64)


def makers(accesses: Accesses, node: Node, write: Touch) -> Makers:
    """Who writes each element of an array through a tiler."""
    found = Makers(*(np.full(accesses.size(write.array), -1, np.int64) for _ in range(2)))
    rows, elements = accesses.touched(write, every_repetition(node))
    found.repetition[elements] = rows[:, None]
    found.place[elements] = np.arange(elements.shape[1])
    return found


def read_elements(
    accesses: Accesses, reader: tuple[Node, Touch, Firing], writer: tuple[Touch, Firing]
) -> Iterator[Reads]:
    """The reads of a node through a tiler from what is written through another, place by place of the pattern.

    Constants beyond the ends are no reads.
    """
    node, read, firing = reader
    repetitions = every_repetition(node)
    rows, elements = accesses.touched(read, repetitions)
    reading = repetitions[rows]
    beyond = beyond_of(accesses, read, firing, reading, birth_starts(*writer))
    constant = read.tiler.border is not None and read.tiler.border.is_constant
    for place in range(elements.shape[1]):
        there = beyond[:, place] & 1 == 0 if constant else np.ones(len(rows), np.bool_)
        yield Reads(place, reading[there], elements[there, place], beyond[there, place])


def enumerated_latenesses(
    accesses: Accesses, reader: tuple[Node, Touch, Firing], writer: tuple[Node, Touch, Firing]
) -> Latenesses:
    """As `latenesses`, from a list of all reads of a frame, so that the writer's tiler may be any."""
    (_, read, reads), (maker, write, writes) = reader, writer
    known, repetitions = makers(accesses, maker, write), every_repetition(maker)
    births, units = fired(writes, repetitions), unit(writes, repetitions)
    found: Latenesses = {}
    for own in read_elements(accesses, reader, (write, writes)):
        there = known.repetition[own.elements] >= 0
        by, lane = known.repetition[own.elements[there]], known.place[own.elements[there]]
        own_units = unit(reads, own.repetitions[there])
        took = taken_after(reads, read, own.place)
        birth = births[by] + born_after(writes, lane, maker.port_size(write.port))
        late = fired(reads, own.repetitions[there]) + took - birth
        for (taker, place, lane_unit, out), same in by_kind(own_units, lane, units[by], own.beyond[there]):
            source = ReadSource(own.place, taker, place, lane_unit, out)
            spread: Spread = spread_of(late[same])
            found[source] = found[source] | spread if source in found else spread
    return found
