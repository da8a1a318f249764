"""How every picture looks, whatever the user's matplotlib settings say: the same bytes everywhere."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib import style

SETTINGS: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "text.hinting": "no_hinting",  # a text is as wide in the SVG as in the PNG, and as it was measured
    "text.parse_math": False,  # a $ in a path is a $
    "savefig.dpi": "figure",
    "svg.hashsalt": "arrayol",
    "hatch.linewidth": 0.6,
}
DOTS_PER_INCH = 200  # of a PNG


@contextmanager
def our_style(further: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Matplotlib's defaults, our settings and further ones, and none of its remarks."""
    log = logging.getLogger("matplotlib")
    before = log.level
    log.setLevel(logging.ERROR)
    settings: Any = {**SETTINGS, **(further or {})}
    try:
        with warnings.catch_warnings(), style.context("default"), mpl.rc_context(settings):
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(before)
