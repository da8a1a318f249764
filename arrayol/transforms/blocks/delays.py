"""Delays of a task cut in blocks: inside a block they stay delays, between blocks their state crosses through ports.

With r = b R + rho the instance r - d lies in the same block, or at place rho - d - b D of block R + D. The outputs of a
block are its state, of all places or of those that leave it by an exit; a delay of the outer repetition hands it to the
blocks that read it. Every place of a block is in the box of one crossing, and isl decides for each that no repetition
there has an earlier one in the task's space that no block hands on: the default is taken just where it was before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from arrayol.execute.environment import Box
from arrayol.ir.spec import (
    ConstValue,
    Delay,
    Elementary,
    Port,
    RepetitiveTask,
    Shape,
    TiledDefault,
    Tiler,
    identity,
    zeros,
)
from arrayol.ir.types import ElementType
from arrayol.language.loader import load_source
from arrayol.language.syntax.diagnose import shown_port
from arrayol.polyhedral.accesses import Access, find_outside
from arrayol.polyhedral.delays import find_circle, find_unserved
from arrayol.source import SourceFile, Span
from arrayol.transforms.blocks.block import (
    Blocks,
    Feed,
    GatheredSources,
    Ports,
    Reach,
    State,
    Vector,
    added,
    columns_of,
    inner_columns,
    leaving_places,
    minus,
    moved,
    times,
)
from arrayol.transforms.rewrite import FreeNames, refused


@dataclass(frozen=True, slots=True)
class Crossing:
    """The places g in `box` take what place g + shift of block R - vector has put out; None: always the default."""

    box: Box
    vector: Vector | None
    shift: Vector

    @property
    def moves(self) -> Vector:
        """The shift of what a block brings; a default of this block's own places is not moved."""
        return self.shift if self.vector is not None else (0,) * len(self.shift)


@dataclass(frozen=True, slots=True)
class Unserved:
    """A repetition whose earlier one no block hands on: place `place` of block `block`."""

    delay: Delay
    block: Vector
    place: Vector
    repetition: Vector


def crossings_of(delay: Delay, blocks: Blocks) -> list[Crossing] | Unserved:
    """Where the places of a block that reach out of it find their earlier instance, every place once.

    Several blocks can hold one instance where they overlap: the nearest serves.
    """
    inside = Box((0,) * len(blocks.extents), blocks.extents)
    own = _reaching(blocks, delay.vector, (0,) * len(blocks.extents))
    left = list(inside.minus(own)) if own.size else [inside]
    crossings: list[Crossing] = []
    for vector in _candidates(delay.vector, blocks) if delay.acts else ():
        shift = times(blocks.paving, vector)
        served = _reaching(blocks, delay.vector, shift)
        parts = [part for part in (box.intersection(served) for box in left) if part.size]
        left = [rest for box in left for rest in box.minus(box.intersection(served))]
        crossings += [Crossing(part, vector, minus(shift, delay.vector)) for part in parts]
    crossings += [Crossing(box, None, tuple(-step for step in delay.vector)) for box in left]
    for crossing in crossings if delay.acts else ():
        point = find_unserved(
            blocks.origin,
            blocks.paving,
            (blocks.space, blocks.outer),
            (crossing.box.low, crossing.box.high),
            delay.vector,
            crossing.vector,
        )
        if point:
            return Unserved(delay, *point, added(blocks.origin, times(blocks.paving, point[0]), point[1]))
    return crossings


def _reaching(blocks: Blocks, delay: Sequence[int], shift: Sequence[int]) -> Box:
    """Places g of a block for which g - delay + shift is a place of a block too."""
    low = tuple(max(0, step - move) for step, move in zip(delay, shift, strict=True))
    high = tuple(
        min(extent, extent + step - move) for extent, step, move in zip(blocks.extents, delay, shift, strict=True)
    )
    return Box(low, tuple(map(max, low, high)))


def _candidates(delay: Sequence[int], blocks: Blocks) -> Iterator[Vector]:
    """Steps between blocks that can bring the earlier instance, nearest first."""
    ranges = []
    for column, extent in enumerate(blocks.outer):
        reach = [
            (abs(delay[axis]) + blocks.extents[axis]) // abs(row[column])
            for axis, row in enumerate(blocks.paving)
            if row[column]
        ]
        far = min(reach, default=0)
        far = far if extent is None else min(far, extent - 1)
        ranges.append(range(-far, far + 1))
    steps = (vector for vector in product(*ranges) if any(vector))
    yield from sorted(steps, key=lambda vector: (sum(map(abs, vector)), vector))


# An elementary that gathers one array from several, by plain copies of boxes.


@dataclass(frozen=True, slots=True)
class CopyPiece:
    """target[x] = source[x + moves] for `bounds` on x, from below and above; without a source `value` fills it."""

    bounds: tuple[tuple[int, int], ...]
    moves: tuple[int, ...]
    source: Port | None
    value: ConstValue


def gathering(name: str, target: Port, pieces: Sequence[CopyPiece], names: FreeNames) -> Elementary:
    """The elementary `name` with output `target`; what no piece fills, and so nothing reads, is zero.

    It is read from its own text, so that it is what the language makes of it.
    """
    sources = {piece.source.name: piece.source for piece in pieces if piece.source}
    used = [target.name, *sources]
    indices: list[str] = []
    for axis in range(len(target.shape)):
        indices.append(names.local(f"i{axis}", [*used, *indices]))
    zero = False if target.type is ElementType.BOOL else 0
    whole = CopyPiece(tuple((0, extent or 0) for extent in target.shape), (0,) * len(target.shape), None, zero)
    filled = sum(_size(piece) for piece in pieces) == _size(whole)
    lines = [_statement(target.name, piece, indices) for piece in (*(() if filled else (whole,)), *pieces)]
    inputs = ", ".join(map(shown_port, sources.values()))
    text = f"elementary {name}({inputs}) -> ({shown_port(target)}) {{\n{chr(10).join(lines)}\n}}\n"
    loaded = load_source(SourceFile(f"what '{name}' gathers", text))
    elementary = loaded.spec.components[name]
    assert isinstance(elementary, Elementary), loaded.diagnostics
    return elementary


def _statement(target: str, piece: CopyPiece, indices: Sequence[str]) -> str:
    value = str(piece.value).lower()
    if piece.source is not None:
        value = f"{piece.source.name}[{', '.join(map(_moved, indices, piece.moves))}]"
    ranges = ", ".join(f"{name} in {low}..{high}" for name, (low, high) in zip(indices, piece.bounds, strict=True))
    return f"  {target}[{', '.join(indices)}] = {value} for {ranges}"


def _moved(index: str, move: int) -> str:
    return f"{index} {'-' if move < 0 else '+'} {abs(move)}" if move else index


def _size(piece: CopyPiece) -> int:
    return prod(high - low for low, high in piece.bounds)


@dataclass(frozen=True, slots=True)
class BlockState:
    """What the places of a block put out at one port: an array of their extents and the port's.

    With an exit they are those that leave the block by it, else all. Extents of one are left out: a state that is one
    value is a scalar.
    """

    of: Port
    blocks: Blocks
    exit: Vector | None = None

    @property
    def places(self) -> tuple[Vector, Vector]:
        """The first place, and how many there are."""
        return leaving_places(self.exit, self.blocks.extents)

    @property
    def kept(self) -> tuple[int, ...]:
        return tuple(axis for axis, extent in enumerate(self.places[1]) if extent > 1)

    @property
    def shape(self) -> Shape:
        return (*(self.places[1][axis] for axis in self.kept), *self.of.shape)

    def port(self, name: str) -> Port:
        return Port(name, self.of.type, self.shape, self.of.span)

    def tiler(self, span: Span, shift: Sequence[int] | None = None) -> Tiler:
        """From place g and pattern index f to the state of place g + shift."""
        steps, depth = len(self.kept), len(self.of.shape)
        low = self.places[0]
        origin = tuple((shift[axis] if shift else 0) - low[axis] for axis in self.kept) + (0,) * depth
        rank = len(self.blocks.extents)
        paving = tuple(identity(rank)[axis] for axis in self.kept) + zeros(depth, rank)
        return Tiler(origin, paving, zeros(steps, depth) + identity(depth), False, span)

    def default(self, single: TiledDefault, shift: Vector, array: Shape, crossings: Sequence[Crossing]) -> TiledDefault:
        """The default of all the state's places g + shift at once, for blocks R where R - vector is no block.

        Places whose default nothing reads may lie outside the array: they go round, since nothing else may. An infinite
        array never goes round; there they take the default of the one place that is read along a dimension.
        """
        shift = minus(shift, self.places[0])
        plain = self._default_tiler(single.tiler, shift, self.kept)
        still = [axis for axis in self.kept if _one_place(crossings, axis)]
        narrow = self._default_tiler(single.tiler, shift, [axis for axis in self.kept if axis not in still])
        columns = columns_of(single.tiler.paving, len(self.blocks.extents))
        for axis in still:
            place = crossings[0].box.low[axis] + shift[axis]
            narrow = replace(narrow, origin=added(narrow.origin, [place * entry for entry in columns[axis]]))
        options = (plain, replace(plain, wrap=True), narrow, replace(narrow, wrap=True))
        for tiler in options:
            if not find_outside(Access(tiler, self.blocks.outer, self.shape, array), crossings[0].vector):
                return TiledDefault(single.array, tiler, single.span)
        message = f"a block's defaults would reach before the first element of the infinite array '{single.array}'"
        raise refused(message, single.span, "give the delay a constant default, or leave this dimension uncut")

    def _default_tiler(self, tiler: Tiler, shift: Vector, moving: Sequence[int]) -> Tiler:
        """The default's tiler for a whole block, whose places move along some dimensions only."""
        columns, _ = inner_columns(tiler, self.of.shape, self.blocks)
        still = (0,) * len(tiler.origin)
        steps = [columns[axis] if axis in moving else still for axis in self.kept]
        back = tuple(-entry for entry in times(tiler.paving, shift))
        return moved(tiler, self.blocks, back, [*steps, *columns[len(self.blocks.extents) :]])


def _one_place(crossings: Sequence[Crossing], axis: int) -> bool:
    """Whether only one place along a dimension takes what comes from outside."""
    low = min(crossing.box.low[axis] for crossing in crossings)
    return max(crossing.box.high[axis] for crossing in crossings) == low + 1


def state_stem(output: str) -> str:
    """What a state is a state of: the output's name, also where it is a state of blocks already."""
    return re.sub(r"_after(_\d+)?$", "", output)


def state_feed(
    delay: Delay,
    crossings: Sequence[Crossing],
    state: BlockState,
    after: str,
    arrays: Mapping[str, Shape],
    ports: Ports,
) -> tuple[Feed, Tiler]:
    """The port that brings a delay's state into the block, and the tiler by which each place reads it.

    `after` names the port that hands the state on; `arrays` are the shapes of the old task's inputs.
    """
    sources = _sources(delay, crossings, state, after, arrays, ports)
    if len({_key(crossing) for crossing in crossings}) == 1:
        feed = next(iter(sources.values()))
        return feed, state.tiler(delay.span, crossings[0].shift if crossings[0].vector is not None else None)
    if None in state.shape:
        message = f"the state of '{delay.output}' would come from several blocks, and it is infinite"
        raise refused(message, delay.span, "cut only dimensions along which one block hands on to the next")
    pieces = [_piece(crossing, sources, state, delay) for crossing in crossings]
    name = ports.names.definition(f"{ports.owner}_edge")
    used = [feed.port.name for feed in sources.values()]
    target = state.port(ports.fresh(f"{state_stem(delay.output)}_edges", used))
    elementary = gathering(name, target, pieces, ports.names)
    return Feed(target, GatheredSources(elementary, tuple(sources.values()))), state.tiler(delay.span)


def _sources(
    delay: Delay,
    crossings: Sequence[Crossing],
    state: BlockState,
    after: str,
    arrays: Mapping[str, Shape],
    ports: Ports,
) -> dict[tuple[Vector | None, Vector], Feed]:
    """One port for each block that state comes from, and one for what is always a default from an array."""
    feeds: dict[tuple[Vector | None, Vector], Feed] = {}
    for crossing in crossings:
        key = _key(crossing)
        if key in feeds or (crossing.vector is None and not isinstance(delay.default, TiledDefault)):
            continue
        used = [feed.port.name for feed in feeds.values()]
        kind = "default" if crossing.vector is None else "before"
        port = state.port(ports.fresh(f"{state_stem(delay.output)}_{kind}", used))
        default = delay.default
        if isinstance(default, TiledDefault):
            alike = [other for other in crossings if _key(other) == key]
            default = state.default(default, crossing.moves, arrays[default.array], alike)
        if crossing.vector is None:
            assert isinstance(default, TiledDefault)
            feeds[key] = Feed(port, Reach(default.array, default.tiler))
        else:
            feeds[key] = Feed(port, State(after, crossing.vector, default))
    return feeds


def _key(crossing: Crossing) -> tuple[Vector | None, Vector]:
    """All that is always default comes through one port."""
    return (crossing.vector, crossing.shift if crossing.vector is not None else ())


def _piece(
    crossing: Crossing, sources: Mapping[tuple[Vector | None, Vector], Feed], state: BlockState, delay: Delay
) -> CopyPiece:
    source = sources.get(_key(crossing))
    bounds = [(crossing.box.low[axis], crossing.box.high[axis]) for axis in state.kept]
    bounds += [(0, extent or 0) for extent in state.of.shape]
    moves = [crossing.moves[axis] for axis in state.kept] + [0] * len(state.of.shape)
    if source is None:
        assert not isinstance(delay.default, TiledDefault)
        return CopyPiece(tuple(bounds), tuple(moves), None, delay.default)
    return CopyPiece(tuple(bounds), tuple(moves), source.port, 0)


# Whether blocks can run one after another: delays between them must leave an order.


def find_block_circle(space: Shape, vectors: Sequence[Vector]) -> list[Vector] | None:
    """Steps between blocks that together lead back to where they began, or None where an order exists."""
    distinct = list(dict.fromkeys(vectors))
    times_each = find_circle(distinct, space)
    if times_each is None:
        return None
    return [vector for vector, count in zip(distinct, times_each, strict=True) if count]


def tell_circle(task: RepetitiveTask, blocks: Blocks, circle: Sequence[Vector], *, named: bool = False) -> str:
    """For each step of a circle a repetition and the earlier one that it needs, in which blocks."""
    told = [_needs(task, blocks, step, f" of '{task.name}'" if named else "") for step in circle]
    return "; ".join(text for text in told if text)


def block_vectors(task: RepetitiveTask, blocks: Blocks) -> list[Vector]:
    """The steps between blocks that a task's delays take."""
    return [crossing.vector for _, crossing in _crossings(task, blocks) if crossing.vector is not None]


def _crossings(task: RepetitiveTask, blocks: Blocks) -> Iterator[tuple[Vector, Crossing]]:
    for delay in task.delays:
        crossings = crossings_of(delay, blocks)
        if isinstance(crossings, list):
            yield from ((delay.vector, crossing) for crossing in crossings)


def _needs(task: RepetitiveTask, blocks: Blocks, step: Vector, owner: str) -> str | None:
    for delay, crossing in _crossings(task, blocks):
        if crossing.vector == step:
            block = tuple(max(0, entry) for entry in step)
            place = added(blocks.origin, times(blocks.paving, block), crossing.box.low)
            needed = f"{list(minus(place, delay))} in block {list(minus(block, step))}"
            return f"repetition {list(place)}{owner} in block {list(block)} needs {needed}"
    return None
