"""Whole designs put together from the groups a heuristic search has seen, and the genes that stand for them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import task_graphs
from strategies_fronts import combinations, front_from, point_lists, points_of

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from dse.pareto.combine import POINTS_OF_GROUP, Stock, fusion_front, values_of, whole_front
from dse.pareto.fronts import Combination, front_of
from dse.search.encoding import Coding
from dse.space.fusions import all_groups
from dse.space.mappings import MappingSpace
from dse.space.study import Study, narrowed
from dse.space.task_graph import Mask
from hwmodel.design import Blocks, GroupDesign, Processor, row_major
from hwmodel.machine.model import MachineModel
from hwmodel.platform import load_platform

SEEDS = st.integers(0, 2**32 - 1)


def harris(study: Study | None = None) -> MappingSpace:
    network = flatten(api.load(shipped_folder() / "harris.aol", {"H": 4, "W": 6}), "harris")
    return MappingSpace(MachineModel(network, load_platform(shipped_folder() / "harris.toml")), study or Study())


ARMS = ("xx", "xy", "yy")
FUSIONS = (
    (("gradients", *(f"product@p{arm}" for arm in ARMS)), *((f"boxsum@s{arm}",) for arm in ARMS), ("response",)),
    (("gradients",), *((f"product@p{arm}", f"boxsum@s{arm}") for arm in ARMS), ("response",)),
)
CODINGS = tuple(Coding(harris(study)) for study in (Study(), narrowed(Study()), narrowed(Study(fusions=FUSIONS))))


def design(group: Mask, number: int, units: int) -> GroupDesign:
    """Some design of a group; only its number and its units count here."""
    return GroupDesign((Processor(str(group), units),), Blocks((number + 1,), row_major(1)))


@given(st.data())
def test_wholes_of_seen_groups(data: st.DataObject) -> None:
    """Their front is the one over all fusions in which the groups that were not seen have no designs."""
    graph = data.draw(task_graphs(most=5))
    figures = data.draw(st.integers(1, 3))
    combination = data.draw(combinations(figures))
    every = all_groups(graph)
    seen = data.draw(st.lists(st.sampled_from(every), unique=True)) if data.draw(st.booleans()) else list(every)
    points = {group: data.draw(point_lists(figures)) for group in seen}
    stock = Stock(graph, (), combination)
    for part in (0, 1):  # in two helpings
        stock.add(
            {
                group: {
                    design(group, row, units): values for row, (values, units) in enumerate(found) if row % 2 == part
                }
                for group, found in points.items()
                if len(found) > part
            }
        )
    fronts = {
        group: front_from(points.get(group, []), figures, trade_units=combination.trades_units) for group in every
    }
    wholes = stock.wholes()
    front = front_of(*values_of(wholes, figures))
    assert points_of(front) == points_of(whole_front(graph, fronts.__getitem__, combination).front)
    assert len(wholes) == len(front)
    for one in wholes:
        assert sum(one.groups) == graph.all
        assert one.units == sum(group.processors[0].units for group in one.groups.values())
    fusions = [tuple(one.groups) for one in wholes[:2]]
    if fusions:
        listed = Stock(graph, fusions, combination, stock.fronts, stock.designs)
        best = [fusion_front(graph, fronts.__getitem__, combination, fusion).front for fusion in fusions]
        together = front_of(*(np.concatenate([getattr(one, name) for one in best]) for name in ("values", "units")))
        assert points_of(front_of(*values_of(listed.wholes(), figures))) == points_of(together)


def test_long_fronts_are_thinned() -> None:
    space = harris()
    stock = Stock(space.graph, (), Combination((False, False), (None, None)))
    group = space.graph.all
    stock.add({group: {design(group, row, 1): (row, 1000 - row) for row in range(1000)}})
    found = stock.wholes()
    assert len(found) == POINTS_OF_GROUP
    assert [one.values for one in (found[0], found[-1])] == [(0, 1000), (999, 1)]


@settings(max_examples=30)
@given(SEEDS)
def test_genes_of_groups_taken_from_several_rows(seed: int) -> None:
    """Rows with the fusion of the first: each group comes out as it does in the row it was taken from."""
    random = np.random.default_rng(seed)
    coding = CODINGS[int(random.integers(len(CODINGS)))]
    rows = coding.spread(30, random)[int(random.integers(20)) :][:5]
    rows[:, : coding.fusion_genes] = rows[0, : coding.fusion_genes]
    found = [one for row in rows if (one := coding.design(row)) is not None]
    if len(found) < len(rows):
        return
    chosen = {group: int(random.integers(len(rows))) for group in found[0]}
    genes = coding.joined({group: rows[place] for group, place in chosen.items()})
    assert coding.design(genes) == {group: found[place][group] for group, place in chosen.items()}
