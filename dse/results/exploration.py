"""An exploration in memory: what its two searches return, and what is written, drawn and printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arrayol.ir.spec import ConstValue, Spec
from dse.results.schema import Result
from dse.space.objectives import Figure, Objective
from hwmodel.design import Design


@dataclass(frozen=True)
class Labels:
    """Where an exploration's inputs came from, for its result; `elements` are the digests of const arrays."""

    spec: str
    model: str
    platform: str
    constants: Mapping[str, ConstValue | str] = field(default_factory=dict)
    elements: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PlottedPoints:
    """Distinct points behind the front, in objectives' units, with the number of groups of the designs there.

    They are of all feasible designs, so many in `designs`, or (None) of the fronts of single fusions. `names` are the
    designs' identifiers at each point; empty where there are too many designs to name. `left_out` counts designs that
    are not among the points.
    """

    points: tuple[tuple[float, ...], ...]
    groups: tuple[int, ...]
    names: tuple[tuple[str, ...], ...]
    designs: int | None
    left_out: int = 0


@dataclass(frozen=True)
class Exploration:
    """A result, the points for the plot, the mappings of its front (none of the published model).

    `spec` is what the designs' steps start from.
    """

    result: Result
    objectives: tuple[Objective | Figure, ...]
    plotted: PlottedPoints
    decisions: tuple[Design, ...] = ()
    spec: Spec | None = None
