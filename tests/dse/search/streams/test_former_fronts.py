"""Both styles beside blocks alone: no design of a front is lost unless one that is no worse takes its place."""

from __future__ import annotations

import numpy as np
import pytest
from shipped import SMALL

from arrayol import api
from arrayol.arrays import IntArray
from arrayol.files import shipped_folder

BUDGET = 1.0  # seconds of predicted work: a search that prices everything loses nothing anyway


def front(name: str, styles: tuple[str, ...]) -> IntArray:
    """The compared figures of the designs that a search in rounds finds."""
    space = api.Space(study=api.Study.model_validate({"styles": styles, "slack": 0.0}), verify=False)
    path = shipped_folder() / f"{name}.aol"
    result = api.explore(path, settings=SMALL[name], space=space, device="none", method="rounds", budget=BUDGET).result
    return np.array([[design.objectives[key] for key in result.objectives] for design in result.pareto])


def lost(of_blocks: IntArray, of_both: IntArray) -> list[list[int]]:
    """Designs of blocks to which no design of both styles is as good in every figure."""
    kept = (of_both[None] <= of_blocks[:, None]).all(axis=2).any(axis=1)
    found: list[list[int]] = of_blocks[~kept].tolist()
    return found


@pytest.mark.parametrize("name", sorted(SMALL))
def test_no_design_of_blocks_is_lost(name: str) -> None:
    assert lost(front(name, ("block",)), front(name, ("block", "stream"))) == []
