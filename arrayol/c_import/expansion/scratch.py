"""Arrays of one iteration, as the block of a transform in rows and columns, with a part for each iteration.

`int block[8][8]` inside a loop over blocks is memory that each iteration uses again, so all that touches it would be
one body. With `block[b][r][c]` the iterations of the loops inside are repetitions, too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from math import prod

from arrayol.c_import.forms import names_of, number_at
from arrayol.c_import.graphs import with_accesses
from arrayol.c_import.model import ElementAccess, Form, Scop, Statement
from arrayol.c_import.plans import Stage
from arrayol.ir.affine import Affine

_LEAST = 16  # elements, a block of 4 by 4: smaller ones are registers of one unit
_MOST = 2  # times the elements of the largest array that outlives the function


def with_parts(scop: Scop, stage: Stage) -> Scop | None:
    """The scop in which each instance of a stage has a part of its own of the arrays that only it sees.

    None where no such array is large enough, or all parts together would be larger than what the function works on.
    """
    loops = [axis.loop for axis in stage.axes]
    if not loops or any(names_of(form) - set(scop.consts) for one in loops for form in (one.low, one.high)):
        return None
    parts = tuple(loop.high - loop.low for loop in loops)
    count = _elements(scop, parts)
    outside = max((_elements(scop, one.dims) for one in scop.variables.values() if not one.local), default=0)
    sizes = {name: _elements(scop, scop.variables[name].dims) for name in stage.private}
    scratch = {name for name, size in sizes.items() if size >= _LEAST and size * count <= _MOST * outside}
    if not scratch:
        return None
    variables = {
        name: replace(one, dims=(*parts, *one.dims)) if name in scratch else one for name, one in scop.variables.items()
    }
    iterators: list[Form] = [Affine(((loop.name, 1),)) for loop in loops]
    places = tuple(form - loop.low for form, loop in zip(iterators, loops, strict=True))
    own = {one.number for one in stage.statements}
    statements = [  # what others read of the arrays nobody needs: the stage is all that sees them
        _in_parts(one, scratch, places) if one.number in own else one
        for one in scop.statements
        if one.number in own or not scratch & {access.array for access in (one.target, *one.reads)}
    ]
    return replace(scop, variables=variables, statements=tuple(statements))


def _elements(scop: Scop, dims: Collection[Form]) -> int:
    """The number of elements at the sizes that are given; 0 where one is not known."""
    return prod(number_at(dim, scop.values) or 0 for dim in dims)


def _in_parts(statement: Statement, scratch: Collection[str], places: tuple[Form, ...]) -> Statement:
    """The statement with these places before the subscripts of the arrays."""

    def access(one: ElementAccess) -> ElementAccess:
        return replace(one, subscripts=(*places, *one.subscripts)) if one.array in scratch else one

    return with_accesses(statement, access)
