"""Bounds of loops that are the greater or the smaller of affine forms, as `MAX(i - 1, 0)` of a window at a border."""

from __future__ import annotations

from arrayol.c_import.arithmetic import COMPARISONS, affine_condition
from arrayol.c_import.model import COperation, ElementGuard, Form, not_negative

_INTEGERS = frozenset({"i32", "i64"})


def forms_of_extreme(value: COperation, is_greatest: bool) -> list[Form] | None:
    """Forms of which an integer is the greatest (or the smallest) in each iteration; None where it is no such."""
    if value.form is not None:
        return [value.form]
    if value.type not in _INTEGERS or value.kind not in {"convert", "choice"}:
        return None
    if value.kind == "convert":
        return forms_of_extreme(value.operands[0], is_greatest)
    condition, first, second = affine_condition(value.operands[0]), *(side.form for side in value.operands[1:])
    if condition is None or condition.kind != ">=" or condition.form is None or first is None or second is None:
        return None
    beyond = first - second if is_greatest else second - first
    # `form >= 0` picks the first: right where it is at or beyond the second one, and wrong nowhere else.
    return [first, second] if (beyond - condition.form).number in {0, 1} else None


def bounding_condition(value: COperation) -> ElementGuard | None:
    """The condition that a truth value is, as comparisons of affine forms that all hold; None where it depends on data.

    `k <= MIN(i + 1, H - 1)` is `k <= i + 1 and k <= H - 1`.
    """
    known = affine_condition(value)
    if known is not None:
        return known
    if value.kind == "and":
        parts = [one for each in value.operands if (one := bounding_condition(each)) is not None]
        return ElementGuard("and", parts=tuple(parts)) if len(parts) == len(value.operands) else None
    if value.kind not in COMPARISONS - {"==", "!="}:
        return None
    greater, less = value.operands if value.kind in {">", ">="} else reversed(value.operands)
    highs, lows = forms_of_extreme(greater, is_greatest=False), forms_of_extreme(less, is_greatest=True)
    if highs is None or lows is None:
        return None
    strictly = 0 if value.kind.endswith("=") else 1
    return ElementGuard("and", parts=tuple(not_negative(high - low - strictly) for high in highs for low in lows))
