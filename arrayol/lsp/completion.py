"""What can be written next: words of the language where the grammar takes them, and names where it takes a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from arrayol.ir import syntax, trusted
from arrayol.ir.borders import BORDER_MODES
from arrayol.ir.syntax import KEYWORDS
from arrayol.language.constants import TYPE_NAMES
from arrayol.language.namespace import is_json
from arrayol.language.syntax.awaited import Awaited, awaited
from arrayol.language.syntax.printer import port_text
from arrayol.lsp.analysis import Analysis
from arrayol.lsp.names import Symbol, SymbolKind
from arrayol.operators.registry import FUNCTIONS

_VALUES = (
    SymbolKind.CONST,
    SymbolKind.CONST_ARRAY,
    SymbolKind.PARAMETER,
    SymbolKind.INPUT,
    SymbolKind.OUTPUT,
    SymbolKind.LOCAL,
    SymbolKind.RANGE,
)
_ARRAYS = (SymbolKind.CONST_ARRAY, SymbolKind.INPUT, SymbolKind.OUTPUT, SymbolKind.ARRAY)


@dataclass(frozen=True, slots=True)
class Choice:
    """A word that can stand at the place: its kind, None for a keyword, and what there is to say of it."""

    text: str
    kind: SymbolKind | None
    detail: str = ""


def completions(analysis: Analysis, offset: int) -> tuple[Choice, ...]:
    """Every word that can stand at an offset, whatever has been typed of it; each once."""
    source = analysis.source
    if is_json(source):
        return ()  # what can stand there its schema says
    line = source.text[source.text.rfind("\n", 0, offset) + 1 : offset]
    if "#" in line or line.count('"') % 2:
        return ()
    place = awaited(source, offset)
    choices = [*_keywords(place), *(_names(analysis, place, offset) if "NAME" in place.kinds else ())]
    once: dict[str, Choice] = {}
    for choice in choices:
        once.setdefault(choice.text, choice)
    return tuple(once.values())


def _keywords(place: Awaited) -> Iterator[Choice]:
    yield from (Choice(word, None) for word in sorted(KEYWORDS) if word.upper() in place.kinds)


def _names(analysis: Analysis, place: Awaited, offset: int) -> Iterator[Choice]:
    """The names that the place before asks for."""
    kinds = [kind for kind, _ in place.before]
    last = kinds[-1] if kinds else ""
    seen = [*analysis.names.seen_at(analysis.source.name, offset), *_written(analysis, place)]
    callee = _callee(analysis, place)
    if last in {"CONST", "TILER", "ELEMENTARY", "TASK", "LOOP", "FOR"}:
        return  # a new name
    if last == "COLON" and "FIXED" in place.kinds:
        yield from _types()
        yield from _of(seen, SymbolKind.PARAMETER)
    elif last == "OF":
        yield from _of(seen, SymbolKind.ELEMENTARY, SymbolKind.TASK)
    elif last == "AT":
        yield from _of(seen, SymbolKind.TILER)
    elif callee is not None:
        yield from _of_link(callee, place, seen)
    elif last == "ELSE":
        yield from (Choice(mode, None) for mode in BORDER_MODES)
        yield from _of(seen, *_VALUES)
    elif kinds[:1] == ["TASK"] and "LBRACE" in kinds and "REPEAT" not in kinds and last != "LSQB":
        yield from _of(seen, *([SymbolKind.ELEMENTARY, SymbolKind.TASK] if last == "EQUAL" else _ARRAYS))
    else:
        yield from _of(seen, *_VALUES)
        yield from (Choice(name, SymbolKind.FUNCTION) for name in FUNCTIONS)
        yield from _types()


def _types() -> Iterator[Choice]:
    return (Choice(name, SymbolKind.TYPE) for name in sorted(TYPE_NAMES))


def _of(symbols: Iterable[Symbol], *kinds: SymbolKind) -> Iterator[Choice]:
    for symbol in symbols:
        if symbol.kind in kinds:
            declared = isinstance(symbol.node, syntax.Port | syntax.Local | syntax.ConstArray | syntax.Array)
            yield Choice(symbol.text, symbol.kind, port_text(symbol.node) if declared else "")


# Definitions that are still being written are no symbols yet: their tokens say what they declare.


def _written(analysis: Analysis, place: Awaited) -> Iterator[Symbol]:
    """What the definition in which the place lies has declared before it."""
    tokens = place.before
    span = analysis.parsed.tree.span
    arrow = [kind for kind, _ in tokens].index("ARROW") if ("ARROW", "->") in tokens else len(tokens)
    body = [kind for kind, _ in tokens].index("LBRACE") if ("LBRACE", "{") in tokens else len(tokens)
    for at, ((kind, text), (after, _)) in enumerate(pairwise(tokens)):
        if kind == "NAME" and after in {"COLON", "IN"}:
            declared = SymbolKind.LOCAL if tokens[0][0] == "ELEMENTARY" else SymbolKind.ARRAY
            port = SymbolKind.INPUT if at < arrow else SymbolKind.OUTPUT if at < body else declared
            yield Symbol(SymbolKind.RANGE if after == "IN" else port, trusted.Name(text, span), None)
        elif kind == "NAME" and after == "EQUAL" and tokens[0][0] == "TASK":
            yield Symbol(SymbolKind.ARRAY, trusted.Name(text, span), None)


def _callee(analysis: Analysis, place: Awaited) -> syntax.Elementary | syntax.Task | None:
    """What is repeated, where the place lies among its links and a name of a port or array comes."""
    kinds = [kind for kind, _ in place.before]
    if "OF" not in kinds or (kinds[-1] not in {"LBRACE", "LARROW", "ARROW"} and "RBRACE" not in place.kinds):
        return None
    name = place.before[kinds.index("OF") + 1 :][:1]
    item = analysis.loaded.definitions.by_name.get(name[0][1]) if name else None
    return item if isinstance(item, syntax.Elementary | syntax.Task) else None


def _of_link(callee: syntax.Elementary | syntax.Task, place: Awaited, seen: Iterable[Symbol]) -> Iterator[Choice]:
    """A port of what is repeated, or behind an arrow what it can be linked to."""
    inputs, outputs = (
        [Choice(port.name.text, kind, port_text(port)) for port in ports]
        for kind, ports in ((SymbolKind.INPUT, callee.signature.inputs), (SymbolKind.OUTPUT, callee.signature.outputs))
    )
    if place.before[-1][0] == "LARROW":
        yield from _of(seen, SymbolKind.CONST_ARRAY, SymbolKind.INPUT)
        yield from outputs  # of an earlier instance, with `delay`
    elif place.before[-1][0] == "ARROW":
        yield from _of(seen, SymbolKind.OUTPUT)
    else:
        yield from inputs
        yield from outputs
