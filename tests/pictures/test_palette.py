"""The colours of pictures and pages are apart for everybody, and text on them is legible."""

from __future__ import annotations

import pytest
from colour_sight import SIGHTS, contrast, least_distance

from arrayol.pictures import palette
from arrayol.pictures.sheet import INK

TOGETHER = {
    "bars": [palette.LOADS, palette.STORES, *palette.BARS],
    "cells": [*palette.CELLS],
    "moves": [palette.LOADS, palette.STORES, palette.BOTH, palette.PALE_GREY],
    "memories": [palette.MEMORIES[kind] for kind in ("buffer", "fifo", "state")],
    "designs": [palette.FRONT, palette.OTHER_DESIGNS],
    "results": [palette.FIRST_RESULT, palette.SECOND_RESULT],
    "steps": [palette.LOADS, palette.STORES, palette.COMPUTING],
}


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("colours", TOGETHER.values(), ids=TOGETHER)
def test_colours_that_stand_together_are_apart(colours: list[str], sight: str) -> None:
    distance, pair = least_distance(colours, sight)
    assert distance >= 15, pair


def test_orange_and_olive_were_one_colour() -> None:
    """What the measure is for."""
    assert least_distance(["#dd7a3b", "#7f9a48"], "protanopia")[0] < 5


@pytest.mark.parametrize("colour", palette.CELLS)
def test_dark_text_is_legible_on_cells(colour: str) -> None:
    assert contrast(colour, INK) >= 4.3
