"""Numbers for symbols: a nest and its sets with values in place of consts and tile sizes that stayed symbolic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

import islpy as isl

from arrayol.polyhedral.isl import coordinates
from arrayol.tiling.nest import (
    PREFIX,
    NestArray,
    NestReach,
    ScheduledStatement,
    TiledNest,
    Traffic,
    parameter,
)
from arrayol.tiling.tile import answered_in_time

Values = Mapping[str, int]
Relation = TypeVar("Relation", isl.Set, isl.Map)


def nest_at(nest: TiledNest, values: Values) -> TiledNest:
    """The nest without symbols: each of them has a value, and tiles are told by their numbers.

    Raises ValueError where a symbol has no value, or one that contradicts what is known of the symbols.
    """
    _check(nest, values)
    return replace(
        nest,
        statements=tuple(_statement(one, values) for one in nest.statements),
        arrays={name: _array(array, nest.symbols, values) for name, array in nest.arrays.items()},
        symbols=(),
        values={},
        context=without_symbols(nest.context, values),
        sizes=tuple(values[size] if isinstance(size, str) else size for size in nest.sizes),
    )


def at_values(found: Traffic, values: Values) -> Traffic:
    """The traffic without symbols, between tile numbers and elements. Raises ValueError as `nest_at` does.

    Raises ArrayolError (`nest-too-hard`) too.
    """
    with answered_in_time(found.nest.name):
        return _at_values(found, values)


def _at_values(found: Traffic, values: Values) -> Traffic:
    nest = nest_at(found.nest, values)
    numbered = _by_number(found.nest, values)

    def fixed(maps: Mapping[str, isl.Map]) -> dict[str, isl.Map]:
        return {name: without_symbols(one, values).apply_domain(numbered).coalesce() for name, one in maps.items()}

    return replace(
        found,
        nest=nest,
        read=fixed(found.read),
        written=fixed(found.written),
        surely_written=fixed(found.surely_written),
        load=fixed(found.load),
        store=fixed(found.store),
        touched=fixed(found.touched),
        nests={name: nest.along(own.strip_dims) for name, own in found.nests.items()},
        zeroed=fixed(found.zeroed),
    )


def without_symbols(found: Relation, values: Values) -> Relation:
    """A set or relation with values in place of its parameters."""
    fixed, count = found, found.dim(isl.dim_type.param)
    for place in range(count):
        name = fixed.get_dim_name(isl.dim_type.param, place) or ""
        fixed = fixed.fix_val(isl.dim_type.param, place, isl.Val(values[name.removeprefix(PREFIX)]))
    return fixed.project_out(isl.dim_type.param, 0, count).coalesce()


def _check(nest: TiledNest, values: Values) -> None:
    missing = [symbol for symbol in nest.symbols if symbol not in values]
    if missing:
        raise ValueError(f"no value for {', '.join(missing)}")
    if without_symbols(nest.context, values).is_empty():
        raise ValueError("the values contradict what is known of the symbols")


def _statement(statement: ScheduledStatement, values: Values) -> ScheduledStatement:
    def fixed(reaches: Iterable[NestReach]) -> tuple[NestReach, ...]:
        return tuple(
            NestReach(reach.array, without_symbols(reach.may, values), without_symbols(reach.sure, values))
            for reach in reaches
        )

    return replace(
        statement,
        domain=without_symbols(statement.domain, values),
        schedule=without_symbols(statement.schedule, values),
        reads=fixed(statement.reads),
        writes=fixed(statement.writes),
    )


def _array(array: NestArray, symbols: Iterable[str], values: Values) -> NestArray:
    prefix = f"[{', '.join(parameter(symbol) for symbol in symbols)}] -> "
    point = isl.Set(f"{prefix}{{ [{', '.join(array.extents)}] }}")
    shape = coordinates(without_symbols(point, values).sample_point())
    return replace(array, shape=shape, extents=tuple(str(extent) for extent in shape))


def _by_number(nest: TiledNest, values: Values) -> isl.Map:
    """From tiles as they are told in a nest, under values of its symbols, to their numbers."""
    tiles, numbers = ([f"{name}{axis}" for axis in range(nest.depth)] for name in "tu")
    sizes = [values[size] if isinstance(size, str) else 1 for size in nest.sizes]
    same = [f"{tile} = {size} {number}" for tile, size, number in zip(tiles, sizes, numbers, strict=True)]
    return isl.Map(f"{{ [{', '.join(tiles)}] -> [{', '.join(numbers)}] : {' and '.join(same)} }}")
