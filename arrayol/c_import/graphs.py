"""Values with parts of them changed: each node once, so that what is shared stays shared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from arrayol.c_import.model import BOOL, COperation, Dynamic, ElementAccess, ElementGuard, Form, Statement, data_of
from arrayol.ir.affine import Affine

_TURNED = {">=": "<=", "==": "==", "!=": "!="}


def mapped(
    root: COperation, change: Callable[[COperation], COperation], known: dict[int, COperation] | None = None
) -> COperation:
    """The value whose nodes are changed, operands first; `known` has nodes that were changed before, by identity."""
    known = {} if known is None else known
    for node in root.nodes():
        if id(node) not in known:
            operands = tuple(known[id(one)] for one in node.operands)
            access = None if node.access is None else with_values(node.access, known)
            known[id(node)] = change(replace(node, operands=operands, access=access))
    return known[id(root)]


def with_values(access: ElementAccess, known: dict[int, COperation]) -> ElementAccess:
    """An access of its own, with the changed values of what depends on data in its subscripts."""
    return replace(access, subscripts=tuple(_with_values(form, known) for form in access.subscripts))


def _with_values(form: Form, known: dict[int, COperation]) -> Form:
    terms = tuple(
        (Dynamic(known[id(term.value)]) if isinstance(term, Dynamic) else term, factor) for term, factor in form.terms
    )
    return Affine(terms, form.constant)


def truth_of(condition: ElementGuard) -> COperation:
    """A condition as a truth value."""
    if condition.form is None:
        first, *others = map(truth_of, condition.parts)
        for other in others:
            first = COperation(condition.kind, BOOL, (first, other))
        return first
    terms = condition.form.terms
    above: Form = Affine(tuple((term, factor) for term, factor in terms if factor > 0))
    below: Form = Affine(tuple((term, -factor) for term, factor in terms if factor < 0), -condition.form.constant)
    kind = condition.kind
    if not above.terms:
        above, below, kind = below + condition.form.constant, Affine(constant=condition.form.constant), _TURNED[kind]
    return COperation(kind, BOOL, (_integer(above), _integer(below)))


def _integer(form: Form) -> COperation:
    if form.number is None:
        return COperation("form", "i32", form=form)
    return COperation("literal", "i32", text=str(form.number), form=form)


def zero_of(kind: str) -> COperation:
    """The value 0 of a type."""
    zero = COperation("literal", kind, text="false" if kind == BOOL else "0")
    return zero if kind in {"i32", "f64", BOOL} else COperation("convert", kind, (zero,))


def with_accesses(statement: Statement, change: Callable[[ElementAccess], ElementAccess]) -> Statement:
    """The statement with other elements in place of those that it reads and writes."""
    known: dict[int, COperation] = {}

    def node_of(node: COperation) -> COperation:
        return node if node.access is None else replace(node, access=change(node.access))

    for value in data_of(statement.target):
        mapped(value, node_of, known)
    value = mapped(statement.value, node_of, known)
    return replace(statement, target=change(with_values(statement.target, known)), value=value)
