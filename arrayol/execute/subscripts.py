"""Subscripts that depend on counters, taken apart into an integer and a step along one axis computed at once."""

from __future__ import annotations

from collections.abc import Callable

from arrayol.execute.elements import MovingSubscript
from arrayol.execute.environment import Axis, Environment
from arrayol.execute.scope import MovingAxis, Scope
from arrayol.ir.affine import affine, expression_of, rest_of
from arrayol.ir.expressions import Expr, Index, depends_on_data, inside, mentions
from arrayol.ir.types import Weak

Number = Callable[[Environment], int]
Compile = Callable[[Expr, Scope], Number | None]


def moving_subscript(node: Expr, length: int, scope: Scope, number: Compile) -> MovingSubscript | None:
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
        if node.type is not Weak.INTEGER or not step or any(mentions(part, axes[0].name) for part, _ in rest_of(form)):
            return None
        base = expression_of(form.without(axes[0].name), node.span)
    compiled = number(base, scope)
    return None if compiled is None else MovingSubscript(compiled, axis, step, length)
