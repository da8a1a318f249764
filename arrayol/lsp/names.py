"""What each name of a specification means where it stands: occurrences, each with the symbol that it refers to.

The scopes are those of docs/language.md. A name that means nothing has no occurrence: the checker tells of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import ChainMap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import Any

from arrayol.ir import syntax
from arrayol.ir.types import is_type
from arrayol.language.kept import Memory
from arrayol.language.namespace import Definition
from arrayol.language.syntax.tree import names_used, nodes_in
from arrayol.operators.registry import FUNCTIONS
from arrayol.source import Span

Component = syntax.Elementary | syntax.Task


class SymbolKind(StrEnum):
    """What a symbol is, in words for people."""

    CONST = "const"
    CONST_ARRAY = "const array"
    TILER = "tiler"
    ELEMENTARY = "elementary task"
    TASK = "task"
    PARAMETER = "parameter"
    INPUT = "input"
    OUTPUT = "output"
    ARRAY = "array"
    LOCAL = "local"
    RANGE = "range variable"
    TYPE = "element type"
    FUNCTION = "function"


_GLOBAL = {
    syntax.Const: SymbolKind.CONST,
    syntax.ConstArray: SymbolKind.CONST_ARRAY,
    syntax.TilerDef: SymbolKind.TILER,
    syntax.Elementary: SymbolKind.ELEMENTARY,
    syntax.Task: SymbolKind.TASK,
}


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """One meaning of a name: `node` defines it, in the component `owner` where it is not of the whole file.

    `scope` is where it can be seen; None is everywhere. Types and functions belong to the language: no node.
    """

    kind: SymbolKind
    name: syntax.Name
    node: Any
    owner: Component | None = None
    scope: Span | None = None

    @property
    def text(self) -> str:
        return self.name.text

    def meets(self, other: Symbol) -> bool:
        """Whether there is a place where both can be seen."""
        one, two = self.scope, other.scope
        if one is None or two is None:
            return True
        return one.file.name == two.file.name and one.start < two.end and two.start < one.end


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name at a place; `use` is the link or call where it names a part of that."""

    span: Span
    symbol: Symbol
    use: syntax.Link | syntax.Call | None = None


@dataclass(frozen=True)
class Occurrences:
    """Every occurrence, in textual order in each file."""

    occurrences: tuple[Occurrence, ...]

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol that occurs, once."""
        return tuple(dict.fromkeys(occurrence.symbol for occurrence in self.occurrences))

    def at(self, file: str, offset: int) -> Occurrence | None:
        """What stands at an offset of a file; the place just behind a name counts too."""
        behind = bisect_right(self.occurrences, (file, offset), key=_place)
        if not behind:
            return None
        first = self.occurrences[bisect_left(self.occurrences, _place(self.occurrences[behind - 1]), key=_place)]
        return first if first.span.file.name == file and offset <= first.span.end else None

    def of(self, symbol: Symbol) -> tuple[Occurrence, ...]:
        """Everywhere that a symbol is named."""
        return tuple(one for one in self.occurrences if one.symbol is symbol)

    def seen_at(self, file: str, offset: int) -> Iterator[Symbol]:
        """The symbols that can be named at an offset."""
        for symbol in self.symbols:
            scope = symbol.scope
            if scope is None or (scope.file.name == file and scope.start <= offset <= scope.end):
                yield symbol


@dataclass(frozen=True, slots=True)
class Global:
    """A definition: its symbol, those of its ports, and every name in it."""

    symbol: Symbol
    ports: dict[str, Symbol]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NamesKept:
    """What an editor's last text gave: its definitions and the occurrences in each."""

    globals: Memory[Global] = field(default_factory=Memory)
    occurrences: Memory[tuple[Occurrence, ...]] = field(default_factory=Memory)
    words: dict[str, Symbol] = field(default_factory=dict)

    def turn(self) -> None:
        """Begin with the next text."""
        self.globals.turn()
        self.occurrences.turn()


def _place(occurrence: Occurrence) -> tuple[str, int]:
    return occurrence.span.file.name, occurrence.span.start


def names_of(items: Sequence[syntax.Item], kept: NamesKept | None = None) -> Occurrences:
    """The names of all definitions of a specification, imports inlined.

    `kept` has what an editor's last text gave, and then what this one gives.
    """
    kept = kept or NamesKept()
    kept.turn()
    resolver = _Resolver(items, kept)
    placed = sorted(items, key=lambda item: (item.span.file.name, item.span.start))
    return Occurrences(tuple(chain.from_iterable(map(resolver.of_item, placed))))


_Scope = ChainMap[str, Symbol]


def _global(item: Definition) -> Global:
    ports: dict[str, Symbol] = {}
    if isinstance(item, Component):
        for kind, own in ((SymbolKind.INPUT, item.signature.inputs), (SymbolKind.OUTPUT, item.signature.outputs)):
            ports |= {port.name.text: Symbol(kind, port.name, port, item, item.span) for port in own}
    return Global(Symbol(_GLOBAL[type(item)], item.name, item), ports, (item.name.text, *names_used(item)))


class _Resolver:
    def __init__(self, items: Sequence[syntax.Item], kept: NamesKept) -> None:
        self.occurrences: list[Occurrence] = []
        self._kept = kept
        self._file: _Scope = ChainMap()
        self._globals: dict[str, Global] = {}
        for item in items:
            if isinstance(item, syntax.Import) or item.name.text in self._file:
                continue  # what is defined twice means the first
            self._globals[item.name.text] = found = kept.globals.known(item, ()) or _global(item)
            kept.globals.keep(item, (), found)
            self._file[item.name.text] = found.symbol

    def of_item(self, item: syntax.Item) -> tuple[Occurrence, ...]:
        """The names of a definition in textual order; of a second one of the same name there are none."""
        if isinstance(item, syntax.Import) or self._file[item.name.text].node is not item:
            return ()
        meanings = tuple(map(self._file.maps[0].get, self._globals[item.name.text].names))
        known = self._kept.occurrences.known(item, meanings)
        if known is None:
            self.occurrences = []
            self._item(item)
            known = tuple(sorted(self.occurrences, key=lambda one: one.span.start))
        self._kept.occurrences.keep(item, meanings, known)
        return known

    def _item(self, item: Definition) -> None:
        self._name(item.name, self._file)
        if isinstance(item, Component):
            self._component(item)
        elif isinstance(item, syntax.ConstArray):
            self._declared(item, self._file)
            scope = self._file.new_child()
            if isinstance(item.value, syntax.Table):
                self._ranges(item.value.ranges, scope, item.span, None)
            self._values(item.value, scope)
        else:
            self._values(item, self._file)

    def _component(self, item: Component) -> None:
        scope = self._file.new_child()
        for name in item.parameters:
            self._define(Symbol(SymbolKind.PARAMETER, name, name, item, item.span), scope)
        scope.update(self._globals[item.name.text].ports)
        for port in (*item.signature.inputs, *item.signature.outputs):
            self._name(port.name, scope)
            self._declared(port, scope)
        if isinstance(item, syntax.Elementary):
            self._statements(item.body or (), scope, item.span, item)
        elif isinstance(item.content, syntax.Repeat):
            self._repeat(item.content, scope)
        else:
            self._calls(item, item.content, scope)

    # Bodies

    def _statements(self, statements: Iterable[syntax.Statement], scope: _Scope, block: Span, owner: Component) -> None:
        for statement in statements:
            if isinstance(statement, syntax.Local):
                self._declared(statement, scope)
                self._values(statement.initial, scope)
                seen = statement.span.to(block)
                self._define(Symbol(SymbolKind.LOCAL, statement.name, statement, owner, seen), scope)
                continue
            inner = scope.new_child()
            self._ranges(statement.ranges, inner, statement.span, owner)
            if isinstance(statement, syntax.Loop):
                self._statements(statement.body, inner, statement.span, owner)
            else:
                self._values((statement.target, statement.value, statement.condition), inner)

    def _ranges(self, ranges: Iterable[syntax.Range], scope: _Scope, seen: Span, owner: Component | None) -> None:
        for item in ranges:
            self._values((item.low, item.high), scope)
            self._define(Symbol(SymbolKind.RANGE, item.name, item, owner, seen), scope)

    # Tasks

    def _repeat(self, repeat: syntax.Repeat, scope: _Scope) -> None:
        self._values((repeat.shape, repeat.values), scope)
        self._name(repeat.callee, scope)
        callee = self._globals.get(repeat.callee.text)
        ports: _Scope = ChainMap(callee.ports if callee is not None else {})
        for link in repeat.links:
            self._name(link.port, ports, link)
            if isinstance(link, syntax.DelayLink):
                self._name(link.output, ports, link)
                self._values(link.vector, scope)
                if isinstance(link.default, syntax.TiledDefault):
                    self._name(link.default.array, scope, link)
                    self._tiler(link.default.tiler, scope, link)
                else:
                    self._values(link.default, scope)
                continue
            self._name(link.array, scope, link)
            self._tiler(link.tiler, scope, link)
            self._values(link.border if isinstance(link, syntax.InputLink) else link.delay, scope)

    def _tiler(self, tiler: syntax.TilerRef | None, scope: _Scope, link: syntax.Link) -> None:
        if isinstance(tiler, syntax.Name):
            self._name(tiler, scope, link)
        else:
            self._values(tiler, scope)

    def _calls(self, item: syntax.Task, content: Sequence[syntax.Call | syntax.Array], scope: _Scope) -> None:
        for array in content:
            if isinstance(array, syntax.Array):
                self._declared(array, scope)
                self._define(Symbol(SymbolKind.ARRAY, array.name, array, item, item.span), scope)
        calls = [call for call in content if isinstance(call, syntax.Call)]
        for part in (part for call in calls for part in call.results):
            if part.name.text not in scope:  # a call declares what it writes
                scope[part.name.text] = Symbol(SymbolKind.ARRAY, part.name, part, item, item.span)
        for call in calls:
            self._name(call.callee, scope)
            self._values(call.values, scope)
            for part in (*call.results, *call.arguments):
                self._name(part.name, scope, call)
                self._values(part.slices, scope)

    # Names and what holds them

    def _define(self, symbol: Symbol, scope: _Scope) -> None:
        scope[symbol.text] = symbol
        self._name(symbol.name, scope)

    def _declared(self, node: syntax.Port | syntax.Local | syntax.ConstArray | syntax.Array, scope: _Scope) -> None:
        self._name(node.type, scope)
        self._values(node.shape, scope)

    def _values(self, root: Any, scope: _Scope) -> None:
        """The names in expressions."""
        for node in nodes_in(root):
            if isinstance(node, syntax.Ref):
                self._name(node.name, scope)
            elif isinstance(node, syntax.Apply):
                self._name(node.function, scope)

    def _name(self, name: syntax.Name, scope: _Scope, use: syntax.Link | syntax.Call | None = None) -> None:
        symbol = scope.get(name.text) or self._word(name)
        if symbol is not None:
            self.occurrences.append(Occurrence(name.span, symbol, use))

    def _word(self, name: syntax.Name) -> Symbol | None:
        """A name of the language's own."""
        words = self._kept.words
        if name.text not in words and (is_type(name.text) or name.text in FUNCTIONS):
            kind = SymbolKind.FUNCTION if name.text in FUNCTIONS else SymbolKind.TYPE
            words[name.text] = Symbol(kind, name, None)
        return words.get(name.text)
