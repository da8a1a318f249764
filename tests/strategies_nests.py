"""Hypothesis strategies for loop nests: bodies that update an array in place, and index expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from arrayol.ir import expressions
from arrayol.ir.syntax import NOWHERE
from arrayol.ir.types import ElementType, Weak


@dataclass(frozen=True)
class Updates:
    """An elementary `e` of two input arrays and one output array, and unroll factors for its loops."""

    text: str
    factors: tuple[int, ...]


@st.composite
def updates(draw: st.DrawFn) -> Updates:
    """Nests of up to three loops, perfect or not, over y[8, 8], which is filled first; some depend on their order.

    Two of three have a local: of the innermost loop, of one element or two, or of the block around it.
    """
    depth = draw(st.integers(1, 3))
    names = ["i", "j", "k"][:depth]
    ranges = [_range(draw, names[:place], name) for place, name in enumerate(names)]
    inner = [_update(draw, names) for _ in range(draw(st.integers(1, 2)))]
    outside: list[str] = []
    if draw(st.sampled_from([True, True, False])):
        outside, own = _local(draw, names)
        inner = [*own, *inner] if draw(st.booleans()) else [*inner, *own]
    lines = [*outside, f"loop {ranges[-1]} {{", *inner, "}"]
    for level in reversed(range(depth - 1)):
        around = [_update(draw, names[: level + 1]) for _ in range(draw(st.sampled_from([0, 0, 1])))]
        lines = [f"loop {ranges[level]} {{", *(around + lines if draw(st.booleans()) else lines + around), "}"]
    body_text = "\n".join(["y[v, w] = x[v, w] for v in 0..8, w in 0..8", *lines])
    factors = tuple(draw(st.sampled_from([1, 2, 2, 3])) for _ in range(max(2, depth) + 1))
    return Updates(f"elementary e(x: i64[8, 8], z: i64[12]) -> (y: i64[8, 8]) {{\n{body_text}\n}}\n", factors)


def _range(draw: st.DrawFn, outer: list[str], name: str) -> str:
    low, count = draw(st.integers(2, 3)), draw(st.sampled_from([0, 1, 3, 3, 4, 4, 4, 4]))
    if outer and draw(st.integers(0, 5)) == 0:
        return f"{name} in {low}..{outer[-1]}"
    return f"{name} in {low}..{min(low + count, 6)}"


def _update(draw: st.DrawFn, names: list[str]) -> str:
    sign = draw(st.sampled_from(["=", "=", "+="]))
    read = draw(st.sampled_from([_element(draw, names), f"x[{names[-1]}, 0]", f"z[{_index(draw, names)} + 1]"]))
    condition = draw(st.sampled_from(["", "", f" where ({' + '.join(names)}) % 2 == 0", f" where {names[-1]} > 3"]))
    return f"{_element(draw, names)} {sign} 3 * {_element(draw, names)} - {read}{condition}"


def _local(draw: st.DrawFn, names: list[str]) -> tuple[list[str], list[str]]:
    """What declares a local before the innermost loop, and the statements inside that use it."""
    first, second, third = (_element(draw, names) for _ in range(3))
    match draw(st.sampled_from(["one", "two", "around"])):
        case "one":
            return [], [f"a: i64 = {first} + x[{names[-1]}, 1]", f"a += 2 * {second}", f"{third} = a - {first}"]
        case "two":
            spread = f"a[u] = {first} - u * {second}  for u in 0..2"
            return [], ["a: i64[2]", spread, f"{third} += a[{names[-1]} % 2] - 3 * a[1]"]
    return ["a: i64 = 5"], [f"a += {first}", draw(st.sampled_from([f"{second} = 2 * a", f"{second} = {third}"]))]


def _element(draw: st.DrawFn, names: list[str]) -> str:
    return f"y[{_index(draw, names)}, {_index(draw, names)}]"


def _index(draw: st.DrawFn, names: list[str]) -> str:
    """An index from 0 to 7; every variable is from 2 to 5."""
    name = draw(st.sampled_from(names))
    step = draw(st.integers(-2, 2))
    plain = f"{name} + {step}" if step > 0 else f"{name} - {-step}" if step else name
    return draw(st.sampled_from([plain, plain, plain, "4", f"7 - {name}", f"{name} // 2", f"{name} % 3"]))


NAMES = ("i", "j")
WEAK = st.one_of(
    st.sampled_from([expressions.Index(name, NOWHERE) for name in NAMES]),
    st.integers(-7, 12).map(lambda value: expressions.Constant(value, Weak.INTEGER, NOWHERE)),
)


def index_expressions() -> st.SearchStrategy[expressions.Expr]:
    """Weak integer expressions of i and j: sums, products, quotients by numbers other than 0, minima, conditionals."""

    def extend(inner: st.SearchStrategy[expressions.Expr]) -> st.SearchStrategy[expressions.Expr]:
        divisors = st.integers(-6, 6).filter(bool).map(lambda value: expressions.Constant(value, Weak.INTEGER, NOWHERE))
        return st.one_of(
            st.builds(_weak, st.sampled_from(["+", "-", "*"]), inner, inner),
            st.builds(_weak, st.sampled_from(["//", "%"]), inner, divisors),
            st.builds(lambda operand: expressions.Operation("-", (operand,), Weak.INTEGER, NOWHERE), inner),
            st.builds(
                lambda name, *arguments: expressions.Function(name, arguments, Weak.INTEGER, NOWHERE),
                st.sampled_from(["min", "max"]),
                inner,
                inner,
            ),
            st.builds(
                lambda one, other, then, otherwise: expressions.Select(
                    expressions.Operation("<", (one, other), Weak.BOOL, NOWHERE), then, otherwise, Weak.INTEGER, NOWHERE
                ),
                *[inner] * 4,
            ),
        )

    return st.recursive(WEAK, extend, max_leaves=10)


def _weak(operator: str, left: expressions.Expr, right: expressions.Expr) -> expressions.Expr:
    return expressions.Operation(operator, (left, right), Weak.INTEGER, NOWHERE)


def typed_expressions() -> st.SearchStrategy[expressions.Expr]:
    """Expressions in u8, i16 and i32 of elements b[i] (u8) and c[j] (i16), whose arithmetic may wrap."""
    reads: dict[ElementType, expressions.Expr] = {
        ElementType.U8: expressions.Read("b", (expressions.Index("i", NOWHERE),), ElementType.U8, NOWHERE),
        ElementType.I16: expressions.Read("c", (expressions.Index("j", NOWHERE),), ElementType.I16, NOWHERE),
    }

    @st.composite
    def of_type(draw: st.DrawFn, type_: ElementType, depth: int) -> expressions.Expr:
        choice = draw(st.integers(0, 4 if depth else 1))
        if choice == 0 and type_ in reads:
            return reads[type_]
        if choice <= 1:
            return expressions.Constant(draw(st.integers(0, 9)), type_, NOWHERE)
        if choice == 2:
            other = draw(st.sampled_from([ElementType.U8, ElementType.I16, ElementType.I32]))
            return expressions.Convert(draw(of_type(other, depth - 1)), type_, NOWHERE)
        operands = tuple(draw(of_type(type_, depth - 1)) for _ in range(draw(st.integers(1, 2))))
        if len(operands) == 1:
            return expressions.Operation("-", operands, type_, NOWHERE)
        return expressions.Operation(draw(st.sampled_from(["+", "-", "*"])), operands, type_, NOWHERE)

    return st.sampled_from([ElementType.U8, ElementType.I16, ElementType.I32]).flatmap(lambda type_: of_type(type_, 3))


DATA = st.fixed_dictionaries({"b": st.integers(0, 255), "c": st.integers(-(2**15), 2**15 - 1)})


def value(expr: expressions.Expr, names: Mapping[str, int]) -> int:  # noqa: PLR0911, one case per node
    """What an expression is; reads are of the port's one value. Arithmetic of an element type wraps."""
    match expr:
        case expressions.Constant():
            return int(expr.value)
        case expressions.Index():
            return names[expr.name]
        case expressions.Read():
            return names[expr.port]
        case expressions.Convert():
            return wrapped(value(expr.operand, names), expr.type)
        case expressions.Select():
            return value(expr.then if value(expr.condition, names) else expr.otherwise, names)
        case expressions.Function():
            return (min if expr.name == "min" else max)(value(item, names) for item in expr.arguments)
        case expressions.Operation():
            operands = [value(item, names) for item in expr.operands]
            found = {
                "+": lambda one, other: one + other,
                "-": lambda one, other=None: -one if other is None else one - other,
                "*": lambda one, other: one * other,
                "//": lambda one, other: one // other,
                "%": lambda one, other: one % other,
                "<": lambda one, other: int(one < other),
            }[expr.operator](*operands)
            return wrapped(found, expr.type)


def wrapped(number: int, type_: object) -> int:
    if not isinstance(type_, ElementType):
        return number
    low, high = type_.integer_range
    return (number - low) % (high - low + 1) + low
