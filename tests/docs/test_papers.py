"""docs/papers.md: every number is what the code gives, every claim has a test, and what is not there has a reason.

The files `papers/paper_*.py` have for the page's rows: in FIGURES a function for each with a number, in HELD a test for
each that holds. A row of the page without one, or one without a row, fails.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

import click
import paper_a
import paper_b
import paper_c
import pytest
from conftest import CommandLine
from manual import Agree, blocks
from paper_page import ABSENT, HOLDS, NOTHING, Row, rows

from arrayol.cli.command_table import cli
from arrayol.files import shipped_folder

ROOT = Path(__file__).parents[2]
FIGURES: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "A": paper_a.FIGURES,
    "B": paper_b.FIGURES,
    "C": paper_c.FIGURES,
}
HELD: Mapping[str, Mapping[str, str]] = {"A": paper_a.HELD, "B": paper_b.HELD, "C": paper_c.HELD}
ROWS = [row for paper in FIGURES for row in rows(paper)]


def is_absent(row: Row) -> bool:
    return row.command == ABSENT


def name(row: Row) -> str:
    return f"{row.paper}: {row.where}"


def those(wanted: Callable[[Row], bool]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", [row for row in ROWS if wanted(row)], ids=name)


@pytest.mark.parametrize("paper", FIGURES)
def test_rows_and_what_shows_them_are_the_same(paper: str) -> None:
    page = rows(paper)
    assert len({row.where for row in page}) == len(page) > 20
    assert {row.where for row in page if row.ours == HOLDS} == set(HELD[paper])
    assert {row.where for row in page if row.ours not in (HOLDS, NOTHING)} == set(FIGURES[paper])
    assert {row.where for row in page if row.ours == NOTHING} == {row.where for row in page if is_absent(row)}


@those(lambda row: row.ours not in (HOLDS, NOTHING))
def test_our_numbers_are_those_of_the_code(row: Row) -> None:
    assert FIGURES[row.paper][row.where]() == row.ours


@those(lambda row: row.paper == "C" and row.where in paper_c.PRINTED)
def test_numbers_of_printed_formulas(row: Row) -> None:
    assert paper_c.PRINTED[row.where]() == row.published


@those(lambda row: row.ours not in (HOLDS, NOTHING) and row.ours != row.published)
def test_another_number_than_the_paper_s_is_explained(row: Row) -> None:
    assert len(row.remark.split()) > 2


@those(lambda row: row.ours == HOLDS)
def test_what_holds_has_a_test(row: Row) -> None:
    file, _, function = HELD[row.paper][row.where].partition("::")
    assert re.search(rf"^def {function}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


@those(is_absent)
def test_what_is_not_there_has_a_reason(row: Row) -> None:
    assert len(row.remark.split()) > 5
    assert row.published == NOTHING or re.search(r"\d", row.published)


@those(lambda row: row.command.startswith("`"))
def test_commands_can_be_given(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the shipped specifications; tests of citations look after the links of other rows."""
    program, *arguments = shlex.split(row.command.strip("`"))
    assert program == "arrayol"
    monkeypatch.chdir(shipped_folder())
    command: click.Command = cli
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), arguments.pop(0))
        assert found
        command = found
    assert command.make_context(command.name, arguments).params


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_a_row_has_a_command_a_page_or_no_place(row: Row) -> None:
    assert row.where
    assert row.what
    assert row.command == ABSENT or re.fullmatch(r"`arrayol [^`]+`|\[.+\]\([\w/]+\.md(#[\w-]+)?\)", row.command)


def test_the_table_of_the_published_model(arrayol: CommandLine, agree: Agree) -> None:
    arrayol("example", "lpsf")
    (block,) = blocks("papers.md", "console")
    command, _, _ = block.text.partition("\n")
    agree(block, f"{command}\n{arrayol(*shlex.split(command)[2:]).stdout}")
