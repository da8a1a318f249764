"""Whether a schedule and its tiles keep every dependence; where they do not, two iterations or two tiles show it.

Each question is whether a relation is empty: dependent instances whose times are equal or come the other way round, and
tiles of dependent instances of which the later one runs first. isl decides that for all values of the symbols, and
gives a pair of the relation for the message where it is not empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from arrayol.errors import ArrayolError, error
from arrayol.ir.spec import written_name
from arrayol.polyhedral.isl import Pieces, Point, coordinates
from arrayol.tiling.nest import PREFIX, ProgramStatement, ScheduledStatement, TiledNest
from arrayol.tiling.program import Dependence, Program
from arrayol.tiling.relations import relation, tile_of_time


def check_domains(program: Program, statements: Sequence[ScheduledStatement]) -> None:
    """Raise where the statements have no instances (`empty-nest`) or an endless number of them (`endless-nest`)."""
    if all(statement.domain.is_empty() for statement in statements):
        message = f"there is nothing to tile in '{program.symbolic.component.name}': its ranges are empty"
        raise error(
            "empty-nest", message, program.symbolic.component.span, hint="widen the ranges, or loosen the conditions"
        )
    for statement in statements:
        if not statement.domain.is_bounded():
            message = f"the ranges of statement {statement.number} are not affine: nothing bounds its iterations"
            span = statement.assign.span if statement.assign else program.symbolic.component.span
            hint = "bounds of ranges are sums of multiples of consts and earlier range variables"
            raise error("endless-nest", message, span, hint=hint)


def check_one_to_one(program: Program, statements: Sequence[ScheduledStatement]) -> None:
    """Raise (`schedule-not-one-to-one`) where two instances of one statement have one time."""
    for statement in statements:
        if statement.schedule.is_injective():
            continue
        together = statement.schedule.apply_range(statement.schedule.reverse())
        for axis in range(together.dim(isl.dim_type.in_)):
            case = together.intersect(_back(together, axis))
            if not case.is_empty():
                pair = _pair(case, program)
                both = f"{_instance(statement, pair.first)} and {_instance(statement, pair.second)}"
                hint = "use every range variable: instances of one time would have no order"
                message = f"the schedule is not one-to-one: {both} run at the same time{pair.where}"
                raise error("schedule-not-one-to-one", message, hint=hint)


def check_order(program: Program, nest: TiledNest) -> None:
    """Raise (`schedule-breaks-dependence`) where an instance runs before one that it depends on."""
    for dependence, source, target in _inside(program, nest):
        for case in _reversed(dependence, source, target):
            if not case.is_empty():
                pair = _pair(case, program)
                shared = _touched(program, dependence, source, target, pair)
                raise error(
                    "schedule-breaks-dependence",
                    f"the schedule breaks a dependence: {_instance(source, pair.first)} must run before "
                    f"{_instance(target, pair.second)}{shared}{pair.where}",
                    hint="reverse or skew a dimension, or exchange two of them",
                )


def check_tiles(program: Program, nest: TiledNest) -> None:
    """Raise where a tile depends on one that runs after it: `tiles-in-circle` where it does so the other way too."""
    if any(nest.by_origin):
        _check_distances(program, nest)
    if all(nest.by_origin):
        return
    links = [_Link.of(nest, *found) for found in _inside(program, nest)]
    for link in links:
        for axis in range(nest.depth):
            backward = link.tiles.intersect(_step(nest, axis))
            if not nest.by_origin[axis] and not backward.is_empty():
                raise _wrong_tiles(program, nest, (link, axis, backward), links)


@dataclass(frozen=True, slots=True)
class _Link:
    """A dependence between tiled statements, as pairs of times and as pairs of tiles."""

    dependence: Dependence
    source: ScheduledStatement
    target: ScheduledStatement
    times: isl.Map
    tiles: isl.Map

    @staticmethod
    def of(nest: TiledNest, dependence: Dependence, source: ScheduledStatement, target: ScheduledStatement) -> _Link:
        to_tile = tile_of_time(nest)
        times = dependence.pairs.apply_domain(source.schedule).apply_range(target.schedule)
        return _Link(dependence, source, target, times, times.apply_domain(to_tile).apply_range(to_tile))

    def between(self, nest: TiledNest, tiles: isl.Map) -> isl.Map:
        """The pairs of instances that lie in pairs of tiles."""
        to_tile = tile_of_time(nest)
        placed = self.source.schedule.apply_range(to_tile).apply_range(tiles)
        return self.dependence.pairs.intersect(
            placed.apply_range(to_tile.reverse()).apply_range(self.target.schedule.reverse())
        )


def _check_distances(program: Program, nest: TiledNest) -> None:
    """With symbolic sizes no dependence may go backwards along such a dimension: some size would cut it."""
    for dependence, source, target in _inside(program, nest):
        pairs = dependence.pairs.apply_domain(source.schedule).apply_range(target.schedule)
        for axis in range(nest.depth):
            if nest.by_origin[axis] and not pairs.intersect(_back(pairs, axis)).is_empty():
                lost = dependence.pairs.intersect(
                    source.schedule.apply_range(_back(pairs, axis)).apply_range(target.schedule.reverse())
                )
                pair = _pair(lost, program)
                raise error(
                    "tiles-in-circle",
                    f"tiles of any size could depend on each other: {_instance(target, pair.second)} needs "
                    f"{_instance(source, pair.first)}, which comes later along dimension {axis + 1} of the "
                    f"schedule{pair.where}",
                    hint="skew the schedule until no dependence goes backwards in any dimension, or give the size",
                )


def split_statements(program: Program, chosen: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The statements that run before and after the chosen ones, as the dependences demand, else by the text.

    Raises ArrayolError (`statements-apart`) where one would have to run between instances of the chosen ones.
    """
    edges = [edge for edge in program.dependences if edge.source != edge.target and not edge.pairs.is_empty()]
    others = [statement.number for statement in program.statements if statement.number not in chosen]
    for start in ({*chosen, *(number for number in others if number > max(chosen))}, set(chosen)):
        after = _reachable(start, edges) - set(chosen)
        bound = next((edge for edge in edges if edge.source in after and edge.target in chosen), None)
        if bound is None:
            return tuple(number for number in others if number not in after), tuple(sorted(after))
    assert bound is not None
    sources = {statement.number: statement for statement in program.statements}
    pair = _pair(bound.pairs, program)
    raise error(
        "statements-apart",
        f"statement {bound.source} cannot run whole before or after the tiled ones: it needs some of their results, "
        f"and {_instance(sources[bound.target], pair.second)} needs "
        f"{_instance(sources[bound.source], pair.first)}{pair.where}",
        hint=f"tile it with them: --statement {bound.source} and its own schedule",
    )


def check_locals(program: Program, chosen: Sequence[int]) -> None:
    """Raise (`statements-apart`) where a local passes between tiled statements and others: nothing would load it."""
    for edge in program.dependences:
        ends = (edge.source, edge.target)
        if program.arrays[edge.array].is_local and sum(number in chosen for number in ends) == 1:
            if edge.pairs.is_empty():
                continue
            tiled, other = ends if edge.source in chosen else ends[::-1]
            raise error(
                "statements-apart",
                f"statement {other} cannot run whole before or after the tiled ones: it shares the local "
                f"'{written_name(edge.array)}' with statement {tiled}, and no tile loads or stores a local",
                hint=f"tile it with them: --statement {other} and its own schedule",
            )


# Parts


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two points of a relation; `where` names the values of the symbols, as a text to append."""

    first: Point
    second: Point
    symbols: Mapping[str, int]

    @property
    def where(self) -> str:
        """` (at N = 3)`, or nothing without symbols."""
        values = ", ".join(f"{name} = {value}" for name, value in self.symbols.items())
        return f" (at {values})" if values else ""


def _pair(pairs: isl.Map, program: Program) -> _Pair:
    """A pair of a relation that is not empty, under the values that the symbols have if there is one."""
    at_values = _fixed(pairs, program.symbolic.values)
    pairs = pairs if at_values.is_empty() else at_values
    names = [pairs.get_dim_name(isl.dim_type.param, place) or "" for place in range(pairs.dim(isl.dim_type.param))]
    rank = pairs.dim(isl.dim_type.in_)
    moved = pairs.wrap().flatten()
    moved = moved.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, len(names))
    point = coordinates(moved.lexmin().sample_point())  # the least is the easiest to follow
    values, point = point[: len(names)], point[len(names) :]
    symbols = {name.removeprefix(PREFIX): value for name, value in zip(names, values, strict=True)}
    return _Pair(point[:rank], point[rank:], symbols)


def _fixed(pieces: Pieces, values: Mapping[str, int]) -> Pieces:
    for name, value in values.items():
        place = pieces.find_dim_by_name(isl.dim_type.param, f"{PREFIX}{name}")
        if place >= 0:
            pieces = pieces.fix_val(isl.dim_type.param, place, isl.Val(value))
    return pieces


def _inside(program: Program, nest: TiledNest) -> Iterator[tuple[Dependence, ScheduledStatement, ScheduledStatement]]:
    """The dependences between tiled statements."""
    chosen = {statement.number: statement for statement in nest.statements}
    for dependence in program.dependences:
        if dependence.source in chosen and dependence.target in chosen and not dependence.pairs.plain_is_empty():
            yield dependence, chosen[dependence.source], chosen[dependence.target]


def _reversed(dependence: Dependence, source: ScheduledStatement, target: ScheduledStatement) -> Iterator[isl.Map]:
    """Pairs whose times come the other way round, or are equal where the text does not order them rightly."""
    depth = source.schedule.dim(isl.dim_type.out)
    ordered = source.number < target.number
    for axis in range(depth if ordered else depth + 1):
        order = _times(depth, axis, backward=axis < depth)
        yield dependence.pairs.intersect(source.schedule.apply_range(order).apply_range(target.schedule.reverse()))


def _times(depth: int, axis: int, *, backward: bool) -> isl.Map:
    """From a time to those that agree before a dimension and come earlier in it; or that agree wholly."""
    conditions = [f"x{place} = y{place}" for place in range(axis)]
    conditions += [f"y{axis} < x{axis}"] if backward else []
    first, second = (", ".join(f"{name}{place}" for place in range(depth)) for name in "xy")
    return isl.Map(f"{{ [{first}] -> [{second}] : {' and '.join(conditions) or 'true'} }}")


def _back(pairs: isl.Map, axis: int) -> isl.Map:
    """Pairs whose second point is lower in one dimension."""
    first, second = (
        ", ".join(f"{name}{place}" for place in range(pairs.dim(kind)))
        for name, kind in (("x", isl.dim_type.in_), ("y", isl.dim_type.out))
    )
    return isl.Map(f"{{ [{first}] -> [{second}] : y{axis} < x{axis} }}")


def _step(nest: TiledNest, axis: int) -> isl.Map:
    """From a tile to those that agree before a dimension and come earlier in it; origins may always agree."""
    tiles, others = ([f"{name}{place}" for place in range(nest.depth)] for name in "tu")
    same = [f"u{place} = t{place}" for place in range(axis) if not nest.by_origin[place]]
    return relation(nest, tiles, others, [" and ".join([*same, f"u{axis} < t{axis}"])])


def _wrong_tiles(
    program: Program, nest: TiledNest, found: tuple[_Link, int, isl.Map], links: Sequence[_Link]
) -> ArrayolError:
    link, axis, backward = found
    for other in links:
        circle = backward.intersect(other.tiles.reverse())
        if not circle.is_empty():
            pair = _pair(circle, program)
            both = f"{_tile(pair.second)} and {_tile(pair.first)}"
            one = _pair(link.between(nest, _only(circle, pair)), program)
            needs = f"{_instance(link.target, one.second)} runs after {_instance(link.source, one.first)}"
            shared = _touched(program, link.dependence, link.source, link.target, one)
            return error(
                "tiles-in-circle",
                f"the tiles {both} depend on each other: neither can run before the other; {needs}{shared}, and "
                f"dimension {axis + 1} of the schedule goes back between them{pair.where}",
                hint=_skewed(axis, [own.times for own in links]),
            )
    pair = _pair(backward, program)
    return error(
        "tiles-out-of-order",
        f"the tile {_tile(pair.second)} needs the tile {_tile(pair.first)}, which runs after it{pair.where}",
        hint="reverse or skew a dimension of the schedule: tiles run in the order of their coordinates",
    )


def _only(pairs: isl.Map, pair: _Pair) -> isl.Map:
    """The pair alone."""
    for kind, point in ((isl.dim_type.in_, pair.first), (isl.dim_type.out, pair.second)):
        for place, value in enumerate(point):
            pairs = pairs.fix_val(kind, place, isl.Val(value))
    return _fixed(pairs, pair.symbols)


_MOST_SKEW = 8


def _skewed(axis: int, times: Sequence[isl.Map]) -> str:
    """The remedy where a dimension goes back: the least multiple of an earlier one that mends it, if there is one."""
    steps = [pairs.deltas() for pairs in times]
    names = [f"d{place}" for place in range(steps[0].dim(isl.dim_type.set))]
    for factor, earlier in ((factor, earlier) for factor in range(1, _MOST_SKEW + 1) for earlier in range(axis)):
        back = isl.Set(f"{{ [{', '.join(names)}] : d{axis} + {factor} d{earlier} < 0 }}")
        if all(own.is_disjoint(back) for own in steps):
            multiple = f"dimension {earlier + 1}" if factor == 1 else f"{factor} times dimension {earlier + 1}"
            return f"add {multiple} to dimension {axis + 1} of every schedule: no dependence goes back in it then"
    before = f"dimension {axis}" if axis == 1 else f"dimensions 1 to {axis}"
    return f"skew the schedule until no dependence goes back in dimension {axis + 1}, or make tiles 1 wide in {before}"


def _touched(
    program: Program, dependence: Dependence, source: ScheduledStatement, target: ScheduledStatement, pair: _Pair
) -> str:
    """`, since both touch c[3]`, by an element of the pair."""
    for earlier in (*source.writes, *source.reads):
        for later in (*target.writes, *target.reads):
            if earlier.array == later.array == dependence.array:
                shared = _image(earlier.may, pair.first).intersect(_image(later.may, pair.second))
                shared = _fixed(shared, pair.symbols)
                if not shared.is_empty():
                    own = coordinates(shared.sample_point())[len(program.arrays[dependence.array].around) :]
                    return f", since both touch {written_name(dependence.array)}{list(own) if own else ''}"
    return ""


def _image(reach: isl.Map, point: Point) -> isl.Set:
    for place, value in enumerate(point):
        reach = reach.fix_val(isl.dim_type.in_, place, isl.Val(value))
    return reach.range()


def _reachable(start: set[int], edges: Sequence[Dependence]) -> set[int]:
    reached = set(start)
    while True:
        more = {edge.target for edge in edges if edge.source in reached} - reached
        if not more:
            return reached
        reached |= more


def _instance(statement: ProgramStatement, point: Point) -> str:
    """`statement 2 at (i, j) = (0, 1)`; a repetition by its index."""
    if statement.assign is None:
        return f"repetition {_tile(point)}"
    if not point:
        return f"statement {statement.number}"
    names = statement.indices[0] if len(point) == 1 else f"({', '.join(statement.indices)})"
    return f"statement {statement.number} at {names} = {point[0] if len(point) == 1 else _tile(point)}"


def _tile(point: Point) -> str:
    return f"({', '.join(str(value) for value in point)})"
