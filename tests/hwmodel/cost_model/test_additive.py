"""Figures that add up over groups: one record each, which tables, estimates and bounds are computed from."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_machine import Case, cases, offered_rates

from arrayol.errors import ArrayolError
from dse.space.objectives import MACHINE
from hwmodel.cost_model.evaluate.additive import ADDITIVE
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.together import PERIOD_PARTS, PORT, SERVICE
from hwmodel.datapath.entry import FIGURES
from hwmodel.design import structure_of
from hwmodel.figures import MODEL_FIGURES


def test_every_figure_has_a_title_and_no_cost_may_be_called_so() -> None:
    shown = {figure.name for figure in ADDITIVE} - {PORT, SERVICE}
    assert shown <= MODEL_FIGURES.keys() == MACHINE.keys()
    assert MODEL_FIGURES.keys() <= FIGURES
    assert not any(name.isidentifier() for name in (PORT, SERVICE, *PERIOD_PARTS))


@settings(max_examples=case_count(25), deadline=None)
@given(cases(), st.data())
def test_no_rates_have_less_than_the_least(case: Case, data: st.DataObject) -> None:
    model = MachineModel(case.network, case.platform)
    offered = data.draw(offered_rates(case.platform, case.network, case.design.tasks, (1, 2, 3)))
    rates = np.array(list(product(*offered)), np.int64)[:20]
    try:
        tables, estimate = model.tables(structure_of(case.design)).complete, model.estimate(case.design)
        priced = model.price_structure(case.design, rates)
    except ArrayolError:
        return
    for figure in ADDITIVE:
        found = np.broadcast_to(figure.evaluate(tables, rates[None]), (tables.structures, len(rates)))
        assert (figure.least(tables) <= found)[priced.legal].all()
        assert np.array_equal(priced.objective(figure.name), found)
        if figure.evaluate(tables, rates[None]).shape[1] == 1:
            assert estimate.additive[figure.name] == int(found[0, 0])
