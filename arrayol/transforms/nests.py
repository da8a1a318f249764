"""Two repetitions, one around the other, as one: tilers multiplied, dimensions joined, state turned into delays again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from arrayol.ir.model import Component, ConstValue, Delay, Link, RepetitiveTask, Shape, TiledDefault, Tiler, port_named
from arrayol.polyhedral.accesses import Access, find_outside
from arrayol.source import Span
from arrayol.transforms.blocks import Blocks, added, times
from arrayol.transforms.columns import Vector, columns_of, rows_of
from arrayol.transforms.result import Affine
from arrayol.transforms.states import crossings_of


class NotOneNestError(Exception):
    """Why two repetitions are not one."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension of the joined space: of the outer repetition, the inner, or r = extent R + rho of both."""

    outer: int | None
    inner: int | None


@dataclass(frozen=True, slots=True)
class Joined:
    """Two repetitions as one, and what each dimension was."""

    task: RepetitiveTask
    dimensions: tuple[Dimension, ...]
    sizes: Vector
    rank: int  # of the outer space

    def levels(self) -> tuple[Affine, Affine]:
        """From a joined index to the outer and to the inner one."""
        found = []
        for rank, outside in ((self.rank, True), (len(self.sizes), False)):
            matrix = [[0] * len(self.dimensions) for _ in range(rank)]
            divisor, modulus = [1] * rank, [None] * rank if outside else list(self.sizes)
            for place, dimension in enumerate(self.dimensions):
                row = dimension.outer if outside else dimension.inner
                if row is not None:
                    matrix[row][place] = 1
                    if outside and dimension.inner is not None:
                        divisor[row] = self.sizes[dimension.inner]
            found.append(Affine((0,) * rank, tuple(map(tuple, matrix)), tuple(divisor), tuple(modulus)))
        return found[0], found[1]


@dataclass(frozen=True, slots=True)
class _Product:
    """Tilers of both levels multiplied: what a step of either moves, and a step in the pattern."""

    origin: Vector
    outer: tuple[Vector, ...]
    inner: tuple[Vector, ...]
    pattern: tuple[Vector, ...]
    wrap: bool


@dataclass(frozen=True, slots=True)
class _State:
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


def join(
    outer: RepetitiveTask, inner: RepetitiveTask, callee: Component, gathered: Gathered = MappingProxyType({})
) -> Joined:
    """One repetition that does what `outer` does by repeating `inner`, which repeats `callee`.

    `gathered` tells what the inner ports take that are put together from several blocks. Raises NotOneNestError where the tilers' product is no tiler, or the delays of both are not those of one space.
    """
    if None in inner.repetition:
        raise NotOneNestError(f"the inner repetition of '{inner.name}' is infinite")
    return _Nest(outer, inner, callee, gathered).joined()


@dataclass(frozen=True, slots=True)
class _Nest:
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

    def joined(self) -> Joined:
        inputs = [(link, *found) for link in self.inner.input_links for found in self._through_inputs(link)]
        outputs = [(link, *found) for link in self.inner.output_links for found in self._through_outputs(link)]
        states = {state.port: state for state in self._states()}
        local = [delay for delay in self.inner.delays if delay.port not in states]
        defaults = {one.port: self._through_default(one) for one in local if isinstance(one.default, TiledDefault)}
        products = [product for _, _, product in (*inputs, *outputs)] + [product for _, product in defaults.values()]
        spread = self._spread(products, local)
        delays = [self._local_delay(one, spread, defaults.get(one.port)) for one in local]
        delays += [self._delay(state, spread) for state in states.values()]
        places = {port.name: place for place, port in enumerate(self.callee.inputs)}
        task = replace(
            self.outer,
            repetition=spread.space,
            callee=self.inner.callee,
            input_links=tuple(_link(link, array, product, spread) for link, array, product in inputs),
            output_links=tuple(_link(link, array, product, spread) for link, array, product in outputs),
            delays=tuple(sorted(delays, key=lambda delay: places[delay.port])),
        )
        return Joined(task, spread.dimensions, self.sizes, len(self.outer.repetition))

    def _through_inputs(self, link: Link) -> Iterator[tuple[str, _Product]]:
        for around in self.outer.input_links:
            if around.port == link.array:
                yield (
                    around.array,
                    self._product(around, link.tiler, self._pattern(link.port, inputs=True), inputs=True),
                )

    def _through_outputs(self, link: Link) -> Iterator[tuple[str, _Product]]:
        for around in self.outer.output_links:
            if around.port == link.array:
                yield (
                    around.array,
                    self._product(around, link.tiler, self._pattern(link.port, inputs=False), inputs=False),
                )

    def _through_default(self, delay: Delay) -> tuple[str, _Product]:
        assert isinstance(delay.default, TiledDefault)
        found = delay.default
        around = next(link for link in self.outer.input_links if link.port == found.array)
        return around.array, self._product(
            around, found.tiler, self._pattern(delay.port, inputs=True), inputs=True, all_read=False
        )

    def _pattern(self, port: str, *, inputs: bool) -> Shape:
        return port_named(self.callee.inputs if inputs else self.callee.outputs, port).shape

    def _product(self, around: Link, tiler: Tiler, pattern: Shape, *, inputs: bool, all_read: bool = True) -> _Product:
        shape = port_named(self.inner.inputs if inputs else self.inner.outputs, around.port).shape
        array = port_named(self.outer.inputs if inputs else self.outer.outputs, around.array).shape
        self._require_unwrapped(around, tiler, pattern, shape, array, all_read=all_read)
        fitting = around.tiler.fitting
        return _Product(
            added(around.tiler.origin, times(fitting, tiler.origin)),
            columns_of(around.tiler.paving, len(self.outer.repetition)),
            tuple(times(fitting, column) for column in columns_of(tiler.paving, len(self.sizes))),
            tuple(times(fitting, column) for column in columns_of(tiler.fitting, len(pattern))),
            around.tiler.wrap,
        )

    def _require_unwrapped(
        self, around: Link, tiler: Tiler, pattern: Shape, shape: Shape, array: Shape, *, all_read: bool
    ) -> None:
        """That a wrap inside a block's pattern is none, or one of the whole array too."""
        if not tiler.wrap or (
            all_read and find_outside(Access(replace(tiler, wrap=False), self.inner.repetition, pattern, shape)) is None
        ):
            return
        columns = columns_of(around.tiler.fitting, len(shape))
        turns = all(
            entry * (extent or 0) % size == 0 if size is not None and around.tiler.wrap else not entry
            for column, extent in zip(columns, shape, strict=True)
            for entry, size in zip(column, array, strict=True)
        )
        if not turns:
            raise NotOneNestError(
                f"'{self.inner.name}' reads round the end of '{around.port}', which is a part of '{around.array}' only"
            )

    def _states(self) -> Iterator[_State]:
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
            self._require_placewise(tiler, array, len(self._pattern(port, inputs=True)))
            shift = [0] * len(self.sizes)
            for place, axis in enumerate(self.kept):
                shift[axis] = tiler.origin[place]
            yield _State(port, array, around, tuple(shift), tiler.span)

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
        paving = (
            tuple(tuple(int(axis == column) for column in range(rank)) for axis in self.kept) + ((0,) * rank,) * depth
        )
        fitting = tuple(tuple(int(row - steps == column) for column in range(depth)) for row in range(steps + depth))
        if tiler.paving != paving or tiler.fitting != fitting or any(tiler.origin[steps:]):
            raise NotOneNestError(f"'{self.inner.name}' uses the state '{state}' in another form than place by place")

    def _source(self, state: _State) -> str:
        """The callee's output whose state an outer delay carries."""
        link = next((link for link in self.inner.output_links if link.array == state.around.output), None)
        if link is None:
            raise NotOneNestError(f"'{state.around.output}' of '{self.inner.name}' is no state of its repetitions")
        self._require_placewise(link.tiler, link.array, len(self._pattern(link.port, inputs=False)))
        if any(link.tiler.origin):
            raise NotOneNestError(
                f"'{self.inner.name}' writes the state '{link.array}' in another form than place by place"
            )
        return link.port

    def _spread(self, products: Sequence[_Product], local: Sequence[Delay]) -> _Spread:
        """The joined space; delays that never act must not begin to act in it."""
        acting = [delay for delay in local if delay.acts]
        found = _Spread(self._dimensions(products, acting), self.sizes, self.outer.repetition)
        if any(not delay.acts and _acts(found.vector(delay.vector), found.space) for delay in local):
            return _Spread(self._dimensions(products, local), self.sizes, self.outer.repetition)
        return found

    def _dimensions(self, products: Sequence[_Product], local: Sequence[Delay]) -> tuple[Dimension, ...]:
        """Outer dimensions in their order, each joined with an inner one that it continues; then the inner ones left."""
        rank, free = len(self.outer.repetition), list(range(len(self.sizes)))
        same = rank == len(free) and all(self._continues(place, place, products, local) for place in range(rank))
        found: list[Dimension] = []
        for place in range(rank):
            options = [place] if same else [one for one in free if self._continues(place, one, products, local)]
            inner = min(options, key=lambda one: self.sizes[one] == 1, default=None)
            if inner is not None:
                free.remove(inner)
            found.append(Dimension(place, inner))
        return (*found, *(Dimension(None, one) for one in free if self.sizes[one] > 1))

    def _continues(self, place: int, inner: int, products: Sequence[_Product], local: Sequence[Delay]) -> bool:
        """Whether a step of the outer dimension is as many steps of the inner one as that has."""
        size, extent = self.sizes[inner], self.outer.repetition[place]
        if extent != 1 and any(delay.vector[inner] for delay in local):
            return False
        if size == 1 or extent == 1:
            return True
        return all(
            product.outer[place] == tuple(size * entry for entry in product.inner[inner]) for product in products
        )

    def _local_delay(self, delay: Delay, spread: _Spread, default: tuple[str, _Product] | None) -> Delay:
        """A delay that never leaves its block."""
        vector = spread.vector(delay.vector)
        if default is not None:
            assert isinstance(delay.default, TiledDefault)
            tiled = TiledDefault(default[0], spread.tiler(default[1], delay.default.tiler), delay.default.span)
            delay = replace(delay, default=tiled)
        return replace(delay, vector=vector, acts=_acts(vector, spread.space))

    def _delay(self, state: _State, spread: _Spread) -> Delay:
        """The one delay of which state between blocks and delay inside a block are the parts."""
        pieces = [one for one in self.gathered.get(state.array, ()) if not _fills(one, self.sizes)]
        if pieces:
            state = replace(state, shift=self._moved(pieces, state))
        shift, step = spread.vector(state.shift), state.around.vector
        vector = tuple(move - entry for move, entry in zip(times(spread.blocks.paving, step), shift, strict=True))
        default = state.around.default
        if isinstance(default, TiledDefault):
            default = self._default(default, spread, shift, vector, state)
        made = Delay(state.port, self._source(state), vector, default, True, state.span)
        inside = next((delay for delay in self.inner.delays if delay.port == state.port), None)
        agrees = inside is None or (inside.output == made.output and spread.vector(inside.vector) == vector)
        near = all(abs(entry) < extent for entry, extent in zip(vector, spread.blocks.extents, strict=True))
        served = self._is_served(made, spread, pieces, (step, shift))
        if not (agrees and served and near == (inside is not None)):
            message = f"what '{state.port}' takes of block R - {list(step)} does not go on what it takes inside a block"
            raise NotOneNestError(message)
        return made

    def _moved(self, pieces: Sequence[GatheredPiece], state: _State) -> Vector:
        """Where in its block the first gathered state is taken from."""
        first = next(one for one in pieces if one.source == state.around)
        moved = [0] * len(self.sizes)
        for place, axis in enumerate(self.kept):
            moved[axis] = first.moves[place]
        return tuple(moved)

    def _is_served(
        self, made: Delay, spread: _Spread, pieces: Sequence[GatheredPiece], only: tuple[Vector, Vector]
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

    def _same_defaults(self, made: Delay, spread: _Spread, pieces: Sequence[GatheredPiece]) -> bool:
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
                state = _State(made.port, "", made, (), made.span)
                single = self._default(found, spread, spread.vector(tuple(shift)), made.vector, state)
                if (
                    replace(single.tiler, wrap=made.default.tiler.wrap) != made.default.tiler
                    or single.array != made.default.array
                ):
                    return False
            elif found != made.default:
                return False
        return True

    def _default(
        self, found: TiledDefault, spread: _Spread, shift: Vector, vector: Vector, state: _State
    ) -> TiledDefault:
        """The default of one repetition, from that of a whole block."""
        rank, tiler = len(found.tiler.origin), found.tiler
        steps = columns_of(tiler.fitting, len(self.kept) + len(self._pattern(state.port, inputs=True)))
        around = columns_of(tiler.paving, len(self.outer.repetition))
        columns: list[Vector] = []
        for one in spread.dimensions:
            step = steps[self.kept.index(one.inner)] if one.inner in self.kept else around[one.outer or 0]
            far = tuple(entry * self.sizes[one.inner] for entry in step) if one.inner is not None else step
            if one.outer is not None and self.outer.repetition[one.outer] != 1 and around[one.outer] != far:
                raise NotOneNestError(f"the default of '{state.port}' moves otherwise between blocks than inside them")
            columns.append(step)
        paving = rows_of(columns, rank)
        fitting = rows_of(steps[len(self.kept) :], rank)
        one_by_one = Tiler(added(tiler.origin, times(paving, shift)), paving, fitting, False, tiler.span)
        array = port_named(self.outer.inputs, found.array).shape
        if tiler.wrap and self._needs_wrap(found, one_by_one, spread, vector, array, state):
            one_by_one = replace(one_by_one, wrap=True)
        return TiledDefault(found.array, one_by_one, found.span)

    def _needs_wrap(
        self, found: TiledDefault, one_by_one: Tiler, spread: _Spread, vector: Vector, array: Shape, state: _State
    ) -> bool:
        """Whether single defaults wrap, or only whole blocks of them, with places that nothing reads."""
        pattern = self._pattern(state.port, inputs=True)
        whole = (*(self.sizes[axis] for axis in self.kept), *pattern)
        unwrapped = replace(found.tiler, wrap=False)
        if find_outside(Access(unwrapped, self.outer.repetition, whole, array), state.around.vector) is None:
            return True  # the blocks do not leave the array either: it was written so
        return find_outside(Access(one_by_one, spread.space, pattern, array), vector) is not None


@dataclass(frozen=True, slots=True)
class _Spread:
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

    def tiler(self, product: _Product, like: Tiler) -> Tiler:
        rank = len(product.origin)
        columns = [self._step(product, one) for one in self.dimensions]
        return Tiler(product.origin, rows_of(columns, rank), rows_of(product.pattern, rank), product.wrap, like.span)

    def _step(self, product: _Product, one: Dimension) -> Vector:
        if one.inner is None or (one.outer is not None and self.sizes[one.inner] == 1):
            return product.outer[one.outer or 0]
        return product.inner[one.inner]


def _link(link: Link, array: str, product: _Product, spread: _Spread) -> Link:
    return Link(link.port, array, spread.tiler(product, link.tiler), link.span)


def _acts(vector: Vector, space: Shape) -> bool:
    return all(extent is None or abs(step) < extent for step, extent in zip(vector, space, strict=True))


def _fills(piece: GatheredPiece, sizes: Vector) -> bool:
    """Whether a piece only fills the array before others are gathered in it."""
    kept = [size for size in sizes if size > 1]
    whole = all(low == 0 and high == size for (low, high), size in zip(piece.bounds, kept, strict=False))
    return whole and not isinstance(piece.source, (Delay, Link))
