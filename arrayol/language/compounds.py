"""Compound tasks: calls in dataflow order, between whole arrays and parts of arrays, which are slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter

from arrayol.ir import syntax
from arrayol.ir.spec import Call, CompoundTask, Part, Port
from arrayol.language.namespace import Definitions
from arrayol.language.syntax.diagnose import Mistake, Mistakes, did_you_mean, mistake, shown_port, shown_shape
from arrayol.language.syntax.printer import part as part_text
from arrayol.language.tasks import TaskSignature, check_fresh, resolve_element_type, resolve_shape
from arrayol.source import Span
from arrayol.text import counted

Taken = tuple[int, int, int | None, bool]  # of one dimension: the first index, the step, how many, whether it is kept


def resolve_part(written: syntax.Part, array: Port, definitions: Definitions) -> tuple[Part | None, Port]:
    """The part of an array that is written, None for all of it; and the part as an array, under the written text.

    Raises Mistake: `rank-mismatch`, `subscript-out-of-range`, `empty-dimension`, `bad-step`, `infinite-slice`, or what
    the numbers have.
    """
    if not written.slices:
        return None, array
    if len(written.slices) != len(array.shape):
        raise mistake(
            "rank-mismatch",
            f"the part has {counted(len(written.slices), 'slice')}; '{array.name}' is "
            f"{shown_shape(array.shape) or 'scalar'}",
            written.span,
            "give one slice for each dimension: '..' for all of it, 'lo..hi', or an index, which drops it",
        )
    taken = [_part_of(piece, array, axis, definitions) for axis, piece in enumerate(written.slices)]
    first, step, extents, kept = zip(*taken, strict=True)
    part = Part(first, step, extents, kept, written.span)
    whole = all(kept) and extents == array.shape
    seen = replace(array, name=part_text(written), shape=part.shape, span=written.span)
    return None if whole else part, seen


def _part_of(piece: syntax.Slice, array: Port, axis: int, definitions: Definitions) -> Taken:
    extent, integer = array.shape[axis], definitions.constants.integer
    if isinstance(piece, syntax.Whole):
        return 0, 1, extent, True
    if extent is None:
        raise mistake(
            "infinite-slice",
            f"dimension {axis} of '{array.name}' is infinite, and a part has all of it",
            piece.span,
            "write '..'; what came earlier is had by a delay",
        )
    if not isinstance(piece, syntax.Strided):
        index = integer(piece, "an index")
        _require_inside((index,), array, axis, piece.span)
        return index, 1, 1, False
    low, high = integer(piece.low, "a bound"), integer(piece.high, "a bound")
    step = 1 if piece.step is None else integer(piece.step, "a step")
    if step < 1:
        hint = "a part has its elements in the order of the array"
        raise mistake("bad-step", f"a step is at least 1, not {step}", piece.span, hint)
    count = -((low - high) // step)
    if count < 1:
        message = f"{low}..{high} has no element: a part is never empty"
        raise mistake("empty-dimension", message, piece.span, "the lower bound is in, the upper one is not")
    _require_inside((low, low + step * (count - 1)), array, axis, piece.span)
    return low, step, count, True


def _require_inside(indices: tuple[int, ...], array: Port, axis: int, span: Span) -> None:
    extent = array.shape[axis]
    assert extent is not None, "of an infinite dimension a part takes all"
    outside = next((index for index in indices if not 0 <= index < extent), None)
    if outside is not None:
        message = f"the part takes index {outside} of dimension {axis} of '{array.name}', which has 0 to {extent - 1}"
        raise mistake("subscript-out-of-range", message, span, "subscripts count from 0, and the upper bound is not in")


def resolve_compound(
    item: syntax.Task,
    content: tuple[syntax.Call | syntax.Array, ...],
    signatures: Mapping[str, TaskSignature],
    definitions: Definitions,
    mistakes: Mistakes,
) -> CompoundTask:
    """A compound task. Raises a silent Mistake after noting what is wrong with its calls."""
    calls = tuple(call for call in content if isinstance(call, syntax.Call))
    own = signatures.get(item.name.text)
    before = len(mistakes)
    known = mistakes.sound_of(calls, lambda call: _with_matching_ports(call, signatures, definitions))
    if own is None:
        raise Mistake
    scope = _Scope(own, definitions, mistakes)
    written = [array for array in content if isinstance(array, syntax.Array)]
    scope.declare(written)
    assigned = {part.name.text for call in calls for part in call.results}
    for call in known:
        for part, formal in zip(call.results, signatures[call.callee.text].outputs, strict=True):
            mistakes.attempt(lambda part=part, formal=formal: scope.assign(part, formal))  # type: ignore[misc]
    unknown = (assigned | {array.name.text for array in written}) - scope.arrays.keys()  # said already
    damaged = {part.name.text for call in known for part in call.arguments} & definitions.broken
    unknown |= damaged
    for call in known:
        for part, formal in zip(call.arguments, signatures[call.callee.text].declared, strict=True):
            if part.name.text not in unknown:
                mistakes.attempt(lambda part=part, formal=formal: scope.read(part, formal))  # type: ignore[misc]
    scope.tell_unwritten(assigned)
    if len(mistakes) > before or len(known) < len(calls) or damaged:
        raise Mistake
    ordered = _in_dataflow_order(item, calls, scope.arrays, signatures, definitions)
    return CompoundTask(item.name.text, own.inputs, own.outputs, ordered, scope.arrays, item.name.span)


def _with_matching_ports(
    call: syntax.Call, signatures: Mapping[str, TaskSignature], definitions: Definitions
) -> syntax.Call:
    """The call, if its callee is known and has as many arguments and results."""
    callee = definitions.component(call.callee).name.text
    if callee not in signatures:
        raise Mistake
    signature = signatures[callee]
    for names, ports, what in (
        (call.arguments, signature.declared, "argument"),
        (call.results, signature.outputs, "result"),
    ):
        if len(names) != len(ports):
            needed = ", ".join(shown_port(port) for port in ports) or "none"
            message = f"'{callee}' has {counted(len(ports), what)}, not {len(names)}"
            raise mistake("wrong-arguments", message, call.span, f"its {what}s are: {needed}")
    return call


@dataclass
class _Scope:
    """The arrays of a compound task while its calls are resolved; `declared` are those whose shape is written."""

    own: TaskSignature
    definitions: Definitions
    mistakes: Mistakes
    arrays: dict[str, Port] = field(init=False)
    declared: dict[str, Port] = field(init=False)
    whole: set[str] = field(default_factory=set)  # what a call has assigned as a whole
    told: set[str] = field(default_factory=set)  # what is not declared, and said to be so

    def __post_init__(self) -> None:
        self.arrays = {port.name: port for port in self.own.inputs}
        self.declared = {port.name: port for port in self.own.outputs}

    def declare(self, written: Sequence[syntax.Array]) -> None:
        """Enter the intermediate arrays that are declared."""
        check_fresh([array.name for array in written], "array", self.definitions, self.mistakes)
        ports = {port.name for port in self.own.ports}
        for array in written:
            if array.name.text in ports:
                message = f"'{array.name.text}' is a port of the task"
                hint = "ports are declared already; choose another name"
                self.mistakes.report("defined-twice", message, array.name.span, hint)
            else:
                port = self.mistakes.attempt(lambda array=array: self._declared(array))  # type: ignore[misc]
                if port is not None:
                    self.declared.setdefault(port.name, port)

    def _declared(self, array: syntax.Array) -> Port:
        shape = resolve_shape(array.shape, self.definitions)
        infinite = [dim for dim in array.shape if isinstance(dim, syntax.Infinite)]
        if len(infinite) > 1:
            raise mistake("two-infinite", "an array has at most one infinite dimension", infinite[1].span)
        return Port(array.name.text, resolve_element_type(array.type), shape, array.name.span)

    def assign(self, part: syntax.Part, formal: Port) -> None:
        """Enter a result. Raises Mistake."""
        name = part.name
        self.definitions.check_written(name)
        if any(port.name == name.text for port in self.own.inputs):
            hint = "inputs are only read; choose another name"
            raise mistake("assigned-twice", f"'{name.text}' is an input of the task", name.span, hint)
        if name.text in self.whole and not part.slices:
            hint = "each name is assigned once; choose another name"
            raise mistake("assigned-twice", f"'{name.text}' is assigned a second time", name.span, hint)
        if name.text not in self.declared:
            self._assign_undeclared(part, formal)
            return
        self.arrays[name.text] = self.declared[name.text]
        _check_same(formal, resolve_part(part, self.declared[name.text], self.definitions)[1], part)
        if not part.slices:
            self.whole.add(name.text)

    def _assign_undeclared(self, part: syntax.Part, formal: Port) -> None:
        """An array between calls that has the shape of the result it is."""
        name = part.name
        if name.text in self.told:
            raise Mistake
        if part.slices:
            self.told.add(name.text)
            raise mistake(
                "undeclared-array",
                f"'{name.text}' is written in parts, and its shape is nowhere said",
                name.span,
                f"declare it in the task, as in {name.text}: {formal.type}[8, 8]",
            )
        self.whole.add(name.text)
        self.arrays[name.text] = replace(formal, name=name.text, span=name.span)
        check_fresh([name], "array", self.definitions, self.mistakes)

    def read(self, part: syntax.Part, formal: Port) -> None:
        """Raises Mistake where an argument is not known or does not fit."""
        name = part.name
        if name.text not in self.arrays:
            hint = did_you_mean(name.text, self.arrays) or f"the arrays here are {', '.join(self.arrays)}"
            raise mistake("unknown-name", f"array '{name.text}' is read but never produced", name.span, hint)
        _check_same(formal, resolve_part(part, self.arrays[name.text], self.definitions)[1], part)

    def tell_unwritten(self, assigned: set[str]) -> None:
        """Note outputs and declared arrays that no call gives."""
        outputs = {port.name for port in self.own.outputs}
        for name, port in self.declared.items():
            if name not in assigned:
                what = "output" if name in outputs else "array"
                hint = f"assign it: {name} = TASK(...)"
                self.mistakes.report("output-unwritten", f"{what} '{name}' is never produced", port.span, hint)


def _check_same(formal: Port, array: Port, part: syntax.Part) -> None:
    if formal.type is not array.type:
        message = f"'{array.name}' holds {array.type}, port '{formal.name}' has {formal.type}"
        raise mistake("type-mismatch", message, part.span, "declare both with the same element type")
    if formal.shape != array.shape:
        shapes = [shown_shape(shape) or "scalar" for shape in (array.shape, formal.shape)]
        message = f"'{array.name}' is {shapes[0]}, port '{formal.name}' is {shapes[1]}"
        hint = "take as many elements" if part.slices else "declare both with the same shape"
        raise mistake("shape-mismatch", message, part.span, hint)


def _in_dataflow_order(
    item: syntax.Task,
    calls: tuple[syntax.Call, ...],
    arrays: Mapping[str, Port],
    signatures: Mapping[str, TaskSignature],
    definitions: Definitions,
) -> tuple[Call, ...]:
    """The calls, each after all that write a name it reads; textual order among independent ones."""
    producers: dict[str, set[int]] = {}
    for place, call in enumerate(calls):
        for part in call.results:
            producers.setdefault(part.name.text, set()).add(place)
    needs = {
        place: sorted({needed for part in call.arguments for needed in producers.get(part.name.text, ())})
        for place, call in enumerate(calls)
    }
    sorter = TopologicalSorter(needs)
    try:
        sorter.prepare()
    except CycleError as failure:
        places = failure.args[1]
        circle = [calls[place].results[0].name.text for place in places]
        parts = (part for place in places for part in (*calls[place].results, *calls[place].arguments))
        in_parts = any(part.slices and part.name.text in circle for part in parts)
        first = calls[min(failure.args[1])]
        message = f"in task '{item.name.text}' arrays depend on themselves: {' -> '.join(circle)}"
        hint = "calls form an acyclic graph; delays belong inside a repetition"
        if in_parts:
            hint = "a call waits for all that write an array, whatever part it reads; split the array in two"
        raise mistake("dataflow-cycle", message, first.span, hint) from None
    order: list[int] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order += ready
        sorter.done(*ready)
    return tuple(_call(calls[place], arrays, signatures[calls[place].callee.text], definitions) for place in order)


def _call(call: syntax.Call, arrays: Mapping[str, Port], signature: TaskSignature, definitions: Definitions) -> Call:
    results, arguments = (tuple(part.name.text for part in parts) for parts in (call.results, call.arguments))
    hidden = tuple(port.name for port in signature.hidden)
    written = zip((*signature.declared, *signature.outputs), (*call.arguments, *call.results), strict=True)
    bound = ((port.name, resolve_part(part, arrays[part.name.text], definitions)[0]) for port, part in written)
    parts = tuple((port, part) for port, part in bound if part is not None)
    return Call(results, call.callee.text, (*arguments, *hidden), call.span, parts)
