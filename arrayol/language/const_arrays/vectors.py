"""Constant expressions for many values of their range variables at once, exactly as one by one.

A formula of an array of 2**24 elements is evaluated by NumPy where that gives, bit for bit, what
`constants.Constants.evaluate` gives: integers that stay within 64 bits, arithmetic of f64, functions of the
mathematical library element by element. Whatever else occurs, mistakes among it, raises `NotVectorisedError`: the
caller then takes the elements one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.ir import syntax, trusted
from arrayol.ir.spec import ConstValue
from arrayol.ir.types import MAXIMUM_WIDTH, ElementType, Kind, is_type
from arrayol.language.constants import saturated_type
from arrayol.language.syntax.tree import chain_of
from arrayol.operators.record import Gives, Guard, Operands, Operator
from arrayol.operators.registry import FUNCTIONS, INFIX, PREFIX

Vector = NDArray[Any]  # of int64, float64 or bool
_INT64 = (-(1 << 63), (1 << 63) - 1)
_EXACT_IN_F64 = 1 << 53


class NotVectorisedError(Exception):
    """These elements are to be evaluated one by one."""


def evaluate_all(expr: syntax.Expr, values: Mapping[str, ConstValue], indices: Mapping[str, Vector]) -> Vector:
    """The values of an expression for all `indices` (int64 vectors of one length). Raises NotVectorisedError."""
    length = len(next(iter(indices.values())))
    with np.errstate(all="ignore"):
        return np.broadcast_to(_Evaluation(values, indices).value(expr), (length,))


class _Evaluation:
    def __init__(self, values: Mapping[str, ConstValue], indices: Mapping[str, Vector]) -> None:
        self.values = values
        self.indices = indices

    def value(self, expr: syntax.Expr) -> Vector:
        match expr:
            case syntax.Number() | syntax.Truth():
                return _constant(expr.value)
            case syntax.Ref():
                return self._ref(expr)
            case syntax.Binary():
                return self._chain(expr)
            case syntax.Unary():
                return _unary(PREFIX[expr.operator], self.value(expr.operand))
            case syntax.Conditional():
                condition = _truth(self.value(expr.condition))
                return self._chosen(condition, expr.then, expr.otherwise)
            case syntax.Apply():
                return self._apply(expr)

    def _ref(self, expr: syntax.Ref) -> Vector:
        name = expr.name.text
        if expr.subscripts or (name not in self.indices and name not in self.values):
            raise NotVectorisedError
        return self.indices[name] if name in self.indices else _constant(self.values[name])

    def _apply(self, expr: syntax.Apply) -> Vector:
        name = expr.function.text
        if is_type(name):
            return _converted(ElementType(name), [self.value(argument) for argument in expr.arguments])
        function = FUNCTIONS.get(name)
        least, most = function.arguments if function is not None else (0, 0)
        if function is None or not least <= len(expr.arguments) <= (most or len(expr.arguments)):
            raise NotVectorisedError
        if function.gives is Gives.NAMED:
            return _saturated(saturated_type(expr), self.value(expr.arguments[1]))
        return _applied(function, [self.value(argument) for argument in expr.arguments])

    def _chain(self, expr: syntax.Binary) -> Vector:
        left, chain = chain_of(expr)
        value = self.value(left)
        for node in chain:
            operator = INFIX[node.operator]
            if operator.decides is not None:
                decided = trusted.Truth(operator.decides, node.span)
                then, otherwise = (decided, node.right) if operator.decides else (node.right, decided)
                value = self._chosen(_truth(value), then, otherwise)
            else:
                value = _binary(operator, value, self.value(node.right))
        return value

    def _chosen(self, condition: Vector, then: syntax.Expr, otherwise: syntax.Expr) -> Vector:
        """Each branch for those elements that take it: elsewhere it may have no value."""
        if condition.all():
            return self.value(then)
        if not condition.any():
            return self.value(otherwise)
        places = np.broadcast_to(condition, (len(next(iter(self.indices.values()))),))
        branches = []
        for branch, chosen in ((then, places), (otherwise, ~places)):
            inner = _Evaluation(self.values, {name: index[chosen] for name, index in self.indices.items()})
            branches.append(np.broadcast_to(inner.value(branch), (int(chosen.sum()),)))
        if branches[0].dtype != branches[1].dtype:
            raise NotVectorisedError  # a mixture of integers and floats
        result = np.empty(len(places), branches[0].dtype)
        result[places], result[~places] = branches
        return result


def _constant(value: ConstValue) -> Vector:
    if isinstance(value, int) and not isinstance(value, bool) and not _INT64[0] <= value <= _INT64[1]:
        raise NotVectorisedError
    return np.array(value, "f8" if isinstance(value, float) else "?" if isinstance(value, bool) else "i8")


def _truth(value: Vector) -> Vector:
    if value.dtype != bool:
        raise NotVectorisedError
    return value


def _numbers(*operands: Vector) -> tuple[Vector, ...]:
    """Operands of one kind: all integers, or all f64."""
    if any(operand.dtype == bool for operand in operands):
        raise NotVectorisedError
    if len({operand.dtype for operand in operands}) == 1:
        return operands
    return tuple(operand.astype("f8") for operand in operands)


def _ends(value: Vector) -> tuple[int, int]:
    return int(value.min()), int(value.max())


def _within(low: int, high: int) -> None:
    if low < _INT64[0] or high > _INT64[1]:
        raise NotVectorisedError


def _finite(value: Vector) -> Vector:
    if value.dtype == np.float64 and not np.isfinite(value).all():
        raise NotVectorisedError
    return value


def _binary(operator: Operator, left: Vector, right: Vector) -> Vector:
    if operator.is_comparison:
        return _compared(operator, left, right)
    apply = operator.arrays(np)
    if Operands.TRUTH in operator.domain.defined:
        if left.dtype != right.dtype or left.dtype == np.float64:
            raise NotVectorisedError
        return np.asarray(apply(left, right))
    left, right = _numbers(left, right)
    if left.dtype == np.int64:
        return _integers(operator, left, right)
    if not operator.ring and (operator.guard is not Guard.EXACT or not right.all()):
        raise NotVectorisedError
    return _finite(np.asarray(apply(left, right)))


def _compared(operator: Operator, left: Vector, right: Vector) -> Vector:
    kinds = {left.dtype, right.dtype}
    if len(kinds) > 1:
        if np.dtype(bool) in kinds:
            raise NotVectorisedError
        whole = left if left.dtype == np.int64 else right
        if max(map(abs, _ends(whole))) > _EXACT_IN_F64:
            raise NotVectorisedError
    return np.asarray(operator.arrays(np)(left, right))


def _integers(operator: Operator, left: Vector, right: Vector) -> Vector:
    if operator.guard in (Guard.DIVISOR, Guard.EXACT):
        return _divided(operator, left, right)
    if operator.guard is Guard.AMOUNT and not (_ends(right)[0] >= 0 and _ends(right)[1] <= 62):
        raise NotVectorisedError
    return _bounded(operator, left, right)


def _divided(operator: Operator, left: Vector, right: Vector) -> Vector:
    if not right.all() or -1 in _ends(right) or _ends(left)[0] == _INT64[0]:
        raise NotVectorisedError
    if operator.guard is Guard.DIVISOR:
        return np.asarray(operator.arrays(np)(left, right))
    if (left % right).any():
        raise NotVectorisedError
    return np.asarray(left // right)


def _bounded(operator: Operator, *values: Vector) -> Vector:
    """A function of integers whose result is within 64 bits, as the bounds say."""
    bounds = operator.bounds(*map(_ends, values)) if operator.bounds is not None else None
    if bounds is None:
        raise NotVectorisedError
    _within(*bounds)
    return np.asarray(operator.arrays(np)(*values))


def _unary(operator: Operator, value: Vector) -> Vector:
    if operator.is_connective:
        return ~_truth(value)
    if Operands.TRUTH in operator.domain.defined:
        if value.dtype == np.float64:
            raise NotVectorisedError
        return ~value
    (value,) = _numbers(value)
    return _bounded(operator, value) if value.dtype == np.int64 else np.asarray(-value)


def _applied(function: Operator, arguments: Sequence[Vector]) -> Vector:
    if function.gives is Gives.ROUNDED:
        return _rounded(_numbers(arguments[0])[0], arguments[1])
    values = _numbers(*arguments)
    if function.gives is Gives.FLOAT:
        return _float_function(function, values[0].astype("f8"))
    if values[0].dtype == np.int64 and not function.selects:
        return _bounded(function, *values)
    if function.selects:
        result = values[0]
        for value in values[1:]:  # of equal ones, as zeros of two signs, the first
            result = np.where(value == result, result, function.arrays(np)(result, value))
        return result
    if function.gives is not Gives.MAGNITUDE:
        raise NotVectorisedError
    return np.asarray(function.arrays(np)(*values))


def _float_function(function: Operator, value: Vector) -> Vector:
    if not function.by_library:
        return _finite(np.asarray(function.arrays(np)(value)))
    try:
        return _finite(np.array(list(map(function.exact, value.ravel().tolist())), "f8").reshape(value.shape))
    except (ValueError, OverflowError):
        raise NotVectorisedError from None


def _rounded(value: Vector, bits: Vector) -> Vector:
    """floor(value 2**bits + 1/2) / 2**bits; the fraction that is judged is as exact as it must be."""
    if bits.ndim or bits.dtype != np.int64 or not 0 <= bits <= MAXIMUM_WIDTH:
        raise NotVectorisedError
    if value.dtype == np.int64:
        return value
    scaled = np.ldexp(value, int(bits))
    whole = np.floor(scaled)
    nearest = np.ldexp(whole + (scaled - whole >= 0.5), -int(bits))
    return np.where(np.abs(value) < _EXACT_IN_F64, nearest, value)


def _saturated(target: ElementType, value: Vector) -> Vector:
    low, high = target.integer_range
    (value,) = _numbers(value)
    if high > _INT64[1] or target.is_fixed:
        raise NotVectorisedError
    if value.dtype == np.int64:
        return np.asarray(np.clip(value, low, high))
    if not (np.abs(value) < _EXACT_IN_F64).all():
        raise NotVectorisedError
    return np.asarray(np.clip(np.trunc(value).astype("i8"), low, high))


def _to_fixed(target: ElementType, value: Vector) -> Vector:
    scaled = np.trunc(np.ldexp(value.astype("f8"), target.fraction))
    low, high = target.integer_range
    if not (np.abs(scaled) < _EXACT_IN_F64).all() or scaled.min() < low or scaled.max() > high:
        raise NotVectorisedError
    return np.asarray(np.ldexp(scaled, -target.fraction))


def _converted(target: ElementType, arguments: Sequence[Vector]) -> Vector:
    if len(arguments) != 1:
        raise NotVectorisedError
    (value,) = arguments
    if target is ElementType.BOOL:
        return value.astype(bool)
    if target.is_fixed:
        return _to_fixed(target, value)
    if target.is_integer:
        if value.dtype == np.float64 and not (np.abs(value) < _EXACT_IN_F64).all():
            raise NotVectorisedError
        whole = np.trunc(value).astype("i8") if value.dtype == np.float64 else value.astype("i8")
        low, high = target.integer_range
        if not (low <= _ends(whole)[0] and _ends(whole)[1] <= high):
            raise NotVectorisedError
        return whole
    if target.kind is Kind.COMPLEX:
        raise NotVectorisedError
    number = value.astype("f8")
    return _finite(number.astype("f4").astype("f8")) if target is ElementType.F32 else number
