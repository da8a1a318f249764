"""`for` loops: their iterators as affine forms, and what scalars become that a loop changes.

A loop is run twice. The first run is a trial, with a symbol for each scalar that it may change. It shows which ones
move by a constant in each iteration (they become affine), which get a new value in each before it is used (they stay
values), and which hand a value on (they become memory).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError, affine_condition, truth_of
from arrayol.c_import.constants import limits
from arrayol.c_import.forms import names_of, rounded
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.statements import assigned_names, cells_of
from arrayol.c_import.lowering.symbols import (
    Address,
    Array,
    Cell,
    CellAddress,
    Content,
    Deferred,
    Pending,
    PointerCell,
    Poison,
    PoisonedError,
    RestartError,
    Undefined,
    Unusable,
)
from arrayol.c_import.lowering.unrolling import MOST_ITERATIONS
from arrayol.c_import.model import Condition, Form, Loop, Statement, Value, not_negative
from arrayol.c_import.reading.jumps import RunsOnce, stepped_name
from arrayol.ir.affine import Affine

_UNCOUNTED = (
    "how often this loop runs depends on data",
    "write a for loop over the most iterations, with 'if (!(condition)) break;' as its first statement",
)
# A step, or `own` (a new value in each iteration), `carried`, or `switched` (a pointer that goes to another array).
Changes = dict[tuple[int, ...], "Form | str"]
_UNKNOWN = "?"


@dataclass(frozen=True)
class Header:
    """A loop's iterator, where it starts, its step, and the other things that happen after each iteration."""

    cell: Cell | PointerCell
    start: Form  # of a pointer, its last subscript
    step: int
    others: tuple[Any, ...]
    base: Address | None = None  # where a pointer starts


class Loops:
    """Runs loops."""

    def __init__(self, run: Context) -> None:
        self.run = run
        self.open: dict[str, tuple[Any, int | None]] = {}  # by the name of the counter: the loop, and how often it runs
        self.known: dict[tuple[int, ...], tuple[Changes, set[Any]]] = {}

    def loop(self, node: Any) -> None:
        """Run a `for`."""
        run = self.run
        with run.statements.scope():
            try:
                header, loop, value, conditions = self._head(node)
            except RefusalError as refusal:
                self._stepwise(node, refusal)
                return
            if run.unrolling.is_unrolled(node):
                self._unroll(node, header, loop, conditions)
            else:
                self.open[loop.name] = node, (loop.high - loop.low).number
                self._run(node, header, loop, value, conditions)
                del self.open[loop.name]

    def _head(self, node: Any) -> tuple[Header, Loop, Value | Address, list[Condition]]:
        header = self._header(node)
        loop, value, conditions = self._bounds(node, header)
        self._check_type(header, value, loop, node)
        if isinstance(node, RunsOnce):
            self._check_first(header, loop, node)
        return header, loop, value, conditions

    def _stepwise(self, node: Any, refusal: RefusalError) -> None:
        """Run a loop iteration by iteration, as long as its condition is known. Raises the refusal where it is not."""
        run = self.run
        refused = list(run.recorder.refusals)
        if node.init is not None:
            run.statements.run_one(node.init)
        count, holds = 0, isinstance(node, RunsOnce) or self._holds(node.cond)
        while holds and count < MOST_ITERATIONS:
            run.statements.statement(node.stmt)
            if node.next is not None:
                run.statements.statement(node.next)
            count, holds = count + 1, self._holds(node.cond)
        if holds is not False:
            run.recorder.refusals = refused
            raise refusal

    def _holds(self, cond: Any) -> bool | None:
        """What a condition says; a const that it depends on is a number from now on."""
        condition = self.run.expressions.condition(cond)
        known = affine_condition(condition)
        for form in known.forms() if known is not None else ():
            self.run.number_of(form)
        return truth_of(condition)

    # The head.

    def _header(self, node: Any) -> Header:
        run = self.run
        cond, after = node.cond, node.next
        if cond is None:
            raise RefusalError("this loop has no end", "write it as for (i = 0; i < N; i++)", node)
        if after is None:
            raise RefusalError(*_UNCOUNTED, node)
        steps = list(after.exprs) if isinstance(after, c_ast.ExprList) else [after]
        used = {one.name for one in _identifiers(cond)}
        chosen = next((one for one in steps if stepped_name(one) in used), None)
        if chosen is None:
            raise RefusalError(
                "no step of this loop moves what its condition asks", "step the iterator by a constant", node
            )
        if node.init is not None:
            inits = node.init.decls if isinstance(node.init, c_ast.DeclList) else [node.init]
            for one in inits:
                run.statements.run_one(one)
        name = stepped_name(chosen)
        symbol = run.scopes.find(str(name), node)
        content = run.recorder.content(symbol) if isinstance(symbol, PointerCell) else None
        if not isinstance(symbol, Cell) and not isinstance(content, Address):
            raise RefusalError(f"'{name}' is no integer", "count with an int", node)
        if isinstance(symbol, Cell) and symbol.type[0] == "f":
            raise RefusalError(f"'{name}' counts in {symbol.type}", "count with an int", node)
        changed = assigned_names(node.stmt)
        if name in changed:
            raise RefusalError(f"the loop changes its iterator '{name}'", "use another variable", node)
        changed.add(str(name))
        fixed = {one.name for part in (cond, _step_node(chosen)) for one in _identifiers(part)} - {name}
        fixed |= {one.name for one in _identifiers(_step_node(chosen))}
        if fixed & changed:
            message = f"the loop changes '{min(fixed & changed)}', which says how often it runs"
            raise RefusalError(message, "use another variable", node)
        start = content.subscripts[-1] if content else run.expressions.load(symbol, node.init or node).form
        if start is None:
            hint = f"count all that it can be, and put 'if ({name} < start) continue;' first in the loop"
            raise RefusalError(f"the start of '{name}' depends on data", hint, node)
        step = run.number_of(run.expressions.form(_step_node(chosen), "the step of a loop"))
        if not step:
            raise RefusalError("the step of this loop is no constant", "step by a number", node)
        others = tuple(one for one in steps if one is not chosen)
        return Header(symbol, start, step * _step_sign(chosen), others, content)

    def _at(self, header: Header, form: Form) -> Value | Address:
        """The iterator where its number or last subscript is a form."""
        if header.base is not None:
            return Address(header.base.array, (*header.base.subscripts[:-1], form))
        assert isinstance(header.cell, Cell)
        kind = header.cell.type
        if form.number is None and kind not in {"i32", "i64", "u32", "u64"}:
            return Value("convert", kind, (Value("form", "i32", form=form),), form=form)
        return self.run.arithmetic.of_form(form, kind)

    def _bounds(self, node: Any, header: Header) -> tuple[Loop, Value | Address, list[Condition]]:
        """The loop, its iterator's value, and conditions beside its bounds."""
        run, recorder = self.run, self.run.recorder
        name = run.loop_name(header.cell.name)
        counts = header.step != 1 or any(not isinstance(term, str) for term, _ in header.start.terms)
        own: Form = Affine(((name, 1),))
        form = header.start + own.scaled(header.step) if counts else own
        low: Form = Affine() if counts else header.start
        widest = Loop(name, low, Affine(constant=1 << 62), run.span(node))
        value = self._at(header, form)
        recorder.contents[header.cell] = value
        run.arithmetic.ranges.loops[name] = widest
        try:
            condition = affine_condition(run.expressions.condition(node.cond))
        finally:
            del run.arithmetic.ranges.loops[name]
        if condition is None:
            run.expressions.form(_bound_side(node.cond, header.cell.name), "the bound of a loop")
            raise RefusalError(
                "the condition of this loop is not affine in the iterators",
                "compare the iterator with a sum of iterators and consts",
                node.cond,
            )
        highs, others = self._highs(condition, name, low, node)
        if not highs:
            raise RefusalError("this loop has no end", "bound its iterator from the side it moves to", node.cond)
        high = next((one for one in highs if all(isinstance(term, str) for term, _ in one.terms)), None)
        conditions = others + [not_negative(one - own - 1) for one in highs if one is not high]
        if high is None:
            end = run.arithmetic.ranges.greatest(highs[0])
            if end is None:
                raise RefusalError("the end of this loop is not known", "bound it by numbers", node.cond)
            high = Affine(constant=end)
        return Loop(name, low, high, run.span(node)), value, conditions

    def _highs(self, condition: Condition, name: str, low: Form, node: Any) -> tuple[list[Form], list[Condition]]:
        """Ends of the counter, and what must hold from the start."""
        highs: list[Form] = []
        others: list[Condition] = []
        for part in _parts(condition):
            if part.form is None or part.kind == "==":
                raise RefusalError("the condition of this loop is no single bound", "write i < N", node.cond)
            factor, rest = part.form.factor(name), part.form.without(name)
            if part.kind == "!=":
                highs.append(self._unequal(factor, rest, low, node))
            elif factor < 0:
                highs.append((rest if factor == -1 else rounded("//", rest, -factor)) + 1)
            else:
                others.append(not_negative(low.scaled(factor) + rest))
        return highs, others

    def _unequal(self, factor: int, rest: Form, low: Form, node: Any) -> Form:
        """The end of `i != N`, where the iterator surely reaches it."""
        if abs(factor) == 1:
            end = rest.scaled(-factor)
            least = self.run.arithmetic.ranges.least(end - low)
            if least is not None and least >= 0:
                return end
        elif (
            factor
            and rest.number is not None
            and low.number == 0
            and rest.number % factor == 0
            and -rest.number // factor >= 0
        ):
            return Affine(constant=-rest.number // factor)
        raise RefusalError("whether '!=' ends this loop is not known", "write i < N", node.cond)

    def _check_type(self, header: Header, value: Value | Address, loop: Loop, node: Any) -> None:
        """Refuse an iterator that its type would wrap."""
        kind = header.cell.type if isinstance(header.cell, Cell) else "i64"
        if kind in {"i32", "i64"} or isinstance(value, Address) or value.form is None:
            return
        ranges = self.run.arithmetic.ranges
        low, high = limits(kind)
        ends = [value.form, value.form + header.step]
        ranges.loops[loop.name] = loop
        try:
            leasts, greatests = [ranges.least(one) for one in ends], [ranges.greatest(one) for one in ends]
        finally:
            del ranges.loops[loop.name]
        if any(one is None or one < low for one in leasts) or any(one is None or one > high for one in greatests):
            message = f"'{header.cell.name}' leaves its type before the loop ends, or that is not known"
            raise RefusalError(message, "count with an int", node)

    def _check_first(self, header: Header, loop: Loop, node: Any) -> None:
        """Refuse a `do` whose condition may not hold at its first iteration, which does not ask it."""
        least = self.run.arithmetic.ranges.least(loop.high - loop.low)
        if least is None or least < 1:
            message = f"whether '{header.cell.name}' keeps to its bound in the first iteration is not known"
            raise RefusalError(message, "write a for loop", node)

    # The body.

    def _run(self, node: Any, header: Header, loop: Loop, value: Value | Address, conditions: list[Condition]) -> None:
        run, recorder = self.run, self.run.recorder
        key = run.key(node)
        cells = self._changing(node, header)
        if key not in self.known and (cells or recorder.has_reads()):
            self.known[key] = self._trial(node, header, loop, value, conditions, cells)
        changes, written = self.known.get(key, ({}, set()))
        recorder.keep_before(run.names_of_memory(written))
        carried, moved, own = self._sorted(cells, changes, node, loop)
        counter: Form = Affine(((loop.name, 1),))
        for cell, content, step in moved:
            recorder.contents[cell] = self._advanced(cell, content, step, counter - loop.low)
        for cell in own:
            recorder.contents[cell] = Undefined()
        with recorder.inside(loop), recorder.where(*conditions):
            recorder.contents[header.cell] = value
            self._iteration(node, header)
            for one in self._in_order(carried):
                self._update_memory(one, carried[one], node)
        for one, memory in carried.items():
            recorder.memories[one.key] = memory
            recorder.contents[one] = run.read_of(memory, node)
        for cell, content, step in moved:
            recorder.contents[cell] = Pending(partial(self._after, cell, content, step, loop))
        for cell in own:
            recorder.contents[cell] = (
                Deferred((key, cell.key))
                if isinstance(cell, Cell)
                else Unusable(f"where '{cell.name}' points after the loop is not known", "set it again")
            )
        recorder.contents[header.cell] = Pending(partial(self._last, header, loop))

    def _sorted(
        self, cells: list[Cell | PointerCell], changes: Changes, node: Any, loop: Loop
    ) -> tuple[dict[Cell, Array], list[tuple[Cell | PointerCell, Content, Form]], list[Cell | PointerCell]]:
        """Scalars that become memory, those that move by a step, and those with values of their own."""
        run, key = self.run, self.run.key(node)
        carried: dict[Cell, Array] = {}
        moved: list[tuple[Cell | PointerCell, Content, Form]] = []
        own: list[Cell | PointerCell] = []
        for cell in cells:
            change = changes.get(cell.key, "own")
            if isinstance(cell, Cell) and (change == "carried" or (key, cell.key) in run.carried):
                carried[cell] = self._enter_memory(cell, node)
            elif change == "switched" and run.unrolling.unroll(node, loop):
                raise RestartError
            elif isinstance(change, Affine):
                moved.append((cell, run.recorder.content(cell), change))
            else:
                own.append(cell)
        return carried, moved, own

    def _unroll(self, node: Any, header: Header, loop: Loop, conditions: list[Condition]) -> None:
        """Run the iterations one by one, with numbers for the iterator."""
        run, recorder = self.run, self.run.recorder
        count = (loop.high - loop.low).number
        if count is None or conditions:
            run.unrolling.give_up(node)
        for place in range(max(count or 0, 0)):
            recorder.contents[header.cell] = self._at(header, header.start + place * header.step)
            self._iteration(node, header)
        recorder.contents[header.cell] = Pending(partial(self._last, header, loop))

    def _iteration(self, node: Any, header: Header) -> None:
        statements = self.run.statements
        statements.statement(node.stmt)
        for other in header.others:
            statements.statement(other)

    def _changing(self, node: Any, header: Header) -> list[Cell | PointerCell]:
        """Scalars and pointers of outer blocks that the body may change."""
        run = self.run
        names = (
            assigned_names(node.stmt).union(*map(assigned_names, header.others))
            if header.others
            else assigned_names(node.stmt)
        )
        found: dict[Cell | PointerCell, None] = {}
        for name in sorted(names):
            try:
                symbol = run.scopes.find(name, node)
            except (RefusalError, PoisonedError):
                continue
            found |= dict.fromkeys(cells_of(symbol))
        found |= dict.fromkeys(self._pointed(node))
        if run.calls_of(node):
            found |= dict.fromkeys([*run.states.cells, *run.unrolling.cells])
        found.pop(header.cell, None)
        return [cell for cell in found if cell in run.recorder.contents]

    def _pointed(self, node: Any) -> Iterator[Cell | PointerCell]:
        """Scalars that pointers of outer blocks point to, which the body names."""
        for name in sorted({one.name for one in _identifiers(node.stmt)}):
            try:
                symbol = self.run.scopes.find(name, node)
            except (RefusalError, PoisonedError):
                continue
            content = self.run.recorder.contents.get(symbol) if isinstance(symbol, PointerCell) else None
            if isinstance(content, CellAddress):
                yield from cells_of(content.cell)

    def _enter_memory(self, cell: Cell, node: Any) -> Array:
        """Make memory hold what a scalar is before a loop that hands it on: where it is already, or in a new local."""
        run = self.run
        content = self._tracked(cell)
        known = run.recorder.memories.get(cell.key)
        if known is None or not _is_read_of(content, known):
            known = run.new_memory(cell)
            if isinstance(content, Value):
                predicates, run.recorder.predicates = run.recorder.predicates, []
                self._store(cell, known, content, node)
                run.recorder.predicates = predicates
        if not isinstance(content, Poison):
            run.recorder.contents[cell] = run.read_of(known, node)
        return known

    def _update_memory(self, cell: Cell, memory: Array, node: Any) -> None:
        """Hand a scalar on to the next iteration."""
        content = self._tracked(cell)
        if isinstance(content, Value) and not _is_read_of(content, memory):
            self._store(cell, memory, content, node)
        self.run.recorder.memories[cell.key] = memory
        if not isinstance(content, Poison):
            self.run.recorder.contents[cell] = self.run.read_of(memory, node)

    def _tracked(self, cell: Cell) -> Content:
        """What a scalar is. Raises RestartError where a loop before must hand it on for that."""
        content = self.run.recorder.content(cell)
        if isinstance(content, Deferred):
            self.run.carried.add(content.key)
            raise RestartError
        return content

    def _store(self, cell: Cell, memory: Array, content: Value, node: Any) -> None:
        self.run.recorder.contents[cell] = Undefined()  # what it was is of no use any more
        self.run.recorder.store(memory, (), content, self.run.span(node))

    def _in_order(self, memories: dict[Cell, Array]) -> Iterator[Cell]:
        """Scalars in an order in which few must be kept: first those that no other one's new value is made of."""
        left = list(memories)
        while left:
            read = {cell: self._read_by(cell) for cell in left}
            chosen = min(
                left, key=lambda cell: sum(memories[cell].name in read[other] for other in left if other is not cell)
            )
            left.remove(chosen)
            yield chosen

    def _read_by(self, cell: Cell) -> set[str]:
        content = self.run.recorder.contents.get(cell)
        return {access.array for access in content.reads()} if isinstance(content, Value) else set()

    def _advanced(self, cell: Cell | PointerCell, content: Content, step: Form, count: Form) -> Content:
        """What an induction variable is after `count` iterations."""
        distance = self.run.product(step, count)
        if isinstance(content, Address):
            return self.run.recorder.address_plus(content, distance)
        if isinstance(cell, Cell) and isinstance(content, Value) and step.number != 0:
            moved = self.run.arithmetic.binary("+", content, self.run.arithmetic.of_form(distance, "i32"))
            return self.run.arithmetic.converted(moved, cell.type)
        return content if step.number == 0 else Undefined()

    def _after(self, cell: Cell | PointerCell, content: Content, step: Form, loop: Loop) -> Content:
        """What an induction variable is after the loop."""
        least = self.run.arithmetic.ranges.least(loop.high - loop.low)
        if step.number != 0 and (least is None or least < 0):
            return Unusable(f"how far '{cell.name}' has moved after the loop is not known", "set it again")
        return self._advanced(cell, content, step, loop.high - loop.low)

    def _last(self, header: Header, loop: Loop) -> Content:
        """What the iterator is after the loop."""
        least = self.run.arithmetic.ranges.least(loop.high - loop.low)
        if least is None or least < 0:
            return Unusable(f"what '{header.cell.name}' is after the loop is not known", "use another variable")
        form = header.start + (loop.high - loop.low).scaled(header.step)
        return self._at(header, form)

    # The trial.

    def _trial(
        self,
        node: Any,
        header: Header,
        loop: Loop,
        value: Value | Address,
        conditions: list[Condition],
        cells: list[Cell | PointerCell],
    ) -> tuple[Changes, set[Any]]:
        """How each scalar changes in an iteration, and what is written: names of arrays, keys of scalars in memory."""
        recorder = self.run.recorder
        with self.run.on_trial():
            symbols: dict[Cell | PointerCell, Content] = {}
            for place, cell in enumerate(cells):
                name = f"{_UNKNOWN}{len(recorder.loops)}_{place}"
                symbols[cell] = recorder.contents[cell] = self._symbol(cell, recorder.content(cell), name)
            first = len(recorder.statements)
            with recorder.inside(loop), recorder.where(*conditions):
                recorder.contents[header.cell] = value
                self._iteration(node, header)
            after = {cell: recorder.content(cell) for cell in cells if cell in recorder.contents}
            statements = recorder.statements[first:]
            written = {self.run.key_of_memory(one.target.array) for one in statements}
        used = set[str]().union(*map(_unknown_of_statement, statements)) if statements else set()
        used = used.union(*(unknown_of(one) for one in after.values() if isinstance(one, Value)))
        changes = {cell.key: self._change(symbols[cell], after.get(cell, Undefined()), used) for cell in cells}
        return changes, written | {cell.key for cell in cells if changes[cell.key] == "carried"}

    def _symbol(self, cell: Cell | PointerCell, content: Content, name: str) -> Content:
        form: Form = Affine(((name, 1),))
        if isinstance(cell, PointerCell):
            return Address(content.array, (*content.subscripts[:-1], form)) if isinstance(content, Address) else content
        return Value("unknown", cell.type, text=name, form=None if cell.type[0] == "f" or cell.type == "bool" else form)

    def _change(self, before: Content, after: Content, used: set[str]) -> Form | str:
        """How a scalar changes from the symbol that it was before an iteration."""
        if after is before:
            return Affine()
        if isinstance(before, Address) and isinstance(after, Address) and after.array is before.array:
            step = after.subscripts[-1] - before.subscripts[-1]
            is_step = len(after.subscripts) == len(before.subscripts)
            return step if is_step and not any(name.startswith(_UNKNOWN) for name in names_of(step)) else "own"
        if isinstance(before, Address) and isinstance(after, Address):
            return "switched"
        if not isinstance(before, Value):
            return "own"
        if isinstance(after, Value) and before.form is not None and after.form is not None:
            step = after.form - before.form
            if not _depends(step, self.run.recorder.arithmetic.ranges.consts):
                return step
        return "carried" if isinstance(after, Poison) or before.text in used else "own"


def _is_read_of(content: Content, memory: Array) -> bool:
    """Whether a scalar is what a local holds."""
    return isinstance(content, Value) and content.access is not None and content.access.array == memory.name


def _depends(form: Form, consts: Any) -> bool:
    """Whether a form is more than a sum of consts and numbers."""
    return any(not isinstance(term, str) or term not in consts for term, _ in form.terms)


def unknown_of(value: Value) -> set[str]:
    """The symbols of a trial that a value depends on."""
    found: set[str] = set()
    for node in value.nodes():
        if node.kind == "unknown":
            found.add(node.text)
        forms = [node.form] if node.form is not None else []
        if node.access is not None:
            forms += node.access.subscripts
        for form in forms:
            found |= {name for name in names_of(form) if name.startswith(_UNKNOWN)}
    return found


def _unknown_of_statement(statement: Statement) -> set[str]:
    found = unknown_of(statement.value)
    forms: list[Form] = [*statement.target.subscripts]
    forms += [form for condition in statement.conditions for form in condition.forms()]
    forms += [form for loop in statement.loops for form in (loop.low, loop.high)]
    for access in statement.reads:
        forms += [form for condition in access.guards for form in condition.forms()]
    return found.union(*({name for name in names_of(form) if name.startswith(_UNKNOWN)} for form in forms))


def _parts(condition: Condition) -> Iterator[Condition]:
    if condition.kind == "and":
        for part in condition.parts:
            yield from _parts(part)
    else:
        yield condition


def _identifiers(node: Any) -> Iterator[Any]:
    if isinstance(node, c_ast.ID):
        yield node
    for _, child in node.children():
        yield from _identifiers(child)


def _step_node(node: Any) -> Any:
    """The expression of a step's distance."""
    if isinstance(node, c_ast.UnaryOp):
        return c_ast.Constant("int", "1", node.coord)
    if node.op != "=":
        return node.rvalue
    sides = node.rvalue
    return sides.right if getattr(sides.left, "name", None) == node.lvalue.name else sides.left


def _step_sign(node: Any) -> int:
    if isinstance(node, c_ast.UnaryOp):
        return 1 if "+" in node.op else -1
    return -1 if node.op == "-=" or (node.op == "=" and node.rvalue.op == "-") else 1


def _bound_side(node: Any, name: str) -> Any:
    """The side of a comparison that does not name the iterator."""
    if isinstance(node, c_ast.BinaryOp) and node.op not in {"&&", "||"}:
        for side in (node.right, node.left):
            if name not in {one.name for one in _identifiers(side)}:
                return side
    return node
