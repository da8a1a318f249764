"""The store of finished work: what was committed is there, whole, whatever ended the process that wrote it."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arrayol.errors import ArrayolError
from dse.work import store, store_file
from dse.work.store import STORE, STORE_FILES, WorkStore, open_store

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


@pytest.fixture(scope="module")
def new_folder() -> Iterator[Callable[[], Path]]:
    """Makes empty folders, in memory where the system has such: generated cases need not wait for a disk."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        numbers = count()

        def make() -> Path:
            made = Path(folder) / str(next(numbers))
            made.mkdir()
            return made

        yield make


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(store, "monotonic", found)
    return found


def key(name: str) -> bytes:
    return name.encode().ljust(32, b"\0")


def held(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """What a store gives for some names; all that it holds belongs to them."""
    with open_store(folder, resume=True) as found:
        rows = found.get([key(name) for name in names])
        assert len(found) == len(rows)
    return {name: rows[key(name)] for name in names if key(name) in rows}


def refusal(folder: Path, *, resume: bool) -> str:
    """What is told when its store is opened and a row is put."""

    def explore() -> None:
        with open_store(folder, resume=resume) as found:
            found.put(key("a"), "test", "1")

    with pytest.raises(ArrayolError) as caught:
        explore()
    return str(caught.value)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Modelled:
    """A store, and two dictionaries that say what is in it: committed, and with what waits."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder, self.clock = folder, clock
        self.committed: dict[str, str] = {}
        self.all: dict[str, str] = {}
        self.last = clock.now
        self.store = WorkStore(folder / STORE, resume=True)

    def do(self, step: str, name: str, value: str) -> None:
        if step == "put":
            self.store.put(key(name), "test", value)
            self.all[name] = value
            if self.clock.now >= self.last + 1:
                self.commits()
        elif step == "second":
            self.clock.now += 1
        elif step == "commit":
            self.store.commit()
            self.commits()
        else:
            self.reopen(step)
        found = self.store.get([key(name) for name in "abcde"])
        assert found == {key(name): value for name, value in self.all.items()}
        assert len(self.store) == len(self.all)

    def commits(self) -> None:
        self.committed = dict(self.all)
        self.last = self.clock.now

    def reopen(self, step: str) -> None:
        if step == "kill":  # the files as they are this moment, without what closing would do
            killed = self.folder.with_name(self.folder.name + "-killed")
            if self.folder.is_dir():
                shutil.copytree(self.folder, killed)
            self.store.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            with suppress(FileNotFoundError):
                killed.rename(self.folder)
            self.all = dict(self.committed)
        else:
            self.store.close()
            assert (files(self.folder) if self.folder.is_dir() else {}).keys() <= {STORE}
            self.committed = self.all = {} if step == "anew" else self.all
        self.store = WorkStore(self.folder / STORE, resume=step != "anew")
        self.commits()


@settings(max_examples=60)
@given(steps=st.lists(STEPS, max_size=12))
def test_what_is_put_is_found_and_what_is_committed_stays(
    new_folder: Callable[[], Path], steps: list[tuple[str, str, str]]
) -> None:
    clock = Clock()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "monotonic", clock)
        modelled = Modelled(new_folder() / "out", clock)
        try:
            for step in steps:
                modelled.do(*step)
        finally:
            modelled.store.close()


WRITER = """
import random, sys
from pathlib import Path
from dse.work.store import open_store
seed, folder = int(sys.argv[1]), Path(sys.argv[2])
drawn = random.Random(seed)
print("ready", flush=True)
sys.stdin.readline()
with open_store(folder, resume=True) as store:
    first = len(store)
    for number in range(first, first + 100_000):
        store.put(str(number).encode(), "test", f"{number}:" + "x" * (number * 7919 % 20_000))
        if drawn.random() < 0.2:
            store.commit()
            print(number, flush=True)
"""


def test_a_killed_process_leaves_whole_rows_and_all_committed_ones(tmp_path: Path) -> None:
    drawn = random.Random(1)
    committed = -1
    for seed in range(5):
        command = [sys.executable, "-c", WRITER, str(seed), str(tmp_path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdin is not None
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            writer.stdin.write("\n")
            writer.stdin.flush()
            for _ in range(drawn.randrange(1, 40)):
                committed = int(writer.stdout.readline())
            time.sleep(drawn.random() / 100)
            writer.send_signal(signal.SIGKILL)
            said = writer.stdout.read().split()
        committed = int(said[-1]) if said else committed
        with open_store(tmp_path, resume=True) as found:
            rows = found.get([str(number).encode() for number in range(committed + 10_000)])
            assert len(found) == len(rows)
        assert {key.decode(): value for key, value in rows.items()} == {
            str(number): f"{number}:" + "x" * (number * 7919 % 20_000) for number in range(len(rows))
        }
        assert len(rows) > committed
        assert files(tmp_path).keys() == {STORE}
    assert committed > 100


def test_rows_are_committed_by_time_and_by_size(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "COMMIT_BYTES", 1000)
    with open_store(tmp_path, resume=True) as found:
        found.put(b"a", "test", "x" * 999)
        assert not files(tmp_path)
        found.put(b"b", "test", "x")
        assert STORE in files(tmp_path)
        before = files(tmp_path)
        found.put(b"c", "test", "x" * 999)
        clock.now += 0.9
        found.put(b"d", "test", "")
        assert files(tmp_path) == before
        clock.now += 0.2
        found.put(b"e", "test", "")
        assert files(tmp_path) != before


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), ValueError("x"), SystemExit(1)], ids=repr)
def test_what_waits_is_kept_whatever_ends_the_block(tmp_path: Path, raised: BaseException) -> None:
    def explore() -> None:
        with open_store(tmp_path, resume=True) as found:
            found.put(key("a"), "test", "1")
            raise raised

    with pytest.raises(type(raised)) as caught:
        explore()
    assert caught.value is raised
    assert held(tmp_path, "ab") == {"a": "1"}


def test_an_interrupt_while_rows_are_written_loses_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(connection: sqlite3.Connection, rows: object) -> None:
        monkeypatch.undo()
        connection.execute("BEGIN")
        connection.execute("INSERT INTO work VALUES (x'00', '', '', x'')")
        connection.execute("ROLLBACK")
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "write", interrupted)
    with open_store(tmp_path / "out", resume=True) as found:
        found.put(key("a"), "test", "1")
        with pytest.raises(KeyboardInterrupt):
            found.commit()
    assert held(tmp_path / "out", "ab") == {"a": "1"}


def test_without_rows_nothing_is_written(tmp_path: Path) -> None:
    for resume in (False, True):
        with suppress(ValueError), open_store(tmp_path / "out", resume=resume) as found:
            assert not len(found)
            assert found
            assert found.get([b"a"]) == {}
            found.commit()
            raise ValueError
    assert not files(tmp_path)


def test_a_new_exploration_starts_a_new_store(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text("{}")
    with open_store(tmp_path, resume=True) as found:
        found.put(key("a"), "test", "1")
    with open_store(tmp_path, resume=False) as found:
        assert found.get([key("a")]) == {}
        found.put(key("b"), "test", "2")
    assert held(tmp_path, "abc") == {"b": "2"}
    with open_store(tmp_path, resume=False):
        pass
    assert files(tmp_path) == {"result.json": b"{}"}


def test_discard(tmp_path: Path) -> None:
    for folder, left in ((tmp_path / "made", None), (tmp_path / "there", {"notes": b""})):
        if left is not None:
            folder.mkdir()
            (folder / "notes").touch()
        with open_store(folder, resume=True) as found:
            found.put(b"a", "test", "1")
            found.commit()
            assert STORE in files(folder)
            found.discard()
        assert (files(folder) if folder.is_dir() else None) == left
    with open_store(tmp_path / "there", resume=True) as found:
        found.discard()
        with pytest.raises(ValueError, match="the store is closed"):
            found.put(b"a", "test", "1")


def test_people_can_read_it(tmp_path: Path) -> None:
    with open_store(tmp_path, resume=True) as found:
        found.put(b"a", "a kind", '{"é": 1}')
    rows = read(tmp_path / STORE, "SELECT kind, value FROM work")
    assert rows == [("a kind", '{"é": 1}')]


def read(path: Path, *statements: str) -> list[tuple[object, ...]]:
    """The rows of the last of some statements of SQLite."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for statement in statements:
            rows = connection.execute(statement).fetchall()
    finally:
        connection.close()
    return rows


# Damage


NUMBERS = [str(number) for number in range(60)]
VALUES = {number: f"{number}:" + number * (int(number) ** 2 % 997) for number in NUMBERS}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The file of a store with rows of all sizes, and one that was killed, with rows in the log beside."""
    folder = tmp_path_factory.mktemp("sound")
    written = WorkStore(folder / STORE, resume=True)
    for place, number in enumerate(NUMBERS):
        written.put(key(number), "test", VALUES[number])
        if place in (30, 59):
            written.commit()
    log = (folder / f"{STORE}-wal").read_bytes()
    header = (folder / STORE).read_bytes()
    written.close()
    return {"whole": (folder / STORE).read_bytes(), "killed": header, "log": log}


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
    """Rows are right or absent, and new ones are found again; or the store is said to be damaged. Whether the first."""
    try:
        with open_store(folder, resume=True) as found:
            rows = found.get(map(key, NUMBERS))
            found.put(key("new"), "test", "new")
        with open_store(folder, resume=True) as found:
            assert found.get([key("new")]) == {key("new"): "new"}
    except ArrayolError as told:
        if "error[store-damaged]: this " not in str(told):
            raise
        return False
    assert rows.items() <= {key(number): value for number, value in VALUES.items()}.items()
    return True


@settings(max_examples=150)
@given(drawn=st.data())
def test_a_damaged_file_is_told_or_does_no_harm(
    new_folder: Callable[[], Path], sound: dict[str, bytes], drawn: st.DataObject
) -> None:
    folder = new_folder()
    data = spoilt(sound["whole"], drawn.draw(damages(len(sound["whole"]))))
    (folder / STORE).write_bytes(data)
    require_sound_or_told(folder)
    (folder / STORE).write_bytes(data)
    if (data[:16] == sound["whole"][:16] and data[68:72] == b"ArOL") or not data:
        with open_store(folder, resume=False) as found:
            found.put(key("new"), "test", "new")
        assert held(folder, ["new"]) == {"new": "new"}
    else:
        assert "too damaged to be known as one\n  hint: remove the file, or" in refusal(folder, resume=False)
        assert files(folder) == {STORE: data}


@settings(max_examples=60)
@given(drawn=st.data())
def test_a_damaged_log_is_told_or_does_no_harm(
    new_folder: Callable[[], Path], sound: dict[str, bytes], drawn: st.DataObject
) -> None:
    folder = new_folder()
    (folder / STORE).write_bytes(sound["killed"])
    (folder / f"{STORE}-wal").write_bytes(spoilt(sound["log"], drawn.draw(damages(len(sound["log"])))))
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
        (tmp_path / STORE).write_bytes(sound["whole"] if statement else spoilt(sound["whole"], [("flip", at + 500, 1)]))
        if statement:
            read(tmp_path / STORE, statement)
        with open_store(tmp_path, resume=True) as found, pytest.raises(ArrayolError) as caught:
            found.get([key("43"), key("44")])
        assert str(caught.value) == (
            f"{tmp_path / STORE}: error[store-damaged]: this store of finished work is damaged\n"
            "  hint: explore without --resume, which starts a new one"
        )


def test_a_store_whose_making_was_interrupted_is_empty(tmp_path: Path) -> None:
    """SQLite's journal undoes it: the file is not empty before that, and does not say whose it is."""
    making = f"""
import os, sqlite3
made = sqlite3.connect({str(tmp_path / STORE)!r}, isolation_level=None)
made.execute("PRAGMA cache_size = 1")
made.execute("BEGIN")
made.execute("CREATE TABLE work (value)")
made.executemany("INSERT INTO work VALUES (?)", [(b"x" * 3000,)] * 100)
os._exit(0)
"""
    for resume in (True, False):
        subprocess.run([sys.executable, "-c", making], check=True)
        assert files(tmp_path).keys() == {STORE, f"{STORE}-journal"}
        assert files(tmp_path)[STORE]
        with open_store(tmp_path, resume=resume) as found:
            assert not len(found)
            found.put(key("a"), "test", "1")
        assert held(tmp_path, "ab") == {"a": "1"}
        (tmp_path / STORE).unlink()


def test_another_format(tmp_path: Path) -> None:
    for change in ("PRAGMA user_version = 2", "DROP TABLE work", "CREATE TABLE more (x)", "CREATE VIEW v AS SELECT 1"):
        with open_store(tmp_path, resume=False) as found:
            found.put(key("a"), "test", "1")
        read(tmp_path / STORE, change)
        said = "is from another version of arrayol" if "version" in change else "is damaged"
        assert refusal(tmp_path, resume=True) == (
            f"{tmp_path / STORE}: error[store-damaged]: this store of finished work {said}\n"
            "  hint: explore without --resume, which starts a new one"
        )


# What belongs to others


def databases(folder: Path) -> Iterator[bytes]:
    for mode in ("DELETE", "WAL"):
        path = folder / "other.sqlite"
        read(path, f"PRAGMA journal_mode = {mode}", "CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('mine')")
        yield path.read_bytes()
        path.unlink()


def test_the_file_of_another_is_never_touched(tmp_path: Path, sound: dict[str, bytes]) -> None:
    (tmp_path / "out").mkdir()
    ours = sound["whole"]
    texts = [b"notes\n", b"SQLite format 3\0", ours[:50], bytes(5000), ours[:68] + b"Else" + ours[72:]]
    for data in [*texts, *databases(tmp_path)]:
        (tmp_path / "out" / STORE).write_bytes(data)
        for resume in (True, False):
            assert refusal(tmp_path / "out", resume=resume) == (
                f"{tmp_path / 'out' / STORE}: error[store-damaged]: this is no store of finished work of "
                "'arrayol explore', or too damaged to be known as one\n"
                "  hint: remove the file, or name another folder with --out"
            )
            assert files(tmp_path / "out") == {STORE: data}


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_a_name_that_is_taken(tmp_path: Path, make: object) -> None:
    make(tmp_path / STORE)  # type: ignore[operator]
    for resume in (True, False):
        assert refusal(tmp_path, resume=resume) == (
            f"{tmp_path / STORE}: error[cannot-write]: this cannot be written: "
            "this name is taken by something that is not a file\n  hint: name another folder with --out"
        )


def test_no_folder_to_make_it_in(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no" / "out", resume=True) == (
        f"{tmp_path / 'no' / 'out' / STORE}: error[cannot-write]: there is no folder '{tmp_path / 'no' / 'out'}' "
        "to write to\n  hint: name another folder with --out"
    )


# Two at once


HOLDER = """
import sys
from pathlib import Path
from dse.work.store import open_store
with open_store(Path(sys.argv[1]), resume=True) as store:
    print("open", flush=True)
    for line in sys.stdin:
        store.put(line.encode(), "test", line)
        store.commit()
        print("committed", flush=True)
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the store of `tmp_path` open and commits a row for each line that it gets."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process
        process.kill()


def commits(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + "\n")
    assert process.stdout.readline() == "committed\n"


def test_one_exploration_at_a_time(
    tmp_path: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commits(holder, "one")
    message = (
        f"{tmp_path / STORE}: error[store-locked]: another exploration is working in this folder\n"
        "  hint: wait for its end, or name another folder with --out"
    )
    assert refusal(tmp_path, resume=True) == message
    monkeypatch.setattr(store_file, "BUSY_SECONDS", 0.01)
    assert refusal(tmp_path, resume=False) == message
    commits(holder, "two")
    holder.kill()
    holder.wait()
    with open_store(tmp_path, resume=True) as found:
        assert found.get([b"one\n", b"two\n"]) == {b"one\n": "one\n", b"two\n": "two\n"}
        for resume in (True, False):  # in one process too
            assert refusal(tmp_path, resume=resume) == message
        found.put(b"three", "test", "3")
    with open_store(tmp_path, resume=True) as found:
        assert len(found) == 3


@pytest.mark.parametrize("resume", [True, False])
def test_of_two_that_start_anew_the_first_to_write_wins(
    tmp_path: Path, holder: subprocess.Popen[str], resume: bool
) -> None:
    def explore() -> None:
        with open_store(tmp_path, resume=resume) as found:
            found.put(b"mine", "test", "1")
            commits(holder, "one")
            found.commit()

    with pytest.raises(ArrayolError, match="store-locked"):
        explore()
    commits(holder, "two")
    holder.kill()
    holder.wait()
    with open_store(tmp_path, resume=True) as found:
        assert len(found) == 2
    assert files(tmp_path).keys() <= {*STORE_FILES}


# Disks


def private(tmp_path: Path, mounts: str, script: str) -> str:
    """What a script prints that runs in `tmp_path` with mounts of its own."""
    probe = subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False)
    if probe.returncode:
        pytest.skip("this system lets no process have mounts of its own")
    (tmp_path / "script.py").write_text(PRELUDE + script, encoding="utf-8")
    command = f'set -e\n{mounts}\nexec "$0" script.py'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", command, sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


PRELUDE = """
from pathlib import Path
from arrayol.errors import ArrayolError
from dse.work.store import open_store

OUT = Path("out")

def files():
    return {path.name: path.read_bytes() for path in OUT.iterdir()}

def explore(resume, rows=1, size=1):
    try:
        with open_store(OUT, resume=resume) as store:
            print(len(store), "rows")
            for number in range(rows):
                store.put(str(number).encode(), "test", "x" * size)
                store.commit()
    except ArrayolError as told:
        print(told)
"""


@pytest.fixture
def former(tmp_path: Path) -> Path:
    """A folder with a result and a store of one row."""
    folder = tmp_path / "out"
    with open_store(folder, resume=False) as found:
        found.put(b"0", "test", "x")
    (folder / "result.json").write_text("{}")
    return folder


READ_ONLY = """
before = files()
explore(resume=True)
explore(resume=False)
assert files() == before
"""


def test_a_folder_that_is_read_only(tmp_path: Path, former: Path) -> None:
    message = (
        "out/work.sqlite: error[cannot-write]: this cannot be written: the folder 'out' may not be written to\n"
        "  hint: name another folder with --out\n"
    )
    mounts = "mount --bind out out && mount -o remount,bind,ro out"
    assert private(tmp_path, mounts, READ_ONLY) == message * 2
    (former / STORE).unlink()
    assert private(tmp_path, mounts, READ_ONLY) == ("0 rows\n" + message) * 2


def test_a_file_that_is_read_only(tmp_path: Path, former: Path) -> None:
    mounts = "mount --bind out/work.sqlite out/work.sqlite && mount -o remount,bind,ro out/work.sqlite"
    said = private(tmp_path, mounts, READ_ONLY)
    assert (
        said
        == (
            "out/work.sqlite: error[cannot-write]: this cannot be written: it may not be read and written\n"
            "  hint: name another folder with --out\n"
        )
        * 2
    )


SMALL_DISK = "mkdir -p out && mount -t tmpfs -o size=512k tmpfs out"
NO_SPACE = (
    "out/work.sqlite: error[cannot-write]: this cannot be written: no space is left on the disk\n"
    "  hint: make room, then go on with --resume from the work that is in the store\n"
)


def test_a_disk_that_fills_up(tmp_path: Path) -> None:
    said = private(
        tmp_path,
        SMALL_DISK,
        """
(OUT / "result.json").write_text("{}")
explore(resume=True, rows=1000, size=5000)
assert (OUT / "result.json").read_text() == "{}"
(OUT / "ballast").write_bytes(b"")
explore(resume=True, rows=1000, size=5000)
with open_store(OUT, resume=True) as store:
    rows = store.get(str(number).encode() for number in range(1000))
    print(len(rows) == len(store) > 20, {*rows.values()} == {"x" * 5000})
""",
    )
    first, second, *rest = said.split(" rows\n")
    assert first == "0"
    assert second.rpartition("\n")[0] + "\n" == NO_SPACE
    assert int(second.rpartition("\n")[2]) > 20
    assert rest == [NO_SPACE + "True True\n"]


def test_a_disk_that_is_full_from_the_start(tmp_path: Path) -> None:
    said = private(
        tmp_path,
        SMALL_DISK,
        """
with (OUT / "ballast").open("wb", buffering=0) as ballast:
    try:
        while ballast.write(bytes(4096)):
            pass
    except OSError:
        pass
before = files()
explore(resume=True)
explore(resume=False)
assert files() == before
(OUT / "ballast").write_bytes(bytes(1000))
explore(resume=True)
explore(resume=True, rows=0)
""",
    )
    assert said == ("0 rows\n" + NO_SPACE) * 2 + "0 rows\n1 rows\n"
