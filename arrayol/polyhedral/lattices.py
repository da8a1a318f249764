"""Small exact questions about integer vectors: which combination of columns is a vector, and where a block begins."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from arrayol.ir.spec import IntMatrix, Shape
from arrayol.polyhedral.points import coordinates

Vector = tuple[int, ...]


def least_combination(
    matrix: IntMatrix, target: Sequence[int], *, fixed: Sequence[int] = (), periods: Shape = ()
) -> Vector | None:
    """The integers x with matrix x = target of least sum |x|, or None. Columns in `fixed` get 0.

    With `periods` row k needs to hold only modulo periods[k], where that is not None.
    """
    count = len(matrix[0]) if matrix else 0
    names, sizes = [f"x{place}" for place in range(count)], [f"a{place}" for place in range(count)]
    quotients = [f"q{row}" for row in range(len(periods))]
    conditions = [f"total = {' + '.join(sizes) or '0'}"]
    conditions += [f"-{size} <= {name} <= {size}" for name, size in zip(names, sizes, strict=True)]
    conditions += [f"{names[place]} = 0" for place in fixed]
    for row, (factors, wanted) in enumerate(zip(matrix, target, strict=True)):
        period = periods[row] if periods else None
        turn = "0" if period is None else f"{period} * q{row}"
        conditions.append(f"{combination(factors, names)} = {wanted} + {turn}")
    around = f"exists {', '.join(quotients)} : " if quotients else ""
    found = isl.Set(f"{{ [{', '.join(['total', *sizes, *names])}] : {around}{' and '.join(conditions)} }}").lexmin()
    return None if found.is_empty() else coordinates(found.sample_point())[1 + count :]


def combination(factors: Sequence[int], names: Sequence[str]) -> str:
    """A sum of products as isl's text."""
    return " + ".join(f"{factor} * {name}" for factor, name in zip(factors, names, strict=True) if factor) or "0"
