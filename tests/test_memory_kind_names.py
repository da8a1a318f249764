"""Names of kinds of memories stand in their registry: elsewhere no code compares them, or has a table of them.

`LEFT` are what is left, by file, and may only shrink: colours, which lie below the registry, and a way to build that
has such a name too. Rooms of the language and of C have words of their own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arrayol.pictures.palette import MEMORIES
from hwmodel.memory_kinds import KINDS

ROOT = Path(__file__).parents[1]
REGISTRY = "hwmodel/memory_kinds.py"
OTHER_LANGUAGES = ("arrayol/c_import/", "arrayol/language/", "arrayol/ir/", "arrayol/lsp/", "arrayol/tiling/")
QUOTED = re.compile("|".join(f'"{name}"' for name in KINDS))

LEFT: dict[str, int] = {
    "arrayol/pictures/palette.py": 2,
    "dse/output/built_memories.py": 1,
}


def kind_names(node: ast.expr) -> list[str]:
    """The names of kinds that a literal has, in it or in the tuple or set that it is."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.Set | ast.List) else [node]
    return [part.value for part in parts if isinstance(part, ast.Constant) and part.value in KINDS]


def offences(tree: ast.AST) -> Iterator[int]:
    """Lines that compare names of kinds, match them, or begin a table of two or more."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            if any(kind_names(part) for part in (node.left, *node.comparators)):
                yield node.lineno
        elif isinstance(node, ast.MatchValue) and kind_names(node.value):
            yield node.lineno
        elif isinstance(node, ast.Dict):
            names = [key.value for key in node.keys if isinstance(key, ast.Constant) and key.value in KINDS]
            if len(names) > 1:
                yield node.lineno


def test_names_of_kinds_are_compared_in_their_registry_alone() -> None:
    found: dict[str, int] = {}
    for package in ("arrayol", "hwmodel", "dse"):
        for path in sorted((ROOT / package).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if place != REGISTRY and not place.startswith(OTHER_LANGUAGES):
                text = path.read_text(encoding="utf-8")
                count = len(list(offences(ast.parse(text)))) if QUOTED.search(text) else 0
                found |= {place: count} if count else {}
    assert found == LEFT


@pytest.mark.parametrize(
    "text",
    [
        'use.kind == "fifo"',
        'kind in ("once", "x")',
        'match kind:\n  case "rom" | "local":\n    1',
        '{"fifo": 1, "rom": 2}',
    ],
)
def test_offences_are_found(text: str) -> None:
    assert list(offences(ast.parse(text)))


def test_every_kind_has_a_colour() -> None:
    assert MEMORIES.keys() == KINDS.keys()
