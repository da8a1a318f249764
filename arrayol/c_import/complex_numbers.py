"""C's operators and functions of complex numbers: those of the language, and where C computes with real parts, these.

In C a real operand has no imaginary part, not even one that is 0: `r * z` is two products. Where the parts are finite,
products of two complex numbers have gcc's bits; the last places of their quotients and magnitudes may differ.
"""

from __future__ import annotations

from collections.abc import Sequence

from arrayol.c_import.arithmetic import Arithmetic, RefusalError, constant_of, literal
from arrayol.c_import.constants import COMPLEX, CConstant, common_type
from arrayol.c_import.model import BOOL, COperation

FUNCTIONS = {  # of complex.h, by C's names with the suffix of their type: those of the language
    f"{name}{suffix}": (function, kind)
    for name, function in (("creal", "real"), ("cimag", "imag"), ("conj", "conj"), ("cabs", "abs"))
    for suffix, kind in (("", "c128"), ("f", "c64"))
}
_JOINED = "__builtin_complex"  # what CMPLX and I are in our complex.h


class ComplexArithmetic(Arithmetic):
    """Operators of C also on complex numbers. All raise RefusalError for what the language does not have."""

    def binary(self, sign: str, left: COperation, right: COperation) -> COperation:
        """An operation on two values."""
        if sign in {"&&", "||"} or not {left.type, right.type} & COMPLEX.keys():
            return super().binary(sign, left, right)
        left, right = self.number(left), self.number(right)
        kind = common_type(left.type, right.type)
        if sign in {"==", "!="}:
            return COperation(sign, BOOL, (self.converted(left, kind), self.converted(right, kind)))
        if sign not in {"+", "-", "*", "/"}:
            raise RefusalError(f"'{sign}' takes real numbers", "compute with creal and cimag")
        if left.type in COMPLEX and right.type in COMPLEX:
            return COperation(sign, kind, (self.converted(left, kind), self.converted(right, kind)))
        if left.type in COMPLEX:
            return self._with_real(sign, self.converted(left, kind), self.converted(right, COMPLEX[kind]))
        return self._from_real(sign, self.converted(left, COMPLEX[kind]), self.converted(right, kind))

    def _with_real(self, sign: str, value: COperation, real: COperation) -> COperation:
        """A complex number and a real one."""
        first, second = self.parts(value)
        if sign in {"+", "-"}:
            return self._joined(self._sum(sign, first, real), second)
        return self._joined(self._scaled(sign, first, real), self._scaled(sign, second, real))

    def _from_real(self, sign: str, real: COperation, value: COperation) -> COperation:
        """A real number and a complex one."""
        if sign in {"+", "*"}:
            return self._with_real(sign, value, real)
        if sign == "/":
            return COperation(sign, value.type, (self.converted(real, value.type), value))
        first, second = self.parts(value)
        return self._joined(super().binary("-", real, first), super().negative(second))

    def _sum(self, sign: str, part: COperation, real: COperation) -> COperation:
        """A sum or difference; `a + b * I` has a part that is 0, which goes, whatever its sign is."""
        if sign == "+" and _is(part, 0):
            return real
        return super().binary(sign, part, real)

    def _scaled(self, sign: str, part: COperation, real: COperation) -> COperation:
        """A product or quotient; of 0 and 1, the parts of `I`, no product is left."""
        if sign == "*" and (_is(part, 0) or _is(part, 1)):
            return real if _is(part, 1) else part
        return super().binary(sign, part, real)

    def parts(self, value: COperation) -> tuple[COperation, COperation]:
        """The real and the imaginary part of a complex number."""
        part = COMPLEX[value.type]
        if value.kind == "join":
            return value.operands[0], value.operands[1]
        if value.kind == "convert" and value.operands[0].type not in COMPLEX:
            return self.converted(value.operands[0], part), literal(CConstant(part, 0.0))
        first, second = (COperation("call", part, (value,), text=name) for name in ("real", "imag"))
        return first, second

    def _joined(self, real: COperation, imaginary: COperation) -> COperation:
        kind = next(name for name, part in COMPLEX.items() if part == real.type)
        return COperation("join", kind, (real, imaginary))

    def converted(self, value: COperation, wanted: str) -> COperation:
        """The value in another type; a complex number as a real one loses its imaginary part."""
        if wanted in {value.type, BOOL} or not {value.type, wanted} & COMPLEX.keys():
            return super().converted(value, wanted)
        if wanted not in COMPLEX:
            return super().converted(self.parts(value)[0], wanted)
        if value.kind == "join":
            first, second = (super(ComplexArithmetic, self).converted(one, COMPLEX[wanted]) for one in value.operands)
            return self._joined(first, second)
        inner = value if value.type in COMPLEX else super().converted(value, COMPLEX[wanted])
        return COperation("convert", wanted, (inner,))

    def condition(self, value: COperation) -> COperation:
        """A truth value; a complex number is one where it is not 0."""
        if value.type not in COMPLEX:
            return super().condition(value)
        return COperation("!=", BOOL, (value, self.converted(literal(CConstant("i32", 0)), value.type)))

    def negative(self, value: COperation) -> COperation:
        """`-value`."""
        if value.type not in COMPLEX:
            return super().negative(value)
        if value.kind == "join":
            first, second = (super(ComplexArithmetic, self).negative(one) for one in value.operands)
            return self._joined(first, second)
        return COperation("negative", value.type, (value,))

    def call(self, name: str, arguments: Sequence[COperation]) -> COperation | None:
        """A function of the C library; None for one that is not known."""
        if name == _JOINED and len(arguments) == 2:
            part = "f32" if {one.type for one in arguments} == {"f32"} else "f64"
            return self._joined(*(super(ComplexArithmetic, self).converted(one, part) for one in arguments))
        if name not in FUNCTIONS or len(arguments) != 1:
            return super().call(name, arguments)
        function, kind = FUNCTIONS[name]
        value = self.converted(arguments[0], kind)
        if function in {"real", "imag"}:
            return self.parts(value)[function == "imag"]
        return COperation("call", kind if function == "conj" else COMPLEX[kind], (value,), text=function)


def number_text(value: COperation) -> str | None:
    """A number of the text, real or complex, as the language writes it; None for any other value."""
    if value.type not in COMPLEX:
        constant = constant_of(value)
        return None if constant is None else constant.text
    parts = [number_text(one) for one in value.operands] if value.kind in {"join", "convert"} else [None]
    return None if None in parts else f"{value.type}({', '.join(part or '' for part in parts)})"


def _is(value: COperation, number: int) -> bool:
    constant = constant_of(value)
    return constant is not None and constant.value == number
