"""Accesses through borders against enumeration: how far they go, where they act, and which elements they read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import islpy as isl
from hypothesis import example, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies import NOWHERE, accesses

from arrayol.ir.borders import CONSTANT, Border
from arrayol.ir.spec import Tiler
from arrayol.polyhedral.accesses import Access, acting_axes, find_outside, relation
from arrayol.tiling.enumerate import points

MODES = ("nearest", "reflect", "mirror", CONSTANT)


def continued(mode: str, extent: int) -> dict[int, int]:
    """The element that each coordinate stands for, as far as the mode goes, end by end."""
    row = list(range(extent))
    beyond = {"nearest": [0] * 99, "reflect": row, "mirror": row[1:], CONSTANT: []}[mode]
    found = dict(enumerate(row))
    found |= {-1 - place: element for place, element in enumerate(beyond)}
    return found | {extent + place: extent - 1 - element for place, element in enumerate(beyond)}


def reads(access: Access) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All instances and the coordinates that they touch, before any border."""
    for at in product(*(range(extent or 0) for extent in (*access.repetition, *access.pattern))):
        rank = len(access.repetition)
        yield at, access.coordinates(at[:rank], at[rank:])


@settings(max_examples=case_count(200), deadline=None)
@given(accesses(infinite=False), st.sampled_from(MODES))
@example(Access(Tiler((-4,), ((1,),), ((),), False, NOWHERE), (12,), (), (4,)), "reflect")
@example(Access(Tiler((-4,), ((1,),), ((),), False, NOWHERE), (12,), (), (4,)), "mirror")
def test_what_is_read_equals_enumeration(access: Access, mode: str) -> None:
    border = Border(mode)
    access = replace(access, tiler=replace(access.tiler, wrap=False, border=border))
    known = [continued(border.mode, extent or 0) for extent in access.array]
    expected, too_far, acting = set(), False, set()
    for at, straight in reads(access):
        elements = [row.get(value) for row, value in zip(known, straight, strict=True)]
        ends = enumerate(zip(straight, access.array, strict=True))
        acting |= {axis for axis, (value, extent) in ends if not 0 <= value < (extent or 0)}
        too_far |= None in elements and not border.is_constant
        if None not in elements:
            expected.add((*at, *elements))
            assert access.element(at[: len(access.repetition)], at[len(access.repetition) :]) == tuple(elements)
    assert (find_outside(access) is not None) == too_far
    assert set(acting_axes(access)) == acting
    found = relation(access)
    assert {tuple(row) for row in points(found.wrap().flatten())} == expected
    pieces = found.get_basic_maps()
    assert all(piece.dim(isl.dim_type.div) == 0 for piece in pieces), "no modulo"
    assert len(pieces) <= 3 ** len(access.array)
