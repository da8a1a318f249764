"""The external memory between groups: what lies in it at first, for one frame."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses

Memory = dict[str, NDArray[np.int64]]  # the token of every element of every array, -1 for none


def external_memory(accesses: Accesses, there: Collection[str]) -> Memory:
    """The arrays of `there` whole, each element as the token of its number; of others what other frames made."""
    memory = {
        name: np.arange(accesses.size(name)) if name in there else np.full(accesses.size(name), -1)
        for name in accesses.network.arrays
    }
    for name, elements in of_other_frames(accesses).items():
        if name not in there:
            memory[name][elements] = accesses.size(name) + np.arange(len(elements))  # tokens that no task here makes
    return memory


def of_other_frames(accesses: Accesses) -> dict[str, NDArray[np.int64]]:
    """Of each array that a task makes, the elements that only other frames make: they lie in the external memory."""
    found = {}
    for name, array in accesses.network.arrays.items():
        if array.producer is not None and None in array.shape:
            made = np.zeros(accesses.size(name), np.bool_)
            for touch in accesses.writes[array.producer]:
                if touch.array == name:
                    made[accesses.elements(touch, accesses.repetitions(array.producer))] = True
            found[name] = np.flatnonzero(~made)
    return {name: elements for name, elements in found.items() if len(elements)}


def one_frame(accesses: Accesses, name: str, array: NDArray[Any]) -> NDArray[Any]:
    """The part of an array that one frame touches."""
    return np.ascontiguousarray(array[tuple(slice(extent) for extent in accesses.shape(name))])
