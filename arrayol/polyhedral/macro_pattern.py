"""Which repetitions of a producer write what a block of its consumer reads: exactly, then as ranges with a stride."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl

from arrayol.ir.spec import IntMatrix, Shape, Tiler
from arrayol.polyhedral.accesses import Vector, combination
from arrayol.polyhedral.isl import TooHardError, bounded_effort, box_conditions, coordinates


@dataclass(frozen=True, slots=True)
class Written:
    """How a repetition q writes an array: its tiler, and the shape of its pattern."""

    tiler: Tiler
    pattern: Shape


@dataclass(frozen=True, slots=True)
class BlockRead:
    """What a block of extents `block` reads of an array, starting at repetition 0: tiler and pattern."""

    tiler: Tiler
    pattern: Shape
    block: Vector


@dataclass(frozen=True, slots=True)
class Progression:
    """low, low + stride, ...: `count` of them."""

    low: int
    stride: int
    count: int

    @property
    def last(self) -> int:
        return self.low + self.stride * (self.count - 1)


def needed_repetitions(
    pairs: Sequence[tuple[Written, BlockRead]], bounds: Sequence[tuple[int, int | None]]
) -> tuple[Progression, ...] | None:
    """For each dimension of the producer the smallest progression that holds all that the first block needs.

    Elements are taken as they stand, not modulo the array; `bounds` are the repetitions looked at, from below and
    above (None: no end). None where nothing is needed, or where it is beyond isl's bounded effort.
    """
    names = [f"q{axis}" for axis in range(len(bounds))]
    space = f"[{', '.join(names)}]"
    needed = isl.Set(f"{{ {space} : false }}")
    for written, read in pairs:
        needed = needed.union(isl.Set(f"{{ {space} : {_writes_what_is_read(written, read, names, bounds)} }}"))
    try:
        with bounded_effort(100_000):
            if needed.is_empty():
                return None
            return tuple(_progression(needed, axis) for axis in range(len(names)))
    except TooHardError:
        return None


def _writes_what_is_read(
    written: Written, read: BlockRead, names: Sequence[str], bounds: Sequence[tuple[int, int | None]]
) -> str:
    steps = [f"r{axis}" for axis in range(len(read.block))]
    reads = [f"f{axis}" for axis in range(len(read.pattern))]
    writes = [f"g{axis}" for axis in range(len(written.pattern))]
    conditions = [
        *box_conditions(steps, read.block),
        *box_conditions(reads, read.pattern),
        *box_conditions(writes, written.pattern),
    ]
    for name, (low, high) in zip(names, bounds, strict=True):
        conditions += [f"{low} <= {name}", *([] if high is None else [f"{name} < {high}"])]
    for axis in range(len(written.tiler.origin)):
        element = _element(written.tiler, axis, names, writes)
        conditions.append(f"{element} = {_element(read.tiler, axis, steps, reads)}")
    inner = [*steps, *reads, *writes]
    around = f"exists {', '.join(inner)} : " if inner else ""
    return f"{around}{' and '.join(conditions)}"


def _element(tiler: Tiler, axis: int, steps: Sequence[str], pattern: Sequence[str]) -> str:
    moved = combination(tiler.paving[axis], steps)
    return f"{tiler.origin[axis]} + {moved} + {combination(tiler.fitting[axis], pattern)}"


def _progression(needed: isl.Set, axis: int) -> Progression:
    rank = needed.dim(isl.dim_type.set)
    alone = needed.project_out(isl.dim_type.set, axis + 1, rank - axis - 1).project_out(isl.dim_type.set, 0, axis)
    low, high = (int(value.to_python()) for value in (alone.dim_min_val(0), alone.dim_max_val(0)))
    # Asked of all dimensions at once, isl gives a stride relative to the others.
    stride = max(1, int(alone.get_stride(0).to_python())) if high > low else 1
    return Progression(low, stride, (high - low) // stride + 1)


def fitting_offset(
    columns: IntMatrix,
    target: Sequence[int],
    spans: Sequence[tuple[int, int | None]],
    extents: Shape,
    periods: Shape,
) -> Vector | None:
    """An offset z with columns z = target, modulo `periods` where not None, whose span lies inside the extents.

    `spans` tells how far indices reach below and above the offset; None has no end, and needs an extent without one.
    """
    names, quotients = [f"z{place}" for place in range(len(spans))], [f"w{row}" for row in range(len(periods))]
    conditions = [
        f"{combination(row, names)} = {wanted} + {0 if period is None else f'{period} * w{axis}'}"
        for axis, (row, wanted, period) in enumerate(zip(columns, target, periods, strict=True))
    ]
    for name, (low, high), extent in zip(names, spans, extents, strict=True):
        conditions.append(f"{name} + {low} >= 0")
        if extent is not None:
            if high is None:
                return None
            conditions.append(f"{name} + {high} < {extent}")
    around = f"exists {', '.join(quotients)} : " if quotients else ""
    offsets = isl.Set(f"{{ [{', '.join(names)}] : {around}{' and '.join(conditions) or 'true'} }}").lexmin()
    return None if offsets.is_empty() else coordinates(offsets.sample_point())
