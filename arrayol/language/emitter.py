"""A resolved specification as text: what transformations and mapped designs are written with.

Typed bodies go back to syntax first, and `printer` makes the text: the shortest one that the typer reads as the same
nodes. A conversion that promotion makes by itself is left out, and a typed constant is written bare, wherever the typer
would put both back; elsewhere they are written as conversions, as in `f32(0.5)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge

from arrayol.ir import expressions, syntax, trusted
from arrayol.ir.borders import Border
from arrayol.ir.spec import (
    Call,
    Component,
    CompoundTask,
    ConstArray,
    ConstValue,
    Delay,
    Elementary,
    IntMatrix,
    Link,
    Local,
    Part,
    Port,
    RepetitiveTask,
    Shape,
    Spec,
    TiledDefault,
    Tiler,
    is_initial,
    written_name,
)
from arrayol.ir.types import ElementType, ValueType, Weak
from arrayol.language.syntax.parser import Parsed
from arrayol.language.syntax.printer import print_file
from arrayol.language.typing.promotion import meet, narrowest
from arrayol.operators.record import Fixed, Gives, Operands
from arrayol.operators.registry import FUNCTIONS, operator_of

_PLAIN = 1 << 31  # floats beyond it are no counts, and stay in their form
_WIDEST = 1 << 1024  # longer numbers are beyond what the parser takes as one


def statements(elementary: Elementary) -> tuple[syntax.Statement, ...]:
    """The body as syntax; each local is declared where its block first mentions it."""
    return _Body(elementary).block(elementary.body or (), 0)


@dataclass(frozen=True, slots=True)
class _Body:
    elementary: Elementary

    def block(self, body: tuple[expressions.Statement, ...], around: int) -> tuple[syntax.Statement, ...]:
        """The statements of a body, or of a loop inside so many ranges."""
        undeclared = {local.name: local for local in self.elementary.locals if len(local.around) == around}
        made: list[syntax.Statement] = []
        for item in body:
            new = [undeclared.pop(name) for name in expressions.mentioned((item,)) if name in undeclared]
            if len(new) == 1 and is_initial(item, new[0]):
                made.append(_local(new[0], self._assign(item).value))
                continue
            made += [_local(local, None) for local in new]
            if isinstance(item, expressions.Loop):
                inner = self.block(item.body, around + len(item.ranges))
                made.append(trusted.Loop(_ranges(item.ranges), inner))
            else:
                made.append(self._assign(item))
        return tuple(made)

    def _assign(self, assign: expressions.Assign) -> syntax.Assign:
        arrays: tuple[Port | Local, ...] = (*self.elementary.outputs, *self.elementary.locals)
        stored = next(array.type for array in arrays if array.name == assign.port)
        value = _whole(_raw(assign.value))
        if meet(value.type, stored) is not stored:
            value = assign.value
        return trusted.Assign(
            _element(assign),
            written(value),
            assign.accumulate,
            _ranges(assign.ranges),
            None if assign.condition is None else written(assign.condition),
        )


def _local(local: Local, initial: syntax.Expr | None) -> syntax.Local:
    return trusted.Local(name(written_name(local.name)), name(str(local.type)), _dims(local.shape), initial)


def _ranges(ranges: tuple[expressions.Range, ...]) -> tuple[syntax.Range, ...]:
    return tuple(trusted.Range(name(item.name), written(item.low), written(item.high)) for item in ranges)


def name(text: str) -> syntax.Name:
    """A name without a place."""
    return trusted.Name(text)


def number(value: ConstValue) -> syntax.Expr:
    """A constant whose value and kind come back exactly, the sign of a zero too."""
    if isinstance(value, bool):
        return trusted.Truth(value)
    if str(value).startswith("-"):
        return trusted.Unary("-", number(-value))
    if isinstance(value, int) and value >= _WIDEST:
        high, low = divmod(value, _WIDEST)
        shifted = trusted.Binary("<<", number(high), number(1024))
        return trusted.Binary("+", shifted, number(low))
    return trusted.Number(value)


def written(expr: expressions.Expr) -> syntax.Expr:
    """The syntax that the typer reads as this very expression where nothing around it asks for another type."""
    match expr:
        case expressions.Constant():
            value = number(_value(expr))
            return value if isinstance(expr.type, Weak) else _apply(expr.type, value)
        case expressions.Index() | expressions.Read():
            return _ref(expr.name) if isinstance(expr, expressions.Index) else _element(expr)
        case expressions.Operation():
            return _operation(expr)
        case expressions.Function():
            return _function(expr)
        case expressions.Convert():
            return _apply(expr.type, written(expr.operand))
        case expressions.Select():
            then, otherwise = map(written, _operands(expr))
            return trusted.Conditional(then, written(expr.condition), otherwise)


def _ref(text: str, subscripts: tuple[expressions.Expr, ...] = ()) -> syntax.Ref:
    return trusted.Ref(name(text), tuple(map(written, subscripts)))


def _element(access: expressions.Read | expressions.Assign) -> syntax.Ref:
    return _ref(written_name(access.port), access.subscripts[access.around :])


def _apply(function: str, *arguments: syntax.Expr) -> syntax.Apply:
    return trusted.Apply(name(str(function)), arguments)


def _function(expr: expressions.Function) -> syntax.Expr:
    if expr.name in ("c64", "c128"):
        return _apply(expr.name, *(written(_whole(_raw(part))) for part in expr.arguments))
    function = FUNCTIONS[expr.name]
    if function.gives is Gives.NAMED:
        return _apply(expr.name, _ref(str(expr.type)), written(expr.arguments[0]))
    if function.gives is Gives.ROUNDED or function.domain.defined == {Operands.COMPLEX}:
        return _apply(expr.name, *map(written, expr.arguments))
    return _apply(expr.name, *map(written, _operands(expr)))


def _operation(expr: expressions.Operation) -> syntax.Expr:
    """A chain of left operands by a loop, since it may be longer than any stack."""
    if len(expr.operands) == 1:
        return trusted.Unary(expr.operator, written(expr.operands[0]))
    later: list[tuple[str, expressions.Expr]] = []
    left: expressions.Expr = expr
    while isinstance(left, expressions.Operation) and len(left.operands) == 2:
        first, second = _operands(left)
        later.append((left.operator, second))
        left = first
    result = written(left)
    for operator, operand in reversed(later):
        result = trusted.Binary(operator, result, written(operand))
    return result


def _operands(expr: expressions.Operation | expressions.Function | expressions.Select) -> tuple[expressions.Expr, ...]:
    """The operands in the shortest forms that the typer brings back to those of `expr`."""
    operands = _settled(expr)
    if isinstance(expr, expressions.Operation) and _is_special(expr):
        return tuple(map(_bare_operand, operands))
    for forms in _forms(operands):
        if _comes_back(expr, forms, operands[0].type):
            return forms
    return operands


def _is_special(expr: expressions.Operation) -> bool:
    """Whether it is a product or shift of fixed-point numbers, whose operands are of types of their own."""
    fixed_left = isinstance(expr.type, ElementType) and expr.type.is_fixed
    operator = operator_of(expr.operator, len(expr.operands))
    return fixed_left and operator.fixed is not Fixed.ALIKE


def _bare_operand(operand: expressions.Expr) -> expressions.Expr:
    """An operand that no other brings to its type: a constant that has it by its value alone is written bare."""
    weak = _raw(operand)
    if not isinstance(operand, expressions.Constant) or not isinstance(weak, expressions.Constant):
        return operand
    return _whole(weak) if operand.type in (narrowest(weak.value), ElementType.I64) else operand


def _settled(expr: expressions.Operation | expressions.Function | expressions.Select) -> tuple[expressions.Expr, ...]:
    """The operands that promotion brings to one type."""
    match expr:
        case expressions.Operation():
            return expr.operands
        case expressions.Function():
            return expr.arguments
        case expressions.Select():
            return (expr.then, expr.otherwise)


def _forms(operands: tuple[expressions.Expr, ...]) -> Iterator[tuple[expressions.Expr, ...]]:
    """Ways to write operands of one type, the shortest first; the last ones write each type out."""
    raw = tuple(map(_raw, operands))
    bare = tuple(_raw(form) if isinstance(form, expressions.Constant) else form for form in operands)
    for forms in (raw, bare):
        yield tuple(map(_whole, forms))
        yield forms
    for place, operand in enumerate(operands):
        for forms in (tuple(map(_whole, bare)), bare):
            yield (*forms[:place], operand, *forms[place + 1 :])


def _raw(expr: expressions.Expr) -> expressions.Expr:
    """The expression before promotion, if promotion made it."""
    match expr:
        case expressions.Constant():
            value = _value(expr)
            weak = Weak.BOOL if isinstance(value, bool) else Weak.INTEGER if isinstance(value, int) else Weak.FLOAT
            return expressions.Constant(value, weak, expr.span)
        case expressions.Convert(operand=expressions.Constant()):
            return expr  # promotion changes a constant's own type
        case expressions.Convert() if expr.operand.type is not expr.type:
            return expr.operand
        case _:
            return expr


def _value(constant: expressions.Constant) -> ConstValue:
    """The value; a truth value that was promoted to a number is that number."""
    if isinstance(constant.value, bool) and constant.type not in (ElementType.BOOL, Weak.BOOL):
        return int(constant.value)
    return constant.number


def _whole(form: expressions.Expr) -> expressions.Expr:
    """A float constant without a fraction as the integer that becomes it again; a float zero may have a sign."""
    if isinstance(form, expressions.Constant) and form.type is Weak.FLOAT and -_PLAIN < form.value < _PLAIN:
        whole = int(form.value)
        if str(form.value) == f"{whole}.0":
            return expressions.Constant(whole, Weak.INTEGER, form.span)
    return form


def _comes_back(
    expr: expressions.Operation | expressions.Function | expressions.Select,
    forms: tuple[expressions.Expr, ...],
    wanted: ValueType,
) -> bool:
    """Whether the typer gives operands in these forms the type that they have."""
    folds = all(isinstance(form, expressions.Constant) and isinstance(form.type, Weak) for form in forms)
    if folds and not isinstance(expr, expressions.Select):
        return False
    if (
        isinstance(expr, expressions.Operation)
        and expressions.decides_of(expr) is not None
        and _is_weak_truth(forms[0])
    ):
        return False
    common = _common(forms)
    if isinstance(wanted, Weak):
        return isinstance(common, Weak)
    integer = isinstance(common, ElementType) and common.wraps
    if isinstance(expr, expressions.Function) and FUNCTIONS[expr.name].gives is Gives.FLOAT and integer:
        common = ElementType.F64
    return common is wanted


def _common(forms: tuple[expressions.Expr, ...]) -> ValueType | None:
    common: ValueType | None = forms[0].type
    for form in forms[1:]:
        common = None if common is None else meet(common, form.type)
    return common


def _is_weak_truth(expr: expressions.Expr) -> bool:
    """A constant that may decide `and` or `or` alone, so that the typer would drop the other operand."""
    return isinstance(expr, expressions.Constant) and expr.type is Weak.BOOL


def spec_text(spec: Spec) -> str:
    """Canonical .aol text of a specification: imports inlined, consts and named tilers as their numbers.

    Const arrays that are read come first, then components in the order of `spec.components`, a blank line before each.
    Loading the text gives equal components in this order; the consts are gone, and calls of a compound task come back
    in the loader's order of the dataflow. Printing what was loaded gives the same text.
    """
    return text_of(items_of(spec))


def items_of(spec: Spec) -> list[syntax.Item]:
    """The definitions of that text: const arrays, then all components."""
    tables = [table.definition for table in _tables_read(spec)]
    return [*tables, *(_component(spec, component) for component in spec.components.values())]


def text_of(items: Sequence[syntax.Item]) -> str:
    """The text of definitions, with an empty line between them but for consts."""
    consts = "".join(_printed(item) for item in items if isinstance(item, (syntax.Const, syntax.ConstArray)))
    others = (_printed(item) for item in items if not isinstance(item, (syntax.Const, syntax.ConstArray)))
    return "\n".join(filter(None, (consts, *others)))


def _tables_read(spec: Spec) -> list[ConstArray]:
    read = {port.name for component in spec.components.values() for port in component.inputs}
    return [table for name, table in spec.tables.items() if name in read]


def data_files(spec: Spec) -> dict[str, bytes]:
    """The files that the text of a specification names for its const arrays, by their paths from its folder."""
    values = (table.definition.value for table in _tables_read(spec))
    return {value.path: value.content for value in values if isinstance(value, syntax.DataFile)}


def component_text(spec: Spec, which: str) -> str:
    """The canonical text of one elementary or task of a specification."""
    return _printed(_component(spec, spec.components[which]))


def _printed(item: syntax.Item) -> str:
    return print_file(Parsed(trusted.Specification((item,)), (), (), frozenset()))


def _component(spec: Spec, component: Component) -> syntax.Item:
    match component:
        case Elementary():
            body = None if component.body is None else statements(component)
            return trusted.Elementary(name(component.name), _signature(spec, component), body, component.extern)
        case RepetitiveTask():
            return trusted.Task(name(component.name), _signature(spec, component), _repeat(spec, component))
        case CompoundTask():
            calls = (_call(spec, component, call) for call in component.calls)
            content: tuple[syntax.Call | syntax.Array, ...] = (*_declared(spec, component), *calls)
            return trusted.Task(name(component.name), _signature(spec, component), content)


def _declared(spec: Spec, task: CompoundTask) -> Iterator[syntax.Array]:
    """The intermediate arrays that are written in parts; the shapes of others follow from their calls."""
    ports = {port.name for port in (*task.inputs, *task.outputs)}
    written = [
        array
        for call in task.calls
        for port, array in zip(spec.components[call.callee].outputs, call.results, strict=True)
        if call.part_at(port.name) is not None and array not in ports
    ]
    for array in dict.fromkeys(written):
        port = task.arrays[array]
        yield trusted.Array(name(array), name(str(port.type)), _dims(port.shape))


def _call(spec: Spec, task: CompoundTask, call: Call) -> syntax.Call:
    """The call; const arrays that its callee reads reach it by their names."""
    callee = spec.components[call.callee]
    results, arguments = (
        tuple(
            _part(array, task.arrays[array].shape, call.part_at(port.name))
            for port, array in zip(ports, arrays, strict=True)
            if port.name not in spec.tables
        )
        for ports, arrays in ((callee.outputs, call.results), (callee.inputs, call.arguments))
    )
    return trusted.Call(results, name(call.callee), arguments)


def _part(array: str, shape: Shape, part: Part | None) -> syntax.Part:
    """An array, or a part of it: each dimension in its shortest form."""
    if part is None:
        return trusted.Part(name(array), ())
    taken = zip(part.origin, part.step, part.extents, part.kept, shape, strict=True)
    return trusted.Part(name(array), tuple(_slice(*dimension) for dimension in taken))


def _slice(first: int, step: int, extent: int | None, kept: bool, whole: int | None) -> syntax.Slice:
    if not kept:
        return number(first)
    if extent is None or (extent == whole and step == 1):
        return trusted.Whole()
    high = min(first + step * extent, whole or 0)
    return trusted.Strided(number(first), number(high), None if step == 1 else number(step))


def _signature(spec: Spec, component: Component) -> syntax.Signature:
    inputs = tuple(_port(port) for port in component.inputs if port.name not in spec.tables)
    return trusted.Signature(inputs, tuple(map(_port, component.outputs)))


def _port(port: Port) -> syntax.Port:
    return trusted.Port(name(port.name), name(str(port.type)), _dims(port.shape))


def _dims(shape: Shape) -> tuple[syntax.Dim, ...]:
    return tuple(trusted.Infinite() if extent is None else number(extent) for extent in shape)


def _repeat(spec: Spec, task: RepetitiveTask) -> syntax.Repeat:
    """The repetition; links and delays stand in the order of the callee's ports as far as their own orders allow."""
    places = {port.name: place for place, port in enumerate(spec.components[task.callee].inputs)}
    written = [link for link in task.input_links if link.port not in spec.tables]
    both: list[Sequence[Link | Delay]] = [written, task.delays]
    links = (*map(_input, merge(*both, key=lambda link: places[link.port])), *map(_output, task.output_links))
    return trusted.Repeat(_dims(task.repetition), name(task.callee), links)


def _input(link: Link | Delay) -> syntax.Link:
    if isinstance(link, Link):
        border = _border(link.tiler.border)
        return trusted.InputLink(name(link.port), name(link.array), _tiler(link.tiler), border=border)
    return trusted.DelayLink(name(link.port), name(link.output), _vector(link.vector), _default(link.default))


def _output(link: Link) -> syntax.Link:
    delay = None if link.exit is None else _vector(link.exit)
    return trusted.OutputLink(name(link.port), name(link.array), _tiler(link.tiler), delay=delay)


def _default(default: ConstValue | TiledDefault) -> syntax.Expr | syntax.TiledDefault:
    if isinstance(default, TiledDefault):
        return trusted.TiledDefault(name(default.array), _tiler(default.tiler))
    return number(default)


def _tiler(tiler: Tiler) -> syntax.Tiler:
    return trusted.Tiler(_vector(tiler.origin), _matrix(tiler.paving), _matrix(tiler.fitting), tiler.wrap)


def _border(border: Border | None) -> syntax.Border | None:
    if border is None:
        return None
    return number(border.value) if border.is_constant else trusted.BorderMode(border.mode)


def _vector(items: tuple[int, ...]) -> syntax.Vector:
    return trusted.Vector(tuple(map(number, items)))


def _matrix(rows: IntMatrix) -> syntax.Matrix:
    """The matrix; one without entries is `[]`, whatever its number of rows."""
    return trusted.Matrix(tuple(tuple(map(number, row)) for row in rows if row))
