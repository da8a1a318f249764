"""An exploration in memory: what its two searches return, and what is written, drawn and printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from arrayol.ir.spec import ConstValue, Spec
from arrayol.language.emitter import component_text
from dse.results.schema import Result
from dse.results.steps import StepFinder
from dse.space.objectives import Figure, Objective
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Choice, Design


@dataclass(frozen=True)
class Labels:
    """Where an exploration's inputs came from, for its result.

    `elements` are the digests of const arrays, `components` those of elementaries and tasks.
    """

    spec: str
    model: str
    platform: str
    constants: Mapping[str, ConstValue | str] = field(default_factory=dict)
    elements: Mapping[str, str] = field(default_factory=dict)
    components: Mapping[str, str] = field(default_factory=dict)


def labels_of(spec: Spec, top: str, model: str, platform: str) -> Labels:
    """Labels of an exploration of the task `top`."""
    elements = {name: table.digest for name, table in spec.tables.items()}
    return Labels(spec.name, model, platform, spec.recorded, elements, digests_of(spec, top))


def digests_of(spec: Spec, top: str) -> dict[str, str]:
    """A digest of each component that a task is made of, by name: the same for the same canonical text.

    So neither comments and white space count nor the order of definitions, but names, bodies, links and numbers do.
    """
    texts = {name: component_text(spec, name) for name in sorted(spec.components_under(top))}
    return {name: sha256(text.encode()).hexdigest()[:32] for name, text in texts.items()}


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

    `steps` finds the steps of its designs, of which the result has those of a few; `models` are the machine models of
    mappings, by what designs choose.
    """

    result: Result
    objectives: tuple[Objective | Figure, ...]
    plotted: PlottedPoints
    decisions: tuple[Design, ...] = ()
    steps: StepFinder | None = None
    models: Mapping[Choice, MachineModel] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"Exploration({self.result.heading})"

    def to_dataframe(self, library: str | None = None) -> Any:
        """That of its result: see `Result.to_dataframe`."""
        return self.result.to_dataframe(library)
