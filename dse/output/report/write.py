"""Reports: a result as one HTML file that needs no network, below 8 MB.

The page with its style and scripts (the folder `page`) is the same for every result. Its data are one JSON document.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from arrayol.files import atomic_file, writing
from arrayol.pictures.palette import PAGE
from dse.output.folder import REPORT, Warn, load_result, warn_in_python
from dse.output.open_design import record_of
from dse.output.report.document import Document, packed, report_document
from dse.output.report.sources import NO_MODELS, Models, open_origin
from dse.results.schema import Result
from dse.results.steps import StepFinder

SCRIPTS = (
    "core.js",
    "headline.js",
    "scatter.js",
    "table.js",
    "diagram.js",
    "timeline.js",
    "lines.js",
    "parts.js",
    "compare.js",
    "more.js",
    "organised.js",
    "details.js",
    "main.js",
)
_PAGE = "page"


@dataclass(frozen=True, slots=True)
class Written:
    """A report that was written: how many of the result's designs are in it, and what is missing, in words."""

    path: Path
    bytes: int
    designs: int
    remarks: tuple[str, ...]


def write_report(
    folder: Path, target: Path | None = None, warn: Warn = warn_in_python, *, designs: Sequence[str] = ()
) -> Written:
    """Write the report of the result in `folder`, by default beside it as report.html.

    It tells more of the best designs, and of those that are named, however long that takes.
    It is below 8 MB and needs no network. Raises ArrayolError as `load_result` and `atomic_file` do, and
    `unknown-design`.
    """
    result = load_result(folder, warn)
    path = target if target is not None else folder / REPORT
    asked = [record_of(result, folder, name).id for name in designs]
    document = report_document(result, folder, open_origin(result, folder), asked=asked)
    text = _text(result, document)
    with atomic_file(path) as temporary, writing(path):
        temporary.write_bytes(text)
    return Written(path, len(text), len(document["designs"]), tuple(document["remarks"]))


def first_report(
    result: Result, folder: Path, specs: Path, steps: StepFinder | None, models: Models = NO_MODELS
) -> bytes:
    """The report that ends an exploration, of what costs next to nothing.

    `folder` is that of the result, whose specifications are in `specs` until then; `steps` and `models` are the
    exploration's.
    """
    origin = open_origin(result, folder, steps, models)
    return _text(result, report_document(result, folder, origin, specs=specs, brief=True))


def _text(result: Result, document: Document) -> bytes:
    return page(f"{result.top}: report of arrayol", packed(document)).encode()


def page(title: str, data: str) -> str:
    """The whole page; `data` is JSON without '<'."""
    parts = {name: _part(name) for name in ("style.css", *SCRIPTS)}
    return Template(_part("page.html")).substitute(
        title=html.escape(title),
        style=Template(parts["style.css"]).substitute(PAGE),
        script="\n".join(parts[name] for name in SCRIPTS),
        data=data,
    )


def _part(name: str) -> str:
    return files("dse.output.report").joinpath(_PAGE, name).read_text(encoding="utf-8")
