"""Locals of bodies as C: each a variable of its block, declared before the first statement that mentions it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from arrayol.ir.expressions import Statement, arrays_read, assigns, mentioned
from arrayol.ir.spec import Local, is_initial
from hwmodel.emit.c.helpers import c_type
from hwmodel.emit.c.lines import Lines, declared, element
from hwmodel.emit.c.names import Named

ON_THE_STACK = 1 << 16  # elements; larger arrays are static


def variable(local: Local, subscripts: Sequence[str]) -> str:
    """An element of a local that is a variable of its block: the loops around tell none of it."""
    name = Named.VARIABLE.of(local.name)
    return element(name, subscripts[len(local.around) :]) if local.shape else name


def shape_over_loops(local: Local) -> tuple[int, ...]:
    """The lengths of the array over the loops around that a local stands for."""
    return (*(max(1, outer.high) for outer in local.around), *local.shape)


@dataclass
class Block:
    """The statements of a body, or of a loop inside so many ranges, and the locals of it that are not declared yet.

    A variable starts at zero, which is what `+=` starts from.
    """

    statements: Sequence[Statement]
    locals: Sequence[Local]
    around: int
    undeclared: dict[str, Local] = field(init=False)

    def __post_init__(self) -> None:
        self.undeclared = {local.name: local for local in self.locals if len(local.around) == self.around}

    def before(self, statement: Statement) -> tuple[Lines, str]:
        """The declarations before a statement; the type in front of one that is the first value of a local, or ''."""
        new = [self.undeclared.pop(name) for name in mentioned((statement,)) if name in self.undeclared]
        if len(new) == 1 and is_initial(statement, new[0]) and self._is_read(new[0]):
            return [], c_type(new[0].type)
        return [line for local in new for line in self._declaration(local)], ""

    def _declaration(self, local: Local) -> Lines:
        name = Named.VARIABLE.of(local.name)
        unread = [] if self._is_read(local) else [f"(void){name};"]
        if not local.shape:
            return [f"{c_type(local.type)} {name} = 0;", *unread]
        text = declared(name, local.type, local.shape)
        if prod(local.shape) > ON_THE_STACK:
            return [f"static {text};", f"memset({name}, 0, sizeof {name});"]
        return [f"{text} = {{0}};", *unread]

    def _is_read(self, local: Local) -> bool:
        return any(local.name in arrays_read(assign) for assign in assigns(self.statements))
