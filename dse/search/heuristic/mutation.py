"""Mutation of integer genes, for pymoo. Imported where pymoo is loaded anyway."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.mutation import Mutation  # type: ignore[import-untyped]


class IntegerMutation(Mutation):  # type: ignore[misc]
    """Changes about two genes of a design: a step up or down, any other value, or back to 0.

    Neighbouring values of most genes (sides of blocks, rates) give designs that are alike.
    """

    def __init__(self, resets: NDArray[np.float64], random: np.random.Generator) -> None:
        super().__init__()
        self.resets = resets
        self.random = random

    def _do(self, problem: Any, X: Any, *_: Any, **__: Any) -> Any:  # noqa: N803  pymoo's name
        most = np.asarray(problem.xu, np.int64)
        changed = self.random.random(X.shape) < 2 / max(1, X.shape[1])
        step = np.clip(X + self.random.choice((-1, 1), X.shape), 0, most)
        anywhere = self.random.integers(0, most + 1, X.shape)
        drawn = self.random.random(X.shape)
        other = np.where(drawn < 0.5, step, anywhere)
        other = np.where(self.random.random(X.shape) < self.resets, 0, other)
        return np.where(changed, other, X)
