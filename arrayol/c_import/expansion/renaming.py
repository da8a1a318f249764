"""Statements with forms in place of iterators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from arrayol.c_import.forms import renamed, renamed_condition
from arrayol.c_import.graphs import mapped, with_values
from arrayol.c_import.model import COperation, ElementAccess, ElementGuard, ForLoop, Form, Statement, data_of


@dataclass
class Renaming:
    """Forms in place of iterators, quotients and rests; each condition is changed once, since its identity counts."""

    values: Mapping[Any, Form]
    guards: dict[int, ElementGuard] = field(default_factory=dict)

    def statement(self, statement: Statement, loops: tuple[ForLoop, ...], position: tuple[int, ...]) -> Statement:
        """The statement in other loops, at its position there."""
        known: dict[int, COperation] = {}
        for value in data_of(statement.target):
            mapped(value, self._node, known)
        return replace(
            statement,
            loops=loops,
            position=position,
            conditions=tuple(map(self._guard, statement.conditions)),
            target=self._access(with_values(statement.target, known)),
            value=mapped(statement.value, self._node, known),
        )

    def _node(self, node: COperation) -> COperation:
        form = None if node.form is None else renamed(node.form, self.values)
        return replace(node, form=form, access=None if node.access is None else self._access(node.access))

    def _access(self, access: ElementAccess) -> ElementAccess:
        subscripts = tuple(renamed(form, self.values) for form in access.subscripts)
        return replace(access, subscripts=subscripts, guards=tuple(map(self._guard, access.guards)))

    def _guard(self, guard: ElementGuard) -> ElementGuard:
        if id(guard) not in self.guards:
            self.guards[id(guard)] = renamed_condition(guard, self.values)
        return self.guards[id(guard)]
