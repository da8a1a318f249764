"""Finds every place that enforces a rule, and makes the source in which that one place does nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ENFORCING = ("arrayol/language", "arrayol/checks", "arrayol/ir/network.py")
INTERNAL = {"TypeError"}  # guards against nodes that the tree cannot hold; no rule for users
_GATHERED = {"mistakes", "_mistakes", "diagnostics"}
_PRODUCER = re.compile(r"\b(Diagnostic|Mistake|Exception|ArrayolError)\b")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file. `text` tells what was there, `source` is the whole file with the change."""

    path: str
    line: int
    text: str
    source: str
    kind: str


def find_rules(root: Path) -> list[Mutant]:
    """A mutant for each statement that raises, reports, yields, returns or gathers a mistake, in order of place."""
    found: list[Mutant] = []
    for place in ENFORCING:
        files = sorted((root / place).rglob("*.py")) if (root / place).is_dir() else [root / place]
        for file in files:
            source = file.read_text(encoding="utf-8")
            path = file.relative_to(root).as_posix()
            found += (_without(path, source, node, instead) for node, instead in _enforcing(ast.parse(source), ""))
    return found


def _enforcing(node: ast.AST, returns: str) -> Iterator[tuple[ast.stmt, str]]:
    """The statements that enforce a rule, with what is left of each. `returns` is the function's annotation."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        returns = ast.unparse(node.returns) if node.returns else ""
    for child in ast.iter_child_nodes(node):
        instead = _left_of(child, makes_mistakes=bool(_PRODUCER.search(returns)))
        if isinstance(child, ast.stmt) and instead:
            yield child, instead
        yield from _enforcing(child, returns)


def _left_of(node: ast.AST, *, makes_mistakes: bool) -> str | None:
    """What replaces an enforcing statement; a generator stays one."""
    match node:
        case ast.Raise(exc=ast.expr() as raised):
            return None if _called(raised) in INTERNAL else "pass"
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
            return "yield from ()" if makes_mistakes else None
        case ast.Return(value=ast.expr() as value):
            return "pass" if makes_mistakes and not isinstance(value, ast.Constant) else None
        case ast.Expr(value=ast.Call() as call):
            return "pass" if _gathers(call.func) or _called(call).lstrip("_").startswith("check_") else None
        case ast.AugAssign(target=ast.expr() as target):
            return "pass" if _name(target) in _GATHERED else None
    return None


def _gathers(function: ast.expr) -> bool:
    """Whether a call notes mistakes, as `mistakes.report(...)` and `self.diagnostics.append(...)` do."""
    named = isinstance(function, ast.Attribute) and _name(function.value) in _GATHERED
    return named and _name(function) in {"report", "append", "extend", "attempt"}


def _called(expr: ast.expr) -> str:
    return _name(expr.func if isinstance(expr, ast.Call) else expr)


def _name(expr: ast.expr) -> str:
    return expr.attr if isinstance(expr, ast.Attribute) else expr.id if isinstance(expr, ast.Name) else ""


def _without(path: str, source: str, node: ast.stmt, instead: str) -> Mutant:
    lines = source.encode().splitlines(keepends=True)  # columns of the tree count bytes
    last = (node.end_lineno or node.lineno) - 1
    before = b"".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
    after = lines[last][node.end_col_offset :] + b"".join(lines[last + 1 :])
    changed = (before + instead.encode() + after).decode()
    return Mutant(path, node.lineno, " ".join((ast.get_source_segment(source, node) or "").split()), changed, "rule")


def replaced(root: Path, path: str, old: str, new: str) -> Mutant:
    """A mutant written by hand. Raises ValueError where the file does not hold the old text exactly once."""
    file = root / path
    source = file.read_text(encoding="utf-8") if file.is_file() else ""
    if source.count(old) != 1:
        raise ValueError(f"{path} holds {source.count(old)} times, not once: {old}")
    line = source[: source.index(old)].count("\n") + 1
    return Mutant(path, line, f"{old.strip()}  ~>  {new.strip()}", source.replace(old, new), "decision")
