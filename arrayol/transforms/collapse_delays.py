"""State between blocks and delays inside them, as the one delay of which both are the parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
from arrayol.transforms.block import Blocks, Vector, added, columns_of, rows_of, times
from arrayol.transforms.block_delays import crossings_of

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


@dataclass(frozen=True, slots=True)
class Spread:
    """Both levels' indices as one."""

    dimensions: tuple[Dimension, ...]
    sizes: Vector
    outer: Shape

    @property
    def space(self) -> Shape:
        found: list[int | None] = []
        for one in self.dimensions:
            around = 1 if one.outer is None else self.outer[one.outer]
            found.append(None if around is None else around * (1 if one.inner is None else self.sizes[one.inner]))
        return tuple(found)

    @property
    def blocks(self) -> Blocks:
        """The inner level as blocks of the joined space."""
        extents = tuple(1 if one.inner is None else self.sizes[one.inner] for one in self.dimensions)
        rank = len(self.dimensions)
        paving = tuple(
            tuple(extent if one.outer == column else 0 for column in range(len(self.outer)))
            for one, extent in zip(self.dimensions, extents, strict=True)
        )
        return Blocks((0,) * rank, paving, (1,) * rank, extents, self.space, self.outer)

    def vector(self, inner: Vector) -> Vector:
        """An inner vector in the joined space."""
        return tuple(0 if one.inner is None else inner[one.inner] for one in self.dimensions)

    def tiler(self, product: Product, like: Tiler) -> Tiler:
        rank = len(product.origin)
        columns = [self._step(product, one) for one in self.dimensions]
        return Tiler(product.origin, rows_of(columns, rank), rows_of(product.pattern, rank), product.wrap, like.span)

    def _step(self, product: Product, one: Dimension) -> Vector:
        if one.inner is None or (one.outer is not None and self.sizes[one.inner] == 1):
            return product.outer[one.outer or 0]
        return product.inner[one.inner]


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


@dataclass(frozen=True, slots=True)
class GatheredPiece:
    """A part of a gathered state: its bounds, where its elements come from (x + moves), and through what."""

    bounds: tuple[tuple[int, int], ...]
    moves: Vector
    source: Delay | Link | ConstValue


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
        """The inner dimensions that a block's state has: those of more than one place."""
        return [axis for axis, extent in enumerate(self.sizes) if extent > 1]

    def pattern(self, port: str, *, inputs: bool) -> Shape:
        """The shape of a port of what is repeated."""
        return port_named(self.callee.inputs if inputs else self.callee.outputs, port).shape

    def states(self) -> Iterator[StatePort]:
        """The callee's ports that state of other blocks comes to."""
        reads = [
            (one.port, one.default.array, one.default.tiler)
            for one in self.inner.delays
            if isinstance(one.default, TiledDefault)
        ]
        reads += [(link.port, link.array, link.tiler) for link in self.inner.input_links]
        for port, array, tiler in reads:
            around = self._around(array)
            if around is None:
                continue
            self._require_placewise(tiler, array, len(self.pattern(port, inputs=True)))
            shift = [0] * len(self.sizes)
            for place, axis in enumerate(self.kept):
                shift[axis] = tiler.origin[place]
            yield StatePort(port, array, around, tuple(shift), tiler.span)

    def require_all_fed(self, states: Mapping[str, StatePort]) -> None:
        """That what elementaries gather is state of other blocks."""
        reads = [(one.port, one.default.array) for one in self.inner.delays if isinstance(one.default, TiledDefault)]
        reads += [(link.port, link.array) for link in self.inner.input_links]
        for port, array in reads:
            if array in self.gathered and port not in states:
                raise NotOneNestError(f"what is gathered for '{port}' is no state of other blocks")

    def _around(self, array: str) -> Delay | None:
        """The outer delay that brings a state; of a gathered one the first."""
        pieces = [piece.source for piece in self.gathered.get(array, ())]
        return next(
            (one for one in (*pieces, *self.outer.delays) if isinstance(one, Delay) and (pieces or one.port == array)),
            None,
        )

    def _require_placewise(self, tiler: Tiler, state: str, depth: int) -> None:
        """That a state is read or written place by place: one element or pattern for each place of the block."""
        steps, rank = len(self.kept), len(self.sizes)
        paving = tuple(identity(rank)[axis] for axis in self.kept) + zeros(depth, rank)
        fitting = zeros(steps, depth) + identity(depth)
        if tiler.paving != paving or tiler.fitting != fitting or any(tiler.origin[steps:]):
            raise NotOneNestError(f"'{self.inner.name}' uses the state '{state}' in another form than place by place")

    def _source(self, state: StatePort) -> str:
        """The callee's output whose state an outer delay carries."""
        link = next((link for link in self.inner.output_links if link.array == state.around.output), None)
        if link is None:
            raise NotOneNestError(f"'{state.around.output}' of '{self.inner.name}' is no state of its repetitions")
        self._require_placewise(link.tiler, link.array, len(self.pattern(link.port, inputs=False)))
        if any(link.tiler.origin):
            raise NotOneNestError(
                f"'{self.inner.name}' writes the state '{link.array}' in another form than place by place"
            )
        return link.port

    def delay(self, state: StatePort, spread: Spread) -> Delay:
        """The one delay of which state between blocks and delay inside a block are the parts."""
        pieces = [one for one in self.gathered.get(state.array, ()) if not _fills(one, self.sizes)]
        if pieces:
            state = replace(state, shift=self._moved(pieces, state))
        shift, step = spread.vector(state.shift), state.around.vector
        vector = tuple(move - entry for move, entry in zip(times(spread.blocks.paving, step), shift, strict=True))
        default = state.around.default
        if isinstance(default, TiledDefault):
            default = self._default(default, spread, shift, vector, state.port, step)
        made = Delay(state.port, self._source(state), vector, default, True, state.span)
        inside = next((delay for delay in self.inner.delays if delay.port == state.port), None)
        agrees = inside is None or (inside.output == made.output and spread.vector(inside.vector) == vector)
        near = all(abs(entry) < extent for entry, extent in zip(vector, spread.blocks.extents, strict=True))
        served = self._is_served(made, spread, pieces, (step, shift))
        if not (agrees and served and near == (inside is not None)):
            message = f"what '{state.port}' takes of block R - {list(step)} does not go on what it takes inside a block"
            raise NotOneNestError(message)
        return made

    def _moved(self, pieces: Sequence[GatheredPiece], state: StatePort) -> Vector:
        """Where in its block the first gathered state is taken from."""
        first = next(one for one in pieces if one.source == state.around)
        moved = [0] * len(self.sizes)
        for place, axis in enumerate(self.kept):
            moved[axis] = first.moves[place]
        return tuple(moved)

    def _is_served(
        self, made: Delay, spread: Spread, pieces: Sequence[GatheredPiece], only: tuple[Vector, Vector]
    ) -> bool:
        """Whether the state that blocks hand on is just what the one delay asks for."""
        found = crossings_of(made, spread.blocks) if any(made.vector) else []
        if not isinstance(found, list):
            return False
        if not pieces:
            return {(one.vector, one.shift) for one in found} == {only}
        places = [place for place, one in enumerate(spread.dimensions) if one.inner in self.kept]
        wanted = {
            (
                tuple((one.box.low[place], one.box.high[place]) for place in places),
                tuple(one.shift[place] if one.vector is not None else 0 for place in places),
                one.vector,
            )
            for one in found
        }
        given = {
            (
                tuple(one.bounds[: len(self.kept)]),
                tuple(one.moves[: len(self.kept)]),
                one.source.vector if isinstance(one.source, Delay) else None,
            )
            for one in pieces
        }
        inorder = [one.inner for one in spread.dimensions if one.inner in self.kept] == self.kept
        return inorder and wanted == given and self._same_defaults(made, spread, pieces)

    def _same_defaults(self, made: Delay, spread: Spread, pieces: Sequence[GatheredPiece]) -> bool:
        """Whether every gathered piece has the delay's default."""
        for piece in pieces:
            found = piece.source.default if isinstance(piece.source, Delay) else piece.source
            if isinstance(found, Link):
                found = TiledDefault(found.array, found.tiler, found.span)
            if isinstance(found, TiledDefault) != isinstance(made.default, TiledDefault):
                return False
            if isinstance(found, TiledDefault) and isinstance(made.default, TiledDefault):
                shift = [0] * len(self.sizes)
                for place, axis in enumerate(self.kept):
                    shift[axis] = piece.moves[place]
                step = piece.source.vector if isinstance(piece.source, Delay) else None
                single = self._default(found, spread, spread.vector(tuple(shift)), made.vector, made.port, step)
                if (
                    replace(single.tiler, wrap=made.default.tiler.wrap) != made.default.tiler
                    or single.array != made.default.array
                ):
                    return False
            elif found != made.default:
                return False
        return True

    def _default(
        self, found: TiledDefault, spread: Spread, shift: Vector, vector: Vector, port: str, step: Vector | None
    ) -> TiledDefault:
        """The default of one repetition, from that of a whole block."""
        rank, tiler, pattern = len(found.tiler.origin), found.tiler, self.pattern(port, inputs=True)
        steps = columns_of(tiler.fitting, len(self.kept) + len(pattern))
        around = columns_of(tiler.paving, len(self.outer.repetition))
        columns = [self._column(one, steps, around, port) for one in spread.dimensions]
        paving = rows_of(columns, rank)
        fitting = rows_of(steps[len(self.kept) :], rank)
        origin = added(tiler.origin, times(paving, shift))
        for place, one in enumerate(spread.dimensions):
            if one.inner in self.kept and not any(steps[self.kept.index(one.inner)]) and any(columns[place]):
                start = self._first_place(spread, vector, step, place) + shift[place]
                origin = added(origin, [-start * entry for entry in columns[place]])
        one_by_one = Tiler(origin, paving, fitting, False, tiler.span)
        array = port_named(self.outer.inputs, found.array).shape
        whole = (*(self.sizes[axis] for axis in self.kept), *pattern)
        if tiler.wrap and self._needs_wrap(found, one_by_one, spread, (vector, step), (whole, pattern, array)):
            one_by_one = replace(one_by_one, wrap=True)
        return TiledDefault(found.array, one_by_one, found.span)

    def _column(self, one: Dimension, steps: Sequence[Vector], around: Sequence[Vector], port: str) -> Vector:
        """What one step of a joined dimension moves a default; a block's own places may stand still."""
        if one.inner not in self.kept:
            return around[one.outer or 0]
        step, size = steps[self.kept.index(one.inner)], self.sizes[one.inner or 0]
        if one.outer is None or self.outer.repetition[one.outer] == 1:
            return step
        far = around[one.outer]
        if not any(step) and all(entry % size == 0 for entry in far):
            return tuple(entry // size for entry in far)
        if far != tuple(entry * size for entry in step):
            raise NotOneNestError(f"the default of '{port}' moves otherwise between blocks than inside them")
        return step

    def _first_place(self, spread: Spread, vector: Vector, step: Vector | None, place: int) -> int:
        """The first place along a dimension that takes what comes from a block."""
        found = crossings_of(Delay("", "", vector, 0, True, self.outer.span), spread.blocks)
        boxes = [one.box for one in found if one.vector == step] if isinstance(found, list) else []
        if not boxes:
            raise NotOneNestError("its state comes from other blocks than a delay's")
        return boxes[0].low[place]

    def _needs_wrap(
        self,
        found: TiledDefault,
        one_by_one: Tiler,
        spread: Spread,
        vectors: tuple[Vector, Vector | None],
        shapes: tuple[Shape, Shape, Shape],
    ) -> bool:
        """Whether single defaults wrap, or only whole blocks of them, with places that nothing reads."""
        unwrapped = replace(found.tiler, wrap=False)
        whole, pattern, array = shapes
        if find_outside(Access(unwrapped, self.outer.repetition, whole, array), vectors[1]) is None:
            return True  # the blocks do not leave the array either: it was written so
        return find_outside(Access(one_by_one, spread.space, pattern, array), vectors[0]) is not None


def _fills(piece: GatheredPiece, sizes: Vector) -> bool:
    """Whether a piece only fills the array before others are gathered in it."""
    kept = [size for size in sizes if size > 1]
    whole = all(low == 0 and high == size for (low, high), size in zip(piece.bounds, kept, strict=False))
    return whole and not isinstance(piece.source, (Delay, Link))
