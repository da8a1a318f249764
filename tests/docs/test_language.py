"""Everything that the manual of the language shows is true: its files, reports, commands and codes."""

from __future__ import annotations

import ast
import re
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from manual import PAGES, Agree, Block, blocks, printed, read, report_after, report_of, sections, write_files

from arrayol.ir.syntax import KEYWORDS

ROOT = Path(__file__).resolve().parent.parent.parent
AOL = [block for page in PAGES for block in blocks(page, "aol")]
CONSOLE = [block for page in PAGES for block in blocks(page, "console")]

# The executor asks again what `arrayol check` has settled, so no file that passes the check leads to two of these; the
# third needs tilers that nobody would write, and what is too hard takes too long to show.
NOT_OF_A_SPECIFICATION = {
    "broken-plugin",
    "internal",
    "interrupted",
    "no-language-server",
    "out-of-memory",
    "system",
    "unknown-shell",
    "usage",
}
WITHOUT_EXAMPLE = NOT_OF_A_SPECIFICATION | {
    *(
        "hidden-package",
        "made-by-steps",
        "nest-too-hard",
        "no-schedule",
        "tiler-out-of-bounds",
        "too-many-copies",
        "undecided",
    ),
}


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder for each page, with all files of the page in it; not to be written to."""
    made = {page: tmp_path_factory.mktemp("page") for page in PAGES}
    for page, folder in made.items():
        write_files(page, folder)
        for name, array in DATA.get(page, {}).items():
            (folder / name).parent.mkdir(exist_ok=True)
            np.save(folder / name, array)
    return made


DATA = {"language.md": {"weights/last.npy": np.eye(3, 4, dtype="i1")}}  # what files of const arrays hold


@pytest.mark.parametrize("block", AOL, ids=str)
def test_files_give_the_report_that_follows_them(
    block: Block, agree: Agree, folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file with a ```text block after it gives exactly that report; any other is free of errors and warnings."""
    monkeypatch.chdir(folders[block.page])
    if block.is_correction:
        monkeypatch.chdir(shutil.copytree(folders[block.page], tmp_path, dirs_exist_ok=True))
        Path(block.name).write_text(block.text, encoding="utf-8")
    found = report_of(block.name)
    report = report_after(block)
    if report is None:
        assert found == ""
    else:
        agree(report, found)
        assert found


@pytest.mark.parametrize("block", CONSOLE, ids=str)
def test_commands_print_what_is_shown(
    block: Block, agree: Agree, folders: dict[str, Path], script: Path, tmp_path: Path
) -> None:
    shutil.copytree(folders[block.page], tmp_path, dirs_exist_ok=True)
    assert "$ arrayol " in block.text
    agree(block, printed(block, script, tmp_path))


@pytest.mark.parametrize("page", PAGES)
def test_blocks_are_of_known_kinds_and_files_have_names_of_their_own(page: str) -> None:
    assert {block.language for block in blocks(page)} <= {"aol", "text", "console"}
    names = [block.name for block in blocks(page, "aol") if not block.is_correction]
    assert len(names) == len(set(names)) > 2
    assert {block.name for block in blocks(page, "aol")} == set(names)
    reports = [found.number for block in blocks(page, "aol") if (found := report_after(block))]
    assert [block.number for block in blocks(page, "text")] == reports


def test_every_code_has_a_section_and_no_section_is_of_another() -> None:
    assert set(sections("errors.md")) == _codes()
    assert len(_codes()) > 80


def test_every_section_shows_the_report_of_its_code() -> None:
    shown = {code for code, text in sections("errors.md").items() if f"[{code}]:" in text}
    assert set(sections("errors.md")) - shown == WITHOUT_EXAMPLE


def test_every_reserved_word_is_listed_and_explained() -> None:
    page = read("language.md")
    listed = re.search(r"^Reserved words:\n((?:.+\n)+)", page, re.MULTILINE)
    assert listed
    assert set(re.findall(r"`(\w+)`", listed[1])) == set(KEYWORDS)
    used = {word for block in blocks("language.md", "aol") for word in re.findall(r"\w+", block.text)}
    assert set(KEYWORDS) - used == set()


def test_links_between_and_inside_the_pages_lead_somewhere() -> None:
    for page in PAGES:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", read(page), flags=re.DOTALL)  # calls there look like links
        for target, anchor in re.findall(r"\]\(([\w./-]*)#?([\w-]*)\)", text):
            assert (ROOT / "docs" / target).exists()
            headings = re.findall(r"^#{2,} (.+)$", read(target or page), re.MULTILINE) if anchor else []
            slugs = {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
            assert not anchor or anchor in slugs, f"{page}: {target}#{anchor}"
    assert "(docs/language.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


@cache
def _codes() -> set[str]:
    """Every code that a specification, or a command about one, can lead to."""
    in_a_table = {"c_import", "pragma_study.py"}  # of the import's codes
    rooms = [path for path in sorted((ROOT / "arrayol").rglob("*.py")) if not in_a_table & {*path.parts}]
    files = [*rooms, ROOT / "hwmodel" / "banks" / "emit_linear.py"]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    makers = {"mistake", "report", "Diagnostic", "error", "Fault", "_fault"}
    return {
        node.args[0].value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in makers
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }
