"""Tasks as C functions on whole arrays: what a repetition calls, and the reference in C that needs no tiles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import dataclass, field
from math import prod

from arrayol.errors import error
from arrayol.ir.borders import Border
from arrayol.ir.expressions import Assign, Loop, Range, Statement, assigns
from arrayol.ir.intervals import reached
from arrayol.ir.spec import (
    Call,
    Component,
    CompoundTask,
    Delay,
    Elementary,
    Link,
    Port,
    RepetitiveTask,
    Spec,
    TiledDefault,
    Tiler,
    port_named,
)
from arrayol.ir.types import ElementType, Kind
from arrayol.polyhedral.accesses import Access, acting_axes
from arrayol.polyhedral.delays import find_schedule
from hwmodel.emit.c.expressions import Helpers, Scope, plain_element, total
from hwmodel.emit.c.helpers import element_type, literal
from hwmodel.emit.c.lines import (
    Lines,
    Parameter,
    array_parameter,
    block,
    constant_argument,
    declared,
    element,
    function,
    indented,
    loop,
    loops,
    sum_text,
)
from hwmodel.emit.c.locals import ON_THE_STACK, Block, shape_over_loops, variable
from hwmodel.emit.c.names import Named


def sizes(shape: Sequence[int | None]) -> tuple[int, ...]:
    """A shape without infinite dimensions as plain integers; the callers have refused those."""
    return tuple(length for length in shape if length is not None)


def body_scope(elementary: Elementary, helpers: Helpers, tables: Collection[str] = ()) -> Scope:
    """A scope in which ports and const arrays are C arrays, and locals variables of their blocks."""
    ports = (*elementary.inputs, *elementary.outputs)
    shapes = {port.name: sizes(port.shape) for port in ports}
    shapes |= {local.name: shape_over_loops(local) for local in elementary.locals}
    variables = {local.name: local for local in elementary.locals}

    def written(array: str, subscripts: Sequence[str]) -> str:
        if array in variables:
            return variable(variables[array], subscripts)
        if array in tables:
            return element(Named.TABLE.of(array), subscripts)
        return plain_element(array, subscripts)

    return Scope(shapes, helpers, written, elementary.locals)


def function_of(elementary: Elementary, name: str, helpers: Helpers, tables: Collection[str]) -> Lines:
    """A C function that runs a whole body on arrays: inputs, then outputs, in the order of the signature."""
    scope = body_scope(elementary, helpers, tables)
    lines = [*start_at_zero(elementary), *statements(elementary.body or (), scope)]
    return component_function(f"static void {name}", elementary, lines, tables)


def component_function(head: str, component: Component, lines: Lines, tables: Collection[str]) -> Lines:
    """The C function of a component: its inputs, const arrays aside, and its outputs are the parameters."""
    inputs = [port for port in component.inputs if port.name not in tables]
    return function(head, [*_parameters(inputs, True), *_parameters(component.outputs, False)], lines)


def _parameters(ports: Sequence[Port], constant: bool) -> list[Parameter]:
    return [
        array_parameter(Named.ARRAY.of(port.name), port.type, sizes(port.shape), constant=constant) for port in ports
    ]


def call_of(
    function_name: str, component: Component, inputs: Sequence[str], outputs: Sequence[str], tables: Collection[str]
) -> str:
    """A call of a component's C function on arrays of C, one for each of its inputs and outputs."""
    arguments = [
        constant_argument(name, port.type, sizes(port.shape))
        for name, port in zip(inputs, component.inputs, strict=True)
        if port.name not in tables
    ]
    return f"{function_name}({', '.join([*arguments, *outputs])});"


def start_at_zero(elementary: Elementary) -> Lines:
    """What `+=` adds to starts at zero."""
    summed = {assign.port for assign in assigns(elementary.body or ()) if assign.accumulate}
    lines: Lines = []
    for port in elementary.outputs:
        if port.name in summed:
            names = [f"i{axis}" for axis in range(len(port.shape))]
            line = f"{plain_element(port.name, tuple(names))} = {zero(port.type)};"
            lines += loops(names, sizes(port.shape), [line])
    return lines


def zero(kind: ElementType) -> str:
    """The zero of a type."""
    return literal(0, kind) if kind.kind is not Kind.COMPLEX else "0"


@dataclass(frozen=True)
class PlacedAssignment:
    """An assignment and the ranges around it, outermost first."""

    assign: Assign
    ranges: tuple[Range, ...]


def placed(body: Sequence[Statement], around: tuple[Range, ...] = ()) -> list[PlacedAssignment]:
    """The assignments of a body in textual order, each with all its ranges."""
    assignments: list[PlacedAssignment] = []
    for statement in body:
        ranges = (*around, *statement.ranges)
        assignments += (
            placed(statement.body, ranges) if isinstance(statement, Loop) else [PlacedAssignment(statement, ranges)]
        )
    return assignments


def statements(body: Sequence[Statement], scope: Scope, kept: Set[int] | None = None, first: int = 1) -> Lines:
    """Statements in textual order. With `kept`, only those of its numbers, of which the first statement has `first`."""
    lines: Lines = []
    number = first
    block = Block(body, scope.locals, len(scope.variables))
    for statement in body:
        count = len(list(assigns((statement,))))
        if kept is None or kept & set(range(number, number + count)):
            declarations, initial = block.before(statement)
            made = _ranged(statement, statement.ranges, scope, _Picked(kept, number))
            lines += [*declarations, *([f"{initial} {made[0]}"] if initial else made)]
        number += count
    return lines


@dataclass(frozen=True)
class _Picked:
    """The numbers of the statements to write (None for all), and that of the first one inside."""

    kept: Set[int] | None
    first: int


def _ranged(statement: Statement, ranges: Sequence[Range], scope: Scope, picked: _Picked) -> Lines:
    if not ranges:
        if isinstance(statement, Loop):
            return statements(statement.body, scope, picked.kept, picked.first)
        return assignment(statement, scope)
    first, *rest = ranges
    low, high = scope.text(first.low), scope.text(first.high)
    inside = _ranged(statement, rest, scope.within(first), picked)
    return loop(Named.INDEX.of(first.name), low.code, high.inside(61), inside)


def assignment(statement: Assign, scope: Scope) -> Lines:
    """One instance of a statement, for range variables that the scope has."""
    target, value = scope.read(statement.port, statement.subscripts), scope.text(statement.value)
    if statement.accumulate:
        value = total(element_type(statement.value.type), target, value, scope.helpers)
    line = f"{target.code} = {value.code};"
    if statement.condition is None:
        return [line]
    return [f"if ({scope.text(statement.condition).code})", f"  {line}"]


# How an element of an array around a repetition is written: its name and its subscripts, as C.
Outer = Callable[[str, Sequence[str]], str]


@dataclass
class Functions:
    """The C functions of the components that are called, each once, callees first."""

    spec: Spec
    helpers: Helpers
    texts: dict[str, Lines] = field(default_factory=dict)

    def call(self, name: str) -> str:
        """The name of a component's C function, which is made where it is not there yet."""
        function = Named.DO.of(name)
        if name not in self.texts:
            component = self.spec.components[name]
            require_finite(component)
            match component:
                case Elementary():
                    require_body(component)
                    self.texts[name] = function_of(component, function, self.helpers, self.spec.tables)
                case RepetitiveTask():
                    lines = repetitive(component, self)
                    self.texts[name] = component_function(f"static void {function}", component, lines, self.spec.tables)
                case CompoundTask():
                    lines = self._compound(component)
                    self.texts[name] = component_function(f"static void {function}", component, lines, self.spec.tables)
        return function

    def array(self, name: str) -> str:
        """The C array of a port, an array between calls, or a const array."""
        return (Named.TABLE if name in self.spec.tables else Named.ARRAY).of(name)

    def _compound(self, task: CompoundTask) -> Lines:
        own = {port.name for port in (*task.inputs, *task.outputs)}
        kept = [port for name, port in task.arrays.items() if name not in own]
        lines = [f"static {declared(Named.ARRAY.of(port.name), port.type, sizes(port.shape))};" for port in kept]
        read = {name for call in task.calls for name in call.arguments}
        lines += [f"(void){Named.ARRAY.of(port.name)};" for port in kept if port.name not in read]
        return [*lines, *(line for call in task.calls for line in self._called(call))]

    def _called(self, call: Call) -> Lines:
        """The call; parts of arrays are copied to and from arrays of their own around it."""
        callee = self.spec.components[call.callee]
        inputs, outputs = (
            [
                self.array(array) if call.part_at(port.name) is None else Named.PATTERN.of(port.name)
                for port, array in zip(ports, arrays, strict=True)
            ]
            for ports, arrays in ((callee.inputs, call.arguments), (callee.outputs, call.results))
        )
        line = call_of(self.call(call.callee), callee, inputs, outputs, self.spec.tables)
        if not call.parts:
            return [line]
        own = [port for port in (*callee.inputs, *callee.outputs) if call.part_at(port.name) is not None]
        reads, writes = (
            self._copies(call, ports, arrays, writes=writes)
            for ports, arrays, writes in (
                (callee.inputs, call.arguments, False),
                (callee.outputs, call.results, True),
            )
        )
        return ["{", *indented([*map(_local, own), *reads, line, *writes]), "}"]

    def _copies(self, call: Call, ports: Sequence[Port], arrays: Sequence[str], *, writes: bool) -> Lines:
        """The copies of the parts at some ports of a call."""
        lines: Lines = []
        for port, array in zip(ports, arrays, strict=True):
            part = call.part_at(port.name)
            if part is None:
                continue
            pattern = _pattern(port)
            rest = iter(pattern)
            subscripts = [
                sum_text(first, (step,), (next(rest),)) if kept else str(first)
                for first, step, kept in zip(part.origin, part.step, part.kept, strict=True)
            ]
            ends = (element(self.array(array), subscripts), element(Named.PATTERN.of(port.name), pattern))
            target, source = ends if writes else ends[::-1]
            lines += loops(pattern, sizes(port.shape), [f"{target} = {source};"])
        return lines


def require_finite(component: Component) -> None:
    """Raises ArrayolError (`infinite-in-c`) where a component has frames without end."""
    for port in (*component.inputs, *component.outputs):
        if None in port.shape:
            message = f"'{component.name}' has an infinite dimension, and C wants sizes"
            raise error("infinite-in-c", message, port.span, hint="give the dimension a length")


def require_body(elementary: Elementary) -> None:
    """Raises ArrayolError (`black-box`) where there is nothing to write in C."""
    if elementary.body is None:
        what = "runs a Python function" if elementary.extern else "has no body"
        message = f"'{elementary.name}' {what}, so there is nothing to write in C"
        raise error("black-box", message, elementary.span, hint="give it a body, as in { y = x }")


def repetitive(task: RepetitiveTask, functions: Functions) -> Lines:
    """All repetitions, in an order that the delays allow; delayed values are kept for all repetitions."""
    callee, repetition = functions.spec.components[task.callee], sizes(task.repetition)
    kept = {delay.output: port_named(callee.outputs, delay.output) for delay in task.delays if delay.acts}
    lines = [
        f"static {declared(Named.KEPT.of(name), port.type, (*repetition, *sizes(port.shape)))};"
        for name, port in kept.items()
    ]
    names = [f"r{axis}" for axis in range(len(repetition))]
    states = {f"kept {name}": Named.KEPT.of(name) for name in kept}  # no array of the specification has such a name

    def outer(array: str, subscripts: Sequence[str]) -> str:
        return element(states.get(array) or functions.array(array), subscripts)

    inside = instance(task, functions, names, outer, {name: f"kept {name}" for name in kept})
    return [*lines, *_in_order(task, names, repetition, inside)]


def _in_order(task: RepetitiveTask, names: Sequence[str], repetition: Sequence[int], lines: Lines) -> Lines:
    """Loops over the repetitions: as written, or by the times of a schedule where a delay asks for that."""
    delays = [delay.vector for delay in task.delays if delay.acts]
    if all(next((step for step in vector if step), 0) > 0 for vector in delays):
        return loops(names, repetition, lines)
    schedule = find_schedule(delays, repetition)
    assert schedule is not None  # the checks have found one
    low, high = reached(0, (factor * (length - 1) for factor, length in zip(schedule, repetition, strict=True)))
    guarded = block(f"if ({sum_text(0, schedule, names)} == now)", lines)
    return loop("now", str(low), str(high + 1), loops(names, repetition, guarded))


def instance(
    task: RepetitiveTask, functions: Functions, names: Sequence[str], outer: Outer, kept: dict[str, str]
) -> Lines:
    """One repetition: gather the patterns, call the task, put the results where they belong.

    `kept` names, by output port, the arrays around that hold what delays read.
    """
    callee = functions.spec.components[task.callee]
    tables = functions.spec.tables
    lines = [_local(port) for port in (*callee.inputs, *callee.outputs) if port.name not in tables]
    for link in task.input_links:
        if link.port in tables:
            continue
        lines += _gather(port_named(callee.inputs, link.port), link.array, link.tiler, task, names, outer)
    for delay in task.delays:
        lines += _delayed(delay, port_named(callee.inputs, delay.port), task, names, outer, kept)
    inputs, outputs = ([Named.PATTERN.of(port.name) for port in ports] for ports in (callee.inputs, callee.outputs))
    lines.append(call_of(functions.call(task.callee), callee, inputs, outputs, tables))
    for link in task.output_links:
        lines += _scatter(port_named(callee.outputs, link.port), link, task, names, outer)
    for name, array in kept.items():
        port = port_named(callee.outputs, name)
        pattern = _pattern(port)
        line = f"{outer(array, (*names, *pattern))} = {element(Named.PATTERN.of(name), pattern)};"
        lines += loops(pattern, sizes(port.shape), [line])
    return lines


def _local(port: Port) -> str:
    text = declared(Named.PATTERN.of(port.name), port.type, sizes(port.shape))
    return f"static {text};" if prod(sizes(port.shape)) > ON_THE_STACK else f"{text};"


def _pattern(port: Port) -> list[str]:
    return [f"f{axis}" for axis in range(len(port.shape))]


def _gather(port: Port, array: str, tiler: Tiler, task: RepetitiveTask, names: Sequence[str], outer: Outer) -> Lines:
    pattern = _pattern(port)
    if tiler.border is not None:
        lines = _through_border(tiler, tiler.border, port, (task, array, names), outer)
        return loops(pattern, sizes(port.shape), lines if pattern else ["{", *indented(lines), "}"])
    source = outer(array, _subscripts(tiler, task, array, names, pattern))
    return loops(pattern, sizes(port.shape), [f"{element(Named.PATTERN.of(port.name), pattern)} = {source};"])


def _through_border(
    tiler: Tiler, border: Border, port: Port, place: tuple[RepetitiveTask, str, Sequence[str]], outer: Outer
) -> Lines:
    """One element of a pattern; where it may lie outside, the coordinates are variables, which then go inside."""
    (task, array, names), pattern = place, _pattern(port)
    target = element(Named.PATTERN.of(port.name), pattern)
    shape = sizes(port_named(task.inputs, array).shape)
    acting = acting_axes(Access(tiler, task.repetition, port.shape, shape))
    plain = _subscripts(tiler, task, array, names, pattern)
    subscripts = [f"e{axis}" if axis in acting else text for axis, text in enumerate(plain)]
    lines = [f"int64_t e{axis} = {plain[axis]};" for axis in acting]
    if border.pieces is None and acting:
        tests = [f"e{axis} >= 0 && e{axis} < {shape[axis]}" for axis in acting]
        constant = literal(port.type.held(border.value), port.type)
        inside, outside = f"{target} = {outer(array, subscripts)};", f"{target} = {constant};"
        return [*lines, *block(f"if ({' && '.join(tests)})", [inside])[:-1], "} else {", *indented([outside]), "}"]
    for axis in acting:
        name, extent, pieces = f"e{axis}", shape[axis], border.pieces or ()
        before, after = (sum_text(piece.at(0, extent), (piece.coordinate,), (name,)) for piece in pieces)
        lines.append(f"{name} = {name} < 0 ? {before} : {name} >= {extent} ? {after} : {name};")
    return [*lines, f"{target} = {outer(array, subscripts)};"]


def _scatter(port: Port, link: Link, task: RepetitiveTask, names: Sequence[str], outer: Outer) -> Lines:
    pattern = _pattern(port)
    target = outer(link.array, _subscripts(link.tiler, task, link.array, names, pattern))
    lines = loops(pattern, sizes(port.shape), [f"{target} = {element(Named.PATTERN.of(port.name), pattern)};"])
    if link.exit is None:
        return lines
    leaves = [
        f"{name} >= {length - step}" if step > 0 else f"{name} < {-step}"
        for name, step, length in zip(names, link.exit, sizes(task.repetition), strict=True)
        if step
    ]
    return block(f"if ({' || '.join(leaves)})", lines)


def _subscripts(
    tiler: Tiler, task: RepetitiveTask, array: str, names: Sequence[str], pattern: Sequence[str]
) -> list[str]:
    """e(r, f) of a tiler, one subscript per dimension of the array, wrapped around where the tiler may leave it."""
    shape = sizes(port_named((*task.inputs, *task.outputs), array).shape)
    subscripts = []
    for origin, paving, fitting, length in zip(tiler.origin, tiler.paving, tiler.fitting, shape, strict=True):
        text = sum_text(origin, (*paving, *fitting), (*names, *pattern))
        subscripts.append(f"(({text}) % {length} + {length}) % {length}" if tiler.wrap else text)
    return subscripts


def _delayed(
    delay: Delay, port: Port, task: RepetitiveTask, names: Sequence[str], outer: Outer, kept: dict[str, str]
) -> Lines:
    pattern = _pattern(port)
    default = delay.default
    if isinstance(default, TiledDefault):
        first = _gather(port, default.array, default.tiler, task, names, outer)
    else:
        value = f"{element(Named.PATTERN.of(port.name), pattern)} = {literal(port.type.held(default), port.type)};"
        first = loops(pattern, sizes(port.shape), [value])
    if not delay.acts:
        return first
    sources = [
        name if not step else f"{name} {'-' if step > 0 else '+'} {abs(step)}"
        for name, step in zip(names, delay.vector, strict=True)
    ]
    tests = []
    for source, step, length in zip(sources, delay.vector, sizes(task.repetition), strict=True):
        tests += [f"{source} >= 0"] if step > 0 else [f"{source} < {length}"] if step < 0 else []
    line = f"{element(Named.PATTERN.of(port.name), pattern)} = {outer(kept[delay.output], (*sources, *pattern))};"
    then = loops(pattern, sizes(port.shape), [line])
    return [*block(f"if ({' && '.join(tests)})", then)[:-1], "} else {", *indented(first), "}"]
