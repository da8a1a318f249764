"""Outputs are whole or absent, whatever ends the block."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from arrayol.errors import ArrayolError
from arrayol.files import atomic_file, atomic_folder

Writer = Callable[[Path], AbstractContextManager[Path]]
ENDS = [ValueError("x"), KeyboardInterrupt(), SystemExit(1), OSError(errno.ENOENT, "not ours")]


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder with its text, hidden ones too."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def interrupted(writer: AbstractContextManager[Path], name: str, raised: BaseException) -> None:
    """Write one file of the output, and fail."""
    with writer as temporary:
        (temporary / name).write_text("half")
        raise raised


@pytest.mark.parametrize("before", [{}, {"a.txt": "old"}])
def test_a_file_is_there_only_when_the_block_has_ended(tmp_path: Path, before: dict[str, str]) -> None:
    for name, text in before.items():
        (tmp_path / name).write_text(text)
    with atomic_file(tmp_path / "a.txt") as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".txt"
        temporary.write_text("new")
        assert {name: text for name, text in tree(tmp_path).items() if name == "a.txt"} == before
    assert tree(tmp_path) == {"a.txt": "new"}


def test_a_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    with atomic_file(tmp_path / "a"):
        pass
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "a")
    with atomic_file(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "a").read_text() == "new"


@pytest.mark.parametrize("raised", ENDS, ids=repr)
def test_an_interrupted_file_leaves_the_former_one(tmp_path: Path, raised: BaseException) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(type(raised)) as caught:
        interrupted(atomic_file(tmp_path / "a"), "", raised)
    assert caught.value is raised
    assert tree(tmp_path) == {"a": "old"}


@pytest.mark.parametrize("before", [{}, {"out/a": "old", "out/deep/b": "old"}])
def test_a_folder_is_replaced_as_a_whole(tmp_path: Path, before: dict[str, str]) -> None:
    for name, text in before.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    with atomic_folder(tmp_path / "out") as temporary:
        (temporary / "c").write_text("new")
        assert {name: text for name, text in tree(tmp_path).items() if name.startswith("out")} == before
    assert tree(tmp_path) == {"out/c": "new"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("raised", ENDS, ids=repr)
def test_an_interrupted_folder_leaves_the_former_one(tmp_path: Path, raised: BaseException) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("old")
    with pytest.raises(type(raised)) as caught:
        interrupted(atomic_folder(tmp_path / "out"), "a", raised)
    assert caught.value is raised
    assert tree(tmp_path) == {"out/a": "old"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_comes_back_when_its_successor_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("old")
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise OSError(errno.EBUSY, "Device or resource busy", str(self), None, str(target))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(ArrayolError) as caught, atomic_folder(tmp_path / "out") as temporary:
        (temporary / "a").write_text("new")
    assert str(caught.value) == f"{tmp_path}/out: error[cannot-write]: this cannot be written: Device or resource busy"
    assert tree(tmp_path) == {"out/a": "old"}


@pytest.mark.parametrize("writer", [atomic_file, atomic_folder])
@pytest.mark.parametrize("parent", ["nowhere", "file"])
def test_a_missing_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: Writer, parent: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    with pytest.raises(ArrayolError) as caught, writer(Path(parent) / "a"):
        pytest.fail("the block ran")
    assert str(caught.value) == (
        f"{parent}/a: error[cannot-write]: there is no folder '{parent}' to write to\n"
        "  hint: create the folder first, or name another place"
    )


@pytest.mark.parametrize(
    ("writer", "name", "kind"),
    [(atomic_file, "folder", "file"), (atomic_file, os.devnull, "file"), (atomic_folder, "file", "folder")],
)
def test_a_name_that_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: Writer, name: str, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").touch()
    with pytest.raises(ArrayolError) as caught, writer(Path(name)):
        pytest.fail("the block ran")
    assert str(caught.value) == f"{name}: error[cannot-write]: this name is taken by something that is not a {kind}"


def test_a_full_disk_is_told_of_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArrayolError) as caught, atomic_file(Path("a")):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert str(caught.value) == "a: error[cannot-write]: this cannot be written: No space left on device"
    assert tree(tmp_path) == {}
