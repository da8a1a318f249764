"""The macro-pattern of a fusion: which repetitions of the producer a block of the consumer needs.

Block R of the consumer needs the producer's repetitions q = origin + paving R + stride g. A step of the blocks must be
a whole number of steps of the producer; origin, stride and extents come from the first block's exact need.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arrayol.ir.spec import RepetitiveTask, Shape, Spec, TiledDefault, Tiler
from arrayol.polyhedral.lattices import least_combination
from arrayol.polyhedral.macro_pattern import BlockRead, Progression, Written, needed_repetitions
from arrayol.transforms.block import Vector, rows_of
from arrayol.transforms.blocks import Blocks, even_blocks
from arrayol.transforms.pair import Pair


@dataclass(frozen=True, slots=True)
class Failure:
    """Why blocks do not serve, and the dimensions of the consumer that would have to be taken whole for it."""

    reason: str
    axes: frozenset[int]
    scans: bool = False  # two tasks scan opposite ways


@dataclass(frozen=True, slots=True)
class Macro:
    """The blocks of both tasks over one outer space."""

    producer: Blocks
    consumer: Blocks


def move_of(spec: Spec, pair: Pair, axis: int, size: int) -> Vector | None:
    """How many repetitions of the producer `size` steps of the consumer along an axis are, or None where no whole."""
    rows: list[tuple[int, ...]] = []
    target: list[int] = []
    for array in pair.shared:
        for write in pair.writes(spec, array.name):
            for read in pair.reads(spec, array.name):
                rows += write.link.tiler.paving
                target += [size * row[axis] for row in read.link.tiler.paving]
    still = [place for place, extent in enumerate(pair.producer.repetition) if extent == 1]
    if not any(target):
        return (0,) * len(pair.producer.repetition)
    return least_combination(tuple(rows), target, fixed=still)


def find_macro(spec: Spec, pair: Pair, sizes: Sequence[int]) -> Macro | Failure:
    """The macro-pattern of consumer blocks of those sizes."""
    consumer = even_blocks(pair.consumer, sizes)
    columns: list[Vector] = []
    for axis, extent in enumerate(consumer.outer):
        move = (0,) * len(pair.producer.repetition) if extent == 1 else move_of(spec, pair, axis, sizes[axis])
        if move is None:
            return Failure(_no_move(pair, axis, sizes), frozenset({axis}))
        columns.append(move)
    found = _needed(spec, pair, sizes)
    if found is None:
        return Failure("what the first block needs of the producer is no range of its repetitions", _unsplit(consumer))
    return _blocks(spec, pair, consumer, columns, found)


def whole_macro(pair: Pair, sizes: Sequence[int]) -> Macro | None:
    """The macro-pattern of one block that is everything, or None where the sizes leave several, or no end."""
    consumer = even_blocks(pair.consumer, sizes)
    space = pair.producer.repetition
    extents = tuple(extent for extent in space if extent is not None)
    if any(count != 1 for count in consumer.outer) or len(extents) < len(space):
        return None
    still = ((0,) * len(consumer.outer),) * len(space)
    return Macro(Blocks((0,) * len(space), still, (1,) * len(space), extents, space, consumer.outer), consumer)


def _no_move(pair: Pair, axis: int, sizes: Sequence[int]) -> str:
    other = [size if place == axis else 0 for place, size in enumerate(sizes)]
    return (
        f"repetitions {[0] * len(sizes)} and {other} of '{pair.consumer.name}', with which two blocks begin, stand at "
        f"different places in what a repetition of '{pair.producer.name}' writes"
    )


def _unsplit(blocks: Blocks) -> frozenset[int]:
    return frozenset(axis for axis, extent in enumerate(blocks.outer) if extent != 1)


def _needed(spec: Spec, pair: Pair, sizes: Sequence[int]) -> tuple[Progression, ...] | None:
    pairs = []
    wraps = False
    for array in pair.shared:
        for write in pair.writes(spec, array.name):
            for read in pair.reads(spec, array.name):
                wraps = wraps or read.link.tiler.wrap
                tiler = _near(read.link.tiler, array.shape)
                pairs.append((Written(write.link.tiler, write.pattern), BlockRead(tiler, read.pattern, tuple(sizes))))
    bounds: list[tuple[int, int | None]] = []
    for axis, extent in enumerate(pair.producer.repetition):
        turns = wraps and extent is not None and is_turn(spec, pair, axis)
        bounds.append((-extent, 2 * extent) if turns and extent is not None else (0, extent))
    return needed_repetitions(pairs, bounds)


def _near(tiler: Tiler, shape: Shape) -> Tiler:
    """The same tiler with an origin not a whole turn away from the array."""
    if not tiler.wrap:
        return tiler
    origin = tuple(
        entry if extent is None or -extent < entry < extent else entry % extent
        for entry, extent in zip(tiler.origin, shape, strict=True)
    )
    return Tiler(origin, tiler.paving, tiler.fitting, tiler.wrap, tiler.span)


def is_turn(spec: Spec, pair: Pair, axis: int) -> bool:
    """Whether the producer's repetitions along an axis go round the arrays: one more writes where the first does."""
    extent = pair.producer.repetition[axis]
    return extent is not None and all(
        _goes_round(write.link.tiler, array.shape, axis, extent)
        for array in pair.shared
        for write in pair.writes(spec, array.name)
    )


def _goes_round(tiler: Tiler, shape: Shape, axis: int, extent: int) -> bool:
    return all(
        row[axis] * extent == 0 if size is None else row[axis] * extent % size == 0
        for row, size in zip(tiler.paving, shape, strict=True)
    )


def _blocks(
    spec: Spec, pair: Pair, consumer: Blocks, columns: Sequence[Vector], found: Sequence[Progression]
) -> Macro | Failure:
    producer = pair.producer
    origin, stride, extents, wrapped = [], [], [], set()
    for axis, extent in enumerate(producer.repetition):
        chosen = _along(producer, axis, found[axis], moved=any(column[axis] for column in columns))
        if chosen is None:
            return Failure(f"dimension {axis} of '{producer.name}' is infinite and would be taken whole", frozenset())
        origin.append(chosen.low)
        stride.append(chosen.stride)
        extents.append(chosen.count)
        outside = _leaves(chosen, extent, [column[axis] for column in columns], consumer.outer)
        if outside:
            moving = frozenset(place for place, column in enumerate(columns) if column[axis])
            if not (is_turn(spec, pair, axis) and _may_go_round(producer, axis)):
                return Failure(_beyond(pair, axis, *outside), moving)
            wrapped.add(axis)
    blocks = Blocks(
        tuple(origin),
        rows_of(columns, len(producer.repetition)),
        tuple(stride),
        tuple(extents),
        producer.repetition,
        consumer.outer,
        frozenset(wrapped),
    )
    return Macro(blocks, consumer)


def _along(producer: RepetitiveTask, axis: int, found: Progression, *, moved: bool) -> Progression | None:
    """The range along an axis; where blocks do not move along it and its delays or ends ask for it, all of it."""
    extent = producer.repetition[axis]
    delayed = any(delay.acts and delay.vector[axis] for delay in producer.delays)
    if delayed:
        found = Progression(found.low, 1, found.last - found.low + 1)
    if moved or not (delayed or found.low < 0 or (extent is not None and found.last >= extent)):
        return found
    return None if extent is None else Progression(0, 1, extent)


def _leaves(found: Progression, extent: int | None, moves: Sequence[int], outer: Shape) -> tuple[Vector, int] | None:
    """A block and a repetition, before the first or beyond the last, that it would need."""
    lowest = [
        0 if move >= 0 else None if count is None else count - 1 for move, count in zip(moves, outer, strict=True)
    ]
    highest = [
        0 if move <= 0 else None if count is None else count - 1 for move, count in zip(moves, outer, strict=True)
    ]
    for corner, start, sign in ((lowest, found.low, -1), (highest, found.last, 1)):
        block, value = [0] * len(corner), start
        limit = 0 if sign < 0 else extent
        for axis, (place, move) in enumerate(zip(corner, moves, strict=True)):
            # Along an infinite dimension so far that it leaves, if it ever does.
            far = 0 if limit is None else max(0, (limit - value) // move + 1) if place is None else 0
            block[axis] = far if place is None else place
            value += move * block[axis]
        if value < 0 or (extent is not None and value >= extent):
            return tuple(block), value
    return None


def _may_go_round(producer: RepetitiveTask, axis: int) -> bool:
    """Whether what the producer reads goes round too, and no delay joins its last repetition to the first."""
    extent = producer.repetition[axis]
    shapes = {port.name: port.shape for port in producer.inputs}
    tilers = [(link.tiler, shapes[link.array]) for link in producer.input_links]
    defaults = (delay.default for delay in producer.delays)
    tilers += [(one.tiler, shapes[one.array]) for one in defaults if isinstance(one, TiledDefault)]
    delayed = any(delay.vector[axis] for delay in producer.delays)
    return not delayed and extent is not None and all(_goes_round(*one, axis, extent) for one in tilers)


def _beyond(pair: Pair, axis: int, block: Vector, repetition: int) -> str:
    extent = pair.producer.repetition[axis]
    last = "without end" if extent is None else f"to {extent - 1}"
    return (
        f"block {list(block)} of '{pair.consumer.name}' would need repetition {repetition} of '{pair.producer.name}' "
        f"in dimension {axis}, which runs from 0 {last}, and its inputs or delays do not go round there"
    )
