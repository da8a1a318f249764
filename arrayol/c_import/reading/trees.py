"""Parts of syntax trees: what they name and assign, and new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pycparser import c_ast


class Chosen(c_ast.Node):  # type: ignore[misc]  # pycparser has no types
    """The value that a `switch` chooses by: a scalar `name` with the value of an expression."""

    __slots__ = ("coord", "expr", "name")
    attr_names = ("name",)

    def __init__(self, name: str, expr: Any, coord: Any) -> None:
        self.name, self.expr, self.coord = name, expr, coord

    def children(self) -> tuple[tuple[str, Any], ...]:
        """The expression."""
        return (("expr", self.expr),)

    def __iter__(self) -> Iterator[Any]:
        yield self.expr


class RunsOnce(c_ast.For):  # type: ignore[misc]
    """The `for` that a `do` became: its first iteration does not ask the condition."""

    __slots__ = ()


def stepped_name(node: Any) -> str | None:
    """The scalar that a step of a loop moves."""
    match node:
        case c_ast.UnaryOp() if node.op in {"++", "--", "p++", "p--"} and isinstance(node.expr, c_ast.ID):
            return str(node.expr.name)
        case c_ast.Assignment() if node.op in {"+=", "-="} and isinstance(node.lvalue, c_ast.ID):
            return str(node.lvalue.name)
        case c_ast.Assignment() if node.op == "=" and isinstance(node.lvalue, c_ast.ID):
            sides = node.rvalue
            if isinstance(sides, c_ast.BinaryOp) and sides.op in {"+", "-"}:
                names = [getattr(side, "name", None) for side in (sides.left, sides.right)]
                if node.lvalue.name in names[: 2 if sides.op == "+" else 1]:
                    return str(node.lvalue.name)
    return None


def nodes_below(node: Any) -> Iterator[Any]:
    """A node and all below it."""
    yield node
    for _, child in node.children():
        yield from nodes_below(child)


def names_in(node: Any) -> set[str]:
    """The names below a node."""
    return {one.name for one in nodes_below(node) if isinstance(one, c_ast.ID)}


def names_unordered(whole: Any, inner: Any, place: Any) -> bool:
    """Whether an expression names a place where C leaves open what comes first, that or an inner part of it."""
    while whole is not inner:
        children = [child for _, child in whole.children()]
        parts = children if not isinstance(whole, c_ast.FuncCall) or whole.args is None else whole.args.exprs
        step = next((one for one in parts if any(below is inner for below in nodes_below(one))), None)
        if step is None:
            return True  # it stands in another expression
        in_order = isinstance(whole, c_ast.TernaryOp | c_ast.ExprList) or getattr(whole, "op", None) in {"&&", "||"}
        if not in_order and any(_may_name(one, place) for one in parts if one is not step):
            return True
        whole = step
    return False


def _may_name(node: Any, place: Any) -> bool:
    """Whether an expression names the variable of a place, but for other fields of a struct."""
    own, fields = _fields(node)
    base, others = _fields(place)
    while isinstance(base, c_ast.ArrayRef | c_ast.UnaryOp | c_ast.Cast):
        base, others = _fields(base.name if isinstance(base, c_ast.ArrayRef) else base.expr)[0], []
    if isinstance(own, c_ast.ID):
        return bool(own.name == base.name) and all(map(str.__eq__, fields, others))
    return any(_may_name(child, place) for _, child in own.children())


def _fields(node: Any) -> tuple[Any, list[str]]:
    """What an expression names a field of, with the names of the fields, outermost first."""
    fields: list[str] = []
    while isinstance(node, c_ast.StructRef):
        fields.insert(0, node.field.name)
        node = node.name
    return node, fields


def assigns(node: Any, name: str) -> bool:
    """Whether a statement may assign a scalar, also by its address."""
    for one in nodes_below(node):
        target = None
        if isinstance(one, c_ast.Assignment):
            target = one.lvalue
        elif isinstance(one, c_ast.UnaryOp) and one.op in {"++", "--", "p++", "p--", "&"}:
            target = one.expr
        if getattr(target, "name", None) == name:
            return True
    return False


def with_inner(node: Any, change: Callable[[Any], Any]) -> Any:
    """A statement with its inner statements changed."""
    made = node
    for slot in ("iftrue", "iffalse", "stmt"):
        inner = getattr(node, slot, None)
        if isinstance(inner, c_ast.Node):
            made = _with(made, node, slot, change(inner))
    for slot in ("block_items", "stmts"):
        several = getattr(node, slot, None)
        if several:
            made = _with(made, node, slot, [change(one) for one in several])
    return made


def _with(made: Any, node: Any, slot: str, value: Any) -> Any:
    if made is node:
        made = object.__new__(type(node))
        for name in (one for kind in type(node).__mro__ for one in getattr(kind, "__slots__", ())):
            if name != "__weakref__":
                setattr(made, name, getattr(node, name))
    setattr(made, slot, value)
    return made


def items_of(node: Any) -> list[Any]:
    """The statements of a block, or the one that stands in its place."""
    return list(node.block_items or []) if isinstance(node, c_ast.Compound) else [node]


def as_one(nodes: list[Any]) -> Any:
    """Statements as one."""
    return nodes[0] if len(nodes) == 1 else c_ast.Compound(nodes, nodes[0].coord if nodes else None)


def is_any_of(name: str, labels: Sequence[Any]) -> Any:
    """That what is chosen is one of the labels."""
    tests = [c_ast.BinaryOp("==", c_ast.ID(name, one.coord), one, one.coord) for one in labels]
    whole = tests[0]
    for test in tests[1:]:
        whole = c_ast.BinaryOp("||", whole, test, test.coord)
    return whole


def negation(node: Any) -> Any:
    """`!node`."""
    return c_ast.UnaryOp("!", node, node.coord)


def number(value: int, coord: Any) -> Any:
    """An integer."""
    return c_ast.Constant("int", str(value), coord)


def assignment(name: str, value: Any, coord: Any) -> Any:
    """`name = value;`."""
    return c_ast.Assignment("=", c_ast.ID(name, coord), value, coord)


def new_flag(name: str, coord: Any) -> Any:
    """`_Bool name = 0;`."""
    kind = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(["_Bool"], coord), coord)
    return c_ast.Decl(name, [], [], [], [], kind, number(0, coord), None, coord)


def declarator(kind: Any) -> Any:
    """The innermost part of a type, which has its name."""
    while not isinstance(kind, c_ast.TypeDecl):
        kind = kind.type
    return kind


def is_void(kind: Any) -> bool:
    """Whether a type is `void`."""
    inner = getattr(declarator(kind), "type", None)
    return isinstance(kind, c_ast.TypeDecl) and getattr(inner, "names", None) == ["void"]
