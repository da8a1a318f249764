"""Which range variables may be computed for all their indices at once.

Different indices of a variable v touch different elements if every port that the statements write has a dimension
whose subscript is, in all accesses to that port, the same c v + g, c a nonzero constant and g free of the other
variables in play. Then no dependence is carried by v, and its indices need no order. A sufficient rule, by syntax.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from arrayol.execute.walk import assigns, chain_of, expressions, inside, mentions, ranges
from arrayol.ir.body import Assign, Constant, Expr, Index, Operation, Range, Read, Statement
from arrayol.ir.types import Weak

_LONG_CHAIN = 100
_EXACT_LIMIT = 1 << 62  # what int64 index arrays hold, with a factor of 2 to spare


def independent_variables(own: Sequence[Range], statements: Sequence[Statement]) -> frozenset[str]:
    """Those of the variables of `own`, the ranges right around `statements`, that carry no dependence."""
    inner = [*own, *ranges(statements)]
    names = [one.name for one in inner]
    if len(set(names)) != len(names) or _has_long_chains(statements):
        return frozenset()
    return frozenset(
        one.name
        for one in own
        if not any(mentions(bound, one.name) for other in inner for bound in (other.low, other.high))
        and _touches_own_elements(one.name, [name for name in names if name != one.name], statements)
    )


def _has_long_chains(statements: Sequence[Statement]) -> bool:
    """Whether index arithmetic is deeper than the functions here may recurse."""
    nodes = (node for one in assigns(statements) for outer in expressions(one) for node in inside(outer))
    weak = (node for node in nodes if isinstance(node, Operation) and node.type is Weak.INTEGER)
    return any(len(chain_of(node)[1]) > _LONG_CHAIN for node in weak)


def _touches_own_elements(name: str, others: Sequence[str], statements: Sequence[Statement]) -> bool:
    accesses = _accesses(list(assigns(statements)))
    return all(
        any(_separates(name, others, [one[dimension] for one in found]) for dimension in range(len(found[0])))
        for found in accesses.values()
    )


def _accesses(statements: Sequence[Assign]) -> dict[str, list[tuple[Expr, ...]]]:
    """Subscripts of every access to each written port."""
    found: dict[str, list[tuple[Expr, ...]]] = {}
    for statement in statements:
        found.setdefault(statement.port, []).append(statement.subscripts)
    for statement in statements:
        for node in (node for outer in expressions(statement) for node in inside(outer)):
            if isinstance(node, Read) and node.port in found:
                found[node.port].append(node.subscripts)
    return found


def _separates(name: str, others: Sequence[str], subscripts: Sequence[Expr]) -> bool:
    first = subscripts[0]
    return (
        all(subscript == first for subscript in subscripts)
        and bool(_coefficient(first, name))
        and not any(mentions(first, other) for other in others)
    )


def _coefficient(node: Expr, name: str) -> int | None:
    """The c where the expression is c v + g with g free of v; None where that cannot be seen."""
    if not mentions(node, name):
        return 0
    if isinstance(node, Index):
        return 1
    found = [_coefficient(operand, name) for operand in node.operands] if isinstance(node, Operation) else [None]
    terms = [term for term in found if term is not None]
    if not isinstance(node, Operation) or len(terms) < len(found):
        return None
    return _combined(node, terms)


def _combined(node: Operation, terms: Sequence[int]) -> int | None:
    """The coefficient of an operation on expressions that have one each."""
    if node.operator == "*":
        constant, other = (0, 1) if terms[0] == 0 else (1, 0)
        return _scaled(node.operands[constant], terms[other])
    if node.operator not in ("+", "-"):
        return None
    last = terms[-1] if node.operator == "+" else -terms[-1]
    return last if len(terms) == 1 else terms[0] + last


def _scaled(factor: Expr, coefficient: int) -> int | None:
    return factor.value * coefficient if isinstance(factor, Constant) and isinstance(factor.value, int) else None


def fits_index_arrays(statement: Assign, limits: Mapping[str, int]) -> bool:
    """Whether all index arithmetic of a statement stays far inside 64 bits, given bounds on |variable|."""
    nodes = (node for outer in expressions(statement) for node in inside(outer))
    return all(_magnitude(node, limits) < _EXACT_LIMIT for node in nodes if isinstance(node, Operation | Index))


def _magnitude(node: Expr, limits: Mapping[str, int]) -> int:
    """A bound on the absolute value of an integer expression; 0 for what is not one."""
    if isinstance(node, Constant):
        return abs(int(node.value))
    if isinstance(node, Index):
        return limits[node.name]
    if not isinstance(node, Operation) or node.type is not Weak.INTEGER:
        return 0
    sizes = [_magnitude(operand, limits) for operand in node.operands]
    if node.operator == "*":
        return math.prod(sizes)
    if node.operator == "<<":
        return sizes[0] << min(sizes[1], 100)
    return 2 * sum(sizes) + 1
