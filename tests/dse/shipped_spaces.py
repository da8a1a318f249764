"""Spaces of the shipped specifications, at the sizes of their [verify] tables or at their own."""

from __future__ import annotations

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from arrayol.transforms.steps import canonical_steps, run_steps
from dse.search.figures import Columns, columns_of
from dse.space.mappings import MappingSpace
from dse.space.study import Study, narrowed
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import load_platform

OBJECTIVES = ("latency_cycles", "internal_memory_elements")
LEAST = 0.99  # of the exact front's hypervolume, for NSGA-II
UNITS = {"harris": (1, 4)}  # eight tasks with up to four units each are too many for the exact search


def shipped_space(name: str, *, narrow: bool = True, at_shipped_size: bool = False) -> MappingSpace:
    """The space of a shipped specification on its own platform."""
    path = shipped_folder() / f"{name}.aol"
    platform = load_platform(path.with_suffix(".toml"))
    spec = api.load(path, {} if at_shipped_size else dict(platform.verify))
    top = choose_top(spec, None)
    network = flatten(run_steps(spec, canonical_steps(spec, top)).spec, top)
    study = Study(units=UNITS.get(name))
    return MappingSpace(MachineModel(network, platform), narrowed(study) if narrow else study)


def columns_for(space: MappingSpace) -> Columns:
    """Latency and memory."""
    return columns_of(OBJECTIVES, (), space.model, reuse_memory=space.study.reuse_memory)
