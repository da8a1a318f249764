"""Sets per tile as conditions that people read: `T >= 1: c[m] for N - 10 I + 10 T <= m <= 2 N - 10 I`.

Three parts: sets cut into plain convex parts, parts as lines of text, and functions as trees of conditions. Each is
exact: a set is replaced only by what isl proves to be the same set, in the parts' union, for the tiles in question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import islpy as isl

from arrayol.polyhedral.isl import TooHardError, bounded_effort
from arrayol.tiling.enumerate import tile_set
from arrayol.tiling.nest import TiledNest, parameter
from arrayol.tiling.quasi_affine import Condition, QuasiAffine, conditions_of, constraints_of, form_of
from arrayol.tiling.relations import union

# Convex parts that people can read: bounds of each subscript on its own rather than of sums of subscripts.
#
# isl joins what fits one polyhedron, as a box without its corner: m + n <= 9 inside it. Conditions on several
# subscripts are left out where the set holds what they exclude anyway; what is left of them is cut off at a face of
# the box. Parts may overlap then; their union stays the set.

MOST_PARTS = 12
EFFORT = 400_000  # isl's operations: a second or two


def plain_parts(whole: isl.Set, around: isl.Set, names: Sequence[str], subscripts: Sequence[str]) -> isl.Set:
    """A union of plainer parts that is `whole` inside `around`; `whole` itself where none was found within bounds."""
    cutter = _Cutter(whole, around, names, frozenset(subscripts))
    try:
        with bounded_effort(EFFORT):
            return cutter.parts()
    except TooHardError:
        return whole


@dataclass(frozen=True, slots=True)
class _Cutter:
    whole: isl.Set
    around: isl.Set
    names: Sequence[str]
    subscripts: frozenset[str]

    def parts(self) -> isl.Set:
        waiting = [part.remove_redundancies() for part in self.whole.get_basic_sets()]
        if len(waiting) == 1:  # one line anyway, also for sets that were made one polyhedron
            return self.whole
        if len(waiting) > 4 * MOST_PARTS:  # joining boxes does not make so few of so many
            raise TooHardError
        waiting = self.boxed(waiting)
        done: list[isl.BasicSet] = []
        while waiting:
            part = self.relaxed(waiting.pop(0))
            pieces = self.cut(part)
            waiting = [*pieces, *waiting]
            done += [] if pieces else [part]
            if len(waiting) + len(done) > MOST_PARTS:
                raise TooHardError
        return self.needed(done)

    def boxed(self, parts: list[isl.BasicSet]) -> list[isl.BasicSet]:
        """Boxes around what each part alone holds, where the whole holds the boxes; parts that are not needed go."""
        sets = [isl.Set.from_basic_set(part) for part in parts]
        for place, part in enumerate(parts):
            if self.coupled(part):
                alone = self.only_in(sets, place).coalesce().compute_divs()
                pieces = map(isl.Set.from_basic_set, alone.get_basic_sets())
                boxes = [isl.Set.from_basic_set(self.box(piece)) for piece in pieces]
                fit = all(box.intersect(self.around).is_subset(self.whole) for box in boxes)
                sets[place] = self.union(boxes) if fit else sets[place]
        return [part.remove_redundancies() for points in sets for part in points.get_basic_sets()]

    def only_in(self, sets: list[isl.Set], place: int) -> isl.Set:
        """What one of several sets holds and no other."""
        rest = self.union([*sets[:place], *sets[place + 1 :]])
        return sets[place].intersect(self.around).subtract(rest).compute_divs()

    def box(self, points: isl.Set) -> isl.BasicSet:
        """The bounds of each subscript on its own."""
        first, rank = len(self.names) - len(self.subscripts), len(self.subscripts)
        result = isl.BasicSet.universe(points.get_space())
        for axis in range(rank):
            after = rank - axis - 1
            alone = points.project_out(isl.dim_type.set, first + axis + 1, after)
            hull = alone.project_out(isl.dim_type.set, first, axis).remove_divs().simple_hull()
            whole = hull.insert_dims(isl.dim_type.set, first, axis).add_dims(isl.dim_type.set, after)
            result = result.intersect(whole)
        return result.remove_redundancies()

    def coupled(self, part: isl.BasicSet) -> int:
        """How many conditions bound several subscripts at once."""
        conditions = (condition for _, condition in constraints_of(part, self.names))
        return sum(not condition.is_equality and self.width(condition) > 1 for condition in conditions)

    def relaxed(self, part: isl.BasicSet) -> isl.BasicSet:
        """The part without conditions that the whole does not need; a bound of a subscript goes if another stays."""
        if part.dim(isl.dim_type.div):
            return part
        kept = list(constraints_of(part, self.names))
        for known in sorted(kept, key=lambda other: -self.width(other[1])):
            others = [other for other in kept if other is not known]
            if self.may_go(known[1], [condition for _, condition in others]):
                wider = _built_condition(part, others)
                if isl.Set.from_basic_set(wider).intersect(self.around).is_subset(self.whole):
                    kept = others
        return _built_condition(part, kept)

    def width(self, condition: Condition) -> int:
        """The number of subscripts in a condition."""
        return len(condition.form.names() & self.subscripts)

    def may_go(self, condition: Condition, others: Sequence[Condition]) -> bool:
        """Conditions on the tile alone stay, so that each tile has few lines."""
        if condition.is_equality or self.width(condition) != 1:
            return not condition.is_equality and self.width(condition) > 1
        (name,) = condition.form.names() & self.subscripts
        upwards = condition.form.factor(name) > 0
        bounds = (other for other in others if self.width(other) == 1 and other.form.factor(name))
        return any(other.is_equality or (other.form.factor(name) > 0) == upwards for other in bounds)

    def cut(self, part: isl.BasicSet) -> list[isl.BasicSet]:
        """Two parts with fewer conditions on several subscripts between them, the fewest there are; else none."""
        best: list[isl.BasicSet] = []
        least = self.coupled(part)
        for pieces in self.faces(part) if least else ():
            left = sum(map(self.coupled, map(self.relaxed, pieces)))
            if left < least:
                best, least = pieces, left
        return best

    def faces(self, part: isl.BasicSet) -> Iterator[list[isl.BasicSet]]:
        """For each bound of a single subscript the points on it, and the others, where there are both."""
        for constraint, condition in constraints_of(part, self.names):
            if not constraint.is_equality() and self.width(condition) == 1:
                aff = constraint.get_aff()
                on = isl.Constraint.equality_from_aff(aff)
                off = isl.Constraint.inequality_from_aff(aff.add_constant_val(isl.Val(-1)))
                pieces = [part.add_constraint(added).remove_redundancies() for added in (off, on)]
                if not any(piece.is_empty() for piece in pieces):
                    yield pieces

    def needed(self, parts: list[isl.BasicSet]) -> isl.Set:
        """The union of the parts without those that the others hold."""
        sets = [isl.Set.from_basic_set(part) for part in parts]
        for place in reversed(range(len(sets))):
            if self.only_in(sets, place).is_empty():
                del sets[place]
        return self.union(sets)

    def union(self, sets: list[isl.Set]) -> isl.Set:
        return union([isl.Set.empty(self.whole.get_space()), *sets])


def _built_condition(like: isl.BasicSet, kept: Sequence[tuple[isl.Constraint, Condition]]) -> isl.BasicSet:
    result = isl.BasicSet.universe(like.get_space())
    for constraint, _ in kept:
        result = result.add_constraint(constraint)
    return result


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
    whole = relation.intersect_domain(known).coalesce().wrap().flatten().intersect_params(nest.context).compute_divs()
    simple = plain_parts(whole, around, names, subscripts).gist(around.simple_hull()).gist_params(nest.context)
    parts = []
    for part in simple.compute_divs().get_basic_sets():
        asked = list(conditions_of(part.remove_redundancies(), names))
        when = tuple(condition for condition in asked if not condition.form.names() & frozenset(subscripts))
        parts.append(Case(when, tuple(condition for condition in asked if condition not in when)))
    return sorted(parts, key=lambda case: [str(condition) for condition in case.when])


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
    edge = isl.Constraint.alloc_inequality(isl.LocalSpace.from_space(windows.get_space()))
    place = windows.find_dim_by_name(isl.dim_type.param, size)
    edge = edge.set_coefficient_val(isl.dim_type.set, axis, isl.Val(1))
    edge = edge.set_coefficient_val(isl.dim_type.param, place, isl.Val(1)).set_constant_val(isl.Val(-1))
    return isl.Set.from_basic_set(isl.BasicSet.from_constraint(edge))


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


# A function from elements to tiles as a tree of conditions: the quasi-affine selection trees of paper C, section 2.2.
#
# Each inner node asks one condition, each leaf names a tile or none. Rule (1) of the paper, `if p then x else x` is
# x, is applied throughout, and no condition is asked that the ones above it decide.

TREE_EFFORT = 1_000_000  # isl's operations for one tree


@dataclass(frozen=True, slots=True)
class ValueLeaf:
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


Tree: TypeAlias = ValueLeaf | Branch
_Pieces = list[tuple[isl.Set, ValueLeaf]]


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
    with bounded_effort(TREE_EFFORT):
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
        pieces.append((where, ValueLeaf(tuple(zip(results, forms, strict=True)))))

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
        return ValueLeaf(None)
    if len({leaf for _, leaf in alive}) == 1 and known.is_subset(union([where for where, _ in alive])):
        return alive[0][1]
    side, condition = _question(known, alive, names)
    then = _grown(known.intersect(side), alive, names)
    otherwise = _grown(known.subtract(side), alive, names)
    return then if then == otherwise else Branch(condition, then, otherwise)


def _question(known: isl.Set, alive: _Pieces, names: Sequence[str]) -> tuple[isl.Set, Condition]:
    """The open condition of the pieces that leaves fewest pieces on both of its sides together."""
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
    if isinstance(tree, ValueLeaf):
        text = "none" if tree.values is None else ", ".join(f"{name} = {form}" for name, form in tree.values)
        return indent + text
    asked, inner = [tree.condition], tree.then
    while isinstance(inner, Branch) and inner.otherwise == tree.otherwise:
        asked.append(inner.condition)
        inner = inner.then
    lines = [f"{indent}if {' and '.join(str(condition) for condition in asked)}", tree_text(inner, f"{indent}  ")]
    return "\n".join([*lines, f"{indent}else", tree_text(tree.otherwise, f"{indent}  ")])
