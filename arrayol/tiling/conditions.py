"""Sets per tile as conditions that people read: `T >= 1: c[m] for N - 10 I + 10 T <= m <= 2 N - 10 I`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl

from arrayol.tiling.nest import TiledNest, parameter
from arrayol.tiling.plain_parts import plain_parts
from arrayol.tiling.quasi_affine import Condition, QuasiAffine
from arrayol.tiling.reading import conditions_of


@dataclass(frozen=True, slots=True)
class Case:
    """A part of a relation from tiles to elements: `when` is asked of tile and symbols, `where` of the element too."""

    when: tuple[Condition, ...]
    where: tuple[Condition, ...]


def conditions(relation: isl.Map, nest: TiledNest, array: str, within: isl.Set | None = None) -> tuple[str, ...]:
    """The relation as lines, one per convex part, each `when: array[subscripts] for where`.

    What holds for every tile anyway is left out: `within` are the tiles that exist (the relation's own by default).
    An empty relation gives no lines.
    """
    elements = element_names(nest, relation.dim(isl.dim_type.out))
    return tuple(_line(case, array, elements) for case in cases(relation, nest, within))


def cases(relation: isl.Map, nest: TiledNest, within: isl.Set | None = None) -> list[Case]:
    """The convex parts of a relation, the conditions on the tile first. They may overlap."""
    rank = relation.dim(isl.dim_type.out)
    subscripts = element_names(nest, rank)
    names = [*nest.tile_names, *subscripts]
    known = only_tiles(relation.domain() if within is None else within, nest)
    around = known.add_dims(isl.dim_type.set, rank)
    whole = relation.intersect_domain(known).coalesce().wrap().flatten().intersect_params(nest.context)
    simple = plain_parts(whole, around, names, subscripts).gist(around.simple_hull()).gist_params(nest.context)
    found = []
    for part in simple.compute_divs().get_basic_sets():
        every = list(conditions_of(part.remove_redundancies(), names))
        when = tuple(condition for condition in every if not condition.form.names() & frozenset(subscripts))
        found.append(Case(when, tuple(condition for condition in every if condition not in when)))
    return sorted(found, key=lambda case: [str(condition) for condition in case.when])


def only_tiles(windows: isl.Set, nest: TiledNest) -> isl.Set:
    """The windows that can be tiles: a multiple of a symbolic size that is above its negative is 0 or more."""
    for axis, size in enumerate(nest.sizes):
        if isinstance(size, str):
            from_zero = isl.Set.universe(windows.get_space()).lower_bound_val(isl.dim_type.set, axis, isl.Val(0))
            edge = _above_negative(windows, axis, parameter(size))
            windows = windows.intersect(from_zero) if windows.is_subset(edge) else windows
    return windows


def _above_negative(windows: isl.Set, axis: int, size: str) -> isl.Set:
    """The windows whose origin plus size is above 0."""
    made = isl.Constraint.alloc_inequality(isl.LocalSpace.from_space(windows.get_space()))
    place = windows.find_dim_by_name(isl.dim_type.param, size)
    made = made.set_coefficient_val(isl.dim_type.set, axis, isl.Val(1))
    made = made.set_coefficient_val(isl.dim_type.param, place, isl.Val(1)).set_constant_val(isl.Val(-1))
    return isl.Set.from_basic_set(isl.BasicSet.from_constraint(made))


def tiles_text(tiles: isl.Set, nest: TiledNest) -> str:
    """The tiles that exist, as conditions on their coordinates."""
    simple = only_tiles(tiles, nest).coalesce().gist_params(nest.context).coalesce()
    parts = [list(conditions_of(part, nest.tile_names)) for part in simple.compute_divs().get_basic_sets()]
    return "; or ".join(", ".join(_ordered(part, nest.tile_names)) for part in parts) or "none"


def _ordered(part: Sequence[Condition], names: Sequence[str]) -> list[str]:
    """Bounds of each name together, the rest as it is."""
    left = list(part)
    texts: list[str] = []
    for name in reversed(names):
        own = [condition for condition in left if condition.form.factor(name)]
        left = [condition for condition in left if condition not in own]
        texts = [*_bounds(own, name), *texts]
    return [*(str(condition) for condition in left), *texts]


def element_names(nest: TiledNest, rank: int) -> list[str]:
    """Names for subscripts that no symbol and no coordinate of a tile has."""
    taken = {*nest.symbols, *nest.tile_names}
    free = [name for name in ("m", "n", "q", "r", "s", "u", "v", "w") if name not in taken]
    if rank <= len(free):
        return free[:rank]
    return [f"m{place}" if f"m{place}" not in taken else f"m_{place}" for place in range(rank)]


def _line(case: Case, array: str, elements: Sequence[str]) -> str:
    left, fixed = _fixed(list(case.where), elements)
    subscripts = ", ".join(str(fixed.get(name, name)) for name in elements)
    texts: list[str] = []
    for name in reversed(elements):
        if name not in fixed:
            own = [condition for condition in left if condition.form.factor(name)]
            left = [condition for condition in left if condition not in own]
            texts = [*_bounds(own, name), *texts]
    texts += [str(condition) for condition in left]
    element = f"{array}[{subscripts}]" if elements else array
    element = f"{element} for {', '.join(texts)}" if texts else element
    when = ", ".join(str(condition) for condition in case.when)
    return f"{when}: {element}" if when else element


def _fixed(where: list[Condition], elements: Sequence[str]) -> tuple[list[Condition], dict[str, QuasiAffine]]:
    """Subscripts that an equality gives in terms of tile and symbols, and the conditions that remain."""
    fixed: dict[str, QuasiAffine] = {}
    left = []
    for condition in where:
        own = condition.form.names() & frozenset(elements)
        name = next(iter(own)) if len(own) == 1 else ""
        if condition.is_equality and abs(condition.form.factor(name)) == 1 and name not in fixed:
            rest = condition.form.without(name).scaled(-condition.form.factor(name))
            if name not in rest.names():
                fixed[name] = rest
                continue
        left.append(condition)
    return left, fixed


def _bounds(own: Sequence[Condition], name: str) -> list[str]:
    """Conditions on a name: `low <= name <= high` for bounds of one multiple of it, the rest as they are."""
    texts = []
    for multiple in sorted({abs(condition.form.factor(name)) for condition in own}):
        same = [
            condition
            for condition in own
            if abs(condition.form.factor(name)) == multiple and not condition.is_equality and _is_plain(condition, name)
        ]
        lows = [c.form.without(name).scaled(-1) for c in same if c.form.factor(name) > 0]
        highs = [c.form.without(name) for c in same if c.form.factor(name) < 0]
        texts += [_between(lows, highs, name if multiple == 1 else f"{multiple} {name}")] if same else []
    texts += [str(condition) for condition in own if condition.is_equality or not _is_plain(condition, name)]
    return texts


def _is_plain(condition: Condition, name: str) -> bool:
    return name not in condition.form.without(name).names()


def _between(lows: Sequence[QuasiAffine], highs: Sequence[QuasiAffine], name: str) -> str:
    low, high = _extreme("max", lows), _extreme("min", highs)
    if low and high:
        return f"{low} <= {name} <= {high}"
    return f"{name} >= {low}" if low else f"{name} <= {high}"


def _extreme(function: str, bounds: Sequence[QuasiAffine]) -> str:
    texts = [str(bound) for bound in sorted(bounds, key=lambda bound: (len(bound.terms), str(bound)))]
    return f"{function}({', '.join(texts)})" if len(texts) > 1 else "".join(texts)
