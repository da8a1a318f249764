"""The moves of a group at the port in each step: elements, and the words of local memories that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.simulator.group import GroupRun, NumbersByStep
from hwmodel.simulator.requests import Requester


class PortMoves(Protocol):
    """The moves of a group in each of its steps; `of` gives those of an array in a step."""

    @property
    def steps(self) -> int:
        """The steps of a frame."""

    @property
    def arrays(self) -> Iterable[str]:
        """The arrays, in the order in which the port moves them."""

    @property
    def requesters(self) -> Mapping[tuple[str, bool], Requester]:
        """How each array is requested, by array and direction (True: stored)."""

    @property
    def single_buffers(self) -> frozenset[str]:
        """The arrays that are loaded when their readers have left."""

    def of(self, array: str, step: int, *, write: bool) -> tuple[IntArray, IntArray]:
        """The elements that a step loads or stores, ascending, and the word inside of each."""


@dataclass(frozen=True)
class BlockMoves:
    """The moves of a group of blocks at the port; `located` has by array the word of each datum."""

    run: GroupRun
    located: Mapping[str, IntArray]

    @property
    def steps(self) -> int:
        """The steps of a frame."""
        return self.run.moves.steps

    @property
    def arrays(self) -> Iterable[str]:
        """The arrays, in the order of the moves."""
        return self.run.moves.arrays

    @property
    def requesters(self) -> Mapping[tuple[str, bool], Requester]:
        """How each array is requested."""
        return self.run.requesters

    @property
    def single_buffers(self) -> frozenset[str]:
        """The arrays that are loaded when their readers have left."""
        return self.run.single_buffers

    @cached_property
    def _moving(self) -> dict[tuple[str, bool], NumbersByStep]:
        """By array and direction (True: stored), the numbers of the data that each step loads or stores."""
        return {
            (name, write): NumbersByStep.by(moved.stored_step if write else moved.bring, self.steps)
            for name, moved in self.run.moves.arrays.items()
            for write in (False, True)
        }

    def of(self, array: str, step: int, *, write: bool) -> tuple[IntArray, IntArray]:
        """The elements that a step loads or stores, and their words."""
        moved = self.run.moves.arrays[array]
        data = self._moving[array, write].of(step) if write or moved.loaded else np.zeros(0, np.int64)
        if write:
            data = moved.stored[data]
        data = data[np.argsort(moved.element[data])]
        return moved.element[data], self.located[array][data]
