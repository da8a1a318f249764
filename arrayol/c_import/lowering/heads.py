"""The head of a `for`: its iterator as an affine form of a counter, and where the counter starts and ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast

from arrayol.c_import.arithmetic import COMPARISONS, RefusalError, affine_condition
from arrayol.c_import.constants import limits
from arrayol.c_import.forms import names_of, rounded
from arrayol.c_import.lowering.changes import assigned_names
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.symbols import (
    Address,
    Cell,
    PointerCell,
)
from arrayol.c_import.model import COperation, ElementGuard, ForLoop, Form, not_negative
from arrayol.c_import.reading.trees import RunsOnce, stepped_name
from arrayol.ir.affine import Affine

_INTEGERS = frozenset({"i32", "i64"})


@dataclass(frozen=True)
class Header:
    """A loop's iterator, where it starts, its step, and the other things that happen after each iteration."""

    cell: Cell | PointerCell
    start: Form  # of a pointer, its last subscript
    step: int
    others: tuple[Any, ...]
    base: Address | None = None  # where a pointer starts
    starts: tuple[Form, ...] = ()  # all forms of which the start is the greatest (counting down: the smallest)


class Heads:
    """Reads the heads of loops."""

    def __init__(self, run: Context) -> None:
        self.run = run

    def head(self, node: Any) -> tuple[Header, ForLoop, COperation | Address, list[ElementGuard]]:
        """The header, the loop, its iterator's value, and conditions beside the bounds. Raises RefusalError."""
        first = self._header(node)
        heads = [(one, *self._bounds(node, one)) for one in self._started(first)]
        header, loop, value, conditions = min(heads, key=lambda one: _count_of(one[1]))
        self._check_type(header, value, loop, node)
        if isinstance(node, RunsOnce):
            self._check_first(header, loop, node)
        return header, loop, value, conditions

    def _header(self, node: Any) -> Header:
        run = self.run
        cond, after = node.cond, node.next
        if cond is None:
            raise RefusalError("this loop has no end", "write it as for (i = 0; i < N; i++)", node)
        if after is None:
            place = "last" if isinstance(node, RunsOnce) else "first"
            hint = (
                f"write a for loop over the most iterations, with 'if (!(condition)) break;' as its {place} statement"
            )
            raise RefusalError("how often this loop runs depends on data", hint, node)
        steps = list(after.exprs) if isinstance(after, c_ast.ExprList) else [after]
        used = {one.name for one in identifiers(cond)}
        chosen = next((one for one in steps if stepped_name(one) in used), None)
        if chosen is None:
            message = "no step of this loop moves what its condition asks"
            hint = "step the iterator by a constant, or count the most iterations and leave by 'break'"
            raise RefusalError(message, hint, node)
        if node.init is not None:
            inits = node.init.decls if isinstance(node.init, c_ast.DeclList) else [node.init]
            for one in inits:
                run.statements.run_one(one)
        self._check_fixed(node, chosen)
        cell, starts, base = self._starts(str(stepped_name(chosen)), node, is_down=_step_sign(chosen) < 0)
        step = run.number_of(run.expressions.form(_step_node(chosen), "the step of a loop"))
        if not step:
            raise RefusalError("the step of this loop is no constant", "step by a number", node)
        if len(starts) > 1 and step != 1:
            raise self._unknown_start(cell.name, node)
        others = tuple(one for one in steps if one is not chosen)
        return Header(cell, starts[0], step * _step_sign(chosen), others, base, starts)

    def _started(self, header: Header) -> list[Header]:
        """A header for each form that the start may be."""
        return [replace(header, start=one) for one in header.starts]

    def _check_fixed(self, node: Any, chosen: Any) -> None:
        """Refuse a loop that changes its iterator, or what its bound and step are made of."""
        name, changed = stepped_name(chosen), assigned_names(node.stmt)
        if name in changed:
            raise RefusalError(f"the loop changes its iterator '{name}'", "use another variable", node)
        by = {one.name for one in identifiers(_step_node(chosen))}
        asked = {one.name for one in identifiers(node.cond)} - {name}
        moved = (asked & changed) | (by & {*changed, name})
        if moved:
            message = f"the loop changes '{min(moved)}', which says how often it runs"
            raise RefusalError(message, "use another variable", node)

    def _starts(
        self, name: str, node: Any, is_down: bool
    ) -> tuple[Cell | PointerCell, tuple[Form, ...], Address | None]:
        """The iterator, the forms of which it starts at the greatest (or the smallest), and where a pointer points."""
        run = self.run
        symbol = run.scopes.find(name, node)
        content = run.recorder.content(symbol) if isinstance(symbol, PointerCell) else None
        if isinstance(symbol, PointerCell) and isinstance(content, Address):
            return symbol, content.subscripts[-1:], content
        if not isinstance(symbol, Cell):
            raise RefusalError(f"'{name}' is no integer", "count with an int", node)
        if symbol.type[0] == "f":
            raise RefusalError(f"'{name}' counts in {symbol.type}", "count with an int", node)
        starts = forms_of_extreme(run.expressions.load(symbol, node.init or node), is_greatest=not is_down)
        if starts is None:
            raise self._unknown_start(name, node)
        return symbol, tuple(starts), None

    def _unknown_start(self, name: str, node: Any) -> RefusalError:
        hint = f"count all that it can be, and put 'if ({name} < start) continue;' first in the loop"
        return RefusalError(f"the start of '{name}' depends on data", hint, node)

    def iterator(self, header: Header, form: Form) -> COperation | Address:
        """The iterator where its number or last subscript is a form."""
        if header.base is not None:
            return Address(header.base.array, (*header.base.subscripts[:-1], form))
        assert isinstance(header.cell, Cell)
        kind = header.cell.type
        if form.number is None and kind not in {"i32", "i64", "u32", "u64"}:
            return COperation("convert", kind, (COperation("form", "i32", form=form),), form=form)
        return self.run.arithmetic.of_form(form, kind)

    def _bounds(self, node: Any, header: Header) -> tuple[ForLoop, COperation | Address, list[ElementGuard]]:
        """The loop, its iterator's value, and conditions beside its bounds."""
        counts = header.step != 1 or any(not isinstance(term, str) for term, _ in header.start.terms)
        found = self._counted(node, header, counts=counts)
        if not counts and _is_window(found[0], {loop.name for loop in self.run.recorder.loops}):
            return self._counted(node, header, counts=True)
        return found

    def _counted(
        self, node: Any, header: Header, *, counts: bool
    ) -> tuple[ForLoop, COperation | Address, list[ElementGuard]]:
        """Bounds where the loop has the iterator itself, or a counter from 0 beside it."""
        run, recorder = self.run, self.run.recorder
        name = run.loop_name(header.cell.name)
        own: Form = Affine(((name, 1),))
        form = header.start + own.scaled(header.step) if counts else own
        low: Form = Affine() if counts else header.start
        widest = ForLoop(name, low, Affine(constant=1 << 62), run.span(node))
        value = self.iterator(header, form)
        recorder.contents[header.cell] = value
        run.arithmetic.ranges.loops[name] = widest
        try:
            condition = bounding_condition(run.expressions.condition(node.cond))
        finally:
            del run.arithmetic.ranges.loops[name]
        if condition is None:
            raise run.expressions.size_without_value(run.expressions.value(node.cond), node.cond) or RefusalError(
                f"the bound of '{header.cell.name}' depends on data",
                f"count all that it can be, and put 'if ({header.cell.name} >= bound) break;' first in the loop",
                node.cond,
            )
        highs, others = self._highs(condition, name, low, node)
        if not highs:
            raise RefusalError("this loop has no end", "bound its iterator from the side it moves to", node.cond)
        plain = [one for one in highs if all(isinstance(term, str) for term, _ in one.terms)]
        high = min(plain, key=lambda one: _extent(one - low), default=None)
        conditions = others + [not_negative(one - own - 1) for one in highs if one is not high]
        conditions += [
            not_negative((form - one).scaled(header.step)) for one in header.starts if one is not header.start
        ]
        if high is None:
            end = run.arithmetic.ranges.greatest(highs[0])
            if end is None:
                raise RefusalError("the end of this loop is not known", "bound it by numbers", node.cond)
            high = Affine(constant=end)
        return ForLoop(name, low, high, run.span(node)), value, conditions

    def _highs(self, condition: ElementGuard, name: str, low: Form, node: Any) -> tuple[list[Form], list[ElementGuard]]:
        """Ends of the counter, and what must hold from the start."""
        highs: list[Form] = []
        others: list[ElementGuard] = []
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

    def _check_type(self, header: Header, value: COperation | Address, loop: ForLoop, node: Any) -> None:
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

    def _check_first(self, header: Header, loop: ForLoop, node: Any) -> None:
        """Refuse a `do` whose condition may not hold at its first iteration, which does not ask it."""
        least = self.run.arithmetic.ranges.least(loop.high - loop.low)
        if least is None or least < 1:
            message = f"whether '{header.cell.name}' keeps to its bound in the first iteration is not known"
            raise RefusalError(message, "write a for loop", node)


def _is_window(loop: ForLoop, around: set[str]) -> bool:
    """Whether a loop runs equally often in all iterations of those around, and starts elsewhere in each."""
    return (loop.high - loop.low).number is not None and not around.isdisjoint(names_of(loop.low))


def _count_of(loop: ForLoop) -> int:
    return _extent(loop.high - loop.low)


def _extent(form: Form) -> int:
    """A number of iterations, to choose the fewest; a loop of as many each time is better than one that varies."""
    return form.number if form.number is not None else 1 << 62


def _parts(condition: ElementGuard) -> Iterator[ElementGuard]:
    if condition.kind == "and":
        for part in condition.parts:
            yield from _parts(part)
    else:
        yield condition


def identifiers(node: Any) -> Iterator[Any]:
    """All names below a node."""
    if isinstance(node, c_ast.ID):
        yield node
    for _, child in node.children():
        yield from identifiers(child)


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


# Bounds of loops that are the greater or the smaller of affine forms, as `MAX(i - 1, 0)` of a window at a border.


def forms_of_extreme(value: COperation, is_greatest: bool) -> list[Form] | None:
    """Forms of which an integer is the greatest (or the smallest) in each iteration; None where it is no such."""
    if value.form is not None:
        return [value.form]
    if value.type not in _INTEGERS or value.kind not in {"convert", "choice"}:
        return None
    if value.kind == "convert":
        return forms_of_extreme(value.operands[0], is_greatest)
    condition, first, second = affine_condition(value.operands[0]), *(side.form for side in value.operands[1:])
    if condition is None or condition.kind != ">=" or condition.form is None or first is None or second is None:
        return None
    beyond = first - second if is_greatest else second - first
    # `form >= 0` picks the first: right where it is at or beyond the second one, and wrong nowhere else.
    return [first, second] if (beyond - condition.form).number in {0, 1} else None


def bounding_condition(value: COperation) -> ElementGuard | None:
    """The condition that a truth value is, as comparisons of affine forms that all hold; None where it depends on data.

    `k <= MIN(i + 1, H - 1)` is `k <= i + 1 and k <= H - 1`.
    """
    known = affine_condition(value)
    if known is not None:
        return known
    if value.kind == "and":
        parts = [one for each in value.operands if (one := bounding_condition(each)) is not None]
        return ElementGuard("and", parts=tuple(parts)) if len(parts) == len(value.operands) else None
    if value.kind not in COMPARISONS - {"==", "!="}:
        return None
    greater, less = value.operands if value.kind in {">", ">="} else reversed(value.operands)
    highs, lows = forms_of_extreme(greater, is_greatest=False), forms_of_extreme(less, is_greatest=True)
    if highs is None or lows is None:
        return None
    strictly = 0 if value.kind.endswith("=") else 1
    return ElementGuard("and", parts=tuple(not_negative(high - low - strictly) for high in highs for low in lows))
