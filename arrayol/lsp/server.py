"""The language server: requests of an editor, answered by the analysis of its text. Nothing is decided here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, wraps
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from arrayol import __version__
from arrayol.c_import.import_c import Choices, Imported, import_source
from arrayol.c_import.reading.preprocess import preprocess
from arrayol.c_import.reading.syntax import parse_unit
from arrayol.errors import ArrayolError, Diagnostic, Severity
from arrayol.lsp.analysis import Analysis, PlacedMistake, definition, formatted, mistakes, references
from arrayol.lsp.completion import completions
from arrayol.lsp.hover import hover
from arrayol.lsp.inlays import inlays
from arrayol.lsp.names import SymbolKind
from arrayol.lsp.rename import RefusedError, rename, renamed_place
from arrayol.source import SourceFile, Span

# C in an editor: the function at a place of it, and its specification.


_SUFFIXES = {".c", ".cc", ".cpp", ".h"}


def is_c(name: str) -> bool:
    """Whether a file of this name or address is C."""
    return Path(name).suffix.lower() in _SUFFIXES


def function_at(file: SourceFile, offset: int, compiler: str | None) -> str | None:
    """The name of the function that an offset of a C text lies in; None before the first, or where it cannot be read.

    `compiler` is the command whose preprocessor reads the text.
    """
    try:
        unit = parse_unit(file, preprocess(file, compiler))
    except (ArrayolError, RecursionError):
        return None
    line = file.text.find("\n", offset)
    end = len(file.text) if line < 0 else line
    places = {name: unit.places.span(one.decl) for name, one in unit.functions.items()}
    before = [(span.start, name) for name, span in places.items() if span.file is file and span.start <= end]
    return max(before)[1] if before else None


def imported_function(file: SourceFile, function: str | None, compiler: str | None) -> Imported:
    """The specification of a function of a C text. Raises ArrayolError with everything that has none."""
    return import_source(file, Choices(function=function, compiler=compiler))


def target_of(file: SourceFile) -> Path:
    """Where the specification of a C file goes: beside it, under its name."""
    return Path(file.name).with_suffix(".aol")


PAUSE = 0.3  # seconds without a change before a text is checked
IMPORT = "arrayol.import"  # the command: a file of C by its address, and the name of a function or null

_KINDS = {
    SymbolKind.CONST: types.CompletionItemKind.Constant,
    SymbolKind.CONST_ARRAY: types.CompletionItemKind.Constant,
    SymbolKind.TILER: types.CompletionItemKind.Value,
    SymbolKind.ELEMENTARY: types.CompletionItemKind.Function,
    SymbolKind.TASK: types.CompletionItemKind.Function,
    SymbolKind.PARAMETER: types.CompletionItemKind.TypeParameter,
    SymbolKind.TYPE: types.CompletionItemKind.Class,
    SymbolKind.FUNCTION: types.CompletionItemKind.Function,
    None: types.CompletionItemKind.Keyword,
}


class Server(LanguageServer):
    """Keeps the analysis of each open text until it changes."""

    def __init__(self) -> None:
        super().__init__("arrayol", __version__)
        self.waiting: dict[str, asyncio.Task[None]] = {}
        self.compiler: str | None = None  # whose preprocessor reads C
        self._analyses: dict[str, Analysis] = {}
        self._document: _Document | None = None  # the last one that was counted in
        self._of_c: dict[str, tuple[str, list[types.Diagnostic]]] = {}  # a text that was imported, and what was said

    def analysis(self, uri: str) -> Analysis:
        """What is known of the text as it is now."""
        known = self._analyses.get(uri)
        text = self.workspace.get_text_document(uri).source
        if known is None or known.source.text != text:
            file = SourceFile(to_fs_path(uri) or uri, text)
            known = self._analyses[uri] = Analysis(file) if known is None else known.of_next(text)
        return known

    def forget(self) -> None:
        """Read imports again: a file was saved."""
        self._analyses.clear()

    def offset(self, uri: str, position: types.Position) -> int:
        """The offset in the text of a position."""
        return self.workspace.get_text_document(uri).offset_at_position(position)

    def document(self, file: SourceFile) -> TextDocument:
        """A text as pygls counts in it."""
        if self._document is None or self._document.source != file.text:
            self._document = _Document("", source=file.text, position_codec=self.workspace.position_codec)
        return self._document

    def range(self, span: Span) -> types.Range:
        """The range of a span, in the units of the editor."""
        if not span.file.text:  # pygls finds no place in nothing
            return types.Range(types.Position(0, 0), types.Position(0, 0))
        document = self.document(span.file)
        start, end = (document.client_position_at_offset(offset) for offset in (span.start, span.end))
        return types.Range(start, end)

    def location(self, span: Span) -> types.Location:
        """The place of a span in its file."""
        return types.Location(uri_of(span), self.range(span))

    def check(self, uri: str) -> None:
        """Tell the mistakes of a text; of C those of its last import, until it changes."""
        if is_c(uri):
            text, found = self._of_c.get(uri, ("", []))
            found = found if text == self.workspace.get_text_document(uri).source else []
        else:
            found = [self._diagnostic(one) for one in mistakes(self.analysis(uri))]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))

    def c_file(self, uri: str) -> SourceFile:
        """The C at an address as it is now."""
        return SourceFile(to_fs_path(uri) or uri, self.workspace.get_text_document(uri).source)

    def tell_of_import(self, uri: str, file: SourceFile, told: Sequence[Diagnostic]) -> None:
        """Show what an import said at the lines of the C."""
        placed = [PlacedMistake(one, *_place_in(file, one.span)) for one in told]
        self._of_c[uri] = (file.text, [self._diagnostic(one) for one in placed])
        self.check(uri)

    def _diagnostic(self, placed: PlacedMistake) -> types.Diagnostic:
        told = placed.diagnostic
        beyond = placed.beyond
        return types.Diagnostic(
            self.range(placed.span),
            f"{told.message}\nhint: {told.hint}" if told.hint else told.message,
            severity=types.DiagnosticSeverity.Warning
            if told.severity is Severity.WARNING
            else types.DiagnosticSeverity.Error,
            code=told.code,
            source="arrayol",
            related_information=[types.DiagnosticRelatedInformation(self.location(beyond), "here")] if beyond else None,
        )


class _Document(TextDocument):
    """One text, which is cut in lines once."""

    @cached_property
    def lines(self) -> Sequence[str]:
        return super().lines


def uri_of(span: Span) -> str:
    """The address of the file of a span."""
    return from_fs_path(str(Path(span.file.name).absolute())) or span.file.name


def _place_in(file: SourceFile, span: Span | None) -> tuple[Span, Span | None]:
    """Where a text shows a place, and the place itself where it lies in another file."""
    if span is not None and span.file.name == file.name:
        return span, None
    return Span(file, 0, 0), span


def make_server() -> Server:  # noqa: C901, PLR0915  one function for each request
    """A server with an answer to each request."""
    server = Server()

    def answers(name: str, options: Any = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """As `server.feature`, and nothing for C, of which the server only offers the import."""

        def registered(handler: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(handler)
            def answered(ls: Server, params: Any) -> Any:
                return None if is_c(params.text_document.uri) else handler(ls, params)

            server.feature(name, options)(answered)
            return handler

        return registered

    @server.feature(types.INITIALIZE)
    def greeted(ls: Server, params: types.InitializeParams) -> None:
        options = params.initialization_options
        compiler = options.get("compiler") if isinstance(options, dict) else None
        ls.compiler = compiler if isinstance(compiler, str) and compiler.strip() else None

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
        ls.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri in ls.waiting:
            ls.waiting[uri].cancel()
        ls.waiting[uri] = asyncio.ensure_future(_check_later(ls, uri))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
        ls.forget()
        for uri in ls.workspace.text_documents:
            ls.check(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
        if waiting := ls.waiting.pop(params.text_document.uri, None):
            waiting.cancel()
        ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))

    @answers(types.TEXT_DOCUMENT_HOVER)
    def hovered(ls: Server, params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        found = hover(ls.analysis(uri), ls.offset(uri, params.position))
        if found is None:
            return None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, found.text), ls.range(found.span))

    @answers(types.TEXT_DOCUMENT_DEFINITION)
    def defined(ls: Server, params: types.DefinitionParams) -> types.Location | None:
        uri = params.text_document.uri
        found = definition(ls.analysis(uri), ls.offset(uri, params.position))
        return ls.location(found) if found is not None else None

    @answers(types.TEXT_DOCUMENT_REFERENCES)
    def referred(ls: Server, params: types.ReferenceParams) -> list[types.Location]:
        uri = params.text_document.uri
        return [ls.location(span) for span in references(ls.analysis(uri), ls.offset(uri, params.position))]

    @answers(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepared(ls: Server, params: types.PrepareRenameParams) -> types.Range | None:
        uri = params.text_document.uri
        found = renamed_place(ls.analysis(uri), ls.offset(uri, params.position))
        return ls.range(found) if found is not None else None

    @answers(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def renamed(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit:
        return _renamed(ls, params)

    @answers(types.TEXT_DOCUMENT_COMPLETION)
    def completed(ls: Server, params: types.CompletionParams) -> list[types.CompletionItem]:
        uri = params.text_document.uri
        choices = completions(ls.analysis(uri), ls.offset(uri, params.position))
        variable = types.CompletionItemKind.Variable
        return [
            types.CompletionItem(
                choice.text, kind=_KINDS.get(choice.kind, variable), detail=choice.detail or choice.kind
            )
            for choice in choices
        ]

    @answers(types.TEXT_DOCUMENT_FORMATTING)
    def formatted_text(ls: Server, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        analysis = ls.analysis(params.text_document.uri)
        text = formatted(analysis)
        if text is None or text == analysis.source.text:
            return None
        return [types.TextEdit(ls.range(Span(analysis.source, 0, len(analysis.source.text))), text)]

    @answers(types.TEXT_DOCUMENT_INLAY_HINT)
    def hinted(ls: Server, params: types.InlayHintParams) -> list[types.InlayHint]:
        uri = params.text_document.uri
        analysis = ls.analysis(uri)
        low, high = (ls.offset(uri, position) for position in (params.range.start, params.range.end))
        document = ls.document(analysis.source)
        shown = inlays(analysis, low, high)
        return [types.InlayHint(document.client_position_at_offset(inlay.offset), inlay.text) for inlay in shown]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def offered(ls: Server, params: types.CodeActionParams) -> list[types.Command] | None:
        uri = params.text_document.uri
        if not is_c(uri):
            return None
        name = function_at(ls.c_file(uri), ls.offset(uri, params.range.start), ls.compiler)
        title = f"Import '{name}' into Array-OL" if name else "Import this file into Array-OL"
        return [types.Command(title, IMPORT, arguments=[uri, name])]

    @server.command(IMPORT)
    async def imported(ls: Server, uri: str, function: str | None = None) -> None:
        await _import(ls, uri, function)

    return server


async def _import(ls: Server, uri: str, function: str | None) -> None:
    """Import a function of C: its specification beside the file, what was assumed or refused at the lines of the C."""
    file = ls.c_file(uri)
    try:
        made = imported_function(file, function, ls.compiler)
    except ArrayolError as refused:
        ls.tell_of_import(uri, file, refused.diagnostics)
        first = refused.diagnostics[0]
        text = f"{Path(file.name).name} is not imported: {first.message}"
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))
        return
    ls.tell_of_import(uri, file, list(made.remarks()))
    target = from_fs_path(str(target_of(file))) or ""
    edit = types.WorkspaceEdit(document_changes=list(_written(ls, target, made.text)))
    done = await ls.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(edit, f"Import of {Path(file.name).name}")
    )
    if done.applied:
        text = f"{target_of(file).name}: {'; '.join(made.summary())}"
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))


def _written(ls: Server, uri: str, text: str) -> Iterator[types.CreateFile | types.TextDocumentEdit]:
    """The edit that puts a text into a file, in place of what it holds."""
    yield types.CreateFile(uri, options=types.CreateFileOptions(ignore_if_exists=True))
    opened = ls.workspace.text_documents.get(uri)
    path = Path(to_fs_path(uri) or "")
    held = opened.source if opened is not None else path.read_text(encoding="utf-8") if path.is_file() else ""
    version = opened.version if opened is not None else None
    whole = ls.range(Span(SourceFile(str(path), held), 0, len(held)))
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri, version)
    yield types.TextDocumentEdit(identifier, [types.TextEdit(whole, text)])


async def _check_later(ls: Server, uri: str) -> None:
    await asyncio.sleep(PAUSE)
    ls.check(uri)


def _renamed(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit:
    """Raises JsonRpcInvalidParams, which the editor shows."""
    uri = params.text_document.uri
    root = ls.workspace.root_path
    try:
        spans = rename(ls.analysis(uri), ls.offset(uri, params.position), params.new_name, Path(root) if root else None)
        edits: dict[str, list[types.TextEdit]] = {}
        for span in spans:
            file = uri_of(span)
            opened = ls.workspace.text_documents.get(file)
            if file != uri and opened is not None and opened.source != span.file.text:
                raise RefusedError(f"{Path(span.file.name).name} has changes: save it first")
            edits.setdefault(file, []).append(types.TextEdit(ls.range(span), params.new_name))
    except RefusedError as refused:
        raise JsonRpcInvalidParams(str(refused)) from None
    return types.WorkspaceEdit(changes=edits)
