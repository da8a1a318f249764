"""What a worker does: pieces of work in a context that comes along as bytes."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from time import perf_counter
from traceback import format_exc
from typing import Any

from arrayol.errors import ArrayolError
from dse.work.piece import Piece, require_same_code

Done = tuple[list[Any], float]

_ONE_AT_A_TIME = Lock()  # caches of a context, and isl, are not made for threads, which workers of a cluster may have


def perform(context: bytes, pieces: Sequence[Piece]) -> Done:
    """What the pieces find, and the seconds it took; the context is unpacked once for all of its pieces.

    Raises what the pieces raise.
    """
    with _ONE_AT_A_TIME:
        return done(_unpacked(context), pieces)


@dataclass(frozen=True, slots=True)
class Errand:
    """Work as bytes, which is done where the errand is unpacked: `attempt`'s value takes its place.

    What carries it there needs no arrayol; who unpacks it without gets ImportError, or AttributeError from a version
    that knows no errands.
    """

    code: bytes
    context: bytes
    pieces: bytes

    def __reduce__(self) -> tuple[Any, ...]:
        return attempt, (self.code, self.context, self.pieces)


def attempt(code: bytes, context: bytes, pieces: bytes) -> Done | Exception:
    """What `perform` returns or raises, as a value. Pieces of another version are not even unpacked."""
    try:
        require_same_code(code)
        return perform(context, pickle.loads(pieces))
    except ArrayolError as refused:
        return refused
    except Exception as raised:  # its traceback does not come along
        raised.add_note(f"on a worker of the cluster:\n{format_exc()}")
        return raised


def done(context: Any, pieces: Sequence[Piece]) -> Done:
    """What the pieces find, and the seconds it took."""
    started = perf_counter()
    return [piece.run(context) for piece in pieces], perf_counter() - started


@lru_cache(maxsize=4)
def _unpacked(context: bytes) -> Any:
    return pickle.loads(context)
