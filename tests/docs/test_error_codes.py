"""The tables of docs/errors.md and docs/explore.md name every code that their subject can lead to, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from manual import read

ROOT = Path(__file__).resolve().parents[2]
MAKERS = {"error", "Diagnostic"}
DATAPATHS = {"datapath.py", "bodies.py"}  # of emitting, with the codes of datapaths


@dataclass(frozen=True)
class Table:
    """A section of a page, and the files and folders, without some names of files, from which its codes come."""

    page: str
    section: str
    sources: tuple[str, ...]
    count: int
    without: frozenset[str] = frozenset()
    makers: frozenset[str] = frozenset(MAKERS)


TABLES = (
    Table("errors.md", "Datapaths", ("hwmodel/datapath", "hwmodel/emit/verilog"), 5, frozenset({"icarus.py"})),
    Table(
        "errors.md",
        "Emitting hardware",
        (
            *(f"hwmodel/emit/{room}" for room in ("schedule", "verilog", "hls")),
            "hwmodel/synth",
            *(
                f"dse/output/{name}.py"
                for name in ("hardware/emission", "hardware/cpp", "emitted_folder", "synthesis", "calibration")
            ),
        ),
        5,
        frozenset(DATAPATHS),
    ),
    Table(
        "errors.md",
        "Mapping and simulating",
        (
            *(f"hwmodel/{room}" for room in ("cost_model", "local_memory", "simulator", "stream")),
            "dse/verify",
            "dse/output/open_design.py",
            "hwmodel/frame_steps.py",
            "hwmodel/last_tasks.py",
        ),
        15,
        makers=frozenset({*MAKERS, "Refusal", "fault"}),
    ),
    Table("explore.md", "The store of finished work", ("dse/jobs/cache_file.py",), 3),
    Table("explore.md", "Workers and clusters", tuple(f"dse/jobs/{name}.py" for name in ("cluster", "jobs")), 5),
)


def codes(table: Table) -> set[str]:
    """Of all its sources."""
    return {code for source in table.sources for path in files(ROOT / source) for code in raised(path, table)}


def files(source: Path) -> Iterator[Path]:
    yield from sorted(source.rglob("*.py")) if source.is_dir() else [source]


def raised(path: Path, table: Table) -> Iterator[str]:
    """The first words of calls that make an error, said at once or by a constant of the file."""
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.name not in table.without else ast.Module([], [])
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        maker = getattr(node.func, "id", "") if isinstance(node, ast.Call) and node.args else ""
        if maker in table.makers:
            first = node.args[0]
            code = first.value if isinstance(first, ast.Constant) else constants.get(ast.unparse(first))
            if isinstance(code, str):  # else that of an error that is told with more
                yield f"simulation-{code}" if maker == "fault" else code


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.section)
def test_the_table_names_every_code(table: Table) -> None:
    section = read(table.page).partition(f"## {table.section}\n")[2].partition("\n## ")[0]
    found = codes(table) - {"window", "registers"}  # of a way to build a memory: by themselves they refuse none
    assert set(re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)) == found
    assert len(found) >= table.count


def test_no_other_module_of_jobs_has_codes() -> None:
    listed = {Path(source).name for table in TABLES for source in table.sources if source.startswith("dse/jobs")}
    whole = TABLES[-1]
    assert {path.name for path in files(ROOT / "dse" / "jobs") if set(raised(path, whole))} == listed
