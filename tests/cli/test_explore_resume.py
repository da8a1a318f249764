"""`arrayol explore` killed at random moments and resumed ends in the bytes of an undisturbed run; folders and stores.

Processes are real. In most of them every finished piece is committed at once and told as a dot on stderr, so that a
kill comes at a random piece however slow the machine is; pictures are left out.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from conftest import CommandLine

from dse.work.store import STORE, STORE_FILES

TOLD = """
import os
from dse import store as results
from dse.work import store
from dse.work.keeper import Keeper
from dse.work.pools import Processes
from arrayol.cli.main import main

def told(*arguments, keep=Keeper.keep):
    keep(*arguments)
    os.write(2, b".")

Keeper.keep = told
store.COMMIT_SECONDS = Processes.worth_seconds = 0.0
for plot in ("save_plot", "save_mapping_plots", "save_convergence"):
    setattr(results, plot, lambda *_: None)
main()
"""
SMALL = ("lpsf.aol", "--set", "H=12", "--set", "W=16")
RUNS = {
    "exact": (*SMALL, "--verify"),
    "partition": (*SMALL, "--narrow", "--no-verify", "--method", "partition", "--reuse-memory", "--all"),
    "nsga2": ("conv3x3.aol", "--set", "H=6", "--set", "W=6", "--narrow", "--no-verify", "--method", "nsga2"),
}
COMPARED = ("result.json", "designs.csv", "picked.json")
NOTHING_KEPT = "out: no finished work to go on with; all of it is done anew\n"


@pytest.fixture
def folder(arrayol: CommandLine, tmp_path: Path) -> Path:
    for name in ("lpsf", "conv3x3"):
        arrayol("example", name)
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


def ended(folder: Path, *options: str) -> str:
    """What an exploration that ends well says on stderr."""
    with started(folder, *options) as process:
        _, said = process.communicate()
    assert process.returncode == 0, said
    return said.decode()


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


def wait_until_gone(pids: Sequence[int]) -> bool:
    for _ in range(600):
        if not any(is_there(pid) for pid in pids):
            return True
        time.sleep(0.1)
    return False


def is_there(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return state.rsplit(")", 1)[1].split()[0] != "Z"


def rows(folder: Path) -> dict[bytes, int]:
    """The keys in a store and their places, which change when a row is written again; the store stays as it is."""
    with TemporaryDirectory() as name:
        for file in STORE_FILES:
            if (folder / file).exists():
                shutil.copy2(folder / file, name)
        if not (Path(name) / STORE).exists():
            return {}
        with closing(sqlite3.connect(Path(name) / STORE)) as connection:
            return dict(connection.execute("SELECT key, rowid FROM work").fetchall())


def outcome(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in COMPARED}


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("name", "seed"), [("exact", 1), ("partition", 2), ("nsga2", 3)])
def test_killed_at_random_and_resumed(folder: Path, name: str, seed: int) -> None:
    run, random = RUNS[name], Random(seed)
    pieces = ended(folder, *run, "--workers", "1", "--out", "whole").count(".")
    assert pieces >= 20
    kept: dict[bytes, int] = {}
    hits = 0
    for workers in (2, 1, 2):
        wanted = random.randint(1, max(1, (pieces - len(kept)) * 2 // 3))
        killed(folder, wanted, random.random() / 50, *run, "--resume", "--workers", str(workers), "--out", "out")
        found = rows(folder / "out")
        assert kept.items() <= found.items()  # what was there was taken, not done again
        hits += len(found) > len(kept)
        kept = found
    assert hits >= 2
    said = ended(folder, *run, "--resume", "--workers", "2", "--out", "out")
    assert said.count(".") == pieces - len(kept)
    assert outcome(folder / "out") == outcome(folder / "whole")
    assert kept.items() <= rows(folder / "out").items()
    assert sorted(path.name for path in (folder / "out").iterdir() if path.name in STORE_FILES) == [STORE]
    assert ended(folder, *run, "--resume", "--workers", "1", "--out", "out") == ""  # nothing is left to do
    assert outcome(folder / "out") == outcome(folder / "whole")
