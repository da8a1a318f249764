"""Two repetitions, one around the other, as one: tilers multiplied, dimensions joined, state made delays again.

The pattern of the outer level is the array of the inner one, so that element f of inner repetition rho of outer
repetition R is origin' + paving' R + fitting' (origin + paving rho + fitting f): a tiler over the indices R and rho. An
inner dimension becomes one with an outer one where a step of that is as many steps of the inner one as it has; others
stand side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from arrayol.ir.affine import Affine, affine
from arrayol.ir.borders import Border
from arrayol.ir.exits import always_writes
from arrayol.ir.expressions import Assign, Constant, Expr, Read
from arrayol.ir.spec import (
    Call,
    Component,
    CompoundTask,
    Delay,
    Elementary,
    Link,
    RepetitiveTask,
    Shape,
    Spec,
    TiledDefault,
    Tiler,
    port_named,
)
from arrayol.polyhedral.accesses import Access, acting_axes, find_outside
from arrayol.transforms.blocks.block import Vector, added, columns_of, times
from arrayol.transforms.collapse.collapse_delays import (
    Dimension,
    Gathered,
    GatheredPiece,
    LevelDelays,
    NotOneNestError,
    Product,
    Spread,
)
from arrayol.transforms.trace import MatrixMap


@dataclass(frozen=True, slots=True)
class Joined:
    """Two repetitions as one, and what each dimension was."""

    task: RepetitiveTask
    dimensions: tuple[Dimension, ...]
    sizes: Vector
    rank: int  # of the outer space

    def levels(self) -> tuple[MatrixMap, MatrixMap]:
        """From a joined index to the outer and to the inner one."""
        levels = []
        for rank, outside in ((self.rank, True), (len(self.sizes), False)):
            matrix = [[0] * len(self.dimensions) for _ in range(rank)]
            divisor, modulus = [1] * rank, [None] * rank if outside else list(self.sizes)
            for place, dimension in enumerate(self.dimensions):
                row = dimension.outer if outside else dimension.inner
                if row is not None:
                    matrix[row][place] = 1
                    if outside and dimension.inner is not None:
                        divisor[row] = self.sizes[dimension.inner]
            levels.append(MatrixMap((0,) * rank, tuple(map(tuple, matrix)), tuple(divisor), tuple(modulus)))
        return levels[0], levels[1]


def join(
    outer: RepetitiveTask, inner: RepetitiveTask, callee: Component, gathered: Gathered = MappingProxyType({})
) -> Joined:
    """One repetition that does what `outer` does by repeating `inner`, which repeats `callee`.

    `gathered` tells what the inner ports take that are put together from several blocks. Raises NotOneNestError where
    the tilers' product is no tiler, or the delays of both levels are not those of one space.
    """
    if None in inner.repetition:
        raise NotOneNestError(f"the inner repetition of '{inner.name}' is infinite")
    return _Nest(outer, inner, callee, LevelDelays(outer, inner, callee, gathered)).joined()


@dataclass(frozen=True, slots=True)
class _Nest:
    outer: RepetitiveTask
    inner: RepetitiveTask
    callee: Component
    states: LevelDelays

    @property
    def sizes(self) -> Vector:
        return tuple(extent or 0 for extent in self.inner.repetition)

    def joined(self) -> Joined:
        inputs = [
            (link, around, product)
            for link in self.inner.input_links
            for around, product in self._through(link, inputs=True)
        ]
        outputs = [
            (link, around, product)
            for link in self.inner.output_links
            for around, product in self._through(link, inputs=False)
        ]
        states = {state.port: state for state in self.states.states()}
        self.states.require_all_fed(states)
        local = [delay for delay in self.inner.delays if delay.port not in states]
        tiled = [delay for delay in local if isinstance(delay.default, TiledDefault)]
        defaults = {delay.port: self._through_default(delay) for delay in tiled}
        products = [product for _, _, product in (*inputs, *outputs)] + [product for _, product in defaults.values()]
        spread = self._spread(products, local)
        delays = [self._local_delay(delay, spread, defaults.get(delay.port)) for delay in local]
        delays += [self.states.delay(state, spread) for state in states.values()]
        places = {port.name: place for place, port in enumerate(self.callee.inputs)}
        task = replace(
            self.outer,
            repetition=spread.space,
            callee=self.inner.callee,
            input_links=tuple(_link(link, around, product, spread) for link, around, product in inputs),
            output_links=tuple(_link(link, around, product, spread) for link, around, product in outputs),
            delays=tuple(sorted(delays, key=lambda delay: places[delay.port])),
        )
        return Joined(task, spread.dimensions, self.sizes, len(self.outer.repetition))

    def _through(self, link: Link, *, inputs: bool) -> Iterator[tuple[Link, Product]]:
        pattern = self.states.pattern(link.port, inputs=inputs)
        for around in self.outer.input_links if inputs else self.outer.output_links:
            if around.port == link.array:
                yield around, self._product(around, link.tiler, pattern, inputs=inputs)

    def _through_default(self, delay: Delay) -> tuple[str, Product]:
        assert isinstance(delay.default, TiledDefault)
        array, tiler = delay.default.array, delay.default.tiler
        around = next(link for link in self.outer.input_links if link.port == array)
        if around.tiler.border is not None:
            raise NotOneNestError(
                f"the default of '{delay.port}' would be read through the border of '{around.array}', "
                "and defaults have none"
            )
        pattern = self.states.pattern(delay.port, inputs=True)
        return around.array, self._product(around, tiler, pattern, inputs=True, all_read=False)

    def _product(self, around: Link, tiler: Tiler, pattern: Shape, *, inputs: bool, all_read: bool = True) -> Product:
        shape = port_named(self.inner.inputs if inputs else self.inner.outputs, around.port).shape
        array = port_named(self.outer.inputs if inputs else self.outer.outputs, around.array).shape
        self._require_unwrapped(around, tiler, pattern, shape, array, all_read=all_read)
        fitting = around.tiler.fitting
        return Product(
            added(around.tiler.origin, times(fitting, tiler.origin)),
            columns_of(around.tiler.paving, len(self.outer.repetition)),
            tuple(times(fitting, column) for column in columns_of(tiler.paving, len(self.sizes))),
            tuple(times(fitting, column) for column in columns_of(tiler.fitting, len(pattern))),
            around.tiler.wrap,
            self._border(around, Access(tiler, self.inner.repetition, pattern, shape), array),
        )

    def _border(self, around: Link, inside: Access, array: Shape) -> Border | None:
        """The border of a product: the outer link's, or an inner one that acts on whole axes of the outer array too."""
        acting, outer, inner = acting_axes(inside), around.tiler.border, inside.tiler.border
        for axis in acting:
            if not self._is_whole_axis(around.tiler, axis, inside.array, array):
                raise NotOneNestError(
                    f"'{self.inner.name}' reads beyond the ends of '{around.port}', which is a part of "
                    f"'{around.array}' only"
                )
        if acting and (around.tiler.wrap or outer not in (None, inner)):
            raise NotOneNestError(
                f"'{around.array}' goes on beyond its ends otherwise than '{around.port}' of '{self.inner.name}' does"
            )
        return inner if acting else outer

    def _is_whole_axis(self, tiler: Tiler, axis: int, pattern: Shape, array: Shape) -> bool:
        """Whether an axis of the outer link's pattern is a whole axis of the array, for all outer repetitions."""
        own = [place for place, row in enumerate(tiler.fitting) if row[axis]]
        if len(own) != 1 or array[own[0]] != pattern[axis] or tiler.origin[own[0]]:
            return False
        steps = zip(tiler.paving[own[0]], self.outer.repetition, strict=True)
        columns = zip(tiler.fitting[own[0]], pattern, strict=True)
        moves = [(entry, extent) for entry, extent in (*steps, *columns) if entry and extent != 1]
        return tiler.fitting[own[0]][axis] == 1 and len(moves) == (pattern[axis] != 1)

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

    def _spread(self, products: Sequence[Product], local: Sequence[Delay]) -> Spread:
        """The joined space; delays that never act must not begin to act in it."""
        acting = [delay for delay in local if delay.acts]
        spread = Spread(self._dimensions(products, acting), self.sizes, self.outer.repetition)
        if any(not delay.acts and _acts(spread.vector(delay.vector), spread.space) for delay in local):
            return Spread(self._dimensions(products, local), self.sizes, self.outer.repetition)
        return spread

    def _dimensions(self, products: Sequence[Product], local: Sequence[Delay]) -> tuple[Dimension, ...]:
        """Outer dimensions in their order, each joined with an inner one that it continues; then those left."""
        rank, free = len(self.outer.repetition), list(range(len(self.sizes)))
        same = rank == len(free) and all(self._continues(place, place, products, local) for place in range(rank))
        dimensions: list[Dimension] = []
        for place in range(rank):
            options = [place] if same else [axis for axis in free if self._continues(place, axis, products, local)]
            inner = min(options, key=lambda axis: self.sizes[axis] == 1, default=None)
            if inner is not None:
                free.remove(inner)
            dimensions.append(Dimension(place, inner))
        return (*dimensions, *(Dimension(None, axis) for axis in free if self.sizes[axis] > 1 or self._moves(axis)))

    def _moves(self, inner: int) -> bool:
        """Whether a delay or an exit has a step along an inner dimension: even one that never acts needs it."""
        vectors = [delay.vector for delay in self.inner.delays]
        vectors += [link.exit for link in self.inner.output_links if link.exit is not None]
        return any(vector[inner] for vector in vectors)

    def _leaves_inside(self, inner: int) -> bool:
        """Whether every block has an exit of its own along an inner dimension."""
        leaving = {link.array for link in self.inner.output_links if link.exit is not None and link.exit[inner]}
        return any(link.port in leaving and link.exit is None for link in self.outer.output_links)

    def _continues(self, place: int, inner: int, products: Sequence[Product], local: Sequence[Delay]) -> bool:
        """Whether a step of the outer dimension is as many steps of the inner one as that has."""
        size, extent = self.sizes[inner], self.outer.repetition[place]
        if extent != 1 and any(delay.vector[inner] for delay in local):
            return False
        if extent != 1 and self._leaves_inside(inner):
            return False
        if size == 1 or extent == 1:
            return True
        return all(
            product.outer[place] == tuple(size * entry for entry in product.inner[inner]) for product in products
        )

    def _local_delay(self, delay: Delay, spread: Spread, default: tuple[str, Product] | None) -> Delay:
        """A delay that never leaves its block."""
        vector = spread.vector(delay.vector)
        if default is not None:
            assert isinstance(delay.default, TiledDefault)
            tiled = TiledDefault(default[0], spread.tiler(default[1], delay.default.tiler), delay.default.span)
            delay = replace(delay, default=tiled)
        return replace(delay, vector=vector, acts=_acts(vector, spread.space))


def _link(link: Link, around: Link, product: Product, spread: Spread) -> Link:
    leaves = _joined_exit(link, around, spread)
    return Link(link.port, around.array, spread.tiler(product, link.tiler), link.span, leaves)


def _joined_exit(link: Link, around: Link, spread: Spread) -> Vector | None:
    """The exit of both levels as one of the joined space.

    Where both leave, blocks do so one by one along a dimension that is joined, and places at their own ends. Raises
    NotOneNestError where no exit lets the same repetitions write.
    """
    if around.exit is None:
        vector = None if link.exit is None else spread.vector(link.exit)
    else:
        vector = spread.outer_vector(around.exit)
        if link.exit is not None:
            ends, inside = vector, spread.vector(link.exit)
            vector = inside
            if not _same_end(ends, inside, spread.blocks.extents):
                raise NotOneNestError(
                    f"the exits of '{link.port}' and '{around.port}' leave both at once: no exit of one space does"
                )
    return None if vector is None or always_writes(vector, spread.space) else vector


def _same_end(ends: Vector, inside: Vector, extents: Vector) -> bool:
    """Whether the last block alone, along one dimension, holds the places that leave at the same end of it."""
    moving = [axis for axis, step in enumerate(ends) if step]
    if moving != [axis for axis, step in enumerate(inside) if step] or len(moving) != 1:
        return False
    (axis,) = moving
    return abs(ends[axis]) == extents[axis] and (ends[axis] > 0) == (inside[axis] > 0)


def _acts(vector: Vector, space: Shape) -> bool:
    return all(extent is None or abs(step) < extent for step, extent in zip(vector, space, strict=True))


# A tiled body that gathers its state from several blocks, seen as one nest again.


@dataclass(frozen=True, slots=True)
class GatheredBody:
    """One repetition in a body, and the elementaries that put its state together."""

    body: CompoundTask
    inner: RepetitiveTask
    call: Call
    gathers: tuple[tuple[Call, Elementary], ...]


def gathered_body(spec: Spec, body: CompoundTask) -> GatheredBody | None:
    """The body as one repetition whose state elementaries gather, or None where it is something else."""
    called = [(call, spec.components[call.callee]) for call in body.calls]
    repeated = [(call, callee) for call, callee in called if isinstance(callee, RepetitiveTask)]
    gathers = [(call, callee) for call, callee in called if isinstance(callee, Elementary)]
    if len(repeated) != 1 or not gathers or len(gathers) + 1 != len(called):
        return None
    call, inner = repeated[0]
    if any(call.parts for call in body.calls):
        return None
    own, read = {port.name for port in body.inputs}, set(call.arguments)
    if any(not own.issuperset(gather.arguments) or not read.issuperset(gather.results) for gather, _ in gathers):
        return None
    return GatheredBody(body, inner, call, tuple(gathers))


def untiled(spec: Spec, task: RepetitiveTask, body: GatheredBody) -> Joined:
    """The nest without its gathering. Raises NotOneNestError where it gathers anything else than a delay's state."""
    inner, call = body.inner, body.call
    names = (port.name for port in (*inner.inputs, *inner.outputs))
    ports = dict(zip((*call.arguments, *call.results), names, strict=True))
    gathered = {
        ports[gather.results[0]]: tuple(_pieces(task, gather, elementary, ports)) for gather, elementary in body.gathers
    }
    outer = replace(
        task,
        callee=inner.name,
        input_links=tuple(replace(link, port=ports[link.port]) for link in task.input_links if link.port in ports),
        output_links=tuple(replace(link, port=ports[link.port]) for link in task.output_links),
        delays=tuple(_renamed(delay, ports) for delay in task.delays if delay.port in ports),
    )
    return join(outer, inner, spec.components[inner.callee], gathered)


def _renamed(delay: Delay, ports: Mapping[str, str]) -> Delay:
    return replace(delay, port=ports.get(delay.port, delay.port), output=ports[delay.output])


def _pieces(
    task: RepetitiveTask, call: Call, elementary: Elementary, ports: Mapping[str, str]
) -> Iterator[GatheredPiece]:
    """The copies that an elementary is made of, later ones first where they write over earlier ones."""
    actual = dict(zip((port.name for port in elementary.inputs), call.arguments, strict=True))
    for statement in elementary.body or ():
        if not isinstance(statement, Assign) or statement.accumulate or statement.condition is not None:
            raise NotOneNestError(f"'{elementary.name}' does more than to gather state")
        bounds = tuple((_number(item.low), _number(item.high)) for item in statement.ranges)
        names = [item.name for item in statement.ranges]
        if [_index(subscript) for subscript in statement.subscripts] != [(name, 0) for name in names]:
            raise NotOneNestError(f"'{elementary.name}' does more than to gather state")
        value = statement.value
        if isinstance(value, Read):
            moved = [_index(subscript) for subscript in value.subscripts]
            if [name for name, _ in moved] != names:
                raise NotOneNestError(f"'{elementary.name}' does more than to gather state")
            yield GatheredPiece(bounds, tuple(move for _, move in moved), _source(task, actual[value.port], ports))
        elif isinstance(value, Constant):
            yield GatheredPiece(bounds, (0,) * len(bounds), value.value)
        else:
            raise NotOneNestError("what gathers the state computes something")


def _source(task: RepetitiveTask, port: str, ports: Mapping[str, str]) -> Delay | Link:
    delays = (_renamed(delay, ports) for delay in task.delays if delay.port == port)
    return next(delays, None) or next(link for link in task.input_links if link.port == port)


def _number(bound: Expr) -> int:
    if not isinstance(bound, Constant):
        raise NotOneNestError("what gathers the state has ranges that are no numbers")
    return int(bound.value)


def _index(expr: Expr) -> tuple[str, int]:
    """A range variable plus a number."""
    match affine(expr):
        case Affine(terms=((str(name), 1),), constant=move):
            return name, move
    raise NotOneNestError("what gathers the state moves it otherwise than by numbers")
