"""What must hold of every case: in the process that `guard` starts.

- A command ends with one of the codes that its help names, never in a traceback or an internal error, and without a
  warning of a library. Where it does not end with 0 it says why, and leaves no file behind.
- It takes no more memory than the guard allows.
- `--json` prints one document of numbers that JSON knows. Figures of designs are not negative.
- The reprint of a specification is its own reprint, checks alike, and computes the same.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, BinaryIO
from unittest.mock import patch

import click
from case import Case, Command, Outcome, command_of, made
from command_line import Done, in_process
from matplotlib.figure import Figure
from work import runs_of

from arrayol import plugins
from arrayol.cli.main import TRACEBACK_VARIABLE
from arrayol.errors import error
from dse.jobs.cache import CACHE_NAME
from dse.jobs.digest import code_digest
from dse.output import synthesis
from dse.space.composed import composed_objective
from hwmodel.synth import ecp5

CODES = {0, 1, 2, 3}
MOST_WORK = 20_000  # statements and elements of an execution; larger ones only cost time

_LINE = re.compile(r"line \d+|(?<=\.aol:)\d+")


class Wrong(Exception):  # noqa: N818  not an error of the program but what is told of one
    """What is wrong with a case; the first line is the same for cases that fail alike."""


class _Raised:
    """The last exception that a command ended with."""

    last: tuple[type[BaseException], BaseException, TracebackType | None] | None = None

    def __call__(self, kind: type[BaseException], raised: BaseException, trace: TracebackType | None) -> None:
        self.last = kind, raised, trace

    def text(self) -> str:
        """Its type and place in the program, then all of it."""
        if self.last is None:
            return "an internal error"
        frames = traceback.extract_tb(self.last[2])
        own = next((frame for frame in reversed(frames) if "site-packages" not in frame.filename), frames[-1])
        place = f"{self.last[0].__name__} in {Path(own.filename).name}: {own.name}"
        return f"{place}\n{''.join(traceback.format_exception(*self.last))[-3000:]}"


def judge(case: Case) -> Outcome:
    """Run a case in a folder of its own and judge what becomes of it."""
    raised = _Raised()
    runs = _Runs(raised)
    with (
        TemporaryDirectory() as outer,
        plugins_of(case, Path(outer) / "work"),
        patch.object(sys, "excepthook", raised),
        patch.dict(os.environ, {TRACEBACK_VARIABLE: "1"}),
        patch.object(sys, "dont_write_bytecode", True),
        patch.object(ecp5, "run_tool", _no_program),
        patch.object(synthesis, "tool", str),
        warnings.catch_warnings(action="error"),
    ):
        folder = Path(outer) / "work"  # so that `..` is a folder of this case too
        folder.mkdir()
        for name, data in case.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        for name, kind in case.special.items():
            made(folder / name, kind)
        try:
            with nullcontext() if case.pictures else patch.object(Figure, "savefig", _no_picture):
                for command in case.commands:
                    runs.run(folder, *command)
            if case.reprinted is not None:
                _reprint(runs, folder, case.reprinted)
        except (Wrong, AssertionError) as wrong:
            return Outcome(str(wrong) or "an assertion", runs.seconds, runs.dearest, tuple(runs.codes))
    return Outcome(None, runs.seconds, runs.dearest, tuple(runs.codes))


@contextmanager
def plugins_of(case: Case, folder: Path) -> Iterator[None]:
    """Where a case brings a distribution, it is installed: its folder is searched for modules and entry points."""
    if not any(".dist-info/" in name for name in case.files):
        yield
        return
    forget()
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        forget()
        for name in ("rotten", *(Path(name).stem for name in case.files if name.endswith(".py"))):
            sys.modules.pop(name, None)


def forget() -> None:
    """What the program remembers of plug-ins: who is installed does not change while it runs."""
    importlib.invalidate_caches()
    for remembered in (plugins.installed, composed_objective, code_digest):
        remembered.cache_clear()


def _no_program(command: Sequence[str], _: Path) -> str:
    """In the place of yosys and nextpnr, which take minutes and see nothing but what the program gives them."""
    raise error("synthesis-failed", f"'{command[0]}' is not run here")


def _no_picture(_: Figure, file: BinaryIO | Path, **__: Any) -> None:
    """In the place of a figure, where drawing would be most of the time."""
    if isinstance(file, Path):
        file.touch()


class _Runs:
    """Commands that must end well, and what they took."""

    def __init__(self, raised: _Raised) -> None:
        self.raised, self.seconds, self.dearest = raised, 0.0, Command()
        self.codes: list[int] = []

    def run(self, folder: Path, *command: str) -> Done:
        """Run a command. Raises Wrong."""
        before = _files(folder)
        self.raised.last = None
        started = time.process_time()
        done = in_process(*command, cwd=folder)
        seconds = time.process_time() - started
        if seconds > self.seconds:
            self.seconds, self.dearest = seconds, command
        self.codes.append(done.returncode)
        for wrong in self._wrong(command, done):
            raise Wrong(f"{wrong}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        if done.returncode in (1, 2) and _files(folder) != before and not _may_write(command, done):
            raise Wrong(f"{command[0]} changes files and ends with {done.returncode}\n{done.stderr}")
        _check_figures(folder, before)
        return done

    def _wrong(self, command: Command, done: Done) -> Iterator[str]:
        code, told = done.returncode, done.stdout + done.stderr
        if code not in CODES:
            yield f"exit {code}: {self.raised.text()}"
        if "out-of-memory" in told:
            yield f"{command[0]} takes more memory than the guard allows"
        if code and not told.strip():
            yield f"{command[0]} ends with {code} without a word"
        if "Warning:" in done.stderr:
            yield f"{command[0]} shows a warning of a library"
        if code == 0 and _asks_for_json(command) and "--help" not in command and "-h" not in command:
            yield from _not_json(done.stdout)


def _asks_for_json(command: Command) -> bool:
    """Whether `--json` is there as an option, not as what the option before it takes."""
    called = command_of(command)
    options = [option for option in called.params if isinstance(option, click.Option)] if called else []
    takes = {name for option in options if not option.is_flag for name in option.opts}
    return any(word == "--json" and before not in takes for before, word in pairwise(command))


def _not_json(text: str) -> Iterator[str]:
    try:
        json.loads(text, parse_constant=_refuse)
    except ValueError:
        yield "--json prints no JSON"


def _refuse(word: str) -> None:
    raise ValueError(word)


def _may_write(command: Command, done: Done) -> bool:
    """Whether a command that fails may have written files, and says so.

    `show` draws what is wrong, `run --check` compares after it has written, `simulate` draws its timeline, and `fmt`
    puts the sound ones of several files into canonical form.
    """
    if command[0] == "fmt":
        return ": rewritten\n" in done.stdout
    return command[0] == "show" or "--check" in command or "--timeline" in command or "--trace" in command


def _files(folder: Path) -> dict[str, tuple[int, int]]:
    """Name, inode and time of each file: what was written anew differs. A store of finished work may stay."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and path.name != CACHE_NAME:
            status = path.stat()
            found[str(path.relative_to(folder))] = (status.st_ino, status.st_mtime_ns)
    return found


def _check_figures(folder: Path, before: dict[str, tuple[int, int]]) -> None:
    """Figures of a result that was written just now are finite and not negative."""
    for name in (name for name, state in _files(folder).items() if before.get(name) != state):
        if Path(name).name != "result.json":
            continue
        result = json.loads((folder / name).read_text(encoding="utf-8"), parse_constant=_refuse)
        for design in result["pareto"]:
            if any(figure < 0 for figure in design["objectives"].values()):
                raise Wrong(f"a figure is negative\n{design['id']}: {design['objectives']}")


def _reprint(runs: _Runs, folder: Path, name: str) -> None:
    """Check, fmt, check again; run both texts where that is little work."""
    done = runs.run(folder, "check", name, "--json")
    said = json.loads(done.stdout)
    text = (folder / name).read_bytes()
    formatted = runs.run(folder, "fmt", name)
    if formatted.returncode:
        if (folder / name).read_bytes() != text:
            raise Wrong("fmt refuses a file and changes it")
        if said["ok"]:
            raise Wrong(f"fmt refuses what check finds fine\n{formatted.stderr}")
        return
    again = runs.run(folder, "fmt", name)
    if "canonical" not in again.stdout:
        raise Wrong(f"fmt is not stable\n{(folder / name).read_text(encoding='utf-8')}")
    afterwards = json.loads(runs.run(folder, "check", name, "--json").stdout)
    if _told(said) != _told(afterwards):
        raise Wrong(f"check says something else after fmt\n{_told(said)}\n{_told(afterwards)}")
    if said["ok"]:
        _run_both(runs, folder, name, text)


def _told(document: dict[str, list[dict[str, str]]]) -> list[tuple[str | None, ...]]:
    """What check says, without the places."""
    return sorted(
        (each["code"], each["severity"], _LINE.sub("a line", each["message"]), each["hint"] or "")
        for each in document["diagnostics"]
    )


def _run_both(runs: _Runs, folder: Path, name: str, text: bytes) -> None:
    """Both texts compute the same."""
    (folder / "before.aol").write_bytes(text)
    for top, inputs, outputs, work in runs_of(folder / name):
        if work > MOST_WORK:
            continue
        options = ["--top", top, *(word for port in inputs for word in ("--in", f"{port}=random:1"))]
        written = [word for port in outputs for word in ("--out", f"{port}={port}.npy")]
        first = runs.run(folder, "run", "before.aol", *options, *written)
        results = {port: _array(folder, port) for port in outputs}
        second = runs.run(folder, "run", name, *options, *written)
        if (first.returncode, results) != (second.returncode, {port: _array(folder, port) for port in outputs}):
            raise Wrong(f"the reprint computes something else\n{first.stderr}{second.stderr}")


def _array(folder: Path, port: str) -> bytes | None:
    path = folder / f"{port}.npy"
    return path.read_bytes() if path.exists() else None
