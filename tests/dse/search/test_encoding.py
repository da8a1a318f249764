"""Genes and the whole designs that they stand for."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from dse.search.heuristic.encoding import Coding
from dse.space.mappings import MappingSpace
from dse.space.study import Study, narrowed
from hwmodel.cost_model.model import MachineModel
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


@cache
def codings() -> tuple[Coding, ...]:
    return tuple(Coding(harris(study)) for study in (Study(), narrowed(Study()), narrowed(Study(fusions=FUSIONS))))


@settings(max_examples=case_count(30))
@given(SEEDS)
def test_genes_of_groups_taken_from_several_rows(seed: int) -> None:
    """Rows with the fusion of the first: each group comes out as it does in the row it was taken from."""
    random = np.random.default_rng(seed)
    coding = codings()[int(random.integers(len(codings())))]
    rows = coding.spread(30, random)[int(random.integers(20)) :][:5]
    rows[:, : coding.fusion_genes] = rows[0, : coding.fusion_genes]
    found = [one for row in rows if (one := coding.design(row)) is not None]
    if len(found) < len(rows):
        return
    chosen = {group: int(random.integers(len(rows))) for group in found[0]}
    genes = coding.joined({group: rows[place] for group, place in chosen.items()})
    assert coding.design(genes) == {group: found[place][group] for group, place in chosen.items()}


@settings(max_examples=case_count(30))
@given(SEEDS)
def test_genes_of_a_design_stand_for_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    coding = codings()[int(random.integers(len(codings())))]
    row = coding.spread(30, random)[int(random.integers(30))]
    design = coding.design(row)
    if design is None:
        return
    genes = coding.genes(design)
    assert genes is not None
    assert (genes <= coding.most).all()
    assert coding.design(genes) == design


def test_a_design_of_other_sides_has_no_genes() -> None:
    coding = codings()[1]
    design = coding.design(coding.spread(2, np.random.default_rng(0))[0])
    assert design is not None
    group, own = next(iter(design.items()))
    odd = replace(own, schedule=replace(own.blocks, shape=tuple(5 for _ in own.blocks.shape)))
    assert coding.genes({**design, group: odd}) is None
