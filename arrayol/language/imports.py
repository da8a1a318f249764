"""Imports: other files of the same folder, gathered into one namespace."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from arrayol.errors import ArrayolError
from arrayol.ir import syntax
from arrayol.language.diagnose import Mistakes
from arrayol.language.parser import Parsed, parse
from arrayol.language.reader import read_source
from arrayol.source import SourceFile


@dataclass(slots=True)
class Gathered:
    """The items of all files, and the names of definitions that could not be read."""

    items: list[syntax.Item] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)


def gather(source: SourceFile, mistakes: Mistakes) -> Gathered:
    """The items of a file after those of its imports, each file once.

    Imports are relative to the place that the source's name says. Mistakes of syntax and of imports go to `mistakes`.
    """
    gatherer, path = _Gatherer(mistakes), Path(source.name)
    parsed = gatherer.parse(source)
    if not parsed.tree.items and not parsed.diagnostics:
        hint = "`arrayol example lpsf` writes a specification to start from"
        mistakes.report("empty-file", "the file holds no definition", parsed.tree.span, hint)
    gatherer.enter(path, parsed.tree, (path.resolve(),))
    return gatherer.gathered


class _Gatherer:
    def __init__(self, mistakes: Mistakes) -> None:
        self.gathered = Gathered()
        self._mistakes = mistakes
        self._entered: set[Path] = set()

    def parse(self, source: SourceFile) -> Parsed:
        """Parse one file, noting its mistakes."""
        parsed = parse(source)
        self._mistakes.extend(parsed.diagnostics)
        self.gathered.broken |= parsed.broken
        return parsed

    def enter(self, path: Path, tree: syntax.File, chain: tuple[Path, ...]) -> None:
        """Take the items of one file, imports first. `chain` leads from the first file to this one."""
        self._entered.add(path.resolve())
        for item in tree.items:
            if isinstance(item, syntax.Import):
                self._import(path, item, chain)
            else:
                self.gathered.items.append(item)

    def _import(self, importer: Path, item: syntax.Import, chain: tuple[Path, ...]) -> None:
        target = importer.parent / item.path
        resolved = target.resolve()
        if resolved in chain:
            names = [found.name for found in (*chain[chain.index(resolved) :], resolved)]
            message = f"the file imports itself: {' -> '.join(names)}" if len(names) > 2 else "the file imports itself"
            self._mistakes.report("import-cycle", message, item.span, "remove one of the imports")
        elif not resolved.is_relative_to(importer.parent.resolve()):
            self._mistakes.report(
                "import-outside",
                f"'{item.path}' lies outside the folder of this file",
                item.span,
                "move the file into this folder or one below",
            )
        elif resolved not in self._entered:
            self._read(target, item, chain)

    def _read(self, target: Path, item: syntax.Import, chain: tuple[Path, ...]) -> None:
        try:
            source = read_source(target)
        except ArrayolError as failure:
            found = failure.diagnostics[0]
            self._mistakes.report("bad-import", f"'{item.path}': {found.message}", item.span, found.hint)
            return
        self.enter(target, self.parse(source).tree, (*chain, target.resolve()))
