"""Caches that are in use, read-only, or on a full disk: what is said, and that former files stay."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from caches import files, read, refusal

from arrayol.errors import ArrayolError
from dse.jobs import cache_file
from dse.jobs.cache import CACHE_FILES, CACHE_NAME, open_rows

HOLDER = """
import sys
from pathlib import Path
from dse.jobs.cache import open_rows
with open_rows(Path(sys.argv[1]), resume=True) as rows:
    print("open", flush=True)
    for line in sys.stdin:
        rows.put(line.encode(), "test", line)
        rows.commit()
        print("committed", flush=True)
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the cache of `tmp_path` open and commits a row for each line that it gets."""
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
        f"{tmp_path / CACHE_NAME}: error[store-locked]: another exploration is working in this folder\n"
        "  hint: wait for its end, or name another folder with --out"
    )
    assert refusal(tmp_path, resume=True) == message
    monkeypatch.setattr(cache_file, "BUSY_SECONDS", 0.01)
    assert refusal(tmp_path, resume=False) == message
    commits(holder, "two")
    holder.kill()
    holder.wait()
    with open_rows(tmp_path, resume=True) as found:
        assert found.get([b"one\n", b"two\n"]) == {b"one\n": "one\n", b"two\n": "two\n"}
        for resume in (True, False):  # in one process too
            assert refusal(tmp_path, resume=resume) == message
        found.put(b"three", "test", "3")
    with open_rows(tmp_path, resume=True) as found:
        assert len(found) == 3


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])  # it has the second between its making and its first rows
def test_a_cache_that_another_reads_is_not_removed(tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_rows(tmp_path, resume=True) as found:
        found.put(b"a", "test", "1")
    read(tmp_path / CACHE_NAME, f"PRAGMA journal_mode = {mode}")
    monkeypatch.setattr(cache_file, "BUSY_SECONDS", 0.01)
    reader = sqlite3.connect(tmp_path / CACHE_NAME, isolation_level=None)
    with closing(reader):
        reader.execute("BEGIN")
        assert len(reader.execute("SELECT * FROM work").fetchall()) == 1
        for resume in (True, False):
            assert "store-locked" in refusal(tmp_path, resume=resume)
        assert len(reader.execute("SELECT * FROM work").fetchall()) == 1
    with open_rows(tmp_path, resume=True) as found:
        assert len(found) == 1


def test_what_another_has_just_made_is_not_removed(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    commits(holder, "one")
    before = files(tmp_path)
    with pytest.raises(ArrayolError, match="store-locked"):
        cache_file.create(tmp_path / CACHE_NAME)
    assert files(tmp_path) == before


@pytest.mark.parametrize("resume", [True, False])
def test_of_two_that_start_anew_the_first_to_write_wins(
    tmp_path: Path, holder: subprocess.Popen[str], resume: bool
) -> None:
    def explore() -> None:
        with open_rows(tmp_path, resume=resume) as found:
            found.put(b"mine", "test", "1")
            commits(holder, "one")
            found.commit()

    with pytest.raises(ArrayolError, match="store-locked"):
        explore()
    commits(holder, "two")
    holder.kill()
    holder.wait()
    with open_rows(tmp_path, resume=True) as found:
        assert len(found) == 2
    assert files(tmp_path).keys() <= {*CACHE_FILES}


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
from dse.jobs.cache import open_rows

OUT = Path("out")

def files():
    return {path.name: path.read_bytes() for path in OUT.iterdir()}

def explore(resume, rows=1, size=1):
    try:
        with open_rows(OUT, resume=resume) as cache:
            print(len(cache), "rows")
            for number in range(rows):
                cache.put(str(number).encode(), "test", "x" * size)
                cache.commit()
    except ArrayolError as told:
        print(told)
"""


@pytest.fixture
def former(tmp_path: Path) -> Path:
    """A folder with a result and a cache of one row."""
    folder = tmp_path / "out"
    with open_rows(folder, resume=False) as found:
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
    (former / CACHE_NAME).unlink()
    assert private(tmp_path, mounts, READ_ONLY) == ("0 rows\n" + message) * 2
    assert private(tmp_path, mounts, 'OUT = Path("out/new")\nexplore(resume=True)') == (
        "0 rows\nout/new/work.sqlite: error[cannot-write]: this cannot be written: Read-only file system\n"
        "  hint: name another folder with --out\n"
    )


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
    "  hint: make room, then run the same command with --resume: finished work is in the store\n"
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
with open_rows(OUT, resume=True) as cache:
    rows = cache.get(str(number).encode() for number in range(1000))
    print(len(rows) == len(cache) > 20, {*rows.values()} == {"x" * 5000})
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
OUT = Path("out/new")
explore(resume=True, size=1_000_000)
assert not OUT.exists()
OUT = Path("out")
explore(resume=True)
explore(resume=True, rows=0)
""",
    )
    elsewhere = "0 rows\n" + NO_SPACE.replace("out/", "out/new/")
    assert said == ("0 rows\n" + NO_SPACE) * 2 + elsewhere + "0 rows\n1 rows\n"


def test_a_full_disk_leaves_the_former_cache(tmp_path: Path) -> None:
    said = private(
        tmp_path,
        SMALL_DISK,
        """
explore(resume=False)
with (OUT / "ballast").open("wb", buffering=0) as ballast:
    try:
        while ballast.write(bytes(4096)):
            pass
    except OSError:
        pass
explore(resume=False, rows=100, size=5000)
explore(resume=True, rows=0)
(OUT / "ballast").write_bytes(bytes(1000))
explore(resume=False, rows=1000, size=5000)
for path in OUT.glob("work.sqlite*"):
    path.unlink()
explore(resume=True, rows=0)
""",
    )
    assert said == f"0 rows\n0 rows\n{NO_SPACE}1 rows\n0 rows\n{NO_SPACE}1 rows\n"
