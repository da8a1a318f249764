"""The tables of docs/papers.md: one section for each paper, a row for each thing that it has."""

from __future__ import annotations

import re
from dataclasses import dataclass

from manual import read

HEADER = ("where", "what it is", "command or page", "published", "ours", "remark")
ABSENT = "not there"  # in place of a command
HOLDS = "holds"  # in place of a number: a test shows it
NOTHING = "-"


@dataclass(frozen=True)
class Row:
    """A row of the table of one paper; `where` names it."""

    paper: str
    where: str
    what: str
    command: str
    published: str
    ours: str
    remark: str

    @property
    def key(self) -> tuple[str, str]:
        return self.paper, self.where


def rows(paper: str) -> list[Row]:
    """The rows of the section "Paper A", "Paper B" or "Paper C"."""
    (section,) = re.findall(rf"^## Paper {paper}: .*?$(.*?)(?=^## |\Z)", read("papers.md"), re.MULTILINE | re.DOTALL)
    header, _, *lines = [line for line in section.splitlines() if line.startswith("|")]
    assert cells(header) == HEADER
    return [Row(paper, *cells(line)) for line in lines]


def cells(line: str) -> tuple[str, ...]:
    found = tuple(cell.strip() for cell in line.strip("|").split("|"))
    assert len(found) == len(HEADER), line
    return found
