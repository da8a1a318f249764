"""What the documentation site fills in, and that its pages leave nothing out. `.ci/run` builds the site itself."""

from __future__ import annotations

import json
import re

import click
import pytest
from codes_text import codes_text
from commands_text import PAGES, commands_text
from gallery_fronts import FILE, front, shipped
from gallery_text import gallery_text
from manual import FOLDER, read

from arrayol import api
from arrayol.cli.command_table import COMMANDS, cli


def test_every_command_has_a_section_with_its_page() -> None:
    headings = re.findall(r"^#+ arrayol (.+)$", commands_text(), re.MULTILINE)
    assert [heading for heading in headings if " " not in heading] == list(COMMANDS)
    assert {"emit verilog", "emit hls"} < set(headings)
    assert set(COMMANDS) - set(PAGES) == {"completion"}
    for page in PAGES.values():
        assert (FOLDER / page.partition("#")[0]).is_file()
        assert not page.startswith("..")  # the site has the pages of docs/ alone


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_in_the_section_of_its_command(name: str) -> None:
    section = re.split(rf"^## arrayol {name}$", commands_text(), flags=re.MULTILINE)[1]
    section = re.split(r"^## ", section, flags=re.MULTILINE)[0]
    command = cli.get_command(click.Context(cli), name)
    assert command
    for option in (each for each in command.params if isinstance(each, click.Option)):
        (row,) = re.findall(rf"^\| `{option.opts[0]}[ `].*$", section, re.MULTILINE)
        meaning = (option.help or "").split()[0]
        assert f"| {meaning}" in row


def test_every_public_name_is_on_the_page_of_the_python_interface() -> None:
    listed = re.findall(r"^\.\. auto\w+:: arrayol\.api\.(\w+)", read("api.md"), re.MULTILINE)
    assert sorted(listed) == sorted(
        {*api.__all__, "model"} - {"Source"}
    )  # a module; a union of types, without docstring
    assert "`Source`" in read("api.md")


def test_every_page_stands_in_a_table_of_contents() -> None:
    pages = [path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("*.md")]
    contents = "".join(re.findall(r"^```{toctree}\n(.*?)^```$", read("index.md"), re.MULTILINE | re.DOTALL))
    listed = [line for line in contents.splitlines() if line and not line.startswith(":")]
    assert sorted(listed) == sorted(page for page in pages if page != "index")
    assert not {"search", "genindex", "modindex"} & set(pages)  # Sphinx writes pages of its own to these names


def test_the_gallery_has_every_shipped_specification() -> None:
    text = gallery_text()
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == shipped()
    assert text.count("| fastest |") == text.count("| smallest |") == len(shipped()) > 20


@pytest.mark.parametrize("name", ["fir", "polyprod", "solve"])  # some of the quickest
def test_what_the_gallery_shows_is_what_explore_finds(name: str) -> None:
    """Else `python docs/site/gallery_fronts.py` writes all of it anew."""
    assert json.loads(FILE.read_text(encoding="utf-8"))[name] == front(name)


def test_the_list_of_codes_has_headings_and_rows_of_tables() -> None:
    rows = codes_text().splitlines()[2:]
    assert "| `out-of-bounds` | [](errors.md#out-of-bounds) |" in rows
    assert "| `worker-lost` | [](explore.md#workers-and-clusters) |" in rows
    assert len(rows) > 150
    codes = [row.split("`")[1] for row in rows]
    assert codes == sorted(codes)
