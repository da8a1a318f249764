"""A function from elements to tiles as a tree of conditions: the quasi-affine selection trees of paper C, section 2.2.

Each inner node asks one condition, each leaf names a tile or none. Rule (1) of the paper, `if p then x else x` is x, is
applied throughout, and no condition is asked that the ones above it decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import islpy as isl

from arrayol.polyhedral.isl import bounded_effort
from arrayol.tiling.conditions import element_names
from arrayol.tiling.nest import TiledNest
from arrayol.tiling.order import tile_set
from arrayol.tiling.quasi_affine import Condition, QuasiAffine
from arrayol.tiling.reading import constraints_of, form_of

EFFORT = 1_000_000  # isl's operations for one tree


@dataclass(frozen=True, slots=True)
class Leaf:
    """The value of each named result, or None where there is none."""

    values: tuple[tuple[str, QuasiAffine], ...] | None

    def at(self, point: Mapping[str, int]) -> tuple[int, ...] | None:
        """The values at a point."""
        return None if self.values is None else tuple(form.at(point) for _, form in self.values)


@dataclass(frozen=True, slots=True)
class Branch:
    """`then` where the condition holds, `otherwise` elsewhere."""

    condition: Condition
    then: Tree
    otherwise: Tree

    def at(self, point: Mapping[str, int]) -> tuple[int, ...] | None:
        """The values at a point, by name."""
        return (self.then if self.condition.holds(point) else self.otherwise).at(point)


Tree: TypeAlias = Leaf | Branch
_Pieces = list[tuple[isl.Set, Leaf]]


def loading_tree(relation: isl.Map, nest: TiledNest) -> Tree | None:
    """For an element, symbols and the tile's outer coordinates: the coordinates inside the strip of the tile.

    `relation` is Load or Store, from tiles to elements. Where several tiles of a strip have the element (sets that were
    simplified) the first is taken. None where a size in the strip is symbolic: which origins are multiples of it is not
    affine. Raises TooHardError.
    """
    outer = nest.depth - nest.strip_dims
    if any(nest.by_origin[outer:]):
        return None
    names = [*nest.tile_names[:outer], *element_names(nest, relation.dim(isl.dim_type.out))]
    with bounded_effort(EFFORT):
        first = _from_outer_and_element(relation, nest, outer).lexmin_pw_multi_aff().coalesce()
        known = isl.Set.universe(first.get_domain_space()).intersect_params(nest.context)
        strips = tile_set(nest).project_out(isl.dim_type.set, outer, nest.strip_dims)
        added = isl.Set.universe(first.get_domain_space()).dim(isl.dim_type.set) - outer
        known = known.intersect(strips.add_dims(isl.dim_type.set, added))
        return selection_tree(first, names, nest.tile_names[outer:], known)


def _from_outer_and_element(relation: isl.Map, nest: TiledNest, outer: int) -> isl.Map:
    """[outer coordinates, element] -> [coordinates in the strip]."""
    flat = isl.Map.from_domain(relation.wrap().flatten())
    return flat.move_dims(isl.dim_type.out, 0, isl.dim_type.in_, outer, nest.strip_dims)


def selection_tree(function: isl.PwMultiAff, arguments: Sequence[str], results: Sequence[str], known: isl.Set) -> Tree:
    """Any piecewise quasi-affine function as a tree, for the arguments in `known`."""
    pieces: _Pieces = []

    def keep(where: isl.Set, value: isl.MultiAff) -> None:
        forms = [_whole(value.get_at(place), arguments) for place in range(len(results))]
        pieces.append((where, Leaf(tuple(zip(results, forms, strict=True)))))

    function.foreach_piece(keep)
    return _grown(known, pieces, arguments)


def _whole(aff: isl.Aff, names: Sequence[str]) -> QuasiAffine:
    form, denominator = form_of(aff, names)
    if denominator != 1:
        raise AssertionError("a lexicographic minimum has integer values")
    return form


def _grown(known: isl.Set, pieces: _Pieces, names: Sequence[str]) -> Tree:
    """The tree for the points of `known`."""
    alive = [(where.intersect(known), leaf) for where, leaf in pieces]
    alive = [(where, leaf) for where, leaf in alive if not where.is_empty()]
    if not alive:
        return Leaf(None)
    if len({leaf for _, leaf in alive}) == 1:
        union = alive[0][0]
        for where, _ in alive[1:]:
            union = union.union(where)
        if known.is_subset(union):
            return alive[0][1]
    side, condition = _question(known, alive, names)
    then = _grown(known.intersect(side), alive, names)
    otherwise = _grown(known.subtract(side), alive, names)
    return then if then == otherwise else Branch(condition, then, otherwise)


def _question(known: isl.Set, alive: _Pieces, names: Sequence[str]) -> tuple[isl.Set, Condition]:
    """Of the open conditions of the pieces the one that leaves fewest pieces on both of its sides together."""
    best: tuple[int, int, isl.Set, Condition] | None = None
    for where, _ in alive:
        for part in where.coalesce().gist(known).compute_divs().get_basic_sets():
            for constraint, condition in constraints_of(part, names):
                side = isl.Set.from_basic_set(isl.BasicSet.from_constraint(constraint))
                left = sum(not piece.is_disjoint(side) for piece, _ in alive)
                right = sum(not piece.is_subset(side) for piece, _ in alive)
                length = len(condition.form.terms)
                if best is None or (left + right, length) < best[:2]:
                    best = (left + right, length, side, condition)
    assert best is not None
    return best[2], best[3]


def tree_text(tree: Tree, indent: str = "") -> str:
    """The tree line by line, two spaces deeper under each condition; conditions with one `else` stand in one line."""
    if isinstance(tree, Leaf):
        return indent + _leaf_text(tree)
    asked, inner = [tree.condition], tree.then
    while isinstance(inner, Branch) and inner.otherwise == tree.otherwise:
        asked.append(inner.condition)
        inner = inner.then
    lines = [f"{indent}if {' and '.join(str(condition) for condition in asked)}", tree_text(inner, f"{indent}  ")]
    return "\n".join([*lines, f"{indent}else", tree_text(tree.otherwise, f"{indent}  ")])


def _leaf_text(leaf: Leaf) -> str:
    return "none" if leaf.values is None else ", ".join(f"{name} = {form}" for name, form in leaf.values)
