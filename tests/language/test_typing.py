"""Promotion of operand types against NumPy's."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from arrayol.ir.types import NUMPY_TYPES, ElementType, Weak
from arrayol.language.typing.promotion import meet, promote

NUMPY = {
    ElementType.BOOL: np.bool_,
    **{member: np.dtype(f"{member[0]}{int(member[1:]) // 8}").type for member in NUMPY_TYPES if member[0] in "iufc"},
}


@pytest.mark.parametrize(("left", "right"), list(product(NUMPY_TYPES, NUMPY_TYPES)))
def test_promotion_is_numpys_without_f16(left: ElementType, right: ElementType) -> None:
    expected = np.result_type(NUMPY[left], NUMPY[right])
    mixed_u64 = ElementType.U64 in (left, right) and {left[0], right[0]} == {"i", "u"}
    if mixed_u64:
        assert promote(left, right) is None
    else:
        found = promote(left, right)
        assert found is not None
        # integers never become f16: where NumPy would take it, no pair of these types asks for it
        assert np.dtype(NUMPY[found]) == expected


def test_constants_among_themselves() -> None:
    assert meet(Weak.BOOL, Weak.INTEGER) is meet(Weak.FLOAT, Weak.BOOL) is None
    assert meet(Weak.BOOL, Weak.BOOL) is Weak.BOOL
    assert meet(Weak.INTEGER, Weak.INTEGER) is Weak.INTEGER
    assert meet(Weak.INTEGER, Weak.FLOAT) is meet(Weak.FLOAT, Weak.INTEGER) is Weak.FLOAT


@pytest.mark.parametrize("member", list(NUMPY_TYPES))
def test_constants_are_weak_as_in_numpy(member: ElementType) -> None:
    one = np.ones(1, NUMPY[member])
    if member is ElementType.BOOL:
        assert meet(Weak.INTEGER, member) is meet(Weak.FLOAT, member) is None
        assert meet(Weak.BOOL, member) is member
        return
    assert meet(Weak.BOOL, member) is None
    assert meet(Weak.INTEGER, member) is member
    assert (one + 1).dtype == NUMPY[member]
    found = meet(member, Weak.FLOAT)
    assert isinstance(found, ElementType)
    assert np.dtype(NUMPY[found]) == (one + 1.5).dtype
