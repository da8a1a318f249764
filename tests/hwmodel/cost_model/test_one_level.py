"""Blocks of blocks priced in batches, as blocks of one level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from energy_oracle import with_energies
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from same_figures import require_same_figures
from strategies_machine import (
    array_keeps,
    groups,
    in_outer_blocks,
    offered_rates,
    platforms,
    residences,
    scans,
    some_rates,
)
from strategies_networks import networks

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import Network, flatten
from hwmodel.cost_model.evaluate.evaluation import price
from hwmodel.cost_model.group.one_level import halves_of
from hwmodel.cost_model.metrics import Metrics
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign, Processor
from hwmodel.platform import Platform, default_platform
from hwmodel.residence import Loads

SHIPPED = {
    "lpsf": {"H": 12, "W": 16},
    "conv3x3": {"H": 8, "W": 12},
    "splitmatmul": {"M": 8, "N": 8, "K": 32, "S": 4},
    "stereo": {"H": 8, "W": 12, "SHIFTS": 4, "R": 1},
}


@settings(max_examples=case_count(200), deadline=None, phases=[Phase.generate, Phase.shrink])
@given(st.data())
def test_blocks_of_blocks_priced_in_one_level_as_element_by_element(data: st.DataObject) -> None:
    drawn = data.draw(networks(separable=data.draw(st.booleans()), coupled=data.draw(st.booleans())))
    platform = data.draw(platforms(plain=data.draw(st.booleans())))
    _require_one_level_holds(data, platform, *data.draw(residences(drawn)))


@pytest.mark.parametrize("name", SHIPPED)
@settings(max_examples=case_count(40), deadline=None, phases=[Phase.generate, Phase.shrink])
@given(st.data())
def test_so_are_those_of_shipped_specifications(name: str, data: st.DataObject) -> None:
    """Whose extents have divisors: outer blocks of several kinds."""
    spec = load_checked(shipped_folder() / f"{name}.aol", SHIPPED[name])
    platform = default_platform()
    if data.draw(st.booleans()):
        platform = platform.model_copy(update={"technology": None, "assume_datapaths": True})
    _require_one_level_holds(data, platform, *data.draw(residences(flatten(spec, choose_top(spec, None)))))


def _require_one_level_holds(data: st.DataObject, platform: Platform, network: Network, loads: Loads) -> None:
    tasks = data.draw(groups(network))
    model = MachineModel(network, with_energies(platform, 1.5) if data.draw(st.booleans()) else platform, loads)
    extents = model.accesses.extents(tasks[-1])
    shape = tuple(data.draw(st.sampled_from((1, min(2, extent), extent))) for extent in extents)
    blocks = data.draw(in_outer_blocks(Blocks(shape, data.draw(scans(network, tasks[-1]))), extents, always=True))
    kept = data.draw(array_keeps(network, tasks, len(blocks.scan.dimensions)))
    recompute = len(tasks) > 1 and data.draw(st.integers(0, 3)) == 0
    structure = GroupDesign(tuple(map(Processor, tasks)), blocks, recompute=recompute, keeps=kept)
    rates = some_rates(data.draw(offered_rates(platform, network, tasks, (1, 2, 3))))
    is_split = bool(extents) and halves_of(network, structure) is not None
    event(f"split {is_split}, recomputing {recompute}, in batches {is_split and model.takes_in_batches(structure)}")
    event(f"between: {any(blocks.shape[k] < blocks.outer[k] < extents[k] for k in blocks.scan.twice)}")
    alone = _priced(lambda: price(model.enumerated(structure), rates))
    found = _priced(lambda: model.price_structure(structure, rates))
    if isinstance(alone, str) or isinstance(found, str):
        event(f"refused: {alone}")
        assert found == alone
        return
    np.testing.assert_array_equal(found.legal, alone.legal)
    require_same_figures(found, 0, alone)
    if found.legal.any() and not data.draw(st.integers(0, 7)):
        design = structure.at_rates(rates[int(found.legal[0].argmax())].tolist())
        assert replace(model.estimate(design), evaluator="enumerated") == model.estimate_enumerated(design)


def _priced(price: Callable[[], Metrics]) -> Metrics | str:
    """A price, or the code of what refuses it."""
    try:
        return price()
    except ArrayolError as refused:
        return refused.diagnostics[0].code
