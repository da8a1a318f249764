"""The pages of the manual as blocks: files of the language, the reports on them, and commands with their output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "docs"
PAGES = ("language.md", "errors.md", "run.md", "layout.md", "transfers.md", "transformations.md")

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"# ([\w-]+\.aol)( \(corrected\))?\n")


@dataclass(frozen=True)
class Block:
    """One fenced block of a page. `start` and `end` enclose its text, without the fences; `number` counts from 0."""

    page: str
    number: int
    language: str
    text: str
    start: int
    end: int
    line: int

    @property
    def name(self) -> str:
        """The file that an aol block stands for, which its first line names."""
        found = _NAME.match(self.text)
        assert found, f"docs/{self.page}:{self.line}: the first line of a block names its file, as in '# blur.aol'"
        return found[1]

    @property
    def is_correction(self) -> bool:
        """Whether this is the remedy of the block of the same name."""
        found = _NAME.match(self.text)
        return bool(found and found[2])

    def __str__(self) -> str:
        return f"{self.page}-{self.line}"


def read(page: str) -> str:
    """The text of a page."""
    return (FOLDER / page).read_text(encoding="utf-8")


def blocks(page: str, language: str | None = None) -> list[Block]:
    """The blocks of a page in order, of one language or of all."""
    return [block for block in _blocks(page) if language in (None, block.language)]


def _blocks(page: str) -> Iterator[Block]:
    text = read(page)
    for number, found in enumerate(_BLOCK.finditer(text)):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(page, number, found[1], found[2], *found.span(2), line)


def report_after(block: Block) -> Block | None:
    """The report that follows an aol block, if one does before the next block of another kind."""
    later = blocks(block.page)[block.number + 1 : block.number + 2]
    return later[0] if later and later[0].language == "text" else None


def write_files(page: str, folder: Path) -> None:
    """Every aol block of a page as the file that it names; corrections are left out."""
    for block in blocks(page, "aol"):
        if not block.is_correction:
            (folder / block.name).write_text(block.text, encoding="utf-8")


def replace(block: Block, text: str) -> None:
    """Put another text in a block of the page as it is now."""
    page = read(block.page)
    current = blocks(block.page)[block.number]
    (FOLDER / block.page).write_text(page[: current.start] + text + page[current.end :], encoding="utf-8")


def sections(page: str) -> dict[str, str]:
    """The text below each heading that is one code in backquotes, up to the next heading."""
    parts = re.split(r"^#{2,3} (.+)\n", read(page), flags=re.MULTILINE)
    return {
        heading.strip("`"): text
        for heading, text in zip(parts[1::2], parts[2::2], strict=True)
        if re.fullmatch(r"`[a-z0-9-]+`", heading)
    }
