"""Blocks of blocks priced in batches, as blocks of one level."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from energy_oracle import with_energies
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st
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

from arrayol.errors import ArrayolError
from hwmodel.design import Blocks, GroupDesign, Processor
from hwmodel.machine.model import MachineModel
from hwmodel.machine.one_level import halves_of
from hwmodel.machine.priced import Priced
from hwmodel.machine.units_exact import price_structure


@settings(max_examples=300, deadline=None, phases=[Phase.generate, Phase.shrink])
@given(st.data())
def test_blocks_of_blocks_priced_in_one_level_as_element_by_element(data: st.DataObject) -> None:
    drawn = data.draw(networks(separable=data.draw(st.booleans()), coupled=data.draw(st.booleans())))
    network, loads = data.draw(residences(drawn))
    tasks = data.draw(groups(network))
    platform = data.draw(platforms(plain=data.draw(st.booleans())))
    model = MachineModel(network, with_energies(platform, 1.5) if data.draw(st.booleans()) else platform, loads)
    extents = model.accesses.extents(tasks[-1])
    shape = tuple(data.draw(st.integers(1, extent)) for extent in extents)
    blocks = data.draw(in_outer_blocks(Blocks(shape, data.draw(scans(network, tasks[-1]))), extents, dividing=True))
    kept = data.draw(array_keeps(network, tasks, len(blocks.scan.dimensions)))
    structure = GroupDesign(tuple(map(Processor, tasks)), blocks, keeps=kept)
    rates = some_rates(data.draw(offered_rates(platform, network, tasks, (1, 2, 3))))
    is_split = bool(extents) and halves_of(network, structure) is not None
    event(f"split: {is_split}, in batches: {is_split and model.takes_in_batches(structure)}")
    alone = _priced(lambda: price_structure(model.accesses, model.platform, structure, rates))
    found = _priced(lambda: model.price_structure(structure, rates))
    if isinstance(alone, str) or isinstance(found, str):
        event(f"refused: {alone}")
        assert found == alone
        return
    np.testing.assert_array_equal(found.legal, alone.legal)
    require_same_figures(found, 0, alone)


def _priced(price: Callable[[], Priced]) -> Priced | str:
    """A price, or the code of what refuses it."""
    try:
        return price()
    except ArrayolError as refused:
        return refused.diagnostics[0].code
