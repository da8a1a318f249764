"""A Sphinx extension: what the theme leaves out for those who use a screen reader or no mouse.

Captions in the list of pages get a level, asides a name, code and tables that may be wider than the page the focus of
keys, the page of the search a heading, and corners of tables that head nothing are plain cells.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

CHANGES = (
    (re.compile(r'(<p class="caption" role="heading")>'), r'\1 aria-level="2">'),
    (re.compile(r'(<aside class="sidebar-drawer")>'), r'\1 aria-label="All pages">'),
    (re.compile(r'(<aside class="toc-drawer[^"]*")>'), r'\1 aria-label="On this page">'),
    (re.compile(r'<th class="head"><p></p></th>'), "<td></td>"),
    (re.compile(r"<pre>"), '<pre tabindex="0">'),
    (re.compile(r'(<div class="table-wrapper[^"]*")>'), r'\1 tabindex="0">'),
    (re.compile(r'(<article role="main" id="furo-main-content">\s*)(?=<noscript>)'), r"\1<h1>Search</h1>"),
)


def accessible(text: str) -> str:
    """The HTML of a page with these changes; they leave a page that has them as it is."""
    for pattern, replacement in CHANGES:
        text = pattern.sub(replacement, text)
    return text


def change_pages(app: Sphinx, failure: Exception | None) -> None:
    """Change all pages of the site that was built."""
    if failure is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        path.write_text(accessible(path.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("build-finished", change_pages)
    return {"parallel_read_safe": True}
