"""Arrays of which each iteration needs its own slice only: without the dimension that the iterations have.

A scalar that an inner loop hands on has an array of its values, for all iterations of the loops around it too. Where
that array is the memory of a body, those loops are no repetition with it; with a slice in its place they may be.
"""

from __future__ import annotations

from dataclasses import replace

from arrayol.c_import.graphs import with_accesses
from arrayol.c_import.model import ElementAccess, Form, Scop
from arrayol.c_import.plans import Stage
from arrayol.ir.affine import Affine


def with_slices(scop: Scop, stage: Stage) -> Scop | None:
    """The scop with slices in place of the arrays that only one body sees; None where there is none."""
    places = {name: found for name in stage.private if (found := _places(name, scop))}
    if not places:
        return None
    variables = {
        name: replace(one, dims=_without(one.dims, places[name])) if name in places else one
        for name, one in scop.variables.items()
    }

    def slice_of(access: ElementAccess) -> ElementAccess:
        return replace(access, subscripts=_without(access.subscripts, places.get(access.array, set())))

    statements = tuple(with_accesses(one, slice_of) for one in scop.statements)
    return replace(scop, variables=variables, statements=statements)


def _places(name: str, scop: Scop) -> set[int]:
    """The dimensions of an array that all accesses subscript by the iterator of one loop around them."""
    uses = [(one, access) for one in scop.statements for access in (one.target, *one.reads) if access.array == name]
    first = uses[0][0]
    return {
        place
        for place in range(len(scop.variables[name].dims))
        for loop in first.loops
        if all(loop in one.loops and access.subscripts[place] == Affine(((loop.name, 1),)) for one, access in uses)
    }


def _without(items: tuple[Form, ...], places: set[int]) -> tuple[Form, ...]:
    return tuple(one for place, one in enumerate(items) if place not in places)
