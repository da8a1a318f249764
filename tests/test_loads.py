"""A command reads its file once: it parses, evaluates, checks and flattens the same thing no second time."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path

import pytest
from command_loads import COMMANDS, counting, counts_of, write_inputs

from arrayol import api
from arrayol.cli.command_table import COMMANDS as ALL
from arrayol.pictures.tiler.tiler_faults import load_to_show

WITHOUT = {"completion", "example", "import", "lsp", "schema", "synth", "calibrate"}  # a specification
# `transform` runs its steps with other values of the consts too, to see what follows, and reads what it prints.
KEEPING_CONSTS = (4, 2, 3, 0)
FLATTENED = {"show", "explore", "simulate", "emit", "report"}


def test_each_command_does_everything_once(tmp_path: Path) -> None:
    assert {command for command, *_ in COMMANDS} == ALL.keys() - WITHOUT
    write_inputs(tmp_path)
    with chdir(tmp_path):
        for arguments in COMMANDS:
            counted, command = counts_of(arguments), arguments[0]
            once = 0 if command in {"fmt", "compare", "export"} else 1
            expected = (int(command != "compare"), once, once, int(command in FLATTENED))
            texts = 1
            if command == "transform":
                expected, texts = KEEPING_CONSTS, 2
            assert counted.most == expected, arguments
            assert sum(counted.parsed.counts) == expected[0] + texts - 1, arguments


def test_a_picture_of_mistakes_reads_its_file_once(tmp_path: Path) -> None:
    text = "task broken(x: i32[4]) -> (y: i32[4]) { repeat [4] of nothing { x <- x at origin [0] } }\n"
    (tmp_path / "broken.aol").write_text(text, encoding="utf-8")
    with chdir(tmp_path), counting() as counted, pytest.raises(api.ArrayolError):
        load_to_show(tmp_path / "broken.aol")
    assert counted.most == (1, 1, 1, 0)


def test_other_consts_need_no_file(tmp_path: Path) -> None:
    write_inputs(tmp_path)
    spec = api.load(tmp_path / "small.aol")
    (tmp_path / "small.aol").unlink()
    with counting() as counted:
        small = api.load(spec, {"N": 4})
        found = api.transfers(spec, "product", settings={"N": 4})
    assert small.constants == found.spec.constants == {"N": 4}
    assert counted.most == (0, 2, 2, 0)  # once by each call
