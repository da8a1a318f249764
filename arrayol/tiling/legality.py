"""Whether a schedule and its tiles keep every dependence; where they do not, two iterations or two tiles show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from arrayol.errors import ArrayolError, error
from arrayol.polyhedral.isl import Point, coordinates
from arrayol.tiling.nest import PREFIX, ScheduledStatement, TiledNest
from arrayol.tiling.program import Dependence, Program, ProgramStatement
from arrayol.tiling.relations import relation, tile_of_time


def check_domains(program: Program, statements: Sequence[ScheduledStatement]) -> None:
    """Raise where the statements have no instances (`empty-nest`) or an endless number of them (`endless-nest`)."""
    if all(one.domain.is_empty() for one in statements):
        message = f"there is nothing to tile in '{program.symbolic.component.name}': its ranges are empty"
        raise error(
            "empty-nest", message, program.symbolic.component.span, hint="widen the ranges, or loosen the conditions"
        )
    for one in statements:
        if not one.domain.is_bounded():
            message = f"the ranges of statement {one.number} are not affine: nothing bounds its iterations"
            span = one.assign.span if one.assign else program.symbolic.component.span
            hint = "bounds of ranges are sums of multiples of consts and earlier range variables"
            raise error("endless-nest", message, span, hint=hint)


def check_one_to_one(program: Program, statements: Sequence[ScheduledStatement]) -> None:
    """Raise (`schedule-not-one-to-one`) where two instances of one statement have one time."""
    for one in statements:
        if one.schedule.is_injective():
            continue
        together = one.schedule.apply_range(one.schedule.reverse())
        for case in _unequal(together):
            if not case.is_empty():
                found = _pair(case, program)
                both = f"{_instance(one, found.first)} and {_instance(one, found.second)}"
                hint = "use every range variable: instances of one time would have no order"
                message = f"the schedule is not one-to-one: {both} run at the same time{found.where}"
                raise error("schedule-not-one-to-one", message, hint=hint)


def check_order(program: Program, nest: TiledNest) -> None:
    """Raise (`schedule-breaks-dependence`) where an instance runs before one that it depends on."""
    for dependence, source, target in _inside(program, nest):
        for case in _reversed(dependence, source, target):
            if not case.is_empty():
                found = _pair(case, program)
                raise error(
                    "schedule-breaks-dependence",
                    f"the schedule breaks a dependence: {_instance(source, found.first)} must run before "
                    f"{_instance(target, found.second)}{_touched(dependence, source, target, found)}{found.where}",
                    hint="reverse or skew a dimension, or exchange two of them",
                )


def check_tiles(program: Program, nest: TiledNest) -> None:
    """Raise where a tile depends on one that runs after it: `tiles-in-circle` where it does so the other way too."""
    if any(nest.by_origin):
        _check_distances(program, nest)
    if all(nest.by_origin):
        return
    to_tile = tile_of_time(nest)
    links: list[tuple[ScheduledStatement, ScheduledStatement, isl.Map]] = []
    for dependence, source, target in _inside(program, nest):
        pairs = dependence.pairs.apply_domain(source.schedule).apply_range(target.schedule)
        links.append((source, target, pairs.apply_domain(to_tile).apply_range(to_tile)))
    for _, _, pairs in links:
        for axis in range(nest.depth):
            backward = pairs.intersect(_step(nest, axis))
            if not nest.by_origin[axis] and not backward.is_empty():
                raise _wrong_tiles(program, nest, backward, [other for _, _, other in links])


def _check_distances(program: Program, nest: TiledNest) -> None:
    """With symbolic sizes no dependence may go backwards along such a dimension: some size would cut it."""
    for dependence, source, target in _inside(program, nest):
        pairs = dependence.pairs.apply_domain(source.schedule).apply_range(target.schedule)
        for axis in range(nest.depth):
            if nest.by_origin[axis] and not pairs.intersect(_back(pairs, axis)).is_empty():
                lost = dependence.pairs.intersect(
                    source.schedule.apply_range(_back(pairs, axis)).apply_range(target.schedule.reverse())
                )
                found = _pair(lost, program)
                raise error(
                    "tiles-in-circle",
                    f"tiles of any size could depend on each other: {_instance(target, found.second)} needs "
                    f"{_instance(source, found.first)}, which comes later along dimension {axis + 1} of the "
                    f"schedule{found.where}",
                    hint="skew the schedule until no dependence goes backwards in any dimension, or give the size",
                )


def split_around(program: Program, chosen: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The statements that run before and after the chosen ones, as the dependences demand, else by the text.

    Raises ArrayolError (`statements-apart`) where one would have to run between instances of the chosen ones.
    """
    edges = [found for found in program.dependences if found.source != found.target and not found.pairs.is_empty()]
    others = [one.number for one in program.statements if one.number not in chosen]
    for start in ({*chosen, *(number for number in others if number > max(chosen))}, set(chosen)):
        after = _reachable(start, edges) - set(chosen)
        bound = next((edge for edge in edges if edge.source in after and edge.target in chosen), None)
        if bound is None:
            return tuple(number for number in others if number not in after), tuple(sorted(after))
    assert bound is not None
    sources = {one.number: one for one in program.statements}
    found = _pair(bound.pairs, program)
    raise error(
        "statements-apart",
        f"statement {bound.source} cannot run whole before or after the tiled ones: it needs some of their results, "
        f"and {_instance(sources[bound.target], found.second)} needs "
        f"{_instance(sources[bound.source], found.first)}{found.where}",
        hint=f"tile it with them: --statement {bound.source} and a schedule of its own",
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
    pairs = _at_values(pairs, program.symbolic.values)
    names = [pairs.get_dim_name(isl.dim_type.param, place) or "" for place in range(pairs.dim(isl.dim_type.param))]
    rank = pairs.dim(isl.dim_type.in_)
    moved = pairs.wrap().flatten()
    moved = moved.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, len(names))
    point = coordinates(moved.lexmin().sample_point())  # the least is the easiest to follow
    values, point = point[: len(names)], point[len(names) :]
    symbols = {name.removeprefix(PREFIX): value for name, value in zip(names, values, strict=True)}
    return _Pair(point[:rank], point[rank:], symbols)


def _at_values(pairs: isl.Map, values: Mapping[str, int]) -> isl.Map:
    fixed = pairs
    for name, value in values.items():
        place = fixed.find_dim_by_name(isl.dim_type.param, f"{PREFIX}{name}")
        if place >= 0:
            fixed = fixed.fix_val(isl.dim_type.param, place, isl.Val(value))
    return pairs if fixed.is_empty() else fixed


def _inside(program: Program, nest: TiledNest) -> Iterator[tuple[Dependence, ScheduledStatement, ScheduledStatement]]:
    """The dependences between tiled statements."""
    chosen = {one.number: one for one in nest.statements}
    for found in program.dependences:
        if found.source in chosen and found.target in chosen and not found.pairs.plain_is_empty():
            yield found, chosen[found.source], chosen[found.target]


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
    one, other = (", ".join(f"{name}{place}" for place in range(depth)) for name in "xy")
    return isl.Map(f"{{ [{one}] -> [{other}] : {' and '.join(conditions) or 'true'} }}")


def _unequal(pairs: isl.Map) -> Iterator[isl.Map]:
    """The pairs of two different points, case by case."""
    rank = pairs.dim(isl.dim_type.in_)
    for axis in range(rank):
        yield pairs.intersect(_back(pairs, axis))


def _back(pairs: isl.Map, axis: int) -> isl.Map:
    """Pairs whose second point is lower in one dimension."""
    one, other = (
        ", ".join(f"{name}{place}" for place in range(pairs.dim(kind)))
        for name, kind in (("x", isl.dim_type.in_), ("y", isl.dim_type.out))
    )
    return isl.Map(f"{{ [{one}] -> [{other}] : y{axis} < x{axis} }}")


def _step(nest: TiledNest, axis: int) -> isl.Map:
    """From a tile to those that agree before a dimension and come earlier in it; origins may always agree."""
    tiles, others = ([f"{name}{place}" for place in range(nest.depth)] for name in "tu")
    same = [f"u{place} = t{place}" for place in range(axis) if not nest.by_origin[place]]
    return relation(nest, tiles, others, [" and ".join([*same, f"u{axis} < t{axis}"])])


def _wrong_tiles(program: Program, nest: TiledNest, backward: isl.Map, links: Sequence[isl.Map]) -> ArrayolError:
    for other in links:
        circle = backward.intersect(other.reverse())
        if not circle.is_empty():
            found = _pair(circle, program)
            both = f"{_tile(found.second)} and {_tile(found.first)}"
            return error(
                "tiles-in-circle",
                f"the tiles {both} depend on each other: neither can run before the other{found.where}",
                hint="skew the schedule until no dependence goes backwards in any dimension, or make the tiles 1 wide",
            )
    found = _pair(backward, program)
    return error(
        "tiles-out-of-order",
        f"the tile {_tile(found.second)} needs the tile {_tile(found.first)}, which runs after it{found.where}",
        hint="reverse or skew a dimension of the schedule: tiles run in the order of their coordinates",
    )


def _touched(dependence: Dependence, source: ScheduledStatement, target: ScheduledStatement, found: _Pair) -> str:
    """`, since both touch c[3]`, by an element of the pair."""
    for one in (*source.writes, *source.reads):
        for other in (*target.writes, *target.reads):
            if one.array == other.array == dependence.array:
                shared = _image(one.may, found.first).intersect(_image(other.may, found.second))
                shared = _fixed(shared, found.symbols)
                if not shared.is_empty():
                    element = coordinates(shared.sample_point())
                    return f", since both touch {dependence.array}{list(element) if element else ''}"
    return ""


def _image(reach: isl.Map, point: Point) -> isl.Set:
    for place, value in enumerate(point):
        reach = reach.fix_val(isl.dim_type.in_, place, isl.Val(value))
    return reach.range()


def _fixed(found: isl.Set, symbols: Mapping[str, int]) -> isl.Set:
    for name, value in symbols.items():
        place = found.find_dim_by_name(isl.dim_type.param, f"{PREFIX}{name}")
        if place >= 0:
            found = found.fix_val(isl.dim_type.param, place, isl.Val(value))
    return found


def _reachable(start: set[int], edges: Sequence[Dependence]) -> set[int]:
    found = set(start)
    while True:
        more = {edge.target for edge in edges if edge.source in found} - found
        if not more:
            return found
        found |= more


def _instance(statement: ScheduledStatement | ProgramStatement, point: Point) -> str:
    """`statement 2 at (i, j) = (0, 1)`; a repetition by its index."""
    if statement.assign is None:
        return f"repetition {_tile(point)}"
    if not point:
        return f"statement {statement.number}"
    names = statement.indices[0] if len(point) == 1 else f"({', '.join(statement.indices)})"
    return f"statement {statement.number} at {names} = {point[0] if len(point) == 1 else _tile(point)}"


def _tile(point: Point) -> str:
    return f"({', '.join(str(value) for value in point)})"
