"""C functions for what C's operators do otherwise than the language (docs/language.md, "Arithmetic").

A helper is named as what it does and the type it is for, `floor_divide_i32`; its text is made on demand, so that a
program holds those that it uses. Floor division and remainder of floats follow NumPy's own steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from arrayol.ir.types import ElementType, Kind, ValueType, Weak

# Element types and numbers as C writes them.

_NAMES = {
    ElementType.BOOL: "bool",
    ElementType.F32: "float",
    ElementType.F64: "double",
    ElementType.C64: "float complex",
    ElementType.C128: "double complex",
}
_WEAK = {Weak.INTEGER: ElementType.I64, Weak.FLOAT: ElementType.F64, Weak.BOOL: ElementType.BOOL}


def c_type(kind: ValueType) -> str:
    """The C type that holds values of a type; constants of no type yet are int64_t, double or bool."""
    target = element_type(kind)
    if target in _NAMES:
        return _NAMES[target]
    return f"{'u' if target.kind is Kind.UNSIGNED else ''}int{target.stored_bits}_t"


def element_type(kind: ValueType) -> ElementType:
    """The element type in which C computes."""
    return _WEAK[kind] if isinstance(kind, Weak) else kind


def identifier(kind: ElementType) -> str:
    """The name of a type as a part of C names."""
    return kind.replace(".", "_")


def literal(value: float, kind: ValueType) -> str:
    """A constant of a type, exact to the last bit."""
    target = element_type(kind)
    if target is ElementType.BOOL:
        return "true" if value else "false"
    if target.wraps:
        return bound(int(value), target)
    if target.kind is Kind.COMPLEX:
        return f"({c_type(target)}){_real(float(value), single=target is ElementType.C64)}"
    return _real(float(value), single=target is ElementType.F32)


def bound(value: int, kind: ElementType) -> str:
    """A stored integer of a type that wraps."""
    low, bits = kind.container.integer_range[0], kind.stored_bits
    if value == low and value < 0 and bits >= 32:
        return f"INT{bits}_MIN"
    if kind.kind is Kind.UNSIGNED and bits >= 32:
        return f"{value}u" if bits == 32 else f"UINT64_C({value})"
    if bits == 64 and not -(1 << 31) < value < 1 << 31:
        return f"INT64_C({value})"
    return str(value)


def _real(value: float, *, single: bool) -> str:
    text = str(np.float32(value)) if single else repr(value)
    if not any(mark in text for mark in ".en"):
        text += ".0"
    return f"{text}f" if single else text


FAIL = """static void fail(const char *what) {
  fprintf(stderr, "%s\\n", what);
  exit(1);
}
"""


def helper(name: str, kind: ElementType) -> str:
    """The text of a helper for an element type."""
    return _TEXTS[name](kind)


def _function(kind: ElementType, name: str, parameters: str, *lines: str) -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"static inline {c_type(kind)} {name}_{identifier(kind)}({parameters}) {{\n{body}}}\n"


def _two(kind: ElementType) -> str:
    return f"{c_type(kind)} a, {c_type(kind)} b"


def _suffix(kind: ElementType) -> str:
    return "f" if kind in (ElementType.F32, ElementType.C64) else ""


def _floor_divide(kind: ElementType) -> str:
    own = c_type(kind)
    if kind.kind is Kind.FLOAT:
        f = _suffix(kind)
        return _function(
            kind,
            "floor_divide",
            _two(kind),
            "if (b == 0) return a / b;",
            f"{own} mod = fmod{f}(a, b), div = (a - mod) / b;",
            f"if (mod != 0 && (b < 0) != (mod < 0)) div -= 1.0{f};",
            f"if (div == 0) return copysign{f}(0.0{f}, a / b);",
            f"{own} down = floor{f}(div);",
            f"return div - down > 0.5{f} ? down + 1.0{f} : down;",
        )
    return _of_integers(
        kind,
        "floor_divide",
        [f"return ({own})(a / b);"],
        [
            f"if (b == -1) return ({own})(0 - a);  /* also of the least a, which wraps */",
            f"return ({own})(a / b - (a % b != 0 && (a % b < 0) != (b < 0)));",
        ],
    )


def _remainder(kind: ElementType) -> str:
    own = c_type(kind)
    if kind.kind is Kind.FLOAT:
        f = _suffix(kind)
        return _function(
            kind,
            "remainder",
            _two(kind),
            f"{own} mod = fmod{f}(a, b);",
            "if (b == 0) return mod;",
            f"if (mod == 0) return copysign{f}(0.0{f}, b);",
            "return (b < 0) != (mod < 0) ? mod + b : mod;",
        )
    return _of_integers(
        kind,
        "remainder",
        [f"return ({own})(a % b);"],
        [
            "if (b == -1) return 0;",
            f"return ({own})(a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b);",
        ],
    )


def _of_integers(kind: ElementType, name: str, unsigned: Sequence[str], signed: Sequence[str]) -> str:
    """A division of two integers."""
    zero = 'if (b == 0) fail("integer division by zero");'
    return _function(kind, name, _two(kind), zero, *(unsigned if kind.kind is Kind.UNSIGNED else signed))


def _shift(name: str, sign: str) -> Callable[[ElementType], str]:
    def text(kind: ElementType) -> str:
        own = c_type(kind)
        unfit = f"n >= {kind.bits}" if kind.kind is Kind.UNSIGNED else f"n < 0 || n >= {kind.bits}"
        check = f'if ({unfit}) fail("a shift outside 0..{kind.bits}");'
        value = f"({own})(a {sign} n)" if sign == ">>" else f"({own})((uint64_t)a << n)"
        return _function(kind, name, f"{own} a, {own} n", check, f"return {value};")

    return text


def _choose(name: str, sign: str) -> Callable[[ElementType], str]:
    def text(kind: ElementType) -> str:
        nan = " || isnan(a)" if kind.kind is Kind.FLOAT else ""
        return _function(kind, name, _two(kind), f"return a {sign} b{nan} ? a : b;")

    return text


def _absolute(kind: ElementType) -> str:
    own = c_type(kind)
    return _function(kind, "absolute", f"{own} a", f"return ({own})(a < 0 ? 0 - a : a);")


def _of_complex(name: str, real: str, imaginary: str, also: str = "") -> Callable[[ElementType], str]:
    """Of x = a + b i and y = c + d i; `also` declares more."""

    def text(kind: ElementType) -> str:
        f, part = _suffix(kind), c_type(kind).split(maxsplit=1)[0]
        return _function(
            kind,
            name,
            f"{c_type(kind)} x, {c_type(kind)} y",
            f"{part} a = creal{f}(x), b = cimag{f}(x), c = creal{f}(y), d = cimag{f}(y){also};",
            f"{part} parts[2] = {{{real}, {imaginary}}};  /* a sum with I would touch signs of zeros and infinities */",
            "memcpy(&x, parts, sizeof x);",
            "return x;",
        )

    return text


def _magnitude(kind: ElementType) -> str:
    f, part = _suffix(kind), c_type(kind).split(maxsplit=1)[0]
    line = f"return hypot{f}(creal{f}(x), cimag{f}(x));"
    return f"static inline {part} magnitude_{identifier(kind)}({c_type(kind)} x) {{\n  {line}\n}}\n"


def _wrap(kind: ElementType) -> str:
    """Brings an integer into the range of a signed type by whole turns: its bits, with the sign's copied upwards."""
    wide = 32 if kind.stored_bits <= 32 else 64
    spare = wide - kind.bits
    line = f"return ({c_type(kind)})((int{wide}_t)((uint{wide}_t)a << {spare}) >> {spare});"
    return _function(kind, "wrap", f"int{wide}_t a", line)


def _nearest(kind: ElementType) -> str:
    f = _suffix(kind)
    large = f"{2.0 ** (24 if f else 53)}{f}"
    own = c_type(kind)
    return _function(
        kind,
        "nearest",
        f"{own} a, int bits",
        f"{own} scaled = ldexp{f}(a, bits), whole = floor{f}(scaled);",
        f"if (!(fabs{f}(a) < {large})) return a;  /* an integer, infinite, or none */",
        f"return ldexp{f}(whole + (scaled - whole >= 0.5{f} ? 1.0{f} : 0.0{f}), -bits);",
    )


def _join(kind: ElementType) -> str:
    part = c_type(kind).split(maxsplit=1)[0]
    return _function(
        kind,
        "join",
        f"{part} a, {part} b",
        f"{part} parts[2] = {{a, b}};",
        f"{c_type(kind)} x;",
        "memcpy(&x, parts, sizeof x);",
        "return x;",
    )


def _truncate(source: str) -> Callable[[ElementType], str]:
    def text(kind: ElementType) -> str:
        low, high = kind.integer_range
        f = "f" if source == "float" else ""
        check = f"if (!(whole >= {float(low)}{f} && whole < {float(high + 1)}{f}))"
        least, most = kind.value_range
        fault = f'fail("a value outside {kind}, {least} to {most}");'
        value = f"ldexp(a, {kind.fraction})" if kind.is_fixed else "a"
        name = "truncate_single" if source == "float" else "truncate"
        return _function(
            kind,
            name,
            f"{source} a",
            f"{source} whole = trunc{f}({value});",
            f"{check} {fault}",
            f"return ({c_type(kind)})whole;",
        )

    return text


def _fit(kind: ElementType) -> str:
    low, high = kind.whole_range
    unfit = "a < 0" if kind is ElementType.U64 else f"a < {_bound(low)} || a > {_bound(high)}"
    return _function(
        kind,
        "fit",
        "int64_t a",
        f'if ({unfit}) fail("a number outside {kind}, {low} to {high}");',
        f"return ({c_type(kind)})((uint64_t)a << {kind.fraction});" if kind.fraction else f"return ({c_type(kind)})a;",
    )


def _bound(value: int) -> str:
    return "INT64_MIN" if value == -(1 << 63) else f"INT64_C({value})"


def _at(kind: ElementType) -> str:
    return _function(
        kind,
        "at",
        "int64_t subscript, int64_t length",
        'if (subscript < 0 || subscript >= length) fail("a subscript out of range");',
        "return subscript;",
    )


_TEXTS: dict[str, Callable[[ElementType], str]] = {
    "floor_divide": _floor_divide,
    "remainder": _remainder,
    "shift_left": _shift("shift_left", "<<"),
    "shift_right": _shift("shift_right", ">>"),
    "least": _choose("least", "<"),
    "greatest": _choose("greatest", ">"),
    "absolute": _absolute,
    "product": _of_complex("product", "a * c - b * d", "a * d + b * c"),
    "quotient": _of_complex("quotient", "(a * c + b * d) / norm", "(b * c - a * d) / norm", ", norm = c * c + d * d"),
    "magnitude": _magnitude,
    "nearest": _nearest,
    "wrap": _wrap,
    "join": _join,
    "truncate": _truncate("double"),
    "truncate_single": _truncate("float"),
    "fit": _fit,
    "at": _at,
}
