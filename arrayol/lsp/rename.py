"""Another name for a definition: every place that has it, in the text and in the files around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from arrayol.errors import ArrayolError
from arrayol.files import MOST_TEXT_BYTES, read_bytes, resolved
from arrayol.ir.borders import BORDER_MODES
from arrayol.ir.syntax import KEYWORDS
from arrayol.language.namespace import gather, read_source
from arrayol.language.syntax.diagnose import Mistakes
from arrayol.lsp.analysis import Analysis
from arrayol.lsp.names import Occurrences, Symbol, SymbolKind, names_of
from arrayol.source import SourceFile, Span

_NAME = re.compile("[A-Za-z_][A-Za-z_0-9]*")


class RefusedError(Exception):
    """Why a name cannot be changed, in a sentence."""


def renamed_place(analysis: Analysis, offset: int) -> Span | None:
    """The name at an offset, if it can be renamed: names of the language cannot."""
    found = analysis.at(offset)
    return found.span if found is not None and found.symbol.node is not None else None


def rename(analysis: Analysis, offset: int, name: str, folder: Path | None = None) -> tuple[Span, ...]:
    """The places that the new name takes: in the text, its imports, and what imports the definition.

    That is looked for beside the definition and, up to `folder`, above it. Raises RefusedError.
    """
    found = analysis.at(offset)
    if found is None or found.symbol.node is None:
        raise RefusedError("no name of this specification stands here")
    if not _NAME.fullmatch(name):
        raise RefusedError(f"'{name}' is no name: letters, digits and '_', no digit first")
    if name in KEYWORDS:
        raise RefusedError(f"'{name}' is a word of the language")
    places: dict[tuple[Path, int], Span] = {}
    home = found.symbol.name.span
    for names in _files_with_name(analysis.source, home, folder):
        for symbol in _same(names, home):
            _refuse_clash(names, symbol, name)
            for one in names.of(symbol):
                places[resolved(Path(one.span.file.name)), one.span.start] = one.span
    return tuple(places.values())


def _files_with_name(source: SourceFile, home: Span, folder: Path | None) -> Iterator[Occurrences]:
    """The names of the text, and of every file that imports the one with the definition."""
    yield _names(source)
    defined, own = resolved(Path(home.file.name)), resolved(Path(source.name))
    for path in _above(defined.parent, folder):
        source_there = _importing(path) if path != own else None
        if source_there is None:
            continue
        names = _names(source_there)
        files = {resolved(Path(one.span.file.name)) for one in names.occurrences}
        if defined in files:
            if own in files and read_source(own).text != source.text:
                raise RefusedError(f"{path.name} imports this file: save it first")
            yield names


def _importing(path: Path) -> SourceFile | None:
    """The text of a file that has an import; None for others, and for what is no text that can be read."""
    try:
        return read_source(path) if b"import" in read_bytes(path, MOST_TEXT_BYTES) else None
    except (OSError, ArrayolError):
        return None


def _above(home: Path, folder: Path | None) -> Iterator[Path]:
    """The specifications of a folder, and of those above it up to another one: only they can import."""
    top = home if folder is None else resolved(folder)
    folders = [home, *home.parents]
    for place in folders[: folders.index(top) + 1] if top in folders else [home]:
        yield from sorted(place.glob("*.aol"))


def _names(source: SourceFile) -> Occurrences:
    """Occurrences of all names in a file and its imports. Raises RefusedError where one cannot be read."""
    mistakes = Mistakes()
    items = gather(source, mistakes).items
    if mistakes:
        place = f"{mistakes[0].span.place[0]}:{mistakes[0].span.place[1]}" if mistakes[0].span else source.name
        raise RefusedError(f"{place}: {mistakes[0].message}; put this right first")
    return names_of(items)


def _same(names: Occurrences, home: Span) -> Iterator[Symbol]:
    """The symbol that is defined at a place."""
    file = resolved(Path(home.file.name))
    for symbol in names.symbols:
        span = symbol.name.span
        if symbol.node is not None and span.start == home.start and resolved(Path(span.file.name)) == file:
            yield symbol


def _refuse_clash(names: Occurrences, symbol: Symbol, name: str) -> None:
    """Raise RefusedError where a place that sees the symbol has the new name already."""
    if symbol.kind is SymbolKind.CONST and name in BORDER_MODES:
        raise RefusedError(f"'{name}' is a border behind 'else'")
    for other in names.symbols:
        if other is not symbol and other.text == name and symbol.meets(other):
            place = "" if other.node is None else ", defined at {}:{}".format(*other.name.span.place[:2])
            article = "an" if other.kind[0] in "aeio" else "a"
            raise RefusedError(f"'{name}' is already the name of {article} {other.kind}{place}")
