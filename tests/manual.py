"""The pages of the manual as blocks: files, the reports on them, and commands with their output.

Each block of PAGES stands by itself: commands find all files of their page and nothing else. TOURS are read from top to
bottom, one page after the other: what a command makes is there for the next.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from command_line import COLUMNS, as_process, in_process

from arrayol.checks.check import check
from arrayol.errors import render

FOLDER = Path(__file__).resolve().parent.parent / "docs"
PAGES = ("language.md", "errors.md", "run.md", "layout.md", "transfers.md", "transformations.md")
_TUTORIAL = ("1-filter", "2-check", "3-run", "4-explore", "5-design", "6-verilog")
_CONCEPTS = ("tilers", "delays", "groups", "buffers", "datapaths", "memory", "streams")
_HOW_TO = (
    "borders",
    "coefficients",
    "video",
    "platform",
    "study",
    "frame-rate",
    "transform",
    "from-c",
    "to-a-project",
    "ci",
)
TOURS = {
    "tutorial": tuple(f"tutorial/{name}.md" for name in _TUTORIAL),
    **{name: (f"concepts/{name}.md",) for name in _CONCEPTS},
    **{name: (f"howto/{name}.md",) for name in _HOW_TO},
}

Agree = Callable[["Block", str], None]  # the fixture `agree`

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"(?:# |/\* )([\w-]+\.(?:aol|toml|py|c))( \(corrected\)| \*/)?\n")


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
        """The file that a block stands for, which its first line names."""
        found = _NAME.match(self.text)
        assert found, f"docs/{self.page}:{self.line}: the first line of a block names its file, as in '# blur.aol'"
        return found[1]

    @property
    def is_correction(self) -> bool:
        """Whether this is the remedy of the block of the same name."""
        found = _NAME.match(self.text)
        return bool(found and found[2] == " (corrected)")

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


def report_of(file: str) -> str:
    """What `arrayol check` says of a file's mistakes, as pages show it."""
    return "".join(f"{text}\n" for text in "\n\n".join(map(render, check(Path(file)).diagnostics)).splitlines())


def printed(block: Block, script: Path, folder: Path, columns: int = COLUMNS) -> str:
    """A block of commands with what they print on either stream. `arrayol`, `python3` and `gcc` are commands."""
    commands = [line[2:] for line in block.text.splitlines() if line.startswith("$ ")]
    assert block.text.startswith("$ "), f"{block}: a block of commands begins with one, as in '$ arrayol'"
    return "".join(f"$ {command}\n{_output(command, script, folder, columns)}" for command in commands)


def _output(command: str, script: Path, folder: Path, columns: int) -> str:
    program, *arguments = shlex.split(command)
    if program == "arrayol" and "--allow-extern" not in arguments:  # modules of the page would stay loaded
        done = in_process(*arguments, cwd=folder, together=True, columns=columns)
    else:
        place = {"arrayol": script, "python3": Path(sys.executable), "gcc": Path(shutil.which("gcc") or "gcc")}[program]
        done = as_process(place, *arguments, cwd=folder, together=True)
    return done.stdout.replace(str(folder), "/path/to")


def run_unshown(block: Block, folder: Path) -> None:
    """Run a block of commands whose output no page shows; `python3` and programs beside it are those of the tests."""
    beside = Path(sys.executable).parent
    for line in block.text.splitlines():
        program, *arguments = shlex.split(line)
        place = Path(sys.executable) if program == "python3" else beside / program
        done = as_process(place, *arguments, cwd=folder, together=True)
        assert done.returncode == 0, f"{block}: {line}\n{done.stdout}"


def timeless(text: str) -> str:
    """What commands print, without the seconds that they took."""
    return re.sub(r"^(took +)[^;\n]*;", r"\1some time;", text, flags=re.MULTILINE)


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
