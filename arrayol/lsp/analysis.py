"""One text of an editor and all that is known of it, each part found when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from arrayol.checks.check import Checked, check_loaded
from arrayol.errors import Diagnostic
from arrayol.ir import syntax
from arrayol.ir.spec import Component
from arrayol.language.kept import Kept
from arrayol.language.loader import Loaded, load_source
from arrayol.language.namespace import is_json, parse_either
from arrayol.language.syntax.parser import Parsed, Readings
from arrayol.language.syntax.printer import print_file
from arrayol.lsp.names import NamesKept, Occurrence, Occurrences, names_of
from arrayol.source import SourceFile, Span


@dataclass(frozen=True)
class Analysis:
    """A text under the path of its file; what it imports is read from there.

    `kept` and `names_kept` are what the last text of the editor gave: see `of_next`.
    """

    source: SourceFile
    kept: Kept = field(default_factory=Kept)
    names_kept: NamesKept = field(default_factory=NamesKept)

    def of_next(self, text: str) -> Analysis:
        """The analysis of what the editor has made of the text; this one is over."""
        return Analysis(SourceFile(self.source.name, text), self.kept, self.names_kept)

    @cached_property
    def parsed(self) -> Parsed:
        """The text without its imports, parsed."""
        return parse_either(self.source, self.kept.readings.setdefault(self.source.name, Readings()))

    @cached_property
    def loaded(self) -> Loaded:
        """The text with its imports, as far as it can be understood."""
        return load_source(self.source, kept=self.kept)

    @cached_property
    def checked(self) -> Checked:
        """The text with its imports, after every check."""
        return check_loaded(self.loaded, self.kept)

    @cached_property
    def names(self) -> Occurrences:
        return names_of(self.loaded.spec.items, self.names_kept)

    def at(self, offset: int) -> Occurrence | None:
        """The name at an offset of the text."""
        return self.names.at(self.source.name, offset)

    def components(self, item: syntax.Elementary | syntax.Task) -> tuple[Component, ...]:
        """What a definition was resolved to: itself, its copies, or nothing where it has mistakes."""
        return tuple(self._components.get(item.name.text, ()))

    @cached_property
    def _components(self) -> dict[str, list[Component]]:
        """All components by the definition that they are made of."""
        found: dict[str, list[Component]] = {}
        for fragment in self.loaded.resolved.fragments:
            found.setdefault(self.loaded.spec.definition_of(fragment.component.name), []).append(fragment.component)
        return found

    def component(self, item: syntax.Elementary | syntax.Task | None) -> Component | None:
        """What a definition was resolved to, where that is one component; None otherwise.

        Sizes that differ from copy to copy are not those of the definition.
        """
        found = self.components(item) if item is not None else ()
        return found[0] if len(found) == 1 else None


# Where a name is defined, and the canonical text.


def definition(analysis: Analysis, offset: int) -> Span | None:
    """The name where what stands at an offset is defined, or the start of an imported file."""
    found = analysis.at(offset)
    if found is not None:
        return found.symbol.name.span if found.symbol.node is not None else None
    item = _import_at(analysis, offset)
    if item is None:
        return None
    target = Path(analysis.source.name).parent / item.path
    return Span(SourceFile(str(target), ""), 0, 0) if target.is_file() else None


def references(analysis: Analysis, offset: int) -> tuple[Span, ...]:
    """Every place of the text and its imports that names what stands at an offset."""
    found = analysis.at(offset)
    return tuple(one.span for one in analysis.names.of(found.symbol)) if found is not None else ()


def formatted(analysis: Analysis) -> str | None:
    """The text as `arrayol fmt` writes it; None while its syntax has a mistake, and for JSON, which it leaves."""
    return None if analysis.parsed.diagnostics or is_json(analysis.source) else print_file(analysis.parsed)


def _import_at(analysis: Analysis, offset: int) -> syntax.Import | None:
    imports = (item for item in analysis.parsed.tree.definitions if isinstance(item, syntax.Import))
    return next((item for item in imports if item.span.start <= offset <= item.span.end), None)


# Mistakes, all at places of the text itself.


@dataclass(frozen=True, slots=True)
class PlacedMistake:
    """A mistake at a place of the text. One of an imported file stands at the import; its own place is `beyond`."""

    diagnostic: Diagnostic
    span: Span
    beyond: Span | None = None


def mistakes(analysis: Analysis) -> tuple[PlacedMistake, ...]:
    """Everything that `arrayol check` tells of the text."""
    return tuple(_placed(analysis, diagnostic) for diagnostic in analysis.checked.diagnostics)


def _placed(analysis: Analysis, diagnostic: Diagnostic) -> PlacedMistake:
    span = diagnostic.span
    if span is not None and span.file.name == analysis.source.name:
        return PlacedMistake(diagnostic, span)
    folder = Path(analysis.source.name).parent
    imports = [item for item in analysis.parsed.tree.definitions if isinstance(item, syntax.Import)]
    named = [item for item in imports if span is not None and folder / item.path == Path(span.file.name)]
    places = [item.span for item in named or imports]
    return PlacedMistake(diagnostic, places[0] if places else Span(analysis.source, 0, 0), span)
