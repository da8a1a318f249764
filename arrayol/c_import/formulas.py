"""Local arrays that a loop fills with what only its iterators decide, as a gamma curve: const arrays with a formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from arrayol.c_import.bodies import BodyText
from arrayol.c_import.forms import renamed
from arrayol.c_import.graphs import mapped
from arrayol.c_import.model import COperation, Scop, Statement, Variable
from arrayol.c_import.plans import Stage, WrittenDim, is_dynamic

_EXACT = frozenset({"i32", "i64", "f64", "bool"})  # a formula is computed with integers of any size, and in f64


def with_formulas(scop: Scop, stages: Sequence[Stage]) -> tuple[Scop, tuple[Stage, ...]]:
    """The scop with formulas for local arrays that iterators alone fill, and the stages but those that fill them."""
    variables, kept, found = dict(scop.variables), list[Stage](), dict[str, Statement]()
    sliced = {name for stage in stages for name in stage.sliced}  # a step takes its slice as an input
    for stage in stages:
        statement = None if stage.steps else _filling(stage, scop, found)
        if statement is None or statement.target.array in sliced:
            kept.append(stage)
        else:
            found[statement.target.array] = statement
            variable = variables[statement.target.array]
            variables[variable.name] = replace(variable, formula=_formula(stage, statement, scop))
    read = {access.array for stage in kept for one in stage.statements for access in one.reads}
    unread = {name for name in found if name not in read}  # but by other formulas
    variables = {name: one for name, one in variables.items() if name not in unread}
    return replace(scop, variables=variables), tuple(kept)


def _filling(stage: Stage, scop: Scop, known: Mapping[str, Statement]) -> Statement | None:
    """The statement that gives all elements of an array their only values, without reads; None for other stages.

    Elements of `known` arrays, which have formulas already, are put in.
    """
    statement, target = stage.statements[0], stage.statements[0].target
    writers = [one for one in scop.statements if one.target.array == target.array]
    if len(writers) > 1 or len(stage.statements) > 1 or not _lives_inside(scop.variables[target.array]):
        return None
    if statement.accumulate or statement.conditions or target.array not in stage.filled:
        return None
    names = [form.terms[0][0] if len(form.terms) == 1 and not form.constant else None for form in target.subscripts]
    if names != [loop.name for loop in statement.loops]:
        return None
    if any(one.array not in known or any(map(is_dynamic, one.subscripts)) for one in statement.reads):
        return None
    root = mapped(statement.value, lambda node: node if node.access is None else _element(known, node))
    inner = [one for one in root.nodes() if one is not root]
    is_exact = all(one.type in _EXACT for one in inner) and (root.type in _EXACT or root.kind == "convert")
    return replace(statement, value=root) if is_exact else None


def _element(known: Mapping[str, Statement], read: COperation) -> COperation:
    """The value of an element of an array that has a formula."""
    assert read.access is not None
    statement = known[read.access.array]
    places = dict(zip((loop.name for loop in statement.loops), read.access.subscripts, strict=True))

    def moved(node: COperation) -> COperation:
        return node if node.form is None else replace(node, form=renamed(node.form, places))

    return mapped(statement.value, moved)


def _lives_inside(variable: Variable) -> bool:
    return variable.local and not variable.state and not variable.table and bool(variable.dims)


def _formula(stage: Stage, statement: Statement, scop: Scop) -> str:
    """`[e for i in 0..N]`: the elements in their order."""
    variable = scop.variables[statement.target.array]
    places = {variable.name: tuple(WrittenDim((), dim) for dim in variable.dims)}
    whole = replace(stage, axes=(), places=places)
    return BodyText(whole, scop.variables, scop.consts, (), frozenset(), {}).formula(statement)
