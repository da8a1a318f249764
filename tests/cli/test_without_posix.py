"""Commands where the system has no POSIX signals, users or forks, as Windows: in a process that has lost them."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CommandLine

START = """
import os, signal, sys
import moocore, multiprocessing.connection, numpy, shutil, uuid  # what asks sys.platform instead

MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}
SIGNALS = {"SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_DFL", "SIG_IGN"}
SYSTEM = "fork forkpty fork_exec getegid geteuid getgid getpgid getppid getuid killpg mkfifo register_at_fork"
SYSTEM += " sched_getaffinity sched_setaffinity setsid statvfs uname chown fchown fchmod O_CLOEXEC O_NONBLOCK"

class Missing:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

sys.meta_path.insert(0, Missing)
for name in MODULES:
    sys.modules.pop(name, None)
for name in list(vars(signal)):
    if name.isupper() and name.startswith(("SIG", "ITIMER")) and name not in SIGNALS:
        delattr(signal, name)
for name in ("alarm", "setitimer", "getitimer", "pthread_kill", "pthread_sigmask", "sigwait", "siginterrupt", "pause"):
    delattr(signal, name)
for name in SYSTEM.split():
    if hasattr(os, name):
        delattr(os, name)

from arrayol.cli.main import main
"""


def ended(folder: Path, *arguments: str, before: str = "") -> tuple[str, str, int]:
    """Output, messages and exit code of a command in such a process."""
    done = subprocess.run(
        [sys.executable, "-c", f"{START}{before}\nmain()", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    return done.stdout, done.stderr, done.returncode


@pytest.fixture
def here(arrayol: CommandLine, tmp_path: Path) -> Path:
    """A folder with a specification."""
    arrayol("example", "lpsf")
    return tmp_path


COMMANDS = """
from arrayol.cli.main import run
for command in (
    "check lpsf.aol",
    "run lpsf.aol --set H=8 --set W=8 --in p0=ramp --out p4=p4.png",
    "explore lpsf.aol --set H=8 --set W=8 --narrow --no-verify --quiet",
    "report lpsf-explore",
):
    assert run(command.split()) == 0
"""


def test_commands_do_the_same(here: Path) -> None:
    out, err, code = ended(here, "check", "lpsf.aol", before=COMMANDS)
    lines = out.splitlines()
    assert (lines[0], lines[-1]) == ("lpsf.aol: fine: 5 tasks, 1 elementary task",) * 2
    assert any(line.startswith("wrote lpsf-explore/report.html: ") for line in lines)
    assert (err[:14], code) == ("wrote p4.png: ", 0)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupt(here: Path, name: str) -> None:
    number = int(getattr(signal, name))
    before = f"""
from arrayol.cli import command_table
def invoke(arguments):
    os.kill(os.getpid(), signal.{name})
command_table.invoke = invoke
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
    word = {"SIGINT": "interrupted", "SIGTERM": "terminated"}[name]
    assert ended(here, "check", "lpsf.aol", before=before) == ("", f"{word}\n", 128 + number)
