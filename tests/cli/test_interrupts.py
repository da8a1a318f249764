"""Ctrl-C inside an import waits for its end, inside a finaliser it comes again, and whatever it becomes, it counts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

START = """
import os, signal, sys, time
from arrayol.cli import commands
from arrayol.cli.main import main
{body}
commands.invoke = invoke
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


@pytest.mark.parametrize("body", [IMPORT, FINALISER, CONVERTED], ids=["import", "finaliser", "converted"])
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
