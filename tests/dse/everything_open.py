"""Small generated networks with every kind of choice open: what methods find on them, beside every whole design.

The test runs a few. For a long run, in the repository with the folders of `pythonpath` in pyproject.toml on the path:

    .venv/bin/python tests/dse/everything_open.py 200
"""

from __future__ import annotations

import sys
from collections import Counter

import click
from energy_oracle import with_energies
from hypothesis import strategies as st
from many_cases import on_many
from strategies_machine import platforms
from strategies_networks import networks
from strategies_spaces import SCANS

from arrayol.errors import ArrayolError
from dse.jobs.runner import JobRunner
from dse.pareto.hypervolume import share_of
from dse.search.context import BUDGET, SearchContext, Searched, SearchRequest
from dse.search.exact.exact import exact_seconds, search_exactly, tries_all_options
from dse.search.exact.exhaustive import search_exhaustively
from dse.search.figures import columns_of
from dse.search.rounds.search import search_in_rounds
from dse.space.mappings import MappingSpace
from dse.space.remarks import size_of
from dse.space.study import Study
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import GroupDesign

PAIRS = (
    ("latency_cycles", "internal_memory_bits"),
    ("traffic_bytes", "internal_memory_bits"),
    ("energy_nj", "lut"),
)
WHOLES_AT_MOST = 1_000  # plain whole designs
MOST_SECONDS = 0.5  # of predicted work of the exact search
GOOD = 0.99  # of the hypervolume, for the rounds

seen: Counter[str] = Counter()


@st.composite
def contexts(draw: st.DrawFn, objectives: tuple[str, ...]) -> SearchContext:
    """A network of few tasks, few blocks, and all that may be opened."""
    network = draw(networks(most=2, separable=draw(st.booleans())))
    platform = draw(platforms(built=draw(st.booleans())))
    if "energy_nj" in objectives:
        platform = with_energies(draw(platforms(built=True)), 1.5)
    blocks, ranks = {}, set()
    for name, process in network.processes.items():
        extents = [extent or 1 for extent in process.repetition]
        ranks.add(len(extents))
        drawn = draw(st.tuples(*(st.integers(1, extent) for extent in extents)))
        blocks[name] = tuple(dict.fromkeys([(1,) * len(extents), drawn]))
    orders = tuple(text for rank in sorted(ranks) for text in SCANS[rank][:2])
    study = Study(
        blocks=blocks,
        orders=orders,
        units=(1, 2),
        policies=draw(st.sampled_from([("levels",), ("levels", "whole"), ("reuse", "tile")])),
        recompute=draw(st.sampled_from([(False,), (False, True)])),
    )
    space = MappingSpace(MachineModel(network, platform), study)
    return SearchContext(space, columns_of(objectives, (), space.model, reuse_memory=False))


def check(context: SearchContext) -> None:
    """Exact has the front of every whole design; the rounds have nearly all of it, and nothing better."""
    space, columns = context.space, context.columns
    pair = ", ".join(columns.names)
    too_large = (size_of(space).whole_designs or 0) > WHOLES_AT_MOST or not tries_all_options(space, columns)
    if too_large or exact_seconds(space, columns, MOST_SECONDS) > MOST_SECONDS:
        seen["too large"] += 1
        return
    try:
        whole = search_exhaustively(context, SearchRequest(), JobRunner())
    except ArrayolError:  # with options too many
        seen["too large"] += 1
        return
    found = search_exactly(context, SearchRequest(), JobRunner())
    assert found.front.values.tolist() == whole.front.values.tolist()
    assert found.front.units.tolist() == whole.front.units.tolist()
    assert found.exact
    assert found.whole_designs == whole.whole_designs
    rounds = search_in_rounds(context, SearchRequest(budget=BUDGET, has_budget=True), JobRunner())
    if len(whole.front):
        assert share_of(rounds.front.values, whole.front.values) >= GOOD
    for values in rounds.front.values:
        assert (whole.front.values <= values).all(axis=1).any()
    seen[pair] += 1
    seen["rounds that are exact"] += rounds.exact
    seen.update(_features(whole))


def _features(whole: Searched) -> set[str]:
    """What designs of a front have that plain ones have not."""
    groups = [group for row in range(len(whole.front)) for group in whole.design(row).groups]
    return {name for group in groups for name, there in _opened(group).items() if there}


def _opened(group: GroupDesign) -> dict[str, bool]:
    return {
        "keeps or policies on a front": bool(group.keeps) or group.policy != "reuse",
        "cuts on a front": any(processor.cut for processor in group.processors),
        "FIFOs on a front": bool(group.fifos),
        "layouts on a front": bool(group.layouts),
        "recomputing on a front": group.recompute,
    }


def run(cases: int, seed: int | None = None) -> str:
    """Check so many in each pair of objectives, and say what they were."""
    seen.clear()
    for pair in PAIRS:
        on_many(cases, seed, check, contexts(pair))
    return ", ".join(f"{count} {what}" for what, count in sorted(seen.items()))


@click.command()
@click.argument("cases", type=click.IntRange(1))
@click.option("--seed", type=int, help="Other cases than those of the tests.")
def main(cases: int, seed: int | None) -> None:
    """Check so many generated networks with everything open, in each pair of objectives."""
    click.echo(run(cases, seed))


if __name__ == "__main__":
    sys.exit(main())
