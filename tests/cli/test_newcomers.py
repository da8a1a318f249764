"""Slips of people who are new to the command: each is told what it was, and what to type instead."""

from __future__ import annotations

import pytest
from conftest import CommandLine

EMPTY = "the name is empty."
QUOTES = 'as in "fuse hflr vftd 4,12". Each step is one argument, in quotes.'


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["lpsf.aol"], "'lpsf.aol' is a file; a command comes first, as in arrayol check lpsf.aol"),
        (["check", ""], f"Invalid value for 'FILE...': {EMPTY}"),
        (["explore", "lpsf.aol", "--out", ""], f"Invalid value for '--out': {EMPTY}"),
        (["explore", "lpsf.aol", "--platform", ""], f"Invalid value for '--platform': {EMPTY}"),
        (["show", "lpsf.aol", "--out", ""], f"Invalid value for '--out': {EMPTY}"),
        (["report", ""], f"Invalid value for 'DIR': {EMPTY}"),
        (["transform", "lpsf.aol", "fuse", "hflr", "vftd"], QUOTES),
        (["layout", "lpsf.aol", "hflr", "--emit-ports", "banks"], "--emit-ports is for --emit FILE.aol."),
        (["transfers", "lpsf.aol", "hflr", "--emit", "c", "--tree"], "leave them out with --emit c."),
        (
            ["transfers", "lpsf.aol", "hflr", "--emit", "c", "--platform", "p.toml"],
            "leave --platform out with --emit c.",
        ),
        (["example", "--force"], "--force is for a NAME."),
    ],
)
def test_wrong_usage(arrayol: CommandLine, arguments: list[str], told: str) -> None:
    arrayol("example", "lpsf")
    done = arrayol(*arguments)
    assert (done.stdout, done.returncode) == ("", 2)
    assert " ".join(done.stderr.split()).endswith(told)


def test_an_empty_name_is_the_name_of_no_task(arrayol: CommandLine) -> None:
    arrayol("example", "lpsf")
    done = arrayol("show", "lpsf.aol", "")
    assert done.stderr.startswith("lpsf.aol: error[unknown-task]: there is no task ''\n")
    assert done.returncode == 1
