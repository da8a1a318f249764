"""Hypothesis strategies for whole spaces of mappings: networks, platforms with several intervals, studies of them."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies_machine import platforms
from strategies_networks import networks

from arrayol.errors import ArrayolError
from arrayol.ir.network import Network
from dse.search.figures import Columns, columns_of
from dse.space.mappings import MappingSpace
from dse.space.study import Study, narrowed, parse_constraint
from hwmodel.cost_model.metrics import Metrics
from hwmodel.cost_model.model import MachineModel
from hwmodel.datapath.entry import ElementaryEntry, Measured
from hwmodel.design import GroupDesign
from hwmodel.platform import Platform

OBJECTIVES = (
    ("latency_cycles", "internal_memory_elements"),
    ("internal_memory_bits", "latency_cycles", "units"),
    ("latency_cycles", "internal_memory_elements", "units"),
    ("frame_cycles", "internal_memory_elements", "dsp"),
    ("dsp", "latency_cycles"),
)
KEEP_OBJECTIVES = (  # of which keeps have bounds
    ("traffic_bytes", "internal_memory_bits"),
    ("latency_cycles", "traffic_bytes", "internal_memory_bits"),
    ("internal_memory_bits", "frame_cycles"),
)
SCANS = {0: ("",), 1: ("0", "-0"), 2: ("0,1", "1,0", "-0,-1"), 3: ("0,1,2", "-0,1,2")}


@st.composite
def studies(draw: st.DrawFn, network: Network, platform: Platform, opened: str) -> Study:
    """Few block shapes, orders, units and intervals, with keeps opened, or all that can be, or nothing."""
    blocks = {}
    ranks = set()
    for name, process in network.processes.items():
        extents = [extent or 1 for extent in process.repetition]
        ranks.add(len(extents))
        shape = st.tuples(*(st.integers(1, extent) for extent in extents))
        drawn = draw(st.lists(shape, min_size=1, max_size=4 - min(3, len(network.processes)), unique=True))
        corners = [(1,) * len(extents), tuple(extents)] if len(network.processes) < 3 else []
        blocks[name] = tuple(dict.fromkeys([*corners, *drawn]))
    orders = tuple(text for rank in sorted(ranks) for text in SCANS[rank])
    study = Study(
        blocks=blocks,
        orders=orders,
        units=draw(st.sampled_from([(1,), (1, 2), (1, 2)])),
        intervals=draw(st.sampled_from([None, *_all_intervals(network, platform)])),
        reuse_memory=draw(st.booleans()),
        longest_group=draw(st.sampled_from([None, None, None, 2])),
    )
    if opened == "keeps":
        policies = draw(st.sampled_from([("levels",), ("reuse", "whole", "tile"), ("reuse", "levels", "whole")]))
        study = narrowed(study).model_copy(update={"policies": policies, "reuse_memory": draw(st.integers(0, 3)) == 0})
    if opened == "all":  # with keeps at all levels these would be very many
        study = study.model_copy(update={"policies": draw(st.sampled_from([("reuse", "strip"), ("reuse", "tile")]))})
    return narrowed(study) if opened == "none" else study


def _all_intervals(network: Network, platform: Platform) -> list[dict[str, tuple[int, ...]]]:
    """For every task all its intervals, which asks for them under every number of units; not where that is much."""
    table = {name: platform.intervals(process) for name, process in network.processes.items()}
    return [table] if prod(map(len, table.values())) <= 4 else []


@st.composite
def folded_platforms(draw: st.DrawFn, *, folded: bool = False) -> Platform:
    """Any platform, half of them (or all) with intervals to choose from, of whatever latency, recurrence and cost."""
    platform = draw(platforms()).model_copy(update={"clock_mhz": 100.0})
    if not folded and draw(st.booleans()):
        return platform
    intervals = st.lists(st.integers(1, 4), min_size=1, max_size=2, unique=True)
    elementary = {
        name: ElementaryEntry(measured=tuple(draw(measured(interval)) for interval in draw(intervals)))
        for name in platform.elementary
    }
    return platform.model_copy(update={"elementary": elementary})


@st.composite
def measured(draw: st.DrawFn, interval: int) -> Measured:
    """A datapath at an interval."""
    return Measured(
        interval=interval,
        latency=draw(st.integers(0, 5)),
        recurrence=draw(st.sampled_from((None, 1, 2, 5))),
        cost={"lut": draw(st.integers(1, 9)), "dsp": draw(st.sampled_from((0, 0.5, 2)))},
    )


class RememberingModel(MachineModel):
    """Prices each structure once for all methods, and none in batches: that those agree is tested with the model."""

    def __init__(self, network: Network, platform: Platform) -> None:
        super().__init__(network, platform)
        self.priced: dict[tuple[GroupDesign, bytes], Metrics | ArrayolError] = {}

    def price_structure(self, structure: GroupDesign, units: NDArray[np.int64]) -> Metrics:
        key = structure, units.tobytes()
        if key not in self.priced:
            try:
                self.priced[key] = super().price_structure(structure, units)
            except ArrayolError as refused:
                self.priced[key] = refused
        found = self.priced[key]
        if isinstance(found, ArrayolError):
            raise found
        return found

    def batch(self, tasks: tuple[str, ...]) -> None:
        del tasks


@st.composite
def spaces(draw: st.DrawFn, *, folded: bool = False) -> tuple[MappingSpace, Columns]:
    opened = draw(st.sampled_from(("all", *["keeps"] * 3, *["none"] * 6)))
    only_keeps = opened == "keeps"  # of which the choices multiply over arrays and groups
    network = draw(networks(most=2 if only_keeps else 4, separable=only_keeps or draw(st.booleans())))
    platform = draw(folded_platforms(folded=folded))
    study = draw(studies(network, platform, opened))
    models = [MachineModel] if only_keeps else [*[RememberingModel] * 9, MachineModel]
    space = MappingSpace(draw(st.sampled_from(models))(network, platform), study)
    objectives = draw(st.sampled_from(KEEP_OBJECTIVES * (2 if only_keeps else 1) + OBJECTIVES))
    limits = draw(st.sampled_from([(), (), (), (parse_constraint("units <= 5"),)]))
    return space, columns_of(objectives, limits, space.model, reuse_memory=space.study.reuse_memory)
