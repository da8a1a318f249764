"""What the parser reads and no later pass builds yet: refused here, one line for each addition."""

from __future__ import annotations

from arrayol.ir import syntax
from arrayol.language.diagnose import mistake
from arrayol.language.tree import nodes_in


def refuse_later(item: syntax.Elementary | syntax.Task) -> None:
    """Raise Mistake (`not-yet`) at the first part of a definition that is not built yet."""
    for node in nodes_in(item):
        what = None
        match node:
            case syntax.OutputLink(delay=delay) if delay is not None:
                what = "an exit"
        if what:
            raise mistake("not-yet", f"{what} is not supported yet", node.span)
