"""The relations between tiles and times that every question about tiles is made of.

A key is a time with the number of a statement behind it: [x_0, ..., x_n-1, s]. Keys of instances are ordered inside a
tile as the instances run, and no two instances have one key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from math import prod

import islpy as isl

from arrayol.polyhedral.isl import TooHardError
from arrayol.tiling.nest import TiledNest, parameter

_LARGEST_MODULUS = 1000


def relation(nest: TiledNest, source: Sequence[str], image: Sequence[str], cases: Iterable[str]) -> isl.Map:
    """A relation under the nest's symbols that holds in any of some cases, each a conjunction."""
    prefix = f"[{', '.join(parameter(symbol) for symbol in nest.symbols)}] -> "
    condition = " or ".join(f"({case})" for case in cases) or "false"
    text = f"{prefix}{{ [{', '.join(source)}] -> [{', '.join(image)}] : {condition} }}"
    return isl.Map(text).intersect_params(nest.context)


def element_box(nest: TiledNest, extents: Sequence[str]) -> isl.Set:
    """The elements of an array of these extents."""
    elements = [f"e{axis}" for axis in range(len(extents))]
    cases = " and ".join(f"0 <= {name} < {extent}" for name, extent in zip(elements, extents, strict=True))
    return relation(nest, [], elements, [cases or "true"]).range()


def tile_of_time(nest: TiledNest) -> isl.Map:
    """From a time to its tile; to every window that holds it where tiles are told by their origins."""
    return relation(nest, _times(nest), _tiles(nest), [_inside(nest, nest.depth)])


def keys_in_tile(nest: TiledNest) -> isl.Map:
    """From a tile to the keys of its times."""
    return relation(nest, _tiles(nest), [*_times(nest), "s"], [_inside(nest, nest.depth)])


def keys_before(nest: TiledNest) -> isl.Map:
    """From a tile to the keys in earlier tiles of its strip."""
    return _beside(nest, "x{0} < {1}")


def keys_after(nest: TiledNest) -> isl.Map:
    """From a tile to the keys in later tiles of its strip."""
    return _beside(nest, "x{0} >= {1} + {2}")


def keys_of_other_strips(nest: TiledNest) -> isl.Map:
    """From a tile to the keys outside its strip."""
    cases = []
    for axis in range(nest.depth - nest.strip_dims):
        cases.append(f"x{axis} < {_origin(nest, axis)}")
        cases.append(f"x{axis} >= {_origin(nest, axis)} + {_size(nest, axis)}")
    return relation(nest, _tiles(nest), [*_times(nest), "s"], cases)


def same_strip(nest: TiledNest) -> isl.Map:
    """From a tile to all of its strip."""
    others = [f"u{axis}" for axis in range(nest.depth)]
    same = [f"u{axis} = t{axis}" for axis in range(nest.depth - nest.strip_dims)]
    return relation(nest, _tiles(nest), others, [" and ".join(same) or "true"])


def later_tiles(nest: TiledNest) -> isl.Map:
    """From a tile to the later ones of its strip; told by origins, to every window that lies behind it."""
    later = [f"u{axis}" for axis in range(nest.depth)]
    cases = []
    for axis in range(nest.depth - nest.strip_dims, nest.depth):
        same = [f"u{place} = t{place}" for place in range(axis)]
        step = _size(nest, axis) if nest.by_origin[axis] else "1"
        cases.append(" and ".join([*same, f"u{axis} >= t{axis} + {step}"]))
    return relation(nest, _tiles(nest), later, cases)


def earlier_keys(nest: TiledNest) -> isl.Map:
    """From a key to those before it in the order inside a tile."""
    names = [*_times(nest), "s"]
    others = [f"o{place}" for place in range(len(names))]
    cases = [
        " and ".join(
            [*(f"{others[place]} = {names[place]}" for place in range(axis)), f"{others[axis]} < {names[axis]}"]
        )
        for axis in range(len(names))
    ]
    return relation(nest, names, others, cases)


def keys_of(nest: TiledNest, place: int) -> isl.Map:
    """From the instances of the statement at a place to their keys."""
    statement = nest.statements[place]
    marked = relation(nest, _times(nest), [*_copies(nest), "s"], [_marked(nest, statement.number)])
    return statement.schedule.intersect_domain(statement.domain).apply_range(marked)


def check_moduli(found: isl.Map) -> None:
    """Raise TooHardError where quotients have large factors: isl does not count what optima and hulls cost there."""
    for part in found.get_basic_maps():
        inner = range(part.dim(isl.dim_type.div))
        factors = [
            max((abs(_factor(constraint, place)) for constraint in part.get_constraints()), default=0)
            for place in inner
        ]
        if prod(max(factor, 1) for factor in factors) > _LARGEST_MODULUS:
            raise TooHardError


def _factor(constraint: isl.Constraint, place: int) -> int:
    return int(constraint.get_coefficient_val(isl.dim_type.div, place).to_python())


def coalesced(found: isl.Map) -> isl.Map:
    """The relation in fewer pieces; as it is where isl loses its way among many, telling an internal error."""
    try:
        return found.coalesce()
    except isl.Error as failure:
        if "original tableau" not in str(failure):
            raise
        return found


def union(maps: Sequence[isl.Map]) -> isl.Map:
    """The union of relations of one space; at least one."""
    return reduce(lambda one, other: one.union(other), maps)


def _times(nest: TiledNest) -> list[str]:
    return [f"x{axis}" for axis in range(nest.depth)]


def _copies(nest: TiledNest) -> list[str]:
    return [f"y{axis}" for axis in range(nest.depth)]


def _tiles(nest: TiledNest) -> list[str]:
    return [f"t{axis}" for axis in range(nest.depth)]


def _marked(nest: TiledNest, number: int) -> str:
    same = [f"{copy} = {time}" for copy, time in zip(_copies(nest), _times(nest), strict=True)]
    return " and ".join([*same, f"s = {number}"])


def _size(nest: TiledNest, axis: int) -> str:
    size = nest.sizes[axis]
    return str(size) if isinstance(size, int) else parameter(size)


def _origin(nest: TiledNest, axis: int) -> str:
    return f"t{axis}" if nest.by_origin[axis] else f"{nest.sizes[axis]} t{axis}"


def inside_text(nest: TiledNest) -> str:
    """That the time x0, x1, ... lies in the tile t0, t1, ...."""
    return _inside(nest, nest.depth)


def _inside(nest: TiledNest, axes: int) -> str:
    """The same, as far as the first coordinates tell."""
    return (
        " and ".join(
            f"{_origin(nest, axis)} <= x{axis} < {_origin(nest, axis)} + {_size(nest, axis)}" for axis in range(axes)
        )
        or "true"
    )


def _beside(nest: TiledNest, form: str) -> isl.Map:
    """Keys of other tiles of the strip: those that agree in some coordinates, and differ by `form` in the next."""
    cases = [
        f"{_inside(nest, axis)} and {form.format(axis, _origin(nest, axis), _size(nest, axis))}"
        for axis in range(nest.depth - nest.strip_dims, nest.depth)
    ]
    return relation(nest, _tiles(nest), [*_times(nest), "s"], cases)
