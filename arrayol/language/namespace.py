"""The one namespace of a specification: the file and its imports, read and gathered, every definition by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from os.path import relpath
from pathlib import Path

from arrayol.errors import ArrayolError, Diagnostic, Severity, error
from arrayol.files import MOST_DATA_BYTES, MOST_TEXT_BYTES, LargeFileError, hint_of, read_bytes, resolved
from arrayol.ir import syntax, trusted
from arrayol.ir.spec import ConstArray, ConstValue, Copy
from arrayol.language.constants import Constants
from arrayol.language.syntax.diagnose import Mistake, Mistakes, closest, did_you_mean, mistake
from arrayol.language.syntax.parser import Parsed, Readings, parse
from arrayol.language.syntax.printer import print_file
from arrayol.language.syntax.syntax_mistakes import too_deep
from arrayol.language.syntax.tree import names_in as names_of
from arrayol.language.syntax.tree import names_used
from arrayol.source import SourceFile, Span


def is_json(source: SourceFile) -> bool:
    """Whether a file is JSON: by its suffix, or since it starts with a brace, as no definition does."""
    return source.name.lower().endswith(".json") or source.text.lstrip(" \t\r\n\ufeff").startswith("{")


def parse_either(source: SourceFile, former: Readings | None = None) -> Parsed:
    """Parse a whole file. Never raises: mistakes are in the result, and the tree holds what is whole.

    `former` is that of `parse`; JSON is always read anew.
    """
    if not is_json(source):
        return parse(source, former)
    from arrayol.language.json.json_parser import parse_json  # noqa: PLC0415  what reads text needs no pydantic

    return parse_json(source)


def read_model(source: SourceFile) -> syntax.Specification:
    """The model of a file, imports as they are written. Raises ArrayolError with every mistake of its form."""
    parsed = parse_either(source)
    if parsed.diagnostics:
        raise ArrayolError(parsed.diagnostics)
    return parsed.tree


_LINES = (syntax.Import, syntax.Const, syntax.ConstArray, syntax.TilerDef)  # that stand together


def model_text(model: syntax.Specification) -> str:
    """The canonical text of a model, without comments. Raises ArrayolError (`nested-too-deep`)."""
    require_shallow(model)
    texts, former = list[str](), None
    for item in model.definitions:
        parted = former is not None and not (isinstance(item, _LINES) and type(item) is former)
        texts.append("\n" * parted + print_file(Parsed(trusted.Specification((item,)), (), (), frozenset())))
        former = type(item)
    return print_file(parse(SourceFile("", "".join(texts))))  # which aligns neighbouring lines


def require_shallow(model: syntax.Specification) -> None:
    """Raises ArrayolError (`nested-too-deep`) for what is nested deeper than files may be."""
    deep = [diagnostic for item in model.definitions if (diagnostic := too_deep(item)) is not None]
    if deep:
        raise ArrayolError(deep)


Definition = syntax.Const | syntax.ConstArray | syntax.TilerDef | syntax.Elementary | syntax.Task

KINDS = {
    syntax.Const: "a const",
    syntax.ConstArray: "a const array",
    syntax.TilerDef: "a tiler",
    syntax.Elementary: "an elementary task",
    syntax.Task: "a task",
}


@dataclass(frozen=True, slots=True)
class Copied:
    """A definition with the values of its parameters in their places, under the name of the copy."""

    item: syntax.Elementary | syntax.Task
    copy: Copy


@dataclass(frozen=True, slots=True)
class Definitions:
    """What each name means, and the values of the consts; `copies` are made of definitions with parameters."""

    by_name: Mapping[str, Definition]
    constants: Constants
    broken: frozenset[str]
    tables: Mapping[str, ConstArray] = field(default_factory=dict)
    copies: Mapping[str, Copied] = field(default_factory=dict)

    def kind(self, name: str) -> str:
        """What a name of the file means, in words."""
        return KINDS[type(self.by_name[name])]

    def tiler(self, name: syntax.Name) -> syntax.Tiler:
        """The tiler of that name. Raises Mistake."""
        item = self.by_name.get(name.text)
        if isinstance(item, syntax.TilerDef):
            return item.tiler
        tilers = [known for known, other in self.by_name.items() if isinstance(other, syntax.TilerDef)]
        raise self.unknown(name, "tiler", tilers)

    def component(self, name: syntax.Name) -> syntax.Elementary | syntax.Task:
        """The elementary or task of that name, or the copy. Raises Mistake."""
        item = self.copies[name.text].item if name.text in self.copies else self.by_name.get(name.text)
        if isinstance(item, (syntax.Elementary, syntax.Task)):
            return item
        components = [
            known for known, other in self.by_name.items() if isinstance(other, (syntax.Elementary, syntax.Task))
        ]
        raise self.unknown(name, "task or elementary", components)

    def check_written(self, name: syntax.Name) -> None:
        """Raise Mistake (`input-written`) where a task writes a const array."""
        if name.text in self.tables:
            hint = "const arrays are only read; write an output of the task"
            raise mistake("input-written", f"'{name.text}' is a const array", name.span, hint)

    def unknown(self, name: syntax.Name, what: str, candidates: Iterable[str]) -> Exception:
        """The mistake of a name that is not what is needed here; silent where its definition has a mistake itself."""
        if name.text in self.broken:
            return Mistake()
        if name.text in self.by_name:
            return mistake("wrong-kind", f"'{name.text}' is {self.kind(name.text)}; a {what} is needed here", name.span)
        return mistake(
            "unknown-name", f"no {what} is named '{name.text}'", name.span, did_you_mean(name.text, candidates)
        )


def define(
    items: Iterable[syntax.Item], settings: Mapping[str, ConstValue], broken: frozenset[str], mistakes: Mistakes
) -> Definitions:
    """Gather the definitions, refuse names with two meanings, and evaluate the consts under `--set` values.

    `broken` names the definitions whose syntax is wrong: what refers to them is not told again.
    """
    by_name: dict[str, Definition] = {}
    for item in items:
        if isinstance(item, syntax.Import):
            continue
        earlier = by_name.setdefault(item.name.text, item)
        if earlier is not item:
            mistakes.report(
                "defined-twice",
                f"'{item.name.text}' is already {KINDS[type(earlier)]}, defined at {_place(earlier.name)}",
                item.name.span,
                "give one of them another name",
            )
    return Definitions(by_name, _constants(by_name, settings, broken, mistakes), broken)


def _place(name: syntax.Name) -> str:
    file, line, _ = name.span.place
    return f"{file}:{line}"


def _constants(
    by_name: Mapping[str, Definition], settings: Mapping[str, ConstValue], unread: frozenset[str], mistakes: Mistakes
) -> Constants:
    consts = {name: item for name, item in by_name.items() if isinstance(item, syntax.Const)}
    others = {name: KINDS[type(item)] for name, item in by_name.items() if name not in consts}
    values: dict[str, ConstValue] = dict(settings)
    broken = set(unread)
    scope = Constants(values, broken, others)
    for name in _evaluation_order(consts, settings, broken, mistakes):
        value = mistakes.attempt(lambda name=name: scope.evaluate(consts[name].value))  # type: ignore[misc]
        if value is None:
            broken.add(name)
        else:
            values[name] = value
    return Constants({name: values[name] for name in consts if name in values}, broken, others)


def _evaluation_order(
    consts: Mapping[str, syntax.Const], settings: Mapping[str, ConstValue], broken: set[str], mistakes: Mistakes
) -> list[str]:
    """Names of the consts to evaluate, each after those it uses; the members of a cycle are reported and left out."""
    uses = {name: sorted(names_of(item.value) & consts.keys()) for name, item in consts.items() if name not in settings}
    while True:
        sorter = TopologicalSorter(uses)
        try:
            return [name for name in sorter.static_order() if name in uses]
        except CycleError as failure:
            cycle = failure.args[1][::-1]
            first = min(cycle, key=lambda name: consts[name].span.place)
            turn = cycle.index(first)
            path = [*cycle[:-1][turn:], *cycle[:-1][:turn], first] if turn < len(cycle) - 1 else cycle
            mistakes.report(
                "const-cycle",
                f"const '{first}' needs its own value: {' -> '.join(path)}",
                consts[first].name.span,
                "give one of them a number",
            )
            broken.update(cycle)
            uses = {name: used for name, used in uses.items() if name not in broken}


# Reading a source file: whatever lies there, the outcome is text or a clear error.


def read_source(path: Path, name: str | None = None) -> SourceFile:
    """The text of `path`, without a byte order mark, under the name that messages show.

    Raises ArrayolError: `no-such-file`, `not-a-file`, `unreadable`, `too-large`, `binary-file`, `not-utf8`.
    """
    name = name or str(path)
    try:
        data = read_bytes(path, MOST_TEXT_BYTES)
    except FileNotFoundError:
        raise _missing(path, name) from None
    except LargeFileError:
        raise _too_large(name) from None
    except (IsADirectoryError, NotADirectoryError):
        raise error("not-a-file", "this is not a file; name an .aol file", file=name) from None
    except OSError as failure:
        message = f"the file cannot be read: {failure.strerror}"
        raise error("unreadable", message, hint=hint_of(failure), file=name) from None
    return source_of(data, name)


def source_of(data: bytes, name: str) -> SourceFile:
    """The text of what was read, without a byte order mark, under the name that messages show.

    Raises ArrayolError: `too-large`, `binary-file`, `not-utf8`.
    """
    if len(data) > MOST_TEXT_BYTES:
        raise _too_large(name)
    if b"\0" in data:
        raise error("binary-file", "this is a binary file, not the text of an .aol file", file=name)
    return _decoded(data, name)


def _too_large(name: str) -> ArrayolError:
    message = f"the file is larger than {MOST_TEXT_BYTES >> 20} MiB; this is no .aol file"
    return error("too-large", message, file=name)


def _missing(path: Path, name: str) -> ArrayolError:
    known = sorted(file.name for file in path.parent.glob("*.aol")) if path.parent.is_dir() else []
    near = closest(path.stem, (Path(name).stem for name in known))
    hint = f"did you mean '{near}.aol'?" if near else None
    if not hint and 0 < len(known) <= 5:
        hint = f"its folder holds {', '.join(known)}"
    return error("no-such-file", "no such file", hint=hint, file=name)


def _decoded(data: bytes, name: str) -> SourceFile:
    try:
        return SourceFile(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as failure:
        before = SourceFile(name, data[: failure.start].decode("utf-8-sig") + "\N{REPLACEMENT CHARACTER}")
        end = len(before.text)
        undecodable = Diagnostic(
            "not-utf8",
            f"byte 0x{data[failure.start]:02x} is not UTF-8",
            Span(before, end - 1, end),
            "save the file as UTF-8",
        )
        raise ArrayolError([undecodable]) from None


# Imports: other files of the same folder, gathered into one namespace.


@dataclass(slots=True)
class Gathered:
    """The items of all files, and the names of definitions that could not be read."""

    items: list[syntax.Item] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)


def gather(source: SourceFile, mistakes: Mistakes, readings: dict[str, Readings] | None = None) -> Gathered:
    """The items of a file after those of its imports, each file once.

    Imports are relative to the place that the source's name says. Mistakes of syntax and of imports go to `mistakes`.
    `readings` are those of files that were read before, by their names.
    """
    path = Path(source.name)
    gatherer = _Gatherer(mistakes, path.parent, readings)
    parsed = gatherer.parse(source)
    if not parsed.tree.definitions and not parsed.diagnostics:
        hint = "`arrayol example lpsf` writes a specification to start from"
        mistakes.report("empty-file", "the file holds no definition", parsed.tree.span, hint)
    gatherer.enter(path, parsed.tree, (resolved(path),))
    return gatherer.gathered


class _Gatherer:
    def __init__(self, mistakes: Mistakes, folder: Path, readings: dict[str, Readings] | None) -> None:
        self.gathered = Gathered()
        self._mistakes = mistakes
        self._readings = readings
        self._entered: set[Path] = set()
        self._folder = folder

    def parse(self, source: SourceFile) -> Parsed:
        """Parse one file, noting its mistakes."""
        former = None if self._readings is None else self._readings.setdefault(source.name, Readings())
        parsed = parse_either(source, former)
        self._mistakes.extend(parsed.diagnostics)
        self.gathered.broken |= parsed.broken
        return parsed

    def enter(self, path: Path, tree: syntax.Specification, chain: tuple[Path, ...]) -> None:
        """Take the items of one file, imports first. `chain` leads from the first file to this one."""
        self._entered.add(resolved(path))
        for item in tree.definitions:
            if isinstance(item, syntax.Import):
                self._import(path, item, chain)
            elif isinstance(item, syntax.ConstArray) and isinstance(item.value, syntax.DataFile):
                self._data(path, item, item.value)
            else:
                self.gathered.items.append(item)

    def _data(self, path: Path, item: syntax.ConstArray, file: syntax.DataFile) -> None:
        """Take a const array with the bytes of its file, whose path is now that from the folder of the first file."""
        content = self._mistakes.attempt(lambda: read_data(path.parent, file))
        if content is None:
            self.gathered.broken.add(item.name.text)
        else:
            place = relpath(path.parent / file.path, self._folder).replace("\\", "/")
            self.gathered.items.append(trusted.replace(item, value=trusted.replace(file, path=place, content=content)))

    def _import(self, importer: Path, item: syntax.Import, chain: tuple[Path, ...]) -> None:
        target = importer.parent / item.path
        place = resolved(target)
        if place in chain:
            names = [file.name for file in (*chain[chain.index(place) :], place)]
            message = f"the file imports itself: {' -> '.join(names)}" if len(names) > 2 else "the file imports itself"
            self._mistakes.report("import-cycle", message, item.span, "remove one of the imports")
        elif not place.is_relative_to(resolved(importer.parent)):
            self._mistakes.report(
                "import-outside",
                f"'{item.path}' lies outside the folder of this file",
                item.span,
                "move the file into this folder or one below",
            )
        elif place not in self._entered:
            self._read(target, item, chain)

    def _read(self, target: Path, item: syntax.Import, chain: tuple[Path, ...]) -> None:
        try:
            source = read_source(target)
        except ArrayolError as failure:
            refusal = failure.diagnostics[0]
            self._mistakes.report("bad-import", f"'{item.path}': {refusal.message}", item.span, refusal.hint)
            return
        self.enter(target, self.parse(source).tree, (*chain, resolved(target)))


def read_data(folder: Path, file: syntax.DataFile) -> bytes:
    """The bytes of a data file at or below a folder. Raises Mistake (`const-file`)."""
    target = folder / file.path
    if not resolved(target).is_relative_to(resolved(folder)):
        hint = "move the file into this folder or one below"
        raise mistake("const-file", f"'{file.path}' lies outside the folder of this file", file.span, hint)
    try:
        return read_bytes(target, MOST_DATA_BYTES)
    except LargeFileError:
        hint = "make it an input, whose data come from outside"
        message = f"'{file.path}' is larger than {MOST_DATA_BYTES >> 20} MiB"
        raise mistake("const-file", message, file.span, hint) from None
    except OSError as failure:
        message = f"'{file.path}' cannot be read: {failure.strerror}"
        raise mistake("const-file", message, file.span, hint_of(failure)) from None


# Definitions that nothing uses: often the trace of a mistake, so a warning.


def unused(
    items: Sequence[syntax.Item],
    file: str,
    mistakes: Iterable[Diagnostic],
    names_in: Callable[[syntax.Item], Iterable[str]] = names_used,
) -> Iterator[Diagnostic]:
    """Warnings for the consts, tilers and elementaries of the file itself that nothing refers to.

    An imported file may offer more than is used, a task without parameters may be the top one, and a file without tasks
    may be there to be imported. Nothing is said beside an error: a misspelt use would be told twice.
    """
    errors = any(diagnostic.severity is Severity.ERROR for diagnostic in mistakes)
    if errors or not any(isinstance(item, syntax.Task) for item in items):
        return
    used = {name for item in items for name in names_in(item)}
    for item in items:
        if isinstance(item, syntax.Import) or item.span.file.name != file or item.name.text in used:
            continue
        parameters = isinstance(item, (syntax.Elementary, syntax.Task)) and bool(item.parameters)
        if parameters or not isinstance(item, syntax.Task):
            what = f"{KINDS[type(item)]}{' with parameters' if parameters else ''} that nothing uses"
            hint = (
                "use it: without values only its syntax and names are checked" if parameters else "remove it, or use it"
            )
            yield Diagnostic("unused", f"'{item.name.text}' is {what}", item.name.span, hint, Severity.WARNING)


def reached(items: Iterable[syntax.Item], roots: Iterable[str]) -> set[str]:
    """The names of all definitions that those of the `roots` refer to, directly or not, and the roots."""
    named = {item.name.text: item for item in items if not isinstance(item, syntax.Import)}
    waiting, found = list(roots), set[str]()
    while waiting:
        name = waiting.pop()
        if name in named and name not in found:
            found.add(name)
            waiting.extend(names_used(named[name]))
    return found
