"""Random bodies of elementary tasks over given ports, and the const arrays that they read, as .aol text."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from hypothesis import event
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from arrayol.ir.types import ElementType, operands_of
from arrayol.operators import registry
from arrayol.operators.record import Gives, Operator

INTEGERS = ("i8", "u8", "i16", "u16", "i32", "i64")


FLOATS = ("f32", "f64")


FUNCTIONS = ("sqrt", "exp", "log", "floor", "ceil", "sin", "cos", "tan")


ODD = ("u12", "i5", "i33", "u1")


FIXED = ("i4.12", "u0.8", "i1.11", "i20.30", "u3.5")


NARROW = ("i4.12", "u0.8", "i1.11", "u3.5")  # whose products and sums have types


TYPES = (*INTEGERS, *FLOATS, "u64", "bool", *("c64", "c128") * 2, *ODD, *FIXED)


def one(kind: str) -> str:
    """A constant that a type has."""
    return "true" if kind == "bool" else "0.5" if kind in FIXED else "1"


def takes_and_gives(operator: Operator, kind: str) -> bool:
    """Whether an operator takes operands of a type, and gives that type."""
    return operator.gives is Gives.SAME and operands_of(ElementType(kind)) in operator.domain.defined


@dataclass(frozen=True)
class GeneratedPort:
    name: str
    type: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.type}" + (f"[{', '.join(map(str, self.shape))}]" if self.shape else "")


@dataclass
class Writer:
    """Draws expressions over the ports that may be read; `variables` are range variables with their (low, high)."""

    draw: DrawFn
    readable: list[GeneratedPort]
    variables: dict[str, tuple[int, int]]

    def expr(self, kind: str, depth: int) -> str:
        options = [self.constant, self.read]
        if depth > 0:
            options += [self.binary, self.binary, self.select, self.convert, self.mixed]
            if kind != "bool":
                options.append(self.function)
        return self.draw(st.sampled_from(options))(kind, depth - 1)

    def constant(self, kind: str, _: int) -> str:
        if kind == "bool":
            return self.draw(st.sampled_from(("bool(1)", "bool(0)")))
        if kind in ODD:
            return f"{kind}({self.draw(st.integers(0, min(127, ElementType(kind).integer_range[1])))})"
        if kind in FIXED:
            return f"{kind}({self.draw(st.sampled_from(('0.1', '0.5', '0.75', '0')))})"
        if kind in INTEGERS or kind == "u64":
            return f"{kind}({self.draw(st.integers(0, 127))})"
        return f"{kind}({self.draw(st.sampled_from(('0.1', '0.5', '3.7', '100.25', '0', '7')))})"

    def read(self, kind: str, depth: int) -> str:
        found = [port for port in self.readable if port.type == kind]
        if not found:
            return self.constant(kind, depth)
        port = self.draw(st.sampled_from(found))
        if not port.shape:
            return port.name
        return f"{port.name}[{', '.join(self.subscript(length) for length in port.shape)}]"

    def subscript(self, length: int) -> str:
        options = [str(self.draw(st.integers(0, length - 1)))]
        for name, (low, high) in self.variables.items():
            if low >= 0 and high <= length:
                options += [name] * 3 + [f"{length - 1} - {name}"]
            options.append(f"({name} + {self.draw(st.integers(0, 3))}) % {length}")
        scalars = [port.name for port in self.readable if not port.shape and port.type in INTEGERS]
        if scalars and self.draw(st.integers(0, 2)) == 0:
            event("subscript from data")
            return f"i64({self.draw(st.sampled_from(scalars))}) % {length}"
        if self.variables and self.draw(st.integers(0, 15)) == 0:
            return f"{self.draw(st.sampled_from(list(self.variables)))} - 1"  # may leave the port: an execution error
        return self.draw(st.sampled_from(options))

    def binary(self, kind: str, depth: int) -> str:
        left, right = self.expr(kind, depth), self.expr(kind, depth)
        if kind == "bool":
            if self.draw(st.booleans()):
                return self.condition(depth)
            return f"({left} {self.draw(st.sampled_from(('and', 'or', '&', '|', '^', '==')))} {right})"
        if kind in FIXED:
            return self.fixed(kind, depth)
        signs = ["+", "-", "*"]
        if kind in FLOATS:
            signs += ["/", "//", "%"]
        elif kind in ("c64", "c128"):
            signs += ["/"]
        else:
            signs += ["//", "%", "&", "|", "^", "<<", ">>"]
        signs += [name for name, each in registry.INFIX.items() if name not in signs and takes_and_gives(each, kind)]
        sign = self.draw(st.sampled_from(signs))
        if sign in ("//", "%") and kind not in FLOATS and self.draw(st.integers(0, 5)):
            right = f"({right} | {kind}(1))"
        if sign in ("<<", ">>") and self.draw(st.integers(0, 5)):
            right = f"({right} & {kind}({min(7, ElementType(kind).integer_range[1])}))"
        return f"({left} {sign} {right})"

    def fixed(self, kind: str, depth: int) -> str:
        """Sums wrap, products are exact, and shifts keep the format."""
        event("fixed point")
        form = self.draw(st.integers(0, 5))
        if form == 0:
            amount = f"({self.expr('u8', depth)} & u8(7))" if self.draw(st.booleans()) else self.draw(st.integers(0, 7))
            return f"({self.expr(kind, depth)} {self.draw(st.sampled_from(('<<', '>>')))} {amount})"
        if form == 1:
            return f"(-{self.expr(kind, depth)})"
        if form == 2:
            constant = self.draw(st.sampled_from(("0.5", "0")))
            return f"({self.expr(kind, depth)} {self.draw(st.sampled_from(('+', '-')))} {constant})"
        if form == 3:
            return f"({self.expr(kind, depth)} {self.draw(st.sampled_from(('+', '-')))} {self.expr(kind, depth)})"
        left = self.expr(self.draw(st.sampled_from(NARROW)), depth)
        other = self.draw(st.sampled_from((*NARROW, "u12", "i5", "u8", "bool", "0.75", "-3", "2.5")))
        right = self.expr(other, depth) if other[0] in "iub" else other
        pair = (left, right) if self.draw(st.booleans()) else (right, left)
        sign = self.draw(st.sampled_from(("*", "*", "+", "-"))) if other[0] in "iu" else "*"
        total = f"({pair[0]} {sign} {pair[1]})"
        return f"sat({kind}, {total})" if self.draw(st.integers(0, 3)) == 0 else f"{kind}({total})"

    def select(self, kind: str, depth: int) -> str:
        event("conditional expression")
        return f"({self.expr(kind, depth)} if {self.condition(depth)} else {self.expr(kind, depth)})"

    def condition(self, depth: int) -> str:
        if self.variables and self.draw(st.booleans()):
            name = self.draw(st.sampled_from(list(self.variables)))
            return f"({name} {self.draw(st.sampled_from(('==', '<', '>=')))} {self.draw(st.integers(0, 2))})"
        kind = self.draw(st.sampled_from((*INTEGERS, *FLOATS, *ODD, *FIXED)))
        sign = self.draw(st.sampled_from(("==", "!=", "<", "<=", ">", ">=")))
        found = f"({self.expr(kind, depth)} {sign} {self.expr(kind, depth)})"
        return f"(not {found})" if self.draw(st.integers(0, 3)) == 0 else found

    def convert(self, kind: str, depth: int) -> str:
        allowed = [one for one in TYPES if kind in ("c64", "c128") or one not in ("c64", "c128")]
        source = self.draw(st.sampled_from(allowed))
        inner = self.expr(source, depth)
        if source in FLOATS and kind not in (*FLOATS, "c64", "c128", "bool") and self.draw(st.integers(0, 5)):
            most = "0.5" if kind in (*ODD, *FIXED) else "100"
            inner = f"max({source}(0), min({source}({most}), {inner}))"
        return f"{kind}({inner})"

    def mixed(self, kind: str, depth: int) -> str:
        """Operands of two types, promoted; and weak constants and range variables."""
        source = self.draw(st.sampled_from((*INTEGERS, *FLOATS)))
        if self.variables and self.draw(st.booleans()):
            other = self.draw(st.sampled_from([*self.variables, "2"]))
        else:
            other = self.expr(self.draw(st.sampled_from((*INTEGERS, *FLOATS))), depth)
        total = f"({self.expr(source, depth)} {self.draw(st.sampled_from(('+', '-', '*')))} {other})"
        if kind in (*FLOATS, "c64", "c128", "bool"):
            return f"{kind}({total})"
        if kind in (*ODD, *FIXED):
            return f"sat({kind}, {total})"
        return f"{kind}(max(0, min(100, {total})))"

    def function(self, kind: str, depth: int) -> str:
        if self.draw(st.integers(0, 1 if kind in ("c64", "c128") else 2)) == 0:
            event("sat, round, parts of complex numbers")
            return self.rounding(kind, depth)
        inner = self.expr(kind, depth)
        if kind in ("c64", "c128"):
            return f"-{inner}"
        if kind in FLOATS and self.draw(st.booleans()):
            return (
                f"{self.draw(st.sampled_from(('sqrt', 'exp', 'log', 'floor', 'ceil', 'sin', 'cos', 'tan')))}({inner})"
            )
        if self.draw(st.booleans()):
            return f"abs({inner})"
        names = [
            name for name, each in registry.FUNCTIONS.items() if each.arguments[0] == 2 and takes_and_gives(each, kind)
        ]
        return f"{self.draw(st.sampled_from(names))}({inner}, {self.expr(kind, depth)})"

    def rounding(self, kind: str, depth: int) -> str:
        """`sat`, `round`, and what takes complex numbers apart and puts them together."""
        part = {"c64": "f32", "c128": "f64", "f32": "c64", "f64": "c128"}.get(kind, kind)
        if kind in ("c64", "c128"):
            if self.draw(st.booleans()):
                return f"conj({self.expr(kind, depth)})"
            return f"{kind}({self.expr(part, depth)}, {self.expr(self.draw(st.sampled_from(FLOATS)), depth)})"
        if kind in FLOATS:
            if self.draw(st.booleans()):
                return f"{self.draw(st.sampled_from(('real', 'imag')))}({self.expr(part, depth)})"
            return f"round({self.expr(kind, depth)}, {self.draw(st.integers(0, 5))})"
        source = self.draw(st.sampled_from((*INTEGERS, *FLOATS, "u64", *ODD, *FIXED)))
        if source in (*NARROW, *ODD, *INTEGERS[:4]) and self.draw(st.booleans()):
            return f"sat({kind}, round({self.expr(source, depth)}, {self.draw(st.integers(0, 12))}))"
        return f"sat({kind}, {self.expr(source, depth)})"


def pattern_shapes(least: int = 0) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(st.integers(1, 3), min_size=least, max_size=2).map(tuple)


@st.composite
def bodies(draw: DrawFn, inputs: list[GeneratedPort], outputs: list[GeneratedPort]) -> str:
    """Statements that write every output whole, some of them over and over."""
    readable = list(inputs)
    lines = []
    for number, port in enumerate(outputs):
        if draw(st.integers(0, 3)) == 0:
            local = GeneratedPort(f"v{number}", draw(st.sampled_from((port.type, *TYPES))), draw(pattern_shapes()))
            lines += draw(_local(readable, local))
            readable.append(local)
        lines.append(draw(_filling(readable, port)))
        readable.append(port)
        lines += draw(st.lists(_change(readable, port), max_size=2))
    return "\n".join(f"  {line}" for line in lines)


@st.composite
def _local(draw: DrawFn, readable: list[GeneratedPort], local: GeneratedPort) -> list[str]:
    """The declaration of a local, and what it holds at first: nearly always all of it."""
    event("local")
    if not local.shape and draw(st.booleans()):
        return [f"{local} = {Writer(draw, readable, {}).expr(local.type, 1)}"]
    lines = [draw(_filling(readable, local))] if draw(st.integers(0, 9)) else []
    return [str(local), *lines, *draw(st.lists(_change([*readable, local], local), max_size=1))]


@st.composite
def _inner_local(
    draw: DrawFn, readable: list[GeneratedPort], bounds: dict[str, tuple[int, int]]
) -> tuple[str, list[GeneratedPort]]:
    """Statements of a loop that declare a local and fill it, and what can be read after them."""
    if draw(st.integers(0, 2)):
        return "", readable
    event("local of a loop")
    local = GeneratedPort("w", draw(st.sampled_from(TYPES)), draw(st.sampled_from(((), (), (2,)))))
    writer = Writer(draw, readable, {**bounds, **({"n": (0, 2)} if local.shape else {})})
    target, ranges = _target(local, ["n"] if local.shape else []), " for n in 0..2" if local.shape else ""
    text = f"{local}\n{target} = {writer.expr(local.type, 1)}{ranges}\n"
    if local.type != "bool" and draw(st.booleans()):
        text += f"{target} += {writer.expr(local.type, 1)}{ranges}\n"
    return text, [*readable, local]


def _target(port: GeneratedPort, names: list[str]) -> str:
    return f"{port.name}[{', '.join(names)}]" if names else port.name


def _ranges(names: list[str], shape: tuple[int, ...]) -> str:
    return ", ".join(f"{name} in 0..{length}" for name, length in zip(names, shape, strict=True))


@st.composite
def _filling(draw: DrawFn, readable: list[GeneratedPort], port: GeneratedPort) -> str:
    """One statement or loop that gives every element a first value."""
    names = [f"i{axis}" for axis in range(len(port.shape))]
    bounds = {name: (0, length) for name, length in zip(names, port.shape, strict=True)}
    target = _target(port, names)
    form = draw(st.sampled_from(("for", "loop", "may"))) if names else "for"
    if form == "loop":
        event("loop")
        first, visible = draw(_inner_local(readable, bounds))
        value = Writer(draw, visible, bounds).expr(port.type, 2)
        return f"loop {_ranges(names, port.shape)} {{ {first}{target} = {value} }}"
    value = Writer(draw, readable, bounds).expr(port.type, 2)
    if not names:
        return f"{target} = {value}"
    if form == "may" and draw(st.booleans()):
        condition = Writer(draw, readable, bounds).condition(1)
        event("where")
        both = f"{target} = {value} for {_ranges(names, port.shape)} where {condition}\n"
        return (
            f"{both}  {target} = {port.type}({one(port.type)}) for {_ranges(names, port.shape)} where not {condition}"
        )
    return f"{target} = {value} for {_ranges(names, port.shape)}"


@st.composite
def _change(draw: DrawFn, readable: list[GeneratedPort], port: GeneratedPort) -> str:
    """A statement on a port that has been written: sums, recurrences, conditional and computed writes."""
    names = [f"i{axis}" for axis in range(len(port.shape))]
    bounds = {name: (0, length) for name, length in zip(names, port.shape, strict=True)}
    extra = draw(st.sampled_from(("", "k")))
    if extra:
        bounds["k"] = (0, 2)
    writer = Writer(draw, readable, bounds)
    value, target = writer.expr(port.type, 2), _target(port, names)
    if names and draw(st.integers(0, 3)) == 0:
        event("recurrence")
        moved = [f"({names[0]} + {port.shape[0] - 1}) % {port.shape[0]}", *names[1:]]
        value = f"({_target(port, moved)} if {writer.condition(0)} else {value})"
    if names and draw(st.integers(0, 4)) == 0:
        event("computed target")
        target = _target(port, [writer.subscript(length) for length in port.shape])
    ranges = ", ".join(filter(None, [_ranges(names, port.shape), "k in 0..2" if extra else ""]))
    sign = "+=" if port.type != "bool" and draw(st.booleans()) else "="
    where = ""
    if draw(st.booleans()):
        event("where")
        where = f" where {writer.condition(1)}"
    if ranges and draw(st.integers(0, 3)) == 0:
        event("loop")
        return f"loop {ranges} {{ {target} {sign} {value}{where} }}"
    return f"{target} {sign} {value}{f' for {ranges}' if ranges else ''}{where}"


@st.composite
def const_array(draw: DrawFn, array: GeneratedPort) -> str:
    """The definition of a const array: a number, a table in rows or in one, or a formula."""
    event("const array")
    count = prod(array.shape)
    if array.shape and draw(st.booleans()):
        names = [f"m{axis}" for axis in range(len(array.shape))]
        total = " + ".join(f"{place + 1} * {name}" for place, name in enumerate(names))
        forms = (total, f"max({total} - 1, 0)", f"{total} if {names[0]} > 0 else 7")
        value = draw(st.sampled_from(forms))
        if array.type == "bool":
            value = f"{names[0]} > 0 or {names[-1]} == 1"
        elif array.type in (*FLOATS, "c64", "c128"):
            value = f"sqrt({total}) - 0.3"
        elif array.type in (*FIXED, *ODD):
            value = f"sat({array.type}, round(0.3 * ({total}), {4 if array.type in FIXED else 0}))"
        return f"const {array} = [{value} for {_ranges(names, array.shape)}]"
    element = (
        st.sampled_from(("true", "false"))
        if array.type == "bool"
        else st.sampled_from(("0.1", "-0.0", "3", "1e30", "-7.25"))
        if array.type in (*FLOATS, "c64", "c128")
        else st.sampled_from(("0", one(array.type), f"{array.type}(0.5)"))
        if array.type in (*FIXED, *ODD)
        else st.integers(0 if array.type[0] == "u" else -128, 127).map(str)
    )
    values = draw(st.lists(element, min_size=count, max_size=count))
    if not array.shape:
        return f"const {array} = {values[0]}"
    length = array.shape[-1] if draw(st.booleans()) else count
    rows = (", ".join(values[first : first + length]) for first in range(0, count, length))
    return f"const {array} = [{'; '.join(rows)}]"


@st.composite
def table_of_bodies(draw: DrawFn) -> list[GeneratedPort]:
    """A const array that a body may read, or none."""
    if draw(st.integers(0, 2)):
        return []
    return [GeneratedPort("K", draw(st.sampled_from(TYPES)), draw(pattern_shapes()))]
