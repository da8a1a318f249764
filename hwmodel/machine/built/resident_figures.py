"""What the memories that tasks have of resident arrays take of internal memory, at many rates.

They hold their data through all of a frame. So where groups share their memory (`--reuse-memory`) they share the rest.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from hwmodel.machine.built.figures import BuiltMemories, Figures, Ints, of_rates
from hwmodel.machine.built.organised import Builder
from hwmodel.machine.schedule.datapaths import Datapaths


def resident_figures(builder: Builder | None, paths: Datapaths, tasks: tuple[str, ...], combinations: Ints) -> Figures:
    """Data, bits and blocks, (3, 1, U) or (3, S, U), at combinations of rates (1, U, tasks) or (S, U, tasks).

    None without a builder: then they stand beside all groups.
    """
    shape = combinations.shape[:2]
    if builder is None:
        return np.zeros((3, *shape), np.int64)
    figures = builder.figures_of_resident
    memories = [of_rates((task,), partial(figures, task, array)) for task, array in builder.residents]
    places, columns = (axis.ravel() for axis in np.indices(shape))
    every = np.arange(len(combinations))
    built = BuiltMemories(paths, tasks, combinations, every, memories, ()).figures(places, columns)
    return np.stack([built.data, built.bits, built.blocks]).reshape(3, *shape)
