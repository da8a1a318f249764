"""`for` loops: their iterators as affine forms, and what scalars become that a loop changes.

A loop is run twice. The first run is a trial, with a symbol for each scalar that it may change. It shows which ones
move by a constant in each iteration (they become affine), which get a new value in each before it is used (they stay
values), and which hand a value on (they become memory).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError, affine_condition, integer, truth_of
from arrayol.c_import.constants import limits
from arrayol.c_import.forms import names_of
from arrayol.c_import.lowering.changes import (
    Changes,
    Exchange,
    Move,
    assigned_names,
    cells_of,
    change_of,
    changes_of_pointers,
    symbol_of,
    takes_more,
    unknown_of,
    unknown_of_statement,
)
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.heads import Header, identifiers
from arrayol.c_import.lowering.symbols import (
    Address,
    CArray,
    Cell,
    CellAddress,
    Content,
    Deferred,
    OpenLoop,
    Pending,
    PointerCell,
    Poison,
    PoisonedError,
    RestartError,
    Undefined,
    Unusable,
)
from arrayol.c_import.lowering.turns import PeriodicStep, Rotation, Turn, counter_of, rotation_of
from arrayol.c_import.lowering.unrolling import MOST_ITERATIONS
from arrayol.c_import.model import UNKNOWN, COperation, Dynamic, ElementGuard, ForLoop, Form
from arrayol.c_import.reading.syntax import has_steps, nodes_of
from arrayol.c_import.reading.trees import RunsOnce
from arrayol.ir.affine import Affine


class Loops:
    """Runs loops."""

    def __init__(self, run: Context) -> None:
        self.run = run
        self.open: dict[str, OpenLoop] = {}  # by the names of their counters
        self.rounds: list[int] = []  # of the loops around that are run iteration by iteration
        self.known: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[Changes, set[Any]]] = {}

    def loop(self, node: Any) -> None:
        """Run a `for`."""
        run = self.run
        with run.statements.scope():
            try:
                header, loop, value, conditions = self.run.heads.head(node)
            except RefusalError as refusal:
                if self._unroll_around(node):
                    raise RestartError from None
                self._stepwise(node, refusal)
                return
            runs_once = (loop.high - loop.low).number == 1 and not conditions
            if runs_once or run.unrolling.is_unrolled(node):
                self._unroll(node, header, loop, conditions)
            else:
                self.open[loop.name] = self._opened(node, loop)
                self._run(node, header, loop, value, conditions)
                del self.open[loop.name]

    def _opened(self, node: Any, loop: ForLoop) -> OpenLoop:
        return OpenLoop(node, self.run.key(node), (loop.high - loop.low).number)

    def _unroll_around(self, node: Any) -> bool:
        """Unroll the loops whose iterators decide how a loop runs, but by no affine form, as `h = 1 << stage` does."""
        run = self.run
        parts = [part for part in (node.init, node.cond, node.next) if part]
        names = self._choosing_bounds(parts)
        for name in {one.name for part in parts for one in identifiers(part)}:
            try:
                symbol = run.scopes.find(name, node)
            except (RefusalError, PoisonedError):
                continue
            content = run.recorder.contents.get(symbol) if isinstance(symbol, Cell) else None
            if not isinstance(content, COperation) or content.form is not None or any(True for _ in content.reads()):
                continue
            names |= {name for one in content.nodes() if one.form is not None for name in names_of(one.form)}
        around = [self.open[name] for name in names if name in self.open]
        return bool(around) and all(map(run.unrolling.unroll, around))

    def _choosing_bounds(self, parts: Sequence[Any]) -> set[str]:
        """The counters of loops around that choose the bounds of a loop from const tables."""
        names: set[str] = set()
        kinds = (c_ast.ArrayRef, c_ast.StructRef)
        for one in (one for part in parts for kind in kinds for one in nodes_of(part, kind) if not has_steps(one)):
            try:
                place = self.run.expressions.place(one)
            except (RefusalError, PoisonedError):
                continue
            if isinstance(place, Address) and place.array.table is not None:
                names = names.union(*map(names_of, place.subscripts))
        return names

    def _stepwise(self, node: Any, refusal: RefusalError) -> None:
        """Run a loop iteration by iteration, as long as its condition is known. Raises the refusal where it is not."""
        run = self.run
        refused = list(run.recorder.refusals)
        if node.init is not None:
            run.statements.run_one(node.init)
        count, holds = 0, isinstance(node, RunsOnce) or self._holds(node.cond)
        while holds and count < MOST_ITERATIONS:
            with self._round(count):
                run.statements.statement(node.stmt)
                if node.next is not None:
                    run.statements.statement(node.next)
            count, holds = count + 1, self._holds(node.cond)
        if holds is not False:
            run.recorder.refusals = refused
            raise refusal

    def _holds(self, cond: Any) -> bool | None:
        """Whether a condition holds, None if that is not known; a const that it depends on is a number from now on."""
        condition = self.run.expressions.condition(cond)
        known = affine_condition(condition)
        for form in known.forms() if known is not None else ():
            self.run.number_of(form)
        return truth_of(condition)

    # The body.

    def _run(
        self, node: Any, header: Header, loop: ForLoop, value: COperation | Address, conditions: list[ElementGuard]
    ) -> None:
        run, recorder = self.run, self.run.recorder
        key, known = run.key(node), (run.key(node), tuple(self.rounds))
        cells = self._changing(node, header)
        if known not in self.known and (cells or recorder.has_reads()):
            self.known[known] = self._trial(node, header, loop, value, conditions, cells)
        changes, written = self.known.get(known, ({}, set()))
        changes = {cell.key: self._settled(cell, changes.get(cell.key, "own"), node, loop) for cell in cells}
        written = written | {key for key, change in changes.items() if change == "carried"}
        recorder.keep_before(run.names_of_memory(written))
        carried, moved, own = self._sorted(cells, changes, node, loop)
        counter: Form = Affine(((loop.name, 1),))
        for cell, content, step in moved:
            recorder.contents[cell] = self._advanced(cell, content, step, counter - loop.low)
        for cell in own:  # what is read of it before it is set is lost again: any value will do
            if isinstance(cell, PointerCell):
                message = f"where '{cell.name}' points differs from iteration to iteration"
                hint = "subscript its array by a number: y[n++] for elements, rows[y % 2] for rows"
                recorder.contents[cell] = Unusable(message, hint)
            elif not isinstance(recorder.contents[cell], COperation):
                recorder.contents[cell] = Undefined()
        with recorder.inside(loop):
            recorder.contents[header.cell] = value
            self._iteration_where(conditions, node, header)
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
        is_known = not conditions
        recorder.contents[header.cell] = Pending(partial(self._last, header, loop, is_known=is_known))

    def _settled(self, cell: Cell | PointerCell, change: Move | Exchange | str, node: Any, loop: ForLoop) -> Any:
        """How a scalar changes here: one that may leave its ring, or its unsigned type, hands its values on."""
        if not isinstance(cell, Cell):
            return change
        content = self.run.recorder.content(cell)
        if (self.run.key(node), cell.key) in self.run.carried:
            return "carried"
        if isinstance(change, Turn | PeriodicStep) and not self._is_known(cell, change):
            return "carried"
        if isinstance(change, Affine) and change.number != 0 and cell.type in {"u32", "u64"}:
            return change if self._stays(content, change, loop) else "carried"
        return change

    def _stays(self, content: Content, step: Form, loop: ForLoop) -> bool:
        """Whether an unsigned scalar that moves by a step does not wrap, nor leave the int that a form is."""
        if not isinstance(content, COperation) or content.form is None:
            return False
        ends = [content.form, content.form + self.run.product(step, loop.high - loop.low - 1)]
        if any(name.startswith(UNKNOWN) for end in ends for name in names_of(end)):
            return True  # it is a trial
        if step.number is not None and step.number < 0:
            ends.reverse()
        least, greatest = self.run.arithmetic.ranges.least(ends[0]), self.run.arithmetic.ranges.greatest(ends[1])
        return least is not None and least >= 0 and greatest is not None and greatest < 1 << 31

    def _sorted(
        self, cells: list[Cell | PointerCell], changes: Changes, node: Any, loop: ForLoop
    ) -> tuple[dict[Cell, CArray], list[tuple[Cell | PointerCell, Content, Move]], list[Cell | PointerCell]]:
        """Scalars that become memory, those that move by a step, and those with values of their own."""
        run = self.run
        carried: dict[Cell, CArray] = {}
        moved: list[tuple[Cell | PointerCell, Content, Move]] = []
        own: list[Cell | PointerCell] = []
        for cell in cells:
            change = changes.get(cell.key, "own")
            if isinstance(cell, Cell) and change == "carried":
                carried[cell] = self._enter_memory(cell, node)
            elif change == "switched" or isinstance(change, Exchange):
                if run.unrolling.unroll(self._opened(node, loop)):
                    raise RestartError
                rotation = self._rotation(cell, cells, changes)
                if rotation is None:
                    own.append(cell)
                else:
                    moved.append((cell, run.recorder.content(cell), rotation))
            elif isinstance(change, Affine | Turn | PeriodicStep):
                moved.append((cell, run.recorder.content(cell), change))
            else:
                own.append(cell)
        return carried, moved, own

    def _is_known(self, cell: Cell | PointerCell, change: Turn | PeriodicStep) -> bool:
        """Whether a turn starts inside of its ring, and a counter as a form."""
        content = self.run.recorder.content(cell)
        if isinstance(change, Turn):
            return change.holds(content, self.run.arithmetic.ranges)
        may_wrap = change.step < 0 and cell.type in {"u32", "u64"}
        return isinstance(content, Address) or (
            isinstance(content, COperation) and content.form is not None and not may_wrap
        )

    def _rotation(
        self, cell: Cell | PointerCell, cells: Sequence[Cell | PointerCell], changes: Changes
    ) -> Rotation | None:
        """How a pointer moves from row to row of an array, as those that change places do; None for other pointers.

        Raises RestartError where arrays of their own are to be the rows of one first.
        """
        by_key, circle = {one.key: one for one in cells}, [cell]
        while True:
            change = changes[circle[-1].key]
            if not isinstance(change, Exchange):
                return None
            if change.source == cell.key:
                break
            if len(circle) > MOST_ITERATIONS:
                return None
            circle.append(by_key[change.source])
        places = [self.run.recorder.content(one) for one in circle]
        if self.run.states.join([one.array for one in places if isinstance(one, Address)], len(circle)):
            raise RestartError
        return rotation_of(places)

    def _unroll(self, node: Any, header: Header, loop: ForLoop, conditions: list[ElementGuard]) -> None:
        """Run the iterations one by one, with numbers for the iterator."""
        run, recorder = self.run, self.run.recorder
        count = (loop.high - loop.low).number
        if count is None or conditions:
            run.unrolling.give_up(node)
        for place in range(max(count or 0, 0)):
            recorder.contents[header.cell] = self.run.heads.iterator(header, header.start + place * header.step)
            with self._round(place):
                self._iteration(node, header)
        recorder.contents[header.cell] = Pending(partial(self._last, header, loop, is_known=True))

    @contextmanager
    def _round(self, number: int) -> Iterator[None]:
        """Run one iteration of a loop whose inner loops change other scalars each time."""
        self.rounds.append(number)
        try:
            yield
        finally:
            self.rounds.pop()

    def _iteration_where(self, conditions: list[ElementGuard], node: Any, header: Header) -> None:
        """Run an iteration, of a loop with conditions beside its bounds only where they hold."""
        if not conditions:
            self._iteration(node, header)
            return
        holds = self.run.pieces.value(tuple(conditions))
        self.run.branches.both(holds, lambda: self._iteration(node, header), lambda: None)

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
        if run.calls_of(node) or any("static" in (one.storage or []) for one in nodes_of(node.stmt, c_ast.Decl)):
            found |= dict.fromkeys([*run.states.cells, *run.unrolling.cells])
        found.pop(header.cell, None)
        return [cell for cell in found if cell in run.recorder.contents]

    def _pointed(self, node: Any) -> Iterator[Cell | PointerCell]:
        """Scalars that pointers of outer blocks point to, which the body names."""
        for name in sorted({one.name for one in identifiers(node.stmt)}):
            try:
                symbol = self.run.scopes.find(name, node)
            except (RefusalError, PoisonedError):
                continue
            content = self.run.recorder.contents.get(symbol) if isinstance(symbol, PointerCell) else None
            if isinstance(content, CellAddress):
                yield from cells_of(content.cell)

    def _enter_memory(self, cell: Cell, node: Any) -> CArray:
        """Make memory hold what a scalar is before a loop that hands it on: where it is already, or in a new local."""
        run = self.run
        content = self._tracked(cell)
        known = run.recorder.memories.get(cell.key)
        if known is None or not _is_read_of(content, known) or self._is_of_another_loop(known):
            known = run.new_memory(cell)
            if isinstance(content, COperation):
                predicates, run.recorder.predicates = run.recorder.predicates, []
                self._store(cell, known, content, node)
                run.recorder.predicates = predicates
        if not isinstance(content, Poison):
            run.recorder.contents[cell] = run.read_of(known, node)
        return known

    def _is_of_another_loop(self, memory: CArray) -> bool:
        """Whether a loop that has ended, one of those in a row with this one, has made what a scalar is."""
        writers = [one for one in self.run.recorder.statements if one.target.array == memory.name]
        return bool(writers) and len(writers[-1].loops) > len(self.run.recorder.loops)

    def _update_memory(self, cell: Cell, memory: CArray, node: Any) -> None:
        """Hand a scalar on to the next iteration."""
        content = self._tracked(cell)
        if isinstance(content, COperation) and not _is_read_of(content, memory):
            self._store(cell, memory, content, node)
        self.run.recorder.memories[cell.key] = memory
        if not isinstance(content, Poison):
            self.run.recorder.contents[cell] = self.run.read_of(memory, node)

    def _tracked(self, cell: Cell) -> Content:
        """The content of a scalar. Raises RestartError where a loop before must hand it on for that."""
        content = self.run.recorder.content(cell)
        if isinstance(content, Deferred):
            self.run.carried.add(content.key)
            raise RestartError
        return content

    def _store(self, cell: Cell, memory: CArray, content: COperation, node: Any) -> None:
        self.run.recorder.contents[cell] = Undefined()  # what it was is of no use any more
        self.run.recorder.store(memory, (), content, self.run.span(node))

    def _in_order(self, memories: dict[Cell, CArray]) -> Iterator[Cell]:
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
        return {access.array for access in content.reads()} if isinstance(content, COperation) else set()

    def _advanced(self, cell: Cell | PointerCell, content: Content, step: Move, count: Form) -> Content:
        """The content of an induction variable after `count` iterations."""
        if isinstance(step, Rotation):
            assert isinstance(content, Address)
            return step.after(content, count)
        if isinstance(step, PeriodicStep):
            return self._counted(content, step, count)
        if isinstance(step, Turn):
            assert isinstance(content, COperation)
            assert content.form is not None
            return self.run.arithmetic.of_form(step.after(content.form, count), content.type)
        return self._stepped(cell, content, step, self.run.product(step, count))

    def _stepped(self, cell: Cell | PointerCell, content: Content, step: Form, distance: Form) -> Content:
        """What a scalar or a pointer that moves by a step is after a distance."""
        if isinstance(content, Address):
            return self.run.recorder.address_plus(content, distance)
        if isinstance(cell, Cell) and isinstance(content, COperation) and step.number != 0:
            if cell.type in {"u32", "u64"} and content.form is not None:
                return self.run.arithmetic.of_form(content.form + distance, cell.type)  # it is known to hold it
            moved = self.run.arithmetic.binary("+", content, self.run.arithmetic.of_form(distance, "i32"))
            return self.run.arithmetic.converted(moved, cell.type)
        return content if step.number == 0 else Undefined()

    def _counted(self, content: Content, step: PeriodicStep, count: Form) -> Content:
        """What a scalar or a pointer that counts is after some iterations."""
        arithmetic, place = self.run.arithmetic, self._place(content)
        assert place is not None
        assert place.form is not None
        after = arithmetic.of_form(step.after(place.form, count), place.type)
        for condition in reversed(step.where):
            after = arithmetic.choice(condition, after, place)
        if not isinstance(content, Address):
            return after
        last: Form = after.form if after.form is not None else Affine(((Dynamic(after), 1),))
        return Address(content.array, (*content.subscripts[:-1], last))

    def _wrapped(self, cell: Cell | PointerCell, after: Content) -> Content:
        """An unsigned scalar that a loop has moved: behind its last iteration it may wrap."""
        form = after.form if isinstance(after, COperation) else None
        if form is None or any(name.startswith(UNKNOWN) for name in names_of(form)):
            return after
        assert isinstance(after, COperation)
        if form.number is not None:
            return integer(form.number % (1 << int(after.type[1:])), after.type)
        if self.run.arithmetic.is_between(form, *limits(after.type)):
            return after
        return Unusable(f"'{cell.name}' may wrap here", "use an int")

    def _after(self, cell: Cell | PointerCell, content: Content, step: Move, loop: ForLoop) -> Content:
        """The content of an induction variable after the loop."""
        least = self.run.arithmetic.ranges.least(loop.high - loop.low)
        is_still = not isinstance(step, Turn | PeriodicStep | Rotation) and step.number == 0
        if not is_still and (least is None or least < 0):
            return Unusable(f"how far '{cell.name}' has moved after the loop is not known", "set it again")
        after = self._advanced(cell, content, step, loop.high - loop.low)
        is_unsigned = isinstance(cell, Cell) and cell.type in {"u32", "u64"} and isinstance(step, Affine)
        return self._wrapped(cell, after) if is_unsigned and not is_still else after

    def _last(self, header: Header, loop: ForLoop, *, is_known: bool) -> Content:
        """The iterator after the loop, if its bounds alone say that."""
        least = self.run.arithmetic.ranges.least(loop.high - loop.low)
        if not is_known or least is None or least < 0:
            return Unusable(f"what '{header.cell.name}' is after the loop is not known", "use another variable")
        form = header.start + (loop.high - loop.low).scaled(header.step)
        return self.run.heads.iterator(header, form)

    # The trial.

    def _trial(
        self,
        node: Any,
        header: Header,
        loop: ForLoop,
        value: COperation | Address,
        conditions: list[ElementGuard],
        cells: list[Cell | PointerCell],
        turns: Mapping[Cell, Turn] | None = None,
    ) -> tuple[Changes, set[Any]]:
        """How each scalar changes in an iteration, and what is written: names of arrays, keys of scalars in memory.

        `turns` are those that another trial has found: what they decide is known in this one.
        """
        recorder = self.run.recorder
        counter: Form = Affine(((loop.name, 1),))
        outer = set(recorder.arrays)
        entering = [one for cell in cells if isinstance(one := recorder.contents[cell], COperation)]
        with self.run.on_trial():
            symbols: dict[Cell | PointerCell, Content] = {}
            for place, cell in enumerate(cells):
                name = f"{UNKNOWN}{len(recorder.loops)}_{place}"
                symbols[cell] = symbol_of(cell, recorder.content(cell), name)
                turn = turns.get(cell) if turns and isinstance(cell, Cell) else None
                if turn is not None:
                    symbols[cell] = self._advanced(cell, recorder.content(cell), turn, counter - loop.low)
                recorder.contents[cell] = symbols[cell]
            first = len(recorder.statements)
            with recorder.inside(loop):
                recorder.contents[header.cell] = value
                self._iteration_where(conditions, node, header)
            after = {cell: recorder.content(cell) for cell in cells if cell in recorder.contents}
            statements = recorder.statements[first:]
            keys = {self.run.key_of_memory(one.target.array) for one in statements}
            written = {key for key in keys if not isinstance(key, str) or key in outer}
        used = set[str]().union(*map(unknown_of_statement, statements)) if statements else set()
        used = used.union(*(unknown_of(one) for one in after.values() if isinstance(one, COperation)))
        changes: Changes = {
            cell.key: change_of(symbols[cell], after.get(cell, Undefined()), used, self.run.values, self.run.number_of)
            for cell in cells
        }
        changes.update((cell.key, turn) for cell, turn in (turns or {}).items())
        found = {
            cell: change
            for cell in cells
            if isinstance(cell, Cell) and isinstance(change := changes[cell.key], Turn) and self._is_known(cell, change)
        }
        if turns is None and found and not {"carried", "own"}.isdisjoint(map(str, changes.values())):
            return self._trial(node, header, loop, value, conditions, cells, found)
        for cell in [one for one in cells if changes[one.key] in {"carried", "own"}]:
            own, content = self._place(symbols[cell]), self._place(after.get(cell, Undefined()))
            count = None if own is None or content is None else counter_of(own, content, loop)
            changes[cell.key] = count or changes[cell.key]
        for cell, change in changes_of_pointers(symbols, after):
            changes[cell.key] = change
        is_state = "carried" in changes.values() and any(map(unknown_of, entering)) and not statements
        if (
            is_state
            and not any(takes_more(one, loop) for one in after.values())
            and self.run.unrolling.unroll(self._opened(node, loop))
        ):
            raise RestartError
        return changes, written | {cell.key for cell in cells if changes[cell.key] == "carried"}

    def _place(self, content: Content) -> COperation | None:
        """The number that a scalar is, or the place in its row that a pointer points to."""
        if not isinstance(content, Address):
            return content if isinstance(content, COperation) else None
        place = content.subscripts[-1]
        chosen = place.terms[0][0] if len(place.terms) == 1 else None
        return chosen.value if isinstance(chosen, Dynamic) else self.run.arithmetic.of_form(place, "i64")


def _is_read_of(content: Content, memory: CArray) -> bool:
    """Whether a scalar is what a local holds."""
    return isinstance(content, COperation) and content.access is not None and content.access.array == memory.name
