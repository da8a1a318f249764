"""Expressions of symbols as isl's text, and what is known of symbols."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import islpy as isl

from arrayol.errors import ArrayolError, error
from arrayol.ir import expressions
from arrayol.ir.spec import RepetitiveTask, SymbolicComponent
from arrayol.polyhedral.nests import Parameters
from arrayol.polyhedral.pieces import value_pieces
from arrayol.source import Span
from arrayol.tiling.nest import parameter


def parameters_of(symbolic: SymbolicComponent) -> Parameters:
    """The symbols of a component and the shapes of its ports, for isl."""
    names = {name: parameter(name) for name in symbolic.symbols}
    extents = {
        port: tuple(affine_text(extent, symbolic) for extent in shape if extent is not None)
        for port, shape in symbolic.shapes.items()
    }
    return Parameters(names, extents)


def affine_text(expr: expressions.Expr, symbolic: SymbolicComponent) -> str:
    """An expression of symbols. Raises ArrayolError (`not-symbolic`) where it is not affine."""
    pieces = value_pieces(expr, {name: parameter(name) for name in symbolic.symbols})
    if pieces is None or len(pieces) != 1 or pieces[0][0]:
        raise not_affine(symbolic, expr.span, "it must be a sum of multiples of the symbols")
    return pieces[0][1]


def product_text(factor: expressions.Expr, name: str, symbolic: SymbolicComponent) -> str:
    """A factor times an index. Raises ArrayolError (`not-symbolic`) where the factor holds a symbol."""
    if not isinstance(factor, expressions.Constant):
        raise not_affine(symbolic, factor.span, "it multiplies an index, and a product of two unknowns is not affine")
    return f"{int(factor.value)} * {name}"


def not_affine(symbolic: SymbolicComponent, span: Span, why: str) -> ArrayolError:
    """The refusal of symbols that this analysis cannot follow."""
    names = ", ".join(f"'{name}'" for name in symbolic.symbols)
    hint = "leave it out of --symbolic, or write the specification so that the symbol only adds"
    return error("not-symbolic", f"{names} cannot stay symbolic here: {why}", span, hint=hint)


def parameter_set(symbols: Iterable[str], conditions: Sequence[str]) -> isl.Set:
    """A set of values of symbols."""
    names = ", ".join(parameter(name) for name in symbols)
    return isl.Set(f"[{names}] -> {{ : {' and '.join(conditions) or 'true'} }}")


def context_of(symbolic: SymbolicComponent) -> isl.Set:
    """What is known of the symbols: no dimension is empty, and `/` divides exactly."""
    repeated = symbolic.component
    shapes = [*symbolic.shapes.values(), repeated.repetition if isinstance(repeated, RepetitiveTask) else ()]
    extents = [extent for shape in shapes for extent in shape if extent is not None]
    conditions = [f"{affine_text(extent, symbolic)} >= 1" for extent in extents]
    conditions += [f"({affine_text(expr, symbolic)}) mod {abs(by)} = 0" for expr, by in symbolic.divisible]
    return parameter_set(symbolic.symbols, list(dict.fromkeys(conditions)))
