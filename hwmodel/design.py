"""Mapping decisions: what a design chooses. So far the fusion; issues to come add blocks, orders, units and links."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fusion:
    """A partition of a network's processes in groups, each one macrotask after fusion (paper A, section 4).

    Groups stand in execution order, the process names of a group in dataflow order. The search that makes fusions
    answers for their legality: groups connected, their quotient graph acyclic.
    """

    groups: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        return " | ".join(" ".join(group) for group in self.groups)
