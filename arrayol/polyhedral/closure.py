"""Composition and closure of relations, within a bounded effort of isl.

Isl may end the program where its bound stops it inside `coalesce`, which its closure uses too, so these run without a
bound, on relations of few pieces only.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from arrayol.polyhedral.effort import TooHardError, bounded_effort, tidied

EFFORT = 300_000  # of isl's operations for one step: a fraction of a second
_DOUBLINGS = 12  # chains of up to 4,096 steps are followed one by one where isl finds no closed form
_FEW = 8  # pieces of a relation for a closed form


def composed(first: isl.Map, second: isl.Map) -> isl.Map:
    """First the one relation, then the other."""
    with bounded_effort(EFFORT):
        result = first.apply_range(second)
    return tidied(result)


def joined(relations: Sequence[isl.Map]) -> isl.Map:
    """The union of one relation or several."""
    with bounded_effort(EFFORT):
        result = relations[0]
        for relation in relations[1:]:
            result = result.union(relation)
    return tidied(result)


def last(relation: isl.Map) -> isl.Map:
    """Each element with the last of its images in lexicographic order."""
    with bounded_effort(EFFORT):
        result = relation.lexmax()
    return tidied(result)


def closure(steps: isl.Map) -> isl.Map:
    """The reflexive and transitive closure: from everything to all that some number of steps reaches.

    Isl's closed form where it is exact, else by doubling. Raises TooHardError where neither comes to an end.
    """
    identity = isl.Map.identity(steps.get_space())
    if steps.is_empty():
        return identity
    if steps.n_basic_map() <= _FEW:
        closed, exact = steps.transitive_closure()
        if exact:
            return joined([identity, closed])
    return _doubled(joined([identity, steps]))


def _doubled(reached: isl.Map) -> isl.Map:
    """The closure of a reflexive relation by squaring it until nothing is new."""
    for _ in range(_DOUBLINGS):
        further = composed(reached, reached)
        with bounded_effort(EFFORT):
            if further.is_equal(reached):
                return reached
        reached = further
    raise TooHardError
