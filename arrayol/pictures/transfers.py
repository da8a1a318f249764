"""What a picture of transfers shows: which tile moves which element, and when; numbers only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

Numbers = NDArray[Any]


@dataclass(frozen=True, eq=False)
class TilesShown:
    """Tiles in the order of execution: a label for each, the strip of each, and how many there are with those left out.

    `strip_labels` has a label for each strip shown; `strip` (tiles,) counts strips from 0.
    """

    labels: tuple[str, ...]
    strip: Numbers
    strip_labels: tuple[str, ...]
    total: int


@dataclass(frozen=True, eq=False)
class MovesShown:
    """What is moved of an array of one or two dimensions.

    `load`, `store` and `alive` have rows (tile, subscripts...): places among the tiles shown, and elements.
    """

    name: str
    shape: tuple[int, ...]
    load: Numbers
    store: Numbers
    alive: Numbers


@dataclass(frozen=True, eq=False)
class BarsShown:
    """Begin and end in cycles, shape (tiles, 2), of the load, the computation and the store of the first tiles."""

    load: Numbers
    compute: Numbers
    store: Numbers
