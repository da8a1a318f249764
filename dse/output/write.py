"""Writing a report: the page with its style, its scripts and a result's data in one file."""

from __future__ import annotations

import html
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from arrayol.files import atomic_file, writing
from dse.output.folder import REPORT, Warn, load_result, warn_in_python
from dse.output.origin import open_origin
from dse.output.report import packed, report_document

SCRIPTS = ("core.js", "scatter.js", "table.js", "diagram.js", "timeline.js", "details.js", "main.js")
_PAGE = "page"


@dataclass(frozen=True, slots=True)
class Written:
    """A report that was written: how many of the result's designs are in it, and what is missing, in words."""

    path: Path
    bytes: int
    designs: int
    remarks: tuple[str, ...]


def write_report(folder: Path, target: Path | None = None, warn: Warn = warn_in_python) -> Written:
    """Write the report of the result in `folder`, by default beside it as report.html.

    It is below 2 MB and needs no network. Raises ArrayolError as `load_result` and `atomic_file` do.
    """
    result = load_result(folder, warn)
    path = target if target is not None else folder / REPORT
    document = report_document(result, folder, open_origin(result, folder))
    text = page(f"{result.top}: report of arrayol", packed(document)).encode()
    with atomic_file(path) as temporary, writing(path):
        temporary.write_bytes(text)
    return Written(path, len(text), len(document["designs"]), tuple(document["remarks"]))


def page(title: str, data: str) -> str:
    """The whole page; `data` is JSON without '<'."""
    parts = {name: _part(name) for name in ("style.css", *SCRIPTS)}
    return Template(_part("page.html")).substitute(
        title=html.escape(title),
        style=parts["style.css"],
        script="\n".join(parts[name] for name in SCRIPTS),
        data=data,
    )


def _part(name: str) -> str:
    return files("dse.output").joinpath(_PAGE, name).read_text(encoding="utf-8")
