"""Figures that add up over the groups of a design: how each follows from the tables of a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

from arrayol.arrays import IntArray
from hwmodel.machine.evaluate.traffic import port_bytes, traffic_bytes
from hwmodel.machine.priced import Figures
from hwmodel.machine.tables.group_tables import GroupTables


@dataclass(frozen=True, slots=True)
class Additive:
    """A figure by its `name` in results.

    `evaluate` gives it for S structures under combinations of rates, (1, U, tasks) of all structures or (S, U, tasks)
    of each: (S, U), or (S, 1) where rates do not change it. `least` (S, 1) is what no rates have less of.
    """

    name: str
    evaluate: Callable[[GroupTables, IntArray], IntArray]
    least: Callable[[GroupTables], IntArray]


def _of_structures(name: str, figure: Callable[[GroupTables], IntArray]) -> Additive:
    """One that rates do not change, of a figure (S,)."""
    return Additive(name, lambda tables, _: figure(tables)[:, None], lambda tables: figure(tables)[:, None])


ADDITIVE = (
    _of_structures("traffic_bytes", traffic_bytes),
    _of_structures("port_bytes", port_bytes),
)


def additive_figures(tables: GroupTables, combinations: IntArray) -> Mapping[str, Callable[[], Figures]]:
    """All of them by name under combinations of rates, each computed when it is first asked for."""
    return {one.name: cache(partial(one.evaluate, tables, combinations)) for one in ADDITIVE}


def least_additive(tables: GroupTables) -> Mapping[str, Callable[[], Figures]]:
    """What no rates have less of, by name."""
    return {one.name: cache(partial(one.least, tables)) for one in ADDITIVE}
