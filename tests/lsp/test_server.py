"""The language server as an editor meets it: a process of its own, asked by pygls' client."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from conftest import CommandLine
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.client import LanguageClient

from arrayol.cli import lsp

TEXT = """\
const  H = 4  # \U0001f600
const W = H * 2  # \U0001f600\U0001f600
elementary double(x: u8) -> (y: u8) {
  y = x + x
}
task twice(a: u8[H, W]) -> (b: u8[H, W]) {
  repeat [H, W] of double {
    x <- a
    y -> b
  }
}
"""


class Editor(LanguageClient):
    """Opens one text, and keeps what the server tells of it."""

    def __init__(self, path: Path) -> None:
        super().__init__("test", "1")
        self.uri = path.as_uri()
        self.told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def told(params: types.PublishDiagnosticsParams) -> None:
            self.told.put_nowait(params)

    @property
    def text(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    async def open(self, text: str) -> list[types.Diagnostic]:
        self.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(self.uri, "arrayol", 1, text))
        )
        return list((await self.told.get()).diagnostics)

    async def change(self, version: int, text: str) -> None:
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, self.uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )


def with_editor(path: Path, talk: Callable[[Editor], Awaitable[None]]) -> None:
    """A conversation with `arrayol lsp`, from the greeting to its end."""

    async def run() -> None:
        editor = Editor(path)
        start = "import sys; from arrayol.cli.main import main; sys.argv[1:] = ['lsp']; main()"
        await editor.start_io(sys.executable, "-c", start)
        folders = [types.WorkspaceFolder(path.parent.as_uri(), "folder")]
        await editor.initialize_async(
            types.InitializeParams(types.ClientCapabilities(), workspace_folders=folders, root_uri=folders[0].uri)
        )
        editor.initialized(types.InitializedParams())
        await talk(editor)
        await editor.shutdown_async(None)
        editor.exit(None)
        await editor.stop()

    asyncio.run(asyncio.wait_for(run(), 300))


def span(line: int, start: int, end: int) -> types.Range:
    return types.Range(types.Position(line, start), types.Position(line, end))


def test_an_editor_is_answered(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        assert await editor.open(TEXT) == []
        at = types.Position(5, 18)  # H in the shape of a

        hover = await editor.text_document_hover_async(types.HoverParams(editor.text, at))
        assert hover is not None
        assert hover.contents == types.MarkupContent(types.MarkupKind.Markdown, "```aol\nconst H = 4\n```\n\n4")
        assert hover.range == span(5, 17, 18)

        place = await editor.text_document_definition_async(types.DefinitionParams(editor.text, at))
        assert place == types.Location(editor.uri, span(0, 7, 8))

        context = types.ReferenceContext(include_declaration=True)
        found = await editor.text_document_references_async(types.ReferenceParams(context, editor.text, at))
        assert [one.range.start.line for one in found or ()] == [0, 1, 5, 5, 6]

        prepared = await editor.text_document_prepare_rename_async(types.PrepareRenameParams(editor.text, at))
        assert prepared == span(5, 17, 18)
        edit = await editor.text_document_rename_async(types.RenameParams(editor.text, at, "ROWS"))
        assert edit is not None
        assert edit.changes is not None
        assert [one.range.start.line for one in edit.changes[editor.uri]] == [0, 1, 5, 5, 6]
        with pytest.raises(JsonRpcInvalidParams, match="'W' is already the name of a const"):
            await editor.text_document_rename_async(types.RenameParams(editor.text, at, "W"))

        place_of_array = types.Position(7, 9)
        items = await editor.text_document_completion_async(types.CompletionParams(editor.text, place_of_array))
        assert isinstance(items, list)
        assert [(item.label, item.detail) for item in items] == [("a", "a: u8[H, W]"), ("y", "y: u8")]

        options = types.FormattingOptions(2, insert_spaces=True)
        edits = await editor.text_document_formatting_async(types.DocumentFormattingParams(editor.text, options))
        assert edits is not None
        assert [one.new_text for one in edits] == [TEXT.replace("const  H", "const H")]
        assert edits[0].range == types.Range(types.Position(0, 0), types.Position(11, 0))

        hints = await editor.text_document_inlay_hint_async(types.InlayHintParams(editor.text, span(1, 0, 15)))
        assert [(hint.position, hint.label) for hint in hints or ()] == [(types.Position(1, 15), " = 8")]

    with_editor(tmp_path / "text.aol", talk)


def test_mistakes_are_told_while_one_types_and_again_when_an_import_is_saved(tmp_path: Path) -> None:
    shared = tmp_path / "shared.aol"
    shared.write_text("const SIDE = NONE\n", encoding="utf-8")

    async def talk(editor: Editor) -> None:
        (told,) = await editor.open('import "shared.aol"\n# \U0001f600\nconst A = SIDE\n')
        assert (told.code, told.range) == ("unknown-name", span(0, 0, 19))
        assert told.related_information is not None
        assert told.related_information[0].location == types.Location(shared.as_uri(), span(0, 13, 17))

        shared.write_text("const SIDE = 3\n", encoding="utf-8")
        editor.text_document_did_save(types.DidSaveTextDocumentParams(editor.text))
        assert not (await editor.told.get()).diagnostics

        await editor.change(2, "const A = 1 / 2\n")
        await editor.change(3, "const A = 1 / \n")
        await editor.change(4, "const \U0001f600 = 1\nconst A = 1 / 3\n")
        first, second = (await editor.told.get()).diagnostics  # of the last text alone
        assert (first.code, first.range) == ("syntax", span(0, 6, 8))  # two units of UTF-16
        assert (second.code, second.range, second.severity) == (
            "inexact-division",
            span(1, 10, 15),
            types.DiagnosticSeverity.Error,
        )
        assert "\nhint: " in second.message

        editor.text_document_did_close(types.DidCloseTextDocumentParams(editor.text))
        assert not (await editor.told.get()).diagnostics

    with_editor(tmp_path / "text.aol", talk)


def test_without_pygls_the_remedy_is_told(arrayol: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lsp, "find_spec", lambda name: None)
    done = arrayol("lsp")
    told = "error[no-language-server]: 'pygls' is not there\n  hint: pip install 'arrayol[lsp]'\n"
    assert (done.stdout, done.stderr, done.returncode) == ("", told, 1)
