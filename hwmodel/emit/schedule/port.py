"""The port to the external memory: requests, the words of each, and where their data go inside.

An *engine* is a port, or with separate ports the side that loads or the side that stores. *Inside* means in the local
memories of the group. Each channel of the external memory has engines of its own. An engine has three agents:

- `requests` makes the requests, one in each row.
- `passing` is active while the words of a request pass. In each row one local word, a word of the external memory or a
  part of one, passes to the memories inside or back.
- `storing` fetches the data to be stored from the memories inside ahead of time, one local word in each row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.channels import channel_numbers
from hwmodel.emit.schedule.activity import Activity, Followed, Lanes
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.schedule.port_moves import PortMoves
from hwmodel.emit.schedule.units import LATE
from hwmodel.local_words import local_word
from hwmodel.platform import Platform
from hwmodel.residence import ONCE
from hwmodel.simulator.requests import Request, Requester

COPIED = "copied"  # the control of requests that says for which array with copies one is


@dataclass(frozen=True, slots=True)
class PortLanes:
    """The lanes of an array at the port: `lanes` side by side, each for an element of `bytes` bytes.

    Lane k of part p of a word is its element number p lanes + k. An element of several words is loaded with its last
    one, and stored part by part, a word each.
    """

    array: str
    write: bool
    name: str
    lanes: int
    bytes: int
    width: int

    def words(self, word_bytes: int) -> int:
        """The words of so many bytes that an element takes, 1 if it is no wider than one."""
        return -(-self.bytes // word_bytes)


@dataclass(frozen=True)
class DmaEngine:
    """An engine of a channel before it is compiled: the activities of its three agents, and its lanes.

    `runs` has for each row of the requests the number of the array and the first element of the run that it is a part
    of, (rows, 2); -1 for none.
    """

    name: str
    requests: Activity
    passing: Activity
    storing: Activity
    lanes: tuple[PortLanes, ...]
    runs: IntArray
    channel: int = 0


@dataclass(frozen=True)
class AddressMap:
    """The external memory: by array its channel, and its first word there; a word has `word_bytes` bytes.

    In a channel arrays follow each other; by channel it has so many `words`. `slots` has by array the bytes that an
    element takes: those of its type, or, if the platform gives the width of a word in data, those of the widest type.
    `sizes` are the words of an array. An array in `copies` has so many copies one after another, and frame n uses copy
    n modulo their number. One of an `earlier` frame, so many before, lies where the array does that it was then.
    """

    word_bytes: int
    slots: Mapping[str, int]
    first: Mapping[str, int]
    words: tuple[int, ...]
    sizes: Mapping[str, int]
    channels: Mapping[str, int]
    copies: Mapping[str, int]
    frames: Mapping[str, int]
    elements: Mapping[str, int]
    earlier: Mapping[str, int]

    @cached_property
    def copied(self) -> list[tuple[str, int]]:
        """What a request may be for: an array with copies, and how many frames ahead of the frame's own."""
        return [
            (name, ahead - self.earlier.get(name, 0))
            for name in self.copies
            for ahead in range(self.frames.get(name, 1))
        ]

    def in_frame(self, array: str, element: IntArray) -> tuple[IntArray, IntArray]:
        """How many frames ahead elements of an array are, and their numbers in these frames."""
        if array not in self.frames:
            return 0 * element - self.earlier.get(array, 0), element
        ahead, inside = np.divmod(element, self.elements[array])
        return ahead, inside

    def first_of(self, array: str, frame: int) -> int:
        """The first word of an array in a frame."""
        return self.first[array] + frame % self.copies.get(array, 1) * self.sizes[array]

    @property
    def bits(self) -> int:
        """The bits of the address of a word."""
        return max(1, (max(self.words) - 1).bit_length())

    def tag(self, channel: int) -> str:
        """What names of a channel end with: its number, if there are several."""
        return str(channel) if len(self.words) > 1 else ""


@dataclass(frozen=True, slots=True)
class _Inside:
    """The words of a memory that hold the data of a move, and the name of the lanes that move them."""

    name: str
    memory: Memory
    words: IntArray


@dataclass(frozen=True, slots=True)
class _Move:
    """The data of one array that a step moves: their elements, ascending, and their words in the memories inside."""

    array: str
    write: bool
    elements: IntArray
    inside: tuple[_Inside, ...]
    requester: Requester


def address_map(
    accesses: Accesses,
    platform: Platform,
    copies: Mapping[str, int] | None = None,
    frames: Mapping[str, int] | None = None,
) -> AddressMap:
    """Place arrays, some of them in several copies, in the network's order, each at the start of a word.

    Those in `frames` have so many frames of their own in what a frame's tasks touch.
    """
    (memory,), channels = platform.channels, channel_numbers(accesses, platform)
    slots = {name: array.type.bytes for name, array in accesses.network.arrays.items() if accesses.lies_outside(name)}
    word = (memory.word_bits or 8) // 8
    if memory.data_per_word is not None:
        slots = dict.fromkeys(slots, max(slots.values()))
        word = memory.data_per_word * max(slots.values())
    copies = {name: number for name, number in (copies or {}).items() if name in slots and number > 1}
    elements = {name: accesses.size(name) // (frames or {}).get(name, 1) for name in slots}
    first, sizes, ends = dict[str, int](), dict[str, int](), [0] * (1 + max(channels.values(), default=0))
    held = {name: own.earlier for name, own in accesses.network.arrays.items() if own.earlier is not None}
    for name, slot in slots.items():
        if name not in held:
            first[name], sizes[name] = ends[channels[name]], -(-elements[name] * slot // word)
            ends[channels[name]] += sizes[name] * copies.get(name, 1)
    for name, own in held.items():
        first[name], sizes[name] = first[own.array], sizes[own.array]
    copies |= {name: copies[own.array] for name, own in held.items() if own.array in copies}
    earlier = {name: own.frames for name, own in held.items()}
    return AddressMap(word, slots, first, tuple(ends), sizes, channels, copies, frames or {}, elements, earlier)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A local word of a run: part number `part` of external word `word`, counted from the run's first word.

    `is_last` says that the external word ends with it. `lanes` are the positions of its elements, the first of which is
    element number `first` of the run.
    """

    word: int
    part: int
    is_last: bool
    lanes: IntArray
    first: int


def _pieces(requester: Requester, start: int, elements: IntArray, *, write: bool) -> list[_Piece]:
    """The local words of a run from element `start` on, in order; an element of several words is stored in as many.

    `elements` are the elements that are moved; others may lie between them.
    """
    of_word = _word_elements(requester)
    width = requester.local.width if requester.local is not None else of_word
    word, local = requester.parts(start, elements)
    position, size = elements % of_word, len(elements)
    cuts = np.flatnonzero(np.diff(local, prepend=-1))
    pieces = []
    for begin, end in zip(cuts.tolist(), [*cuts[1:].tolist(), size], strict=True):
        last = end == size or word[end] != word[begin]
        part, lanes = int(position[begin]) // width, position[begin:end] % width
        pieces.append(_Piece(int(word[begin]), part, bool(last), lanes, begin))
    across = requester.size // requester.word if write else 0
    if across < 2:
        return pieces
    return [replace(own, word=own.word - across + 1 + part, part=part) for own in pieces for part in range(across)]


def _word_elements(requester: Requester) -> int:
    """The elements of a word, 1 if one takes several words."""
    return max(1, requester.word // requester.size)


@dataclass
class _Rows:
    """The rows of an engine's agents so far."""

    requests: list[tuple[int, int, int, int, int]] = field(default_factory=list)  # word, words, write, fence, late
    runs: list[tuple[int, int]] = field(default_factory=list)  # of each request, the array and the first element
    flags: list[tuple[int, ...]] = field(default_factory=list)  # array, write, part, waits, takes, done
    loaded: list[tuple[int, str, IntArray, IntArray]] = field(default_factory=list)  # row, name of lanes, lanes, words
    stores: list[tuple[int, int, int]] = field(default_factory=list)  # array, part, whether the word is complete
    stored: list[tuple[int, str, IntArray, IntArray]] = field(default_factory=list)
    ends: list[tuple[int, int, int]] = field(default_factory=list)  # number of rows of each agent, by end of step
    lanes: dict[str, tuple[PortLanes, Memory]] = field(default_factory=dict)


def loaded_once(accesses: Accesses, memories: Sequence[Memory]) -> dict[str, list[Memory]]:
    """By array that is loaded before all frames, in the network's order, which `memories` of a group hold it.

    A group with one of these arrays passes all of them, as any other does: so the words of one load are for all groups.
    """
    arrays, load = accesses.network.arrays, accesses.load
    if all(load.get(own.array) != ONCE for own in memories):
        return {}
    once = (name for name, array in arrays.items() if array.readers and load.get(name) == ONCE)
    return {name: [own for own in memories if own.array == name] for name in once}


@dataclass(frozen=True)
class PortScheduler:
    """The port of a group; `memories` by ("", array) are written by loads and read by stores.

    `once` has by array that is loaded before all frames the memories that hold it (`loaded_once`). What is stored is in
    the memories `settling` cycles after the begin of its step.
    """

    accesses: Accesses
    platform: Platform
    moves: PortMoves
    memories: Mapping[tuple[str, str], Memory]
    addresses: AddressMap
    once: Mapping[str, Sequence[Memory]]
    settling: int = 0
    _split: dict[tuple[str, bool, int, int, bytes], list[_Piece]] = field(default_factory=dict, init=False, repr=False)

    def engines(self) -> tuple[DmaEngine, ...]:
        """The engines of each channel that the group uses: one, or with separate ports one that loads, one that stores.

        Of a single channel they are there even if nothing moves. A group may ask for what others hold in `once`.
        """
        (channel,), numbers = self.platform.channels, range(len(self.addresses.words))
        sides = {"port": (False, True)} if channel.port == "shared" else {"loads": (False,), "stores": (True,)}
        every = [tuple(self._engine(name, number, sides[name]) for name in sides) for number in numbers]
        asked = {self.addresses.channels[array] for array in self.once}
        used = [
            own
            for number, own in zip(numbers, every, strict=True)
            if len(every) == 1 or number in asked or any(engine.lanes for engine in own)
        ]
        return tuple(engine for own in used for engine in own)

    def _engine(self, name: str, channel: int, directions: Sequence[bool]) -> DmaEngine:
        """The engine that moves data of a channel in some directions (True: stores), step after step."""
        rows, arrays, channels = _Rows(), list(self.accesses.network.arrays), self.addresses.channels
        if self.once:
            for array in self.once if False in directions else ():
                if channels[array] == channel:
                    self._add(rows, self._setup(array), arrays.index(array))
            self._end(rows)
        order = [own for own in self._order(directions) if channels.get(own[0]) == channel]
        for step in range(self.moves.steps):
            for array, write in order:
                move = self._move(array, step, write=write)
                if move is not None:
                    late = not write and array in self.moves.single_buffers
                    self._add(rows, move, arrays.index(array), late=int(late))
            self._end(rows)
        return self._built(f"{name}{self.addresses.tag(channel)}", channel, rows)

    def _order(self, directions: Sequence[bool]) -> Iterator[tuple[str, bool]]:
        """The arrays that an engine may move in a step (True: store): loads, stores, then loads of single buffers."""
        single = self.moves.single_buffers
        for write in directions:
            yield from ((array, write) for array in self.moves.arrays if write or array not in single)
        if False in directions:
            yield from ((array, False) for array in self.moves.arrays if array in single)

    def _setup(self, array: str) -> _Move:
        """The move that loads a whole array before all frames."""
        elements, size = np.arange(self.accesses.size(array)), self.accesses.network.arrays[array].type.bytes
        shape = self.accesses.shape(array)
        local = local_word(self.platform, size, shape, write=False)
        requester = Requester.of(array, shape, size, self.platform.channel_of(array), [elements], local)
        inside = tuple(
            _Inside(f"load_{memory.name}", memory, np.array(memory.elements, np.int64)) for memory in self.once[array]
        )
        return _Move(array, False, elements, inside, requester)

    def _end(self, rows: _Rows) -> None:
        """End a step; an agent with no row in it gets an idle row."""
        before = rows.ends[-1] if rows.ends else (0, 0, 0)
        if len(rows.requests) == before[0]:
            rows.requests.append((-1, 0, 0, 0, 0))
            rows.runs.append((-1, -1))
        if len(rows.flags) == before[1]:
            rows.flags.append((0, 0, 0, 0, 0, 0))
        if len(rows.stores) == before[2]:
            rows.stores.append((-1, 0, 0))
        rows.ends.append((len(rows.requests), len(rows.flags), len(rows.stores)))

    def _move(self, array: str, step: int, *, write: bool) -> _Move | None:
        """The move of an array in a step; None if no data of it are loaded or stored."""
        elements, words = self.moves.of(array, step, write=write)
        if not len(elements):
            return None
        name, memory = f"{'store' if write else 'load'}_{plain(array)}", self.memories["", array]
        inside = _Inside(name, memory, words)
        return _Move(array, write, elements, (inside,), self.moves.requesters[array, write])

    def _add(self, rows: _Rows, move: _Move, number: int, *, late: int = 0) -> None:
        """Add the requests of a move, and the words that pass in each.

        With `late` 1 the first request waits until the readers of single buffers have left.
        """
        requester = move.requester
        for inside in move.inside:
            rows.lanes.setdefault(inside.name, (self._lanes(move, inside), inside.memory))
        # `first` is 1 for the first request of the move only (its controls `fence` and `late`).
        asked, done, first = requester.request_for(move.elements), 0, 1
        if move.write and len(rows.stores) == (rows.ends[-1][2] if rows.ends else 0):
            rows.stores += [(-1, 0, 0)] * self.settling
        for start, size in asked.runs:
            end = int(np.searchsorted(move.elements, start + size))
            place = self._in_frame(move.array, start, size)
            pieces = self._pieces_of(requester, place, move.elements[done:end] - start + place, write=move.write)
            before, done = done, end
            word = self.addresses.first[move.array] + place * requester.size // requester.word
            for begin in range(0, asked.parts * asked.each, asked.each):
                in_request = [piece for piece in pieces if begin <= piece.word < begin + asked.each]
                count = self._pass(rows, (number, move, before), in_request, (begin, asked))
                rows.requests.append((word + begin, count, int(move.write), first, first * late))
                rows.runs.append((number, start))
                first = 0

    def _in_frame(self, array: str, start: int, size: int) -> int:
        """The first element of a run, counted in its frame."""
        ahead, inside = self.addresses.in_frame(array, np.array([start, start + size - 1]))
        assert ahead[0] == ahead[1], "no run goes on from one frame to the next, which lies elsewhere"
        return int(inside[0])

    def _pieces_of(self, requester: Requester, start: int, elements: IntArray, *, write: bool) -> list[_Piece]:
        """The local words of a run; equal runs at the same place in a word and in a row are split once."""
        row = requester.local.row if requester.local is not None else math.prod(requester.shape)
        places = start % _word_elements(requester), start % math.lcm(requester.word, row)
        key = requester.array, write, *places, (elements - start).tobytes()
        if key not in self._split:
            self._split[key] = _pieces(requester, start, elements, write=write)
        return self._split[key]

    def _pass(
        self, rows: _Rows, moving: tuple[int, _Move, int], pieces: Sequence[_Piece], request: tuple[int, Request]
    ) -> int:
        """Add the rows of one request, which passes the local words `pieces`; returns the number of words to ask for.

        `moving` has the number of the array, its move, and the data of it before the run. `request` has the first word,
        counted from that of the run. The rows are as many as the cycles in the model. All requests of a move ask for
        equally many words, except if words after the last needed word would not pass in time.
        """
        (number, move, before), (first, asked) = moving, request
        flags, words, skipped = list[tuple[int, ...]](), 0, (number, int(move.write), 0, 1, 1, 0)
        for piece in pieces:
            between = piece.word - first - words
            flags += [skipped] * between
            rows.stores += [(-1, 0, 1)] * (between if move.write else 0)
            for own in move.inside:
                at = before + piece.first
                touched = own.name, piece.lanes, own.words[at : at + len(piece.lanes)]
                if move.write:
                    rows.stored.append((len(rows.stores), *touched))
                else:
                    rows.loaded.append((len(rows.flags) + len(flags), *touched))
            if move.write:
                rows.stores.append((number, piece.part, int(piece.is_last)))
            flags.append((number, int(move.write), piece.part, 1, int(piece.is_last), 0))
            words += between + piece.is_last
        # Words after the last needed one are asked for as well and dropped, as far as the model's cycles permit.
        unused = min(asked.each - words, asked.passing - len(flags))
        flags += [skipped] * unused
        rows.stores += [(-1, 0, 1)] * (unused if move.write else 0)
        # Idle rows, up to the cycles that the model counts.
        flags += [(number, int(move.write), 0, 0, 0, 0)] * (asked.passing - len(flags))
        rows.flags += [*flags[:-1], (*flags[-1][:-1], 1)]
        return words + unused

    def _built(self, name: str, channel: int, rows: _Rows) -> DmaEngine:
        """The engine of all rows, as activities."""
        ends = np.array(rows.ends, np.int64) - 1
        requests, flags = np.array(rows.requests, np.int64), np.array(rows.flags, np.int64)
        stores = np.array(rows.stores, np.int64)
        loading = [
            _table(rows, lane_name, rows.loaded, len(flags))
            for lane_name, (port, _) in rows.lanes.items()
            if not port.write
        ]
        storing = [
            _table(rows, lane_name, rows.stored, len(stores))
            for lane_name, (port, _) in rows.lanes.items()
            if port.write
        ]
        setup = bool(self.once)
        there, room = requests[:, 0] >= 0, 1 << self.addresses.bits  # unneeded words may lie beyond the last address
        # The words of each array are regular, and between arrays they often are all different.
        runs, which = np.array(rows.runs, np.int64), np.zeros(len(requests), np.int64)
        which[there] = np.unique(2 * runs[there, 0] + requests[there, 2], return_inverse=True)[1]
        return DmaEngine(
            name,
            Activity(
                f"{name}_requests",
                ends[:, 0],
                (),
                {
                    "asks": there.astype(np.int64),
                    "words": requests[:, 1],
                    "write": requests[:, 2],
                    "fence": requests[:, 3],
                    **({LATE: requests[:, 4]} if requests[:, 4].any() else {}),
                    **({COPIED: self._copied(np.array(rows.runs, np.int64))} if self.addresses.copies else {}),
                },
                {"word": Followed(np.where(there, requests[:, 0] % room, -1), room, which)},
                setup,
            ),
            Activity(
                f"{name}_passing",
                ends[:, 1],
                tuple(loading),
                {
                    "array": flags[:, 0],
                    "write": flags[:, 1],
                    "part": flags[:, 2],
                    "waits": flags[:, 3],
                    "takes": flags[:, 4],
                    "done": flags[:, 5],
                },
                setup=setup,
            ),
            Activity(
                f"{name}_storing",
                ends[:, 2],
                tuple(storing),
                {"array": np.maximum(stores[:, 0], 0), "part": stores[:, 1], "whole": stores[:, 2]},
                setup=setup,
            ),
            tuple(port for port, _ in rows.lanes.values()),
            runs,
            channel,
        )

    def _copied(self, runs: IntArray) -> IntArray:
        """The place of each run (array, first element; -1 for none) in `AddressMap.copied`, from 1 on; else 0."""
        places = {one: place for place, one in enumerate(self.addresses.copied, 1)}
        copied = np.zeros(len(runs), np.int64)
        for number, name in enumerate(self.accesses.network.arrays):
            rows = np.flatnonzero(runs[:, 0] == number)
            ahead, _ = self.addresses.in_frame(name, runs[rows, 1])
            copied[rows] = [places.get((name, frame), 0) for frame in ahead.tolist()]
        return copied

    def _lanes(self, move: _Move, inside: _Inside) -> PortLanes:
        """The lanes at the port for the elements of a move."""
        requester, kind = move.requester, self.accesses.network.arrays[move.array].type
        width = requester.local.width if requester.local is not None else _word_elements(requester)
        return PortLanes(move.array, move.write, inside.name, width, self.addresses.slots[move.array], kind.bits)


def _table(rows: _Rows, name: str, touched: Sequence[tuple[int, str, IntArray, IntArray]], count: int) -> Lanes:
    """The words that the lanes named `name` touch, in `count` rows."""
    port, memory = rows.lanes[name]
    table = np.full((count, port.lanes), -1, np.int64)
    for row, lane_name, lanes, words in touched:
        if lane_name == name:
            table[row, lanes] = words
    return Lanes(name, memory, table, memory.copies_of(table, 1, memory.storing) if port.write else ())
