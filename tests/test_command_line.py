"""The tests' own way to run the command: what it prints is caught, and what it leaves changed is found."""

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import command_line
import numpy as np
import pytest
from command_line import CommandLine, in_process

LEAKS: dict[str, Callable[[], object]] = {
    "warnings": lambda: warnings.simplefilter("ignore"),  # pytest puts them back
    "signals": lambda: signal.signal(signal.SIGALRM, signal.SIG_IGN),
    "import path": lambda: sys.path.append("here"),
    "log levels": lambda: logging.getLogger("matplotlib").setLevel(logging.ERROR),
    "random numbers": lambda: np.random.seed(1),  # noqa: NPY002  the state that all share
    "float errors": lambda: np.seterr(all="ignore"),
}


@pytest.fixture
def restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Puts back what the leaks change."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(logging.getLogger("matplotlib"), "level", logging.NOTSET)
    alarm, drawn = signal.getsignal(signal.SIGALRM), np.random.get_state()  # noqa: NPY002
    with np.errstate():
        yield
    signal.signal(signal.SIGALRM, alarm)
    np.random.set_state(drawn)  # noqa: NPY002


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize("name", LEAKS)
def test_a_run_that_leaves_something_changed_fails(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def run(arguments: tuple[str, ...]) -> int:
        LEAKS[name]()
        return len(arguments)

    monkeypatch.setattr(command_line, "run_command", run)
    with pytest.raises(AssertionError, match=f"^the run leaves changed: {name}$"):
        in_process(cwd=tmp_path)


def test_all_that_is_written_is_caught_in_its_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def run(_: tuple[str, ...]) -> int:
        os.write(1, b"one\n")
        print("two", Path.cwd() == tmp_path, os.environ["COLUMNS"], flush=True)  # noqa: T201
        sys.stderr.write("three\n")
        os.write(2, b"four\n")
        return 5

    monkeypatch.setattr(command_line, "run_command", run)
    done = in_process(cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("one\ntwo True 80\n", "three\nfour\n", 5)
    assert in_process(cwd=tmp_path, together=True).stdout == "one\ntwo True 80\nthree\nfour\n"


@pytest.mark.parametrize("arguments", [["check", "lpsf.aol"], ["check", "gone.aol"], ["show"], ["example"]])
def test_both_ways_say_the_same(arrayol: CommandLine, arrayol_process: CommandLine, arguments: list[str]) -> None:
    arrayol("example", "lpsf")
    here, there = arrayol(*arguments), arrayol_process(*arguments)
    assert (here.stdout, here.stderr, here.returncode) == (there.stdout, there.stderr, there.returncode)
