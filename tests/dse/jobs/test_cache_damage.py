"""Damaged caches, and files of others by a cache's name: never a wrong value, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from caches import files, held, key, read, refusal
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.errors import ArrayolError
from dse.jobs.cache import CACHE_NAME, CacheRows, open_rows

NUMBERS = [str(number) for number in range(60)]
VALUES = {number: f"{number}:" + number * (int(number) ** 2 % 997) for number in NUMBERS}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The file of a cache with rows of all sizes, and one that was killed, with rows in the log beside."""
    folder = tmp_path_factory.mktemp("sound")
    written = CacheRows(folder / CACHE_NAME, resume=True)
    for place, number in enumerate(NUMBERS):
        written.put(key(number), "test", VALUES[number])
        if place in (30, 59):
            written.commit()
    log = (folder / f"{CACHE_NAME}-wal").read_bytes()
    header = (folder / CACHE_NAME).read_bytes()
    written.close()
    return {"whole": (folder / CACHE_NAME).read_bytes(), "killed": header, "log": log}


@st.composite
def damages(draw: st.DrawFn, size: int) -> list[tuple[str, int, int]]:
    """Kinds of damage with a place and an amount: places in the header and where pages begin are frequent."""
    pages = st.builds(lambda page, offset: page * 4096 + offset, st.integers(0, size // 4096), st.integers(0, 12))
    place = st.one_of(st.integers(0, 110), pages, st.integers(0, size)).map(lambda at: min(at, size - 1))
    flips = st.tuples(st.just("flip"), place, st.integers(1, 255))
    wide = st.tuples(st.sampled_from(["zero", "cut", "twice"]), place, st.integers(1, 6000))
    return draw(st.lists(st.one_of(flips, flips, wide), min_size=1, max_size=3))


def spoilt(data: bytes, damage: Sequence[tuple[str, int, int]]) -> bytes:
    for kind, at, amount in damage:
        if kind == "flip":
            data = data[:at] + bytes(byte ^ amount for byte in data[at : at + 1]) + data[at + 1 :]
        elif kind == "zero":
            data = data[:at] + bytes(len(data[at : at + amount])) + data[at + amount :]
        elif kind == "cut":
            data = data[:at]
        else:
            data = data[: at + amount] + data[at:]
    return data


def require_sound_or_told(folder: Path) -> bool:
    """Rows are right or absent, and new ones are found again; or the cache is said to be damaged. Whether the first."""
    try:
        with open_rows(folder, resume=True) as found:
            rows = found.get(map(key, NUMBERS))
            found.put(key("new"), "test", "new")
        with open_rows(folder, resume=True) as found:
            assert found.get([key("new")]) == {key("new"): "new"}
    except ArrayolError as told:
        if "error[store-damaged]: this " not in str(told):
            raise
        return False
    assert rows.items() <= {key(number): value for number, value in VALUES.items()}.items()
    return True


@settings(max_examples=case_count(150))
@given(drawn=st.data())
def test_a_damaged_file_is_told_or_does_no_harm(
    new_folder: Callable[[], Path], sound: dict[str, bytes], drawn: st.DataObject
) -> None:
    folder = new_folder()
    data = spoilt(sound["whole"], drawn.draw(damages(len(sound["whole"]))))
    (folder / CACHE_NAME).write_bytes(data)
    require_sound_or_told(folder)
    (folder / CACHE_NAME).write_bytes(data)
    if (data[:16] == sound["whole"][:16] and data[68:72] == b"ArOL") or not data:
        with open_rows(folder, resume=False) as found:
            found.put(key("new"), "test", "new")
        assert held(folder, ["new"]) == {"new": "new"}
    else:
        assert "too damaged to be known as one\n  hint: remove the file, or" in refusal(folder, resume=False)
        assert files(folder) == {CACHE_NAME: data}


KINDS = {
    "a version of SQLite that only reads it": ("flip", 18, 1),
    "a version of SQLite that knows nothing of it": ("flip", 19, 1),
    "an unknown format of the schema": ("flip", 47, 8),
    "a name that is no text": ("flip", b"workwork", 0x80),
    "a statement that is none": ("flip", b"TABLE work", 0x02),
    "a page of zeros": ("zero", 3 * 4096, 4096),
    "a page missing at the end": ("cut", -4096, 0),
}


@pytest.mark.parametrize(("kind", "at", "amount"), KINDS.values(), ids=KINDS)
def test_each_kind_of_damage_is_told(
    tmp_path: Path, sound: dict[str, bytes], kind: str, at: int | bytes, amount: int
) -> None:
    place = at if isinstance(at, int) else sound["whole"].index(at)
    (tmp_path / CACHE_NAME).write_bytes(spoilt(sound["whole"], [(kind, place, amount)]))
    assert not require_sound_or_told(tmp_path)
    with open_rows(tmp_path, resume=False) as found:
        found.put(key("new"), "test", "new")
    assert held(tmp_path, ["new"]) == {"new": "new"}


def test_a_damaged_structure_is_told_before_anything_is_done(tmp_path: Path, sound: dict[str, bytes]) -> None:
    (tmp_path / CACHE_NAME).write_bytes(spoilt(sound["whole"], [("zero", 3 * 4096, 4096)]))
    with pytest.raises(ArrayolError, match="store-damaged"):
        CacheRows(tmp_path / CACHE_NAME, resume=True)


@settings(max_examples=case_count(60))
@given(drawn=st.data())
def test_a_damaged_log_is_told_or_does_no_harm(
    new_folder: Callable[[], Path], sound: dict[str, bytes], drawn: st.DataObject
) -> None:
    folder = new_folder()
    (folder / CACHE_NAME).write_bytes(sound["killed"])
    (folder / f"{CACHE_NAME}-wal").write_bytes(spoilt(sound["log"], drawn.draw(damages(len(sound["log"])))))
    assert require_sound_or_told(folder)  # the log has sums of its own: what does not fit is not read


def test_a_changed_row_is_never_taken(tmp_path: Path, sound: dict[str, bytes]) -> None:
    """Also where SQLite sees nothing wrong."""
    at = sound["whole"].index(VALUES["44"].encode())
    changed = [
        "UPDATE work SET value = value || ' '",
        "UPDATE work SET kind = 'other'",
        "UPDATE work SET seal = x''",
        "UPDATE work SET value = 5",
        "UPDATE work SET (value, seal) = (SELECT value, seal FROM work WHERE rowid = 1)",
    ]
    for statement in ["", *changed]:
        (tmp_path / CACHE_NAME).write_bytes(
            sound["whole"] if statement else spoilt(sound["whole"], [("flip", at + 500, 1)])
        )
        if statement:
            read(tmp_path / CACHE_NAME, statement)
        with open_rows(tmp_path, resume=True) as found, pytest.raises(ArrayolError) as caught:
            found.get([key("43"), key("44")])
        assert str(caught.value) == (
            f"{tmp_path / CACHE_NAME}: error[store-damaged]: this store of finished work is damaged\n"
            "  hint: explore without --resume, which starts a new one"
        )


def test_a_cache_whose_making_was_interrupted_is_empty(tmp_path: Path) -> None:
    """SQLite's journal undoes it: the file is not empty before that, and does not say whose it is."""
    making = f"""
import os, sqlite3
made = sqlite3.connect({str(tmp_path / CACHE_NAME)!r}, isolation_level=None)
made.execute("PRAGMA cache_size = 1")
made.execute("BEGIN")
made.execute("CREATE TABLE work (value)")
made.executemany("INSERT INTO work VALUES (?)", [(b"x" * 3000,)] * 100)
os._exit(0)
"""
    for resume in (True, False):
        subprocess.run([sys.executable, "-c", making], check=True)
        assert files(tmp_path).keys() == {CACHE_NAME, f"{CACHE_NAME}-journal"}
        assert files(tmp_path)[CACHE_NAME]
        with open_rows(tmp_path, resume=resume) as found:
            assert not len(found)
            found.put(key("a"), "test", "1")
        assert held(tmp_path, "ab") == {"a": "1"}
        (tmp_path / CACHE_NAME).unlink()


def test_another_format(tmp_path: Path) -> None:
    for change in ("PRAGMA user_version = 2", "DROP TABLE work", "CREATE TABLE more (x)", "CREATE VIEW v AS SELECT 1"):
        with open_rows(tmp_path, resume=False) as found:
            found.put(key("a"), "test", "1")
        read(tmp_path / CACHE_NAME, change)
        said = "is from another version of arrayol" if "version" in change else "is damaged"
        assert refusal(tmp_path, resume=True) == (
            f"{tmp_path / CACHE_NAME}: error[store-damaged]: this store of finished work {said}\n"
            "  hint: explore without --resume, which starts a new one"
        )


def databases(folder: Path) -> Iterator[bytes]:
    for mode in ("DELETE", "WAL"):
        path = folder / "other.sqlite"
        read(path, f"PRAGMA journal_mode = {mode}", "CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('mine')")
        yield path.read_bytes()
        path.unlink()


def test_the_file_of_another_is_never_touched(tmp_path: Path, sound: dict[str, bytes]) -> None:
    (tmp_path / "out").mkdir()
    ours = sound["whole"]
    texts = [b"1", b"notes\n", b"SQLite format 3\0", ours[:50], bytes(5000), ours[:68] + b"Else" + ours[72:]]
    for data in [*texts, *databases(tmp_path)]:
        (tmp_path / "out" / CACHE_NAME).write_bytes(data)
        for resume in (True, False):
            assert refusal(tmp_path / "out", resume=resume) == (
                f"{tmp_path / 'out' / CACHE_NAME}: error[store-damaged]: this is no store of finished work of "
                "'arrayol explore', or too damaged to be known as one\n"
                "  hint: remove the file, or name another folder with --out"
            )
            assert files(tmp_path / "out") == {CACHE_NAME: data}


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_a_name_that_is_taken(tmp_path: Path, make: object) -> None:
    make(tmp_path / CACHE_NAME)  # type: ignore[operator]
    for resume in (True, False):
        assert refusal(tmp_path, resume=resume) == (
            f"{tmp_path / CACHE_NAME}: error[cannot-write]: this cannot be written: "
            "this name is taken by something that is not a file\n  hint: name another folder with --out"
        )


def test_no_folder_to_make_it_in(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no" / "out", resume=True) == (
        f"{tmp_path / 'no' / 'out' / CACHE_NAME}: error[cannot-write]: this cannot be written: "
        f"there is no folder '{tmp_path / 'no'}'\n  hint: name another folder with --out"
    )
