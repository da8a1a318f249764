"""Functions without jumps: `continue`, `break`, `switch`, `return` in loops and loops that count become choices.

`if (c) continue; rest` becomes `if (c) skipped = 1; if (!skipped) { rest }`. A loop with a `break` still runs
all of its iterations; those after the `break` do nothing. A `while` whose last statement steps a variable of its
condition is a `for`. A jump that none of this fits stays as it is, and is refused where it is run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from pycparser import c_ast

from arrayol.c_import.reading.trees import (
    Chosen,
    RunsOnce,
    as_one,
    assignment,
    assigns,
    declarator,
    is_any_of,
    is_void,
    items_of,
    names_in,
    negation,
    new_flag,
    nodes_below,
    number,
    stepped_name,
    with_inner,
)

Jumps = tuple[type, ...]
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


def without_jumps(function: c_ast.FuncDef, taken: set[str]) -> None:
    """Rewrite the body of a function; names that are made are none of `taken`, which they join."""
    _Rewriter(function, taken).run()


@dataclass
class _Rewriter:
    function: Any
    taken: set[str]

    def run(self) -> None:
        body = self.function.body
        body.block_items = self.block(body.block_items or [])

    def _fresh(self, name: str) -> str:
        number = 1
        while (text := name if number == 1 else f"{name}_{number}") in self.taken:
            number += 1
        self.taken.add(text)
        return text

    # Structure, inner statements first.

    def block(self, nodes: Sequence[Any]) -> list[Any]:
        """The statements of a block."""
        return [one for node in nodes for one in self.statement(node)]

    def statement(self, node: Any) -> list[Any]:
        """The statements that take the place of one."""
        match node:
            case c_ast.Compound():
                return [c_ast.Compound(self.block(node.block_items or []), node.coord)]
            case c_ast.If():
                sides = [None if one is None else as_one(self.statement(one)) for one in (node.iftrue, node.iffalse)]
                return [c_ast.If(node.cond, *sides, node.coord)]
            case c_ast.Label():
                first, *others = self.statement(node.stmt)
                return [c_ast.Label(node.name, first, node.coord), *others]
        runs: dict[type, Callable[[Any], list[Any]]] = {
            c_ast.Switch: self._switch,
            c_ast.While: self._while,
            c_ast.DoWhile: self._while,
            c_ast.For: self._for,
        }
        run = runs.get(type(node))
        return [node] if run is None else run(node)

    # Loops.

    def _while(self, node: Any) -> list[Any]:
        """A loop that counts as a `for`; `do { } while (0)` as its statements."""
        if isinstance(node, c_ast.DoWhile) and isinstance(node.cond, c_ast.Constant) and node.cond.value == "0":
            inner = as_one(self.statement(node.stmt))
            if not jumps(inner, (c_ast.Break, c_ast.Continue)):
                return [inner]
            return [self._flagged(inner, (c_ast.Break, c_ast.Continue), "skipped")]
        down = _counted_down(node)
        if down is not None:
            return [*self._for(down), down.next]
        if isinstance(node, c_ast.DoWhile):
            return self._for(_stepped_at_end(node) or _counted(node))
        asked = _condition_step(node)
        return self._for(_counted(node)) if asked is None else self._with_condition_step(node, asked)

    def _with_condition_step(self, node: Any, asked: ConditionStep) -> list[Any]:
        """A loop whose condition steps its iterator: it counts what the iterator was before that."""
        coord, sign = node.coord, asked.step.op.strip("p")
        before = self._fresh(f"{asked.step.expr.name}_before")

        def moved() -> Any:
            return c_ast.BinaryOp(sign[0], c_ast.ID(before, coord), number(1, coord), coord)

        def follow() -> Any:
            return assignment(asked.step.expr.name, moved(), coord)

        left = c_ast.ID(before, coord) if asked.step.op.startswith("p") else moved()
        stops = [c_ast.If(negation(one), c_ast.Break(one.coord), None, one.coord) for one in asked.others]
        body = c_ast.Compound([follow(), *stops, *items_of(node.stmt)], coord)
        step: Any = c_ast.UnaryOp(f"p{sign}", c_ast.ID(before, coord), coord)
        init, after = getattr(node, "init", None), getattr(node, "next", None)
        if after is not None:
            step = c_ast.ExprList([step, *(after.exprs if isinstance(after, c_ast.ExprList) else [after])], coord)
        loop = c_ast.For(None, c_ast.BinaryOp(asked.sign, left, asked.bound, coord), step, body, coord)
        made = [Chosen(before, c_ast.ID(asked.step.expr.name, coord), coord), *self._for(loop), follow()]
        if init is None:
            return made
        return [c_ast.Compound([init, *made], coord)] if isinstance(init, c_ast.DeclList) else [init, *made]

    def _for(self, node: Any) -> list[Any]:
        condition_step = _condition_step(node)
        if condition_step is not None:
            return self._with_condition_step(node, condition_step)
        kind = type(node)
        cond, next_, body = node.cond, node.next, items_of(node.stmt)
        name = _stepped_in(cond, next_)
        asked, data = _conjuncts_of_data(cond, name, node.stmt) if name else (cond, [])
        if data and isinstance(node, RunsOnce):
            return [node]
        body = [*(c_ast.If(negation(one), c_ast.Break(one.coord), None, one.coord) for one in data), *body]
        before, after, body = self._returns(body, node)
        inner: Any = c_ast.Compound(self.block(body), node.coord)
        if jumps(inner, (c_ast.Continue,)):
            inner = self._flagged(inner, (c_ast.Continue,), "skipped")
        if not jumps(inner, (c_ast.Break,)):
            return [*before, kind(node.init, asked, next_, inner, node.coord), *self.block(after)]
        made = self._break_flag(kind, node, name, asked, inner)
        return [*before, *made, *self.block(after)]

    def _break_flag(self, kind: type, node: Any, name: str | None, asked: Any, inner: Any) -> list[Any]:
        """A loop with `break`: a flag that it sets, and the iterator's value there if that is read after it."""
        coord = node.coord
        if name is None or asked is None:
            return self._flag_loop(kind, node, asked, inner)
        steps = list(node.next.exprs) if isinstance(node.next, c_ast.ExprList) else [node.next]
        chosen = next(one for one in steps if stepped_name(one) == name)
        flag = self._fresh("stopped")
        made: list[Any] = [new_flag(flag, coord)]
        keeps = not isinstance(node.init, c_ast.DeclList)
        last = self._fresh(f"{name}_last") if keeps else ""
        marks = [assignment(flag, number(1, coord), coord)]
        if keeps:
            marks.insert(0, assignment(last, c_ast.ID(name, coord), coord))
            made.append(Chosen(last, c_ast.ID(name, coord), coord))
        whole = c_ast.Compound(_marked(items_of(inner), (c_ast.Break,), flag, marks), coord)
        others = [one for one in steps if one is not chosen]
        if others:
            rest = c_ast.If(negation(c_ast.ID(flag, coord)), c_ast.Compound(others, coord), None, coord)
            whole = c_ast.Compound([whole, rest], coord)
        body = c_ast.Compound([c_ast.If(negation(c_ast.ID(flag, coord)), whole, None, coord)], coord)
        if keeps:
            init = [] if node.init is None else [node.init]
            made = [*init, *made]
            made.append(kind(None, asked, chosen, body, coord))
            back = assignment(name, c_ast.ID(last, coord), coord)
            made.append(c_ast.If(c_ast.ID(flag, coord), back, None, coord))
            return made
        return [*made, kind(node.init, asked, chosen, body, coord)]

    def _flag_loop(self, kind: type, node: Any, asked: Any, inner: Any) -> list[Any]:
        """A loop that counts nothing: it goes on while its flag is not set."""
        coord, flag = node.coord, self._fresh("stopped")
        marks = [assignment(flag, number(1, coord), coord)]
        whole = [*_marked(items_of(inner), (c_ast.Break,), flag, marks)]
        if node.next is not None:
            whole = [c_ast.Compound(whole, coord), c_ast.If(negation(c_ast.ID(flag, coord)), node.next, None, coord)]
        goes_on = negation(c_ast.ID(flag, coord))
        asked = goes_on if asked is None else c_ast.BinaryOp("&&", goes_on, asked, coord)
        init = [] if node.init is None else [node.init]
        return [
            c_ast.Compound(
                [*init, new_flag(flag, coord), kind(None, asked, None, c_ast.Compound(whole, coord), coord)], coord
            )
        ]

    def _returns(self, body: list[Any], node: Any) -> tuple[list[Any], list[Any], list[Any]]:
        """Statements before a loop and after it, and its body, in which a `return` is a flag and a `break`."""
        if not any(jumps(one, (c_ast.Return,), through=True) for one in body):
            return [], [], body
        coord = node.coord
        flag, value = self._fresh("returned"), self._fresh("returned_value")
        kind = deepcopy(self.function.decl.type.type)
        before: list[Any] = [new_flag(flag, coord)]
        result = None
        if not is_void(kind):
            declarator(kind).declname = value
            before.append(c_ast.Decl(value, [], [], [], [], kind, None, None, coord))
            result = c_ast.ID(value, coord)
        after = [c_ast.If(c_ast.ID(flag, coord), c_ast.Return(result, coord), None, coord)]

        def change(one: Any) -> Any:
            if isinstance(one, c_ast.Return):
                marks = [assignment(flag, number(1, one.coord), one.coord), c_ast.Break(one.coord)]
                if one.expr is not None and result is not None:
                    marks.insert(0, assignment(value, one.expr, one.coord))
                return c_ast.Compound(marks, one.coord)
            if isinstance(one, (*_LOOPS, c_ast.Switch)):
                if jumps(one, (c_ast.Return,), through=True):
                    leave = c_ast.If(c_ast.ID(flag, one.coord), c_ast.Break(one.coord), None, one.coord)
                    return c_ast.Compound([with_inner(one, change), leave], one.coord)
                return one
            return with_inner(one, change)

        return before, after, [change(one) for one in body]

    # Flags.

    def _flagged(self, block: Any, kinds: Jumps, name: str) -> Any:
        """A block in which a jump to its end is a flag that what follows asks."""
        flag = self._fresh(name)
        coord = block.coord
        marks = [assignment(flag, number(1, coord), coord)]
        return c_ast.Compound([new_flag(flag, coord), *_marked(items_of(block), kinds, flag, marks)], coord)

    # Switches.

    def _switch(self, node: Any) -> list[Any]:
        """A chain of choices; a case that falls through has what follows it, too."""
        items = items_of(node.stmt)
        if not items or any(not isinstance(one, c_ast.Case | c_ast.Default | c_ast.Pragma) for one in items):
            return [node]
        cases = [one for one in items if not isinstance(one, c_ast.Pragma)]
        name = self._fresh("chosen")
        groups: list[tuple[list[Any], list[Any]]] = []  # labels (None: default), statements up to a break
        labels: list[Any] = []
        for place, one in enumerate(cases):
            labels.append(None if isinstance(one, c_ast.Default) else one.expr)
            if one.stmts or place == len(cases) - 1:
                groups.append((labels, self._case(cases[place:])))
                labels = []
        chain: Any = None
        for found, statements in reversed([*(one for one in groups if None not in one[0])]):
            default = next((one[1] for one in groups if None in one[0]), None) if chain is None else None
            other = chain if default is None else c_ast.Compound(default, node.coord)
            chain = c_ast.If(is_any_of(name, found), c_ast.Compound(statements, node.coord), other, found[0].coord)
        if chain is None:
            chain = c_ast.Compound(groups[0][1], node.coord)
        return [c_ast.Compound([Chosen(name, node.cond, node.coord), chain], node.coord)]

    def _case(self, cases: Sequence[Any]) -> list[Any]:
        """The statements from a case on, to the first `break` that surely happens."""
        found: list[Any] = []
        for one in cases:
            for statement in one.stmts or []:
                if isinstance(statement, c_ast.Break):
                    break
                found.append(deepcopy(statement))
                if _ends(statement):
                    break
            else:
                continue
            break
        found = self.block([_without_last_break(one) for one in found])
        whole = c_ast.Compound(found, cases[0].coord)
        return [self._flagged(whole, (c_ast.Break,), "skipped")] if jumps(whole, (c_ast.Break,)) else found


def _without_last_break(node: Any) -> Any:
    """A block of a case without the `break` at its end."""
    if isinstance(node, c_ast.Compound) and node.block_items and isinstance(node.block_items[-1], c_ast.Break):
        return c_ast.Compound(node.block_items[:-1], node.coord)
    return node


def _ends(node: Any) -> bool:
    """Whether nothing after a statement runs, as it always jumps."""
    if isinstance(node, c_ast.Compound):
        return bool(node.block_items) and _ends(node.block_items[-1])
    return isinstance(node, c_ast.Break | c_ast.Continue | c_ast.Return)


def jumps(node: Any, kinds: Jumps, *, through: bool = False) -> bool:
    """Whether a statement has such a jump that leaves it; `through` loops and switches it leaves them, too."""
    if isinstance(node, kinds):
        return True
    if not through:
        inner = tuple(one for one in kinds if one is not c_ast.Break) if isinstance(node, c_ast.Switch) else kinds
        kinds = () if isinstance(node, _LOOPS) else inner
    return bool(kinds) and any(jumps(child, kinds, through=through) for _, child in node.children())


def _marked(nodes: Sequence[Any], kinds: Jumps, flag: str, marks: list[Any]) -> list[Any]:
    """Statements in which jumps set a flag, and what follows one asks it."""
    made: list[Any] = []
    for place, node in enumerate(nodes):
        if isinstance(node, kinds):
            return [*made, *deepcopy(marks)]
        if not jumps(node, kinds):
            made.append(node)
            continue
        made.append(_marked_inside(node, kinds, flag, marks))
        rest = _marked(nodes[place + 1 :], kinds, flag, marks)
        if rest and not _always(node, kinds):
            coord = node.coord
            made.append(c_ast.If(negation(c_ast.ID(flag, coord)), c_ast.Compound(rest, coord), None, coord))
        return made
    return made


def _marked_inside(node: Any, kinds: Jumps, flag: str, marks: list[Any]) -> Any:
    match node:
        case c_ast.Compound():
            return c_ast.Compound(_marked(node.block_items or [], kinds, flag, marks), node.coord)
        case c_ast.If():
            sides = [
                None if one is None else c_ast.Compound(_marked([one], kinds, flag, marks), node.coord)
                for one in (node.iftrue, node.iffalse)
            ]
            return c_ast.If(node.cond, *sides, node.coord)
        case c_ast.Label():
            return c_ast.Label(node.name, as_one(_marked([node.stmt], kinds, flag, marks)), node.coord)
    return node


def _always(node: Any, kinds: Jumps) -> bool:
    """Whether a statement surely ends in such a jump."""
    match node:
        case c_ast.Compound():
            return any(_always(one, kinds) for one in node.block_items or [])
        case c_ast.If():
            return node.iffalse is not None and _always(node.iftrue, kinds) and _always(node.iffalse, kinds)
    return isinstance(node, kinds)


# Loops that count.


def _counted(node: Any) -> Any:
    """The `for` that a `while` or `do` is, with a step where it ends in one."""
    items = items_of(node.stmt)
    kind = RunsOnce if isinstance(node, c_ast.DoWhile) else c_ast.For
    for place in reversed(range(len(items))):
        step, body = items[place], items[:place] + items[place + 1 :]
        name = stepped_name(step)
        if name is None or name not in names_in(node.cond):
            continue
        is_named = any(name in names_in(one) for one in items[place + 1 :]) or any(assigns(one, name) for one in body)
        leaves = any(jumps(one, (c_ast.Break,)) for one in items[place + 1 :])  # after the step
        if is_named or leaves or any(jumps(one, (c_ast.Continue,)) for one in body):
            break
        return kind(None, node.cond, step, c_ast.Compound(body, node.coord), node.coord)
    return _with_step_moved(node, kind, items) or kind(None, node.cond, None, node.stmt, node.coord)


def _with_step_moved(node: Any, kind: type, items: list[Any]) -> Any:
    """The `for` that `while (p != end) { v = *p++; ... }` is, where nothing after the step names what it moves."""
    asked = names_in(node.cond)
    for place, item in enumerate(items):
        if isinstance(item, (c_ast.If, c_ast.Compound, c_ast.Switch, c_ast.Label, *_LOOPS)):
            continue
        steps = [one for one in nodes_below(item) if isinstance(one, c_ast.UnaryOp) and one.op in {"p++", "p--"}]
        step = next((one for one in steps if stepped_name(one) in asked), None)
        if step is None or any(jumps(one, (c_ast.Continue,)) for one in items):
            continue
        name = step.expr.name
        named = [one for one in nodes_below(item) if isinstance(one, c_ast.ID) and one.name == name]
        is_chosen = any(
            isinstance(one, c_ast.TernaryOp) or getattr(one, "op", None) in {"&&", "||"} for one in nodes_below(item)
        )
        others = [*items[:place], *items[place + 1 :]]
        if is_chosen or len(named) > 1 or any(assigns(one, name) for one in others):
            continue
        if any(name in names_in(one) or jumps(one, (c_ast.Break,)) for one in items[place + 1 :]):
            continue
        body = [*items[:place], deepcopy(item, {id(step): step.expr}), *items[place + 1 :]]
        return kind(None, node.cond, step, c_ast.Compound(body, node.coord), node.coord)
    return None


def _counted_down(node: Any) -> Any:
    """The `for` that `while (n--)` is, where its body does not name n; one more step goes after it."""
    cond = node.cond
    step = cond.left if isinstance(cond, c_ast.BinaryOp) and cond.op in {">", "!="} else cond
    is_zero = step is cond or (isinstance(cond.right, c_ast.Constant) and cond.right.value == "0")
    if not isinstance(node, c_ast.While) or not isinstance(step, c_ast.UnaryOp) or step.op != "p--" or not is_zero:
        return None
    name = stepped_name(step)
    if name is None or name in names_in(node.stmt) or jumps(node.stmt, (c_ast.Break,)):
        return None
    sign = "!=" if step is cond else cond.op
    return c_ast.For(
        None, c_ast.BinaryOp(sign, step.expr, number(0, cond.coord), cond.coord), step, node.stmt, cond.coord
    )


@dataclass(frozen=True)
class ConditionStep:
    """A step in a loop's condition, what it is compared with, and the other parts of the condition."""

    step: Any
    sign: str
    bound: Any
    others: list[Any]


def _condition_step(node: Any) -> ConditionStep | None:
    """The step that comes first in a loop's condition, as in `while (i-- > 0 && x[i])`; None where there is none."""
    if node.cond is None or isinstance(node, RunsOnce):
        return None
    first, *others = _conjuncts(node.cond)
    is_compared = isinstance(first, c_ast.BinaryOp) and first.op in {"<", "<=", ">", ">=", "!="}
    step, sign, bound = (first.left, first.op, first.right) if is_compared else (first, "!=", number(0, first.coord))
    name = stepped_name(step) if isinstance(step, c_ast.UnaryOp) else None
    parts = [node.stmt, *([node.next] if isinstance(node, c_ast.For) and node.next is not None else []), *others]
    if name is None or name in names_in(bound) or any(assigns(one, name) for one in parts):
        return None
    return ConditionStep(step, sign, bound, others)


def _stepped_at_end(node: Any) -> Any:
    """The `for` that `do { } while (--n > 0)` is; None for another `do`."""
    is_compared = isinstance(node.cond, c_ast.BinaryOp)
    step = node.cond.left if is_compared else node.cond
    if not isinstance(step, c_ast.UnaryOp) or step.op not in {"++", "--"} or not isinstance(step.expr, c_ast.ID):
        return None
    if assigns(node.stmt, step.expr.name) or (is_compared and step.expr.name in names_in(node.cond.right)):
        return None
    sign, bound = (node.cond.op, node.cond.right) if is_compared else ("!=", number(0, node.coord))
    return RunsOnce(None, c_ast.BinaryOp(sign, step.expr, bound, node.coord), step, node.stmt, node.coord)


def _stepped_in(cond: Any, steps: Any) -> str | None:
    """The iterator of a `for`: what a step moves and the condition asks."""
    if cond is None or steps is None:
        return None
    used = names_in(cond)
    inner = list(steps.exprs) if isinstance(steps, c_ast.ExprList) else [steps]
    return next((name for one in inner if (name := stepped_name(one)) in used), None)


def _conjuncts_of_data(cond: Any, name: str, body: Any) -> tuple[Any, list[Any]]:
    """A loop's condition in two: what bounds its iterator, and what depends on data."""
    if not isinstance(cond, c_ast.BinaryOp) or cond.op != "&&":
        return cond, []
    bounds: list[Any] = []
    data: list[Any] = []
    for one in _conjuncts(cond):
        is_data = name not in names_in(one) or any(
            isinstance(inner, c_ast.ArrayRef | c_ast.StructRef | c_ast.FuncCall)
            or (isinstance(inner, c_ast.UnaryOp) and inner.op == "*")
            or (isinstance(inner, c_ast.ID) and inner.name != name and assigns(body, inner.name))
            for inner in nodes_below(one)
        )
        (data if is_data and (name in names_in(one) or _is_changed(one, body)) else bounds).append(one)
    if not bounds or not data:
        return cond, []
    asked = bounds[0]
    for other in bounds[1:]:
        asked = c_ast.BinaryOp("&&", asked, other, cond.coord)
    return asked, data


def _is_changed(cond: Any, body: Any) -> bool:
    return any(assigns(body, name) for name in names_in(cond)) or any(
        isinstance(one, c_ast.ArrayRef | c_ast.FuncCall) for one in nodes_below(cond)
    )


def _conjuncts(cond: Any) -> list[Any]:
    if isinstance(cond, c_ast.BinaryOp) and cond.op == "&&":
        return [*_conjuncts(cond.left), *_conjuncts(cond.right)]
    return [cond]
