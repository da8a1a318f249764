"""How many elements tiles move, as formulas in the symbols and the tile's coordinates: sums of 1 over sets of points.

The points are summed over one dimension after the other. Which lower bound is the greatest and which upper one the
least is told apart by cases, disjoint by construction; in each the sum of a polynomial between two bounds is a
polynomial (polynomials.py). Where a bound is a fraction of a dimension that is still to be summed, that dimension is
split by its remainders, so that every bound is an integer on each part. The formula is exact, or there is none: limits
on isl's work, on cases and on terms give up, and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import islpy as isl

from arrayol.polyhedral.isl import TooHardError, bounded_effort
from arrayol.tiling.conditions import only_tiles
from arrayol.tiling.nest import PREFIX, TiledNest
from arrayol.tiling.polynomials import ONE, Formula, FormulaCase, Polynomial, added, joined, merged, of_form, sum_over
from arrayol.tiling.quasi_affine import (
    Atom,
    Condition,
    Floor,
    QuasiAffine,
    conditions_of,
    floor_of,
    name_form,
    renamed,
    shown,
)
from arrayol.tiling.relations import parametric

MOST_TERMS = 30  # of a polynomial: a longer formula tells people nothing
MOST_PARTS = 2_000  # sums of one dimension each
LARGEST_SPLIT = 64
EFFORT = 3_000_000  # isl's operations for one formula


def size_formula(relation: isl.Map, nest: TiledNest) -> Formula | None:
    """The number of elements that a relation gives each tile, by the tile's coordinates and the symbols.

    None where no formula was found within bounds.
    """
    relation = relation.intersect_domain(only_tiles(relation.domain(), nest))
    flat = relation.wrap().flatten()
    names = [f"{PREFIX}{name}" for name in nest.tile_names]
    elements = parametric(flat, isl.dim_type.set, names)
    return count_formula(elements, nest.context.intersect(elements.params().simple_hull()))


def total_formula(relation: isl.Map, nest: TiledNest) -> Formula | None:
    """The number of pairs of a relation from tiles to elements: its elements summed over all tiles.

    None where no formula was found within bounds, or where a tile size is symbolic: only multiples of it are origins.
    """
    return None if any(nest.by_origin) else count_formula(relation.wrap().flatten(), nest.context)


def count_formula(points: isl.Set, context: isl.Set) -> Formula | None:
    """The number of points of a set as a function of its parameters; None where it was not found within bounds."""
    try:
        with bounded_effort(EFFORT):
            return PointCounter(context).formula(points)
    except TooHardError:
        return None


class PointCounter:
    """One count. Floors of parameters become parameters of their own, so that sets stay free of inner variables."""

    def __init__(self, context: isl.Set) -> None:
        self.context = context
        self.parts = 0
        self.floors: dict[str, Floor] = {}

    def formula(self, points: isl.Set) -> Formula:
        sums: list[tuple[isl.Set, Polynomial]] = []
        for where, value in self.summed(
            points.coalesce(), ONE, [f"x{place}" for place in range(points.dim(isl.dim_type.set))]
        ):
            sums = added(sums, self._plain(where).intersect(self.context), self._shared(where, value))
        floors = self._spelt()
        shared = merged([(where, self._shared(where, value)) for where, value in sums])
        spelt = [(where, value.renamed(lambda name: floors.get(name, shown(name)))) for where, value in shared]
        cases = tuple(self._case(where, value) for where, value in joined(spelt))
        if any(len(case.value.terms) > MOST_TERMS for case in cases):
            raise TooHardError
        return Formula(cases)

    def _shared(self, where: isl.Set, value: Polynomial) -> Polynomial:
        """With one floor in place of several that are equal in a case or differ by 1, and 0 or 1 where known."""
        used = [name for name in self.floors if name in value.names()]
        for place, name in enumerate(used):
            others = [QuasiAffine(), *(name_form(other) for other in used[:place])]
            same = [other + step for other in others for step in (0, 1)]
            equal = next((other for other in same if self._are_equal(where, name_form(name), other)), None)
            value = value if equal is None else value.replaced(name, of_form(equal))
        return value

    def _are_equal(self, where: isl.Set, left: QuasiAffine, right: QuasiAffine) -> bool:
        universe = isl.BasicSet.universe(where.params().get_space())
        difference = left - right
        equal = self._where(universe, [difference, difference.scaled(-1)], [])
        known = self._where(universe, [], [], sorted(difference.names()))
        return bool(where.params().intersect(self.context).intersect(known).is_subset(equal))

    def _plain(self, where: isl.Set) -> isl.Set:
        """Without the parameters that stand for floors."""
        for name in self.floors:
            if name in _parameters(where):
                where = where.project_out(isl.dim_type.param, _parameters(where).index(name), 1)
        return where

    def _case(self, where: isl.Set, value: Polynomial) -> FormulaCase:
        simple = where.coalesce().gist(self.context).coalesce().compute_divs()
        return FormulaCase(tuple(tuple(conditions_of(part, [])) for part in simple.get_basic_sets()), value)

    def _spelt(self) -> dict[str, Atom]:
        """Each floor in the user's names."""
        spelt: dict[str, Atom] = {}
        for name, floor in self.floors.items():
            spelt[name] = renamed(floor, lambda inner: spelt.get(inner, shown(inner)))
        return spelt

    def summed(self, points: isl.Set, value: Polynomial, names: list[str]) -> Iterator[tuple[isl.Set, Polynomial]]:
        """Cases on the parameters, which may overlap, and the sum of `value` over the points in each."""
        for part in points.make_disjoint().compute_divs().get_basic_sets():
            if isl.Set.from_basic_set(part).intersect_params(self.context).is_empty():
                continue
            added = [f"d{self.parts}_{place}" for place in range(part.dim(isl.dim_type.div))]
            yield from self._eliminated(part.lift().flatten().remove_redundancies(), value, [*names, *added])

    def _eliminated(
        self, part: isl.BasicSet, value: Polynomial, names: list[str]
    ) -> Iterator[tuple[isl.Set, Polynomial]]:
        self.parts += 1
        if self.parts > MOST_PARTS:
            raise TooHardError
        if not names:
            yield isl.Set.from_basic_set(part.params()), value
            return
        constraints = list(_constraints(part, names))
        fixed = _fixed_name(constraints, names)
        if fixed is not None:
            name, solution = fixed
            rest = part.project_out(isl.dim_type.set, names.index(name), 1)
            left = [other for other in names if other != name]
            yield from self.summed(isl.Set.from_basic_set(rest), value.replaced(name, of_form(solution)), left)
            return
        bounds = min((_Bounds.of(constraints, name, names) for name in names), key=lambda bounds: bounds.cost)
        if bounds.split is not None:
            yield from self._by_remainders(part, value, names, *bounds.split)
        else:
            yield from self._between(part, value, names, bounds)

    def _between(
        self, part: isl.BasicSet, value: Polynomial, names: list[str], bounds: _Bounds
    ) -> Iterator[tuple[isl.Set, Polynomial]]:
        place = names.index(bounds.name)
        rest = part.drop_constraints_involving_dims(isl.dim_type.set, place, 1).project_out(isl.dim_type.set, place, 1)
        left = [name for name in names if name != bounds.name]
        lows = [self._named(bound).scaled(-1) for bound in bounds.lows]
        highs = [self._named(bound) for bound in bounds.highs]
        if not lows or not highs:
            raise TooHardError  # no end
        for low, high in product(range(len(lows)), range(len(highs))):
            wanted = [*_extreme(lows, low, 1), *_extreme(highs, high, -1), highs[high] - lows[low]]
            chosen = self._where(rest, wanted, left)
            if not chosen.is_empty():
                summed = sum_over(value, bounds.name, of_form(lows[low]), of_form(highs[high]))
                yield from self.summed(isl.Set.from_basic_set(chosen), summed, left)

    def _named(self, form: QuasiAffine) -> QuasiAffine:
        """With a parameter in place of each floor."""
        terms = []
        for atom, factor in form.terms:
            if isinstance(atom, Floor):
                name = next((name for name, floor in self.floors.items() if floor == atom), f"f{len(self.floors)}")
                self.floors[name] = atom
                terms.append((name, factor))
            else:
                terms.append((str(atom), factor))
        return QuasiAffine.of(terms, form.constant)

    def _where(
        self, part: isl.BasicSet, wanted: Sequence[QuasiAffine], names: Sequence[str], floors: Sequence[str] = ()
    ) -> isl.BasicSet:
        """The points at which all forms are at least 0, with what is true of their floors and of further ones."""
        used = {*floors, *(name for form in wanted for name in form.names() if name in self.floors)}
        for name in reversed(self.floors):  # a floor may stand inside a later one
            if name in used:
                used |= {inner for inner in self.floors[name].form.names() if inner in self.floors}
        ranges = []
        for name in used:
            over = self.floors[name].form - name_form(name).scaled(self.floors[name].divisor)
            ranges += [over, over.scaled(-1) + (self.floors[name].divisor - 1)]
        for name in sorted(used):
            if name not in _parameters(part):
                place = part.dim(isl.dim_type.param)
                part = part.add_dims(isl.dim_type.param, 1).set_dim_name(isl.dim_type.param, place, name)
        for form in (*wanted, *ranges):
            part = part.add_constraint(_constraint(part, form, names))
        return part

    def _by_remainders(
        self, part: isl.BasicSet, value: Polynomial, names: list[str], name: str, divisor: int
    ) -> Iterator[tuple[isl.Set, Polynomial]]:
        """Each remainder r of a dimension on its own: the dimension becomes divisor q + r."""
        if divisor > LARGEST_SPLIT:
            raise TooHardError
        place = names.index(name)
        new = f"q{self.parts}"
        for remainder in range(divisor):
            both = part.insert_dims(isl.dim_type.set, place, 1)
            split = QuasiAffine.of([(new, divisor), (name, -1)], remainder)
            names_of_both = [*names[:place], new, *names[place:]]
            both = both.add_constraint(_constraint(both, split, names_of_both))
            both = both.add_constraint(_constraint(both, split.scaled(-1), names_of_both))
            rest = both.project_out(isl.dim_type.set, place + 1, 1)
            replacement = of_form(QuasiAffine.of([(new, divisor)], remainder))
            left = [new if other == name else other for other in names]
            yield from self.summed(isl.Set.from_basic_set(rest), value.replaced(name, replacement), left)


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Integer bounds -low <= x <= high of a dimension, or the dimension to split by remainders before it has any."""

    name: str
    lows: tuple[QuasiAffine, ...]
    highs: tuple[QuasiAffine, ...]
    split: tuple[str, int] | None
    cost: tuple[int, int]

    @staticmethod
    def of(constraints: Sequence[Condition], name: str, names: Sequence[str]) -> _Bounds:
        lows, highs, split, weight = [], [], None, 0
        for condition in constraints:
            factor = condition.form.factor(name)
            if not factor:
                continue
            if condition.is_equality:  # no dimension of it has factor 1: told apart by remainders
                split, weight = _equality_split(condition, name, names), 1_000
                continue
            size, rest = abs(factor), condition.form.without(name)
            for atom, own in rest.terms:
                if atom in names and own % size:
                    split, weight = (str(atom), size), weight + size
            if factor > 0:  # name >= -rest / size, rounded up
                lows.append(floor_of(rest, size))
            else:
                highs.append(floor_of(rest, size))
        return _Bounds(name, tuple(lows), tuple(highs), split, (weight, len(lows) * len(highs)))


def _equality_split(condition: Condition, name: str, names: Sequence[str]) -> tuple[str, int]:
    """In a x + b y + ... = 0 the remainder of y by a is told apart, until all but x are multiples of a."""
    size = abs(condition.form.factor(name))
    for atom, own in condition.form.terms:
        if atom in names and atom != name and own % size:
            return str(atom), size
    raise TooHardError


def _constraints(part: isl.BasicSet, names: Sequence[str]) -> Iterator[Condition]:
    """The constraints of a set without inner variables, parameters under isl's names."""
    kinds = ((isl.dim_type.param, _parameters(part)), (isl.dim_type.set, names))
    for constraint in part.get_constraints():
        terms = [
            (str(name), int(constraint.get_coefficient_val(kind, place).to_python()))
            for kind, held in kinds
            for place, name in enumerate(held)
        ]
        constant = int(constraint.get_constant_val().to_python())
        yield Condition(QuasiAffine.of(terms, constant), bool(constraint.is_equality()))


def _constraint(part: isl.BasicSet, form: QuasiAffine, names: Sequence[str]) -> isl.Constraint:
    """That a form is at least 0, for a set whose dimensions are called `names`."""
    constraint = isl.Constraint.alloc_inequality(part.get_local_space()).set_constant_val(isl.Val(form.constant))
    for atom, factor in form.terms:
        inside = str(atom) in names
        kind = isl.dim_type.set if inside else isl.dim_type.param
        place = names.index(str(atom)) if inside else _parameters(part).index(str(atom))
        constraint = constraint.set_coefficient_val(kind, place, isl.Val(factor))
    return constraint


def _parameters(part: isl.BasicSet | isl.Set) -> list[str]:
    return [str(part.get_dim_name(isl.dim_type.param, place)) for place in range(part.dim(isl.dim_type.param))]


def _fixed_name(constraints: Sequence[Condition], names: Sequence[str]) -> tuple[str, QuasiAffine] | None:
    """A dimension that an equality gives with factor 1 or -1, and its value; one added last first."""
    for name in reversed(names):
        for condition in constraints:
            factor = condition.form.factor(name)
            if condition.is_equality and abs(factor) == 1:
                return name, condition.form.without(name).scaled(-factor)
    return None


def _extreme(bounds: Sequence[QuasiAffine], chosen: int, sign: int) -> Iterator[QuasiAffine]:
    """Forms at least 0 where the chosen bound is the greatest (sign 1) or least (-1); of equal ones the first is."""
    for place, other in enumerate(bounds):
        if place != chosen:
            yield (bounds[chosen] - other).scaled(sign) - int(place < chosen)
