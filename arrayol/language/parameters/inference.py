"""Values of parameters that a call leaves out, read off its arguments: their extents and element types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from arrayol.ir import syntax, trusted
from arrayol.ir.spec import Port
from arrayol.ir.types import ElementType
from arrayol.language.compounds import resolve_part
from arrayol.language.namespace import Definitions
from arrayol.language.parameters.kinds import Definition
from arrayol.language.parameters.substitution import substituted
from arrayol.language.parameters.values import NOTHING, Binding, Parameter, ParameterValue, as_type, type_of
from arrayol.language.syntax.diagnose import Mistake, Mistakes, did_you_mean, mistake
from arrayol.language.syntax.printer import port_text
from arrayol.text import counted


@dataclass(frozen=True, slots=True)
class SizedArray:
    """An array of a compound task: its element type, and its extents, None for an infinite one."""

    type: ParameterValue
    extents: tuple[ParameterValue | None, ...]

    @property
    def shown(self) -> str:
        """The shape in a message."""
        extents = ["*" if extent is None else extent.text for extent in self.extents]
        return f"[{', '.join(extents)}]" if extents else "scalar"


def array_of(
    port: syntax.Port | syntax.Array | syntax.ConstArray, own: Binding, definitions: Definitions
) -> SizedArray:
    """What a declaration says, under values of the parameters. Raises Mistake."""
    extents = (
        None if isinstance(dim, syntax.Infinite) else own.number(dim, "a dimension", definitions) for dim in port.shape
    )
    return SizedArray(type_of(as_type(port.type, own)), tuple(extents))


def infer(
    call: syntax.Call, callee: Definition, parameters: tuple[Parameter, ...], arrays: list[SizedArray]
) -> list[ParameterValue]:
    """The values of all parameters of what is called, from its arguments. Raises Mistake."""
    reading = _Reading(call, {parameter.name: parameter for parameter in parameters})
    for port, part, array in zip(callee.signature.inputs, call.arguments, arrays, strict=True):
        reading.take(port, part, array)
    for parameter in parameters:
        if parameter.name not in reading.values:
            names = ", ".join(other.name for other in parameters)
            raise mistake(
                "parameter-open",
                f"the arguments do not say what '{parameter.name}' of '{parameter.owner}' is",
                call.callee.span,
                f"give all values: {parameter.owner}[{names}](...); read off is what stands alone as a dimension of "
                "an input, or as its type",
            )
    return [reading.values[parameter.name] for parameter in parameters]


@dataclass(frozen=True, slots=True)
class _Reading:
    call: syntax.Call
    parameters: Mapping[str, Parameter]
    values: dict[str, ParameterValue] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    def take(self, port: syntax.Port, part: syntax.Part, array: SizedArray) -> None:
        """Read off one argument. Raises Mistake."""
        self._give(port.type.text, array.type, part)
        if len(port.shape) != len(array.extents):
            message = f"'{part.name.text}' is {array.shown}, port '{port_text(port)}' has {_rank(port)}"
            raise mistake("shape-mismatch", message, part.span, "hand over an array of as many dimensions")
        for dim, extent in zip(port.shape, array.extents, strict=True):
            if isinstance(dim, syntax.Ref) and not dim.subscripts:
                self._give(dim.name.text, extent, part)

    def _give(self, name: str, value: ParameterValue | None, part: syntax.Part) -> None:
        parameter = self.parameters.get(name)
        if parameter is None:
            return
        source = part.name.text
        if value is None:
            message = f"'{name}' of '{parameter.owner}' is a number, and '{source}' is infinite there"
            raise mistake("parameter-open", message, part.span, "a port that takes it has the dimension '*'")
        earlier = self.values.setdefault(name, value)
        first = self.sources.setdefault(name, source)
        if earlier.text != value.text:
            message = f"'{name}' of '{parameter.owner}' is {earlier.text} by '{first}', and {value.text} by '{source}'"
            raise mistake("parameter-mismatch", message, part.span, "hand over arrays that fit one another")


def _rank(port: syntax.Port) -> str:
    return counted(len(port.shape), "dimension")


@dataclass
class Arrays:
    """The arrays of a compound task whose types and shapes are known so far."""

    task: syntax.Task
    own: Binding
    definitions: Definitions
    known: dict[str, SizedArray | None] = field(
        default_factory=dict
    )  # None: its declaration has a mistake, told elsewhere

    def __post_init__(self) -> None:
        ports = (*self.task.signature.inputs, *self.task.signature.outputs)
        assert not isinstance(self.task.content, syntax.Repeat)
        declared = [item for item in self.task.content if isinstance(item, syntax.Array)]
        every: list[syntax.Port | syntax.Array] = [*ports, *declared]
        for port in every:
            self.known[port.name.text] = _or_none(lambda port=port: array_of(port, self.own, self.definitions))  # type: ignore[misc]

    def enter(self, call: syntax.Call, callee: Definition, values: Binding) -> Iterator[str]:
        """Enter the results of a call that are not declared, and say which these are."""
        for part, port in zip(call.results, callee.signature.outputs, strict=False):
            if part.name.text not in self.known:
                made = _or_none(lambda port=port: array_of(port, values, self.definitions))  # type: ignore[misc]
                self.known[part.name.text] = None if part.slices else made  # a part of it does not say what it is
                yield part.name.text

    def __contains__(self, name: str) -> bool:
        return name in self.known or self._table(name) is not None

    def argument(self, part: syntax.Part) -> SizedArray:
        """What an argument is. Raises a silent Mistake where that cannot be said."""
        name = part.name.text
        if name not in self.known:
            table = self._table(name)
            self.known[name] = None if table is None else _or_none(lambda: array_of(table, NOTHING, self.definitions))
        array = self.known[name]
        if array is None:
            raise Mistake
        return self._part(part, array) if part.slices else array

    def _part(self, part: syntax.Part, array: SizedArray) -> SizedArray:
        """A part of an array. Raises Mistake."""
        shape = tuple(None if extent is None else extent.integer for extent in array.extents)
        whole = Port(part.name.text, ElementType.U8, shape, part.span)
        numbers = substituted(part, self.own.exprs)
        taken = resolve_part(numbers, whole, self.definitions)[0]
        kept = taken.kept if taken else (True,) * len(shape)
        pieces = zip(part.slices, array.extents, kept, strict=True)
        return SizedArray(array.type, tuple(self._extent(piece, extent) for piece, extent, stays in pieces if stays))

    def _extent(self, piece: syntax.Slice, extent: ParameterValue | None) -> ParameterValue | None:
        """The extent of one dimension of a part."""
        if not isinstance(piece, syntax.Strided):
            return extent
        count: syntax.Expr = trusted.Binary("-", piece.high, piece.low, piece.span)
        if piece.step is not None:
            more = trusted.Binary("-", piece.step, trusted.Number(1, piece.span), piece.span)
            count = trusted.Binary("//", trusted.Binary("+", count, more, piece.span), piece.step, piece.span)
        return self.own.number(count, "a dimension", self.definitions)

    def _table(self, name: str) -> syntax.ConstArray | None:
        item = self.definitions.by_name.get(name)
        return item if isinstance(item, syntax.ConstArray) else None


def tell_waiting(
    task: syntax.Task, calls: Sequence[syntax.Call], waiting: Set[int], arrays: Arrays, mistakes: Mistakes
) -> None:
    """Note why calls never had their arguments: nothing makes them, or they wait for each other in a circle.

    Nothing is said of a call that waits for one with mistakes.
    """
    makers = {part.name.text: place for place, call in enumerate(calls) for part in call.results}
    needs = {place: [part.name for part in calls[place].arguments if part.name.text not in arrays] for place in waiting}
    for place in sorted(needs):
        for name in needs[place]:
            if name.text not in makers:
                hint = did_you_mean(name.text, arrays.known) or f"the arrays here are {', '.join(arrays.known)}"
                mistakes.report("unknown-name", f"array '{name.text}' is read but never produced", name.span, hint)
    circular = set(needs)
    changed = True
    while changed:
        excused = {place for place in circular if any(makers.get(name.text) not in circular for name in needs[place])}
        circular -= excused
        changed = bool(excused)
    if circular:
        path = [min(circular)]
        while path[-1] not in path[:-1]:
            path.append(makers[needs[path[-1]][0].text])
        circle = path[path.index(path[-1]) :]
        names = " -> ".join(calls[place].results[0].name.text for place in reversed(circle))
        message = f"in task '{task.name.text}' arrays depend on themselves: {names}"
        hint = "calls form an acyclic graph; delays belong inside a repetition"
        mistakes.report("dataflow-cycle", message, calls[min(circle)].span, hint)


def _or_none(step: Callable[[], SizedArray]) -> SizedArray | None:
    try:
        return step()
    except Mistake:
        return None
