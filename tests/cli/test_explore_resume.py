"""`arrayol explore` killed at random moments and resumed ends in the bytes of an undisturbed run; folders and caches.

What is killed is a real process. In most of them every finished job is committed at once and told as a dot on stderr,
so that a kill comes at a random job however slow the machine is; pictures are left out.
"""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from command_line import in_process
from conftest import CommandLine
from explored import leave_undrawn
from processes import wait_until_gone

from dse.jobs import cache, jobs
from dse.jobs.cache import CACHE_FILES, CACHE_NAME, JobCache, open_rows

TOLD = """
import os
from dse.output import writing as results
from dse.jobs import cache, jobs
from dse.jobs.cache import JobCache
from arrayol.cli.main import main

def told(cache, job, key, result, keep=JobCache.keep):
    keep(cache, job, key, result)
    if key is not None:  # work that is worth keeping
        os.write(2, b".")

JobCache.keep = told
jobs.WORTH_SECONDS = 0.0
cache.COMMIT_SECONDS = 0.0
for plot in ("save_front", "save_convergence"):
    assert hasattr(results, plot), plot
    setattr(results, plot, lambda *_: None)
main()
"""
AT_ONCE, LATER = 0.0, 1e9  # seconds to the first commit: later means never, as if all work were over in a moment
LATE = TOLD.replace("COMMIT_SECONDS = 0.0", f"COMMIT_SECONDS = {LATER}")
TINY = ("lpsf.aol", "--set", "H=4", "--set", "W=8", "--narrow", "--no-verify", "--quiet", "--out", "out")
FEW = 'policies = ["reuse", "tile"]\nlinks = ["buffer"]\ncuts = ["none"]\n'  # some seconds of work
RUNS = {
    "exact": ("lpsf.aol", "--set", "H=12", "--set", "W=16", "--study", "few.toml", "--method", "exact", "--verify"),
    "all": (*TINY[:-2], "--method", "exact", "--reuse-memory", "--all"),
    "nsga2": ("conv3x3.aol", "--set", "H=6", "--set", "W=6", "--narrow", "--no-verify", "--method", "nsga2"),
}
COMPARED = ("result.json", "designs.csv", "picked.json")
NOTHING_KEPT = "out: no finished work to continue; the exploration starts anew\n"


@pytest.fixture
def folder(arrayol: CommandLine, tmp_path: Path) -> Path:
    for name in ("lpsf", "conv3x3"):
        arrayol("example", name)
    (tmp_path / "few.toml").write_text(FEW, encoding="utf-8")
    return tmp_path


@contextmanager
def started(folder: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """An exploration that tells its pieces; it is killed at the end of the block, where it still runs."""
    command = [sys.executable, "-c", TOLD, "explore", *options, "--quiet", "--pick", "knee"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def explored(folder: Path, commit_seconds: float, *options: str) -> tuple[int, str]:
    """The exit code of an undisturbed exploration, and what it says on stderr; the same in this process."""

    def told(cache: JobCache, job: Any, key: bytes | None, result: Any, keep: Any = JobCache.keep) -> None:
        keep(cache, job, key, result)
        if key is not None:  # work that is worth keeping
            sys.stderr.write(".")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JobCache, "keep", told)
        patch.setattr(jobs, "WORTH_SECONDS", 0.0)
        patch.setattr(cache, "COMMIT_SECONDS", commit_seconds)
        leave_undrawn(patch)
        done = in_process("explore", *options, cwd=folder)
    return done.returncode, done.stderr


def ended(folder: Path, *options: str) -> str:
    """What an exploration that ends well says on stderr."""
    code, said = explored(folder, AT_ONCE, *options, "--quiet", "--pick", "knee")
    assert code == 0, said
    return said


def killed(folder: Path, pieces: int, later: float, *options: str) -> None:
    """Kill an exploration some seconds after so many pieces, if it comes so far; none of its processes stays."""
    with started(folder, *options) as process:
        assert process.stderr is not None
        seen = 0
        while seen < pieces and (byte := process.stderr.read(1)):
            seen += byte == b"."
        time.sleep(later)
        others = below(process.pid)
        process.kill()
        process.wait()
    assert wait_until_gone(others)


def below(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    children: list[int] = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children += map(int, thread.read_text().split())
        except OSError:
            continue
    return children + [other for child in children for other in below(child)]


def rows(folder: Path) -> dict[bytes, int]:
    """The keys in a store and their places, which change when a row is written again; the store stays as it is."""
    with TemporaryDirectory() as name:
        for file in CACHE_FILES:
            if (folder / file).exists():
                shutil.copy2(folder / file, name)
        if not (Path(name) / CACHE_NAME).exists():
            return {}
        with closing(sqlite3.connect(Path(name) / CACHE_NAME)) as connection:
            return dict(connection.execute("SELECT key, rowid FROM work").fetchall())


def outcome(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in COMPARED}


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("name", "seed"), [("exact", 1), ("all", 2), ("nsga2", 3)])
def test_killed_at_random_and_resumed(folder: Path, name: str, seed: int) -> None:
    run, random = RUNS[name], Random(seed)
    pieces = ended(folder, *run, "--workers", "1", "--out", "whole").count(".")
    assert pieces >= 10
    kept: dict[bytes, int] = {}
    hits = 0
    for workers in (2, 1, 2) if name == "exact" else (2, 1):
        wanted = random.randint(1, max(1, (pieces - len(kept)) * 2 // 3))
        killed(folder, wanted, random.random() / 50, *run, "--resume", "--workers", str(workers), "--out", "out")
        found = rows(folder / "out")
        assert kept.items() <= found.items()  # what was there was taken, not done again
        hits += len(found) > len(kept)
        kept = found
    assert hits
    said = ended(folder, *run, "--resume", "--workers", "2", "--out", "out")
    assert said.count(".") == pieces - len(kept)
    assert outcome(folder / "out") == outcome(folder / "whole")
    assert kept.items() <= rows(folder / "out").items()
    assert sorted(path.name for path in (folder / "out").iterdir() if path.name in CACHE_FILES) == [CACHE_NAME]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a specification and a result of it, with a store."""
    made = tmp_path_factory.mktemp("made")
    for name in ("lpsf", "conv3x3"):
        assert in_process("example", name, cwd=made).returncode == 0
    assert ended(made, *TINY, "--workers", "1").count(".") == len(rows(made / "out")) > 5
    return made


@pytest.fixture
def former(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_killed_and_started_anew(former: Path) -> None:
    """Where only the store of a killed exploration is left; without --resume its rows count for nothing."""
    pieces = len(rows(former / "out"))
    before = outcome(former / "out")
    shutil.rmtree(former / "out")
    killed(former, pieces // 2, 0.0, *TINY, "--workers", "1")
    assert {path.name for path in (former / "out").iterdir()} <= {*CACHE_FILES}
    assert len(rows(former / "out")) >= pieces // 2
    assert ended(former, *TINY, "--workers", "1").count(".") == pieces
    assert outcome(former / "out") == before


def test_a_result_with_a_store_is_a_result(arrayol: CommandLine, former: Path) -> None:
    del former
    for command in (
        ("report", "out"),
        ("compare", "out", "out"),
        ("simulate", "lpsf.aol", "--result", "out", "--design", "1+1+1+1:1", "--in", "p0=random:1"),
    ):
        done = arrayol(*command)
        assert (done.returncode, done.stderr) == (0, ""), command


def test_a_moment_of_work_leaves_no_store(former: Path) -> None:
    """Neither its own nor that of the result before."""
    assert explored(former, LATER, *TINY)[0] == 0
    assert not {path.name for path in (former / "out").iterdir()} & {*CACHE_FILES}
    assert (former / "out" / "result.json").is_file()
    assert sorted(path.name for path in former.iterdir() if path.name.startswith(".")) == []


DAMAGED = """\
out/work.sqlite: error[store-damaged]: this store of finished work is damaged
  hint: explore without --resume, which starts a new one
"""
FOREIGN = (
    "out/work.sqlite: error[store-damaged]: this is no store of finished work of 'arrayol explore', or too damaged to "
    "be known as one\n  hint: remove the file, or name another folder with --out\n"
)
LOCKED = """\
out/work.sqlite: error[store-locked]: another exploration is working in this folder
  hint: wait for its end, or name another folder with --out
"""


def test_a_damaged_store(arrayol: CommandLine, former: Path) -> None:
    store = former / "out" / CACHE_NAME
    whole = store.read_bytes()
    store.write_bytes(whole[:4096] + bytes(range(256)) * 16 + whole[8192:])
    before = contents(former)
    done = arrayol("explore", *TINY, "--resume")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", DAMAGED)
    assert contents(former) == before
    pieces = ended(former, *TINY, "--workers", "1").count(".")
    assert len(rows(former / "out")) == pieces > 5


def test_a_file_of_others(arrayol: CommandLine, former: Path) -> None:
    (former / "out" / CACHE_NAME).write_text("my work\n")
    before = contents(former)
    done = arrayol("explore", *TINY)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", FOREIGN)
    assert contents(former) == before


def test_a_folder_in_use(arrayol_process: CommandLine, former: Path) -> None:
    before = contents(former)
    with open_rows(former / "out", resume=True):
        done = arrayol_process("explore", *TINY)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", LOCKED)
    assert contents(former) == before


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--constraint", "latency_cycles <= 1"), 3),
        (("--constraint", "latency_cycles >= 1"), 1),
        (("--study", "study.toml"), 1),
        (("--objectives", "beauty"), 2),
        (("--workers", "2", "--cluster", "tcp://nowhere:1"), 2),
    ],
)
def test_what_finds_nothing_leaves_nothing(former: Path, options: tuple[str, ...], code: int) -> None:
    (former / "study.toml").write_text("blocks = { nobody = [[1]] }\n")
    before = contents(former)
    assert explored(former, LATER, *TINY, *options)[0] == code
    assert contents(former) == before


def test_what_is_infeasible_leaves_no_folder(former: Path) -> None:
    """Though its rows were committed: a former result and its store are as they were."""
    constrained = (*TINY, "--constraint", "latency_cycles <= 1")
    before, kept = contents(former / "out"), rows(former / "out")
    assert explored(former, AT_ONCE, *constrained)[0] == 3
    after = contents(former / "out")
    assert after.keys() == before.keys()
    assert {name for name in before if after[name] != before[name]} <= {CACHE_NAME}
    assert rows(former / "out") == kept
    shutil.rmtree(former / "out")
    assert explored(former, AT_ONCE, *constrained)[0] == 3
    assert not (former / "out").exists()


def test_nothing_to_go_on_with(arrayol: CommandLine, former: Path) -> None:
    (former / "out" / CACHE_NAME).unlink()
    done = arrayol("explore", *TINY, "--resume")
    assert (done.returncode, done.stderr) == (0, NOTHING_KEPT)


def test_an_interrupt_says_what_is_kept(former: Path) -> None:
    """Also what was not yet committed."""
    before = outcome(former / "out")
    pieces = len(rows(former / "out"))
    command = [sys.executable, "-c", LATE, "explore", *TINY, "--workers", "2"]
    with subprocess.Popen(command, cwd=former, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.read(3)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    told = b"finished work is saved in out/work.sqlite; continue with --resume\ninterrupted\n"
    assert said.lstrip(b".") == told
    kept = len(rows(former / "out"))
    assert 3 <= kept < pieces
    assert ended(former, *TINY, "--workers", "1", "--resume").count(".") == pieces - kept
    assert outcome(former / "out") == before


def private(folder: Path, mounts: str, program: str, *options: str) -> tuple[str, int]:
    """What an exploration in mounts of its own says, and its exit code; `disk` is then copied to `after`."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system lets no process have mounts of its own")
    script = f"set -e\nmkdir disk\n{mounts}\n" + '"$0" -c "$@" && code=0 || code=$?\ncp -a disk after\nexit $code'
    options = (*TINY[:-1], "disk/out", "--workers", "1", *options)
    command = ["unshare", "-rm", "sh", "-c", script, sys.executable, program, "explore", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr.lstrip("."), done.returncode


FULL = (
    "this cannot be written: no space is left on the disk\n  hint: make room, then run the same command with --resume"
)
SMALL_DISK = """
mount -t tmpfs -o size=4m tmpfs disk
cp -a out disk/out
"""
FILLED = "dd if=/dev/zero of=disk/ballast bs=1k 2>/dev/null || true\ntruncate -s -{room}k disk/ballast\n"


def test_a_disk_that_is_full_when_work_is_kept(former: Path) -> None:
    (former / "out" / CACHE_NAME).unlink()
    before = contents(former / "out")
    said, code = private(former, SMALL_DISK + FILLED.format(room=24), TOLD)
    assert code == 1
    assert f"disk/out/work.sqlite: error[cannot-write]: {FULL}" in said
    after = contents(former / "after" / "out")
    assert {name: text for name, text in after.items() if name not in CACHE_FILES} == before
    assert {path.name for path in (former / "after").iterdir()} == {"out", "ballast"}


def test_a_disk_that_is_full_when_the_result_is_written(former: Path) -> None:
    (former / "out" / CACHE_NAME).unlink()
    before = contents(former / "out")
    said, code = private(former, SMALL_DISK + FILLED.format(room=8), LATE)
    assert (said, code) == ("disk/out: error[cannot-write]: this cannot be written: No space left on device\n", 1)
    assert contents(former / "after" / "out") == before
    assert {path.name for path in (former / "after").iterdir()} == {"out", "ballast"}


def test_a_folder_that_is_read_only(former: Path) -> None:
    mounts = "mount -t tmpfs tmpfs disk\ncp -a out disk/out\nmount -o remount,ro disk"
    before = contents(former / "out")
    said, code = private(former, mounts, TOLD)
    assert code == 1
    assert said == (
        "disk/out: error[cannot-write]: the folder 'disk' may not be written to\n"
        "  hint: name another folder with --out\n"
    )
    assert contents(former / "after" / "out") == before
