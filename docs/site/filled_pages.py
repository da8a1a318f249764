"""A Sphinx extension: fills places of pages that code knows best, while the site is built.

A page has a line `<!-- filled: NAME -->`, and FILLERS says which text in Markdown goes there. Links to files of the
repository that lie outside of `docs/` work in a clone; the site has no such files, so there only their text is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from posixpath import join, normpath
from typing import Any

from codes_text import codes_text
from commands_text import commands_text
from gallery_text import draw_gallery, gallery_text
from sphinx.application import Sphinx

PLACE = re.compile(r"^<!-- filled: (\w+) -->$", re.MULTILINE)
LINK = re.compile(r"\[(?P<text>[^\]]+)\]\((?P<target>\.\./[^)]*)\)")
FILLERS: dict[str, Callable[[], str]] = {"codes": codes_text, "commands": commands_text, "gallery": gallery_text}


def fill(_: Sphinx, page: str, source: list[str]) -> None:
    """Change the text of a page that Sphinx has just read."""
    filled = PLACE.sub(lambda place: FILLERS[place[1]](), source[0])
    source[0] = LINK.sub(lambda link: link["text"] if leaves(page, link["target"]) else link[0], filled)


def leaves(page: str, target: str) -> bool:
    """Whether a link of a page leads out of the folder of the pages."""
    return normpath(join(page, "..", target)).startswith("..")


def filled(app: Sphinx, *_: object) -> list[str]:
    """The pages with such places: they are read anew whenever the site is built, since what fills them may be new."""
    return [page for page in app.env.found_docs if PLACE.search(app.env.doc2path(page).read_text(encoding="utf-8"))]


def draw(app: Sphinx, failure: Exception | None) -> None:
    """Draw what pages show, into the folder of the site that was built."""
    if failure is None and app.builder.format == "html":
        draw_gallery(Path(app.outdir))


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("env-get-outdated", filled)
    app.connect("source-read", fill)
    app.connect("build-finished", draw)
    return {"parallel_read_safe": True}
