"""Shell completion: the scripts for the shells, and what they are told at each Tab."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import CommandLine

from arrayol.cli import command_table

SPEC = 'import "b.aol"\nelementary one() -> (y: u8) { y = 1 }\ntask first() -> (y: u8) { y = one() }\ntask brok'


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "a.aol").write_text(SPEC)
    (tmp_path / "b.aol").write_text("elementary two() -> (y: u8) { y = 2 }")
    return tmp_path


def completed(arrayol: CommandLine, monkeypatch: pytest.MonkeyPatch, line: str) -> list[str]:
    """What a line can go on with, as bash is told it: the kind, and the word."""
    words = line.split(" ")
    monkeypatch.setenv("_ARRAYOL_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    done = arrayol()
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("arrayol ", [f"plain,{name}" for name in command_table.COMMANDS]),
        ("arrayol ch", ["plain,check"]),
        ("arrayol --v", ["plain,--version"]),
        ("arrayol check ", ["file,"]),
        ("arrayol check --j", ["plain,--json"]),
        ("arrayol check --format s", ["plain,sarif"]),
        ("arrayol check a.aol ", ["file,"]),
        ("arrayol check a.aol b.aol --top ", ["plain,first", "plain,two", "plain,one"]),
        ("arrayol fmt a.aol ", ["file,"]),
        ("arrayol check --json a.aol --j", []),
        ("arrayol report ", ["dir,"]),
        ("arrayol explore a.aol --out ", ["dir,"]),
        ("arrayol explore --method ex", ["plain,exhaustive", "plain,exact"]),
        ("arrayol explore --method=exa", ["plain,exact"]),
        ("arrayol explore --objectives units,fr", ["plain,units,frame_cycles", "plain,units,frames_per_second"]),
        ("arrayol explore --pick ", ["plain,knee", "plain,fastest"]),
        ("arrayol run a.aol --top ", ["plain,first", "plain,two", "plain,one"]),
        ("arrayol show a.aol f", ["plain,first"]),
        ("arrayol layout a.aol t", ["plain,two"]),
        ("arrayol transfers gone.aol ", []),
        ("arrayol transfers --bad a.aol o", ["file,o"]),
        ("arrayol check --top ", []),
        ("arrayol example lp", ["plain,lpsf"]),
        ("arrayol chek a.aol --", ["plain,--version", "plain,--help"]),
    ],
)
@pytest.mark.usefixtures("here")
def test_words(arrayol: CommandLine, monkeypatch: pytest.MonkeyPatch, line: str, words: list[str]) -> None:
    assert completed(arrayol, monkeypatch, line) == words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(arrayol: CommandLine, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.setenv("_ARRAYOL_COMPLETE", f"{shell}_source")
    done = arrayol()
    assert (done.stderr, done.returncode) == ("", 0)
    assert f"_ARRAYOL_COMPLETE={shell}_complete" in done.stdout
    monkeypatch.delenv("_ARRAYOL_COMPLETE")
    assert arrayol("completion", shell).stdout.strip() == done.stdout.strip()


def test_another_shell(arrayol: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_ARRAYOL_COMPLETE", "tcsh_source")
    done = arrayol("check", "a.aol")
    assert (done.stdout, done.returncode) == ("", 1)
    assert done.stderr == (
        "error[unknown-shell]: there is no completion 'tcsh_source'\n"
        "  hint: set _ARRAYOL_COMPLETE to bash_source, zsh_source or fish_source\n"
    )


BASH = """
PATH="$1:$PATH"
eval "$(_ARRAYOL_COMPLETE=bash_source arrayol)"
COMP_WORDS=(arrayol explore --model p) COMP_CWORD=3
_arrayol_completion arrayol
echo "${COMPREPLY[@]}"
complete -p arrayol
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_takes_it(script: Path) -> None:
    done = subprocess.run(["bash", "-c", BASH, "bash", script.parent], capture_output=True, text=True, check=True)
    assert done.stdout == "published\ncomplete -o nosort -F _arrayol_completion arrayol\n"
    assert done.stderr == ""
