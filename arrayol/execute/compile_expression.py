"""Expressions of a body as functions on all lanes of a batch at once.

What no data decides is computed once, here. Of a conditional expression only the lanes that take a branch evaluate
it, unless the branch cannot fail: then both are computed and chosen from, with the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from arrayol.errors import ArrayolError
from arrayol.execute import arithmetic
from arrayol.execute.arithmetic import conversion
from arrayol.execute.elements import (
    MovingSubscript,
    Window,
    checked_index,
    fixed_index,
    moving_window,
    require_written,
    window,
)
from arrayol.execute.environment import DTYPES, Axis, Environment, Fault, Values
from arrayol.execute.vectorise import BoundStatement, Counter, MovingAxis
from arrayol.ir.affine import affine, expression_of, non_affine_part
from arrayol.ir.expressions import (
    Constant,
    Convert,
    Expr,
    Function,
    Index,
    Operation,
    Read,
    Select,
    chain_of,
    depends_on_data,
    inside,
    mentions,
)
from arrayol.ir.types import ElementType, Kind, ValueType, Weak
from arrayol.operators.record import Fixed, Gives, Guard
from arrayol.operators.registry import FUNCTIONS, operator_of
from arrayol.source import Span

# Subscripts that depend on counters, taken apart into an integer and a step along one axis computed at once.

Number = Callable[[Environment], int]
Compile = Callable[[Expr, BoundStatement], Number | None]


def moving_subscript(node: Expr, length: int, scope: BoundStatement, number: Compile) -> MovingSubscript | None:
    """The subscript as base + step x (the index along one axis); None where it is no such form, or data decides it.

    `number` compiles an integer expression without axes, or gives None where it may fail.
    """
    names = {part.name for part in inside(node) if isinstance(part, Index)}
    axes = [axis for axis in map(scope.bindings.get, names) if isinstance(axis, Axis | MovingAxis)]
    if depends_on_data(node) or len(axes) > 1:
        return None
    axis, base, step = None, node, 0
    if axes:
        form = affine(node)
        axis, step = axes[0].position, form.factor(axes[0].name)
        if (
            node.type is not Weak.INTEGER
            or not step
            or any(mentions(part, axes[0].name) for part, _ in non_affine_part(form))
        ):
            return None
        base = expression_of(form.without(axes[0].name), node.span)
    compiled = number(base, scope)
    return None if compiled is None else MovingSubscript(compiled, axis, step, length)


_NESTED = 50  # operations of a chain that call one another; a longer chain is run in parts

Run = Callable[[Environment], Any]


@dataclass(frozen=True, slots=True)
class Code:
    """A compiled expression.

    `run` gives its values, which broadcast to the environment's lanes. It is `safe` where it cannot fail at any lane,
    so that it may be computed where it is not wanted. `known` is its value where no data decides it: a number, or an
    array over the statement's axes. `into` computes into a given array.
    """

    run: Run
    safe: bool
    known: Any = None
    into: Callable[[Environment, Values], None] | None = None


def compile_expression(node: Expr, scope: BoundStatement) -> Code:
    """The code of an expression whose range variables the scope binds."""
    match node:
        case Constant() | Index():
            return _leaf(node, scope)
        case Read():
            return _read(node, scope)
        case Operation():
            return _operation(node, scope)
        case Function():
            return _function(node, scope)
        case Convert():
            return _convert(node, scope)
        case Select():
            return _select(node, scope)


def _leaf(node: Constant | Index, scope: BoundStatement) -> Code:
    if isinstance(node, Constant):
        return _known(node.value if isinstance(node.type, Weak) else np.array(node.value, DTYPES[node.type]))
    bound, name = scope.bindings[node.name], node.name
    if isinstance(bound, int):
        return _known(bound)
    if isinstance(bound, Axis):
        return _known(scope.index_array(bound))
    if isinstance(bound, Counter):
        return Code(lambda env: env.counters[name], True)
    position = bound.position

    def run(env: Environment) -> Values:
        axis = env.axes[position]
        return scope.index_array(axis) if env.lanes is None else axis.low + env.lanes[position]

    return Code(run, True)


def _known(value: Any) -> Code:
    """A value over the statement's axes; with lanes, each takes its own element."""
    if np.ndim(value) == 0:
        return Code(lambda _: value, True, value)

    def run(env: Environment) -> Values:
        if env.lanes is None:
            return value
        lanes = zip(env.lanes, value.shape, strict=True)
        return value[tuple(lane if length > 1 else 0 for lane, length in lanes)]

    return Code(run, True, value)


def _applied(apply: arithmetic.Apply, operands: list[Code]) -> Code:
    """A function that cannot fail, of operands; computed now where all of them are known."""
    if all(operand.known is not None for operand in operands):
        with np.errstate(all="ignore"):
            return _known(apply(*(operand.known for operand in operands)))
    safe = all(operand.safe for operand in operands)
    if len(operands) != 2:
        runs = [operand.run for operand in operands]
        return Code(lambda env: apply(*[run(env) for run in runs]), safe)
    left, right = (operand.run for operand in operands)
    if not isinstance(apply, np.ufunc):
        return Code(lambda env: apply(left(env), right(env)), safe)

    def into(env: Environment, out: Values) -> None:
        apply(left(env), right(env), out=out)

    return Code(lambda env: apply(left(env), right(env)), safe, into=into)


def _guarded(
    apply: arithmetic.Apply, operands: list[Code], unfit: Callable[[Any], Any], fault: Fault, span: Span
) -> Code:
    """A function that fails where `unfit` holds of its last operand."""
    last = operands[-1].known
    if last is not None and not np.any(unfit(last)):
        return _applied(apply, operands)

    def run(env: Environment) -> Values:
        values = [operand.run(env) for operand in operands]
        bad = unfit(values[-1])
        if np.any(bad):
            env.refuse(bad, values[-1], fault, span)
        return apply(*values)

    return Code(run, False)


_ZERO = Fault(
    "division-by-zero", "integer division by zero", "guard it with a condition, as in `a // b if b != 0 else 0`"
)


def _operation(node: Operation, scope: BoundStatement) -> Code:
    first, chain = chain_of(node)
    segments: list[Code] = []
    cells: list[list[Values]] = []
    code = compile_expression(first, scope)
    for position, link in enumerate(chain):
        if position and position % _NESTED == 0:
            segments.append(code)
            cells.append([])
            code = Code(partial(_held, cells[-1]), True)
        code = _operated(link, [code, *(compile_expression(other, scope) for other in link.operands[1:])], scope)
    return _settled(node, _segmented(segments, cells, code), scope) if segments else code


def _held(cell: list[Values], _: Environment) -> Values:
    return cell[-1]


def _segmented(segments: list[Code], cells: list[list[Values]], last: Code) -> Code:
    """A chain too long for nested calls: each segment finds the value of the one before it in a cell."""

    def run(env: Environment) -> Values:
        for segment, cell in zip(segments, cells, strict=True):
            cell[:] = [segment.run(env)]
        return last.run(env)

    return Code(run, last.safe and all(segment.safe for segment in segments))


def _operated(node: Operation, operands: list[Code], scope: BoundStatement) -> Code:
    kind = _exact_type(node.operands)
    operator = operator_of(node.operator, len(operands))
    if operator.decides is not None and not operands[1].safe:
        return _short_circuit(node, operands, operator.decides, scope)
    apply = arithmetic.operation(node.operator, len(operands), kind)
    if isinstance(node.type, ElementType) and node.type.is_fixed and operator.fixed is not Fixed.ALIKE:
        apply = arithmetic.combination(operator, node.type)
    integers = kind is None or kind.is_integer
    if operator.guard is Guard.DIVISOR and integers:
        return _guarded(apply, operands, lambda divisor: np.equal(divisor, 0), _ZERO, node.span)
    if operator.guard is Guard.AMOUNT:
        width = f"0..{kind.bits}" if kind else "0..64"
        fault = Fault("shift-out-of-range", f"a shift by {{value}}, outside {width}", "keep the amount below the width")
        return _guarded(
            apply, operands, lambda amount: arithmetic.unfit_amount(amount, kind or ElementType.I64), fault, node.span
        )
    return _applied(apply, operands)


def _exact_type(operands: Sequence[Expr]) -> ElementType | None:
    """The element type that decides the arithmetic: weak floats are f64, weak integers stay exact (None)."""
    kinds = {operand.type for operand in operands}
    for weak, stands_for in ((Weak.FLOAT, ElementType.F64), (Weak.BOOL, ElementType.BOOL), (Weak.INTEGER, None)):
        if weak in kinds:
            return stands_for
    kind = operands[0].type
    assert isinstance(kind, ElementType)
    return kind


def _short_circuit(node: Operation, operands: list[Code], decides: bool, scope: BoundStatement) -> Code:
    """`a and b` where b may fail: b is evaluated only where a does not decide, as in Python."""
    decided = _known(decides)
    left, right = operands
    then, otherwise = (decided, right) if decides else (right, decided)
    return _settled(node, _chosen(left, then, otherwise, np.dtype(bool)), scope)


def _function(node: Function, scope: BoundStatement) -> Code:
    kind = node.arguments[0].type
    if node.name in FUNCTIONS and FUNCTIONS[node.name].numpy is None:
        return _rounding(node, compile_expression(node.arguments[0], scope))
    arguments = [compile_expression(argument, scope) for argument in node.arguments]
    return _applied(arithmetic.function(node.name, kind, exact=node.type is Weak.INTEGER), arguments)


def _rounding(node: Function, operand: Code) -> Code:
    source, last = node.arguments[0].type, node.arguments[-1]
    if FUNCTIONS[node.name].gives is Gives.ROUNDED:
        assert isinstance(last, Constant)
        return _applied(arithmetic.rounding(source, node.type, int(last.value)), [operand])
    assert isinstance(node.type, ElementType)
    apply = arithmetic.saturation(source, node.type)
    if source is Weak.FLOAT or (isinstance(source, ElementType) and source.kind is Kind.FLOAT):
        return _guarded(apply, [operand], np.isnan, arithmetic.no_value(node.type), node.span)
    return _applied(apply, [operand])


def _convert(node: Convert, scope: BoundStatement) -> Code:
    operand = compile_expression(node.operand, scope)
    apply, unfit, fault = conversion(node.operand.type, node.type)
    if unfit is None or fault is None:
        return _applied(apply, [operand])
    return _guarded(apply, [operand], unfit, fault, node.span)


def _select(node: Select, scope: BoundStatement) -> Code:
    condition = compile_expression(node.condition, scope)
    if condition.known is not None and np.ndim(condition.known) == 0:
        return compile_expression(node.then if condition.known else node.otherwise, scope)
    then, otherwise = compile_expression(node.then, scope), compile_expression(node.otherwise, scope)
    dtype = DTYPES[node.type] if isinstance(node.type, ElementType) else np.dtype(_WEAK_DTYPES[node.type])
    return _settled(node, _chosen(condition, then, otherwise, dtype), scope)


def _settled(node: Expr, code: Code, scope: BoundStatement) -> Code:
    """The code of a node, replaced by its value where no data decides it and evaluating it raises nothing."""
    if not scope.decides(node):
        return code
    try:
        return _known(code.run(scope.bare_environment()))
    except ArrayolError:
        return code  # raised again, with its repetition, if it is ever evaluated


_WEAK_DTYPES: dict[ValueType, str] = {Weak.INTEGER: "i8", Weak.FLOAT: "f8", Weak.BOOL: "?"}


def _chosen(condition: Code, then: Code, otherwise: Code, dtype: np.dtype[Any]) -> Code:
    if then.safe and otherwise.safe:
        return _applied_where(condition, then, otherwise)

    def run(env: Environment) -> Values:
        holds = condition.run(env)
        if holds is True or holds is False:  # counters decide
            return (then if holds else otherwise).run(env)
        chosen = np.asarray(holds)
        if chosen.all():
            return then.run(env)
        if not chosen.any():
            return otherwise.run(env)
        result = np.empty(env.full_shape if env.lanes is None else env.lanes[0].shape, dtype)
        for branch, mask in ((then, chosen), (otherwise, np.logical_not(chosen))):
            lanes = env.only(mask)
            result[mask if env.lanes is not None else lanes.lanes] = branch.run(lanes)
        return result

    return Code(run, False)


def _applied_where(condition: Code, then: Code, otherwise: Code) -> Code:
    def run(env: Environment) -> Values:
        holds = condition.run(env)
        if holds is True or holds is False:
            return (then if holds else otherwise).run(env)
        return np.where(holds, then.run(env), otherwise.run(env))

    return Code(run, condition.safe)


def _read(node: Read, scope: BoundStatement) -> Code:
    port, span = node.port, node.span
    shape, nodes = scope.element(port, node.subscripts)
    subscripts = [compile_expression(subscript, scope) for subscript in nodes]
    runs = [subscript.run for subscript in subscripts]
    tracked = port in scope.tracked

    def pick(env: Environment) -> Values:
        place = checked_index(env, port, [run(env) for run in runs], shape, span)
        if tracked:
            require_written(env, env.written[port][place], port, span)
        return env.arrays[port][place]

    index = fixed_index([subscript.known for subscript in subscripts], shape, len(scope.axes))
    seen = locate(nodes, subscripts, shape, scope)

    def read(env: Environment) -> Values:
        view = seen(env) if seen is not None and env.lanes is None else None
        if view is None or (tracked and not np.all(view.of(env.written[port]))):
            return pick(env)
        return view.of(env.arrays[port])

    return Code(read, index is not None and not tracked)


def locate(
    nodes: Sequence[Expr], subscripts: Sequence[Code], shape: tuple[int, ...], scope: BoundStatement
) -> Callable[[Environment], Window | None] | None:
    """The elements of subscripts as a window, or None at run time where it leaves the port; None where none serves."""
    axes = len(scope.axes)
    index = fixed_index([subscript.known for subscript in subscripts], shape, axes)
    if index is not None:
        fixed = window(index, axes)
        return None if fixed is None else lambda _: fixed
    moving = moving_window(
        [moving_subscript(node, length, scope, _number) for node, length in zip(nodes, shape, strict=True)], axes
    )
    return None if moving is None else moving.locator()


def _number(node: Expr, scope: BoundStatement) -> Callable[[Environment], int] | None:
    """An integer expression without axes as a function of the counters; None where it may fail."""
    code = compile_expression(node, scope)
    if not code.safe or node.type is not Weak.INTEGER:
        return None
    if code.known is not None:
        value = int(code.known)
        return lambda _: value
    run = code.run
    return lambda env: int(run(env))
