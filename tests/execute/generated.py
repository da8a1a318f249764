"""Small random specifications as .aol text, valid by construction, with every feature that execution must get right."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

from hypothesis import event
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from arrayol.ir.types import ElementType

INTEGERS = ("i8", "u8", "i16", "u16", "i32", "i64")
FLOATS = ("f32", "f64")
FUNCTIONS = ("sqrt", "exp", "log", "floor", "ceil", "sin", "cos", "tan")
ODD = ("u12", "i5", "i33", "u1")
FIXED = ("i4.12", "u0.8", "i1.11", "i20.30", "u3.5")
NARROW = ("i4.12", "u0.8", "i1.11", "u3.5")  # whose products and sums have types
TYPES = (*INTEGERS, *FLOATS, "u64", "bool", "c64", "c128", *ODD, *FIXED)


def one(kind: str) -> str:
    """A constant that a type has."""
    return "true" if kind == "bool" else "0.5" if kind in FIXED else "1"


@dataclass(frozen=True)
class GeneratedPort:
    name: str
    type: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.type}" + (f"[{', '.join(map(str, self.shape))}]" if self.shape else "")


@dataclass(frozen=True)
class Generated:
    """A specification, the task to execute, and what that takes.

    In `streamed`, the same text for any number of frames, an axis of `frames` frames is infinite.
    """

    text: str
    task: str
    inputs: tuple[GeneratedPort, ...]
    streamed: str | None = None


def matrix(rows: list[list[int]]) -> str:
    """A matrix literal; one without columns is empty."""
    return f"[{'; '.join(', '.join(map(str, row)) for row in rows)}]" if rows and rows[0] else "[]"


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
        if self.draw(st.integers(0, 2)) == 0:
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
        return f"{self.draw(st.sampled_from(('min', 'max')))}({inner}, {self.expr(kind, depth)})"

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


@st.composite
def bodies(draw: DrawFn, inputs: list[GeneratedPort], outputs: list[GeneratedPort]) -> str:
    """Statements that write every output whole, some of them over and over."""
    readable = list(inputs)
    lines = []
    for number, port in enumerate(outputs):
        if draw(st.integers(0, 3)) == 0:
            local = GeneratedPort(f"v{number}", draw(st.sampled_from((port.type, *TYPES))), draw(_pattern_shapes()))
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
def _const_array(draw: DrawFn, array: GeneratedPort) -> str:
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
def _table_of_bodies(draw: DrawFn) -> list[GeneratedPort]:
    """A const array that a body may read, or none."""
    if draw(st.integers(0, 2)):
        return []
    return [GeneratedPort("K", draw(st.sampled_from(TYPES)), draw(_pattern_shapes()))]


def _pattern_shapes(least: int = 0) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(st.integers(1, 3), min_size=least, max_size=2).map(tuple)


@st.composite
def input_tilers(
    draw: DrawFn, repetition: tuple[int, ...], pattern: tuple[int, ...], constant: str | None = None
) -> tuple[str, tuple[int, ...]]:
    """A tiler that reads somehow, and its array's shape: windows, steps, skews, reversals, with or without wrap.

    With a constant for it, at times a border in place of the wrap.
    """
    rank = draw(st.integers(1, 2))
    small = st.integers(-2, 2)
    paving = [[draw(small) for _ in repetition] for _ in range(rank)]
    fitting = [[draw(small) for _ in pattern] for _ in range(rank)]
    low, high = [0] * rank, [0] * rank
    for axis in range(rank):
        for factor, length in zip([*paving[axis], *fitting[axis]], [*repetition, *pattern], strict=True):
            low[axis] += min(0, factor * (length - 1))
            high[axis] += max(0, factor * (length - 1))
    if draw(st.booleans()):
        event("wrapped input")
        shape = tuple(draw(st.integers(1, 5)) for _ in range(rank))
        origin, wrap = [draw(st.integers(-3, 3)) for _ in range(rank)], " wrap"
        if constant and draw(st.booleans()):
            far = [
                length - max(-(first + bottom), first + top - length + 1)
                for first, bottom, top, length in zip(origin, low, high, shape, strict=True)
            ]
            modes = ["nearest", constant, *["reflect"] * (min(far) >= 0), *["mirror"] * (min(far) >= 1)]
            wrap = f" else {draw(st.sampled_from(modes))}"
            event(f"border{wrap}")
    else:
        shape = tuple(top - bottom + 1 + draw(st.integers(0, 1)) for top, bottom in zip(high, low, strict=True))
        origin, wrap = [-bottom for bottom in low], ""
    return f"origin {origin} paving {matrix(paving)} fitting {matrix(fitting)}{wrap}", shape


@st.composite
def output_tilers(draw: DrawFn, repetition: tuple[int, ...], pattern: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """A tiler that writes every element once: blocks, some axes reversed, or shifted and skewed around the torus."""
    extents = [*repetition, *pattern]
    rank = draw(st.integers(1, 2))
    axis_of = [draw(st.integers(0, rank - 1)) for _ in extents]
    shape = tuple(
        prod(length for length, at in zip(extents, axis_of, strict=True) if at == axis) for axis in range(rank)
    )
    order = draw(st.permutations(range(len(extents))))
    columns = [[0] * len(extents) for _ in range(rank)]
    for axis in range(rank):
        stride = 1
        for dimension in order:
            if axis_of[dimension] == axis:
                columns[axis][dimension] = stride
                stride *= extents[dimension]
    origin = [0] * rank
    for axis in range(rank):
        if draw(st.booleans()):
            columns[axis], origin[axis] = [-factor for factor in columns[axis]], shape[axis] - 1
    wrap = ""
    if draw(st.booleans()):
        event("wrapped output")
        wrap, origin = " wrap", [start + draw(st.integers(-4, 4)) for start in origin]
        if rank == 2:  # adding a multiple of one row's columns to the other row is one-to-one on the torus
            skew = draw(st.integers(-1, 1)) * (shape[1] if draw(st.booleans()) else 1)
            columns[1] = [own + skew * other for own, other in zip(columns[1], columns[0], strict=True)]
    split = len(repetition)
    paving, fitting = [row[:split] for row in columns], [row[split:] for row in columns]
    return f"origin {origin} paving {matrix(paving)} fitting {matrix(fitting)}{wrap}", shape


@st.composite
def delay_vectors(draw: DrawFn, rank: int) -> list[tuple[int, ...]]:
    """One or two delays that some schedule allows; at times only one that is no unit vector."""
    if rank == 2 and draw(st.sampled_from((True, True, False))):
        event("skewed wavefronts")
        return draw(st.sampled_from(([(1, -1), (0, 1)], [(1, -1), (-1, 2)], [(1, 1), (-1, 0)])))
    tau = draw(st.sampled_from([(1,), (-1,)] if rank == 1 else [(1, 0), (0, 1), (0, -1), (1, 2), (2, -1), (1, 1)]))
    vectors = product(range(-2, 3), repeat=rank)
    fitting = [vector for vector in vectors if sum(a * b for a, b in zip(tau, vector, strict=True)) >= 1]
    return draw(st.lists(st.sampled_from(fitting), min_size=1, max_size=2))


STREAM_DELAYS = ([(1, 0)], [(1, -1), (0, 1)], [(0, 1)], [(1, 1), (0, -1)], [(2, 0), (1, -2)], [(1, -1)])


@st.composite
def streams(draw: DrawFn) -> Generated:
    """A task over frames: each repetition takes from and gives to its own frame, and delays reach earlier ones."""
    frames, width = draw(st.integers(1, 3)), draw(st.integers(2, 3))
    kind = draw(st.sampled_from(TYPES))
    pattern = draw(_pattern_shapes())[:1]
    linked, out = GeneratedPort("x0", kind, pattern), GeneratedPort("y0", kind, pattern)
    fitting = [[0], [1]] if pattern else []
    step = pattern[0] if pattern else 1
    tilers = {
        "x0": f"origin [0, 0] paving [1, 0; 0, 1] fitting {matrix(fitting)}",
        "y0": f"origin [0, 0] paving [1, 0; 0, {step}] fitting {matrix(fitting)}",
    }
    links, ports = [f"x0 <- a_x0 at {tilers['x0']}"], [linked]
    for number, vector in enumerate(draw(st.sampled_from(STREAM_DELAYS))):
        port = GeneratedPort(f"p{number}", kind, pattern)
        default = draw(st.sampled_from((f"a_x0 at {tilers['x0']}", one(kind))))
        links.append(f"{port.name} <- y0 delay {list(vector)} else {default}")
        ports.append(port)
    links.append(f"y0 -> b_y0 at {tilers['y0']}")
    tables = draw(_table_of_bodies())
    body = draw(bodies([*ports, *tables], [out]))
    definitions = [draw(_const_array(table)) for table in tables]
    array = GeneratedPort("a_x0", kind, (frames, width + step - 1))

    def text(length: str) -> str:
        return "\n".join(
            [
                *definitions,
                f"elementary e({', '.join(map(str, ports))}) -> ({out}) {{",
                body,
                "}",
                f"task t(a_x0: {kind}[{length}, {array.shape[1]}]) -> (b_y0: {kind}[{length}, {width * step}]) {{",
                f"  repeat [{length}, {width}] of e {{",
                *(f"    {link}" for link in links),
                "  }",
                "}",
            ]
        )

    return Generated(text(str(frames)), "t", (array,), text("*"))


def specs() -> st.SearchStrategy[Generated]:
    """Repetitive tasks of an elementary with a body, one in five over an infinite axis."""
    return st.sampled_from(range(5)).flatmap(lambda number: streams() if number == 4 else finite_specs())


@st.composite
def finite_specs(draw: DrawFn) -> Generated:
    """A repetitive task of an elementary with a body; sometimes inside an outer repetition or a compound task."""
    rank = draw(st.sampled_from((2, 2, 1)))
    repetition = tuple(draw(st.lists(st.sampled_from((3, 4, 2, 1)), min_size=rank, max_size=rank)))
    common = draw(st.sampled_from(TYPES))
    kinds = st.sampled_from((common, common, *TYPES))
    linked = [GeneratedPort(f"x{n}", draw(kinds), draw(_pattern_shapes())) for n in range(draw(st.integers(1, 2)))]
    outputs = [GeneratedPort(f"y{n}", draw(kinds), draw(_pattern_shapes())) for n in range(draw(st.integers(1, 2)))]
    delayed, arrays, links = [], [], []
    for port in linked:
        tiler, shape = draw(input_tilers(repetition, port.shape, "true" if port.type == "bool" else "3"))
        arrays.append(GeneratedPort(f"a_{port.name}", port.type, shape))
        links.append(f"{port.name} <- a_{port.name} at {tiler}")
    if draw(st.sampled_from((True, True, False))):
        for number, vector in enumerate(draw(delay_vectors(len(repetition)))):
            source = draw(st.sampled_from(outputs))
            port = GeneratedPort(f"p{number}", source.type, source.shape)
            delayed.append(port)
            default = draw(st.sampled_from(("0", one(port.type)))) if port.type != "bool" else "true"
            event("delay")
            if min(vector) < 0:
                event("negative delay")
            if draw(st.booleans()):
                event("tiled default")
                tiler, shape = draw(input_tilers(repetition, port.shape))
                arrays.append(GeneratedPort(f"a_{port.name}", port.type, shape))
                default = f"a_{port.name} at {tiler}"
            links.append(f"{port.name} <- {source.name} delay {list(vector)} else {default}")
    results = []
    for port in outputs:
        tiler, shape = draw(output_tilers(repetition, port.shape))
        results.append(GeneratedPort(f"b_{port.name}", port.type, shape))
        links.append(f"{port.name} -> b_{port.name} at {tiler}")
    inputs = [*linked, *delayed]
    tables = draw(_table_of_bodies())
    body = draw(bodies([*inputs, *tables], outputs))
    tables += [array for array in arrays if draw(st.integers(0, 4)) == 0]
    arrays = [array for array in arrays if array not in tables]
    lines = [
        *(draw(_const_array(table)) for table in tables),
        f"elementary e({', '.join(map(str, inputs))}) -> ({', '.join(map(str, outputs))}) {{",
        body,
        "}",
        f"task t({', '.join(map(str, arrays))}) -> ({', '.join(map(str, results))}) {{",
        f"  repeat {list(repetition)} of e {{",
        *(f"    {link}" for link in links),
        "  }",
        "}",
    ]
    if draw(st.integers(0, 3)) == 0:
        event("hierarchy")
        outer = draw(st.integers(1, 3))
        lines += _around(outer, arrays, results)
        arrays = [_wider(port, outer) for port in arrays]
        return Generated("\n".join(lines), "outer", tuple(arrays))
    return Generated("\n".join(lines), "t", tuple(arrays))


def _wider(port: GeneratedPort, outer: int) -> GeneratedPort:
    return GeneratedPort(f"o_{port.name}", port.type, (outer, *port.shape))


def _around(outer: int, arrays: list[GeneratedPort], results: list[GeneratedPort]) -> list[str]:
    """A task that repeats t along a first axis."""

    def tiler(port: GeneratedPort) -> str:
        rank = len(port.shape)
        fitting = [[0] * rank, *([int(row == column) for column in range(rank)] for row in range(rank))]
        return f"origin {[0] * (rank + 1)} paving {matrix([[1], *[[0]] * rank])} fitting {matrix(fitting)}"

    ports = ", ".join(str(_wider(port, outer)) for port in arrays), ", ".join(str(_wider(p, outer)) for p in results)
    return [
        f"task outer({ports[0]}) -> ({ports[1]}) {{",
        f"  repeat [{outer}] of t {{",
        *(f"    {port.name} <- o_{port.name} at {tiler(port)}" for port in arrays),
        *(f"    {port.name} -> o_{port.name} at {tiler(port)}" for port in results),
        "  }",
        "}",
    ]
