"""`arrayol fmt` as a user runs it."""

from __future__ import annotations

import subprocess
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


def test_several_files_go_on_after_one_that_is_wrong(arrayol: CommandLine, tmp_path: Path) -> None:
    texts = {"bad.aol": "const   N=\n", "ugly.aol": UGLY, "pretty.aol": PRETTY}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = arrayol("fmt", "--check", "bad.aol", "gone.aol", "ugly.aol", "pretty.aol", "ugly.aol")
    told = "ugly.aol: not canonical; `arrayol fmt ugly.aol` would change it\npretty.aol: canonical\n"
    assert (done.stdout, done.returncode) == (told, 1)
    assert [line for line in done.stderr.splitlines() if line.startswith(("bad", "gone"))] == [
        "bad.aol:1:11: error[syntax]: the definition of const 'N' ends too early; expected an expression",
        "gone.aol: error[no-such-file]: no such file",
    ]
    done = arrayol("fmt", "bad.aol", "ugly.aol", "pretty.aol")
    assert (done.stdout, done.returncode) == ("ugly.aol: rewritten\npretty.aol: canonical\n", 1)
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in texts} == {**texts, "ugly.aol": PRETTY}


def test_the_standard_input_is_printed_in_canonical_form(script: Path, tmp_path: Path) -> None:
    def fmt(data: bytes, *options: str) -> tuple[bytes, bytes, int]:
        done = subprocess.run(
            [script, "fmt", *options, "-"], input=data, cwd=tmp_path, capture_output=True, check=False
        )
        return done.stdout, done.stderr, done.returncode

    assert fmt(b"\xef\xbb\xbfconst N = 8  # \xc3\xa9\r\n") == ("const N = 8  # \u00e9\n".encode(), b"", 0)
    assert fmt(UGLY.encode(), "--check") == (b"<stdin>: not canonical\n", b"", 1)
    assert fmt(PRETTY.encode(), "--check") == (b"<stdin>: canonical\n", b"", 0)
    assert fmt(b"\0") == (
        b"",
        b"<stdin>: error[binary-file]: this is a binary file, not the text of an .aol file\n",
        1,
    )
    assert list(tmp_path.iterdir()) == []


def test_the_standard_input_stands_alone(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "x.aol").write_text(UGLY, encoding="utf-8")
    done = arrayol("fmt", "x.aol", "-")
    assert done.stderr.endswith("\n\nError: '-' stands alone, since its text is printed; or add --check.\n")
    assert (done.stdout, done.returncode) == ("", 2)
    assert (tmp_path / "x.aol").read_text(encoding="utf-8") == UGLY
