"""C in an editor: the server offers to import the function at the cursor, and writes the specification beside it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from editing import SERVER, change, opened, span, told
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from arrayol import api
from arrayol.lsp.server import function_at
from arrayol.source import SourceFile

C = """\
#include "sizes.h"
#define TWICE(v) ((v) * 2)

static int clamp(int v) { return v > 99 ? 99 : v; }

void one(int x[N], int y[N])
{
  for (int i = 0; i < N; i++)
    y[i] = clamp(TWICE(x[i]));
}

void two(int x[N], int y[N]) {
  for (int i = 0; i < x[0]; i++)
    y[i] = x[i];
  while (y[0] > 3)
    y[0] -= 2;
}
"""


@pytest.fixture
def edits() -> list[types.ApplyWorkspaceEditParams]:
    """The edits that the server has asked for."""
    return []


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[sys.executable, "-c", SERVER]))
async def editor(
    lsp_client: LanguageClient, tmp_path: Path, edits: list[types.ApplyWorkspaceEditParams]
) -> AsyncIterator[None]:
    """A conversation in which the compiler that the editor names has a header."""

    @lsp_client.feature(types.WORKSPACE_APPLY_EDIT)
    def applied(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edits.append(params)
        return types.ApplyWorkspaceEditResult(applied=True)

    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "sizes.h").write_text("#define N 12\n", encoding="utf-8")
    options = {"compiler": f"cc '-I{tmp_path / 'inc'}'"}
    capabilities = client_capabilities("visual-studio-code")
    await lsp_client.initialize_session(types.InitializeParams(capabilities, initialization_options=options))
    yield
    await lsp_client.shutdown_session()


async def import_at(client: LanguageClient, text: types.TextDocumentIdentifier, line: int) -> str:
    """What the server offers at a line, done; the title of the offer."""
    at = types.Range(types.Position(line, 2), types.Position(line, 2))
    params = types.CodeActionParams(text, at, types.CodeActionContext([]))
    (command,) = await client.text_document_code_action_async(params) or ()
    assert isinstance(command, types.Command)
    await client.workspace_execute_command_async(types.ExecuteCommandParams(command.command, command.arguments))
    return command.title


@pytest.mark.asyncio
async def test_the_function_at_the_cursor_is_imported(
    editor: LanguageClient, edits: list[types.ApplyWorkspaceEditParams], tmp_path: Path
) -> None:
    text = opened(editor, tmp_path / "both.c", C)
    assert not await told(editor, text)
    title = await import_at(editor, text, 8)
    assert title == "Import 'one' into Array-OL"
    (asked,) = edits
    create, edit = asked.edit.document_changes or ()
    target = (tmp_path / "both.aol").as_uri()
    assert isinstance(create, types.CreateFile)
    assert isinstance(edit, types.TextDocumentEdit)
    assert (create.uri, edit.text_document.uri) == (target, target)
    (tmp_path / "both.c").write_text(C, encoding="utf-8")
    expected = api.import_c(tmp_path / "both.c", function="one", compiler=f"cc '-I{tmp_path / 'inc'}'")
    assert list(edit.edits) == [types.TextEdit(span(0, 0, 0), expected.text)]
    assert "stages: 1 repetition" in editor.messages[-1].message

    # Again, in place of what the file holds now.
    (tmp_path / "both.aol").write_text("const A = 1\nconst B = 2\n", encoding="utf-8")
    await import_at(editor, text, 5)
    again = (edits[1].edit.document_changes or ())[1]
    assert isinstance(again, types.TextDocumentEdit)
    assert again.edits[0].range == types.Range(types.Position(0, 0), types.Position(2, 0))


@pytest.mark.asyncio
async def test_refusals_stand_at_the_lines_of_the_c_until_it_changes(
    editor: LanguageClient, edits: list[types.ApplyWorkspaceEditParams], tmp_path: Path
) -> None:
    text = opened(editor, tmp_path / "both.c", C)
    assert not await told(editor, text)
    assert await import_at(editor, text, 13) == "Import 'two' into Array-OL"
    assert [one.range.start.line for one in editor.diagnostics[text.uri]] == [12, 14]
    assert all("\nhint: " in one.message for one in editor.diagnostics[text.uri])
    assert "both.c is not imported" in editor.messages[-1].message
    assert edits == []
    change(editor, text, 2, C + "\n")
    assert not await told(editor, text)


@pytest.mark.asyncio
async def test_of_c_nothing_else_is_said(editor: LanguageClient, tmp_path: Path) -> None:
    text = opened(editor, tmp_path / "both.c", C)
    at = types.Position(5, 6)
    assert await editor.text_document_hover_async(types.HoverParams(text, at)) is None
    options = types.FormattingOptions(2, insert_spaces=True)
    assert await editor.text_document_formatting_async(types.DocumentFormattingParams(text, options)) is None
    specification = opened(editor, tmp_path / "a.aol", "const A = 1\n")
    params = types.CodeActionParams(specification, types.Range(at, at), types.CodeActionContext([]))
    assert await editor.text_document_code_action_async(params) is None


def test_the_function_at_a_place() -> None:
    file = SourceFile("both.c", C.replace('#include "sizes.h"', "#define N 12"))
    words = ("#define T", "clamp", "void one", "TWICE(x", "-= 2")
    found = [function_at(file, file.text.index(word), None) for word in words]
    assert found == [None, "clamp", "one", "one", "two"]
    assert function_at(SourceFile("wrong.c", "void f( {"), 3, None) is None
