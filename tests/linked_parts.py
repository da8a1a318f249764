"""Parts of generated specifications: arrays, repetition spaces, and the tilers between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

Extents = tuple[int | None, ...]
Matrix = list[list[int]]


@dataclass(frozen=True)
class Array:
    """An array of the top task, or a part of one: then `slices` of the `whole`. All have one element type."""

    name: str
    shape: Extents
    slices: str = ""
    whole: Array | None = None


@dataclass
class Builder:
    """What has been drawn so far."""

    draw: DrawFn
    type: str
    endless: bool
    inputs: list[Array] = field(default_factory=list)
    made: list[Array] = field(default_factory=list)
    definitions: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    tables: dict[str, str] = field(default_factory=dict)  # definitions of const arrays
    features: set[str] = field(default_factory=set)

    def chance(self, one_in: int, feature: str | None = None) -> bool:
        """True once in so many cases; the feature is then noted."""
        drawn = self.draw(st.integers(0, one_in - 1)) == one_in - 1
        if drawn and feature:
            self.features.add(feature)
        return drawn

    def table(self, shape: tuple[int, ...]) -> Array:
        """A new const array: a formula, or a table of few elements."""
        array = Array(f"K{len(self.tables)}", shape)
        names = [f"m{axis}" for axis in range(len(shape))]
        value = " + ".join(["1", *(f"{name} * {axis + 2}" for axis, name in enumerate(names))])
        if not shape:
            text = "3"
        elif prod(shape) > 6 or self.chance(2):
            ranges = ", ".join(f"{name} in 0..{extent}" for name, extent in zip(names, shape, strict=True))
            text = f"[{value} for {ranges}]"
        else:
            text = f"[{', '.join(str(self.pick(1, 2, 5)) for _ in range(prod(shape)))}]"
        self.tables[array.name] = f"const {array.name}: {self.type}{list(shape) or ''} = {text}\n"
        return array

    def draw_place(self, last: int) -> int:
        """A place from 0 to the last."""
        return self.draw(st.integers(0, last))

    def pick(self, *choices: int) -> int:
        """One of several numbers."""
        return self.draw(st.sampled_from(choices))


@dataclass(frozen=True)
class Call:
    """A call in the top task; `slices` of its arguments, and what is `written` of its only result."""

    results: tuple[Array, ...]
    callee: str
    arguments: tuple[Array, ...]
    slices: tuple[str, ...]
    written: str = ""

    def __str__(self) -> str:
        results = ", ".join(array.name + self.written for array in self.results)
        results = f"({results})" if len(self.results) > 1 else results
        arguments = (array.name + slices for array, slices in zip(self.arguments, self.slices, strict=True))
        return f"  {results} = {self.callee}({', '.join(arguments)})"


@dataclass(frozen=True)
class Space:
    """A repetition: its extents along the axes of the task's main array, and the column of each axis."""

    counts: Extents
    steps: tuple[int, ...]
    column: tuple[int, ...]

    @property
    def shape(self) -> Extents:
        """The extents in the order of the repetition's dimensions."""
        return tuple(self.counts[self.column.index(place)] for place in range(len(self.counts)))


def window(build: Builder, space: Space, array: Array) -> tuple[Extents, str]:
    """The pattern that a repetition reads, and its tiler: a block, an overlapping window, strided, skewed, reversed."""
    dimensions = len(space.counts)
    if len(array.shape) != dimensions:
        fitting = [[1]] if array.shape else []
        return array.shape, tiler_text(
            [0] * len(array.shape), [[0] * dimensions for _ in array.shape], fitting, wrap=False
        )
    origin, paving, sizes, strides = [], [], [], []
    for axis, extent in enumerate(array.shape):
        row = [0] * dimensions
        count, step = space.counts[axis], space.steps[axis]
        if extent is not None and count is not None:
            step = max(1, extent // count)
        size = build.pick(1, step, step, step + 1, step + 1, step + 2)
        row[space.column[axis]] = step if (extent is None) == (count is None) else 0
        start = build.pick(0, 0, -1, 2) if extent is not None else 0
        origin.append(start)
        paving.append(row)
        sizes.append(size)
        strides.append(2 if size > 1 and build.chance(4) else 1)
    if dimensions > 1 and build.chance(5):
        _skew(build, space, array.shape, paving)
    for axis, extent in enumerate(array.shape):
        if extent is not None and build.chance(5, "reversed"):
            origin[axis] = extent - 1 - origin[axis]
            paving[axis], strides[axis] = [-factor for factor in paving[axis]], -strides[axis]
    if not build.chance(5):
        origin, sizes = _fitted(space, array, origin, paving, sizes, strides)
    beyond = _beyond(space, array, origin, paving, sizes, strides)
    wrap, border = _ends(build, array, beyond) if beyond else (False, "")
    if any(abs(stride) > 1 and size > 1 for stride, size in zip(strides, sizes, strict=True)):
        build.features.add("strided")
    if any(size > abs(row[space.column[axis]]) for axis, (size, row) in enumerate(zip(sizes, paving, strict=True))):
        build.features.add("window")
    kept = [axis for axis, size in enumerate(sizes) if size > 1]
    fitting = [[strides[axis] if axis == other else 0 for other in kept] for axis in range(dimensions)]
    return tuple(sizes[axis] for axis in kept), tiler_text(origin, paving, fitting, wrap=wrap) + border


def _ends(build: Builder, array: Array, beyond: dict[int, int]) -> tuple[bool, str]:
    """A wrap, or a border that goes as far beyond the ends as the tiler does, by axis."""
    if build.chance(3, "wrap"):
        return True, ""
    build.features.add("border")
    least = min((array.shape[axis] or 0) - far for axis, far in beyond.items())
    modes = ["nearest", "0", "2", *["reflect"] * (least >= 0), *["mirror"] * (least >= 1)]
    return False, f" else {build.draw(st.sampled_from(modes))}"


def _skew(build: Builder, space: Space, shape: Extents, paving: Matrix) -> None:
    finite = [axis for axis, extent in enumerate(shape) if extent is not None and space.counts[axis] is not None]
    if len(finite) > 1:
        row, other = build.draw(st.permutations(finite))[:2]
        paving[row][space.column[other]] += build.pick(1, -1, 2)
        build.features.add("skew")


def _fitted(
    space: Space, array: Array, origin: list[int], paving: Matrix, sizes: Sequence[int], strides: Sequence[int]
) -> tuple[list[int], list[int]]:
    """An origin and pattern sizes with which the tiler stays inside, along each axis where there are any."""
    moved, smaller = list(origin), list(sizes)
    for axis, extent in enumerate(array.shape):
        reaches = [(size, *_reach(space, paving[axis], size, strides[axis])) for size in range(sizes[axis], 0, -1)]
        inside = [found for found in reaches if extent is not None and found[2] - found[1] < extent]
        if extent is not None and inside:
            smaller[axis], low, high = inside[0]
            moved[axis] = min(max(origin[axis], -low), extent - 1 - high)
    return moved, smaller


def _beyond(
    space: Space, array: Array, origin: Sequence[int], paving: Matrix, sizes: Sequence[int], strides: Sequence[int]
) -> dict[int, int]:
    """How far the tiler goes beyond the ends of those finite axes that it leaves."""
    beyond = {}
    for axis, extent in enumerate(array.shape):
        if extent is not None:
            low, high = _reach(space, paving[axis], sizes[axis], strides[axis])
            beyond[axis] = max(-(origin[axis] + low), origin[axis] + high - extent + 1)
    return {axis: far for axis, far in beyond.items() if far > 0}


def _reach(space: Space, row: Sequence[int], size: int, stride: int) -> tuple[int, int]:
    lengths = [*(count or 1 for count in space.shape), size]
    moves = [factor * (length - 1) for factor, length in zip([*row, stride], lengths, strict=True)]
    return sum(min(0, move) for move in moves), sum(max(0, move) for move in moves)


def exit_of(build: Builder, space: Space) -> list[int] | None:
    """Often none, else the distance along one dimension past whose end the last repetitions write."""
    long = [place for place, extent in enumerate(space.shape) if extent is not None and extent > 1]
    if not long or not build.chance(6, "exit"):
        return None
    place = build.pick(*long)
    extent = space.shape[place] or 1
    vector = [0] * len(space.shape)
    vector[place] = build.pick(1, 1, -1, 2 if extent > 2 else 1)
    return vector


def blocks(
    build: Builder, space: Space, *, plain: bool, leaves: Sequence[int] | None = None
) -> tuple[Extents, str, Extents]:
    """The pattern that a repetition writes, its tiler, and the array that the blocks make whole.

    With an exit, `leaves`, those blocks are of the repetitions that write.
    """
    if leaves:
        return _leaving_blocks(build, space, leaves, plain=plain)
    pattern, (origin, paving, fitting, wrap), shape = _whole_blocks(build, space, plain=plain)
    return pattern, tiler_text(origin, paving, fitting, wrap=wrap), shape


def _leaving_blocks(
    build: Builder, space: Space, leaves: Sequence[int], *, plain: bool
) -> tuple[Extents, str, Extents]:
    place = next(place for place, step in enumerate(leaves) if step)
    axis, step, extent = space.column.index(place), leaves[place], space.shape[place] or 1
    counts = tuple(abs(step) if other == axis else count for other, count in enumerate(space.counts))
    smaller = replace(space, counts=counts)
    pattern, (origin, paving, fitting, wrap), shape = _whole_blocks(build, smaller, plain=plain)
    low = extent - step if step > 0 else 0
    origin = [start - row[place] * low for start, row in zip(origin, paving, strict=True)]
    return pattern, tiler_text(origin, paving, fitting, wrap=wrap), shape


Parts = tuple[list[int], Matrix, Matrix, bool]  # origin, paving, fitting, and whether it wraps


def _whole_blocks(build: Builder, space: Space, *, plain: bool) -> tuple[Extents, Parts, Extents]:
    dimensions = len(space.counts)
    sizes = [1 if plain else build.pick(step, step, 1, 2) for step in space.steps]
    shape = tuple(None if count is None else count * size for count, size in zip(space.counts, sizes, strict=True))
    if prod(extent or 8 for extent in shape) > 150:
        sizes = [1] * dimensions
        shape = space.counts
    origin = [0] * dimensions
    paving = [
        [size if space.column[axis] == place else 0 for place in range(dimensions)] for axis, size in enumerate(sizes)
    ]
    signs = [1] * dimensions
    wrap = False
    finite = [axis for axis, extent in enumerate(shape) if extent is not None]
    if len(finite) > 1 and build.chance(8, "skew"):  # a shear of the torus: still each element once
        row, other = build.draw(st.permutations(finite))[:2]
        paving[row][space.column[other]] += build.pick(1, -1)
        wrap = True
        build.features.add("wrap")
    for axis in finite:
        if build.chance(7, "reversed"):
            origin[axis], signs[axis] = (shape[axis] or 1) - 1, -1
            paving[axis] = [-factor for factor in paving[axis]]
    kept = [axis for axis, size in enumerate(sizes) if size > 1]
    fitting = [[signs[axis] if axis == other else 0 for other in kept] for axis in range(dimensions)]
    return tuple(sizes[axis] for axis in kept), (origin, paving, fitting, wrap), shape


def link(build: Builder, ends: str, space: Space, pattern: Extents, array: Extents, tiler: str) -> str:
    """A link between its `ends`, `port <- array`; often without its tiler where that is the obvious one."""
    steps, inner = len(space.shape), len(pattern)
    obvious = None
    if array == pattern:
        obvious = tiler_text([0] * inner, [[0] * steps for _ in pattern], _identity(inner), wrap=False)
    elif array == (*space.shape, *pattern):
        paving = _identity(steps) + [[0] * steps for _ in pattern]
        fitting = [[0] * inner for _ in space.shape] + _identity(inner)
        obvious = tiler_text([0] * (steps + inner), paving, fitting, wrap=False)
    return ends if tiler == obvious and build.chance(2, "plain link") else f"{ends} at {tiler}"


def _identity(size: int) -> Matrix:
    return [[int(row == column) for column in range(size)] for row in range(size)]


def tiler_text(origin: Sequence[int], paving: Matrix, fitting: Matrix, *, wrap: bool) -> str:
    matrices = ["; ".join(", ".join(map(str, row)) for row in matrix if row) for matrix in (paving, fitting)]
    return f"origin {list(origin)} paving [{matrices[0]}] fitting [{matrices[1]}]{' wrap' if wrap else ''}"
