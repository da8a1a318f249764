"""The list of all codes of errors, from the pages that explain them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

PAGES = Path(__file__).parent.parent
HEADING = re.compile(r"#{2,4} (.+)")
ROW = re.compile(r"\| (?:`[a-z0-9-]+`(?:, )?)+ \|")


def codes_text() -> str:
    """A table: each code, and the section about it."""
    rows = sorted({found for page in PAGES.glob("*.md") for found in codes_of(page)})
    return "\n".join(["| code | explained in |", "|---|---|", *(f"| `{code}` | []({place}) |" for code, place in rows)])


def codes_of(page: Path) -> Iterator[tuple[str, str]]:
    """Each code that a page explains with its place: as a heading, or in a table whose first column has codes."""
    place, in_table = "", False
    for line in page.read_text(encoding="utf-8").splitlines():
        if heading := HEADING.match(line):
            place = f"{page.name}#{slug(heading[1])}"
            if re.fullmatch(r"`[a-z0-9-]+`", heading[1]):
                yield heading[1].strip("`"), place
        in_table = line.startswith("| code |") or (in_table and line.startswith("|"))
        if in_table and (row := ROW.match(line)):
            yield from ((code, place) for code in re.findall(r"`([a-z0-9-]+)`", row[0]))


def slug(title: str) -> str:
    """The anchor of a heading, as on GitHub."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
