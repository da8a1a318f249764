"""Convex parts that people can read: bounds of each subscript on its own rather than of sums of subscripts.

isl joins what fits one polyhedron, as a box without its corner: m + n <= 9 inside it. Conditions on several subscripts
are left out where the set holds what they exclude anyway; what is left of them is cut off at a face of the box. Parts
may overlap then; their union stays the set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from arrayol.polyhedral.isl import TooHardError, bounded_effort
from arrayol.tiling.quasi_affine import Condition
from arrayol.tiling.reading import constraints_of

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
        waiting = self.boxed(waiting)
        done: list[isl.BasicSet] = []
        while waiting:
            one = self.relaxed(waiting.pop(0))
            pieces = self.cut(one)
            waiting = [*pieces, *waiting]
            done += [] if pieces else [one]
            if len(waiting) + len(done) > MOST_PARTS:
                raise TooHardError
        return self.needed(done)

    def boxed(self, parts: list[isl.BasicSet]) -> list[isl.BasicSet]:
        """Boxes around what each part alone holds, where the whole holds the boxes; parts that are not needed go."""
        sets = [isl.Set.from_basic_set(part) for part in parts]
        for place, part in enumerate(parts):
            if self.coupled(part):
                alone = self.alone(sets, place).coalesce()
                boxes = [
                    isl.Set.from_basic_set(self.box(isl.Set.from_basic_set(one))) for one in alone.get_basic_sets()
                ]
                fit = all(box.intersect(self.around).is_subset(self.whole) for box in boxes)
                sets[place] = self.union(boxes) if fit else sets[place]
        return [part.remove_redundancies() for one in sets for part in one.get_basic_sets()]

    def alone(self, sets: list[isl.Set], place: int) -> isl.Set:
        """What one of several sets holds and no other."""
        return sets[place].intersect(self.around).subtract(self.union([*sets[:place], *sets[place + 1 :]]))

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
        found = (condition for _, condition in constraints_of(part, self.names))
        return sum(not condition.is_equality and self.width(condition) > 1 for condition in found)

    def relaxed(self, part: isl.BasicSet) -> isl.BasicSet:
        """The part without conditions that the whole does not need; a bound of a subscript goes if another stays."""
        if part.dim(isl.dim_type.div):
            return part
        kept = list(constraints_of(part, self.names))
        for known in sorted(kept, key=lambda one: -self.width(one[1])):
            others = [one for one in kept if one is not known]
            if self.may_go(known[1], [condition for _, condition in others]):
                wider = _made(part, others)
                if isl.Set.from_basic_set(wider).intersect(self.around).is_subset(self.whole):
                    kept = others
        return _made(part, kept)

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
            if self.alone(sets, place).is_empty():
                del sets[place]
        return self.union(sets)

    def union(self, sets: list[isl.Set]) -> isl.Set:
        return reduce(lambda one, other: one.union(other), sets, isl.Set.empty(self.whole.get_space()))


def _made(like: isl.BasicSet, kept: Sequence[tuple[isl.Constraint, Condition]]) -> isl.BasicSet:
    result = isl.BasicSet.universe(like.get_space())
    for constraint, _ in kept:
        result = result.add_constraint(constraint)
    return result
