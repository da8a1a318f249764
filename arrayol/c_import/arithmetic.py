"""C's operators on typed values: the usual conversions made explicit, so that a specification has the same bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from arrayol.c_import.constants import (
    FLOATS,
    RANKS,
    CConstant,
    common_type,
    compared,
    converted,
    inverted,
    limits,
    negative,
    operation,
)
from arrayol.c_import.forms import names_of, rounded
from arrayol.c_import.model import BOOL, UNKNOWN, COperation, Dynamic, ElementGuard, Form, Rounded, not_negative
from arrayol.c_import.ranges import NumberNeededError, Ranges
from arrayol.ir.affine import Affine

COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_BITS = {"&", "|", "^"}
EXACT = {  # of math.h and stdlib.h: those that NumPy's are to the last bit, with the types of arguments and result
    **dict.fromkeys(("sqrt",), ("sqrt", "f64")),
    "sqrtf": ("sqrt", "f32"),
    "fabs": ("abs", "f64"),
    "fabsf": ("abs", "f32"),
    "abs": ("abs", "i32"),
    "labs": ("abs", "i64"),
    "llabs": ("abs", "i64"),
    "floor": ("floor", "f64"),
    "floorf": ("floor", "f32"),
    "ceil": ("ceil", "f64"),
    "ceilf": ("ceil", "f32"),
}
NEAR = {  # those whose last bits may differ
    f"{name}{suffix}": (name, kind)
    for name in ("exp", "log", "sin", "cos", "tan")
    for suffix, kind in (("", "f64"), ("f", "f32"))
}
_WEAK = {"literal", "const", "form"}  # in the language they take the type that they meet


class RefusalError(Exception):
    """A construct of C is refused; `hint` says what to write in its place."""

    def __init__(self, message: str, hint: str, node: Any = None, code: str = "not-imported") -> None:
        super().__init__(message)
        self.message, self.hint, self.node, self.code = message, hint, node, code


def literal(constant: CConstant) -> COperation:
    """A constant as a value."""
    if constant.type == BOOL:
        return truth(bool(constant.value))
    form: Form | None = None if constant.type in FLOATS else Affine(constant=int(constant.value))
    return COperation("literal", constant.type, text=constant.text, form=form)


def integer(number: int, kind: str = "i32") -> COperation:
    """An integer as a value."""
    return literal(CConstant(kind, number))


def truth(value: bool) -> COperation:
    """A truth value."""
    return COperation("literal", BOOL, text="true" if value else "false")


def constant_of(value: COperation) -> CConstant | None:
    """The number that a value is in the text, None for any other."""
    if value.kind == "negative":
        inner = constant_of(value.operands[0])
        return None if inner is None else negative(inner)
    if value.kind == "convert" and value.type != BOOL:
        inner = constant_of(value.operands[0])
        return None if inner is None or inner.type == BOOL else converted(inner, value.type)
    if value.kind != "literal":
        return None
    if value.type == BOOL:
        return CConstant(BOOL, int(value.text == "true"))
    return CConstant(value.type, float(value.text) if value.type in FLOATS else int(value.text))


def truth_of(value: COperation) -> bool | None:
    """The truth value that a condition has everywhere; None where that is not known."""
    if value.kind == "literal" and value.type == BOOL:
        return value.text == "true"
    return None


@dataclass
class Arithmetic:
    """Operators of C where loops have these ranges. All raise RefusalError for what the language does not have."""

    ranges: Ranges

    def binary(self, sign: str, left: COperation, right: COperation) -> COperation:
        """An operation on two values: in their common type, of shifts in that of the left one."""
        if sign in {"&&", "||"}:
            return self.both("and" if sign == "&&" else "or", self.condition(left), self.condition(right))
        left, right = self.number(left), self.number(right)
        if sign in {"<<", ">>"}:
            return self._shift(sign, left, right)
        common = common_type(left.type, right.type)
        if sign in {*_BITS, "%"} and common in FLOATS:
            raise RefusalError(f"'{sign}' takes integers", "convert both sides to int")
        one, other = constant_of(left), constant_of(right)
        if one is not None and other is not None:
            return self._of_constants(sign, one, other, common)
        return self._of_operands(sign, (self.converted(left, common), self.converted(right, common)), common)

    def _of_constants(self, sign: str, one: CConstant, other: CConstant, common: str) -> COperation:
        """An operation on two numbers of the text: a number, but for floats that no number is."""
        if sign in COMPARISONS:
            return truth(compared(sign, one, other))
        try:
            return literal(operation(sign, one, other))
        except ArithmeticError as wrong:
            if common not in FLOATS:
                raise RefusalError(str(wrong), "write the number that is meant") from None
            operands = literal(converted(one, common)), literal(converted(other, common))
            return COperation(sign, common, _definite(operands, common))

    def _of_operands(self, sign: str, operands: tuple[COperation, COperation], common: str) -> COperation:
        if sign in COMPARISONS:
            return self._comparison(sign, operands, common)
        if sign in {"/", "%"} and common not in FLOATS:
            return self._division(sign, *operands)
        form = self._affine(sign, operands, common) if common not in FLOATS else None
        if form is not None:
            return self.of_form(form, common)
        return COperation(sign, common, _definite(operands, common))

    def _affine(self, sign: str, operands: tuple[COperation, COperation], kind: str) -> Form | None:
        """The form of a sum, difference, product or mask, where it is one and does not wrap."""
        left, right = operands[0].form, operands[1].form
        if sign == "&":  # a rest of a power of two is that of what has wrapped, too
            left, right = left or unwrapped(operands[0]), right or unwrapped(operands[1])
        if left is None or right is None:
            return None
        form: Form | None = None
        if sign == "+":
            form = left + right
        elif sign == "-":
            form = left - right
        elif sign == "*":
            form = self._product(left, right)
        elif sign in _BITS:
            form = _masked(sign, left, right, kind) or _masked(sign, right, left, kind)
        if form is None or kind[0] == "i" or any(name.startswith(UNKNOWN) for name in names_of(form)):
            return form  # what leaves a signed type is not defined in C; the trial of a loop shows what it would be
        return form if self.is_between(form, *limits(kind)) else None

    def _product(self, left: Form, right: Form) -> Form | None:
        for factor, other in ((left, right), (right, left)):
            if factor.number is not None:
                return other.scaled(factor.number)
        for factor, other in (
            (left, right),
            (right, left),
        ):  # a const times an iterator: the const is a number from now on
            names = [term for term, _ in factor.terms]
            if all(isinstance(name, str) and name in self.ranges.consts for name in names) and other.terms:
                self.ranges.greatest(factor)
        return None

    def is_between(self, form: Form, low: int, high: int) -> bool:
        """Whether a form surely keeps to these ends. Raises NumberNeededError."""
        least = self.ranges.least(form)
        if least is None or least < low:
            return False
        greatest = self.ranges.greatest(form)
        return greatest is not None and greatest <= high

    def of_form(self, form: Form, kind: str) -> COperation:
        """An integer of loops, consts and what data choose, in a type that holds it."""
        if form.number is not None:
            return integer(form.number, kind)
        chosen = next(((term, factor) for term, factor in form.terms if isinstance(term, Dynamic)), None)
        if chosen is not None:
            value, others = self.converted(chosen[0].value, kind), form.without(chosen[0])
            value = value if chosen[1] == 1 else self.binary("*", value, integer(chosen[1], kind))
            return value if others.number == 0 else self.binary("+", self.of_form(others, kind), value)
        value = COperation("form", "i32", form=form)
        return value if kind == "i32" else COperation("convert", kind, (value,), form=form)

    def _shift(self, sign: str, left: COperation, right: COperation) -> COperation:
        left, right = self.promoted(left), self.promoted(right)
        if left.type in FLOATS or right.type in FLOATS:
            raise RefusalError(f"'{sign}' takes integers", "convert both sides to int")
        constants = constant_of(left), constant_of(right)
        if constants[0] is not None and constants[1] is not None:
            return literal(self._folded(operation, sign, *constants))
        bits = int(left.type[1:])
        low, high = self.ranges.of(right)
        if (low < 0 or high >= bits) and right.form is not None:  # consts are numbers from now on
            least, greatest = self.ranges.least(right.form), self.ranges.greatest(right.form)
            low, high = (low if least is None else least), (high if greatest is None else greatest)
        if low < 0 or high >= bits:
            if high < 0 or low >= bits:
                distances = str(low) if high == low else f"{low} to {high}"
                message = f"a shift by {distances} of {bits} bits is not defined in C"
                raise RefusalError(message, f"keep the distance in 0..{bits - 1}")
            right = self.binary("&", right, integer(bits - 1))  # as x86 does; C leaves other distances open
        form = self._shifted_form(sign, left, right)
        if form is not None:
            return self.of_form(form, left.type)
        operands = (left, self.converted(right, left.type))
        return COperation(sign, left.type, _definite(operands, left.type))

    def _shifted_form(self, sign: str, left: COperation, right: COperation) -> Form | None:
        number = None if right.form is None else right.form.number
        if left.form is None or number is None:
            return None
        if sign == ">>":
            return rounded("//", left.form, 1 << number)
        form = left.form.scaled(1 << number)
        return form if self.is_between(form, *limits(left.type)) else None

    def _division(self, sign: str, left: COperation, right: COperation) -> COperation:
        """C's quotient or rest of integers, rounded towards zero."""
        kind = left.type
        (low, _), (first, last) = self.ranges.of(left), self.ranges.of(right)
        number = right.form.number if right.form is not None else None
        if first == last == 0:
            raise RefusalError("this divides by 0", "divide by another number")
        if number is None and left.form is not None and right.form is not None:
            for name in sorted(names_of(right.form) & set(self.ranges.consts)):
                raise NumberNeededError(name)
        is_form = left.form is not None and number is not None and number > 0 and self._never_negative(left.form)
        if is_form or (low >= 0 and first > 0):
            return self._floored(sign, left, right, number if is_form else None)
        if number is not None and number > 0:
            positive = self._up(left, number)
            if sign == "/":
                return COperation("//", kind, _definite((positive, right), kind))
            quotient = COperation("//", kind, _definite((positive, right), kind))
            return COperation("-", kind, (left, COperation("*", kind, (quotient, right))))
        zero = integer(0, kind)
        rest = COperation("%", kind, _definite((left, right), kind))
        signs = COperation("!=", BOOL, (COperation("<", BOOL, (left, zero)), COperation("<", BOOL, (right, zero))))
        differs = COperation("and", BOOL, (COperation("!=", BOOL, (rest, zero)), signs))
        if sign == "/":
            floor = COperation("//", kind, _definite((left, right), kind))
            return COperation("choice", kind, (differs, COperation("+", kind, (floor, integer(1, kind))), floor))
        return COperation("choice", kind, (differs, COperation("-", kind, (rest, right)), rest))

    def _up(self, left: COperation, divisor: int) -> COperation:
        """The dividend, moved so that rounding down rounds a negative one towards zero."""
        kind = left.type
        below = COperation("<", BOOL, (left, integer(0, kind)))
        moved = COperation("+", kind, (left, integer(divisor - 1, kind)))
        return COperation("choice", kind, (below, moved, left)) if divisor > 1 else left

    def _floored(self, sign: str, left: COperation, right: COperation, number: int | None) -> COperation:
        kind = left.type
        if left.form is not None and number is not None:
            return self.of_form(rounded("//" if sign == "/" else "%", left.form, number), kind)
        return COperation("//" if sign == "/" else "%", kind, _definite((left, right), kind))

    def _never_negative(self, form: Form) -> bool:
        least = self.ranges.least(form)
        return least is not None and least >= 0

    def _comparison(self, sign: str, operands: tuple[COperation, COperation], kind: str) -> COperation:
        value = COperation(sign, BOOL, _definite(operands, kind))
        condition = affine_condition(value)
        if condition is None:
            return self._wrapped_comparison(sign, operands, kind) or value
        known = self._decided(condition)
        return value if known is None else truth(known)

    def _wrapped_comparison(self, sign: str, operands: tuple[COperation, COperation], kind: str) -> COperation | None:
        """A bound of an unsigned integer that may have wrapped, as `i - 1 < n`: it has not, and keeps to the bound."""
        left, right = operands
        if kind not in {"u32", "u64"}:
            return None
        if left.form is not None:
            turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(sign, sign)
            return None if right.form is not None else self._wrapped_comparison(turned, (right, left), kind)
        form = unwrapped(left)
        most = (1 << 31) - 1
        if form is None or right.form is None or not self.is_between(right.form, 0, most):
            return None
        if not self.is_between(form, -most, most):
            return None
        bounded = self.of_form(form, "i64"), self.of_form(right.form, "i64")
        compared = self._comparison(sign, bounded, "i64")
        if sign in {"==", "!="}:
            return compared
        positive = self._comparison(">=", (bounded[0], integer(0, "i64")), "i64")
        return (
            self.both("and", positive, compared)
            if sign in {"<", "<="}
            else self.both("or", self.inverse(positive), compared)
        )

    def _decided(self, condition: ElementGuard) -> bool | None:
        """Whether a comparison of numbers always or never holds; consts decide nothing."""
        number = None if condition.form is None else condition.form.number
        if number is None:
            return None
        return {">=": number >= 0, "==": number == 0, "!=": number != 0}[condition.kind]

    def both(self, kind: str, left: COperation, right: COperation) -> COperation:
        """`and` or `or` of two conditions."""
        for one, other in ((left, right), (right, left)):
            known = truth_of(one)
            if known is not None:
                return other if known == (kind == "and") else one
        return COperation(kind, BOOL, (left, right))

    def inverse(self, value: COperation) -> COperation:
        """That a condition does not hold."""
        known = truth_of(value)
        if known is not None:
            return truth(not known)
        return value.operands[0] if value.kind == "not" else COperation("not", BOOL, (value,))

    def _folded(self, function: Callable[..., CConstant], *arguments: Any) -> CConstant:
        try:
            return function(*arguments)
        except ArithmeticError as wrong:
            raise RefusalError(str(wrong), "write the number that is meant") from None

    def number(self, value: COperation) -> COperation:
        """A truth value as C's 1 or 0."""
        if value.type != BOOL:
            return value
        known = truth_of(value)
        if known is not None:
            return integer(int(known))
        return COperation("choice", "i32", (value, integer(1), integer(0)))

    def promoted(self, value: COperation) -> COperation:
        """A value after C's promotion of small integers."""
        value = self.number(value)
        return value if value.type in RANKS else self.converted(value, "i32")

    def condition(self, value: COperation) -> COperation:
        """A truth value; a number is one where it is not 0."""
        if value.type == BOOL:
            return value
        constant = constant_of(value)
        if constant is not None:
            return truth(constant.value != 0)
        if value.kind == "choice" and [constant_of(one) for one in value.operands[1:]] == [
            CConstant("i32", 1),
            CConstant("i32", 0),
        ]:
            return value.operands[0]
        return COperation("!=", BOOL, (value, literal(converted(CConstant("i32", 0), value.type))))

    def converted(self, value: COperation, wanted: str) -> COperation:
        """The value in another type. Integers of the text are converted here; a float keeps its text."""
        if wanted == BOOL:
            return self.condition(value)
        value = self.number(value)
        if value.type == wanted:
            return value
        constant = constant_of(value)
        if constant is not None and not (constant.type in FLOATS and wanted in FLOATS):
            result = self._folded(converted, constant, wanted)
            if wanted in FLOATS and result.value == constant.value and value.text:
                return COperation("literal", wanted, text=value.text)
            return literal(result)
        if _is_weak(value) and wanted not in FLOATS and constant is None:
            inner = COperation(
                "convert", value.type, (value,), form=value.form
            )  # a constant that does not fit would be refused
            return COperation("convert", wanted, (inner,), form=self._kept_form(value, wanted))
        return COperation("convert", wanted, (value,), form=self._kept_form(value, wanted))

    def _kept_form(self, value: COperation, wanted: str) -> Form | None:
        """The form of a value that another type holds as it is."""
        if value.form is None or wanted in FLOATS:
            return None
        low, high = limits(wanted)
        own_low, own_high = limits(value.type)
        if low <= own_low and own_high <= high:
            return value.form
        try_low = low <= own_low or ((least := self.ranges.least(value.form)) is not None and least >= low)
        if not try_low:
            return None
        if own_high <= high:
            return value.form
        greatest = self.ranges.greatest(value.form)
        return value.form if greatest is not None and greatest <= high else None

    def choice(self, condition: COperation, first: COperation, second: COperation) -> COperation:
        """`condition ? first : second`."""
        known = truth_of(condition)
        if first.type != BOOL or second.type != BOOL:
            first, second = self.number(first), self.number(second)
            common = first.type if first.type == second.type else common_type(first.type, second.type)
            first, second = self.converted(first, common), self.converted(second, common)
        if known is not None:
            return first if known else second
        if first is second:
            return first
        if first.type == BOOL:
            return self._logical_choice(condition, first, second)
        turned = self._turned(condition, unwrapped(first), unwrapped(second))
        if turned is not None:
            return self.of_form(turned, first.type)
        return COperation("choice", first.type, (condition, *_definite((first, second), first.type)))

    def _turned(self, condition: COperation, first: Form | None, second: Form | None) -> Form | None:
        """The place in a ring buffer that a choice is, as `p - k < 0 ? p - k + N : p - k` of a place p."""
        known = affine_condition(condition)
        if known is None or known.form is None or first is None or second is None:
            return None
        for holds, moved, form in ((known, first, second), (known.negated(), second, first)):
            extent = (moved - form).number
            is_place = any(isinstance(term, Rounded) and term.operator == "%" for term, _ in form.terms)
            if not extent or not is_place:
                continue
            ends = (form.scaled(-1) - 1, -extent, extent - 1) if extent > 0 else (form + extent, 0, -2 * extent - 1)
            if holds == not_negative(ends[0]) and self.is_between(form, ends[1], ends[2]):
                return rounded("%", form, abs(extent))
        return None

    def _logical_choice(self, condition: COperation, first: COperation, second: COperation) -> COperation:
        """A choice between conditions: `and` and `or` where one of them is known."""
        one, other = truth_of(first), truth_of(second)
        if one is not None:
            return self.both("or", condition, second) if one else self.both("and", self.inverse(condition), second)
        if other is not None:
            return self.both("or", self.inverse(condition), first) if other else self.both("and", condition, first)
        return COperation("choice", BOOL, (condition, first, second))

    def negative(self, value: COperation) -> COperation:
        """`-value`."""
        operand = self.promoted(value)
        constant = constant_of(operand)
        if constant is not None:
            return literal(self._folded(negative, constant))
        if operand.form is not None and operand.type[0] == "i":
            return self.of_form(operand.form.scaled(-1), operand.type)
        return COperation("negative", operand.type, _definite((operand,), operand.type))

    def inverted(self, value: COperation) -> COperation:
        """`~value`."""
        operand = self.promoted(value)
        constant = constant_of(operand)
        if operand.type in FLOATS:
            raise RefusalError("'~' takes an integer", "convert it to int")
        if constant is not None:
            return literal(self._folded(inverted, constant))
        return COperation("^", operand.type, (operand, literal(converted(CConstant("i32", -1), operand.type))))

    def call(self, name: str, arguments: Sequence[COperation]) -> COperation | None:
        """A function of the C library; None for one that is not known."""
        known = {**EXACT, **NEAR}
        if name in known and len(arguments) == 1:
            function, kind = known[name]
            operand = self.converted(arguments[0], kind)
            return COperation("call", kind, _definite((operand,), kind), text=function)
        if name in {"fmin", "fmax", "fminf", "fmaxf"} and len(arguments) == 2:
            return self._extreme(name, *arguments)
        return None

    def _extreme(self, name: str, left: COperation, right: COperation) -> COperation:
        """Fmin or fmax: where one side is NaN, the other side."""
        kind = "f32" if name in {"fminf", "fmaxf"} else "f64"
        left, right = self.converted(left, kind), self.converted(right, kind)
        sign = "<" if name.startswith("fmin") else ">"
        is_first = COperation(
            "or", BOOL, (COperation(sign, BOOL, (left, right)), COperation("!=", BOOL, (right, right)))
        )
        return COperation("choice", kind, (is_first, *_definite((left, right), kind)))


def unwrapped(value: COperation) -> Form | None:
    """The form of an integer, or of an unsigned one that may have wrapped: what it would be then."""
    if value.form is not None or value.type not in {"u32", "u64"}:
        return value.form
    if value.kind == "convert" and value.operands[0].type[0] == "i":
        return value.operands[0].form
    if value.kind not in {"+", "-"}:
        return None
    left, right = map(unwrapped, value.operands)
    if left is None or right is None:
        return None
    return left + right if value.kind == "+" else left - right


def _masked(sign: str, form: Form, mask: Form, kind: str) -> Form | None:
    """The form of `&` with 2**n - 1 or its complement, of `|` with 2**n - 1, of `^` with 2**n; None for other masks."""
    number = mask.number
    if number is None:
        return None
    if sign == "&" and number >= 0 and not number & (number + 1):
        return rounded("%", form, number + 1)
    unit = {"&": -number if number < 0 else (1 << int(kind[1:])) - number, "|": number + 1, "^": 2 * number}[sign]
    if unit < 2 or unit & (unit - 1):
        return None
    block = rounded("//", form, unit).scaled(unit)
    if sign == "^":
        return block + rounded("%", form + number, unit)
    return block + (number if sign == "|" else 0)


def affine_condition(value: COperation) -> ElementGuard | None:
    """The condition that a truth value is, where it compares affine integers only."""
    if value.kind in {"and", "or", "not"}:
        parts = tuple(one for each in value.operands if (one := affine_condition(each)) is not None)
        if len(parts) < len(value.operands):
            return None
        return parts[0].negated() if value.kind == "not" else ElementGuard(value.kind, parts=parts)
    if value.kind not in COMPARISONS or any(one.form is None for one in value.operands):
        return None
    left, right = (one.form for one in value.operands)
    assert left is not None
    assert right is not None
    if value.kind in {"==", "!="}:
        return ElementGuard(value.kind, left - right)
    greater, less = (left, right) if value.kind in {">", ">="} else (right, left)
    return not_negative(greater - less - (0 if value.kind.endswith("=") else 1))


def _definite(operands: tuple[COperation, ...], kind: str) -> tuple[COperation, ...]:
    """Operands of which one has a type by itself: constants alone would be computed as the language does it."""
    if kind in {"i32", "f64", BOOL} or not all(map(_is_weak, operands)):
        return operands
    return (COperation("convert", kind, operands[:1], form=operands[0].form), *operands[1:])


def _is_weak(value: COperation) -> bool:
    """Whether the language knows no type of a value, since it has constants and indices only."""
    if value.kind in {"read", "convert", "unknown"} or value.type == BOOL:
        return False
    operands = value.operands[1:] if value.kind == "choice" else value.operands
    return value.kind in _WEAK or all(map(_is_weak, operands))
