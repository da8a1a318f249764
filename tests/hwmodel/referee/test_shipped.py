"""Shipped specifications on the simulated machine at their reduced sizes; long_run.py judges all of their fronts."""

from __future__ import annotations

import pytest
from fronts import Shipped, judge_front, shipped
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from strategies_designs import group_designs

from arrayol.errors import ArrayolError
from dse.graph import task_graph
from dse.space import subspaces
from hwmodel.design import Design

DESIGNS, OF_A_LARGE_ONE = 6, 4  # off the front, of each specification: 106 in all
LARGE = {"downscaler", "flow", "harris", "thumbnail"}


@st.composite
def designs(draw: st.DrawFn, one: Shipped) -> Design:
    """Any design at the reduced size: random fusions, blocks and scans, most of them far from any front."""
    fusions = [fusion for subspace in subspaces(task_graph(one.verifier.small)) for fusion in subspace]
    fusion = draw(st.sampled_from(fusions))
    return Design(tuple(draw(group_designs(one.verifier.model, tasks)) for tasks in fusion.groups))


@pytest.mark.parametrize("name", shipped())
def test_designs_off_the_front(name: str) -> None:
    """In whole blocks, at least five along an axis that they do not span, and with partial ones."""
    one, seen = Shipped(name), set[Design]()
    wanted = OF_A_LARGE_ONE if name in LARGE else DESIGNS

    @settings(
        max_examples=3 * wanted, deadline=None, database=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(designs(one))
    def judge(design: Design) -> None:
        if len(seen) == wanted or design in seen:
            return
        try:
            variants = dict.fromkeys(one.reduced(design))
        except ArrayolError:  # what is legal with its blocks need not be with smaller ones
            return
        for variant in variants:
            one.require_agreement(variant)
        seen.add(design)

    judge()
    assert len(seen) == wanted


@pytest.mark.parametrize("name", ["fir", "matmul", "lpsf"])
def test_designs_on_the_front(name: str) -> None:
    """Some of the front at the reduced size."""
    found = judge_front(name, at_reduced_size=True, most=5)
    assert found.designs
    assert found.simulations >= found.designs
