"""The elements that pass the port of a group, from the agents of its engines alone.

Requests ask for words, and words pass in the order in which they are asked for. A loaded word has the elements that lie
there in the external memory. A stored word is put together from what lanes bring, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.emit.schedule.activity import Activity, Lanes
from hwmodel.emit.schedule.port import AddressMap, DmaEngine, PortLanes
from hwmodel.emit.schedule.proofs import unproven


@dataclass(frozen=True, eq=False)
class Passing:
    """Touches of a memory by lanes at a port: the word, the step, and the element of the array (-1: none) of each."""

    array: str
    lanes: Lanes
    words: IntArray
    steps: IntArray
    elements: IntArray


@dataclass(frozen=True)
class PortWords:
    """The elements that pass an engine."""

    accesses: Accesses
    addresses: AddressMap
    engine: DmaEngine

    @cached_property
    def _requested_words(self) -> tuple[IntArray, IntArray]:
        """The words that are requested, one by one, and whether each is stored."""
        requests = self.engine.requests
        (first, _), controls = requests.places["word"], requests.controls
        count = np.where(controls["asks"] > 0, controls["words"], 0)
        before = np.cumsum(count) - count
        word = np.repeat(first - before, count) + np.arange(int(count.sum()))
        return word, np.repeat(controls["write"], count)

    def loaded(self) -> Iterator[Passing]:
        """The loaded elements. Raises ArrayolError (`unproven-schedule`) if other words pass than are requested."""
        passing, (word, write) = self.engine.passing, self._requested_words
        controls = passing.controls
        takes = (controls["waits"] > 0) & (controls["takes"] > 0)
        if not np.array_equal(controls["write"][takes], write):
            raise unproven(f"other words pass '{self.engine.name}' than it asks for")
        number: IntArray = np.cumsum(takes) - takes
        comes = (controls["waits"] > 0) & (controls["write"] == 0)
        loaded_word = np.where(comes, np.append(word, -1)[number], -1)
        yield from self._touches(passing, loaded_word, controls["part"], write=False)

    def stored(self) -> Iterator[Passing]:
        """The stored elements.

        Raises ArrayolError (`unproven-schedule`) if not as many words are put together as requested.
        """
        storing, (word, write) = self.engine.storing, self._requested_words
        whole, word = storing.controls["whole"] > 0, word[write > 0]
        if int(whole.sum()) != len(word):
            raise unproven(f"'{self.engine.name}' stores other words than it asks for")
        number: IntArray = np.cumsum(whole) - whole
        yield from self._touches(storing, np.append(word, -1)[number], storing.controls["part"], write=True)

    def _touches(self, activity: Activity, word: IntArray, part: IntArray, *, write: bool) -> Iterator[Passing]:
        """The element of each touch, given by row the word of the external memory and the part of it that passes."""
        ports: Mapping[str, PortLanes] = {own.name: own for own in self.engine.lanes if own.write == write}
        for lanes in activity.lanes:
            port = ports[lanes.name]
            row, lane = np.nonzero(lanes.words >= 0)
            each = self.addresses.word_bytes // self.addresses.slots[port.array]
            inside = part[row] * port.lanes + lane
            element = (word[row] - self.addresses.first[port.array]) * each + inside
            right = (word[row] >= 0) & (inside < each) & (element >= 0) & (element < self.accesses.size(port.array))
            step = np.searchsorted(activity.ends, row)
            yield Passing(port.array, lanes, lanes.words[row, lane], step, np.where(right, element, -1))
