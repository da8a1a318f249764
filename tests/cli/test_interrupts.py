"""Signals that end a command: in its own words, with a code of their own, and never lost.

Inside an import or the start of a process one waits for its end, inside a finaliser it comes again, and whatever it
becomes, it counts.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

START = """
import os, signal, sys, time
from arrayol.cli import command_table
from arrayol.cli.main import main
{body}
command_table.invoke = invoke
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
IMPORT = """
def invoke(arguments):
    import slow
    time.sleep(60)
"""
SLOW = """
import os, signal, time
os.kill(os.getpid(), signal.SIGINT)
time.sleep(0.05)
print("reached", flush=True)
"""
FINALISER = """
class Closing:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
def invoke(arguments):
    print("reached", flush=True)
    Closing()
    time.sleep(60)
"""
CONVERTED = """
def invoke(arguments):
    print("reached", flush=True)
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    except KeyboardInterrupt:
        raise ImportError("failed to import") from None
"""
GONE = "the terminal is gone"
IGNORED = """
def invoke(arguments):
    print("reached", flush=True)
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    except KeyboardInterrupt:
        return 0
"""


def ended(body: str, folder: Path) -> tuple[str, str, int]:
    """Output, messages and exit code of a process whose command is the body's `invoke`."""
    (folder / "slow.py").write_text(SLOW)
    done = subprocess.run(
        [sys.executable, "-c", START.format(body=body)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=50,
    )
    return done.stdout, done.stderr, done.returncode


STARTED = """
from multiprocessing import get_context
from types import SimpleNamespace
class Slow(get_context("spawn").Process):
    @staticmethod
    def _Popen(process):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        print("reached", flush=True)
        return SimpleNamespace(sentinel=0, wait=lambda seconds: 0)
def invoke(arguments):
    Slow().start()
    time.sleep(60)
"""


@pytest.mark.parametrize(
    "body", [IMPORT, FINALISER, CONVERTED, STARTED], ids=["import", "finaliser", "converted", "process"]
)
def test_an_interrupt_ends_the_command_in_its_own_words(tmp_path: Path, body: str) -> None:
    assert ended(body, tmp_path) == ("reached\n", "interrupted\n", 130)


def test_a_command_that_ends_well_all_the_same_has_ended_well(tmp_path: Path) -> None:
    assert ended(IGNORED, tmp_path) == ("reached\n", "", 0)


def test_a_late_interrupt_changes_nothing(tmp_path: Path) -> None:
    late = "import atexit\natexit.register(os.kill, os.getpid(), signal.SIGINT)\ndef invoke(arguments):\n    return 3\n"
    assert ended(late, tmp_path) == ("", "", 3)


def test_an_ignored_interrupt_stays_ignored(tmp_path: Path) -> None:
    ignored = "def invoke(arguments):\n    os.kill(os.getpid(), signal.SIGINT)\n    return 0\n"
    start = START.replace("signal.default_int_handler", "signal.SIG_IGN").format(body=ignored)
    done = subprocess.run([sys.executable, "-c", start], cwd=tmp_path, capture_output=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (b"", b"", 0)


NOTED = """
def invoke(arguments):
    try:
        os.kill(os.getpid(), signal.{name})
        time.sleep(60)
    except KeyboardInterrupt as interrupt:
        interrupt.add_note("half of it is kept")
        raise
"""


@pytest.mark.parametrize(
    ("name", "word", "code"), [("SIGINT", "interrupted", 130), ("SIGTERM", "terminated", 143), ("SIGHUP", GONE, 129)]
)
def test_every_signal_that_asks_for_the_end(tmp_path: Path, name: str, word: str, code: int) -> None:
    assert ended(NOTED.format(name=name), tmp_path) == ("", f"half of it is kept\n{word}\n", code)


def test_an_interrupt_as_a_document(tmp_path: Path) -> None:
    body = NOTED.format(name="SIGTERM") + "sys.argv[1:] = ['explore', 'a.aol', '--json']\n"
    out, err, code = ended(body, tmp_path)
    (diagnostic,) = json.loads(out)["diagnostics"]
    told = {"code": "interrupted", "message": "terminated", "hint": "half of it is kept"}
    assert (diagnostic | told, err, code) == (diagnostic, "half of it is kept\nterminated\n", 143)


def test_sigterm_ends_workers_too_and_says_how_to_go_on(script: Path, tmp_path: Path) -> None:
    subprocess.run([script, "example", "lpsf"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    process = subprocess.Popen(
        [script, "explore", "lpsf.aol", "--method", "exact", "--out", "out", "--workers", "2"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not list(tmp_path.glob("out/work.sqlite-wal")):
        time.sleep(0.05)
    process.terminate()
    out, err = process.communicate(timeout=60)
    kept = "finished work is saved in out/work.sqlite; continue with --resume\nterminated\n"
    assert (out, process.returncode) == ("", 143)
    assert re.fullmatch(r"(lpsf: .*\n(remark: .*\n)*)?" + kept, err)
