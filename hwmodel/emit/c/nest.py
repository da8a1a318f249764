"""A tiled nest as one C file: load, compute and store of each tile, pipelined along a strip.

Arrays of the signature are external memory; local memory has the slots that the allocation under double buffering says,
so the C, which may run a step's load, compute and store in any order, shows that they are enough. isl writes the loops
over strips, tiles, elements and instances; the statements are those of the body, on local memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from arrayol.errors import error
from arrayol.ir.expressions import Range
from arrayol.ir.spec import Component, Elementary, Port, RepetitiveTask, Spec
from arrayol.polyhedral.isl import TooHardError
from arrayol.polyhedral.pieces import value_pieces
from arrayol.text import counted
from arrayol.tiling.allocation import Allocation, allocate
from arrayol.tiling.codegen import For, If, Node, Run, element_loops, instance_loops, strip_loops, tile_loops
from arrayol.tiling.liveness import lifetimes
from arrayol.tiling.nest import NestArray, ScheduledStatement, TiledNest, Traffic
from hwmodel.emit.c.expressions import Helpers, Scope
from hwmodel.emit.c.helpers import (
    FAIL,
    Lines,
    block,
    c_name,
    c_type,
    declared,
    element,
    function_name,
    indented,
    sum_text,
)
from hwmodel.emit.c.tasks import (
    Functions,
    assignment,
    body_scope,
    instance,
    parameters,
    placed,
    require_body,
    require_finite,
    sizes,
    start_at_zero,
    statements,
)

MOD = ["static inline int64_t mod(int64_t a, int64_t b) {", "  return (a % b + b) % b;", "}"]


@dataclass(frozen=True)
class Memory:
    """The arrays of a nest, and where local memory holds their elements.

    Local memory of array x is `x_slots`, and `local_x(e0, e1)` is the place of an element in it.
    """

    arrays: Mapping[str, NestArray]
    allocations: Mapping[str, Allocation]
    carried: Collection[str]  # the delayed arrays that pass from strip to strip

    def external(self, array: str, subscripts: Sequence[str]) -> str:
        """An element in external memory."""
        return element(self.name(array), subscripts)

    def local(self, array: str, subscripts: Sequence[str]) -> str:
        """An element in local memory."""
        return f"local_{self._stem(array)}({', '.join(subscripts)})"

    def name(self, array: str) -> str:
        """The C array in external memory."""
        return f"kept_{self._stem(array)}" if self.arrays[array].role == "delayed" else c_name(array)

    def slots(self, array: str) -> str:
        """The C array in local memory."""
        return f"{self._stem(array)}_slots"

    def parameters(self, *, written: bool) -> str:
        """The arrays in external memory as parameters; only what is `written` may change."""
        return ", ".join(
            f"{'' if written and array.role == 'output' else 'const '}"
            f"{declared(c_name(array.name), array.type, sizes(array.shape))}"
            for array in self.arrays.values()
            if array.role != "delayed"
        )

    def arguments(self) -> str:
        """The same arrays as arguments."""
        return ", ".join(self.name(array.name) for array in self.arrays.values() if array.role != "delayed")

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
        array, stem = self.arrays[name], self._stem(name)
        axes = [f"e{axis}" for axis in range(len(array.shape))]
        inside = [f"({axis})" for axis in axes]
        places = [
            f"mod({sum_text(0, row, inside)}, {modulus})"
            for row, modulus in zip(allocation.matrix, allocation.moduli, strict=True)
        ]
        count = prod(sizes(array.shape))
        bounds = "".join(f"[{modulus}]" for modulus in allocation.moduli or (1,))
        return [
            f"/* {stem}: {allocation.size:,} of {counted(count, 'element')} at once; {allocation.reason}. */",
            f"static {c_type(array.type)} {self.slots(name)}{bounds};",
            f"#define local_{stem}({', '.join(axes)}) {element(self.slots(name), places)}",
            "",
        ]

    def _stem(self, array: str) -> str:
        return array.replace("'", "_carried")


# Whole C files: what they include, their helpers, and a `main` for raw arrays.

_INCLUDES = ("complex", "math", "stdbool", "stdint", "stdio", "stdlib", "string")


def c_file(remark: Sequence[str], helpers: Helpers, parts: Sequence[Lines], component: Component, lines: Lines) -> str:
    """A C file: a function named as the component, on arrays, and a `main` behind WITH_MAIN that tries it."""
    name = function_name(component.name)
    text: Lines = [f"/* {remark[0]}", *(f"   {line}" for line in remark[1:])]
    text[-1] += " */"
    code: Lines = []
    if any("fail(" in helper for helper in helpers.texts.values()):
        code += ["", *FAIL.splitlines()]
    for helper in helpers.texts.values():
        code += ["", *helper.splitlines()]
    for part in parts:
        code += ["", *part]
    code += ["", *block(f"void {name}({parameters(component.inputs, component.outputs)})", lines)]
    code += ["", *_main(component, name), ""]
    complex_too = any(" complex" in line for line in code)
    text += [f"#include <{header}.h>" for header in _INCLUDES if header != "complex" or complex_too]
    return "\n".join([*text, *code])


def _main(component: Component, name: str) -> Lines:
    """Reads the inputs as raw arrays from stdin, in the order of the signature, and writes the outputs to stdout."""
    ports = (*component.inputs, *component.outputs)
    lines = [f"static {declared(f'arg_{port.name}', port.type, sizes(port.shape))};" for port in ports]
    lines += [f"if ({_moved('fread', port, 'stdin')}) return 1;" for port in component.inputs]
    lines.append(f"{name}({', '.join(f'arg_{port.name}' for port in ports)});")
    lines += [f"if ({_moved('fwrite', port, 'stdout')}) return 1;" for port in component.outputs]
    return ["#ifdef WITH_MAIN", *block("int main(void)", [*lines, "return 0;"]), "#endif"]


def _moved(function: str, port: Port, stream: str) -> str:
    count = prod(sizes(port.shape))
    return f"{function}(arg_{port.name}, sizeof({c_type(port.type)}), {count}, {stream}) != {count}"


_BOUNDS = [
    "static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }",
    "static inline int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }",
    "static inline int64_t floord(int64_t n, int64_t d) { return (n < 0 ? n - (d - 1) : n) / d; }",
]


def emit_c(spec: Spec, traffic: Traffic, text: str) -> str:
    """The C of a nest without symbols; `text` says in a line how it was tiled.

    A function of the component's name takes its inputs and outputs as arrays. Raises ArrayolError (`black-box`,
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
    allocations = {name: allocate(lifetimes(traffic, name, overlapped=True)) for name in nest.arrays if name in touched}
    helpers = Helpers()
    carried = [
        name
        for name in allocations
        if nest.arrays[name].role == "delayed"
        and not (traffic.load[name].is_empty() and traffic.store[name].is_empty())
    ]
    memory = Memory(nest.arrays, allocations, carried)
    program = _Program(spec, traffic, memory, Functions(spec, helpers), _tile_names(nest))
    try:
        parts = program.parts(component)
        lines = program.main(component)
    except TooHardError:
        message = f"the loops of '{component.name}' under this schedule are beyond what is tried"
        hint = "try --simplify, a plainer schedule, or tiles that divide the extents"
        raise error("too-hard", message, hint=hint) from None
    return c_file(_remark(component.name, text), helpers, parts, component, lines)


def _remark(name: str, text: str) -> Sequence[str]:
    return (
        f"{name} in tiles: {text}",
        f"gcc -O2 -ffp-contract=off -fwrapv -c {name}.c",
        "With -DWITH_MAIN, and -lm: reads the inputs as raw arrays from stdin and writes the outputs to stdout.",
        "With -DGARBAGE=165: local memory starts each strip filled with bytes of that value.",
    )


def _tile_names(nest: TiledNest) -> tuple[str, ...]:
    """Names of a tile's coordinates that no array has; `I` is a macro of <complex.h>."""
    taken = {c_name(name) for name in nest.arrays}
    names = (f"tile_{name}" for name in nest.tile_names)
    return tuple(f"{name}_" if name in taken else name for name in names)


@dataclass(frozen=True)
class _Program:
    spec: Spec
    traffic: Traffic
    memory: Memory
    functions: Functions
    names: tuple[str, ...]

    @property
    def nest(self) -> TiledNest:
        return self.traffic.nest

    @property
    def coordinates(self) -> str:
        return ", ".join(f"int64_t {name}" for name in self.names)

    def parts(self, component: Elementary | RepetitiveTask) -> list[Lines]:
        """All but the last function: memory, statements, load, compute, store, and the pipeline through a strip."""
        computed = [self._statement(component, statement) for statement in self.nest.statements]
        return [
            [*MOD, *_BOUNDS],
            *self.functions.texts.values(),
            self.memory.definitions(),
            *computed,
            self._moving("load", self.traffic.load),
            self._compute(),
            self._moving("store", self.traffic.store),
            self._step(),
            self._finish(),
            self._strip(),
        ]

    def main(self, component: Elementary | RepetitiveTask) -> Lines:
        """What runs before the tiles, the strips, what runs after them."""
        lines: Lines = []
        if isinstance(component, Elementary):
            scope = body_scope(component, self.functions.helpers)
            lines += start_at_zero(component)
            lines += statements(component.body or (), scope, frozenset(self.nest.before)) if self.nest.before else []
        outer = self.names[: self.nest.depth - self.nest.strip_dims]
        lines += self._lines(strip_loops(self.nest, outer), {"strip": ""})
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
                if array.role == "delayed" and name.rstrip("'") == output
            }
            lines = instance(component, self.functions, names, self.memory.local, carried)
        else:
            require_body(component)
            inner = placed(component.body or ())[statement.number - 1]
            scope, guards = self._scope(component, inner.ranges)
            names = [c_name(name) for name in statement.indices]
            lines = [*guards, *assignment(inner.assign, scope)]
        heads = ", ".join(f"int64_t {name}" for name in names) or "void"
        return block(f"static void S{statement.number}({heads})", lines)

    def _scope(self, component: Elementary, ranges: Sequence[Range]) -> tuple[Scope, Lines]:
        """The scope of an instance, and a guard for each range whose bounds the loops around do not tell exactly."""
        scope = body_scope(component, self.functions.helpers)
        scope = Scope(scope.shapes, scope.helpers, self.memory.local)
        guards: Lines = []
        for item in ranges:
            names = {name: name for name in scope.variables}
            if value_pieces(item.low, names) is None or value_pieces(item.high, names) is None:
                name = c_name(item.name)
                low, high = scope.text(item.low).inside(61), scope.text(item.high).inside(61)
                guards.append(f"if (!({name} >= {low} && {name} < {high})) return;")
            scope = scope.within(item)
        return scope, guards

    def _moving(self, word: str, relations: Mapping[str, Any]) -> Lines:
        """`load` or `store`: the elements of a tile, array by array."""
        lines: Lines = []
        for name in self.memory.allocations:
            if nodes := element_loops(relations[name], self.nest, self.names):
                lines += self._lines(nodes, {"element": self._move(word, name)})
        return block(f"static void {word}({self._parameters(written=word == 'store')})", lines)

    def _move(self, word: str, name: str) -> str:
        rank = len(self.nest.arrays[name].shape)
        places = [f"{{{axis}}}" for axis in range(rank)]
        outside, inside = self.memory.external(name, places), self.memory.local(name, places)
        return f"{inside} = {outside};" if word == "load" else f"{outside} = {inside};"

    def _compute(self) -> Lines:
        labels = {f"S{statement.number}": f"S{statement.number}({{}});" for statement in self.nest.statements}
        lines = self._lines(instance_loops(self.nest, self.names), labels)
        return block(f"static void compute({self.coordinates})", lines)

    def _step(self) -> Lines:
        """The next tile enters the pipeline."""
        loaded, computed = ([f"waiting[{row}][{axis}]" for axis in range(len(self.names))] for row in (0, 1))
        arrays = self.memory.arguments()
        lines = [
            f"load({_joined(arrays, *self.names)});",
            f"if (tiles_waiting > 0) compute({', '.join(loaded)});",
            f"if (tiles_waiting > 1) store({_joined(arrays, *computed)});",
            "memcpy(waiting[1], waiting[0], sizeof waiting[0]);",
            *(f"{place} = {name};" for place, name in zip(loaded, self.names, strict=True)),
            "if (tiles_waiting < 2) ++tiles_waiting;",
        ]
        return [
            "/* While a tile is computed the next is loaded and the one before is stored, in any order or at once:",
            "   waiting[0] is loaded and not yet computed, waiting[1] is computed and not yet stored. */",
            f"static int64_t waiting[2][{len(self.names)}];",
            "static int tiles_waiting;",
            "",
            *block(f"static void step({self._parameters(written=True)})", lines),
        ]

    def _finish(self) -> Lines:
        """The pipeline runs empty at the end of a strip."""
        loaded, computed = ([f"waiting[{row}][{axis}]" for axis in range(len(self.names))] for row in (0, 1))
        arrays = self.memory.arguments()
        lines = [
            f"if (tiles_waiting > 0) compute({', '.join(loaded)});",
            f"if (tiles_waiting > 1) store({_joined(arrays, *computed)});",
            f"if (tiles_waiting > 0) store({_joined(arrays, *loaded)});",
            "tiles_waiting = 0;",
        ]
        return block(f"static void finish({self.memory.parameters(written=True)})", lines)

    def _strip(self) -> Lines:
        arrays, outer = self.memory.arguments(), self.nest.depth - self.nest.strip_dims
        garbage = [
            f"memset({slots}, GARBAGE, sizeof {slots});" for slots in map(self.memory.slots, self.memory.allocations)
        ]
        lines = self._lines(tile_loops(self.nest, self.names), {"tile": f"step({_joined(arrays, '{}')});"})
        heads = [f"int64_t {name}" for name in self.names[:outer]]
        head = f"static void strip({_joined(self.memory.parameters(written=True), *heads)})"
        text = block(head, [*lines, f"finish({arrays});"])
        return [text[0], "#ifdef GARBAGE", *indented(garbage), "#endif", *text[1:]]

    def _parameters(self, *, written: bool) -> str:
        return _joined(self.memory.parameters(written=written), self.coordinates)

    def _lines(self, nodes: Sequence[Node], labels: Mapping[str, str]) -> Lines:
        """A tree of loops as C; `labels` say what a point runs, with {} or {0}, {1} ... for its coordinates."""
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
                case Run():
                    lines.append(self._run(node, labels[node.label]))
        return lines

    def _run(self, node: Run, text: str) -> str:
        if node.label == "strip":
            return f"strip({_joined(self.memory.arguments(), *node.arguments)});"
        if "{}" in text:
            return text.format(", ".join(node.arguments))
        return text.format(*node.arguments)


def _headed(head: str, lines: Lines, *, braces: bool = False) -> Lines:
    if len(lines) == 1 and not braces:
        return [head, *indented(lines)]
    return block(head, lines)


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)
