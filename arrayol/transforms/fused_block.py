"""The block of a fusion: what of the producer a block of the consumer needs, and the parts that it is made of.

Block R of the consumer needs the producer's repetitions q = origin + paving R + stride g, Array-OL's macro-pattern. A
step of the blocks must be a whole number of steps of the producer; then all blocks need what the first needs, moved,
and origin, stride and extents come from the first block's exact need. What others read of the producer too is given by
the fused task if its blocks write each element once, which isl decides; else the producer stays beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from arrayol.ir.spec import Port, RepetitiveTask, Shape, Spec, TiledDefault, Tiler
from arrayol.polyhedral.accesses import Access, acting_axes, find_outside, least_combination
from arrayol.polyhedral.isl import TooHardError
from arrayol.polyhedral.macro_pattern import BlockRead, Progression, Written, needed_repetitions
from arrayol.polyhedral.single_write import find_clash, find_hole
from arrayol.transforms.blocks.arrays import Layout, lay_out, lay_out_whole
from arrayol.transforms.blocks.block import (
    BlockPart,
    Blocks,
    Inside,
    Reach,
    Sink,
    Vector,
    even_blocks,
    keeps_exit,
    minus,
    rows_of,
    split_tiler,
)
from arrayol.transforms.blocks.cut import UnservedError, block_part
from arrayol.transforms.blocks.delays import Unserved, block_vectors, find_block_circle, tell_circle
from arrayol.transforms.pair import Pair
from arrayol.transforms.rewrite import FreeNames

# The macro-pattern.


@dataclass(frozen=True, slots=True)
class Failure:
    """Why blocks do not serve, and the dimensions of the consumer that would have to be taken whole for it."""

    reason: str
    axes: frozenset[int]
    scans: bool = False  # two tasks scan opposite ways


@dataclass(frozen=True, slots=True)
class MacroBlock:
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


def _find_macro(spec: Spec, pair: Pair, sizes: Sequence[int]) -> MacroBlock | Failure:
    """The macro-pattern of consumer blocks of those sizes."""
    consumer = even_blocks(pair.consumer, sizes)
    columns: list[Vector] = []
    for axis, extent in enumerate(consumer.outer):
        move = (0,) * len(pair.producer.repetition) if extent == 1 else move_of(spec, pair, axis, sizes[axis])
        if move is None:
            return Failure(_no_move(pair, axis, sizes), frozenset({axis}))
        columns.append(move)
    needed = _needed(spec, pair, sizes)
    if needed is None:
        return Failure("what the first block needs of the producer is no range of its repetitions", _cut(consumer))
    return _macro(spec, pair, consumer, columns, needed)


def _whole_macro(pair: Pair, sizes: Sequence[int]) -> MacroBlock | None:
    """The macro-pattern of one block that is everything, or None where the sizes leave several, or no end."""
    consumer = even_blocks(pair.consumer, sizes)
    space = pair.producer.repetition
    extents = tuple(extent for extent in space if extent is not None)
    if any(count != 1 for count in consumer.outer) or len(extents) < len(space):
        return None
    still = ((0,) * len(consumer.outer),) * len(space)
    return MacroBlock(Blocks((0,) * len(space), still, (1,) * len(space), extents, space, consumer.outer), consumer)


def _no_move(pair: Pair, axis: int, sizes: Sequence[int]) -> str:
    other = [size if place == axis else 0 for place, size in enumerate(sizes)]
    return (
        f"repetitions {[0] * len(sizes)} and {other} of '{pair.consumer.name}', with which two blocks begin, stand at "
        f"different places in what a repetition of '{pair.producer.name}' writes"
    )


def _cut(blocks: Blocks) -> frozenset[int]:
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
        turns = extent is not None and wraps and _is_turn(spec, pair, axis)
        bounds.append((-extent, 2 * extent) if turns and extent is not None else (0, extent))
    return needed_repetitions(pairs, bounds)


def _near(tiler: Tiler, shape: Shape) -> Tiler:
    """A tiler of the same elements whose origin is less than a whole turn away from the array."""
    if not tiler.wrap:
        return tiler
    origin = tuple(
        entry if extent is None or -extent < entry < extent else entry % extent
        for entry, extent in zip(tiler.origin, shape, strict=True)
    )
    return replace(tiler, origin=origin)


def _is_turn(spec: Spec, pair: Pair, axis: int) -> bool:
    """Whether the producer's repetitions along an axis go round the arrays: one more writes where the first does."""
    extent = pair.producer.repetition[axis]
    return extent is not None and all(
        _goes_round(write.link.tiler, array.shape, axis, extent)
        for array in pair.shared
        for write in pair.writes(spec, array.name)
    )


def _goes_round(tiler: Tiler, shape: Shape, axis: int, extent: int) -> bool:
    if tiler.border is not None:
        return not any(row[axis] for row in tiler.paving)
    return all(
        row[axis] * extent == 0 if size is None else row[axis] * extent % size == 0
        for row, size in zip(tiler.paving, shape, strict=True)
    )


def _macro(
    spec: Spec, pair: Pair, consumer: Blocks, columns: Sequence[Vector], needed: Sequence[Progression]
) -> MacroBlock | Failure:
    producer = pair.producer
    origin, stride, extents, wrapped = [], [], [], set()
    for axis, extent in enumerate(producer.repetition):
        chosen = _along(producer, axis, needed[axis], moved=any(column[axis] for column in columns))
        if chosen is None:
            return Failure(f"dimension {axis} of '{producer.name}' is infinite and would be taken whole", frozenset())
        origin.append(chosen.low)
        stride.append(chosen.stride)
        extents.append(chosen.count)
        outside = _leaves(chosen, extent, [column[axis] for column in columns], consumer.outer)
        if outside:
            moving = frozenset(place for place, column in enumerate(columns) if column[axis])
            if not (_is_turn(spec, pair, axis) and _may_go_round(producer, axis)):
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
    return MacroBlock(blocks, consumer)


def _along(producer: RepetitiveTask, axis: int, needed: Progression, *, moved: bool) -> Progression | None:
    """The range along an axis; where blocks do not move along it and its delays or ends ask for it, all of it."""
    extent = producer.repetition[axis]
    delayed = any(delay.acts and delay.vector[axis] for delay in producer.delays)
    if delayed:
        # A chain of delays runs through every repetition between: none of them may be left out of the block.
        needed = Progression(needed.low, 1, needed.last - needed.low + 1)
    if moved or not (delayed or needed.low < 0 or (extent is not None and needed.last >= extent)):
        return needed
    return None if extent is None else Progression(0, 1, extent)


def _leaves(needed: Progression, extent: int | None, moves: Sequence[int], outer: Shape) -> tuple[Vector, int] | None:
    """A block and a repetition, before the first or beyond the last, that it would need."""
    for start, sign, limit in ((needed.low, -1, 0), (needed.last, 1, extent)):
        ends = zip(moves, outer, strict=True)
        # A linear form is extreme at a corner of the blocks, so one corner for each side tells of all.
        corner = [0 if sign * move <= 0 else None if count is None else count - 1 for move, count in ends]
        block, value = [0] * len(corner), start
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
    tilers += [(default.tiler, shapes[default.array]) for default in defaults if isinstance(default, TiledDefault)]
    delayed = any(delay.vector[axis] for delay in producer.delays)
    return not delayed and extent is not None and all(_goes_round(*read, axis, extent) for read in tilers)


def _beyond(pair: Pair, axis: int, block: Vector, repetition: int) -> str:
    extent = pair.producer.repetition[axis]
    last = "without end" if extent is None else f"to {extent - 1}"
    return (
        f"block {list(block)} of '{pair.consumer.name}' would need repetition {repetition} of '{pair.producer.name}' "
        f"in dimension {axis}, which runs from 0 {last}, and its inputs or delays do not go round there"
    )


@dataclass(frozen=True, slots=True)
class Fusion:
    """The parts of a fused block.

    `given` are the producer's arrays that it writes whole, `beside` tells whether others still need the producer.
    """

    macro: MacroBlock
    producer: BlockPart
    consumer: BlockPart
    given: tuple[Port, ...]
    beside: bool


def find_fusion(spec: Spec, pair: Pair, sizes: Sequence[int], names: FreeNames) -> Fusion | Failure:
    """The fusion by consumer blocks of those sizes, or why it cannot be."""
    macro = _past_borders(spec, pair, sizes) or _find_macro(spec, pair, sizes)
    layouts = macro if isinstance(macro, Failure) else _laid_out(spec, pair, macro)
    if isinstance(layouts, Failure):
        # A block that holds the whole producer needs no regular part of its arrays: the last resort.
        whole = _whole_macro(pair, sizes)
        if whole is None:
            return layouts
        macro = whole
        layouts = {}
        for array in pair.shared:
            writes, reads = pair.writes(spec, array.name), pair.reads(spec, array.name)
            layouts[array.name] = lay_out_whole(array, writes, reads, whole.producer)
    assert isinstance(macro, MacroBlock)
    circle = _scanning(pair, macro)
    if circle:
        return circle
    wanted = _wanted_outside(pair)
    arrays = [port for port in pair.producer.outputs if port.name in wanted]
    once = (_written_once(spec, pair, macro.producer, layouts, array) for array in arrays)
    beside = bool(wanted) and (_lies_between(pair) or not all(once))
    try:
        return _fusion(spec, pair, macro, layouts, frozenset() if beside else wanted, beside, names)
    except UnservedError as error:
        return _unserved(pair, macro, error.unserved)


def _past_borders(spec: Spec, pair: Pair, sizes: Sequence[int]) -> Failure | None:
    """The failure of blocks that hold a part of an axis where a border acts on what the producer gives."""
    for array in pair.shared:
        for read in pair.reads(spec, array.name):
            tiler = read.link.tiler
            axes = acting_axes(Access(tiler, pair.consumer.repetition, read.pattern, array.shape))
            space = enumerate(zip(pair.consumer.repetition, sizes, strict=True))
            parted = [step for step, (extent, size) in space if extent != size]
            moving = [step for step in parted if any(tiler.paving[axis][step] for axis in axes)]
            if moving:
                message = (
                    f"'{pair.consumer.name}' reads beyond the ends of '{array.name}', of which a block holds a part "
                    "only: its border would fetch another repetition"
                )
                return Failure(message, frozenset(moving))
    return None


def _laid_out(spec: Spec, pair: Pair, macro: MacroBlock) -> dict[str, Layout] | Failure:
    layouts: dict[str, Layout] = {}
    for array in pair.shared:
        writes, reads = pair.writes(spec, array.name), pair.reads(spec, array.name)
        layout = lay_out(array, writes, reads, macro.producer, macro.consumer)
        if layout is None:
            return Failure(_no_layout(pair, array), _cut(macro.consumer))
        layouts[array.name] = layout
    return layouts


def _fusion(
    spec: Spec,
    pair: Pair,
    macro: MacroBlock,
    layouts: Mapping[str, Layout],
    given: frozenset[str],
    beside: bool,
    names: FreeNames,
) -> Fusion:
    kept = tuple(link for link in pair.producer.output_links if link.array in layouts or link.array in given)
    producer = replace(pair.producer, output_links=kept)
    local = {array.name: replace(array, shape=layouts[array.name].shape) for array in pair.shared}
    first = block_part(
        producer,
        spec.components[producer.callee],
        macro.producer,
        names.definition(f"{pair.calls[0].callee}_block"),
        names,
        Inside(local, {}, dict(_written(producer, layouts))),
    )
    reads = {
        use.link.port: tiler
        for name in layouts
        for use, tiler in zip(pair.reads(spec, name), layouts[name].reads, strict=True)
    }
    second = block_part(
        pair.consumer,
        spec.components[pair.consumer.callee],
        macro.consumer,
        names.definition(f"{pair.calls[1].callee}_block"),
        names,
        Inside(local, reads, {}),
    )
    first = replace(first, sinks=tuple(_exported(sink, layouts, given) for sink in first.sinks))
    arrays = tuple(port for port in pair.producer.outputs if port.name in given)
    return Fusion(macro, first, second, arrays, beside)


def _written(producer: RepetitiveTask, layouts: Mapping[str, Layout]) -> Iterator[tuple[int, Tiler]]:
    left = {name: iter(layout.writes) for name, layout in layouts.items()}
    for place, link in enumerate(producer.output_links):
        if link.array in left:
            yield place, next(left[link.array])


def _exported(sink: Sink, layouts: Mapping[str, Layout], given: frozenset[str]) -> Sink:
    """An inner array that others read too is written outside as a whole."""
    if sink.local is None or sink.local not in given:
        return sink
    return replace(sink, targets=(Reach(sink.local, layouts[sink.local].outer),))


def _wanted_outside(pair: Pair) -> frozenset[str]:
    """The producer's arrays that something but the consumer's links needs."""
    results = {port.name for port in pair.producer.outputs}
    others = [call for call in pair.compound.calls if call is not pair.calls[1]]
    read = {name for call in others for name in call.arguments} | {port.name for port in pair.compound.outputs}
    return frozenset(results & (read | pair.by_default | pair.parts.keys()))


def _lies_between(pair: Pair) -> bool:
    """Whether the consumer also waits for the producer through another call, or reads it as a delay's default."""
    downstream = set[str]()  # the arrays that depend on the producer through other calls
    for call in pair.compound.calls:
        if call is not pair.calls[1] and not {*pair.calls[0].results, *downstream}.isdisjoint(call.arguments):
            downstream |= set(call.results)
    return bool(pair.by_default) or not downstream.isdisjoint(pair.calls[1].arguments)


def _written_once(spec: Spec, pair: Pair, blocks: Blocks, layouts: Mapping[str, Layout], array: Port) -> bool:
    """Whether the blocks write every element of an array of the producer once."""
    if array.name in layouts:
        layout = layouts[array.name]
        accesses = [Access(layout.outer, blocks.outer, layout.shape, array.shape)]
    elif exits := [use.link.exit for use in pair.writes(spec, array.name) if use.link.exit is not None]:
        return all(keeps_exit(blocks, vector) for vector in exits)
    else:
        cuts = [split_tiler(use.link.tiler, use.pattern, blocks) for use in pair.writes(spec, array.name)]
        accesses = [Access(cut.outer, blocks.outer, cut.shape, array.shape) for cut in cuts]
    try:
        return not any(map(find_outside, accesses)) and not find_clash(accesses) and not find_hole(accesses)
    except TooHardError:
        return False  # undecided: the producer stays beside the block, which is always right


def _no_layout(pair: Pair, array: Port) -> str:
    return (
        f"a block's part of '{array.name}' is no array: what '{pair.producer.name}' writes and '{pair.consumer.name}' "
        "reads of it do not fill one"
    )


def _scanning(pair: Pair, macro: MacroBlock) -> Failure | None:
    """The failure of blocks that wait for each other because of the delays of both tasks."""
    own = [(pair.producer, macro.producer), (pair.consumer, macro.consumer)]
    vectors = [vector for task, blocks in own for vector in block_vectors(task, blocks)]
    circle = find_block_circle(macro.consumer.outer, vectors)
    if circle is None:
        return None
    told = "; ".join(text for task, blocks in own if (text := tell_circle(task, blocks, circle, named=True)))
    axes = frozenset(axis for vector in circle for axis, entry in enumerate(vector) if entry)
    reason = f"blocks would wait for each other: {told}"
    return Failure(reason, axes, scans=True)


def _unserved(pair: Pair, macro: MacroBlock, unserved: Unserved) -> Failure:
    vector = unserved.delay.vector
    reason = (
        f"repetition {list(unserved.repetition)} of '{pair.producer.name}' in block {list(unserved.block)} needs "
        f"{list(minus(unserved.repetition, vector))}, which no earlier block has done"
    )
    rows = [row for row, step in zip(macro.producer.paving, vector, strict=True) if step]
    moving = {column for row in rows for column, entry in enumerate(row) if entry}
    return Failure(reason, frozenset(moving) or _cut(macro.consumer), scans=True)


def producer_runs(macro: MacroBlock) -> tuple[int, int]:
    """How often the fused producer runs, and how often it ran; of an infinite dimension as far as blocks move."""
    blocks = macro.producer
    runs = prod(blocks.extents) * prod(count for count in blocks.outer if count is not None)
    endless = [place for place, count in enumerate(blocks.outer) if count is None]
    before = prod(
        extent or max([1, *(abs(row[place]) for place in endless)])
        for extent, row in zip(blocks.space, blocks.paving, strict=True)
    )
    return runs, before
