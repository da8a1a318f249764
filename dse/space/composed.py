"""Objectives of plug-ins: made of figures that the machine model gives, for whole designs.

A search keeps fronts of the figures that such an objective is made of, and asks it for whole designs alone. That is
exact where the objective never shrinks while one of its figures grows: no design that another one is better than in all
figures can then be better in the objective. Some points are tried when it is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from arrayol.plugins import OBJECTIVES, blamed, broken, plugin

SCALE = 10**6  # values are compared in millionths
LARGEST = float(1 << 62)
_TRIED = (0.0, 1.0, 3.0, 1000.0, 1e6)


@runtime_checkable
class ComposedObjective(Protocol):
    """What a plug-in gives: a module or an instance with these names."""

    title: str
    unit: str
    figures: Sequence[str]

    def value(self, *figures: NDArray[np.float64]) -> Any:
        """The objective of many designs at once, of their figures in their units; less is better, and none below 0.

        It must not shrink where a figure grows.
        """


@cache
def composed_objective(name: str) -> ComposedObjective:
    """The objective of a plug-in. Raises ArrayolError (`broken-plugin`)."""
    asked = "objective: it has 'title', 'unit', 'figures' and 'value'"
    loaded: ComposedObjective = plugin(OBJECTIVES, name, _is_objective, asked)
    names = tuple(loaded.figures)
    points = np.array(list(product(_TRIED, repeat=min(len(names), 4))), np.float64)
    rows = np.concatenate([points, np.ones((len(points), len(names) - points.shape[1]))], axis=1)
    values = checked_values(name, loaded, list(rows.T))
    for place, figure in enumerate(names):
        order = np.lexsort((rows[:, place], *np.delete(rows, place, axis=1).T))
        ascending = (np.diff(rows[order], axis=0) >= 0).all(axis=1)
        if (ascending & (np.diff(values[order]) < 0)).any():
            raise broken(OBJECTIVES, name, f"its value shrinks where '{figure}' grows")
    return loaded


def checked_values(name: str, objective: ComposedObjective, figures: Sequence[NDArray[np.float64]]) -> Any:
    """Its values. Raises ArrayolError (`broken-plugin`) where it fails, or gives no number from 0 for each design."""
    own = [figure.copy() for figure in figures]  # which it may write to
    with blamed(OBJECTIVES, name), np.errstate(all="ignore"):  # what is no number is told below
        given = np.asarray(objective.value(*own))
        values = given.astype(np.float64) if given.dtype.kind in "buif" else np.full(given.shape, np.nan)
    if values.shape != figures[0].shape or not np.isfinite(values).all() or (values < 0).any():
        raise broken(OBJECTIVES, name, "'value' does not give a number from 0 for each design")
    return values


def _is_objective(loaded: Any) -> bool:
    texts = isinstance(loaded.title, str) and isinstance(loaded.unit, str) and callable(loaded.value)
    figures = loaded.figures
    listed = isinstance(figures, list | tuple) and all(isinstance(one, str) for one in figures)
    return texts and listed and bool(figures)
