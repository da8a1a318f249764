"""Scops drawn at random: Python runs the same loops, and the specification gives the same bits at every size."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from drawn_scops import ARRAYS, OUTSIDE, SIZE, draw
from many_cases import full_count, new_seed

from arrayol import api
from arrayol.c_import.import_c import Imported, import_source
from arrayol.c_import.plans import Stage
from arrayol.errors import ArrayolError
from arrayol.source import SourceFile

FIRST = 1000 * new_seed()  # seeds of one night are apart from those of the next
SEEDS = range(FIRST, FIRST + full_count(30))


@cache
def imported(seed: int) -> Imported | None:
    """The specification; None where nothing is written that others see."""
    try:
        return import_source(SourceFile("drawn.c", draw(seed).text()))
    except ArrayolError as refused:
        if "nothing-written" in str(refused):
            return None
        raise


@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
@pytest.mark.parametrize("seed", SEEDS)
def test_python_agrees_to_the_bit(seed: int) -> None:
    found = imported(seed)
    if found is None:
        return
    rng = np.random.default_rng(seed)
    arrays = {name: rng.uniform(0.2, 0.9, (SIZE,) * ARRAYS[name]) for name in OUTSIDE}
    arrays["p"] = np.float64(0.75)
    made = api.run(found.spec, {name: arrays[name.removesuffix("_in")].copy() for name in found.inputs}, top="drawn")
    draw(seed).run(arrays)
    for name, array in made.items():
        assert np.array_equal(array, arrays[name], equal_nan=True), name


def _kinds(stages: tuple[Stage, ...]) -> list[str]:
    inner = [kind for stage in stages for kind in _kinds(stage.steps)]
    words = ["steps" if one.steps else "delays" if one.delays else "axes" if one.axes else "body" for one in stages]
    return [*words, *inner]


def test_every_kind_of_stage_was_drawn() -> None:
    counted = Counter(kind for seed in SEEDS for found in [imported(seed)] if found for kind in _kinds(found.stages))
    assert all(counted[kind] >= 3 for kind in ("steps", "delays", "axes", "body")), counted


CARRIED = """void f(double x[6], double y[4][6]) {
  double s;
#pragma scop
  for (int t = 0; t < 4; t++)
    for (int i = 0; i < 6; i++) {
      %s
      s = s * x[i];
      y[t][i] = s;
    }
#pragma endscop
}"""


def test_a_scalar_that_goes_from_iteration_to_iteration_keeps_their_order() -> None:
    """It lives in the function only, and its first value comes from inside the loop: yet no instance has it alone."""
    x = np.arange(1.0, 7.0)
    carried = import_source(SourceFile("f.c", CARRIED % "if (i == 0) s = 1.0;"))
    assert [len(stage.axes) for stage in carried.stages] == [1]
    assert np.array_equal(api.run(carried.spec, {"x": x}, top="f")["y"], np.tile(np.cumprod(x), (4, 1)))
    alone = import_source(SourceFile("f.c", CARRIED % "s = 2.0;"))
    assert [len(stage.axes) for stage in alone.stages] == [2]
    assert np.array_equal(api.run(alone.spec, {"x": x}, top="f")["y"], np.tile(2 * x, (4, 1)))
