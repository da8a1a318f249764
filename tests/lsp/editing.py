"""What an editor does with the language server: it opens texts, changes them, and waits for what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pytest_lsp import LanguageClient

SERVER = "import sys; from arrayol.cli.main import main; sys.argv[1:] = ['lsp']; main()"


async def told(editor: LanguageClient, text: types.TextDocumentIdentifier) -> Sequence[types.Diagnostic]:
    """What the server says next of a text."""
    await editor.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return editor.diagnostics[text.uri]


def opened(editor: LanguageClient, path: Path, text: str) -> types.TextDocumentIdentifier:
    """A text in the editor."""
    editor.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(path.as_uri(), "arrayol", 1, text))
    )
    return types.TextDocumentIdentifier(path.as_uri())


def change(editor: LanguageClient, document: types.TextDocumentIdentifier, version: int, text: str) -> None:
    """Another text."""
    editor.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version, document.uri),
            [types.TextDocumentContentChangeWholeDocument(text)],
        )
    )


def span(line: int, start: int, end: int) -> types.Range:
    return types.Range(types.Position(line, start), types.Position(line, end))
