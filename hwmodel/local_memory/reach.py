"""The number of banks that a lane reaches in all its cycles: fewer than there are if its steps divide their number.

A lane starts at some element and moves by steps: of its repetitions, or of words of the external memory. Each digit of
a bank's number then only takes values that differ from the first by a multiple of some g. Synthesis tools see that if
the digit never changes, or if its low bits never change.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

from hwmodel.datapath.technology.overhead import values_seen
from hwmodel.local_memory.bank_functions import BankFunction, Linear
from hwmodel.local_memory.offsets import Access, Place

Moves = tuple[Place, ...]


def banks_reached(function: BankFunction, moves: Iterable[Place]) -> int:
    """The number of banks that a lane with such moves reaches."""
    steps = list(moves)
    if isinstance(function, Linear):
        digits = [(function.banks, [sum(a * b for a, b in zip(function.alpha, step, strict=True)) for step in steps])]
        return _values(*digits[0]) if function.block == 1 else function.banks
    return math.prod(_values(modulus, [step[axis] for step in steps]) for axis, modulus in enumerate(function.moduli))


def _values(modulus: int, steps: Sequence[int]) -> int:
    """The number of values of a digit that tools assume."""
    return int(values_seen(modulus, math.gcd(*steps)))


@lru_cache(maxsize=4096)
def moves_of(access: Access, sets: tuple[tuple[Place, ...], ...]) -> Moves:
    """The moves of a task's lanes: from repetition to repetition, from chunk to chunk, and around a bent axis."""
    rank, moves = len(access.step), list(access.moves)
    first = sets[0] if sets else ()
    for other in sets[1:]:
        moves += [tuple(a - b for a, b in zip(*pair, strict=True)) for pair in zip(other, first, strict=False)]
    for axis, edge in enumerate(access.edges):
        if edge is not None and any(move[axis] for move in moves):
            by = edge.extent if edge.border is None else 2 if edge.border.mode == "mirror" else 1
            moves.append(tuple(by if own == axis else 0 for own in range(rank)))
    return tuple(dict.fromkeys(moves))


@lru_cache(maxsize=1024)
def moves_of_words(width: int, shape: tuple[int, ...]) -> Moves:
    """The moves of the port's lanes, one for each element of a word of so many data, row-major."""
    if not shape:
        return ()
    rows = (
        tuple(1 if other == axis else -shape[axis + 1] if other == axis + 1 else 0 for other in range(len(shape)))
        for axis in range(len(shape) - 1)
    )
    return (*(0 for _ in shape[1:]), width), *rows


def step_along(accesses: Iterable[tuple[Access, tuple[tuple[Place, ...], ...]]], shape: Place) -> int:
    """The greatest common divisor of the moves of tasks in row-major order; 1 if subscripts are computed from data."""
    sizes = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    steps = [0]
    for access, sets in accesses:
        moves = [(1,)] if access.random else moves_of(access, sets)
        steps += [
            sum(part * size for part, size in zip(reversed(move), reversed(sizes), strict=False)) for move in moves
        ]
    return math.gcd(*steps)
