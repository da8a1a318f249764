"""The elements that pass the port of a group, from the agents of its engines alone.

Requests ask for words, and words pass in the order in which they are asked for. A loaded word has the elements that lie
there in the external memory. A stored word is put together from what lanes bring, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.emit.schedule.activity import Activity, Lanes
from hwmodel.emit.schedule.port import COPIED, AddressMap, DmaEngine, PortLanes
from hwmodel.emit.schedule.proofs import unproven
from hwmodel.emit.schedule.units import LATE


@dataclass(frozen=True, eq=False)
class Passing:
    """Touches of a memory by lanes at a port: the word, the step, and the element of the array (-1: none) of each.

    `earliest` is a cycle of its step before which it does not happen.
    """

    array: str
    lanes: Lanes
    words: IntArray
    steps: IntArray
    elements: IntArray
    earliest: IntArray


@dataclass(frozen=True)
class PortWords:
    """The elements that pass an engine; `left` has by step the cycle by which readers of single buffers have left."""

    accesses: Accesses
    addresses: AddressMap
    engine: DmaEngine
    left: IntArray

    @cached_property
    def _requested_words(self) -> tuple[IntArray, IntArray]:
        """The words that are requested, one by one, and whether each is stored."""
        requests = self.engine.requests
        first, controls = requests.places["word"].numbers, requests.controls
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
        request = np.append(self._request_of_word, -1)[number]
        earliest = np.where(comes, np.append(self._earliest, 0)[request], 0)
        in_turn = np.zeros(len(word) + 1, np.int64)
        in_turn[:-1][write == 0] = _in_turn(word[write == 0])
        yield from self._touches(passing, (loaded_word, request, earliest, in_turn[number]), write=False)

    @cached_property
    def _request_of_word(self) -> IntArray:
        """The row of the request of each word that is requested."""
        controls = self.engine.requests.controls
        return np.repeat(np.arange(self.engine.requests.rows), np.where(controls["asks"] > 0, controls["words"], 0))

    @cached_property
    def _earliest(self) -> IntArray:
        """By request the cycle of its step before which it is not made: some wait for readers to leave."""
        requests = self.engine.requests
        rows = np.arange(requests.rows)
        step = np.searchsorted(requests.ends, rows)
        late = requests.controls.get(LATE, np.zeros(requests.rows, np.int64))
        waited = np.maximum.accumulate(np.where(late > 0, rows, -1)) >= requests.starts[step]
        return np.where(waited, self.left[step], 0)

    def stored(self) -> Iterator[Passing]:
        """The stored elements.

        Raises ArrayolError (`unproven-schedule`) if not as many words are put together as requested.
        """
        storing, (word, write) = self.engine.storing, self._requested_words
        whole, word = storing.controls["whole"] > 0, word[write > 0]
        if int(whole.sum()) != len(word):
            raise unproven(f"'{self.engine.name}' stores other words than it asks for")
        number: IntArray = np.cumsum(whole) - whole
        stored_word = np.append(word, -1)[number]
        request = np.append(self._request_of_word[write > 0], -1)[number]
        yield from self._touches(storing, (stored_word, request, 0 * request, 0 * request), write=True)

    def _frames_ahead(self, array: str) -> IntArray:
        """By request, and for none, how many frames of an array it is ahead of the first of them; -1 if of another."""
        first, copied = -self.addresses.earlier.get(array, 0), [("", 0), *self.addresses.copied]
        places = np.array([ahead - first if name == array else -1 for name, ahead in copied])
        return np.append(places[self.engine.requests.controls[COPIED]], -1)

    def _touches(
        self, activity: Activity, passing: tuple[IntArray, IntArray, IntArray, IntArray], *, write: bool
    ) -> Iterator[Passing]:
        """The element of each touch; an array that lies in another channel raises ArrayolError (`unproven-schedule`).

        Given is by row the word of the external memory, its request, its earliest cycle, and how many words have been
        loaded one after another up to it.
        """
        (word, request, earliest, in_turn), part = passing, activity.controls["part"]
        ports: Mapping[str, PortLanes] = {own.name: own for own in self.engine.lanes if own.write == write}
        for lanes in activity.lanes:
            port = ports[lanes.name]
            row, lane = np.nonzero(lanes.words >= 0)
            if self.addresses.channels[port.array] != self.engine.channel:
                raise unproven(f"'{port.array}' does not lie in the channel of '{self.engine.name}'")
            words, place = lanes.words[row, lane], word[row] - self.addresses.first[port.array]
            across = port.words(self.addresses.word_bytes)
            if across > 1:
                element = place // across
                right = _stored_whole(place, part[row], words, across) if write else in_turn[row] >= across
                right &= write | (place % across == across - 1)
            else:
                each = self.addresses.word_bytes // self.addresses.slots[port.array]
                inside = part[row] * port.lanes + lane
                element, right = place * each + inside, inside < each
            right &= (word[row] >= 0) & (element >= 0) & (element < self.addresses.elements[port.array])
            if port.array in self.addresses.copies:
                ahead = self._frames_ahead(port.array)[request[row]]
                element, right = element + ahead * self.addresses.elements[port.array], right & (ahead >= 0)
            step = np.searchsorted(activity.ends, row)
            yield Passing(port.array, lanes, words, step, np.where(right, element, -1), earliest[row])


def _in_turn(words: IntArray) -> IntArray:
    """How many words, up to each, follow one another without a gap."""
    place = np.arange(len(words))
    return 1 + place - np.maximum.accumulate(np.where(np.diff(words, prepend=-2) == 1, 0, place))


def _stored_whole(place: IntArray, part: IntArray, words: IntArray, across: int) -> NDArray[np.bool_]:
    """Whether each touch is one of those, in turn, that store an element of several words from one word inside.

    `place` counts words from the first one of the array.
    """
    whole, parts, right = len(place) // across, np.arange(across), np.zeros(len(place), np.bool_)
    first, number, inside = (each[: whole * across].reshape(whole, across) for each in (place, part, words))
    alike = (first == first[:, :1] // across * across + parts) & (number == parts) & (inside == inside[:, :1])
    right[: whole * across] = np.repeat(alike.all(axis=1), across)
    return right
