"""The language server as an editor meets it: a process of its own, asked by the client of pytest-lsp.

That client warns, which is an error here, where an answer is none that the protocol allows.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from conftest import CommandLine
from editing import SERVER, change, opened, span, told
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from arrayol.cli.commands import lsp

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


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[sys.executable, "-c", SERVER]))
async def editor(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    """A conversation with `arrayol lsp`, from the greeting to its end."""
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "folder")
    await lsp_client.initialize_session(
        types.InitializeParams(
            client_capabilities("visual-studio-code"), workspace_folders=[folder], root_uri=folder.uri
        )
    )
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_an_editor_is_answered(editor: LanguageClient, tmp_path: Path) -> None:
    text = opened(editor, tmp_path / "text.aol", TEXT)
    assert not await told(editor, text)
    at = types.Position(5, 18)  # H in the shape of a

    hover = await editor.text_document_hover_async(types.HoverParams(text, at))
    assert hover is not None
    assert hover.contents == types.MarkupContent(types.MarkupKind.Markdown, "```aol\nconst H = 4\n```\n\n4")
    assert hover.range == span(5, 17, 18)

    place = await editor.text_document_definition_async(types.DefinitionParams(text, at))
    assert place == types.Location(text.uri, span(0, 7, 8))

    context = types.ReferenceContext(include_declaration=True)
    found = await editor.text_document_references_async(types.ReferenceParams(context, text, at))
    assert [one.range.start.line for one in found or ()] == [0, 1, 5, 5, 6]

    prepared = await editor.text_document_prepare_rename_async(types.PrepareRenameParams(text, at))
    assert prepared == span(5, 17, 18)
    edit = await editor.text_document_rename_async(types.RenameParams(text, at, "ROWS"))
    assert edit is not None
    assert edit.changes is not None
    assert [one.range.start.line for one in edit.changes[text.uri]] == [0, 1, 5, 5, 6]
    with pytest.raises(JsonRpcInvalidParams, match="'W' is already the name of a const"):
        await editor.text_document_rename_async(types.RenameParams(text, at, "W"))

    place_of_array = types.Position(7, 9)
    items = await editor.text_document_completion_async(types.CompletionParams(text, place_of_array))
    assert isinstance(items, list)
    assert [(item.label, item.detail) for item in items] == [("a", "a: u8[H, W]"), ("y", "y: u8")]

    options = types.FormattingOptions(2, insert_spaces=True)
    edits = await editor.text_document_formatting_async(types.DocumentFormattingParams(text, options))
    assert edits is not None
    assert [one.new_text for one in edits] == [TEXT.replace("const  H", "const H")]
    assert edits[0].range == types.Range(types.Position(0, 0), types.Position(11, 0))

    hints = await editor.text_document_inlay_hint_async(types.InlayHintParams(text, span(1, 0, 15)))
    assert [(hint.position, hint.label) for hint in hints or ()] == [(types.Position(1, 15), " = 8")]


@pytest.mark.asyncio
async def test_mistakes_are_told_while_one_types_and_again_when_an_import_is_saved(
    editor: LanguageClient, tmp_path: Path
) -> None:
    shared = tmp_path / "shared.aol"
    shared.write_text("const SIDE = NONE\n", encoding="utf-8")

    text = opened(editor, tmp_path / "text.aol", 'import "shared.aol"\n# \U0001f600\nconst A = SIDE\n')
    (mistake,) = await told(editor, text)
    assert (mistake.code, mistake.range) == ("unknown-name", span(0, 0, 19))
    assert mistake.related_information is not None
    assert mistake.related_information[0].location == types.Location(shared.as_uri(), span(0, 13, 17))

    shared.write_text("const SIDE = 3\n", encoding="utf-8")
    editor.text_document_did_save(types.DidSaveTextDocumentParams(text))
    assert not (await told(editor, text))

    change(editor, text, 2, "const A = 1 / 2\n")
    change(editor, text, 3, "const A = 1 / \n")
    change(editor, text, 4, "const \U0001f600 = 1\nconst A = 1 / 3\n")
    first, second = await told(editor, text)  # of the last text alone
    assert (first.code, first.range) == ("syntax", span(0, 6, 8))  # two units of UTF-16
    assert (second.code, second.range, second.severity) == (
        "inexact-division",
        span(1, 10, 15),
        types.DiagnosticSeverity.Error,
    )
    assert "\nhint: " in second.message

    editor.text_document_did_close(types.DidCloseTextDocumentParams(text))
    assert not (await told(editor, text))


def test_it_ends_well_when_the_editor_leaves() -> None:
    """Which says so: with 0 and no word."""
    asked = (
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    )
    texts = [json.dumps({"jsonrpc": "2.0", **message}) for message in asked]
    said = "".join(f"Content-Length: {len(text)}\r\n\r\n{text}" for text in texts)
    done = subprocess.run([sys.executable, "-c", SERVER], input=said.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b'"id":2' in done.stdout.replace(b" ", b"")


def test_without_pygls_the_remedy_is_told(arrayol: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lsp, "find_spec", lambda name: None)
    done = arrayol("lsp")
    told = "error[no-language-server]: 'pygls' is not there\n  hint: pip install 'arrayol[lsp]'\n"
    assert (done.stdout, done.stderr, done.returncode) == ("", told, 1)
