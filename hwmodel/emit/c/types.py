"""Element types, numbers and names as C writes them."""

from __future__ import annotations

import re

import numpy as np

from arrayol.ir.types import ElementType, Kind, ValueType, Weak

_NAMES = {
    ElementType.BOOL: "bool",
    ElementType.F32: "float",
    ElementType.F64: "double",
    ElementType.C64: "float complex",
    ElementType.C128: "double complex",
}
_WEAK = {Weak.INTEGER: ElementType.I64, Weak.FLOAT: ElementType.F64, Weak.BOOL: ElementType.BOOL}

# What the programs use: no variable hides these.
_USED_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof bool
complex true false imaginary I CMPLX CMPLXF NULL EOF INFINITY NAN main stdin stdout stderr errno fabs fabsf floor
floorf ceil ceilf sqrt sqrtf exp expf log logf sin sinf cos cosf tan tanf fmod fmodf hypot hypotf trunc truncf
copysign copysignf isnan cexp cexpf clog clogf csqrt csqrtf csin csinf ccos ccosf ctan ctanf creal crealf cimag
cimagf memset memcpy exit fprintf fread fwrite fail min max floord mod waiting load store compute step strip finish
"""
# What else the C library declares: no function takes these names.
_LIBRARY_WORDS = """
abs labs llabs div ldiv lldiv j0 j1 jn y0 y1 yn gamma lgamma tgamma signgam round rint pow cbrt erf erfc log2 exp2
log10 log1p expm1 logb ilogb nan remainder remquo nearbyint drem significand scalb scalbn ldexp frexp modf finite
acos asin atan atan2 sinh cosh tanh asinh acosh atanh fdim fmax fmin fma conj carg cabs cproj cpow memcpy memcmp
memchr memmove malloc calloc realloc free abort atexit system getenv bsearch qsort printf puts putchar getchar scanf
remove rename rand srand random read write open close select signal raise time clock link unlink pause alarm sleep
index rindex basename ffs strlen strcmp strcat strcpy strchr strstr strtok atoi atof atol isinf isfinite
"""

# What the programs name themselves: loops, patterns, memories, functions; and what the C standard keeps for types.
_OURS = re.compile(r"([efirx]|S)\d+|(p|kept|do|local|arg|tile)_.*|.*_slots|now|tiles_waiting|.*_t|.*_")
_USED = frozenset(_USED_WORDS.split())
_LIBRARY = frozenset(_LIBRARY_WORDS.split())


def c_type(kind: ValueType) -> str:
    """The C type that holds values of a type; constants of no type yet are int64_t, double or bool."""
    found = element_type(kind)
    if found in _NAMES:
        return _NAMES[found]
    return f"{'u' if found.kind is Kind.UNSIGNED else ''}int{found.bits}_t"


def element_type(kind: ValueType) -> ElementType:
    """The element type in which C computes."""
    return _WEAK[kind] if isinstance(kind, Weak) else kind


def c_name(name: str) -> str:
    """A name of the specification as an identifier for a variable of C."""
    return f"{name}_" if name in _USED or _OURS.fullmatch(name) else name


def function_name(name: str) -> str:
    """A name of the specification as an identifier for a function of C."""
    return f"{name}_" if name in _LIBRARY else c_name(name)


def literal(value: float, kind: ValueType) -> str:
    """A constant of a type, exact to the last bit."""
    found = element_type(kind)
    if found is ElementType.BOOL:
        return "true" if value else "false"
    if found.is_integer:
        return _integer(int(value), found)
    if found.kind is Kind.COMPLEX:
        single = found is ElementType.C64
        real = _real(float(value), single=single)
        return f"{'CMPLXF' if single else 'CMPLX'}({real}, {'0.0f' if single else '0.0'})"
    return _real(float(value), single=found is ElementType.F32)


def _integer(value: int, kind: ElementType) -> str:
    low, _ = kind.integer_range
    if value == low and value < 0 and kind.bits >= 32:
        return f"INT{kind.bits}_MIN"
    if kind.kind is Kind.UNSIGNED and kind.bits >= 32:
        return f"{value}u" if kind.bits == 32 else f"UINT64_C({value})"
    if kind.bits == 64 and not -(1 << 31) < value < 1 << 31:
        return f"INT64_C({value})"
    return str(value)


def _real(value: float, *, single: bool) -> str:
    text = str(np.float32(value)) if single else repr(value)
    if not any(mark in text for mark in ".en"):
        text += ".0"
    return f"{text}f" if single else text
