"""The state that blocks hand on, and the ports that it comes through."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from arrayol.ir.spec import Delay, Port, Shape, TiledDefault, Tiler
from arrayol.ir.tilers import identity, zeros
from arrayol.polyhedral.accesses import Access, find_outside
from arrayol.source import Span
from arrayol.transforms.block import Vector, columns_of
from arrayol.transforms.blocks import Blocks, added, goes_round, inner_columns, moved, times
from arrayol.transforms.gather import Piece, gathering
from arrayol.transforms.parts import Feed, Gathered, Ports, Reach, State
from arrayol.transforms.refusal import refused
from arrayol.transforms.states import Crossing


@dataclass(frozen=True, slots=True)
class BlockState:
    """What all places of a block put out at one port: an array of the block's extents and the port's.

    Extents of one are left out: a state that is one value is a scalar.
    """

    of: Port
    blocks: Blocks

    @property
    def kept(self) -> tuple[int, ...]:
        return tuple(axis for axis, extent in enumerate(self.blocks.extents) if extent > 1)

    @property
    def shape(self) -> Shape:
        return (*(self.blocks.extents[axis] for axis in self.kept), *self.of.shape)

    def port(self, name: str) -> Port:
        return Port(name, self.of.type, self.shape, self.of.span)

    def tiler(self, span: Span, shift: Sequence[int] | None = None) -> Tiler:
        """From place g and pattern index f to the state of place g + shift."""
        steps, depth = len(self.kept), len(self.of.shape)
        origin = tuple(shift[axis] if shift else 0 for axis in self.kept) + (0,) * depth
        rank = len(self.blocks.extents)
        paving = tuple(identity(rank)[axis] for axis in self.kept) + zeros(depth, rank)
        return Tiler(origin, paving, zeros(steps, depth) + identity(depth), False, span)

    def default(self, found: TiledDefault, shift: Vector, array: Shape, crossings: Sequence[Crossing]) -> TiledDefault:
        """The default of all places g + shift at once, for blocks R where R - vector is no block.

        Places whose default nothing reads may lie outside the array: they go round, since nothing else may. An infinite
        array never goes round; there they take the default of the one place that is read along a dimension.
        """
        plain = self._default_tiler(found.tiler, shift, self.kept)
        single = [axis for axis in self.kept if _one_place(crossings, axis)]
        narrow = self._default_tiler(found.tiler, shift, [axis for axis in self.kept if axis not in single])
        start = tuple(one.box.low[axis] + shift[axis] for one in crossings[:1] for axis in single)
        columns = columns_of(found.tiler.paving, len(self.blocks.extents))
        for axis, place in zip(single, start, strict=True):
            narrow = replace(narrow, origin=added(narrow.origin, [place * entry for entry in columns[axis]]))
        options = (plain, replace(plain, wrap=True), narrow, replace(narrow, wrap=True))
        for tiler in options:
            if not find_outside(Access(tiler, self.blocks.outer, self.shape, array), crossings[0].vector):
                return TiledDefault(found.array, tiler, found.span)
        message = f"a block's defaults would reach before the first element of the infinite array '{found.array}'"
        raise refused(message, found.span, "give the delay a constant default, or leave this dimension uncut")

    def _default_tiler(self, tiler: Tiler, shift: Vector, moving: Sequence[int]) -> Tiler:
        """The default's tiler for a whole block, whose places move along some dimensions only."""
        columns, _ = inner_columns(tiler, self.of.shape, self.blocks)
        still = (0,) * len(tiler.origin)
        steps = [columns[axis] if axis in moving else still for axis in self.kept]
        back = tuple(-entry for entry in times(tiler.paving, shift))
        wrap = tiler.wrap or goes_round(tiler, self.blocks)
        return moved(tiler, self.blocks, back, [*steps, *columns[len(self.blocks.extents) :]], wrap)


def _one_place(crossings: Sequence[Crossing], axis: int) -> bool:
    """Whether only one place along a dimension takes what comes from outside."""
    low = min(one.box.low[axis] for one in crossings)
    return max(one.box.high[axis] for one in crossings) == low + 1


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
    return Feed(target, Gathered(elementary, tuple(sources.values()))), state.tiler(delay.span)


def _sources(
    delay: Delay,
    crossings: Sequence[Crossing],
    state: BlockState,
    after: str,
    arrays: Mapping[str, Shape],
    ports: Ports,
) -> dict[tuple[Vector | None, Vector], Feed]:
    """One port for each block that state comes from, and one for what is always a default from an array."""
    found: dict[tuple[Vector | None, Vector], Feed] = {}
    for crossing in crossings:
        key = _key(crossing)
        if key in found or (crossing.vector is None and not isinstance(delay.default, TiledDefault)):
            continue
        used = [feed.port.name for feed in found.values()]
        kind = "default" if crossing.vector is None else "before"
        port = state.port(ports.fresh(f"{state_stem(delay.output)}_{kind}", used))
        default = delay.default
        if isinstance(default, TiledDefault):
            shift = crossing.shift if crossing.vector is not None else (0,) * len(crossing.shift)
            alike = [one for one in crossings if _key(one) == key]
            default = state.default(default, shift, arrays[default.array], alike)
        if crossing.vector is None:
            assert isinstance(default, TiledDefault)
            found[key] = Feed(port, Reach(default.array, default.tiler))
        else:
            found[key] = Feed(port, State(after, crossing.vector, default))
    return found


def _key(crossing: Crossing) -> tuple[Vector | None, Vector]:
    """All that is always default comes through one port."""
    return (crossing.vector, crossing.shift if crossing.vector is not None else ())


def _piece(
    crossing: Crossing, sources: Mapping[tuple[Vector | None, Vector], Feed], state: BlockState, delay: Delay
) -> Piece:
    source = sources.get(_key(crossing))
    shift = crossing.shift if crossing.vector is not None else (0,) * len(crossing.shift)
    bounds = [(crossing.box.low[axis], crossing.box.high[axis]) for axis in state.kept]
    bounds += [(0, extent or 0) for extent in state.of.shape]
    moves = [shift[axis] for axis in state.kept] + [0] * len(state.of.shape)
    if source is None:
        assert not isinstance(delay.default, TiledDefault)
        return Piece(tuple(bounds), tuple(moves), None, delay.default)
    return Piece(tuple(bounds), tuple(moves), source.port, 0)
