"""Values of constant expressions: integers exact, floats as f64 (docs/language.md, "Consts and --set")."""

from __future__ import annotations

import math
import operator
import re
import struct
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction

from arrayol.ir import syntax
from arrayol.ir.spec import ConstValue
from arrayol.ir.types import MAXIMUM_WIDTH, NUMPY_TYPES, ElementType, Kind, is_type, is_width
from arrayol.language.diagnose import Mistake, did_you_mean, mistake
from arrayol.language.tree import chain_of
from arrayol.source import Span
from arrayol.text import counted

MAXIMUM_BITS = 4096

_ARITHMETIC: dict[str, Callable[[ConstValue, ConstValue], ConstValue]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
_BITWISE: dict[str, Callable[[int, int], int]] = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
COMPARISONS: dict[str, Callable[[ConstValue, ConstValue], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_REAL_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "floor": lambda value: float(math.floor(value)),
    "ceil": lambda value: float(math.ceil(value)),
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
}
# The least and the greatest number of arguments; None is any.
FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "abs": (1, 1),
    "min": (2, None),
    "max": (2, None),
    "round": (2, 2),
    "sat": (2, 2),
    "real": (1, 1),
    "imag": (1, 1),
    "conj": (1, 1),
} | dict.fromkeys(_REAL_FUNCTIONS, (1, 1))
_OF_COMPLEX = ("real", "imag", "conj")


def binary(sign: str, left: ConstValue, right: ConstValue, span: Span) -> ConstValue:
    """An operator between two constants."""
    if sign in COMPARISONS:
        if isinstance(left, bool) != isinstance(right, bool):
            raise mistake("wrong-operand", f"'{sign}' between a truth value and a number", span)
        return COMPARISONS[sign](left, right)
    if sign in _BITWISE:
        return _bitwise(sign, left, right, span)
    if isinstance(left, bool) or isinstance(right, bool):
        raise mistake("wrong-operand", f"'{sign}' takes numbers, not true or false", span)
    if sign in ("/", "//", "%") and right == 0:
        raise mistake("division-by-zero", f"'{sign}' by zero", span)
    if sign == "/" and isinstance(left, int) and isinstance(right, int):
        return _exact_quotient(left, right, span)
    return _bounded(lambda: _ARITHMETIC[sign](left, right), span)


def _exact_quotient(left: int, right: int, span: Span) -> int:
    if left % right:
        raise mistake(
            "inexact-division",
            f"{left} / {right} is not an integer",
            span,
            f"'//' rounds down to {left // right}; for a fraction write {left}.0 / {right}; sizes must divide",
        )
    return left // right


def _bitwise(sign: str, left: ConstValue, right: ConstValue, span: Span) -> ConstValue:
    if isinstance(left, bool) and isinstance(right, bool) and sign in ("&", "|", "^"):
        return bool(_BITWISE[sign](left, right))
    if isinstance(left, (bool, float)) or isinstance(right, (bool, float)):
        raise mistake("wrong-operand", f"'{sign}' takes integers", span)
    if sign in ("<<", ">>") and right < 0:
        raise mistake("wrong-operand", f"'{sign}' by the negative number {right}", span)
    if sign == "<<" and right + left.bit_length() > MAXIMUM_BITS:
        raise too_large(span)
    return _BITWISE[sign](left, min(right, MAXIMUM_BITS) if sign == ">>" else right)


def unary(sign: str, value: ConstValue, span: Span) -> ConstValue:
    """`-`, `~` or `not` of a constant."""
    if sign == "not":
        if not isinstance(value, bool):
            raise mistake("wrong-operand", "'not' takes a truth value", span)
        return not value
    if sign == "~":
        if isinstance(value, float):
            raise mistake("wrong-operand", "'~' takes an integer", span)
        return not value if isinstance(value, bool) else ~value
    if isinstance(value, bool):
        raise mistake("wrong-operand", "'-' takes a number, not true or false", span)
    return -value


def apply(name: str, values: Sequence[ConstValue], span: Span) -> ConstValue:
    """A function of constants; integers stay integers in abs, min and max only."""
    if any(isinstance(value, bool) for value in values):
        raise mistake("wrong-operand", f"'{name}' takes numbers, not true or false", span)
    if name in _OF_COMPLEX:
        raise mistake("wrong-operand", f"'{name}' takes a complex number", span)
    if name == "round":
        return rounded(values[0], rounding_bits(values[1], span))
    if name == "abs":
        return abs(values[0])
    if name in ("min", "max"):
        chosen = (min if name == "min" else max)(values)
        return _bounded(lambda: float(chosen), span) if any(isinstance(value, float) for value in values) else chosen
    try:
        return _bounded(lambda: _REAL_FUNCTIONS[name](values[0]), span)
    except ValueError:
        raise mistake("undefined-value", f"{name}({values[0]}) is not defined", span) from None


def rounded(value: ConstValue, bits: int) -> ConstValue:
    """A number to so many bits after the point: floor(value * 2**bits + 1/2) / 2**bits, the exact one."""
    if isinstance(value, int) or abs(value) >= _WHOLE:
        return value
    return float(Fraction(math.floor(Fraction(value) * (1 << bits) + Fraction(1, 2)), 1 << bits))


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
    low, high = target.integer_range
    return target.value(min(max(math.trunc(Fraction(value) * (1 << target.fraction)), low), high))


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


_WHOLE = 1 << 53  # from here on each f64 is an integer
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
    "it must divide without a rest: choose a const that does, pad the array to a multiple, "
    "or round down with '//' where the rest may be left out"
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
            raise mistake("not-an-integer", f"{what} must be an integer, not {_shown(value)}", expr.span, hint)
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
        if node.operator not in ("and", "or"):
            return binary(node.operator, left, self.evaluate(node.right), node.span)
        if not isinstance(left, bool):
            raise mistake("wrong-operand", f"'{node.operator}' takes truth values", node.left.span)
        decided = left if node.operator == "or" else not left
        return left if decided else self._truth(node.right, node.operator)

    def _is_known(self, name: str) -> bool:
        return name in self.values or name in self.broken or name in self.others

    def _truth(self, expr: syntax.Expr, word: str) -> bool:
        value = self.evaluate(expr)
        if not isinstance(value, bool):
            raise mistake("wrong-operand", f"'{word}' takes a truth value, not {_shown(value)}", expr.span)
        return value

    def _apply(self, expr: syntax.Apply) -> ConstValue:
        name = expr.function.text
        check_function(expr)
        if name == "sat":
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
    least, most = FUNCTIONS.get(name) or (1, 2 if name in ("c64", "c128") else 1)
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


def _shown(value: ConstValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
