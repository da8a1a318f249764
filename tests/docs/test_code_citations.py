"""The code that CONTRIBUTING.md, docs/architecture.md and docs/glossary.md cite is there.

A citation stands between backticks, in one of these forms: `dse/search/context.py`; `dse/search/`; names defined
there, `dse/search/context.py: in_order, WholeDesigns.choices`; `dse.search.context`, or with a name behind it. A word
in capitals in a path, as in `tests/errors/CODE.aol`, stands for any text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("CONTRIBUTING.md", "docs/architecture.md")
FOLDERS = r"(?:arrayol|hwmodel|dse|tests|docs|benchmarks|specs|\.ci)"
SPAN = re.compile(r"`([^`\n]+(?:\n[^`\n]+)*)`")
CITED = re.compile(rf"(?P<path>{FOLDERS}/[\w./-]*)(?:: (?P<names>[\w.]+(?:, [\w.]+)*))?")
DOTTED = re.compile(r"(?:arrayol|hwmodel|dse)(?:\.\w+)+")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
ANY_WORD = re.compile(r"(?<![A-Za-z])[A-Z]{2,}(?![A-Za-z])")


def missing(text: str) -> Iterator[str]:
    """What a page cites and is not there."""
    for span in SPAN.findall(FENCED.sub("", text)):
        cited = " ".join(span.split())
        if match := CITED.fullmatch(cited):
            names = match["names"].split(", ") if match["names"] else []
            if not exists(match["path"]):
                yield match["path"]
            else:
                yield from (f"{match['path']}: {name}" for name in names if not is_defined(match["path"], name))
        elif DOTTED.fullmatch(cited):
            if not is_importable(cited):
                yield cited
        elif re.match(rf"{FOLDERS}/\S*\.py\b", cited):
            yield f"say it in another form: {cited}"


def exists(path: str) -> bool:
    """Whether a path is there, a folder where it ends with a slash; some path, where it has a word in capitals."""
    if (ROOT / path).exists():
        return not path.endswith("/") or (ROOT / path).is_dir()
    return ANY_WORD.search(path) is not None and any(ROOT.glob(ANY_WORD.sub("*", path)))


def is_importable(dotted: str) -> bool:
    """Whether a dotted name is a module, or a name defined in one."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        place = "/".join(parts[:length])
        for path in (f"{place}.py", f"{place}/__init__.py"):
            if (ROOT / path).is_file():
                return length == len(parts) or is_defined(path, ".".join(parts[length:]))
    return False


def is_defined(path: str, name: str) -> bool:
    """Whether a file defines a name itself; `Class.member` is one of a class."""
    scope: list[ast.stmt] = tree(path).body
    *classes, last = name.split(".")
    for outer in classes:
        found = [node for node in scope if isinstance(node, ast.ClassDef) and node.name == outer]
        if not found:
            return False
        scope = found[0].body
    return last in {defined for node in scope for defined in names_of(node)}


@cache
def tree(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def names_of(node: ast.stmt) -> Iterator[str]:
    """The names that a statement defines; imported ones belong to another file."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    for target in targets:
        yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


@pytest.mark.parametrize("page", [*PAGES, "docs/glossary.md"])
def test_the_code_that_a_page_cites_is_there(page: str) -> None:
    assert list(missing((ROOT / page).read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("page", PAGES)
def test_pages_cite_files_and_names(page: str) -> None:
    """The pattern sees what it is meant to see."""
    spans = [" ".join(span.split()) for span in SPAN.findall((ROOT / page).read_text(encoding="utf-8"))]
    cited = [match for span in spans if (match := CITED.fullmatch(span))]
    assert len(cited) > 40
    assert sum(match["names"] is not None for match in cited) > 15


def test_every_room_is_in_the_tree() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    rooms = [path for top in ("arrayol", "hwmodel", "dse") for path in (ROOT / top).iterdir()]
    named = [
        f"{room.parent.name}/{room.name}{'/' if room.is_dir() else ''}"
        for room in rooms
        if room.suffix == ".py" or any(room.glob("*.py"))
    ]
    assert [name for name in named if f"`{name}`" not in page and not name.endswith("__init__.py")] == []


@pytest.mark.parametrize(
    ("cited", "fault"),
    [
        ("dse/search/exact/exact.py", None),
        ("dse/search/", None),
        ("dse/nowhere/", "dse/nowhere/"),
        ("dse/search/exact/exact.py: search_exactly, WholeDesigns.choices", None),
        ("dse/search/exact/exact.py:\nsearch_exactly", None),
        ("dse/search/exact/exact.py: search_nothing", "dse/search/exact/exact.py: search_nothing"),
        ("dse/search/exact/exact.py: Front", "dse/search/exact/exact.py: Front"),
        ("dse/search/exact/exact.py line 3", "say it in another form: dse/search/exact/exact.py line 3"),
        ("tests/errors/CODE.aol", None),
        ("tests/errors/CODE.png", "tests/errors/CODE.png"),
        ("dse.search.exact.exact", None),
        ("dse.search.exact.exact.search_exactly", None),
        ("dse.search.exact.exact.nothing", "dse.search.exact.exact.nothing"),
        ("lpsf.aol", None),
    ],
)
def test_the_forms(cited: str, fault: str | None) -> None:
    assert list(missing(f"see `{cited}`")) == ([] if fault is None else [fault])
