"""Values of constant expressions: integers exact, floats as f64 (docs/language.md, "Consts and --set")."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction

from arrayol.ir import syntax
from arrayol.ir.spec import ConstValue
from arrayol.ir.types import MAXIMUM_WIDTH, NUMPY_TYPES, ElementType, Kind, is_type, is_width
from arrayol.language.syntax.diagnose import Mistake, did_you_mean, mistake
from arrayol.language.syntax.tree import chain_of
from arrayol.operators.functions import rounded
from arrayol.operators.record import Gives, Guard, Operands, Operator
from arrayol.operators.registry import FUNCTIONS, INFIX, PREFIX
from arrayol.source import Span
from arrayol.text import counted

MAXIMUM_BITS = 4096


def binary(sign: str, left: ConstValue, right: ConstValue, span: Span) -> ConstValue:
    """An operator between two constants."""
    operator = INFIX[sign]
    truths = [isinstance(value, bool) for value in (left, right)]
    if operator.is_comparison:
        if truths[0] != truths[1]:
            raise mistake("wrong-operand", f"'{sign}' between a truth value and a number", span)
        return bool(operator.exact(left, right))
    if not _takes_floats(operator):
        _check_bits(operator, (left, right), span)
    elif any(truths):
        raise mistake("wrong-operand", f"'{sign}' takes numbers, not true or false", span)
    if operator.guard in (Guard.DIVISOR, Guard.EXACT) and right == 0:
        raise mistake("division-by-zero", f"'{sign}' by zero", span)
    if operator.guard is Guard.EXACT and isinstance(left, int) and isinstance(right, int):
        return _exact_quotient(left, right, span)
    if operator.guard is Guard.AMOUNT and isinstance(right, int):
        if right < 0:
            raise mistake("wrong-operand", f"'{sign}' by the negative number {right}", span)
        right = min(right, MAXIMUM_BITS + 1)  # the result of a longer shift is as well known, or as unknown
    return _bounded(lambda: operator.exact(left, right), span)


def _takes_floats(operator: Operator) -> bool:
    return Operands.FLOAT in operator.domain.defined


def _check_bits(operator: Operator, values: Sequence[ConstValue], span: Span) -> None:
    """Raise where operands of an operator on integers are neither integers nor, if it takes them, truth values."""
    if Operands.TRUTH in operator.domain.defined and all(isinstance(value, bool) for value in values):
        return
    if any(isinstance(value, (bool, float)) for value in values):
        raise mistake("wrong-operand", f"'{operator.name}' takes integers", span)


def _exact_quotient(left: int, right: int, span: Span) -> int:
    if left % right:
        raise mistake(
            "inexact-division",
            f"{left} / {right} is not an integer",
            span,
            f"'//' rounds down to {left // right}; for a fraction write {left}.0 / {right}; sizes must divide",
        )
    return left // right


def unary(sign: str, value: ConstValue, span: Span) -> ConstValue:
    """A prefix operator of a constant."""
    operator = PREFIX[sign]
    if operator.is_connective:
        if not isinstance(value, bool):
            raise mistake("wrong-operand", f"'{sign}' takes a truth value", span)
    elif isinstance(value, float) and not _takes_floats(operator):
        raise mistake("wrong-operand", f"'{sign}' takes an integer", span)
    elif isinstance(value, bool):
        if Operands.TRUTH not in operator.domain.defined:
            raise mistake("wrong-operand", f"'{sign}' takes a number, not true or false", span)
        return not value
    return operator.exact(value)  # type: ignore[no-any-return]


def apply(name: str, values: Sequence[ConstValue], span: Span) -> ConstValue:
    """A function of constants."""
    function = FUNCTIONS[name]
    if any(isinstance(value, bool) for value in values):
        raise mistake("wrong-operand", f"'{name}' takes numbers, not true or false", span)
    if not _takes_floats(function):
        raise mistake("wrong-operand", f"'{name}' takes a complex number", span)
    if function.gives is Gives.ROUNDED:
        return rounded(values[0], rounding_bits(values[1], span))
    try:
        return _bounded(lambda: function.exact(*values), span)
    except ValueError:
        shown = ", ".join(map(str, values))
        raise mistake("undefined-value", f"{name}({shown}) is not defined", span) from None


def rounding_bits(value: object, span: Span) -> int:
    """The second argument of `round`. Raises Mistake where it is no number of bits."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAXIMUM_WIDTH:
        message = f"'round' takes a number of bits after the point as its second argument, from 0 to {MAXIMUM_WIDTH}"
        raise mistake("wrong-operand", message, span, "it is an integer constant, as in round(e, 8)")
    return value


def saturate(target: ElementType, value: ConstValue, span: Span) -> ConstValue:
    """A constant as the nearest value of an integer or fixed-point type; what is finer is cut off."""
    if isinstance(value, bool):
        raise mistake("wrong-operand", "'sat' takes numbers, not true or false", span)
    whole = math.trunc(Fraction(value) * (1 << target.fraction))
    return target.value(FUNCTIONS["sat"].exact(whole, *target.integer_range))


def convert(target: ElementType, value: ConstValue, span: Span) -> ConstValue:
    """A constant converted to an element type; its value must fit."""
    if target is ElementType.BOOL:
        return bool(value)
    if target.wraps:
        whole = target.value(math.trunc(Fraction(value) * (1 << target.fraction)))
        check_fits(whole, target, span)
        return whole
    if target.kind is Kind.COMPLEX:
        hint = f"give it a type, as in const Z: {target} = {target}(1, 2)"
        raise mistake(
            "wrong-operand", f"a const of no type is not complex; write {target}(...) where it is used", span, hint
        )
    check_fits(value, target, span)
    return float(struct.unpack("f", struct.pack("f", value))[0]) if target is ElementType.F32 else float(value)


def check_stored(value: ConstValue, target: ElementType, span: Span) -> None:
    """Raise where a constant, of its own kind, cannot be stored in an element type."""
    if isinstance(value, bool) != (target is ElementType.BOOL):
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        raise mistake("constant-does-not-fit", f"{shown} does not fit {target}", span)
    if isinstance(value, float) and target.is_integer:
        hint = f"write {target}({value}) to cut its fraction off"
        raise mistake("constant-does-not-fit", f"the float {value} does not fit {target}", span, hint)
    check_fits(value, target, span)


def check_fits(value: ConstValue, target: ElementType, span: Span, hint: str | None = None) -> None:
    """Raise where an element type cannot hold a constant."""
    if target.is_fixed and target.stored(value) is None:
        message = f"{value} has more than the {counted(target.fraction, 'bit')} of {target} after the point"
        raise mistake("constant-does-not-fit", message, span, f"write round({value}, {target.fraction})")
    if target.wraps:
        low, high = target.value_range
        if not low <= value <= high:
            message = f"{value} does not fit {target}, which holds {low} to {high}"
            raise mistake("constant-does-not-fit", message, span, hint)
    elif target in (ElementType.F32, ElementType.C64) and abs(value) >= _F32_MAXIMUM:
        raise mistake("constant-does-not-fit", f"{value} is beyond the range of {target}", span, hint)
    elif abs(value) >= _F64_MAXIMUM:
        raise mistake("constant-does-not-fit", f"the value is beyond the range of {target}", span)


_F64_MAXIMUM = (2**54 - 1) << 970
_F32_MAXIMUM = (2 - 2**-24) * 2.0**127  # the midpoint to the next power of two rounds to infinity


def _bounded(compute: Callable[[], ConstValue], span: Span) -> ConstValue:
    try:
        value = compute()
    except OverflowError:
        raise too_large(span) from None
    if isinstance(value, float) and not math.isfinite(value):
        raise too_large(span)
    if isinstance(value, int) and value.bit_length() > MAXIMUM_BITS:
        raise too_large(span)
    return value


def too_large(span: Span) -> Exception:
    """The mistake of a constant beyond what is computed."""
    return mistake("constant-too-large", f"the value is beyond {MAXIMUM_BITS} bits, or beyond f64", span)


# Values of constant expressions.

TYPE_NAMES = frozenset(NUMPY_TYPES)  # those that hints propose

_SIZED = re.compile(r"(u?)(int|float|complex)(8|16|32|64|128)(_t)?")
_FOREIGN_TYPES = {
    "float": "f32", "single": "f32", "real": "f32", "double": "f64", "complex": "c64",
    "int": "i32", "integer": "i32", "short": "i16", "long": "i64", "unsigned": "u32", "uint": "u32", "size_t": "u64",
    "char": "i8", "uchar": "u8", "byte": "u8", "ushort": "u16", "ulong": "u64",
    "boolean": "bool", "logical": "bool", "bit": "bool", "std_logic": "bool",
}  # fmt: skip


def meant_type(name: str) -> str | None:
    """A hint for a type as other languages name it: uint8_t is u8."""
    sized = _SIZED.fullmatch(name)
    plain = _FOREIGN_TYPES.get(name) or (sized and (sized[1] or sized[2][0]) + sized[3])
    return f"the type is called '{plain}' here" if plain in TYPE_NAMES else None


def named_type(name: syntax.Name) -> ElementType:
    """The element type of a name. Raises Mistake (`bad-width`, `unknown-type`)."""
    if is_type(name.text):
        return ElementType(name.text)
    if is_width(name.text):
        message, hint = _bad_width(name.text)
        raise mistake("bad-width", message, name.span, hint)
    hint = meant_type(name.text) or did_you_mean(name.text, TYPE_NAMES) or _ALL_TYPES
    raise mistake("unknown-type", f"no element type is named '{name.text}'", name.span, hint)


_ALL_TYPES = "types are bool, integers as u8 or i12, fixed point as i4.12, floats f32 and f64, complex c64 and c128"


def _bad_width(name: str) -> tuple[str, str]:
    """What is wrong with the numbers of an integer or fixed-point type, and what to write."""
    before, point, after = name[1:].partition(".")
    plain = f"{name[0]}{before.lstrip('0') or '0'}{point}{after.lstrip('0') or '0' * bool(point)}"
    if len(plain) < len(name) and is_type(plain):
        return f"'{name}' has a zero too many", f"write {plain}"
    if point and not after.strip("0"):
        return f"'{name}' has no bit after the point", f"an integer is written {name[0]}{before}"
    if name[0] == "i" and point and not before.strip("0"):
        return f"'{name}' has no bit before the point, where its sign stands", f"write i1.{after}, or u0.{after}"
    total = int(before) + int(after or "0")
    return (
        f"'{name}' has {counted(total, 'bit')}",
        f"there are 1 to {MAXIMUM_WIDTH} bits, those after the point included",
    )


_SIZE_HINT = (
    "it must divide without a remainder: choose another const, pad the array to a multiple, "
    "or round down with '//' if the remainder may be dropped"
)
_ARRAY_HINT = "bodies, links and calls read const arrays; a number for all places is a const without a type"


@dataclass(frozen=True, slots=True)
class Constants:
    """The consts in scope: their values, the names of those that could not be computed, and what other names mean."""

    values: Mapping[str, ConstValue]
    broken: Set[str]
    others: Mapping[str, str]

    def value(self, name: syntax.Name) -> ConstValue:
        """The value of a const. Raises Mistake for any other name."""
        if name.text in self.values:
            return self.values[name.text]
        if name.text in self.broken:
            raise Mistake
        if name.text in self.others:
            hint = _ARRAY_HINT if self.others[name.text] == "a const array" else None
            raise mistake("not-a-const", f"'{name.text}' is {self.others[name.text]}, not a const", name.span, hint)
        raise mistake(
            "unknown-name", f"no const is named '{name.text}'", name.span, did_you_mean(name.text, self.values)
        )

    def evaluate(self, expr: syntax.Expr) -> ConstValue:
        """The value of an expression over consts. Raises Mistake."""
        match expr:
            case syntax.Number() | syntax.Truth():
                return expr.value
            case syntax.Binary():
                return self._chain(expr)
            case syntax.Unary():
                return unary(expr.operator, self.evaluate(expr.operand), expr.span)
            case syntax.Conditional():
                chosen = expr.then if self._truth(expr.condition, "if") else expr.otherwise
                return self.evaluate(chosen)
            case syntax.Apply():
                return self._apply(expr)
            case syntax.Ref():
                if expr.subscripts and expr.name.text in self.values:
                    raise mistake("not-a-const", f"'{expr.name.text}' is no const array; consts are numbers", expr.span)
                return self.value(expr.name)

    def integer(self, expr: syntax.Expr, what: str) -> int:
        """The value of an expression that must be an integer; `what` names its role in the message."""
        try:
            value = self.evaluate(expr)
        except Mistake as failure:
            if failure.diagnostic and failure.diagnostic.code == "inexact-division":
                raise Mistake(replace(failure.diagnostic, hint=_SIZE_HINT)) from None
            raise
        if isinstance(value, (bool, float)):
            hint = f"write i64({value}) to cut a fraction off" if isinstance(value, float) else None
            raise mistake("not-an-integer", f"{what} must be an integer, not {constant_text(value)}", expr.span, hint)
        return value

    def _chain(self, expr: syntax.Binary) -> ConstValue:
        left, chain = chain_of(expr)
        value = self.evaluate(left)
        for node in chain:
            value = self._step(node, value)
        return value

    def _step(self, node: syntax.Binary, left: ConstValue) -> ConstValue:
        if node.operator == "//" and isinstance(node.right, syntax.Ref) and not self._is_known(node.right.name.text):
            hint = "'//' divides; a comment starts with '#'"
            raise mistake("unknown-name", f"no const is named '{node.right.name.text}'", node.right.name.span, hint)
        decides = INFIX[node.operator].decides
        if decides is None:
            return binary(node.operator, left, self.evaluate(node.right), node.span)
        if not isinstance(left, bool):
            raise mistake("wrong-operand", f"'{node.operator}' takes truth values", node.left.span)
        return left if left is decides else self._truth(node.right, node.operator)

    def _is_known(self, name: str) -> bool:
        return name in self.values or name in self.broken or name in self.others

    def _truth(self, expr: syntax.Expr, word: str) -> bool:
        value = self.evaluate(expr)
        if not isinstance(value, bool):
            raise mistake("wrong-operand", f"'{word}' takes a truth value, not {constant_text(value)}", expr.span)
        return value

    def _apply(self, expr: syntax.Apply) -> ConstValue:
        name = expr.function.text
        check_function(expr)
        if name in FUNCTIONS and FUNCTIONS[name].gives is Gives.NAMED:
            return saturate(saturated_type(expr), self.evaluate(expr.arguments[1]), expr.span)
        return self.evaluate_applied(expr, [self.evaluate(argument) for argument in expr.arguments])

    def evaluate_applied(self, expr: syntax.Apply, values: Sequence[ConstValue]) -> ConstValue:
        """A function or conversion, but `sat`, of arguments whose values are known. Raises Mistake."""
        name = expr.function.text
        if is_type(name):
            return convert(ElementType(name), values[0], expr.span)
        return apply(name, values, expr.span)


def check_function(expr: syntax.Apply) -> None:
    """Raise where a function or conversion is unknown, or has another number of arguments than it takes."""
    name, count = expr.function.text, len(expr.arguments)
    if name not in FUNCTIONS and is_width(name):
        named_type(expr.function)
    elif name not in FUNCTIONS and name not in TYPE_NAMES:
        hint = meant_type(name) or did_you_mean(name, {*FUNCTIONS, *TYPE_NAMES})
        raise mistake("unknown-function", f"no function is named '{name}'", expr.function.span, hint)
    least, most = FUNCTIONS[name].arguments if name in FUNCTIONS else (1, 2 if name in ("c64", "c128") else 1)
    if count < least or (most is not None and count > most):
        words = _COUNTS[least] if most is None else _COUNTS[most]
        wanted = f"{words} arguments or more" if most is None else f"{words} argument{'s' if most > 1 else ''}"
        wanted = wanted if most is None or least == most else f"{_COUNTS[least]} or {wanted}"
        raise mistake("wrong-arguments", f"'{name}' takes {wanted}, not {count}", expr.span)


_COUNTS = {1: "one", 2: "two"}


def saturated_type(expr: syntax.Apply) -> ElementType:
    """The type that `sat` saturates to, its first argument. Raises Mistake."""
    first = expr.arguments[0]
    named = isinstance(first, syntax.Ref) and not first.subscripts
    if not isinstance(first, syntax.Ref) or not named or not (is_type(first.name.text) or is_width(first.name.text)):
        hint = "write the type, then the number, as in sat(i8, e)"
        raise mistake("wrong-arguments", "'sat' takes a type as its first argument", first.span, hint)
    target = named_type(first.name)
    if not target.wraps:
        hint = "it gives integers and fixed-point numbers"
        raise mistake("wrong-operand", f"'sat' is not defined on {target}", first.span, hint)
    return target


def constant_text(value: ConstValue) -> str:
    """A constant as the language writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
