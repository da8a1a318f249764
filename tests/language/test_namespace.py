"""Reading files: whatever lies there, the outcome is text or an exact message."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arrayol.errors import ArrayolError
from arrayol.files import MOST_TEXT_BYTES
from arrayol.language.loader import load
from arrayol.language.namespace import read_source


def refusal(path: Path) -> str:
    with pytest.raises(ArrayolError) as caught:
        read_source(path, path.name)
    return str(caught.value)


def test_byte_order_mark_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    path.write_bytes(b"\xef\xbb\xbfconst N = 4\r\nconst M = N +\r\n")
    loaded = load(path)
    assert loaded.spec.constants == {"N": 4}
    (found,) = loaded.diagnostics
    assert found.span is not None
    assert found.span.place[1:] == (2, 14)


def test_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    path.write_bytes(b"const N = 4\nconst \xe9 = 5\n")
    assert refusal(path).splitlines()[0] == "x.aol:2:7: error[not-utf8]: byte 0xe9 is not UTF-8"
    assert refusal(path).splitlines()[-1] == "  hint: save the file as UTF-8"


def test_binary(tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    path.write_bytes(b"\x7fELF\x00\x01")
    assert refusal(path) == "x.aol: error[binary-file]: this is a binary file, not the text of an .aol file"


def test_missing(tmp_path: Path) -> None:
    assert refusal(tmp_path / "lpfs.aol") == "lpfs.aol: error[no-such-file]: no such file"
    (tmp_path / "lpsf.aol").touch()
    assert refusal(tmp_path / "lpfs.aol").splitlines()[1] == "  hint: did you mean 'lpsf.aol'?"
    assert refusal(tmp_path / "other.aol").splitlines()[1] == "  hint: its folder holds lpsf.aol"


def test_folder(tmp_path: Path) -> None:
    assert refusal(tmp_path).endswith("error[not-a-file]: this is not a file; name an .aol file")


def test_too_large(tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    path.touch()
    os.truncate(path, MOST_TEXT_BYTES + 1)
    assert refusal(path) == "x.aol: error[too-large]: the file is larger than 64 MiB; this is no .aol file"


def test_unreadable(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    assert refusal(path) == f"{path.name}: error[unreadable]: the file cannot be read: File name too long"
