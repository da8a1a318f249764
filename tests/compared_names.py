"""Where code compares names of a registry, or has a table of them: for tests that keep names in one place."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]


def offences(tree: ast.AST, names: Collection[str]) -> Iterator[int]:
    """Lines that compare some of these names, match them, or begin a table of two or more."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            if any(_has_name(part, names) for part in (node.left, *node.comparators)):
                yield node.lineno
        elif isinstance(node, ast.MatchValue) and _has_name(node.value, names):
            yield node.lineno
        elif isinstance(node, ast.Dict):
            keys = [key.value for key in node.keys if isinstance(key, ast.Constant) and key.value in names]
            if len(keys) > 1:
                yield node.lineno


def counted_offences(
    names: Collection[str], without: tuple[str, ...], sees: re.Pattern[str] | None = None
) -> dict[str, int]:
    """How many there are in each file of the packages that has some.

    Left out are files whose path begins as one of `without`, and those whose text has nothing that `sees` finds.
    """
    quoted = re.compile("|".join(f'"{re.escape(name)}"' for name in names))
    found: dict[str, int] = {}
    for package in ("arrayol", "hwmodel", "dse"):
        for path in sorted((ROOT / package).rglob("*.py")):
            place = path.relative_to(ROOT).as_posix()
            if place.startswith(without):
                continue
            text = path.read_text(encoding="utf-8")
            if quoted.search(text) and (sees is None or sees.search(text)):
                count = len(list(offences(ast.parse(text), names)))
                found |= {place: count} if count else {}
    return found


def _has_name(node: ast.expr, names: Collection[str]) -> bool:
    """Whether a literal has some of the names, in it or in the tuple, set or list that it is."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.Set | ast.List) else [node]
    return any(isinstance(part, ast.Constant) and part.value in names for part in parts)
