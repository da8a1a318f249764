"""What a worker does: pieces of work in a context that comes along as bytes."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from time import perf_counter
from typing import Any

from dse.work.piece import Piece, require_same_code

_ONE_AT_A_TIME = Lock()  # caches of a context, and isl, are not made for threads, which workers of a cluster may have


def perform(code: bytes, context: bytes, pieces: Sequence[Piece]) -> tuple[list[Any], float]:
    """What the pieces find, and the seconds it took; the context is unpacked once for all of its pieces.

    Raises ArrayolError (`cluster-version`) for the work of another version, and what the pieces raise.
    """
    require_same_code(code)
    with _ONE_AT_A_TIME:
        return done(_unpacked(context), pieces)


def done(context: Any, pieces: Sequence[Piece]) -> tuple[list[Any], float]:
    """What the pieces find, and the seconds it took."""
    started = perf_counter()
    return [piece.run(context) for piece in pieces], perf_counter() - started


@lru_cache(maxsize=4)
def _unpacked(context: bytes) -> Any:
    return pickle.loads(context)
