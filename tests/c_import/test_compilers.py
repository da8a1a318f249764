"""`--cc`: the user's own preprocessor, with its options; what is wrong with the command is said in a line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import CommandLine

from arrayol import api

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

C = """\
#include "width.h"
void f(int x[N][W], int y[N][W]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < W; j++)
      y[i][j] = x[i][j] + N;
}
"""
FORM = """write it as --cc "gcc -Iinc -DN=64", and what has blanks in quotes, as --cc "gcc '-Imy inc'\""""
WRONG = {
    "nogcc -Iinc": f"error[no-preprocessor]: there is no program 'nogcc'\n  hint: name an installed compiler; {FORM}",
    "gcc '-Imy": f"error[no-preprocessor]: 'gcc '-Imy': no closing quotation\n  hint: {FORM}",
    "": f"error[no-preprocessor]: the command of the compiler is empty\n  hint: {FORM}",
    "false": "error[no-preprocessor]: 'false' failed: exit code 1, and no message\n"
    "  hint: run it yourself with -E, and import what it writes",
    "gcc -fqqqq": "error[no-preprocessor]: 'gcc' failed: gcc: error: unrecognized command-line option"
    " '-fqqqq'\n  hint: run it yourself with -E, and import what it writes",
    "gcc -DN=64": "error[c-syntax]: the preprocessor: width.h: No such file or directory\n"
    '    1 | #include "width.h"\n      | ^^^^^^^^^^^^^^^^^^\n'
    '  hint: give your include folders and macros, as --cc "gcc -Iinc -DN=64"',
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my inc").mkdir()
    (tmp_path / "my inc" / "width.h").write_text("#define W 4\n", encoding="utf-8")
    (tmp_path / "k.c").write_text(C, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("command", ["gcc '-Imy inc' -DN=64", "gcc -Wall -O2 -std=c99 -I my\\ inc -D N=64"])
def test_its_macros_and_headers_are_taken(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert api.import_c("k.c", compiler=command).spec.constants == {"N": 64, "W": 4}
    assert api.import_c("k.c", {"N": 3}, compiler=command).spec.constants == {"N": 3, "W": 4}


@pytest.mark.parametrize("command", WRONG)
def test_what_is_wrong_with_it_is_said(command: str, arrayol: CommandLine, folder: Path) -> None:
    done = arrayol("import", "k.c", "--cc", command, cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{'k.c:1:1' if 'c-syntax' in WRONG[command] else 'k.c'}: {WRONG[command]}\n"
