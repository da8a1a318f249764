"""A tiled nest as one C file: load, compute and store of each tile, pipelined along a strip.

Arrays of the signature are external memory; local memory has the slots that the allocation under double buffering says,
so the C, which may run a step's load, compute and store in any order, shows that they are enough. isl writes the loops
over strips, tiles, elements and instances; the statements are those of the body, on local memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

from arrayol.errors import error
from arrayol.ir.expressions import Range
from arrayol.ir.spec import Component, ConstArray, Elementary, Port, RepetitiveTask, Spec, written_name
from arrayol.polyhedral.isl import TooHardError
from arrayol.polyhedral.pieces import value_pieces
from arrayol.text import counted
from arrayol.tiling.allocation import Allocation, allocate_overlapped
from arrayol.tiling.codegen import For, If, Node, PointAction, element_loops, instance_loops, strip_loops, tile_loops
from arrayol.tiling.nest import NestArray, ScheduledStatement, TiledNest, Traffic
from hwmodel.emit.c.const_arrays import const_array
from hwmodel.emit.c.expressions import Helpers, Scope
from hwmodel.emit.c.helpers import FAIL, c_type
from hwmodel.emit.c.lines import (
    Lines,
    array_parameter,
    block,
    coordinates,
    declared,
    element,
    function,
    indented,
    sum_text,
)
from hwmodel.emit.c.names import Named, identifiers
from hwmodel.emit.c.tasks import (
    Functions,
    assignment,
    body_scope,
    call_of,
    component_function,
    instance,
    placed,
    require_body,
    require_finite,
    sizes,
    start_at_zero,
    statements,
    zero,
)


@dataclass(frozen=True)
class NestMemory:
    """The arrays of a nest, and where local memory holds their elements.

    Local memory of array x is `slots_x`, and `local_x(e0, e1)` is the place of an element in it. What delays read has
    words of its own, since an array of the specification may be called as an output.
    """

    arrays: Mapping[str, NestArray]
    allocations: Mapping[str, Allocation]
    carried: Collection[str]  # the delayed arrays that pass from strip to strip

    def external(self, array: str, subscripts: Sequence[str]) -> str:
        """An element in external memory."""
        return element(self.name(array), subscripts)

    def local(self, array: str, subscripts: Sequence[str]) -> str:
        """An element in local memory, by the subscripts that tell its slot; one of a const array where that stands."""
        if array not in self.arrays:
            return element(Named.TABLE.of(array), subscripts)
        rows = self.allocations[array].matrix
        wanted = (subscript for axis, subscript in enumerate(subscripts) if any(row[axis] for row in rows))
        return f"{self._named(array, Named.LOCAL, Named.LOCAL_KEPT)}({', '.join(wanted)})"

    def name(self, array: str) -> str:
        """The C array in external memory."""
        return self._named(array, Named.ARRAY, Named.KEPT)

    def slots(self, array: str) -> str:
        """The C array in local memory."""
        return self._named(array, Named.SLOTS, Named.SLOTS_KEPT)

    def _named(self, array: str, word: Named, delayed: Named) -> str:
        return (delayed if self.arrays[array].role == "delayed" else word).of(array)

    def passed(self, lines: Lines) -> list[NestArray]:
        """The arrays in external memory that lines need as parameters."""
        used = identifiers(lines)
        ports = [array for array in self.arrays.values() if array.role in ("input", "output")]
        return [array for array in ports if self.name(array.name) in used]

    def definitions(self) -> Lines:
        """Local memory, and external memory for what delays carry from strip to strip."""
        lines: Lines = []
        for name, array in self.arrays.items():
            if name in self.carried:
                text = declared(self.name(name), array.type, sizes(array.shape))
                lines += ["/* External memory for what delays carry. */", f"static {text};", ""]
        for name, allocation in self.allocations.items():
            lines += self._local(name, allocation)
        return lines[:-1]

    def _local(self, name: str, allocation: Allocation) -> Lines:
        array = self.arrays[name]
        axes = [f"e{axis}" for axis in range(len(array.shape))]
        inside = [f"({axis})" for axis in axes]
        places = [
            f"mod({sum_text(0, row, inside)}, {modulus})"
            for row, modulus in zip(allocation.matrix, allocation.moduli, strict=True)
        ]
        whole = "" if array.is_local else f" of {counted(prod(sizes(array.shape)), 'element')}"
        bounds = "".join(f"[{modulus}]" for modulus in allocation.moduli or (1,))
        return [
            f"/* {written_name(name)}: {allocation.size:,}{whole} at once; {allocation.reason}. */",
            f"static {c_type(array.type)} {self.slots(name)}{bounds};",
            f"#define {self.local(name, axes)} {element(self.slots(name), places)}",
            "",
        ]


# Whole C files: what they include, their helpers, and a `main` for raw arrays.

_INCLUDES = ("complex", "math", "stdbool", "stdint", "stdio", "stdlib", "string")


def c_file(
    remark: Sequence[str],
    helpers: Helpers,
    parts: Sequence[Lines],
    component: Component,
    lines: Lines,
    tables: Mapping[str, ConstArray],
) -> str:
    """A C file: a function run_NAME of the component, on arrays, and a `main` behind WITH_MAIN that tries it."""
    name = Named.RUN.of(component.name)
    text: Lines = [f"/* {remark[0]}", *(f"   {line}" for line in remark[1:])]
    text[-1] += " */"
    code: Lines = []
    if any("fail(" in helper for helper in helpers.texts.values()):
        code += ["", *FAIL.splitlines()]
    for helper in helpers.texts.values():
        code += ["", *helper.splitlines()]
    used = identifiers([*lines, *(line for part in parts for line in part)])
    read = [table for name, table in tables.items() if Named.TABLE.of(name) in used]
    for part in (*map(const_array, read), *parts):
        code += ["", *part]
    code += ["", *component_function(f"void {name}", component, lines, tables)]
    code += ["", *_main(component, name, tables), ""]
    complex_too = any(" complex" in line for line in code)
    text += [f"#include <{header}.h>" for header in _INCLUDES if header != "complex" or complex_too]
    return "\n".join([*text, *code])


def _main(component: Component, name: str, tables: Collection[str]) -> Lines:
    """Reads the inputs as raw arrays from stdin, in the order of the signature, and writes the outputs to stdout."""
    inputs, outputs = (
        {Named.ARGUMENT.of(port.name): port for port in ports if port.name not in tables}
        for ports in (component.inputs, component.outputs)
    )
    arrays = inputs | outputs
    lines = [f"static {declared(argument, port.type, sizes(port.shape))};" for argument, port in arrays.items()]
    lines += [f"if ({_moved('fread', argument, port, 'stdin')}) return 1;" for argument, port in inputs.items()]
    arguments = [Named.ARGUMENT.of(port.name) for port in component.inputs]
    lines.append(call_of(name, component, arguments, list(outputs), tables))
    lines += [f"if ({_moved('fwrite', argument, port, 'stdout')}) return 1;" for argument, port in outputs.items()]
    return ["#ifdef WITH_MAIN", *block("int main(void)", [*lines, "return 0;"]), "#endif"]


def _moved(mover: str, argument: str, port: Port, stream: str) -> str:
    count = prod(sizes(port.shape))
    return f"{mover}({argument}, sizeof({c_type(port.type)}), {count}, {stream}) != {count}"


_BOUNDS = {  # what bounds and subscripts call
    "mod": "static inline int64_t mod(int64_t a, int64_t b) { return (a % b + b) % b; }",
    "min": "static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }",
    "max": "static inline int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }",
    "floord": "static inline int64_t floord(int64_t n, int64_t d) { return (n < 0 ? n - (d - 1) : n) / d; }",
}


def emit_c(spec: Spec, traffic: Traffic, text: str) -> str:
    """The C of a nest without symbols; `text` says in a line how it was tiled.

    The function run_NAME takes the component's inputs and outputs as arrays. Raises ArrayolError (`black-box`,
    `infinite-in-c`, `symbolic-in-c`, `too-wide-for-c`, `too-hard`).
    """
    nest = traffic.nest
    component = spec.components[nest.name]
    if nest.symbols:
        message = f"{', '.join(nest.symbols)} stays symbolic, and C wants numbers"
        raise error("symbolic-in-c", message, hint="leave out --symbolic, and give --tile numbers")
    require_finite(component)
    assert isinstance(component, (Elementary, RepetitiveTask))
    touched = {reach.array for statement in nest.statements for reach in (*statement.reads, *statement.writes)}
    allocations = {name: allocate_overlapped(traffic, name) for name in nest.arrays if name in touched}
    helpers = Helpers()
    carried = [
        name
        for name in allocations
        if nest.arrays[name].role == "delayed"
        and not (traffic.load[name].is_empty() and traffic.store[name].is_empty())
    ]
    memory = NestMemory(nest.arrays, allocations, carried)
    program = _Program(
        spec, traffic, memory, Functions(spec, helpers), [Named.TILE.of(name) for name in nest.tile_names]
    )
    try:
        parts, lines = program.parts(component)
    except TooHardError:
        message = f"the loops of '{component.name}' under this schedule are beyond what is tried"
        hint = "try --simplify, a plainer schedule, or tiles that divide the extents"
        raise error("too-hard", message, hint=hint) from None
    return c_file(_remark(component.name, text), helpers, parts, component, lines, spec.tables)


def _remark(name: str, text: str) -> Sequence[str]:
    return (
        f"{name} in tiles: {text}",
        f"gcc -O2 -ffp-contract=off -fwrapv -c {name}.c",
        "With -DWITH_MAIN, and -lm: reads the inputs as raw arrays from stdin and writes the outputs to stdout.",
        "With -DGARBAGE=165: local memory starts each strip filled with bytes of that value.",
    )


_WAITING = """\
/* While a tile is computed the next is loaded and the one before is stored, in any order or at once:
   waiting[0] is loaded and not yet computed, waiting[1] is computed and not yet stored. */
static int64_t waiting[2][{}];
static int tiles_waiting;
"""

Point = Callable[..., str]  # the line of C that runs at a point, from the point's coordinates


@dataclass(frozen=True)
class _TileFunction:
    """A function of the program on arrays in external memory, and coordinates."""

    name: str
    arrays: Sequence[str]
    text: Lines

    def call(self, *coordinates: str) -> str:
        return _call(self.name, *self.arrays, *coordinates)


@dataclass(frozen=True)
class _Program:
    spec: Spec
    traffic: Traffic
    memory: NestMemory
    functions: Functions
    names: Sequence[str]

    @property
    def nest(self) -> TiledNest:
        return self.traffic.nest

    @property
    def strips(self) -> Sequence[str]:
        """The coordinates that tell strips apart."""
        return self.names[: self.nest.depth - self.nest.strip_dims]

    def parts(self, component: Elementary | RepetitiveTask) -> tuple[list[Lines], Lines]:
        """All but the last function (memory, statements, load, compute, store, a strip), and the lines of the last."""
        computed = [self._statement(component, statement) for statement in self.nest.statements]
        load, store = self._moving("load", self.traffic.load), self._moving("store", self.traffic.store)
        step, finish = self._step(load, store), self._finish(store)
        strip = self._strip(step, finish)
        lines = self._main(component, strip)
        waiting = _WAITING.format(len(self.names)).splitlines()
        parts = [*self.functions.texts.values(), self.memory.definitions(), *computed]
        parts += [load.text, self._compute(), store.text, [*waiting, "", *step.text], finish.text, strip.text]
        used = identifiers([line for part in (*parts, lines) for line in part])
        bounds = [text for name, text in _BOUNDS.items() if name in used]
        return [bounds, *parts] if bounds else parts, lines

    def _main(self, component: Elementary | RepetitiveTask, strip: _TileFunction) -> Lines:
        """What runs before the tiles, the strips, what runs after them."""
        lines: Lines = []
        if isinstance(component, Elementary):
            scope = body_scope(component, self.functions.helpers, self.spec.tables)
            lines += start_at_zero(component)
            lines += statements(component.body or (), scope, frozenset(self.nest.before)) if self.nest.before else []
        lines += self._garbage(from_strip_to_strip=True)
        lines += self._lines(strip_loops(self.nest, self.strips), {"strip": strip.call})
        if isinstance(component, Elementary) and self.nest.after:
            lines += statements(component.body or (), scope, frozenset(self.nest.after))
        return lines

    def _statement(self, component: Elementary | RepetitiveTask, statement: ScheduledStatement) -> Lines:
        """A function that runs one instance on local memory."""
        if isinstance(component, RepetitiveTask):
            names = list(statement.indices)
            carried = {
                output: name
                for name, array in self.nest.arrays.items()
                for output in {delay.output for delay in component.delays if delay.acts}
                if array.role == "delayed" and written_name(name) == output
            }
            lines = instance(component, self.functions, names, self.memory.local, carried)
        else:
            require_body(component)
            inner = placed(component.body or ())[statement.number - 1]
            scope, guards = self._scope(component, inner.ranges)
            names = [Named.INDEX.of(name) for name in statement.indices]
            lines = [*guards, *assignment(inner.assign, scope)]
        return function(f"static void S{statement.number}", coordinates(names), lines)

    def _scope(self, component: Elementary, ranges: Sequence[Range]) -> tuple[Scope, Lines]:
        """The scope of an instance, and a guard for each range whose bounds the loops around do not tell exactly."""
        scope = body_scope(component, self.functions.helpers)
        scope = Scope(scope.shapes, scope.helpers, self.memory.local)
        guards: Lines = []
        for item in ranges:
            names = {name: name for name in scope.variables}
            if value_pieces(item.low, names) is None or value_pieces(item.high, names) is None:
                name = Named.INDEX.of(item.name)
                low, high = scope.text(item.low).inside(61), scope.text(item.high).inside(61)
                guards.append(f"if (!({name} >= {low} && {name} < {high})) return;")
            scope = scope.within(item)
        return scope, guards

    def _moving(self, word: str, relations: Mapping[str, Any]) -> _TileFunction:
        """`load` or `store`: the elements of a tile, array by array."""
        lines: Lines = []
        for name in self.traffic.moved:
            nodes = element_loops(relations[name], self.nest, self.names)
            lines += self._lines(nodes, {"element": self._mover(word, name)})
        return self._function(word, lines, self.names)

    def _zeroed(self) -> Lines:
        """What `+=` adds to in a local, and nothing has written, starts at zero."""
        lines: Lines = []
        for name in self.traffic.locals:
            start = zero(self.nest.arrays[name].type)
            nodes = element_loops(self.traffic.zeroed[name], self.nest, self.names)
            lines += self._lines(nodes, {"element": partial(self._set, name, start)})
        return lines

    def _set(self, name: str, value: str, *subscripts: str) -> str:
        return f"{self.memory.local(name, subscripts)} = {value};"

    def _mover(self, word: str, name: str) -> Point:
        def moved(*subscripts: str) -> str:
            outside, inside = self.memory.external(name, subscripts), self.memory.local(name, subscripts)
            return f"{inside} = {outside};" if word == "load" else f"{outside} = {inside};"

        return moved

    def _compute(self) -> Lines:
        labels = [f"S{statement.number}" for statement in self.nest.statements]
        lines = self._zeroed() + self._lines(
            instance_loops(self.nest, self.names), {label: partial(_call, label) for label in labels}
        )
        return function("static void compute", coordinates(self.names), lines)

    def _step(self, load: _TileFunction, store: _TileFunction) -> _TileFunction:
        """The next tile enters the pipeline."""
        loaded, computed = self._waiting
        lines = [
            load.call(*self.names),
            f"if (tiles_waiting > 0) {_call('compute', *loaded)}",
            f"if (tiles_waiting > 1) {store.call(*computed)}",
            "memcpy(waiting[1], waiting[0], sizeof waiting[0]);",
            *(f"{place} = {name};" for place, name in zip(loaded, self.names, strict=True)),
            "if (tiles_waiting < 2) ++tiles_waiting;",
        ]
        return self._function("step", lines, self.names)

    def _finish(self, store: _TileFunction) -> _TileFunction:
        """The pipeline runs empty at the end of a strip."""
        loaded, computed = self._waiting
        lines = [
            f"if (tiles_waiting > 0) {_call('compute', *loaded)}",
            f"if (tiles_waiting > 1) {store.call(*computed)}",
            f"if (tiles_waiting > 0) {store.call(*loaded)}",
            "tiles_waiting = 0;",
        ]
        return self._function("finish", lines, ())

    @property
    def _waiting(self) -> tuple[list[str], list[str]]:
        """The coordinates of the tile that is loaded, and of the one that is computed."""
        loaded, computed = ([f"waiting[{row}][{axis}]" for axis in range(len(self.names))] for row in (0, 1))
        return loaded, computed

    def _strip(self, step: _TileFunction, finish: _TileFunction) -> _TileFunction:
        garbage = self._garbage(from_strip_to_strip=False)
        lines = self._lines(tile_loops(self.nest, self.names), {"tile": step.call})
        return self._function("strip", [*garbage, *lines, finish.call()], self.strips)

    def _garbage(self, *, from_strip_to_strip: bool) -> Lines:
        """Local memory is spoilt: that of a strip, or that of what lives from strip to strip."""
        longer = {name for name, nest in self.traffic.nests.items() if nest.strip_dims > self.nest.strip_dims}
        names = [name for name in self.memory.allocations if (name in longer) is from_strip_to_strip]
        lines = [f"memset({slots}, GARBAGE, sizeof {slots});" for slots in map(self.memory.slots, names)]
        return ["#ifdef GARBAGE", *lines, "#endif"] if lines else []

    def _function(self, name: str, lines: Lines, names: Sequence[str]) -> _TileFunction:
        """A function with the arrays that its lines need, and these coordinates."""
        arrays = {self.memory.name(array.name): array for array in self.memory.passed(lines)}
        parameters = [
            array_parameter(parameter, array.type, sizes(array.shape), constant=array.role != "output")
            for parameter, array in arrays.items()
        ]
        return _TileFunction(
            name, [*arrays], function(f"static void {name}", [*parameters, *coordinates(names)], lines)
        )

    def _lines(self, nodes: Sequence[Node], labels: Mapping[str, Point]) -> Lines:
        """A tree of loops as C; `labels` say what a point runs."""
        lines: Lines = []
        for node in nodes:
            match node:
                case For():
                    step = f"++{node.name}" if node.step == "1" else f"{node.name} += {node.step}"
                    head = f"for (int64_t {node.name} = {node.first}; {node.condition}; {step})"
                    lines += _headed(head, self._lines(node.body, labels))
                case If():
                    lines += _headed(
                        f"if ({node.condition})", self._lines(node.then, labels), braces=bool(node.otherwise)
                    )
                    if node.otherwise:
                        lines[-1] = "} else {"
                        lines += [*indented(self._lines(node.otherwise, labels)), "}"]
                case PointAction():
                    lines.append(labels[node.label](*node.arguments))
        return lines


def _call(name: str, *arguments: str) -> str:
    return f"{name}({', '.join(arguments)});"


def _headed(head: str, lines: Lines, *, braces: bool = False) -> Lines:
    if len(lines) == 1 and not braces:
        return [head, *indented(lines)]
    return block(head, lines)
