"""`arrayol fmt` as a user runs it."""

from __future__ import annotations

from pathlib import Path

from conftest import CommandLine

UGLY = "const   N=8 # eight\n"
PRETTY = "const N = 8  # eight\n"


def test_rewrites_once(arrayol_process: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    path.write_text(UGLY, encoding="utf-8")
    first = arrayol_process("fmt", "x.aol")
    assert (first.returncode, first.stdout) == (0, "x.aol: rewritten\n")
    assert path.read_text(encoding="utf-8") == PRETTY
    second = arrayol_process("fmt", "x.aol")
    assert (second.returncode, second.stdout) == (0, "x.aol: canonical\n")
    assert [found.name for found in tmp_path.iterdir()] == ["x.aol"]


def test_check_changes_nothing(arrayol: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    path.write_text(UGLY, encoding="utf-8")
    done = arrayol("fmt", "--check", "x.aol")
    assert (done.returncode, done.stdout) == (1, "x.aol: not canonical; `arrayol fmt x.aol` would change it\n")
    assert path.read_text(encoding="utf-8") == UGLY
    path.write_text(PRETTY, encoding="utf-8")
    assert arrayol("fmt", "--check", "x.aol").returncode == 0


def test_byte_order_mark_and_crlf_are_not_canonical(arrayol: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    path.write_bytes(b"\xef\xbb\xbfconst N = 8  # eight\r\n")
    assert arrayol("fmt", "--check", "x.aol").returncode == 1
    assert arrayol("fmt", "x.aol").returncode == 0
    assert path.read_bytes() == PRETTY.encode()


def test_a_mistake_of_syntax_leaves_the_file_alone(arrayol: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    path.write_text("const   N=\n", encoding="utf-8")
    done = arrayol("fmt", "x.aol")
    assert done.returncode == 1
    assert done.stderr.startswith("x.aol:1:11: error[syntax]: the definition of const 'N' ends too early")
    assert path.read_text(encoding="utf-8") == "const   N=\n"
