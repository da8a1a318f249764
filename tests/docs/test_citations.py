"""What tracked files cite is there: the page is tracked, and has the section, heading or anchor that is named.

A citation has one of these forms: docs/machine.md; docs/machine.md, section 4; docs/machine.md, sections 4 and 7;
docs/language.md, "Delays". In pages it may also be a link, as to language.md#delays. A page is named from the top of
the repository, from docs, or from the folder of the file that names it.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath

import pytest

ROOT = Path(__file__).parents[2]
PAGE = r"(?P<page>(?:[\w.-]+/)*[\w-]+\.md)\b"
PLACE = r'(?:#(?P<anchor>[\w-]+)|, sections? (?P<sections>\d+(?:(?:, | and )\d+)*)|, "(?P<heading>[^"]+)")?'
CITATION = re.compile(PAGE + PLACE)
OTHER_FORMS = re.compile(r"[Ss]ections? \d[\d, and]* of [\w/-]+\.md|\.md,? (?:\d|§|sec\.)|\.md \"")
LINK = re.compile(r"\]\((?!\w+:)(?P<target>[^)#\s]*)(?:#(?P<anchor>[\w-]+))?\)")
LINE_END = re.compile(r"[ \t]*\n[ \t]*(?:#|//|\*|>)?[ \t]*")  # with what starts a line of a comment
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")


@cache
def tracked() -> dict[str, str]:
    """The tracked text files, by name."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    # The clone may belong to another user than the one who runs the tests, as in a container.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    contents = {name: (ROOT / name).read_bytes() for name in names if (ROOT / name).is_file()}
    return {name: content.decode("utf-8", "replace") for name, content in contents.items() if b"\0" not in content}


def broken(name: str, text: str, files: Mapping[str, str]) -> Iterator[str]:
    """What the file of this name cites and is not there, or not in one of the forms."""
    joined = LINE_END.sub(" ", text) if ".md" in text else ""
    yield from (f"{name}: say it in another form: {match[0]}" for match in OTHER_FORMS.finditer(joined))
    for match in CITATION.finditer(joined):
        page = resolved(match["page"], name, files)
        if page is None or not holds(files[page], match):
            yield f"{name}: {match[0]}"
    if name.endswith(".md"):
        yield from (
            f"{name}: {match[0]}"
            for match in LINK.finditer(CODE.sub("code", FENCED.sub("", text)))
            if is_dead(match, name, files)
        )


def resolved(cited: str, name: str, files: Mapping[str, str]) -> str | None:
    """The tracked file that a page's name stands for."""
    folder = PurePosixPath(name).parent
    candidates = (normpath(path) for path in (folder / cited, cited, f"docs/{cited}"))
    return next((path for path in candidates if path in files), None)


def holds(page: str, citation: re.Match[str]) -> bool:
    """Whether a page has the place that a citation names."""
    titles = headings(page)
    if citation["sections"]:
        numbers = {title.partition(".")[0] for title in titles}
        return set(re.findall(r"\d+", citation["sections"])) <= numbers
    if citation["heading"]:
        return citation["heading"] in titles
    return not citation["anchor"] or citation["anchor"] in map(slug, titles)


def headings(page: str) -> list[str]:
    return [title.replace("`", "") for title in re.findall(r"^#+ (.+)$", FENCED.sub("", page), re.MULTILINE)]


def slug(title: str) -> str:
    """The anchor that a heading gets."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def is_dead(link: re.Match[str], name: str, files: Mapping[str, str]) -> bool:
    """Whether a link of a page leads nowhere: to no file, or to no heading of the page itself."""
    if link["target"]:
        return not (ROOT / PurePosixPath(name).parent / link["target"]).exists()
    return link["anchor"] not in map(slug, headings(files[name]))


def test_what_is_cited_is_there() -> None:
    files = tracked()
    assert [fault for name, text in files.items() for fault in broken(name, text, files)] == []


def test_places_are_cited_at_all() -> None:
    """The patterns see what they are meant to see."""
    texts = [LINE_END.sub(" ", text) for text in tracked().values() if ".md" in text]
    found = [match for text in texts for match in CITATION.finditer(text)]
    for part in ("anchor", "sections", "heading"):
        assert sum(match[part] is not None for match in found) > 10


SAMPLE = "docs/a.{}".format("md")  # no page: this file is looked through too


@pytest.mark.parametrize(
    ("cited", "is_there"),
    [
        ("docs/a.{}", True),
        ("(a.{}, section 2)", True),
        ("a.{}, sections 1,\n# 2 and 3", False),
        ("see a.{}, sections 1\n    # and 2", True),
        ('a.{}, "One thing"', True),
        ('a.{}, "Another"', False),
        ("a.{}#2-the-other-thing", True),
        ("a.{}#the-other", False),
        ("b.{}", False),
        ("../docs/a.{}", True),
        ("section 1 of a.{}", False),
        ("a.{}, 2", False),
        ("[x](#one-thing) of a.{}", True),
    ],
)
def test_the_forms(cited: str, is_there: bool) -> None:
    files = {SAMPLE: "# `One` thing\n\n## 1. First\n\n```sh\n# 3. no heading\n```\n\n## 2. The other thing\n"}
    assert (not list(broken("code/f.py", cited.format("md"), files))) == is_there


def test_a_page_with_links_that_lead_nowhere() -> None:
    page = "# One\n\n[there](#one) [not there](#two) [nor here](nothing.txt)\n"
    assert list(broken(SAMPLE, page, {SAMPLE: page})) == [f"{SAMPLE}: ](#two)", f"{SAMPLE}: ](nothing.txt)"]
