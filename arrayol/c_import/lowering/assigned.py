"""Which scalars and pointers a statement may assign."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from arrayol.c_import.lowering.symbols import (
    CArray,
    Cell,
    PointerCell,
    StructCell,
)
from arrayol.c_import.reading.syntax import has_steps, nodes_of
from arrayol.c_import.reading.trees import Chosen


def cells_of(symbol: Any) -> list[Cell | PointerCell]:
    """The scalars and pointers that a name stands for."""
    if isinstance(symbol, StructCell):
        return [cell for one in symbol.cells.values() for cell in cells_of(one)]
    if isinstance(symbol, CArray):
        return list((symbol.cells or {}).values())
    return [symbol] if isinstance(symbol, Cell | PointerCell) else []


def assigned_names(node: Any) -> set[str]:
    """Names of scalars and pointers of outer blocks that a statement may assign, also by their address."""
    if isinstance(node, c_ast.Compound | c_ast.For):
        names: set[str] = set()
        declared: set[str] = set()
        for _, child in node.children():
            declared |= _declared(child)
            names |= assigned_names(child) - declared
        return names
    own = {target} if (target := _assigned(node)) is not None else set()
    return own.union(*(assigned_names(child) for _, child in node.children()))


def has_assignments(node: Any) -> bool:
    """Whether an expression assigns something itself."""
    return has_steps(node) or bool(nodes_of(node, c_ast.Assignment))


def has_effects(function: Any) -> bool:
    """Whether a function may change what outlives a call of it."""
    parameters = function.decl.type.args.params if function.decl.type.args else []
    own = {one.name for one in parameters if isinstance(one, c_ast.Decl) and isinstance(one.type, c_ast.TypeDecl)}
    if assigned_names(function.body) - own:
        return True
    if any(isinstance(one.lvalue, c_ast.UnaryOp) for one in nodes_of(function, c_ast.Assignment)):
        return True
    kept = [one for one in nodes_of(function, c_ast.Decl) if "static" in (one.storage or [])]
    return any("const" not in (one.quals or []) for one in kept)


def _declared(node: Any) -> set[str]:
    """The names that a statement of a block declares."""
    if isinstance(node, c_ast.DeclList):
        return {one.name for one in node.decls}
    return {node.name} if isinstance(node, c_ast.Decl | Chosen) and node.name else set()


def _assigned(node: Any) -> str | None:
    """The name that a node itself may assign; of a declaration, which a refused one leaves without a value."""
    if isinstance(node, c_ast.Decl | Chosen):
        return None if node.name is None else str(node.name)
    target = None
    if isinstance(node, c_ast.Assignment):
        target = node.lvalue
    elif isinstance(node, c_ast.UnaryOp) and node.op in {"++", "--", "p++", "p--", "&"}:
        target = node.expr
    while isinstance(target, c_ast.StructRef | c_ast.Cast | c_ast.ArrayRef):
        target = target.expr if isinstance(target, c_ast.Cast) else target.name
    return str(target.name) if isinstance(target, c_ast.ID) else None
