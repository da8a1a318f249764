"""The body of an elementary around one accumulation: what comes before it, one block of it, and what comes after.

    elementary dot(x: i8[64], w: i8[64]) -> (y: i8) {          before
      a: i32 = 0
      a += i32(x[k]) * w[k]  for k in 0..64
      y = sat(i8, a >> 7)
    }

    elementary dot_fold(x: i8[16], w: i8[16], a_before: i32) -> (a: i32) {     after, in blocks of 16
      a = a_before
      a += i32(x[k]) * w[k]  for k in 0..16
    }
    elementary dot_end(a: i32) -> (y: i8) { y = sat(i8, a >> 7) }

Locals that go from one part to another are arrays over the loops around them. The parts run one after the other, which
is another order of the body's iterations: isl decides whether two that touch one element would change places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from arrayol.ir import expressions
from arrayol.ir.affine import affine
from arrayol.ir.divisors import divisors
from arrayol.ir.expressions import Assign, Constant, Expr, Index, Loop, Range, Read, Statement
from arrayol.ir.spec import ConstValue, Elementary, Local, Port, written_name
from arrayol.ir.types import ElementType, Weak
from arrayol.polyhedral.dependences import BlockOf, Time, find_swapped
from arrayol.polyhedral.isl import TooHardError
from arrayol.polyhedral.nests import find_unwritten, statements_of
from arrayol.source import SourceFile, Span
from arrayol.transforms.rewrite import FreeNames, refused
from arrayol.transforms.split.split_reads import BodyArray, Shrinking, Shrunk, Vector, filled, only, renamed, weak


@dataclass(frozen=True, slots=True)
class FirstElement:
    """The accumulator's element x starts as element offset + matrix x of an input port's pattern."""

    port: str
    offset: Vector
    matrix: tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """The parts of a body. `carried` gives, by port of the end or fold, the array of which part it reads."""

    start: Elementary | None
    fold: Elementary
    end: Elementary | None
    inputs: tuple[Shrunk, ...]
    before: Port
    sum: BodyArray
    initial: ConstValue | FirstElement | None  # None: what the start makes
    from_start: tuple[BodyArray, ...]
    into_end: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Accumulation:
    """The statement of a range, with all ranges around it, and what stands before and after it in the text."""

    statement: Assign
    ranges: tuple[Range, ...]
    place: int  # of the range among them
    low: int
    before: tuple[Assign, ...]
    after: tuple[Assign, ...]

    @property
    def name(self) -> str:
        return self.ranges[self.place].name

    def blocks(self, size: int) -> int:
        """The number of blocks of that many iterations."""
        high = affine(self.ranges[self.place].high).constant
        return (high - self.low) // size


def accumulated_ranges(elementary: Elementary) -> dict[str, int]:
    """The iterations of the ranges over which statements of a body accumulate, where their bounds are constant."""
    found: dict[str, int] = {}
    for statement, around in _with_ranges(elementary.body or (), ()):
        for one in around if statement.accumulate else ():
            low, high = _number(one.low), _number(one.high)
            if low is not None and high is not None and not _is_subscript(statement, one.name):
                found[one.name] = high - low
    return found


def _is_subscript(statement: Assign, name: str) -> bool:
    """Whether the element that a statement writes depends on a range."""
    return any(expressions.mentions(item, name) for item in statement.subscripts)


def find_accumulation(elementary: Elementary, name: str, size: int) -> Accumulation:
    """The one accumulation over the range `name`. Raises ArrayolError (`step-refused`)."""
    found = [item for item in _with_ranges(elementary.body or (), ()) if any(one.name == name for one in item[1])]
    here = f"in '{elementary.name}'"
    if elementary.body is None:
        raise refused(f"'{elementary.name}' has no body to split", elementary.span, "give it one, as in { y = x }")
    if not found:
        known = dict.fromkeys(
            one.name for item in _with_ranges(elementary.body, ()) for one in item[1] if item[0].accumulate
        )
        hint = (
            f"the ranges of accumulations are {', '.join(known)}"
            if known
            else "no statement there is `+=` over a range"
        )
        raise refused(f"there is no range '{name}' {here}", elementary.span, hint)
    statement, around = found[0]
    if len(found) > 1:
        outputs = {port.name for port in elementary.outputs} - {statement.port}
        other = next((item for item, _ in found if item.port in outputs and not item.accumulate), None)
        if other is not None:
            message = f"output '{other.port}' depends on the range '{name}' {here}, beside the accumulation"
            raise refused(
                message, other.span, "what is needed in every iteration cannot come from the last block alone"
            )
        message = f"{len(found)} statements run over a range '{name}' {here}"
        hint = "split one range of one statement; give the others different names"
        if any(one is other for one in around for other in found[1][1]):
            total = next((item.port for item, _ in found if item.accumulate), statement.port)
            hint = f"a range of one statement can be split, not that of a loop: {total} += ... for {name} in ..."
        raise refused(message, found[1][0].span, hint)
    if not statement.accumulate or _is_subscript(statement, name):
        message = f"'{written_name(statement.port)}' depends on the range '{name}' {here}: it is no sum over it"
        raise refused(message, statement.span, "the statement is `a[...] += ...`, without the range on its left")
    place = next(number for number, one in enumerate(around) if one.name == name)
    low, high = (_number(bound) for bound in (around[place].low, around[place].high))
    if (
        low is None
        or high is None
        or any(expressions.mentions(bound, name) for one in around for bound in (one.low, one.high))
    ):
        message = f"the bounds of the range '{name}' {here} are not constant, or other ranges depend on it"
        raise refused(message, around[place].span, "a block has the same iterations wherever it stands")
    if size < 1 or (high - low) % size or high <= low:
        hint = f"what does: {', '.join(map(str, divisors(high - low)))}"
        raise refused(
            f"{size} does not divide the {high - low} iterations of '{name}' {here}", around[place].span, hint
        )
    if statement.port in expressions.arrays_read(statement):
        message = (
            f"what is added to '{written_name(statement.port)}' {here} reads '{written_name(statement.port)}' itself"
        )
        raise refused(message, statement.span, "a partial sum would be another value there")
    every = list(expressions.assigns(elementary.body))
    at = next(number for number, item in enumerate(every) if item is statement)
    return Accumulation(statement, around, place, low, tuple(every[:at]), tuple(every[at + 1 :]))


def _with_ranges(body: Iterable[Statement], around: tuple[Range, ...]) -> Iterable[tuple[Assign, tuple[Range, ...]]]:
    """Every assignment with the ranges around it and its own."""
    for item in body:
        if isinstance(item, Loop):
            yield from _with_ranges(item.body, (*around, *item.ranges))
        else:
            yield item, (*around, *item.ranges)


def _number(bound: Expr) -> int | None:
    return affine(bound).number


def fold_body(
    elementary: Elementary,
    found: Accumulation,
    size: int,
    names: FreeNames,
    linked: frozenset[str],
    hidden: frozenset[str],
) -> Folded:
    """The parts of the body. Raises ArrayolError (`step-refused`).

    `linked` are the outputs that are needed, `hidden` the const arrays, which are inputs by their names.
    """
    return _Folding(elementary, found, size, names, linked, hidden).folded()


@dataclass(frozen=True, slots=True)
class _Folding:
    elementary: Elementary
    found: Accumulation
    size: int
    names: FreeNames
    linked: frozenset[str]
    hidden: frozenset[str]

    def folded(self) -> Folded:
        initial, first = self._initial()
        before = tuple(item for item in self.found.before if item is not first)
        read = set(expressions.arrays_read(self.found.statement))
        written = {item.port for item in before}
        from_start = initial is None or bool(read & written)
        at_start, at_end = (before, self.found.after) if from_start else ((), (*before, *self.found.after))
        if not from_start and not self.found.after:
            at_start, at_end = before, ()
        self._require_order(at_start, at_end)
        total = self._variable(self.found.statement.port)
        if not at_end and total.name not in self.linked:
            message = f"nothing needs what '{self.elementary.name}' accumulates in '{written_name(total.name)}'"
            raise refused(message, self.found.statement.span, "there is nothing to split")
        used_later = {name for item in at_end for name in expressions.arrays(item)}
        kept = read | used_later | (self.linked - {item.port for item in at_end})
        kept = kept | {total.name} if initial is None else kept - {total.name}
        made = [self._variable(name) for name in dict.fromkeys(item.port for item in at_start) if name in kept]
        start = self._start(at_start, made) if made else None
        end, into_end = (
            self._end(at_end, [*(one for one in made if one.name != total.name), total]) if at_end else (None, {})
        )
        fold, inputs, port = self._fold(total, made)
        return Folded(start, fold, end, inputs, port, total, initial, tuple(made), into_end)

    # The initial value.

    def _initial(self) -> tuple[ConstValue | FirstElement | None, Assign | None]:
        """What the accumulator starts from, and the statement that says so, if it is a constant or an input."""
        writes = [item for item in self.found.before if item.port == self.found.statement.port]
        reads = [item for item in self.found.before if self.found.statement.port in expressions.arrays_read(item)]
        if not writes:
            if self.found.statement.condition is not None:
                message = f"'{written_name(self.found.statement.port)}' has no value where no term is added to it"
                raise refused(message, self.found.statement.span, "give it one before the sum, as in a = 0")
            return 0, None
        first = writes[0]
        indices = self._whole_indices(first)
        if len(writes) > 1 or reads or first.accumulate or first.condition is not None or indices is None:
            return None, None
        if isinstance(first.value, Constant):
            return first.value.value, first
        value = first.value
        if isinstance(value, Read) and any(port.name == value.port for port in self.elementary.inputs):
            forms = [affine(item) for item in value.subscripts]
            if all(isinstance(term, str) and term in indices for form in forms for term, _ in form.terms):
                lows = self._variable(first.port).lows
                offset = tuple(
                    form.constant + sum(form.factor(name) * low for name, low in zip(indices, lows, strict=True))
                    for form in forms
                )
                matrix = tuple(tuple(form.factor(name) for name in indices) for form in forms)
                return FirstElement(value.port, offset, matrix), first
        return None, None

    def _whole_indices(self, item: Assign) -> list[str] | None:
        """The range variables that an assignment's subscripts are, if it writes the whole array so."""
        around = next(ranges for one, ranges in _with_ranges(self.elementary.body or (), ()) if one is item)
        bounds = {one.name: (_number(one.low), _number(one.high)) for one in around}
        variable = self._variable(item.port)
        indices = [one.name for one in item.subscripts if isinstance(one, Index)]
        if len(set(indices)) != len(item.subscripts) or set(bounds) != set(indices):
            return None
        extents = zip(indices, variable.lows, variable.extents, strict=True)
        return indices if all(bounds[name] == (low, low + extent) for name, low, extent in extents) else None

    def _variable(self, name: str) -> BodyArray:
        """An output or local as an array."""
        local = next((item for item in self.elementary.locals if item.name == name), None)
        if local is None:
            port = next(port for port in self.elementary.outputs if port.name == name)
            return BodyArray(name, port, (0,) * len(port.shape))
        lows = (*(item.low for item in local.around), *(0 for _ in local.shape))
        shape = (*(item.high - item.low for item in local.around), *local.shape)
        return BodyArray(name, Port(written_name(name), local.type, shape, local.span), lows)

    # The order.

    def _require_order(self, at_start: Sequence[Assign], at_end: Sequence[Assign]) -> None:
        """Raises ArrayolError (`step-refused`) where two iterations that touch one element would change places."""
        early, late = {id(item) for item in at_start}, {id(item) for item in at_end}
        statements = list(statements_of(self.elementary))
        times: list[Time] = []
        for one in statements:
            is_sum = one.assign is self.found.statement
            phase = 0 if id(one.assign) in early else 2 if id(one.assign) in late else 1
            exact = self.found.statement.value.type
            ordered = is_sum and not (not isinstance(exact, Weak) and exact.is_integer)
            block = [BlockOf(self.found.place, weak(self.found.low, one.assign.span), self.size)] if ordered else []
            times.append([phase, *block, *_written_time(one.path)])
        try:
            swapped = find_swapped(statements, times)
        except TooHardError:
            message = f"it could not be decided whether '{self.elementary.name}' keeps its meaning when it is split"
            raise refused(message, self.elementary.span, "simplify its subscripts and ranges") from None
        if swapped is None:
            return
        element = f"{written_name(swapped.port)}{list(swapped.element) if swapped.element else ''}"
        if swapped.first.assign is swapped.second.assign is self.found.statement:
            message = f"the terms of '{element}' would be added in another order, which floats tell apart"
            hint = "split the first range of the statement, with no loop between it and the accumulator"
        else:
            message = f"'{element}' is used by several statements in turn, which would run one after another"
            hint = "give each its own loop"
        raise refused(message, self.found.statement.span, hint)

    # The parts.

    def _start(self, items: Sequence[Assign], made: Sequence[BodyArray]) -> Elementary:
        chosen = {variable.name: variable for variable in made}
        body = only(self.elementary.body or (), {id(item) for item in items})
        zeros = tuple(self._filled(one, lambda _, one=one: _zero(one.port)) for one in made)  # type: ignore[misc]
        outputs = tuple(one.port for one in made)
        part = self._elementary("start", renamed(body, chosen), outputs, chosen)
        if any(_is_unwritten(part, port) for port in outputs):
            return replace(part, body=(*zeros, *(part.body or ())))
        return part

    def _end(self, items: Sequence[Assign], known: Sequence[BodyArray]) -> tuple[Elementary, dict[str, str]]:
        """The statements after the accumulation; what they change of earlier parts is copied first."""
        body = only(self.elementary.body or (), {id(item) for item in items})
        touched = {name for item in items for name in expressions.arrays(item)}
        changed = {item.port for item in items}
        outputs = tuple(port for port in self.elementary.outputs if port.name in changed)
        copies, chosen, inputs, into, kept = (
            list[Assign](),
            dict[str, BodyArray](),
            list[Port](),
            dict[str, str](),
            list[Local](),
        )
        for variable in (one for one in known if one.name in touched):
            port = variable.port
            if variable.name in changed:
                port = replace(port, name=self.names.local(f"{port.name}_so_far", self._used()))
                copies.append(self._copied(variable, port))
                if variable.port not in self.elementary.outputs:
                    kept.append(Local(variable.port.name, port.type, (), variable.extents, port.span))
            chosen[variable.name] = variable
            inputs.append(port)
            into[port.name] = variable.name
        text = (*copies, *renamed(body, chosen))
        return self._elementary("end", text, outputs, chosen, inputs, kept), into

    def _fold(self, total: BodyArray, made: Sequence[BodyArray]) -> tuple[Elementary, tuple[Shrunk, ...], Port]:
        """One block: its inputs shrink along the range, and the accumulator goes through."""
        found = self.found
        arrays = {variable.name: variable for variable in made if variable.name != total.name}
        sources = {port.name: port for port in self.elementary.inputs}
        sources |= {variable.port.name: variable.port for variable in arrays.values()}
        ranges = tuple(self._block_range(number, one) for number, one in enumerate(found.ranges))
        (statement,) = renamed((found.statement,), arrays | {total.name: total})
        assert isinstance(statement, Assign)
        parts = [statement.value, *statement.subscripts]
        parts += [] if statement.condition is None else [statement.condition]
        shrinking = Shrinking(
            found.name,
            found.low,
            self.size,
            found.blocks(self.size),
            ranges,
            sources,
            self.names,
            self._used(),
            self.hidden,
        )
        for part in parts:
            shrinking.collect(part)
        inputs = shrinking.inputs()
        value, *rest = (shrinking.shrunk(part, inputs) for part in parts)
        rank = len(statement.subscripts)
        taken = [*self._used(), *(one.port.name for one in inputs.values())]
        before = replace(total.port, name=self.names.local(f"{total.port.name}_before", taken))
        summed = replace(
            statement,
            value=value,
            subscripts=tuple(rest[:rank]),
            condition=rest[rank] if len(rest) > rank else None,
            ranges=ranges,
        )
        ports = (*(one.port for one in inputs.values()), before)
        name = self.names.definition(f"{self.elementary.name}_fold")
        body = (self._copied(total, before), summed)
        fold = Elementary(name, ports, (total.port,), body, None, self.elementary.span)
        return fold, tuple(inputs.values()), before

    def _block_range(self, number: int, one: Range) -> Range:
        if number != self.found.place:
            return one
        return replace(one, low=weak(0, one.span), high=weak(self.size, one.span))

    def _elementary(
        self,
        part: str,
        body: tuple[Statement, ...],
        outputs: tuple[Port, ...],
        chosen: Mapping[str, BodyArray],
        more: Sequence[Port] = (),
        kept: Sequence[Local] = (),
    ) -> Elementary:
        touched = set(expressions.mentioned(body))
        own = tuple(port for port in self.elementary.inputs if port.name in touched)
        inner = [one for one in self.elementary.locals if one.name in touched and one.name not in chosen]
        inner += [
            Local(port.name, port.type, (), tuple(extent or 0 for extent in port.shape), port.span)
            for port in self.elementary.outputs
            if port.name in touched and port not in outputs and port not in more and port.name not in chosen
        ]
        name = self.names.definition(f"{self.elementary.name}_{part}")
        return Elementary(name, (*own, *more), outputs, body, None, self.elementary.span, (*kept, *inner))

    def _copied(self, variable: BodyArray, port: Port) -> Assign:
        span = self.found.statement.span
        return self._filled(variable, lambda indices: Read(port.name, indices, port.type, span))

    def _filled(self, variable: BodyArray, value: Callable[[tuple[Expr, ...]], Expr]) -> Assign:
        names: list[str] = []
        for axis in range(len(variable.extents)):
            names.append(self.names.local(f"i{axis}", [*self._used(), *names]))
        return filled(variable, value, names, self.found.statement.span)

    def _used(self) -> list[str]:
        """Names that the body has."""
        every = (*self.elementary.inputs, *self.elementary.outputs)
        ranges = (one.name for one in expressions.ranges(self.elementary.body or ()))
        return [*(port.name for port in every), *(written_name(one.name) for one in self.elementary.locals), *ranges]


def _written_time(path: Sequence[tuple[int, int]]) -> list[int | BlockOf]:
    """When an assignment runs as it is written: place by place, and the range variables there."""
    time: list[int | BlockOf] = []
    index = 0
    for place, count in path:
        time.append(place)
        time += [
            BlockOf(number, Constant(0, Weak.INTEGER, Span(SourceFile("", ""), 0, 0)), 1)
            for number in range(index, index + count)
        ]
        index += count
    return time


def _zero(port: Port) -> Constant:
    return Constant(False if port.type is ElementType.BOOL else 0, port.type, port.span)


def _is_unwritten(part: Elementary, port: Port) -> bool:
    """Whether the statements leave an element of an output unwritten."""
    shape = tuple(extent or 0 for extent in port.shape)
    return find_unwritten(statements_of(part), port.name, shape) is not None
