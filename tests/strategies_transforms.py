"""Specifications for transformations: one to four linked tasks with every feature that a step must carry through.

Each is valid by construction. The elements of a pattern have different weights in the bodies, so that a wrong element,
a lost instance or a dropped delay changes the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from arrayol.language.shapes import shown_shape

Extents = tuple[int | None, ...]
Matrix = list[list[int]]


@dataclass(frozen=True)
class Array:
    """An array of the top task; all have one element type."""

    name: str
    shape: Extents


@dataclass(frozen=True)
class LinkedSpec:
    """The text of a specification with the top task `top`, and the features that it has."""

    text: str
    features: frozenset[str]


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
    features: set[str] = field(default_factory=set)

    def chance(self, one_in: int, feature: str | None = None) -> bool:
        """True once in so many cases; the feature is then noted."""
        drawn = self.draw(st.integers(0, one_in - 1)) == one_in - 1
        if drawn and feature:
            self.features.add(feature)
        return drawn

    def pick(self, *choices: int) -> int:
        """One of several numbers."""
        return self.draw(st.sampled_from(choices))


@dataclass(frozen=True)
class Call:
    """A call in the top task."""

    results: tuple[Array, ...]
    callee: str
    arguments: tuple[Array, ...]

    def __str__(self) -> str:
        results = ", ".join(array.name for array in self.results)
        results = f"({results})" if len(self.results) > 1 else results
        return f"  {results} = {self.callee}({', '.join(array.name for array in self.arguments)})"


@st.composite
def linked_specs(draw: DrawFn) -> LinkedSpec:
    """One to four tasks over arrays of one to three dimensions: chains, forks and joins."""
    build = Builder(draw, draw(st.sampled_from(["i64", "f32", "f64", "u8"])), endless=False)
    build.endless = build.chance(8, "infinite dimension")
    tasks = build.pick(2, 2, 3, 1, 3, 3, 4)
    build.features.add(f"{tasks} task{'s' if tasks > 1 else ''}")
    _first_input(build)
    for number in range(tasks):
        _task(build, number)
    return LinkedSpec(_text(build), frozenset(build.features))


def _first_input(build: Builder) -> None:
    rank = build.pick(1, 2, 2, 2, 3)
    build.features.add(f"{rank} dimension{'s' if rank > 1 else ''}")
    extents: list[int | None] = [
        build.pick(*((4, 6, 8, 12) if rank == 1 else (2, 4, 6, 4, 3)[: 6 - rank])) for _ in range(rank)
    ]
    if build.endless:
        extents[0] = None
    build.inputs.append(Array("x", tuple(extents)))


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


def _task(build: Builder, number: int) -> None:
    """One task, its elementary and its call."""
    if number and build.chance(2) and _called_again(build):
        return
    main = _main_input(build)
    space = _space(build, main)
    name = f"t{number}"
    ports: list[tuple[str, Extents]] = []
    links: list[str] = []
    arrays = [main]
    for place in range(build.pick(1, 2, 2)):
        array = main if place == 0 else _second_input(build, main)
        pattern, tiler = _window(build, space, array)
        if array not in arrays:
            arrays.append(array)
        links.append(f"a{place} <- {array.name}_{number} at {tiler}")
        ports.append((f"a{place}", pattern))
    outputs: list[tuple[str, Extents]] = []
    written: list[Array] = []
    for place in range(2 if build.chance(7, "several outputs") else 1):
        pattern, tiler, shape = _blocks(build, space, plain=place > 0)
        array = Array(f"y{number}" if place == 0 else f"z{number}", shape)
        outputs.append((f"b{place}", pattern))
        written.append(array)
        links.append(f"b{place} -> {array.name}_{number} at {tiler}")
    delayed = _delays(build, space, main, number, outputs, links) if build.chance(2) else []
    body = _body(build, ports, outputs, delayed)
    _define(build, name, space, arrays, written, [ports, outputs, delayed], [links, body])
    if len({array.name for array in arrays} & {array.name for array in build.made}) > 1:
        build.features.add("join")
    build.calls.append(Call(tuple(written), name, tuple(arrays)))
    build.made += written


def _called_again(build: Builder) -> bool:
    """The last task once more, on its own result, where shapes allow that."""
    last = build.calls[-1]
    if len(last.arguments) != 1 or len(last.results) != 1 or last.arguments[0].shape != last.results[0].shape:
        return False
    result = Array(f"{last.results[0].name}_again", last.results[0].shape)
    build.calls.append(Call((result,), last.callee, last.results))
    build.made.append(result)
    build.features.add("called twice")
    return True


def _main_input(build: Builder) -> Array:
    """The last array, or an earlier one that is then read twice."""
    read = {array.name for call in build.calls for array in call.arguments}
    if build.made and build.chance(4):
        array = build.draw(st.sampled_from([*build.made, *build.inputs[:1]]))
    else:
        array = build.made[-1] if build.made else build.inputs[0]
    if array.name in read:
        build.features.add("fork")
    return array


def _second_input(build: Builder, main: Array) -> Array:
    """Another array with as many dimensions, a new one, a small table, or a scalar."""
    known = [one for one in build.made if one != main and len(one.shape) == len(main.shape)]
    if known and not build.chance(4):
        return build.draw(st.sampled_from(known))
    if build.chance(3, "scalar port"):
        shape: Extents = ()
    elif build.chance(2):
        shape = (build.pick(2, 3),)
        build.features.add("table")
    else:
        shape = tuple(extent or 3 for extent in main.shape)
    array = Array(f"x{len(build.inputs)}", shape)
    build.inputs.append(array)
    return array


def _space(build: Builder, main: Array) -> Space:
    rank = len(main.shape)
    counts: list[int | None] = []
    steps: list[int] = []
    for extent in main.shape:
        step = build.pick(1, 2, 1, 3) if extent is not None else build.pick(1, 1, 2)
        step = step if extent is None or extent % step == 0 else 1
        steps.append(step)
        count = None if extent is None else extent // step
        counts.append(count - 1 if count is not None and count > 2 and not build.chance(3) else count)
    column = tuple(build.draw(st.permutations(range(rank)))) if build.chance(3) else tuple(range(rank))
    return Space(tuple(counts), tuple(steps), column)


def _window(build: Builder, space: Space, array: Array) -> tuple[Extents, str]:
    """The pattern that a repetition reads, and its tiler: a block, an overlapping window, strided, skewed, reversed."""
    dimensions = len(space.counts)
    if len(array.shape) != dimensions:
        fitting = [[1]] if array.shape else []
        return array.shape, _tiler([0] * len(array.shape), [[0] * dimensions for _ in array.shape], fitting, wrap=False)
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
    wrap = _leaves(space, array, origin, paving, sizes, strides)
    build.features |= {"wrap"} if wrap else set()
    if any(abs(stride) > 1 and size > 1 for stride, size in zip(strides, sizes, strict=True)):
        build.features.add("strided")
    if any(size > abs(row[space.column[axis]]) for axis, (size, row) in enumerate(zip(sizes, paving, strict=True))):
        build.features.add("window")
    kept = [axis for axis, size in enumerate(sizes) if size > 1]
    fitting = [[strides[axis] if axis == other else 0 for other in kept] for axis in range(dimensions)]
    return tuple(sizes[axis] for axis in kept), _tiler(origin, paving, fitting, wrap=wrap)


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


def _leaves(
    space: Space, array: Array, origin: Sequence[int], paving: Matrix, sizes: Sequence[int], strides: Sequence[int]
) -> bool:
    """Whether the tiler leaves a finite axis, so that it has to wrap."""
    for axis, extent in enumerate(array.shape):
        if extent is not None:
            low, high = _reach(space, paving[axis], sizes[axis], strides[axis])
            if origin[axis] + low < 0 or origin[axis] + high >= extent:
                return True
    return False


def _reach(space: Space, row: Sequence[int], size: int, stride: int) -> tuple[int, int]:
    lengths = [*(count or 1 for count in space.shape), size]
    moves = [factor * (length - 1) for factor, length in zip([*row, stride], lengths, strict=True)]
    return sum(min(0, move) for move in moves), sum(max(0, move) for move in moves)


def _blocks(build: Builder, space: Space, *, plain: bool) -> tuple[Extents, str, Extents]:
    """The pattern that a repetition writes, its tiler, and the array that the blocks make whole."""
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
    return tuple(sizes[axis] for axis in kept), _tiler(origin, paving, fitting, wrap=wrap), shape


@dataclass(frozen=True)
class Delayed:
    """An input port that takes an output of an earlier instance."""

    port: str
    pattern: Extents
    output: str


def _delays(
    build: Builder, space: Space, main: Array, number: int, outputs: list[tuple[str, Extents]], links: list[str]
) -> list[Delayed]:
    """One delay or two, along a dimension or across; links are added, and a state output where one is needed."""
    long = [place for place, extent in enumerate(space.shape) if extent is None or extent > 1]
    if not long:
        return []
    build.features.add("delay")
    vectors = []
    for place in build.draw(st.permutations(long))[: build.pick(1, 1, 2)]:
        vector = [0] * len(space.shape)
        extent = space.shape[place]
        vector[place] = 1 if extent is None else build.pick(1, 1, -1, 2 if extent > 2 else 1)
        vectors.append(vector)
    across = [place for place in long if not vectors[0][place] and space.shape[place] is not None]
    if len(vectors) == 1 and across and build.chance(3, "delay across"):
        vectors[0][across[0]] = build.pick(1, -1)
    if min(map(min, vectors)) < 0:
        build.features.add("negative delay")
    pattern: Extents = ()
    if build.chance(3) and outputs[0][1]:
        source, pattern = outputs[0]
    else:
        source = "state"
        outputs.append((source, ()))
    delayed = []
    for place, vector in enumerate(vectors):
        default = str(build.pick(0, 1, 3))
        if not pattern and len(main.shape) == len(space.counts) and build.chance(3, "tiled default"):
            paving = [
                [step if space.column[axis] == other else 0 for other in range(len(space.counts))]
                for axis, step in enumerate(space.steps)
            ]
            default = f"{main.name}_{number} at {_tiler([0] * len(main.shape), paving, [], wrap=False)}"
        links.append(f"p{place} <- {source} delay {vector} else {default}")
        delayed.append(Delayed(f"p{place}", pattern, source))
    return delayed


def _body(
    build: Builder, ports: list[tuple[str, Extents]], outputs: list[tuple[str, Extents]], delayed: list[Delayed]
) -> list[str]:
    """Weighted sums of all that is read, in an order that floats can tell."""
    lines = []
    for place, (name, pattern) in enumerate(outputs):
        own = [f"j{axis}" for axis in range(len(pattern))]
        weight = " + ".join([str(place + 1), *(f"{name_} * {axis + 2}" for axis, name_ in enumerate(own))])
        lines.append(f"{_element(name, own)} = {weight}{_ranges(zip(own, pattern, strict=True))}")
        for port, window in ports:
            inner = [f"k{axis}" for axis in range(len(window))]
            factor = " + ".join(
                [str(build.pick(1, 2, 3)), *(f"{name_} * {axis + 1}" for axis, name_ in enumerate([*inner, *own]))]
            )
            spans = _ranges([*zip(own, pattern, strict=True), *zip(inner, window, strict=True)])
            lines.append(f"{_element(name, own)} += ({factor}) * {_element(port, inner)}{spans}")
        for item in delayed:
            at = own if item.pattern else []
            if not item.pattern or item.pattern == pattern:
                value = f"{build.pick(2, 3)} * {_element(item.port, at)}"
                lines.append(f"{_element(name, own)} += {value}{_ranges(zip(own, pattern, strict=True))}")
    return lines


def _element(name: str, indices: Sequence[str]) -> str:
    return f"{name}[{', '.join(indices)}]" if indices else name


def _ranges(pairs: Iterable[tuple[str, int | None]]) -> str:
    texts = [f"{name} in 0..{extent}" for name, extent in pairs]
    return f"  for {', '.join(texts)}" if texts else ""


def _tiler(origin: Sequence[int], paving: Matrix, fitting: Matrix, *, wrap: bool) -> str:
    matrices = ["; ".join(", ".join(map(str, row)) for row in matrix if row) for matrix in (paving, fitting)]
    return f"origin {list(origin)} paving [{matrices[0]}] fitting [{matrices[1]}]{' wrap' if wrap else ''}"


def _define(
    build: Builder,
    name: str,
    space: Space,
    arrays: list[Array],
    written: list[Array],
    ports: list[list],  # type: ignore[type-arg]
    lines: list[list[str]],
) -> None:
    reads, writes, delayed = ports
    reads = [*reads, *((item.port, item.pattern) for item in delayed)]
    heads = [
        ", ".join(f"{port}: {build.type}{shown_shape(pattern)}" for port, pattern in side) for side in (reads, writes)
    ]
    number = name[1:]
    sides = [
        ", ".join(f"{array.name}_{number}: {build.type}{shown_shape(array.shape)}" for array in side)
        for side in (arrays, written)
    ]
    body = "".join(f"  {line}\n" for line in lines[1])
    links = "".join(f"    {line}\n" for line in lines[0])
    build.definitions += [
        f"elementary e{number}({heads[0]}) -> ({heads[1]}) {{\n{body}}}\n",
        f"task {name}({sides[0]}) -> ({sides[1]}) {{\n"
        f"  repeat {shown_shape(space.shape)} of e{number} {{\n{links}  }}\n}}\n",
    ]


def _text(build: Builder) -> str:
    """All definitions; two calls after each other are put into a compound task of their own at times."""
    read = {array.name for call in build.calls for array in call.arguments}
    outputs = [array for array in build.made if array.name not in read]
    outputs += [array for array in build.made if array.name in read and build.chance(4)]
    calls = list(build.calls)
    if len(calls) > 1 and build.chance(5, "hierarchy"):
        first = build.draw(st.integers(0, len(calls) - 2))
        calls[first : first + 2] = [_grouped(build, calls[first : first + 2], outputs)]
    used = {array.name for call in calls for array in call.arguments}
    inputs = [array for array in build.inputs if array.name in used]
    return "\n".join([*build.definitions, _compound(build, "top", inputs, outputs, calls)])


def _grouped(build: Builder, calls: list[Call], outputs: list[Array]) -> Call:
    made = [array for call in calls for array in call.results]
    inputs = list(dict.fromkeys(array for call in calls for array in call.arguments if array not in made))
    later = {array.name for call in build.calls if call not in calls for array in call.arguments}
    kept = [array for array in made if array.name in later or array in outputs]
    build.definitions.append(_compound(build, "stage", inputs, kept, calls))
    return Call(tuple(kept), "stage", tuple(inputs))


def _compound(build: Builder, name: str, inputs: list[Array], outputs: list[Array], calls: list[Call]) -> str:
    sides = [
        ", ".join(f"{array.name}: {build.type}{shown_shape(array.shape)}" for array in side)
        for side in (inputs, outputs)
    ]
    return "".join([f"task {name}({sides[0]}) -> ({sides[1]}) {{\n", *(f"{call}\n" for call in calls), "}\n"])
