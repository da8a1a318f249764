"""From the parser's reductions to the syntax tree, one method per rule of the grammar; and walks over syntax trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from itertools import pairwise
from typing import Any

from lark import Token, Transformer

from arrayol.ir import syntax, trusted
from arrayol.ir.borders import BORDER_MODES
from arrayol.ir.syntax import Name
from arrayol.source import EditedPiece, SourceFile, Span

# Lark hands over the children of a rule as one list; the grammar guarantees what stands where.
Children = list[Any]


@dataclass(frozen=True, slots=True)
class _Group:
    """A bracketed or introduced part of a definition, until the rule around it takes its items."""

    kind: str
    items: tuple[Any, ...]
    span: Span


class Builder(Transformer[Token, Any]):
    """Builds nodes while the parser reduces, so no tree of Lark's own is ever made.

    One serves every file, as the tables of the grammar do: `open` says whose tokens come next.
    """

    def __init__(self) -> None:
        super().__init__(visit_tokens=False)
        self.file: SourceFile | EditedPiece = SourceFile("", "")
        self.comments: list[Token] = []

    def __reduce__(self) -> tuple[type[Builder], tuple[()]]:
        """Kept with the tables without any file."""
        return Builder, ()

    def open(self, file: SourceFile | EditedPiece) -> None:
        """Begin with another file, or a piece of one."""
        self.file = file
        self.comments = []

    def keep_comment(self, comment: Token) -> Token:
        """What the lexer does with a comment; the grammar ignores it."""
        self.comments.append(comment)
        return comment

    def token_span(self, token: Token) -> Span:
        """The place of a token."""
        return self.file.span(token.start_pos or 0, token.end_pos or 0)

    def _span_of(self, child: Any) -> Span:
        if isinstance(child, Token):
            return self.token_span(child)
        span: Span = child.span
        return span

    def _span(self, children: Children) -> Span:
        return self._span_of(children[0]).to(self._span_of(children[-1]))

    def _name(self, token: Token) -> Name:
        return trusted.Name(str(token), self.token_span(token))

    def _names(self, children: Children) -> tuple[Name, ...]:
        return tuple(self._name(child) for child in children if isinstance(child, Token) and child.type == "NAME")

    def _group(self, kind: str, children: Children) -> _Group:
        return _Group(kind, _nodes(children), self._span(children))

    # Definitions

    def import_(self, children: Children) -> syntax.Import:
        return trusted.Import(str(children[1])[1:-1], self._span(children))

    def const(self, children: Children) -> syntax.Const:
        return trusted.Const(self._name(children[1]), children[3], self._span(children))

    def const_array(self, children: Children) -> syntax.ConstArray:
        dims, value = _find("dims", children), children[-1]
        if isinstance(value, Token):
            value = trusted.DataFile(str(value)[1:-1], b"", self.token_span(value))
        return trusted.ConstArray(
            self._name(children[1]), children[3], dims.items if dims else (), value, self._span(children)
        )

    def table(self, children: Children) -> syntax.Table:
        ranges = _find("ranges", children)
        rows = ((children[1],),) if ranges else tuple(row.items for row in _nodes(children))
        return trusted.Table(rows, ranges.items if ranges else (), self._span(children))

    def tiler_def(self, children: Children) -> syntax.TilerDef:
        return trusted.TilerDef(self._name(children[1]), children[3], self._span(children))

    def elementary(self, children: Children) -> syntax.Elementary:
        body, extern = _find("body", children), _find("extern", children)
        return trusted.Elementary(
            self._name(children[1]),
            _signature_of(children),
            body.items if body else None,
            extern.items[0] if extern else None,
            self._span(children),
            _parameters_of(children),
        )

    def parameters(self, children: Children) -> _Group:
        return _Group("parameters", self._names(children), self._span(children))

    def extern(self, children: Children) -> _Group:
        return _Group("extern", (str(children[1])[1:-1],), self._span(children))

    def signature(self, children: Children) -> syntax.Signature:
        return trusted.Signature(children[0].items, children[2].items, self._span(children))

    def ports(self, children: Children) -> _Group:
        return self._group("ports", children)

    def port(self, children: Children) -> syntax.Port:
        dims = children[3].items if len(children) > 3 else ()
        return trusted.Port(self._name(children[0]), children[2], dims, self._span(children))

    def type(self, children: Children) -> Name:
        return self._name(children[0])

    def dims(self, children: Children) -> _Group:
        return self._group("dims", children)

    def infinite(self, children: Children) -> syntax.Infinite:
        return trusted.Infinite(self._span(children))

    # Bodies

    def body(self, children: Children) -> _Group:
        return self._group("body", children)

    def local(self, children: Children) -> syntax.Local:
        dims = _find("dims", children)
        initial = children[-1] if isinstance(children[-2], Token) and children[-2].type == "EQUAL" else None
        return trusted.Local(
            self._name(children[0]), children[2], dims.items if dims else (), initial, self._span(children)
        )

    def assign(self, children: Children) -> syntax.Assign:
        ranges, where = _find("ranges", children), _find("where", children)
        return trusted.Assign(
            children[0],
            children[2],
            children[1].type == "PLUS_EQUAL",
            ranges.items if ranges else (),
            where.items[0] if where else None,
            self._span(children),
        )

    def iteration(self, children: Children) -> _Group:
        return self._group("ranges", children)

    def where(self, children: Children) -> _Group:
        return self._group("where", children)

    def loop(self, children: Children) -> syntax.Loop:
        nodes = _nodes(children)
        ranges = tuple(node for node in nodes if isinstance(node, syntax.Range))
        return trusted.Loop(ranges, nodes[len(ranges) :], self._span(children))

    def range(self, children: Children) -> syntax.Range:
        return trusted.Range(self._name(children[0]), children[2], children[4], self._span(children))

    def ref(self, children: Children) -> syntax.Ref:
        return trusted.Ref(self._name(children[0]), _nodes(children), self._span(children))

    # Tasks

    def task(self, children: Children) -> syntax.Task:
        content = tuple(node for node in _nodes(children) if not isinstance(node, (_Group, syntax.Signature)))
        repeats = isinstance(content[0], syntax.Repeat)
        return trusted.Task(
            self._name(children[1]),
            _signature_of(children),
            content[0] if repeats else content,
            self._span(children),
            _parameters_of(children),
        )

    def array(self, children: Children) -> syntax.Array:
        return trusted.Array(self._name(children[0]), children[2], children[3].items, self._span(children))

    def call(self, children: Children) -> syntax.Call:
        equal = next(
            place for place, child in enumerate(children) if isinstance(child, Token) and child.type == "EQUAL"
        )
        results, arguments = (
            tuple(node for node in side if isinstance(node, syntax.Part))
            for side in (children[:equal], children[equal:])
        )
        callee = self._name(children[equal + 1])
        return trusted.Call(results, callee, arguments, self._span(children), _values_of(children))

    def arguments(self, children: Children) -> _Group:
        return self._group("arguments", children)

    def part(self, children: Children) -> syntax.Part:
        return trusted.Part(self._name(children[0]), _nodes(children), self._span(children))

    def span(self, children: Children) -> syntax.Strided:
        low, high, *step = _nodes(children)
        return trusted.Strided(low, high, step[0] if step else None, self._span(children))

    def whole(self, children: Children) -> syntax.Whole:
        return trusted.Whole(self._span(children))

    def repeat(self, children: Children) -> syntax.Repeat:
        links = tuple(node for node in _nodes(children[4:]) if not isinstance(node, _Group))
        return trusted.Repeat(
            children[1].items, self._name(children[3]), links, self._span(children), _values_of(children)
        )

    def input_link(self, children: Children) -> syntax.InputLink:
        port, array = self._names(children)
        after = _after_words(children)
        border = after.get("ELSE")
        if isinstance(border, syntax.Ref) and border.name.text in BORDER_MODES and border.span == border.name.span:
            border = trusted.BorderMode(border.name.text, border.span)
        return trusted.InputLink(port, array, after.get("AT"), self._span(children), border)

    def output_link(self, children: Children) -> syntax.OutputLink:
        port, array = self._names(children)
        after = _after_words(children)
        return trusted.OutputLink(port, array, after.get("AT"), self._span(children), after.get("DELAY"))

    def delay_link(self, children: Children) -> syntax.DelayLink:
        port, output = self._names(children)
        return trusted.DelayLink(port, output, children[4], children[6], self._span(children))

    def tiled_default(self, children: Children) -> syntax.TiledDefault:
        return trusted.TiledDefault(self._name(children[0]), children[2], self._span(children))

    def tiler_name(self, children: Children) -> Name:
        return self._name(children[0])

    def tiler(self, children: Children) -> syntax.Tiler:
        wrap = isinstance(children[-1], Token)
        return trusted.Tiler(children[1], children[3], children[5], wrap, self._span(children))

    def vector(self, children: Children) -> syntax.Vector:
        return trusted.Vector(_nodes(children), self._span(children))

    def matrix(self, children: Children) -> syntax.Matrix:
        return trusted.Matrix(tuple(row.items for row in _nodes(children)), self._span(children))

    def row(self, children: Children) -> _Group:
        return self._group("row", children)

    # Expressions

    def conditional(self, children: Children) -> syntax.Conditional:
        return trusted.Conditional(children[0], children[2], children[4], self._span(children))

    def binary(self, children: Children) -> syntax.Binary:
        return trusted.Binary(str(children[1]), children[0], children[2], self._span(children))

    def unary(self, children: Children) -> syntax.Unary:
        return trusted.Unary(str(children[0]), children[1], self._span(children))

    def number(self, children: Children) -> syntax.Number:
        text = str(children[0])
        return trusted.Number(int(text) if text.isdigit() else float(text), self._span(children))

    def truth(self, children: Children) -> syntax.Truth:
        return trusted.Truth(str(children[0]) == "true", self._span(children))

    def apply(self, children: Children) -> syntax.Apply:
        return trusted.Apply(self._name(children[0]), _nodes(children), self._span(children))

    def fixed_type(self, children: Children) -> syntax.Ref:
        return trusted.Ref(self._name(children[0]), (), self._span(children))

    def group(self, children: Children) -> syntax.Expr:
        inner: syntax.Expr = children[1]
        return trusted.replace(inner, span=self._span(children))


def _nodes(children: Children) -> tuple[Any, ...]:
    return tuple(child for child in children if not isinstance(child, Token))


def _after_words(children: Children) -> dict[str, Any]:
    """What stands behind each keyword of a link, by the kind of the keyword's token."""
    return {
        word.type: node
        for word, node in pairwise(children)
        if isinstance(word, Token) and word.type in ("AT", "DELAY", "ELSE")
    }


def _signature_of(children: Children) -> syntax.Signature:
    return next(child for child in children if isinstance(child, syntax.Signature))


def _parameters_of(children: Children) -> tuple[Name, ...]:
    group = _find("parameters", children)
    return group.items if group else ()


def _values_of(children: Children) -> tuple[syntax.Expr, ...] | None:
    group = _find("arguments", children)
    return group.items if group else None


def _find(kind: str, children: Children) -> _Group | None:
    return next((child for child in children if isinstance(child, _Group) and child.kind == kind), None)


# One traversal of syntax trees, by a loop: chains of operands may be longer than any stack.


def nodes_in(root: Any) -> Iterator[Any]:
    """Every node below and including `root`, names and numbers too, in textual order."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(reversed(node))
        elif is_dataclass(node):
            yield node
            stack.extend(getattr(node, part.name) for part in reversed(fields(node)) if part.name != "span")


def names_in(root: Any) -> set[str]:
    """The texts of all references in an expression; names of functions are none."""
    return {node.name.text for node in nodes_in(root) if isinstance(node, syntax.Ref)}


def names_used(item: syntax.Item) -> tuple[str, ...]:
    """Every name in a definition but its own, once, in textual order."""
    own = None if isinstance(item, syntax.Import) else item.name
    nodes = (node for node in nodes_in(item) if isinstance(node, syntax.Name) and node is not own)
    return tuple(dict.fromkeys(node.text for node in nodes))


def chain_of(expr: syntax.Binary) -> tuple[syntax.Expr, list[syntax.Binary]]:
    """The leftmost operand of a + b + c + ..., and the operations on it in order: chains are longer than any stack."""
    chain: list[syntax.Binary] = []
    left: syntax.Expr = expr
    while isinstance(left, syntax.Binary):
        chain.append(left)
        left = left.left
    return left, chain[::-1]
