"""Complex constants: the elements of const arrays of type c64 and c128, made by `c64(re, im)`."""

from __future__ import annotations

from arrayol.ir import syntax
from arrayol.ir.spec import ConstValue
from arrayol.ir.types import ElementType
from arrayol.language import constants
from arrayol.language.constants import Constants, check_function, too_large
from arrayol.language.syntax.diagnose import mistake
from arrayol.language.syntax.tree import chain_of, nodes_in
from arrayol.operators.record import Gives, Operands, Operator
from arrayol.operators.registry import FUNCTIONS, INFIX, PREFIX
from arrayol.source import Span

Value = ConstValue | complex
_PARTS = {"c64": ElementType.F32, "c128": ElementType.F64}


def element_value(expr: syntax.Expr, known: Constants) -> Value:
    """The value of a constant expression that may be complex. Raises Mistake."""
    makes = any(isinstance(node, syntax.Apply) and node.function.text in _PARTS for node in nodes_in(expr))
    return _value(expr, known) if makes else known.evaluate(expr)


def _value(expr: syntax.Expr, known: Constants) -> Value:
    match expr:
        case syntax.Apply():
            return _applied(expr, known)
        case syntax.Unary() if Operands.COMPLEX in PREFIX[expr.operator].domain.defined:
            value = element_value(expr.operand, known)
            if isinstance(value, complex):
                return _complex_value(PREFIX[expr.operator], value)
            return constants.unary(expr.operator, value, expr.span)
        case syntax.Binary():
            left, chain = chain_of(expr)
            value = element_value(left, known)
            for node in chain:
                value = _binary(node.operator, value, element_value(node.right, known), node.span)
            return value
        case syntax.Conditional():
            holds = known.evaluate(expr.condition)
            if not isinstance(holds, bool):
                raise mistake("wrong-operand", "'if' takes a truth value", expr.condition.span)
            return element_value(expr.then if holds else expr.otherwise, known)
        case _:
            return known.evaluate(expr)


def _applied(expr: syntax.Apply, known: Constants) -> Value:
    check_function(expr)
    name = expr.function.text
    values = [element_value(argument, known) for argument in expr.arguments]
    if name in _PARTS:
        if isinstance(values[0], complex) and len(values) == 1:
            values = [values[0].real, values[0].imag]
        parts = [float(constants.convert(_PARTS[name], _real(value, name, expr.span), expr.span)) for value in values]
        return complex(*parts)
    function = FUNCTIONS.get(name)
    if isinstance(values[0], complex) and function is not None and _is_known(function):
        return _complex_value(function, values[0])
    return known.evaluate_applied(expr, [_real(value, name, expr.span) for value in values])


def _real(value: Value, name: str, span: Span) -> ConstValue:
    if isinstance(value, complex):
        raise mistake("wrong-operand", f"'{name}' is not defined on complex numbers", span)
    return value


def _is_known(function: Operator) -> bool:
    """Whether constants have it of complex numbers: those of the mathematical library are for bodies only."""
    return Operands.COMPLEX in function.domain.defined and function.gives is not Gives.FLOAT


def _complex_value(operator: Operator, *operands: complex) -> Value:
    result: Value = (operator.exact_complex or operator.exact)(*operands)
    return result


def _binary(sign: str, left: Value, right: Value, span: Span) -> Value:
    if not isinstance(left, complex) and not isinstance(right, complex):
        return constants.binary(sign, left, right, span)
    operator = INFIX[sign]
    takes = Operands.COMPLEX in operator.domain.defined
    if not takes or isinstance(left, bool) or isinstance(right, bool):
        raise mistake("wrong-operand", f"'{sign}' is not defined on complex numbers", span)
    try:
        return _complex_value(operator, complex(left), complex(right))
    except ZeroDivisionError:
        raise mistake("division-by-zero", f"'{sign}' by zero", span) from None
    except OverflowError:
        raise too_large(span) from None
