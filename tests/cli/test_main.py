"""The command line as a whole, through the installed command: exact texts, exit codes, interrupts."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from command_line import raise_instead
from conftest import CommandLine

from arrayol import __version__
from arrayol.cli import command_table
from arrayol.cli.command_table import REMAINDER, SectionedCommand
from arrayol.cli.main import run

USAGE = "Usage: arrayol [OPTIONS] COMMAND [ARGS]...\nTry 'arrayol --help' for help.\n\nError: "
HELP = """\
Usage: arrayol [OPTIONS] COMMAND [ARGS]...

  Check, execute and map Array-OL specifications (.aol files) on hardware.

  Exit codes: 0 fine, 1 an input is wrong or a step is refused, 2 wrong usage,
  3 no feasible design, 130 interrupted.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.

Commands:
"""


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_lists_every_command_of_the_table(arrayol: CommandLine, option: str) -> None:
    done = arrayol(option)
    assert done.stdout.startswith(HELP)
    listed = [line.split()[0] for line in done.stdout.removeprefix(HELP).splitlines()]
    assert (listed, done.stderr, done.returncode) == (list(command_table.COMMANDS), "", 0)


@pytest.mark.parametrize("name", command_table.COMMANDS)
def test_every_command_of_the_table_explains_itself(arrayol: CommandLine, name: str) -> None:
    done = arrayol(name, "--help")
    assert done.stdout.startswith(f"Usage: arrayol {name} ")
    assert (done.stderr, done.returncode) == ("", 0)


def test_version(arrayol_process: CommandLine) -> None:
    assert arrayol_process("--version").stdout == f"arrayol {version('arrayol')}\n"
    assert version("arrayol") == __version__


def test_the_command_as_a_module(tmp_path: Path) -> None:
    (tmp_path / "two.aol").write_text("const N = 2\nconst N = 3\n")
    command = [sys.executable, "-m", "arrayol", "check", "two.aol"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines()[-1], done.stderr, done.returncode) == ("two.aol: 1 error", "", 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek"], "No such command 'chek'. Did you mean 'check'?"),
        (["xyz"], f"No such command 'xyz'. The commands are {', '.join(command_table.COMMANDS)}."),
        (["--hlp"], "No such option '--hlp'. Did you mean '--help'?"),
    ],
)
def test_wrong_usage_of_the_whole(arrayol: CommandLine, arguments: list[str], message: str) -> None:
    done = arrayol(*arguments)
    assert (done.stdout, done.stderr, done.returncode) == ("", f"{USAGE}{message}\n", 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lpsf.aol", "--sett", "W=4"], "No such option '--sett'. Did you mean '--set'?"),
        (["lpsf.aol", "--set", "W"], "Invalid value for '--set': 'W' is not NAME=VALUE, as in W=640 or A=0.5."),
        (["lpsf.aol", "--set", "W=4", "--set", "W=8"], "Invalid value for '--set': 'W' is given twice."),
        ([], "Missing argument 'FILE...'."),
    ],
)
def test_wrong_usage_of_a_command(arrayol: CommandLine, arguments: list[str], message: str) -> None:
    done = arrayol("check", *arguments)
    usage = "Usage: arrayol check [OPTIONS] FILE...\nTry 'arrayol check --help' for help.\n\n"
    assert (done.stdout, done.stderr, done.returncode) == ("", f"{usage}Error: {message}\n", 2)


DEFECT = """\
internal error: ValueError: one two
  This is a mistake in arrayol, not in your input. Please report it with the command and its files;
  ARRAYOL_TRACEBACK=1 shows where it happened.
"""
EMPTY = """\
lpfs.aol:1:1: error[empty-file]: the file holds no definition
    1 |
      | ^
  hint: `arrayol example lpsf` writes a specification to start from
"""
SYNTAX = """\
lpfs.aol:1:10: error[syntax]: the definition of const 'H' ends too early; expected an expression
    1 | const H =
      |          ^
"""
WRONG_FILES = {
    "missing": (None, "lpfs.aol: error[no-such-file]: no such file\n"),
    "empty": (b"", EMPTY),
    "binary": (b"\x7fELF\0\0", "lpfs.aol: error[binary-file]: this is a binary file, not the text of an .aol file\n"),
    "syntax": (b"const H = \n", SYNTAX),
}


@pytest.mark.parametrize("command", ["check", "explore", "run"])
@pytest.mark.parametrize("kind", WRONG_FILES)
def test_wrong_files(arrayol: CommandLine, tmp_path: Path, command: str, kind: str) -> None:
    content, message = WRONG_FILES[kind]
    if content is not None:
        (tmp_path / "lpfs.aol").write_bytes(content)
    images = ["--in", "p0=a.png", "--out", "p4=b.png"] if command == "run" else []
    done = arrayol(command, "lpfs.aol", *images)
    if command == "check" and kind in {"empty", "syntax"}:  # what it found is its result
        assert (done.stdout, done.stderr, done.returncode) == (f"{message}\nlpfs.aol: 1 error\n", "", 1)
    else:
        assert (done.stdout, done.stderr, done.returncode) == ("", message, 1)
    assert [path.name for path in tmp_path.iterdir()] == ([] if content is None else ["lpfs.aol"])


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (MemoryError(), 1, "error[out-of-memory]: this needs more memory than there is\n"),
        (OSError(errno.ENOSPC, "No space left on device", "a"), 1, "a: error[system]: No space left on device\n"),
        (SystemExit(3), 3, ""),
        (SystemExit("no"), 1, "no\n"),
        (SystemExit(), 0, ""),
        (ValueError("one\n  two"), 70, DEFECT),
    ],
)
def test_what_becomes_of_an_exception(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    raised: BaseException,
    code: int,
    message: str,
) -> None:
    monkeypatch.delenv("ARRAYOL_TRACEBACK", raising=False)
    raise_instead(monkeypatch, raised)
    assert run([]) == code
    assert capsys.readouterr() == ("", message)


def test_the_traceback_is_there_for_those_who_ask(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARRAYOL_TRACEBACK", "1")
    raise_instead(monkeypatch, ValueError("odd"))
    assert run([]) == 70
    assert capsys.readouterr().err.startswith("Traceback (most recent call last):\n")


def test_a_reader_that_leaves_is_no_error(script: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([script, "--help"], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.stderr, done.returncode) == (b"", 141)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_under_stdout(script: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([script, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.stderr, done.returncode) == ("error[system]: No space left on device\n", 1)


LOST = "error[system]: stdout is closed or not open for writing, and what it should get is lost\n"


@pytest.mark.skipif(os.name != "posix", reason="closes descriptors as a POSIX shell does")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["example"], ["fmt", "lpsf.aol"]])
def test_a_closed_stdout_loses_the_output_and_says_so(
    arrayol: CommandLine, script: Path, tmp_path: Path, arguments: list[str]
) -> None:
    arrayol("example", "lpsf")
    assert _closing([script, *arguments], "1", tmp_path) == ("", LOST, 1)


@pytest.mark.skipif(os.name != "posix", reason="closes descriptors as a POSIX shell does")
def test_other_closed_streams_are_no_matter(arrayol: CommandLine, script: Path, tmp_path: Path) -> None:
    arrayol("example", "lpsf")
    fine = "lpsf.aol: fine: 5 tasks, 1 elementary task\n"
    assert _closing([script, "check", "lpsf.aol"], "02", tmp_path) == (fine, "", 0)
    assert _closing([script, "check", "gone.aol"], "012", tmp_path) == ("", "", 1)
    explored = _closing([script, "explore", "gone.aol", "--json"], "02", tmp_path)
    assert (json.loads(explored[0])["ok"], explored[1:]) == (False, ("", 1))


def _closing(command: list[str | Path], descriptors: str, folder: Path) -> tuple[str, str, int]:
    """Output, messages and exit code of a command that is started without some of its streams."""
    closed = " ".join(f"{descriptor}>&-" for descriptor in descriptors)
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout, done.stderr, done.returncode


def test_ctrl_c_while_the_command_waits_for_its_input(script: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [script, "check", "-"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write("a" * (1 << 20))  # more than a pipe holds: so much was read that the command is waiting now
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("", "interrupted\n", 130)


START = """
import sys
from arrayol.cli import main

def invoke(arguments):
    print("ready", flush=True)
    return before(arguments)

before, main._invoke = main._invoke, invoke
sys.argv = ["arrayol", "explore", "lpsf.aol", "--out", "out"]
main.main()
"""


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.6, 1.2])
def test_ctrl_c_at_any_moment_leaves_all_or_nothing(arrayol: CommandLine, tmp_path: Path, delay: float) -> None:
    arrayol("example", "lpsf")
    before = {path.name for path in tmp_path.iterdir()}
    process = subprocess.Popen(
        [sys.executable, "-c", START], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    left = {path.name for path in tmp_path.iterdir()} - before
    if process.returncode == 130:
        assert err.endswith("interrupted\n")
        assert left in (set(), {"out"})
    else:  # it had ended, or was at the interpreter's own end
        assert process.returncode in {0, -signal.SIGINT}
        assert left == {"out"}
    if left:
        suffixes = {path.suffix for path in (tmp_path / "out").iterdir()}
        is_store = process.returncode == 130 and suffixes == {".sqlite"}  # where the machine is slow: finished work
        assert is_store or suffixes >= {".json", ".csv", ".png", ".svg"}


def test_the_help_of_explore_lists_each_option_once_by_what_it_is_for(arrayol: CommandLine) -> None:
    lines = arrayol("explore", "--help").stdout.splitlines()
    assert len(lines) <= 96
    assert max(map(len, lines)) <= 80
    command = command_table.cli.get_command(click.Context(command_table.cli), "explore")
    assert isinstance(command, SectionedCommand)
    assert [line for line in lines if line.endswith(":") and not line.startswith(" ")] == [
        f"{title}:" for title in (*command.sections, REMAINDER)
    ]
    listed = [line.split()[0].rstrip(",") for line in lines if re.match(r"  -", line)]
    options = [
        option.opts[0] for option in command.get_params(click.Context(command)) if option.param_type_name == "option"
    ]
    assert sorted(listed) == sorted({"-h", *options} - {"--help"})
    assert lines[-1].split()[:2] == ["-h,", "--help"]
    assert lines[-2] == f"{REMAINDER}:"
