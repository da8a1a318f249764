"""Common subexpressions: parts of a value that get a name, and which of them can be computed even where not needed."""

from __future__ import annotations

from collections.abc import Collection

from arrayol.c_import.model import BOOL, COperation
from arrayol.c_import.plans import is_dynamic

_LEAST_SHARED = 3  # nodes of a value that is named, where it is used twice


def shared_parts(value: COperation, unsure: Collection[str]) -> list[tuple[COperation, bool]]:
    """Parts of a value that are used more than once and are worth a name, operands first; and whether none can fail.

    `unsure` are arrays that may have no value where the statement does not run.
    """
    users: dict[int, int] = {}
    sizes: dict[int, int] = {}
    nodes = list(value.nodes())
    for node in nodes:
        for one in node.below():
            users[id(one)] = users.get(id(one), 0) + 1
        sizes[id(node)] = 1 + sum(sizes[id(one)] for one in node.below())
    certain = _certain(value)
    risky: set[int] = set()
    for node in nodes:
        if _may_fail(node, unsure) or any(id(one) in risky for one in node.below()):
            risky.add(id(node))
    return [
        (node, id(node) not in risky)
        for node in nodes
        if users.get(id(node), 0) > 1
        and sizes[id(node)] >= _LEAST_SHARED
        and (id(node) in certain or id(node) not in risky)
    ]


def _certain(value: COperation) -> set[int]:
    """The parts of a value that are computed whatever its conditions say."""
    found: set[int] = set()
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if id(node) not in found:
            found.add(id(node))
            is_lazy = node.kind == "choice" or (node.type == BOOL and node.kind in {"and", "or"})
            waiting += node.below()[:1] if is_lazy else node.below()
    return found


def _may_fail(node: COperation, unsure: Collection[str]) -> bool:
    """Whether an operation has no result for some operands: a read outside, a division by 0, too large a float."""
    if node.access is not None:
        return bool(node.access.guards) or node.access.array in unsure or any(map(is_dynamic, node.access.subscripts))
    if node.kind in {"//", "%"}:
        return node.operands[1].kind != "literal"
    return node.kind == "convert" and node.type[0] != "f" and node.operands[0].type[0] == "f"
