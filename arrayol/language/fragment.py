"""A component as far as it could be resolved, so that its sound parts are checked beside the mistakes of the others."""

from __future__ import annotations

from dataclasses import dataclass

from arrayol.ir.spec import Component

INPUTS, OUTPUTS, DELAYS, BODY, PORTS = "inputs", "outputs", "delays", "body", "ports"


@dataclass(frozen=True, slots=True)
class Fragment:
    """A component and which parts of it had mistakes: what those parts hold was left out."""

    component: Component
    damaged: frozenset[str] = frozenset()

    @property
    def whole(self) -> bool:
        """Whether nothing was left out."""
        return not self.damaged
