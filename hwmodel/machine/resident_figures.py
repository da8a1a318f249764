"""What the memories that tasks have of resident arrays take of internal memory, at many rates.

They hold their data through all of a frame. So where groups share their memory (`--reuse-memory`) they share the rest.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from hwmodel.machine.local_ports import Rates
from hwmodel.machine.organised import Builder, Figures, Ints, at_rates, figures_or_none
from hwmodel.machine.priced import MEMORY
from hwmodel.machine.schedule.datapaths import Datapaths


def resident_figures(builder: Builder | None, paths: Datapaths, tasks: tuple[str, ...], combinations: Ints) -> Figures:
    """Data, bits and blocks, (3, 1, U) or (3, S, U), at combinations of rates (1, U, tasks) or (S, U, tasks).

    None without a builder: then they stand beside all groups.
    """
    total = np.zeros((len(MEMORY), *combinations.shape[:2]), np.int64)
    for task, array in builder.residents if builder is not None else ():
        assert builder is not None
        rows = partial(_rows, builder, task, array)
        own = at_rates(paths, tasks, combinations, len(combinations), (task,), rows)
        total += np.rint(own[: len(MEMORY)]).astype(np.int64)
    return total


def _rows(builder: Builder, task: str, array: str, rates: Rates, which: Ints) -> Figures:
    """The ROWS of figures (9, n) of n structures: the same of each."""
    figures = figures_or_none(partial(builder.figures_of_resident, task, array), rates)
    return np.repeat(np.array(figures, np.float64)[:, None], len(which), axis=1)
