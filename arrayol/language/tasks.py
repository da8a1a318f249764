"""What tasks are made of: their ports, the tilers of their links, and the calls of compound tasks in dataflow order.

Each part is resolved as far as it goes: a `Fragment` says what had to be left out, so that the rest is checked too.
Repetitions, which have links of their own, are resolved in `repetitions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter

from arrayol.ir import syntax
from arrayol.ir.spec import (
    MAXIMUM_RANK,
    Call,
    Component,
    CompoundTask,
    ConstArray,
    IntMatrix,
    Port,
    Shape,
    Tiler,
    own_part_tiler,
    whole_array_tiler,
)
from arrayol.ir.types import ElementType
from arrayol.language.constants import meant_type
from arrayol.language.diagnose import Mistake, Mistakes, did_you_mean, mistake, shown_port, shown_shape
from arrayol.language.namespace import Definitions
from arrayol.source import Span
from arrayol.text import counted

# Ports: element types and shapes of elementaries and tasks.


@dataclass(frozen=True, slots=True)
class Signature:
    """The resolved ports of a component; the last `tables` inputs are const arrays that it reads."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    tables: int = 0

    @property
    def declared(self) -> tuple[Port, ...]:
        """The inputs that are written in the signature."""
        return self.inputs[: len(self.inputs) - self.tables]

    @property
    def hidden(self) -> tuple[Port, ...]:
        """The const arrays among the inputs."""
        return self.inputs[len(self.inputs) - self.tables :]

    @property
    def ports(self) -> tuple[Port, ...]:
        return self.inputs + self.outputs


def resolve_signature(
    item: syntax.Elementary | syntax.Task, tables: Sequence[ConstArray], definitions: Definitions, mistakes: Mistakes
) -> Signature:
    """The ports of a component that reads those const arrays.

    Raises a silent Mistake after noting what is wrong with them.
    """
    names = [port.name for port in (*item.signature.inputs, *item.signature.outputs)]
    check_fresh(names, "port", definitions, mistakes)
    inputs, outputs = (
        mistakes.attempt(lambda ports=ports: mistakes.all_of(ports, lambda port: _port(port, item, definitions)))  # type: ignore[misc]
        for ports in (item.signature.inputs, item.signature.outputs)
    )
    if inputs is None or outputs is None:
        raise Mistake
    return Signature((*inputs, *(table.port for table in tables)), outputs, len(tables))


def _port(port: syntax.Port, item: syntax.Elementary | syntax.Task, definitions: Definitions) -> Port:
    element_type = resolve_element_type(port.type)
    shape = resolve_shape(port.dims, definitions)
    infinite = [dim for dim in port.dims if isinstance(dim, syntax.Infinite)]
    if infinite and isinstance(item, syntax.Elementary):
        raise mistake(
            "infinite-pattern",
            f"port '{port.name.text}' of an elementary task cannot be infinite",
            infinite[0].span,
            "give it a finite pattern and repeat the elementary along the infinite dimension",
        )
    if len(infinite) > 1:
        raise mistake("two-infinite", "an array has at most one infinite dimension", infinite[1].span)
    return Port(port.name.text, element_type, shape, port.span)


def resolve_element_type(name: syntax.Name) -> ElementType:
    """The type of elements that a name means. Raises Mistake (`unknown-type`)."""
    known = [str(member) for member in ElementType]
    if name.text not in known:
        hint = meant_type(name.text) or did_you_mean(name.text, known) or f"element types are {', '.join(known)}"
        raise mistake("unknown-type", f"no element type is named '{name.text}'", name.span, hint)
    return ElementType(name.text)


def resolve_shape(dims: Sequence[syntax.Dim], definitions: Definitions) -> Shape:
    """The extents of an array or repetition space; None is infinite. Raises Mistake."""
    if len(dims) > MAXIMUM_RANK:
        message = f"{len(dims)} dimensions; at most {MAXIMUM_RANK} are allowed"
        raise mistake("too-many-dimensions", message, dims[MAXIMUM_RANK].span, "make one dimension of several")
    return tuple(None if isinstance(dim, syntax.Infinite) else _extent(dim, definitions) for dim in dims)


def _extent(dim: syntax.Expr, definitions: Definitions) -> int:
    extent = definitions.constants.integer(dim, "a dimension")
    if extent < 1:
        raise mistake("empty-dimension", f"a dimension must be at least 1, not {extent}", dim.span)
    if extent >= 1 << 63:
        raise mistake("huge-dimension", "a dimension must be below 2**63", dim.span)
    return extent


def check_fresh(names: Iterable[syntax.Name], what: str, definitions: Definitions, mistakes: Mistakes) -> None:
    """Note local names that repeat each other or a file-level name: a name has one meaning."""
    seen: set[str] = set()
    for name in names:
        if name.text in definitions.by_name:
            message = f"'{name.text}' is already {definitions.kind(name.text)} of this file"
            mistakes.report("name-reused", message, name.span, f"choose another name for the {what}")
        elif name.text in seen:
            mistakes.report("defined-twice", f"two {what}s are named '{name.text}'", name.span, "rename one of them")
        seen.add(name.text)


# Tilers: integer origin, paving and fitting whose ranks fit their array, repetition and pattern.


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tiler is used: the ranks it must have."""

    array: str
    array_shape: Shape
    repetition: Shape
    port: str
    pattern: Shape


def resolve_tiler(reference: syntax.TilerRef, place: Place, definitions: Definitions) -> Tiler:
    """The tiler of a link. Raises Mistake (`rank-mismatch`, `ragged-matrix`, or what its numbers have)."""
    tiler = definitions.tiler(reference) if isinstance(reference, syntax.Name) else reference
    rank = len(place.array_shape)
    origin = tuple(definitions.constants.integer(item, "an origin") for item in tiler.origin.items)
    if len(origin) != rank:
        raise mistake(
            "rank-mismatch",
            f"the origin has {counted(len(origin), 'entry', 'entries')}; {_array(place)} needs {rank}",
            reference.span,
            "an origin has one entry per dimension of the array",
        )
    paving = _matrix("paving", tiler.paving, rank, len(place.repetition), reference, place, definitions)
    fitting = _matrix("fitting", tiler.fitting, rank, len(place.pattern), reference, place, definitions)
    return Tiler(origin, paving, fitting, tiler.wrap, reference.span)


def plain_tiler(place: Place, span: Span) -> Tiler:
    """The tiler of a link without one: each instance has the whole array, or the pattern at its own index.

    The pattern lies along the array's last dimensions; before them there are none, or those of the repetition space.
    Raises Mistake (`no-plain-link`).
    """
    if place.array_shape == place.pattern:
        return whole_array_tiler(len(place.pattern), span, len(place.repetition))
    own_parts = (*place.repetition, *place.pattern)
    if place.array_shape == own_parts:
        return own_part_tiler(len(place.repetition), len(place.pattern), span)
    raise mistake(
        "no-plain-link",
        f"no plain link of '{place.port}' to '{place.array}', which is {shown_shape(place.array_shape) or 'scalar'}: "
        f"the whole array for each instance would be {shown_shape(place.pattern) or 'scalar'}, "
        f"a pattern of its own for each {shown_shape(own_parts)}",
        span,
        "write the tiler: at origin [...] paving [...] fitting [...]",
    )


def _matrix(
    role: str,
    matrix: syntax.Matrix,
    rows: int,
    columns: int,
    reference: syntax.TilerRef,
    place: Place,
    definitions: Definitions,
) -> IntMatrix:
    """A matrix as rows of integers; `[]` stands for any matrix without entries."""
    lengths = [len(row) for row in matrix.rows]
    ragged = next((number for number, length in enumerate(lengths) if length != lengths[0]), None)
    if ragged is not None:
        entries = counted(lengths[ragged], "entry", "entries")
        raise mistake(
            "ragged-matrix",
            f"row {ragged + 1} of the {role} has {entries}, row 1 has {lengths[0]}",
            matrix.rows[ragged][0].span.to(matrix.rows[ragged][-1].span),
            "rows are separated by ';', entries by ','",
        )
    size = (len(lengths), lengths[0] if lengths else 0)
    if size != (rows, columns) and not (size == (0, 0) and 0 in (rows, columns)):
        raise _wrong_ranks(role, size, (rows, columns), reference, place)
    values = tuple(
        tuple(definitions.constants.integer(item, f"an entry of the {role}") for item in row) for row in matrix.rows
    )
    return values or ((),) * rows


def _wrong_ranks(
    role: str, size: tuple[int, int], needed: tuple[int, int], reference: syntax.TilerRef, place: Place
) -> Exception:
    space = (
        f"repetition space of rank {len(place.repetition)}"
        if role == "paving"
        else f"pattern of port '{place.port}' of rank {len(place.pattern)}"
    )
    message = f"the {role} is {size[0]} x {size[1]}; {_array(place)} and a {space} need {needed[0]} x {needed[1]}"
    hint = f"a {role} has one row per dimension of the array and one column per dimension of the "
    hint += "repetition space" if role == "paving" else "pattern"
    if size == needed[::-1]:
        hint = f"its transpose would fit: {hint}"
    return mistake("rank-mismatch", message, reference.span, hint)


def _array(place: Place) -> str:
    return f"array '{place.array}' of rank {len(place.array_shape)}"


# Compound tasks: calls, each name assigned once.


def resolve_compound(
    item: syntax.Task,
    calls: tuple[syntax.Call, ...],
    signatures: Mapping[str, Signature],
    definitions: Definitions,
    mistakes: Mistakes,
) -> CompoundTask:
    """A compound task. Raises a silent Mistake after noting what is wrong with its calls."""
    own = signatures.get(item.name.text)
    before = len(mistakes)
    known = mistakes.sound_of(calls, lambda call: _with_matching_ports(call, signatures, definitions))
    if own is None:
        raise Mistake
    assigned = {part.name.text for call in calls for part in call.results}
    arrays: dict[str, Port] = {port.name: port for port in own.inputs}
    _assign(known, own, signatures, arrays, definitions, mistakes)
    unknown = assigned - arrays.keys()  # results of calls with mistakes: nothing is said of what reads them
    for call in known:
        for part, formal in zip(call.arguments, signatures[call.callee.text].declared, strict=True):
            name = part.name
            if name.text not in unknown:
                mistakes.attempt(lambda name=name, formal=formal: _check_argument(name, formal, arrays))  # type: ignore[misc]
    for port in own.outputs:
        if port.name not in assigned:
            hint = f"assign it: {port.name} = TASK(...)"
            mistakes.report("output-unwritten", f"output '{port.name}' is never produced", port.span, hint)
    if len(mistakes) > before or len(known) < len(calls):
        raise Mistake
    ordered = _in_dataflow_order(item, calls, signatures)
    return CompoundTask(item.name.text, own.inputs, own.outputs, ordered, arrays, item.name.span)


def _with_matching_ports(
    call: syntax.Call, signatures: Mapping[str, Signature], definitions: Definitions
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


def _assign(
    calls: Sequence[syntax.Call],
    own: Signature,
    signatures: Mapping[str, Signature],
    arrays: dict[str, Port],
    definitions: Definitions,
    mistakes: Mistakes,
) -> None:
    """Enter the results of all calls in `arrays`, each name once."""
    declared = {port.name: port for port in own.outputs}
    inputs = set(arrays)
    for call in calls:
        for part, formal in zip(call.results, signatures[call.callee.text].outputs, strict=True):
            name = part.name
            if name.text in inputs:
                hint = "inputs are only read; choose another name"
                mistakes.report("assigned-twice", f"'{name.text}' is an input of the task", name.span, hint)
            elif name.text in arrays:
                hint = "each name is assigned once; choose another name"
                mistakes.report("assigned-twice", f"'{name.text}' is assigned a second time", name.span, hint)
            else:
                arrays[name.text] = declared.get(name.text) or replace(formal, name=name.text, span=name.span)
                if name.text in declared:
                    mistakes.attempt(lambda name=name, formal=formal: _check_same(formal, declared[name.text], name))  # type: ignore[misc]
                else:
                    check_fresh([name], "array", definitions, mistakes)


def _check_argument(name: syntax.Name, formal: Port, arrays: Mapping[str, Port]) -> None:
    if name.text not in arrays:
        hint = did_you_mean(name.text, arrays) or f"the arrays here are {', '.join(arrays)}"
        raise mistake("unknown-name", f"array '{name.text}' is read but never produced", name.span, hint)
    _check_same(formal, arrays[name.text], name)


def _check_same(formal: Port, array: Port, name: syntax.Name) -> None:
    if formal.type is not array.type:
        message = f"'{array.name}' holds {array.type}, port '{formal.name}' has {formal.type}"
        raise mistake("type-mismatch", message, name.span, "declare both with the same element type")
    if formal.shape != array.shape:
        shapes = [shown_shape(shape) or "scalar" for shape in (array.shape, formal.shape)]
        message = f"'{array.name}' is {shapes[0]}, port '{formal.name}' is {shapes[1]}"
        raise mistake("shape-mismatch", message, name.span, "declare both with the same shape")


def _in_dataflow_order(
    item: syntax.Task, calls: tuple[syntax.Call, ...], signatures: Mapping[str, Signature]
) -> tuple[Call, ...]:
    """The calls, each after those whose results it reads; textual order among independent ones."""
    producer = {part.name.text: place for place, call in enumerate(calls) for part in call.results}
    needs = {
        place: sorted({producer[part.name.text] for part in call.arguments if part.name.text in producer})
        for place, call in enumerate(calls)
    }
    sorter = TopologicalSorter(needs)
    try:
        sorter.prepare()
    except CycleError as failure:
        circle = [calls[place].results[0].name.text for place in failure.args[1]]
        first = calls[min(failure.args[1])]
        message = f"in task '{item.name.text}' arrays depend on themselves: {' -> '.join(circle)}"
        raise mistake(
            "dataflow-cycle", message, first.span, "calls form an acyclic graph; delays belong inside a repetition"
        ) from None
    order: list[int] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order += ready
        sorter.done(*ready)
    return tuple(_call(calls[place], signatures[calls[place].callee.text]) for place in order)


def _call(call: syntax.Call, signature: Signature) -> Call:
    results, arguments = (tuple(part.name.text for part in parts) for parts in (call.results, call.arguments))
    hidden = tuple(port.name for port in signature.hidden)
    return Call(results, call.callee.text, (*arguments, *hidden), call.span)


# A component as far as it could be resolved, so that its sound parts are checked beside the mistakes of the others.

INPUTS, OUTPUTS, DELAYS, BODY, PORTS = "inputs", "outputs", "delays", "body", "ports"


@dataclass(frozen=True, slots=True)
class Fragment:
    """A component and which parts of it had mistakes: what those parts hold was left out."""

    component: Component
    damaged: frozenset[str] = frozenset()

    @property
    def whole(self) -> bool:
        """Whether nothing was left out."""
        return not self.damaged
