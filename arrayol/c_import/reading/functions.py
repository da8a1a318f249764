"""Pointers to functions whose names the text says: calls of these functions in their place.

A function that is handed another one, as in `apply(x, n, add)`, is copied for each that it is handed, and calls it by
its name. A table of functions, `static const op ops[] = {add, sub}`, becomes a choice: `ops[k](v)` is
`k == 0 ? add(v) : sub(v)`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from pycparser import c_ast

from arrayol.c_import.reading.trees import names_in, nodes_below, number

_MOST_COPIES = 64
_Tables: TypeAlias = "Mapping[str, list[str]]"


def without_function_pointers(functions: dict[str, Any], declarations: Sequence[Any]) -> None:
    """Change the functions of a file, by name, so that all calls that the text decides name a function."""
    bodies = [one.body for one in functions.values()]
    assigned = {name for one in _below(bodies, c_ast.Assignment) for name in names_in(one.lvalue)}
    whole = _tables(declarations, functions, assigned)
    copies, copied, waiting = dict[str, Any](), set[str](), list(functions.values())
    for function in waiting:  # which grows
        own = _tables(_below([function.body], c_ast.Decl), functions, assigned)
        hidden = {one.name for one in nodes_below(function) if isinstance(one, c_ast.Decl)}
        known = {**{name: one for name, one in whole.items() if name not in hidden}, **own}
        _call_by_name(function.body, known)
        for call in _below([function.body], c_ast.FuncCall):
            called = functions.get(getattr(call.name, "name", ""))
            given = {} if called is None else _handed_over(call, called, functions, known)
            if called is None or not given or len(copies) >= _MOST_COPIES:
                continue
            name = "_".join([called.decl.name, *given.values()])
            if name not in functions and name not in copies:
                copies[name] = _with_functions(called, name, given)
                waiting.append(copies[name])
            places = [one.name for one in called.decl.type.args.params]
            copied.add(called.decl.name)
            call.name.name = name
            call.args.exprs = [one for one, place in zip(call.args.exprs, places, strict=True) if place not in given]
    functions.update(copies)
    kept = [one for key, one in functions.items() if key not in copied]
    for name in copied - {_function_name(one.name) for one in _below(kept, c_ast.FuncCall)}:
        del functions[name]


def _below(nodes: Iterable[Any], kind: type) -> list[Any]:
    return [one for node in nodes for one in nodes_below(node) if isinstance(one, kind)]


def _tables(declarations: Iterable[Any], functions: Mapping[str, Any], assigned: Collection[str]) -> _Tables:
    """Variables that hold functions, one or a row of them, by name; those that are assigned are left out."""
    found: dict[str, list[str]] = {}
    for one in declarations:
        if not isinstance(one, c_ast.Decl) or one.init is None or one.name in assigned:
            continue
        items = one.init.exprs if isinstance(one.init, c_ast.InitList) else [one.init]
        names = [_function_name(item) for item in items]
        if names and all(name in functions for name in names):
            found[one.name] = names
    return found


def _function_name(node: Any) -> str:
    """The name in `f`, `&f` and `*f`; empty for other expressions."""
    while isinstance(node, c_ast.UnaryOp) and node.op in {"&", "*"}:
        node = node.expr
    return str(node.name) if isinstance(node, c_ast.ID) else ""


def _handed_over(call: Any, called: Any, functions: Mapping[str, Any], known: _Tables) -> dict[str, str]:
    """By parameter, the function that a call hands over."""
    parameters = called.decl.type.args.params if called.decl.type.args else []
    arguments = call.args.exprs if call.args else []
    if len(parameters) != len(arguments):
        return {}
    names = [_function_name(one) for one in arguments]
    names = [known[name][0] if len(known.get(name, ())) == 1 else name for name in names]
    return {one.name: name for one, name in zip(parameters, names, strict=True) if name in functions}


def _with_functions(function: Any, name: str, given: Mapping[str, str]) -> Any:
    """A copy of a function that names these functions in place of its parameters."""
    copy = deepcopy(function)
    copy.decl.name = name
    arguments = copy.decl.type.args
    arguments.params = [one for one in arguments.params if one.name not in given]
    if not arguments.params:
        copy.decl.type.args = None
    for one in _below([copy.body], c_ast.ID):
        one.name = given.get(one.name, one.name)
    _call_by_name(copy.body, {one: [one] for one in given.values()})
    return copy


def _call_by_name(node: Any, known: _Tables) -> None:
    """Change the calls below a node that name a variable which holds functions, and leave its declaration out."""
    for parent in list(nodes_below(node)):
        for field in (one for kind in type(parent).__mro__ for one in getattr(kind, "__slots__", ())):
            value = getattr(parent, field, None)
            if isinstance(value, c_ast.FuncCall):
                is_branch = field == "stmt" or (isinstance(parent, c_ast.If) and field != "cond")
                setattr(parent, field, _named_call(value, known, is_statement=is_branch))
            elif isinstance(value, list):
                is_block = field in {"block_items", "stmts"}
                others = [one for one in value if not isinstance(one, c_ast.Decl) or one.name not in known]
                setattr(parent, field, [_named_call(one, known, is_statement=is_block) for one in others])


def _named_call(node: Any, known: _Tables, *, is_statement: bool) -> Any:
    """A call by name in place of one through a variable; of a table a choice, which a statement makes by `if`."""
    if not isinstance(node, c_ast.FuncCall):
        return node
    table = node.name.name if isinstance(node.name, c_ast.ArrayRef) else node.name
    names = known.get(_function_name(table), [])
    if table is node.name:
        if len(names) == 1:
            node.name = c_ast.ID(names[0], node.coord)
        return node
    place = node.name.subscript
    if not names or any(getattr(one, "op", "") in {"++", "--", "p++", "p--"} for one in nodes_below(place)):
        return node
    calls = [c_ast.FuncCall(c_ast.ID(one, node.coord), deepcopy(node.args), node.coord) for one in names]
    choice: Any = calls.pop()
    for at, call in reversed(list(enumerate(calls))):
        condition = c_ast.BinaryOp("==", deepcopy(place), number(at, node.coord), node.coord)
        kind = c_ast.If if is_statement else c_ast.TernaryOp
        choice = kind(condition, call, choice, node.coord)
    return choice
