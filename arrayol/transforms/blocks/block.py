"""Blocks of a task: the repetitions that each does, what it touches of an array as a tiler, and where exits write.

Block R does the repetitions origin + paving R + stride g, 0 <= g < extents. What they touch of an array is a sum of
columns: a step inside the block, and one inside the pattern. Columns that step along one line are joined. A window of
14 lines at step 9, four times, is the columns (9, 4 times) and (1, 14 times). The second covers each gap of the first
without a hole, so both are one column: 1, 41 times. Window rho, line f is then line 9 rho + f of the union. It is
exact: n steps c and m steps k c reach every multiple of c between their ends if |k| <= n, and are joined only then.

With r = b R + g the repetition r + d leaves the space where block R + m leaves the space of the blocks and, for a
distance shorter than a block, place g + d leaves the block. Scaling d otherwise would let other repetitions write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arrayol.ir.exits import always_writes, exit_boxes, from_place
from arrayol.ir.spec import (
    ConstValue,
    Delay,
    Elementary,
    IntMatrix,
    Link,
    Port,
    RepetitiveTask,
    Shape,
    TiledDefault,
    Tiler,
    identity,
    zeros,
)
from arrayol.transforms.rewrite import FreeNames, nearest_sizes, refused, shown

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """An array of the old task, read or written by each block through a tiler; written only where its exit leaves."""

    array: str
    tiler: Tiler
    exit: Vector | None = None


@dataclass(frozen=True, slots=True)
class State:
    """What an output of the inner repetition was in block R - vector."""

    output: str
    vector: tuple[int, ...]
    default: ConstValue | TiledDefault


@dataclass(frozen=True, slots=True)
class BlockArray:
    """An array inside the block."""

    name: str


@dataclass(frozen=True, slots=True)
class GatheredSources:
    """What an elementary puts together from several sources."""

    elementary: Elementary
    feeds: tuple[Feed, ...]


@dataclass(frozen=True, slots=True)
class Feed:
    """An input port and where its data come from."""

    port: Port
    source: Reach | State | BlockArray | GatheredSources


@dataclass(frozen=True, slots=True)
class Sink:
    """An output port of the inner repetition, the arrays it is written to, and its name inside the block, if any."""

    port: Port
    targets: tuple[Reach, ...]
    local: str | None = None


@dataclass(slots=True)
class Ports:
    """The ports of an inner repetition while they are made."""

    names: FreeNames
    owner: str  # the task whose ports they are, for names
    feeds: list[Feed] = field(default_factory=list)
    sinks: list[Sink] = field(default_factory=list)

    def fresh(self, preferred: str, used: Iterable[str] = ()) -> str:
        """A name for a port beside those made, and `used` ones."""
        inner = [leaf for feed in self.feeds if isinstance(feed.source, GatheredSources) for leaf in feed.source.feeds]
        ports = [feed.port for feed in (*self.feeds, *inner)] + [sink.port for sink in self.sinks]
        return self.names.local(preferred, {*(port.name for port in ports), *used})


@dataclass(frozen=True, slots=True)
class BlockPart:
    """A task's share of a block."""

    inner: RepetitiveTask
    feeds: tuple[Feed, ...]
    sinks: tuple[Sink, ...]


@dataclass(frozen=True, slots=True)
class Inside:
    """How `block_part` treats arrays that stay inside the block: by the old task's array, the shape and tilers there.

    `reads` holds the inner tiler of each link (by its port), `writes` that of each output link (by its place).
    """

    arrays: Mapping[str, Port]
    reads: Mapping[str, Tiler]
    writes: Mapping[int, Tiler]


NOTHING_INSIDE = Inside({}, {}, {})

# The union of patterns.


@dataclass(frozen=True, slots=True)
class Union:
    """All sums of columns, as shift + columns z for 0 <= z < extents; the sum of x is that of z = offset + places x."""

    shift: Vector
    columns: tuple[Vector, ...]
    extents: Shape
    offset: Vector
    places: tuple[Vector, ...]  # one for each old column


@dataclass(slots=True)
class _Joined:
    """Columns being joined: each old column is a combination of those that are left."""

    columns: list[Vector]
    extents: list[int | None]
    shift: list[int]
    offset: list[int]
    places: list[list[int]]

    def join(self, kept: int, other: int, factor: int) -> None:
        """Column `other` is `factor` times column `kept`: leave it out."""
        length, far = self.extents[kept], self.extents[other]
        assert length is not None
        assert far is not None
        self.extents[kept] = length + abs(factor) * (far - 1)
        back = min(0, factor * (far - 1))
        self.shift = [entry + back * step for entry, step in zip(self.shift, self.columns[kept], strict=True)]
        self.offset[kept] += factor * self.offset[other] - back
        for place in self.places:
            place[kept] += factor * place[other]
        self.drop(other)

    def drop(self, column: int) -> None:
        for entries in (self.columns, self.extents, self.offset, *self.places):
            del entries[column]  # type: ignore[attr-defined]


def union_of(columns: Sequence[Vector], extents: Shape, rank: int) -> Union:
    """The union of {columns x : 0 <= x < extents}, a set of vectors of that rank, without a vector too many.

    Columns are joined where one is a multiple of another and leaves no gap; those that are left stand in the order of
    the array's axes. Where they still overlap, the union holds some vectors twice.
    """
    count = len(columns)
    joined = _Joined(list(columns), list(extents), [0] * rank, [0] * count, [list(row) for row in identity(count)])
    while (pair := _next_pair(joined)) is not None:
        joined.join(*pair)
    for column in reversed(range(len(joined.columns))):
        if not any(joined.columns[column]) and joined.extents[column] is not None:
            joined.drop(column)
    order = sorted(range(len(joined.columns)), key=lambda column: _leading_axis(joined.columns[column]))
    return Union(
        tuple(joined.shift),
        tuple(joined.columns[column] for column in order),
        tuple(joined.extents[column] for column in order),
        tuple(joined.offset[column] for column in order),
        tuple(tuple(place[column] for column in order) for place in joined.places),
    )


def _next_pair(joined: _Joined) -> tuple[int, int, int] | None:
    for kept, column in enumerate(joined.columns):
        for other, candidate in enumerate(joined.columns):
            factor = None if kept == other else _multiple(candidate, column)
            length, far = joined.extents[kept], joined.extents[other]
            if factor is None or length is None or far is None:
                continue
            if abs(factor) <= length or far == 1:
                return kept, other, factor
    return None


def _multiple(vector: Vector, unit: Vector) -> int | None:
    """The factor, not zero, by which `vector` is a multiple of `unit`."""
    axis = _leading_axis(unit)
    if axis == len(unit) or not any(vector) or vector[axis] % unit[axis]:
        return None
    factor = vector[axis] // unit[axis]
    return factor if all(entry == factor * step for entry, step in zip(vector, unit, strict=True)) else None


def _leading_axis(vector: Vector) -> int:
    return next((axis for axis, entry in enumerate(vector) if entry), len(vector))


# Blocks of repetitions.


@dataclass(frozen=True, slots=True)
class Blocks:
    """Block R holds the repetitions origin + paving R + stride g for 0 <= g < extents.

    They are repetitions of `space`; R runs over `outer`. In the dimensions of `wrapped` a block may leave the space and
    goes on at its other end.
    """

    origin: Vector
    paving: IntMatrix
    stride: Vector
    extents: Vector
    space: Shape
    outer: Shape
    wrapped: frozenset[int] = frozenset()

    @property
    def side_by_side(self) -> bool:
        """Whether every repetition of the space is in one block, and a block's are neighbours."""
        if self.paving != diagonal(self.extents) or any(self.origin) or set(self.stride) - {1}:
            return False
        sides = zip(self.space, self.outer, self.extents, strict=True)
        return all(extent == (None if count is None else count * size) for extent, count, size in sides)


def even_blocks(task: RepetitiveTask, sizes: Sequence[int]) -> Blocks:
    """Blocks of `sizes` that divide the repetition space: r = sizes R + rho."""
    rank, space = len(sizes), task.repetition
    outer = tuple(None if extent is None else extent // size for extent, size in zip(space, sizes, strict=True))
    return Blocks((0,) * rank, diagonal(sizes), (1,) * rank, tuple(sizes), space, outer)


@dataclass(frozen=True, slots=True)
class TilerSplit:
    """A tiler cut in two: `outer` places the block's pattern of shape `shape` in the array, `inner` reads in it."""

    outer: Tiler
    inner: Tiler
    shape: Shape


def split_tiler(tiler: Tiler, pattern: Shape, blocks: Blocks, *, moving: bool = False) -> TilerSplit:
    """The tiler of all that a block touches, and the one from there to each repetition's pattern.

    The block's pattern is the union of its repetitions' patterns where their columns join. With `moving` the inner
    tiler moves also where the block holds one repetition.
    """
    rank, steps = len(tiler.origin), len(blocks.extents)
    columns, extents = inner_columns(tiler, pattern, blocks)
    if not moving and all(extent == 1 for extent in blocks.extents):
        depth = len(pattern)  # a block of one repetition keeps the pattern as it is
        union = Union((0,) * rank, columns[steps:], pattern, (0,) * depth, zeros(steps, depth) + identity(depth))
    else:
        union = union_of(columns, extents, rank)
    depth = len(union.extents)
    paving, fitting = rows_of(union.places[:steps], depth), rows_of(union.places[steps:], depth)
    inner = Tiler(union.offset, paving, fitting, False, tiler.span)
    return TilerSplit(moved(tiler, blocks, union.shift, union.columns), inner, union.extents)


def inner_columns(tiler: Tiler, pattern: Shape, blocks: Blocks) -> tuple[tuple[Vector, ...], Shape]:
    """What a step inside the block and one inside the pattern move in the array, and how far they go."""
    steps = columns_of(tiler.paving, len(blocks.extents))
    scaled = tuple(tuple(entry * far for entry in step) for step, far in zip(steps, blocks.stride, strict=True))
    return (*scaled, *columns_of(tiler.fitting, len(pattern))), (*blocks.extents, *pattern)


def moved(tiler: Tiler, blocks: Blocks, shift: Vector, columns: Sequence[Vector]) -> Tiler:
    """The tiler of the blocks: its fitting are `columns`, its origin that of the first block, moved by `shift`.

    It wraps also where it moves along a dimension in which blocks leave the space and go on at its other end. A border
    stays, since it acts on coordinates of the array.
    """
    rank = len(tiler.origin)
    origin = added(tiler.origin, times(tiler.paving, blocks.origin), shift)
    steps = [times(tiler.paving, column) for column in columns_of(blocks.paving, len(blocks.outer))]
    wrap = tiler.wrap or any(row[axis] for row in tiler.paving for axis in blocks.wrapped)
    return Tiler(origin, rows_of(steps, rank), rows_of(columns, rank), wrap, tiler.span, tiler.border)


# Vectors and matrices of integers.


def rows_of(columns: Sequence[Vector], rank: int) -> IntMatrix:
    """A matrix, row by row, from its columns of that many entries."""
    return tuple(tuple(column[row] for column in columns) for row in range(rank))


def columns_of(matrix: IntMatrix, count: int) -> tuple[Vector, ...]:
    return tuple(tuple(row[column] for row in matrix) for column in range(count))


def diagonal(entries: Sequence[int]) -> IntMatrix:
    """The square matrix, row by row, with these entries on its diagonal."""
    return tuple(tuple(entry * one for one in row) for entry, row in zip(entries, identity(len(entries)), strict=True))


def times(matrix: IntMatrix, vector: Sequence[int]) -> Vector:
    return tuple(sum(factor * entry for factor, entry in zip(row, vector, strict=True)) for row in matrix)


def added(*vectors: Sequence[int]) -> Vector:
    return tuple(map(sum, zip(*vectors, strict=True)))


def minus(vector: Sequence[int], other: Sequence[int]) -> Vector:
    return tuple(entry - back for entry, back in zip(vector, other, strict=True))


@dataclass(frozen=True, slots=True)
class CutExit:
    """An output's share of a block: the exit among the blocks, the one among the places of each, and the tilers."""

    outer: Vector | None
    inner: Vector | None
    split: TilerSplit


def cut_exit(link: Link, pattern: Shape, blocks: Blocks) -> CutExit:
    """Raises ArrayolError (`step-refused`) where no exits of blocks and of places are that of the whole."""
    if link.exit is None:
        return CutExit(None, None, split_tiler(link.tiler, pattern, blocks))
    outer, inner = _distances(link, link.exit, blocks)
    among_blocks = None if always_writes(outer, blocks.outer) else outer
    if inner is None or always_writes(inner, blocks.extents):
        return CutExit(among_blocks, None, split_tiler(link.tiler, pattern, blocks))
    ((low, extents),) = exit_boxes(inner, blocks.extents)
    leaving = replace(blocks, origin=added(blocks.origin, low), extents=tuple(extent or 0 for extent in extents))
    # Where one place of several leaves, its tiler still tells how blocks and places go on: collapse joins them by it.
    moving = any(row[axis] for row in link.tiler.paving for axis, size in enumerate(blocks.extents) if size > 1)
    split = split_tiler(link.tiler, pattern, leaving, moving=moving)
    back = from_place(split.inner, tuple(-place for place in low))
    return CutExit(among_blocks, inner, replace(split, inner=back))


def _distances(link: Link, vector: Vector, blocks: Blocks) -> tuple[Vector, Vector | None]:
    """The exit among the blocks and that among the places, None where every place writes."""
    sizes = blocks.extents
    if not blocks.side_by_side:
        message = f"the exit {list(vector)} of '{link.port}' is not kept by blocks that do not stand side by side"
        raise refused(message, link.span, "tile the task first, with the exit's dimension whole")
    if _by_whole_blocks(vector, sizes):
        return tuple(abs(step) // size * _sign(step) for step, size in zip(vector, sizes, strict=True)), None
    if _by_places(vector, sizes):
        return tuple(map(_sign, vector)), vector
    several = sum(map(bool, vector)) > 1
    reason = "it goes along several dimensions" if several else "it is longer than a block and no multiple of it"
    message = (
        f"the exit {list(vector)} of '{link.port}' is not kept by blocks of {shown(sizes)}: {reason}, so other "
        "repetitions would write"
    )
    options = nearest_sizes(
        sizes, blocks.space, lambda other: _by_whole_blocks(vector, other) or _by_places(vector, other)
    )
    raise refused(message, link.span, f"the nearest sizes that keep it: {' or '.join(map(shown, options))}")


def keeps_exit(blocks: Blocks, vector: Vector) -> bool:
    """Whether some exits of blocks and of places let the same repetitions write as this one of the whole."""
    sizes = blocks.extents
    return blocks.side_by_side and (_by_whole_blocks(vector, sizes) or _by_places(vector, sizes))


def _by_whole_blocks(vector: Vector, sizes: Vector) -> bool:
    return all(step % size == 0 for step, size in zip(vector, sizes, strict=True))


def _by_places(vector: Vector, sizes: Vector) -> bool:
    moving = [axis for axis, step in enumerate(vector) if step]
    return len(moving) == 1 and abs(vector[moving[0]]) <= sizes[moving[0]]


def _sign(step: int) -> int:
    return (step > 0) - (step < 0)


# The state of a block, of which only the places that leave it are handed on.


def leaving_places(vector: Vector | None, extents: Vector) -> tuple[Vector, Vector]:
    """The places of a block that leave it by an exit along one dimension: the first, and how many; else all."""
    low, high = [0] * len(extents), list(extents)
    for axis, step in enumerate(vector or ()):
        if step:
            low[axis], high[axis] = (extents[axis] - step if step > 0 else 0), abs(step)
    return tuple(low), tuple(high)


def exits_of_states(delays: Sequence[Delay], blocks: Blocks) -> dict[str, Vector | None]:
    """By output the exit by which a block's state leaves it; None where all places hand on theirs.

    Only the last places of the chains have what the next block needs, where blocks stand side by side and one delay
    crosses them along one dimension, from each block to the next. Only then has the space of the blocks the dimensions
    of the repetitions; that of a fusion has those of the consumer.
    """
    exits: dict[str, Vector | None] = {}
    if not blocks.side_by_side:
        return exits
    for delay in delays:
        sides = zip(delay.vector, blocks.outer, strict=True)
        if not delay.acts or all(not step or extent == 1 for step, extent in sides):
            continue
        moving = [axis for axis, step in enumerate(delay.vector) if step]
        near = len(moving) == 1 and abs(delay.vector[moving[0]]) < blocks.extents[moving[0]]
        vector = delay.vector if near else None
        exits[delay.output] = vector if exits.get(delay.output, vector) == vector else None
    return exits
