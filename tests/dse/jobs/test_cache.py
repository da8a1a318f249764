"""The cache: what was committed is there, whole, whatever ended the process that wrote it."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from caches import files, held, key, read
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.errors import ArrayolError
from dse.jobs import cache, cache_file
from dse.jobs.cache import CACHE_NAME, FORMER_NAME, CacheRows, open_rows
from dse.jobs.cache_file import disk_full

NAMES = st.sampled_from(["a", "b", "c", "d"])
STEPS = st.one_of(
    st.tuples(st.just("put"), NAMES, st.text(max_size=4) | st.integers(0, 9).map(lambda size: "x" * 2000 * size)),
    st.tuples(st.sampled_from(["commit", "close", "anew", "kill", "second"]), st.just(""), st.just("")),
)


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(cache, "monotonic", found)
    return found


class Modelled:
    """A cache, and two dictionaries that say what is in it: committed, and with what waits."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder, self.clock = folder, clock
        self.committed: dict[str, str] = {}
        self.all: dict[str, str] = {}
        self.former: dict[str, str] = {}  # what lies there until the first commit of a new cache
        self.last = clock.now
        self.cache_rows = CacheRows(folder / CACHE_NAME, resume=True)

    def do(self, step: str, name: str, value: str) -> None:
        if step == "put":
            self.cache_rows.put(key(name), "test", value)
            self.all[name] = value
            if self.clock.now >= self.last + 1:
                self.commits()
        elif step == "second":
            self.clock.now += 1
        elif step == "commit":
            self.cache_rows.commit()
            self.commits()
        else:
            self.reopen(step)
        found = self.cache_rows.get([key(name) for name in "abcde"])
        assert found == {key(name): value for name, value in self.all.items()}
        assert len(self.cache_rows) == len(self.all)

    def commits(self) -> None:
        self.committed = dict(self.all)
        self.former = {} if self.all else self.former
        self.last = self.clock.now

    def reopen(self, step: str) -> None:
        if step == "kill":  # the files as they are this moment, without what closing would do
            killed = self.folder.with_name(self.folder.name + "-killed")
            if self.folder.is_dir():
                shutil.copytree(self.folder, killed)
            self.cache_rows.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            with suppress(FileNotFoundError):
                killed.rename(self.folder)
            self.all = dict(self.committed or self.former)
        else:
            self.cache_rows.close()
            assert (files(self.folder) if self.folder.is_dir() else {}).keys() <= {CACHE_NAME, FORMER_NAME}
            there = self.all or self.former
            self.all, self.former = ({}, there) if step == "anew" else (there, {})
        self.cache_rows = CacheRows(self.folder / CACHE_NAME, resume=step != "anew")
        self.commits()


@settings(max_examples=case_count(60))
@given(steps=st.lists(STEPS, max_size=12))
def test_what_is_put_is_found_and_what_is_committed_stays(
    new_folder: Callable[[], Path], steps: list[tuple[str, str, str]]
) -> None:
    clock = Clock()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cache, "monotonic", clock)
        modelled = Modelled(new_folder() / "out", clock)
        try:
            for step in steps:
                modelled.do(*step)
        finally:
            modelled.cache_rows.close()


WRITER = """
import random, sys
from pathlib import Path
from dse.jobs.cache import open_rows
seed, folder = int(sys.argv[1]), Path(sys.argv[2])
drawn = random.Random(seed)
print("ready", flush=True)
sys.stdin.readline()
with open_rows(folder, resume=True) as rows:
    first = len(rows)
    for number in range(first, first + 100_000):
        rows.put(str(number).encode(), "test", f"{number}:" + "x" * (number * 7919 % 20_000))
        if drawn.random() < 0.2:
            rows.commit()
            print(number, flush=True)
"""


def test_an_ended_process_leaves_whole_rows_and_all_committed_ones(tmp_path: Path) -> None:
    drawn = random.Random(1)
    committed = -1
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    for seed, end in enumerate([signal.SIGKILL, signal.SIGINT, signal.SIGKILL, signal.SIGINT, signal.SIGKILL]):
        command = [sys.executable, "-c", WRITER, str(seed), str(tmp_path)]
        with subprocess.Popen(command, **pipes, text=True) as writer:
            assert writer.stdin is not None
            assert writer.stdout is not None
            assert writer.stderr is not None
            assert writer.stdout.readline() == "ready\n"
            writer.stdin.write("\n")
            writer.stdin.flush()
            for _ in range(drawn.randrange(1, 40)):
                committed = int(writer.stdout.readline())
            time.sleep(drawn.random() / 100)
            writer.send_signal(end)
            said = writer.stdout.read().split()
            assert writer.stderr.read().splitlines()[-1:] == (["KeyboardInterrupt"] if end == signal.SIGINT else [])
        assert files(tmp_path).keys() == {CACHE_NAME} or end == signal.SIGKILL
        committed = int(said[-1]) if said else committed
        with open_rows(tmp_path, resume=True) as found:
            rows = found.get([str(number).encode() for number in range(committed + 10_000)])
            assert len(found) == len(rows)
        assert {key.decode(): value for key, value in rows.items()} == {
            str(number): f"{number}:" + "x" * (number * 7919 % 20_000) for number in range(len(rows))
        }
        assert len(rows) > committed
        assert files(tmp_path).keys() == {CACHE_NAME}
    assert committed > 100


def test_rows_are_committed_by_time_and_by_size(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "COMMIT_BYTES", 1000)
    with open_rows(tmp_path, resume=True) as found:
        found.put(b"a", "test", "x" * 999)
        assert not files(tmp_path)
        found.put(b"b", "test", "x")
        assert CACHE_NAME in files(tmp_path)
        before = files(tmp_path)
        found.put(b"c", "test", "x" * 999)
        clock.now += 0.9
        found.put(b"d", "test", "")
        assert files(tmp_path) == before
        clock.now += 0.2
        found.put(b"e", "test", "")
        assert files(tmp_path) != before
        before = files(tmp_path)
        clock.now += 0.9
        found.put(b"f", "test", "")
        assert files(tmp_path) == before


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), ValueError("x"), SystemExit(1)], ids=repr)
def test_what_waits_is_kept_whatever_ends_the_block(tmp_path: Path, raised: BaseException) -> None:
    def explore() -> None:
        with open_rows(tmp_path, resume=True) as found:
            found.put(key("a"), "test", "1")
            raise raised

    with pytest.raises(type(raised)) as caught:
        explore()
    assert caught.value is raised
    assert held(tmp_path, "ab") == {"a": "1"}


def test_what_ended_the_block_is_told_and_not_that_nothing_can_be_kept(tmp_path: Path) -> None:
    def explore() -> None:
        with open_rows(tmp_path / "no" / "out", resume=True) as found:
            found.put(key("a"), "test", "1")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        explore()


def test_what_cannot_be_kept_is_told_once(tmp_path: Path) -> None:
    found = CacheRows(tmp_path / "no" / "out" / CACHE_NAME, resume=True)
    found.put(key("a"), "test", "1")
    with pytest.raises(ArrayolError, match="cannot-write"):
        found.commit()
    found.close()
    with pytest.raises(ValueError, match="could not be written"):
        found.put(key("b"), "test", "2")


def test_after_a_failure_nothing_more_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def full(*_: object) -> None:
        tried.append(1)
        raise disk_full(tmp_path / CACHE_NAME)

    found = CacheRows(tmp_path / CACHE_NAME, resume=True)
    found.put(key("a"), "test", "1")
    found.commit()
    monkeypatch.setattr(cache, "write", full)
    found.put(key("b"), "test", "2")
    with pytest.raises(ArrayolError, match="no space"):
        found.commit()
    found.close()
    assert len(tried) == 1
    assert held(tmp_path, "ab") == {"a": "1"}


@pytest.mark.parametrize("resume", [True, False])
def test_a_cache_that_was_made_meanwhile(tmp_path: Path, resume: bool) -> None:
    with open_rows(tmp_path, resume=resume) as found:
        found.put(key("a"), "test", "1")
        with open_rows(tmp_path, resume=True) as other:
            other.put(key("b"), "test", "2")
    assert held(tmp_path, "ab") == ({"a": "1", "b": "2"} if resume else {"a": "1"})


def test_an_interrupt_while_rows_are_written_loses_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(connection: sqlite3.Connection, rows: object) -> None:
        monkeypatch.undo()
        connection.execute("BEGIN")
        connection.execute("INSERT INTO work VALUES (x'00', '', '', x'')")
        connection.execute("ROLLBACK")
        raise KeyboardInterrupt

    monkeypatch.setattr(cache, "write", interrupted)
    with open_rows(tmp_path / "out", resume=True) as found:
        found.put(key("a"), "test", "1")
        with pytest.raises(KeyboardInterrupt):
            found.commit()
    assert held(tmp_path / "out", "ab") == {"a": "1"}


def test_rows_are_written_all_or_none(tmp_path: Path) -> None:
    def rows() -> Iterator[cache_file.Row]:
        yield b"a", b"", b"", b""
        raise KeyboardInterrupt

    connection = cache_file.create(tmp_path / CACHE_NAME)
    with closing(connection):
        with pytest.raises(KeyboardInterrupt):
            cache_file.write(connection, rows())
        cache_file.write(connection, [(b"b", b"", b"", b"")])
        assert connection.execute("SELECT key FROM work").fetchall() == [(b"b",)]


def test_without_rows_nothing_is_written(tmp_path: Path) -> None:
    for resume in (False, True):
        with suppress(ValueError), open_rows(tmp_path / "out", resume=resume) as found:
            assert not len(found)
            assert found
            assert found.get([b"a"]) == {}
            found.commit()
            raise ValueError
    assert not files(tmp_path)


def test_a_new_exploration_starts_a_new_cache(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text("{}")
    with open_rows(tmp_path, resume=True) as found:
        found.put(key("a"), "test", "1")
    with open_rows(tmp_path, resume=False) as found:
        assert found.get([key("a")]) == {}
        found.put(key("b"), "test", "2")
    assert held(tmp_path, "abc") == {"b": "2"}
    with open_rows(tmp_path, resume=False):
        pass
    assert held(tmp_path, "abc") == {"b": "2"}  # nothing came in its place


def put_anew(folder: Path, name: str) -> CacheRows:
    """A new cache with one row that is committed."""
    found = CacheRows(folder / CACHE_NAME, resume=False)
    found.put(key(name), "test", "1")
    found.commit()
    return found


def test_a_former_cache_comes_back_where_nothing_comes_of_the_new_one(tmp_path: Path) -> None:
    put_anew(tmp_path, "a").close()
    put_anew(tmp_path, "b").withdraw()
    assert held(tmp_path, "ab") == {"a": "1"}
    put_anew(tmp_path, "c").close()  # interrupted: its rows can be gone on with, and the former cache waits
    assert files(tmp_path).keys() == {CACHE_NAME, FORMER_NAME}
    assert held(tmp_path, "abc") == {"c": "1"}
    put_anew(tmp_path, "d").withdraw()
    assert held(tmp_path, "abcd") == {"a": "1"}
    assert files(tmp_path).keys() == {CACHE_NAME}


@pytest.mark.parametrize("step", ["create", "write"])
def test_a_former_cache_comes_back_where_the_new_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def full(*_: object) -> None:
        raise disk_full(tmp_path / CACHE_NAME)

    put_anew(tmp_path, "a").close()
    with monkeypatch.context() as patched:
        patched.setattr(cache, step, full)
        with pytest.raises(ArrayolError, match="no space"):
            put_anew(tmp_path, "b")
    assert held(tmp_path, "ab") == {"a": "1"}


def test_a_process_that_is_killed_between_two_caches_loses_none(tmp_path: Path) -> None:
    put_anew(tmp_path, "a").close()
    cache_file.set_aside(tmp_path / CACHE_NAME)
    assert held(tmp_path, "a") == {"a": "1"}


def test_discard(tmp_path: Path) -> None:
    for name, left in (("made", None), ("empty", {}), ("there", {"notes": b""})):
        folder = tmp_path / name
        if left is not None:
            folder.mkdir()
        for other in left or {}:
            (folder / other).touch()
        with open_rows(folder, resume=True) as found:
            found.put(b"a", "test", "1")
            found.commit()
            assert CACHE_NAME in files(folder)
            found.discard()
        assert (files(folder) if folder.is_dir() else None) == left
    with open_rows(tmp_path / "there", resume=True) as found:
        found.discard()
        with pytest.raises(ValueError, match="the store is closed"):
            found.put(b"a", "test", "1")


def test_people_can_read_it(tmp_path: Path) -> None:
    with open_rows(tmp_path, resume=True) as found:
        found.put(b"a", "a kind", '{"é": 1}')
    rows = read(tmp_path / CACHE_NAME, "SELECT kind, value FROM work")
    assert rows == [("a kind", '{"é": 1}')]
