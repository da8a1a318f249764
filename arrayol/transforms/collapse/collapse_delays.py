"""State between blocks and delays inside them, as the one delay of which both are the parts.

The state that a block takes of block R - D, at place g + s, is that of the joined repetition b (R - D) + g + s: the one
delay is b D - s. It is taken for a delay only where cutting it in blocks again (`crossings_of`) gives just the
crossings and defaults that are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from arrayol.ir.borders import Border
from arrayol.ir.spec import (
    Component,
    ConstValue,
    Delay,
    Link,
    RepetitiveTask,
    Shape,
    TiledDefault,
    Tiler,
    identity,
    port_named,
    zeros,
)
from arrayol.polyhedral.accesses import Access, find_outside
from arrayol.source import Span
from arrayol.transforms.blocks.block import Blocks, Vector, added, columns_of, leaving_places, minus, rows_of, times
from arrayol.transforms.blocks.delays import crossings_of

# The indices of two levels of repetition as one: which dimensions continue each other, and tilers over the whole.


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension of the joined space: of the outer repetition, the inner, or r = extent R + rho of both."""

    outer: int | None
    inner: int | None


@dataclass(frozen=True, slots=True)
class Product:
    """Tilers of both levels multiplied: what a step of either moves, and a step in the pattern."""

    origin: Vector
    outer: tuple[Vector, ...]
    inner: tuple[Vector, ...]
    pattern: tuple[Vector, ...]
    wrap: bool
    border: Border | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """Both levels' indices as one."""

    dimensions: tuple[Dimension, ...]
    sizes: Vector
    outer: Shape

    @property
    def space(self) -> Shape:
        around = (1 if dimension.outer is None else self.outer[dimension.outer] for dimension in self.dimensions)
        return tuple(
            None if extent is None else extent * size for extent, size in zip(around, self._extents, strict=True)
        )

    @property
    def _extents(self) -> Vector:
        return tuple(1 if dimension.inner is None else self.sizes[dimension.inner] for dimension in self.dimensions)

    @property
    def blocks(self) -> Blocks:
        """The inner level as blocks of the joined space."""
        rank, extents = len(self.dimensions), self._extents
        paving = tuple(
            tuple(extent if dimension.outer == column else 0 for column in range(len(self.outer)))
            for dimension, extent in zip(self.dimensions, extents, strict=True)
        )
        return Blocks((0,) * rank, paving, (1,) * rank, extents, self.space, self.outer)

    def vector(self, inner: Vector) -> Vector:
        """An inner vector in the joined space."""
        return tuple(0 if dimension.inner is None else inner[dimension.inner] for dimension in self.dimensions)

    def outer_vector(self, outer: Vector) -> Vector:
        """An outer vector in the joined space."""
        pairs = zip(self.dimensions, self._extents, strict=True)
        return tuple(0 if dimension.outer is None else extent * outer[dimension.outer] for dimension, extent in pairs)

    def tiler(self, product: Product, like: Tiler) -> Tiler:
        rank = len(product.origin)
        columns = [self._step(product, dimension) for dimension in self.dimensions]
        paving, fitting = rows_of(columns, rank), rows_of(product.pattern, rank)
        return Tiler(product.origin, paving, fitting, product.wrap, like.span, product.border)

    def _step(self, product: Product, dimension: Dimension) -> Vector:
        if dimension.inner is None or (dimension.outer is not None and self.sizes[dimension.inner] == 1):
            return product.outer[dimension.outer or 0]
        return product.inner[dimension.inner]


class NotOneNestError(Exception):
    """Why two repetitions are not one."""


@dataclass(frozen=True, slots=True)
class StatePort:
    """A port of the callee that reads, through `port` of the inner level, place g + shift of an earlier block."""

    port: str
    array: str
    around: Delay
    shift: Vector
    span: Span
    low: Vector  # the first place that the state has, and how many it has
    extents: Vector

    @property
    def kept(self) -> list[int]:
        return kept_axes(self.extents)


@dataclass(frozen=True, slots=True)
class GatheredPiece:
    """A part of a gathered state: its bounds, where its elements come from (x + moves), and through what."""

    bounds: tuple[tuple[int, int], ...]
    moves: Vector
    source: Delay | Link | ConstValue


def kept_axes(extents: Vector) -> list[int]:
    """The inner dimensions that a state has: those of more than one place."""
    return [axis for axis, extent in enumerate(extents) if extent > 1]


Gathered = Mapping[str, tuple[GatheredPiece, ...]]


@dataclass(frozen=True, slots=True)
class LevelDelays:
    """The delays of two levels of repetition."""

    outer: RepetitiveTask
    inner: RepetitiveTask
    callee: Component
    gathered: Gathered

    @property
    def sizes(self) -> Vector:
        return tuple(extent or 0 for extent in self.inner.repetition)

    @property
    def kept(self) -> list[int]:
        """The inner dimensions that the state of a whole block has."""
        return kept_axes(self.sizes)

    def pattern(self, port: str, *, inputs: bool) -> Shape:
        """The shape of a port of what is repeated."""
        return port_named(self.callee.inputs if inputs else self.callee.outputs, port).shape

    def _reads(self) -> Iterator[tuple[str, str, Tiler]]:
        """The callee's ports that arrays of the inner level come to, by defaults of delays and by links."""
        for delay in self.inner.delays:
            if isinstance(delay.default, TiledDefault):
                yield delay.port, delay.default.array, delay.default.tiler
        yield from ((link.port, link.array, link.tiler) for link in self.inner.input_links)

    def states(self) -> Iterator[StatePort]:
        """The callee's ports that state of other blocks comes to."""
        for port, array, tiler in self._reads():
            around = self._outer_delay(array)
            if around is None:
                continue
            leaves = self._leaves(around)
            low, extents = leaving_places(leaves, self.sizes)
            self._require_placewise(tiler, array, extents, len(self.pattern(port, inputs=True)))
            if leaves is not None and array in self.gathered:
                raise NotOneNestError(f"what is gathered for '{port}' leaves its blocks by an exit")
            shift = added(self._whole(tiler.origin, kept_axes(extents)), low)
            for axis, step in enumerate(leaves or ()):
                if abs(step) == 1:  # one place leaves, for the one at the other end of the next block
                    shift = (*shift[:axis], step * (self.sizes[axis] - 1), *shift[axis + 1 :])
            yield StatePort(port, array, around, shift, tiler.span, low, extents)

    def require_all_fed(self, states: Mapping[str, StatePort]) -> None:
        """That what elementaries gather is state of other blocks."""
        for port, array, _ in self._reads():
            if array in self.gathered and port not in states:
                raise NotOneNestError(f"what is gathered for '{port}' is no state of other blocks")

    def _outer_delay(self, array: str) -> Delay | None:
        """The outer delay that brings a state; of a gathered one the first."""
        pieces = [piece.source for piece in self.gathered.get(array, ())]
        sources = (*pieces, *self.outer.delays)
        delays = (source for source in sources if isinstance(source, Delay) and (pieces or source.port == array))
        return next(delays, None)

    def _leaves(self, around: Delay) -> Vector | None:
        """The exit by which the state that an outer delay carries leaves its block."""
        exits = (link.exit for link in self.inner.output_links if link.array == around.output)
        vector = next(exits, None)
        if vector is None:
            return None
        short = all(abs(step) < size for step, size in zip(vector, self.sizes, strict=True))
        if not short or sum(map(bool, vector)) != 1:
            raise NotOneNestError(
                f"the state '{around.output}' leaves '{self.inner.name}' by an exit that is no delay inside it"
            )
        return vector

    def _whole(self, places: Sequence[int], kept: Sequence[int]) -> Vector:
        """A place of the inner repetition from its indices in a state, which has the kept dimensions only."""
        whole = [0] * len(self.sizes)
        for place, axis in zip(places, kept, strict=False):
            whole[axis] = place
        return tuple(whole)

    def _require_placewise(self, tiler: Tiler, state: str, extents: Vector, depth: int) -> None:
        """That a state is read or written place by place: one element or pattern for each place that it has."""
        kept, rank = kept_axes(extents), len(self.sizes)
        steps = len(kept)
        paving = tuple(identity(rank)[axis] for axis in kept) + zeros(depth, rank)
        fitting = zeros(steps, depth) + identity(depth)
        if tiler.paving != paving or tiler.fitting != fitting or any(tiler.origin[steps:]) or tiler.border:
            raise NotOneNestError(f"'{self.inner.name}' uses the state '{state}' in another form than place by place")

    def _source(self, state: StatePort) -> str:
        """The callee's output whose state an outer delay carries."""
        link = next((link for link in self.inner.output_links if link.array == state.around.output), None)
        if link is None:
            raise NotOneNestError(f"'{state.around.output}' of '{self.inner.name}' is no state of its repetitions")
        self._require_placewise(link.tiler, link.array, state.extents, len(self.pattern(link.port, inputs=False)))
        if link.tiler.origin[: len(state.kept)] != tuple(-state.low[axis] for axis in state.kept):
            raise NotOneNestError(
                f"'{self.inner.name}' writes the state '{link.array}' in another form than place by place"
            )
        return link.port

    def delay(self, state: StatePort, spread: Spread) -> Delay:
        """The one delay of which state between blocks and delay inside a block are the parts."""
        pieces = [piece for piece in self.gathered.get(state.array, ()) if not _fills(piece, self.sizes)]
        if pieces:  # where in its block the first gathered state is taken from
            first = next(piece for piece in pieces if piece.source == state.around)
            state = replace(state, shift=self._whole(first.moves, self.kept))
        shift, step = spread.vector(state.shift), state.around.vector
        vector = minus(times(spread.blocks.paving, step), shift)
        default = state.around.default
        if isinstance(default, TiledDefault):
            default = self._default(default, spread, minus(shift, spread.vector(state.low)), vector, state, step)
        delay = Delay(state.port, self._source(state), vector, default, True, state.span)
        inside = next((delay for delay in self.inner.delays if delay.port == state.port), None)
        agrees = inside is None or (inside.output == delay.output and spread.vector(inside.vector) == vector)
        near = all(abs(entry) < extent for entry, extent in zip(vector, spread.blocks.extents, strict=True))
        served = self._is_served(delay, spread, pieces, state, shift)
        if not (agrees and served and near == (inside is not None)):
            message = f"what '{state.port}' takes of block R - {list(step)} does not go on what it takes inside a block"
            raise NotOneNestError(message)
        return delay

    def _is_served(
        self, delay: Delay, spread: Spread, pieces: Sequence[GatheredPiece], state: StatePort, shift: Vector
    ) -> bool:
        """Whether the state that blocks hand on is just what the one delay asks for."""
        crossings = crossings_of(delay, spread.blocks) if any(delay.vector) else []
        if not isinstance(crossings, list):
            return False
        if not pieces:
            return {(crossing.vector, crossing.shift) for crossing in crossings} == {(state.around.vector, shift)}
        kept, depth = [place for place, axis in enumerate(spread.dimensions) if axis.inner in self.kept], len(self.kept)
        wanted = {
            (
                tuple((crossing.box.low[place], crossing.box.high[place]) for place in kept),
                tuple(crossing.moves[place] for place in kept),
                crossing.vector,
            )
            for crossing in crossings
        }
        given = {
            (
                piece.bounds[:depth],
                piece.moves[:depth],
                piece.source.vector if isinstance(piece.source, Delay) else None,
            )
            for piece in pieces
        }
        in_order = [spread.dimensions[place].inner for place in kept] == self.kept
        return in_order and wanted == given and all(self._has_default(piece, delay, spread, state) for piece in pieces)

    def _has_default(self, piece: GatheredPiece, delay: Delay, spread: Spread, state: StatePort) -> bool:
        """Whether a gathered piece has the delay's default."""
        source = piece.source
        default = source.default if isinstance(source, Delay) else source
        if isinstance(default, Link):
            if default.tiler.border is not None:
                return False  # a default has none
            default = TiledDefault(default.array, default.tiler, default.span)
        if not isinstance(default, TiledDefault) or not isinstance(delay.default, TiledDefault):
            return default == delay.default
        shift, step = (
            spread.vector(self._whole(piece.moves, self.kept)),
            source.vector if isinstance(source, Delay) else None,
        )
        single = self._default(default, spread, shift, delay.vector, state, step)
        wraps = delay.default.tiler.wrap
        return single.array == delay.default.array and replace(single.tiler, wrap=wraps) == delay.default.tiler

    def _default(
        self,
        default: TiledDefault,
        spread: Spread,
        shift: Vector,
        vector: Vector,
        state: StatePort,
        step: Vector | None,
    ) -> TiledDefault:
        """The default of one repetition, from that of a state; `shift` counts from the state's first place."""
        rank, tiler, pattern = len(default.tiler.origin), default.tiler, self.pattern(state.port, inputs=True)
        kept = state.kept
        steps = columns_of(tiler.fitting, len(kept) + len(pattern))
        around = columns_of(tiler.paving, len(self.outer.repetition))
        columns = [self._column(dimension, steps, around, state) for dimension in spread.dimensions]
        paving = rows_of(columns, rank)
        fitting = rows_of(steps[len(kept) :], rank)
        origin = added(tiler.origin, times(paving, shift))
        for place, (dimension, column) in enumerate(zip(spread.dimensions, columns, strict=True)):
            if dimension.inner in kept and not any(steps[kept.index(dimension.inner)]) and any(column):
                start = self._first_place(spread, vector, step, place) + shift[place]
                origin = added(origin, [-start * entry for entry in column])
        one_by_one = Tiler(origin, paving, fitting, False, tiler.span)
        array = port_named(self.outer.inputs, default.array).shape
        whole = (*(state.extents[axis] for axis in kept), *pattern)
        if tiler.wrap and self._needs_wrap(default, one_by_one, spread, (vector, step), (whole, pattern, array)):
            one_by_one = replace(one_by_one, wrap=True)
        return TiledDefault(default.array, one_by_one, default.span)

    def _column(
        self, dimension: Dimension, steps: Sequence[Vector], around: Sequence[Vector], state: StatePort
    ) -> Vector:
        """What one step of a joined dimension moves a default; a block's own places may stand still."""
        if dimension.inner not in self.kept:
            return around[dimension.outer or 0]
        still = (0,) * len(around[0])
        step = steps[state.kept.index(dimension.inner)] if dimension.inner in state.kept else still
        size = self.sizes[dimension.inner or 0]
        if dimension.outer is None or self.outer.repetition[dimension.outer] == 1:
            return step
        far = around[dimension.outer]
        if not any(step) and all(entry % size == 0 for entry in far):
            return tuple(entry // size for entry in far)
        if far != tuple(entry * size for entry in step):
            raise NotOneNestError(f"the default of '{state.port}' moves otherwise between blocks than inside them")
        return step

    def _first_place(self, spread: Spread, vector: Vector, step: Vector | None, place: int) -> int:
        """The first place along a dimension that takes what comes from a block."""
        crossings = crossings_of(Delay("", "", vector, 0, True, self.outer.span), spread.blocks)
        if not isinstance(crossings, list):
            crossings = []
        boxes = [crossing.box for crossing in crossings if crossing.vector == step]
        if not boxes:
            raise NotOneNestError("its state comes from other blocks than a delay's")
        return boxes[0].low[place]

    def _needs_wrap(
        self,
        default: TiledDefault,
        one_by_one: Tiler,
        spread: Spread,
        vectors: tuple[Vector, Vector | None],
        shapes: tuple[Shape, Shape, Shape],
    ) -> bool:
        """Whether single defaults wrap, or only whole blocks of them, with places that nothing reads."""
        unwrapped = replace(default.tiler, wrap=False)
        whole, pattern, array = shapes
        if find_outside(Access(unwrapped, self.outer.repetition, whole, array), vectors[1]) is None:
            return True  # the blocks do not leave the array either: it was written so
        return find_outside(Access(one_by_one, spread.space, pattern, array), vectors[0]) is not None


def _fills(piece: GatheredPiece, sizes: Vector) -> bool:
    """Whether a piece only fills the array before others are gathered in it."""
    kept = [size for size in sizes if size > 1]
    whole = all(low == 0 and high == size for (low, high), size in zip(piece.bounds, kept, strict=False))
    return whole and not isinstance(piece.source, (Delay, Link))
