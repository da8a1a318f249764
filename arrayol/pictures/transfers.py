"""Pictures of transfers: which tile loads and stores which element, and how transfers and computation overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from arrayol.files import atomic_file

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


def save_transfers(
    title: str, tiles: TilesShown, moves: Sequence[MovesShown], bars: BarsShown, notes: Sequence[str], path: Path
) -> None:
    """Draw transfers in the format of the path's suffix; `notes` stand below.

    The same transfers give the same bytes with the same matplotlib. Raises ArrayolError (`cannot-write`).
    """
    from arrayol.pictures.style import our_style  # noqa: PLC0415  loads matplotlib
    from arrayol.pictures.transfers_figure import draw_transfers  # noqa: PLC0415  loads matplotlib

    with atomic_file(path) as temporary, our_style():
        figure = draw_transfers(title, tiles, moves, bars, notes)
        metadata = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}[path.suffix.lower()]
        figure.savefig(temporary, format=path.suffix.lower()[1:], metadata=metadata)
