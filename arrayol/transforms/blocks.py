"""Blocks of repetitions: which repetitions of a task one repetition of the space around it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arrayol.ir.spec import IntMatrix, RepetitiveTask, Shape, Tiler
from arrayol.ir.tilers import identity
from arrayol.transforms.block import Union, Vector, columns_of, plain_union, rows_of, union_of


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
    def single(self) -> bool:
        """Whether a block is one repetition."""
        return all(extent == 1 for extent in self.extents)


def even_blocks(task: RepetitiveTask, sizes: Sequence[int]) -> Blocks:
    """Blocks of `sizes` that divide the repetition space: r = sizes R + rho."""
    rank = len(sizes)
    paving = tuple(tuple(size if row == column else 0 for column in range(rank)) for row, size in enumerate(sizes))
    outer = tuple(
        None if extent is None else extent // size for extent, size in zip(task.repetition, sizes, strict=True)
    )
    return Blocks((0,) * rank, paving, (1,) * rank, tuple(sizes), task.repetition, outer)


@dataclass(frozen=True, slots=True)
class Split:
    """A tiler cut in two: `outer` places the block's pattern of shape `shape` in the array, `inner` reads in it."""

    outer: Tiler
    inner: Tiler
    shape: Shape


def split_tiler(tiler: Tiler, pattern: Shape, blocks: Blocks, *, whole: bool = False) -> Split:
    """The tiler of all that a block touches, and the one from there to each repetition's pattern.

    The block's pattern is the union of its repetitions' patterns where their columns join; with `whole` it keeps one
    dimension for every dimension of block and pattern.
    """
    rank = len(tiler.origin)
    columns, extents = inner_columns(tiler, pattern, blocks)
    union = (
        plain_union(columns, extents, rank, len(blocks.extents)) if blocks.single else union_of(columns, extents, rank)
    )
    if whole:
        union = _identity(columns, extents, rank)
    return Split(
        moved(tiler, blocks, union.shift, union.columns, tiler.wrap or goes_round(tiler, blocks)),
        inner_tiler(union, len(blocks.extents), tiler),
        union.extents,
    )


def goes_round(tiler: Tiler, blocks: Blocks) -> bool:
    """Whether a tiler moves along a dimension in which blocks leave the space and go on at its other end."""
    return any(row[axis] for row in tiler.paving for axis in blocks.wrapped)


def inner_columns(tiler: Tiler, pattern: Shape, blocks: Blocks) -> tuple[tuple[Vector, ...], Shape]:
    """What a step inside the block and one inside the pattern move in the array, and how far they go."""
    steps = columns_of(tiler.paving, len(blocks.extents))
    scaled = tuple(tuple(entry * far for entry in step) for step, far in zip(steps, blocks.stride, strict=True))
    return (*scaled, *columns_of(tiler.fitting, len(pattern))), (*blocks.extents, *pattern)


def moved(tiler: Tiler, blocks: Blocks, shift: Vector, columns: Sequence[Vector], wrap: bool) -> Tiler:
    """The tiler of the blocks: its fitting are `columns`, its origin that of the first block, moved by `shift`."""
    rank = len(tiler.origin)
    origin = added(tiler.origin, times(tiler.paving, blocks.origin), shift)
    paving = tuple(
        tuple(
            sum(factor * blocks.paving[axis][column] for axis, factor in enumerate(row))
            for column in range(len(blocks.outer))
        )
        for row in tiler.paving
    )
    return Tiler(origin, paving, rows_of(columns, rank), wrap, tiler.span)


def inner_tiler(union: Union, steps: int, tiler: Tiler, *, wrap: bool = False) -> Tiler:
    """Where the patterns of a block lie in their union."""
    rank = len(union.extents)
    return Tiler(
        union.offset, rows_of(union.places[:steps], rank), rows_of(union.places[steps:], rank), wrap, tiler.span
    )


def times(matrix: IntMatrix, vector: Sequence[int]) -> Vector:
    return tuple(sum(factor * entry for factor, entry in zip(row, vector, strict=True)) for row in matrix)


def added(*vectors: Sequence[int]) -> Vector:
    return tuple(map(sum, zip(*vectors, strict=True)))


def _identity(columns: Sequence[Vector], extents: Shape, rank: int) -> Union:
    count = len(columns)
    return Union((0,) * rank, tuple(columns), extents, (0,) * count, identity(count))
