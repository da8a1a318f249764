"""A stage's elementary task: its ports with the tilers that fill them, and its body.

Inside, an axis of the repetition is no loop any more: what depends on it goes into the tilers, and a condition on it
asks the index, which the instance gets from a const array. Such a condition lets an instance without work hand on what
was there. Where references to an array that is read move alike with the repetition, they share one window.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arrayol.c_import.forms import condition_texts, extreme, form_text, is_certain, renamed
from arrayol.c_import.model import Access, Form, Loop, Statement, Value, Variable
from arrayol.c_import.plans import Axis, Stage
from arrayol.ir.affine import Affine

_ZERO: Form = Affine()
_WRITTEN = {  # kinds of values that are no operators between two operands
    "convert": "{type}({0})",
    "choice": "({1} if {0} else {2})",
    "call": "{text}({0})",
    "negative": "(-{0})",
    "not": "(not {0})",
}


@dataclass(frozen=True, slots=True)
class Port:
    """A port of the elementary task and its link.

    `source` says what it takes: `read` an array, `before` the version before this stage, `index` that of an axis,
    `delay` an output, `write` gives one. Matrices are rows of forms.
    """

    name: str
    source: str
    array: str
    type: str
    shape: tuple[Form, ...]
    origin: tuple[Form, ...] = ()
    paving: tuple[tuple[int, ...], ...] = ()
    fitting: tuple[tuple[int, ...], ...] = ()
    border: bool = False
    delay: tuple[int, ...] = ()


@dataclass
class Body:
    """The ports and lines of one elementary task."""

    stage: Stage
    variables: Mapping[str, Variable]
    consts: Collection[str]
    avoided: Collection[str]  # names that others have
    known: frozenset[str]  # arrays that have a value before the stage
    before: Mapping[str, str]  # the names of arrays as they were before the stage
    ports: list[Port] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        loops = {loop.name for one in self.stage.statements for loop in one.loops}
        self.taken = {*self.variables, *self.avoided, *loops}
        self.axes = {axis.loop.name: axis for axis in self.stage.axes}
        self.values = {name: axis.loop_value for name, axis in self.axes.items()}
        self.indices: dict[str, str] = {}  # axis -> the port that holds its index
        self.windows: dict[int, tuple[Port, tuple[Form, ...]]] = {}  # read -> port and its lowest elements
        self._make_windows()
        self._declare()
        self._copy()
        self.lines += self._tree(self.stage.statements, 0)
        self.ports += [self._output(name) for name in self.stage.written]

    def fresh(self, name: str) -> str:
        """A name that is not taken here."""
        base, number = name, 2
        while name in self.taken:
            name, number = f"{base}{number}", number + 1
        self.taken.add(name)
        return name

    # What comes in.

    def _make_windows(self) -> None:
        groups: dict[tuple[str, str, tuple[tuple[int, ...], ...]], list[tuple[Statement, Access]]] = {}
        for statement in self.stage.statements:
            for access in statement.reads:
                kind = self._kind(access)
                if kind == "delay":
                    self._delayed(access)
                elif kind is not None:
                    moves = tuple(tuple(form.factor(name) for name in self.axes) for form in access.subscripts)
                    groups.setdefault((access.array, kind, moves), []).append((statement, access))
        for (_, kind, _), references in groups.items():
            for together in self._alike(references):
                self._window(kind, together)

    def _kind(self, access: Access) -> str | None:
        """Where a read comes from; None for what the body has itself."""
        if id(access) in self.stage.delays:
            return "delay"
        if id(access) in self.stage.old:
            return "before"
        if access.array in self.stage.places or access.array in self.stage.private:
            return None
        return "read"

    def _delayed(self, access: Access) -> None:
        delay = self.stage.delays[id(access)]
        for port in self.ports:
            if port.delay == delay:
                self.windows[id(access)] = (port, ())
                return
        type_ = self.variables[access.array].type
        port = Port(self.fresh(f"{access.array}_from"), "delay", access.array, type_, (), delay=delay)
        self.ports.append(port)
        self.windows[id(access)] = (port, ())

    def _alike(self, references: list[tuple[Statement, Access]]) -> list[list[tuple[Statement, Access]]]:
        """References in parts whose ranges can be compared at all sizes; together if possible."""
        if not self.axes:
            return [references]
        bounds = [self._bounds(*one) for one in references]
        for one in bounds[1:]:
            for (low, high), (first, last) in zip(one, bounds[0], strict=True):
                if (low - first).number is None or (high - last).number is None:
                    return [[each] for each in references]
        return [references]

    def _bounds(self, statement: Statement, access: Access) -> list[tuple[Form, Form]]:
        """By dimension: the lowest and highest element beside what the axes move."""
        found = []
        for form in access.subscripts:
            rest = self._rest(form)
            lows, highs = (extreme(rest, statement.loops, greatest=end) for end in (False, True))
            found.append((lows, highs))
        return found

    def _window(self, kind: str, references: list[tuple[Statement, Access]]) -> None:
        access = references[0][1]
        bounds = [self._bounds(*one) for one in references]
        variable = self.variables[access.array]
        lows, shape = [], []
        for place, dim in enumerate(variable.dims):
            low = min((one[place][0] for one in bounds), key=lambda form: form.constant)
            high = max((one[place][1] for one in bounds), key=lambda form: form.constant)
            if not self.axes or (not self._moves(access, place) and low != high):
                low, high = _ZERO, dim - 1  # a part of a dimension that all instances read: the whole is as good
            lows.append(low)
            shape.append(high - low + 1)
        paving = tuple(
            tuple(renamed(form, self.values).factor(name) for name in self.axes) for form in access.subscripts
        )
        kept = [place for place, extent in enumerate(shape) if extent.number != 1 or not self.axes]
        fitting = tuple(tuple(int(place == column) for column in kept) for place in range(len(shape)))
        border = any(
            not self._inside(row, low, extent, dim)
            for row, low, extent, dim in zip(paving, lows, shape, variable.dims, strict=True)
        )
        name = self.before[access.array] if kind == "before" else access.array
        name = self.fresh(name) if kind == "before" or name in self._named() else name
        extents = tuple(shape[one] for one in kept)
        port = Port(name, kind, access.array, variable.type, extents, tuple(lows), paving, fitting, border)
        self.ports.append(port)
        for _, each in references:
            self.windows[id(each)] = (port, tuple(lows))

    def _named(self) -> set[str]:
        return {port.name for port in self.ports}

    def _moves(self, access: Access, place: int) -> bool:
        return any(access.subscripts[place].factor(name) for name in self.axes)

    def _inside(self, row: Sequence[int], low: Form, extent: Form, dim: Form) -> bool:
        """Whether a window surely stays in its array."""
        least, most = low, low + extent - 1
        for factor, axis in zip(row, self.axes.values(), strict=True):
            end = (axis.extent - 1).scaled(factor)
            least, most = (least, most + end) if factor > 0 else (least + end, most)
        above = (dim - 1 - most).number
        return least.number is not None and least.number >= 0 and above is not None and above >= 0

    def _index(self, name: str) -> str:
        """The port with the index of an axis."""
        if name not in self.indices:
            self.indices[name] = self.fresh(f"at_{name}")
            column = tuple(int(other == name) for other in self.axes)
            port = Port(self.indices[name], "index", name, "i32", (), (_ZERO,), (column,), ((),))
            self.ports.append(port)
        return self.indices[name]

    # What is written, and what it starts from.

    def _own_dims(self, array: str) -> list[int]:
        """The dimensions of an array that no axis takes."""
        places = self.stage.places.get(array)
        return [place for place in range(len(self.variables[array].dims)) if places is None or places[place] is None]

    def _output(self, array: str, source: str = "write", name: str | None = None) -> Port:
        variable, own, places = self.variables[array], self._own_dims(array), self.stage.places[array]
        paving = tuple(tuple(int(place == column) for column in range(len(self.axes))) for place in places)
        fitting = tuple(tuple(int(dim == column) for column in own) for dim in range(len(variable.dims)))
        shape = tuple(variable.dims[place] for place in own)
        origin = tuple(_ZERO for _ in variable.dims)
        return Port(name or array, source, array, variable.type, shape, origin, paving, fitting)

    def _declare(self) -> None:
        for name in sorted(self.stage.private):
            variable = self.variables[name]
            self.lines.append(f"{name}: {variable.type}{shape_text(variable.dims)}")

    def _copy(self) -> None:
        """What was there before, where not all is written first."""
        for array in self.stage.written:
            if array in self.stage.unread and any(
                self._covers(one) for one in self.stage.statements if one.target.array == array
            ):
                continue
            dims = [self.variables[array].dims[place] for place in self._own_dims(array)]
            names = [self.fresh(f"e{place}") for place in range(len(dims))]
            subscripts = f"[{', '.join(names)}]" if names else ""
            ranges = ", ".join(f"{name} in 0..{form_text(dim)}" for name, dim in zip(names, dims, strict=True))
            value = "0"
            if array in self.known:
                port = self._output(array, "before", self.fresh(self.before[array]))
                self.ports.append(port)
                value = f"{port.name}{subscripts}"
            self.lines.append(f"{array}{subscripts} = {value}" + (f" for {ranges}" if ranges else ""))

    def _covers(self, statement: Statement) -> bool:
        """Whether a statement writes all of its array in each instance."""
        if statement.accumulate or self._conditions(statement):
            return False
        loops = {loop.name: loop for loop in self._loops(statement)}
        for place in self._own_dims(statement.target.array):
            form, dim = statement.target.subscripts[place], self.variables[statement.target.array].dims[place]
            loop = loops.pop(form.terms[0][0], None) if len(form.terms) == 1 and form.terms[0][1] == 1 else None
            if loop is None or (loop.low + form.constant).number != 0 or (loop.high + form.constant - dim).number != 0:
                return False
        return not loops

    # Statements.

    def _loops(self, statement: Statement) -> list[Loop]:
        return [loop for loop in statement.loops if loop.name not in self.axes]

    def _tree(self, statements: Sequence[Statement], depth: int) -> list[str]:
        lines: list[str] = []
        place = 0
        while place < len(statements):
            loops = self._loops(statements[place])
            if len(loops) == depth:
                lines.append(self._line(statements[place], ()))
                place += 1
                continue
            run = [one for one in statements[place:] if self._loops(one)[depth : depth + 1] == [loops[depth]]]
            if len(run) == 1:
                lines.append(self._line(run[0], loops[depth:]))
            else:
                lines += [f"loop {self._range(loops[depth], run[0])} {{", *self._tree(run, depth + 1), "}"]
            place += len(run)
        return lines

    def _range(self, loop: Loop, statement: Statement) -> str:
        low, high = self._box(loop, statement)
        return f"{loop.name} in {form_text(low)}..{form_text(high)}"

    def _box(self, loop: Loop, statement: Statement) -> tuple[Form, Form]:
        """The bounds of a loop of the body, freed of the axes."""
        around = [one for one in statement.loops if one.name in self.axes]
        return extreme(loop.low, around, greatest=False), extreme(loop.high, around, greatest=True)

    def _conditions(self, statement: Statement) -> list[Form]:
        """What must hold beside the ranges, in terms of the indices of axes."""
        asked: list[Form] = list(statement.conditions)
        for loop in statement.loops:
            own: Form = Affine(((loop.name, 1),))
            if loop.name in self.axes:
                asked += [own - loop.low, loop.high - 1 - own]
            else:
                low, high = self._box(loop, statement)
                asked += [own - loop.low] if low != loop.low else []
                asked += [loop.high - 1 - own] if high != loop.high else []
        box = [self._whole(loop, statement) for loop in statement.loops]
        return [form for form in (renamed(one, self.values) for one in asked) if not is_certain(form, box)]

    def _whole(self, loop: Loop, statement: Statement) -> Loop:
        """A loop with the bounds that it has in the body; of an axis all of it."""
        axis = self.axes.get(loop.name)
        low, high = self._box(loop, statement) if axis is None else (_ZERO, axis.extent)
        return Loop(loop.name, low, high, loop.span)

    def _line(self, statement: Statement, loops: Sequence[Loop]) -> str:
        conditions = self._conditions(statement)
        held = {name for form in conditions for name, _ in form.terms if name in self.axes}
        names = {name: self._index(name) for name in sorted(held)}
        target = self._element(statement.target)
        text = f"{target} {'+=' if statement.accumulate else '='} {self._value(statement.value)}"
        if loops:
            text += f" for {', '.join(self._range(loop, statement) for loop in loops)}"
        if conditions:
            text += f" where {' and '.join(condition_texts(conditions, names, self.consts))}"
        return text

    def _element(self, access: Access) -> str:
        """An element that the body has, or of a port."""
        found = self.windows.get(id(access))
        if found is None:
            forms = [access.subscripts[place] for place in self._own_dims(access.array)]
            return access.array + _subscripts(forms)
        port, lows = found
        rests = [self._rest(form) - low for form, low in zip(access.subscripts, lows, strict=True)] if lows else []
        kept = [rest for rest, row in zip(rests, port.fitting, strict=True) if any(row)] if rests else []
        return port.name + _subscripts(kept)

    def _rest(self, form: Form) -> Form:
        rest = renamed(form, self.values)
        for name in self.axes:
            rest = rest.without(name)
        return rest

    def _value(self, value: Value) -> str:
        operands = list(map(self._value, value.operands))
        if value.access is not None:
            return self._element(value.access)
        if value.form is not None:
            return self._form(value.form)
        if value.kind in {"literal", "const"}:
            return f"({value.text})" if value.text.startswith("-") else value.text
        if value.kind in _WRITTEN:
            return _WRITTEN[value.kind].format(*operands, type=value.type, text=value.text)
        return f"({operands[0]} {value.kind} {operands[1]})"

    def _form(self, form: Form) -> str:
        """An integer of loops as a value; the index of an axis is a port."""
        own = renamed(form, self.values)
        names: dict[str, Form] = {name: Affine(((self._index(name), 1),)) for name, _ in own.terms if name in self.axes}
        return f"({form_text(renamed(own, names))})"


def _subscripts(forms: Sequence[Form]) -> str:
    return f"[{', '.join(map(form_text, forms))}]" if forms else ""


def shape_text(dims: Sequence[Form]) -> str:
    """The shape of a port: `[N, 3]`, nothing for a single value."""
    return f"[{', '.join(map(form_text, dims))}]" if dims else ""


def axes_text(axes: Iterable[Axis]) -> str:
    """The repetition space."""
    return shape_text([axis.extent for axis in axes])


def indented(lines: Iterable[str]) -> Iterator[str]:
    """The lines inside braces."""
    return (f"  {line}" for line in lines)
