"""The relations between tiles, times and keys that every question about tiles is made of.

A key is a time with the number of a statement behind it: [x_0, ..., x_n-1, s]. Keys of instances are ordered inside a
tile as the instances run, and no two instances have one key. A tile is a box of times, so that each relation is a union
of conjunctions of inequalities: exact for isl, with tile sizes that are numbers or symbols (see TiledNest).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod

import islpy as isl

from arrayol.polyhedral.isl import Pieces, TooHardError
from arrayol.tiling.nest import TiledNest, parameter

_LARGEST_MODULUS = 1000


@dataclass(frozen=True)
class Frame:
    """The relations of a nest that all its arrays share, each made when first asked for."""

    nest: TiledNest

    @cached_property
    def inside(self) -> isl.Map:
        """From a tile to the keys of its times."""
        return self._to_keys([_inside(self.nest, self.nest.depth)])

    @cached_property
    def before(self) -> isl.Map:
        """From a tile to the keys in earlier tiles of its strip."""
        return self._other_keys("x{0} < {1}")

    @cached_property
    def after(self) -> isl.Map:
        """From a tile to the keys in later tiles of its strip."""
        return self._other_keys("x{0} >= {1} + {2}")

    @cached_property
    def other_strips(self) -> isl.Map:
        """From a tile to the keys outside its strip."""
        cases = []
        for axis in range(self.nest.depth - self.nest.strip_dims):
            cases.append(f"x{axis} < {_origin(self.nest, axis)}")
            cases.append(f"x{axis} >= {_origin(self.nest, axis)} + {_size(self.nest, axis)}")
        return self._to_keys(cases)

    @cached_property
    def same_strip(self) -> isl.Map:
        """From a tile to all of its strip."""
        same = [f"u{axis} = t{axis}" for axis in range(self.nest.depth - self.nest.strip_dims)]
        return relation(self.nest, _tuple("t", self.nest), _tuple("u", self.nest), [" and ".join(same) or "true"])

    @cached_property
    def later(self) -> isl.Map:
        """From a tile to the later ones of its strip."""
        return later_tiles(self.nest)

    @cached_property
    def earlier(self) -> isl.Map:
        """From a key to those before it in the order inside a tile."""
        names = key_names(self.nest)
        others = [f"o{place}" for place in range(len(names))]
        same = [f"{other} = {name}" for other, name in zip(others, names, strict=True)]
        cases = [" and ".join([*same[:axis], f"{others[axis]} < {names[axis]}"]) for axis in range(len(names))]
        return relation(self.nest, names, others, cases)

    @cached_property
    def keys(self) -> list[isl.Map]:
        """From the instances of each statement to their keys."""
        times, copies = _tuple("x", self.nest), _tuple("y", self.nest)
        same = [f"{copy} = {time}" for copy, time in zip(copies, times, strict=True)]
        return [
            statement.schedule.intersect_domain(statement.domain).apply_range(
                relation(self.nest, times, [*copies, "s"], [" and ".join([*same, f"s = {statement.number}"])])
            )
            for statement in self.nest.statements
        ]

    @cached_property
    def running(self) -> isl.Set:
        """The keys of all instances."""
        return union([keys.range() for keys in self.keys]).coalesce()

    @cached_property
    def tiles(self) -> isl.Set:
        """The tiles in which an instance runs."""
        return self.inside.intersect_range(self.running).domain().coalesce()

    @cached_property
    def first_tiles(self) -> isl.Set:
        """The first tile of each strip."""
        return self.tiles.subtract(self.before.intersect_range(self.running).domain()).coalesce()

    @cached_property
    def last_tiles(self) -> isl.Set:
        """The last tile of each strip."""
        return self.tiles.subtract(self.after.intersect_range(self.running).domain()).coalesce()

    def _other_keys(self, form: str) -> isl.Map:
        """Keys of other tiles of the strip: those that agree in some coordinates, and differ by `form` in the next."""
        nest = self.nest
        cases = [
            f"{_inside(nest, axis)} and {form.format(axis, _origin(nest, axis), _size(nest, axis))}"
            for axis in range(nest.depth - nest.strip_dims, nest.depth)
        ]
        return self._to_keys(cases)

    def _to_keys(self, cases: Iterable[str]) -> isl.Map:
        return relation(self.nest, _tuple("t", self.nest), key_names(self.nest), cases)


def relation(nest: TiledNest, source: Sequence[str], image: Sequence[str], cases: Iterable[str]) -> isl.Map:
    """A relation under the nest's symbols that holds in any of some cases, each a conjunction."""
    prefix = f"[{', '.join(parameter(symbol) for symbol in nest.symbols)}] -> "
    condition = " or ".join(f"({case})" for case in cases) or "false"
    text = f"{prefix}{{ [{', '.join(source)}] -> [{', '.join(image)}] : {condition} }}"
    return isl.Map(text).intersect_params(nest.context)


def key_names(nest: TiledNest) -> list[str]:
    """Names for the parts of a key."""
    return [*_tuple("x", nest), "s"]


def tile_of_time(nest: TiledNest) -> isl.Map:
    """From a time to its tile; to every window that holds it where tiles are told by their origins."""
    return relation(nest, _tuple("x", nest), _tuple("t", nest), [_inside(nest, nest.depth)])


def windows(nest: TiledNest, rank: int) -> isl.Set:
    """The times of each tile, as [tile, element, key] with any element of some rank."""
    elements = [f"e{axis}" for axis in range(rank)]
    image = [*elements, *key_names(nest)]
    return relation(nest, _tuple("t", nest), image, [_inside(nest, nest.depth)]).wrap().flatten()


def later_tiles(nest: TiledNest) -> isl.Map:
    """From a tile to the later ones of its strip; told by origins, to every window that lies behind it."""
    cases = []
    for axis in range(nest.depth - nest.strip_dims, nest.depth):
        same = [f"u{place} = t{place}" for place in range(axis)]
        step = _size(nest, axis) if nest.by_origin[axis] else "1"
        cases.append(" and ".join([*same, f"u{axis} >= t{axis} + {step}"]))
    return relation(nest, _tuple("t", nest), _tuple("u", nest), cases)


def keys_of_one_strip(nest: TiledNest) -> isl.Map:
    """From a key to all keys of its strip; told by origins, to those that are in it whatever the sizes are."""
    names = key_names(nest)
    others, inner = [f"o{place}" for place in range(len(names))], []
    cases = []
    for axis in range(nest.depth - nest.strip_dims):
        if nest.by_origin[axis]:
            cases.append(f"{others[axis]} = {names[axis]}")
        else:
            inner.append(f"t{axis}")
            low, size = _origin(nest, axis), _size(nest, axis)
            cases += [f"{low} <= {name} < {low} + {size}" for name in (names[axis], others[axis])]
    joined = " and ".join(cases) or "true"
    return relation(nest, names, others, [f"exists ({', '.join(inner)} : {joined})" if inner else joined])


def check_moduli(pairs: isl.Map) -> None:
    """Raise TooHardError where quotients have large factors: isl does not count what optima and hulls cost there."""
    for part in pairs.get_basic_maps():
        factors = [
            [constraint.get_coefficient_val(isl.dim_type.div, place) for constraint in part.get_constraints()]
            for place in range(part.dim(isl.dim_type.div))
        ]
        if prod(max([1, *(abs(int(factor.to_python())) for factor in own)]) for own in factors) > _LARGEST_MODULUS:
            raise TooHardError


def coalesced(pairs: isl.Map) -> isl.Map:
    """The relation in fewer pieces; as it is where isl loses its way among many, telling an internal error."""
    try:
        return pairs.coalesce()
    except isl.Error as failure:
        if "original tableau" not in str(failure):
            raise
        return pairs


def union(pieces: Sequence[Pieces]) -> Pieces:
    """The union of sets or relations of one space; at least one."""
    return reduce(lambda left, right: left.union(right), pieces)


def parametric(pieces: Pieces, kind: isl.dim_type, names: Sequence[str]) -> Pieces:
    """The set or relation with its first dimensions of a kind as parameters of those names, after the others."""
    place = pieces.dim(isl.dim_type.param)
    moved = pieces.move_dims(isl.dim_type.param, place, kind, 0, len(names))
    for offset, name in enumerate(names):
        moved = moved.set_dim_name(isl.dim_type.param, place + offset, name)
    return moved


def _tuple(letter: str, nest: TiledNest) -> list[str]:
    return [f"{letter}{axis}" for axis in range(nest.depth)]


def _size(nest: TiledNest, axis: int) -> str:
    size = nest.sizes[axis]
    return str(size) if isinstance(size, int) else parameter(size)


def _origin(nest: TiledNest, axis: int) -> str:
    return f"t{axis}" if nest.by_origin[axis] else f"{nest.sizes[axis]} t{axis}"


def _inside(nest: TiledNest, axes: int) -> str:
    """That the time x lies in the tile t, as far as their first coordinates tell."""
    windows = [(f"x{axis}", _origin(nest, axis), _size(nest, axis)) for axis in range(axes)]
    return " and ".join(f"{low} <= {time} < {low} + {size}" for time, low, size in windows) or "true"
