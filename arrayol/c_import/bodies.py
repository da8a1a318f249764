"""A stage's elementary task: its ports with the tilers that fill them, and its body.

Inside, an axis of the repetition is no loop any more. Subscripts that depend on it go into the tilers. A condition on
it compares the index, which the instance gets from a const array; where it does not hold, the instance passes on the
old element. References to one array that move alike with the repetition share a window, the smallest box of elements
that holds them all: the pattern of one port.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import gcd
from typing import TypeAlias

from arrayol.c_import.arithmetic import affine_condition
from arrayol.c_import.borders import Continued, continued, leaves_where_not
from arrayol.c_import.forms import (
    condition_texts,
    extreme,
    form_text,
    is_certain,
    names_of,
    renamed,
    renamed_condition,
    term_text,
)
from arrayol.c_import.model import (
    BOOL,
    COperation,
    Dynamic,
    ElementAccess,
    ElementGuard,
    ForLoop,
    Form,
    Statement,
    Term,
    Variable,
    data_of,
    not_negative,
)
from arrayol.c_import.plans import RepetitionAxis, Stage, is_dynamic
from arrayol.c_import.shared import shared_parts
from arrayol.ir.affine import Affine

_Reference: TypeAlias = tuple[Statement, ElementAccess]
_ZERO: Form = Affine()
_ZEROS = {"0", "0.0"}  # as literals
_WRITTEN = {  # kinds of values that are no operators between two operands
    "convert": "{type}({0})",
    "join": "{type}({0}, {1})",
    "choice": "({1} if {0} else {2})",
    "call": "{text}({0})",
    "nearest": "round({0}, 0)",
    "negative": "(-{0})",
    "not": "(not {0})",
}


@dataclass(frozen=True, slots=True)
class LinkedPort:
    """A port of the elementary task and its link.

    `source` says what it takes: `read` an array, `before` the version before this stage, `index` that of an axis,
    `delay` an output, `write` gives one, `state` one that only delays take. Matrices are rows of forms.
    """

    name: str
    source: str
    array: str
    type: str
    shape: tuple[Form, ...]
    origin: tuple[Form, ...] = ()
    paving: tuple[tuple[int, ...], ...] = ()
    fitting: tuple[tuple[int, ...], ...] = ()
    border: str = ""  # how the array continues beyond its ends
    delay: tuple[int, ...] = ()
    default: str = "0"


@dataclass
class BodyText:
    """The ports and lines of one elementary task."""

    stage: Stage
    variables: Mapping[str, Variable]
    consts: Collection[str]
    avoided: Collection[str]  # names that others have
    known: frozenset[str]  # arrays that have a value before the stage
    before: Mapping[str, str]  # the names of arrays as they were before the stage
    ports: list[LinkedPort] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        loops = {loop.name for one in self.stage.statements for loop in one.loops}
        self.taken = {*self.variables, *self.avoided, *loops}
        self.axes = {axis.loop.name: axis for axis in self.stage.axes}
        self.values = {name: axis.loop_value for name, axis in self.axes.items()}
        self.indices: dict[str, str] = {}  # axis -> the port that holds its index
        self.windows: dict[int, tuple[LinkedPort, tuple[Form, ...]]] = {}  # read -> port and its lowest elements
        self.continued: dict[int, Continued] = {}  # reads beyond the ends of their arrays
        self.replaced: set[int] = set()  # values that only say where these are
        self.defaults: dict[int, str] = {}  # delayed read -> what it gives where no instance came before
        self._make_windows()
        self._declare()
        self._copy()
        self.lines += self._tree(self.stage.statements, 0)
        self.ports += [self._output(name) for name in self.stage.written]
        self.ports += [self._output(name, "state") for name in sorted(self.stage.states)]

    def fresh(self, name: str) -> str:
        """A name that is not taken here."""
        base, number = name, 2
        while name in self.taken:
            name, number = f"{base}{number}", number + 1
        self.taken.add(name)
        return name

    # What comes in.

    def _make_windows(self) -> None:
        groups: dict[tuple[str, str, tuple[tuple[int, ...], ...]], list[_Reference]] = {}
        for statement in self.stage.statements:
            self._find_defaults(statement)
            for access in statement.reads:
                kind = self._kind(access)
                if kind == "delay":
                    self._delayed(access)
                elif kind is not None:
                    self._continue(statement, access)
                    moves = tuple(map(self._factors, self._forms(access)))
                    groups.setdefault((access.array, kind, moves), []).append((statement, access))
        for (_, kind, _), references in groups.items():
            for alike in self._continued_alike(references):
                for together in self._alike(alike):
                    self._window(kind, together)

    def _continue(self, statement: Statement, access: ElementAccess) -> None:
        """Find out whether a read is one of a window that its array continues."""
        loops = [self._whole(loop, statement) for loop in statement.loops]

        def ends(form: Form) -> tuple[Form, Form]:
            own = renamed(form, self.values)
            return extreme(own, loops, greatest=False), extreme(own, loops, greatest=True)

        found = continued(access, self.variables[access.array].dims, ends) if self.axes else None
        if found is not None:
            self.continued[id(access)] = found
            self.replaced |= set(map(id, data_of(access)))

    def _forms(self, access: ElementAccess) -> tuple[Form, ...]:
        """The subscripts of a read, those of a window also beyond the ends of its array."""
        found = self.continued.get(id(access))
        return access.subscripts if found is None else found.subscripts

    def _continued_alike(self, references: list[_Reference]) -> list[list[_Reference]]:
        """References by how their arrays continue; those that stay inside go with any, if no data decides on them."""
        modes: dict[str, list[_Reference]] = {}
        for one in references:
            found = self.continued.get(id(one[1]))
            kind = "data" if any(map(is_dynamic, self._forms(one[1]))) else "inside"
            modes.setdefault(kind if found is None else found.mode, []).append(one)
        if len(modes) > 1 and "inside" in modes:
            inside = modes.pop("inside")
            mode = next((mode for mode in modes if mode != "data"), "data")
            modes[mode] = [one for one in references if one in modes[mode] or one in inside]
        return list(modes.values())

    def _kind(self, access: ElementAccess) -> str | None:
        """Where a read comes from; None for what the body has itself."""
        if id(access) in self.stage.delays:
            return "delay"
        if id(access) in self.stage.old:
            return "before"
        if access.array in self.stage.places or access.array in self.stage.private:
            return None
        return "read"

    def _find_defaults(self, statement: Statement) -> None:
        """Choices between a number in the first iteration and the one before: the number is the delay's default."""
        for node in statement.value.nodes():
            if node.kind != "choice" or node.operands[0].kind not in {"==", ">="}:
                continue
            condition, first, before = node.operands
            second = _ZERO
            if condition.kind == ">=":
                first, before, second = before, first, Affine(constant=1)
            delay = self.stage.delays.get(id(before.access))
            number = first.operands[0] if first.kind == "convert" else first
            if delay is None or number.kind != "literal" or sum(map(abs, delay)) != 1:
                continue
            axis = self.stage.axes[delay.index(1)] if 1 in delay else None
            starts = axis is not None and axis.sign == 1 and axis.offset == _ZERO and axis.loop.low == _ZERO
            own, low = (one.form for one in condition.operands)
            if starts and axis is not None and low == second and own == Affine(((axis.loop.name, 1),)):
                self.defaults[id(before.access)] = number.text

    def _delayed(self, access: ElementAccess) -> None:
        delay = self.stage.delays[id(access)]
        default = self.defaults.get(id(access), zero_of(self.variables[access.array].type))
        for port in self.ports:
            if port.delay == delay and port.array == access.array and port.default == default:
                self.windows[id(access)] = (port, ())
                return
        type_ = self.variables[access.array].type
        port = LinkedPort(
            self.fresh(f"{access.array}_from"), "delay", access.array, type_, (), delay=delay, default=default
        )
        self.ports.append(port)
        self.windows[id(access)] = (port, ())

    def _alike(self, references: list[_Reference]) -> list[list[_Reference]]:
        """References in parts whose ranges can be compared at all sizes; together if possible."""
        if not self.axes:
            return [references]
        bounds = [self._bounds(*one) for one in references]
        for one in bounds[1:]:
            for (low, high), (first, last) in zip(one, bounds[0], strict=True):
                if (low - first).number is None or (high - last).number is None:
                    return [[each] for each in references]
        return [references]

    def _bounds(self, statement: Statement, access: ElementAccess) -> list[tuple[Form, Form]]:
        """By dimension: the lowest and highest element beside what the axes move."""
        found = []
        for form, dim in zip(self._forms(access), self.variables[access.array].dims, strict=True):
            if is_dynamic(form):
                found.append((_ZERO, dim - 1))
                continue
            rest = self._offset_part(form)
            lows, highs = (extreme(rest, statement.loops, greatest=end) for end in (False, True))
            found.append((lows, highs))
        return found

    def _window(self, kind: str, references: list[_Reference]) -> None:
        access = references[0][1]
        bounds = [self._bounds(*one) for one in references]
        variable = self.variables[access.array]
        mode = next((found.mode for one in references if (found := self.continued.get(id(one[1])))), None)
        lows, shape, steps = [], [], []
        for place, dim in enumerate(variable.dims):
            low = min((one[place][0] for one in bounds), key=lambda form: form.constant)
            high = max((one[place][1] for one in bounds), key=lambda form: form.constant)
            is_whole = not self.axes or (not self._moves(access, place) and low != high and mode is None)
            if is_whole:
                low, high = _ZERO, dim - 1  # a part of a dimension that all instances read: the whole is as good
            steps.append(1 if is_whole else self._step(references, place, low, high))
            lows.append(low)
            shape.append((high - low).divided(steps[-1]) + 1)
        paving = tuple(self._factors(form, self.values) for form in self._forms(access))
        kept = [place for place, extent in enumerate(shape) if extent.number != 1 or not self.axes]
        fitting = tuple(tuple(steps[place] * (place == column) for column in kept) for place in range(len(shape)))
        leaves = any(
            not self._inside(row, low, (extent - 1).scaled(step), dim)
            for row, low, extent, step, dim in zip(paving, lows, shape, steps, variable.dims, strict=True)
        )
        if variable.is_const and not any(map(any, paving)):
            self._name_table(variable, references)
            return
        name = self.before[access.array] if kind == "before" else access.array
        name = self.fresh(name) if kind == "before" or variable.is_const or name in self._named() else name
        extents = tuple(shape[one] for one in kept)
        border = (mode or f"else {zero_of(variable.type)}") if leaves else ""
        port = LinkedPort(name, kind, access.array, variable.type, extents, tuple(lows), paving, fitting, border)
        self.ports.append(port)
        for _, each in references:
            self.windows[id(each)] = (port, tuple(lows))

    def _step(self, references: Sequence[_Reference], place: int, low: Form, high: Form) -> int:
        """How far apart the elements are that a window needs of a dimension, as those of a dilated filter."""
        if (high - low).number is None:
            return 1
        step = 0
        for _, access in references:
            form = self._forms(access)[place]
            offset = form if is_dynamic(form) else self._offset_part(form) - low
            if any(not isinstance(term, str) or term in self.consts for term, _ in offset.terms):
                return 1
            step = gcd(step, offset.constant, *(factor for _, factor in offset.terms))
        return step or 1

    def _name_table(self, variable: Variable, references: list[_Reference]) -> None:
        """A const array that all instances read alike: the body names its elements."""
        rank = len(variable.dims)
        fitting = tuple(tuple(int(row == column) for column in range(rank)) for row in range(rank))
        port = LinkedPort(variable.name, "table", variable.name, variable.type, variable.dims, fitting=fitting)
        for _, each in references:
            self.windows[id(each)] = (port, tuple(_ZERO for _ in range(rank)))

    def _named(self) -> set[str]:
        return {port.name for port in self.ports}

    def _moves(self, access: ElementAccess, place: int) -> bool:
        return any(self._factors(self._forms(access)[place]))

    def _factors(self, form: Form, values: Mapping[str, Form] | None = None) -> tuple[int, ...]:
        """How far a subscript moves with each axis; one that depends on data takes the whole dimension."""
        if is_dynamic(form):
            return tuple(0 for _ in self.axes)
        form = form if values is None else renamed(form, values)
        return tuple(form.factor(name) for name in self.axes)

    def _inside(self, row: Sequence[int], low: Form, reach: Form, dim: Form) -> bool:
        """Whether a window, `reach` elements from its first to its last, surely stays in its array."""
        least, most = low, low + reach
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
            port = LinkedPort(self.indices[name], "index", name, "i32", (), (_ZERO,), (column,), ((),))
            self.ports.append(port)
        return self.indices[name]

    # What is written, and what it starts from.

    def _written(self, array: str) -> dict[int, Form]:
        """The dimensions of which an instance has several elements of an array, with how many."""
        places = self.stage.places.get(array)
        if places is None:
            return dict(enumerate(self.variables[array].dims))
        return {place: dim.extent for place, dim in enumerate(places) if dim.extent is not None}

    def _output(self, array: str, source: str = "write", name: str | None = None) -> LinkedPort:
        variable, own = self.variables[array], self._written(array)
        paving = tuple(tuple(dict(dim.strides).get(axis, 0) for axis in self.axes) for dim in self.stage.places[array])
        places = self.stage.places[array]
        fitting = tuple(tuple(places[dim].step * (dim == column) for column in own) for dim in range(len(places)))
        origin = tuple(_ZERO for _ in variable.dims)
        return LinkedPort(name or array, source, array, variable.type, tuple(own.values()), origin, paving, fitting)

    def _declare(self) -> None:
        for name in sorted(self.stage.private):
            variable = self.variables[name]
            self.lines.append(f"{name}: {variable.type}{shape_text(variable.dims)}")

    def _copy(self) -> None:
        """Begin with the old elements, where not all are written first; with zeros, where several writes fill all."""
        for array in (*self.stage.written, *sorted(self.stage.states)):
            writers = [one for one in self.stage.statements if one.target.array == array]
            is_unread = array in self.stage.unread
            if is_unread and any(map(self._covers, writers)):
                continue
            dims = list(self._written(array).values())
            names = [self.fresh(f"e{place}") for place in range(len(dims))]
            subscripts = f"[{', '.join(names)}]" if names else ""
            ranges = ", ".join(f"{name} in 0..{form_text(dim)}" for name, dim in zip(names, dims, strict=True))
            value = zero_of(self.variables[array].type)
            if array in self.known and not (is_unread and array in self.stage.filled):
                port = self._output(array, "before", self.fresh(self.before[array]))
                self.ports.append(port)
                value = f"{port.name}{subscripts}"
            self.lines.append(f"{array}{subscripts} = {value}" + (f" for {ranges}" if ranges else ""))

    def _covers(self, statement: Statement) -> bool:
        """Whether a statement writes all of its array in each instance."""
        if statement.accumulate or self._conditions(statement):
            return False
        loops = {loop.name: loop for loop in self._loops(statement)}
        for place, dim in self._written(statement.target.array).items():
            form = self._written_part(statement.target, place)
            term = form.terms[0][0] if len(form.terms) == 1 and form.terms[0][1] == 1 else None
            loop = loops.pop(term, None) if isinstance(term, str) else None
            if loop is None or (loop.low + form.constant).number != 0 or (loop.high + form.constant - dim).number != 0:
                return False
        return not loops

    # Statements.

    def _loops(self, statement: Statement) -> list[ForLoop]:
        return [loop for loop in statement.loops if loop.name not in self.axes]

    def _tree(self, statements: Sequence[Statement], depth: int) -> list[str]:
        lines: list[str] = []
        place = 0
        while place < len(statements):
            loops = self._loops(statements[place])
            if len(loops) == depth:
                lines += self._lines(statements[place], ())
                place += 1
                continue
            run = [one for one in statements[place:] if self._loops(one)[depth : depth + 1] == [loops[depth]]]
            alone = self._lines(run[0], loops[depth:]) if len(run) == 1 else []
            if len(alone) == 1:
                lines += alone
            else:
                lines += [f"loop {self._range(loops[depth], run[0])} {{", *indented(self._tree(run, depth + 1)), "}"]
            place += len(run)
        return lines

    def _range(self, loop: ForLoop, statement: Statement) -> str:
        low, high = self._box(loop, statement)
        return f"{loop.name} in {form_text(low)}..{form_text(high)}"

    def _box(self, loop: ForLoop, statement: Statement) -> tuple[Form, Form]:
        """The bounds of a loop of the body, freed of the axes."""
        around = [one for one in statement.loops if one.name in self.axes]
        return extreme(loop.low, around, greatest=False), extreme(loop.high, around, greatest=True)

    def _conditions(self, statement: Statement) -> list[ElementGuard]:
        """Conditions of a statement beyond the ranges of its loops, in terms of the indices of axes."""
        asked: list[ElementGuard] = [*statement.conditions]
        for loop in statement.loops:
            own: Form = Affine(((loop.name, 1),))
            if loop.name in self.axes:
                asked += [not_negative(own - loop.low), not_negative(loop.high - 1 - own)]
            else:
                low, high = self._box(loop, statement)
                asked += [not_negative(own - loop.low)] if low != loop.low else []
                asked += [not_negative(loop.high - 1 - own)] if high != loop.high else []
        box = [self._whole(loop, statement) for loop in statement.loops]
        return [one for one in (renamed_condition(each, self.values) for each in asked) if not is_certain(one, box)]

    def _whole(self, loop: ForLoop, statement: Statement) -> ForLoop:
        """A loop with the bounds that it has in the body; of an axis all of it."""
        axis = self.axes.get(loop.name)
        low, high = self._box(loop, statement) if axis is None else (_ZERO, axis.extent)
        return ForLoop(loop.name, low, high, loop.span)

    def _lines(self, statement: Statement, loops: Sequence[ForLoop]) -> list[str]:
        """The line of a statement, after lines that name the values that it uses twice."""
        conditions = self._conditions(statement)
        held = {name for one in conditions for form in one.forms() for name in names_of(form) if name in self.axes}
        names = {name: self._index(name) for name in sorted(held)}
        where = condition_texts(conditions, names, self.consts)
        ending = f" for {', '.join(self._range(loop, statement) for loop in loops)}" if loops else ""
        ending += f" where {' and '.join(where)}" if where else ""
        value = self._without_zeros(self._without_defaults(statement.value))
        shared = shared_parts(value, self.stage.private if where else frozenset())
        if shared and loops:
            return ["", ""]  # they need a block of their own
        lines: list[str] = []
        named: dict[int, str] = {}
        for part, is_safe in shared:
            name = self.fresh("v")
            text = self._text(part, named)
            lines += (
                [f"{name}: {part.type} = {text}"] if is_safe else [f"{name}: {part.type}", f"{name} = {text}{ending}"]
            )
            named[id(part)] = name
        sign = "+=" if statement.accumulate else "="
        text = f"{self._element(statement.target, named)} {sign} {self._text(value, named)}"
        return [*lines, text + ending]

    def formula(self, statement: Statement) -> str:
        """The values of a statement in the order of its loops, as the formula of a const array."""
        ranges = ", ".join(self._range(loop, statement) for loop in statement.loops)
        return f"[{self._text(statement.value, {})} for {ranges}]"

    def _without_defaults(self, value: COperation) -> COperation:
        """A value in which the default of a delay takes the place of a choice."""
        if not self.defaults:
            return value
        known: dict[int, COperation] = {}
        for node in value.nodes():
            operands = tuple(known[id(one)] for one in node.operands)
            sides = zip(operands[1:], node.operands[1:], strict=True) if node.kind == "choice" else ()
            before = next((one for one, side in sides if id(side.access) in self.defaults), None)
            known[id(node)] = replace(node, operands=operands) if before is None else before
        return known[id(value)]

    def _without_zeros(self, value: COperation) -> COperation:
        """A value without choices of a zero where a window beyond its array has a zero itself."""
        known: dict[int, COperation] = {}
        for node in value.nodes():
            operands = tuple(known[id(one)] for one in node.operands)
            same = all(one is other for one, other in zip(operands, node.operands, strict=True))
            plain = node if same else replace(node, operands=operands)
            known[id(node)] = self._padded(plain) or plain
        return known[id(value)]

    def _padded(self, node: COperation) -> COperation | None:
        """The element that a choice reads, if its window gives the zero that is chosen elsewhere."""
        guard = affine_condition(node.operands[0]) if node.kind == "choice" else None
        if guard is None:
            return None
        _, first, second = node.operands
        return self._read_for(first, second, guard) or self._read_for(second, first, guard.negated())

    def _read_for(self, read: COperation, zero: COperation, guard: ElementGuard) -> COperation | None:
        """A read that is done where a condition holds, if its window gives the `zero` that is taken elsewhere."""
        element, number = (one.operands[0] if one.kind == "convert" else one for one in (read, zero))
        access = element.access
        found = self.windows.get(id(access))
        if access is None or found is None or number.kind != "literal" or number.text not in _ZEROS:
            return None
        ends_in_zero = found[0].border == f"else {zero_of(found[0].type)}"
        dims = self.variables[access.array].dims
        return read if ends_in_zero and leaves_where_not(guard, self._forms(access), dims) else None

    def _element(self, access: ElementAccess, named: Mapping[int, str]) -> str:
        """An element that the body has, or of a port."""
        found = self.windows.get(id(access))
        if found is None:
            forms = [self._written_part(access, place) for place in self._written(access.array)]
            return access.array + self._subscripts(forms, named)
        port, lows = found
        if not lows:
            return port.name
        kept: list[Form] = []
        for form, low, row in zip(self._forms(access), lows, port.fitting, strict=True):
            if any(row):
                own = renamed(form, self.values) if is_dynamic(form) else self._offset_part(form) - low
                kept.append(own.divided(max(row)))
        return port.name + self._subscripts(kept, named)

    def _written_part(self, access: ElementAccess, place: int) -> Form:
        """The subscript in what an instance has of a dimension."""
        places, form = self.stage.places.get(access.array), access.subscripts[place]
        if places is None or not places[place].strides:
            return form
        return self._offset_part(form).divided(places[place].step)

    def _subscripts(self, forms: Sequence[Form], named: Mapping[int, str]) -> str:
        return f"[{', '.join(form_text(form, self._term_in(named)) for form in forms)}]" if forms else ""

    def _term_in(self, named: Mapping[int, str]) -> Callable[[Term], str]:
        def text(term: Term) -> str:
            if isinstance(term, Dynamic):
                return self._text(term.value, named)
            if isinstance(term, str) and term in self.axes:
                return self._index(term)
            return term_text(term)

        return text

    def _offset_part(self, form: Form) -> Form:
        """A subscript without what the axes move; what depends on data keeps them."""
        rest = renamed(form, self.values)
        for name in self.axes:
            rest = rest.without(name)
        return rest

    def _text(self, value: COperation, named: Mapping[int, str]) -> str:
        """A value as an expression; `named` are locals that hold parts of it."""
        texts: dict[int, str] = {}
        for node in value.nodes():
            if id(node) in self.replaced:
                continue
            known = named.get(id(node)) if node is not value else None
            texts[id(node)] = known or self._node(node, texts, named)
        return texts[id(value)]

    def _node(self, value: COperation, texts: Mapping[int, str], named: Mapping[int, str]) -> str:
        if value.access is not None:
            return self._element(value.access, named)
        if value.kind == "form":
            assert value.form is not None
            return self._form(value.form)
        if value.kind in {"literal", "const"}:
            return f"({value.text})" if value.text.startswith("-") else value.text
        if value.kind == "convert" and value.operands[0].kind == "form":
            form = value.operands[0].form
            assert form is not None
            is_sum = all(isinstance(term, str) for term, _ in form.terms)  # what is rounded may not fit before
            return f"{value.type}{self._form(form, value.type if is_sum else 'i32')}"
        operands = [texts[id(one)] for one in value.operands]
        if value.kind in _WRITTEN:
            return _WRITTEN[value.kind].format(*operands, type=value.type, text=value.text)
        return f"({operands[0]} {value.kind} {operands[1]})"

    def _form(self, form: Form, kind: str = "i32") -> str:
        """An integer of loops as a value of a type; the index of an axis is a port, which is i32."""
        own = renamed(form, self.values)
        indices = {name: self._index(name) for name in sorted(names_of(own)) if name in self.axes}
        names: dict[str, Form] = {
            name: Affine(((index if kind == "i32" else f"{kind}({index})", 1),)) for name, index in indices.items()
        }
        return f"({form_text(renamed(own, names))})"


def zero_of(kind: str) -> str:
    """The value that nobody uses, in a type."""
    return "false" if kind == BOOL else "0"


def shape_text(dims: Sequence[Form]) -> str:
    """The shape of a port: `[N, 3]`, nothing for a single value."""
    return f"[{', '.join(map(form_text, dims))}]" if dims else ""


def axes_text(axes: Iterable[RepetitionAxis]) -> str:
    """The repetition space."""
    return shape_text([axis.extent for axis in axes])


def indented(lines: Iterable[str]) -> Iterator[str]:
    """The lines inside braces."""
    return (f"  {line}" for line in lines)
