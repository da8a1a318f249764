"""Figures that add up over the groups of a design, and how each is computed from the tables of a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

from arrayol.arrays import IntArray
from hwmodel.cost_model.evaluate.traffic import longest_service, port_bytes, port_cycles, traffic_bytes
from hwmodel.cost_model.metrics import Figures
from hwmodel.cost_model.tables.group_tables import GroupTables
from hwmodel.cost_model.together import PORT, SERVICE


@dataclass(frozen=True, slots=True)
class Additive:
    """A figure by its `name` in results.

    `evaluate` computes it for S structures under combinations of rates, (1, U, tasks) for all structures or (S, U,
    tasks): the result is (S, U), or (S, 1) if rates do not matter. `least` computes lower bounds (S, 1) over all rates.
    """

    name: str
    evaluate: Callable[[GroupTables, IntArray], IntArray]
    least: Callable[[GroupTables], IntArray]


def _of_structures(name: str, figure: Callable[[GroupTables], IntArray]) -> Additive:
    """A figure (S,) that does not depend on rates."""
    return Additive(name, lambda tables, _: figure(tables)[:, None], lambda tables: figure(tables)[:, None])


ADDITIVE = (
    _of_structures("traffic_bytes", traffic_bytes),
    _of_structures("port_bytes", port_bytes),
    _of_structures(PORT, port_cycles),
    _of_structures(SERVICE, longest_service),
)


def additive_figures(tables: GroupTables, combinations: IntArray) -> Mapping[str, Callable[[], Figures]]:
    """All additive figures by name, under combinations of rates; each is computed when it is first read."""
    return {figure.name: cache(partial(figure.evaluate, tables, combinations)) for figure in ADDITIVE}


def least_additive(tables: GroupTables) -> Mapping[str, Callable[[], Figures]]:
    """Lower bounds of the additive figures over all rates, by name."""
    return {figure.name: cache(partial(figure.least, tables)) for figure in ADDITIVE}
